//! Statements of dashboards, imports and clean-ups on tables of 20,000 to 200,000 rows. Each ends
//! within two seconds of native SQLite, and none is refused.

use sql_cost::Counts;
use sql_gate::{self, Parameters, Policy};

use test_support::HostDatabase;

const SCHEMA: &str = "
CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT, name TEXT, country TEXT, created TEXT);
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, category TEXT, price REAL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers (id), day TEXT, status TEXT, total REAL);
CREATE TABLE lines (id INTEGER PRIMARY KEY, orders INTEGER REFERENCES orders (id), product INTEGER REFERENCES products (id), quantity INTEGER, price REAL);
CREATE TABLE leads (id INTEGER PRIMARY KEY, email TEXT, source TEXT);
CREATE TABLE staff (id INTEGER PRIMARY KEY, boss INTEGER REFERENCES staff (id), name TEXT, salary INTEGER);
CREATE TABLE folders (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES folders (id), name TEXT);
CREATE TABLE events (id INTEGER PRIMARY KEY, person INTEGER, kind TEXT, at INTEGER);
CREATE TABLE documents (id INTEGER PRIMARY KEY, body TEXT);
CREATE TABLE archive (id INTEGER PRIMARY KEY, customer INTEGER, day TEXT, total REAL);
CREATE TABLE totals (customer INTEGER PRIMARY KEY, total REAL, orders INTEGER);
CREATE VIRTUAL TABLE notes USING fts5 (title, body);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
  INSERT INTO customers SELECT i, 'User' || (i % 19000) || '@Example.com', 'Name ' || i, 'C' || (i % 40), date('2020-01-01', (i % 1500) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
  INSERT INTO products SELECT i, 'Product ' || i, 'K' || (i % 25), (i * 37 % 1000) / 10.0 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000)
  INSERT INTO orders SELECT i, i * 7919 % 20000 + 1, date('2023-01-01', (i * 31 % 720) || ' days'), CASE i % 9 WHEN 0 THEN 'open' ELSE 'done' END, (i * 7919 % 10007) / 10.0 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000)
  INSERT INTO lines SELECT i, i % 100000 + 1, i * 104729 % 2000 + 1, i % 5 + 1, (i % 700) / 7.0 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000)
  INSERT INTO leads SELECT i, 'uSER' || (i * 3) || '@example.COM', 'S' || (i % 6) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
  INSERT INTO staff SELECT i, nullif(i / 4, 0), 'Person ' || i, i * 7919 % 5000 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000)
  INSERT INTO events SELECT i, i * 7919 % 5000, CASE i % 4 WHEN 0 THEN 'view' WHEN 1 THEN 'cart' WHEN 2 THEN 'buy' ELSE 'leave' END, 1700000000 + i * 13 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
  INSERT INTO documents SELECT i, json_object('kind', 'k' || (i % 12), 'size', i % 900, 'tags', json_array('t' || (i % 50), 't' || (i % 7)), 'text', printf('%.200c', 'x')) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
  INSERT INTO notes (rowid, title, body) SELECT i, 'note ' || i, 'word' || (i % 100) || ' text about topic' || (i % 900) || ' and topic' || (i % 31) FROM n;
CREATE INDEX orders_customer ON orders (customer);
CREATE INDEX orders_day ON orders (day);
CREATE INDEX lines_orders ON lines (orders);
CREATE INDEX lines_product ON lines (product);
CREATE INDEX staff_boss ON staff (boss);
CREATE INDEX events_person ON events (person, at);
CREATE INDEX customers_email ON customers (lower(email));
CREATE INDEX leads_email ON leads (lower(email));
CREATE INDEX documents_kind ON documents (json_extract(body, '$.kind'));
CREATE VIEW by_customer AS SELECT customer, count(*) AS orders, sum(total) AS total FROM orders GROUP BY customer;
CREATE VIEW by_month AS SELECT substr(day, 1, 7) AS month, status, count(*) AS orders, sum(total) AS total FROM orders GROUP BY 1, 2;
CREATE VIEW shares AS SELECT customer, sum(total) AS total, sum(total) / (SELECT sum(total) FROM orders) AS share FROM orders GROUP BY customer;
CREATE VIEW ranked AS SELECT customer, total, rank() OVER (ORDER BY total DESC) AS place FROM by_customer;
CREATE VIEW sold AS SELECT p.category, p.id AS product, sum(l.quantity) AS quantity, sum(l.quantity * l.price) AS total FROM lines AS l JOIN products AS p ON p.id = l.product GROUP BY p.id;
CREATE VIEW daily AS WITH days AS (SELECT day, sum(total) AS total FROM orders GROUP BY day) SELECT day, total, avg(total) OVER (ORDER BY day ROWS 6 PRECEDING) AS week FROM days;
";

