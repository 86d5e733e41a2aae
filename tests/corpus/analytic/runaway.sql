-- Statements over the tables of tests/it/work/analytic/tables.rs that compute for minutes or for ever when nobody stops them. Each is
-- named by the comment before it and ends with a semicolon at the end of a line.

-- an alias that looks like a constant row
SELECT count(*) FROM hits "CONSTANT ROW a" JOIN hits b ON b.width < "CONSTANT ROW a".height;

-- aliases that look like rows of a list
SELECT count(*) FROM lineitem "2-ROW VALUES CLAUSE", lineitem "CONSTANT ROWS" WHERE "2-ROW VALUES CLAUSE".quantity <> "CONSTANT ROWS".tax;

-- an alias that uses a one-row sub-select
SELECT count(*) FROM (SELECT 1 AS x) r, hits "r USING x", hits "r USING x (a=?)" WHERE "r USING x".width + r.x > "r USING x (a=?)".height;

-- aliases that look like look-ups
SELECT count(*) FROM hits "SEARCH b USING INTEGER PRIMARY KEY (rowid=?)", lineitem "l USING COVERING INDEX (a=?)" WHERE "l USING COVERING INDEX (a=?)".quantity > "SEARCH b USING INTEGER PRIMARY KEY (rowid=?)".width;

-- a product of two tables
SELECT count(*) FROM lineitem a, hits b WHERE a.quantity + b.width < 0;

-- a product within a sub-query that is counted
SELECT count(*) FROM (SELECT a.id FROM hits a CROSS JOIN lineitem b LIMIT 100000000000);

-- a product that is sorted
SELECT a.id, b.id FROM orders a, orders b ORDER BY a.total - b.total LIMIT 5;

-- a product that is made distinct
SELECT count(*) FROM (SELECT DISTINCT a.clerk, b.id FROM orders a, orders b);

-- a product that is grouped
SELECT a.priority, count(DISTINCT b.id + a.id) FROM orders a, orders b GROUP BY a.priority;

-- an equality of flags
SELECT count(*) FROM lineitem a JOIN lineitem b ON b.return_flag = a.return_flag;

-- an equality of two flags
SELECT count(*) FROM lineitem a JOIN lineitem b ON b.return_flag = a.return_flag AND b.mode = a.mode;

-- an equality of days
SELECT count(*) FROM hits a JOIN hits b ON b.day = a.day;

-- an equality of counters and days
SELECT count(*), sum(b.width) FROM hits a JOIN hits b ON b.counter_id = a.counter_id JOIN hits c ON c.counter_id = b.counter_id;

-- an equality of flags with a using clause
SELECT count(*) FROM hits a JOIN (SELECT is_mobile, user_id FROM hits) b USING (is_mobile);

-- a natural join of flags
SELECT count(*) FROM (SELECT is_mobile, is_link FROM hits) NATURAL JOIN (SELECT is_mobile, is_link FROM hits);

-- an outer join on an inequality
SELECT count(b.id) FROM hits a LEFT JOIN hits b ON b.id > a.id;

-- a full join of flags
SELECT count(*) FROM hits a FULL JOIN hits b ON b.is_link = a.is_link;

-- terms with OR over two columns
SELECT count(*) FROM hits a JOIN hits b ON b.day = a.day OR b.counter_id = a.counter_id;

-- a look-up of ranges
SELECT count(*) FROM hits a JOIN hits b ON b.id BETWEEN a.id - 200000 AND a.id + 200000;

-- a list of rows for each row
SELECT count(*) FROM hits a JOIN hits b ON b.id IN (SELECT id FROM hits WHERE id <> a.id);

-- rowids out of a list for each row
SELECT count(*) FROM lineitem a, lineitem b WHERE b.rowid IN (SELECT c.id FROM hits c WHERE c.width > a.quantity);

-- a sub-query that scans for each row
SELECT sum((SELECT count(*) FROM hits b WHERE b.width + b.height > a.width)) FROM hits a;

-- nothing that exists, looked for everywhere
SELECT count(*) FROM hits a WHERE NOT EXISTS (SELECT 1 FROM hits b WHERE b.width < a.width - 10000);

-- a correlated aggregate in the order of rows
SELECT id FROM hits a ORDER BY (SELECT max(b.duration) FROM hits b WHERE b.width <> a.width) LIMIT 1;

-- words of one table in texts of another
SELECT count(*) FROM hits a JOIN hits b ON a.url LIKE '%' || b.phrase || '%';

