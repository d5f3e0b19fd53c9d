//! `mode=hybrid` on search and route, with a model that the test makes itself: no layers, and words that mean the same have the same
//! vector. What real models are worth is measured by `refdesk eval search --model`.

use std::sync::Arc;

use crate::common::socket::metric;
use crate::common::{Bench, ids, unlimited};
use refdesk_catalog::semantic::passages;
use refdesk_embed::{Code, Encoder, Matrix, ModelFiles};
use refdesk_serve::state::semantic::{Semantic, Vectors};
use serde_json::{Value, json};

/// Words by meaning: those of one line are one to the model. Everything else is unknown and means nothing in particular.
const MEANINGS: [&[&str]; 5] = [
    &["[PAD]", "[UNK]", "[CLS]", "[SEP]"],
    &["forms", "fill", "paperwork", "questionnaire", "invoice"],
    &["nails", "hits", "carpentry"],
    &["files", "reads", "writes", "disk"],
    &["plan", "failed", "doomed", "project"],
];
const SIZE: usize = 8;

/// A model without layers: the vector of a text is the mean of its words' vectors.
fn model() -> Arc<Encoder> {
    let words: Vec<(usize, &str)> =
        MEANINGS.iter().enumerate().flat_map(|(at, words)| words.iter().map(move |word| (at, *word))).collect();
    let mut tensors: Vec<(&str, Vec<usize>, Vec<f32>)> = Vec::new();
    let axis = |at: usize| (0..SIZE).map(move |i| if at > 0 && i == at { 1.0 } else { 0.0 });
    tensors.push((
        "embeddings.word_embeddings.weight",
        vec![words.len(), SIZE],
        words.iter().flat_map(|word| axis(word.0)).collect(),
    ));
    tensors.push(("embeddings.position_embeddings.weight", vec![64, SIZE], vec![0.0; 64 * SIZE]));
    tensors.push(("embeddings.token_type_embeddings.weight", vec![2, SIZE], vec![0.0; 2 * SIZE]));
    tensors.push(("embeddings.LayerNorm.weight", vec![SIZE], vec![1.0; SIZE]));
    tensors.push(("embeddings.LayerNorm.bias", vec![SIZE], vec![0.0; SIZE]));
    let (mut table, mut data) = (serde_json::Map::new(), Vec::new());
    for (name, shape, values) in tensors {
        let from = data.len();
        data.extend(values.iter().flat_map(|value: &f32| value.to_le_bytes()));
        table.insert(name.into(), json!({"dtype": "F32", "shape": shape, "data_offsets": [from, data.len()]}));
    }
    let table = Value::Object(table).to_string().into_bytes();
    let weights = [&(table.len() as u64).to_le_bytes(), &table[..], &data].concat();
    let config = json!({"model_type": "bert", "hidden_size": SIZE, "num_hidden_layers": 0, "num_attention_heads": 1,
        "intermediate_size": 1, "vocab_size": words.len(), "max_position_embeddings": 64})
    .to_string();
    let vocabulary: String = words.iter().map(|(_, word)| format!("{word}\n")).collect();
    let files = ModelFiles {
        config: config.as_bytes(),
        weights: &weights,
        vocabulary: Some(vocabulary.as_bytes()),
        ..ModelFiles::default()
    };
    Arc::new(Encoder::load(&files).unwrap())
}

/// A bench whose desk has a model, and vectors of the first `ready` passages.
fn bench(ready: usize) -> Bench {
    let bench = Bench::with(unlimited());
    let (encoder, snapshot) = (model(), bench.desk.snapshot());
    let mut matrix = Matrix::with_capacity(encoder.dimensions(), 64);
    let mut wanted = 0;
    for passage in passages(&snapshot) {
        wanted += 1;
        if wanted <= ready {
            matrix.push(passage.ordinal, passage.role, &Code::quantize(&encoder.encode(&[&passage.text])[0]));
        }
    }
    let semantic = Semantic::new("toy", encoder);
    semantic.put(Vectors { generation: snapshot.generation(), matrix, wanted });
    bench.desk.set_semantic(Arc::new(semantic));
    bench
}

