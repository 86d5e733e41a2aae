//! The rules for the data that `build.rs` embeds, and the Rust source that it becomes.
//!
//! Free of files and of TOML, so that tests can hand it malformed data.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Server, then semantic name, then column.
pub type Servers = BTreeMap<String, BTreeMap<String, String>>;

/// The constant `COLUMN_MAPPINGS`.
///
/// # Errors
/// A name that is not an identifier, or two names that differ only in case and underscores.
pub fn render_mappings(servers: &Servers) -> Result<String, String> {
    let mut source = String::from(
        "/// `data/column_mappings.toml`: servers, each with its semantic names and their columns.\n\
         pub(crate) const COLUMN_MAPPINGS: &[(&str, &[(&str, &str)])] = &[\n",
    );
    let mut folded_servers = BTreeSet::new();
    for (server, names) in servers {
        require_identifier("server", server)?;
        if !folded_servers.insert(fold(server)) {
            return Err(format!(
                "server \"{server}\" stands there twice, in two spellings; keep one"
            ));
        }
        let _ = writeln!(source, "    ({server:?}, &[");
        let mut folded_names = BTreeSet::new();
        for (semantic, column) in names {
            require_identifier(&format!("[{server}] semantic name"), semantic)?;
            require_identifier(&format!("[{server}] {semantic}: column"), column)?;
            if !folded_names.insert(fold(semantic)) {
                return Err(format!(
                    "[{server}] \"{semantic}\" stands there twice, in two spellings; keep one"
                ));
            }
            let _ = writeln!(source, "        ({semantic:?}, {column:?}),");
        }
        source.push_str("    ]),\n");
    }
    source.push_str("];\n");
    Ok(source)
}

/// The constant `SESSION_MIGRATIONS`, from file names and their texts in any order.
///
/// # Errors
/// A name that is not `NNNN_lower_case.sql`, a number that is missing or taken twice, or a file without SQL.
pub fn render_migrations(mut files: Vec<(String, String)>) -> Result<String, String> {
    files.sort();
    let mut source = String::from(
        "/// `migrations/session`: number, name and SQL, in the order in which they run.\n\
         pub(crate) const SESSION_MIGRATIONS: &[(u32, &str, &str)] = &[\n",
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

/// Whether anything is left once line comments and white space are gone.
fn has_statement(sql: &str) -> bool {
    sql.lines().any(|line| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("--")
    })
}

fn require_identifier(what: &str, name: &str) -> Result<(), String> {
    let mut bytes = name.bytes();
    let starts = bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    if starts && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Ok(());
    }
    Err(format!(
        "{what} \"{name}\" is not an identifier; use letters, digits and underscores, a letter first"
    ))
}

fn fold(name: &str) -> String {
    name.chars()
        .filter(|character| *character != '_')
        .map(|character| character.to_ascii_lowercase())
        .collect()
}
