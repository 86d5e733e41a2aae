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

/// Functions that SQLite has, in itself, its shell or its extensions, and that no statement may call: they tell of or reach what is outside of
/// a session, or workerd lets nobody call them. Those that begin with `sqlite_` are more of the same.
const WITHHELD_FUNCTIONS: [&str; 37] = [
    "affinity",
    "ceiling",
    "edit",
    "eval",
    "expr_compare",
    "expr_implies_expr",
    "fsdir",
    "fts3_tokenizer",
    "fts5",
    "fts5_get_locale",
    "fts5_insttoken",
    "fts5_locale",
    "fts5_source_id",
    "if",
    "implies_nonnull_row",
    "json_array_insert",
    "json_error_position",
    "json_pretty",
    "jsonb_array_insert",
    "load_extension",
    "log10",
    "lsmode",
    "matchinfo",
    "offsets",
    "optimize",
    "power",
    "raise",
    "readfile",
    "rtreecheck",
    "rtreedepth",
    "rtreenode",
    "soundex",
    "subtype",
    "unistr",
    "unistr_quote",
    "writefile",
    "zipfile",
];

/// Whether SQLite has the function and the gate lets nobody call it. `name` is lower case.
pub(crate) fn is_withheld(name: &str) -> bool {
    name.starts_with("sqlite_")
        || name.starts_with("sqlar_")
        || WITHHELD_FUNCTIONS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{ALLOWED_FUNCTIONS, WITHHELD_FUNCTIONS, is_allowed, is_withheld};

    #[test]
    fn the_list_is_sorted_so_that_search_finds_every_entry() {
        assert!(ALLOWED_FUNCTIONS.is_sorted());
        assert!(ALLOWED_FUNCTIONS.iter().all(|name| is_allowed(name)));
    }

    #[test]
    fn no_function_is_both_allowed_and_withheld() {
        assert!(WITHHELD_FUNCTIONS.is_sorted());
        assert!(!ALLOWED_FUNCTIONS.iter().any(|name| is_withheld(name)));
        assert!(is_withheld("sqlite_version") && is_withheld("if"));
    }
}