fn hows(hit: &Value) -> Vec<&str> {
    hit["matched"].as_array().unwrap().iter().map(|matched| matched["how"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn without_a_model_a_hybrid_question_is_answered_lexically_and_told_so() {
    let bench = Bench::new();
    for path in ["/v1/search?q=nova", "/v1/frameworks/route?q=our+plan+failed"] {
        let lexical = bench.json(path).await;
        let answer = bench.json(&format!("{path}&mode=hybrid")).await;
        let warning = answer["warnings"][0].as_str().unwrap();
        assert!(warning.contains("the answer is lexical") && warning.contains("embedding_model"), "{warning}");
        assert_eq!(answer["mode"].as_str().or(answer["router"]["mode"].as_str()), Some("lexical"));
        assert_eq!((&answer["results"], &answer["selected"]), (&lexical["results"], &lexical["selected"]));
    }
    let runtime = &bench.json("/health").await["runtime"];
    assert_eq!((&runtime["search_mode"], &runtime["embedding_model"]), (&json!("lexical"), &Value::Null));
}

#[tokio::test]
async fn a_hybrid_search_finds_by_meaning_what_words_cannot() {
    let bench = bench(usize::MAX);
    let lexical = bench.json("/v1/search?q=paperwork").await;
    assert_eq!(lexical["results"], json!([]), "no word of it is in the catalog");
    let answer = bench.json("/v1/search?q=paperwork&mode=hybrid").await;
    assert_eq!((&answer["mode"], &answer["warnings"]), (&json!("hybrid"), &json!([])));
    assert_eq!(ids(&answer["results"])[0], "pdf-forms", "{answer}");
    assert_eq!(hows(&answer["results"][0]), ["semantic"]);
    let carpentry = bench.json("/v1/search?q=carpentry&mode=hybrid&type=TOOL").await;
    assert_eq!(ids(&carpentry["results"])[0], "hammer");
    // A question in another language is compared in the words that are searched for.
    let german = bench.json("/v1/search?q=Rechnung&mode=hybrid").await;
    assert_eq!((ids(&german["results"])[0], hows(&german["results"][0])), ("pdf-forms", vec!["semantic"]), "{german}");
    let none = bench.json("/v1/search?q=carpentry&mode=hybrid&type=DOC").await;
    assert_eq!(none["results"], json!([]), "what is far in meaning is no filler: {none}");
}

#[tokio::test]
async fn names_stay_first_and_frameworks_never_stand_in_a_search() {
    let bench = bench(usize::MAX);
    let named = bench.json("/v1/search?q=hammer&mode=hybrid").await;
    assert_eq!((&named["results"][0]["id"], hows(&named["results"][0])[0]), (&json!("hammer"), "exact"));
    let cards = bench.json("/v1/search?q=doomed+project&mode=hybrid&limit=50").await;
    assert!(!ids(&cards["results"]).contains(&"premortem"), "{cards}");
    // Both channels find it: words and meaning are told.
    let both = bench.json("/v1/search?q=fill+questionnaire&mode=hybrid").await;
    assert_eq!(both["results"][0]["id"], "pdf-forms");
    let told = hows(&both["results"][0]);
    assert!(told.contains(&"text") && told.contains(&"semantic"), "{told:?}");
}

#[tokio::test]
async fn the_same_question_gives_the_same_bytes_and_each_mode_its_own_tag() {
    let bench = bench(usize::MAX);
    let first = bench.get("/v1/search?q=questionnaire&mode=hybrid").await;
    let again = bench.get("/v1/search?q=questionnaire&mode=hybrid").await;
    assert_eq!(first.body, again.body);
    let tag = first.headers["etag"].to_str().unwrap().to_owned();
    let held = bench.get_with("/v1/search?q=questionnaire&mode=hybrid", &[("if-none-match", &tag)]).await;
    assert_eq!(held.status, 304);
    let searches = metric(&bench.get("/metrics").await.text(), "refdesk_searches_total{search=\"catalog\"}");
    assert_eq!(searches, 1, "the first answer is kept, and the 304 needs none");
    let fewer = self::bench(1);
    let other = fewer.get("/v1/search?q=questionnaire&mode=hybrid").await;
    assert_ne!(other.headers["etag"].to_str().unwrap(), tag, "other vectors, another answer");
}

#[tokio::test]
async fn vectors_that_are_still_missing_are_told() {
    let bench = bench(1);
    let answer = bench.json("/v1/search?q=questionnaire&mode=hybrid").await;
    assert_eq!(answer["mode"], "hybrid");
    assert!(answer["warnings"][0].as_str().unwrap().starts_with("1 of "), "{}", answer["warnings"]);
    let mode = bench.json("/health").await["runtime"]["search_mode"].as_str().unwrap().to_owned();
    assert!(mode.starts_with("hybrid (available, 1 of "), "{mode}");
    let none = self::bench(0);
    let answer = none.json("/v1/search?q=questionnaire&mode=hybrid").await;
    assert_eq!(
        (&answer["mode"], &answer["warnings"]),
        (&json!("lexical"), &json!(["the catalog has no vectors yet; the answer is lexical"]))
    );
}

#[tokio::test]
async fn health_names_the_model_and_routing_says_its_mode() {
    let bench = bench(usize::MAX);
    let runtime = &bench.json("/health").await["runtime"];
    assert_eq!((&runtime["search_mode"], &runtime["embedding_model"]), (&json!("hybrid (available)"), &json!("toy")));
    let answer = bench.json("/v1/frameworks/route?q=our+plan+failed&mode=hybrid").await;
    assert_eq!(answer["router"]["mode"], "hybrid");
    let lexical = bench.json("/v1/frameworks/route?q=our+plan+failed").await;
    assert_eq!(lexical["router"]["mode"], "lexical");
}

#[test]
fn vectors_of_old_generations_are_dropped() {
    let semantic = Semantic::new("toy", model());
    for generation in 1..=4 {
        semantic.put(Vectors { generation, matrix: Matrix::with_capacity(SIZE, 1), wanted: 0 });
    }
    let kept: Vec<u64> = (1..=4).filter(|generation| semantic.vectors(*generation).is_some()).collect();
    assert_eq!(kept, [3, 4], "the current one and the one that requests may still hold");
}
