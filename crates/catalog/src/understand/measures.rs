//! What models are measured by, as questions name it (`context window`, `input price`, `knowledge cutoff`), and what is asked of things of
//! any kind.

use super::words::{PhraseRows, Word, Words};
use refdesk_search::text::WordSet;

/// Something that models are measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Context,
    Output,
    InputPrice,
    OutputPrice,
    /// Without a word for which: of input and of output.
    Price,
    KnowledgeCutoff,
    Release,
    Retirement,
}

/// What each is called.
static NAMES: PhraseRows<Measure> = PhraseRows::new(&[
    (
        "context window size,context window,context windows,context length,context limit,context size,context",
        Measure::Context,
    ),
    ("max output tokens,max output,maximum output,output tokens,output length,output limit,output", Measure::Output),
    (
        "input price,input prices,input cost,input costs,price of input,cost of input,price per input token,price input",
        Measure::InputPrice,
    ),
    (
        "output price,output prices,output cost,output costs,price of output,cost of output,price per output token,price output",
        Measure::OutputPrice,
    ),
    ("price,prices,pricing,cost,costs", Measure::Price),
    (
        "knowledge cutoff,knowledge cut-off,training cutoff,training data cutoff,cutoff date,cutoff",
        Measure::KnowledgeCutoff,
    ),
    ("release date", Measure::Release),
    ("retirement date,shutdown date", Measure::Retirement),
]);

impl Measure {
    /// The measure whose name begins at a position, and how many words it has.
    pub fn at(words: &[Word<'_>], at: usize) -> Option<(usize, Self)> {
        NAMES.at(words, at).map(|(taken, measure)| (taken, *measure))
    }

    /// Whose price a word says where prices are spoken of: `cheaper output`.
    pub fn priced(words: &[Word<'_>], at: usize) -> Option<Self> {
        let of = |name: &str| words.is(at, &[name]);
        of("input").then_some(Self::InputPrice).or_else(|| of("output").then_some(Self::OutputPrice))
    }

    /// Its fields.
    pub const fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Context => &["context_tokens"],
            Self::Output => &["output_tokens"],
            Self::InputPrice => &["price_input"],
            Self::OutputPrice => &["price_output"],
            Self::Price => &["price_input", "price_output"],
            Self::KnowledgeCutoff => &["knowledge_cutoff"],
            Self::Release => &["released_on"],
            Self::Retirement => &["retires_on"],
        }
    }

    /// Whether it is a price.
    pub const fn is_price(self) -> bool {
        matches!(self, Self::InputPrice | Self::OutputPrice | Self::Price)
    }

    /// Whether it is a number, of which there is a half and a double.
    pub const fn is_number(self) -> bool {
        self.is_price() || matches!(self, Self::Context | Self::Output)
    }

    /// The order that is meant by its name alone, as the parameter `sort` has it.
    pub const fn order(self) -> &'static str {
        match self {
            Self::Context => "-context_tokens",
            Self::Output => "-output_tokens",
            Self::InputPrice => "price_input",
            Self::OutputPrice => "price_output",
            Self::Price => "price_blended",
            Self::KnowledgeCutoff => "-knowledge_cutoff",
            Self::Release => "-released_on",
            Self::Retirement => "retires_on",
        }
    }
}

/// What is asked of a thing.
static ATTRIBUTES: WordSet = WordSet::new(
    "license licence price prices pricing cost costs context window length size output input tokens token limit limits max \
     maximum released release date deprecated deprecation retired retirement status available install installation setup \
     support supports supported prompt caching cache env environment variables variable parameters knowledge cutoff cut-off \
     languages platforms transport auth authentication login api key keys version requirements vendor maker rate cached much many \
     million batch discount discounts shutdown sunset eol end-of-life end life",
);
/// Words of amounts that are asked about.
const AMOUNTS: [&str; 5] = ["million", "thousand", "billion", "k", "m"];

/// Whether a folded word is for what is asked of a thing.
pub fn is_attribute(word: &str) -> bool {
    ATTRIBUTES.contains(word)
}

/// Whether a folded word is for an amount that is asked about.
pub fn is_amount(word: &str) -> bool {
    AMOUNTS.contains(&word)
}
