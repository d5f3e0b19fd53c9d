//! The OpenAPI document against the service: every route stands in it, and every real answer fits its schema, with no key more.

use std::collections::BTreeSet;

use crate::common::{Answer, Bench, Mood, targets};
use http::Method;
use refdesk_catalog::answer::RouterEval;
use refdesk_serve::state::Evaluated;
use serde_json::{Map, Value, json};

#[tokio::test]
async fn the_document_is_the_committed_one() {
    let mut document = Bench::new().json("/openapi.json").await;
    document["info"]["version"] = "[version]".into();
    insta::assert_json_snapshot!("openapi", document);
}

/// Paths of the route table, as OpenAPI writes them; `/mcp` is JSON-RPC and describes itself.
fn routes() -> BTreeSet<String> {
    let table = include_str!("../../src/routes.rs");
    let paths = table.split("Route::to(\"").skip(1).filter_map(|rest| rest.split_once('"'));
    paths.map(|(path, _)| path.replace("{*", "{")).filter(|path| path != "/mcp").collect()
}

#[tokio::test]
async fn every_route_is_documented_and_every_documented_path_is_a_route() {
    let document = Bench::new().json("/openapi.json").await;
    let documented: BTreeSet<String> = document["paths"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(documented, routes());
    assert_eq!(documented, targets().iter().map(|(path, _)| (*path).to_owned()).collect(), "and the tests drive each");
    assert_eq!(document["openapi"], "3.1.0");
    let mut ids = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let methods: Vec<&String> = item.as_object().unwrap().keys().collect();
        assert_eq!(methods, ["get"], "{path}");
        let operation = &item["get"];
        let summary = operation["summary"].as_str().unwrap();
        assert!(!summary.is_empty() && !summary.contains("mcp-servers"), "{path}: {summary}, in words");
        assert!(ids.insert(operation["operationId"].as_str().unwrap().to_owned()), "{path}: an id of its own");
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(parameter["description"].is_string(), "{path}: {parameter}");
        }
        for (status, response) in operation["responses"].as_object().unwrap() {
            let response = resolved(&document, response);
            assert!(response["description"].as_str().is_some_and(|text| !text.is_empty()), "{path} {status}");
        }
    }
}

#[tokio::test]
async fn every_example_meets_its_own_schema_and_is_taken() {
    let bench = Bench::new();
    let document = bench.json("/openapi.json").await;
    let mut taken = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for parameter in item["get"]["parameters"].as_array().into_iter().flatten() {
            let schema = &parameter["schema"];
            let validator = jsonschema::validator_for(schema).unwrap();
            let several = schema["examples"].as_array().into_iter().flatten();
            for example in several.clone().chain(parameter.get("example")) {
                assert!(validator.is_valid(example), "{path}: {example} is not of {schema}");
            }
            // A search takes them with the type whose list it is.
            for value in several.filter(|_| path != "/v1/search").filter_map(Value::as_str) {
                let name = parameter["name"].as_str().unwrap();
                let target = format!("{path}?{name}={}", value.replace('+', "%2B"));
                assert_eq!(bench.get(&target).await.status, 200, "{target}");
                taken.insert((name.to_owned(), value.to_owned()));
            }
        }
    }
    for (name, value) in [
        ("released_on__lte", "2026-05-31"),
        ("released_on__gte", "2024-02-29"),
        ("updated_since", "2026-05-31T12:00:00Z"),
        ("context_tokens__gte", "1.5m"),
    ] {
        assert!(taken.contains(&(name.to_owned(), value.to_owned())), "{name}={value}: {taken:?}");
    }
    let parameters = document["paths"]["/v1/cost"]["get"]["parameters"].as_array().unwrap();
    for (name, value) in [("input_tokens", "1.5m"), ("output_tokens", "0.5k"), ("requests", "1.5k")] {
        let schema = &parameters.iter().find(|parameter| parameter["name"] == name).unwrap()["schema"];
        assert!(jsonschema::validator_for(schema).unwrap().is_valid(&json!(value)), "{name}={value}: {schema}");
        let tokens = if name == "requests" { "&input_tokens=1" } else { "" };
        assert_eq!(
            bench.get(&format!("/v1/cost?model=nova-2&{name}={value}{tokens}")).await.status,
            200,
            "{name}={value}"
        );
    }
    let parameters = document["paths"]["/v1/models/list"]["get"]["parameters"].as_array().unwrap();
    let schema = |name: &str| &parameters.iter().find(|parameter| parameter["name"] == name).unwrap()["schema"];
    let takes = |name: &str, value: &str| jsonschema::validator_for(schema(name)).unwrap().is_valid(&json!(value));
    for day in ["2025-02-29", "1900-02-29", "2026-04-31", "2026-13-01", "2026-05-32"] {
        assert!(!takes("released_on__gte", day), "{day} is no day");
        bench.get(&format!("/v1/models/list?released_on__gte={day}")).await.problem(400, "invalid_query");
    }
    assert!(takes("released_on__gte", "2000-02-29") && !takes("updated_since", "2026-05"));
}

