//! Syntax of other databases, with the SQLite equivalents. The patterns are explained in `syntax`.

/// The types after `::`, or after AS in a cast. The first entry is for any other type.
pub(super) const CASTS: &[(&str, &str)] = &[
    (
        "",
        "use `CAST(x AS INTEGER)`, `CAST(x AS REAL)` or `CAST(x AS TEXT)`",
    ),
    (
        "int integer int4 int8 int2 bigint smallint boolean bool number",
        "use `CAST(x AS INTEGER)`",
    ),
    (
        "numeric decimal real float float8 float4 double",
        "use `CAST(x AS REAL)`",
    ),
    ("text varchar char string uuid", "use `CAST(x AS TEXT)`"),
    ("date", "use `date(x)`; a date is a text such as 2024-05-01"),
    (
        "timestamp",
        "use `datetime(x)`; a time is a text such as 2024-05-01 10:30:00",
    ),
    ("time timetz", "use `time(x)`"),
    (
        "json jsonb variant object array struct map record list super hstore tuple xml",
        "use `json(doc)`",
    ),
    ("interval", INTERVAL),
    ("regclass", COUNTS_BY_ITSELF),
];

const INTERVAL: &str = "SQLite has no intervals: use `date(x, '+1 day')`, `datetime(x, '-3 hours')` or `date(x, '+1 month')`";
const DATE_LITERAL: &str =
    "a date is a text such as '2024-05-01', without a word before it: `x >= '2024-05-01'`";
const LIST: &str = "use `x IN (?)`, with the list as one parameter, `x IN (1, 2, 3)` or `x IN (SELECT value FROM json_each(?))`";
const ARRAY: &str = "SQLite has no arrays: a list is a JSON text, `json_array(x, y)`, and its first element is `doc ->> 0`";
const OBJECT: &str = "use `json_object('x', x)` or a JSON text: `'{\"x\": 1}'`";
const NO_REGEXP: &str =
    "SQLite has no regular expressions: use `x LIKE 'a%'`, `x GLOB '[0-9]*'` or `instr(x, 'part')`";
const LIMIT: &str = "use `SELECT x FROM t ORDER BY x LIMIT 10`, followed by the number of rows to skip: `SELECT x FROM t ORDER BY x LIMIT 10 OFFSET 20`";
const LIST_TABLES: &str = r#"list the tables with `SELECT name FROM sqlite_schema WHERE type = 'table'`, or with {"operation":"getTables"}"#;
const LIST_COLUMNS: &str = r#"list the columns with `SELECT name, type FROM pragma_table_info('t')`, or with {"operation":"describeTable"}"#;
const LIST_INDEXES: &str =
    r#"use `SELECT name FROM pragma_index_list('t')`, or {"operation":"describeTable"}"#;
const SHOW_CREATE: &str = "use `SELECT sql FROM sqlite_schema WHERE name = 't'`";
const SUMMARIZE: &str = "use `SELECT count(*), count(DISTINCT x), min(x), max(x), avg(x) FROM t`, one column after the other, or {\"operation\":\"describeTable\"}";
const ONE_DATABASE: &str = "a session has one database: leave the statement out and use its tables";
const NO_USERS: &str = "a session has no users and no rights: leave the statement out";
const NO_SETTINGS: &str = "a session has no variables and no options: bind values as parameters, or name them, `WITH v AS (SELECT 10 AS n) SELECT x FROM t, v WHERE x < v.n`";
const NO_PROCEDURES: &str = "SQLite has no procedures and no functions of your own: put the logic into a query, or into a program";
const LATERAL: &str = "SQLite has no LATERAL and no APPLY: use a sub-query in the list, `SELECT x, (SELECT max(u.y) FROM u WHERE u.x = t.x) AS top FROM t`, or json_each, which sees the tables before it: `SELECT t.id, value FROM t, json_each(t.doc)`";
const PIVOT: &str = "use one aggregate with FILTER for each column: `SELECT g, sum(x) FILTER (WHERE y = 1) AS one, sum(x) FILTER (WHERE y = 2) AS two FROM t GROUP BY g`";
const UNPIVOT: &str = "use one SELECT for each column: `SELECT id, 'x' AS name, x AS value FROM t UNION ALL SELECT id, 'y', y FROM t`";
const STAR: &str = "SQLite cannot leave columns out of *: name the columns, `SELECT id, x, y FROM t`; {\"operation\":\"describeTable\"} lists them";
const GROUPINGS: &str =
    "join the groupings: `SELECT g, sum(x) FROM t GROUP BY g UNION ALL SELECT NULL, sum(x) FROM t`";
