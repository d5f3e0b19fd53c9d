//! One record, read by itself: strictly, within [`RECORD_BYTES_MAX`], and with a reason for its reject that says what is wrong with it.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::cut::string_length;
use super::{KEY_SHOWN_CHARS, Reason, shown};
use crate::connectors::formats::tree::utf8;

/// Longest record that is read, in bytes; a longer one is a reject.
pub const RECORD_BYTES_MAX: usize = 1 << 20;
/// Most values in a record, those of lists and objects inside of it included.
pub const RECORD_VALUES_MAX: usize = 100_000;
/// What a node of a read value takes in memory beside its text, in bytes.
const NODE_BYTES: u64 = 120;

/// Reads one record by itself and hands it on.
///
/// # Errors
/// The reason of its reject: too long, no JSON, a key that stands twice, or what `fact` found. A number that JSON has not or that no float
/// holds (`NaN`, `1e999`, `1e-400`) is handed on as a text, so that the field can name itself; the record is a reject in any case.
pub fn read<T>(record: &[u8], fact: impl FnOnce(&Value) -> Result<T, Reason>) -> Result<T, Reason> {
    let mut odd = None;
    let without_underflow =
        |value| if underflows(record) { Err("a number is too small".to_owned()) } else { Ok(value) };
    let value = value(record).and_then(without_underflow).or_else(|reason| {
        let (mended, number) = with_odd_numbers_quoted(record).ok_or_else(|| reason.clone())?;
        odd = Some(number);
        value(&mended).map_err(|_| reason)
    })?;
    let read = fact(&value)?;
    match odd {
        None => Ok(read),
        Some(number) => Err(format!("it holds `{number}`, which is not a JSON number")),
    }
}

/// The value of one record.
///
/// # Errors
/// When it is longer than [`RECORD_BYTES_MAX`], no JSON, or states a key twice.
pub fn value(record: &[u8]) -> Result<Value, Reason> {
    if record.len() > RECORD_BYTES_MAX {
        return Err(format!("the record has {} bytes; at most {RECORD_BYTES_MAX} are read", record.len()));
    }
    if values(record) > RECORD_VALUES_MAX {
        return Err(format!("the record holds more than {RECORD_VALUES_MAX} values"));
    }
    let text = utf8(record).map_err(|reason| format!("the record {reason}"))?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    value.map_err(|error| format!("the record is not JSON: {error}"))
}

/// How many values a record holds at most, by its commas and brackets, because a value takes fifty times the memory of its text.
fn values(record: &[u8]) -> usize {
    let (mut at, mut values) = (0, 1);
    while let Some(byte) = record.get(at) {
        if *byte == b'"' {
            at += string_length(&record[at..]).unwrap_or(record.len());
        } else {
            values += usize::from(matches!(byte, b',' | b'[' | b'{'));
            at += 1;
        }
    }
    values
}

/// What a value takes in memory, about.
pub fn weight(value: &Value) -> u64 {
    NODE_BYTES
        + match value {
            Value::String(text) => text.len() as u64,
            Value::Array(items) => items.iter().map(weight).sum(),
            Value::Object(members) => members.iter().map(|(key, value)| key.len() as u64 + weight(value)).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
}

/// Builds a value and refuses a key that stands twice: which of the two was meant is not ours to guess.
struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(key) = from.next_key::<String>()? {
            if members.contains_key(&key) {
                let shown = refdesk_core::clean::excerpt(&key, KEY_SHOWN_CHARS);
                return Err(A::Error::custom(format!("the key `{shown}` appears twice")));
            }
            members.insert(key, from.next_value_seed(Self)?);
        }
        Ok(Value::Object(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = from.next_element_seed(Self)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }
    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number that JSON has not"))
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

/// The record with quotes around every word that is no JSON value, and the first of these; `None` when there is none, or the record is
/// too long to be read at all.
fn with_odd_numbers_quoted(record: &[u8]) -> Option<(Vec<u8>, String)> {
    if record.len() > RECORD_BYTES_MAX {
        return None;
    }
    let mut mended = Vec::with_capacity(record.len() + 16);
    let mut first = None;
    for token in tokens(record) {
        let odd = is_of_word(token[0]) && (serde_json::from_slice::<Value>(token).is_err() || is_underflow(token));
        if odd {
            first.get_or_insert_with(|| shown(token).chars().take(KEY_SHOWN_CHARS).collect());
            mended.push(b'"');
        }
        mended.extend_from_slice(token);
        if odd {
            mended.push(b'"');
        }
    }
    first.map(|number: String| (mended, number))
}

/// The texts, words and signs of a record, one after the other; none of them is empty.
fn tokens(record: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = record.get(at..)?;
        let length = match rest.first()? {
            b'"' => string_length(rest).unwrap_or(rest.len()),
            byte if is_of_word(*byte) => rest.iter().take_while(|b| is_of_word(**b)).count(),
            _ => 1,
        };
        at += length;
        Some(&rest[..length])
    })
}

/// Whether a byte is one of a number, or of another value without quotes.
const fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// Whether a record has a number that is above zero as it is written and zero as it is read: a price of it would look free.
fn underflows(record: &[u8]) -> bool {
    // Few but price lists write exponents, so that most records are not taken apart.
    let has_exponent = record.windows(2).any(|two| two[0].is_ascii_digit() && two[1].eq_ignore_ascii_case(&b'e'));
    has_exponent && tokens(record).any(is_underflow)
}

fn is_underflow(token: &[u8]) -> bool {
    let text = std::str::from_utf8(token).unwrap_or_default();
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    mantissa.bytes().any(|byte| matches!(byte, b'1'..=b'9')) && text.parse::<f64>().is_ok_and(|number| number == 0.0)
}
