//! The layers of a BERT encoder, after Devlin et al. 2018 (<https://arxiv.org/abs/1810.04805>), for inference only.
//!
//! Texts of one batch stand behind each other without padding: the products with the weights run over all of them at once, attention
//! runs over each text alone. All matrices are row-major, one row a word piece. (`ndarray::s!` expands to unsafe code, hence `slice_axis`.)

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, Slice};

use super::ModelError;
use super::math::{gelu, layer_norm, softmax};
use super::weights::{Config, Weights};

/// `x · weightᵀ + bias`: weights are stored as (outputs, inputs).
#[derive(Debug)]
struct Linear {
    weight: Array2<f32>,
    bias: Vec<f32>,
}

impl Linear {
    fn load(weights: &Weights<'_>, name: &str, inputs: usize, outputs: usize) -> Result<Self, ModelError> {
        let weight = weights.matrix(&format!("{name}.weight"), outputs, inputs)?;
        Ok(Self { weight, bias: weights.vector(&format!("{name}.bias"), outputs)? })
    }

    /// Several layers with the same input as one: their outputs stand beside each other.
    fn beside(parts: &[Self], inputs: usize) -> Self {
        let bias: Vec<f32> = parts.iter().flat_map(|part| part.bias.iter().copied()).collect();
        let mut weight = Array2::zeros((bias.len(), inputs));
        let mut row = 0;
        for part in parts {
            weight.slice_axis_mut(Axis(0), Slice::from(row..row + part.bias.len())).assign(&part.weight);
            row += part.bias.len();
        }
        Self { weight, bias }
    }

    fn apply(&self, input: &Array2<f32>) -> Array2<f32> {
        let mut output = Array2::from_shape_fn((input.nrows(), self.bias.len()), |(_, column)| self.bias[column]);
        general_mat_mul(1.0, input, &self.weight.t(), 1.0, &mut output);
        output
    }
}

/// Scale and shift behind a layer.
#[derive(Debug)]
struct Norm {
    scale: Vec<f32>,
    shift: Vec<f32>,
    epsilon: f32,
}

impl Norm {
    fn load(weights: &Weights<'_>, name: &str, config: &Config) -> Result<Self, ModelError> {
        // Files converted from older ones say gamma and beta.
        let part = |new: &str, old: &str| {
            let found = weights.vector(&format!("{name}.{new}"), config.hidden_size);
            found.or_else(|error| weights.vector(&format!("{name}.{old}"), config.hidden_size).map_err(|_| error))
        };
        Ok(Self { scale: part("weight", "gamma")?, shift: part("bias", "beta")?, epsilon: config.layer_norm_eps })
    }

    fn apply(&self, rows: &mut Array2<f32>) {
        if let Some(values) = rows.as_slice_mut() {
            for row in values.chunks_exact_mut(self.scale.len()) {
                layer_norm(row, &self.scale, &self.shift, self.epsilon);
            }
        }
    }
}

#[derive(Debug)]
struct Layer {
    /// Queries, keys and values beside each other.
    attention: Linear,
    attention_output: Linear,
    attention_norm: Norm,
    intermediate: Linear,
    output: Linear,
    output_norm: Norm,
}

impl Layer {
    fn load(weights: &Weights<'_>, at: usize, config: &Config) -> Result<Self, ModelError> {
        let size = config.hidden_size;
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        let square = |part: &str| Linear::load(weights, &name(part), size, size);
        let attention =
            [square("attention.self.query")?, square("attention.self.key")?, square("attention.self.value")?];
        Ok(Self {
            attention: Linear::beside(&attention, size),
            attention_output: square("attention.output.dense")?,
            attention_norm: Norm::load(weights, &name("attention.output.LayerNorm"), config)?,
            intermediate: Linear::load(weights, &name("intermediate.dense"), size, config.intermediate_size)?,
            output: Linear::load(weights, &name("output.dense"), config.intermediate_size, size)?,
            output_norm: Norm::load(weights, &name("output.LayerNorm"), config)?,
        })
    }

    fn apply(&self, states: &mut Array2<f32>, lengths: &[usize], heads: usize) {
        let beside = self.attention.apply(states);
        let mut mixed = Array2::zeros(states.raw_dim());
        let mut from = 0;
        for length in lengths {
            let rows = Slice::from(from..from + length);
            attend(beside.slice_axis(Axis(0), rows), mixed.slice_axis_mut(Axis(0), rows), heads);
            from += length;
        }
        *states += &self.attention_output.apply(&mixed);
        self.attention_norm.apply(states);
        let mut wide = self.intermediate.apply(states);
        if let Some(values) = wide.as_slice_mut() {
            gelu(values);
        }
        *states += &self.output.apply(&wide);
        self.output_norm.apply(states);
    }
}

/// Scaled dot-product attention of one text: each head mixes its part of the values.
fn attend(beside: ArrayView2<'_, f32>, mut mixed: ArrayViewMut2<'_, f32>, heads: usize) {
    let (length, size) = mixed.dim();
    let width = size / heads;
    let scale = 1.0 / (width as f32).sqrt();
    let mut scores = Array2::zeros((length, length));
    for head in 0..heads {
        let columns = |from: usize| Slice::from(from + head * width..from + (head + 1) * width);
        let part = |kind: usize| beside.slice_axis(Axis(1), columns(kind * size));
        general_mat_mul(scale, &part(0), &part(1).t(), 0.0, &mut scores);
        if let Some(values) = scores.as_slice_mut() {
            values.chunks_exact_mut(length).for_each(softmax);
        }
        let mut out = mixed.slice_axis_mut(Axis(1), columns(0));
        general_mat_mul(1.0, &scores, &part(2), 0.0, &mut out);
    }
}

#[derive(Debug)]
pub(super) struct Bert {
    words: Array2<f32>,
    /// Position and the first token type, summed: texts are never given in pairs.
    positions: Array2<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
    size: usize,
}

impl Bert {
    pub(super) fn load(config: &Config, bytes: &[u8]) -> Result<Self, ModelError> {
        let weights = Weights::parse(bytes)?;
        let size = config.hidden_size;
        let mut positions =
            weights.matrix("embeddings.position_embeddings.weight", config.max_position_embeddings, size)?;
        let types = "embeddings.token_type_embeddings.weight";
        positions += &weights.matrix(types, weights.rows(types, size)?, size)?.row(0);
        Ok(Self {
            words: weights.matrix("embeddings.word_embeddings.weight", config.vocab_size, size)?,
            positions,
            norm: Norm::load(&weights, "embeddings.LayerNorm", config)?,
            layers: (0..config.num_hidden_layers)
                .map(|at| Layer::load(&weights, at, config))
                .collect::<Result<_, _>>()?,
            heads: config.num_attention_heads,
            size,
        })
    }

    pub(super) const fn dimensions(&self) -> usize {
        self.size
    }

    /// The states of all word pieces behind the last layer, one text behind the other. Ids and lengths must fit the sizes.
    pub(super) fn run(&self, texts: &[Vec<u32>]) -> Vec<f32> {
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        let mut states = Array2::zeros((lengths.iter().sum(), self.size));
        let pieces = texts.iter().flat_map(|pieces| pieces.iter().enumerate());
        for (mut row, (position, piece)) in states.rows_mut().into_iter().zip(pieces) {
            row += &self.words.row(*piece as usize);
            row += &self.positions.row(position);
        }
        self.norm.apply(&mut states);
        for layer in &self.layers {
            layer.apply(&mut states, &lengths, self.heads);
        }
        states.into_raw_vec_and_offset().0
    }
}