-- a group of a product compared with itself
WITH g AS (SELECT a.user_id AS u, count(*) AS n FROM hits a GROUP BY a.user_id) SELECT count(*) FROM g x, g y WHERE x.n <> y.n AND x.u < y.u + 1 AND x.u * y.u <> 5;

-- groups of every row, three times
WITH g AS (SELECT id, count(*) AS n FROM hits GROUP BY id) SELECT count(*) FROM g x JOIN g y ON y.n = x.n JOIN g z ON z.n = y.n;

-- a materialised table by itself
WITH m AS MATERIALIZED (SELECT width, id FROM hits) SELECT count(*) FROM m a, m b WHERE a.id * b.id = -1;

-- a running maximum over frames without the row itself
SELECT max(x) FROM (SELECT max(width) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) AS x FROM hits);

-- a sum over frames without ties
SELECT sum(x) FROM (SELECT sum(width) OVER (ORDER BY is_mobile GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES) AS x FROM hits);

-- the longest text of a moving frame
SELECT max(length(x)) FROM (SELECT group_concat(url) OVER (ORDER BY id ROWS BETWEEN 5000 PRECEDING AND CURRENT ROW) AS x FROM hits);

-- a list of a JSON list of a JSON list
SELECT count(*) FROM json_each((SELECT json_group_array(id) FROM (SELECT id FROM hits LIMIT 200000))) a, json_each((SELECT json_group_array(id) FROM (SELECT id FROM hits LIMIT 200000))) b WHERE a.value + b.value < 0;

-- a computed list for each row
SELECT count(*) FROM hits h, json_each('[' || replace(hex(zeroblob(100000)), '00', '1,') || '1]') WHERE h.width < 0 OR value > 1;

-- a recursion that branches
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT r.n + h.is_mobile FROM r, hits h LIMIT 1000000000) SELECT count(*) FROM r;

-- a recursion that scans a table for each row
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT (SELECT count(*) FROM hits WHERE width + r.n > 0) FROM r LIMIT 1000000) SELECT max(n) FROM r;

-- two recursions side by side
WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a LIMIT 1000000), b(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM b LIMIT 1000000) SELECT count(*) FROM a, b WHERE a.n * b.n < 0;

-- a recursion that keeps its rows apart and searches them
WITH RECURSIVE r(n, s) AS (SELECT 1, 'x' UNION SELECT n + 1, s || 'xxxxxxxxxx' FROM r LIMIT 1000000) SELECT max(length(s)) FROM r;

-- values that double
WITH RECURSIVE r(n, s) AS (SELECT 1, 'xxxxxxxxxxxxxxxx' UNION ALL SELECT n + 1, CASE WHEN length(s) < 900000 THEN s || s ELSE s END FROM r LIMIT 1000000) SELECT sum(instr(s, 'y')) FROM r;

-- rows of a product written
INSERT INTO orders (id, clerk) SELECT a.id * 1000000 + b.id, a.clerk FROM orders a, orders b;

-- a megabyte in each row
INSERT INTO orders (comment) SELECT zeroblob(1000000) FROM orders;

-- a megabyte put into each row
UPDATE hits SET title = hex(zeroblob(500000));

-- an update that scans for each row
UPDATE hits SET duration = (SELECT max(b.duration) FROM hits b WHERE b.width <> hits.height);

-- an update from a product
UPDATE orders SET total = l.price FROM lineitem l, hits h WHERE h.width + l.quantity > orders.total;

-- a deletion that looks at everything for each row
DELETE FROM hits WHERE NOT EXISTS (SELECT 1 FROM lineitem l WHERE l.quantity + hits.width < 0);

-- an index that a conflict is looked up in, for a product
INSERT INTO customer (id, name) SELECT a.id % 100, b.clerk FROM hits a, orders b WHERE true ON CONFLICT DO NOTHING;

-- a long needle in a long text for each row
SELECT sum(instr(hex(zeroblob(500000)), hex(zeroblob(200000)) || h.id)) FROM hits h;

-- a large object patched for each row
SELECT sum(length(json_patch((SELECT json_group_object(id, width) FROM (SELECT id, width FROM hits LIMIT 50000)), json_object(h.id, 1)))) FROM hits h;

-- one group of everything, as text, for each row
SELECT count(*) FROM orders a WHERE length((SELECT group_concat(b.clerk || a.id) FROM (SELECT clerk FROM orders LIMIT 50000) b)) < 0;
