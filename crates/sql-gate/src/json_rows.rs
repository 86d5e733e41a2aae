//! Makes statements whose rows the engine returns as JSON text.

use base::{CommonError, Error, Result};
use sqlite3_parser::dialect::TokenType;

use crate::bound::Bound;
use crate::rewrite::{ReturningItem, ReturningItems};
use crate::splice::{self, Splice};
use crate::value::{self, RowShape};
use crate::{compose, lex};

/// The range of a result's rows that is wanted. Equal windows give equal texts, which the engine
/// compiles only once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowWindow {
    /// The number of rows that are skipped before the first.
    pub offset: u64,
    /// The largest number of rows, or `None` for all.
    pub limit: Option<u64>,
}

/// The largest LIMIT and OFFSET that SQLite reads as an integer.
pub(crate) const MAX_SQL_ROWS: u64 = i64::MAX as u64;

impl RowWindow {
    /// Returns the clauses, each with a blank before it.
    fn clauses(self) -> String {
        let limit = self.limit.map(|rows| rows.min(MAX_SQL_ROWS));
        match (limit, self.offset.min(MAX_SQL_ROWS)) {
            (None, 0) => String::new(),
            (Some(limit), 0) => format!(" LIMIT {limit}"),
            // OFFSET is only allowed after LIMIT, and a negative LIMIT means no limit.
            (None, offset) => format!(" LIMIT -1 OFFSET {offset}"),
            (Some(limit), offset) => format!(" LIMIT {limit} OFFSET {offset}"),
        }
    }
}

impl Bound {
    /// Returns a statement whose rows are the rows of this one as JSON text, in one column.
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

    /// Returns the same as [`Self::json_rows`], but stops after the texts have reached `max_bytes`,
    /// for a database that has no cursor.
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

    /// Returns a statement of one row: the rows of this one in the window as a JSON list, and their
    /// number. A raw line feed, which JSON text from SQLite never contains, is only between two
    /// rows.
    pub fn json_list(&self, names: &[String], shape: RowShape, window: RowWindow) -> Self {
        self.list(names, shape, window, "", "")
    }

    /// Returns the same as [`Self::json_list`], with the list as bytes. Handing bytes out of the
    /// engine costs less than handing out a JavaScript string.
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

    /// Returns the same write with a RETURNING list of one column, each row as JSON text, and the
    /// names of the original list.
    ///
    /// `table_columns` are the columns that `*` means.
    ///
    /// # Errors
    /// `TOO_BIG` for a list that is too long for the engine.
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

    /// Returns true if the list contains a placeholder, which would occur twice in the rewritten
    /// list.
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
