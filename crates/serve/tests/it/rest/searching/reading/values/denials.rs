//! Negations, in whatever form they are said: what they deny is left out, and never asked for. `docs/api.md#search`.

use super::super::offered_by;
use super::super::understanding::{asked, made_by};
use super::super::wording::{check, read};
use super::packaged;
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Item, Modalities, Model, Skill, Status};
use serde_json::{Value, json};

/// A model that somebody else sells as well.
fn sold(seller: &str, name: &str) -> StoredFact {
    offered_by(seller, "Meta", name, Model::default())
}

fn denied() -> Bench {
    let mut skill = fact("plover", "plover", "Plover", &Item::Skill(Skill::default()));
    skill.head.vendor = Some("Acme".to_owned());
    let mut old = made_by("OpenAI", "quartz", Model::default());
    old.head.status = Status::Deprecated;
    let modalities = Modalities { input: vec!["image".to_owned()], ..Modalities::default() };
    let seeing = Model { modalities, ..Model::default() };
    let mut docker = packaged("tern", "oci");
    docker.head.vendor = Some("Docker".to_owned());
    let facts = [
        sold("azure", "robin"),
        sold("groq", "finch"),
        sold("groq", "wren"),
        made_by("OpenAI", "falcon", seeing),
        old,
        packaged("gull", "npm"),
        docker,
        skill,
    ];
    Bench::over(unlimited(), &facts)
}

