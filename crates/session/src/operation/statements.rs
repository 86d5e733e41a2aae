//! Operations on a statement of the caller: exec, query and queryStagedData run it, preview shows
//! its effect.

use ::operation::arguments::Text;
use ::operation::declaration::Effect;
use base::Result;
use database::Database;
use sql_scope::Scope;

use super::kinds::{Count, Params, RequestScope, RowFormat, SessionTarget, Sql, Target};
use super::{Helper, Operation};
use crate::persistent::Persistent;
use crate::persistent::remote::RemoteDatabase;
use crate::query::{Page, Request};
use crate::{Reply, Session, approved, staging};

::operation::operation! {
    /// Runs any one statement.
    pub struct Exec {
        /// One statement, at most 100,000 bytes.
        "sql" => sql: Sql,
        "params" => params: Params,
        /// The maximum number of rows, within MAX_RESULT_ROWS.
        "limit" => limit: Count<0>,
        /// The number of rows to skip; only for a statement that reads.
        "offset" => offset: Count<0>,
        /// The maximum size of the rows in JSON bytes, within MAX_RESULT_BYTES. The first row is
        /// returned even if it is longer.
        "maxBytes" => max_bytes: Count<1>,
        /// The form of a row; the default is object.
        "rowFormat" => row_format: RowFormat,
        "target" => _target: Target,
        "scope" => scope: RequestScope,
    }
    name: "exec",
    title: "Run a statement",
    effect: Effect::REMOVES,
    output: "ExecAnswer" | "ExecRowsAnswer",
    examples: [("exec", r#"{"sql":"UPDATE movies SET year = ? WHERE title = ?","params":[1996,"Heat"]}"#), ("execReturning", r#"{"sql":"INSERT INTO movies (title, year) VALUES (:title, 2009) RETURNING id","params":{"title":"Up"},"rowFormat":"array"}"#)],
}

impl Operation<'_> for Exec {
    const HELPER: Helper = Helper::db(
        r#"/** Any one statement but SELECT: CREATE, INSERT, UPDATE, DELETE, ALTER, DROP. */
exec(sql: string, params?: Value[]): Promise<{ rowsRead: number; rowsWritten: number; changes: number }>;"#,
    );
    const IS_PERSISTENT: bool = true;

    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        session.exec(&self.into())
    }

    fn run_scoped<D: Database>(self, session: &Session<'_, D>, _scope: &Scope) -> Result<Reply> {
        self.run(session)
    }

    async fn run_persistent<R: RemoteDatabase>(
        self,
        persistent: &Persistent<'_, R>,
    ) -> Result<Reply> {
        persistent.exec(&self.into()).await
    }

    async fn run_persistent_scoped<R: RemoteDatabase>(
        self,
        persistent: &Persistent<'_, R>,
        _scope: &Scope,
    ) -> Result<Reply> {
        self.run_persistent(persistent).await
    }
}

::operation::operation! {
    /// The rows of a SELECT, at most 10,000.
    pub struct Query {
        /// One statement, at most 100,000 bytes.
        "sql" => sql: Sql,
        "params" => params: Params,
        /// The maximum number of rows, within MAX_RESULT_ROWS.
        "limit" => limit: Count<0>,
        /// The number of rows to skip.
        "offset" => offset: Count<0>,
        /// The maximum size of the rows in JSON bytes, within MAX_RESULT_BYTES. The first row is
        /// returned even if it is longer.
        "maxBytes" => max_bytes: Count<1>,
        /// The form of a row; the default is object.
        "rowFormat" => row_format: RowFormat,
        "target" => _target: Target,
        "scope" => scope: RequestScope,
    }
    name: "query",
    title: "Query rows",
    effect: Effect::READS,
    output: "QueryAnswer",
    examples: [("query", r#"{"sql":"SELECT title, year FROM movies ORDER BY year","limit":2}"#), ("queryArray", r#"{"sql":"SELECT 9223372036854775807 AS i, 9e999 AS up, x'0001ff' AS b, NULL AS n","rowFormat":"array","params":null}"#), ("queryPersistent", r#"{"sql":"SELECT 1 AS one","target":"persistent"}"#)],
}

impl Operation<'_> for Query {
    const HELPER: Helper = Helper::db(
        r#"/** SELECT; at most 10,000 rows, then rows.truncated. An array with columns and rowCount beside. */
query(sql: string, params?: Value[]): Promise<Rows>;"#,
    );
    const IS_PERSISTENT: bool = true;

    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        session.query(&self.into())
    }

    fn run_scoped<D: Database>(self, session: &Session<'_, D>, _scope: &Scope) -> Result<Reply> {
        self.run(session)
    }

    async fn run_persistent<R: RemoteDatabase>(
        self,
        persistent: &Persistent<'_, R>,
    ) -> Result<Reply> {
        persistent.query(&self.into()).await
    }

    async fn run_persistent_scoped<R: RemoteDatabase>(
        self,
        persistent: &Persistent<'_, R>,
        _scope: &Scope,
    ) -> Result<Reply> {
        self.run_persistent(persistent).await
    }
}

