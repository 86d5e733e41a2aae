//! The schema with the facts that the planner needs: the words of each name, the kind of values in
//! each column, and the columns that name a row.

use base::words;
use columns::ColumnInfo;

use crate::lexicon::Words;
use crate::limits::{MAX_CHOICES, MAX_PLANNED_TABLES};
use crate::morphology::{is_plural, lemma};
use crate::plan::{Step, Stop};
use crate::schema::{Column, SampleValue, Schema, Table};
use crate::truths::Truths;

/// A column, identified by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ColumnId {
    pub(crate) table: usize,
    pub(crate) column: usize,
}

/// The kind of values in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    Text,
    Number,
    /// The numbers 0 and 1.
    Flag,
    Date(DateForm),
    Unknown,
}

/// The form in which a column stores a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateForm {
    /// `2025-06-15`, with a time or without.
    Iso,
    UnixSeconds,
    UnixMilliseconds,
    /// The number of a year.
    Year,
}

/// A column, with the words of its name.
#[derive(Debug, Clone)]
pub(crate) struct ColumnView<'a> {
    pub(crate) column: &'a Column,
    /// The words of the name, singular.
    pub(crate) words: Vec<String>,
    pub(crate) holds: Holds,
    /// The texts that mean yes and no, if the column has only these.
    pub(crate) truths: Option<Truths>,
}

/// A table, with the words of its name.
#[derive(Debug, Clone)]
pub(crate) struct TableView<'a> {
    pub(crate) table: &'a Table,
    pub(crate) words: Vec<String>,
    pub(crate) columns: Vec<ColumnView<'a>>,
    /// The column of the primary key, if the key has only one column.
    pub(crate) key: Option<usize>,
    /// The columns by which people know a row, such as its name or title.
    pub(crate) labels: Vec<usize>,
    /// The columns in the form that the crate `columns` reads.
    pub(crate) infos: Vec<ColumnInfo>,
}

/// All tables.
#[derive(Debug, Clone)]
pub(crate) struct Catalog<'a> {
    pub(crate) tables: Vec<TableView<'a>>,
    /// The choices that a person made when the planner asked back.
    pub(crate) choices: Vec<String>,
}

/// Seconds since 1970, and below them milliseconds, that are read as dates: 1973 to 2286.
const SECONDS: std::ops::Range<i64> = 100_000_000..10_000_000_000;
const MILLISECONDS: std::ops::Range<i64> = 100_000_000_000..10_000_000_000_000;
/// Words that alone name a column of 0 and 1.
const FLAGS: &[&str] = &["active", "available", "public", "valid", "visible"];
/// Names of columns in which whole numbers are the years of an event.
const EVENTS_OF_YEARS: Words = Words(
    "
     born built constructed died established formed founded launched opened premiered published
     released
    ",
);
/// Numbers that are years of people.
const YEARS: std::ops::Range<i64> = 1000..3000;

impl<'a> Catalog<'a> {
    /// Reads a schema.
    ///
    /// # Errors
    /// No tables, or more than can be planned for.
    pub(crate) fn new(schema: &'a Schema) -> Step<Self> {
        if schema.tables.is_empty() {
            return Err(Stop::cannot(
                "there are no tables that a statement may read",
            ));
        }
        if schema.tables.len() > MAX_PLANNED_TABLES {
            return Err(Stop::cannot(format!(
                "there are more than {MAX_PLANNED_TABLES} tables"
            )));
        }
        Ok(Self {
            tables: schema.tables.iter().map(TableView::new).collect(),
            choices: Vec::new(),
        })
    }

    /// Asks which of several things is meant, unless a person has chosen one of them before.
    ///
    /// # Errors
    /// The question back.
    pub(crate) fn choose<T: Clone>(
        &self,
        question: String,
        things: &[T],
        shown: impl Fn(&T) -> String,
    ) -> Step<T> {
        let mut candidates: Vec<String> = things.iter().map(&shown).collect();
        candidates.dedup();
        let place = candidates
            .iter()
            .position(|candidate| self.is_chosen(candidate));
        let chosen = place.and_then(|place| candidates.get(place));
        let thing = chosen.and_then(|chosen| things.iter().find(|thing| shown(thing) == *chosen));
        candidates.truncate(MAX_CHOICES);
        thing
            .cloned()
            .ok_or_else(|| Stop::ask(question, candidates))
    }

    /// Returns the only one of several tables, otherwise asks which of them is meant.
    ///
    /// # Errors
    /// The question back.
    pub(crate) fn choose_table(
        &self,
        question: impl Into<String>,
        tables: &[usize],
    ) -> Step<usize> {
        match tables {
            [only] => Ok(*only),
            _ => self.choose(question.into(), tables, |table| {
                self.table_name(*table).to_owned()
            }),
        }
    }

