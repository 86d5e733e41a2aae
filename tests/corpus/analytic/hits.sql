-- Analytic statements over the table of visits to a site, see tests/it/work/analytic/tables.rs. Each is named by the comment before it
-- and each ends with a semicolon at the end of a line.

-- all rows
SELECT count(*) FROM hits;

-- rows with an advertisement
SELECT count(*) FROM hits WHERE ad_id <> 0;

-- sums and means of three columns
SELECT sum(ad_id), count(*), avg(width) FROM hits;

-- mean of a large number
SELECT avg(user_id) FROM hits;

-- distinct users
SELECT count(DISTINCT user_id) FROM hits;

-- distinct phrases
SELECT count(DISTINCT phrase) FROM hits;

-- first and last day
SELECT min(day), max(day) FROM hits;

-- rows by advertisement
SELECT ad_id, count(*) FROM hits WHERE ad_id <> 0 GROUP BY ad_id ORDER BY count(*) DESC;

-- regions by distinct users
SELECT region_id, count(DISTINCT user_id) AS users FROM hits GROUP BY region_id ORDER BY users DESC LIMIT 10;

-- regions by several measures
SELECT region_id, sum(ad_id), count(*) AS n, avg(width), count(DISTINCT user_id) FROM hits GROUP BY region_id ORDER BY n DESC LIMIT 10;

-- devices by distinct users
SELECT device, count(DISTINCT user_id) AS users FROM hits WHERE device <> '' GROUP BY device ORDER BY users DESC LIMIT 10;

-- device and browser by distinct users
SELECT device, browser, count(DISTINCT user_id) AS users FROM hits WHERE device <> '' GROUP BY device, browser ORDER BY users DESC LIMIT 10;

-- most frequent phrases
SELECT phrase, count(*) AS n FROM hits WHERE phrase <> '' GROUP BY phrase ORDER BY n DESC LIMIT 10;

-- phrases by distinct users
SELECT phrase, count(DISTINCT user_id) AS users FROM hits WHERE phrase <> '' GROUP BY phrase ORDER BY users DESC LIMIT 10;

-- engine and phrase
SELECT engine, phrase, count(*) AS n FROM hits WHERE phrase <> '' GROUP BY engine, phrase ORDER BY n DESC LIMIT 10;

-- most active users
SELECT user_id, count(*) AS n FROM hits GROUP BY user_id ORDER BY n DESC LIMIT 10;

-- user and phrase, most frequent
SELECT user_id, phrase, count(*) AS n FROM hits GROUP BY user_id, phrase ORDER BY n DESC LIMIT 10;

-- user and phrase, any ten
SELECT user_id, phrase, count(*) FROM hits GROUP BY user_id, phrase LIMIT 10;

-- user, minute and phrase
SELECT user_id, strftime('%M', seen_at) AS minute, phrase, count(*) AS n FROM hits GROUP BY user_id, minute, phrase ORDER BY n DESC LIMIT 10;

-- one user
SELECT user_id FROM hits WHERE user_id = 435090932;

-- addresses with a word
SELECT count(*) FROM hits WHERE url LIKE '%checkout%';

-- phrases that led to a word in the address
SELECT phrase, min(url), count(*) AS n FROM hits WHERE url LIKE '%product%' AND phrase <> '' GROUP BY phrase ORDER BY n DESC LIMIT 10;

-- phrases by title with a word, without another address
SELECT phrase, min(url), min(title), count(*) AS n, count(DISTINCT user_id) FROM hits
WHERE title LIKE '%Sale%' AND url NOT LIKE '%.internal.%' AND phrase <> '' GROUP BY phrase ORDER BY n DESC LIMIT 10;

-- ten rows with a word, in order of time
SELECT * FROM hits WHERE url LIKE '%basket%' ORDER BY seen_at LIMIT 10;

-- phrases by time
SELECT phrase FROM hits WHERE phrase <> '' ORDER BY seen_at LIMIT 10;

-- phrases by name
SELECT phrase FROM hits WHERE phrase <> '' ORDER BY phrase LIMIT 10;

-- phrases by time and name
SELECT phrase FROM hits WHERE phrase <> '' ORDER BY seen_at, phrase LIMIT 10;

