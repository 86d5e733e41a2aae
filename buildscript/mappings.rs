//! The rules for `data/column_mappings.toml`, and the Rust source made from it.
//!
//! It uses neither files nor TOML, so that tests can pass malformed data.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The columns, by server and then by semantic name.
pub type Servers = BTreeMap<String, BTreeMap<String, String>>;

/// Renders the constant `COLUMN_MAPPINGS`.
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
                "duplicate server \"{server}\", in two spellings; keep one"
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
