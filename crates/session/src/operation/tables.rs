//! Operations on tables and their schema: createTable, dropTable, and those of the server `schema`.

use ::operation::arguments::{OrNull, Text};
use ::operation::declaration::Effect;
use base::Result;
use database::Database;
use sql_scope::Scope;

use super::kinds::Target;
use super::{Helper, Operation};
use crate::persistent::remote::RemoteDatabase;
use crate::persistent::{self, Persistent};
use crate::{Reply, Session, inspect, scoped, staging};

::operation::operation! {
    /// Creates a table from its columns in SQL.
    pub struct CreateTable {
        "name" => name: Text<1>,
        /// The text between the brackets of CREATE TABLE.
        "schema" => schema: Text,
        "target" => _target: Target,
    }
    name: "createTable",
    title: "Create a table",
    effect: Effect::WRITES.once(),
    output: "CreateTableAnswer",
    examples: [("createTable", r#"{"name":"genes","schema":"symbol TEXT PRIMARY KEY, length INTEGER"}"#)],
}

impl Operation<'_> for CreateTable {
    const HELPER: Helper = Helper::db(
        r#"/** "id INTEGER PRIMARY KEY, title TEXT". A table that has these columns already will do; other columns are an error. */
createTable(name: string, columns: string): Promise<{ existed?: true }>;"#,
    );
    const IS_PERSISTENT: bool = true;

    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        session.create_table(&self.name, &self.schema)
    }

    async fn run_persistent<R: RemoteDatabase>(
        self,
        persistent: &Persistent<'_, R>,
    ) -> Result<Reply> {
        persistent.create_table(&self.name, &self.schema).await
    }
}

::operation::operation! {
    /// Drops a table or view and its rows; with target, one of the persistent database.
    pub struct DropTable {
        /// A table or view.
        "table" => table: Text<1>,
        /// true: no error if the table does not exist.
        "ifExists" => if_exists: OrNull<bool>,
        "target" => _target: Target,
    }
    name: "dropTable",
    title: "Drop a table",
    effect: Effect::REMOVES,
    output: "DropTableAnswer",
    examples: [("dropTable", r#"{"table":"genes","ifExists":true}"#)],
}

impl Operation<'_> for DropTable {
    const HELPER: Helper = Helper::db(
        r#"dropTable(table: string, options?: { ifExists?: boolean; target?: "persistent" }): Promise<{ dropped: boolean }>;"#,
    );
    const IS_PERSISTENT: bool = true;

    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        session.drop_table(&self.table, self.if_exists.unwrap_or(false))
    }

    async fn run_persistent<R: RemoteDatabase>(
        self,
        persistent: &Persistent<'_, R>,
    ) -> Result<Reply> {
        let if_exists = self.if_exists.unwrap_or(false);
        persistent.drop_table(&self.table, if_exists).await
    }
}

::operation::operation! {
    /// The names of the tables.
    pub struct GetTables {
        "target" => _target: Target,
    }
    name: "getTables",
    title: "List tables",
    effect: Effect::READS,
    output: "TablesAnswer",
    examples: [("getTables", "{}"), ("getTablesPersistent", r#"{"target":"persistent"}"#)],
}

impl Operation<'_> for GetTables {
    const HELPER: Helper = Helper::schema("getTables(): Promise<string[]>;");
    const IS_PERSISTENT: bool = true;

    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        let tables = inspect::list_tables(session.db)?;
        Ok(inspect::tables_reply(
            tables.into_iter().map(|(name, _)| name),
        ))
    }

    fn run_scoped<D: Database>(self, session: &Session<'_, D>, scope: &Scope) -> Result<Reply> {
        Ok(inspect::tables_reply(scoped::shown_tables(
            session.db, scope,
        )?))
    }

    async fn run_persistent<R: RemoteDatabase>(
        self,
        persistent: &Persistent<'_, R>,
    ) -> Result<Reply> {
        let catalog = persistent.catalog().await?;
        Ok(inspect::tables_reply(catalog.names().map(str::to_owned)))
    }

    async fn run_persistent_scoped<R: RemoteDatabase>(
        self,
        persistent: &Persistent<'_, R>,
        scope: &Scope,
    ) -> Result<Reply> {
        let catalog = persistent.catalog().await?;
        let names = persistent::shown(&catalog, scope).map(|table| table.name.clone());
        Ok(inspect::tables_reply(names))
    }
}

::operation::operation! {
    /// The columns of a table.
    pub struct GetColumns {
        "table" => table: Text,
        "target" => _target: Target,
    }
    name: "getColumns",
    title: "Columns of a table",
    effect: Effect::READS,
    output: "ColumnsAnswer",
    examples: [("getColumns", r#"{"table":"movies"}"#)],
}

impl Operation<'_> for GetColumns {
    const HELPER: Helper = Helper::schema(
        "getColumns(table: string): Promise<{ name: string; type: string; notNull: boolean; primaryKey: boolean }[]>;",
    );
    const IS_PERSISTENT: bool = true;

    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        let table = inspect::load_table(session.db, &self.table)?;
        Ok(inspect::columns_reply(&table))
    }

    fn run_scoped<D: Database>(self, session: &Session<'_, D>, scope: &Scope) -> Result<Reply> {
        let table = scoped::shown_table(session.db, scope, &self.table)?;
        Ok(inspect::columns_reply(&table))
    }

    async fn run_persistent<R: RemoteDatabase>(
        self,
        persistent: &Persistent<'_, R>,
    ) -> Result<Reply> {
        let catalog = persistent.catalog().await?;
        Ok(inspect::columns_reply(catalog.table(&self.table)?))
    }

    async fn run_persistent_scoped<R: RemoteDatabase>(
        self,
        persistent: &Persistent<'_, R>,
        scope: &Scope,
    ) -> Result<Reply> {
        let catalog = persistent.catalog().await?;
        let table = persistent::shown_table(&catalog, scope, &self.table)?;
        Ok(inspect::columns_reply(table))
    }
}

