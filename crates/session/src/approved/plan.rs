//! Describes the plan of a statement in sentences. Lines of EXPLAIN QUERY PLAN contain names that
//! the caller chose, so no decision depends on them.

use std::collections::{BTreeSet, HashMap};

use base::Result;
use database::{Cell, Cursor as _, Database, Statement};
use sql_gate::{Action, Bound, explain};

use super::counted::rows_within;
use crate::inspect;
use crate::limits::MAX_PLAN_SENTENCES;

/// The visibility of row counts in the sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowCounts {
    Told,
    /// Hidden, because the counts include the rows of all tenants.
    Hidden,
}

/// Returns the sentences, at most [`MAX_PLAN_SENTENCES`].
///
/// # Errors
/// The engine's, if it cannot compile the statement.
pub(crate) fn sentences<D: Database>(
    db: &D,
    bound: &Bound,
    row_counts: RowCounts,
) -> Result<Vec<String>> {
    let plan = bound.explained_plan();
    let fail = |error| explain::explain(db, &error, bound);
    let mut cursor = db
        .open(Statement::Reviewed(plan.reviewed()))
        .map_err(fail)?;
    let mut lines = Vec::new();
    while lines.len() < MAX_PLAN_SENTENCES
        && let Some(row) = cursor.next().map_err(fail)?
    {
        lines.extend(row.into_iter().nth(3).map(Cell::into_text));
    }
    drop(cursor);
    let mut counts: HashMap<String, Option<u64>> = HashMap::new();
    let mut found = Vec::new();
    // The engine checks foreign keys in its own order, which may differ each time the schema is
    // loaded.
    let mut by_foreign_keys = BTreeSet::new();
    for line in lines {
        let meant = match scanned(&line) {
            Some(name) => relation(db, bound, name)?,
            None => None,
        };
        let table = meant.as_ref().map(|(table, _)| table.as_str());
        let rows = match table {
            None => None,
            Some(table) => match counts.get(table) {
                Some(rows) => *rows,
                None => {
                    // Counting the rows of a view would run it.
                    let is_table =
                        row_counts == RowCounts::Told && sql_gate::catalog::is_table(db, table)?;
                    let rows = is_table.then(|| rows_within(db, table)).flatten();
                    counts.insert(table.to_owned(), rows);
                    rows
                }
            },
        };
        let mut sentence = sentence(&line, table, rows);
        if matches!(meant, Some((_, Named::ByForeignKey))) {
            sentence.push_str(", because of foreign keys");
            by_foreign_keys.insert(sentence);
        } else if !found.contains(&sentence) {
            found.push(sentence);
        }
    }
    found.extend(by_foreign_keys);
    Ok(found)
}

/// Returns the sentences of a plan without row counts. `table_of` returns the table that a name in
/// a line refers to.
pub(crate) fn plain(lines: Vec<String>, table_of: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in lines.into_iter().take(MAX_PLAN_SENTENCES) {
        let table = scanned(&line).and_then(&table_of);
        let sentence = sentence(&line, table.as_deref(), None);
        if !found.contains(&sentence) {
            found.push(sentence);
        }
    }
    found
}

/// The reason why a statement reads a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    /// Its text names the table.
    ByText,
    /// A foreign key of a table that it changes.
    ByForeignKey,
}

/// The prefix of a table of the session itself.
const MAIN: &str = "main.";

/// Returns the table or view that a name in a line refers to.
fn relation<D: Database>(db: &D, bound: &Bound, name: &str) -> Result<Option<(String, Named)>> {
    // The text that a scope adds before a statement also names the database.
    let plain_name = name.strip_prefix(MAIN).unwrap_or(name);
    let by_text = bound
        .relation_named(name)
        .or_else(|| bound.relation_named(plain_name));
    if let Some(table) = by_text {
        return Ok(Some((table, Named::ByText)));
    }
    if bound.action() == Action::Read {
        return Ok(None);
    }
    let stored = inspect::stored_name(db, name)?.filter(|stored| stored == name);
    Ok(stored.map(|table| (table, Named::ByForeignKey)))
}

/// Returns the name after SCAN or SEARCH.
pub(crate) fn scanned(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("SCAN ")
        .or_else(|| line.strip_prefix("SEARCH "))?;
    let name = rest.split_once(" USING ").map_or(rest, |(name, _)| name);
    let name = name
        .split_once(" VIRTUAL TABLE")
        .map_or(name, |(name, _)| name);
    Some(
        name.trim_end_matches(" LEFT-JOIN")
            .trim_end_matches(" EXISTS"),
    )
}

/// Kinds of a search, with their words. The names that the search uses follow in brackets.
const SEARCHES: [(&str, &str); 5] = [
    ("INTEGER PRIMARY KEY (", "by its row id"),
    ("PRIMARY KEY (", "by its primary key"),
    (
        "AUTOMATIC ",
        "with an index that is made for this statement",
    ),
    ("COVERING INDEX ", "with the index "),
    ("INDEX ", "with the index "),
];