/// The schemas took lower case only, although the service reads closed sets in any case.
#[tokio::test]
async fn closed_sets_are_described_as_loosely_as_they_are_read() {
    let bench = Bench::new();
    let document = bench.json("/openapi.json").await;
    for (path, sent, name, value, is_taken) in [
        ("/v1/models/list", "", "status", "Active, PREVIEW,", true),
        ("/v1/models/list", "", "status", "activ", false),
        ("/v1/models/list", "", "status__not", "Retired", true),
        ("/v1/models/list", "", "capability", "Tool Call,! REASONING,structured-output", true),
        ("/v1/models/list", "", "capability", "tool,call", false),
        ("/v1/models/list", "", "sort", "-Price-Input, ID", true),
        ("/v1/models/list", "", "sort", "-prise_input", false),
        ("/v1/models/list", "", "facets", "Vendor,STATUS", true),
        ("/v1/models/list", "", "format", "CSV", true),
        ("/v1/models/list", "", "format", "xml", false),
        ("/v1/search", "q=nova&type=MODEL&", "trust_tier", "OFFICIAL", true),
        ("/v1/search", "q=nova&", "type", "Mcp Servers", true),
        ("/v1/search", "q=nova&", "mode", "Lexical", true),
        ("/v1/frameworks/list", "", "domain", "Agent Workflow,RISK", true),
        ("/v1/frameworks/route", "q=a&", "domain", "Problem-Solving", true),
        ("/v1/cost", "model=nova-2&input_tokens=1&", "sort", "SELLER", true),
        ("/v1/cost", "model=nova-2&input_tokens=1&", "sort", "price", false),
    ] {
        let parameters = document["paths"][path]["get"]["parameters"].as_array().unwrap();
        let parameter = parameters.iter().find(|parameter| parameter["name"] == name).unwrap();
        let validator = jsonschema::validator_for(&parameter["schema"]).unwrap();
        assert_eq!(validator.is_valid(&json!(value)), is_taken, "{path} {name}={value}: {}", parameter["schema"]);
        let target = format!("{path}?{sent}{name}={}", value.replace(' ', "%20"));
        assert_eq!(bench.get(&target).await.status, if is_taken { 200 } else { 400 }, "{target}");
        let told = parameter["description"].as_str().unwrap();
        assert!(told.contains("in any case") || told.contains("in any spelling"), "{path} {name}: {told}");
    }
}

/// A part of a document, or the component that it refers to.
fn resolved<'a>(document: &'a Value, part: &'a Value) -> &'a Value {
    match part["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => part,
    }
}

/// Written out at every operation, the errors made up half of the document.
#[tokio::test]
async fn an_answer_that_several_operations_give_is_described_once() {
    let document = Bench::new().json("/openapi.json").await;
    let operations = document["paths"].as_object().unwrap().values().map(|item| &item["get"]["responses"]);
    let answers: Vec<&Value> = operations.flat_map(|answers| answers.as_object().unwrap().values()).collect();
    let (shared, own): (Vec<&Value>, Vec<&Value>) = answers.into_iter().partition(|answer| answer["$ref"].is_string());
    let distinct: BTreeSet<String> = own.iter().map(ToString::to_string).collect();
    assert_eq!(distinct.len(), own.len(), "none is written out twice");
    let references: BTreeSet<&str> = shared.iter().map(|answer| answer["$ref"].as_str().unwrap()).collect();
    assert!(shared.len() > 10 * references.len(), "{references:?}");
    let components = document["components"]["responses"].as_object().unwrap();
    assert_eq!(references.len(), components.len(), "every component is referred to");
    let at = |path: &str, status: &str| document["paths"][path]["get"]["responses"][status]["$ref"].clone();
    assert_eq!(at("/v1/models/{id}", "404"), at("/v1/tools/{id}", "404"));
    assert_eq!(at("/v1/models/{id}", "429"), "#/components/responses/TooManyRequests");
    assert_ne!(at("/v1/models/{id}", "400"), at("/health", "400"), "which is not counted, and has no headers of that");
    let bytes = document.to_string().len();
    assert!(bytes < 450_000, "{bytes}");
}

/// A document with the means to look into it.
struct Documented(Value);

