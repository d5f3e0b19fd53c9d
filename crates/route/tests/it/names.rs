//! Requests that name a card: in a sentence, in a few words, misspelt, or beside another one; and those that only use words of names.

use std::sync::LazyLock;

use refdesk_route::{Decision, Filter, Router};

static ROUTER: LazyLock<Router> = LazyLock::new(|| Router::build(crate::catalog::cards()));

/// The decision, and the ids of the cards in order.
fn answer(question: &str) -> (Decision, Vec<&'static str>) {
    let routing = ROUTER.route(question, Filter::default());
    (routing.decision, routing.ranked.iter().map(|ranked| ROUTER.cards()[ranked.card].id.as_str()).collect())
}

#[test]
fn a_card_that_a_request_names_is_the_match() {
    for (question, id) in [
        ("could you run a premortem on our launch plan next week", "premortem"),
        ("let's do five whys about the outage", "five-whys"),
        ("hey, quick one: can you do a 6-3-5 brainwriting with us on Monday?", "brainwriting"),
        ("decision matrix for laptops", "decision-matrix"),
        ("swot for my bakery", "swot"),
    ] {
        let (decision, ids) = answer(question);
        assert_eq!((decision, ids[0]), (Decision::Match, id), "{question}");
    }
}

#[test]
fn a_misspelt_name_is_known_among_other_words() {
    for (question, id) in [
        ("premorten", "premortem"),
        ("can you run a premortum on the festival", "premortem"),
        ("eisenhauer matrix for my tasks", "eisenhower"),
        ("take us through 6 thinking hats about the uniforms", "six-hats"),
    ] {
        let (decision, ids) = answer(question);
        assert_eq!((decision, ids[0]), (Decision::Match, id), "{question}");
    }
}

/// Only the spelling of the card was known, and `post-mortem` had no match.
#[test]
fn a_name_of_one_word_is_known_with_a_hyphen_or_a_space_in_it() {
    for (question, id) in [
        ("post-mortem", "postmortem"),
        ("post mortem", "postmortem"),
        ("Post-mortems", "postmortem"),
        ("run a post-mortem on the outage", "postmortem"),
        ("brain-writing", "brainwriting"),
    ] {
        let (decision, ids) = answer(question);
        assert_eq!((decision, ids[0]), (Decision::Match, id), "{question}");
    }
    // Two words that stand together by chance are none.
    assert_eq!(answer("steel man costume for carnival").0, Decision::NoMatch);
}

#[test]
fn who_names_two_cards_is_asked_which_one() {
    for (question, ids, names) in [
        ("premortem vs red team for the product launch", ["premortem", "red-team"], ["Pre-mortem", "Red Teaming"]),
        ("fishbone or five whys for the machine stop?", ["fishbone", "five-whys"], ["5 Whys", "Fishbone Diagram"]),
        ("SWOT and PESTLE for a language school", ["pestle", "swot"], ["PESTLE Analysis", "SWOT Analysis"]),
    ] {
        let routing = ROUTER.route(question, Filter::default());
        let (decision, mut first) = answer(question);
        first.truncate(2);
        first.sort_unstable();
        assert_eq!((decision, &first[..]), (Decision::Ambiguous, &ids[..]), "{question}");
        let asked = routing.clarifying_question.unwrap_or_default();
        assert!(names.iter().all(|name| asked.contains(name)), "{question}: {asked}");
    }
    // A name within a longer one is no second name, and a rejected one is no choice.
    let (decision, ids) = answer("multi-criteria decision analysis for choosing a van");
    assert_eq!((decision, ids[0]), (Decision::Match, "decision-matrix"));
    assert_ne!(answer("a premortem for the product launch, not a SWOT").0, Decision::Ambiguous);
}

/// Two names without a problem beside them had no match.
#[test]
fn two_names_and_nothing_else_are_asked_about() {
    for (question, ids) in [
        ("premortem or red team", ["premortem", "red-team"]),
        ("premortem vs red team", ["premortem", "red-team"]),
        ("fishbone, five whys", ["fishbone", "five-whys"]),
        ("RACI vs DACI", ["daci", "raci"]),
    ] {
        let (decision, mut first) = answer(question);
        first.truncate(2);
        first.sort_unstable();
        assert_eq!((decision, &first[..]), (Decision::Ambiguous, &ids[..]), "{question}");
    }
    // A word that stands not between them is what is asked for.
    assert_eq!(answer("kanban scrum app for ipad").0, Decision::NoMatch);
}

#[test]
fn who_asks_for_a_fact_or_a_thing_with_the_words_of_a_name_has_no_match() {
    for question in [
        "who invented scrum",
        "price of the six thinking hats book",
        "kanban app for ipad",
        "mcp server for kanban boards",
        "opera Aida tickets in Verona",
        "dora the explorer episodes",
        "is the Eisenhower tunnel open today",
        "rice cooker instructions",
        "react native tutorial",
        "game day snacks for ten people",
        "cheapest model with vision",
        "models released since june",
    ] {
        assert_eq!(answer(question).0, Decision::NoMatch, "{question}");
    }
}

#[test]
fn an_alternative_to_a_card_that_is_named_says_so() {
    let routing = ROUTER.route("decision matrix for laptops", Filter::default());
    let reasons: Vec<&str> = routing.ranked.iter().filter_map(|ranked| ranked.why_not.as_deref()).collect();
    assert!(reasons.contains(&"The question names Weighted Decision Matrix, and not this card."), "{reasons:?}");
}

#[test]
fn requests_with_names_are_answered_as_they_were() {
    for (style, least) in [("named", 0.93), ("brief", 0.58), ("misspelt", 0.65), ("two", 0.9), ("none", 0.91)] {
        let of_style: Vec<_> =
            crate::catalog::requests_with_names().into_iter().filter(|request| request.style == style).collect();
        let is_right = |request: &&refdesk_route::eval::Question| {
            let (decision, ids) = answer(&request.question);
            request.is_answered(decision, &ids)
        };
        let right = of_style.iter().filter(is_right).count() as f32 / of_style.len() as f32;
        assert!(right >= least, "{style}: {right:.3} are right, were {least}");
    }
}
