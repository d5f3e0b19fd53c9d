//! Spellings of single families: where makers and sellers put the version, and what stands before it.
//!
//! Called by [`super::spelling::normalise`] on names whose separators and dates are already in one form. A spelling of a family that
//! the words of its name in another order explain ([`super::words`]) needs no line here.

/// Families whose makers and sellers put the version with and without a separator or a `v`.
pub fn family_spelling(name: String) -> String {
    const VERSIONED: [(&str, &str); 11] = [
        ("qwen", ""),
        ("llama", "-"),
        ("gemma", "-"),
        ("phi", "-"),
        ("glm", "-"),
        ("veo", "-"),
        ("lfm", "-"),
        ("hermes", "-"),
        ("flux", "-"),
        ("recraft", "-"),
        ("solar-pro", "-"),
    ];
    // ByteDance sells one model under two brands: at home as Doubao Seed, abroad as Seed.
    const FRONTS: [(&str, &str); 4] =
        [("code-llama", "codellama"), ("doubao-seed-", "seed-"), ("gpt-35", "gpt-3.5"), ("claude-v", "claude-")];
    for (family, separator) in VERSIONED {
        let Some(rest) = name.strip_prefix(family) else { continue };
        let version = rest.trim_start_matches(['-', '.']);
        let version = version.strip_prefix('v').unwrap_or(version);
        if version.starts_with(|c: char| c.is_ascii_digit()) {
            return format!("{family}{separator}{version}");
        }
    }
    for (front, usual) in FRONTS {
        if let Some(rest) = name.strip_prefix(front) {
            return format!("{usual}{rest}");
        }
    }
    for cohere in ["embed-", "rerank-"] {
        if let Some(rest) = name.strip_prefix(cohere) {
            return format!("{cohere}{}", cohere_version(rest));
        }
    }
    // Mistral's API marks licences in front of the name: `open-mixtral-8x7b`, `labs-devstral-small-2512`.
    if let Some(rest) = name.strip_prefix("open-").or_else(|| name.strip_prefix("labs-"))
        && ["mistral", "mixtral", "codestral", "devstral"].iter().any(|family| rest.starts_with(family))
    {
        return rest.to_owned();
    }
    // DeepSeek's generations are v2, v3, …; OpenRouter puts its product's name before them.
    if let Some(rest) = name.strip_prefix("deepseek-chat-v").or_else(|| name.strip_prefix("deepseek-"))
        && rest.starts_with(|c: char| c.is_ascii_digit())
    {
        return format!("deepseek-v{rest}");
    }
    // Nova's first generation has no version but that of its packaging.
    match name.strip_suffix("-v1") {
        Some(front)
            if front.starts_with("nova-")
                || (front.starts_with("claude-") && front.contains(|c: char| c.is_ascii_digit())) =>
        {
            front.to_owned()
        }
        _ => name,
    }
}

/// Cohere's `v4.0`, `v-4.0` and `v4` are one version, and Azure puts it before the language: `v3-english` is `english-v3`.
fn cohere_version(rest: &str) -> String {
    let rest = rest.replacen("v-", "v", 1);
    let mut words: Vec<&str> = rest.split('-').collect();
    for word in &mut words {
        if word.starts_with('v') {
            *word = word.strip_suffix(".0").unwrap_or(word);
        }
    }
    if words.len() == 2 && words[0].starts_with('v') && matches!(words[1], "english" | "multilingual") {
        words.swap(0, 1);
    }
    words.join("-")
}

/// Claude's version stands before the tier, after it or right behind it: `claude-3.5-sonnet`, `claude-sonnet-3.5` and
/// `claude-sonnet3.5` are one. `4.0` is `4`, as Anthropic's own alias says.
pub fn claude_order(name: &str) -> Option<String> {
    const TIERS: [&str; 5] = ["opus", "sonnet", "haiku", "fable", "mythos"];
    let is_version = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let name = name.strip_prefix("claude-")?;
    let (first, rest) = name.split_once('-').unwrap_or((name, ""));
    let (second, end) = rest.split_once('-').unwrap_or((rest, ""));
    let behind = TIERS.iter().find_map(|tier| {
        first.strip_prefix(tier).filter(|version| is_version(version)).map(|version| (*tier, version))
    });
    let (tier, version, end) = match behind {
        Some((tier, version)) => (tier, version, rest),
        None if is_version(first) && TIERS.contains(&second) => (second, first, end),
        None if is_version(second) && TIERS.contains(&first) => (first, second, end),
        None => return None,
    };
    let version = version.strip_suffix(".0").unwrap_or(version);
    let end = if end.is_empty() { String::new() } else { format!("-{end}") };
    Some(format!("claude-{tier}-{version}{end}"))
}
