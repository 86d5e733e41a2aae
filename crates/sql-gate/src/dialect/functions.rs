//! Functions of other databases, with the SQLite equivalents.
//!
//! Names with the same hint are in one entry, separated by spaces. SQL is in backquotes; its
//! columns are `x`, `y`, `a`, `b`, `n`, the JSON column `doc`, the group `g`, and its table is `t`.

pub(super) const FUNCTIONS: &[(&str, &str)] = &[
    // Texts.
    ("len char_length character_length strlen", "use `length(x)`"),
    (
        "byte_length datalength lengthb bit_length",
        "use `octet_length(x)`",
    ),
    ("ucase to_upper toupper upper_case", "use `upper(x)`"),
    ("lcase to_lower tolower lower_case", "use `lower(x)`"),
    ("left strleft", "use `substr(x, 1, n)`"),
    ("right strright", "use `substr(x, -n)`"),
    ("mid substring_from", "use `substr(x, a, n)`"),
    (
        "position strpos charindex locate find indexof index_of",
        "use `instr(x, 'part')`, the whole text first",
    ),
    (
        "contains str_contains includes contains_substr",
        "use `instr(x, 'part') > 0`, or `x LIKE '%part%'`",
    ),
    (
        "starts_with startswith startwith prefix",
        "use `substr(x, 1, length('part')) = 'part'`, or `x LIKE 'part%'`",
    ),
    (
        "ends_with endswith endwith suffix",
        "use `substr(x, -length('part')) = 'part'`, or `x LIKE '%part'`",
    ),
    (
        "repeat replicate",
        "use `replace(hex(zeroblob(n)), '00', x)`",
    ),
    ("space spaces", "use `printf('%*s', n, '')`"),
    (
        "reverse strrev",
        "use `(WITH RECURSIVE r(i, s) AS (SELECT length(x), '' UNION ALL SELECT i - 1, s || substr(x, i, 1) FROM r WHERE i > 0 LIMIT 1000) SELECT s FROM r WHERE i = 0)`",
    ),
    (
        "lpad",
        "use `printf('%*s', n, x)`, or with zeros `printf('%05d', x)`",
    ),
    ("rpad", "use `printf('%-*s', n, x)`"),
    (
        "initcap proper title",
        "use `upper(substr(x, 1, 1)) || lower(substr(x, 2))`",
    ),
    (
        "split_part split_by_string splitbychar",
        "use `('[' || replace(json_quote(x), ',', '\",\"') || ']') ->> 1`, which counts from 0",
    ),
    (
        "split string_split string_to_array string_to_table str_split regexp_split_to_table regexp_split_to_array regexp_split split_to_table strtok_to_array",
        "make a row of each part: `SELECT value FROM t, json_each('[' || replace(json_quote(x), ',', '\",\"') || ']')`",
    ),
    (
        "substring_index strtok",
        "use `substr(x, 1, instr(x || ',', ',') - 1)` for the part before the first comma",
    ),
    (
        "translate",
        "use one replace within the other: `replace(replace(x, 'a', 'b'), 'c', 'd')`",
    ),
    ("ascii ord codepoint", "use `unicode(x)`"),
    ("chr nchar", "use `char(n)`"),
    (
        "stuff overlay insert",
        "use `substr(x, 1, a - 1) || y || substr(x, a + n)`",
    ),
    ("btrim strip", "use `trim(x, ' ')`"),
    (
        "quote_literal quote_ident quote_nullable quotename",
        "use `quote(x)`, or bind the value as a parameter",
    ),
    ("strcmp", "compare with `x = y`, `x < y` or `x IS y`"),
    (
        "find_in_set",
        "use `instr(',' || y || ',', ',' || x || ',') > 0`",
    ),
    (
        "field",
        "use `CASE x WHEN 'a' THEN 1 WHEN 'b' THEN 2 ELSE 0 END`",
    ),
    ("elt choose", "use `CASE n WHEN 1 THEN a WHEN 2 THEN b END`"),
    (
        "to_base64 from_base64 base64 base64_encode base64_decode encode decode_base64 to_hex to_binary",
        "use `hex(x)`, and unhex to convert it back; base64 is for the program that reads the rows",
    ),
    (
        "md5 sha sha1 sha2 sha256 sha512 crc32 hash hashbytes checksum farm_fingerprint xxhash64 murmur_hash md5_number",
        "SQLite has no hash: group and compare by the value itself, or compute the hash before and bind it",
    ),
    (
        "levenshtein edit_distance editdistance jaro_winkler jaro_winkler_similarity jaccard similarity soundex metaphone difference word_similarity trigram_similarity",
        "SQLite does not compare sounds and spellings: use `x LIKE '%part%'`, or an fts5 table with MATCH",
    ),
    (
        "regexp regexp_like rlike regexp_matches regexp_match regexp_contains regexp_full_match regexp_ilike rx",
        "SQLite has no regular expressions: use `x LIKE 'a%'`, `x GLOB '[0-9]*'`, `instr(x, 'part')`, or an fts5 table with MATCH",
    ),
    (
        "regexp_replace regexp_extract regexp_extract_all regexp_substr regexp_count regexp_instr regexp_position extract_all",
        "SQLite has no regular expressions: take pieces with `substr(x, instr(x, ':') + 1)`, change them with `replace(x, 'a', 'b')`, or do it in a program",
    ),
    ("patindex", "use `instr(x, 'part')`, or `x GLOB '*[0-9]*'`"),
    // Conversions and NULL.
    (
        "nvl isnull ifnull2 zeroifnull coalesce2",
        "use `ifnull(x, 0)` or `coalesce(x, y, 0)`",
    ),
    ("nvl2", "use `iif(x IS NOT NULL, a, b)`"),
    (
        "if iff",
        "use `iif(x > 0, a, b)` or `CASE WHEN x > 0 THEN a ELSE b END`",
    ),
    (
        "decode map_value",
        "use `CASE x WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'other' END`",
    ),
    ("nullifzero", "use `nullif(x, 0)`"),
    (
        "safe_divide div0 divide try_divide div0null",
        "use `x * 1.0 / nullif(y, 0)`",
    ),
    (
        "div intdiv",
        "use `CAST(x / y AS INTEGER)`; between integers `x / y` does the same",
    ),
    ("equal_null is_distinct", "use `x IS y`, or `x IS NOT y`"),
    (
        "greatest max2",
        "use `max(a, b)`; it is NULL if one of them is",
    ),
    (
        "least min2",
        "use `min(a, b)`; it is NULL if one of them is",
    ),
    (
        "to_varchar tostring to_string str string text stringify",
        "use `CAST(x AS TEXT)`, or `printf('%.2f', x)`",
    ),
    (
        "to_number to_numeric to_decimal to_double tonumber toint to_integer int integer bigint float double numeric decimal real safe_cast try_cast convert try_convert cast_to_type parseint tofloat64 try_to_number",
        "use `CAST(x AS INTEGER)` or `CAST(x AS REAL)`",
    ),
    (
        "isnumeric is_number is_numeric",
        "use `typeof(x) IN ('integer', 'real')`, or for a text `x <> '' AND x NOT GLOB '*[^0-9]*'`",
    ),
    (
        "pg_typeof sql_variant_property data_type typename",
        "use `typeof(x)`",
    ),
    // Dates, which are texts such as 2024-05-01 and 2024-05-01 10:30:00.
    (
        "now getdate sysdate systimestamp sysdatetime current_datetime localtimestamp clock_timestamp statement_timestamp transaction_timestamp getutcdate sysutcdatetime utc_timestamp get_current_timestamp",
        "use `datetime('now')`, or `date('now')` for the day",
    ),
    ("today curdate utc_date", "use `date('now')`"),
    ("curtime utc_time localtime", "use `time('now')`"),
    ("year", "use `CAST(strftime('%Y', x) AS INTEGER)`"),
    ("month", "use `CAST(strftime('%m', x) AS INTEGER)`"),
    (
        "day dayofmonth day_of_month",
        "use `CAST(strftime('%d', x) AS INTEGER)`",
    ),
    ("hour", "use `CAST(strftime('%H', x) AS INTEGER)`"),
    ("minute", "use `CAST(strftime('%M', x) AS INTEGER)`"),
    ("second", "use `CAST(strftime('%S', x) AS INTEGER)`"),
    (
        "week weekofyear week_of_year isoweek yearweek",
        "use `CAST(strftime('%W', x) AS INTEGER)`, which counts weeks that begin on Monday",
    ),
    ("quarter", "use `(strftime('%m', x) + 2) / 3`"),
    (
        "dayofweek day_of_week weekday dow isodow",
        "use `CAST(strftime('%w', x) AS INTEGER)`, where 0 is Sunday",
    ),
    (
        "dayofyear day_of_year doy",
        "use `CAST(strftime('%j', x) AS INTEGER)`",
    ),
    (
        "dayname day_name",
        "use `substr('SunMonTueWedThuFriSat', 3 * strftime('%w', x) + 1, 3)`",
    ),
    (
        "monthname month_name",
        "use `substr('JanFebMarAprMayJunJulAugSepOctNovDec', 3 * strftime('%m', x) - 2, 3)`",
    ),
    (
        "extract date_part datepart datename dateof",
        "use `CAST(strftime('%Y', x) AS INTEGER)`, with %m for the month, %d the day, %H the hour, %M the minute, %w the weekday; seconds since 1970 are `unixepoch(x)`",
    ),
    (
        "date_trunc datetrunc timestamp_trunc datetime_trunc tostartofmonth tostartofday tostartofhour",
        "use `date(x, 'start of month')`, `date(x, 'start of year')`, `date(x)` for the day, `strftime('%Y-%m-%d %H:00:00', x)` for the hour, `date(x, 'weekday 0', '-6 days')` for the Monday of the week",
    ),
    (
        "datediff date_diff timestampdiff timestamp_diff datetime_diff age days_between daysdiff",
        "use `julianday(x) - julianday(y)` for days, `unixepoch(x) - unixepoch(y)` for seconds",
    ),
    (
        "months_between month_diff",
        "use `(strftime('%Y', x) - strftime('%Y', y)) * 12 + strftime('%m', x) - strftime('%m', y)`",
    ),
    (
        "date_add dateadd adddate timestampadd timestamp_add datetime_add add_months add_days date_sub subdate datesub timestamp_sub datetime_sub",
        "use `date(x, '+1 day')`, `date(x, '-1 month')` or `datetime(x, '+3 hours')`",
    ),
    (
        "last_day eomonth end_of_month last_day_of_month",
        "use `date(x, 'start of month', '+1 month', '-1 day')`",
    ),
    (
        "make_date makedate datefromparts date_from_parts make_timestamp timestamp_from_parts",
        "use `printf('%04d-%02d-%02d', 2024, 5, 1)`: a date is a text",
    ),
    (
        "to_date to_timestamp to_timestamp_ntz str_to_date parse_date parse_datetime parse_timestamp strptime try_strptime try_to_date todate todatetime timestamp timestamptz safe_parse_date",
        "dates are texts such as 2024-05-01: use `date(x)` or `datetime(x)`, for seconds since 1970 `datetime(x, 'unixepoch')`, for 31.12.2024 `substr(x, 7, 4) || '-' || substr(x, 4, 2) || '-' || substr(x, 1, 2)`",
    ),
    (
        "from_unixtime timestamp_seconds timestamp_millis epoch_to_timestamp make_timestamptz fromunixtimestamp",
        "use `datetime(x, 'unixepoch')`; milliseconds are `datetime(x / 1000, 'unixepoch')`",
    ),
    (
        "unix_timestamp epoch to_unixtime unix_seconds to_unixtimestamp",
        "use `unixepoch(x)`",
    ),
    (
        "epoch_ms unix_millis unix_micros to_epoch_ms",
        "use `CAST(unixepoch(x, 'subsec') * 1000 AS INTEGER)`",
    ),
    (
        "convert_tz convert_timezone timezone from_utc_timestamp to_utc_timestamp",
        "times have no zone: shift them, `datetime(x, '+2 hours')`",
    ),
    (
        "time_bucket date_bin time_slice tumble",
        "use `datetime(unixepoch(x) / 900 * 900, 'unixepoch')` for 15 minutes",
    ),
    (
        "to_char date_format format_date format_datetime format_timestamp formatdatetime dateformat",
        "use `strftime('%Y-%m-%d', x)` for a date, `printf('%.2f', x)` or `printf('%,d', x)` for a number",
    ),
    // Aggregates.
    (
        "median approx_median",
        "use `SELECT avg(x) FROM (SELECT x, row_number() OVER (ORDER BY x) AS r, count(*) OVER () AS n FROM t WHERE x IS NOT NULL) WHERE r IN ((n + 1) / 2, (n + 2) / 2)`, in groups `SELECT g, avg(x) FROM (SELECT g, x, row_number() OVER (PARTITION BY g ORDER BY x) AS r, count(*) OVER (PARTITION BY g) AS n FROM t WHERE x IS NOT NULL) WHERE r IN ((n + 1) / 2, (n + 2) / 2) GROUP BY g`",
    ),
    (
        "percentile_cont quantile_cont percentile approx_percentile approx_quantile approx_quantiles quantile",
        "for 90 % use `SELECT sum(x * max(0, 1 - abs(r - 1 - 0.9 * (n - 1)))) FROM (SELECT x, row_number() OVER (ORDER BY x) AS r, count(*) OVER () AS n FROM t WHERE x IS NOT NULL)`",
    ),
    (
        "percentile_disc quantile_disc",
        "for 90 % use `SELECT min(x) FROM (SELECT x, cume_dist() OVER (ORDER BY x) AS p FROM t WHERE x IS NOT NULL) WHERE p >= 0.9`",
    ),
    (
        "mode approx_top_count top_k",
        "use `SELECT x FROM t GROUP BY x ORDER BY count(*) DESC LIMIT 1`",
    ),
    (
        "stddev stddev_samp stdev stdev_samp stddevsamp",
        "use `sqrt((sum(x * x) - count(x) * avg(x) * avg(x)) / (count(x) - 1))`",
    ),
    (
        "stddev_pop stdevp std stddevpop",
        "use `sqrt(max(0, avg(x * x) - avg(x) * avg(x)))`",
    ),
    (
        "variance var var_samp variance_samp varsamp",
        "use `(sum(x * x) - count(x) * avg(x) * avg(x)) / (count(x) - 1)`",
    ),
    (
        "var_pop varp variance_pop varpop",
        "use `avg(x * x) - avg(x) * avg(x)`",
    ),
    (
        "corr",
        "where neither is NULL, use `(avg(x * y) - avg(x) * avg(y)) / sqrt((avg(x * x) - avg(x) * avg(x)) * (avg(y * y) - avg(y) * avg(y)))`",
    ),
    (
        "covar_pop",
        "where neither is NULL, use `avg(x * y) - avg(x) * avg(y)`",
    ),
    (
        "covar_samp",
        "where neither is NULL, use `(sum(x * y) - count(*) * avg(x) * avg(y)) / (count(*) - 1)`",
    ),
    (
        "regr_slope",
        "where neither is NULL, for y over x use `(avg(x * y) - avg(x) * avg(y)) / (avg(x * x) - avg(x) * avg(x))`",
    ),
    (
        "regr_intercept",
        "where neither is NULL, for y over x use `avg(y) - avg(x) * (avg(x * y) - avg(x) * avg(y)) / (avg(x * x) - avg(x) * avg(x))`",
    ),
    (
        "array_agg json_agg jsonb_agg list collect_list json_arrayagg collect_set group_array grouparray array_concat_agg array_unique_agg",
        "use `json_group_array(x)`, `json_group_array(DISTINCT x)` or `json_group_array(x ORDER BY y)`",
    ),
    (
        "json_object_agg jsonb_object_agg json_objectagg object_agg map_agg",
        "use `json_group_object(x, y)`",
    ),
    (
        "listagg xmlagg wm_concat groupconcat string_concat stringagg",
        "use `group_concat(x, ', ' ORDER BY y)`",
    ),
    ("any_value arbitrary", "use `min(x)`"),
    (
        "first",
        "use `first_value(x) OVER (ORDER BY y)`, or `min(x)`",
    ),
    (
        "last",
        "use `first_value(x) OVER (ORDER BY y DESC)`, or `max(x)`",
    ),
    (
        "arg_max argmax max_by maxby",
        "a column beside max() has the value of that row: `SELECT g, x, max(y) FROM t GROUP BY g`",
    ),
    (
        "arg_min argmin min_by minby",
        "a column beside min() has the value of that row: `SELECT g, x, min(y) FROM t GROUP BY g`",
    ),
    ("bool_and every logical_and booland_agg", "use `min(x > 0)`"),
    ("bool_or logical_or boolor_agg", "use `max(x > 0)`"),
    (
        "count_if countif",
        "use `count(*) FILTER (WHERE x > 0)` or `sum(x > 0)`",
    ),
    (
        "sum_if sumif avg_if avgif",
        "use `sum(x) FILTER (WHERE y > 0)`",
    ),
    (
        "approx_count_distinct approx_distinct count_distinct countd uniq uniqexact ndv hll",
        "use `count(DISTINCT x)`",
    ),
    ("product", "use `exp(sum(ln(x)))` for numbers above 0"),
    ("geometric_mean geomean", "use `exp(avg(ln(x)))`"),
    (
        "histogram",
        "use `SELECT CAST(x / 10 AS INTEGER) * 10 AS low, count(*) FROM t GROUP BY low`",
    ),
    (
        "width_bucket",
        "use `CAST((x - 0) * 10 / (100 - 0) AS INTEGER) + 1` for 10 buckets from 0 to 100",
    ),
    ("ratio_to_report", "use `x * 1.0 / sum(x) OVER ()`"),
    (
        "rollup cube grouping grouping_id",
        "join the groupings: `SELECT g, sum(x) FROM t GROUP BY g UNION ALL SELECT NULL, sum(x) FROM t`",
    ),
    (
        "rownum row_num rownumber rowid_number",
        "use `row_number() OVER (ORDER BY x)`",
    ),
    ("top", "use `SELECT x FROM t ORDER BY x LIMIT 10`"),
    // Numbers.
    ("ceiling", "use `ceil(x)`"),
    ("power", "use `pow(x, y)`"),
    ("log10", "use `log(x)`, which is the logarithm to base 10"),
    ("square", "use `x * x`"),
    ("cbrt", "use `sign(x) * pow(abs(x), 1.0 / 3)`"),
    (
        "truncate truncnum",
        "use `trunc(x)`, or with two decimals `trunc(x * 100) / 100`",
    ),
    (
        "rand rand_uniform",
        "use `random()`, or between 0 and 1 `abs(random() / 9223372036854775808.0)`",
    ),
    (
        "randint random_between uniform randbetween",
        "use `abs(random() % 100)` for 0 to 99",
    ),
    (
        "bit_count bitcount bit_and bit_or bit_xor bitand bitor",
        "use `x & y`, `x | y` or `x << n`",
    ),
    ("bitxor xor", "use `(x | y) - (x & y)`"),
    ("e", "use `exp(1)`"),
    ("cot", "use `1 / tan(x)`"),
    // JSON and lists, which are JSON texts.
    (
        "json_value json_query get_json_object json_extract_scalar json_extract_string json_extract_path json_extract_path_text jsonb_extract_path jsonb_extract_path_text json_unquote get_path jsonb_path_query jsonb_path_query_first",
        "use `doc ->> '$.name'`, or `doc -> '$.name'` for a part that is JSON",
    ),
    (
        "json_build_object jsonb_build_object object_construct struct struct_pack named_struct row_to_json to_json to_jsonb to_json_string object map row map_from_entries",
        "use `json_object('x', x, 'y', y)`",
    ),
    (
        "json_build_array jsonb_build_array array array_construct list_value make_array",
        "use `json_array(x, y)`",
    ),
    (
        "unnest flatten explode posexplode json_array_elements json_array_elements_text jsonb_array_elements jsonb_array_elements_text json_table openjson arrayjoin table generate_subscripts json_each_text jsonb_each_text json_to_recordset jsonb_to_recordset",
        "use `SELECT t.id, value FROM t, json_each(t.doc)`; for a list that is passed as a parameter use `SELECT value FROM json_each(?)`",
    ),
    (
        "json_object_keys jsonb_object_keys json_keys object_keys map_keys",
        "use `SELECT key FROM t, json_each(t.doc)`",
    ),
    (
        "array_length cardinality json_length jsonb_array_length array_size list_length array_upper arraylength array_count",
        "use `json_array_length(doc)`",
    ),
    (
        "json_contains jsonb_contains array_contains list_contains list_has array_has has member_of jsonb_exists json_exists array_position list_position",
        "use `'a' IN (SELECT value FROM json_each(doc))`; for a list that is passed as a parameter use `x IN (SELECT value FROM json_each(?))`",
    ),
    (
        "array_to_string array_join list_aggregate list_aggr arraystringconcat",
        "use `(SELECT group_concat(value, ', ') FROM json_each(doc))`",
    ),
    (
        "array_distinct list_distinct list_unique array_unique",
        "use `(SELECT json_group_array(DISTINCT value) FROM json_each(doc))`",
    ),
    (
        "array_sort list_sort sort_array arraysort",
        "use `(SELECT json_group_array(value ORDER BY value) FROM json_each(doc))`",
    ),
    (
        "array_filter list_filter filter list_transform array_transform transform apply array_map arraymap",
        "use `(SELECT json_group_array(value * 2) FROM json_each(doc) WHERE value > 0)`",
    ),
    (
        "array_append list_append array_push json_array_append jsonb_array_append array_cat list_concat json_array_insert jsonb_array_insert",
        "use `json_insert(doc, '$[#]', x)`",
    ),
    (
        "json_merge json_merge_patch json_merge_preserve jsonb_concat object_insert",
        "use `json_patch(doc, json_object('x', x))`",
    ),
    ("json_modify json_set_path", "use `json_set(doc, '$.x', x)`"),
    (
        "parse_json try_parse_json json_parse safe_parse_json to_variant",
        "use `json(doc)`, and `json_valid(doc)` to try",
    ),
    ("json_typeof jsonb_typeof json_kind", "use `json_type(doc)`"),
    (
        "json_pretty jsonb_pretty",
        "use `json(doc)`; the reader can indent it",
    ),
    (
        "any some",
        "use `x IN (SELECT value FROM json_each(?))`, with the list as one JSON parameter; several patterns are `x LIKE 'a%' OR x LIKE 'b%'`",
    ),
    // Generated rows, files, and the system.
    (
        "generate_series range sequence generate_array generate_date_array numbers generate_timestamp_array",
        "use `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 100) SELECT n FROM s`, for days `WITH RECURSIVE d(day) AS (SELECT '2024-01-01' UNION ALL SELECT date(day, '+1 day') FROM d WHERE day < '2024-12-31') SELECT day FROM d`",
    ),
    (
        "read_csv read_csv_auto read_parquet read_json read_json_auto openrowset csvread dblink external_query",
        "load the data into a table first: PUT …/tables/{table}/rows takes CSV, JSON and NDJSON",
    ),
    (
        "uuid gen_random_uuid newid newsequentialid uuid_generate_v4 generate_uuid uuid_string generateuuidv4 uuidv4 uuidv7 sys_guid",
        "use `lower(hex(randomblob(16)))`",
    ),
    (
        "last_insert_id lastval scope_identity currval ident_current",
        "use `last_insert_rowid()`, or RETURNING: `INSERT INTO t (x) VALUES (1) RETURNING id`",
    ),
    (
        "nextval setval",
        "an INTEGER PRIMARY KEY counts by itself: `CREATE TABLE v (id INTEGER PRIMARY KEY, x)`",
    ),
    (
        "row_count rowcount found_rows",
        r#"use `changes()`; {"operation":"exec"} returns the count as well"#,
    ),
    (
        "object_id to_regclass col_length table_exists",
        "use `EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 't')`",
    ),
    (
        "database current_database current_user user session_user schema current_schema suser_sname version connection_id current_setting",
        "a session has one database and no users; `SELECT name, sql FROM sqlite_schema` lists its tables",
    ),
    (
        "sqlite_version sqlite_source_id",
        "the engine does not report its version; it is a recent SQLite",
    ),
    (
        "sleep pg_sleep benchmark waitfor dbms_lock",
        "a statement cannot wait: let the program wait between two statements",
    ),
    (
        "load_extension",
        "extensions cannot be loaded; only the built-in functions are available",
    ),
];

