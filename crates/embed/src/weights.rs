//! A model's sizes (`config.json`) and its weights (`model.safetensors`), checked against each other while they are read.

use ndarray::Array2;
use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;

use super::{ModelError, file};

/// What is read of `config.json`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Config {
    #[serde(default)]
    model_type: Option<String>,
    pub hidden_size: usize,
    pub num_hidden_layers: usize,
    pub num_attention_heads: usize,
    pub intermediate_size: usize,
    pub vocab_size: usize,
    pub max_position_embeddings: usize,
    #[serde(default = "default_epsilon")]
    pub layer_norm_eps: f32,
    #[serde(default)]
    hidden_act: Option<String>,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

const fn default_epsilon() -> f32 {
    1e-12
}

impl Config {
    /// Reads the sizes.
    pub(super) fn parse(json: &[u8]) -> Result<Self, ModelError> {
        let wrong = |problem: String| ModelError::new(file::CONFIG, problem);
        let config: Self = serde_json::from_slice(json).map_err(|error| wrong(error.to_string()))?;
        for (name, found, wanted) in [
            ("model_type", &config.model_type, "bert"),
            ("hidden_act", &config.hidden_act, "gelu"),
            ("position_embedding_type", &config.position_embedding_type, "absolute"),
        ] {
            if let Some(found) = found.as_deref().filter(|found| *found != wanted) {
                return Err(wrong(format!("{name} is {found:?}; only {wanted:?} can be run")));
            }
        }
        let (size, heads) = (config.hidden_size, config.num_attention_heads);
        if size == 0 || heads == 0 || !size.is_multiple_of(heads) {
            return Err(wrong(format!("hidden_size {size} cannot be shared among {heads} attention heads")));
        }
        Ok(config)
    }
}

/// The tensors by name.
pub(super) struct Weights<'a> {
    tensors: SafeTensors<'a>,
    /// `bert.` in files that hold more than the encoder.
    prefix: &'static str,
}

impl<'a> Weights<'a> {
    /// Reads the table of contents.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, ModelError> {
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| wrong(error.to_string()))?;
        let prefixed = tensors.names().iter().any(|name| name.starts_with("bert.embeddings."));
        Ok(Self { tensors, prefix: if prefixed { "bert." } else { "" } })
    }

    /// A matrix of exactly this shape.
    pub(super) fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Array2<f32>, ModelError> {
        let values = self.values(name, &[rows, columns])?;
        Array2::from_shape_vec((rows, columns), values).map_err(|error| wrong(format!("{name}: {error}")))
    }

    /// A vector of exactly this length.
    pub(super) fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>, ModelError> {
        self.values(name, &[length])
    }

    /// Rows of a matrix with a fixed number of columns.
    pub(super) fn rows(&self, name: &str, columns: usize) -> Result<usize, ModelError> {
        let tensor = self.tensor(name)?;
        match tensor.shape() {
            [rows, found] if *found == columns && *rows > 0 => Ok(*rows),
            shape => Err(wrong(format!("{name} has the shape {shape:?}, not {columns} columns"))),
        }
    }

    fn tensor(&self, name: &str) -> Result<safetensors::tensor::TensorView<'_>, ModelError> {
        let whole = format!("{}{name}", self.prefix);
        self.tensors.tensor(&whole).map_err(|_| wrong(format!("has no tensor {whole}; it is not a BERT encoder")))
    }

    fn values(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let tensor = self.tensor(name)?;
        if tensor.shape() != shape {
            return Err(wrong(format!("{name} has the shape {:?}, config.json says {shape:?}", tensor.shape())));
        }
        let bytes = tensor.data();
        let values: Vec<f32> = match tensor.dtype() {
            Dtype::F32 => bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect(),
            Dtype::F16 => bytes.as_chunks().0.iter().map(|two| half(u16::from_le_bytes(*two))).collect(),
            Dtype::BF16 => {
                let wide = |two: &[u8; 2]| f32::from_bits(u32::from(u16::from_le_bytes(*two)) << 16);
                bytes.as_chunks().0.iter().map(wide).collect()
            }
            other => return Err(wrong(format!("{name} is of type {other:?}; F32, F16 and BF16 can be read"))),
        };
        if values.iter().all(|value| value.is_finite()) {
            Ok(values)
        } else {
            Err(wrong(format!("{name} holds a value that is not a number")))
        }
    }
}

fn wrong(problem: impl Into<String>) -> ModelError {
    ModelError::new(file::WEIGHTS, problem)
}

/// A 16-bit float (IEEE 754 binary16) as a 32-bit one.
fn half(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (u32::from(bits >> 15), u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction as f32 / 16_777_216.0,
        31 if fraction == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => f32::from_bits((exponent + 112) << 23 | fraction << 13),
    };
    if sign == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    #[expect(clippy::float_cmp, reason = "all of these are exact")]
    fn half_floats_become_the_same_numbers() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x0001, 5.960_464_5e-8),
            (0x7bff, 65504.0),
            (0, 0.0),
        ] {
            assert_eq!(half(bits), value, "{bits:#06x}");
        }
        assert!(half(0x7e00).is_nan());
    }
}
