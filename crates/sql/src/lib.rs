//! The SQL gate: text in, verdict out. Every statement from outside passes it; nothing else reaches the engine.
//!
//! - [`review`] is pure. It bounds the text (`lex`), parses it with SQLite's own grammar (`parse`), collects facts
//!   (`operations`), decides (`policy`), asks a second tokenizer (`second_opinion`) and measures what is to be compiled (`expansion`).
//! - [`Reviewed::bind`] joins it with its parameters into a [`Bound`], the only outside text that a
//!   [`database::Database`] takes.
//! - [`Bound`] makes the statements whose rows are JSON text (`json_rows`).
//! - [`guard`] asks the engine itself: what would be written, how much work it is, which names do not exist.
//! - [`Meter`] does so for statements of ours that run what a caller has defined, for the whole of a request.
//!
//! The caller's own text runs, with splices at token offsets (`rewrite`, `bind`); text that a parser printed never does.

mod bind;
mod carried;
pub mod catalog;
mod collect;
pub mod compose;
mod declared;
pub mod definitions;
mod destroyed;
pub mod dialect;
mod error;
mod expansion;
pub mod explain;
mod functions;
mod guard;
mod into_table;
mod json_rows;
mod layout;
mod lex;
pub mod limits;
mod lists;
mod match_errors;
mod meter;
mod nature;
mod numeric_use;
mod operations;
mod own_tables;
mod parse;
mod placeholders;
mod policy;
mod referring;
mod rewrite;
mod schema_size;
pub mod scope;
mod scope_value;
mod second_opinion;
mod sizes;
mod splice;
pub mod tenant;
mod text;
mod tree;
mod typed;
mod types;
pub mod value;
mod written;

pub use error::{LoopReport, Making, SqlError, codes, hinted};

use base::CommonError;
use std::rc::Rc;

use sqlite3_parser::Bump;
use sqlite3_parser::dialect::TokenType;

pub use bind::Parameters;
pub use declared::{DeclaredColumn, declared_columns};
pub use destroyed::{Destroyed, DestroyedKind, destroyed};
pub use expansion::{Views, require_small};
pub use functions::allowed_functions;
pub use guard::names;
pub use guard::{
    Counts, Estimate, estimate, estimate_within, full_text_content, guard, guard_counting,
    is_large, may_multiply, result_lengths,
};
pub use into_table::{FilledColumn, FixedValue};
pub use json_rows::RowWindow;
pub use meter::{IndexedRows, Meter};
pub use nature::Action;
pub use numeric_use::{
    Manner, NumericUse, NumericUses, Origin, Source, Sources, TableChange, is_iso_date,
    numeric_uses, table_change,
};
pub use policy::{
    Policy, Profile, REASONS, TABLE_FUNCTIONS, TypeReading, is_internal_name, require_new_name,
    require_readable_name, require_writable_name,
};
pub use referring::Referring;
pub use schema_size::{created_bytes, require_fit, require_room};
pub use second_opinion::Reading;
pub use value::RowShape;
pub use written::Written;

use crate::limits::MAX_SQL_BYTES;
use base::{Error, Result};
use database::{Bind, ReviewedSql};
use operations::{Explain, Kind, Operations, Returned};
use placeholders::Placeholders;
use rewrite::ReturningItems;
use splice::Splice;

/// What a statement does to the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementKind {
    /// It only reads.
    Read,
    /// It changes rows.
    Write,
    /// It changes the schema.
    Schema,
    /// EXPLAIN QUERY PLAN.
    QueryPlan,
}

