//! The functions of SQL: which of them a statement may call, and the properties of each that this
//! crate needs.
//!
//! The list of allowed functions was made by calling every built-in of workerd; a contract test
//! calls each of them there again.

/// Properties of a function, as bits.
type Properties = u32;

/// None of the properties below.
const PLAIN: Properties = 0;
/// The function exists in SQLite, its shell or its extensions, but no statement may call it: it
/// reveals or reaches things outside of a session, or workerd does not allow it.
const WITHHELD: Properties = 1;
/// Its value is a number.
pub const NUMBER: Properties = 1 << 1;
/// Its value is a short text of a few forms, such as a date.
pub const SHORT_TEXT: Properties = 1 << 2;
/// Its value is a text, whatever it is given.
pub const TEXT: Properties = 1 << 3;
/// It takes dates, in which the text `now` means the time of the call.
pub const DATED: Properties = 1 << 4;
/// It treats each argument as a number.
pub const OF_NUMBERS: Properties = 1 << 5;
/// It treats each argument as a text, even a number.
pub const OF_TEXTS: Properties = 1 << 6;
/// Its value is one of its arguments.
pub const ONE_OF_ALL: Properties = 1 << 7;
/// Its value is its first argument, evaluated for this row or for another row, as in `lag`.
pub const FIRST: Properties = 1 << 8;
/// Its value is its first argument in another form: a text with other letters or without blanks, a
/// number without its sign or fraction.
pub const FORM: Properties = 1 << 9;
/// It makes one value from many rows. `min` and `max` do so with one argument.
pub const AGGREGATE: Properties = 1 << 10;
/// It makes one text or JSON from the values of many rows.
pub const COLLECTS: Properties = 1 << 11;
/// Its value may be longer than its arguments, or its cost depends on two arguments together.
pub const GROWS: Properties = 1 << 12;
/// It compares each byte of one argument with each byte of another.
pub const PAIRS: Properties = 1 << 13;
/// Its cost and the length of its value are at most proportional to its arguments, so it may be run
/// to count keys.
pub const LINEAR: Properties = 1 << 14;
/// Its value depends only on its arguments. The work bound may evaluate it in the condition of a
/// join, to count the rows.
pub const FOLLOWS: Properties = 1 << 15;
/// It returns a value or NULL for all arguments, so that no error of it reveals a row.
pub const INFALLIBLE: Properties = 1 << 16;
/// It reveals the last action of the connection, which may have been for another tenant.
pub const OF_CONNECTION: Properties = 1 << 17;
/// It returns another value each time.
pub const VARIES: Properties = 1 << 18;

