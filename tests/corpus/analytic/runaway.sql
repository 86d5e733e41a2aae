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
SELECT sum(length(json_patch((SELECT json_group_object('k' || id, width) FROM (SELECT id, width FROM hits LIMIT 50000)), json_object('k' || h.id, 1)))) FROM hits h;

-- one group of everything, as text, for each row
SELECT count(*) FROM orders a WHERE length((SELECT group_concat(b.clerk || a.id) FROM (SELECT clerk FROM orders LIMIT 50000) b)) < 0;

-- a copy with a long value in each row
CREATE TABLE fat AS SELECT id, zeroblob(100000) AS z FROM hits;

-- long rows that are written and returned
INSERT INTO customer (id, name) SELECT id + 100000000, hex(randomblob(10000)) FROM hits RETURNING id, name;

-- long rows that an update returns
UPDATE customer SET phone = printf('%200000d', id) RETURNING phone;

-- long rows that replace others
INSERT OR REPLACE INTO customer (id, name) SELECT id, hex(zeroblob(50000)) FROM hits;

-- an index over long values
CREATE INDEX fat ON hits (hex(zeroblob(50000)) || url);

-- a generated text that is stored
CREATE TABLE fat AS SELECT h.id, printf('%*d', 20000, h.id) AS z FROM hits h JOIN nation n ON n.id >= 0;

-- long values made distinct
SELECT count(*) FROM (SELECT DISTINCT hex(zeroblob(20000)) || id FROM hits);

-- long values sorted
SELECT id FROM hits ORDER BY printf('%50000d', id) LIMIT 3;

-- long values grouped
SELECT count(*) FROM (SELECT 1 FROM hits GROUP BY hex(zeroblob(10000)) || url);

-- long values in a union
SELECT count(*) FROM (SELECT title || hex(zeroblob(20000)) FROM hits UNION SELECT url FROM hits);

-- long values kept for a second reading
WITH m AS MATERIALIZED (SELECT id, hex(zeroblob(20000)) || id AS z FROM hits) SELECT count(*) FROM m x JOIN m y ON y.id = x.id WHERE y.z > x.z;

-- long values in a list
SELECT count(*) FROM hits WHERE hex(zeroblob(10000)) || url IN (SELECT hex(zeroblob(10000)) || url FROM hits);

-- rows of a recursion written
INSERT INTO orders (comment) WITH RECURSIVE r(n, s) AS (SELECT 1, printf('%3900d', 1) UNION ALL SELECT n + 1, s FROM r LIMIT 1000000) SELECT s || s || s FROM r;

-- rows of a recursion sorted twice
WITH RECURSIVE r(n, s) AS (SELECT 1, printf('%3900d', 1) UNION ALL SELECT n + 1, s FROM r LIMIT 1000000) SELECT count(*) FROM (SELECT n, row_number() OVER (ORDER BY s || n) AS x, rank() OVER (ORDER BY s DESC, n) AS y FROM r) WHERE x = y;

-- a running text of everything
SELECT max(length(x)) FROM (SELECT group_concat(id) OVER (ORDER BY id) AS x FROM (SELECT id FROM hits LIMIT 200000));

-- a running list of each day
SELECT max(length(x)) FROM (SELECT json_group_array(user_id) OVER (PARTITION BY day ORDER BY id) AS x FROM hits);

-- a running object of each day
SELECT max(length(x)) FROM (SELECT json_group_object('k' || id, width) OVER (PARTITION BY day ORDER BY id ROWS UNBOUNDED PRECEDING) AS x FROM hits);

