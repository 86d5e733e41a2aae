//! A statement with its parameters: the only outside text that a database accepts.

use std::rc::Rc;

use database::{Bind, ReviewedSql};
use sqlite3_parser::dialect::TokenType;

use crate::operations::StatementKind;
use crate::operations::{Kind, Operations, Returned};
use crate::rewrite::ReturningItems;
use crate::scoping::Scoping;
use crate::splice::{self, Splice};
use crate::{json_rows, lex, placeholders, sizes, value};

/// The caller's statement from which a [`Bound`] was made. It is needed to translate positions of
/// the final text into positions of the caller's text.
#[derive(Debug)]
pub(crate) struct CallerStatement {
    pub(crate) statement: String,
    pub(crate) splices: Vec<Splice>,
    /// The splices that replace placeholders.
    pub(crate) parameter_splices: Vec<Splice>,
    pub(crate) returning: Option<ReturningItems>,
    pub(crate) recursion_limit: Option<u64>,
    pub(crate) notices: Rc<[String]>,
    pub(crate) work: sizes::Work,
}

/// Marks a text as reviewed, so that a database runs it. No other function does so.
#[expect(
    clippy::disallowed_methods,
    reason = "only the gate may, and this is it"
)]
pub(crate) fn passed(text: String, binds: Vec<Bind>) -> ReviewedSql {
    ReviewedSql::passed(text, binds)
}

/// A statement with its parameters: the only text from outside that a database runs.
#[derive(Debug, Clone)]
pub struct Bound {
    pub(crate) reviewed: ReviewedSql,
    pub(crate) kind: StatementKind,
    pub(crate) facts: Rc<Operations>,
    pub(crate) source: Option<Rc<CallerStatement>>,
    pub(crate) scope: Option<Rc<dyn Scoping>>,
}

impl Bound {
    pub(crate) fn new(
        text: String,
        binds: Vec<Bind>,
        kind: StatementKind,
        facts: Rc<Operations>,
    ) -> Self {
        Self {
            reviewed: passed(text, binds),
            kind,
            facts,
            source: None,
            scope: None,
        }
    }

    /// Returns the text and binds for a database.
    pub fn reviewed(&self) -> &ReviewedSql {
        &self.reviewed
    }

    /// Returns the text that runs.
    pub fn sql(&self) -> &str {
        self.reviewed.text()
    }

    /// Returns its parameters, in order.
    pub fn binds(&self) -> &[Bind] {
        self.reviewed.binds()
    }

    /// Returns the notices for the caller after the statement has read this many rows: about the
    /// way in which its text was read, and about a recursion that may have reached its limit. Rows
    /// that the statement reads elsewhere count too.
    pub fn notice(&self, rows_read: u64) -> Option<String> {
        let source = self.source.as_ref()?;
        let mut notices = source.notices.to_vec();
        notices.extend(self.recursion_notice(rows_read));
        (!notices.is_empty()).then(|| notices.join("; "))
    }

    /// Returns the notice about a recursion at its limit, because SQLite ends one there silently.
    pub fn recursion_notice(&self, rows_read: u64) -> Option<String> {
        let limit = self.source.as_ref()?.recursion_limit?;
        // Under a scope, the notice must not reveal the count, not even indirectly.
        (rows_read >= limit || self.is_scoped()).then(|| {
            format!(
                "a recursion stops after {limit} rows, so its result may be incomplete: give it a condition that ends it, or a smaller LIMIT"
            )
        })
    }

    /// Returns the effect of the statement.
    pub fn kind(&self) -> StatementKind {
        self.kind
    }

    /// Returns the facts of the statement.
    pub fn facts(&self) -> &Operations {
        &self.facts
    }

    /// Returns true if it runs under a row scope. Counts from the engine then reveal the number
    /// of others' rows.
    pub fn is_scoped(&self) -> bool {
        self.scope.is_some()
    }

