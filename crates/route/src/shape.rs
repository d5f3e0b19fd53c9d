//! The numbers that shape the vectors of lines and questions. The weights of the signals are in [`super::signals`].

/// Numbers that shape the vectors. Chosen on example questions left out one by one and
/// on the development half, by `cargo run --release -p refdesk-lab --bin score_router -- shape`.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Weight of a concept beside a stem.
    pub concept: f32,
    /// Weight of a pair of neighbouring words.
    pub pair: f32,
    /// Weight of a word that tells a setting.
    pub setting: f32,
    /// Weight of a word that stands in one line of one card only, beside one that is characteristic.
    pub lone: f32,
    /// Exponent of the inverse document frequency.
    pub idf_exponent: f32,
    /// Exponent of the length of a line by which its similarity is divided: 1 is the cosine.
    pub length_exponent: f32,
    /// Saturation of a term's frequency in a whole card.
    pub saturation: f32,
    /// Share of the length normalisation of whole cards.
    pub length_share: f32,
    /// Weight of a word corrected by its letters.
    pub corrected: f32,
    /// Weight of a stem whose meaning a concept already tells.
    pub known_stem: f32,
    /// What keeps the cards from being taken apart too far.
    pub ridge: f32,
    /// Passes over the lines when weights are learnt from them.
    pub passes: usize,
    /// The first step of that; it shrinks from pass to pass.
    pub step: f32,
}

impl Shape {
    /// The chosen numbers.
    pub const CHOSEN: Self = Self {
        concept: 1.0,
        pair: 0.4,
        setting: 0.6,
        lone: 0.8,
        idf_exponent: 0.55,
        length_exponent: 0.9,
        saturation: 1.5,
        length_share: 0.5,
        corrected: 0.7,
        known_stem: 0.8,
        ridge: 0.5,
        passes: 3,
        step: 4.0,
    };
}

impl Default for Shape {
    fn default() -> Self {
        Self::CHOSEN
    }
}
