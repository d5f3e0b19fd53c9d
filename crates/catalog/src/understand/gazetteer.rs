//! Gazetteers: the values of a field by how they are said, as named entities are looked up in lists of names.

use foldhash::HashMap;

use refdesk_search::text::folded;

/// What a company's name may end with and is left out in speech.
const LEFT_OUT: [&str; 3] = [" ai", " labs", " research"];

/// Values of a field by how they are said.
pub type Gazetteer<'a> = HashMap<String, &'a str>;

/// How a name is compared: folded, without what may be left out between its parts.
pub fn compact(folded: &str) -> String {
    folded.replace(['-', ' ', '.', '_'], "")
}

/// The values of a field by their names, and by these without what is left out in speech.
pub fn gazetteer<'a>(values: impl Iterator<Item = &'a str>) -> Gazetteer<'a> {
    let mut by_name = HashMap::default();
    let values: Vec<(&str, String)> = values.map(|value| (value, folded(value))).collect();
    for (value, name) in &values {
        by_name.entry(compact(name)).or_insert(*value);
    }
    for (value, name) in &values {
        for short in LEFT_OUT.iter().filter_map(|end| name.strip_suffix(end)) {
            by_name.entry(compact(short)).or_insert(*value);
        }
    }
    by_name
}