-- counters by mean length of address
SELECT counter_id, avg(length(url)) AS length, count(*) AS n FROM hits WHERE url <> '' GROUP BY counter_id HAVING n > 1000 ORDER BY length DESC LIMIT 25;

-- referring sites by mean length
SELECT substr(referrer, 9, instr(substr(referrer, 9), '/') - 1) AS site, avg(length(referrer)) AS length, count(*) AS n, min(referrer) FROM hits
WHERE referrer <> '' GROUP BY site HAVING n > 1000 ORDER BY length DESC LIMIT 25;

-- many sums of one expression
SELECT sum(width), sum(width + 1), sum(width + 2), sum(width + 3), sum(width + 4), sum(width + 5), sum(width + 6), sum(width + 7), sum(width + 8), sum(width + 9),
  sum(width + 10), sum(width + 11), sum(width + 12), sum(width + 13), sum(width + 14), sum(width + 15), sum(width + 16), sum(width + 17), sum(width + 18), sum(width + 19) FROM hits;

-- engine and address of client
SELECT engine, client, count(*) AS n, sum(is_refresh), avg(width) FROM hits WHERE phrase <> '' GROUP BY engine, client ORDER BY n DESC LIMIT 10;

-- watch and client, nearly all distinct
SELECT id, client, count(*) AS n, sum(is_refresh), avg(width) FROM hits GROUP BY id, client ORDER BY n DESC LIMIT 10;

-- most frequent addresses
SELECT url, count(*) AS n FROM hits GROUP BY url ORDER BY n DESC LIMIT 10;

-- one and address
SELECT 1, url, count(*) AS n FROM hits GROUP BY 1, url ORDER BY n DESC LIMIT 10;

-- client and its neighbours
SELECT client, client - 1, client - 2, client - 3, count(*) AS n FROM hits GROUP BY client, client - 1, client - 2, client - 3 ORDER BY n DESC LIMIT 10;

-- pages of one counter in a month
SELECT url, count(*) AS views FROM hits WHERE counter_id = 62 AND day BETWEEN '2024-07-01' AND '2024-07-31' AND is_refresh = 0 AND url <> '' GROUP BY url ORDER BY views DESC LIMIT 10;

-- titles of one counter in a month
SELECT title, count(*) AS views FROM hits WHERE counter_id = 62 AND day BETWEEN '2024-07-01' AND '2024-07-31' AND is_refresh = 0 AND title <> '' GROUP BY title ORDER BY views DESC LIMIT 10;

-- links of one counter, a later page of the result
SELECT url, count(*) AS views FROM hits WHERE counter_id = 62 AND day >= '2024-07-01' AND is_link <> 0 GROUP BY url ORDER BY views DESC LIMIT 10 OFFSET 100;

-- where visits came from
SELECT source, engine, ad_id, CASE WHEN engine = 0 AND ad_id = 0 THEN referrer ELSE '' END AS origin, url, count(*) AS views FROM hits
WHERE counter_id = 62 AND is_refresh = 0 GROUP BY source, engine, ad_id, origin, url ORDER BY views DESC LIMIT 10 OFFSET 100;

-- sizes of windows
SELECT width, height, count(*) AS views FROM hits WHERE counter_id = 62 AND is_refresh = 0 GROUP BY width, height ORDER BY views DESC LIMIT 10;

-- views by minute of two days
SELECT strftime('%Y-%m-%d %H:%M', seen_at) AS minute, count(*) AS views FROM hits WHERE day BETWEEN '2024-07-14' AND '2024-07-15' GROUP BY minute ORDER BY minute LIMIT 10;

-- views by hour of the day
SELECT strftime('%H', seen_at) AS hour, count(*), count(DISTINCT user_id) FROM hits GROUP BY hour ORDER BY hour;

-- views by weekday and hour
SELECT strftime('%w', seen_at) AS weekday, substr(seen_at, 12, 2) AS hour, count(*) FROM hits GROUP BY weekday, hour ORDER BY weekday, hour;

-- daily users with the change to the day before
WITH days AS (SELECT day, count(DISTINCT user_id) AS users FROM hits GROUP BY day)
SELECT day, users, users - lag(users) OVER (ORDER BY day) AS change FROM days ORDER BY day;

-- daily views with a moving mean
WITH days AS (SELECT day, count(*) AS views FROM hits GROUP BY day)
SELECT day, views, avg(views) OVER (ORDER BY day ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING) AS smooth FROM days;