    /// Returns the key under which facts about the statement are remembered. Facts about a text
    /// that ran without a scope say nothing about its fence.
    pub fn description_key(&self) -> std::borrow::Cow<'_, str> {
        if self.is_scoped() {
            format!("scope {}", self.sql()).into()
        } else {
            self.sql().into()
        }
    }

    /// Returns the row scope that the statement runs under.
    pub fn scoping(&self) -> Option<&dyn Scoping> {
        self.scope.as_deref()
    }

    /// Returns true for a statement of a caller, and false for one that [`crate::compose`] made.
    pub fn is_callers(&self) -> bool {
        self.source.is_some()
    }

    /// Replaces the facts, for a composed statement whose relations matter to its estimate.
    #[must_use]
    pub fn with_facts(self, facts: Operations) -> Self {
        Self {
            facts: Rc::new(facts),
            ..self
        }
    }

    /// Returns true if it contains a name in double quotes, which SQLite would read as text if the
    /// name does not exist.
    pub fn has_double_quoted_names(&self) -> bool {
        !self.facts.double_quoted.is_empty()
    }

    /// Returns the names of the tables and views that it reads, without table functions.
    pub fn relations(&self) -> impl Iterator<Item = &str> {
        let relations = self.facts.relations.iter();
        relations
            .filter(|relation| !relation.called)
            .map(|relation| relation.name.as_str())
    }

    /// Returns the names of everything that it reads, including table functions.
    pub fn relations_with_functions(&self) -> impl Iterator<Item = &str> {
        let relations = self.facts.relations.iter();
        relations.map(|relation| relation.name.as_str())
    }

    /// Returns the cost of its values, or `None` for a statement of our own.
    pub fn work(&self) -> Option<&sizes::Work> {
        self.source.as_ref().map(|source| &source.work)
    }

    /// Returns the caller's statement, without the splices.
    pub fn statement(&self) -> &str {
        self.source
            .as_ref()
            .map_or(self.sql(), |source| &source.statement)
    }

    /// Converts an offset in the text that ran to one in the caller's statement.
    pub fn offset_in_statement(&self, offset: usize) -> usize {
        let Some(source) = &self.source else {
            return offset;
        };
        let mut splices = source.splices.clone();
        splices.sort_by_key(|splice| (splice.start, splice.end));
        let mut ran = 0;
        let mut written = 0;
        for splice in splices {
            let until = ran + (splice.start - written.min(splice.start));
            if offset < until {
                break;
            }
            ran = until + splice.text.len();
            written = splice.end;
            if offset < ran {
                return splice.start;
            }
        }
        written + offset.saturating_sub(ran)
    }

    /// Returns a column's name as the caller wrote it. SQLite names a column without an alias after
    /// its text, including all splices.
    pub fn name_as_written(&self, name: String) -> String {
        let Some(source) = &self.source else {
            return name;
        };
        let is_in_name = |splice: &Splice| name.contains(splice.text.trim());
        if !source.splices.iter().any(is_in_name) {
            return name;
        }
        let mut starts = self.sql().match_indices(&name).map(|(start, _)| start);
        let written = starts.find_map(|start| {
            let first = self.offset_in_statement(start);
            let last = self.offset_in_statement(start + name.len());
            let written = source.statement.get(first..last)?;
            (!written.is_empty() && written != name).then(|| written.to_owned())
        });
        written.unwrap_or(name)
    }

    pub(crate) fn derived(&self, text: String) -> Self {
        self.with(passed(text, self.binds().to_vec()))
    }

    pub(crate) fn with(&self, reviewed: ReviewedSql) -> Self {
        Self {
            reviewed,
            kind: self.kind,
            facts: Rc::clone(&self.facts),
            source: self.source.clone(),
            scope: self.scope.clone(),
        }
    }

    /// Returns a statement with the same columns and no rows: it is compiled, and stops before its
    /// first scan.
    pub fn describe(&self) -> Self {
        self.derived(format!("SELECT * FROM (\n{}\n) LIMIT 0", self.sql()))
    }

    /// Returns a statement that has one row if this one has more than `rows` rows, and none
    /// otherwise.
    pub fn row_at(&self, rows: u64) -> Self {
        self.derived(format!(
            "SELECT 1 FROM (\n{}\n) LIMIT 1 OFFSET {}",
            self.sql(),
            rows.min(json_rows::MAX_SQL_ROWS)
        ))
    }

    /// Returns the text with every placeholder numbered, so that a piece of it means the same on
    /// its own.
    pub fn numbered_text(&self) -> Option<String> {
        let tokens = lex::tokens(self.sql()).ok()?;
        let found = placeholders::placeholders(self.sql(), &tokens).ok()?;
        let numbered = found
            .places
            .iter()
            .map(|place| Splice {
                start: place.start,
                end: place.end,
                text: format!("?{}", place.number),
            })
            .collect();
        Some(splice::apply(self.sql(), numbered))
    }

    /// Returns a query made from pieces of the numbered text, with the parameters that it names.
    pub fn part(&self, text: String) -> Option<Self> {
        let tokens = lex::tokens(&text).ok()?;
        let parameters = placeholders::placeholders(&text, &tokens).ok()?.count;
        let binds = self.binds().get(..parameters).unwrap_or(self.binds());
        let reviewed = passed(text, binds.to_vec());
        let mut part = self.with(reviewed);
        part.kind = StatementKind::Read;
        Some(part)
    }

    /// Returns EXPLAIN of the text.
    pub fn explained(&self) -> Self {
        self.derived(format!("EXPLAIN {}", self.sql()))
    }

    /// Returns EXPLAIN QUERY PLAN of the text.
    pub fn query_plan(&self) -> Self {
        self.derived(format!("EXPLAIN QUERY PLAN {}", self.sql()))
    }

    /// Returns true if the statement has a RETURNING list.
    pub fn has_returning(&self) -> bool {
        self.source
            .as_ref()
            .is_some_and(|source| source.returning.is_some())
    }

    /// Returns true if the RETURNING list contains `*`, so that the table's columns must be known.
    pub fn returns_star(&self) -> bool {
        self.facts
            .returning
            .as_ref()
            .is_some_and(|items| items.iter().any(|item| matches!(item, Returned::Star)))
    }

    /// Returns the table that INSERT, UPDATE or DELETE writes.
    pub fn written_table(&self) -> Option<&str> {
        self.facts.written_table.as_deref()
    }

    /// Returns the view that the statement creates.
    pub fn created_view(&self) -> Option<&str> {
        (self.facts.kind == Kind::CreateView)
            .then(|| {
                self.facts
                    .targets
                    .first()
                    .map(|target| target.name.as_str())
            })
            .flatten()
    }

    /// Returns the column names of a result, made unique.
    pub fn distinct_names(names: Vec<String>) -> Vec<String> {
        value::distinct_names(names)
    }
}

/// Returns true if a CREATE TABLE ends with WITHOUT ROWID.
pub fn is_without_rowid(definition: &str) -> bool {
    if !definition.to_ascii_lowercase().contains("without") {
        return false;
    }
    let tokens = lex::tokens(definition).unwrap_or_default();
    let options = tokens
        .iter()
        .rev()
        .take_while(|token| token.kind != TokenType::TK_RP);
    options
        .into_iter()
        .any(|token| token.kind == TokenType::TK_WITHOUT)
}
