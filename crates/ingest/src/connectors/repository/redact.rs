//! Takes secrets out of urls before they are shown, logged or stored: user info, and the values of telling query parameters.

use url::Url;

/// Query parameters whose names contain one of these have secret values.
const SECRET_PARTS: [&str; 11] =
    ["token", "key", "secret", "password", "passwd", "sig", "signature", "auth", "credential", "session", "code"];
/// Names that contain such a part and are no secrets.
const HARMLESS: [&str; 4] = ["keyword", "keywords", "sort_key", "author"];
const HIDDEN: &str = "REDACTED";

/// The url without user info, fragment and secret query values.
pub fn redact_url(url: &Url) -> String {
    let mut shown = url.clone();
    shown.set_fragment(None);
    if !shown.username().is_empty() || shown.password().is_some() {
        // Both fail only for urls that cannot have user info.
        let _ = shown.set_username("");
        let _ = shown.set_password(None);
    }
    if shown
        .query()
        .is_some_and(|query| url::form_urlencoded::parse(query.as_bytes()).any(|(name, _)| is_secret(&name)))
    {
        let pairs: Vec<(String, String)> =
            shown.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        let mut query = shown.query_pairs_mut();
        query.clear();
        for (name, value) in &pairs {
            query.append_pair(name, if is_secret(name) { HIDDEN } else { value });
        }
        drop(query);
    }
    shown.to_string()
}

/// The same for a text that should be a url; one that is none loses what stands before an `@` and after a `?`.
pub fn redact_text(text: &str) -> String {
    if let Some(url) = Url::parse(text).ok().filter(|url| !url.cannot_be_a_base()) {
        return redact_url(&url);
    }
    let text = text.split(['?', '#']).next().unwrap_or_default();
    match text.rsplit_once('@') {
        Some((_, after)) => format!("…@{after}"),
        None => text.to_owned(),
    }
}

/// Whether there is something in a url that [`redact_text`] takes out.
pub fn holds_secret(text: &str) -> bool {
    redact_text(text) != text
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    // `pass` is the password of a Redis URL over a socket; within other names it is harmless.
    name == "pass" || !HARMLESS.contains(&name.as_str()) && SECRET_PARTS.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::redact_text;

    #[test]
    fn secrets_in_urls_are_hidden_and_the_rest_stays() {
        let check = |text: &str, shown: &str| assert_eq!(redact_text(text), shown);
        check("https://u:p@e.example/a?x=1#f", "https://e.example/a?x=1");
        check("https://e.example/a?access_token=abc&limit=5", "https://e.example/a?access_token=REDACTED&limit=5");
        check(
            "https://e.example/a?API_KEY=abc&X-Amz-Signature=z",
            "https://e.example/a?API_KEY=REDACTED&X-Amz-Signature=REDACTED",
        );
        check("https://e.example/a?cursor=a%2Fb", "https://e.example/a?cursor=a%2Fb");
        check("https://e.example/a?keyword=cat", "https://e.example/a?keyword=cat");
        check("https://e.example/a?author=ada", "https://e.example/a?author=ada");
        check("redis://:p%40ss@e.example:6379/0", "redis://e.example:6379/0");
        check("unix:///run/redis.sock?db=1&pass=abc", "unix:///run/redis.sock?db=1&pass=REDACTED");
        check("user:pass@host/a?token=b", "…@host/a");
    }
}
