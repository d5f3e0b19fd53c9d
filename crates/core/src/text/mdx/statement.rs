//! `import` and `export` statements of MDX: at the start of a line, and written so that no prose is taken for one.

use super::literal::{skip_opaque, string_end};

/// Longest statement, in bytes; anything longer is text.
const STATEMENT_BYTES_MAX: usize = 64 * 1024;

/// The bytes of the statement that a text begins with, the end of its last line included; and how many were looked at.
pub(super) fn length(text: &str) -> (Option<usize>, usize) {
    let imports = text.starts_with("import") && text[6..].starts_with([' ', '{', '"', '\'', '*']);
    if !imports && !text.starts_with("export ") {
        return (None, 0);
    }
    let Some(end) = end(text) else { return (None, text.len().min(STATEMENT_BYTES_MAX)) };
    let statement = text[..end].trim_end().trim_end_matches(';').trim_end();
    let rest = statement.trim_start_matches(if imports { "import" } else { "export" }).trim();
    let is_one = if imports { is_import(rest) } else { is_export(rest) };
    (is_one.then_some(end), end)
}

/// Where the first line ends after which nothing is open.
fn end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    // Where the current line starts, and whether the last line above it that is not blank is half a statement.
    let (mut line_start, mut is_half) = (0, false);
    while at < bytes.len().min(STATEMENT_BYTES_MAX) {
        let after = skip_opaque(text, at)?;
        if after > at {
            at = after;
            continue;
        }
        match bytes[at] {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth = depth.checked_sub(1)?,
            b'\n' => {
                let line = text[line_start..at].trim_end();
                if !line.is_empty() {
                    is_half = goes_on(line);
                }
                if depth == 0 && !is_half {
                    return Some(at + 1);
                }
                line_start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    (at >= bytes.len() && depth == 0).then_some(bytes.len())
}

/// Whether a line that ends so is half a statement.
fn goes_on(line: &str) -> bool {
    line.ends_with("=>") || line.ends_with(['=', ',', '+', '?', ':', '&', '|']) || line.ends_with(" from")
}

fn is_import(rest: &str) -> bool {
    if is_quoted(rest) {
        return true;
    }
    let Some((names, source)) = rest.rsplit_once("from") else { return false };
    let outside = match (names.find('{'), names.rfind('}')) {
        (Some(open), Some(close)) if open < close => format!("{}{}", &names[..open], &names[close + 1..]),
        (None, None) => names.to_owned(),
        _ => return false,
    };
    let is_binding = |name: &str| {
        let name = name.strip_prefix("type ").unwrap_or(name);
        name.is_empty() || name == "type" || is_name(name.strip_prefix("* as ").unwrap_or(name).trim())
    };
    is_quoted(source.trim()) && !names.trim().is_empty() && outside.split(',').map(str::trim).all(is_binding)
}

fn is_export(rest: &str) -> bool {
    let (word, after) = rest.split_once(|c: char| c.is_whitespace()).unwrap_or((rest, ""));
    let after = after.trim_start();
    let name = |text: &str| text.split(|c: char| !is_name_part(c)).next().unwrap_or_default().to_owned();
    match word {
        "const" | "let" | "var" => {
            let value = after.split_once('=').map(|(names, _)| names.trim());
            value.is_some_and(|names| names.starts_with(['{', '[']) || is_name(name(names).as_str()))
        }
        "function" | "async" | "class" | "type" | "interface" => {
            is_name(&name(after)) && after.contains(['(', '{', '='])
        }
        "default" => {
            let first = name(after);
            after.starts_with(['(', '{', '[', '"', '\''])
                || is_name(&first) && (after == first || after.contains(['(', '{']))
        }
        _ => rest.starts_with('{') || rest.starts_with("* ") && rest.contains("from"),
    }
}

fn is_quoted(text: &str) -> bool {
    text.len() > 2 && text.starts_with(['"', '\'']) && string_end(text, 0) == Some(text.len())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_name_part)
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}
