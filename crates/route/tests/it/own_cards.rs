//! An operator's own cards, of a subject that the other cards do not know and with two example questions each, beside all of the catalog.

use refdesk_route::{Card, Decision, Filter, Router};
use serde_json::json;

const ALL: Filter = Filter { domain: None, include_candidates: false };

fn own(id: &str, summary: &str, when_to_use: [&str; 3], example_questions: [&str; 2]) -> Card {
    let framework = json!({
        "domain": "operations", "secondary_domains": [], "summary": summary, "when_to_use": when_to_use,
        "example_questions": example_questions,
    });
    Card {
        id: id.to_owned(),
        name: id.replace('-', " "),
        aliases: Vec::new(),
        framework: serde_json::from_value(framework).unwrap(),
        published: true,
    }
}

/// Four cards of a veterinary clinic.
fn clinic() -> Router {
    let mut cards = crate::catalog::cards();
    cards.extend([
        own(
            "dental-cleaning-plan",
            "Plans a dental cleaning under anaesthesia for a cat or dog: checks before, charting of teeth, extractions and care at home.",
            [
                "A dog has bad breath and tartar on its teeth",
                "An owner is afraid of anaesthesia for an old cat with sore gums",
                "The clinic does dental work in a different way each time",
            ],
            [
                "My old dog's breath stinks and the teeth are brown, what do we do?",
                "How do we plan a tooth cleaning for a cat with a weak heart?",
            ],
        ),
        own(
            "stable-quarantine",
            "Keeps new or sick horses apart for a set time with own tools, boots and order of feeding, so that strangles or flu does not run \
             through the yard.",
            [
                "A new horse arrives from a sale",
                "A horse in the yard coughs and has a fever",
                "Several yards in the area have strangles",
            ],
            [
                "A new mare comes from the auction on Saturday and half of the yard is pregnant, what precautions?",
                "One horse coughs with a fever, how do we stop it from spreading through the stable?",
            ],
        ),
        own(
            "feed-change",
            "Changes the feed of an animal over ten days in fixed shares, with weight and droppings noted each day, and a step back when the \
             stomach rebels.",
            [
                "A puppy gets diarrhoea whenever the food changes",
                "A cat refuses the new diet food for its kidneys",
                "A horse comes from hay to pasture in spring",
            ],
            [
                "My cat won't touch the kidney diet, how do I get her to switch?",
                "Every time we change kibble the puppy gets the runs.",
            ],
        ),
        own(
            "lameness-exam",
            "Finds the leg and the joint at fault in a limping horse or dog step by step: history, walk and trot, flexion, blocks, then \
             pictures.",
            [
                "A horse limps and nobody knows on which leg",
                "A dog is stiff in the morning",
                "X-rays were taken without a finding",
            ],
            [
                "My gelding is slightly off on the left rein but only on hard ground.",
                "The dog limps since Sunday, the x-ray shows nothing.",
            ],
        ),
    ]);
    Router::build(cards)
}

/// The words of the subject were those of everyday requests, and two examples did not outweigh them: these had no match.
#[test]
fn the_situations_of_a_card_with_few_examples_say_what_it_is_for() {
    let router = clinic();
    for (question, id) in [
        ("cat with rotten teeth, owner scared of anaesthesia", "dental-cleaning-plan"),
        ("strangles in the neighbouring yard", "stable-quarantine"),
        ("my cat refuses the kidney food", "feed-change"),
    ] {
        let routing = router.route(question, ALL);
        let first = &router.cards()[routing.ranked[0].card].id;
        assert_eq!((routing.decision, first.as_str()), (Decision::Match, id), "{question}");
    }
    for question in
        ["what breed is this cat", "name for a black horse", "where can I buy dog food", "how do I cook rabbit"]
    {
        assert_eq!(router.route(question, ALL).decision, Decision::NoMatch, "{question}");
    }
}