impl Documented {
    async fn new() -> Self {
        Self(Bench::new().json("/openapi.json").await)
    }

    fn resolved<'a>(&'a self, part: &'a Value) -> &'a Value {
        resolved(&self.0, part)
    }

    /// Asserts that an answer is one the document states for its path: status, media type, headers, schema.
    #[track_caller]
    fn fits(&self, path: &str, answer: &Answer) {
        let status = answer.status.as_u16().to_string();
        let response = self.resolved(&self.0["paths"][path]["get"]["responses"][&status]);
        assert!(response.is_object(), "{path}: {status} is not documented");
        self.has_headers(path, answer, &response["headers"]);
        if answer.body.is_empty() {
            assert!(response.get("content").is_none(), "{path} {status}: an empty answer is documented with content");
            return;
        }
        let media = answer.header("content-type").split(';').next().unwrap().trim().to_owned();
        let content = &response["content"][&media];
        assert!(content.is_object(), "{path} {status}: {media} is not documented: {response}");
        if media.ends_with("json") {
            let value = answer.json();
            let schema = json!({"allOf": [content["schema"]], "components": self.0["components"]});
            let validator = jsonschema::validator_for(&schema).unwrap();
            let errors: Vec<String> =
                validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
            assert!(errors.is_empty(), "{} {status}: {errors:#?}", answer.target);
            let mut extra = Vec::new();
            self.extra(&content["schema"], &value, "", &mut extra);
            assert!(extra.is_empty(), "{} {status}: undocumented {extra:?}", answer.target);
        }
    }

    /// Asserts that an answer has the headers that it must have, with their values, and no other.
    #[track_caller]
    fn has_headers(&self, path: &str, answer: &Answer, headers: &Value) {
        let at = format!("{path} {}", answer.status);
        for (name, header) in headers.as_object().unwrap() {
            let (header, sent) = (self.resolved(header), answer.header(&name.to_lowercase()));
            assert!(header["description"].is_string() && header["schema"]["type"] == "string", "{at}: {name}");
            assert!(header["required"] != true || !sent.is_empty(), "{at}: no {name}");
            let value = &header["schema"]["const"];
            assert!(value.is_null() || value == sent, "{at}: {name} is {sent}");
        }
        let documented: BTreeSet<String> =
            headers.as_object().unwrap().keys().map(|name| name.to_lowercase()).collect();
        for name in answer.headers.keys().filter(|name| !["content-type", "content-length"].contains(&name.as_str())) {
            assert!(documented.contains(name.as_str()), "{at}: {name} is not documented");
        }
    }

    /// Keys of a value that its schema does not know.
    fn extra(&self, schema: &Value, value: &Value, at: &str, out: &mut Vec<String>) {
        let mut known = Map::new();
        let (mut items, mut any) = (Vec::new(), false);
        self.gather(schema, &mut known, &mut items, &mut any);
        match value {
            Value::Object(members) if !any && !known.is_empty() => {
                for (name, value) in members {
                    match known.get(name) {
                        Some(schema) => self.extra(schema, value, &format!("{at}/{name}"), out),
                        None => out.push(format!("{at}/{name}")),
                    }
                }
            }
            Value::Array(values) => {
                for (schema, value) in items.iter().flat_map(|schema| values.iter().map(move |value| (schema, value))) {
                    self.extra(schema, value, &format!("{at}/[]"), out);
                }
            }
            _ => {}
        }
    }

    fn gather(&self, schema: &Value, known: &mut Map<String, Value>, items: &mut Vec<Value>, any: &mut bool) {
        let schema = self.resolved(schema);
        known.extend(schema["properties"].as_object().cloned().unwrap_or_default());
        items.extend(schema.get("items").cloned());
        *any |= schema.get("additionalProperties").is_some();
        for part in ["allOf", "oneOf", "anyOf"].iter().flat_map(|name| schema[*name].as_array().into_iter().flatten()) {
            self.gather(part, known, items, any);
        }
    }
}

