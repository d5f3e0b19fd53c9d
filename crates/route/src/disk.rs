//! A trained router on disk: reading one takes a small part of the time and memory of training. The cards are not in it: whoever reads it has
//! them.

use std::io::{Read, Write};
use std::sync::Arc;

use refdesk_core::codec::{ImageError, ImageReader, ImageWriter};
use refdesk_core::hash::content_hash;
use serde::{Deserialize, Serialize};

use crate::hyperparameters::Hyperparameters;
use crate::{Card, Router, data, hash_of};

/// Number of the form in which routers are written. It counts up with every change of what is written and of how texts are analysed; a test
/// holds a small router against it.
const ROUTER_FORMAT: u32 = 7;

/// What stands before all else.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    /// Stands for the format, the hyperparameters and the word lists.
    trained_with: String,
    /// [`Router::cards_hash`].
    cards: String,
    /// Stands for the order of the cards, in which it counts them.
    order: String,
}

impl Header {
    fn new(cards: &[Card], cards_hash: &str) -> Self {
        let ids: Vec<&str> = cards.iter().map(|card| card.id.as_str()).collect();
        let trained_with = format!("{ROUTER_FORMAT} {:?} {:?}", Hyperparameters::TUNED, data::ALL);
        Self {
            trained_with: content_hash(trained_with.as_bytes()),
            cards: cards_hash.to_owned(),
            order: content_hash(ids.join("\n").as_bytes()),
        }
    }
}

impl Router {
    /// Writes the router, without its cards.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> Result<(), ImageError> {
        let mut image = ImageWriter::new(out);
        image.put(&Header::new(&self.cards, &self.cards_hash))?;
        image.put(&self.index)?;
        image.put(&self.classifier)?;
        image.put(&self.names)?;
        image.put(&self.in_domain)?;
        image.finish()
    }

    /// Reads the router over these cards; `None` when the one there is of other cards or of another version.
    ///
    /// # Errors
    /// When it cannot be read, is damaged or cut off.
    pub fn read(input: &mut dyn Read, cards: Arc<[Card]>) -> Result<Option<Self>, ImageError> {
        let mut image = ImageReader::new(input);
        let cards_hash = hash_of(&cards);
        if image.take::<Header>()? != Header::new(&cards, &cards_hash) {
            return Ok(None);
        }
        let (index, classifier, names, in_domain) = (image.take()?, image.take()?, image.take()?, image.take()?);
        image.finish()?;
        let router = Self { cards, cards_hash, index, classifier, names, in_domain };
        if router.is_sound() {
            Ok(Some(router))
        } else {
            Err(ImageError::Content("parts that do not fit together".into()))
        }
    }

    /// Whether no part points to what is not there.
    fn is_sound(&self) -> bool {
        let (cards, terms) = (self.cards.len(), self.index.vocabulary.len());
        self.index.is_sound(cards)
            && self.classifier.is_sound(terms, cards)
            && self.names.is_sound(cards)
            && self.in_domain.is_sound()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever changes how texts are analysed counts [`ROUTER_FORMAT`] up and puts the new hash here: a router that was kept would answer
    /// questions by terms that are not asked for any more. The weights are not held, which are not the same on every machine.
    #[test]
    fn the_format_stands_for_the_analysis_of_texts() -> serde_json::Result<()> {
        let texts = [
            "Agree on who decides, who's asked and who is told",
            "Das Projekt könnte scheitern",
            "Café 24/7, 의사결정",
        ];
        let framework = serde_json::json!({
            "domain": "decision", "secondary_domains": [], "summary": texts[0], "when_to_use": [texts[1]], "example_questions": [texts[2]],
        });
        let card = Card {
            id: "daci".to_owned(),
            name: "DACI / RAPID (roles)".to_owned(),
            aliases: vec!["Driver, Approver".to_owned()],
            framework: serde_json::from_value(framework)?,
            published: true,
        };
        let router = Router::build(vec![card]);
        let terms = serde_json::to_string(&router.index.vocabulary)?;
        let names = serde_json::to_string(&router.names)?;
        assert_eq!((ROUTER_FORMAT, &content_hash((terms + &names).as_bytes())[..23]), (7, "sha256:d072d1f11d7de5af"));
        Ok(())
    }
}
