//! Which edition of a text is shown, and the closed classes of other languages: comparisons, scales, money, meters, orders, months, seasons and quarters; and a programming language
//! that is called by a word which else says nothing. `docs/api.md#search`.

use super::understanding::{asked, bench, ids};
use super::wording::read;
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::item::{Document, Item};
use serde_json::{Value, json};

/// What a class says, in German, French, Spanish, Italian, Portuguese, Russian, Chinese, Japanese and Korean.
struct Class {
    filters: Value,
    sort: &'static str,
    questions: [&'static str; 9],
}

/// Checks that a question of each language is read as the same filters and order.
async fn check(classes: &[Class]) {
    let bench = bench();
    for Class { filters, sort, questions } in classes {
        for question in questions {
            let (mut said, order, rest) = read(&bench, question).await;
            for implied in ["output_modalities__not", "model_mode__not", "status__not"] {
                said.as_object_mut().and_then(|said| said.remove(implied));
            }
            let sort = if sort.is_empty() { order.clone() } else { json!(sort) };
            assert_eq!((&said, &order, &rest), (filters, &sort, &json!("")), "{question}");
        }
    }
}

fn released(first: &str, last: &str) -> Value {
    json!({"released_on__gte": first, "released_on__lte": last})
}

#[tokio::test]
async fn least_and_most_numbers_of_tokens() {
    check(&[
        Class {
            filters: json!({"context_tokens__gte": "300000"}),
            sort: "",
            questions: [
                "Modelle mit mindestens 300.000 Token Kontext",
                "modèles avec au moins 300 000 tokens de contexte",
                "modelos con al menos 300 mil tokens de contexto",
                "modelli con almeno 300 mila token di contesto",
                "modelos com pelo menos 300 mil tokens de contexto",
                "модели с контекстом не менее 300 тыс токенов",
                "上下文至少30万的模型",
                "コンテキスト30万トークン以上のモデル",
                "컨텍스트 30만 토큰 이상 모델",
            ],
        },
        Class {
            filters: json!({"context_tokens__lte": "2000000"}),
            sort: "",
            questions: [
                "Modelle mit höchstens 2 Mio Token Kontext",
                "modèles avec au plus 2 millions de tokens de contexte",
                "modelos con como máximo 2 millones de tokens de contexto",
                "modelli con al massimo 2 milioni di token di contesto",
                "modelos com no máximo 2 milhões de tokens de contexto",
                "модели с контекстом не более 2 млн токенов",
                "上下文不超过200万的模型",
                "コンテキスト200万トークン以下のモデル",
                "컨텍스트 200만 토큰 이하 모델",
            ],
        },
    ])
    .await;
}

#[tokio::test]
async fn money_for_output_and_input() {
    check(&[
        Class {
            filters: json!({"price_output__lte": "4"}),
            sort: "",
            questions: [
                "Modelle unter 4 Dollar pro Million Ausgabetoken",
                "modèles à moins de 4 dollars par million de tokens de sortie",
                "modelos de menos de 4 dólares por millón de tokens de salida",
                "modelli a meno di 4 dollari al milione di token di uscita",
                "modelos por menos de 4 dólares por milhão de tokens de saída",
                "модели дешевле 4 долларов за миллион выходных токенов",
                "输出价格低于4美元的模型",
                "出力価格4ドル以下のモデル",
                "출력 가격 4달러 이하 모델",
            ],
        },
        Class {
            filters: json!({"price_input__lte": "0.5"}),
            sort: "",
            questions: [
                "Modelle mit Eingabe unter 0,5 Dollar",
                "modèles dont l'entrée coûte moins de 0,5 dollar",
                "modelos con entrada a menos de 50 centavos",
                "modelli con ingresso a meno di 50 centesimi",
                "modelos com entrada por menos de 50 centavos",
                "модели с ценой входных токенов менее 50 центов",
                "输入价格低于50美分的模型",
                "入力価格50セント以下のモデル",
                "입력 가격 50센트 이하 모델",
            ],
        },
    ])
    .await;
}

#[tokio::test]
async fn the_cheapest_and_the_most_expensive() {
    check(&[
        Class {
            filters: json!({}),
            sort: "price_blended,-offers",
            questions: [
                "günstigstes Modell",
                "le modèle le moins cher",
                "el modelo más barato",
                "il modello più economico",
                "o modelo mais barato",
                "самая дешевая модель",
                "最便宜的模型",
                "最も安いモデル",
                "가장 저렴한 모델",
            ],
        },
        Class {
            filters: json!({}),
            sort: "-price_blended,-offers",
            questions: [
                "teuerstes Modell",
                "le modèle le plus cher",
                "el modelo más caro",
                "il modello più costoso",
                "o modelo mais caro",
                "самая дорогая модель",
                "最贵的模型",
                "最も高価なモデル",
                "가장 비싼 모델",
            ],
        },
    ])
    .await;
}

#[tokio::test]
async fn months_quarters_seasons_and_what_lies_between() {
    check(&[
        Class {
            filters: json!({"released_on__gte": "2025-10"}),
            sort: "",
            questions: [
                "seit Oktober 2025 erschienene Modelle",
                "modèles sortis depuis octobre 2025",
                "modelos lanzados desde octubre de 2025",
                "modelli rilasciati dal ottobre 2025",
                "modelos lançados desde outubro de 2025",
                "модели вышедшие начиная с октября 2025",
                "2025年10月以来发布的模型",
                "2025年10月以降にリリースされたモデル",
                "2025년 10월 이후 출시된 모델",
            ],
        },
        Class {
            filters: released("2025-04", "2025-06"),
            sort: "",
            questions: [
                "Modelle veröffentlicht im zweiten Quartal 2025",
                "modèles sortis au deuxième trimestre 2025",
                "modelos lanzados en el segundo trimestre de 2025",
                "modelli rilasciati nel secondo trimestre 2025",
                "modelos lançados no segundo trimestre de 2025",
                "модели выпущенные во втором квартале 2025",
                "2025年第二季度发布的模型",
                "2025年第2四半期にリリースされたモデル",
                "2025년 2분기에 출시된 모델",
            ],
        },
        Class {
            filters: released("2025-03", "2025-05"),
            sort: "",
            questions: [
                "Modelle veröffentlicht im Frühling 2025",
                "modèles sortis au printemps 2025",
                "modelos lanzados en primavera de 2025",
                "modelli rilasciati in primavera 2025",
                "modelos lançados na primavera de 2025",
                "модели выпущенные весной 2025",
                "2025年春季发布的模型",
                "2025年春にリリースされたモデル",
                "2025년 봄에 출시된 모델",
            ],
        },
    ])
    .await;
    let bench = bench();
    for question in [
        "Modelle veröffentlicht zwischen März und Mai 2025",
        "modèles sortis entre mars et mai 2025",
        "modelos lanzados entre marzo y mayo de 2025",
        "modelli rilasciati tra marzo e maggio 2025",
        "modelos lançados entre março e maio de 2025",
        "модели выпущенные между мартом и маем 2025",
    ] {
        assert_eq!(read(&bench, question).await.0, released("2025-03", "2025-05"), "{question}");
    }
}

#[tokio::test]
async fn a_preposition_in_front_of_a_number_compares() {
    let bench = bench();
    for (question, filters) in [
        ("Modelle über 100k Kontext", json!({"context_tokens__gte": "100001"})),
        ("Modelle ab 200k Kontext", json!({"context_tokens__gte": "200000"})),
        ("Modelle über 2 Dollar Output", json!({"price_output__gte": "2"})),
        ("Modelle unter 3 Dollar Output", json!({"price_output__lte": "3"})),
        ("modelli oltre 2 dollari di output", json!({"price_output__gte": "2"})),
        ("modèles au-dessus de 100k de contexte", json!({"context_tokens__gte": "100001"})),
    ] {
        let (said, _, rest) = read(&bench, question).await;
        assert_eq!((&said, &rest), (&filters, &json!("")), "{question}");
    }
}

#[tokio::test]
async fn numbers_in_words_and_dutch_questions() {
    let bench = bench();
    for (question, filters, sort) in [
        ("Modelle mit zwei Millionen Token Kontext", json!({"context_tokens__gte": "2000000"}), "-offers"),
        ("Modelle über zwei Millionen Token Kontext", json!({"context_tokens__gte": "2000001"}), "-offers"),
        ("Modelle unter zehn Dollar pro Million Ausgabe-Token", json!({"price_output__lte": "10"}), "-offers"),
        (
            "modèles de moins de cinq dollars par million de tokens de sortie",
            json!({"price_output__lte": "5"}),
            "-offers",
        ),
        (
            "modelos de menos de dos dólares por millón de tokens de salida",
            json!({"price_output__lte": "2"}),
            "-offers",
        ),
        ("modelli sotto i dieci dollari di output", json!({"price_output__lte": "10"}), "-offers"),
        ("modellen onder 2 dollar per miljoen output tokens", json!({"price_output__lte": "2"}), "-offers"),
        ("modellen met minstens 200k context", json!({"context_tokens__gte": "200000"}), "-offers"),
        (
            "goedkoopste model met 1 miljoen tokens context",
            json!({"context_tokens__gte": "1000000"}),
            "price_blended,-offers",
        ),
        ("welches Modell hat das größte Kontextfenster", json!({}), "-context_tokens,-offers"),
        ("welk model heeft het grootste contextvenster", json!({}), "-context_tokens,-offers"),
        ("コンテキストが一番長いモデル", json!({}), "-context_tokens,-offers"),
        ("Modelle mit Wissensstand nach 2024", json!({"knowledge_cutoff__gte": "2025-01-01"}), "-offers"),
        ("modelos que aceptan imágenes", json!({"input_modalities": "image"}), "-offers"),
        ("Modelle mit Tool-Aufrufen", json!({"capability": "tool_call"}), "-offers"),
        ("上下文超过一百万的模型", json!({"context_tokens__gte": "1000001"}), "-offers"),
        ("도구 호출을 지원하는 오픈 모델", json!({"capability": "tool_call", "open_weights": "true"}), "-offers"),
        ("модели с контекстом 64к", json!({"context_tokens__gte": "64000"}), "-offers"),
        ("nieuwste modellen van Borealis", json!({"vendor": "Borealis"}), "-released_on"),
    ] {
        let (mut said, order, rest) = read(&bench, question).await;
        for implied in ["output_modalities__not", "model_mode__not", "status__not"] {
            said.as_object_mut().and_then(|said| said.remove(implied));
        }
        assert_eq!((&said, &order, &rest), (&filters, &json!(sort), &json!("")), "{question}");
    }
}

#[tokio::test]
async fn who_made_something_is_told_behind_a_participle_or_a_negation() {
    let by_borealis = || json!({"vendor": "Borealis"});
    super::wording::check(
        &bench(),
        &[
            (
                "modelos lanzados en 2026 por Borealis",
                json!({"vendor": "Borealis", "released_on__gte": "2026", "released_on__lte": "2026"}),
            ),
            ("modelos feitos por Borealis", by_borealis()),
            ("modelli sviluppati da Borealis", by_borealis()),
            ("modellen ontwikkeld door Borealis", by_borealis()),
            ("mcp server nicht von Acme", json!({"vendor__not": "Acme"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_comes_after_a_model_and_what_else_there_is() {
    let bench = bench();
    for (english, filter, questions) in [
        (
            "successor of falcon",
            "vendor",
            &[
                "Nachfolger von falcon",
                "successeur de falcon",
                "sucesor de falcon",
                "sucessor do falcon",
                "successore di falcon",
                "opvolger van falcon",
                "преемник falcon",
                "falcon的后继",
                "falconの後継",
                "falcon 후속",
                "Ersatz für falcon",
                "substituto do falcon",
            ][..],
        ),
        (
            "alternatives to falcon",
            "vendor__not",
            &["alternatives à falcon", "альтернатива falcon", "falcon的替代品", "falconの代わり", "falcon 대안"][..],
        ),
    ] {
        let said = asked(&bench, english).await["understood"].take();
        assert_eq!(said["filters"][filter], "Acme Labs", "{english}: {said}");
        for question in questions {
            assert_eq!(asked(&bench, question).await["understood"], said, "{question}");
        }
    }
}

#[tokio::test]
async fn go_is_looked_for_where_it_is_a_language() {
    for (question, kind, rest) in [
        ("mcp servers written in go", "MCP_SERVER", "written in go"),
        ("go framework for agents", "TOOL", "agents in go"),
        ("library in Go", "TOOL", "in go"),
        ("mcp servers to go with mail", "MCP_SERVER", "mail"),
    ] {
        let understood = &asked(&bench(), question).await["understood"];
        assert_eq!((&understood["kind"], &understood["rest"]), (&json!(kind), &json!(rest)), "{question}");
    }
}

#[tokio::test]
async fn a_longer_text_in_english_is_shown_before_a_shorter_one_in_another_language() {
    let page = |path: &str, language: &str, says: &str| {
        let document = Document { path: Some(path.to_owned()), summary: Some(says.to_owned()), ..Document::default() };
        let mut stored = fact(path, &path.replace(['/', '.'], "-"), "Papers", &Item::Document(document));
        stored.head.language = Some(language.to_owned());
        stored
    };
    let long = "Zebra stripes: a list of what was published on them, by whom, where, and when it can be read by others, \
        with remarks on herds, plains, rivers, seasons, hunters, drawings, photographs, museums, maps, travels and names.";
    let other = |at: usize| page(&format!("other/{at}.mdx"), "en", "Something else.");
    let pages = [page("guide/papers.ca.mdx", "ca", "Llista: zebra stripes."), page("guide/papers.en.mdx", "en", long)];
    let bench = Bench::over(unlimited(), &pages.into_iter().chain((0..10).map(other)).collect::<Vec<_>>());
    for (question, id) in [
        ("zebra stripes", "guide-papers-en-mdx"),
        ("zebra stripes in catalan", "guide-papers-ca-mdx"),
        // A word of the question is only in the other language.
        ("llista zebra stripes", "guide-papers-ca-mdx"),
    ] {
        assert_eq!(ids(&asked(&bench, question).await), [id], "{question}");
    }
    let catalan = bench.json("/v1/search?q=zebra+stripes&type=DOC&language=ca").await;
    assert_eq!(ids(&catalan), ["guide-papers-ca-mdx"]);
}

#[tokio::test]
async fn what_something_is_compared_with_stands_in_front_in_japanese_and_korean() {
    let bench = bench();
    let (over, under) =
        (json!({"price_input__gte": "20"}), json!({"price_input__lte": "10", "price_output__lte": "10"}));
    for (question, filters) in [
        ("20달러보다 비싼 모델", &over),
        ("20ドルより高いモデル", &over),
        ("10달러보다 싼 모델", &under),
        ("10ドルより安いモデル", &under),
        ("컨텍스트가 20만보다 큰 모델", &json!({"context_tokens__gte": "200001"})),
    ] {
        let (read, _, rest) = read(&bench, question).await;
        assert_eq!((&read, rest), (filters, json!("")), "{question}");
    }
    for (question, english) in [
        ("heron보다 싼 모델", "cheaper than heron model"),
        ("heronより安いモデル", "cheaper than heron model"),
        ("Modelle der letzten drei Monate", "model last three months"),
    ] {
        let (said, english) = (asked(&bench, question).await, asked(&bench, english).await);
        assert_eq!(said["understood"], english["understood"], "{question}");
        assert_ne!(said["understood"]["filters"], json!({}), "{question}");
    }
}

/// `支持图片的模型` gave models that make images, and `que` in front of a verb was read as `than`.
#[tokio::test]
async fn what_supports_or_reads_something_takes_it() {
    let bench = bench();
    for (question, filters, sort) in [
        ("支持图片的模型", json!({"input_modalities": "image"}), "-offers"),
        ("支持图片和工具调用的模型", json!({"capability": "tool_call", "input_modalities": "image"}), "-offers"),
        ("支持工具的模型", json!({"capability": "tool_call"}), "-offers"),
        ("Modelle, die PDFs lesen können", json!({"input_modalities": "pdf"}), "-offers"),
        ("PDFを読めるモデル", json!({"input_modalities": "pdf"}), "-offers"),
        ("이미지를 읽을 수 있는 모델", json!({"input_modalities": "image"}), "-offers"),
        ("modèles qui lisent les images", json!({"input_modalities": "image"}), "-offers"),
        ("modelli che leggono immagini", json!({"input_modalities": "image"}), "-offers"),
        ("модели которые читают pdf", json!({"input_modalities": "pdf"}), "-offers"),
        ("modelos que soportan herramientas", json!({"capability": "tool_call"}), "-offers"),
        ("el modelo más barato que lee imágenes", json!({"input_modalities": "image"}), "price_blended,-offers"),
        ("modelo mais barato que suporta ferramentas", json!({"capability": "tool_call"}), "price_blended,-offers"),
        ("welk model is het goedkoopst", json!({}), "price_blended,-offers"),
    ] {
        let (mut said, order, rest) = read(&bench, question).await;
        for implied in ["output_modalities__not", "model_mode__not", "status__not"] {
            said.as_object_mut().and_then(|said| said.remove(implied));
        }
        assert_eq!((&said, &order, &rest), (&filters, &json!(sort), &json!("")), "{question}");
    }
    let english = asked(&bench, "models cheaper than heron").await;
    let spanish = asked(&bench, "modelos más baratos que el heron").await;
    assert_eq!(spanish["understood"]["filters"], english["understood"]["filters"]);
    assert_ne!(english["understood"]["filters"]["price_input__lte"], Value::Null);
}
