//! The functions that a statement may call: exactly what workerd's engine lets through, less its internals.
//!
//! The list was read off workerd by calling every built-in; a contract test calls each of them there again.

/// Allowed functions, sorted, lower case.
pub const ALLOWED_FUNCTIONS: [&str; 124] = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg",
    "bm25",
    "ceil",
    "changes",
    "char",
    "coalesce",
    "concat",
    "concat_ws",
    "cos",
    "cosh",
    "count",
    "cume_dist",
    "current_date",
    "current_time",
    "current_timestamp",
    "date",
    "datetime",
    "degrees",
    "dense_rank",
    "exp",
    "first_value",
    "floor",
    "format",
    "glob",
    "group_concat",
    "hex",
    "highlight",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array",
    "json_array_length",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_insert",
    "json_object",
    "json_patch",
    "json_quote",
    "json_remove",
    "json_replace",
    "json_set",
    "json_type",
    "json_valid",
    "jsonb",
    "jsonb_array",
    "jsonb_extract",
    "jsonb_group_array",
    "jsonb_group_object",
    "jsonb_insert",
    "jsonb_object",
    "jsonb_patch",
    "jsonb_remove",
    "jsonb_replace",
    "jsonb_set",
    "julianday",
    "lag",
    "last_insert_rowid",
    "last_value",
    "lead",
    "length",
    "like",
    "likelihood",
    "likely",
    "ln",
    "log",
    "log2",
    "lower",
    "ltrim",
    "match",
    "max",
    "min",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "octet_length",
    "percent_rank",
    "pi",
    "pow",
    "printf",
    "quote",
    "radians",
    "random",
    "randomblob",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "sin",
    "sinh",
    "snippet",
    "sqrt",
    "strftime",
    "string_agg",
    "substr",
    "substring",
    "sum",
    "tan",
    "tanh",
    "time",
    "timediff",
    "total",
    "total_changes",
    "trim",
    "trunc",
    "typeof",
    "unhex",
    "unicode",
    "unixepoch",
    "unlikely",
    "upper",
    "zeroblob",
];

/// Whether the engine has the function and the gate lets it through. `name` is lower case.
pub(crate) fn is_allowed(name: &str) -> bool {
    ALLOWED_FUNCTIONS.binary_search(&name).is_ok()
}

/// What to write instead of a function that is not there.
pub(crate) fn replacement(name: &str) -> Option<&'static str> {
    Some(match name {
        "ceiling" => "use ceil(x)",
        "power" => "use pow(x, y)",
        "log10" => "use log(x), which is the logarithm to base 10",
        "if" => "use iif(condition, a, b) or CASE WHEN … THEN … ELSE … END",
        "len" | "char_length" | "character_length" => "use length(x)",
        "nvl" | "isnull" => "use ifnull(x, y) or coalesce(x, y)",
        "now" | "getdate" | "curdate" => "use datetime('now') or date('now')",
        "year" => "use strftime('%Y', x)",
        "month" => "use strftime('%m', x)",
        "day" => "use strftime('%d', x)",
        "date_format" | "to_char" => "use strftime(format, x)",
        "date_trunc" => "use date(x, 'start of month') or date(x, 'start of year')",
        "datediff" | "date_diff" => "use julianday(a) - julianday(b)",
        "date_add" | "dateadd" => "use date(x, '+1 day')",
        "left" => "use substr(x, 1, n)",
        "right" => "use substr(x, -n)",
        "position" | "strpos" | "charindex" | "locate" => "use instr(text, part)",
        "array_agg" | "json_agg" => "use json_group_array(x)",
        "listagg" => "use group_concat(x, ', ' ORDER BY y)",
        "regexp" | "regexp_like" | "rlike" => {
            "use LIKE, GLOB or instr(text, part), or an fts5 table with MATCH"
        }
        "stddev" | "stdev" | "stddev_pop" => "use sqrt(avg(x*x) - avg(x)*avg(x))",
        "variance" | "var_pop" => "use avg(x*x) - avg(x)*avg(x)",
        "median" | "percentile" | "percentile_cont" | "percentile_disc" => {
            "rank the rows with row_number() OVER (ORDER BY x) and pick the middle, or use ntile()"
        }
        "generate_series" => {
            "use WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 100)"
        }
        "json_pretty" => "use json(x); the reader can indent it",
        "uuid" | "gen_random_uuid" | "newid" => "use lower(hex(randomblob(16)))",
        "greatest" => "use max(a, b)",
        "least" => "use min(a, b)",
        "truncate" => "use trunc(x) or round(x, n)",
        "rand" => "use random()",
        "initcap" => "use upper(substr(x, 1, 1)) || lower(substr(x, 2))",
        "split_part" => "use substr and instr, or load the list as JSON and use json_each",
        "sqlite_version" => "the engine does not tell its version; it is a recent SQLite",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{ALLOWED_FUNCTIONS, is_allowed, replacement};

    #[test]
    fn the_list_is_sorted_so_that_search_finds_every_entry() {
        assert!(ALLOWED_FUNCTIONS.is_sorted());
        assert!(ALLOWED_FUNCTIONS.iter().all(|name| is_allowed(name)));
    }

    #[test]
    fn functions_with_a_replacement_are_not_allowed_themselves() {
        for name in ["ceiling", "power", "log10", "if", "regexp"] {
            assert!(!is_allowed(name) && replacement(name).is_some(), "{name}");
        }
    }
}