/// Statements, with their purpose.
const HONEST: &[(&str, &str)] = &[
    // Dashboards.
    (
        "totals of a year",
        "SELECT strftime('%Y-%m', day) AS month, count(*), sum(total), avg(total) FROM orders WHERE day BETWEEN '2023-01-01' AND '2023-12-31' GROUP BY 1 ORDER BY 1",
    ),
    (
        "best customers",
        "SELECT c.name, t.total FROM by_customer AS t JOIN customers AS c ON c.id = t.customer ORDER BY t.total DESC LIMIT 20",
    ),
    (
        "categories by month",
        "SELECT p.category, substr(o.day, 1, 7) AS month, sum(l.quantity * l.price) FROM lines AS l JOIN orders AS o ON o.id = l.orders JOIN products AS p ON p.id = l.product GROUP BY 1, 2",
    ),
    (
        "a week before",
        "SELECT a.day, a.total, b.total AS before FROM daily AS a LEFT JOIN daily AS b ON b.day = date(a.day, '-7 days')",
    ),
    (
        "a month before",
        "SELECT a.month, a.status, a.total, b.total FROM by_month AS a LEFT JOIN by_month AS b ON b.status = a.status AND b.month = strftime('%Y-%m', a.month || '-01', '-1 month')",
    ),
    (
        "open against done",
        "SELECT a.month, a.orders * 1.0 / b.orders FROM by_month AS a JOIN by_month AS b USING (month) WHERE a.status = 'open' AND b.status = 'done'",
    ),
    (
        "customers with customers of the same total",
        "SELECT a.customer, b.customer FROM by_customer AS a JOIN by_customer AS b ON a.total = b.total AND a.customer < b.customer",
    ),
    (
        "the next place",
        "SELECT a.customer, a.total - b.total FROM ranked AS a JOIN ranked AS b ON b.place = a.place + 1",
    ),
    (
        "the best of each category",
        "SELECT s.* FROM sold AS s JOIN (SELECT category, max(total) AS most FROM sold GROUP BY category) AS m ON m.category = s.category AND m.most = s.total",
    ),
    (
        "orders above the mean of their customer",
        "SELECT count(*) FROM orders AS o JOIN by_customer AS t ON t.customer = o.customer WHERE o.total > t.total / t.orders",
    ),
    (
        "orders above their customer's mean, correlated",
        "SELECT count(*) FROM orders AS o WHERE total > (SELECT avg(total) FROM orders AS i WHERE i.customer = o.customer)",
    ),
    // Shares of totals.
    (
        "a share by a view",
        "SELECT * FROM shares WHERE share > 0.0001",
    ),
    (
        "a share of a share",
        "SELECT a.customer, a.share / b.most FROM shares AS a, (SELECT max(share) AS most FROM shares) AS b ORDER BY 2 DESC LIMIT 10",
    ),
    (
        "a share by a window",
        "SELECT customer, total / sum(total) OVER () AS share FROM by_customer ORDER BY share DESC LIMIT 10",
    ),
    (
        "a share by a common table expression",
        "WITH t AS (SELECT customer, sum(total) AS total FROM orders GROUP BY 1), s AS (SELECT sum(total) AS total FROM t) SELECT t.customer, t.total / s.total FROM t, s WHERE t.total / s.total > 0.0001",
    ),
    (
        "a share of the category",
        "SELECT s.product, s.total / c.total FROM sold AS s JOIN (SELECT category, sum(total) AS total FROM sold GROUP BY category) AS c ON c.category = s.category",
    ),
    (
        "the first customers that make half",
        "SELECT count(*) FROM (SELECT sum(total) OVER (ORDER BY total DESC) AS so_far, sum(total) OVER () AS whole FROM by_customer) WHERE so_far <= whole / 2",
    ),
    // Percentiles and windows.
    (
        "a median",
        "SELECT avg(total) FROM (SELECT total, row_number() OVER (ORDER BY total) AS r, count(*) OVER () AS n FROM orders) WHERE r IN ((n + 1) / 2, (n + 2) / 2)",
    ),
    (
        "a median of each",
        "SELECT status, avg(total) FROM (SELECT status, total, row_number() OVER (PARTITION BY status ORDER BY total) AS r, count(*) OVER (PARTITION BY status) AS n FROM orders) WHERE r IN ((n + 1) / 2, (n + 2) / 2) GROUP BY status",
    ),
    (
        "a percentile by OFFSET",
        "SELECT total FROM orders ORDER BY total LIMIT 1 OFFSET (SELECT count(*) * 95 / 100 FROM orders)",
    ),
    (
        "ten parts",
        "SELECT part, min(total), max(total) FROM (SELECT total, ntile(10) OVER (ORDER BY total) AS part FROM orders) GROUP BY part",
    ),
    (
        "the latest of each",
        "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY day DESC, id DESC) AS r FROM orders) WHERE r = 1",
    ),
    (
        "time between events",
        "SELECT kind, avg(gap) FROM (SELECT kind, at - lag(at) OVER (PARTITION BY person ORDER BY at) AS gap FROM events) GROUP BY kind",
    ),
    (
        "visits",
        "SELECT person, count(*) FROM (SELECT person, CASE WHEN at - lag(at) OVER (PARTITION BY person ORDER BY at) > 1800 THEN 1 END AS starts FROM events) WHERE starts GROUP BY person",
    ),
    (
        "a running sum",
        "SELECT customer, day, sum(total) OVER (PARTITION BY customer ORDER BY day, id) FROM orders",
    ),
    (
        "from view to purchase",
        "SELECT count(DISTINCT v.person) FROM events AS v JOIN events AS b ON b.person = v.person AND b.kind = 'buy' AND b.at BETWEEN v.at AND v.at + 3600 WHERE v.kind = 'view'",
    ),
    // Duplicates.
    (
        "the same address in capitals",
        "SELECT count(*) FROM customers AS c JOIN leads AS l ON lower(l.email) = lower(c.email)",
    ),
    (
        "leads that are no customers",
        "SELECT * FROM leads AS l WHERE NOT EXISTS (SELECT 1 FROM customers AS c WHERE lower(c.email) = lower(l.email))",
    ),
    (
        "leads by an outer join",
        "SELECT l.id FROM leads AS l LEFT JOIN customers AS c ON lower(c.email) = lower(l.email) WHERE c.id IS NULL",
    ),
    (
        "the first of each address",
        "SELECT * FROM customers AS c WHERE NOT EXISTS (SELECT 1 FROM customers AS d WHERE lower(d.email) = lower(c.email) AND d.id < c.id)",
    ),
    (
        "pairs of an address",
        "SELECT a.id, b.id FROM customers AS a JOIN customers AS b ON lower(a.email) = lower(b.email) AND a.id < b.id",
    ),
    (
        "duplicates go",
        "DELETE FROM customers WHERE id NOT IN (SELECT customer FROM orders) AND EXISTS (SELECT 1 FROM customers AS d WHERE lower(d.email) = lower(customers.email) AND d.id < customers.id)",
    ),
    (
        "all but the first go",
        "DELETE FROM leads WHERE id NOT IN (SELECT min(id) FROM leads GROUP BY lower(email))",
    ),
    // Trees.
    (
        "a part of a tree",
        "WITH RECURSIVE below(id, depth) AS (SELECT 1, 0 UNION ALL SELECT s.id, depth + 1 FROM staff AS s JOIN below ON s.boss = below.id) SELECT depth, count(*), sum(salary) FROM below JOIN staff USING (id) GROUP BY depth",
    ),
    (
        "the way up",
        "WITH RECURSIVE above(id, boss, depth) AS (SELECT id, boss, 0 FROM staff WHERE id = 19999 UNION ALL SELECT s.id, s.boss, depth + 1 FROM staff AS s JOIN above ON s.id = above.boss) SELECT * FROM above",
    ),
    (
        "paths of a tree",
        "WITH RECURSIVE p(id, path) AS (SELECT id, name FROM staff WHERE boss IS NULL UNION ALL SELECT s.id, p.path || '/' || s.name FROM staff AS s JOIN p ON s.boss = p.id) SELECT * FROM p ORDER BY path LIMIT 50",
    ),
    (
        "those who earn more than their boss",
        "SELECT s.name, b.name FROM staff AS s JOIN staff AS b ON b.id = s.boss WHERE s.salary > b.salary",
    ),
    (
        "a tree is filled",
        "INSERT INTO folders (id, parent, name) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT i, nullif(i / 2, 0), 'folder ' || i FROM n",
    ),
    (
        "a tree is copied",
        "INSERT INTO folders SELECT id, boss, name FROM staff ORDER BY id",
    ),
    (
        "a calendar",
        "WITH RECURSIVE days(day) AS (SELECT '2023-01-01' UNION ALL SELECT date(day, '+1 day') FROM days WHERE day < '2024-12-31') SELECT days.day, count(o.id) FROM days LEFT JOIN orders AS o ON o.day = days.day GROUP BY 1",
    ),
    // Documents and texts.
    (
        "documents of a kind",
        "SELECT json_extract(body, '$.kind') AS kind, count(*), avg(json_extract(body, '$.size')) FROM documents GROUP BY 1",
    ),
    (
        "tags",
        "SELECT t.value, count(*) FROM documents AS d, json_each(d.body, '$.tags') AS t GROUP BY 1 ORDER BY 2 DESC LIMIT 20",
    ),
    (
        "documents with the same kind",
        "SELECT a.id, count(*) FROM documents AS a JOIN documents AS b ON json_extract(a.body, '$.kind') = json_extract(b.body, '$.kind') WHERE a.id < 50 GROUP BY a.id",
    ),
    (
        "a field is put in",
        "UPDATE documents SET body = json_set(body, '$.seen', 1, '$.at', id)",
    ),
    (
        "a patch",
        "UPDATE documents SET body = json_patch(body, '{\"seen\":true,\"size\":null}')",
    ),
    (
        "a search",
        "SELECT title, snippet(notes, 1, '[', ']', '…', 8) FROM notes WHERE notes MATCH 'topic7 OR topic8*' ORDER BY rank LIMIT 20",
    ),
    (
        "a search for many words",
        "SELECT count(*) FROM notes WHERE notes MATCH 'topic1 OR topic2 OR topic3 OR topic4 OR topic5 OR topic6 OR topic7 OR topic8 OR topic9 OR word1 OR word2 OR word3 OR word4 OR word5 OR word6* OR word7* OR word8* OR word9* OR note OR text'",
    ),
    (
        "the best of many words",
        "SELECT title FROM notes WHERE notes MATCH 'topic1 OR topic2 OR topic3 OR topic4 OR topic5 OR word1 OR word2 OR word3* OR text OR about' ORDER BY rank LIMIT 10",
    ),
    (
        "an index is made again",
        "INSERT INTO notes (notes) VALUES ('rebuild')",
    ),
    (
        "an index is put together",
        "INSERT INTO notes (notes) VALUES ('optimize')",
    ),
    ("texts go", "DELETE FROM notes WHERE rowid % 3 = 0"),
    (
        "texts change",
        "UPDATE notes SET body = body || ' more' WHERE rowid < 5000",
    ),
    // Writes.
    (
        "old rows go to the archive",
        "INSERT INTO archive SELECT id, customer, day, total FROM orders WHERE day < '2023-06-01'",
    ),
    (
        "totals are kept",
        "INSERT INTO totals SELECT customer, sum(total), count(*) FROM orders WHERE true GROUP BY customer ON CONFLICT (customer) DO UPDATE SET total = excluded.total, orders = excluded.orders",
    ),
    (
        "a column is computed again",
        "UPDATE orders SET total = (SELECT sum(quantity * price) FROM lines WHERE lines.orders = orders.id)",
    ),
    (
        "prices from a sub-query",
        "UPDATE lines SET price = p.price FROM products AS p WHERE p.id = lines.product AND lines.price > p.price",
    ),
    (
        "orphans go",
        "DELETE FROM lines WHERE NOT EXISTS (SELECT 1 FROM orders AS o WHERE o.id = lines.orders)",
    ),
];

fn database() -> HostDatabase {
    let db = HostDatabase::new();
    session::start(&db, 0).unwrap();
    db.script(SCHEMA);
    db
}

#[test]
fn honest_statements_are_not_refused() {
    let db = database();
    let policy = Policy::default();
    let mut complaints = Vec::new();
    for (what, text) in HONEST {
        let bound = sql_gate::review(text, &policy).and_then(|one| one.bind(&Parameters::None));
        let verdict = bound
            .and_then(|bound| sql_cost::guard_counting(&db, &bound, &policy, &Counts::default()));
        if let Err(error) = verdict {
            complaints.push(format!("{what}: {error}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
