//! Spellings of one value in different sources: a filter by a seller finds it in every one, `fireworks_ai` beside `fireworks-ai`.

use std::borrow::Cow;

use crate::columns::Column;
use crate::resolve::model::makers::seller_name;
use refdesk_core::field::FieldDef;
use refdesk_core::query::Test;

/// A test of a field in all spellings that a column has of what is asked for.
pub(super) fn in_all<'t>(field: &FieldDef, column: &Column, test: &'t Test) -> Cow<'t, Test> {
    match test {
        Test::AnyOf(asked) if field.is_seller() => Cow::Owned(Test::AnyOf(of_sellers(column, asked))),
        Test::NoneOf(asked) if field.is_seller() => Cow::Owned(Test::NoneOf(of_sellers(column, asked))),
        _ => Cow::Borrowed(test),
    }
}

/// What is asked for of a column of sellers, and all other spellings of it.
pub(super) fn of_sellers(column: &Column, asked: &[String]) -> Vec<String> {
    let names: Vec<Cow<'_, str>> = asked.iter().map(|asked| seller_name(asked)).collect();
    let others = column.values.iter().filter(|value| names.contains(&seller_name(value)));
    asked.iter().cloned().chain(others.map(str::to_owned)).collect()
}
