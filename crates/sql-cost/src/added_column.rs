//! Bounds the work of ALTER TABLE … ADD COLUMN. The engine checks all rows for it in a separate
//! statement (`pragma_quick_check`), whose work the bytecode does not show.
//!
//! That statement evaluates each CHECK and each computed column of the table, including the new
//! ones. This module estimates the same work: an INSERT of all rows for the existing expressions,
//! and a query for each expression of the new column.

use base::Result;
use database::Database;
use sqlite3_parser::dialect::TokenType;

use super::work::{Counts, RequestWork, weigh};
use sql_gate::bound::Bound;
use sql_gate::compose::{Part, compose};
use sql_gate::lex::{self, Token};
use sql_gate::operations::{Kind, Operations, Place, Relation, unquote};
use sql_gate::{Policy, catalog};

/// Refuses a new column if the check of all rows would take too long, and returns the work of that
/// check in units of 10 ns, or 0 for any other statement.
///
/// # Errors
/// `QUERY_TOO_EXPENSIVE`, or the engine's error about an expression.
pub(super) fn work<D: Database>(
    db: &D,
    bound: &Bound,
    policy: &Policy,
    counts: &Counts,
) -> Result<f64> {
    let facts = bound.facts();
    if facts.kind != Kind::AlterTable {
        return Ok(0.0);
    }
    let (Some(table), Some(added)) = (facts.targets.first(), Added::of(bound.sql())) else {
        return Ok(0.0);
    };
    let name = table.name.as_str();
    let mut spent = RequestWork::default();
    if !catalog::is_plain_to_write(db, name)? {
        let columns = catalog::stored_columns(db, name)?;
        let statement = insert_again(name, &columns);
        spent.before += weigh(db, &reading(statement, name, true), policy, counts, spent)?;
    }
    for expression in &added.expressions {
        let statement = compose(
            &[
                Part::Sql("SELECT count(*) FROM "),
                Part::Identifier(name),
                Part::Sql(", (SELECT "),
                Part::Expression(&added.default),
                Part::Sql(" AS "),
                Part::Identifier(&added.column),
                Part::Sql(") WHERE ("),
                Part::Expression(expression),
                Part::Sql(")"),
            ],
            Vec::new(),
        );
        spent.before += weigh(db, &reading(statement, name, false), policy, counts, spent)?;
    }
    Ok(spent.before)
}

fn insert_again(table: &str, columns: &[String]) -> Bound {
    let mut parts = vec![
        Part::Sql("INSERT INTO "),
        Part::Identifier(table),
        Part::Sql(" ("),
    ];
    let commas = std::iter::once("").chain(std::iter::repeat(", "));
    let listed = columns.iter().zip(commas);
    let listed = listed.flat_map(|(column, comma)| [Part::Sql(comma), Part::Identifier(column)]);
    parts.extend(listed.clone());
    parts.push(Part::Sql(") SELECT "));
    parts.extend(listed);
    parts.extend([Part::Sql(" FROM "), Part::Identifier(table)]);
    compose(&parts, Vec::new())
}

/// Returns the statement with the table that it names as a fact.
fn reading(statement: Bound, table: &str, writes: bool) -> Bound {
    let mut facts = Operations::new(
        if writes { Kind::Insert } else { Kind::Select },
        statement.facts().explain,
    );
    facts.written_table = writes.then(|| table.to_owned());
    facts.relations.push(Relation {
        schema: None,
        name: table.to_owned(),
        called: false,
        given: false,
        place: Place::Plain,
    });
    statement.with_facts(facts)
}

/// A column that is added.
struct Added {
    column: String,
    /// Its value in the existing rows.
    default: String,
    /// Its CHECKs, and its own expression.
    expressions: Vec<String>,
}

impl Added {
    /// Reads `… ADD [COLUMN] name …`. Returns `None` for any other ALTER TABLE.
    fn of(text: &str) -> Option<Self> {
        let tokens = lex::tokens(text).ok()?;
        let add = tokens
            .iter()
            .position(|token| token.kind == TokenType::TK_ADD)?;
        let rest = tokens.get(add + 1..)?;
        let rest = match rest.first()?.kind {
            TokenType::TK_COLUMNKW => rest.get(1..)?,
            _ => rest,
        };
        let column = unquote(rest.first()?.text(text));
        let mut found = Self {
            column,
            default: "NULL".to_owned(),
            expressions: Vec::new(),
        };
        let mut at = 1;
        while let Some(token) = rest.get(at) {
            let next = rest.get(at + 1..).unwrap_or_default();
            match token.kind {
                TokenType::TK_CHECK | TokenType::TK_AS => {
                    found.expressions.extend(in_brackets(text, next));
                    at += 1 + bracketed(next);
                }
                TokenType::TK_DEFAULT => {
                    let length = value_length(next);
                    if let Some(value) = span(text, next.get(..length).unwrap_or_default()) {
                        found.default = value;
                    }
                    at += 1 + length;
                }
                TokenType::TK_LP => at += bracketed(rest.get(at..).unwrap_or_default()).max(1),
                _ => at += 1,
            }
        }
        Some(found)
    }
}

/// Returns the number of tokens of a DEFAULT.
fn value_length(tokens: &[Token]) -> usize {
    match tokens.first().map(|token| token.kind) {
        Some(TokenType::TK_LP) => bracketed(tokens),
        Some(TokenType::TK_PLUS | TokenType::TK_MINUS) => 2,
        _ => 1,
    }
}

/// Returns the number of tokens from a bracket to the one that closes it, or 0 if the first token
/// is not a bracket.
fn bracketed(tokens: &[Token]) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenType::TK_LP => depth += 1,
            TokenType::TK_RP => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return if index == 0 { 0 } else { index + 1 };
        }
    }
    tokens.len()
}

/// Returns the text in the brackets that come first.
fn in_brackets(text: &str, tokens: &[Token]) -> Option<String> {
    let inner = tokens.get(1..bracketed(tokens).checked_sub(1)?)?;
    span(text, inner)
}

fn span(text: &str, tokens: &[Token]) -> Option<String> {
    let (first, last) = (tokens.first()?, tokens.last()?);
    text.get(first.start..last.end).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::Added;

    #[test]
    fn the_expressions_of_an_added_column_are_found() {
        for (text, default, expressions) in [
            ("ALTER TABLE t ADD a", "NULL", &[][..]),
            (
                "ALTER TABLE t ADD COLUMN a INT DEFAULT -1 CHECK (a < (2))",
                "-1",
                &["a < (2)"],
            ),
            (
                "ALTER TABLE t ADD a DECIMAL(4, 2) DEFAULT ('(') AS (b + f(c)) CHECK(1) CHECK((2))",
                "('(')",
                &["b + f(c)", "1", "(2)"],
            ),
        ] {
            let found = Added::of(text).unwrap();
            assert_eq!(
                (found.column.as_str(), found.default.as_str()),
                ("a", default),
                "{text}"
            );
            assert_eq!(found.expressions, expressions, "{text}");
        }
        assert!(Added::of("ALTER TABLE t RENAME TO add_it").is_none());
    }
}
