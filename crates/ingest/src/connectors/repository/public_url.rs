//! The public url behind a url that is fetched through a mirror or a replay on the local machine.
//!
//! Rule: a source may be fetched from `http://127.0.0.1:9900/<prefix>/<upstream host>/<path>`, where one of the first
//! [`PREFIX_SEGMENTS_MAX`] path segments is the upstream's host name (it has a dot, no dot at its ends, and a top-level name of
//! letters). Such a url means `https://<upstream host>/<path>`, and that is what evidence shows: a reader can open it, and the same
//! source gives the same facts wherever its bytes came from.
//!
//! A file or folder of this machine has no public url, and its path is nobody's business: it is shown as `local:<source id>/<path>`,
//! with the path below the configured folder, or the file's own name. The operator finds the folder in the configuration under the
//! source's id, which evidence names as well. Every other url is public as it stands, but for secrets in it ([`redact`](super::redact)).

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use url::{Host, Url};

use super::redact::redact_url;

/// Scheme of what lies on the machine of the desk.
pub const LOCAL: &str = "local";

/// Characters that a path inside a url must not hold as they are.
pub(crate) const PATH: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`').add(b'{').add(b'}');

/// How many path segments may stand before the upstream's host name.
const PREFIX_SEGMENTS_MAX: usize = 2;

/// The url of what source `source_id` reads at `url`, by the rules of this module. Fragment and query stay, but for secrets.
pub fn public_url(source_id: &str, url: &Url) -> Url {
    if url.scheme() != "file" {
        return without_secrets(upstream_url(url));
    }
    let name = if url.path().ends_with('/') { "" } else { url.path().rsplit('/').next().unwrap_or_default() };
    local_url(source_id, &percent_decode_str(name).decode_utf8_lossy())
}

/// `local:<source id>/<path>`; without a path the source's folder itself.
pub(crate) fn local_url(source_id: &str, path: &str) -> Url {
    let text = format!("{LOCAL}:{}/{}", utf8_percent_encode(source_id, PATH), utf8_percent_encode(path, PATH));
    Url::parse(text.trim_end_matches('/')).unwrap_or_else(|_| unreachable!("a scheme and an encoded path are a url"))
}

/// The url as anybody may see it.
fn without_secrets(url: Url) -> Url {
    let Ok(mut shown) = Url::parse(&redact_url(&url)) else { return url };
    shown.set_fragment(url.fragment());
    shown
}

/// The url behind a mirror on the local machine.
fn upstream_url(url: &Url) -> Url {
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
    let (public, page) = (upstream_url(through), upstream_url(page));
    if (public.scheme(), public.host_str(), public.port()) != (page.scheme(), page.host_str(), page.port()) {
        return None;
    }
    if public == *through {
        // The page's url may have come from a shown one, without the login. Both fail only for urls that cannot have one.
        let mut page = page;
        let _ = page.set_username(through.username());
        let _ = page.set_password(through.password());
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
    use super::{public_url, same_site};

    fn url(text: &str) -> url::Url {
        url::Url::parse(text).expect("a url")
    }

    fn check(url: &str, public: &str) {
        let shown = url::Url::parse(url).map(|url| public_url("mine", &url).to_string());
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
    }

    #[test]
    fn a_secret_in_a_url_is_never_shown_and_still_opens_the_pages_of_its_site() {
        check(
            "https://ada:pass@e.example/a.json?x=1&access_token=abc",
            "https://e.example/a.json?x=1&access_token=REDACTED",
        );
        check("http://127.0.0.1:9900/any/e.example/a.json?key=abc#top", "https://e.example/a.json?key=REDACTED#top");
        let [through, page] = ["https://ada:pass@e.example/llms.txt", "https://e.example/a.md?v=2"].map(url);
        let fetched = same_site(&through, &page).map(|url| url.to_string());
        assert_eq!(fetched.as_deref(), Some("https://ada:pass@e.example/a.md?v=2"));
        let elsewhere = url("https://other.example/a.md");
        assert_eq!(same_site(&through, &elsewhere), None);
    }

    #[test]
    fn a_local_path_is_never_shown() {
        check("file:///srv/secret/prices.json", "local:mine/prices.json");
        check("file:///srv/secret/a%20b%23.md", "local:mine/a%20b%23.md");
        check("file:///srv/secret/cards/", "local:mine");
    }
}
