//! Changes of a database between an approval and its run: those that are refused, and those that
//! mean nothing to the statement.

use super::{ANY, BY_VIEW, COPY, DELETE, INSERT, JOINED, NAMED, QUOTED, TEXTS};

/// A statement, and a change between its preview and its run.
pub(super) const REFUSED: &[(&str, &str, &str)] = &[
    (
        "a new child that cascades",
        DELETE,
        "CREATE TABLE kept (id, c INTEGER REFERENCES customers (id) ON DELETE CASCADE)",
    ),
    (
        "a new child that sets null",
        DELETE,
        "CREATE TABLE kept (id, c INTEGER REFERENCES customers ON DELETE SET NULL)",
    ),
    (
        "a new child that sets a default",
        DELETE,
        "CREATE TABLE kept (id, c INTEGER DEFAULT 1 REFERENCES \"CUSTOMERS\" ON DELETE SET DEFAULT)",
    ),
    (
        "a new child that restricts",
        DELETE,
        "CREATE TABLE kept (id, c INTEGER REFERENCES [customers] ON DELETE RESTRICT)",
    ),
    (
        "a new child of a child",
        DELETE,
        "CREATE TABLE kept (id, o REFERENCES lines ON DELETE CASCADE)",
    ),
    (
        "a column with a foreign key",
        DELETE,
        "ALTER TABLE other ADD COLUMN c REFERENCES customers ON DELETE CASCADE",
    ),
    (
        "a child made again without its action",
        DELETE,
        "DROP TABLE lines; CREATE TABLE lines (id INTEGER PRIMARY KEY, orders INTEGER REFERENCES orders (id))",
    ),
    (
        "an index of a child",
        DELETE,
        "CREATE UNIQUE INDEX once ON orders (customer, total)",
    ),
    (
        "another default",
        INSERT,
        "DROP TABLE customers; CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, region INTEGER REFERENCES regions (id), note TEXT DEFAULT 'bad')",
    ),
    (
        "a unique index",
        INSERT,
        "CREATE UNIQUE INDEX once ON customers (name)",
    ),
    (
        "a partial index",
        INSERT,
        "CREATE UNIQUE INDEX once ON customers (name) WHERE region IS NULL",
    ),
    (
        "an index on an expression",
        INSERT,
        "CREATE UNIQUE INDEX once ON customers (lower(name))",
    ),
    ("an index that goes", INSERT, "DROP INDEX by_region"),
    (
        "a parent made again",
        INSERT,
        "PRAGMA foreign_keys = OFF; DROP TABLE regions; CREATE TABLE regions (id INTEGER PRIMARY KEY, name TEXT UNIQUE); PRAGMA foreign_keys = ON",
    ),
    (
        "a trigger",
        INSERT,
        "CREATE TRIGGER late AFTER INSERT ON customers BEGIN DELETE FROM orders; END",
    ),
    (
        "a column for a star",
        COPY,
        "ALTER TABLE customers ADD COLUMN extra; ALTER TABLE archive ADD COLUMN extra",
    ),
    (
        "columns in another order",
        COPY,
        "DROP TABLE archive; CREATE TABLE archive (name TEXT, id INTEGER, region INTEGER, note TEXT)",
    ),
    (
        "a generated column",
        COPY,
        "DROP TABLE archive; CREATE TABLE archive (id INTEGER, name TEXT, region INTEGER, note TEXT, g AS (id + 1))",
    ),
    (
        "another collation",
        COPY,
        "DROP TABLE archive; CREATE TABLE archive (id INTEGER, name TEXT COLLATE NOCASE, region INTEGER, note TEXT)",
    ),
    (
        "a check",
        COPY,
        "DROP TABLE archive; CREATE TABLE archive (id INTEGER CHECK (id > 0), name TEXT, region INTEGER, note TEXT)",
    ),
    (
        "a strict table",
        COPY,
        "DROP TABLE archive; CREATE TABLE archive (id INTEGER, name TEXT, region INTEGER, note TEXT) STRICT",
    ),
    (
        "a table without rowid",
        COPY,
        "DROP TABLE archive; CREATE TABLE archive (id INTEGER PRIMARY KEY, name TEXT, region INTEGER, note TEXT) WITHOUT ROWID",
    ),
    (
        "a rowid of its own",
        COPY,
        "DROP TABLE archive; CREATE TABLE archive (id INTEGER PRIMARY KEY, name TEXT, region INTEGER, note TEXT)",
    ),
    (
        "a table that becomes a view",
        COPY,
        "ALTER TABLE customers RENAME TO hidden; CREATE VIEW customers AS SELECT 7, 'x', 1, 'y'",
    ),
    (
        "another table of the name",
        COPY,
        "ALTER TABLE customers RENAME TO old; ALTER TABLE archive RENAME TO customers; ALTER TABLE old RENAME TO archive",
    ),
    (
        "a column with another name",
        COPY,
        "ALTER TABLE customers RENAME COLUMN note TO remark",
    ),
    (
        "a view",
        BY_VIEW,
        "DROP VIEW rich; CREATE VIEW rich AS SELECT id AS customer FROM customers",
    ),
    (
        "the view of a view",
        BY_VIEW,
        "DROP VIEW big; CREATE VIEW big AS SELECT * FROM orders",
    ),
    (
        "the table of a view of a view",
        BY_VIEW,
        "ALTER TABLE orders ADD COLUMN paid",
    ),
    (
        "an index of the table of a view",
        BY_VIEW,
        "CREATE INDEX by_total ON orders (total)",
    ),
    (
        "an index that decides which row comes first",
        ANY,
        "CREATE INDEX by_name ON customers (name DESC)",
    ),
    (
        "the order of indexes",
        ANY,
        "CREATE INDEX a ON customers (name); DROP INDEX by_region; CREATE INDEX by_region ON customers (region)",
    ),
    (
        "an alias that becomes a column",
        QUOTED,
        "ALTER TABLE other ADD COLUMN maybe DEFAULT 7",
    ),
    (
        "a table under the name of an expression",
        NAMED,
        "CREATE TABLE picked (id)",
    ),
    (
        "a view under the name of an expression",
        NAMED,
        "CREATE VIEW picked AS SELECT 1 AS id",
    ),
    (
        "a column that joins",
        JOINED,
        "ALTER TABLE orders ADD COLUMN name DEFAULT 'ann'",
    ),
    (
        "the ranking of a full-text table",
        TEXTS,
        "INSERT INTO texts (texts, rank) VALUES ('rank', 'bm25(-5.0)')",
    ),
    (
        "another full-text table",
        TEXTS,
        "DROP TABLE texts; CREATE VIRTUAL TABLE texts USING fts5 (body, tokenize = 'porter')",
    ),
    (
        "what a view calls by a text in single quotes",
        "SELECT * FROM single",
        "ALTER TABLE other ADD COLUMN c",
    ),
    (
        "the catalogue",
        "INSERT INTO other SELECT name, 1 FROM sqlite_schema",
        "CREATE TABLE anything (a)",
    ),
    (
        "the catalogue by a function",
        "SELECT count(*) FROM pragma_table_info('other')",
        "ALTER TABLE other ADD COLUMN c",
    ),
    (
        "a view of what is dropped",
        "DROP TABLE other",
        "CREATE VIEW shown AS SELECT a FROM other",
    ),
    (
        "a view of what is renamed",
        "ALTER TABLE other RENAME TO another",
        "CREATE VIEW shown AS SELECT a FROM other",
    ),
    (
        "a child of what is dropped",
        "DROP TABLE customers",
        "CREATE TABLE kept (c REFERENCES customers ON DELETE CASCADE)",
    ),
    (
        "an index of what is dropped",
        "DROP INDEX by_region",
        "DROP INDEX by_region; CREATE UNIQUE INDEX by_region ON customers (id)",
    ),
    (
        "a table that is to be created",
        "CREATE TABLE IF NOT EXISTS fresh (a)",
        "CREATE TABLE fresh (b)",
    ),
    (
        "a table gone and come back in capitals",
        "SELECT * FROM other",
        "DROP TABLE other; CREATE TABLE OTHER (a, b)",
    ),
];

