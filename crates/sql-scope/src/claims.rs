//! Handles the tenant's column in the list of an INSERT or in SET. A caller may only write the
//! value of the scope into it; any other value is refused.
//!
//! The caller's value is a literal or a placeholder. It is replaced by the value of the scope, so
//! even a mistake here could not give a row to another tenant.

use std::ops::Range;

use serde_json::Value;
use sqlite3_parser::dialect::TokenType;

use super::scope::Scope;
use super::syntax::Syntax;
use super::tables::Tables;
use crate::layout::Layout;
use base::{Error, Result};
use sql_gate::lex::{Token, split_at_commas};
use sql_gate::operations::unquote;
use sql_gate::placeholders::Placeholders;
use sql_gate::policy::blocked;
use sql_gate::scoping::ScopeValue;

/// The places where a statement writes the tenant's column.
#[derive(Debug, Clone, Default)]
pub(super) struct Claims {
    /// Its position in the list of an INSERT.
    pub inserted: Option<usize>,
    /// The number of columns in that list.
    pub width: usize,
    /// The byte ranges of the values that the value of the scope replaces: those of VALUES and of
    /// SET.
    pub replaced: Vec<Range<usize>>,
    /// The numbers of the parameters that must be the value of the scope.
    pub parameters: Vec<usize>,
}

impl Claims {
    /// Finds the places where a statement writes the tenant's column.
    ///
    /// # Errors
    /// `SQL_BLOCKED` for a value that differs, or that is not known before the statement runs.
    pub fn of(
        layout: &Layout<'_>,
        syntax: &Syntax,
        scope: &Scope,
        placeholders: &Placeholders,
        tables: &Tables,
    ) -> Result<Self> {
        let is_tenants = |name: &String| name.eq_ignore_ascii_case(&scope.column);
        let columns = syntax.columns.as_deref().unwrap_or_default();
        let listed = columns.iter().filter(|name| is_tenants(name)).count();
        let set = syntax.set.iter().filter(|name| is_tenants(name)).count();
        if listed + set == 0 {
            return Ok(Self::default());
        }
        let found = Reader {
            layout,
            scope,
            placeholders,
            tables,
        }
        .claims(syntax, columns, (listed, set));
        found.ok_or_else(|| refused(&scope.column))
    }

    /// Refuses a parameter that is not the value of the scope.
    ///
    /// # Errors
    /// `SQL_BLOCKED`.
    pub fn check(&self, column: &str, value: &ScopeValue, values: &[&Value]) -> Result<()> {
        let is_its = |number: &usize| {
            let given = number.checked_sub(1).and_then(|index| values.get(index));
            match given {
                Some(Value::String(text)) => *text == text_of(value),
                Some(Value::Number(number)) => {
                    number.is_i64() && number.to_string() == text_of(value)
                }
                _ => false,
            }
        };
        match self.parameters.iter().all(is_its) {
            true => Ok(()),
            false => Err(refused(column)),
        }
    }
}

/// Returns the refusal of another value.
pub(super) fn refused(column: &str) -> Error {
    blocked(
        "scope_column",
        &format!("{column} cannot be written under a row scope: the scope sets it"),
        &format!(
            "leave {column} out of the column list and of SET, or write the value of the scope as a literal or parameter without brackets, in SET as {column} = value by itself; a SELECT may return it as a plain column of a table"
        ),
    )
}

/// Returns a value as a text. The column's type converts both kinds of values, so they are compared
/// as texts.
fn text_of(value: &ScopeValue) -> String {
    match value {
        ScopeValue::Text(text) => text.clone(),
        ScopeValue::Integer(integer) => integer.to_string(),
    }
}

struct Reader<'a> {
    layout: &'a Layout<'a>,
    scope: &'a Scope,
    placeholders: &'a Placeholders,
    tables: &'a Tables,
}

