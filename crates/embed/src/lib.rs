//! Meaning as vectors: a sentence-embedding model of the BERT family, run on the CPU in pure Rust.
//!
//! Bytes in, vectors out: the operator's files are read elsewhere ([`ModelFiles`] takes their contents). A text becomes word pieces
//! ([`tokenizer`]), those go through the layers ([`bert`]) into one vector of length 1 ([`Encoder::encode`]), which is kept in
//! 8 bits a dimension ([`vector`]); [`matrix`] compares them all with a question. Which texts stand for an item is the catalog's business, fusing with the
//! text channel that of the search.

mod bert;
mod math;
mod matrix;
#[cfg(test)]
mod tests;
mod tokenizer;
mod vector;
mod weights;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

pub use matrix::{Likeness, Matrix, Role};
pub use vector::Code;

use tokenizer::Tokenizer;

/// Longest text in word pieces with its two marks; the rest of a longer one is not looked at. A model may allow fewer.
pub const TOKENS_MAX: usize = 256;
/// Word pieces that go through the layers together: as many as keep the processor busy without much memory.
const BATCH_TOKENS: usize = 1_024;
/// Changes when the same files give other vectors than before, so that kept ones are not mixed with new ones.
const ENCODING_VERSION: &[u8] = b"refdesk-encoder/1";

/// A model's file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct ModelError {
    /// Name of the file in the model's directory.
    pub file: &'static str,
    /// What is wrong with it, and what would be right.
    pub problem: String,
}

impl ModelError {
    pub(crate) fn new(file: &'static str, problem: impl Into<String>) -> Self {
        Self { file, problem: problem.into() }
    }
}

/// Names of a model's files, as they are published beside each other.
pub mod file {
    /// Sizes of the model.
    pub const CONFIG: &str = "config.json";
    /// The weights.
    pub const WEIGHTS: &str = "model.safetensors";
    /// The vocabulary with its rules.
    pub const TOKENIZER: &str = "tokenizer.json";
    /// The vocabulary alone, one word piece a line; read when there is no `tokenizer.json`.
    pub const VOCABULARY: &str = "vocab.txt";
    /// How word pieces become one vector.
    pub const POOLING: &str = "1_Pooling/config.json";
    /// Longest text that the model was made for.
    pub const SENTENCE: &str = "sentence_bert_config.json";
}

/// The contents of a model's files.
#[derive(Debug, Clone, Copy, Default)]
pub struct ModelFiles<'a> {
    /// [`file::CONFIG`].
    pub config: &'a [u8],
    /// [`file::WEIGHTS`].
    pub weights: &'a [u8],
    /// [`file::TOKENIZER`], if there is one.
    pub tokenizer: Option<&'a [u8]>,
    /// [`file::VOCABULARY`], if there is no `tokenizer.json`.
    pub vocabulary: Option<&'a [u8]>,
    /// [`file::POOLING`]; the mean of all word pieces without it.
    pub pooling: Option<&'a [u8]>,
    /// [`file::SENTENCE`], if there is one.
    pub sentence: Option<&'a [u8]>,
}

/// How the vectors of the word pieces become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pooling {
    /// Their mean.
    Mean,
    /// That of the first mark.
    First,
}

/// A model, ready to encode. Immutable, to be shared behind an `Arc`.
#[derive(Debug)]
pub struct Encoder {
    tokenizer: Tokenizer,
    layers: bert::Bert,
    pooling: Pooling,
    /// Word pieces of a text, marks included, that are looked at.
    tokens_max: usize,
    key: String,
}