    /// Returns true if a person chose this, in these words or as the schema spells them: `age of
    /// deaths` is `deaths.age`.
    pub(crate) fn is_chosen(&self, candidate: &str) -> bool {
        let words = choice_words(candidate);
        let mut choices = self.choices.iter();
        choices.any(|choice| choice == candidate || choice_words(choice) == words)
    }

    /// Returns the column with these names, in upper or lower case.
    pub(crate) fn place(&self, table: &str, column: &str) -> Option<ColumnId> {
        self.tables.iter().enumerate().find_map(|(place, view)| {
            let named = view.table.name.eq_ignore_ascii_case(table);
            let column = view
                .columns
                .iter()
                .position(|other| other.column.name.eq_ignore_ascii_case(column))?;
            named.then_some(ColumnId {
                table: place,
                column,
            })
        })
    }

    pub(crate) fn table(&self, table: usize) -> Option<&TableView<'a>> {
        self.tables.get(table)
    }

    pub(crate) fn column(&self, id: ColumnId) -> Option<&ColumnView<'a>> {
        self.table(id.table)?.columns.get(id.column)
    }

    pub(crate) fn holds(&self, id: ColumnId) -> Holds {
        self.column(id)
            .map_or(Holds::Unknown, |column| column.holds)
    }

    /// Returns the texts that mean yes and no in a column.
    pub(crate) fn truths(&self, id: ColumnId) -> Option<&Truths> {
        self.column(id)?.truths.as_ref()
    }

    /// Returns true if a column holds yes or no: as 0 and 1, or as texts that mean yes and no.
    pub(crate) fn is_flag(&self, id: ColumnId) -> bool {
        self.holds(id) == Holds::Flag || self.truths(id).is_some()
    }

    /// Returns true for a column of numbers that may hold yes and no, as far as its samples tell:
    /// it has only 0 and 1, and its name is in the singular.
    pub(crate) fn may_be_flag(&self, id: ColumnId) -> bool {
        let one = |sample: &SampleValue| matches!(sample, SampleValue::Integer(0 | 1));
        self.column(id).is_some_and(|view| {
            let samples = &view.column.samples;
            let name = words::split(&view.column.name).pop().unwrap_or_default();
            let is_key = view.column.primary_key || view.role().is_some();
            view.holds == Holds::Number
                && !is_key
                && !is_plural(&name)
                && !samples.is_empty()
                && samples.iter().all(one)
        })
    }

    /// Returns true if such a column is known to be 0 in some rows and 1 in others.
    pub(crate) fn tells_by_number(&self, id: ColumnId) -> bool {
        let has = |value| {
            let samples = self.column(id).map(|view| view.column.samples.as_slice());
            samples.is_some_and(|samples| samples.contains(&SampleValue::Integer(value)))
        };
        self.may_be_flag(id) && has(0) && has(1)
    }

    pub(crate) fn table_name(&self, table: usize) -> &'a str {
        self.table(table)
            .map_or("", |view| view.table.name.as_str())
    }

    pub(crate) fn column_name(&self, id: ColumnId) -> &'a str {
        self.column(id).map_or("", |view| view.column.name.as_str())
    }

    /// Returns the name of a column for people: `body mass g of penguins`. If two columns or two
    /// tables have the same words, the name is spelt as in the schema.
    pub(crate) fn shown(&self, id: ColumnId) -> String {
        let (table, column) = (self.table_name(id.table), self.column_name(id));
        let (of, words) = (words::split(table), words::split(column));
        let same_tables = self
            .tables
            .iter()
            .filter(|view| words::split(&view.table.name) == of);
        let view = self.table(id.table);
        let columns = view.into_iter().flat_map(|view| &view.columns);
        let same = columns.filter(|view| words::split(&view.column.name) == words);
        if same_tables.count() > 1 || same.count() > 1 || words.is_empty() || of.is_empty() {
            return format!("{table}.{column}");
        }
        format!("{} of {}", words.join(" "), of.join(" "))
    }

    pub(crate) fn ids(&self, table: usize) -> impl Iterator<Item = ColumnId> + use<> {
        let count = self.table(table).map_or(0, |view| view.columns.len());
        (0..count).map(move |column| ColumnId { table, column })
    }

    /// Returns true if each row has a value of the column.
    pub(crate) fn is_filled(&self, id: ColumnId) -> bool {
        let view = self.column(id);
        view.is_some_and(|view| view.column.not_null || view.column.primary_key)
    }

    /// Returns true if the last word of a column of text says that it holds names: `animal_name`.
    pub(crate) fn is_name(&self, id: ColumnId) -> bool {
        let last = self.column(id).and_then(|view| view.words.last());
        let names = ["name", "title", "label"];
        self.holds(id) == Holds::Text && last.is_some_and(|last| names.contains(&last.as_str()))
    }

    /// Returns true if the name of a column has one of these words.
    pub(crate) fn says(&self, id: ColumnId, words: &Words) -> bool {
        let view = self.column(id);
        view.is_some_and(|view| words.has_one_of(&view.words))
    }

    /// Returns true if a column is one by which rows are usually told apart: the first of its table,
    /// or one that is called as a key.
    pub(crate) fn identifies(&self, id: ColumnId) -> bool {
        id.column == 0 || self.column(id).is_some_and(|view| view.role().is_some())
    }

    /// Returns true if the texts of a column look like full names of people: `Ann Lee`.
    pub(crate) fn names_people(&self, id: ColumnId) -> bool {
        let is_name = |sample: &SampleValue| {
            let words = sample.text().unwrap_or_default().split(' ');
            let begins = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
            words.clone().all(begins) && (2..=4).contains(&words.count())
        };
        let samples = self.column(id).map(|view| &view.column.samples);
        self.holds(id) == Holds::Text
            && samples.is_some_and(|samples| !samples.is_empty() && samples.iter().all(is_name))
    }

    /// Returns true if people know the rows of a table by this column.
    pub(crate) fn is_label(&self, id: ColumnId) -> bool {
        let view = self.table(id.table);
        view.is_some_and(|view| view.labels.contains(&id.column))
    }

    /// Returns true if a column names the rows of its table, or the family of a person.
    pub(crate) fn names_rows(&self, id: ColumnId) -> bool {
        let words = self.column(id).map(|view| view.words.as_slice());
        self.is_label(id)
            || words.is_some_and(|words| words.last().is_some_and(|last| last == "surname"))
    }

    /// Returns true for a column of dates without a time.
    pub(crate) fn is_day(&self, id: ColumnId) -> bool {
        let day = |sample: &SampleValue| matches!(sample, SampleValue::Text(text) if text.chars().count() == 10);
        let samples = self.column(id).map(|view| view.column.samples.as_slice());
        self.holds(id) == Holds::Date(DateForm::Iso)
            && samples.is_some_and(|samples| !samples.is_empty() && samples.iter().all(day))
    }

    /// Returns true for a column that is named as a key, whether it is declared as one or not:
    /// `sale_id`.
    pub(crate) fn is_called_id(&self, id: ColumnId) -> bool {
        let last = self.column(id).and_then(|view| view.words.last());
        last.is_some_and(|last| last == "id")
    }

    pub(crate) fn key(&self, table: usize) -> Option<ColumnId> {
        let column = self.table(table)?.key?;
        Some(ColumnId { table, column })
    }
}