/// Reviews one statement.
///
/// # Errors
/// `SQL_BLOCKED` with the rule that refused it, `SYNTAX_ERROR` with the place, or `TOO_BIG` with the bound.
pub fn review(text: &str, policy: &Policy) -> Result<Reviewed> {
    if text.len() > MAX_SQL_BYTES {
        return Err(Error::from(CommonError::TooBig {
            message: format!(
                "the SQL text has {} bytes, the limit is {MAX_SQL_BYTES}",
                text.len()
            ),
            hint: r#"bind values as parameters, or load rows with {"operation":"batchInsert"}"#
                .to_owned(),
        }));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let failure = match review_statement(text, policy, None) {
        Err(failure) if may_hold_a_statement(&failure) => failure,
        verdict => return verdict,
    };
    // Only text that is no statement as it stands is searched for one: a fence may be part of a quoted value.
    match text::fenced(text) {
        text::Fenced::None => Err(failure),
        text::Fenced::Several => Err(parse::several()),
        text::Fenced::One(inner) => review_statement(
            inner,
            policy,
            Some("the statement was taken out of the code fence around it"),
        ),
    }
}

/// Whether text that failed like this may be a statement with other text around it.
fn may_hold_a_statement(failure: &Error) -> bool {
    matches!(
        failure.of(),
        Some(
            SqlError::SyntaxError { .. }
                | SqlError::SqlBlocked {
                    reason: "ambiguous_text" | "multiple_statements",
                    ..
                }
        )
    )
}

fn review_statement(text: &str, policy: &Policy, notice: Option<&'static str>) -> Result<Reviewed> {
    let tokens = lex::tokens(text)?;
    lex::bounds(&tokens)?;
    let (start, end) = parse::statement_span(&tokens)?;
    let statement = text.get(start..end).unwrap_or_default();
    let tokens = if (start, end) == (0, text.len()) {
        tokens
    } else {
        lex::tokens(statement)?
    };

    let arena = Bump::new();
    let command = parse::parse(&arena, statement)?;
    let facts = collect::collect(&command);
    policy::judge(&facts, policy)?;
    second_opinion::check(statement, &facts)?;
    if facts.may_copy() {
        expansion::check(&command, &expansion::PlainTables::default())?;
    }

    let types = match policy.types {
        TypeReading::AsMeant => typed::review(statement, &tokens, &command)?,
        TypeReading::AsWritten => typed::Types::default(),
    };
    let recursion =
        rewrite::limit_recursion(statement, &tokens, &facts, policy.max_recursive_rows)?;
    let placeholders = placeholders::placeholders(statement, &tokens)?;
    let returning = match &facts.returning {
        Some(returned) => Some(rewrite::returning_items(statement, &tokens, returned)?),
        None => None,
    };
    let mut splices = recursion.splices;
    splices.extend(types.splices);
    splices.extend(own_tables::hide(statement, &tokens, &facts)?);
    let mut notices: Vec<String> = notice.map(str::to_owned).into_iter().collect();
    notices.extend(types.notices);
    Ok(Reviewed {
        statement: statement.to_owned(),
        splices,
        recursion_limit: recursion.limit,
        placeholders,
        returning,
        facts: Rc::new(facts),
        policy: *policy,
        notices: notices.into(),
        scope: None,
    })
}

/// A statement that the gate let through.
#[derive(Debug, Clone)]
pub struct Reviewed {
    statement: String,
    splices: Vec<Splice>,
    recursion_limit: Option<u64>,
    placeholders: Placeholders,
    returning: Option<ReturningItems>,
    facts: Rc<Operations>,
    policy: Policy,
    /// What a caller has to know of how the text is read.
    notices: Rc<[String]>,
    /// What the tenant wall adds.
    scope: Option<Rc<scope::Plan>>,
}

impl Reviewed {
    /// What the statement does.
    pub fn kind(&self) -> StatementKind {
        kind_of(&self.facts)
    }

    /// The caller's statement, without what stood around it.
    pub fn statement(&self) -> &str {
        &self.statement
    }

    /// What the deciding parser found, for tests that compare it with the tree of another parser.
    pub fn reading(&self) -> Reading {
        second_opinion::from_facts(&self.facts)
    }

    /// What a caller has to know of how the text is read.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The placeholders that the statement has.
    pub fn parameter_count(&self) -> usize {
        self.placeholders.count
    }

    /// Joins the statement with its parameters.
    ///
    /// # Errors
    /// `PARAMETER_COUNT`, `INVALID_ARGUMENT` for a value that cannot be bound, or `QUERY_TOO_EXPENSIVE` for work on long values.
    pub fn bind(&self, parameters: &Parameters) -> Result<Bound> {
        let scope = self.scope.as_deref();
        let value = scope.and_then(scope::Plan::value);
        if let Some(plan) = scope {
            plan.check_claims(&bind::values(&self.placeholders, parameters)?)?;
        }
        let binding = bind::bind(&self.statement, &self.placeholders, parameters, value)?;
        let work = sizes::check(
            &self.statement,
            &self.facts,
            &self.placeholders,
            binding.own_binds(),
            &self.policy,
        )?;
        let mut splices = self.splices.clone();
        let is_replaced = |splice: &&Splice| scope.is_some_and(|plan| plan.replaces(splice.start));
        let kept = binding.splices.iter().filter(|splice| !is_replaced(splice));
        splices.extend(kept.cloned());
        let value = binding.scope.clone().unwrap_or_default();
        if let Some(plan) = scope {
            splices.extend(plan.splices(binding.own_binds(), &value.text));
        }
        let text = splice::apply(&self.statement, splices.clone());
        if let Some(plan) = scope {
            scope::verify(&text, plan, &value)?;
        }
        let mut bound = Bound::new(text, binding.binds, self.kind(), Rc::clone(&self.facts));
        bound.scope.clone_from(&self.scope);
        bound.source = Some(Rc::new(CallerStatement {
            statement: self.statement.clone(),
            splices,
            parameter_splices: binding.splices,
            returning: self.returning.clone(),
            recursion_limit: self.recursion_limit,
            notices: Rc::clone(&self.notices),
            work,
        }));
        Ok(bound)
    }
}

fn kind_of(facts: &Operations) -> StatementKind {
    if facts.explain == Explain::QueryPlan {
        return StatementKind::QueryPlan;
    }
    match facts.kind {
        Kind::Select => StatementKind::Read,
        Kind::Insert | Kind::Update | Kind::Delete => StatementKind::Write,
        _ => StatementKind::Schema,
    }
}

/// The caller's statement behind a [`Bound`], to tell places in it.
#[derive(Debug)]
struct CallerStatement {
    statement: String,
    splices: Vec<Splice>,
    /// Those of `splices` that replace placeholders.
    parameter_splices: Vec<Splice>,
    returning: Option<ReturningItems>,
    recursion_limit: Option<u64>,
    notices: Rc<[String]>,
    work: sizes::Work,
}

/// The one place where a text becomes one that a database runs.
#[expect(
    clippy::disallowed_methods,
    reason = "only the gate may, and this is it"
)]
fn passed(text: String, binds: Vec<Bind>) -> ReviewedSql {
    ReviewedSql::passed(text, binds)
}