-- days compared with the same weekday before, by joining a grouped CTE with itself
WITH days AS (SELECT day, count(*) AS views FROM hits GROUP BY day)
SELECT a.day, a.views, b.views, round(1.0 * a.views / b.views, 3) FROM days a JOIN days b ON b.day = date(a.day, '-7 days') ORDER BY a.day;

-- hours without views of a counter
WITH RECURSIVE hours(hour) AS (SELECT '2024-07-01 00' UNION ALL SELECT strftime('%Y-%m-%d %H', hour || ':00', '+1 hour') FROM hours WHERE hour < '2024-07-31 23'),
seen AS (SELECT substr(seen_at, 1, 13) AS hour, count(*) AS n FROM hits WHERE counter_id = 30 GROUP BY 1)
SELECT hours.hour FROM hours LEFT JOIN seen ON seen.hour = hours.hour WHERE seen.n IS NULL ORDER BY 1 LIMIT 100;

-- calendar of days beside views of two devices
WITH RECURSIVE days(day) AS (SELECT '2024-07-01' UNION ALL SELECT date(day, '+1 day') FROM days WHERE day < '2024-07-31')
SELECT days.day, sum(h.is_mobile = 1) AS mobile, sum(h.is_mobile = 0) AS other FROM days LEFT JOIN hits h ON h.day = days.day GROUP BY days.day ORDER BY days.day;

-- sessions by a pause of half an hour
WITH steps AS (SELECT user_id, unixepoch(seen_at) AS at, lag(unixepoch(seen_at)) OVER (PARTITION BY user_id ORDER BY seen_at) AS before FROM hits)
SELECT count(*) AS sessions FROM steps WHERE before IS NULL OR at - before > 1800;

-- length of sessions
WITH steps AS (SELECT user_id, unixepoch(seen_at) AS at, lag(unixepoch(seen_at)) OVER (PARTITION BY user_id ORDER BY seen_at) AS before FROM hits WHERE day = '2024-07-10'),
marked AS (SELECT user_id, at, sum(before IS NULL OR at - before > 1800) OVER (PARTITION BY user_id ORDER BY at) AS session FROM steps),
sessions AS (SELECT user_id, session, count(*) AS views, max(at) - min(at) AS seconds FROM marked GROUP BY user_id, session)
SELECT views, count(*) AS sessions, avg(seconds) FROM sessions GROUP BY views ORDER BY views LIMIT 50;

-- pages seen first and last in a visit
WITH ends AS (SELECT session_id, first_value(url) OVER w AS entry, last_value(url) OVER w AS leaving, row_number() OVER (PARTITION BY session_id) AS n FROM hits
  WHERE day BETWEEN '2024-07-10' AND '2024-07-12'
  WINDOW w AS (PARTITION BY session_id ORDER BY seen_at ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))
SELECT entry, leaving, count(*) AS visits FROM ends WHERE n = 1 GROUP BY entry, leaving ORDER BY visits DESC LIMIT 20;

-- funnel from list to payment
SELECT count(*) AS visits, sum(listed) AS listed, sum(listed AND basket) AS basket, sum(listed AND basket AND paid) AS paid FROM (
  SELECT session_id, max(url LIKE '%/list%') AS listed, max(url LIKE '%/basket%') AS basket, max(url LIKE '%/checkout%') AS paid FROM hits GROUP BY session_id);

-- funnel in order of time
WITH listed AS (SELECT user_id, min(seen_at) AS at FROM hits WHERE url LIKE '%/list%' GROUP BY user_id),
basket AS (SELECT h.user_id, min(h.seen_at) AS at FROM hits h JOIN listed l ON l.user_id = h.user_id AND h.seen_at > l.at WHERE h.url LIKE '%/basket%' GROUP BY h.user_id),
paid AS (SELECT h.user_id FROM hits h JOIN basket b ON b.user_id = h.user_id AND h.seen_at > b.at WHERE h.url LIKE '%/checkout%' GROUP BY h.user_id)
SELECT (SELECT count(*) FROM listed), (SELECT count(*) FROM basket), (SELECT count(*) FROM paid);

