//! Values of statements and columns of rows, the same for both engines. Numbers are 64 bits wide, texts UTF-8.

use sqlx::Row as _;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Decode, Postgres, Sqlite, Type, ValueRef as _};

use crate::store::Result;
use crate::store::error::StoreError;

/// A value of a statement. Absent ones keep their type, because `PostgreSQL` asks for it.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) enum Value<'a> {
    Int(Option<i64>),
    Text(Option<&'a str>),
    Blob(Option<&'a [u8]>),
}

/// Turns Rust types into values of a statement.
macro_rules! values {
    ($($type:ty, $value:ident => $made:expr;)*) => {$(
        impl<'a> From<$type> for Value<'a> {
            fn from($value: $type) -> Self {
                $made
            }
        }
    )*};
}

values! {
    i64, value => Self::Int(Some(value));
    Option<i64>, value => Self::Int(value);
    &'a str, value => Self::Text(Some(value));
    Option<&'a str>, value => Self::Text(value);
    &'a String, value => Self::Text(Some(value));
    &'a [u8], value => Self::Blob(Some(value));
}

/// The values of many rows in one column.
#[derive(Debug)]
pub(in crate::store) enum Column<'a> {
    Ints(Vec<Option<i64>>),
    Texts(Vec<Option<&'a str>>),
    Blobs(Vec<&'a [u8]>),
}

impl<'a> Column<'a> {
    pub(in crate::store) fn ints(values: impl IntoIterator<Item = i64>) -> Self {
        Self::Ints(values.into_iter().map(Some).collect())
    }

    pub(in crate::store) fn texts(values: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Texts(values.into_iter().map(Some).collect())
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Ints(values) => values.len(),
            Self::Texts(values) => values.len(),
            Self::Blobs(values) => values.len(),
        }
    }

    /// The value of a row; absent beyond the last.
    pub(super) fn value(&self, row: usize) -> Value<'a> {
        match self {
            Self::Ints(values) => Value::Int(values.get(row).copied().flatten()),
            Self::Texts(values) => Value::Text(values.get(row).copied().flatten()),
            Self::Blobs(values) => Value::Blob(values.get(row).copied()),
        }
    }

    /// Type of the array that holds the column in `PostgreSQL`.
    pub(super) const fn array(&self) -> &'static str {
        match self {
            Self::Ints(_) => "bigint[]",
            Self::Texts(_) => "text[]",
            Self::Blobs(_) => "bytea[]",
        }
    }
}

pub(super) type SqliteQuery<'q> = Query<'q, Sqlite, SqliteArguments>;
pub(super) type PgQuery<'q> = Query<'q, Postgres, PgArguments>;

pub(super) fn bind_sqlite<'q>(query: SqliteQuery<'q>, value: Value<'_>) -> SqliteQuery<'q> {
    match value {
        Value::Int(value) => query.bind(value),
        Value::Text(value) => query.bind(value),
        Value::Blob(value) => query.bind(value),
    }
}

pub(super) fn bind_postgres<'q>(query: PgQuery<'q>, value: Value<'_>) -> PgQuery<'q> {
    match value {
        Value::Int(value) => query.bind(value),
        Value::Text(value) => query.bind(value),
        Value::Blob(value) => query.bind(value),
    }
}

pub(super) fn bind_array<'q>(query: PgQuery<'q>, column: &Column<'_>, rows: std::ops::Range<usize>) -> PgQuery<'q> {
    match column {
        Column::Ints(values) => query.bind(&values[rows]),
        Column::Texts(values) => query.bind(&values[rows]),
        Column::Blobs(values) => query.bind(&values[rows]),
    }
}

/// A row of a result, with what it was read for: an error about one of its columns tells that.
pub(in crate::store) struct Row {
    pub(super) of: EngineRow,
    pub(super) doing: &'static str,
}

pub(super) enum EngineRow {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

/// What a column of either engine is read as; one that may be absent as an [`Option`].
pub(in crate::store) trait FromColumn<'r>:
    Decode<'r, Sqlite> + Type<Sqlite> + Decode<'r, Postgres> + Type<Postgres>
{
}

impl<'r, T> FromColumn<'r> for T where T: Decode<'r, Sqlite> + Type<Sqlite> + Decode<'r, Postgres> + Type<Postgres> {}

impl Row {
    /// The value of a column, counted from 0.
    pub(in crate::store) fn get<'r, T: FromColumn<'r>>(&'r self, column: usize) -> Result<T> {
        let read = match &self.of {
            EngineRow::Sqlite(row) => row.try_get(column),
            EngineRow::Postgres(row) => row.try_get(column),
        };
        read.map_err(StoreError::at(self.doing))
    }

    /// Whether there is a value in the column, readable or not.
    pub(in crate::store) fn has(&self, column: usize) -> Result<bool> {
        let is_null = match &self.of {
            EngineRow::Sqlite(row) => row.try_get_raw(column).map(|value| value.is_null()),
            EngineRow::Postgres(row) => row.try_get_raw(column).map(|value| value.is_null()),
        };
        is_null.map(|is_null| !is_null).map_err(StoreError::at(self.doing))
    }
}
