//! What search engines and browsers read of a site: robots.txt, the sitemap, the description of the search.

use axum::response::Response;
use bytes::Bytes;
use maud::html;
use refdesk_core::Kind;

use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::pages::layout::target::Target;
use crate::pages::layout::{COLLECTIONS, title_of_desk};
use crate::pages::require_web;
use crate::settings::Settings;

const TEXT: &str = "text/plain; charset=utf-8";
const XML: &str = "application/xml; charset=utf-8";
const OPENSEARCH: &str = "application/opensearchdescription+xml; charset=utf-8";
/// Most addresses in a file of a sitemap (sitemaps.org).
const SITEMAP_URLS_MAX: usize = 50_000;
const XML_HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const SITEMAP_NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

/// What crawlers may read.
pub(crate) fn robots(request: &ApiRequest) -> Result<Response, Problem> {
    require_web(request)?;
    let settings = &request.state.settings;
    let text = if is_indexed(settings) {
        let base = &settings.base_url;
        let root = settings.path_prefix();
        // A rule holds for every path that begins with it, so `/mcp` alone would keep crawlers from `/mcp-servers` (RFC 9309).
        format!(
            "User-agent: *\nDisallow: {root}/v1/\nDisallow: {root}/mcp$\nDisallow: {root}/search\nSitemap: {base}/sitemap.xml\n"
        )
    } else {
        "User-agent: *\nDisallow: /\n".to_owned()
    };
    request.respond().data(TEXT, || vec![Bytes::from(text)])
}

/// The index of the sitemap.
pub(crate) fn sitemap(request: &ApiRequest) -> Result<Response, Problem> {
    require_index(request)?;
    request.respond().data(XML, || {
        let base = &request.state.settings.base_url;
        let files = Kind::ALL.into_iter().flat_map(|kind| {
            let rows = request.snapshot.segment(kind).len() as usize;
            (0..rows.div_ceil(SITEMAP_URLS_MAX)).map(move |file| format!("{}-{file}", kind.path_segment()))
        });
        let index = html! {
            sitemapindex xmlns=(SITEMAP_NAMESPACE) {
                @for file in std::iter::once("desk".to_owned()).chain(files) { sitemap { loc { (base) "/sitemap-" (file) ".xml" } } }
            }
        };
        vec![Bytes::from(format!("{XML_HEAD}{}", index.into_string()))]
    })
}

/// A file of the sitemap: `/sitemap-models-0.xml`, or `/sitemap-desk.xml` of the pages that are of no item.
pub(crate) fn sitemap_file(request: &ApiRequest) -> Result<Response, Problem> {
    require_index(request)?;
    let name =
        request.uri.path().strip_prefix("/sitemap-").and_then(|name| name.strip_suffix(".xml")).unwrap_or_default();
    let file = SitemapFile::named(request, name).ok_or_else(Problem::unknown_endpoint)?;
    let render = || {
        let base = &request.state.settings.base_url;
        let file = html! { urlset xmlns=(SITEMAP_NAMESPACE) { @for target in file.targets(request) { url { loc { (base) (target.href()) } } } } };
        Bytes::from(format!("{XML_HEAD}{}", file.into_string()))
    };
    if let SitemapFile::Items(..) = file {
        return request.respond().data(XML, || vec![render()]);
    }
    // Collections may change without a new generation of the catalog.
    let document = render();
    let hash = refdesk_core::hash::content_hash(&document);
    request.respond().content(XML, &hash, document)
}

/// What a file of the sitemap leads to.
enum SitemapFile {
    /// The pages that are of no item.
    Desk,
    /// Items of a kind, from this row.
    Items(Kind, usize),
}

impl SitemapFile {
    fn named(request: &ApiRequest, name: &str) -> Option<Self> {
        if name == "desk" {
            return Some(Self::Desk);
        }
        let (segment, file) = name.rsplit_once('-')?;
        let kind = Kind::of_path_segment(segment)?;
        let first = file.parse::<usize>().ok()?.checked_mul(SITEMAP_URLS_MAX)?;
        (first < request.snapshot.segment(kind).len() as usize).then_some(Self::Items(kind, first))
    }

    fn targets(&self, request: &ApiRequest) -> Vec<Target> {
        match *self {
            Self::Desk => {
                let lists = Kind::ALL.map(|kind| Target::new(format!("/{}", kind.path_segment())));
                let others = ["/", "/compare", "/conflicts", "/frameworks/route", "/sources", "/connect", "/docs"];
                let defined = request.state.collections();
                let collections = defined.iter().map(|collection| Target::below(COLLECTIONS, &collection.id));
                others.map(Target::new).into_iter().chain(lists).chain(collections).collect()
            }
            Self::Items(kind, first) => {
                let segment = request.snapshot.segment(kind);
                let rows = (first..segment.len() as usize).take(SITEMAP_URLS_MAX);
                // Rows are numbered with 32 bits.
                let ids = rows.filter_map(|row| Some(segment.id(u32::try_from(row).ok()?)));
                ids.map(|id| Target::item(kind, id)).collect()
            }
        }
    }
}

/// # Errors
/// 404 where the operator does not let search engines in, or pages need a key, which search engines do not have.
fn require_index(request: &ApiRequest) -> Result<(), Problem> {
    require_web(request)?;
    if is_indexed(&request.state.settings) { Ok(()) } else { Err(Problem::unknown_endpoint()) }
}

const fn is_indexed(settings: &Settings) -> bool {
    settings.web_index && (!settings.require_key || settings.web_open)
}

/// The search of the desk, for the address bar of a browser.
pub(crate) fn opensearch(request: &ApiRequest) -> Result<Response, Problem> {
    require_web(request)?;
    let origin = request.origin();
    let name: String = title_of_desk(&request.state.settings).chars().take(16).collect();
    let description = html! {
        OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/" {
            ShortName { (name) }
            Description { "Models, tools, documents, skills, tutorials, MCP servers and frameworks" }
            InputEncoding { "UTF-8" }
            Image width="16" height="16" type="image/svg+xml" { (origin) "/favicon.svg" }
            Url type="text/html" template={ (origin) "/search?q={searchTerms}" } {}
        }
    };
    let document = format!("{XML_HEAD}{}", description.into_string());
    let hash = refdesk_core::hash::content_hash(document.as_bytes());
    request.respond().content(OPENSEARCH, &hash, document.into())
}