/// Every function, sorted, in lower case. Other functions whose names begin with `sqlite_` or
/// `sqlar_` are withheld, too.
const FUNCTIONS: [(&str, Properties); 161] = [
    ("abs", NUMBER | OF_NUMBERS | FORM | LINEAR | FOLLOWS),
    ("acos", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("acosh", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("affinity", WITHHELD),
    ("asin", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("asinh", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("atan", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("atan2", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("atanh", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("avg", NUMBER | AGGREGATE | INFALLIBLE),
    ("bm25", NUMBER),
    ("ceil", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("ceiling", WITHHELD),
    ("changes", NUMBER | OF_CONNECTION),
    ("char", INFALLIBLE),
    ("coalesce", ONE_OF_ALL | LINEAR | INFALLIBLE),
    ("concat", OF_TEXTS | TEXT | GROWS),
    ("concat_ws", OF_TEXTS | TEXT | GROWS),
    ("cos", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("cosh", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("count", NUMBER | AGGREGATE | INFALLIBLE),
    ("cume_dist", NUMBER | INFALLIBLE),
    ("current_date", INFALLIBLE),
    ("current_time", INFALLIBLE),
    ("current_timestamp", INFALLIBLE),
    ("date", SHORT_TEXT | DATED | LINEAR | FOLLOWS | INFALLIBLE),
    ("datetime", SHORT_TEXT | DATED | LINEAR | INFALLIBLE),
    ("degrees", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("dense_rank", NUMBER | INFALLIBLE),
    ("edit", WITHHELD),
    ("eval", WITHHELD),
    ("exp", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("expr_compare", WITHHELD),
    ("expr_implies_expr", WITHHELD),
    ("first_value", FIRST | INFALLIBLE),
    ("floor", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("format", OF_TEXTS | TEXT | GROWS),
    ("fsdir", WITHHELD),
    ("fts3_tokenizer", WITHHELD),
    ("fts5", WITHHELD),
    ("fts5_get_locale", WITHHELD),
    ("fts5_insttoken", WITHHELD),
    ("fts5_locale", WITHHELD),
    ("fts5_source_id", WITHHELD),
    ("glob", NUMBER | FOLLOWS),
    ("group_concat", AGGREGATE | COLLECTS | GROWS | INFALLIBLE),
    ("hex", OF_TEXTS | TEXT | GROWS),
    ("highlight", PLAIN),
    ("if", WITHHELD),
    ("ifnull", ONE_OF_ALL | LINEAR | INFALLIBLE),
    ("iif", ONE_OF_ALL | LINEAR | INFALLIBLE),
    ("implies_nonnull_row", WITHHELD),
    ("instr", NUMBER | GROWS | PAIRS | FOLLOWS | INFALLIBLE),
    ("json", PLAIN),
    ("json_array", PLAIN),
    ("json_array_insert", WITHHELD),
    ("json_array_length", NUMBER | LINEAR),
    ("json_error_position", WITHHELD),
    ("json_extract", LINEAR),
    ("json_group_array", AGGREGATE | COLLECTS | GROWS),
    ("json_group_object", AGGREGATE | COLLECTS | GROWS),
    ("json_insert", PLAIN),
    ("json_object", PLAIN),
    ("json_patch", GROWS | PAIRS),
    ("json_pretty", WITHHELD),
    ("json_quote", PLAIN),
    ("json_remove", PLAIN),
    ("json_replace", PLAIN),
    ("json_set", PLAIN),
    ("json_type", LINEAR),
    ("json_valid", NUMBER | INFALLIBLE),
    ("jsonb", PLAIN),
    ("jsonb_array", PLAIN),
    ("jsonb_array_insert", WITHHELD),
    ("jsonb_extract", PLAIN),
    ("jsonb_group_array", AGGREGATE | COLLECTS),
    ("jsonb_group_object", AGGREGATE | COLLECTS),
    ("jsonb_insert", PLAIN),
    ("jsonb_object", PLAIN),
    ("jsonb_patch", GROWS | PAIRS),
    ("jsonb_remove", PLAIN),
    ("jsonb_replace", PLAIN),
    ("jsonb_set", PLAIN),
    ("julianday", NUMBER | DATED | LINEAR | INFALLIBLE),
    ("lag", FIRST | INFALLIBLE),
    ("last_insert_rowid", NUMBER | OF_CONNECTION),
    ("last_value", FIRST | INFALLIBLE),
    ("lead", FIRST | INFALLIBLE),
    ("length", NUMBER | LINEAR | FOLLOWS | INFALLIBLE),
    ("like", NUMBER | FOLLOWS),
    ("likelihood", FIRST | INFALLIBLE),
    ("likely", FIRST | INFALLIBLE),
    ("ln", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("load_extension", WITHHELD),
    ("log", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("log10", WITHHELD),
    ("log2", NUMBER | OF_NUMBERS | INFALLIBLE),
    (
        "lower",
        OF_TEXTS | TEXT | FORM | LINEAR | FOLLOWS | INFALLIBLE,
    ),
    ("lsmode", WITHHELD),
    (
        "ltrim",
        OF_TEXTS | FORM | GROWS | PAIRS | LINEAR | FOLLOWS | INFALLIBLE,
    ),
    ("match", NUMBER),
    ("matchinfo", WITHHELD),
    ("max", ONE_OF_ALL | INFALLIBLE),
    ("min", ONE_OF_ALL | INFALLIBLE),
    ("mod", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("nth_value", FIRST | INFALLIBLE),
    ("ntile", NUMBER),
    ("nullif", FIRST | LINEAR | INFALLIBLE),
    ("octet_length", NUMBER | LINEAR | INFALLIBLE),
    ("offsets", WITHHELD),
    ("optimize", WITHHELD),
    ("percent_rank", NUMBER | INFALLIBLE),
    ("pi", NUMBER | INFALLIBLE),
    ("pow", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("power", WITHHELD),
    ("printf", OF_TEXTS | TEXT | GROWS),
    ("quote", OF_TEXTS | TEXT | GROWS),
    ("radians", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("raise", WITHHELD),
    ("random", NUMBER | INFALLIBLE | VARIES),
    ("randomblob", GROWS | VARIES),
    ("rank", NUMBER | INFALLIBLE),
    ("readfile", WITHHELD),
    ("replace", OF_TEXTS | TEXT | GROWS | PAIRS),
    ("round", NUMBER | OF_NUMBERS | FORM | LINEAR | INFALLIBLE),
    ("row_number", NUMBER | INFALLIBLE),
    ("rtreecheck", WITHHELD),
    ("rtreedepth", WITHHELD),
    ("rtreenode", WITHHELD),
    (
        "rtrim",
        OF_TEXTS | FORM | GROWS | PAIRS | LINEAR | FOLLOWS | INFALLIBLE,
    ),
    ("sign", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("sin", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("sinh", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("snippet", PLAIN),
    ("soundex", WITHHELD),
    ("sqrt", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("strftime", DATED | GROWS | FOLLOWS),
    ("string_agg", AGGREGATE | COLLECTS | GROWS),
    ("substr", OF_TEXTS | LINEAR | FOLLOWS | INFALLIBLE),
    ("substring", OF_TEXTS | LINEAR | FOLLOWS | INFALLIBLE),
    ("subtype", WITHHELD),
    ("sum", NUMBER | AGGREGATE | INFALLIBLE),
    ("tan", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("tanh", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("time", SHORT_TEXT | DATED | LINEAR | INFALLIBLE),
    ("timediff", SHORT_TEXT | DATED | INFALLIBLE),
    ("total", NUMBER | AGGREGATE | INFALLIBLE),
    ("total_changes", NUMBER | OF_CONNECTION),
    (
        "trim",
        OF_TEXTS | FORM | GROWS | PAIRS | LINEAR | FOLLOWS | INFALLIBLE,
    ),
    ("trunc", NUMBER | OF_NUMBERS | INFALLIBLE),
    ("typeof", SHORT_TEXT | LINEAR | INFALLIBLE),
    ("unhex", GROWS | PAIRS | INFALLIBLE),
    ("unicode", NUMBER | INFALLIBLE),
    ("unistr", WITHHELD),
    ("unistr_quote", WITHHELD),
    ("unixepoch", NUMBER | DATED | LINEAR | INFALLIBLE),
    ("unlikely", FIRST | INFALLIBLE),
    (
        "upper",
        OF_TEXTS | TEXT | FORM | LINEAR | FOLLOWS | INFALLIBLE,
    ),
    ("writefile", WITHHELD),
    ("zeroblob", GROWS),
    ("zipfile", WITHHELD),
];

/// Table functions over a value of the caller.
const OF_VALUES: [&str; 4] = ["json_each", "json_tree", "jsonb_each", "jsonb_tree"];

fn properties(name: &str) -> Option<Properties> {
    let found = FUNCTIONS.binary_search_by_key(&name, |(known, _)| *known);
    found
        .ok()
        .and_then(|at| FUNCTIONS.get(at))
        .map(|(_, properties)| *properties)
}

/// Returns true if a function has one of these properties. `name` is in lower case.
pub fn is(name: &str, wanted: Properties) -> bool {
    properties(name).is_some_and(|found| found & wanted != 0)
}

/// Returns the functions that have one of these properties.
pub fn all(wanted: Properties) -> impl Iterator<Item = &'static str> {
    let has = move |(_, found): &&(&str, Properties)| found & wanted != 0;
    FUNCTIONS.iter().filter(has).map(|(name, _)| *name)
}

/// Returns the functions that a statement may call: exactly those that workerd's engine allows,
/// except its internals.
pub fn allowed_functions() -> impl Iterator<Item = &'static str> {
    let may_be_called = |(_, found): &&(&str, Properties)| found & WITHHELD == 0;
    FUNCTIONS
        .iter()
        .filter(may_be_called)
        .map(|(name, _)| *name)
}

/// Returns true if the engine has the function and the gate allows it. `name` is in lower case.
pub fn is_allowed(name: &str) -> bool {
    properties(name).is_some_and(|found| found & WITHHELD == 0)
}

/// Returns true if SQLite has the function and the gate does not allow it. `name` is in lower case.
pub fn is_withheld(name: &str) -> bool {
    name.starts_with("sqlite_") || name.starts_with("sqlar_") || is(name, WITHHELD)
}

/// Returns true for a table function over a value of the caller. `name` is in lower case.
pub fn is_of_values(name: &str) -> bool {
    OF_VALUES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_of_the_table_is_found_once() {
        assert!(FUNCTIONS.is_sorted_by(|(one, _), (next, _)| one < next));
        for (name, found) in FUNCTIONS {
            assert_eq!(is_withheld(name), found == WITHHELD, "{name}");
            assert_eq!(is_allowed(name), found != WITHHELD, "{name}");
        }
        assert!(is_withheld("sqlite_version") && is_withheld("if") && !is_allowed("none"));
    }
}