const NAME_GROUPS: &str = "name the columns: `SELECT g, count(*) FROM t GROUP BY g`, or number them, `SELECT g, count(*) FROM t GROUP BY 1`";
const NO_LOCKS: &str = "leave it out: the statements of a session run one after another";
const UPSERT: &str =
    "use `INSERT INTO t (id, x) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET x = excluded.x`";
const OR_IGNORE: &str = "use `INSERT OR IGNORE INTO t (id, x) VALUES (1, 2)`";
const UPDATE_FROM: &str = "use `UPDATE t SET x = u.x FROM u WHERE u.id = t.id`";
const DELETE_WHERE: &str = "use `DELETE FROM t WHERE id IN (SELECT id FROM u)`";
const TABLE_AS: &str = "use `CREATE TABLE v AS SELECT x, y FROM t`";
const REPLACE_TABLE: &str = "drop it first with `DROP TABLE IF EXISTS v`, or DROP VIEW, and create it in a second statement; `CREATE TABLE IF NOT EXISTS v (id INTEGER PRIMARY KEY, x)` keeps an existing table";
pub(super) const COUNTS_BY_ITSELF: &str =
    "an INTEGER PRIMARY KEY counts by itself: `CREATE TABLE v (id INTEGER PRIMARY KEY, x)`";
const TABLE_OPTIONS: &str =
    "leave the options of the table out: `CREATE TABLE v (id INTEGER PRIMARY KEY, x TEXT)`";
const ENUM: &str = "use `CREATE TABLE v (x TEXT CHECK (x IN ('a', 'b')))`";
const DEFAULT_CALL: &str = "put a call in brackets: `CREATE TABLE v (x DEFAULT (datetime('now')))`, or use `CREATE TABLE v (x DEFAULT CURRENT_TIMESTAMP)`";
const INDEX_APART: &str = "create the index in a statement of its own: `CREATE INDEX i ON t (x)`";
const ALTER_COLUMN: &str = "SQLite does not change the type of a column: make a new table with `CREATE TABLE v AS SELECT id, CAST(x AS TEXT) AS x FROM t`, drop the old one, and `ALTER TABLE u RENAME TO w`";
const ONE_EACH: &str = "one statement changes one thing: `ALTER TABLE t ADD COLUMN p`, and the next in a statement of its own";
const RECURSIVE: &str = "walk a tree with `WITH RECURSIVE s(id) AS (SELECT 1 UNION ALL SELECT t.id FROM t JOIN s ON t.n = s.id) SELECT id FROM s`";
const EXISTS_JOIN: &str = "use `SELECT x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.x = t.x)`, or NOT EXISTS for ANTI JOIN";
const ASOF: &str =
    "use `SELECT x, (SELECT u.y FROM u WHERE u.x <= t.x ORDER BY u.x DESC LIMIT 1) AS y FROM t`";
const SAMPLE: &str = "use `SELECT x FROM t ORDER BY random() LIMIT 100`";
const PLAIN_TEXT: &str =
    "write the text without a letter before it, `'it''s'`; a line feed is `char(10)`";
const BACKSLASH: &str = "SQLite has no backslash escapes: double a quote in a text, `'it''s'`, and write `char(10)` for a line feed; or bind the text as a parameter";
pub(super) const ORDER_OF_CLAUSES: &str = "write the clauses in this order: `SELECT g, sum(x) FROM t WHERE x > 0 GROUP BY g HAVING sum(x) > 1 ORDER BY g LIMIT 10`";
const ALIAS_COLUMNS: &str = "the alias of a table cannot have a list of columns: name them in WITH, `WITH v(p, q) AS (VALUES (1, 2), (3, 4)) SELECT p FROM v`";
const NO_BRACKETS: &str = "write a whole SELECT without brackets around it: `SELECT x FROM t UNION ALL SELECT x FROM u`, `CREATE TABLE v AS SELECT x FROM t`; a part with a LIMIT is a sub-query, `SELECT * FROM (SELECT x FROM t LIMIT 1) UNION ALL SELECT x FROM u`";
const NO_DEFAULT: &str = "leave the column out of the list: `INSERT INTO t (y) VALUES (1)`";
const NO_INDEX_HINT: &str =
    "leave it out: the engine chooses the index, and EXPLAIN QUERY PLAN shows which";