-- retention by day after the first visit
WITH first AS (SELECT user_id, min(day) AS began FROM hits GROUP BY user_id),
days AS (SELECT DISTINCT user_id, day FROM hits)
SELECT CAST(julianday(d.day) - julianday(f.began) AS INTEGER) AS age, count(*) AS users FROM first f JOIN days d ON d.user_id = f.user_id GROUP BY age ORDER BY age;

-- users who came on the first day and on the last
SELECT count(*) FROM (SELECT user_id FROM hits WHERE day = '2024-07-01' INTERSECT SELECT user_id FROM hits WHERE day = '2024-07-31');

-- users of the first week who did not return in the last
SELECT count(*) FROM (SELECT user_id FROM hits WHERE day <= '2024-07-07' EXCEPT SELECT user_id FROM hits WHERE day >= '2024-07-25');

-- users who searched and users who clicked
SELECT count(DISTINCT user_id) FROM hits WHERE phrase <> '' AND user_id IN (SELECT user_id FROM hits WHERE ad_id <> 0);

-- users who never searched
SELECT count(DISTINCT user_id) FROM hits h WHERE NOT EXISTS (SELECT 1 FROM hits s WHERE s.user_id = h.user_id AND s.phrase <> '') AND h.day = '2024-07-05';

-- users new on each day
SELECT began, count(*) FROM (SELECT user_id, min(day) AS began FROM hits GROUP BY user_id) GROUP BY began ORDER BY began;

-- most used browser of each region
WITH counts AS (SELECT region_id, browser, count(*) AS n FROM hits GROUP BY region_id, browser)
SELECT region_id, browser, n FROM (SELECT *, row_number() OVER (PARTITION BY region_id ORDER BY n DESC) AS place FROM counts) WHERE place = 1 ORDER BY n DESC LIMIT 50;

-- share of mobile views by region
SELECT region_id, round(100.0 * sum(is_mobile) / count(*), 2) AS percent, count(*) AS n FROM hits GROUP BY region_id HAVING n > 500 ORDER BY percent DESC LIMIT 20;

-- percentiles of durations
WITH ranked AS (SELECT duration, row_number() OVER (ORDER BY duration) AS place, count(*) OVER () AS n FROM hits WHERE duration IS NOT NULL)
SELECT max(CASE WHEN place <= n / 2 THEN duration END) AS p50, max(CASE WHEN place <= n * 9 / 10 THEN duration END) AS p90, max(CASE WHEN place <= n * 99 / 100 THEN duration END) AS p99 FROM ranked;

-- median duration by browser
WITH ranked AS (SELECT browser, duration, row_number() OVER (PARTITION BY browser ORDER BY duration) AS place, count(*) OVER (PARTITION BY browser) AS n FROM hits WHERE duration IS NOT NULL)
SELECT browser, avg(duration) FROM ranked WHERE place BETWEEN n / 2 AND n / 2 + 1 GROUP BY browser;

-- median by an offset
SELECT duration FROM hits WHERE duration IS NOT NULL ORDER BY duration LIMIT 1 OFFSET (SELECT count(*) / 2 FROM hits WHERE duration IS NOT NULL);

-- quartiles of users by views
WITH users AS (SELECT user_id, count(*) AS views FROM hits GROUP BY user_id), tiles AS (SELECT views, ntile(4) OVER (ORDER BY views) AS tile FROM users)
SELECT tile, count(*), min(views), max(views), sum(views) FROM tiles GROUP BY tile;

-- how many users have how many views
SELECT views, count(*) AS users FROM (SELECT user_id, count(*) AS views FROM hits GROUP BY user_id) GROUP BY views ORDER BY users DESC LIMIT 30;

-- share of views of the most active hundredth of users
WITH users AS (SELECT count(*) AS views FROM hits GROUP BY user_id), ordered AS (SELECT views, percent_rank() OVER (ORDER BY views DESC) AS place FROM users)
SELECT sum(CASE WHEN place <= 0.01 THEN views END) * 1.0 / sum(views) FROM ordered;

-- running total of new users
WITH first AS (SELECT min(day) AS day FROM hits GROUP BY user_id), days AS (SELECT day, count(*) AS fresh FROM first GROUP BY day)
SELECT day, fresh, sum(fresh) OVER (ORDER BY day) AS so_far FROM days ORDER BY day;

-- pivot of views by system and weekday
SELECT system, sum(strftime('%w', day) = '0') AS sunday, sum(strftime('%w', day) = '1') AS monday, sum(strftime('%w', day) = '6') AS saturday, count(*) AS n FROM hits GROUP BY system ORDER BY n DESC;

