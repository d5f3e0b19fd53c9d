//! Migrations of both engines, embedded. `sqlx::migrate!` would embed them as well, but with the macros of sqlx a build compiles both
//! engines a second time, for the compiler's own use.

use include_dir::{Dir, include_dir};
use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

static SQLITE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/migrations/sqlite");
static POSTGRES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/migrations/postgres");

/// Those of `SQLite`.
pub(super) fn sqlite() -> Migrator {
    Migrator::with_migrations(load(&SQLITE))
}

/// Those of `PostgreSQL`.
pub(super) fn postgres() -> Migrator {
    Migrator::with_migrations(load(&POSTGRES))
}

/// The migrations of a folder, from files named `NUMBER_description.sql`.
fn load(folder: &'static Dir<'static>) -> Vec<Migration> {
    let migration = |file: &'static include_dir::File<'static>| {
        let (number, description) = file.path().file_stem()?.to_str()?.split_once('_')?;
        let (sql, description) = (file.contents_utf8()?.into_sql_str(), description.replace('_', " "));
        Some(Migration::new(number.parse().ok()?, description.into(), MigrationType::Simple, sql, false))
    };
    folder.files().filter_map(migration).collect()
}

#[cfg(test)]
mod tests {
    use super::{POSTGRES, SQLITE, load};

    #[test]
    fn every_file_is_a_migration_and_numbers_count_up() {
        for folder in [&SQLITE, &POSTGRES] {
            let mut numbers: Vec<i64> = load(folder).iter().map(|migration| migration.version).collect();
            numbers.sort_unstable();
            assert_eq!(numbers.len(), folder.files().count());
            assert!(numbers.iter().zip(1_i64..).all(|(number, next)| *number == next), "{numbers:?}");
        }
    }
}
