-- Analytic statements over the tables of a trading company, see tests/it/work/analytic/tables.rs. Each is named by the comment before it
-- and each ends with a semicolon at the end of a line.

-- revenue by flag and state of lines
SELECT return_flag, state, sum(quantity), sum(price), sum(price * (1 - discount)), avg(quantity), avg(discount), count(*)
FROM lineitem WHERE shipped_on <= '2024-09-01' GROUP BY return_flag, state ORDER BY return_flag, state;

-- cheapest supplier of each big part in one region
SELECT s.name, n.name, p.id, ps.cost FROM part p
JOIN partsupp ps ON ps.part_id = p.id JOIN supplier s ON s.id = ps.supplier_id
JOIN nation n ON n.id = s.nation_id JOIN region r ON r.id = n.region_id
WHERE p.size = 15 AND r.name = 'Europe'
  AND ps.cost = (SELECT min(x.cost) FROM partsupp x WHERE x.part_id = p.id)
ORDER BY ps.cost LIMIT 100;

-- open orders of one segment by value
SELECT o.id, sum(l.price * (1 - l.discount)) AS revenue, o.ordered_on, o.priority
FROM customer c JOIN orders o ON o.customer_id = c.id JOIN lineitem l ON l.order_id = o.id
WHERE c.segment = 'BUILDING' AND o.ordered_on < '2023-03-15' AND l.shipped_on > '2023-03-15'
GROUP BY o.id, o.ordered_on, o.priority ORDER BY revenue DESC, o.ordered_on LIMIT 10;

-- orders of a quarter that had a late line
SELECT o.priority, count(*) FROM orders o
WHERE o.ordered_on >= '2023-07-01' AND o.ordered_on < '2023-10-01'
  AND EXISTS (SELECT 1 FROM lineitem l WHERE l.order_id = o.id AND l.committed_on < l.received_on)
GROUP BY o.priority ORDER BY o.priority;

-- domestic revenue in one region
SELECT n.name, sum(l.price * (1 - l.discount)) AS revenue
FROM customer c JOIN orders o ON o.customer_id = c.id JOIN lineitem l ON l.order_id = o.id
JOIN supplier s ON s.id = l.supplier_id AND s.nation_id = c.nation_id
JOIN nation n ON n.id = s.nation_id JOIN region r ON r.id = n.region_id
WHERE r.name = 'Asia' AND o.ordered_on BETWEEN '2023-01-01' AND '2023-12-31'
GROUP BY n.name ORDER BY revenue DESC;

-- what small discounts cost
SELECT sum(price * discount) FROM lineitem
WHERE shipped_on >= '2023-01-01' AND shipped_on < '2024-01-01' AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24;

-- trade between two nations by year
SELECT sn.name, cn.name, strftime('%Y', l.shipped_on) AS year, sum(l.price) AS volume
FROM supplier s JOIN lineitem l ON l.supplier_id = s.id JOIN orders o ON o.id = l.order_id
JOIN customer c ON c.id = o.customer_id JOIN nation sn ON sn.id = s.nation_id JOIN nation cn ON cn.id = c.nation_id
WHERE (sn.name = 'France' AND cn.name = 'Germany') OR (sn.name = 'Germany' AND cn.name = 'France')
GROUP BY sn.name, cn.name, year ORDER BY 1, 2, 3;

-- market share of one nation for a kind of part
SELECT strftime('%Y', o.ordered_on) AS year,
  sum(CASE WHEN sn.name = 'Brazil' THEN l.price ELSE 0 END) / sum(l.price) AS share
FROM part p JOIN lineitem l ON l.part_id = p.id JOIN orders o ON o.id = l.order_id
JOIN customer c ON c.id = o.customer_id JOIN nation cn ON cn.id = c.nation_id JOIN region r ON r.id = cn.region_id
JOIN supplier s ON s.id = l.supplier_id JOIN nation sn ON sn.id = s.nation_id
WHERE r.name = 'America' AND p.kind = 'ECONOMY STEEL' GROUP BY year ORDER BY year;

-- profit of parts with a word in their name
SELECT n.name, strftime('%Y', o.ordered_on) AS year, sum(l.price * (1 - l.discount) - ps.cost * l.quantity) AS profit
FROM part p JOIN lineitem l ON l.part_id = p.id JOIN partsupp ps ON ps.part_id = l.part_id AND ps.supplier_id = l.supplier_id
JOIN orders o ON o.id = l.order_id JOIN supplier s ON s.id = l.supplier_id JOIN nation n ON n.id = s.nation_id
WHERE p.name LIKE '%green%' GROUP BY n.name, year ORDER BY n.name, year DESC;

-- customers who sent goods back
SELECT c.id, c.name, sum(l.price * (1 - l.discount)) AS lost, c.balance, n.name
FROM customer c JOIN orders o ON o.customer_id = c.id JOIN lineitem l ON l.order_id = o.id JOIN nation n ON n.id = c.nation_id
WHERE o.ordered_on >= '2023-10-01' AND o.ordered_on < '2024-01-01' AND l.return_flag = 'R'
GROUP BY c.id ORDER BY lost DESC LIMIT 20;