::operation::operation! {
    /// The effect of a statement: the rows it would change, a sample before and after, its plan.
    /// Nothing is changed.
    pub struct Preview {
        /// One statement, at most 100,000 bytes.
        "sql" => sql: Sql,
        "params" => params: Params,
        "target" => _target: SessionTarget,
    }
    name: "preview",
    title: "Preview a statement",
    effect: Effect::READS,
    output: "PreviewAnswer",
    examples: [("preview", r#"{"sql":"DELETE FROM movies WHERE year < ?","params":[1990]}"#)],
}

impl Operation<'_> for Preview {
    const HELPER: Helper = Helper::db(
        r#"/** What a statement would do; nothing is changed. */
preview(sql: string, params?: Value[]): Promise<{ affectedRows: number | null; plan: string[] }>;"#,
    );

    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        approved::preview(session, self.sql, self.params)
    }
}

::operation::operation! {
    /// The rows of a SELECT over the tables of a staged result.
    pub struct QueryStagedData {
        /// The dataAccessId of a staged result.
        "id" => id: Text,
        /// One statement that reads, at most 100,000 bytes.
        "sql" => sql: Sql,
        "params" => params: Params,
        /// The maximum number of rows, within MAX_RESULT_ROWS.
        "limit" => limit: Count<0>,
        /// The number of rows to skip.
        "offset" => offset: Count<0>,
        /// The maximum size of the rows in JSON bytes, within MAX_RESULT_BYTES. The first row is
        /// returned even if it is longer.
        "maxBytes" => max_bytes: Count<1>,
        /// The form of a row; the default is object.
        "rowFormat" => row_format: RowFormat,
        "target" => _target: SessionTarget,
    }
    name: "queryStagedData",
    title: "Query a staged result",
    effect: Effect::READS,
    output: "QueryAnswer",
    sample: r#"{"id":"pubs_search_1a2b3c4d","sql":"SELECT title FROM pubs_search","limit":10}"#,
}

impl Operation<'_> for QueryStagedData {
    const HELPER: Helper = Helper::server(
        "queryStagedData(dataAccessId: string, sql: string, params?: Value[]): Promise<Rows>;",
    );

    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        let request = Request {
            parameters: self.params,
            limit: self.limit,
            page: Page::of(self.offset, self.max_bytes),
            shape: self.row_format,
            ..Request::of(self.sql)
        };
        staging::query(session, self.id, &request)
    }
}

impl From<Exec> for Request {
    fn from(asked: Exec) -> Self {
        Self {
            parameters: asked.params,
            limit: asked.limit,
            page: Page::of(asked.offset, asked.max_bytes),
            shape: asked.row_format,
            scope: asked.scope,
            ..Self::of(asked.sql)
        }
    }
}

impl From<Query> for Request {
    fn from(asked: Query) -> Self {
        Self {
            parameters: asked.params,
            limit: asked.limit,
            page: Page::of(asked.offset, asked.max_bytes),
            shape: asked.row_format,
            scope: asked.scope,
            ..Self::of(asked.sql)
        }
    }
}
