//! Counts rows by key: how many rows of a table have the same values in some columns, or in
//! expressions of an index.

use super::lengths::Lengths;
use super::statistics::{GROUPED_ROW, SchemaRows, Statistics};
use crate::work::rate;
use database::{Cell, Database};
use sql_gate::compose::{Part, compose, quote_identifier};
use sql_gate::functions;
use sql_gate::lex::{self, Token};
use sql_gate::limits::MAX_KEY_COUNTED_ROWS;
use sql_gate::operations::unquote;
use sqlite3_parser::dialect::TokenType;

/// The cost of evaluating a part of an expression for each row, in units of 10 ns.
const EVALUATED: f64 = 15.0;

/// The most bytes of an expression that is evaluated to count keys.
const MAX_EXPRESSION_BYTES: usize = 500;

/// A part of a key: an expression in SQL, and the collation that compares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPart {
    text: String,
    collation: String,
    /// True if it is an expression and not a column.
    is_computed: bool,
}

impl KeyPart {
    pub fn column(name: &str, collation: String) -> Self {
        Self {
            text: quote_identifier(name),
            collation,
            is_computed: false,
        }
    }
}

impl<D: Database> Statistics<'_, D> {
    /// Returns the first parts of the key of an index, or of a table without rowid.
    pub fn key_parts(&self, index: &str, count: usize) -> Option<Vec<KeyPart>> {
        let rows = self.of_schema(
            "SELECT name, coll FROM pragma_index_xinfo(?1) WHERE key = 1 ORDER BY seqno",
            &[index],
        )?;
        let computed = self.computed_parts(index, &rows);
        let parts: Option<Vec<KeyPart>> = rows
            .iter()
            .take(count)
            .enumerate()
            .map(|(position, row)| {
                let collation = row.get(1)?.clone().into_text();
                match row.first()?.as_text() {
                    Some(name) => Some(KeyPart::column(name, collation)),
                    None => Some(KeyPart {
                        text: format!("({})", computed.get(position)?),
                        collation,
                        is_computed: true,
                    }),
                }
            })
            .collect();
        parts.filter(|parts| parts.len() == count)
    }

    /// Returns the parts of an index as they are written, if one of them is an expression.
    fn computed_parts(&self, index: &str, rows: &SchemaRows) -> Vec<String> {
        let is_column = |row: &Vec<Cell>| row.first().is_some_and(|name| name.as_text().is_some());
        if rows.iter().all(is_column) {
            return Vec::new();
        }
        let found = self.of_schema(
            "SELECT sql FROM sqlite_schema WHERE type = 'index' AND lower(name) = lower(?1)",
            &[index],
        );
        let sql = found.and_then(|rows| Some(rows.first()?.first()?.clone().into_text()));
        sql.and_then(|sql| written_parts(&sql)).unwrap_or_default()
    }

    /// Returns the name of the index that stores a table WITHOUT ROWID.
    pub(super) fn primary_key_of(&self, table: &str) -> Option<String> {
        let rows = self.of_schema(
            "SELECT name FROM pragma_index_list(?1) WHERE origin = 'pk'",
            &[table],
        )?;
        Some(rows.first()?.first()?.clone().into_text())
    }

    /// Returns the condition of a partial index as it is written, or an empty text for an index of
    /// all rows.
    pub(super) fn filter_of_index(&self, index: &str) -> Option<String> {
        let rows = self.of_schema(
            "SELECT coalesce(sql, '') FROM sqlite_schema WHERE type = 'index' AND name = ?1",
            &[index],
        )?;
        let Some(sql) = rows.first() else {
            return Some(String::new());
        };
        let sql = sql.first()?.clone().into_text();
        let tokens = lex::tokens(&sql).ok()?;
        let at = |kind: TokenType| tokens.iter().position(|token| token.kind == kind);
        let Some(condition) = at(TokenType::TK_WHERE) else {
            return Some(String::new());
        };
        let first = tokens.get(condition + 1)?;
        let last = tokens.last()?;
        Some(sql.get(first.start..last.end)?.to_owned())
    }

    /// Returns a condition on the columns of a table as a condition on the columns of the table
    /// `r…` of a join.
    pub(super) fn condition_on(
        &self,
        table: &str,
        condition: &str,
        number: usize,
    ) -> Option<String> {
        let names = self.of_schema("SELECT name FROM pragma_table_xinfo(?1)", &[table])?;
        let is_column = |token: &Token| {
            let written = unquote(token.text(condition));
            let mut names = names.iter().filter_map(|row| row.first()?.as_text());
            token.kind != TokenType::TK_STRING
                && names.any(|name| written.eq_ignore_ascii_case(name))
        };
        let tokens = lex::tokens(condition).ok()?;
        let mut text = String::from("(");
        let mut tokens = tokens.iter().peekable();
        while let Some(token) = tokens.next() {
            match tokens.peek().map(|next| next.kind) {
                // The table's own name is skipped, because the join uses another one.
                Some(TokenType::TK_DOT) => {
                    tokens.next();
                    continue;
                }
                Some(TokenType::TK_LP) => {}
                _ if is_column(token) => text.push_str(&format!("r{number}.")),
                _ => {}
            }
            text.push_str(token.text(condition));
            text.push(' ');
        }
        text.push(')');
        Some(text)
    }

    /// Returns the largest number of rows that have the same values in these parts of a key.
    pub fn rows_of_key(&self, table: &str, parts: &[KeyPart], nulls: bool) -> Option<f64> {
        let all = self.rows_of(table);
        if all > MAX_KEY_COUNTED_ROWS as f64 {
            return None;
        }
        self.counted(format!("key {table} {parts:?} {nulls}"), || {
            if !self.affords_key(table, parts) {
                return None;
            }
            let mut query = vec![
                Part::Sql("SELECT max(n) FROM (SELECT count(*) AS n FROM "),
                Part::Identifier(table),
            ];
            if !nulls {
                for (position, part) in parts.iter().enumerate() {
                    query.push(Part::Sql(if position == 0 { " WHERE " } else { " AND " }));
                    query.extend([Part::Expression(&part.text), Part::Sql(" IS NOT NULL")]);
                }
            }
            for (position, part) in parts.iter().enumerate() {
                query.push(Part::Sql(if position == 0 { " GROUP BY " } else { ", " }));
                query.extend([
                    Part::Expression(&part.text),
                    Part::Sql(" COLLATE "),
                    Part::Identifier(&part.collation),
                ]);
            }
            query.push(Part::Sql(")"));
            self.number(&compose(&query, Vec::new()))
        })
    }

    /// Returns the lengths of an expression of an index: it is made from the columns that it names
    /// and from its own text.
    pub(super) fn lengths_of_computed(&self, page: i64, column: i64) -> Option<Lengths> {
        let owner = self.owner(page)?;
        let position = usize::try_from(column).ok()?;
        let parts = self.key_parts(owner.index.as_ref()?, position + 1)?;
        let part = parts.last().filter(|part| part.is_computed)?;
        let own = part.text.len() as f64;
        let mut found = Lengths {
            longest: own,
            all: own * self.rows_of(&owner.table),
        };
        for name in self.columns_read(&owner.table, part)? {
            let (longest, all) = self.measured(&owner.table, &name)?;
            found.longest += longest;
            found.all += all;
        }
        Some(found)
    }

    /// Returns the columns that a part of a key names, once for each time, or `None` if it calls a
    /// function that is not linear.
    fn columns_read(&self, table: &str, part: &KeyPart) -> Option<Vec<String>> {
        let names = self.of_schema("SELECT name FROM pragma_table_xinfo(?1)", &[table])?;
        let tokens = linear_tokens(&part.text)?;
        let column = |token: &Token| {
            let written = unquote(token.text(&part.text));
            let mut names = names.iter().filter_map(|row| row.first()?.as_text());
            names
                .find(|name| written.eq_ignore_ascii_case(name))
                .map(str::to_owned)
        };
        Some(tokens.iter().filter_map(column).collect())
    }

    /// Returns true if counting may evaluate a key for each row, and group by it.
    fn affords_key(&self, table: &str, parts: &[KeyPart]) -> bool {
        let mut read: Vec<String> = Vec::new();
        let mut evaluated = 0.0;
        for part in parts {
            let Some(columns) = self.columns_read(table, part) else {
                return false;
            };
            read.extend(columns);
            if part.is_computed {
                evaluated += lex::tokens(&part.text).map_or(0, |tokens| tokens.len()) as f64;
            }
        }
        if evaluated == 0.0 {
            let read: Vec<&str> = read.iter().map(String::as_str).collect();
            return self.affords_grouping(table, &read);
        }
        let bytes: Option<f64> = read
            .iter()
            .map(|name| Some(self.measured(table, name)?.1))
            .sum();
        bytes.is_some_and(|bytes| {
            let rows = self.rows_of(table) * (GROUPED_ROW + evaluated * EVALUATED);
            self.affords(rows + bytes * evaluated * rate::PARSED)
        })
    }
}