pub(super) const PLAIN_TYPE: &str =
    "use a plain type: `CREATE TABLE v (x TEXT, y INTEGER, z REAL)`";
pub(super) const PLAIN_DEFINITION: &str = "each column is a name, a plain type and constraints, without options of other databases: `CREATE TABLE v (id INTEGER PRIMARY KEY, x TEXT NOT NULL, y REAL DEFAULT 0)`";
const CONSTRAINT: &str = "keys are declared when a table is made, `CREATE TABLE v (x, y, UNIQUE (x, y))`; on an existing table use `CREATE UNIQUE INDEX i ON u (x)`";
pub(super) const LAST_SELECT: &str = "ORDER BY and LIMIT are allowed once, after the last SELECT; to order or limit one part use a sub-query, `SELECT * FROM (SELECT x FROM t ORDER BY x LIMIT 1) UNION ALL SELECT x FROM u`";
const COMMA: &str = "take out the comma before this word";
const ILIKE: &str = "use `x LIKE '%part%'`: LIKE ignores the case of ASCII letters; for others `lower(x) LIKE lower('%part%')`";
const QUALIFY: &str = "filter outside of a sub-query: `SELECT * FROM (SELECT x, row_number() OVER (PARTITION BY g ORDER BY x) AS r FROM t) WHERE r = 1`";
const RETURNING: &str = "use RETURNING: `UPDATE t SET x = 1 WHERE id = 1 RETURNING id, x`";
const TIME_ZONE: &str =
    "times have no zone: shift them, `datetime(x, '+2 hours')`, or `datetime(x, 'localtime')`";
const IGNORE_NULLS: &str = "use a sub-query for the last value that is not NULL: `SELECT id, (SELECT u.x FROM u WHERE u.id <= t.id AND u.x IS NOT NULL ORDER BY u.id DESC LIMIT 1) AS x FROM t`";
const WITHIN_GROUP: &str = "put the order into the call, `group_concat(x, ', ' ORDER BY y)`; for a percentile use `SELECT min(x) FROM (SELECT x, cume_dist() OVER (ORDER BY x) AS p FROM t WHERE x IS NOT NULL) WHERE p >= 0.5`";
const CLIENT_COMMAND: &str = "that is a command of a database client, not SQL; list the tables with `SELECT name FROM sqlite_schema WHERE type = 'table'`";
const LOAD: &str = "load the data with PUT …/tables/{table}/rows, which takes CSV, JSON and NDJSON";

