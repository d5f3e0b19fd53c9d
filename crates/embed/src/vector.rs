//! Symmetric scalar quantisation to `int8`: a vector in 8 bits a dimension, with one scale for all of them. A fourth of the memory, and a
//! scan in whole numbers, which is the same on every machine.

/// A vector of length 1 as whole numbers and the factor that makes them the vector again.
#[derive(Debug, Clone, PartialEq)]
pub struct Code {
    scale: f32,
    values: Box<[i8]>,
}

impl Code {
    /// The nearest code of a vector: its largest value becomes 127.
    pub fn quantize(vector: &[f32]) -> Self {
        let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        Self { scale, values: vector.iter().map(|value| (value / scale).round() as i8).collect() }
    }

    /// The kept form: the factor as a little-endian 32-bit float, then one byte a dimension.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.scale.to_le_bytes().to_vec();
        bytes.extend(self.values.iter().map(|value| value.cast_unsigned()));
        bytes
    }

    /// Reads the kept form; `None` when it is not of this many dimensions.
    pub fn from_bytes(bytes: &[u8], dimensions: usize) -> Option<Self> {
        let (scale, values) = bytes.split_first_chunk()?;
        let scale = f32::from_le_bytes(*scale);
        (values.len() == dimensions && scale.is_finite())
            .then(|| Self { scale, values: values.iter().map(|byte| byte.cast_signed()).collect() })
    }

    /// The whole numbers.
    pub fn values(&self) -> &[i8] {
        &self.values
    }

    /// What they are multiplied by.
    pub const fn scale(&self) -> f32 {
        self.scale
    }
}

/// The product of two codes' whole numbers.
pub(super) fn dot(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

#[cfg(test)]
mod tests {
    use super::{Code, dot};

    #[test]
    fn a_code_keeps_a_vector_to_one_part_in_250_and_survives_its_bytes() {
        let vector = [0.6, -0.8, 0.0, 0.001];
        let code = Code::quantize(&vector);
        assert_eq!(code.values(), [95, -127, 0, 0]);
        for (value, number) in vector.iter().zip(code.values()) {
            assert!((value - f32::from(*number) * code.scale()).abs() <= code.scale() / 2.0 + 1e-6);
        }
        assert_eq!(Code::from_bytes(&code.to_bytes(), 4).as_ref(), Some(&code));
        assert_eq!(Code::from_bytes(&code.to_bytes(), 5), None);
        assert_eq!(Code::quantize(&[0.0, 0.0]).values(), [0, 0]);
        assert_eq!(dot(&[1, -2, 3], &[4, 5, -6]), -24);
    }
}