impl Reader<'_> {
    fn claims(
        &self,
        syntax: &Syntax,
        columns: &[String],
        (listed, set): (usize, usize),
    ) -> Option<Claims> {
        let mut found = Claims {
            width: columns.len(),
            ..Claims::default()
        };
        if listed > 0 {
            let is_tenants = |name: &String| name.eq_ignore_ascii_case(&self.scope.column);
            let position = (listed == 1).then(|| columns.iter().position(is_tenants))??;
            found.inserted = Some(position);
            let source = self.layout.insert_source(syntax.upserts.len())?;
            match syntax.written_rows {
                Some(rows) => {
                    let written = self.layout.row_values(source, position)?;
                    if written.len() != rows {
                        return None;
                    }
                    for value in written {
                        self.claim(value, &mut found)?;
                        found.replaced.push(bytes(value)?);
                    }
                }
                None => {
                    let values = self.layout.result_values(source, position)?;
                    if values.len() != syntax.sources.len() {
                        return None;
                    }
                    for (value, arm) in values.into_iter().zip(&syntax.sources) {
                        let column = &self.scope.column;
                        let is_owned = arm.as_ref().is_some_and(|arm| {
                            arm.yields(position, column, self.layout, self.tables)
                        });
                        if !is_owned {
                            self.claim(self.without_alias(value)?, &mut found)?;
                        }
                    }
                }
            }
        }
        let assigned = self.assigned();
        if assigned.len() != set {
            return None;
        }
        for value in assigned {
            if !self.is_excluded(value) {
                self.claim(value, &mut found)?;
            }
            found.replaced.push(bytes(value)?);
        }
        Some(found)
    }

    /// Accepts a literal with the value of the scope, or a placeholder. Returns `None` for anything
    /// else.
    fn claim(&self, value: &[Token], found: &mut Claims) -> Option<()> {
        let text = |token: &Token| token.text(self.layout.text);
        let literal = match value {
            [token] if token.kind == TokenType::TK_VARIABLE => {
                let mut places = self.placeholders.places.iter();
                let place = places.find(|place| place.start == token.start)?;
                found.parameters.push(place.number);
                return Some(());
            }
            [token] if token.kind == TokenType::TK_STRING => unquote(text(token)),
            [token] if token.kind == TokenType::TK_INTEGER => text(token).to_owned(),
            [sign, token]
                if sign.kind == TokenType::TK_MINUS && token.kind == TokenType::TK_INTEGER =>
            {
                format!("-{}", text(token))
            }
            _ => return None,
        };
        (literal == text_of(&self.scope.value)).then_some(())
    }

    /// Returns `'A' AS business_id` without the alias.
    fn without_alias<'t>(&self, item: &'t [Token]) -> Option<&'t [Token]> {
        let signs = usize::from(item.first()?.kind == TokenType::TK_MINUS);
        let (value, alias) = item.split_at_checked(signs + 1)?;
        let is_alias = match alias {
            [] | [_] => true,
            [word, _] => word.kind == TokenType::TK_AS,
            _ => false,
        };
        is_alias.then_some(value)
    }

    /// Returns the values after `SET business_id =` and `, business_id =`, outside of all brackets.
    fn assigned(&self) -> Vec<&[Token]> {
        let tokens = self.layout.tokens;
        let mut found = Vec::new();
        let mut depth = 0_usize;
        let mut in_set = false;
        for (at, token) in tokens.iter().enumerate() {
            match token.kind {
                TokenType::TK_LP => depth += 1,
                TokenType::TK_RP => depth = depth.saturating_sub(1),
                _ if depth > 0 => continue,
                TokenType::TK_SET => in_set = true,
                TokenType::TK_FROM
                | TokenType::TK_WHERE
                | TokenType::TK_RETURNING
                | TokenType::TK_ORDER
                | TokenType::TK_LIMIT
                | TokenType::TK_ON => in_set = false,
                _ => {}
            }
            let begins = matches!(token.kind, TokenType::TK_SET | TokenType::TK_COMMA);
            let name = tokens
                .get(at + 1)
                .map(|name| unquote(name.text(self.layout.text)));
            let is_tenants = name.is_some_and(|name| name.eq_ignore_ascii_case(&self.scope.column));
            let is_assigned = tokens
                .get(at + 2)
                .is_some_and(|sign| sign.kind == TokenType::TK_EQ);
            if in_set && depth == 0 && begins && is_tenants && is_assigned {
                found.push(value_at(tokens.get(at + 3..).unwrap_or_default()));
            }
        }
        found
    }

    /// Returns true for `excluded.business_id`, which is the value that the INSERT writes.
    fn is_excluded(&self, value: &[Token]) -> bool {
        let name = |token: &Token| unquote(token.text(self.layout.text));
        match value {
            [table, dot, column] => {
                dot.kind == TokenType::TK_DOT
                    && name(table).eq_ignore_ascii_case("excluded")
                    && name(column).eq_ignore_ascii_case(&self.scope.column)
                    && self.layout.facts.kind == sql_gate::operations::Kind::Insert
            }
            _ => false,
        }
    }
}

/// Returns the tokens of one value of SET.
fn value_at(tokens: &[Token]) -> &[Token] {
    let first = split_at_commas(tokens).next().unwrap_or_default();
    let end = first.iter().position(|token| {
        matches!(
            token.kind,
            TokenType::TK_FROM
                | TokenType::TK_WHERE
                | TokenType::TK_RETURNING
                | TokenType::TK_ORDER
                | TokenType::TK_LIMIT
                | TokenType::TK_ON
        )
    });
    first.get(..end.unwrap_or(first.len())).unwrap_or_default()
}

fn bytes(tokens: &[Token]) -> Option<Range<usize>> {
    Some(tokens.first()?.start..tokens.last()?.end)
}
