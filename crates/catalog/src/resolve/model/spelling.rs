//! Takes an upstream's model id apart: vendor, bare name, and the parts that belong to the offer and not to the model.
//!
//! Then [`normalise`] folds the spellings of one name (`4-5` and `4.5`, `@20250929` and `-2025-09-29`) into one. Both only read
//! text: which company stands behind a vendor or a family is in [`super::makers`]. The rules are numbered in `docs/model-identity.md`.

use super::families::{claude_order, family_spelling};
use super::makers;
use super::words::is_size;

/// An id taken apart. Everything is in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IdParts {
    /// The vendor part, verbatim but for case: `meta-llama`, `unsloth`.
    pub vendor: Option<String>,
    /// The last seller in front of the name, which routes to it: `openrouter` in `openrouter/auto`.
    pub route: Option<String>,
    /// The model's own name: `claude-sonnet-4-5-20250929`.
    pub bare: String,
    /// Parts that belong to the offer: `free`, `us-east-1`, `6-month-commitment`, `1024-x-1024`.
    pub variant: Vec<String>,
}

/// Path segments that route a request and say nothing about the model.
const ROUTING: &[&str] = &[
    "accounts", "models", "routers", "public", "route", "bedrock", "invoke", "converse", "hf", "main", "preset", "ps",
    "ranking", "speech",
];

/// Regions as a path segment or a dotted front of the name.
const REGIONS: &[&str] =
    &["us", "eu", "apac", "au", "jp", "ca", "global", "us-gov", "global-standard", "us-datazone", "eu-datazone"];

/// Path segments that tell a size, quality or class of the offer.
const OFFER_SEGMENTS: &[&str] = &["low", "medium", "high", "standard", "hd", "max-x-max", "tee", "pro", "*"];

/// Suffixes after a colon that tell a variant of the offer.
const COLON_VARIANTS: &[&str] = &[
    "free", "batch", "thinking", "nitro", "floor", "online", "extended", "exacto", "beta", "web", "low", "medium",
    "high", "max", "cloud",
];

/// Takes the id apart.
pub fn take_apart(id: &str) -> IdParts {
    let lower = id.trim().to_lowercase();
    let mut parts = IdParts::default();
    let path = lower.trim_start_matches('~');
    let path = path.strip_prefix("hf:").unwrap_or(path);
    let name = path_segments(path, &mut parts);
    let name = dotted_front(name, &mut parts);
    let name = version_suffix(&at_version(name));
    let name = colon_suffixes(name, &mut parts);
    let name = hosting_suffixes(name, &mut parts);
    parts.bare = vendor_front(name, &mut parts);
    parts
}

/// Sorts the path segments into routing, variant, vendor and name; gives the name.
fn path_segments(path: &str, parts: &mut IdParts) -> String {
    if let Some(folder) = path.strip_suffix('/').filter(|folder| folder.contains('/')) {
        // It names no model: `accounts/fireworks/models/` is all that it is called.
        return folder.trim_end_matches('/').to_owned();
    }
    let all: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let Some((last, front)) = all.split_last() else { return path.to_owned() };
    let listed_as_model = front.last().is_some_and(|segment| matches!(*segment, "models" | "routers"));
    let mut kept: Vec<&str> = Vec::new();
    for (at, segment) in front.iter().enumerate() {
        let account = at > 0 && front[at - 1] == "accounts" && makers::is_reseller_segment(segment);
        if ROUTING.contains(segment) || segment.starts_with('@') || account {
            continue;
        }
        if is_offer_segment(segment) {
            parts.variant.push((*segment).to_owned());
        } else if makers::is_reseller_segment(segment) {
            parts.route = Some((*segment).to_owned());
        } else {
            kept.push(segment);
        }
    }
    let Some(first) = kept.first().copied() else { return (*last).to_owned() };
    let is_vendor = makers::vendor(first).is_some() || makers::family(first).is_none();
    if is_vendor {
        parts.vendor = Some(first.to_owned());
        kept.remove(0);
    }
    // `vendor/app/models/name` (Clarifai) names the model last; elsewhere the segments before it are part of the name.
    if listed_as_model || kept.is_empty() {
        return (*last).to_owned();
    }
    kept.push(last);
    kept.join("-")
}

