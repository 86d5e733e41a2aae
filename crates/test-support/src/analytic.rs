//! The statements of `tests/corpus/analytic/`, each with the name that its comment gives it.

/// One statement.
#[derive(Debug, Clone, Copy)]
pub struct Named {
    /// What it asks.
    pub name: &'static str,
    /// The text.
    pub sql: &'static str,
}

const ORDERS: &str = include_str!("../../../tests/corpus/analytic/orders.sql");
const HITS: &str = include_str!("../../../tests/corpus/analytic/hits.sql");

const RUNAWAY: &str = include_str!("../../../tests/corpus/analytic/runaway.sql");

/// Statements that must not run for longer than a request has.
pub fn runaway() -> Vec<Named> {
    of_file(RUNAWAY).collect()
}

/// The honest ones, in the order of the files.
pub fn statements() -> Vec<Named> {
    [ORDERS, HITS].into_iter().flat_map(of_file).collect()
}

/// A `;` ends a line exactly where it ends a statement.
fn of_file(text: &'static str) -> impl Iterator<Item = Named> {
    text.split(";\n").filter_map(|piece| {
        let mut name = None;
        let mut rest = piece;
        while let Some((line, after)) = rest.split_once('\n') {
            match line.strip_prefix("-- ") {
                Some(comment) => name = Some(comment),
                None if line.is_empty() => {}
                None => break,
            }
            rest = after;
        }
        let sql = rest.trim();
        name.filter(|_| !sql.is_empty())
            .map(|name| Named { name, sql })
    })
}
