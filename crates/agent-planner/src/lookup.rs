//! The look-up of texts: the texts of a question to find in columns, and the result.
//!
//! The planner has no database. [`lookup`] lists columns and texts, the caller compares them in its
//! database, and [`Schema::learn`] takes the values that it found. A column that was not read to
//! its end is marked, because it may also have values that were not found.

use crate::catalog::{Catalog, Holds};
use crate::joins::candidates;
use crate::lexicon::{ABSENCE, CONNECTORS, JUNCTIONS, NOTHING, OPENERS};
use crate::limits::{MAX_LOOKUP_COLUMNS, MAX_PHRASE_WORDS, MAX_UNCLEAR_TEXTS, MAX_VARIED_WORDS};
use crate::morphology::{lemma, plurals};
use crate::nationality::{countries_of, sexes_of};
use crate::relations::Relations;
use crate::schema::{Column, Join, Reference, Schema};
use crate::token::{Token, TokenKind, tokenize};
use crate::truths::{self, is_truth, may_tell};

/// The phrases and columns to look up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lookup {
    /// Tables and columns; those of the tables that the question names come first.
    pub columns: Vec<(String, String)>,
    /// Columns beyond the limit, which stay unread.
    pub left_out: Vec<(String, String)>,
    /// The texts that a value may equal, in upper or lower case.
    pub texts: Vec<String>,
    /// Pairs of columns whose values are compared, because rows may be joined along them.
    pub joins: Vec<Join>,
}

/// The values of a column that a look-up found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
    /// The values, as stored.
    pub values: Vec<String>,
}

/// The values that a look-up found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Values that equal a text.
    pub equal: Vec<Found>,
    /// Values that only resemble a text.
    pub near: Vec<Found>,
    /// Columns that were not read whole.
    pub unread: Vec<(String, String)>,
    /// Pairs of columns in which the second has unique values, and the percentage of the first
    /// column's different values that the second contains.
    pub joins: Vec<(Join, u8)>,
}

/// Lists the columns and texts to look up before a question is planned.
pub fn lookup(question: &str, schema: &Schema) -> Lookup {
    let (Ok(tokens), Ok(catalog)) = (tokenize(question), Catalog::new(schema)) else {
        return Lookup::default();
    };
    let mut texts = Vec::new();
    for words in 1..=MAX_PHRASE_WORDS {
        for phrase in tokens.windows(words).filter(|phrase| is_looked_up(phrase)) {
            texts.extend(forms(question, phrase));
        }
    }
    if tokens.iter().any(|token| ABSENCE.contains(&token.lower)) {
        texts.extend(NOTHING.iter().map(|text| (*text).to_owned()));
    }
    // A list of the values of a column leaves out the empty text, so it is looked up too.
    texts.push(String::new());
    if columns_of(schema).any(|(_, column)| may_tell(column)) {
        texts.extend(truths::words());
    }
    texts.sort_unstable();
    texts.dedup();
    let words: Vec<String> = tokens.iter().map(|token| lemma(&token.lower)).collect();
    let named = |table: usize| {
        let view = catalog.table(table);
        view.is_some_and(|view| view.words.iter().any(|word| words.contains(word)))
    };
    let mut columns = columns(&catalog, named);
    let told = |table: usize| {
        let view = catalog.table(table);
        let mut columns = view.into_iter().flat_map(|view| &view.columns);
        named(table) || columns.any(|view| view.words.iter().any(|word| words.contains(word)))
    };
    let joins = candidates(&catalog, told);
    let left_out = columns.split_off(columns.len().min(MAX_LOOKUP_COLUMNS));
    Lookup {
        columns,
        left_out,
        texts,
        joins,
    }
}

/// Lists the names in a question that no value equals. Showing their nearest values helps a person
/// to ask again.
pub fn unclear(question: &str, schema: &Schema) -> Vec<String> {
    let Ok(tokens) = tokenize(question) else {
        return Vec::new();
    };
    let known: Vec<String> = columns_of(schema)
        .flat_map(|(_, column)| &column.values)
        .filter(|value| !is_truth(value) && !value.is_empty())
        .map(|value| value.to_lowercase())
        .collect();
    let name = |at: usize, token: &Token| {
        token.kind == TokenKind::Quoted || at > 0 && token.is_capital() && token.is_word()
    };
    let mut runs: Vec<Vec<Token>> = vec![Vec::new()];
    for (at, token) in tokens.into_iter().enumerate() {
        match (name(at, &token), runs.last_mut()) {
            (true, Some(run)) => run.push(token),
            _ => runs.push(Vec::new()),
        }
    }
    let texts = runs.iter().filter_map(|run| spelling(question, run));
    texts
        .filter(|text| {
            !known
                .iter()
                .any(|value| text.to_lowercase().contains(value))
        })
        .take(MAX_UNCLEAR_TEXTS)
        .collect()
}

