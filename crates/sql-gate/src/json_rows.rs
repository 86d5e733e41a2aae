//! The forms of a statement whose rows leave the engine as JSON text.

use base::{CommonError, Error, Result};
use sqlite3_parser::dialect::TokenType;

use crate::bound::Bound;
use crate::rewrite::{ReturningItem, ReturningItems};
use crate::splice::{self, Splice};
use crate::value::{self, RowShape};
use crate::{compose, lex};

/// Which rows of a result are wanted. With the same window the engine compiles the same text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowWindow {
    /// Rows that are skipped before the first.
    pub offset: u64,
    /// Rows at most, all without one.
    pub limit: Option<u64>,
}

/// The largest LIMIT and OFFSET that SQLite reads as an integer.
pub(crate) const MAX_SQL_ROWS: u64 = i64::MAX as u64;

impl RowWindow {
    /// The clauses, each with a blank before it.
    fn clauses(self) -> String {
        let limit = self.limit.map(|rows| rows.min(MAX_SQL_ROWS));
        match (limit, self.offset.min(MAX_SQL_ROWS)) {
            (None, 0) => String::new(),
            (Some(limit), 0) => format!(" LIMIT {limit}"),
            // OFFSET stands behind LIMIT only, and a negative one is none.
            (None, offset) => format!(" LIMIT -1 OFFSET {offset}"),
            (Some(limit), offset) => format!(" LIMIT {limit} OFFSET {offset}"),
        }
    }
}

impl Bound {
    /// A statement whose rows are the rows of this one as JSON text, in one column.
    pub fn json_rows(&self, names: &[String], shape: RowShape, window: RowWindow) -> Self {
        let values = column_values(names.len());
        let row = value::row_expression(&values, names, shape);
        self.derived(format!(
            "WITH _codemode_rows({}) AS (\n{}\n) SELECT {row} FROM _codemode_rows{}",
            values.join(","),
            self.sql(),
            window.clauses()
        ))
    }

    /// As [`Self::json_rows`] without the rows that follow once the texts have reached `max_bytes`, for a database that has no cursor.
    pub fn json_rows_within(
        &self,
        names: &[String],
        shape: RowShape,
        window: RowWindow,
        max_bytes: usize,
    ) -> Self {
        let values = column_values(names.len());
        let row = value::row_expression(&values, names, shape);
        self.derived(format!(
            "WITH _codemode_rows({}) AS (\n{}\n) SELECT line FROM (SELECT line, sum(octet_length(line) + 1) OVER (ROWS UNBOUNDED PRECEDING) AS bytes \
             FROM (SELECT {row} AS line FROM _codemode_rows{})) WHERE bytes - octet_length(line) <= {max_bytes}",
            values.join(","),
            self.sql(),
            window.clauses()
        ))
    }

    /// A statement of one row: the rows of this one in the window as a JSON list, and how many they are. A raw line feed, which no JSON
    /// text of SQLite's contains, stands only between two rows.
    pub fn json_list(&self, names: &[String], shape: RowShape, window: RowWindow) -> Self {
        self.list(names, shape, window, "", "")
    }

    /// The same with the list as its bytes, which cost the way out of the engine less than a text of JavaScript.
    pub fn json_list_bytes(&self, names: &[String], shape: RowShape, window: RowWindow) -> Self {
        self.list(names, shape, window, "CAST(", " AS BLOB)")
    }

    fn list(
        &self,
        names: &[String],
        shape: RowShape,
        window: RowWindow,
        before: &str,
        behind: &str,
    ) -> Self {
        let values = column_values(names.len());
        let row = value::row_expression(&values, names, shape);
        self.derived(format!(
            "WITH _codemode_rows({}) AS (\n{}\n) SELECT {before}'['||coalesce(string_agg({row},','||char(10)),'')||']'{behind}, count(*) FROM (SELECT * FROM _codemode_rows{})",
            values.join(","),
            self.sql(),
            window.clauses()
        ))
    }

    /// The same write with a RETURNING list of one column, each row as JSON text, and the names that the list has.
    ///
    /// `table_columns` are the columns that `*` stands for.
    ///
    /// # Errors
    /// `TOO_BIG` for a list longer than the engine takes.
    pub fn json_returning(
        &self,
        table_columns: &[String],
        shape: RowShape,
    ) -> Result<(Self, Vec<String>)> {
        let Some((source, list)) = self
            .source
            .as_ref()
            .and_then(|source| Some((source, source.returning.as_ref()?)))
        else {
            return Ok((self.clone(), Vec::new()));
        };
        let mut values = Vec::new();
        let mut names = Vec::new();
        for item in &list.items {
            match item {
                ReturningItem::Star => {
                    values.extend(
                        table_columns
                            .iter()
                            .map(|name| compose::quote_identifier(name)),
                    );
                    names.extend(table_columns.iter().cloned());
                }
                ReturningItem::Expression { start, end, name } => {
                    let text =
                        splice::apply_within(&source.statement, *start, *end, &source.splices);
                    values.push(format!("({text})"));
                    names.push(name.clone());
                }
            }
        }
        if values.len() > base::limits::MAX_COLUMNS {
            return Err(Error::from(CommonError::TooBig {
                message: format!(
                    "RETURNING has {} columns, the limit is {}",
                    values.len(),
                    base::limits::MAX_COLUMNS
                ),
                hint: "return fewer columns".to_owned(),
            }));
        }
        let names = value::distinct_names(names);
        let inside = |splice: &&Splice| splice.start >= list.start && splice.end <= list.end;
        if source
            .parameter_splices
            .iter()
            .any(|splice| inside(&splice))
            || self.statement_has_placeholder_in(list)
        {
            return Err(Error::invalid_with_hint(
                "RETURNING cannot take parameters",
                "write the value into the statement, or select it afterwards",
            ));
        }
        let outside = source.splices.iter().filter(|splice| !inside(splice));
        let mut splices: Vec<Splice> = outside.cloned().collect();
        splices.push(Splice {
            start: list.start,
            end: list.end,
            text: value::row_expression(&values, &names, shape),
        });
        Ok((
            self.derived(splice::apply(&source.statement, splices)),
            names,
        ))
    }

    /// A placeholder inside the list would stand twice in the rewritten one.
    fn statement_has_placeholder_in(&self, list: &ReturningItems) -> bool {
        let text = self
            .statement()
            .get(list.start..list.end)
            .unwrap_or_default();
        lex::tokens(text).is_ok_and(|tokens| {
            tokens
                .iter()
                .any(|token| token.kind == TokenType::TK_VARIABLE)
        })
    }
}

fn column_values(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("c{number}")).collect()
}