/// A statement with its parameters: the only text from outside that a database runs.
#[derive(Debug, Clone)]
pub struct Bound {
    reviewed: ReviewedSql,
    kind: StatementKind,
    facts: Rc<Operations>,
    source: Option<Rc<CallerStatement>>,
    scope: Option<Rc<scope::Plan>>,
}

impl Bound {
    fn new(text: String, binds: Vec<Bind>, kind: StatementKind, facts: Rc<Operations>) -> Self {
        Self {
            reviewed: passed(text, binds),
            kind,
            facts,
            source: None,
            scope: None,
        }
    }

    /// What a database takes.
    pub fn reviewed(&self) -> &ReviewedSql {
        &self.reviewed
    }

    /// The text that runs.
    pub fn sql(&self) -> &str {
        self.reviewed.text()
    }

    /// Its parameters, in order.
    pub fn binds(&self) -> &[Bind] {
        self.reviewed.binds()
    }

    /// What a caller has to know when the statement has read this many rows: how its text was read, and a recursion that reaches its limit. Rows
    /// that the statement reads elsewhere count too.
    pub fn notice(&self, rows_read: u64) -> Option<String> {
        let source = self.source.as_ref()?;
        let mut notices = source.notices.to_vec();
        notices.extend(self.recursion_notice(rows_read));
        (!notices.is_empty()).then(|| notices.join("; "))
    }

    /// SQLite ends a recursion at its limit and says nothing.
    fn recursion_notice(&self, rows_read: u64) -> Option<String> {
        let limit = self.source.as_ref()?.recursion_limit?;
        // Under a scope the count is not told, not even so.
        (rows_read >= limit || self.is_scoped()).then(|| {
            format!(
                "a recursion ends after {limit} rows, and this one may have: give it a condition that ends it, or a smaller LIMIT"
            )
        })
    }

    /// What the statement does.
    pub fn kind(&self) -> StatementKind {
        self.kind
    }

    pub(crate) fn facts(&self) -> &Operations {
        &self.facts
    }

    /// Whether it runs under a tenant scope: what the engine counts then tells of the rows of others.
    pub fn is_scoped(&self) -> bool {
        self.scope.is_some()
    }

