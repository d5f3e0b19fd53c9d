//! The functions between the matrix products. Written out as polynomials, so that they are the same on every machine and the
//! compiler can do several at once; relative errors are below 1e-6.

/// `e` to the `x`; 0 below and the largest float above what a float can hold.
pub(super) fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    let whole = (x * std::f32::consts::LOG2_E).round();
    // ln 2 in two parts, so that the difference stays exact (Cody and Waite).
    let rest = (x - whole * 0.693_359_4) - whole * -2.121_944_4e-4;
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest * (1.0 / 120.0 + rest * (1.0 / 720.0))))));
    series * f32::from_bits(((whole as i32 + 127) as u32) << 23)
}

/// The error function, after Abramowitz and Stegun 7.1.26 (absolute error below 2e-7).
pub(super) fn erf(x: f32) -> f32 {
    let size = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let series = t * (0.254_829_6 + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152 + t * 1.061_405_4))));
    (1.0 - series * exp(-size * size)).copysign(x)
}

/// `x` times the share of the normal distribution below it.
pub(super) fn gelu(values: &mut [f32]) {
    for value in values {
        *value *= 0.5 * (1.0 + erf(*value * std::f32::consts::FRAC_1_SQRT_2));
    }
}

/// Turns scores into shares that sum to 1.
pub(super) fn softmax(scores: &mut [f32]) {
    let highest = scores.iter().copied().fold(f32::MIN, f32::max);
    for score in scores.iter_mut() {
        *score = exp(*score - highest);
    }
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
}

/// Brings a row to mean 0 and variance 1, then scales and shifts it.
pub(super) fn layer_norm(row: &mut [f32], scale: &[f32], shift: &[f32], epsilon: f32) {
    let count = row.len() as f32;
    let mean = row.iter().sum::<f32>() / count;
    let variance = row.iter().map(|value| (value - mean) * (value - mean)).sum::<f32>() / count;
    let factor = 1.0 / (variance + epsilon).sqrt();
    for ((value, scale), shift) in row.iter_mut().zip(scale).zip(shift) {
        *value = (*value - mean) * factor * scale + shift;
    }
}
