//! Words of other databases that SQLite reads as the name of a column or a table.

const ARRAY: &str = "SQLite has no arrays: a list is a JSON text, `json_array(x, y)`; to look into one use `x IN (SELECT value FROM json_each(?))`";
const NOW: &str = "use `datetime('now')`, or `date('now')` for the day";
const NO_USERS: &str = "a session has one database and no users; `SELECT name, sql FROM sqlite_schema` lists its tables";
const TABLES: &str = r#"list the tables with `SELECT name FROM sqlite_schema WHERE type = 'table'`, or with {"operation":"getTables"}"#;
const COLUMNS: &str = r#"list the columns with `SELECT name, type FROM pragma_table_info('t')`, or with {"operation":"describeTable"}"#;

/// The key of the hint for a list in square brackets, which SQLite reads as a name. No column has
/// this name.
pub(super) const A_LIST: &str = "[,]";

/// Columns of other databases, with their equivalents in SQLite. All are words that nobody uses as
/// a column name. If a table does have such a column, there is no error and so no hint.
pub(super) const COLUMNS_OF_OTHERS: &[(&str, &str)] = &[
    (
        "interval",
        "SQLite has no intervals: use `date(x, '+1 day')`, `datetime(x, '-3 hours')` or `date(x, '+1 month')`",
    ),
    (A_LIST, ARRAY),
    (
        "sysdate systimestamp localtimestamp getdate now sysdatetime",
        NOW,
    ),
    ("curdate", "use `date('now')`"),
    (
        "rownum",
        "use `SELECT x FROM t LIMIT 10`, or `row_number() OVER (ORDER BY x)`",
    ),
    (
        "session_user current_user current_schema current_database",
        NO_USERS,
    ),
    ("ctid", "use `rowid`"),
];

/// Tables, table functions, and schemas (followed by a dot) of other databases, with their
/// equivalents in SQLite.
pub(super) const TABLES_OF_OTHERS: &[(&str, &str)] = &[
    ("dual", "leave FROM out: `SELECT 1 + 1`"),
    (
        "information_schema.columns columns pg_attribute all_tab_columns user_tab_columns syscolumns information_schema.key_column_usage information_schema.constraints",
        COLUMNS,
    ),
    (
        "information_schema. pg_catalog. sys. tables pg_tables pg_class all_tables user_tables svv_tables duckdb_tables sysobjects",
        TABLES,
    ),
    (
        "public. dbo. default.",
        "a session has one schema: leave the schema name out, `SELECT x FROM t`",
    ),
    (
        "inserted deleted",
        "use RETURNING: `DELETE FROM t WHERE x = 1 RETURNING id, x`",
    ),
    (
        "lateral",
        "SQLite has no LATERAL: use a sub-query in the list, `SELECT x, (SELECT max(u.y) FROM u WHERE u.x = t.x) AS top FROM t`, or json_each, which sees the tables before it: `SELECT t.id, value FROM t, json_each(t.doc)`",
    ),
];