impl<'a> TableView<'a> {
    fn new(table: &'a Table) -> Self {
        let words = name_words(&table.name);
        let columns: Vec<ColumnView<'a>> = table.columns.iter().map(ColumnView::new).collect();
        let mut keys = columns
            .iter()
            .enumerate()
            .filter(|(_, view)| view.column.primary_key)
            .map(|(place, _)| place);
        let key = keys.next().filter(|_| keys.next().is_none());
        let infos = columns
            .iter()
            .map(|view| ColumnInfo {
                name: view.column.name.clone(),
                declared_type: view.column.declared_type.clone(),
                not_null: view.column.not_null,
                primary_key: u32::from(view.column.primary_key),
                ..ColumnInfo::default()
            })
            .collect();
        let labels = labels(&words, &columns);
        Self {
            table,
            words,
            columns,
            key,
            labels,
            infos,
        }
    }
}

impl<'a> ColumnView<'a> {
    fn new(column: &'a Column) -> Self {
        let words = name_words(&column.name);
        let holds = holds(column, &words);
        Self {
            column,
            words,
            holds,
            truths: Truths::of(column),
        }
    }

    /// Returns the word of a longer name that says what the column holds: `name` of `animal_name`,
    /// `phase` of `Phase of flight`.
    pub(crate) fn head(&self) -> Option<&str> {
        let before = self
            .words
            .iter()
            .position(|word| ["of", "in"].contains(&word.as_str()));
        let words = self.words.get(..before.unwrap_or(self.words.len()))?;
        let head = words.last().filter(|_| self.words.len() > 1)?.as_str();
        let general = [
            "id", "key", "code", "no", "number", "ref", "type", "value", "count", "index", "date",
            "time", "year", "month", "day", "total", "s",
        ];
        let holds = matches!(self.holds, Holds::Text | Holds::Number);
        (holds && !general.contains(&head)).then_some(head)
    }

    /// Returns the words without the ending of a key: `director` of `director_id`.
    pub(crate) fn role(&self) -> Option<&[String]> {
        let (last, rest) = self.words.split_last()?;
        let is_key = ["id", "key", "code", "no", "number", "ref"].contains(&last.as_str());
        (is_key && !rest.is_empty()).then_some(rest)
    }
}

