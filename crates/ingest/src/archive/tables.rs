//! The catalog as tables of an `SQLite` file: one for each kind, with the columns of its CSV and the whole row as JSON. For people who ask
//! with SQL; nothing reads it back, that is what the archive is for.

use std::path::Path;

use refdesk_catalog::answer::{CellValue, Export};
use refdesk_core::Kind;
use refdesk_core::field::Shape;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

/// Writes the rows of each export into a table of a new file; how many there are in all.
///
/// # Errors
/// When the file cannot be written.
pub async fn write(file: &Path, exports: impl IntoIterator<Item = (Kind, Export)>) -> Result<usize, sqlx::Error> {
    // The file is thrown away when anything fails, so it needs no journal.
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Off)
        .synchronous(SqliteSynchronous::Off);
    let mut connection = options.connect().await?;
    let mut rows = 0;
    for (kind, export) in exports {
        rows += write_table(&mut connection, kind, export).await?;
    }
    connection.close().await?;
    Ok(rows)
}

async fn write_table(connection: &mut SqliteConnection, kind: Kind, mut export: Export) -> Result<usize, sqlx::Error> {
    let columns = export.column_shapes();
    let table = kind.collection();
    let declared: Vec<String> = columns.iter().map(|(name, shape)| declared(name, *shape)).collect();
    let sql = format!("CREATE TABLE {table} ({}, row TEXT NOT NULL)", declared.join(", "));
    sqlx::query(AssertSqlSafe(sql)).execute(&mut *connection).await?;
    let insert = format!("INSERT INTO {table} VALUES ({})", vec!["?"; columns.len() + 1].join(", "));
    let mut transaction = connection.begin().await?;
    let mut rows = 0;
    while let Some((values, json)) = export.next_row() {
        let mut query = sqlx::query(AssertSqlSafe(insert.clone()));
        for (value, (_, shape)) in values.into_iter().zip(&columns) {
            query = match value {
                CellValue::Unknown => query.bind(None::<String>),
                CellValue::Plain(text) | CellValue::Text(text) if *shape == Some(Shape::Flag) => {
                    query.bind(text == "true")
                }
                // The column's affinity makes a number of what is one.
                CellValue::Plain(text) | CellValue::Text(text) => query.bind(text),
            };
        }
        query.bind(String::from_utf8_lossy(&json).into_owned()).execute(&mut *transaction).await?;
        rows += 1;
    }
    transaction.commit().await?;
    Ok(rows)
}

/// A column as SQL declares it.
fn declared(name: &str, shape: Option<Shape>) -> String {
    let kind = match (name, shape) {
        ("id", _) => "TEXT PRIMARY KEY",
        (_, Some(Shape::Count | Shape::Price | Shape::Rank)) => "NUMERIC",
        (_, Some(Shape::Flag)) => "INTEGER",
        _ => "TEXT",
    };
    format!("\"{}\" {kind}", name.replace('"', "\"\""))
}
