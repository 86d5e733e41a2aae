//! The requests of exec, query and stream: the statement, and the requested part of its result.

use base::{Error, Result};
use operation::arguments;
use operation::arguments::{Arguments as _, Item};
use sql_gate::{Parameters, RowShape, RowWindow, StatementKind};

use crate::Settings;
use crate::operation::{Count, Params, RequestScope, RowFormat, Sql, Target, read};
use crate::scope::ScopeRequest;

/// The separator between two rows. SQLite writes no line feed within a row, so a list can be cut
/// between rows.
pub(crate) const ROW_SEPARATOR: &str = ",\n";

/// The fields of exec, query and stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// One SQL statement.
    pub sql: String,
    /// Its parameters.
    pub parameters: Parameters,
    /// The maximum number of rows, within the limit of the deployment.
    pub limit: Option<u64>,
    /// The requested part of the result.
    pub page: Page,
    /// The form of a row: object or array.
    pub shape: RowShape,
    /// The rows that the statement may see.
    pub scope: Option<ScopeRequest>,
}

/// A part of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Page {
    /// The number of rows that are skipped.
    pub offset: u64,
    /// The maximum size of the rows in JSON bytes, within the limit of the deployment.
    pub max_bytes: Option<usize>,
}

arguments! {
    /// The fields of a stream.
    struct Streamed {
        "sql" => sql: Sql,
        "params" => params: Params,
        "limit" => limit: Count<0>,
        "target" => _target: Target,
        "scope" => scope: RequestScope,
    }
}

arguments! {
    /// The fields of a query on a graph.
    struct OnGraph {
        "sql" => sql: Sql,
        "params" => params: Params,
        "limit" => limit: Count<0>,
        "rowFormat" => shape: RowFormat,
    }
}

impl Page {
    /// Makes a page from two fields of a request.
    pub(crate) fn of(offset: Option<u64>, max_bytes: Option<u64>) -> Self {
        Self {
            offset: offset.unwrap_or(0),
            max_bytes: max_bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
        }
    }

    /// Refuses to skip rows of a statement that changes something, because each page would change
    /// it again.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`].
    pub(crate) fn check(self, kind: StatementKind) -> Result<()> {
        match kind {
            StatementKind::Write | StatementKind::Schema if self.offset > 0 => {
                Err(Error::invalid_with_hint(
                    "offset needs a statement that only reads",
                    "leave offset out; to read the result of a write page by page, SELECT the rows after it",
                ))
            }
            StatementKind::Read
            | StatementKind::Write
            | StatementKind::Schema
            | StatementKind::QueryPlan => Ok(()),
        }
    }
}

impl Request {
    /// Makes a request for a statement whose whole result is wanted.
    pub(crate) fn of(sql: String) -> Self {
        Self {
            sql,
            parameters: Parameters::None,
            limit: None,
            page: Page::default(),
            shape: RowShape::Object,
            scope: None,
        }
    }

    /// Returns the maximum number of rows: that of the request, within the limit of the deployment.
    pub(crate) fn row_limit(&self, settings: &Settings) -> u64 {
        let wanted = self.limit.unwrap_or(u64::MAX);
        wanted.min(settings.max_result_rows)
    }

    /// Returns the maximum size of the rows in bytes: that of the request, within the limit of the
    /// deployment.
    pub(crate) fn byte_limit(&self, settings: &Settings) -> usize {
        let wanted = self.page.max_bytes.unwrap_or(usize::MAX);
        wanted.min(settings.max_result_bytes)
    }

    /// Returns the window for the rows of the page, at most `limit`.
    pub(crate) fn window(&self, limit: Option<u64>) -> RowWindow {
        RowWindow {
            offset: self.page.offset,
            limit,
        }
    }

    /// Removes rows from the end of a list until it fits `maxBytes`. Returns the list and the
    /// number of rows in it. Without `maxBytes`, the list keeps the row that crosses the limit of
    /// the deployment.
    pub(crate) fn cut(&self, list: String, rows: usize, settings: &Settings) -> (String, usize) {
        match self.page.max_bytes {
            None => (list, rows),
            Some(_) => keep_within(
                list,
                rows,
                self.byte_limit(settings),
                settings.max_result_bytes,
            ),
        }
    }

