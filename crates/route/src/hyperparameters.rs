//! Hyperparameters of the vectors and of training. The weights of the ranking features are in [`crate::model::features`].

/// Sums and lengths are at least this where something is divided by them: an empty text or card gives zero, not infinity.
pub(crate) const DENOMINATOR_MIN: f32 = 1e-6;

/// Hyperparameters, tuned by cross-validation on example questions and on the development half:
/// `cargo run --release -p refdesk-lab --bin score_router -- hyperparameters`.
#[derive(Debug, Clone, Copy)]
pub struct Hyperparameters {
    /// Weight of a concept beside a stem.
    pub concept: f32,
    /// Weight of a pair of neighbouring words.
    pub pair: f32,
    /// Weight of a word that describes a setting.
    pub setting: f32,
    /// Weight of a word that occurs in only one line: it may be there by chance.
    pub lone: f32,
    /// Exponent of the inverse document frequency.
    pub idf_exponent: f32,
    /// Exponent of a line's length by which its similarity is divided: 1 is the cosine.
    pub length_exponent: f32,
    /// Term frequency saturation in a whole card (`k1` of BM25).
    pub saturation: f32,
    /// Length normalisation of whole cards (`b` of BM25).
    pub length_share: f32,
    /// Weight of a word after spelling correction.
    pub corrected: f32,
    /// Weight of a stem that a concept already covers.
    pub known_stem: f32,
    /// Regularisation of the ridge similarity.
    pub ridge: f32,
    /// Epochs of training of the card classifier.
    pub epochs: usize,
    /// Its initial learning rate, which decays from epoch to epoch.
    pub step: f32,
}

impl Hyperparameters {
    /// The tuned values.
    pub const TUNED: Self = Self {
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
        epochs: 3,
        step: 4.0,
    };
}

impl Default for Hyperparameters {
    fn default() -> Self {
        Self::TUNED
    }
}
