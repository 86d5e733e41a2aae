//! Where a statement reads a column as if it held numbers: `sum(x)`, `x > 10`, `ORDER BY x`.
//!
//! SQLite does not say that it compares texts or adds up what is no number. This finds the places by their tokens, so that whoever knows which
//! columns are TEXT can tell. It decides nothing: a place that is missed or taken in addition changes a notice alone.

use std::collections::HashMap;

use base::limits::MAX_SUGGESTIONS;
use sqlite3_parser::dialect::TokenType as Kind;

use super::lex::{self, Token};
use super::operations::unquote;
use super::placeholders::{Placeholders, placeholders};

/// One place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumericUse {
    /// The column.
    pub column: String,
    /// What stands before its point, with the tables that it may be an alias of.
    pub qualifier: Option<Qualifier>,
    /// How it is read.
    pub how: Manner,
}

/// The name of a table or alias before a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Qualifier {
    /// As it is written.
    pub name: String,
    /// Names that stand before it as `name AS qualifier`.
    pub alias_of: Vec<String>,
}

/// How a column is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manner {
    /// `sum`, `avg` or `total`.
    Added,
    /// `min` or `max`, or the first of ORDER BY.
    Ordered,
    /// Compared with a number.
    Compared,
    /// Compared with a placeholder: its number from 1, and its name with prefix.
    ComparedWith(usize, String),
}

/// The tokens of a statement.
struct Tokens<'s> {
    sql: &'s str,
    all: Vec<Token>,
    placeholders: Placeholders,
}

/// A name with what is before and behind it, as positions of tokens.
struct Column {
    name: String,
    qualifier: Option<String>,
    start: usize,
    end: usize,
}

/// Finds the places of a statement.
pub fn numeric_uses(statement: &str) -> Vec<NumericUse> {
    let Ok(all) = lex::tokens(statement) else {
        return Vec::new();
    };
    let placeholders = placeholders(statement, &all).unwrap_or_default();
    let tokens = Tokens {
        sql: statement,
        all,
        placeholders,
    };
    let mut aliases = None;
    let mut uses = Vec::new();
    let mut at = 0;
    while at < tokens.all.len() {
        let Some(column) = tokens.column(at) else {
            at += 1;
            continue;
        };
        at = column.end;
        if let Some(how) = tokens.manner(&column) {
            uses.push(NumericUse {
                qualifier: column.qualifier.map(|name| {
                    let aliases = aliases.get_or_insert_with(|| tokens.aliases());
                    let alias_of = aliases.get(&name.to_ascii_lowercase());
                    Qualifier {
                        alias_of: alias_of.cloned().unwrap_or_default(),
                        name,
                    }
                }),
                column: column.name,
                how,
            });
        }
    }
    uses
}

impl Tokens<'_> {
    fn kind(&self, at: Option<usize>) -> Option<Kind> {
        at.and_then(|at| self.all.get(at)).map(|token| token.kind)
    }

    fn text(&self, at: usize) -> &str {
        self.all.get(at).map_or("", |token| token.text(self.sql))
    }

    /// The column at a token: `x`, `t.x`, `main.t.x`.
    fn column(&self, start: usize) -> Option<Column> {
        let mut names = vec![self.name(start)?];
        let mut end = start + 1;
        while self.kind(Some(end)) == Some(Kind::TK_DOT) {
            names.push(self.name(end + 1)?);
            end += 2;
        }
        let name = names.pop()?;
        (self.kind(Some(end)) != Some(Kind::TK_LP)).then_some(Column {
            name,
            qualifier: names.pop(),
            start,
            end,
        })
    }

    fn name(&self, at: usize) -> Option<String> {
        let written = self.text(at);
        let is_name = written.starts_with(|first: char| {
            first.is_alphabetic() || matches!(first, '_' | '"' | '[' | '`')
        });
        let is_other = matches!(self.kind(Some(at)), Some(Kind::TK_STRING | Kind::TK_NOT));
        (is_name && !is_other || written.starts_with('"')).then(|| unquote(written))
    }

    fn manner(&self, column: &Column) -> Option<Manner> {
        let before = column.start.checked_sub(1);
        let behind = Some(column.end);
        if self.kind(behind) == Some(Kind::TK_RP)
            && let Some(manner) = self.aggregate(before)
        {
            return Some(manner);
        }
        if self.kind(before) == Some(Kind::TK_BY)
            && self.kind(before.and_then(|before| before.checked_sub(1))) == Some(Kind::TK_ORDER)
        {
            return Some(Manner::Ordered);
        }
        if !is_operator(self.kind(before))
            && let Some(operand) = self.operand_behind(column.end)
        {
            return self.compared_with(operand);
        }
        let is_reversed = is_comparison(self.kind(before)) && !is_operator(self.kind(behind));
        let operand = before.and_then(|before| before.checked_sub(1))?;
        if is_reversed && !is_operator(self.kind(operand.checked_sub(1))) {
            return self.compared_with(operand);
        }
        None
    }

    /// The function around a name that stands alone in its brackets.
    fn aggregate(&self, before: Option<usize>) -> Option<Manner> {
        let bracket = match self.kind(before) {
            Some(Kind::TK_DISTINCT) => before?.checked_sub(1)?,
            _ => before?,
        };
        if self.kind(Some(bracket)) != Some(Kind::TK_LP) {
            return None;
        }
        let function = self.name(bracket.checked_sub(1)?)?.to_ascii_lowercase();
        match function.as_str() {
            "sum" | "avg" | "total" => Some(Manner::Added),
            "min" | "max" => Some(Manner::Ordered),
            _ => None,
        }
    }

    /// The position of the value that a comparison behind a name has: `> 5`, `NOT BETWEEN 5 AND`, `IN (5, 6)`.
    fn operand_behind(&self, end: usize) -> Option<usize> {
        let mut at = end;
        if self.kind(Some(at)) == Some(Kind::TK_NOT) {
            at += 1;
        }
        match self.kind(Some(at))? {
            Kind::TK_BETWEEN => Some(at + 1),
            Kind::TK_IN if self.kind(Some(at + 1)) == Some(Kind::TK_LP) => Some(at + 2),
            kind if is_comparison(Some(kind)) => Some(at + 1),
            _ => None,
        }
    }

    fn compared_with(&self, operand: usize) -> Option<Manner> {
        let signed = matches!(
            self.kind(Some(operand)),
            Some(Kind::TK_MINUS | Kind::TK_PLUS)
        );
        let operand = operand + usize::from(signed);
        match self.kind(Some(operand))? {
            Kind::TK_INTEGER | Kind::TK_FLOAT => Some(Manner::Compared),
            Kind::TK_VARIABLE => {
                let start = self.all.get(operand)?.start;
                let places = &self.placeholders.places;
                let at = places
                    .binary_search_by_key(&start, |place| place.start)
                    .ok()?;
                let number = places.get(at)?.number;
                Some(Manner::ComparedWith(number, self.text(operand).to_owned()))
            }
            _ => None,
        }
    }

    /// Returns the tables that each alias may stand for, by its name in lower case: what stands before it.
    fn aliases(&self) -> HashMap<String, Vec<String>> {
        let mut aliases: HashMap<String, Vec<String>> = HashMap::new();
        for at in 1..self.all.len() {
            let Some(alias) = self.name(at) else {
                continue;
            };
            if self.kind(Some(at + 1)) == Some(Kind::TK_DOT) {
                continue;
            }
            let before = match self.kind(at.checked_sub(1)) {
                Some(Kind::TK_FROM | Kind::TK_JOIN) => None,
                Some(Kind::TK_AS) => at.checked_sub(2),
                _ => at.checked_sub(1),
            };
            if let Some(table) = before.and_then(|before| self.name(before)) {
                let of = aliases.entry(alias.to_ascii_lowercase()).or_default();
                if !of.contains(&table) && of.len() < MAX_SUGGESTIONS {
                    of.push(table);
                }
            }
        }
        aliases
    }
}