/// Returns the tokens of an expression, if it is short, calls only [`functions::LINEAR`] functions,
/// and has no sub-query.
fn linear_tokens(text: &str) -> Option<Vec<Token>> {
    let tokens = lex::tokens(text).ok()?;
    let may_call = |pair: &[Token]| match pair {
        [name, next] if next.kind == TokenType::TK_LP => {
            let name = name.text(text);
            let is_name = name
                .starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '"');
            is_name && !is_linear(&unquote(name).to_ascii_lowercase())
        }
        _ => false,
    };
    (text.len() <= MAX_EXPRESSION_BYTES && !tokens.windows(2).any(may_call)).then_some(tokens)
}

/// Returns true if a function is linear. CAST is written like a call.
fn is_linear(name: &str) -> bool {
    name == "cast" || functions::is(name, functions::LINEAR)
}

/// Returns the parts between the brackets of `CREATE INDEX … ON table (…)`, without their
/// direction.
fn written_parts(sql: &str) -> Option<Vec<String>> {
    let tokens = lex::tokens(sql).ok()?;
    let on = tokens
        .iter()
        .position(|token| token.kind == TokenType::TK_ON)?;
    // `ON (…)` would be a table of that name, which the engine never stores in this form.
    let first = on + 2;
    tokens
        .get(first)
        .filter(|token| token.kind == TokenType::TK_LP)?;
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut begin = first + 1;
    for (at, token) in tokens.iter().enumerate().skip(first) {
        match token.kind {
            TokenType::TK_LP => depth += 1,
            TokenType::TK_RP => depth = depth.checked_sub(1)?,
            _ => {}
        }
        let ends = depth == 0 || (depth == 1 && token.kind == TokenType::TK_COMMA);
        if !ends {
            continue;
        }
        let mut part = tokens.get(begin..at)?;
        if let [inner @ .., last] = part
            && matches!(last.kind, TokenType::TK_ASC | TokenType::TK_DESC)
        {
            part = inner;
        }
        parts.push(sql.get(part.first()?.start..part.last()?.end)?.to_owned());
        begin = at + 1;
        if depth == 0 {
            return Some(parts);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{linear_tokens, written_parts};

    #[test]
    fn the_parts_of_an_index_are_read_as_they_are_written() {
        let parts = |sql: &str| written_parts(sql).unwrap();
        assert_eq!(
            parts(
                "CREATE UNIQUE INDEX i ON t (lower(a) DESC, b COLLATE NOCASE, (a + b) ASC) WHERE a"
            ),
            ["lower(a)", "b COLLATE NOCASE", "(a + b)"]
        );
        assert_eq!(
            parts("CREATE INDEX \"ON\" ON \"t (\"(substr(a, 1, 2))"),
            ["substr(a, 1, 2)"]
        );
    }

    #[test]
    fn only_linear_functions_are_run_to_count_keys() {
        for (text, is_linear) in [
            ("lower(a)", true),
            ("(coalesce(trim(a), \"b\") || 'x(')", true),
            ("json_extract(a, '$.x')", true),
            ("a->>'x'", true),
            ("replace(a, 'a', 'bbbb')", false),
            ("hex(a)", false),
            ("\"instr\"(a, b)", false),
            ("printf('%9999d', a)", false),
        ] {
            assert_eq!(linear_tokens(text).is_some(), is_linear, "{text}");
        }
    }
}
