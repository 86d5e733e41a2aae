//! Finds the statement in the text that a model wrote as one: removes fences, tags and prefixes,
//! and replaces typographic characters outside of literals by those of SQL.

use base::text::without_entities;

/// Tags around a statement.
const TAGS: &[(&str, &str)] = &[
    ("```", "```"),
    ("<sql>", "</sql>"),
    ("[sql]", "[/sql]"),
    ("<query>", "</query>"),
];

/// Words that models write before a statement.
const PREFIXES: &[&str] = &[
    "sqlite3",
    "sqlite",
    "sqlquery",
    "sql query",
    "sql",
    "query",
    "statement",
];

/// End marks that some endpoints leave in the text.
const ENDS: &[&str] = &[
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "</s>",
    "[/INST]",
];

/// The words that a statement can begin with.
const BEGINNINGS: &[&str] = &[
    "select", "with", "insert", "update", "delete", "create", "alter", "drop", "values",
];

/// Returns the statement in a field that holds one.
pub(crate) fn statement(text: &str) -> String {
    let mut text = trimmed(text);
    for end in ENDS {
        text = trimmed(text.strip_suffix(end).unwrap_or(text));
    }
    for (open, close) in TAGS {
        let inside = strip_ignoring_case(text, open).map(|inside| match inside.rfind(close) {
            Some(end) => inside.get(..end).unwrap_or(inside),
            None => inside,
        });
        text = trimmed(inside.unwrap_or(text));
    }
    let without = PREFIXES.iter().find_map(|prefix| {
        let rest = strip_ignoring_case(text, prefix)?;
        let rest = rest.strip_prefix(':').map(trimmed).or_else(|| {
            let blank = rest.starts_with(char::is_whitespace);
            blank.then(|| trimmed(rest)).filter(|rest| begins(rest))
        });
        rest.filter(|rest| !rest.is_empty())
    });
    outside_of_literals(without.unwrap_or(text))
}

/// Returns the statement in a response without an object: in its only fence, or the whole text.
/// `None` if there is no statement or more than one.
pub(crate) fn only_statement(text: &str) -> Option<String> {
    let mut parts = text.split("```");
    let before = parts.next()?;
    let inside: Vec<&str> = parts.collect();
    // A fence that is still open at the end may hold only a part of a statement.
    let fences: Vec<String> = match inside.len() % 2 {
        0 => inside
            .iter()
            .step_by(2)
            .map(|fence| statement(&format!("```{fence}")))
            .collect(),
        _ => return None,
    };
    let mut statements: Vec<String> = fences.into_iter().filter(|text| begins(text)).collect();
    if inside.is_empty() {
        let alone = statement(before);
        // A text with paragraphs after the statement is not used.
        statements.extend((begins(&alone) && !alone.contains("\n\n")).then_some(alone));
    }
    statements.dedup();
    match statements.as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    }
}

/// Returns the words outside of the fences of a response.
pub(crate) fn words_beside(text: &str) -> String {
    let outside: Vec<&str> = text.split("```").step_by(2).map(str::trim).collect();
    match outside.as_slice() {
        [_] => String::new(),
        parts => parts.join(" ").trim().to_owned(),
    }
}

fn begins(text: &str) -> bool {
    let word: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
    BEGINNINGS.contains(&word.to_ascii_lowercase().as_str())
}

fn strip_ignoring_case<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_whitespace() || is_unseen(letter))
}

fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}')
}

/// Replaces, outside of literals and comments, special blanks by blanks, typographic quotes by
/// quotes, and HTML entities by their characters.
fn outside_of_literals(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut plain = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = literal(rest);
        if length == 0 {
            plain.push(match letter {
                letter if is_unseen(letter) || letter.is_whitespace() && letter != '\n' => ' ',
                other => other,
            });
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            continue;
        }
        out.push_str(&without_entities(&std::mem::take(&mut plain)));
        let (inside, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        match letter {
            '‘' | '“' => out.push_str(&straight(inside, letter)),
            _ => out.push_str(inside),
        }
        rest = after;
    }
    out + &without_entities(&plain)
}