::operation::operation! {
    /// True if a table has a column.
    pub struct HasColumn {
        "table" => table: Text,
        "column" => column: Text,
        "target" => _target: Target,
    }
    name: "hasColumn",
    title: "Check for a column",
    effect: Effect::READS,
    output: "HasColumnAnswer",
    examples: [("hasColumn", r#"{"table":"movies","column":"Title"}"#)],
}

impl Operation<'_> for HasColumn {
    const HELPER: Helper =
        Helper::schema("hasColumn(table: string, column: string): Promise<boolean>;");
    const IS_PERSISTENT: bool = true;

    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        let table = inspect::load_table(session.db, &self.table)?;
        Ok(inspect::column_reply(&table, &self.column))
    }

    fn run_scoped<D: Database>(self, session: &Session<'_, D>, scope: &Scope) -> Result<Reply> {
        let table = scoped::shown_table(session.db, scope, &self.table)?;
        Ok(inspect::column_reply(&table, &self.column))
    }

    async fn run_persistent<R: RemoteDatabase>(
        self,
        persistent: &Persistent<'_, R>,
    ) -> Result<Reply> {
        let catalog = persistent.catalog().await?;
        Ok(inspect::column_reply(
            catalog.table(&self.table)?,
            &self.column,
        ))
    }

    async fn run_persistent_scoped<R: RemoteDatabase>(
        self,
        persistent: &Persistent<'_, R>,
        scope: &Scope,
    ) -> Result<Reply> {
        let catalog = persistent.catalog().await?;
        let table = persistent::shown_table(&catalog, scope, &self.table)?;
        Ok(inspect::column_reply(table, &self.column))
    }
}

::operation::operation! {
    /// Columns, three rows and the number of rows of a table.
    pub struct DescribeTable {
        "table" => table: Text,
        "target" => _target: Target,
    }
    name: "describeTable",
    title: "Describe a table",
    effect: Effect::READS,
    output: "TableDescription",
    examples: [("describeTable", r#"{"table":"movies"}"#)],
}

impl Operation<'_> for DescribeTable {
    const HELPER: Helper = Helper::schema(
        "describeTable(table: string): Promise<{ columns: object[]; sampleRows: Row[] | null; rowCount: number | null }>;",
    );
    const IS_PERSISTENT: bool = true;

    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        inspect::describe_table(session, &self.table)
    }

    fn run_scoped<D: Database>(self, session: &Session<'_, D>, scope: &Scope) -> Result<Reply> {
        let table = scoped::shown_table(session.db, scope, &self.table)?;
        scoped::describe(session, &table)
    }

    async fn run_persistent<R: RemoteDatabase>(
        self,
        persistent: &Persistent<'_, R>,
    ) -> Result<Reply> {
        persistent.describe_table(&self.table).await
    }
}

::operation::operation! {
    /// The column with the meaning of a name, or null.
    pub struct FindColumn {
        "table" => table: Text,
        "semanticName" => semantic_name: Text,
        /// The server that the data came from, whose mappings apply; by default that of the staged
        /// table.
        "server" => server: OrNull<Text>,
        "target" => _target: Target,
    }
    name: "findColumn",
    title: "Find a column by meaning",
    effect: Effect::READS,
    output: "FoundColumn",
    examples: [("findColumn", r#"{"table":"movies","semanticName":"name","server":null}"#)],
}

impl Operation<'_> for FindColumn {
    const HELPER: Helper = Helper::schema(
        "findColumn(table: string, meaning: string, options?: { server?: string }): Promise<string | null>;",
    );
    const IS_PERSISTENT: bool = true;

    /// Uses the mappings of the server that a staged table came from, unless the caller names
    /// another server.
    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply> {
        let server = match self.server {
            Some(server) => Some(server),
            None => staging::mappings_of(session.db, &self.table)?,
        };
        let table = inspect::load_table(session.db, &self.table)?;
        let (mappings, meant) = (&session.settings.mappings, &self.semantic_name);
        Ok(inspect::found_column_reply(
            &table,
            mappings,
            meant,
            server.as_deref(),
        ))
    }

    fn run_scoped<D: Database>(self, session: &Session<'_, D>, scope: &Scope) -> Result<Reply> {
        scoped::shown_table(session.db, scope, &self.table)?;
        self.run(session)
    }

    async fn run_persistent<R: RemoteDatabase>(
        self,
        persistent: &Persistent<'_, R>,
    ) -> Result<Reply> {
        let catalog = persistent.catalog().await?;
        let table = catalog.table(&self.table)?;
        Ok(persistent.found_column(table, &self.semantic_name, self.server.as_deref()))
    }
}