-- a text of all that follows
SELECT max(length(x)) FROM (SELECT string_agg(url, ';') OVER (PARTITION BY day ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS x FROM hits);

-- a text of the rows of a range
SELECT max(length(x)) FROM (SELECT group_concat(url) OVER (ORDER BY id RANGE BETWEEN 8000 PRECEDING AND 8000 FOLLOWING) AS x FROM hits);

-- a text of groups of peers
SELECT max(length(x)) FROM (SELECT group_concat(id) OVER (ORDER BY day GROUPS 1 PRECEDING) AS x FROM hits);

-- the largest long text of a moving frame
SELECT max(length(x)) FROM (SELECT max(hex(zeroblob(10000)) || url) OVER (ORDER BY id ROWS 1000 PRECEDING) AS x FROM hits);

-- the first long text of each frame
SELECT max(length(x)) FROM (SELECT first_value(hex(zeroblob(50000)) || id) OVER (ORDER BY id ROWS BETWEEN 10 PRECEDING AND CURRENT ROW) AS x FROM hits);

-- a pattern that is compared at every place
SELECT count(*) FROM hits WHERE hex(zeroblob(20000)) || url LIKE '%0_0_0_0_0_0_0_0_0_0_0_0_0_0_0_01%';

-- a text that grows in every row
SELECT sum(length(replace(hex(zeroblob(20000)) || id, '0', 'abcdef'))) FROM hits;

-- the whole list beside each of its elements
SELECT sum(length(j.json || 'x')) FROM json_each('[' || replace(hex(zeroblob(200000)), '00', '1,') || '1]') j;

-- a list of lists for each row
SELECT count(*) FROM hits h, json_tree('[' || replace(hex(zeroblob(3000)), '00', '[1],') || h.id || ']') t WHERE t.type = 'nothing';

-- an alias that looks like a sub-query
SELECT count(*) FROM hits "SCALAR SUBQUERY 1", hits "CORRELATED SCALAR SUBQUERY 2" WHERE "SCALAR SUBQUERY 1".width <> "CORRELATED SCALAR SUBQUERY 2".height + 10000;

-- a common table that looks like a coroutine
WITH "CO-ROUTINE x" AS (SELECT width, id FROM hits), "MATERIALIZE (a=?)" AS (SELECT height FROM hits) SELECT count(*) FROM "CO-ROUTINE x" a, "MATERIALIZE (a=?)" b WHERE a.width * b.height < 0;

-- rows of both sides of an OR
SELECT count(*) FROM hits a JOIN hits b ON b.user_id = a.user_id OR b.session_id = a.session_id OR b.day = a.day;

-- pairs that are looked for in a list of pairs
SELECT count(*) FROM hits a WHERE (a.width, a.height) NOT IN (SELECT b.width + a.id, b.height FROM hits b);

-- values that are looked for in a list of sums
SELECT count(*) FROM hits a WHERE a.width IN (SELECT b.width + b.height + a.height FROM hits b WHERE b.is_link = a.is_link);

-- a limit that is a product
SELECT a.id FROM hits a ORDER BY a.url LIMIT 1 OFFSET (SELECT count(*) FROM hits b, hits c WHERE b.width <> c.width);

-- a sub-query in the groups
SELECT count(*) FROM (SELECT (SELECT count(*) FROM hits b WHERE b.width > a.width) AS n FROM hits a GROUP BY n);

-- a sub-query behind HAVING
SELECT session_id FROM hits a GROUP BY session_id HAVING max(width) < (SELECT avg(b.width) FROM hits b WHERE b.height <> max(a.height));

-- a sub-query within CASE
SELECT sum(CASE WHEN a.is_mobile < 2 THEN (SELECT max(b.id) FROM hits b WHERE b.width + a.width < 0) ELSE 0 END) FROM hits a;

-- a right join on an inequality
SELECT count(a.id) FROM hits a RIGHT JOIN hits b ON a.width <> b.width;

-- three flags
SELECT count(*) FROM hits a JOIN hits b ON b.is_mobile = a.is_mobile AND b.is_link = a.is_link AND b.is_refresh = a.is_refresh;

-- groups of peers without the own group
SELECT sum(x) FROM (SELECT sum(width) OVER (ORDER BY day, id GROUPS BETWEEN 5000 PRECEDING AND 5000 FOLLOWING EXCLUDE GROUP) AS x FROM hits);

-- a moving minimum of everything else
SELECT sum(x) FROM (SELECT min(width) OVER (ORDER BY id ROWS BETWEEN 50000 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) AS x FROM hits);

-- lists of values side by side
WITH v(x) AS (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18), (19), (20)) SELECT count(*) FROM v a, v b, v c, v d, v e, v f, v g, v h WHERE a.x + b.x + c.x + d.x + e.x + f.x + g.x + h.x < 0;

-- a recursion over a product
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 100000) SELECT count(*) FROM r JOIN hits h ON h.width <> r.n;

-- a recursion of pairs kept apart
WITH RECURSIVE r(x, y) AS (SELECT id % 1000, id % 999 FROM hits UNION SELECT (x * 7 + 1) % 1000000, y FROM r LIMIT 100000000) SELECT count(*) FROM r a, r b WHERE a.x = b.y;

-- a coroutine within a loop
SELECT count(*) FROM region r CROSS JOIN hits h CROSS JOIN (SELECT DISTINCT user_id AS u FROM hits) d WHERE d.u + h.width + r.id < 0;

-- a sorted sub-query for each row
SELECT sum((SELECT b.id FROM hits b WHERE b.is_link = a.is_link ORDER BY b.width + a.width, b.url LIMIT 1)) FROM hits a;

-- distinct values for each row
SELECT sum((SELECT count(DISTINCT b.url) FROM hits b WHERE b.width > a.width)) FROM hits a;

-- a list that is searched in texts of both sides
SELECT count(*) FROM hits a JOIN lineitem l ON instr(a.url, l.mode) > 0 AND instr(a.title, l.return_flag) > 0;

-- a deletion by a moving window
DELETE FROM hits WHERE id IN (SELECT id FROM (SELECT id, max(url) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) AS u FROM hits) WHERE u = 'x');

-- a product that is written and returned
INSERT INTO region (id, name) SELECT a.id, b.name FROM hits a, customer b RETURNING id;

-- days before and after each day
SELECT count(*) FROM hits a JOIN hits b ON b.day BETWEEN date(a.day, '-30 days') AND date(a.day, '+30 days');