-- pivot of languages by device
SELECT language, count(CASE WHEN device = '' THEN 1 END) AS desk, count(CASE WHEN device = 'phone' THEN 1 END) AS phone, count(CASE WHEN device = 'tablet' THEN 1 END) AS tablet FROM hits GROUP BY language ORDER BY 2 DESC;

-- buckets of durations
SELECT CASE WHEN duration IS NULL THEN 'none' WHEN duration < 5 THEN '0-4' WHEN duration < 30 THEN '5-29' WHEN duration < 120 THEN '30-119' ELSE '120 and more' END AS bucket, count(*), count(DISTINCT user_id)
FROM hits GROUP BY bucket ORDER BY 2 DESC;

-- sections of the site
SELECT substr(url, 1, instr(substr(url, 9), '/') + 8) AS site, count(*) AS n FROM hits GROUP BY site ORDER BY n DESC LIMIT 20;

-- settings in JSON
SELECT json_extract(settings, '$.theme') AS theme, count(*) FROM hits WHERE settings IS NOT NULL GROUP BY theme ORDER BY 2 DESC;

-- tags in JSON, unfolded
SELECT tag.value, count(*) AS n, count(DISTINCT h.user_id) FROM hits h, json_each(h.settings, '$.tags') tag WHERE h.settings IS NOT NULL GROUP BY tag.value ORDER BY n DESC;

-- rows with a tag
SELECT count(*) FROM hits WHERE settings IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(hits.settings, '$.tags') WHERE value = 'beta');

-- theme and version of settings by day
SELECT day, settings ->> '$.theme' AS theme, max(settings ->> '$.version') AS version, count(*) FROM hits WHERE settings IS NOT NULL GROUP BY day, theme ORDER BY day, theme;

-- words of phrases counted by spaces
SELECT length(phrase) - length(replace(phrase, ' ', '')) + 1 AS words, count(*) FROM hits WHERE phrase <> '' GROUP BY words ORDER BY words;

-- phrases with one of several words
SELECT count(*) FROM hits WHERE phrase LIKE '%red%' OR phrase LIKE '%blue%' OR phrase LIKE '%cheap%' OR phrase GLOB '*hotel*';

-- phrases in upper case by their first letter
SELECT upper(substr(phrase, 1, 1)) AS letter, count(DISTINCT phrase) FROM hits WHERE phrase <> '' GROUP BY letter ORDER BY letter;

-- longest phrases
SELECT DISTINCT phrase, length(phrase) AS size FROM hits WHERE phrase <> '' ORDER BY size DESC, phrase LIMIT 10;

-- phrases of the same user one after another
SELECT one, two, count(*) AS n FROM (SELECT phrase AS one, lead(phrase) OVER (PARTITION BY user_id ORDER BY seen_at) AS two FROM hits WHERE phrase <> '') WHERE two IS NOT NULL AND one <> two GROUP BY one, two ORDER BY n DESC LIMIT 20;

-- pages that follow each other
SELECT here, next, count(*) AS n FROM (SELECT counter_id AS here, lead(counter_id) OVER (PARTITION BY session_id ORDER BY seen_at) AS next FROM hits) WHERE next IS NOT NULL GROUP BY here, next ORDER BY n DESC LIMIT 20;

-- visits as one text of pages
SELECT session_id, group_concat(counter_id, ' > ') AS path FROM (SELECT session_id, counter_id FROM hits WHERE day = '2024-07-20' ORDER BY session_id, seen_at) GROUP BY session_id ORDER BY length(path) DESC LIMIT 10;

-- visits with one view only
SELECT count(*) * 1.0 / (SELECT count(DISTINCT session_id) FROM hits) FROM (SELECT session_id FROM hits GROUP BY session_id HAVING count(*) = 1);

-- seconds between views of a visit
SELECT avg(gap), max(gap) FROM (SELECT unixepoch(seen_at) - unixepoch(lag(seen_at) OVER (PARTITION BY session_id ORDER BY seen_at)) AS gap FROM hits WHERE day BETWEEN '2024-07-03' AND '2024-07-09');

