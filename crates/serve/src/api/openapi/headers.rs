//! The headers of answers in the OpenAPI document. Each is described once, among the components, and every answer refers to those that it has:
//! what handlers and middleware send, and nothing else. Not here: `Content-Type`, which OpenAPI has elsewhere, and what the connection adds.

use serde_json::{Map, Value, json};

use crate::api::health;

/// Path of the statuses of sources, which change without the catalog.
const SOURCES_STATUS_PATH: &str = "/v1/sources/status";
/// How the paths end of answers that come in pages.
const PAGED_PATHS_END: [&str; 2] = ["/list", "/conflicts"];
/// Path of verbatim records.
pub(super) const RECORD_PATH: &str = "/v1/evidence/{key}/record";

/// A header with a description of its own.
struct Described {
    /// Name among the components: that of the header, with more where a header has several meanings.
    key: &'static str,
    /// Name of the header.
    name: &'static str,
    description: &'static str,
    /// Whether every answer that refers to it has it.
    is_always: bool,
    /// Its only value, if it has one.
    value: Option<&'static str>,
}

const fn always(name: &'static str, description: &'static str) -> Described {
    Described { key: name, name, description, is_always: true, value: None }
}

const fn sometimes(name: &'static str, description: &'static str) -> Described {
    Described { is_always: false, ..always(name, description) }
}

const fn fixed(name: &'static str, value: &'static str, description: &'static str) -> Described {
    Described { value: Some(value), ..always(name, description) }
}

impl Described {
    const fn keyed(self, key: &'static str) -> Self {
        Self { key, ..self }
    }
}

/// Of every answer.
const OF_ALL: [Described; 9] = [
    always(
        "X-Request-Id",
        "The request id, the client's own if it is well-formed, by which the operator finds the log entry.",
    ),
    fixed("X-Content-Type-Options", "nosniff", "The body is what its media type says."),
    fixed("Referrer-Policy", "no-referrer", "Links in the answer tell nobody where they were followed from."),
    fixed("X-Frame-Options", "DENY", "No page embeds the answer."),
    always("Content-Security-Policy", "What a browser may load or run that opens the answer: nothing."),
    always("Cross-Origin-Resource-Policy", "`same-origin`, or `cross-origin` if pages of any origin may read answers."),
    sometimes(
        "Access-Control-Allow-Origin",
        "The origin whose pages may read the answer, or `*`; absent unless the operator allows any.",
    ),
    sometimes("Access-Control-Expose-Headers", "The headers that such pages may read."),
    sometimes("Vary", "Request headers that the answer depends on."),
];
/// Of answers that may be reused.
const OF_DATA: [Described; 3] = [
    always("ETag", "Strong entity tag, for `If-None-Match`."),
    always("Vary", "Request headers that the answer depends on.").keyed("Vary-Data"),
    sometimes("Content-Encoding", "`zstd`, `br` or `gzip`, by `Accept-Encoding`."),
];
const REUSED: Described = always(
    "Cache-Control",
    "`public`, or `private` with a key, and a `max-age` that ends when the next fact turns stale.",
);
const REVALIDATED: Described = always("Cache-Control", "`no-cache`: revalidate every time; `private` with a key.")
    .keyed("Cache-Control-Revalidated");
const NOT_STORED: Described = fixed("Cache-Control", "no-store", "The answer is of this moment and must not be kept.")
    .keyed("Cache-Control-Not-Stored");
const OF_RECORD: [Described; 2] = [
    always("Content-Disposition", "`attachment`, with the evidence key as the file name."),
    always("Content-Security-Policy", "`sandbox`: nothing in a record runs.").keyed("Content-Security-Policy-Record"),
];
const NEXT_PAGE: Described = sometimes("Link", "`rel=\"next\"` if there is a next page.");
const WARNINGS_OF_TABLES: Described =
    sometimes("Refdesk-Warnings", "For CSV and NDJSON: the warnings, as a JSON list of texts.");
const WARNINGS_OF_NONE: Described = sometimes(
    "Refdesk-Warnings",
    "Parameters that were sent and ignored, as a JSON list of texts; this path takes none.",
)
.keyed("Refdesk-Warnings-Ignored");
const OF_LIMITED: [Described; 2] = [
    sometimes("RateLimit-Policy", "The limit that applies: `\"anon\";q=120;w=60`. Absent if limits are off."),
    sometimes("RateLimit", "Calls left, and seconds until the whole quota is back: `\"anon\";r=119;t=42`."),
];
const CHALLENGE: Described = always("WWW-Authenticate", "`Bearer`, and what is wrong with the key.");
const ALLOWED: Described = always("Allow", "The methods that are allowed.");
const WAIT: Described = always("Retry-After", "Seconds to wait before the next try.");
const MAY_WAIT: Described =
    sometimes("Retry-After", "Seconds to wait before the next try, if that is known.").keyed("Retry-After-Unavailable");

/// The headers of an answer of a path: references to the components. No handler states any.
pub(super) fn of(path: &str, status: &str) -> Value {
    let mut headers = Map::new();
    let mut add = |described: &[Described]| {
        for Described { key, name, .. } in described {
            headers.insert((*name).to_owned(), json!({"$ref": format!("#/components/headers/{key}")}));
        }
    };
    let is_good = matches!(status, "200" | "304");
    add(&OF_ALL);
    if is_good && !health::PATHS.contains(&path) {
        add(&OF_DATA);
        add(&[if path == SOURCES_STATUS_PATH { REVALIDATED } else { REUSED }]);
    } else {
        add(&[NOT_STORED]);
    }
    if is_good && path == RECORD_PATH {
        add(&OF_RECORD);
    }
    if status == "200" {
        add(&of_success(path));
    }
    if path.starts_with("/v1/") || status == "429" {
        add(&OF_LIMITED);
    }
    match status {
        "401" => add(&[CHALLENGE]),
        "405" => add(&[ALLOWED]),
        "429" => add(&[WAIT]),
        "503" => add(&[MAY_WAIT]),
        _ => {}
    }
    Value::Object(headers)
}

/// What only some paths have.
fn of_success(path: &str) -> Vec<Described> {
    let mut own = Vec::new();
    if PAGED_PATHS_END.iter().any(|end| path.ends_with(end)) {
        own.push(NEXT_PAGE);
    }
    if path.ends_with("/list") || path == "/v1/search" {
        own.push(WARNINGS_OF_TABLES);
    } else if path == SOURCES_STATUS_PATH || path.starts_with("/v1/evidence/") {
        own.push(WARNINGS_OF_NONE);
    }
    own
}

/// The components that answers refer to.
pub(super) fn components() -> Value {
    let single = [
        REUSED,
        REVALIDATED,
        NOT_STORED,
        NEXT_PAGE,
        WARNINGS_OF_TABLES,
        WARNINGS_OF_NONE,
        CHALLENGE,
        ALLOWED,
        WAIT,
        MAY_WAIT,
    ];
    let all = OF_ALL.into_iter().chain(OF_DATA).chain(OF_RECORD).chain(OF_LIMITED).chain(single);
    let described = all.map(|Described { key, description, is_always, value, .. }| {
        let mut header = json!({"description": description, "schema": {"type": "string"}});
        if is_always {
            header["required"] = true.into();
        }
        if let Some(value) = value {
            header["schema"]["const"] = value.into();
        }
        (key.to_owned(), header)
    });
    Value::Object(described.collect())
}
