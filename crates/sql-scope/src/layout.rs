//! Locates the parts of one statement in its tokens, and makes the splices that both walls insert
//! there.
//!
//! The walls are [`crate::tenant`], which gives each tenant of a shared database its own tables,
//! and [`crate::scope`], which gives each tenant its own rows. Nothing is guessed: if a part is not
//! where the grammar has it, the result is `None`, and the statement is refused.

use std::ops::Range;

use sqlite3_parser::dialect::TokenType;

use sql_gate::lex::{Token, split_at_commas};
use sql_gate::operations::{Kind, Operations, Target, unquote};
use sql_gate::splice::Splice;

/// A statement with its tokens and facts.
pub(crate) struct Layout<'a> {
    pub text: &'a str,
    pub tokens: &'a [Token],
    pub facts: &'a Operations,
}

/// The table that INSERT, UPDATE or DELETE writes.
pub(crate) struct WrittenPlace {
    /// The first token after the name and its alias.
    pub behind: usize,
    /// The alias, or `None` if columns are qualified with the table's name.
    pub alias: Option<String>,
}

/// The action of an upsert clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UpsertKind {
    Nothing,
    Update,
}

/// The parts of an INSERT, according to the syntax tree.
pub(crate) struct InsertParts<'a> {
    /// The number of rows that it lists, or `None` if they come from a query.
    pub rows: Option<usize>,
    pub upserts: &'a [UpsertKind],
    /// The column that the caller writes and whose value is replaced.
    pub claimed: Option<Claimed>,
}

/// A column in the list of an INSERT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Claimed {
    pub position: usize,
    /// The number of columns in the list.
    pub width: usize,
}

/// The name of the source of an INSERT if the caller writes the scope column.
pub(crate) const CLAIMED_SOURCE: &str = "_codemode_source";

/// Returns the name of a column of that source.
pub(crate) fn claimed_name(position: usize) -> String {
    format!("c{}", position + 1)
}

/// The keywords that may follow the result columns of a SELECT.
const AFTER_RESULTS: [TokenType; 10] = [
    TokenType::TK_FROM,
    TokenType::TK_WHERE,
    TokenType::TK_GROUP,
    TokenType::TK_HAVING,
    TokenType::TK_WINDOW,
    TokenType::TK_ORDER,
    TokenType::TK_LIMIT,
    TokenType::TK_UNION,
    TokenType::TK_EXCEPT,
    TokenType::TK_INTERSECT,
];

/// The positions of the parts of an INSERT, as token indexes.
struct Insertion {
    /// The bracket that closes the list of columns.
    closing: usize,
    /// The ON of each ON CONFLICT.
    clauses: Vec<usize>,
    /// The position after the last of them.
    end: usize,
}

impl Insertion {
    fn source(&self) -> Range<usize> {
        self.closing + 1..self.clauses.first().copied().unwrap_or(self.end)
    }
}

