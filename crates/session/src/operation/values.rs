//! Operations on stored data: records of tables, values with keys, and the size of all of it.

use ::operation::arguments::{Raw, Text};
use ::operation::declaration::Effect;
use base::Result;
use database::Database;
use sql_scope::Scope;

use super::kinds::{AnyValue, Conflict, Key, Records, SessionTarget};
use super::{Helper, Operation};
use crate::{Reply, Session, bulk, metrics, state};

::operation::operation! {
    /// Inserts records, all or nothing.
    pub struct BatchInsert<'a> {
        "table" => table: Text,
        "records" => records: Raw<Records>,
        "onConflict" => on_conflict: Option<Conflict>,
        "target" => _target: SessionTarget,
    }
    name: "batchInsert",
    title: "Insert records",
    effect: Effect::REMOVES,
    output: "BatchInsertAnswer",
    examples: [("batchInsert", r#"{"table":"movies","records":[{"title":"Alien","year":1979},{"title":"Heat","year":1995}],"onConflict":"ignore"}"#)],
}

impl<'a> Operation<'a> for BatchInsert<'a> {
    const HELPER: Helper = Helper::db(
        r#"/** All or nothing, any number of records in one call. */
batchInsert(table: string, records: Row[], options?: { onConflict?: "error" | "ignore" | "replace" }): Promise<{ rowsWritten: number }>;"#,
    );

    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        bulk::batch_insert(session, &self.table, self.records, self.on_conflict)
    }

    fn run_scoped<D: Database>(self, session: &Session<'_, D>, _scope: &Scope) -> Result<Reply> {
        self.run(session)
    }
}

::operation::operation! {
    /// Saves a JSON value for later.
    pub struct SaveState<'a> {
        "key" => key: Key,
        /// Any JSON value, up to 2 MB.
        "value" => value: AnyValue,
        "target" => _target: SessionTarget,
    }
    name: "saveState",
    title: "Save a value",
    effect: Effect::REMOVES.once(),
    output: "Success",
    examples: [("saveState", r#"{"key":"progress","value":{"step":3}}"#)],
}

impl<'a> Operation<'a> for SaveState<'a> {
    const HELPER: Helper =
        Helper::db("saveState(key: string, value: unknown): Promise<{ success: true }>;");

    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        state::save(session, &self.key, self.value)
    }
}

::operation::operation! {
    /// The value that saveState has saved, or null.
    pub struct GetState {
        "key" => key: Key,
        "target" => _target: SessionTarget,
    }
    name: "getState",
    title: "Read a saved value",
    effect: Effect::READS,
    output: "StateAnswer",
    examples: [("getState", r#"{"key":"progress"}"#)],
}

impl Operation<'_> for GetState {
    const HELPER: Helper = Helper::db("getState(key: string): Promise<any>; // null when unknown");

    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        state::get(session, &self.key)
    }
}

::operation::operation! {
    /// Size, tables and log of the session.
    pub struct GetMetrics {
        "target" => _target: SessionTarget,
    }
    name: "getMetrics",
    title: "Size and use of the session",
    effect: Effect::READS,
    output: "Metrics",
    examples: [("getMetrics", "{}")],
}

impl Operation<'_> for GetMetrics {
    const HELPER: Helper = Helper::db(
        "getMetrics(): Promise<{ tables: Record<string, number>; databaseSize: number }>;",
    );

    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        metrics::get(session)
    }
}
