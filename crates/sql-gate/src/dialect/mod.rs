//! Hints for SQL of other databases, which people and models write out of habit: the SQLite
//! equivalent of each function, name and clause.
//!
//! - `functions`, `names`: functions, columns and tables that SQLite does not have.
//! - `clauses`: syntax that SQLite cannot read, found by `syntax` in the `pieces` of a text near
//!   the position of the error.
//!
//! A hint has its SQL in backquotes. A test runs every such piece on SQLite, through the gate.

mod clauses;
mod functions;
mod names;
mod pieces;
mod syntax;

pub(super) use syntax::{cast_hint, column_hint, hint as syntax_hint};

/// Returns the hint for a column that numbers its rows by itself in other databases, such as
/// SERIAL.
pub(crate) fn counter_hint() -> &'static str {
    clauses::COUNTS_BY_ITSELF
}

/// Returns the hint for a type followed by words that SQLite does not know.
pub(crate) fn plain_type_hint() -> &'static str {
    clauses::PLAIN_TYPE
}

/// Returns the hint for a part of a definition that is neither a column nor a constraint.
pub(crate) fn plain_definition_hint() -> &'static str {
    clauses::PLAIN_DEFINITION
}

/// Returns the hint for a table definition that SQLite cannot read at an offset, or `None` for
/// another statement, and for one that only ends too early.
pub(crate) fn definition_hint(sql: &str, offset: usize) -> Option<&'static str> {
    sql.get(offset..).filter(|rest| !rest.trim().is_empty())?;
    let mut words = sql
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let is = |word: Option<&str>, wanted: &[&str]| {
        word.is_some_and(|word| wanted.iter().any(|one| word.eq_ignore_ascii_case(one)))
    };
    let defines = is(words.next(), &["CREATE", "ALTER"]) && is(words.next(), &["TABLE"]);
    defines.then_some(clauses::PLAIN_DEFINITION)
}

/// Returns the SQLite equivalent of a function. `name` is in lower case.
pub(crate) fn function(name: &str) -> Option<&'static str> {
    look_up(functions::FUNCTIONS, name)
}

/// Returns the equivalent of a column that other databases have everywhere. `name` is as written.
pub(crate) fn column(name: &str) -> Option<&'static str> {
    if name.contains(['‘', '’', '“', '”']) {
        return Some("write text between straight single quotes: `x = 'text'`");
    }
    let name = if name.contains(',') {
        names::A_LIST
    } else {
        name
    };
    look_up(names::COLUMNS_OF_OTHERS, &name.to_ascii_lowercase())
}

/// Returns the equivalent of a system table of another database. `name` is as written, without
/// schema.
pub(crate) fn table(name: &str) -> Option<&'static str> {
    const FILES: [&str; 5] = [".csv", ".tsv", ".json", ".ndjson", ".parquet"];
    let name = name.to_ascii_lowercase();
    if FILES.iter().any(|kind| name.ends_with(kind)) {
        return function("read_csv");
    }
    look_up(names::TABLES_OF_OTHERS, &name)
}

/// Returns the same for a table of a schema that does not exist.
pub(crate) fn schema_table(schema: &str, name: &str) -> Option<&'static str> {
    let schema = format!("{}.", schema.to_ascii_lowercase());
    let whole = format!("{schema}{}", name.to_ascii_lowercase());
    look_up(names::TABLES_OF_OTHERS, &whole).or_else(|| look_up(names::TABLES_OF_OTHERS, &schema))
}

/// Returns the hint for a function of SQLite that is called with the wrong number of arguments.
pub(crate) fn arguments_hint(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    look_up(functions::ARGUMENTS, &name).map_or_else(
        || format!("give {name} the arguments that SQLite's function takes; other databases may take more"),
        str::to_owned,
    )
}

/// Returns the names of functions that have a hint.
pub(crate) fn function_names() -> impl Iterator<Item = &'static str> {
    functions::FUNCTIONS
        .iter()
        .flat_map(|(names, _)| names.split(' '))
}

/// Returns every hint about a function, with the names that it serves, for the documents and the
/// tests.
pub fn function_hints() -> &'static [(&'static str, &'static str)] {
    functions::FUNCTIONS
}

/// Returns every other hint, for the tests.
pub fn other_hints() -> impl Iterator<Item = &'static str> {
    let names = names::COLUMNS_OF_OTHERS
        .iter()
        .chain(names::TABLES_OF_OTHERS)
        .chain(functions::ARGUMENTS)
        .map(|(_, hint)| *hint);
    let rules = clauses::RULES.iter().chain(clauses::CALLS);
    names
        .chain(rules.map(|(_, hint)| *hint))
        .chain(clauses::CASTS.iter().map(|(_, hint)| *hint))
}

fn look_up(table: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    table
        .iter()
        .find(|(names, _)| names.split(' ').any(|known| known == name))
        .map(|(_, hint)| *hint)
}