-- three latest views of each of the most active users
WITH active AS (SELECT user_id FROM hits GROUP BY user_id ORDER BY count(*) DESC LIMIT 50)
SELECT user_id, seen_at, url FROM (SELECT h.user_id, h.seen_at, h.url, row_number() OVER (PARTITION BY h.user_id ORDER BY h.seen_at DESC) AS place FROM hits h JOIN active a ON a.user_id = h.user_id) WHERE place <= 3;

-- views of users in the same visit as an advertisement
SELECT count(*) FROM hits WHERE session_id IN (SELECT session_id FROM hits WHERE ad_id = 3);

-- advertisements by what their visits did later
SELECT a.ad_id, count(DISTINCT a.session_id) AS visits, count(DISTINCT b.session_id) AS paid FROM hits a
LEFT JOIN hits b ON b.session_id = a.session_id AND b.url LIKE '%/checkout%' WHERE a.ad_id <> 0 GROUP BY a.ad_id ORDER BY visits DESC;

-- a visit and the next view by number
SELECT count(*) FROM hits a JOIN hits b ON b.id = a.id + 1 WHERE a.user_id = b.user_id;

-- days with more views than the mean of all days
WITH days AS (SELECT day, count(*) AS n FROM hits GROUP BY day)
SELECT day, n FROM days WHERE n > (SELECT avg(n) FROM days) ORDER BY n DESC;

-- runs of days of each counter
WITH days AS (SELECT DISTINCT counter_id, day FROM hits), islands AS (SELECT counter_id, day, julianday(day) - row_number() OVER (PARTITION BY counter_id ORDER BY day) AS island FROM days)
SELECT counter_id, count(*) AS length FROM islands GROUP BY counter_id, island ORDER BY length DESC LIMIT 20;

-- users seen on seven days in a row
WITH days AS (SELECT DISTINCT user_id, day FROM hits), islands AS (SELECT user_id, julianday(day) - row_number() OVER (PARTITION BY user_id ORDER BY day) AS island FROM days)
SELECT count(DISTINCT user_id) FROM (SELECT user_id FROM islands GROUP BY user_id, island HAVING count(*) >= 7);

-- distinct combinations of flags
SELECT DISTINCT is_mobile, is_refresh, is_link, source FROM hits ORDER BY 1, 2, 3, 4;

-- three lists in one: systems, browsers, devices
SELECT 'system' AS what, system AS name, count(*) AS n FROM hits GROUP BY system UNION ALL SELECT 'browser', browser, count(*) FROM hits GROUP BY browser
UNION ALL SELECT 'device', device, count(*) FROM hits GROUP BY device ORDER BY what, n DESC;

-- totals beside their parts
SELECT coalesce(source, -1) AS source, count(*) FROM hits GROUP BY source UNION ALL SELECT -1, count(*) FROM hits;

-- rows of chosen users
SELECT user_id, count(*), min(seen_at), max(seen_at) FROM hits WHERE user_id IN (SELECT DISTINCT user_id FROM hits WHERE ad_id = 5 AND day = '2024-07-11') GROUP BY user_id ORDER BY 2 DESC LIMIT 20;

-- regions present in one half of the month only
SELECT region_id FROM hits GROUP BY region_id HAVING min(day) > '2024-07-15' OR max(day) <= '2024-07-15';

-- correlation of width and duration
SELECT (avg(width * duration) - avg(width) * avg(duration)) / sqrt((avg(width * width) - avg(width) * avg(width)) * (avg(duration * duration) - avg(duration) * avg(duration))) FROM hits WHERE duration IS NOT NULL;

-- outliers of duration by counter
WITH means AS (SELECT counter_id, avg(duration) AS mean, sqrt(avg(duration * duration) - avg(duration) * avg(duration)) AS deviation FROM hits WHERE duration IS NOT NULL GROUP BY counter_id)
SELECT h.counter_id, count(*) FROM hits h JOIN means m ON m.counter_id = h.counter_id WHERE h.duration > m.mean + 3 * m.deviation GROUP BY h.counter_id ORDER BY 2 DESC LIMIT 20;

-- report of one visit
SELECT seen_at, url, title, phrase, duration FROM hits WHERE session_id = 1234 ORDER BY seen_at;

-- a page of the log
SELECT id, seen_at, user_id, url FROM hits ORDER BY seen_at DESC, id DESC LIMIT 50 OFFSET 5000;
