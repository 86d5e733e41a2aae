//! The meaning of a question's words, before the planner decides which columns they mean, and which
//! foreign keys lead from one table to another.

use crate::catalog::ColumnId;
use crate::day::{Span, Unit};
use crate::lexicon::Direction;
use crate::links::{ColumnLink, TableLink, ValueLink};
use crate::morphology::is_plural;
use crate::relations::{Hop, Via};

/// The kind of result that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Intent {
    List,
    Count,
    /// An amount: `How much did … spend`.
    Amount,
    Exists,
    Share,
    Compare,
    Difference,
    /// A date: `When was …`.
    When,
}

/// A function of many values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aggregate {
    Sum,
    Average,
    Least,
    Most,
}

impl Aggregate {
    /// Returns the aggregate for the value that a ranking in this direction puts first.
    pub(crate) fn at_end(direction: Direction) -> Self {
        match direction {
            Direction::Most => Self::Most,
            Direction::Least => Self::Least,
        }
    }
}

/// A comparison of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Comparison {
    /// Returns the comparison that is true exactly if this one is false.
    pub(crate) fn opposite(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::AtLeast,
            Self::AtLeast => Self::Less,
            Self::Greater => Self::AtMost,
            Self::AtMost => Self::Greater,
        }
    }
}

/// The notation of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    Plain,
    /// `$20`
    Money,
    /// `15%`
    Percent,
}

/// How a text is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextMatch {
    Contains,
    StartsWith,
    EndsWith,
}

/// The test that a condition applies to a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test {
    Missing,
    Present,
    /// No value, 0 in a column that counts, or a text such as `None`.
    Absent,
    /// A value, other than 0 in a column that counts, and other than a text such as `None`.
    Has,
    Number(Comparison, f64),
    Between(f64, f64),
    Text(TextMatch, String),
    /// A text between quotes, or a number in a column of text.
    Exactly(String),
    Column(Comparison, ColumnLink),
    Date(DateTest),
    Flag,
    /// Known values, some of which may be of the column.
    Known(Vec<ValueLink>),
}

/// The test that a condition applies to a date.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum DateTest {
    Within(Span),
    /// Before the first day of the span.
    Before(Span),
    /// After the last day of the span.
    After(Span),
    /// From the first day of the span on.
    From(Span),
    /// Up to the last day of the span.
    UpTo(Span),
    /// In the month of the span, in any year.
    Yearly(Span),
}

/// How a condition is joined with the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joiner {
    None,
    And,
    Or,
}

/// The form in which a condition follows the word that joins it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stand {
    /// Nothing joins the condition, or the words do not show its form.
    Plain,
    /// A noun, so that it may be a group of its own: `women and children`.
    Noun,
    /// A clause of its own: `and whose price is 2`.
    Clause,
}

/// A condition as the question has it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wish {
    pub(crate) demand: Demand,
    pub(crate) negated: bool,
    pub(crate) joiner: Joiner,
    pub(crate) stand: Stand,
    /// True if the condition is part of the description of an exception: `all but open orders in
    /// Oslo`.
    pub(crate) excepted: bool,
    /// True if a preposition of a position stands before it: `in Sweden`.
    pub(crate) located: bool,
    /// True if the question says that there is no such row: `no cats`, and not `that are no cats`.
    pub(crate) lacked: bool,
    /// True if no rows that have the value were named before it: `males` of `number of males and
    /// females`.
    pub(crate) bare: bool,
    /// The words of the condition.
    pub(crate) word: String,
}

/// The column, value or other rows that a condition is about, with its test.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Demand {
    /// A known value stands in one of these columns.
    Value(Vec<ValueLink>),
    Column(ColumnLink, Test),
    /// A date of an event, and the word for the event.
    Date(Option<String>, DateTest),
    /// A number without a column.
    Number(Comparison, f64, Written),
    /// A participle alone, such as `returned`. If there is a day, it must have happened by then.
    Happened(String, Option<Span>),
    /// Rows of another table that belong to the row.
    Inner(usize, Option<(Comparison, f64)>),
    /// A row by its key.
    Key(usize, f64),
}

impl Demand {
    /// Returns the tables whose columns the condition may be about.
    pub(crate) fn tables(&self) -> Vec<usize> {
        match self {
            Self::Value(links) => links.iter().map(|link| link.column.table).collect(),
            Self::Column(link, _) => link.ids.iter().map(|id| id.table).collect(),
            Self::Date(..)
            | Self::Number(..)
            | Self::Happened(..)
            | Self::Inner(..)
            | Self::Key(..) => Vec::new(),
        }
    }

    /// Returns the meanings of a known value without a column.
    pub(crate) fn value(&self) -> Option<&[ValueLink]> {
        let Self::Value(links) = self else {
            return None;
        };
        Some(links)
    }

    /// Returns true if the condition says of what kind the rows are: `dogs`, `smokers`.
    pub(crate) fn names_kind(&self) -> bool {
        matches!(self, Self::Value(_) | Self::Column(_, Test::Flag))
    }

