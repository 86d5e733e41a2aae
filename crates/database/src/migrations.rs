//! Brings a database up to the schema that the code expects.
//!
//! build.rs embeds the numbered files of `migrations/`. Each one is applied in one transaction
//! together with the row that records it, so a crash leaves a database at a version, never between
//! two. A database written by a newer version of the product is refused, because the meaning of its
//! tables is unknown. If no migration is missing, this costs one read.

use crate::{Bind, Database, DatabaseExt, EngineError, Statement};
use base::CommonError;
use base::{Error, Result};

const READ_VERSION: &str = "SELECT max(version) FROM _codemode_migrations";
const CREATE_VERSIONS: &str = "CREATE TABLE _codemode_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL)";
const RECORD_VERSION: &str =
    "INSERT INTO _codemode_migrations (version, name, applied_at) VALUES (?, ?, ?)";

/// A numbered file: its number, its name, its statements.
pub type Migration = (u32, &'static str, &'static str);

/// Applies the missing migrations and returns their number.
///
/// # Errors
/// [`CommonError::Misconfigured`] if a newer version of the product wrote the database; the
/// engine's error if a migration fails, which then has changed nothing.
pub fn apply<D: Database>(db: &D, migrations: &[Migration], now_ms: u64) -> Result<usize> {
    let found = read_version(db)?;
    let known = migrations.last().map_or(0, |(version, ..)| *version);
    let version = found.unwrap_or(0);
    if version > known {
        return Err(Error::from(CommonError::Misconfigured {
            message: format!(
                "the database has schema version {version}, but this version of the product only knows versions up to {known}: deploy the newer version again"
            ),
        }));
    }
    let missing: Vec<&Migration> = migrations
        .iter()
        .filter(|(number, ..)| *number > version)
        .collect();
    for (index, migration) in missing.iter().enumerate() {
        let first = index == 0 && found.is_none();
        db.transaction(&mut || {
            if first {
                db.run(CREATE_VERSIONS, &[])?;
            }
            apply_one(db, migration, now_ms)
        })?;
    }
    Ok(missing.len())
}

/// Returns the version; `None` if the database has no version table, because it is empty.
fn read_version<D: Database>(db: &D) -> Result<Option<u32>> {
    match db.open(Statement::Own(READ_VERSION, &[])) {
        Ok(mut cursor) => {
            let row = super::Cursor::next(&mut cursor).map_err(EngineError::own)?;
            let version = row
                .and_then(|cells| cells.into_iter().next())
                .map_or(0, |cell| cell.as_count());
            Ok(Some(u32::try_from(version).unwrap_or(u32::MAX)))
        }
        Err(error)
            if error
                .message
                .contains("no such table: _codemode_migrations") =>
        {
            Ok(None)
        }
        Err(error) => Err(error.own()),
    }
}

fn apply_one<D: Database>(db: &D, (version, name, sql): &Migration, now_ms: u64) -> Result<()> {
    for statement in statements(sql) {
        db.run(statement, &[])?;
    }
    db.run(
        RECORD_VERSION,
        &[
            Bind::number(u64::from(*version)),
            Bind::text(*name),
            Bind::number(now_ms),
        ],
    )?;
    Ok(())
}

/// Returns the statements of a migration file, in which every `;` at the end of a line ends a
/// statement, and no other does.
fn statements(sql: &'static str) -> impl Iterator<Item = &'static str> {
    sql.split(";\n").filter(|statement| {
        statement
            .lines()
            .any(|line| !line.trim().is_empty() && !line.trim_start().starts_with("--"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_split_at_semicolons_that_end_a_line() {
        let found: Vec<&str> = statements(
            "-- why; because\nCREATE TABLE a (x);\n\nCREATE TABLE b (\n  y\n);\n-- end\n",
        )
        .collect();
        assert_eq!(
            found,
            [
                "-- why; because\nCREATE TABLE a (x)",
                "\nCREATE TABLE b (\n  y\n)"
            ]
        );
    }
}
