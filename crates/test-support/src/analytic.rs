//! The statements of `tests/corpus/analytic/`, each with the name that its comment gives it.

/// One statement.
#[derive(Debug, Clone, Copy)]
pub struct Named {
    /// The question that it answers.
    pub name: &'static str,
    /// The text.
    pub sql: &'static str,
}

const ORDERS: &str = include_str!("../../../tests/corpus/analytic/orders.sql");
const HITS: &str = include_str!("../../../tests/corpus/analytic/hits.sql");

const RUNAWAY: &str = include_str!("../../../tests/corpus/analytic/runaway.sql");

/// Returns statements that must not run for longer than a request may take.
pub fn runaway() -> Vec<Named> {
    of_file(RUNAWAY).collect()
}

/// Returns the honest statements, in the order of the files.
pub fn statements() -> Vec<Named> {
    [ORDERS, HITS].into_iter().flat_map(of_file).collect()
}

/// Splits a file into statements. In these files, a line ends with `;` only where a statement ends.
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