-- most valuable stock of one nation
SELECT ps.part_id, sum(ps.cost * ps.available) AS value FROM partsupp ps
JOIN supplier s ON s.id = ps.supplier_id JOIN nation n ON n.id = s.nation_id WHERE n.name = 'Germany'
GROUP BY ps.part_id
HAVING value > (SELECT sum(ps2.cost * ps2.available) * 0.0005 FROM partsupp ps2
  JOIN supplier s2 ON s2.id = ps2.supplier_id JOIN nation n2 ON n2.id = s2.nation_id WHERE n2.name = 'Germany')
ORDER BY value DESC;

-- priorities by shipping mode
SELECT l.mode, sum(CASE WHEN o.priority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS high,
  sum(CASE WHEN o.priority NOT IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS low
FROM orders o JOIN lineitem l ON l.order_id = o.id
WHERE l.mode IN ('MAIL', 'SHIP') AND l.committed_on < l.received_on AND l.shipped_on < l.committed_on
  AND l.received_on >= '2023-01-01' AND l.received_on < '2024-01-01'
GROUP BY l.mode ORDER BY l.mode;

-- distribution of orders per customer
SELECT orders_made, count(*) AS customers FROM (
  SELECT c.id, count(o.id) AS orders_made FROM customer c
  LEFT JOIN orders o ON o.customer_id = c.id AND o.comment NOT LIKE '%special%requests%' GROUP BY c.id)
GROUP BY orders_made ORDER BY customers DESC, orders_made DESC;

-- share of promoted parts in a month
SELECT 100.0 * sum(CASE WHEN p.kind LIKE 'PROMO%' THEN l.price * (1 - l.discount) ELSE 0 END) / sum(l.price * (1 - l.discount))
FROM lineitem l JOIN part p ON p.id = l.part_id WHERE l.shipped_on >= '2023-09-01' AND l.shipped_on < '2023-10-01';

-- supplier with the largest revenue of a quarter
WITH revenue AS (SELECT supplier_id, sum(price * (1 - discount)) AS total FROM lineitem
  WHERE shipped_on >= '2023-01-01' AND shipped_on < '2023-04-01' GROUP BY supplier_id)
SELECT s.id, s.name, revenue.total FROM supplier s JOIN revenue ON revenue.supplier_id = s.id
WHERE revenue.total = (SELECT max(total) FROM revenue);

-- suppliers by kind of part without complaints
SELECT p.brand, p.kind, p.size, count(DISTINCT ps.supplier_id) AS suppliers FROM partsupp ps JOIN part p ON p.id = ps.part_id
WHERE p.brand <> 'Brand#45' AND p.kind NOT LIKE 'MEDIUM%' AND p.size IN (49, 14, 23, 45, 19, 3, 36, 9)
  AND ps.supplier_id NOT IN (SELECT id FROM supplier WHERE note LIKE '%complaint%')
GROUP BY p.brand, p.kind, p.size ORDER BY suppliers DESC, p.brand, p.kind, p.size LIMIT 50;

-- small orders of a part, yearly
SELECT sum(l.price) / 7.0 FROM lineitem l JOIN part p ON p.id = l.part_id
WHERE p.brand = 'Brand#23' AND p.container = 'MED BOX'
  AND l.quantity < (SELECT 0.2 * avg(x.quantity) FROM lineitem x WHERE x.part_id = p.id);

-- large orders and who placed them
SELECT c.name, c.id, o.id, o.ordered_on, o.total, sum(l.quantity) FROM customer c
JOIN orders o ON o.customer_id = c.id JOIN lineitem l ON l.order_id = o.id
WHERE o.id IN (SELECT order_id FROM lineitem GROUP BY order_id HAVING sum(quantity) > 280)
GROUP BY c.name, c.id, o.id, o.ordered_on, o.total ORDER BY o.total DESC, o.ordered_on LIMIT 100;

-- revenue under one of three sets of conditions
SELECT sum(l.price * (1 - l.discount)) FROM lineitem l JOIN part p ON p.id = l.part_id
WHERE (p.brand = 'Brand#12' AND p.container IN ('SM CASE', 'SM BOX') AND l.quantity BETWEEN 1 AND 11 AND p.size BETWEEN 1 AND 5)
   OR (p.brand = 'Brand#23' AND p.container IN ('MED BAG', 'MED BOX') AND l.quantity BETWEEN 10 AND 20 AND p.size BETWEEN 1 AND 10)
   OR (p.brand = 'Brand#34' AND p.container IN ('LG CASE', 'LG BOX') AND l.quantity BETWEEN 20 AND 30 AND p.size BETWEEN 1 AND 15);

-- suppliers with too much of a part
SELECT s.name, s.id FROM supplier s JOIN nation n ON n.id = s.nation_id
WHERE n.name = 'Canada' AND s.id IN (SELECT ps.supplier_id FROM partsupp ps
  WHERE ps.part_id IN (SELECT id FROM part WHERE name LIKE 'forest%')
    AND ps.available > (SELECT 0.5 * sum(l.quantity) FROM lineitem l WHERE l.part_id = ps.part_id AND l.supplier_id = ps.supplier_id))
ORDER BY s.name;

-- suppliers who alone kept an order waiting
SELECT s.name, count(*) AS waits FROM supplier s JOIN lineitem l ON l.supplier_id = s.id JOIN orders o ON o.id = l.order_id
JOIN nation n ON n.id = s.nation_id
WHERE o.state = 'F' AND l.received_on > l.committed_on AND n.name = 'Egypt'
  AND EXISTS (SELECT 1 FROM lineitem b WHERE b.order_id = l.order_id AND b.supplier_id <> l.supplier_id)
  AND NOT EXISTS (SELECT 1 FROM lineitem b WHERE b.order_id = l.order_id AND b.supplier_id <> l.supplier_id AND b.received_on > b.committed_on)
GROUP BY s.name ORDER BY waits DESC, s.name LIMIT 100;

-- rich customers who never ordered
SELECT substr(phone, 1, 2) AS country, count(*), sum(balance) FROM customer
WHERE substr(phone, 1, 2) IN ('13', '31', '23', '29', '30') AND balance > (SELECT avg(balance) FROM customer WHERE balance > 0)
  AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = customer.id)
GROUP BY country ORDER BY country;

-- three largest orders of each customer of one nation
SELECT * FROM (SELECT c.id, c.name, o.id AS order_id, o.total, row_number() OVER (PARTITION BY c.id ORDER BY o.total DESC) AS place
  FROM customer c JOIN orders o ON o.customer_id = c.id WHERE c.nation_id = 7)
WHERE place <= 3 ORDER BY id, place LIMIT 500;

-- running revenue by month
WITH months AS (SELECT strftime('%Y-%m', ordered_on) AS month, sum(total) AS revenue FROM orders GROUP BY month)
SELECT month, revenue, sum(revenue) OVER (ORDER BY month) AS so_far, revenue - lag(revenue) OVER (ORDER BY month) AS change
FROM months ORDER BY month;

-- moving average of daily orders over a week
WITH days AS (SELECT ordered_on AS day, count(*) AS orders FROM orders GROUP BY ordered_on)
SELECT day, orders, avg(orders) OVER (ORDER BY day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS week FROM days ORDER BY day;

-- months compared with the month before, by joining a grouped CTE with itself
WITH months AS (SELECT strftime('%Y-%m', shipped_on) AS month, sum(price) AS revenue FROM lineitem GROUP BY month)
SELECT a.month, a.revenue, b.revenue, a.revenue / b.revenue - 1 FROM months a
JOIN months b ON b.month = strftime('%Y-%m', a.month || '-01', '-1 month') ORDER BY a.month;

-- years compared by nation, by joining a grouped CTE with itself
WITH yearly AS (SELECT c.nation_id, CAST(strftime('%Y', o.ordered_on) AS INTEGER) AS year, sum(o.total) AS revenue
  FROM orders o JOIN customer c ON c.id = o.customer_id GROUP BY c.nation_id, year)
SELECT n.name, cur.year, cur.revenue, prev.revenue FROM yearly cur
JOIN yearly prev ON prev.nation_id = cur.nation_id AND prev.year = cur.year - 1 JOIN nation n ON n.id = cur.nation_id
ORDER BY n.name, cur.year;

-- cohorts of customers by the month of their first order
WITH first AS (SELECT customer_id, min(ordered_on) AS began FROM orders GROUP BY customer_id)
SELECT strftime('%Y-%m', f.began) AS cohort, CAST((julianday(o.ordered_on) - julianday(f.began)) / 30 AS INTEGER) AS age, count(DISTINCT o.customer_id)
FROM first f JOIN orders o ON o.customer_id = f.customer_id GROUP BY cohort, age ORDER BY cohort, age;

-- customers who came back within ninety days
WITH ranked AS (SELECT customer_id, ordered_on, lead(ordered_on) OVER (PARTITION BY customer_id ORDER BY ordered_on) AS next FROM orders)
SELECT strftime('%Y', ordered_on) AS year, count(*) AS orders, sum(julianday(next) - julianday(ordered_on) <= 90) AS repeated
FROM ranked GROUP BY year;

-- median and ninetieth percentile of order totals by priority
WITH ranked AS (SELECT priority, total, row_number() OVER (PARTITION BY priority ORDER BY total) AS place, count(*) OVER (PARTITION BY priority) AS n FROM orders)
SELECT priority, max(CASE WHEN place = (n + 1) / 2 THEN total END) AS median, max(CASE WHEN place = n * 9 / 10 THEN total END) AS p90
FROM ranked GROUP BY priority;

-- pivot of line counts by mode and year
SELECT strftime('%Y', shipped_on) AS year,
  count(CASE WHEN mode = 'AIR' THEN 1 END) AS air, count(CASE WHEN mode = 'RAIL' THEN 1 END) AS rail,
  count(CASE WHEN mode = 'SHIP' THEN 1 END) AS ship, count(CASE WHEN mode = 'TRUCK' THEN 1 END) AS truck
FROM lineitem GROUP BY year ORDER BY year;

-- customers with orders in every year
SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id
GROUP BY c.id HAVING count(DISTINCT strftime('%Y', o.ordered_on)) = (SELECT count(DISTINCT strftime('%Y', ordered_on)) FROM orders)
ORDER BY c.name LIMIT 50;

-- parts that nobody ordered
SELECT p.id, p.name FROM part p LEFT JOIN lineitem l ON l.part_id = p.id WHERE l.part_id IS NULL ORDER BY p.id LIMIT 100;

-- parts ordered in one year and not in the next
SELECT part_id FROM lineitem WHERE shipped_on BETWEEN '2021-01-01' AND '2021-12-31'
EXCEPT SELECT part_id FROM lineitem WHERE shipped_on BETWEEN '2022-01-01' AND '2022-12-31' ORDER BY part_id LIMIT 200;

-- customers of both spring and autumn
SELECT count(*) FROM (SELECT customer_id FROM orders WHERE ordered_on BETWEEN '2023-03-01' AND '2023-05-31'
INTERSECT SELECT customer_id FROM orders WHERE ordered_on BETWEEN '2023-09-01' AND '2023-11-30');

-- names of both sides of the trade in one list
SELECT 'customer' AS side, nation_id, count(*) AS n FROM customer GROUP BY nation_id
UNION ALL SELECT 'supplier', nation_id, count(*) FROM supplier GROUP BY nation_id ORDER BY nation_id, side;

-- a calendar of days with orders beside days without
WITH RECURSIVE days(day) AS (SELECT '2023-01-01' UNION ALL SELECT date(day, '+1 day') FROM days WHERE day < '2023-12-31')
SELECT days.day, count(o.id) AS orders, coalesce(sum(o.total), 0) AS revenue
FROM days LEFT JOIN orders o ON o.ordered_on = days.day GROUP BY days.day ORDER BY days.day;

-- a calendar of months joined to grouped lines
WITH RECURSIVE months(month) AS (SELECT '2019-01-01' UNION ALL SELECT date(month, '+1 month') FROM months WHERE month < '2024-12-01'),
sold AS (SELECT date(shipped_on, 'start of month') AS month, sum(price) AS revenue FROM lineitem GROUP BY 1)
SELECT months.month, coalesce(sold.revenue, 0) FROM months LEFT JOIN sold ON sold.month = months.month ORDER BY months.month;

-- runs of consecutive days with many orders
WITH busy AS (SELECT ordered_on AS day FROM orders GROUP BY ordered_on HAVING count(*) > 100),
islands AS (SELECT day, julianday(day) - row_number() OVER (ORDER BY day) AS island FROM busy)
SELECT min(day), max(day), count(*) AS length FROM islands GROUP BY island ORDER BY length DESC LIMIT 10;

-- gaps between orders of the busiest customers
WITH busiest AS (SELECT customer_id FROM orders GROUP BY customer_id ORDER BY count(*) DESC LIMIT 20),
gaps AS (SELECT o.customer_id, julianday(o.ordered_on) - julianday(lag(o.ordered_on) OVER (PARTITION BY o.customer_id ORDER BY o.ordered_on)) AS gap
  FROM orders o WHERE o.customer_id IN (SELECT customer_id FROM busiest))
SELECT customer_id, avg(gap), max(gap) FROM gaps GROUP BY customer_id ORDER BY 3 DESC;

-- best part of each brand by quantity
WITH sold AS (SELECT p.brand, p.id, p.name, sum(l.quantity) AS quantity FROM part p JOIN lineitem l ON l.part_id = p.id GROUP BY p.brand, p.id)
SELECT brand, name, quantity FROM (SELECT *, rank() OVER (PARTITION BY brand ORDER BY quantity DESC) AS place FROM sold) WHERE place = 1 ORDER BY brand;

-- share of each nation in its region
WITH nations AS (SELECT r.name AS region, n.name AS nation, sum(o.total) AS revenue FROM region r JOIN nation n ON n.region_id = r.id
  JOIN customer c ON c.nation_id = n.id JOIN orders o ON o.customer_id = c.id GROUP BY r.id, n.id)
SELECT region, nation, revenue, round(100.0 * revenue / sum(revenue) OVER (PARTITION BY region), 2) AS percent FROM nations ORDER BY region, percent DESC;

-- customers above the average of their nation
SELECT c.nation_id, count(*) FROM customer c
WHERE c.balance > (SELECT avg(x.balance) FROM customer x WHERE x.nation_id = c.nation_id) AND c.id <= 400 GROUP BY c.nation_id;

-- customers above the average of their nation, with the averages first
WITH means AS (SELECT nation_id, avg(balance) AS mean FROM customer GROUP BY nation_id)
SELECT c.nation_id, count(*) FROM customer c JOIN means m ON m.nation_id = c.nation_id WHERE c.balance > m.mean GROUP BY c.nation_id;

-- orders above the average of their customer
SELECT o.id, o.total FROM orders o JOIN (SELECT customer_id, avg(total) AS mean FROM orders GROUP BY customer_id) m ON m.customer_id = o.customer_id
WHERE o.total > 3 * m.mean ORDER BY o.total DESC LIMIT 50;

-- latest order of each customer by a joined maximum
SELECT o.customer_id, o.id, o.ordered_on FROM orders o
JOIN (SELECT customer_id, max(ordered_on) AS last FROM orders GROUP BY customer_id) m ON m.customer_id = o.customer_id AND m.last = o.ordered_on
ORDER BY o.ordered_on DESC, o.id LIMIT 100;

-- latest order of a hundred customers by a sub-query
SELECT c.id, (SELECT o.id FROM orders o WHERE o.customer_id = c.id ORDER BY o.ordered_on DESC LIMIT 1) AS latest FROM customer c WHERE c.id <= 100;

-- pairs of customers in the same segment and nation with the same joining day
SELECT a.id, b.id FROM customer a JOIN customer b ON b.nation_id = a.nation_id AND b.segment = a.segment AND b.joined_on = a.joined_on AND b.id > a.id
ORDER BY a.id, b.id LIMIT 100;

-- orders and their lines matched on the key twice
SELECT count(*), sum(a.price - b.price) FROM lineitem a JOIN lineitem b ON b.order_id = a.order_id AND b.line = a.line + 1;

-- every customer with the supplier of the same number
SELECT count(*) FROM customer c JOIN supplier s ON s.id = c.id WHERE c.nation_id = s.nation_id;

-- suppliers by number of distinct parts sold
SELECT s.id, s.name, count(DISTINCT l.part_id) AS parts, count(*) AS lines FROM supplier s JOIN lineitem l ON l.supplier_id = s.id
GROUP BY s.id ORDER BY parts DESC LIMIT 25;

-- distinct customers, parts and suppliers by year
SELECT strftime('%Y', o.ordered_on) AS year, count(DISTINCT o.customer_id), count(DISTINCT l.part_id), count(DISTINCT l.supplier_id)
FROM orders o JOIN lineitem l ON l.order_id = o.id GROUP BY year;

-- clerks with the most orders and their best customer
WITH pairs AS (SELECT clerk, customer_id, count(*) AS n FROM orders GROUP BY clerk, customer_id)
SELECT clerk, sum(n) AS orders, max(n) AS best FROM pairs GROUP BY clerk ORDER BY orders DESC LIMIT 20;

-- lines late by weeks
SELECT CAST((julianday(received_on) - julianday(committed_on)) / 7 AS INTEGER) AS weeks, count(*) FROM lineitem
WHERE received_on > committed_on GROUP BY weeks ORDER BY weeks;

-- lines never received
SELECT mode, count(*) AS lines, sum(received_on IS NULL) AS missing, round(100.0 * sum(received_on IS NULL) / count(*), 3) AS percent
FROM lineitem GROUP BY mode ORDER BY percent DESC;

-- histogram of order totals
SELECT CAST(total / 10000 AS INTEGER) * 10000 AS bucket, count(*), min(total), max(total) FROM orders GROUP BY bucket ORDER BY bucket;

-- deciles of customers by spending
WITH spent AS (SELECT customer_id, sum(total) AS spent FROM orders GROUP BY customer_id),
tiles AS (SELECT spent, ntile(10) OVER (ORDER BY spent) AS decile FROM spent)
SELECT decile, count(*), min(spent), max(spent), sum(spent) FROM tiles GROUP BY decile ORDER BY decile;

-- concentration of revenue on the top customers
WITH spent AS (SELECT customer_id, sum(total) AS spent FROM orders GROUP BY customer_id),
ordered AS (SELECT spent, row_number() OVER (ORDER BY spent DESC) AS place, sum(spent) OVER (ORDER BY spent DESC) AS so_far, sum(spent) OVER () AS everything FROM spent)
SELECT place, so_far / everything FROM ordered WHERE place IN (1, 10, 100, 1000, 10000);

-- recency, frequency and value of customers
WITH facts AS (SELECT customer_id, max(ordered_on) AS last, count(*) AS frequency, sum(total) AS value FROM orders GROUP BY customer_id),
scored AS (SELECT ntile(4) OVER (ORDER BY last) AS r, ntile(4) OVER (ORDER BY frequency) AS f, ntile(4) OVER (ORDER BY value) AS v, value FROM facts)
SELECT r, f, v, count(*), avg(value) FROM scored GROUP BY r, f, v ORDER BY r, f, v;

-- parts bought together
WITH few AS (SELECT id FROM part WHERE brand = 'Brand#11' AND size <= 10)
SELECT a.part_id, b.part_id, count(*) AS together FROM lineitem a JOIN lineitem b ON b.order_id = a.order_id AND b.part_id > a.part_id
WHERE a.part_id IN (SELECT id FROM few) AND b.part_id IN (SELECT id FROM few) GROUP BY a.part_id, b.part_id ORDER BY together DESC LIMIT 20;

-- brands bought together in one month
SELECT pa.brand, pb.brand, count(*) AS together FROM lineitem a JOIN lineitem b ON b.order_id = a.order_id AND b.line > a.line
JOIN part pa ON pa.id = a.part_id JOIN part pb ON pb.id = b.part_id
WHERE a.shipped_on BETWEEN '2023-06-01' AND '2023-06-30' GROUP BY pa.brand, pb.brand ORDER BY together DESC LIMIT 20;

-- names of the parts of large orders in one text
SELECT l.order_id, group_concat(p.name, '; ') FROM lineitem l JOIN part p ON p.id = l.part_id
WHERE l.order_id IN (SELECT id FROM orders ORDER BY total DESC LIMIT 10) GROUP BY l.order_id;

-- tags of orders, unfolded from JSON
SELECT tag.value AS tag, count(*) AS orders, avg(o.total) FROM orders o, json_each(o.tags) AS tag WHERE o.tags IS NOT NULL GROUP BY tag.value ORDER BY orders DESC;

-- first tag of orders by state
SELECT state, json_extract(tags, '$[0]') AS first_tag, count(*) FROM orders GROUP BY state, first_tag ORDER BY 3 DESC LIMIT 20;

-- orders that have a given tag
SELECT count(*) FROM orders o WHERE EXISTS (SELECT 1 FROM json_each(o.tags) t WHERE t.value = 'gift');

-- number of tags by year
SELECT strftime('%Y', ordered_on) AS year, sum(coalesce(json_array_length(tags), 0)) AS tags FROM orders GROUP BY year;

-- one JSON object for each region
SELECT json_object('region', r.name, 'nations', json_group_array(json_object('name', n.name, 'customers', n.customers)))
FROM region r JOIN (SELECT n.id, n.region_id, n.name, count(c.id) AS customers FROM nation n LEFT JOIN customer c ON c.nation_id = n.id GROUP BY n.id) n ON n.region_id = r.id
GROUP BY r.id;

-- a dashboard of scalar sub-queries
SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM lineitem) AS lines, (SELECT count(DISTINCT customer_id) FROM orders) AS buyers,
  (SELECT avg(total) FROM orders) AS mean, (SELECT max(shipped_on) FROM lineitem) AS last;

-- each customer's share of the revenue of its nation
SELECT c.nation_id, c.id, sum(o.total) AS spent, sum(o.total) / sum(sum(o.total)) OVER (PARTITION BY c.nation_id) AS share
FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.nation_id, c.id ORDER BY share DESC LIMIT 30;

-- suppliers ranked within their nation
SELECT n.name, s.name, dense_rank() OVER (PARTITION BY n.id ORDER BY s.balance DESC) AS place, percent_rank() OVER (PARTITION BY n.id ORDER BY s.balance) AS percent
FROM supplier s JOIN nation n ON n.id = s.nation_id ORDER BY n.name, place LIMIT 300;

-- running stock of value by supplier
SELECT supplier_id, part_id, sum(cost * available) OVER (PARTITION BY supplier_id ORDER BY part_id ROWS UNBOUNDED PRECEDING) AS so_far
FROM partsupp ORDER BY supplier_id, part_id LIMIT 1000;

-- moving sum of a month of days by segment
WITH days AS (SELECT c.segment, o.ordered_on AS day, sum(o.total) AS revenue FROM orders o JOIN customer c ON c.id = o.customer_id GROUP BY c.segment, o.ordered_on)
SELECT segment, day, sum(revenue) OVER (PARTITION BY segment ORDER BY day ROWS BETWEEN 29 PRECEDING AND CURRENT ROW) AS month FROM days
ORDER BY segment, day LIMIT 2000;

-- first and last price of each part
SELECT DISTINCT part_id, first_value(price) OVER w AS first_price, last_value(price) OVER w AS last_price FROM lineitem WHERE part_id < 500
WINDOW w AS (PARTITION BY part_id ORDER BY shipped_on ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) ORDER BY part_id;

-- price changes of a part between neighbouring lines
SELECT part_id, avg(abs(change)) FROM (SELECT part_id, price / quantity - lag(price / quantity) OVER (PARTITION BY part_id ORDER BY shipped_on, order_id, line) AS change FROM lineitem)
WHERE change IS NOT NULL GROUP BY part_id ORDER BY 2 DESC LIMIT 10;

-- nations without a supplier of a kind of part
SELECT n.name FROM nation n WHERE NOT EXISTS (SELECT 1 FROM supplier s JOIN partsupp ps ON ps.supplier_id = s.id JOIN part p ON p.id = ps.part_id
  WHERE s.nation_id = n.id AND p.kind = 'SMALL COPPER' AND p.size = 50) ORDER BY n.name;

-- customers who bought from every supplier of a small nation's list
SELECT c.id FROM customer c WHERE c.id <= 200 AND NOT EXISTS (SELECT 1 FROM supplier s WHERE s.id <= 2
  AND NOT EXISTS (SELECT 1 FROM orders o JOIN lineitem l ON l.order_id = o.id WHERE o.customer_id = c.id AND l.supplier_id = s.id));

-- orders without any line by air
SELECT count(*) FROM orders o WHERE o.ordered_on >= '2024-01-01' AND NOT EXISTS (SELECT 1 FROM lineitem l WHERE l.order_id = o.id AND l.mode = 'AIR');

-- orders not among those returned
SELECT state, count(*) FROM orders WHERE id NOT IN (SELECT order_id FROM lineitem WHERE return_flag = 'R') GROUP BY state;

-- orders of a list of customers
SELECT customer_id, count(*), sum(total) FROM orders WHERE customer_id IN (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987) GROUP BY customer_id;

-- lines of chosen suppliers or chosen parts
SELECT count(*), sum(price) FROM lineitem WHERE supplier_id IN (3, 33, 333) OR part_id IN (7, 77, 777, 7777);

-- customers by nation, segment and whether they have a phone
SELECT n.name, c.segment, c.phone IS NULL AS silent, count(*), avg(c.balance) FROM customer c JOIN nation n ON n.id = c.nation_id
GROUP BY n.name, c.segment, silent HAVING count(*) > 20 ORDER BY 4 DESC;

-- newest orders with customer and nation
SELECT o.id, o.ordered_on, c.name, n.name FROM orders o JOIN customer c ON c.id = o.customer_id JOIN nation n ON n.id = c.nation_id
ORDER BY o.ordered_on DESC, o.id DESC LIMIT 50;

-- page of orders by total
SELECT id, customer_id, total FROM orders ORDER BY total DESC LIMIT 20 OFFSET 10000;

-- words in comments
SELECT count(*) AS orders, sum(comment LIKE '%urgent%') AS urgent, sum(comment LIKE '%late%') AS late, sum(instr(comment, 'refund') > 0) AS refund FROM orders WHERE comment IS NOT NULL;

-- length of comments by priority
SELECT priority, avg(length(comment)), max(length(comment)), sum(comment IS NULL) FROM orders GROUP BY priority;

-- revenue by weekday and month
SELECT strftime('%w', ordered_on) AS weekday, strftime('%m', ordered_on) AS month, sum(total), count(*) FROM orders GROUP BY weekday, month ORDER BY weekday, month;

-- quarters side by side
SELECT year, max(CASE WHEN quarter = 1 THEN revenue END) AS q1, max(CASE WHEN quarter = 2 THEN revenue END) AS q2,
  max(CASE WHEN quarter = 3 THEN revenue END) AS q3, max(CASE WHEN quarter = 4 THEN revenue END) AS q4
FROM (SELECT strftime('%Y', ordered_on) AS year, (CAST(strftime('%m', ordered_on) AS INTEGER) + 2) / 3 AS quarter, sum(total) AS revenue FROM orders GROUP BY year, quarter)
GROUP BY year ORDER BY year;

-- average days between order and shipping by mode
SELECT l.mode, avg(julianday(l.shipped_on) - julianday(o.ordered_on)) AS days, count(*) FROM lineitem l JOIN orders o ON o.id = l.order_id GROUP BY l.mode;

-- funnel from order to receipt
SELECT count(*) AS placed, sum(EXISTS (SELECT 1 FROM lineitem l WHERE l.order_id = o.id)) AS with_lines,
  sum(EXISTS (SELECT 1 FROM lineitem l WHERE l.order_id = o.id AND l.shipped_on < '2024-06-01')) AS shipped,
  sum(EXISTS (SELECT 1 FROM lineitem l WHERE l.order_id = o.id AND l.received_on IS NOT NULL)) AS received
FROM orders o WHERE o.ordered_on >= '2024-01-01' AND o.ordered_on < '2024-02-01';

-- totals that disagree with their lines
SELECT count(*) FROM orders o JOIN (SELECT order_id, sum(price) AS lines FROM lineitem GROUP BY order_id) s ON s.order_id = o.id WHERE abs(o.total - s.lines) > 100000;

-- suppliers compared by two grouped sub-queries
SELECT s.id, sold.revenue, stock.value FROM supplier s
JOIN (SELECT supplier_id, sum(price) AS revenue FROM lineitem GROUP BY supplier_id) sold ON sold.supplier_id = s.id
JOIN (SELECT supplier_id, sum(cost * available) AS value FROM partsupp GROUP BY supplier_id) stock ON stock.supplier_id = s.id
ORDER BY sold.revenue / stock.value DESC LIMIT 20;

-- a full join of two years by customer
WITH a AS (SELECT customer_id, sum(total) AS revenue FROM orders WHERE ordered_on BETWEEN '2022-01-01' AND '2022-12-31' GROUP BY customer_id),
b AS (SELECT customer_id, sum(total) AS revenue FROM orders WHERE ordered_on BETWEEN '2023-01-01' AND '2023-12-31' GROUP BY customer_id)
SELECT CASE WHEN a.customer_id IS NULL THEN 'won' WHEN b.customer_id IS NULL THEN 'lost' ELSE 'kept' END AS fate, count(*), sum(a.revenue), sum(b.revenue)
FROM a FULL JOIN b ON b.customer_id = a.customer_id GROUP BY fate;

-- customers lost after each year
WITH active AS (SELECT DISTINCT customer_id, CAST(strftime('%Y', ordered_on) AS INTEGER) AS year FROM orders)
SELECT a.year, count(*) AS buyers, count(b.customer_id) AS stayed FROM active a
LEFT JOIN active b ON b.customer_id = a.customer_id AND b.year = a.year + 1 GROUP BY a.year ORDER BY a.year;

-- rarest combinations of kind and container
SELECT kind, container, count(*) AS parts FROM part GROUP BY kind, container ORDER BY parts, kind, container LIMIT 20;

-- parts costing more than all parts of another brand
SELECT count(*) FROM part WHERE brand = 'Brand#55' AND retail > (SELECT max(retail) * 0.98 FROM part WHERE brand = 'Brand#11');

-- natural names: nations and regions
SELECT n.name || ' (' || r.name || ')' AS label, count(*) FROM nation n JOIN region r ON r.id = n.region_id JOIN customer c ON c.nation_id = n.id GROUP BY n.id ORDER BY 2 DESC;

-- lines by month with the mean of the same month in all years
WITH monthly AS (SELECT strftime('%Y', shipped_on) AS year, strftime('%m', shipped_on) AS month, count(*) AS lines FROM lineitem GROUP BY 1, 2)
SELECT year, month, lines, avg(lines) OVER (PARTITION BY month) AS usual FROM monthly ORDER BY year, month;

-- customers whose orders grew three times in a row
WITH steps AS (SELECT customer_id, ordered_on, total, lag(total) OVER w AS one, lag(total, 2) OVER w AS two FROM orders WINDOW w AS (PARTITION BY customer_id ORDER BY ordered_on))
SELECT count(DISTINCT customer_id) FROM steps WHERE total > one AND one > two;

-- largest order of each day of a month, ties kept
SELECT ordered_on, id, total FROM (SELECT ordered_on, id, total, rank() OVER (PARTITION BY ordered_on ORDER BY total DESC) AS place FROM orders
  WHERE ordered_on BETWEEN '2023-05-01' AND '2023-05-31') WHERE place = 1 ORDER BY ordered_on;

-- nations by the spread of order totals
SELECT c.nation_id, count(*) AS n, avg(o.total) AS mean, sqrt(avg(o.total * o.total) - avg(o.total) * avg(o.total)) AS deviation
FROM orders o JOIN customer c ON c.id = o.customer_id GROUP BY c.nation_id ORDER BY deviation DESC;

-- correlation of quantity and discount
SELECT mode, (avg(quantity * discount) - avg(quantity) * avg(discount)) / sqrt((avg(quantity * quantity) - avg(quantity) * avg(quantity)) * (avg(discount * discount) - avg(discount) * avg(discount)))
FROM lineitem GROUP BY mode;

-- every nation with its best customer and best supplier
SELECT n.name, (SELECT c.name FROM customer c WHERE c.nation_id = n.id ORDER BY c.balance DESC LIMIT 1), (SELECT s.name FROM supplier s WHERE s.nation_id = n.id ORDER BY s.balance DESC LIMIT 1)
FROM nation n ORDER BY n.name;

-- double counting shown: orders joined to lines, totals once
SELECT c.segment, count(DISTINCT o.id) AS orders, sum(l.price) AS lines FROM customer c JOIN orders o ON o.customer_id = c.id JOIN lineitem l ON l.order_id = o.id
GROUP BY c.segment;

-- suppliers by decade of rating and nation, with totals of both
SELECT n.name, s.rating, count(*) FROM supplier s JOIN nation n ON n.id = s.nation_id GROUP BY n.name, s.rating
UNION ALL SELECT n.name, NULL, count(*) FROM supplier s JOIN nation n ON n.id = s.nation_id GROUP BY n.name
UNION ALL SELECT 'all', s.rating, count(*) FROM supplier s GROUP BY s.rating UNION ALL SELECT 'all', NULL, count(*) FROM supplier ORDER BY 1, 2;

-- chain of clerks by a recursive count of weeks
WITH RECURSIVE weeks(n, start) AS (SELECT 0, '2023-01-02' UNION ALL SELECT n + 1, date(start, '+7 days') FROM weeks WHERE n < 51)
SELECT w.n, w.start, (SELECT count(*) FROM orders o WHERE o.ordered_on >= w.start AND o.ordered_on < date(w.start, '+7 days')) AS orders FROM weeks w;

-- lines of the ten best customers by part brand
WITH best AS (SELECT customer_id FROM orders GROUP BY customer_id ORDER BY sum(total) DESC LIMIT 10)
SELECT p.brand, count(*), sum(l.price) FROM best JOIN orders o ON o.customer_id = best.customer_id JOIN lineitem l ON l.order_id = o.id JOIN part p ON p.id = l.part_id
GROUP BY p.brand ORDER BY 3 DESC;

-- materialised totals used twice
WITH totals AS MATERIALIZED (SELECT part_id, sum(quantity) AS quantity, sum(price) AS revenue FROM lineitem GROUP BY part_id)
SELECT p.name, t.quantity, t.revenue FROM totals t JOIN part p ON p.id = t.part_id WHERE t.revenue > (SELECT 2 * avg(revenue) FROM totals) ORDER BY t.revenue DESC LIMIT 25;

-- two tops of one list at once
WITH totals AS (SELECT supplier_id, sum(price) AS revenue FROM lineitem GROUP BY supplier_id)
SELECT * FROM (SELECT 'top' AS which, supplier_id, revenue FROM totals ORDER BY revenue DESC LIMIT 5)
UNION ALL SELECT * FROM (SELECT 'bottom', supplier_id, revenue FROM totals ORDER BY revenue LIMIT 5);
