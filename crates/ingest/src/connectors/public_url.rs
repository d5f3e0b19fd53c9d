//! The public url behind a url that is fetched through a mirror or a replay on the local machine.
//!
//! Rule: a source may be fetched from `http://127.0.0.1:9900/<prefix>/<upstream host>/<path>`, where one of the first
//! [`PREFIX_SEGMENTS_MAX`] path segments is the upstream's host name (it has a dot, no dot at its ends, and a top-level name of
//! letters). Such a url means `https://<upstream host>/<path>`, and that is what evidence shows: a reader can open it, and the same
//! source gives the same facts wherever its bytes came from. Every other url is public as it stands.

use url::{Host, Url};

/// How many path segments may stand before the upstream's host name.
const PREFIX_SEGMENTS_MAX: usize = 2;

/// The url that a reader can open, by the rule of this module. The fragment and the query stay.
pub fn public_url(url: &Url) -> Url {
    if !matches!(url.scheme(), "http" | "https") || !is_loopback(url) {
        return url.clone();
    }
    let segments: Vec<&str> = url.path().trim_start_matches('/').split('/').collect();
    let Some(at) = segments.iter().take(PREFIX_SEGMENTS_MAX).position(|segment| is_host_name(segment)) else {
        return url.clone();
    };
    let mut public = format!("https://{}/{}", segments[at], segments[at + 1..].join("/"));
    if let Some(query) = url.query() {
        public.push('?');
        public.push_str(query);
    }
    if let Some(fragment) = url.fragment() {
        public.push('#');
        public.push_str(fragment);
    }
    Url::parse(&public).unwrap_or_else(|_| url.clone())
}

/// Where to fetch `page`, a public url, when its site is reached as `through` is: through the same mirror, or directly.
/// A mirror may name its pages by its own address; they count by what they stand for.
/// `None` when it lies on another host, port or scheme than `through` stands for.
pub fn same_site(through: &Url, page: &Url) -> Option<Url> {
    let (public, page) = (public_url(through), public_url(page));
    if (public.scheme(), public.host_str(), public.port()) != (page.scheme(), page.host_str(), page.port()) {
        return None;
    }
    if public == *through {
        return Some(page);
    }
    let prefix = through.path().strip_suffix(public.path())?;
    let mut url = through.clone();
    url.set_path(&format!("{prefix}{}", page.path()));
    url.set_query(page.query());
    url.set_fragment(None);
    Some(url)
}

/// True for addresses and names of the machine itself.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

fn is_host_name(segment: &str) -> bool {
    let Some((name, top)) = segment.rsplit_once('.') else { return false };
    !name.is_empty()
        && !name.starts_with('.')
        && top.len() >= 2
        && top.bytes().all(|b| b.is_ascii_alphabetic())
        && !matches!(top, "json" | "yaml" | "yml" | "md" | "txt" | "gz")
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.')
}

#[cfg(test)]
mod tests {
    use super::public_url;

    fn check(url: &str, public: &str) {
        let shown = url::Url::parse(url).map(|url| public_url(&url).to_string());
        assert_eq!(shown.as_deref(), Ok(public));
    }

    #[test]
    fn a_replayed_url_is_shown_as_the_page_it_stands_for() {
        check(
            "http://127.0.0.1:9900/skills/codeload.github.com/o/r/tar.gz/main",
            "https://codeload.github.com/o/r/tar.gz/main",
        );
        check(
            "http://localhost:1/registry.example.org/v0/servers?cursor=a%2Fb",
            "https://registry.example.org/v0/servers?cursor=a%2Fb",
        );
        check("http://[::1]:1/well/example.org/.well-known/index.json", "https://example.org/.well-known/index.json");
    }

    #[test]
    fn every_other_url_stays_as_it_is() {
        check("https://example.org/a/b.example.com/c", "https://example.org/a/b.example.com/c");
        check("http://127.0.0.1:8080/prices.json", "http://127.0.0.1:8080/prices.json");
        check("http://127.0.0.1:8080/.well-known/x", "http://127.0.0.1:8080/.well-known/x");
        check("file:///srv/cards", "file:///srv/cards");
    }
}
