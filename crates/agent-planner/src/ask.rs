//! The resolved form of a question: every word has become a column, a value or a path of foreign
//! keys between tables. The SQL and the explanation are written from it.

use crate::catalog::{ColumnId, DateForm};
use crate::day::Unit;
use crate::draft::{Aggregate, Comparison, DateTest, TextMatch};
use crate::lexicon::Direction;
use crate::relations::Hop;

/// A condition on a row of one table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Condition {
    Number(ColumnId, Comparison, f64),
    Between(ColumnId, f64, f64),
    /// One of these texts, as stored.
    In(ColumnId, Vec<String>),
    /// A text; upper and lower case are equal.
    Same(ColumnId, String),
    Text(ColumnId, TextMatch, String),
    Missing(ColumnId),
    Present(ColumnId),
    Date(ColumnId, DateForm, DateTest),
    Columns(ColumnId, Comparison, ColumnId),
    Flag(ColumnId),
    Not(Box<Condition>),
    /// This row's value of the column differs from the value of every row of the same table that
    /// meets the conditions.
    Lacks(ColumnId, Vec<Condition>),
    Any(Vec<Condition>),
    Related(Related),
}

/// Rows of another table that belong to the row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Related {
    pub(crate) path: Vec<Hop>,
    /// The conditions on the rows at the end of the path.
    pub(crate) conditions: Vec<Condition>,
    pub(crate) count: Option<(Comparison, f64)>,
}

/// A value that is computed for a row or a group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expression {
    /// A column of the row, or of the row that its foreign keys refer to.
    Column(Vec<Hop>, ColumnId),
    /// A text in lower case.
    Lower(Vec<Hop>, ColumnId),
    /// The unit of time that a date lies in.
    Bucket(Vec<Hop>, ColumnId, DateForm, Unit),
    /// The number of rows of the group.
    Rows,
    /// True if the number of rows passes the comparison.
    Counted(Comparison, f64),
    /// The number of different values.
    Distinct(Vec<Hop>, ColumnId),
    Aggregate(Aggregate, Vec<Hop>, ColumnId),
    /// An aggregate of a column of the rows of another table that belong to the row; without a
    /// column, the number of these rows.
    Related(Related, Option<(Aggregate, ColumnId)>),
    /// The percentage of all rows that are in the group.
    Portion,
    /// The percentage of rows of the group that meet the conditions.
    Share(Vec<Condition>),
}

/// An expression with its name in the result; without a name, that of the column.
pub(crate) type Named = (Expression, Option<String>);

/// The kind of statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Rows,
    /// True if there is a row.
    Exists,
    /// The value of the row with the first condition, minus that of the row with the second.
    Difference(Condition, Condition),
}

/// A question to one table and those around it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ask {
    pub(crate) root: usize,
    pub(crate) shape: Shape,
    pub(crate) select: Vec<Named>,
    pub(crate) distinct: bool,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) group: Vec<Expression>,
    /// The comparison of the last expression that is selected.
    pub(crate) having: Option<(Comparison, f64)>,
    pub(crate) order: Vec<(Expression, Direction)>,
    pub(crate) limit: Option<u64>,
    /// True if all rows that are equal to the first one in the measure of the ranking are shown.
    pub(crate) ties: bool,
    /// The groups each of which has a ranking of its own.
    pub(crate) within: Vec<Expression>,
    /// True if rows that refer to nothing are a group of their own.
    pub(crate) keeps_all: bool,
    /// Sentences that the explanation adds.
    pub(crate) notes: Vec<String>,
}

impl Ask {
    pub(crate) fn new(root: usize) -> Self {
        Self {
            root,
            shape: Shape::Rows,
            select: Vec::new(),
            distinct: false,
            conditions: Vec::new(),
            group: Vec::new(),
            having: None,
            order: Vec::new(),
            limit: None,
            ties: false,
            within: Vec::new(),
            keeps_all: false,
            notes: Vec::new(),
        }
    }
}

impl Condition {
    /// Returns the condition that is met exactly by the rows that do not meet this one.
    pub(crate) fn negate(self) -> Self {
        match self {
            Self::Missing(column) => Self::Present(column),
            Self::Present(column) => Self::Missing(column),
            Self::Not(inner) => *inner,
            Self::Number(column, comparison, value) => {
                Self::Number(column, comparison.opposite(), value)
            }
            other @ (Self::Between(..)
            | Self::In(..)
            | Self::Same(..)
            | Self::Text(..)
            | Self::Date(..)
            | Self::Columns(..)
            | Self::Flag(_)
            | Self::Lacks(..)
            | Self::Any(_)
            | Self::Related(_)) => Self::Not(Box::new(other)),
        }
    }

    /// Returns the condition that a negation denies.
    pub(crate) fn denied(&self) -> Option<&Condition> {
        let Self::Not(inner) = self else { return None };
        Some(inner)
    }

    /// Returns the rows of another table that a condition demands.
    pub(crate) fn related(&self) -> Option<&Related> {
        let Self::Related(related) = self else {
            return None;
        };
        Some(related)
    }
}