/// Patterns of words and signs, in the order of the text, with their hints.
pub(super) const RULES: &[(&str, &str)] = &[
    // Whole statements. Prose begins with some of these words as well, so the patterns include the
    // words that follow.
    (
        "^ SHOW|LIST TABLES|DATABASES|SCHEMAS|VIEWS|TABLE|STATUS|VARIABLES|FUNCTIONS",
        LIST_TABLES,
    ),
    ("^ SHOW FULL|EXTENDED TABLES", LIST_TABLES),
    ("^ SHOW COLUMNS|FIELDS", LIST_COLUMNS),
    ("^ SHOW FULL|EXTENDED COLUMNS|FIELDS", LIST_COLUMNS),
    ("^ SHOW INDEX|INDEXES|INDICES|KEYS", LIST_INDEXES),
    ("^ SHOW CREATE", SHOW_CREATE),
    ("^ DESCRIBE|DESC", LIST_COLUMNS),
    ("^ DESCRIBE|DESC TABLES|DATABASE|SCHEMA", LIST_TABLES),
    ("^ SUMMARIZE", SUMMARIZE),
    ("^ USE <name> $", ONE_DATABASE),
    ("^ USE DATABASE|SCHEMA|WAREHOUSE|ROLE", ONE_DATABASE),
    ("^ SET <name> =|TO|:=", NO_SETTINGS),
    ("^ SET @", NO_SETTINGS),
    (
        "^ SET LOCAL|SESSION|GLOBAL|NOCOUNT|NAMES|STATISTICS",
        NO_SETTINGS,
    ),
    ("^ DECLARE", NO_SETTINGS),
    ("^ TRUNCATE", "use `DELETE FROM t`"),
    ("^ MERGE", UPSERT),
    ("^ UPSERT", UPSERT),
    ("^ CALL <name> (", NO_PROCEDURES),
    ("^ EXEC <name>", NO_PROCEDURES),
    ("^ EXECUTE <name> $", NO_PROCEDURES),
    ("^ EXECUTE <name> (", NO_PROCEDURES),
    ("^ EXECUTE IMMEDIATE", NO_PROCEDURES),
    ("^ PREPARE <name> FROM|AS", NO_PROCEDURES),
    ("^ DO $$", NO_PROCEDURES),
    ("^ IF EXISTS|NOT|OBJECT_ID|(|@", NO_PROCEDURES),
    ("^ WHILE (|@", NO_PROCEDURES),
    ("^ GRANT|REVOKE", NO_USERS),
    ("^ LOCK|UNLOCK TABLE|TABLES", NO_LOCKS),
    ("^ COPY <name> FROM|TO|(", LOAD),
    ("^ COPY (", LOAD),
    ("^ LOAD DATA", LOAD),
    ("^ BULK INSERT", LOAD),
    ("^ UNLOAD (", LOAD),
    ("^ . <name>", CLIENT_COMMAND),
    ("^ \\ <any>", CLIENT_COMMAND),
    ("^ RENAME TABLE", "use `ALTER TABLE u RENAME TO w`"),
    ("^ REFRESH MATERIALIZED", TABLE_AS),
    (
        "^ COMMENT ON",
        "SQLite keeps no comments on tables: leave the statement out, or put a comment into the text of CREATE TABLE",
    ),
    ("^ FROM <name> $", "begin with SELECT: `SELECT * FROM t`"),
    (
        "^ FROM <name> SELECT|WHERE|JOIN|LIMIT|GROUP|ORDER",
        "begin with SELECT: `SELECT * FROM t`",
    ),
    ("^ TABLE <name> $", "use `SELECT * FROM t`"),
    ("^ PIVOT", PIVOT),
    ("^ UNPIVOT", UNPIVOT),
    (
        "^ EXPLAIN ANALYZE|ANALYSE|VERBOSE|FORMAT|EXTENDED|(",
        "use `EXPLAIN QUERY PLAN SELECT x FROM t`",
    ),
    // SELECT.
    ("TOP <number>", LIMIT),
    ("SELECT FIRST|SKIP <number>", LIMIT),
    ("FETCH", LIMIT),
    ("FETCH FIRST|NEXT", LIMIT),
    (
        "LIMIT ALL",
        "leave LIMIT out, or use `SELECT x FROM t LIMIT -1`",
    ),
    ("LIMIT <number> PERCENT|BY|WITH", LIMIT),
    ("LIMIT <number> <number>", LIMIT),
    ("LIMIT <number> , OFFSET", LIMIT),
    ("OFFSET <number>", LIMIT),
    ("OFFSET <number> ROWS|ROW", LIMIT),
    ("LIMIT <number> ORDER|WHERE|GROUP|HAVING", ORDER_OF_CLAUSES),
    (", FROM|WHERE|GROUP|ORDER|LIMIT", COMMA),
    (", )", "take out the comma before the bracket"),
    ("QUALIFY", QUALIFY),
    (
        "DISTINCT ON",
        "use `SELECT * FROM (SELECT x, row_number() OVER (PARTITION BY g ORDER BY x) AS r FROM t) WHERE r = 1`",
    ),
    ("* EXCEPT|EXCLUDE|REPLACE|RENAME (", STAR),
    ("* EXCLUDE|REPLACE|RENAME", STAR),
    ("GROUP BY ALL", NAME_GROUPS),
    (
        "ORDER BY ALL",
        "name the columns: `SELECT x FROM t ORDER BY x`, or number them, `SELECT x FROM t ORDER BY 1`",
    ),
    ("GROUPING SETS", GROUPINGS),
    ("WITH ROLLUP|CUBE", GROUPINGS),
    ("LATERAL", LATERAL),
    ("LATERAL (", LATERAL),
    ("CROSS|OUTER APPLY", LATERAL),
    ("LATERAL VIEW", LATERAL),
    ("PIVOT (", PIVOT),
    ("UNPIVOT (", UNPIVOT),
    (
        "MATCH_RECOGNIZE",
        "use window functions: `SELECT x, lag(x) OVER (ORDER BY y) AS before FROM t`",
    ),
    (
        "MINUS SELECT",
        "use `SELECT x FROM t EXCEPT SELECT x FROM u`",
    ),
    ("CONNECT BY", RECURSIVE),
    ("START WITH", RECURSIVE),
    ("SEMI|ANTI JOIN", EXISTS_JOIN),
    ("ASOF JOIN", ASOF),
    (
        "STRAIGHT_JOIN",
        "use `SELECT t.x FROM t JOIN u ON u.id = t.id`",
    ),
    ("(+)", "use `SELECT t.x FROM t LEFT JOIN u ON u.id = t.id`"),
    ("TABLESAMPLE", SAMPLE),
    ("USING SAMPLE", SAMPLE),
    ("SAMPLE <number>|(", SAMPLE),
    ("FOR UPDATE|SHARE|NO|KEY", NO_LOCKS),
    ("WITH ( NOLOCK|READUNCOMMITTED|ROWLOCK|UPDLOCK", NO_LOCKS),
    ("NOLOCK", NO_LOCKS),
    (
        "FOR JSON|XML",
        "use `SELECT json_group_array(json_object('x', x)) FROM t`",
    ),
    ("INTO <name> FROM", TABLE_AS),
    ("INTO", TABLE_AS),
    ("INTO OUTFILE|@|TEMP|TEMPORARY|#", TABLE_AS),
    ("AS <name> (", ALIAS_COLUMNS),
    ("^ ( SELECT", NO_BRACKETS),
    ("^ (", NO_BRACKETS),
    ("UNION|EXCEPT|INTERSECT (", NO_BRACKETS),
    ("UNION ALL (", NO_BRACKETS),
    ("TABLE|VIEW|EXISTS <name> AS (", NO_BRACKETS),
    (
        "AS ( INSERT|UPDATE|DELETE",
        "WITH takes only SELECT: send the change as a statement of its own, `UPDATE t SET x = 1 WHERE id = 1 RETURNING id, x`",
    ),
    ("USE|FORCE|IGNORE INDEX|KEY", NO_INDEX_HINT),
    (
        "AGAINST (",
        "use an fts5 table with MATCH, or `instr(x, 'part') > 0`",
    ),
    // Expressions.
    (
        "/ /",
        "use `x / y`: between integers it drops the remainder",
    ),
    ("* *", "use `pow(x, y)`"),
    ("= DEFAULT", "write the value: `UPDATE t SET x = NULL`"),
    ("(|, DEFAULT", NO_DEFAULT),
    ("ILIKE", ILIKE),
    ("ILIKE <any>", ILIKE),
    ("~~*|!~~*|~~|!~~", ILIKE),
    ("~|~*|!~|!~*", NO_REGEXP),
    ("RLIKE", NO_REGEXP),
    ("RLIKE <any>", NO_REGEXP),
    ("SIMILAR TO", NO_REGEXP),
    (
        "LIKE ANY|ALL|SOME (",
        "join the patterns: `x LIKE 'a%' OR x LIKE 'b%'`",
    ),
    (
        "BETWEEN SYMMETRIC",
        "use `x BETWEEN min(a, b) AND max(a, b)`",
    ),
    ("INTERVAL <any>", INTERVAL),
    (
        "DATE|TIMESTAMP|DATETIME|TIME|TIMESTAMPTZ <text>",
        DATE_LITERAL,
    ),
    ("AT TIME ZONE", TIME_ZONE),
    ("ARRAY <bracket>", ARRAY),
    ("<name> <bracket>", ARRAY),
    (") <bracket>", ARRAY),
    ("<bracket>", ARRAY),
    ("{", OBJECT),
    ("@>", "use `'a' IN (SELECT value FROM json_each(doc))`"),
    ("<@", "use `x IN (SELECT value FROM json_each(doc))`"),
    ("#>>", "use `doc ->> '$.a.b'`"),
    ("#>", "use `doc -> '$.a.b'`"),
    ("IN :|@ <name>", LIST),
    ("<name> : <name>", "use `doc ->> '$.name'`"),
    (
        "@@",
        "use an fts5 table with MATCH for texts, and changes() for counts",
    ),
    ("ANY|SOME (", LIST),
    (
        "ALL (",
        "compare with one value: `x > (SELECT max(y) FROM u)`",
    ),
    ("IN ?", LIST),
    ("<=>", "use `x IS y`"),
    ("&&", "use `x > 0 AND y > 0`"),
    ("XOR", "use `(x > 0) <> (y > 0)`"),
    (
        "DIV",
        "use `x / y`: between integers it drops the remainder",
    ),
    ("MOD <any>", "use `x % y` or `mod(x, y)`"),
    ("<caret>", "use `pow(x, y)`"),
    ("!", "use `NOT x`, or `x <> y`"),
    (":=", NO_SETTINGS),
    ("$$", "write a text in single quotes, `'it''s'`"),
    ("\\", BACKSLASH),
    ("E|N|B|R|U <text>", PLAIN_TEXT),
    ("<text> <text>", BACKSLASH),
    ("<text> <name> <text>", BACKSLASH),
    ("ISNULL (", "use `ifnull(x, 0)`, or `x IS NULL`"),
    ("NOTNULL (", "use `x IS NOT NULL`"),
    (
        "CURRENT_DATE (",
        "leave the brackets out, `CURRENT_DATE`, or use `date('now')`",
    ),
    (
        "CURRENT_TIMESTAMP (",
        "leave the brackets out, `CURRENT_TIMESTAMP`, or use `datetime('now')`",
    ),
    (
        "CURRENT_TIME (",
        "leave the brackets out, `CURRENT_TIME`, or use `time('now')`",
    ),
    ("WITHIN GROUP", WITHIN_GROUP),
    ("IGNORE|RESPECT NULLS", IGNORE_NULLS),
    (
        "ELSEIF|ELSIF",
        "use `CASE WHEN x > 1 THEN 'a' WHEN x > 0 THEN 'b' ELSE 'c' END`",
    ),
    (
        "END CASE|IF",
        "a CASE ends with END: `CASE WHEN x > 0 THEN 'a' ELSE 'b' END`",
    ),
    // Changes of rows.
    ("INSERT IGNORE", OR_IGNORE),
    (
        "INSERT OVERWRITE",
        "empty the table first with `DELETE FROM t`",
    ),
    ("INSERT INTO TABLE", "use `INSERT INTO t (x) VALUES (1)`"),
    (
        "INSERT <name> VALUES|SELECT|(",
        "use `INSERT INTO t (x) VALUES (1)`",
    ),
    ("ON DUPLICATE KEY", UPSERT),
    (
        "INTO <name> SET",
        "use `INSERT INTO t (x, y) VALUES (1, 2)`",
    ),
    ("VALUES ROW", "use `INSERT INTO t (x) VALUES (1), (2)`"),
    ("UPDATE <name> JOIN|INNER|LEFT|,", UPDATE_FROM),
    ("UPDATE <name> <name> JOIN|INNER|LEFT|,|SET", UPDATE_FROM),
    ("UPDATE <name> AS <name> JOIN|INNER|LEFT|,", UPDATE_FROM),
    ("DELETE <name> FROM", DELETE_WHERE),
    ("DELETE * FROM", "use `DELETE FROM t WHERE id = 1`"),
    ("DELETE <name> WHERE|$", "use `DELETE FROM t WHERE id = 1`"),
    ("DELETE FROM <name> USING|JOIN|INNER", DELETE_WHERE),
    (
        "DELETE FROM <name> <name> JOIN|INNER|LEFT|USING|WHERE",
        DELETE_WHERE,
    ),
    ("OUTPUT INSERTED|DELETED", RETURNING),
    (
        "SET <name> . <name>",
        "write the column that is set without its table: `UPDATE t SET x = 1`",
    ),
    (
        ", <name> . <name> =",
        "write the column that is set without its table: `UPDATE t SET x = 1`",
    ),
    // Definitions.
    ("INDEX ON", INDEX_APART),
    (
        "DROP INDEX <name> ON",
        "leave the table out: `DROP INDEX IF EXISTS i`",
    ),
    ("ADD PRIMARY|FOREIGN|UNIQUE|INDEX|KEY", CONSTRAINT),
    ("WITH|WITHOUT TIME ZONE", PLAIN_TYPE),
    (") UNSIGNED|SIGNED|ZEROFILL", PLAIN_TYPE),
    ("( MAX", PLAIN_TYPE),
    ("ARRAY|MAP|STRUCT|LIST <", PLAIN_TYPE),
    ("CREATE OR REPLACE", REPLACE_TABLE),
    ("CREATE MATERIALIZED VIEW", TABLE_AS),
    ("CREATE FUNCTION|PROCEDURE|MACRO|PROC", NO_PROCEDURES),
    ("CREATE DATABASE|SCHEMA|EXTENSION|SERVER", ONE_DATABASE),
    ("DROP DATABASE|SCHEMA|EXTENSION", ONE_DATABASE),
    ("CREATE USER|ROLE|POLICY", NO_USERS),
    ("CREATE SEQUENCE", COUNTS_BY_ITSELF),
    ("CREATE TYPE|DOMAIN", ENUM),
    (
        "CREATE GLOBAL|LOCAL|UNLOGGED|TRANSIENT|EXTERNAL",
        "use `CREATE TABLE v (id INTEGER PRIMARY KEY, x)`: the session is temporary as a whole",
    ),
    (
        "CREATE CLUSTERED|NONCLUSTERED|FULLTEXT|SPATIAL|BITMAP INDEX",
        INDEX_APART,
    ),
    (
        "CREATE UNIQUE CLUSTERED|NONCLUSTERED INDEX",
        "use `CREATE UNIQUE INDEX i ON u (x)`",
    ),
    ("INDEX CONCURRENTLY <name>", INDEX_APART),
    (
        "USING BTREE|HASH|GIN|GIST|BRIN|IVFFLAT|HNSW",
        "leave the method out: `CREATE INDEX i ON t (x)`",
    ),
    (
        "INCLUDE (",
        "put the column at the end of the index: `CREATE INDEX i ON t (x, y)`",
    ),
    (
        "TABLE <name> LIKE|CLONE",
        "use `CREATE TABLE v AS SELECT * FROM t LIMIT 0`",
    ),
    ("( LIKE", "use `CREATE TABLE v AS SELECT * FROM t LIMIT 0`"),
    ("AUTO_INCREMENT", COUNTS_BY_ITSELF),
    ("AUTOINCREMENT", COUNTS_BY_ITSELF),
    ("IDENTITY", COUNTS_BY_ITSELF),
    ("AS IDENTITY", COUNTS_BY_ITSELF),
    ("AS IDENTITY (", COUNTS_BY_ITSELF),
    ("ALWAYS|DEFAULT AS IDENTITY", COUNTS_BY_ITSELF),
    ("BY DEFAULT", COUNTS_BY_ITSELF),
    ("BY DEFAULT AS IDENTITY", COUNTS_BY_ITSELF),
    ("ENUM (", ENUM),
    ("ENUM ( <text>", ENUM),
    ("SET ( <text>", ENUM),
    (
        "DEFAULT GEN_RANDOM_UUID|UUID|NEWID|NEWSEQUENTIALID|UUID_GENERATE_V4|UUIDV4|UUIDV7|GENERATE_UUID|UUID_STRING|GENERATEUUIDV4|SYS_GUID (",
        "put a call in brackets: `CREATE TABLE v (x TEXT DEFAULT (lower(hex(randomblob(16)))))`",
    ),
    ("DEFAULT NEXTVAL (", COUNTS_BY_ITSELF),
    ("DEFAULT <name> (", DEFAULT_CALL),
    (
        "ON UPDATE CURRENT_TIMESTAMP|NOW",
        "leave ON UPDATE out, and set the time in the statement: `UPDATE t SET x = 1, y = datetime('now') WHERE id = 1`",
    ),
    ("COMMENT <text>", TABLE_OPTIONS),
    ("ENGINE|CHARSET|COLLATE|ROW_FORMAT =", TABLE_OPTIONS),
    (
        ") ENGINE|DEFAULT|CHARSET|COMMENT|PARTITION|CLUSTER|STORED|TABLESPACE|DISTKEY|SORTKEY|ROW_FORMAT",
        TABLE_OPTIONS,
    ),
    ("CHARACTER SET", TABLE_OPTIONS),
    ("PARTITION BY RANGE|LIST|HASH", TABLE_OPTIONS),
    ("(|, INDEX|KEY|FULLTEXT|SPATIAL <name>", INDEX_APART),
    (", INDEX", INDEX_APART),
    (", UNIQUE KEY|INDEX", INDEX_APART),
    (
        "UNIQUE KEY|INDEX <name>",
        "use `CREATE UNIQUE INDEX i ON u (x)`, or `CREATE TABLE v (x UNIQUE)`",
    ),
    ("ALTER COLUMN", ALTER_COLUMN),
    ("ALTER COLUMN <name> <any>", ALTER_COLUMN),
    ("ALTER <name> <any>", ALTER_COLUMN),
    ("MODIFY", ALTER_COLUMN),
    ("CHANGE", ALTER_COLUMN),
    ("SET DATA TYPE", ALTER_COLUMN),
    (
        "ALTER TABLE IF EXISTS",
        "leave IF EXISTS out: `ALTER TABLE t ADD COLUMN p`",
    ),
    (
        "ALTER TABLE ONLY <name>",
        "leave ONLY out, as no table inherits from another; keys and other constraints belong in the definition of the table, `CREATE TABLE v (id INTEGER PRIMARY KEY, x)`",
    ),
    (
        "(|, PERIOD FOR",
        "SQLite keeps no versions of rows: leave the period out, and keep the times in columns, `CREATE TABLE v (x, since TEXT, until TEXT)`",
    ),
    (
        "UNION ( <name> INT|INTEGER|BIGINT|TEXT|VARCHAR|DOUBLE|FLOAT|REAL|DATE|BOOLEAN",
        PLAIN_TYPE,
    ),
    ("ADD (", ONE_EACH),
    ("ADD COLUMN (", ONE_EACH),
    (", ADD|DROP", ONE_EACH),
    (
        "ADD COLUMN IF NOT EXISTS",
        "look first with `SELECT name FROM pragma_table_info('t')`, then `ALTER TABLE t ADD COLUMN p`",
    ),
    (
        "DROP COLUMN IF EXISTS",
        "look first with `SELECT name FROM pragma_table_info('t')`, then `ALTER TABLE t DROP COLUMN z`",
    ),
    (
        "ADD COLUMN <name> <any> AFTER|FIRST",
        "columns are added at the end: `ALTER TABLE t ADD COLUMN p`",
    ),
    (
        "ADD <name> <any> AFTER|FIRST",
        "columns are added at the end: `ALTER TABLE t ADD COLUMN p`",
    ),
    (
        "AFTER <name>",
        "columns are added at the end: `ALTER TABLE t ADD COLUMN p`",
    ),
    (
        "DROP TABLE <name> ,",
        "drop one table with each statement: `DROP TABLE IF EXISTS u`",
    ),
    (
        "DROP TABLE IF EXISTS <name> ,",
        "drop one table with each statement: `DROP TABLE IF EXISTS u`",
    ),
    (
        "CASCADE|RESTRICT|PURGE",
        "leave it out: `DROP TABLE IF EXISTS u`",
    ),
    (
        "DROP MATERIALIZED|FUNCTION|PROCEDURE|SEQUENCE|TYPE",
        "SQLite has only tables, views and indexes to drop: `DROP TABLE IF EXISTS u`",
    ),
];

