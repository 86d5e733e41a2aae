//! Names and values as SQL text.

use crate::lexicon::Words;

/// Words that SQLite's grammar has; as names they need quotes.
const KEYWORDS: Words = Words(
    "
     abort action add after all alter always analyze and as asc attach autoincrement before
     begin between by cascade case cast check collate column commit conflict constraint
     create cross current current_date current_time current_timestamp database default
     deferrable deferred delete desc detach distinct do drop each else end escape except
     exclude exclusive exists explain fail false filter first following for foreign from
     full generated glob group groups having if ignore immediate in index indexed initially
     inner insert instead intersect into is isnull join key last left like limit match
     materialized natural no not nothing notnull null nulls of offset on or order others
     outer over partition plan pragma preceding primary query raise range recursive
     references regexp reindex release rename replace restrict returning right rollback row
     rows savepoint select set table temp temporary then ties to transaction trigger true
     unbounded union unique update using vacuum values view virtual when where window with
     within without
    ",
);

/// Renders a name, in quotes unless it is a plain word.
pub(crate) fn name(name: &str) -> String {
    let plain = name
        .chars()
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let lower = name.to_ascii_lowercase();
    if plain && !KEYWORDS.contains(&lower) {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Renders a text as a literal. NUL characters are removed, because SQLite ends a statement at one.
pub(crate) fn text(text: &str) -> String {
    format!("'{}'", text.replace('\0', "").replace('\'', "''"))
}

/// Renders a finite number as a literal, without an exponent.
pub(crate) fn number(value: f64) -> String {
    if value.is_finite() {
        format!("{value}")
    } else {
        "NULL".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{name, number, text};

    #[test]
    fn names_are_quoted_where_they_must_be() {
        for (given, written) in [
            ("orders", "orders"),
            ("order", "\"order\""),
            ("Group", "\"Group\""),
            ("two words", "\"two words\""),
            ("a\"b", "\"a\"\"b\""),
            ("1st", "\"1st\""),
            ("größe", "\"größe\""),
            ("", "\"\""),
        ] {
            assert_eq!(name(given), written);
        }
    }

    #[test]
    fn values_cannot_leave_their_literal() {
        assert_eq!(text("O'Hara'; DROP TABLE x"), "'O''Hara''; DROP TABLE x'");
        assert_eq!(number(1200.0), "1200");
        assert_eq!(number(0.1), "0.1");
        assert_eq!(number(1e15), "1000000000000000");
        assert_eq!(number(f64::NAN), "NULL");
    }
}
