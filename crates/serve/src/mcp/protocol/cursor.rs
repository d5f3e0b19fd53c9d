//! Cursors of paged lists: opaque to clients, bound to their list, and refused when they were modified.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use super::rpc::RpcError;

/// The cursor of a position in a list.
pub(crate) fn encode(list: &str, offset: usize) -> String {
    let offset = offset.to_string();
    let check = refdesk_core::hash::short_key("", &["cursor", list, &offset]);
    URL_SAFE_NO_PAD.encode(format!("{offset}:{}", &check[..8]))
}

/// The position that `params.cursor` encodes; 0 without one.
///
/// # Errors
/// -32602 for a cursor that this list did not issue.
pub(crate) fn decode(list: &str, params: &Map<String, Value>) -> Result<usize, RpcError> {
    let sent = match params.get("cursor") {
        None | Some(Value::Null) => return Ok(0),
        Some(Value::String(sent)) => sent,
        Some(_) => return Err(refused(list)),
    };
    let text = URL_SAFE_NO_PAD.decode(sent).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let offset = text.as_deref().and_then(|text| text.split_once(':')).and_then(|(offset, _)| offset.parse().ok());
    offset.filter(|offset| encode(list, *offset) == *sent).ok_or_else(|| refused(list))
}

/// Refuses any cursor, for lists that fit on one page.
pub(crate) fn refuse_any(list: &str, params: &Map<String, Value>) -> Result<(), RpcError> {
    match params.get("cursor") {
        None | Some(Value::Null) => Ok(()),
        Some(_) => Err(refused(list)),
    }
}

fn refused(list: &str) -> RpcError {
    RpcError::invalid_params(format!(
        "Invalid cursor: send the nextCursor of a page of {list} as it is, or none to begin."
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    fn read(list: &str, cursor: serde_json::Value) -> Option<usize> {
        let params = serde_json::Map::from_iter([("cursor".to_owned(), cursor)]);
        super::decode(list, &params).ok()
    }

    #[test]
    fn a_cursor_leads_back_to_its_place_in_its_own_list_only() {
        let cursor = super::encode("resources/list", 300);
        assert_eq!(read("resources/list", json!(cursor)), Some(300));
        assert_eq!(read("prompts/list", json!(cursor)), None);
        assert_eq!(read("resources/list", json!("%%bogus%%")), None);
        assert_eq!(read("resources/list", json!("")), None);
        assert_eq!(read("resources/list", json!(3)), None);
        assert_eq!(read("resources/list", json!(null)), Some(0));
    }
}