fn is_comparison(kind: Option<Kind>) -> bool {
    matches!(
        kind,
        Some(
            Kind::TK_EQ
                | Kind::TK_NE
                | Kind::TK_LT
                | Kind::TK_LE
                | Kind::TK_GT
                | Kind::TK_GE
                | Kind::TK_IS
        )
    )
}

/// An operator whose result has no affinity, so that numbers are compared as such.
fn is_operator(kind: Option<Kind>) -> bool {
    matches!(
        kind,
        Some(
            Kind::TK_PLUS
                | Kind::TK_MINUS
                | Kind::TK_STAR
                | Kind::TK_SLASH
                | Kind::TK_REM
                | Kind::TK_CONCAT
                | Kind::TK_BITAND
                | Kind::TK_BITOR
                | Kind::TK_BITNOT
                | Kind::TK_LSHIFT
                | Kind::TK_RSHIFT
                | Kind::TK_PTR
        )
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places as `column:manner`.
    fn found(statement: &str) -> String {
        let uses = numeric_uses(statement).into_iter().map(|used| {
            let qualifier = used.qualifier.map(|qualifier| {
                let of = qualifier.alias_of.first().cloned().unwrap_or_default();
                format!("{}({of}).", qualifier.name)
            });
            let how = match used.how {
                Manner::Added => "added".to_owned(),
                Manner::Ordered => "ordered".to_owned(),
                Manner::Compared => "compared".to_owned(),
                Manner::ComparedWith(number, name) => format!("with {number}{name}"),
            };
            format!("{}{}:{how}", qualifier.unwrap_or_default(), used.column)
        });
        uses.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn columns_that_are_read_as_numbers_are_found() {
        for (statement, wanted) in [
            (
                "SELECT sum(x), avg( DISTINCT \"y z\" ) FROM t",
                "x:added y z:added",
            ),
            ("SELECT min(x), MAX(t.y) FROM t", "x:ordered t().y:ordered"),
            ("SELECT max(a.x) FROM t AS a", "a(t).x:ordered"),
            (
                "SELECT total(a.x) FROM t a JOIN u ON u.i = a.i",
                "a(t).x:added",
            ),
            (
                "SELECT * FROM t WHERE x > 10 AND y = -5",
                "x:compared y:compared",
            ),
            ("SELECT * FROM t WHERE 10.5 <= x", "x:compared"),
            (
                "SELECT * FROM t WHERE x NOT BETWEEN 1 AND 2 OR y IN (1, 2)",
                "x:compared y:compared",
            ),
            (
                "SELECT * FROM t WHERE x > ? AND y < ?1 AND :n = z",
                "x:with 1? y:with 1?1 z:with 2:n",
            ),
            ("SELECT * FROM t ORDER BY x DESC LIMIT 5", "x:ordered"),
            ("SELECT [x] FROM t WHERE `y` <> 1", "y:compared"),
            // A value, and what is no column.
            (
                "SELECT sum(CAST(x AS REAL)), count(x), sum(x + 1) FROM t",
                "",
            ),
            ("SELECT * FROM t WHERE x = 'a' AND y > z AND x + 1 > 5", ""),
            (
                "SELECT * FROM t WHERE 1 + x > 5 AND x LIKE 'a' AND length(x) > 5",
                "",
            ),
            ("SELECT min(x, 1) FROM t LIMIT 5", ""),
            ("SELECT", ""),
            ("", ""),
        ] {
            assert_eq!(found(statement), wanted, "{statement}");
        }
    }
}