#[tokio::test]
async fn every_answer_fits_its_documented_schema() {
    let (bench, documented) = (Bench::new(), Documented::new().await);
    for (path, target) in targets() {
        documented.fits(path, &bench.get(&target).await);
        let tag = bench.get(&target).await.header("etag").to_owned();
        if !tag.is_empty() {
            documented.fits(path, &bench.get_with(&target, &[("if-none-match", &tag)]).await);
        }
        documented.fits(path, &bench.get_with(&target, &[("x-api-key", "none")]).await);
        let separator = if target.contains('?') { '&' } else { '?' };
        documented.fits(path, &bench.get(&format!("{target}{separator}collection=none")).await);
        documented.fits(path, &bench.get_with(&target, &[("host", "evil.example")]).await);
        documented.fits(
            path,
            &bench
                .get(&format!("{target}{}x={}", if target.contains('?') { '&' } else { '?' }, "x".repeat(40_000)))
                .await,
        );
        documented.fits(path, &bench.get_with(&target, &[("x-long", &"y".repeat(40_000))]).await);
        documented.fits(path, &bench.send(Method::POST, &target, &[]).await);
    }
    for (path, target) in [
        ("/v1/search", "/v1/search?q=nova&page=1&limit=99&type=model&fresh_only=1"),
        ("/v1/search", "/v1/search?q=started&include_markdown=true"),
        ("/v1/search", "/v1/search?q=zzqx"),
        ("/v1/search", "/v1/search"),
        ("/v1/search", "/v1/search?q=a&type=x"),
        ("/v1/models/list", "/v1/models/list?limit=2&page=1"),
        ("/v1/models/list", "/v1/models/list?limit=x"),
        ("/v1/models/{id}", "/v1/models/acme/nova-2?x=1"),
        ("/v1/models/{id}", "/v1/models/orbit-1"),
        ("/v1/models/{id}", "/v1/models/nothing"),
        ("/v1/tools/{id}", "/v1/tools/saw"),
        ("/v1/tutorials/{id}", "/v1/tutorials/evals"),
        ("/v1/mcp-servers/{id}", "/v1/mcp-servers/io.github.one-maps"),
        ("/v1/documents/{id}", "/v1/documents/guide-bare"),
        ("/v1/evidence/{key}", "/v1/evidence/none"),
        ("/v1/frameworks/{id}", "/v1/frameworks/premortem?include_prompt=true"),
        ("/v1/frameworks/{id}", "/v1/frameworks/five-whys?include_prompt=true"),
        ("/v1/frameworks/{id}", "/v1/frameworks/draft-canvas"),
        ("/v1/frameworks/{id}", "/v1/frameworks/premortem?include_prompt=x"),
        ("/v1/frameworks/list", "/v1/frameworks/list?include_candidates=true&limit=1"),
        ("/v1/frameworks/search", "/v1/frameworks/search?q=premortem&include_prompt=true&domain=risk"),
        ("/v1/frameworks/search", "/v1/frameworks/search?q=five-whys&include_prompt=true"),
        ("/v1/frameworks/search", "/v1/frameworks/search?q=x&domain=x"),
        ("/v1/frameworks/route", "/v1/frameworks/route?q=bread"),
        ("/v1/frameworks/route", "/v1/frameworks/route?q=why&x=1"),
    ] {
        documented.fits(path, &bench.get(target).await);
    }
    let cards_hash = bench.desk.snapshot().router().cards_hash().to_owned();
    let figures = RouterEval { n: 1, top1: 1.0, top3: 1.0, evaluated_at: crate::common::NOW };
    bench.desk.set_evaluated(Some(Evaluated { cards_hash, figures }));
    for target in ["/health", "/v1/frameworks/route?q=launch"] {
        documented.fits(target.split('?').next().unwrap(), &bench.get(target).await);
    }
}

#[tokio::test]
async fn full_texts_are_documented_in_all_their_forms() {
    let (bench, documented) = (Bench::new(), Documented::new().await);
    for (path, target) in [
        ("/v1/documents/{id}", "/v1/documents/guide-start"),
        ("/v1/skills/{id}", "/v1/skills/pdf-forms"),
        ("/v1/tutorials/{id}", "/v1/tutorials/first-agent"),
    ] {
        for accept in ["text/markdown", "text/html", "application/json"] {
            let answer = bench.get_with(target, &[("accept", accept)]).await;
            assert!(answer.header("content-type").starts_with(accept), "{target} {accept}");
            documented.fits(path, &answer);
        }
    }
}

#[tokio::test]
async fn failures_are_documented_too() {
    let documented = Documented::new().await;
    let bench = Bench::new();
    for mood in [Mood::Fails, Mood::Panics] {
        bench.bodies.set(mood);
        documented.fits("/v1/documents/{id}", &bench.get("/v1/documents/guide-start").await);
    }
    let limited = Bench::with(crate::common::limited(1, 0));
    for (path, target) in targets().into_iter().filter(|(path, _)| path.starts_with("/v1/")) {
        for _ in 0..2 {
            documented.fits(path, &limited.get(&target).await);
        }
    }
    let empty = Bench::over(crate::common::unlimited(), &[]);
    for target in ["/health", "/readyz", "/v1/models/list", "/v1/sources/status"] {
        documented.fits(target, &empty.get(target).await);
    }
}