/// Other lines, by their beginning.
const STEPS: [(&str, &str); 20] = [
    (
        "USE TEMP B-TREE FOR GROUP BY",
        "groups the rows in a temporary index",
    ),
    (
        "USE TEMP B-TREE FOR DISTINCT",
        "finds distinct rows with a temporary index",
    ),
    ("USE TEMP B-TREE FOR ORDER BY", "sorts the rows"),
    (
        "USE TEMP B-TREE FOR LAST",
        "sorts the rows by the last terms",
    ),
    (
        "USE TEMP B-TREE FOR RIGHT",
        "sorts the rows by the last terms",
    ),
    ("USE TEMP B-TREE", "uses a temporary index"),
    ("CO-ROUTINE ", "reads the rows of a sub-query one by one: "),
    ("MATERIALIZE ", "computes a sub-query once: "),
    (
        "CORRELATED SCALAR SUBQUERY",
        "computes a sub-query for each row",
    ),
    (
        "CORRELATED LIST SUBQUERY",
        "makes the list of a sub-query for each row",
    ),
    ("SCALAR SUBQUERY", "computes a sub-query once"),
    ("LIST SUBQUERY", "makes the list of a sub-query once"),
    ("REUSE LIST SUBQUERY", "uses the list of a sub-query again"),
    ("COMPOUND QUERY", "joins the results of several queries"),
    ("MULTI-INDEX OR", "looks up the parts of an OR one by one"),
    ("RECURSIVE STEP", "repeats a query on its own rows"),
    ("BLOOM FILTER ON ", "skips rows without a match early: "),
    ("RIGHT-JOIN ", "adds rows without a match: "),
    ("MERGE (", "merges the sorted results of two queries"),
    ("SCAN CONSTANT ROW", "needs no table"),
];

/// Returns one line in words.
fn sentence(line: &str, table: Option<&str>, rows: Option<u64>) -> String {
    if let Some((_, words)) = STEPS.iter().find(|(start, _)| line.starts_with(start)) {
        let name = words.ends_with(' ').then(|| line.split(' ').skip(1));
        let name = name.map(|rest| rest.filter(|word| *word != "FILTER" && *word != "ON"));
        let name = name.map(|words| words.collect::<Vec<_>>().join(" "));
        return format!("{words}{}", name.unwrap_or_default());
    }
    let Some(name) = scanned(line) else {
        return line.to_lowercase();
    };
    let name = table.unwrap_or(name);
    if line.contains(" VIRTUAL TABLE") {
        return format!("queries {name}, a virtual table");
    }
    let way = line.split_once(" USING ").map_or("", |(_, way)| way);
    if line.starts_with("SEARCH ") {
        return format!("looks up {name} {}", search(way));
    }
    let all = match rows {
        Some(1) => format!("reads the one row of {name}"),
        Some(rows) => format!("scans all {} rows of {name}", thousands(rows)),
        None => format!("scans all rows of {name}"),
    };
    match index(way) {
        Some(index) => format!("{all} in the index {index}"),
        None => all,
    }
}

/// Returns how rows are found: `by its row id`, `with the index by_year (year=?)`.
fn search(way: &str) -> String {
    let found = SEARCHES.iter().find(|(start, _)| way.starts_with(start));
    let Some((start, words)) = found else {
        return "by a condition".to_owned();
    };
    if !words.ends_with(' ') {
        return (*words).to_owned();
    }
    format!("{words}{}", way.strip_prefix(start).unwrap_or_default())
}

fn index(way: &str) -> Option<&str> {
    way.strip_prefix("COVERING INDEX ")
        .or_else(|| way.strip_prefix("INDEX "))
}

/// Formats a number such as `1,461`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{sentence, thousands};

    #[test]
    fn lines_become_sentences() {
        for (line, rows, said) in [
            (
                "SCAN weather",
                Some(1_461),
                "scans all 1,461 rows of weather",
            ),
            ("SCAN weather", None, "scans all rows of weather"),
            ("SCAN t", Some(1), "reads the one row of t"),
            (
                "SCAN t USING COVERING INDEX i",
                Some(12),
                "scans all 12 rows of t in the index i",
            ),
            (
                "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
                None,
                "looks up c by its row id",
            ),
            (
                "SEARCH c USING PRIMARY KEY (k=?)",
                None,
                "looks up c by its primary key",
            ),
            (
                "SEARCH c USING INDEX by_year (year>? AND year<?)",
                None,
                "looks up c with the index by_year (year>? AND year<?)",
            ),
            (
                "SEARCH c USING AUTOMATIC COVERING INDEX (a=?)",
                None,
                "looks up c with an index that is made for this statement",
            ),
            (
                "SCAN f VIRTUAL TABLE INDEX 0:M1",
                None,
                "queries f, a virtual table",
            ),
            ("USE TEMP B-TREE FOR ORDER BY", None, "sorts the rows"),
            (
                "MATERIALIZE my view",
                None,
                "computes a sub-query once: my view",
            ),
            (
                "BLOOM FILTER ON c (a=?)",
                None,
                "skips rows without a match early: c (a=?)",
            ),
            ("SCAN CONSTANT ROW", None, "needs no table"),
            ("SOMETHING ELSE", None, "something else"),
        ] {
            assert_eq!(sentence(line, None, rows), said, "{line}");
        }
        assert_eq!(
            sentence("SCAN w", Some("weather"), None),
            "scans all rows of weather"
        );
    }

    #[test]
    fn digits_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(thousands(number), text);
        }
    }
}