    /// Reads the body of a stream.
    ///
    /// # Errors
    /// `INVALID_BODY` for a text that is not a JSON object, `INVALID_ARGUMENT` for an unknown field
    /// or one of the wrong type.
    pub fn parse_stream(body: &str) -> Result<Self> {
        Self::streamed(&read(body)?)
    }

    /// Reads the call with which a program opens a stream. It also has the name of the operation.
    ///
    /// # Errors
    /// As [`Request::parse_stream`].
    pub fn parse_open_stream(body: &str) -> Result<Self> {
        let mut item = read(body)?;
        item.take("operation");
        Self::streamed(&item)
    }

    fn streamed(item: &Item<'_>) -> Result<Self> {
        let asked = Streamed::of_only(item)?;
        Ok(Self {
            parameters: asked.params,
            limit: asked.limit,
            scope: asked.scope,
            ..Self::of(asked.sql)
        })
    }

    /// Reads the arguments of a query on a graph, which cannot skip rows and has only one database.
    ///
    /// # Errors
    /// As [`Request::parse_stream`].
    pub fn parse_graph(arguments: &str) -> Result<Self> {
        let asked = OnGraph::of_only(&read(arguments)?)?;
        Ok(Self {
            parameters: asked.params,
            limit: asked.limit,
            shape: asked.shape,
            ..Self::of(asked.sql)
        })
    }
}

/// Returns the first rows of a list whose text has at most `max_bytes` bytes, and their number. At
/// least one row is kept, unless it has more than `most_bytes`, so that a caller can always reach
/// the next page.
fn keep_within(
    mut list: String,
    rows: usize,
    max_bytes: usize,
    most_bytes: usize,
) -> (String, usize) {
    if list.len() <= max_bytes {
        return (list, rows);
    }
    // The closing bracket takes the place of a separator.
    let beginning = list
        .get(..list.floor_char_boundary(max_bytes.saturating_add(1)))
        .unwrap_or_default();
    let fitting = beginning.rfind(ROW_SEPARATOR);
    let end = fitting.or_else(|| {
        let end_of_first = list.find(ROW_SEPARATOR).unwrap_or(list.len() - 1);
        (end_of_first < most_bytes).then_some(end_of_first)
    });
    let Some(end) = end.filter(|_| rows > 0) else {
        return ("[]".to_owned(), 0);
    };
    list.truncate(end);
    let kept = list.matches(ROW_SEPARATOR).count() + 1;
    list.push(']');
    (list, kept)
}

#[cfg(test)]
mod tests {
    use super::keep_within;

    #[test]
    fn a_list_is_cut_between_two_rows() {
        let list = "[[1],\n[\"é\"],\n[3]]";
        let rows = |max_bytes, most_bytes| {
            let (kept, count) = keep_within(list.to_owned(), 3, max_bytes, most_bytes);
            (kept, count)
        };
        for (max_bytes, most_bytes, kept, count) in [
            (100, 100, list, 3),
            (list.len(), 100, list, 3),
            (list.len() - 1, 100, "[[1],\n[\"é\"]]", 2),
            (13, 100, "[[1],\n[\"é\"]]", 2),
            (12, 100, "[[1]]", 1),
            (9, 100, "[[1]]", 1),
            (5, 100, "[[1]]", 1),
            (4, 100, "[[1]]", 1),
            (1, 5, "[[1]]", 1),
            (1, 4, "[]", 0),
        ] {
            assert_eq!(
                rows(max_bytes, most_bytes),
                (kept.to_owned(), count),
                "{max_bytes} {most_bytes}"
            );
        }
    }

    #[test]
    fn one_row_and_none() {
        let cut = |list: &str, rows, max, most| keep_within(list.to_owned(), rows, max, most);
        assert_eq!(cut("[]", 0, 1, 1), ("[]".to_owned(), 0));
        assert_eq!(cut("[[12345]]", 1, 3, 100), ("[[12345]]".to_owned(), 1));
        assert_eq!(cut("[[12345]]", 1, 3, 9), ("[[12345]]".to_owned(), 1));
        assert_eq!(cut("[[12345]]", 1, 3, 8), ("[]".to_owned(), 0));
    }
}