    /// By what a description of the statement is remembered: what is known of a text that ran without a scope says nothing of its fence.
    pub fn description_key(&self) -> std::borrow::Cow<'_, str> {
        if self.is_scoped() {
            format!("scope {}", self.sql()).into()
        } else {
            self.sql().into()
        }
    }

    /// The b-trees that the engine may open for it; `None` without a tenant scope.
    pub(crate) fn fence(&self) -> Option<&scope::Fence> {
        self.scope.as_deref().map(scope::Plan::fence)
    }

    /// Whether a name in it stands in double quotes, which SQLite would turn into a text where there is none.
    pub fn has_double_quoted_names(&self) -> bool {
        !self.facts.double_quoted.is_empty()
    }

    /// The names of the tables and views that it reads; table functions are none.
    pub fn relations(&self) -> impl Iterator<Item = &str> {
        let relations = self.facts.relations.iter();
        relations
            .filter(|relation| !relation.called)
            .map(|relation| relation.name.as_str())
    }

    /// The names of everything that it reads, functions included.
    pub(crate) fn relations_with_functions(&self) -> impl Iterator<Item = &str> {
        let relations = self.facts.relations.iter();
        relations.map(|relation| relation.name.as_str())
    }

    /// What its values cost; nothing is known of a statement of our own.
    pub(crate) fn work(&self) -> Option<&sizes::Work> {
        self.source.as_ref().map(|source| &source.work)
    }

    /// The caller's statement, without what was spliced in.
    pub fn statement(&self) -> &str {
        self.source
            .as_ref()
            .map_or(self.sql(), |source| &source.statement)
    }

    /// Turns an offset in the text that ran into one in the caller's statement.
    pub(crate) fn offset_in_statement(&self, offset: usize) -> usize {
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

    /// A column's name as the caller wrote it: SQLite names a column without alias after its text, with all that was spliced in.
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

    fn derived(&self, text: String) -> Self {
        self.with(passed(text, self.binds().to_vec()))
    }

    fn with(&self, reviewed: ReviewedSql) -> Self {
        Self {
            reviewed,
            kind: self.kind,
            facts: Rc::clone(&self.facts),
            source: self.source.clone(),
            scope: self.scope.clone(),
        }
    }

    /// A statement of the same columns and no rows: it is compiled, and stops before its first scan.
    pub fn describe(&self) -> Self {
        self.derived(format!("SELECT * FROM (\n{}\n) LIMIT 0", self.sql()))
    }

    /// A statement of one row where this one has a row behind the first `rows`, and of none where it does not.
    pub fn row_at(&self, rows: u64) -> Self {
        self.derived(format!(
            "SELECT 1 FROM (\n{}\n) LIMIT 1 OFFSET {}",
            self.sql(),
            rows.min(json_rows::MAX_SQL_ROWS)
        ))
    }

    /// The text with every placeholder numbered, so that a piece of it means the same by itself.
    pub(crate) fn numbered_text(&self) -> Option<String> {
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

    /// A query made of pieces of the numbered text, with the parameters that it names.
    pub(crate) fn part(&self, text: String) -> Option<Self> {
        let tokens = lex::tokens(&text).ok()?;
        let parameters = placeholders::placeholders(&text, &tokens).ok()?.count;
        let binds = self.binds().get(..parameters).unwrap_or(self.binds());
        let reviewed = passed(text, binds.to_vec());
        let mut part = self.with(reviewed);
        part.kind = StatementKind::Read;
        Some(part)
    }

    /// EXPLAIN of the text.
    pub(crate) fn explained(&self) -> Self {
        self.derived(format!("EXPLAIN {}", self.sql()))
    }

    /// EXPLAIN QUERY PLAN of the text.
    pub(crate) fn query_plan(&self) -> Self {
        self.derived(format!("EXPLAIN QUERY PLAN {}", self.sql()))
    }

    /// Whether the statement has a RETURNING list.
    pub fn has_returning(&self) -> bool {
        self.source
            .as_ref()
            .is_some_and(|source| source.returning.is_some())
    }

    /// Whether `*` stands in the RETURNING list, so that the table's columns must be known.
    pub fn returns_star(&self) -> bool {
        self.facts
            .returning
            .as_ref()
            .is_some_and(|items| items.iter().any(|item| matches!(item, Returned::Star)))
    }

    /// The table that INSERT, UPDATE or DELETE writes.
    pub fn written_table(&self) -> Option<&str> {
        self.facts.written_table.as_deref()
    }

    /// The view that the statement creates.
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

    /// Column names made unique, as results carry them.
    pub fn distinct_names(names: Vec<String>) -> Vec<String> {
        value::distinct_names(names)
    }
}

/// Whether a CREATE TABLE ends with WITHOUT ROWID.
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