impl Layout<'_> {
    pub(crate) fn kind(&self, at: usize) -> Option<TokenType> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// Returns the index of the first token after EXPLAIN QUERY PLAN.
    fn start(&self) -> usize {
        if self.kind(0) == Some(TokenType::TK_EXPLAIN) {
            3
        } else {
            0
        }
    }

    /// Returns the indexes of the tokens outside of all brackets, from `start` on.
    fn outside(&self, start: usize) -> Option<Vec<usize>> {
        let mut depth = 0_usize;
        let mut found = Vec::new();
        for (index, token) in self.tokens.iter().enumerate().skip(start) {
            match token.kind {
                TokenType::TK_LP => depth += 1,
                TokenType::TK_RP => depth = depth.checked_sub(1)?,
                _ if depth == 0 => found.push(index),
                _ => {}
            }
        }
        Some(found)
    }

    /// Returns the index of the first token of a kind outside of all brackets, from `start` on.
    fn find_outside(&self, start: usize, wanted: TokenType) -> Option<usize> {
        let mut found = self.outside(start)?.into_iter();
        found.find(|index| self.kind(*index) == Some(wanted))
    }

    /// Returns the tokens of the names that are written, created or referred to, one for each
    /// target of the facts.
    pub(crate) fn targets(&self) -> Option<Vec<usize>> {
        let mut names = match self.facts.kind {
            Kind::Select => Vec::new(),
            Kind::Insert | Kind::Update | Kind::Delete => vec![self.written_name()?],
            Kind::CreateTable => vec![self.behind_created(TokenType::TK_TABLE)?],
            Kind::CreateView => vec![self.behind_created(TokenType::TK_VIEW)?],
            Kind::CreateIndex => {
                let index = self.behind_created(TokenType::TK_INDEX)?;
                (self.kind(index + 1)? == TokenType::TK_ON).then(|| vec![index, index + 2])?
            }
            Kind::CreateVirtualTable { .. }
            | Kind::AlterTable
            | Kind::DropTable
            | Kind::DropIndex
            | Kind::DropView
            | Kind::Other(_) => return None,
        };
        let references = self
            .tokens
            .iter()
            .enumerate()
            .filter(|(_, token)| token.kind == TokenType::TK_REFERENCES);
        names.extend(references.map(|(index, _)| index + 1));
        if names.len() != self.facts.targets.len() {
            return None;
        }
        let fits = |(at, target): (&usize, &Target)| {
            self.tokens
                .get(*at)
                .is_some_and(|token| unquote(token.text(self.text)) == target.name)
                && self.kind(at + 1) != Some(TokenType::TK_DOT)
        };
        names
            .iter()
            .zip(&self.facts.targets)
            .all(fits)
            .then_some(names)
    }

    fn written_name(&self) -> Option<usize> {
        match self.facts.kind {
            Kind::Insert => Some(self.find_outside(self.start(), TokenType::TK_INTO)? + 1),
            Kind::Update => {
                let update = self.find_outside(self.start(), TokenType::TK_UPDATE)?;
                let with_conflict = self.kind(update + 1)? == TokenType::TK_OR;
                Some(update + if with_conflict { 3 } else { 1 })
            }
            Kind::Delete => {
                let delete = self.find_outside(self.start(), TokenType::TK_DELETE)?;
                (self.kind(delete + 1)? == TokenType::TK_FROM).then_some(delete + 2)
            }
            Kind::Select
            | Kind::CreateTable
            | Kind::CreateIndex
            | Kind::CreateView
            | Kind::CreateVirtualTable { .. }
            | Kind::AlterTable
            | Kind::DropTable
            | Kind::DropIndex
            | Kind::DropView
            | Kind::Other(_) => None,
        }
    }

    fn behind_created(&self, what: TokenType) -> Option<usize> {
        let start = self.start();
        let unique = usize::from(self.kind(start + 1)? == TokenType::TK_UNIQUE);
        let kind = start + 1 + unique;
        if self.kind(start)? != TokenType::TK_CREATE || self.kind(kind)? != what {
            return None;
        }
        let conditional = [TokenType::TK_IF, TokenType::TK_NOT, TokenType::TK_EXISTS];
        let is_conditional = conditional
            .iter()
            .enumerate()
            .all(|(step, wanted)| self.kind(kind + 1 + step) == Some(*wanted));
        Some(kind + 1 + if is_conditional { conditional.len() } else { 0 })
    }

    /// Returns the table that is written, with its alias.
    pub(crate) fn written(&self) -> Option<WrittenPlace> {
        let at = self.written_name()?;
        if self.kind(at + 1) != Some(TokenType::TK_AS) {
            return Some(WrittenPlace {
                behind: at + 1,
                alias: None,
            });
        }
        let alias = self.tokens.get(at + 2)?;
        Some(WrittenPlace {
            behind: at + 3,
            alias: Some(unquote(alias.text(self.text))),
        })
    }

    /// Returns the splice that puts definitions of tables before the query, or into its WITH if it
    /// has one.
    pub(crate) fn define(&self, definitions: &[String]) -> Option<Option<Splice>> {
        if definitions.is_empty() {
            return Some(None);
        }
        let definitions = definitions.join(", ");
        let query = match self.facts.kind {
            Kind::CreateTable | Kind::CreateView => {
                self.find_outside(self.start(), TokenType::TK_AS)? + 1
            }
            Kind::Select | Kind::Insert | Kind::Update | Kind::Delete => self.start(),
            Kind::CreateIndex
            | Kind::CreateVirtualTable { .. }
            | Kind::AlterTable
            | Kind::DropTable
            | Kind::DropIndex
            | Kind::DropView
            | Kind::Other(_) => return None,
        };
        let first = self.tokens.get(query)?;
        if first.kind != TokenType::TK_WITH {
            return Some(Some(Splice::insert(
                first.start,
                format!("WITH {definitions} "),
            )));
        }
        let behind = query + 1 + usize::from(self.kind(query + 1)? == TokenType::TK_RECURSIVE);
        Some(Some(Splice::insert(
            self.tokens.get(behind)?.start,
            format!("{definitions}, "),
        )))
    }

    /// Returns the splices that add `predicate` to the WHERE of UPDATE or DELETE. It comes first,
    /// so that the caller's conditions are computed only on rows that satisfy it. `wrap` is the
    /// text before and after the old condition.
    pub(crate) fn filter(&self, predicate: &str, wrap: (&str, &str)) -> Option<Vec<Splice>> {
        let outside = self.outside(self.written()?.behind)?;
        let ends = |index: &&usize| {
            matches!(
                self.kind(**index),
                Some(TokenType::TK_RETURNING | TokenType::TK_ORDER | TokenType::TK_LIMIT)
            )
        };
        let end = outside
            .iter()
            .find(ends)
            .copied()
            .unwrap_or(self.tokens.len());
        let mut conditions = outside
            .iter()
            .copied()
            .filter(|index| self.kind(*index) == Some(TokenType::TK_WHERE));
        match (conditions.next(), conditions.next()) {
            (None, _) => self.conditional(end, predicate),
            (Some(condition), None) if condition < end => {
                self.conditioned(condition, end, predicate, wrap)
            }
            _ => None,
        }
    }

    /// Returns a splice that adds a WHERE before the token `end`.
    fn conditional(&self, end: usize, predicate: &str) -> Option<Vec<Splice>> {
        let last = self.tokens.get(end.checked_sub(1)?)?;
        Some(vec![Splice::insert(
            last.end,
            format!("\nWHERE {predicate}\n"),
        )])
    }

    /// Returns the splices that put the condition between the token `condition`, a WHERE, and the
    /// token `end` in brackets, after the predicate.
    fn conditioned(
        &self,
        condition: usize,
        end: usize,
        predicate: &str,
        (before, behind): (&str, &str),
    ) -> Option<Vec<Splice>> {
        if condition + 1 >= end {
            return None;
        }
        let first = self.tokens.get(condition)?;
        let last = self.tokens.get(end.checked_sub(1)?)?;
        Some(vec![
            Splice::insert(first.end, format!(" {predicate} AND {before}(")),
            Splice::insert(last.end, format!("\n){behind}")),
        ])
    }

    /// Returns the positions of the parts of an INSERT that has a column list and `upserts` ON
    /// CONFLICT clauses.
    fn insertion(&self, upserts: usize) -> Option<Insertion> {
        let opening = self.written()?.behind;
        if self.kind(opening)? != TokenType::TK_LP {
            return None;
        }
        let list = self.tokens.get(opening..)?;
        let length = list
            .iter()
            .position(|token| token.kind == TokenType::TK_RP)?;
        let closing = opening + length;
        let outside = self.outside(closing + 1)?;
        let end = self.end_of_insert(&outside)?;
        let clauses: Vec<usize> = outside
            .iter()
            .copied()
            .filter(|index| {
                *index < end
                    && self.kind(*index) == Some(TokenType::TK_ON)
                    && self.kind(index + 1) == Some(TokenType::TK_CONFLICT)
            })
            .collect();
        (clauses.len() == upserts).then_some(Insertion {
            closing,
            clauses,
            end,
        })
    }

    /// Returns the tokens of the source of an INSERT's rows.
    pub(crate) fn insert_source(&self, upserts: usize) -> Option<Range<usize>> {
        Some(self.insertion(upserts)?.source())
    }

    /// Returns the tokens of the value at a position in each of the rows `VALUES (…), …` between
    /// these tokens.
    pub(crate) fn row_values(
        &self,
        source: Range<usize>,
        position: usize,
    ) -> Option<Vec<&[Token]>> {
        let tokens = self.tokens.get(source)?;
        let (first, groups) = tokens.split_first()?;
        if first.kind != TokenType::TK_VALUES {
            return None;
        }
        split_at_commas(groups)
            .map(|group| {
                let inside = group.get(1..group.len().checked_sub(1)?)?;
                split_at_commas(inside).nth(position)
            })
            .collect()
    }

    /// Returns the tokens of the result column at a position in each SELECT of the query between
    /// these tokens, or `None` if a `*` comes before one.
    pub(crate) fn result_values(
        &self,
        source: Range<usize>,
        position: usize,
    ) -> Option<Vec<&[Token]>> {
        let outside: Vec<usize> = self
            .outside(source.start)?
            .into_iter()
            .filter(|at| source.contains(at))
            .collect();
        let mut found = Vec::new();
        for at in outside.iter().copied() {
            match self.kind(at)? {
                TokenType::TK_VALUES => return None,
                TokenType::TK_SELECT => {}
                _ => continue,
            }
            let distinct = usize::from(matches!(
                self.kind(at + 1)?,
                TokenType::TK_DISTINCT | TokenType::TK_ALL
            ));
            let first = at + 1 + distinct;
            let ends = |next: &usize| {
                *next > at
                    && self
                        .kind(*next)
                        .is_some_and(|kind| AFTER_RESULTS.contains(&kind))
            };
            let last = outside.iter().copied().find(ends).unwrap_or(source.end);
            let items: Vec<&[Token]> = split_at_commas(self.tokens.get(first..last)?)
                .take(position + 1)
                .collect();
            let is_star = |item: &&[Token]| {
                item.last()
                    .is_some_and(|token| token.kind == TokenType::TK_STAR)
            };
            if items.len() != position + 1 || items.iter().any(is_star) {
                return None;
            }
            found.extend(items.last().copied());
        }
        (!found.is_empty()).then_some(found)
    }

    /// Returns the splices that give each row of an INSERT with a column list the value of one
    /// column, and each DO UPDATE the predicate.
    pub(crate) fn insert(
        &self,
        column: &str,
        value: &str,
        predicate: &str,
        wrap: (&str, &str),
        parts: &InsertParts<'_>,
    ) -> Option<Vec<Splice>> {
        let insertion = self.insertion(parts.upserts.len())?;
        let source = insertion.source();
        let Insertion {
            closing,
            clauses,
            end,
        } = insertion;
        let mut splices = Vec::new();
        match (parts.claimed, parts.rows) {
            // The values that the caller lists are replaced by the splices for SET.
            (Some(_), Some(_)) => {}
            (Some(claimed), None) => splices.extend(self.claimed_source(source, value, claimed)?),
            (None, rows) => {
                splices.push(Splice::insert(
                    self.tokens.get(closing)?.start,
                    format!(", {column}"),
                ));
                splices.extend(match rows {
                    Some(rows) => self.written_rows(source, rows, value)?,
                    None => self.wrapped_source(source, value)?,
                });
            }
        }
        for (number, kind) in parts.upserts.iter().enumerate() {
            let clause = *clauses.get(number)?;
            let clause_end = clauses.get(number + 1).copied().unwrap_or(end);
            splices.extend(self.upsert(clause, clause_end, *kind, predicate, wrap)?);
        }
        Some(splices)
    }

    /// Returns the splices that add the value after the last one of each row between these tokens,
    /// which are `rows` rows written as `VALUES (…), …`.
    fn written_rows(&self, source: Range<usize>, rows: usize, value: &str) -> Option<Vec<Splice>> {
        let mut splices = Vec::with_capacity(rows);
        let mut depth = 0_usize;
        let tokens = self.tokens.get(source)?;
        let (first, groups) = tokens.split_first()?;
        if first.kind != TokenType::TK_VALUES {
            return None;
        }
        for token in groups {
            match token.kind {
                TokenType::TK_LP => depth += 1,
                TokenType::TK_RP => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        splices.push(Splice::insert(token.start, format!(", {value}")));
                    }
                }
                TokenType::TK_COMMA => {}
                _ if depth == 0 => return None,
                _ => {}
            }
        }
        (depth == 0 && splices.len() == rows).then_some(splices)
    }

    /// Returns the splices that make a query of the source between these tokens, with the value as
    /// an additional column.
    fn wrapped_source(&self, source: Range<usize>, value: &str) -> Option<Vec<Splice>> {
        let tokens = self.tokens.get(source)?;
        let (first, last) = (tokens.first()?, tokens.last()?);
        Some(vec![
            Splice::insert(first.start, format!("SELECT *, {value} FROM (")),
            Splice::insert(last.end, "\n) WHERE true\n"),
        ])
    }

    /// Returns the splices that make a query of the source between these tokens, with the value in
    /// place of one of its columns.
    fn claimed_source(
        &self,
        source: Range<usize>,
        value: &str,
        claimed: Claimed,
    ) -> Option<Vec<Splice>> {
        let tokens = self.tokens.get(source)?;
        let (first, last) = (tokens.first()?, tokens.last()?);
        let names: Vec<String> = (0..claimed.width).map(claimed_name).collect();
        let values: Vec<&str> = names
            .iter()
            .enumerate()
            .map(|(position, name)| match position == claimed.position {
                true => value,
                false => name.as_str(),
            })
            .collect();
        Some(vec![
            Splice::insert(
                first.start,
                format!("WITH {CLAIMED_SOURCE}({}) AS (", names.join(", ")),
            ),
            Splice::insert(
                last.end,
                format!(
                    "\n) SELECT {} FROM {CLAIMED_SOURCE} WHERE true\n",
                    values.join(", ")
                ),
            ),
        ])
    }

    /// Returns the token after the last clause of an INSERT, not counting its RETURNING.
    fn end_of_insert(&self, outside: &[usize]) -> Option<usize> {
        let mut returning = outside
            .iter()
            .copied()
            .filter(|index| self.kind(*index) == Some(TokenType::TK_RETURNING));
        match (
            returning.next(),
            returning.next(),
            self.facts.returning.is_some(),
        ) {
            (None, _, false) => Some(self.tokens.len()),
            (Some(at), None, true) => Some(at),
            _ => None,
        }
    }

    fn upsert(
        &self,
        clause: usize,
        end: usize,
        kind: UpsertKind,
        predicate: &str,
        wrap: (&str, &str),
    ) -> Option<Vec<Splice>> {
        let outside = self.outside(clause)?;
        let inside: Vec<usize> = outside.into_iter().filter(|index| *index < end).collect();
        let mut actions = inside.iter().copied().filter(|index| {
            self.kind(*index) == Some(TokenType::TK_DO)
                && matches!(
                    self.kind(index + 1),
                    Some(TokenType::TK_UPDATE | TokenType::TK_NOTHING)
                )
        });
        let action = actions.next()?;
        if actions.next().is_some() {
            return None;
        }
        match (kind, self.kind(action + 1)?) {
            (UpsertKind::Nothing, TokenType::TK_NOTHING) => Some(Vec::new()),
            (UpsertKind::Update, TokenType::TK_UPDATE) => {
                let mut conditions = inside.iter().copied().filter(|index| {
                    *index > action && self.kind(*index) == Some(TokenType::TK_WHERE)
                });
                match (conditions.next(), conditions.next()) {
                    (None, _) => self.conditional(end, predicate),
                    (Some(condition), None) => self.conditioned(condition, end, predicate, wrap),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
