//! explainQuery: the plan of a statement, its work, and indexes that would reduce the work.

use ::operation::declaration::Effect;
use base::{Error, Result};
use database::{Counters, Database};
use serde_json::{Value, json};
use sql_cost::Estimate;
use sql_gate::StatementKind;

use super::kinds::{Params, SessionTarget, Sql};
use super::{Helper, Operation};
use crate::approved::plan::{self, RowCounts};
use crate::{Reply, Session, explained};

::operation::operation! {
    /// The plan of a statement in words, its estimated work and the limit, and indexes that would
    /// help. Nothing runs.
    pub struct ExplainQuery {
        /// One statement, at most 100,000 bytes.
        "sql" => sql: Sql,
        "params" => params: Params,
        "target" => _target: SessionTarget,
    }
    name: "explainQuery",
    title: "Explain a statement",
    effect: Effect::READS,
    output: "ExplainAnswer",
    example: r#"{"sql":"SELECT title FROM movies WHERE year = ?","params":[1995]}"#,
}

impl Operation<'_> for ExplainQuery {
    const HELPER: Helper = Helper::db(
        "explainQuery(sql: string, params?: Value[]): Promise<{ plan: string[]; work: { estimate: number | null; limit: number; isWithin: boolean }; indexes: { sql: string; plan: string[] }[] }>;",
    );

    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        let policy = session.policy();
        let bound = session
            .cache
            .review(&self.sql, &policy)?
            .bind(&self.params)?;
        let (_, refusal) = judged(session.guard(&bound, &policy))?;
        let (estimate, _) = match bound.kind() {
            StatementKind::QueryPlan => (Some(Estimate::default()), None),
            StatementKind::Read | StatementKind::Write | StatementKind::Schema => judged(
                sql_cost::estimate_within(session.db, &bound, &policy, &session.cache.counts),
            )?,
        };
        let work = estimate.map(|estimate| estimate.work);
        let suggested = explained::suggestions(session, &bound, &self.params)?;
        let indexes: Vec<Value> = suggested
            .iter()
            .map(|index| {
                json!({ "table": index.table, "columns": index.columns, "sql": index.statement(), "plan": index.plan })
            })
            .collect();
        let reply = Reply::new(
            json!({
                "kind": bound.action().name(),
                "plan": plan::sentences(session.db, &bound, RowCounts::Told)?,
                "work": {
                    "estimate": work.filter(|work| *work < u64::MAX),
                    "limit": policy.max_query_work,
                    "isWithin": refusal.is_none(),
                },
                "indexes": indexes,
            }),
            Counters::default(),
        );
        Ok(match refusal {
            Some(error) => reply.with("notice", told(&error)),
            None => reply,
        })
    }
}

/// Returns a verdict, or the error for a statement that is too much work.
fn judged<T>(verdict: Result<T>) -> Result<(Option<T>, Option<Error>)> {
    match verdict {
        Ok(found) => Ok((Some(found), None)),
        Err(error) if error.code() == sql_gate::codes::QUERY_TOO_EXPENSIVE.name => {
            Ok((None, Some(error)))
        }
        Err(error) => Err(error),
    }
}

/// Returns the sentence for an error, with its fix.
fn told(error: &Error) -> String {
    match error.hint() {
        Some(hint) => format!("the statement cannot run: {error}; {hint}"),
        None => format!("the statement cannot run: {error}"),
    }
}