    /// Returns true if the condition names a row by its key or its label.
    pub(crate) fn names_row(&self, is_label: impl Fn(ColumnId) -> bool) -> bool {
        let mut links = self.value().unwrap_or_default().iter();
        matches!(self, Self::Key(..)) || links.any(|link| is_label(link.column))
    }
}

/// The things of one table that conditions are about.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Scope {
    pub(crate) table: Option<usize>,
    pub(crate) wishes: Vec<Wish>,
    pub(crate) via: Via,
    pub(crate) outer: Option<usize>,
    /// The step from the rows around, if a role names it: `whose boss`.
    pub(crate) hop: Option<Hop>,
    /// True if a verb or `with` named the rows, so that such rows must exist even if no condition
    /// on them follows.
    pub(crate) demanded: bool,
}

/// The key by which results are grouped.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Group {
    /// The event, and the unit of time.
    Time(Option<String>, Unit),
    Column(ColumnLink),
    Table(usize),
}

/// The measure that decides a ranking.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Measure {
    /// The meanings of the column.
    Meanings(&'static [&'static str]),
    Date(Option<String>),
    Column(Option<Aggregate>, ColumnLink),
    /// The number of rows of a table that belong to the row.
    Rows(usize),
    /// The number of times that a value occurs.
    Frequency,
}

/// A ranking.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rank {
    pub(crate) direction: Direction,
    pub(crate) measure: Option<Measure>,
    pub(crate) rows: Option<u64>,
    /// True if the measure follows `by`. Then the question does not say which of many values
    /// decides.
    pub(crate) is_by: bool,
    /// The conditions on the rows that are measured, where they are of another table than the
    /// subject.
    pub(crate) scope: Option<usize>,
}

/// Everything that the question says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Draft {
    pub(crate) intent: Intent,
    pub(crate) subject: Option<TableLink>,
    /// True if the subject is named in the plural.
    pub(crate) plural: bool,
    /// True if the columns that are asked for stand before the subject, and are not joined to it by
    /// `of`: `which species have lazy villagers`.
    pub(crate) headed: bool,
    /// Tables in front of a column: `order totals`.
    pub(crate) owner: Option<usize>,
    pub(crate) heads: Vec<ColumnLink>,
    pub(crate) aggregates: Vec<Aggregate>,
    pub(crate) distinct: bool,
    /// The number that the count is compared with in `are there more than 3`.
    pub(crate) asked: Option<(Comparison, f64)>,
    /// The order of groups by what is computed for them.
    pub(crate) first: Option<Direction>,
    /// True if the ranking asks for the size of rows: `largest`.
    pub(crate) sized: bool,
    /// True if the ranking asks how much there is: `most`, `fewest`.
    pub(crate) most: bool,
    /// True if the question asks for values that several rows have.
    pub(crate) repeated: bool,
    /// The scopes. The first is that of the subject.
    pub(crate) scopes: Vec<Scope>,
    pub(crate) groups: Vec<Group>,
    pub(crate) rank: Option<Rank>,
    pub(crate) rows: Option<u64>,
    pub(crate) sort: Vec<(ColumnLink, Direction)>,
    /// The number of conditions, for a share, that describe the whole and not the part.
    pub(crate) base: Option<usize>,
    /// Columns that a word of the question named and whose value must follow from a condition.
    pub(crate) absorbed: Vec<(Vec<ColumnId>, String)>,
    /// True if a verb says that something was bought or sold.
    pub(crate) trades: bool,
    /// True if the question asks for a person: `who`.
    pub(crate) person: bool,
    pub(crate) confidence: f64,
    pub(crate) understood: Vec<String>,
}

impl Draft {
    pub(crate) fn new() -> Self {
        Self {
            intent: Intent::List,
            subject: None,
            plural: false,
            headed: false,
            owner: None,
            heads: Vec::new(),
            aggregates: Vec::new(),
            distinct: false,
            asked: None,
            first: None,
            sized: false,
            most: false,
            repeated: false,
            scopes: vec![Scope::default()],
            groups: Vec::new(),
            rank: None,
            rows: None,
            sort: Vec::new(),
            base: None,
            absorbed: Vec::new(),
            trades: false,
            person: false,
            confidence: 1.0,
            understood: Vec::new(),
        }
    }

    /// Makes the rows of a table the subject, although the question does not name the table.
    pub(crate) fn set_subject(&mut self, table: usize, score: f64) {
        self.subject = Some(TableLink {
            table,
            score,
            partial: false,
        });
        if let Some(scope) = self.scopes.first_mut() {
            scope.table = Some(table);
        }
    }

    /// Returns true if a value is in the plural, so that rows of its kind are meant: `dogs`.
    pub(crate) fn names_many(&self) -> bool {
        let wishes = self.scopes.first().map(|scope| scope.wishes.as_slice());
        wishes.unwrap_or_default().iter().any(|wish| {
            matches!(wish.demand, Demand::Value(_)) && is_plural(&wish.word.to_lowercase())
        })
    }
}