/// A word in a call, where the named function takes only expressions.
pub(super) const CALLS: &[(&str, &str)] = &[
    (
        "EXTRACT > FROM",
        "use `CAST(strftime('%Y', x) AS INTEGER)`, with %m for the month, %d the day, %H the hour, %M the minute, %w the weekday; seconds since 1970 are `unixepoch(x)`",
    ),
    (
        "SUBSTRING|SUBSTR > FROM|FOR",
        "use `substr(x, 1, n)`, which counts from 1",
    ),
    (
        "TRIM|BTRIM > FROM|<any>",
        "use `trim(x)`, `ltrim(x, '0')` or `rtrim(x, ' ')`, with the characters to remove as the second argument",
    ),
    (
        "OVERLAY > PLACING",
        "use `substr(x, 1, a - 1) || y || substr(x, a + n)`",
    ),
    (
        "TRY_CAST|SAFE_CAST|CONVERT|TRY_CONVERT > AS|USING",
        "use `CAST(x AS INTEGER)`, which takes the number that a text begins with, or 0",
    ),
    (
        "CAST > ,|<any>",
        "use `CAST(x AS INTEGER)`, `CAST(x AS REAL)` or `CAST(x AS TEXT)`",
    ),
    (
        "GROUP_CONCAT|STRING_AGG|LISTAGG > SEPARATOR",
        "put the separator after a comma: `group_concat(x, ', ')`, with an order `group_concat(x, ', ' ORDER BY y)`",
    ),
    (
        "ANY|SOME|ALL > SELECT",
        "use `x IN (SELECT y FROM u)`, or `x > (SELECT max(y) FROM u)`",
    ),
    ("STRUCT > AS", OBJECT),
    ("COUNT > SELECT", "use `(SELECT count(*) FROM u)`"),
    (
        "DATE_ADD|DATE_SUB|ADDDATE|SUBDATE|DATE_TRUNC > <any>",
        INTERVAL,
    ),
    (
        "COALESCE|IFNULL|MAX|MIN|SUM|AVG|ABS|LENGTH|ROUND|ARRAY > SELECT",
        "a sub-query has brackets of its own: `ifnull((SELECT max(y) FROM u), 0)`",
    ),
    (
        "JSON_OBJECT > :|VALUE",
        "put commas between names and values: `json_object('x', x)`",
    ),
];