#[tokio::test]
async fn a_verb_may_stand_between_a_negation_and_the_preposition() {
    check(
        &denied(),
        &[
            ("models that don't run on azure", json!({"seller__not": "azure"})),
            ("models that can’t run on groq", json!({"seller__not": "groq"})),
            ("models that wont work on groq", json!({"seller__not": "groq"})),
            ("models I can't run on groq", json!({"seller__not": "groq"})),
            ("models that are not available on groq", json!({"seller__not": "groq"})),
            ("models that groq doesn't host", json!({"seller__not": "groq"})),
            ("models groq does not sell", json!({"seller__not": "groq"})),
            ("models groq hosts", json!({"seller": "groq"})),
            ("servers that don't run on npm", json!({"registry_type__not": "npm"})),
            ("skills not maintained by acme", json!({"vendor__not": "Acme"})),
            ("skills that acme doesn't publish", json!({"vendor__not": "Acme"})),
            ("servers that don't use docker", json!({"registry_type__not": "oci"})),
            ("servers that don't need docker", json!({"registry_type__not": "oci"})),
            ("servers without docker", json!({"registry_type__not": "oci"})),
            ("servers not from docker", json!({"vendor__not": "Docker"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn contractions_are_those_of_all_auxiliaries() {
    let not_openai = json!({"vendor__not": "OpenAI"});
    check(
        &denied(),
        &[
            ("models that weren't made by openai", not_openai.clone()),
            ("models that didn't come from openai", not_openai.clone()),
            ("models that ain't from openai", not_openai.clone()),
            ("models that wasnt built by openai", not_openai.clone()),
            ("models outside of OpenAI", not_openai.clone()),
            ("models from outside openai", not_openai),
            ("models w/out vision", json!({"input_modalities__not": "image"})),
            ("models that never had vision", json!({"input_modalities__not": "image"})),
            ("models that hadn’t vision", json!({"input_modalities__not": "image"})),
            ("models that haven't been deprecated", json!({"status__not": "deprecated,retired"})),
        ],
    )
    .await;
    let answer = asked(&denied(), "models that weren't released in 2024").await;
    assert_eq!(answer["understood"]["filters"]["released_on__gte"], Value::Null, "{answer}");
    assert!(answer["warnings"].to_string().contains("no filter leaves out a period"), "{}", answer["warnings"]);
}

#[tokio::test]
async fn a_filter_behind_a_negation_that_was_not_read_is_taken_back_with_a_warning() {
    let bench = denied();
    for (question, denied) in [
        ("models that don't have to be hosted on azure", "don't have to be hosted on azure"),
        ("models that shouldn't ever need to run on groq", "shouldn't ever need to run on groq"),
        ("models that I haven't tried from openai", "haven't tried from openai"),
    ] {
        let answer = asked(&bench, question).await;
        let (filters, _, rest) = read(&bench, question).await;
        assert_eq!((filters, rest), (json!({}), json!("")), "{question}");
        let told = format!("`{denied}` was not understood: say `not` directly in front of what is not wanted");
        assert!(answer["warnings"].to_string().contains(&told), "{question}: {}", answer["warnings"]);
    }
    // What somebody asks in the negative denies nothing of the things, nor does what is said of another clause.
    for question in [
        "isn't there a model on groq",
        "models I don't know, on groq",
        "models that aren't new but on groq",
        "models at no charge on groq",
    ] {
        let filters = read(&bench, question).await.0;
        assert_eq!(filters["seller"], "groq", "{question}: {filters}");
    }
}

#[tokio::test]
async fn nor_negates_whatever_stands_behind_it() {
    let neither = || json!({"price_input__gte": "0.000001", "vendor__not": "OpenAI"});
    check(
        &denied(),
        &[
            ("models neither free nor from openai", neither()),
            ("models neither from openai nor free", neither()),
            (
                "models with no vision nor over $5",
                json!({"input_modalities__not": "image", "price_input__lte": "5", "price_output__lte": "5"}),
            ),
            (
                "vision models not from openai nor under $1",
                json!({"input_modalities": "image", "price_input__gte": "1", "vendor__not": "OpenAI"}),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn all_but_some_leaves_these_out() {
    let not_openai = || json!({"vendor__not": "OpenAI"});
    check(
        &denied(),
        &[
            ("all models but openai's", not_openai()),
            ("every model but those from openai", not_openai()),
            ("all mcp servers but npm ones", json!({"registry_type__not": "npm"})),
            ("all models but only from openai", json!({"vendor": "OpenAI"})),
            ("models sans vision", json!({"input_modalities__not": "image"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn who_goes_on_from_a_seller_with_what_is_not_wanted_means_another_seller() {
    let not_groq = || json!({"seller": "azure", "seller__not": "groq"});
    check(
        &denied(),
        &[
            ("models on azure but not groq", not_groq()),
            ("models on azure, not groq", not_groq()),
            ("models sold by azure but not by groq", not_groq()),
            ("models on azure but not openai", json!({"seller": "azure", "vendor__not": "OpenAI"})),
        ],
    )
    .await;
}

/// A model that draws, of a line whose name says so.
fn drawing() -> Bench {
    let modalities = Modalities { output: vec!["image".to_owned()], ..Modalities::default() };
    let draws = Model { family: Some("gpt-image".to_owned()), modalities, ..Model::default() };
    let family = Some("text-embedding".to_owned());
    let embeds = Model { family, mode: Some("embedding".to_owned()), ..Model::default() };
    let facts = [
        made_by("OpenAI", "gpt-image-9", draws),
        made_by("OpenAI", "text-embedding-9", embeds),
        made_by("Google", "gemini-9", Model::default()),
    ];
    Bench::over(unlimited(), &facts)
}

#[tokio::test]
async fn what_models_are_not_called_by_is_left_out() {
    let no_image = || json!({"output_modalities__not": "image"});
    let of_openai = || json!({"output_modalities__not": "image", "vendor": "OpenAI"});
    check(
        &drawing(),
        &[
            ("non-image models", no_image()),
            ("no image models", no_image()),
            ("not image models", no_image()),
            ("models that are not image models", no_image()),
            ("models other than image models", no_image()),
            ("all openai models except image models", of_openai()),
            ("openai models but no image models", of_openai()),
            ("non-image models from openai", of_openai()),
            ("image models from openai", json!({"output_modalities": "image", "vendor": "OpenAI"})),
            (
                "non-chat models",
                json!({"model_mode": "audio,embedding,image,moderation,ocr,realtime,rerank,search,vector_store,video"}),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_modality_that_is_lacked_is_neither_read_nor_given_and_names_no_line() {
    let no_image = || json!({"input_modalities__not": "image", "output_modalities__not": "image"});
    check(
        &drawing(),
        &[
            ("models without image", no_image()),
            ("models with no image", no_image()),
            ("models without pictures", no_image()),
            ("Modelle ohne Bilder", no_image()),
            ("不支持图像的模型", no_image()),
            ("models without text output", json!({"output_modalities__not": "text"})),
        ],
    )
    .await;
}