/// True for regions, commitments, sizes and classes.
fn is_offer_segment(segment: &str) -> bool {
    REGIONS.contains(&segment)
        || OFFER_SEGMENTS.contains(&segment)
        || segment.ends_with("-month-commitment")
        || segment.ends_with("-steps")
        || is_image_size(segment)
        || is_cloud_region(segment)
}

/// `1024-x-1792`.
fn is_image_size(segment: &str) -> bool {
    segment.split_once("-x-").is_some_and(|(wide, high)| is_number(wide) && is_number(high))
}

/// `us-east-1`, `us-gov-west-1`, `ap-southeast-3`.
fn is_cloud_region(segment: &str) -> bool {
    let mut words = segment.split('-');
    let country = words.next().is_some_and(|word| word.len() == 2 && word.bytes().all(|b| b.is_ascii_lowercase()));
    country
        && segment.matches('-').count() >= 2
        && segment.rsplit('-').next().is_some_and(|end| end.len() == 1 && is_number(end))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `us.anthropic.claude-…`, `deepseek.v3.2`, `anthropic--claude-…`: a region and a vendor in front of the name.
fn dotted_front(mut name: String, parts: &mut IdParts) -> String {
    if let Some((front, rest)) = name.split_once("--")
        && makers::vendor(front).is_some()
    {
        parts.vendor = Some(front.to_owned());
        return rest.to_owned();
    }
    while let Some((front, rest)) = name.split_once('.') {
        if REGIONS.contains(&front) {
            parts.variant.push(front.to_owned());
        } else if makers::vendor(front).is_some() && !rest.is_empty() {
            // DeepSeek's own names on Bedrock are versions only: `deepseek.v3.2` is `deepseek-v3.2`.
            let version_only =
                rest.len() > 1 && matches!(rest.as_bytes()[0], b'v' | b'r') && rest.as_bytes()[1].is_ascii_digit();
            parts.vendor = Some(front.to_owned());
            return if version_only { format!("{front}-{rest}") } else { rest.to_owned() };
        } else {
            break;
        }
        name = rest.to_owned();
    }
    name
}

/// `@20250929` is `-20250929`; `@default` says nothing.
fn at_version(name: String) -> String {
    match name.split_once('@') {
        Some((front, "default")) => front.to_owned(),
        Some((front, version)) if !front.is_empty() => format!("{front}-{version}"),
        _ => name,
    }
}

/// Bedrock's version of the packaging (`-v1:0`, `-v2:0:200k`, `-1:0`), which is no version of the model except where no other stands.
fn version_suffix(name: &str) -> String {
    let Some((front, minor)) = split_version(name) else { return name.to_owned() };
    let Some((base, major)) = front.rsplit_once('-') else { return name.to_owned() };
    let digits = major.strip_prefix('v').unwrap_or(major);
    if !is_number(digits) {
        // `cohere.embed-v4:0`, `llama3.1:70b` and the like: no packaging version.
        return if minor == "0" { front.to_owned() } else { name.to_owned() };
    }
    let dated = base.rsplit('-').next().is_some_and(|end| end.len() == 8 && is_number(end));
    match (digits, minor) {
        ("1", "0") => base.to_owned(),
        _ if dated => base.to_owned(),
        ("0", minor) => format!("{base}-v0.{minor}"),
        // `rerank-v3-5:0` is version 3.5, `titan-embed-text-v2:0` version 2.
        (_, "0") => front.to_owned(),
        (major, minor) => format!("{base}-v{major}.{minor}"),
    }
}

/// `…-v1:0` and `…-v1:0:200k` as front and minor number.
fn split_version(name: &str) -> Option<(&str, &str)> {
    let (front, end) = name.rsplit_once(':')?;
    if let Some((inner, minor)) = front.rsplit_once(':')
        && is_number(minor)
        && end.ends_with('k')
    {
        return Some((inner, minor));
    }
    (is_number(end) && end.len() <= 2).then_some((front, end))
}

/// `:free`, `:batch`, `:thinking:low`, `:32000` belong to the offer; `gpt-oss:120b` is Ollama's way to write the size; `ft:` a fine-tune.
fn colon_suffixes(name: String, parts: &mut IdParts) -> String {
    let mut name = match name.strip_prefix("ft:") {
        Some(base) => format!("ft-{base}"),
        None => name,
    };
    while let Some((front, suffix)) = name.rsplit_once(':') {
        if COLON_VARIANTS.contains(&suffix) || (is_number(suffix) && suffix.len() >= 3) {
            parts.variant.push(suffix.to_owned());
            name = front.to_owned();
        } else if let Some(size) = suffix.strip_suffix("-cloud") {
            parts.variant.push("cloud".to_owned());
            name = format!("{front}-{size}");
        } else {
            name = format!("{front}-{suffix}");
        }
    }
    name
}

/// Endings that tell how a model is hosted: Vertex's `-maas`, confidential `-tee`, `-free`, a host's name; and such that tell nothing:
/// `-bf16`, the released precision, `-hf`, the file format, and behind a size the context (`-8192`). Groq's `-versatile` and `-instant`
/// behind a size are its words for `-instruct`.
fn hosting_suffixes(mut name: String, parts: &mut IdParts) -> String {
    for (ending, variant) in [
        ("-maas", None),
        ("-tee", Some("tee")),
        ("-free", Some("free")),
        ("-bf16", None),
        ("-hf", None),
        ("-original", Some("original")),
        ("-tput", Some("throughput")),
    ] {
        if let Some(front) = name.strip_suffix(ending)
            && !front.is_empty()
        {
            parts.variant.extend(variant.map(str::to_owned));
            name = front.to_owned();
        }
    }
    let Some((front, last)) = name.rsplit_once('-') else { return name };
    if makers::is_reseller_segment(last) && makers::family(front).is_some() {
        parts.variant.push(last.to_owned());
        return front.to_owned();
    }
    let behind_size = front.rsplit('-').next().is_some_and(is_size);
    if behind_size && is_context(last) {
        return front.to_owned();
    }
    if behind_size && matches!(last, "versatile" | "instant") {
        return format!("{front}-instruct");
    }
    name
}

/// `8192`, `32768`: a power of two that can only be a context window.
fn is_context(word: &str) -> bool {
    is_number(word) && word.parse().is_ok_and(|tokens: u32| tokens >= 4096 && tokens.is_power_of_two())
}

/// A vendor or a host in front of a family that tells the same: `anthropic-claude-…`, `meta-llama-3.1-…`, `databricks-gpt-5`; and both:
/// `databricks-meta-llama-…`.
fn vendor_front(name: String, parts: &mut IdParts) -> String {
    for (at, _) in name.match_indices('-').take(3) {
        let (front, rest) = (&name[..at], &name[at + 1..]);
        if HOSTS.contains(&front) {
            let inner = vendor_front(rest.to_owned(), parts);
            if makers::family(&inner).is_some() {
                parts.variant.extend(matches!(front, "cerebras" | "groq").then(|| front.to_owned()));
                return inner;
            }
        }
        let of_vendor = makers::vendor(front).and_then(|vendor| makers::own_family(vendor, rest));
        let Some(family) = of_vendor.or_else(|| makers::family(rest)) else { continue };
        if makers::vendor(front) == Some(family) {
            parts.vendor.get_or_insert_with(|| front.to_owned());
            return rest.to_owned();
        }
    }
    name
}

/// Hosts that put their own name in front of a model's.
const HOSTS: [&str; 9] =
    ["databricks", "azure", "alicloud", "cerebras", "groq", "bedrock", "vertex", "together", "fireworks"];

/// A bare name with the points that its id leaves out of versions and its name for people has: `gpt-54`, called GPT-5.4. A bare number needs
/// the same word before it in both, and a size has a unit (`18b`), which says nothing of where its point is. Nor does a date become a version:
/// `codestral-2508`, called Codestral 25.08.
pub fn with_points_of(bare: &str, said: &str) -> String {
    let said = separators(&said.to_lowercase());
    let said: Vec<&str> = said.split('-').collect();
    let words: Vec<&str> = bare.split('-').collect();
    let pointed = |at: usize| {
        if super::words::is_date(words[at]) {
            return None;
        }
        let place = said.iter().position(|word| is_version(word) && word.replace('.', "") == words[at])?;
        let is_named = !is_number(words[at]) || (place > 0 && at > 0 && said[place - 1] == words[at - 1]);
        is_named.then(|| said[place])
    };
    let words: Vec<&str> = (0..words.len()).map(|at| pointed(at).unwrap_or(words[at])).collect();
    words.join("-")
}

/// A word that ends with two short numbers and a point between them: `5.4`, `m2.5`, `v0.3`.
fn is_version(word: &str) -> bool {
    let Some((front, minor)) = word.split_once('.') else { return false };
    let major = front.trim_start_matches(|c: char| !c.is_ascii_digit());
    [major, minor].iter().all(|number| number.len() <= 2 && is_number(number))
}

/// Folds the spellings of a bare name into one. Lower case in, lower case out.
pub fn normalise(bare: &str) -> String {
    let name = separators(&dates(bare));
    let name = family_spelling(name);
    claude_order(&name).unwrap_or(name)
}

/// `2025-08-07` is `20250807`.
fn dates(name: &str) -> String {
    let bytes = name.as_bytes();
    let begins_date = |at: usize| (at == 0 || !bytes[at - 1].is_ascii_digit()) && is_date(&bytes[at..]);
    let is_in_date = |at: usize| [4, 7].into_iter().filter_map(|behind| at.checked_sub(behind)).any(begins_date);
    name.char_indices().filter(|(at, c)| *c != '-' || !is_in_date(*at)).map(|(_, c)| c).collect()
}

/// `20yy-mm-dd` at the front, not followed by another digit.
fn is_date(bytes: &[u8]) -> bool {
    let digits = |from: usize, to: usize| bytes[from..to].iter().all(u8::is_ascii_digit);
    bytes.len() >= 10
        && bytes.starts_with(b"20")
        && digits(0, 4)
        && bytes[4] == b'-'
        && digits(5, 7)
        && bytes[7] == b'-'
        && digits(8, 10)
        && bytes.get(10).is_none_or(|next| !next.is_ascii_digit())
}

/// `_`, blanks and `-` are one separator; between two short numbers `.`, `_`, `-` and Fireworks' `p` are one point, unless the second
/// number has a unit (`llama-3-8b` is Llama 3 of 8 billion, not 3.8).
fn separators(name: &str) -> String {
    let bytes = name.as_bytes();
    let mut out = String::with_capacity(name.len());
    for (at, c) in name.char_indices() {
        let separator = matches!(c, '.' | '_' | '-' | 'p' | ' ');
        if !separator {
            out.push(c);
            continue;
        }
        let before = bytes[..at].iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let rest = &bytes[at + 1..];
        let after = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        // A unit or a decimal place makes the second number one of its own: `llama-3-8b`, `qwen2.5-0.5b`.
        let unit = rest.get(after).is_some_and(|next| next.is_ascii_alphabetic() || *next == b'.');
        let numbers = before > 0 && after > 0;
        match c {
            '.' => out.push('.'),
            'p' | '_' if numbers => out.push('.'),
            '-' if numbers && before <= 2 && after <= 2 && !unit => out.push('.'),
            'p' => out.push('p'),
            _ if out.ends_with('-') => {}
            _ => out.push('-'),
        }
    }
    out.trim_matches('-').to_owned()
}
