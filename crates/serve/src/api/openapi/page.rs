//! The OpenAPI document as an HTML page for people.

use serde_json::Value;

const DOCS_STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}\
code{background:#f2f2f2;padding:.1rem .3rem;border-radius:.2rem}h2{margin-top:2.5rem}h3{margin-bottom:.2rem}\
table{border-collapse:collapse;width:100%;margin:.5rem 0}td,th{border:1px solid #ccc;padding:.3rem .5rem;text-align:left;vertical-align:top}\
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}code{background:#2a2a2a}td,th{border-color:#444}a{color:#8ab4ff}}";

/// Escapes text between tags and in double-quoted attributes.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The page of an OpenAPI document. It has no script, so it works under the strictest policy and in a terminal browser.
pub(super) fn docs_page(document: &Value) -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>refdesk API</title><style>{DOCS_STYLE}</style></head><body><h1>refdesk API</h1><p>Every operation is a GET. The machine-readable form is <a href=\"/openapi.json\">/openapi.json</a>; agents read <a href=\"/llms.txt\">/llms.txt</a>.</p>"
    );
    let Some(paths) = document["paths"].as_object() else { return page };
    for (path, item) in paths {
        let operation = &item["get"];
        // A part without a text is an empty cell; a test asserts that each has one.
        let text = |value: &Value| escape(value.as_str().unwrap_or_default());
        page += &format!("<h2><code>GET {}</code></h2><p>{}</p>", escape(path), text(&operation["summary"]));
        if let Some(params) = operation["parameters"].as_array() {
            page.push_str("<table><tr><th>parameter</th><th>in</th><th></th></tr>");
            for param in params {
                let required = if param["required"] == true { "<strong>required.</strong> " } else { "" };
                page += &format!(
                    "<tr><td><code>{}</code></td><td>{}</td><td>{required}{}</td></tr>",
                    text(&param["name"]),
                    text(&param["in"]),
                    text(&param["description"])
                );
            }
            page.push_str("</table>");
        }
        if let Some(responses) = operation["responses"].as_object() {
            page.push_str("<table><tr><th>status</th><th></th></tr>");
            for (status, response) in responses {
                page += &format!("<tr><td>{}</td><td>{}</td></tr>", escape(status), text(&response["description"]));
            }
            page.push_str("</table>");
        }
    }
    page.push_str("</body></html>");
    page
}