impl Schema {
    /// Adds the values that a look-up found to the schema.
    pub fn learn(&mut self, findings: &Findings) {
        for table in &mut self.tables {
            for column in &mut table.columns {
                let is_it =
                    |(of, name): &(String, String)| *of == table.name && *name == column.name;
                let values = |found: &[Found]| -> Vec<String> {
                    let own = found
                        .iter()
                        .filter(|found| found.table == table.name && found.column == column.name);
                    own.flat_map(|found| found.values.clone()).collect()
                };
                column.values = values(&findings.equal);
                column.near = values(&findings.near);
                let of_column = |(join, _): &&(Join, u8)| is_it(&join.child);
                let found = findings.joins.iter().filter(of_column);
                let found = found.map(|(join, percent)| Reference {
                    table: join.parent.0.clone(),
                    column: join.parent.1.clone(),
                    percent: *percent,
                });
                column.found_in = found.collect();
                column.unread = findings.unread.iter().any(is_it);
            }
        }
    }
}

fn columns_of(schema: &Schema) -> impl Iterator<Item = (&str, &Column)> {
    schema.tables.iter().flat_map(|table| {
        let columns = table.columns.iter();
        columns.map(|column| (table.name.as_str(), column))
    })
}

/// Returns the columns that may hold text: first those of tables that the question names, then
/// those of tables next to them, then all others.
fn columns(catalog: &Catalog<'_>, named: impl Fn(usize) -> bool) -> Vec<(String, String)> {
    let edges = Relations::new(catalog).edges;
    let beside = |table: usize| {
        edges.iter().any(|edge| {
            let (child, parent) = (edge.child.table, edge.parent.table);
            child == table && named(parent) || parent == table && named(child)
        })
    };
    let mut order: Vec<usize> = (0..catalog.tables.len()).collect();
    order.sort_by_key(|table| (!named(*table), !beside(*table), *table));
    order
        .into_iter()
        .flat_map(|table| catalog.ids(table))
        .filter(|id| matches!(catalog.holds(*id), Holds::Text | Holds::Unknown))
        .map(|id| {
            let table = catalog.table_name(id.table).to_owned();
            (table, catalog.column_name(id).to_owned())
        })
        .collect()
}

/// Returns true if a phrase is looked up. Single words and numbers, which may be keys, always are.
/// Several common words in a row are looked up only if each begins with a capital.
fn is_looked_up(phrase: &[Token]) -> bool {
    match phrase {
        [only] => only.kind != TokenKind::Sign,
        _ => {
            may_be_a_value(phrase)
                || phrase
                    .iter()
                    .all(|token| is_common(token) && token.is_capital())
        }
    }
}

/// Returns true if a word is a common one, such as those that only connect a sentence.
pub(crate) fn is_common(token: &Token) -> bool {
    let word = token.lower.as_str();
    token.is_word()
        && (CONNECTORS.contains(word) || OPENERS.contains(word) || JUNCTIONS.contains(word))
}

/// Returns true if words may be the name of something: at least one is not a common word, or they
/// are written as a name.
pub(crate) fn may_be_a_value(phrase: &[Token]) -> bool {
    let written = |token: &Token| token.is_capital() && token.text.chars().count() > 3;
    match phrase {
        [only] => only.kind == TokenKind::Quoted || only.is_word() && !is_common(only),
        [first, ..] => {
            let says = |token: &Token| {
                token.kind != TokenKind::Sign && (!is_common(token) || written(token))
            };
            first.kind != TokenKind::Sign && phrase.iter().any(says)
        }
        [] => false,
    }
}

/// Returns a phrase as the question spells it.
fn spelling(question: &str, phrase: &[Token]) -> Option<String> {
    let (first, last) = (phrase.first()?, phrase.last()?);
    if let [only] = phrase {
        return Some(only.text.clone());
    }
    let letters = question.chars().skip(first.start);
    Some(letters.take(last.end.saturating_sub(first.start)).collect())
}

/// Returns the spellings of a phrase that a value may have.
fn forms(question: &str, phrase: &[Token]) -> Vec<String> {
    let Some(written) = spelling(question, phrase) else {
        return Vec::new();
    };
    let mut forms = vec![written];
    if phrase.iter().all(is_common) {
        return forms;
    }
    if let (Some((last, before)), true) = (phrase.split_last(), phrase.len() <= MAX_VARIED_WORDS) {
        let before: Vec<&str> = before.iter().map(|token| token.lower.as_str()).collect();
        let ends = [last.lower.clone(), lemma(&last.lower)];
        for end in ends.into_iter().chain(plurals(&last.lower)) {
            for between in [" ", "_", "-"] {
                let words: Vec<&str> = before.iter().copied().chain([end.as_str()]).collect();
                forms.push(words.join(between));
            }
        }
        let stored = countries_of(&last.lower)
            .iter()
            .chain(sexes_of(&last.lower));
        forms.extend(stored.map(|name| (*name).to_owned()));
    }
    // The engine ignores the case of ASCII letters only.
    for form in forms.clone().into_iter().filter(|form| !form.is_ascii()) {
        let lower = form.to_lowercase();
        let mut letters = lower.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        forms.push(first.chain(letters).collect());
        forms.push(form.to_uppercase());
        forms.push(lower);
    }
    forms
}
