//! The rules for the numbered files of `migrations/`, and the Rust source made from them.
//!
//! It uses no files, so that tests can pass malformed data.

use std::fmt::Write;

/// Renders the constant `MIGRATIONS`, from file names and their texts in any order.
///
/// # Errors
/// A name that is not `NNNN_lower_case.sql`, a number that is missing or taken twice, or a file
/// without SQL.
pub fn render_migrations(mut files: Vec<(String, String)>) -> Result<String, String> {
    files.sort();
    let mut source = String::from(
        "/// Number, name and SQL, in the order in which they run.\n\
         pub const MIGRATIONS: &[database::migrations::Migration] = &[\n",
    );
    for (expected, (file, sql)) in (1u32..).zip(&files) {
        let (number, name) = parse_migration_name(file).ok_or_else(|| {
            format!(
                "\"{file}\" is not named like 0001_what_it_does.sql (four digits, then lower case)"
            )
        })?;
        if number < expected {
            return Err(format!(
                "\"{file}\": number {number:04} is taken twice; migrations count 0001, 0002, …"
            ));
        }
        if number > expected {
            return Err(format!(
                "\"{file}\": number {expected:04} is missing; migrations count 0001, 0002, … without a gap"
            ));
        }
        if !has_statement(sql) {
            return Err(format!(
                "\"{file}\" holds no SQL statement; write one or delete the file"
            ));
        }
        let _ = writeln!(source, "    ({number}, {name:?}, {sql:?}),");
    }
    source.push_str("];\n");
    Ok(source)
}

fn parse_migration_name(file: &str) -> Option<(u32, &str)> {
    let (digits, name) = file.strip_suffix(".sql")?.split_once('_')?;
    let lower_case = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let well_formed = digits.len() == 4
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !name.is_empty()
        && name.bytes().all(lower_case);
    well_formed.then(|| digits.parse().ok().map(|number| (number, name)))?
}

/// Returns true if there is text besides line comments and white space.
fn has_statement(sql: &str) -> bool {
    sql.lines().any(|line| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("--")
    })
}
