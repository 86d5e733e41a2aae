//! A statement that passed the gate and has no parameters yet.

use std::rc::Rc;

use base::{CommonError, Error, Result};
use sqlite3_parser::Bump;

use crate::bind::Parameters;
use crate::bound::{Bound, CallerStatement};
use crate::limits::MAX_SQL_BYTES;
use crate::operations::{Operations, StatementKind};
use crate::placeholders::Placeholders;
use crate::policy::{Policy, TypeReading};
use crate::rewrite::ReturningItems;
use crate::scoping::Scoping;
use crate::second_opinion::Reading;
use crate::splice::{self, Splice};
use crate::{
    SqlError, bind, collect, expansion, lex, own_tables, parse, placeholders, policy, rewrite,
    second_opinion, sizes, text, typed,
};

/// Reviews one statement.
///
/// # Errors
/// `SQL_BLOCKED` with the rule that refused it, `SYNTAX_ERROR` with the position, or `TOO_BIG` with
/// the bound.
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
    // A code fence may be part of a quoted value. So a text is only searched for a fenced statement
    // if it is not a statement itself.
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

/// Returns true if a text that failed with this error may be a statement with other text around it.
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

/// A statement that passed the gate.
#[derive(Debug, Clone)]
pub struct Reviewed {
    pub(crate) statement: String,
    pub(crate) splices: Vec<Splice>,
    pub(crate) recursion_limit: Option<u64>,
    pub(crate) placeholders: Placeholders,
    pub(crate) returning: Option<ReturningItems>,
    pub(crate) facts: Rc<Operations>,
    pub(crate) policy: Policy,
    /// Notices for the caller about the way in which the text is read.
    pub(crate) notices: Rc<[String]>,
    /// The splices of the tenant wall.
    pub(crate) scope: Option<Rc<dyn Scoping>>,
}

impl Reviewed {
    /// Returns the effect of the statement.
    pub fn kind(&self) -> StatementKind {
        self.facts.statement_kind()
    }

    /// Returns the caller's statement, without the text around it.
    pub fn statement(&self) -> &str {
        &self.statement
    }

    /// Returns the findings of the deciding parser, for tests that compare them with the tree of
    /// another parser.
    pub fn reading(&self) -> Reading {
        second_opinion::from_facts(&self.facts)
    }

    /// Returns the notices for the caller about the way in which the text is read.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Returns the number of placeholders in the statement.
    pub fn parameter_count(&self) -> usize {
        self.placeholders.count
    }

    /// Returns the facts that the gate decided on.
    pub fn facts(&self) -> &Operations {
        &self.facts
    }

    /// Returns the places of its parameters.
    pub fn placeholders(&self) -> &Placeholders {
        &self.placeholders
    }

    /// Adds splices, which [`Reviewed::bind`] joins with those of the gate. Only the crate
    /// `sql-scope` may.
    #[must_use]
    pub fn with_splices(mut self, splices: Vec<Splice>) -> Self {
        self.splices.extend(splices);
        self
    }

    /// Puts the statement under a row scope. Only the crate `sql-scope` may.
    #[must_use]
    pub fn with_scoping(mut self, scoping: Rc<dyn Scoping>) -> Self {
        self.scope = Some(scoping);
        self
    }

    /// Joins the statement with its parameters.
    ///
    /// # Errors
    /// `PARAMETER_COUNT`, `INVALID_ARGUMENT` for a value that cannot be bound, or
    /// `QUERY_TOO_EXPENSIVE` for work on long values.
    pub fn bind(&self, parameters: &Parameters) -> Result<Bound> {
        let scope = self.scope.as_deref();
        let value = scope.and_then(|scope| scope.value());
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
            plan.verify(&text, &value)?;
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
