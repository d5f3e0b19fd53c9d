//! Exact prices: decimals in USD per 1,000,000 tokens (or another stated meter), never through a float.

use std::fmt;
use std::str::FromStr;

use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Upstreams keep prices as binary floats; beyond this many significant digits lies only float noise
/// (`2.9999900000000002e-06`), because a double holds 15 decimal digits faithfully.
const FAITHFUL_DIGITS: u32 = 15;

/// An exact amount in US dollars. Serialises as a JSON number without float noise: `0.15`, `3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Usd(Decimal);

impl Usd {
    /// Zero dollars: really free, as opposed to unknown.
    pub const ZERO: Self = Self(Decimal::ZERO);

    /// The amount that a decimal text states (`"0.00000003"`, `"1.5e-07"`, `"3"`); `None` when it is no number.
    pub fn parse(text: &str) -> Option<Self> {
        // The decimal library takes `_` between digits; nobody who states prices writes so.
        let text = Some(text.trim()).filter(|text| !text.contains('_'))?;
        let decimal = Decimal::from_str(text).or_else(|_| Decimal::from_scientific(text)).ok()?;
        // What is too small to be written out is no price of nothing.
        let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
        let is_underflow = decimal.is_zero() && mantissa.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
        Some(Self(decimal.round_sf(FAITHFUL_DIGITS)?.normalize())).filter(|_| !is_underflow)
    }

    /// The amount that a JSON number or numeric string states.
    pub fn from_json(value: &serde_json::Value) -> Option<Self> {
        match value {
            serde_json::Value::Number(number) => Self::parse(&number.to_string()),
            serde_json::Value::String(text) => Self::parse(text),
            _ => None,
        }
    }

    /// A price per single token (or unit) as a price per million of them.
    #[must_use]
    pub fn per_million(self) -> Option<Self> {
        self.0.checked_mul(Decimal::from(1_000_000)).map(|amount| Self(amount.normalize()))
    }

    /// The mean of two prices; none above what fits.
    #[must_use]
    pub fn mean(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0)?.checked_div(Decimal::TWO).map(|amount| Self(amount.normalize()))
    }

    /// True below zero; upstreams use `-1` for "depends on the routed model".
    pub fn is_negative(self) -> bool {
        self.0.is_sign_negative() && !self.0.is_zero()
    }

    /// True for exactly zero.
    pub fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    /// The decimal behind the amount.
    pub const fn decimal(self) -> Decimal {
        self.0
    }

    /// How many times larger the larger of both amounts is; `None` when one is zero or below.
    pub fn ratio_to(self, other: Self) -> Option<Decimal> {
        if self.0 <= Decimal::ZERO || other.0 <= Decimal::ZERO {
            return None;
        }
        let (large, small) = if self.0 > other.0 { (self.0, other.0) } else { (other.0, self.0) };
        large.checked_div(small)
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // RawValue writes the decimal's own digits, where a float would print 3 as 3.0 and could add noise.
        serde_json::value::RawValue::from_string(self.0.to_string())
            .map_err(serde::ser::Error::custom)?
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Usd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Self::from_json(&value).ok_or_else(|| serde::de::Error::custom(format!("{value} is not a price")))
    }
}

impl utoipa::PartialSchema for Usd {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::Type::Number)
            .description(Some("exact decimal amount in USD"))
            .into()
    }
}
impl utoipa::ToSchema for Usd {}

#[cfg(test)]
mod tests {
    use super::Usd;

    #[test]
    fn prices_per_token_become_exact_prices_per_million() {
        let per_million = |text: &str| Usd::parse(text).and_then(Usd::per_million).map(|price| price.to_string());
        assert_eq!(per_million("1.5e-07").as_deref(), Some("0.15"));
        assert_eq!(per_million("0.00000003").as_deref(), Some("0.03"));
        assert_eq!(per_million("3e-06").as_deref(), Some("3"));
        assert_eq!(per_million("2.9999900000000002e-06").as_deref(), Some("2.99999"), "float noise is cut");
        assert_eq!(per_million("0").as_deref(), Some("0"));
        assert_eq!(per_million("n/a"), None);
        assert_eq!(per_million("1_000"), None, "digits with `_` between them are not a price");
        assert_eq!(per_million("1e-999999"), None, "too small for a decimal, and not free");
    }

    #[test]
    fn a_price_is_written_as_the_decimal_it_is() {
        let json = |text: &str| serde_json::to_string(&Usd::parse(text)).unwrap_or_default();
        assert_eq!(json("0.150"), "0.15");
        assert_eq!(json("3.0"), "3");
        assert_eq!(json("1e-10"), "0.0000000001");
    }
}