/// Changes without an effect on the statement.
pub(super) const ACCEPTED: &[(&str, &str, &str)] = &[
    (
        "rows",
        DELETE,
        "INSERT INTO customers VALUES (4, 'dan', 1, '')",
    ),
    ("rows of a child", DELETE, "DELETE FROM lines"),
    ("a table", DELETE, "CREATE TABLE unrelated (id, c)"),
    ("a table that goes", DELETE, "DROP TABLE archive"),
    (
        "a view",
        DELETE,
        "CREATE VIEW unrelated AS SELECT * FROM customers",
    ),
    (
        "a full-text table",
        DELETE,
        "CREATE VIRTUAL TABLE unrelated USING fts5 (body)",
    ),
    (
        "an index elsewhere",
        DELETE,
        "CREATE INDEX elsewhere ON other (a)",
    ),
    (
        "another child of a parent",
        INSERT,
        "CREATE TABLE shops (id, r REFERENCES regions ON DELETE CASCADE)",
    ),
    (
        "a child of a table that is read",
        "SELECT * FROM customers",
        "CREATE TABLE kept (c REFERENCES customers ON DELETE CASCADE)",
    ),
    (
        "a parent's own parent",
        "INSERT INTO orders VALUES (7, 1, 1)",
        "CREATE TABLE worlds (id INTEGER PRIMARY KEY); ALTER TABLE regions ADD COLUMN w REFERENCES worlds",
    ),
    (
        "a table named like a value",
        "SELECT * FROM customers WHERE name = 'stranger'",
        "CREATE TABLE stranger (a)",
    ),
    (
        "a column elsewhere",
        QUOTED,
        "ALTER TABLE customers ADD COLUMN maybe",
    ),
    (
        "a view that it does not read",
        BY_VIEW,
        "CREATE VIEW x AS SELECT * FROM rich",
    ),
    (
        "words of a full-text table",
        TEXTS,
        "INSERT INTO texts VALUES ('three words')",
    ),
    (
        "a table with the name of a column that is looked for",
        "UPDATE customers SET note = name WHERE region = 1 AND id IN (1, 2)",
        "CREATE TABLE note (id); CREATE TABLE region (id); CREATE TABLE id (id); CREATE VIEW name AS SELECT 1",
    ),
    (
        "a table with the name of a column behind its table",
        "SELECT c.note, c.\"name\" FROM main.customers AS c ORDER BY c.region",
        "CREATE TABLE note (a); CREATE TABLE name (a); CREATE TABLE region (a); CREATE TABLE c (a)",
    ),
    (
        "a table with the name of a column in a common table expression",
        NAMED,
        "CREATE TABLE id (id); CREATE TABLE a (id)",
    ),
    (
        "a table with the name of a column of a view",
        BY_VIEW,
        "CREATE TABLE customer (id); CREATE TABLE total (id); CREATE TABLE b (id)",
    ),
    (
        "a table with the name of a function, a text or a keyword",
        "UPDATE other SET a = upper('big word') WHERE b IS NOT NULL",
        "CREATE TABLE upper (a); CREATE TABLE 'big word' (a); CREATE TABLE 'null' (a); CREATE TABLE 'where' (a)",
    ),
    (
        "a table with the name of a column of an index",
        "CREATE INDEX fresh ON customers (note, name) WHERE region > 1",
        "CREATE TABLE note (a); CREATE TABLE name (a); CREATE TABLE region (a)",
    ),
    (
        "a table with the name of a column of a table that is made",
        "CREATE TABLE fresh (note TEXT, region INTEGER REFERENCES regions (id))",
        "CREATE TABLE note (a); CREATE TABLE region (a); CREATE TABLE id (a)",
    ),
    (
        "options of a full-text table that change no order",
        TEXTS,
        "INSERT INTO texts (texts, rank) VALUES ('automerge', 8)",
    ),
    (
        "a table that comes and goes",
        DELETE,
        "CREATE TABLE kept (c REFERENCES customers); DROP TABLE kept",
    ),
    (
        "a result that is kept",
        DELETE,
        "INSERT INTO session_state VALUES ('k', '1', 1)",
    ),
];
