//! What models are measured by, as questions name it: `context window`, `input price`, `knowledge cutoff`.

use super::words::{PhraseRows, Word, Words};

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