/// Returns the words of a choice in alphabetical order, without the words that only join names.
fn choice_words(choice: &str) -> Vec<String> {
    let mut words = words::split(choice);
    words.retain(|word| word != "of" && word != "=");
    words.sort_unstable();
    words
}

/// Returns the words of a name, in the singular.
pub(crate) fn name_words(name: &str) -> Vec<String> {
    words::split(name).iter().map(|word| lemma(word)).collect()
}

fn holds(column: &Column, words: &[String]) -> Holds {
    let declared = column.declared_type.to_ascii_uppercase();
    let has = |part: &str| declared.contains(part);
    let integers: Vec<i64> = column
        .samples
        .iter()
        .filter_map(|sample| match sample {
            SampleValue::Integer(value) => Some(*value),
            SampleValue::Real(_) | SampleValue::Text(_) => None,
        })
        .collect();
    let texts = column.samples.iter().filter_map(SampleValue::text);
    let texts: Vec<&str> = texts.collect();
    let all_integers = !integers.is_empty() && integers.len() == column.samples.len();
    let all_texts = !texts.is_empty() && texts.len() == column.samples.len();
    if column.samples.is_empty() {
        return match () {
            () if has("DATE") || has("TIME") => Holds::Date(DateForm::Iso),
            () if has("BOOL") => Holds::Flag,
            () if has("INT")
                || has("REAL")
                || has("NUM")
                || has("DOUB")
                || has("FLOA")
                || has("DEC") =>
            {
                Holds::Number
            }
            () if has("CHAR") || has("TEXT") || has("CLOB") => Holds::Text,
            () => Holds::Unknown,
        };
    }
    if all_texts {
        return match texts.iter().all(|text| is_iso(text)) {
            true => Holds::Date(DateForm::Iso),
            false => Holds::Text,
        };
    }
    if all_integers {
        return whole_numbers(&integers, words, has("BOOL"));
    }
    match texts.is_empty() {
        true => Holds::Number,
        false => Holds::Unknown,
    }
}

fn whole_numbers(integers: &[i64], words: &[String], boolean: bool) -> Holds {
    let within = |range: &std::ops::Range<i64>| integers.iter().all(|value| range.contains(value));
    let flag_name = boolean
        || words
            .first()
            .is_some_and(|word| ["is", "has", "was", "can"].contains(&word.as_str()));
    let state = matches!(words, [only] if FLAGS.contains(&only.as_str()) || only.len() > 4 && only.ends_with("ed"));
    if (flag_name || state) && within(&(0..2)) {
        return Holds::Flag;
    }
    let says = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let event = matches!(words, [only] if EVENTS_OF_YEARS.contains(only));
    if (says(&["year"]) || event) && within(&YEARS) {
        return Holds::Date(DateForm::Year);
    }
    let dated = says(&[
        "at",
        "on",
        "date",
        "time",
        "timestamp",
        "ts",
        "created",
        "updated",
    ]);
    match () {
        () if dated && within(&SECONDS) => Holds::Date(DateForm::UnixSeconds),
        () if dated && within(&MILLISECONDS) => Holds::Date(DateForm::UnixMilliseconds),
        () => Holds::Number,
    }
}

/// Returns true for `2025-06-15`, alone or with a time after it.
fn is_iso(text: &str) -> bool {
    let day: String = text.chars().take(10).collect();
    let after = text.chars().nth(10);
    crate::day::Day::parse(&day).is_some() && matches!(after, None | Some(' ' | 'T'))
}

/// Returns the columns that name a row: a name or title, or the first and last name of a person.
fn labels(table: &[String], columns: &[ColumnView<'_>]) -> Vec<usize> {
    let find = |wanted: &[&str]| {
        columns.iter().position(|view| {
            view.words
                .iter()
                .map(String::as_str)
                .eq(wanted.iter().copied())
        })
    };
    if let (Some(first), Some(last)) = (find(&["first", "name"]), find(&["last", "name"])) {
        return vec![first, last];
    }
    let plain = ["name", "title", "label"]
        .iter()
        .find_map(|word| find(&[word]));
    let full = || {
        [
            ["full", "name"],
            ["display", "name"],
            ["company", "name"],
            ["user", "name"],
        ]
        .iter()
        .find_map(|words| find(words))
    };
    let own = || {
        let last = table.last()?;
        columns.iter().position(|view| {
            matches!(view.words.as_slice(), [thing, word] if thing == last && (word == "name" || word == "title"))
        })
    };
    // A sheet of countries whose first column is the country.
    let first = || {
        let view = columns.first().filter(|view| view.holds == Holds::Text)?;
        let called = view.words.as_slice() == [table.last()?.clone()];
        called.then_some(0)
    };
    let found = plain.or_else(full).or_else(own).or_else(first);
    found.into_iter().collect()
}