/// Functions that SQLite has with other arguments.
pub(super) const ARGUMENTS: &[(&str, &str)] = &[
    (
        "trunc floor ceil",
        "it takes one number: for two decimals use `trunc(x * 100) / 100`; a date is cut with `date(x, 'start of month')`",
    ),
    (
        "ifnull",
        "it takes two arguments: use `coalesce(x, y, 0)` for more",
    ),
    (
        "instr",
        "it takes a text and a part: to begin later use `instr(substr(x, n), 'part')`",
    ),
    ("nullif", "it takes two arguments: `nullif(x, 0)`"),
    (
        "log",
        "it takes `log(x)`, to base 10, or `log(y, x)`, with the base first",
    ),
    ("round", "it takes `round(x)` or `round(x, 2)`"),
    (
        "substr substring",
        "it takes `substr(x, n)` or `substr(x, a, n)`",
    ),
    (
        "replace",
        "it takes three arguments: `replace(x, 'a', 'b')`",
    ),
    (
        "count",
        "it takes one argument: `count(*)` or `count(DISTINCT x)`; of two columns `(SELECT count(*) FROM (SELECT DISTINCT x, y FROM t))`",
    ),
    ("sum avg total", "it takes one argument: `sum(x + y)`"),
    (
        "random",
        "it takes no argument: for 0 to 99 use `abs(random() % 100)`",
    ),
    ("strftime", "the format comes first: `strftime('%Y-%m', x)`"),
    ("json_extract", "it takes a path: `doc ->> '$.name'`"),
    ("length", "it takes one argument: `length(x)`"),
    (
        "row_number rank dense_rank",
        "it takes no argument: `row_number() OVER (ORDER BY x)`",
    ),
    (
        "lag lead",
        "it takes a column, an offset and a default: `lag(x, 1, 0) OVER (ORDER BY y)`",
    ),
];