impl Encoder {
    /// Reads a model.
    ///
    /// # Errors
    /// On the first file that is damaged, of another kind of model, or does not fit the others.
    pub fn load(files: &ModelFiles<'_>) -> Result<Self, ModelError> {
        let config = weights::Config::parse(files.config)?;
        let tokenizer = match (files.tokenizer, files.vocabulary) {
            (Some(json), _) => Tokenizer::from_json(json)?,
            (None, Some(text)) => Tokenizer::from_vocabulary(text)?,
            (None, None) => return Err(ModelError::new(file::TOKENIZER, "is missing, and so is vocab.txt")),
        };
        if tokenizer.highest_id() as usize >= config.vocab_size {
            let problem = format!("has ids beyond the {} words of config.json", config.vocab_size);
            let read = if files.tokenizer.is_some() { file::TOKENIZER } else { file::VOCABULARY };
            return Err(ModelError::new(read, problem));
        }
        let pooling = files.pooling.map_or(Ok(Pooling::Mean), read_pooling)?;
        let named = files.sentence.and_then(|json| serde_json::from_slice::<Sentence>(json).ok());
        let longest = named.and_then(|sentence| sentence.max_seq_length).unwrap_or(TOKENS_MAX);
        let tokens_max = longest.min(TOKENS_MAX).min(config.max_position_embeddings).max(tokenizer::MARKS + 1);
        let layers = bert::Bert::load(&config, files.weights)?;
        Ok(Self { tokenizer, layers, pooling, tokens_max, key: key_of(files) })
    }

    /// Stands for exactly these files and this way of encoding: `sha256:<hex>`.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Length of a vector.
    pub const fn dimensions(&self) -> usize {
        self.layers.dimensions()
    }

    /// One vector of length 1 for each text, in their order. A text's vector does not depend on its neighbours beyond rounding.
    pub fn encode(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let pieces: Vec<Vec<u32>> = texts.iter().map(|text| self.tokenizer.encode(text, self.tokens_max)).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut from = 0;
        while from < pieces.len() {
            let (mut to, mut tokens) = (from + 1, pieces[from].len());
            while to < pieces.len() && tokens + pieces[to].len() <= BATCH_TOKENS {
                tokens += pieces[to].len();
                to += 1;
            }
            let batch = &pieces[from..to];
            let states = self.layers.run(batch);
            let mut at = 0;
            for pieces in batch {
                vectors.push(self.pool(&states[at..at + pieces.len() * self.dimensions()]));
                at += pieces.len() * self.dimensions();
            }
            from = to;
        }
        vectors
    }

    /// The vector of one text, in its kept form.
    pub fn code(&self, text: &str) -> Code {
        self.encode(&[text]).first().map_or_else(|| Code::quantize(&[]), |vector| Code::quantize(vector))
    }

    fn pool(&self, states: &[f32]) -> Vec<f32> {
        let size = self.dimensions();
        let mut vector = match self.pooling {
            Pooling::First => states[..size].to_vec(),
            Pooling::Mean => {
                let mut sum = vec![0.0_f32; size];
                for state in states.chunks_exact(size) {
                    sum.iter_mut().zip(state).for_each(|(sum, value)| *sum += value);
                }
                sum
            }
        };
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        vector.iter_mut().for_each(|value| *value /= length);
        vector
    }
}

/// What is read of [`file::SENTENCE`].
#[derive(Deserialize)]
struct Sentence {
    max_seq_length: Option<usize>,
}

fn read_pooling(json: &[u8]) -> Result<Pooling, ModelError> {
    #[derive(Deserialize)]
    struct Modes {
        #[serde(default)]
        pooling_mode_mean_tokens: bool,
        #[serde(default)]
        pooling_mode_cls_token: bool,
    }
    let modes: Modes =
        serde_json::from_slice(json).map_err(|error| ModelError::new(file::POOLING, error.to_string()))?;
    match (modes.pooling_mode_mean_tokens, modes.pooling_mode_cls_token) {
        (true, false) => Ok(Pooling::Mean),
        (false, true) => Ok(Pooling::First),
        _ => Err(ModelError::new(file::POOLING, "asks for a pooling other than the mean or the first token alone")),
    }
}

fn key_of(files: &ModelFiles<'_>) -> String {
    let mut hasher = Sha256::new();
    hasher.update(ENCODING_VERSION);
    let parts =
        [Some(files.config), Some(files.weights), files.tokenizer, files.vocabulary, files.pooling, files.sentence];
    for part in parts.into_iter().map(Option::unwrap_or_default) {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    refdesk_core::hash::sha256_text(&hasher.finalize())
}