/// Returns the length in bytes of the literal, quoted name or comment at the beginning of a text,
/// or 0 if there is none. One without an end takes the whole text.
fn literal(text: &str) -> usize {
    let ends = |open: usize, close: &str| {
        let inside = text.get(open..).unwrap_or_default();
        inside
            .find(close)
            .map_or(text.len(), |at| open + at + close.len())
    };
    match text {
        _ if text.starts_with("--") => ends(2, "\n"),
        _ if text.starts_with("/*") => ends(2, "*/"),
        _ if text.starts_with('\'') => ends(1, "'"),
        _ if text.starts_with('"') => ends(1, "\""),
        _ if text.starts_with('`') => ends(1, "`"),
        _ if text.starts_with('[') => ends(1, "]"),
        _ if text.starts_with('‘') => ends('‘'.len_utf8(), "’"),
        _ if text.starts_with('“') => ends('“'.len_utf8(), "”"),
        _ => 0,
    }
}

/// Replaces the typographic quotes around a literal by those of SQL.
fn straight(literal: &str, open: char) -> String {
    let quote = if open == '‘' { '\'' } else { '"' };
    let inside = literal
        .trim_start_matches(open)
        .trim_end_matches(['’', '”']);
    let doubled = inside.replace(quote, &format!("{quote}{quote}"));
    format!("{quote}{doubled}{quote}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_what_runs_and_nothing_around_it() {
        for (text, expected) in [
            ("SELECT 1", "SELECT 1"),
            ("\u{feff} SELECT 1;\r\n", "SELECT 1;"),
            ("```sql\nSELECT 1\n```", "SELECT 1"),
            ("```\nSELECT 1\n```", "SELECT 1"),
            ("sql\nSELECT 1", "SELECT 1"),
            ("SQL: SELECT 1", "SELECT 1"),
            ("SQLQuery: SELECT 1", "SELECT 1"),
            ("<sql>SELECT 1</sql>", "SELECT 1"),
            ("SELECT 1<|im_end|>", "SELECT 1"),
            ("SELECT\u{a0}1\u{200b}", "SELECT 1"),
            (
                "SELECT name FROM t WHERE a = ‘it\'s’",
                "SELECT name FROM t WHERE a = 'it''s'",
            ),
            ("SELECT “a” FROM t", "SELECT \"a\" FROM t"),
            (
                "SELECT 1 WHERE 1 &lt; 2 AND a &amp; b",
                "SELECT 1 WHERE 1 < 2 AND a & b",
            ),
            (
                "SELECT 'a &lt; ‘b’\u{a0}' -- &lt;",
                "SELECT 'a &lt; ‘b’\u{a0}' -- &lt;",
            ),
            (
                "SELECT 'it''s &lt;' , \"&lt;\"",
                "SELECT 'it''s &lt;' , \"&lt;\"",
            ),
            ("sql_log", "sql_log"),
            ("SELECT 'open", "SELECT 'open"),
            ("", ""),
        ] {
            assert_eq!(statement(text), expected, "{text}");
        }
    }

    #[test]
    fn a_response_has_one_statement_or_none() {
        for (text, expected) in [
            ("```sql\nSELECT 1;\n```", Some("SELECT 1;")),
            (
                "Here it is:\n```SQL\nSELECT 1\n```\nIt counts.",
                Some("SELECT 1"),
            ),
            ("SELECT 1", Some("SELECT 1")),
            (
                "sql\nWITH a AS (SELECT 1) SELECT * FROM a",
                Some("WITH a AS (SELECT 1) SELECT * FROM a"),
            ),
            (
                "```sql\nSELECT 1\n```\n```sql\nSELECT 1\n```",
                Some("SELECT 1"),
            ),
            ("```sql\nSELECT 1\n```\n```sql\nSELECT 2\n```", None),
            ("```json\n[1]\n```\n```sql\nSELECT 2\n```", Some("SELECT 2")),
            ("```sql\nDELETE FROM t", None),
            ("SELECT 1\n\nThis counts.", None),
            ("| a | b |\n| --- | --- |\n| 1 | 2 |", None),
            ("I am sorry, I cannot do that.", None),
            ("Selecting is easy.", None),
        ] {
            assert_eq!(only_statement(text).as_deref(), expected, "{text}");
        }
    }
}
