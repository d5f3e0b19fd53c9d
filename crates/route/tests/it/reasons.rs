//! What an answer says of its cards: the reasons, what speaks against an alternative, and how sure it is within a domain.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use refdesk_core::item::{Domain, Framework};
use refdesk_route::{Decision, Filter, Ranked, Router, Routing};

static ROUTER: LazyLock<Router> = LazyLock::new(|| Router::build(crate::catalog::cards()));

fn routed(question: &str, domain: Option<Domain>) -> Routing {
    ROUTER.route(question, Filter { domain, include_candidates: false })
}

fn id(ranked: &Ranked) -> &'static str {
    ROUTER.cards()[ranked.card].id.as_str()
}

/// Margin and probability were those among the cards of the domain, so that the best of them was always far ahead and sure.
#[test]
fn a_domain_without_a_card_for_the_question_has_no_match() {
    let angry = "my colleague interrupts me in every meeting and I get angry";
    let discovery = "how do we find out what customers really want from the product";
    for (question, domain) in [
        (angry, Domain::Finance),
        (angry, Domain::Security),
        (discovery, Domain::Security),
        (discovery, Domain::Finance),
        ("a premortem for the launch", Domain::Finance),
        ("SWOT analysis for my bakery", Domain::Learning),
    ] {
        let routing = routed(question, Some(domain));
        assert_eq!(routing.decision, Decision::NoMatch, "{question} in {domain:?}");
        assert!(routing.ranked.iter().all(|ranked| ranked.confidence < 0.4), "{question} in {domain:?}");
    }
}

#[test]
fn a_card_is_as_sure_in_its_domain_as_among_all() {
    let question = "my colleague interrupts me in every meeting and I get angry";
    let all = routed(question, None);
    let domain = ROUTER.cards()[all.ranked[0].card].framework.domain;
    let within = routed(question, Some(domain));
    assert_eq!((id(&within.ranked[0]), within.decision), (id(&all.ranked[0]), all.decision));
    assert!((within.ranked[0].confidence - all.ranked[0].confidence).abs() < 1e-6);
}

/// The words of what a card says for itself.
fn own_words(framework: &Framework) -> BTreeSet<String> {
    let lists = [&framework.example_questions, &framework.when_to_use, &framework.steps];
    let texts = lists.into_iter().flatten().map(String::as_str).chain([framework.summary.as_str()]);
    texts.flat_map(refdesk_core::text::words).map(str::to_lowercase).collect()
}

/// Only the best line of each field was looked at: the alternative had the word in another line.
#[test]
fn what_the_first_card_also_answers_to_is_not_in_the_alternative() {
    for question in crate::catalog::questions() {
        for alternative in &routed(&question.question, None).ranked {
            let Some((_, told)) = alternative.why_not.as_deref().and_then(|line| line.split_once(" also answers to "))
            else {
                continue;
            };
            let words = own_words(&ROUTER.cards()[alternative.card].framework);
            for word in told.split('"').skip(1).step_by(2).map(str::to_lowercase) {
                assert!(!words.contains(&word), "{}: {} has {word}", question.id, id(alternative));
            }
        }
    }
}

#[test]
fn a_reason_says_a_word_once_and_is_no_anti_example_and_no_way_of_asking() {
    let questions = crate::catalog::questions().into_iter().map(|question| question.question);
    let own = ["which framework, which cost, which price and which supplier", "I'd quite like a better team from you"];
    for question in questions.chain(own.map(str::to_owned)) {
        for reason in routed(&question, None).ranked.iter().flat_map(|ranked| &ranked.reasons) {
            assert_ne!(reason.field, "anti_examples", "{question}");
            let distinct: BTreeSet<String> = reason.terms.iter().map(|term| term.to_lowercase()).collect();
            assert_eq!(distinct.len(), reason.terms.len(), "{question}: {:?}", reason.terms);
            let asking = ["which", "from", "quite", "like", "find", "want", "use", "need", "we'd", "I'd"];
            assert!(
                reason.field == "name" || asking.iter().all(|word| !distinct.contains(*word)),
                "{question}: {distinct:?}"
            );
        }
    }
}

/// Who asked for a framework got the card in one of whose examples a web framework was chosen, with a confidence of .94.
#[test]
fn a_word_for_any_card_speaks_for_none() {
    for (question, card) in [
        ("we need a framework to decide who decides what in the team", "daci"),
        ("which framework helps me give feedback to a colleague who interrupts everyone", "sbi"),
        ("what approach should we use to split a monolith", "strangler-fig"),
    ] {
        let routing = routed(question, None);
        assert_eq!(id(&routing.ranked[0]), card, "{question}");
        for term in routing.ranked.iter().flat_map(|ranked| &ranked.reasons).flat_map(|reason| &reason.terms) {
            assert!(term != "framework" && term != "approach", "{question}: {:?}", routing.ranked);
        }
    }
}

/// The first situation of a card was quoted, whatever was asked.
#[test]
fn a_clarifying_question_quotes_the_situation_that_is_asked_about_or_else_the_first() {
    let about = "The boss is enthusiastic and people hold back their doubts";
    let first = "A plan is nearly final, everyone nods, and you have a bad feeling that nobody says aloud";
    for (question, situation) in
        [(format!("premortem or red team? {about}"), about), ("premortem or red team".to_owned(), first)]
    {
        let asked = routed(&question, None).clarifying_question.unwrap_or_default();
        assert!(asked.contains(&format!("\"{situation}\" (Pre-mortem)")), "{question}: {asked}");
    }
}

/// Few words say little of a problem, and made the answer to a name as unsure as one to a riddle.
#[test]
fn who_says_a_name_and_nothing_else_gets_a_sure_answer() {
    for (question, card) in
        [("premortem", "premortem"), ("pre-mortem", "premortem"), ("SWOT analysis", "swot"), ("5 whys", "five-whys")]
    {
        let routing = routed(question, None);
        let first = &routing.ranked[0];
        assert_eq!((routing.decision, id(first)), (Decision::Match, card), "{question}");
        assert!(first.confidence > 0.9, "{question}: {}", first.confidence);
    }
}

#[test]
fn a_reason_leaves_out_the_quotation_mark_of_a_longer_quotation() {
    let question = "tomorrow job interview, they will ask 'tell me about a time you failed', how do i structure it";
    let routing = routed(question, None);
    let terms: Vec<&String> = routing.ranked[0].reasons.iter().flat_map(|reason| &reason.terms).collect();
    assert!(terms.iter().any(|term| *term == "tell me about a time"), "{terms:?}");
}
