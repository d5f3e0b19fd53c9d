//! Rows of the store that cannot be read and are skipped, in words: what each sort of row is, and what to do about it.

use std::collections::{BTreeMap, BTreeSet};

use refdesk_ingest::store::UnreadableRow;

use crate::output::counted;

/// A sentence for each sort of row, for anybody: without what the rows are about.
pub fn told(rows: &[UnreadableRow]) -> Vec<String> {
    let (keys, others) = keys_and_others(rows);
    let keys = match keys.len() {
        0 => None,
        1 => Some(
            "1 API key cannot be read and is refused: `refdesk doctor` names it; revoke it and make another".into(),
        ),
        some => Some(format!(
            "{some} API keys cannot be read and are refused: `refdesk doctor` names them; revoke them and make others"
        )),
    };
    others.iter().map(|(sort, rows)| sort.told(rows.len())).chain(keys).collect()
}

/// The same for the operator: each key by its id, and the sources of the other rows.
pub fn named(rows: &[UnreadableRow]) -> Vec<String> {
    let (keys, others) = keys_and_others(rows);
    let keys = keys.iter().map(|UnreadableRow { id, reason, .. }| {
        format!(
            "the API key {id} cannot be read and is refused ({reason}): `refdesk keys revoke {id}`, and make another"
        )
    });
    let others = others.iter().map(|(sort, rows)| {
        let sources: BTreeSet<&str> = rows.iter().map(|row| row.source_id.as_str()).collect();
        let sources: Vec<&str> = sources.into_iter().filter(|id| !id.is_empty()).collect();
        let of = if sources.is_empty() { String::new() } else { format!(" (of {})", sources.join(", ")) };
        format!("{}{of}", sort.told(rows.len()))
    });
    others.chain(keys).collect()
}

/// The rows that are no keys, by their sort.
type BySort<'a> = BTreeMap<Sort, Vec<&'a UnreadableRow>>;

fn keys_and_others(rows: &[UnreadableRow]) -> (Vec<&UnreadableRow>, BySort<'_>) {
    let (keys, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.what == "key");
    let mut by_sort = BySort::new();
    for row in others {
        by_sort.entry(Sort::of(row.what)).or_default().push(row);
    }
    (keys, by_sort)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Fact,
    /// A sync in the history of a source.
    PastSync,
    /// What a source has beside its facts: its state, its validators, …
    OfSource,
}

impl Sort {
    /// The sort of what the store calls so.
    fn of(what: &str) -> Self {
        match what {
            "fact" => Self::Fact,
            "run" => Self::PastSync,
            _ => Self::OfSource,
        }
    }

    fn told(self, rows: usize) -> String {
        let is = if rows == 1 { "is" } else { "are" };
        match self {
            Self::Fact => format!(
                "{} cannot be read and {is} skipped: `refdesk verify` lists such facts, and the next sync of their source writes them anew",
                counted(rows, "fact")
            ),
            Self::PastSync => format!(
                "{} cannot be read and {is} skipped: only the history of the source lacks such a one",
                counted(rows, "past sync")
            ),
            Self::OfSource => format!(
                "{} about sources cannot be read and {is} skipped: the next sync of the source writes such a row anew",
                counted(rows, "row")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use refdesk_ingest::store::UnreadableRow;

    use super::{named, told};

    fn row(what: &'static str, source_id: &str, id: &str) -> UnreadableRow {
        UnreadableRow { what, source_id: source_id.into(), id: id.into(), reason: "it is torn".into() }
    }

    #[test]
    fn each_sort_of_row_has_its_own_remedy() {
        let rows =
            [row("fact", "s", "1"), row("key", "", "key_0a"), row("fact", "t", "2"), row("validators", "s", "s")];
        let [facts, of_sources, key] = told(&rows).try_into().unwrap();
        assert!(facts.starts_with("2 facts cannot be read and are skipped: `refdesk verify`"), "{facts}");
        assert!(
            of_sources.starts_with("1 row about sources cannot be read and is skipped: the next sync"),
            "{of_sources}"
        );
        assert!(key.starts_with("1 API key cannot be read and is refused: `refdesk doctor` names it"), "{key}");
        let [facts, _, key] = named(&rows).try_into().unwrap();
        assert!(facts.ends_with(" (of s, t)"), "{facts}");
        assert!(key.contains("API key key_0a") && key.contains("`refdesk keys revoke key_0a`"), "{key}");
        assert_eq!(told(&[]).len(), 0);
    }
}
