//! Jupyter notebooks as Markdown: text cells as they are, code cells as fenced code. Outputs and attachments are left out.

use serde_json::Value;

/// The Markdown of a notebook (nbformat 3 and 4).
///
/// # Errors
/// When the bytes are no notebook, in words for people.
pub fn to_markdown(bytes: &[u8]) -> Result<String, String> {
    let notebook: Value =
        serde_json::from_slice(bytes).map_err(|error| format!("the notebook is not valid JSON: {error}"))?;
    let cells = notebook["cells"].as_array().or_else(|| notebook["worksheets"][0]["cells"].as_array());
    let cells = cells.ok_or("the notebook has no cells")?;
    let metadata = &notebook["metadata"];
    let language = metadata["language_info"]["name"].as_str().or_else(|| metadata["kernelspec"]["language"].as_str());
    let language = language.unwrap_or("python");
    let mut out = String::new();
    for cell in cells {
        let source = source(cell);
        let text = source.trim_end();
        if text.trim().is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        if cell["cell_type"] == "code" {
            let fence = "`".repeat(longest_ticks(text).max(2) + 1);
            for part in [&fence, language, "\n", text, "\n", &fence, "\n"] {
                out.push_str(part);
            }
        } else {
            out.push_str(text);
            out.push('\n');
        }
    }
    Ok(out)
}

/// `source` (nbformat 3: `input`) is one text or a list of lines.
fn source(cell: &Value) -> String {
    let source = if cell["source"].is_null() { &cell["input"] } else { &cell["source"] };
    match source {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

/// The longest run of backticks that opens a line: the fence around the text must be longer.
fn longest_ticks(text: &str) -> usize {
    text.lines().map(|line| line.trim_start().chars().take_while(|c| *c == '`').count()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::to_markdown;

    #[test]
    fn cells_become_text_and_fenced_code_without_outputs() {
        let notebook = br##"{"nbformat":4,"metadata":{"language_info":{"name":"rust"}},"cells":[
            {"cell_type":"markdown","source":["# Lamps\n","\n","Light them."]},
            {"cell_type":"code","source":"let lamp = 1;\n","outputs":[{"data":{"image/png":"AAAA"}}]},
            {"cell_type":"code","source":[]},
            {"cell_type":"code","source":["```\n","quoted\n","```"]}]}"##;
        let expected = "# Lamps\n\nLight them.\n\n```rust\nlet lamp = 1;\n```\n\n````rust\n```\nquoted\n```\n````\n";
        assert_eq!(to_markdown(notebook).as_deref(), Ok(expected));
        assert_eq!(to_markdown(b"{}"), Err("the notebook has no cells".into()));
    }
}
