//! Names and texts as SQL writes them, in quotes.

/// Returns `"name"`, with quotes inside doubled.
pub fn quote_identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns `'text'`, with quotes inside doubled.
pub fn quote_text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
