//! Links from the words of a question to names and values of the schema.

mod values;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use columns::{ColumnInfo, Mappings, find_column_of};

use crate::catalog::{Catalog, ColumnId, ColumnView, Holds};
use crate::joins::superior;
use crate::lexicon::{
    COLUMN_UNITS, MONEY, OF_PEOPLE, PEOPLE_WORDS, ROW_WORDS, TABLE_SYNONYMS, is_structural, of,
};
use crate::limits::{MAX_MEANING_LOOKUPS, MAX_PHRASE_WORDS};
use crate::morphology::{is_participle, lemma};
use crate::token::{Token, TokenKind};

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ValueLink {
    pub(crate) column: ColumnId,
    /// The value, as stored.
    pub(crate) stored: String,
}

/// The columns that a phrase may mean.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ColumnLink {
    pub(crate) ids: Vec<ColumnId>,
    /// The words, as the question has them.
    pub(crate) word: String,
    pub(crate) score: f64,
}

impl ColumnLink {
    pub(crate) fn new(ids: Vec<ColumnId>, word: impl Into<String>, score: f64) -> Self {
        let word = word.into();
        Self { ids, word, score }
    }
}

/// A link found at a position, with the number of its tokens.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found<T> {
    pub(crate) item: T,
    pub(crate) tokens: usize,
}

/// A table, with the way in which it was recognised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TableLink {
    pub(crate) table: usize,
    pub(crate) score: f64,
    /// True if only the last word of a longer name was written: `sites` for `trial_sites`.
    pub(crate) partial: bool,
}

/// The score of a name that is spelt as in the schema.
const EXACT: f64 = 1.0;
/// The score of a synonym of the planner's own.
const SYNONYM: f64 = 0.85;
/// The least score of a link by meaning. The crate `columns` itself refuses scores below 0.6.
const LEAST_MEANING: f64 = 0.6;
/// The least score for names of tables. It is higher, because tables have no type that a wrong link
/// would contradict.
const LEAST_TABLE_MEANING: f64 = 0.62;
/// The least number of letters of a word that is looked up by meaning.
const LEAST_LETTERS: usize = 3;

/// A column that words may mean, and how well it fits.
type Remembered = BTreeMap<(usize, String), Option<(usize, f64)>>;

/// The names and values of a schema, beside the tokens of a question.
pub(crate) struct Links<'a> {
    pub(crate) catalog: &'a Catalog<'a>,
    pub(crate) tokens: &'a [Token],
    /// True if the question changes rows. Then every column that may have a value is kept.
    pub(crate) strict: bool,
    tables: BTreeMap<String, Vec<usize>>,
    partial_tables: BTreeMap<String, Vec<usize>>,
    columns: BTreeMap<String, Vec<ColumnId>>,
    /// Columns by the words of their name in alphabetical order: `last name` is `nameLast`.
    reordered: BTreeMap<String, Vec<ColumnId>>,
    values: BTreeMap<String, Vec<ValueLink>>,
    /// The values by the singular of their last word. They are used if no value is spelt as in the
    /// question.
    singular_values: BTreeMap<String, Vec<ValueLink>>,
    table_infos: Vec<ColumnInfo>,
    mappings: Mappings,
    lookups: Cell<usize>,
    memory: RefCell<Remembered>,
}

impl<'a> Links<'a> {
    pub(crate) fn new(catalog: &'a Catalog<'a>, tokens: &'a [Token]) -> Self {
        let mut links = Self {
            catalog,
            tokens,
            strict: false,
            tables: BTreeMap::new(),
            partial_tables: BTreeMap::new(),
            columns: BTreeMap::new(),
            reordered: BTreeMap::new(),
            values: BTreeMap::new(),
            singular_values: BTreeMap::new(),
            table_infos: Vec::new(),
            mappings: Mappings::default(),
            lookups: Cell::new(0),
            memory: RefCell::new(BTreeMap::new()),
        };
        for (table, view) in catalog.tables.iter().enumerate() {
            let words = view.words.join(" ");
            // `sales` is a name of columns in this form, and of a table in both.
            let singular = words
                .strip_suffix("sales")
                .map(|rest| format!("{rest}sale"));
            for name in [words, spelt(&view.table.name)].into_iter().chain(singular) {
                let tables = links.tables.entry(name).or_default();
                if !tables.contains(&table) {
                    tables.push(table);
                }
            }
            if let Some(last) = view.words.last().filter(|_| view.words.len() > 1) {
                links
                    .partial_tables
                    .entry(last.clone())
                    .or_default()
                    .push(table);
            }
            links.table_infos.push(ColumnInfo {
                name: view.table.name.clone(),
                ..ColumnInfo::default()
            });
        }
        for table in 0..catalog.tables.len() {
            for id in catalog.ids(table) {
                links.index_column(id);
            }
        }
        links.index_rows();
        links
    }

    /// Adds words for rows of the only table of a schema, unless a column or value has the same
    /// name.
    fn index_rows(&mut self) {
        let [view] = self.catalog.tables.as_slice() else {
            return;
        };
        let tells_people = |column: &ColumnView<'_>| OF_PEOPLE.has_one_of(&column.words);
        // Days are counted by the one date that has no time, each once.
        let mut dates = self.catalog.ids(0).filter(|id| self.catalog.is_day(*id));
        if let (Some(day), None, false) =
            (dates.next(), dates.next(), self.columns.contains_key("day"))
        {
            self.columns.insert("day".to_owned(), vec![day]);
        }
        let is_of_people = view.columns.iter().any(tells_people);
        let people = PEOPLE_WORDS.iter().filter(|_| is_of_people);
        for word in ROW_WORDS.iter().chain(people) {
            let is_named = self.columns.contains_key(*word)
                || self.singular_values.contains_key(*word)
                || self.tables.contains_key(*word);
            if !is_named {
                self.tables.insert((*word).to_owned(), vec![0]);
            }
        }
    }

    /// Creates the links of a question that changes rows.
    pub(crate) fn strict(catalog: &'a Catalog<'a>, tokens: &'a [Token]) -> Self {
        let mut links = Self::new(catalog, tokens);
        links.strict = true;
        links
    }

    fn index_column(&mut self, id: ColumnId) {
        let Some(view) = self.catalog.column(id) else {
            return;
        };
        let mut keys = vec![view.words.join(" "), spelt(&view.column.name)];
        // `director` is `director_id`; `customer` is the table of customers, and the key of a table
        // is not what the table is called.
        let superior = || superior(self.catalog, id).map(|(role, _)| role.to_owned());
        let role = view.role().map(|role| role.join(" ")).or_else(superior);
        let role = role.filter(|role| {
            !view.column.primary_key
                && !self.tables.contains_key(role)
                && !self.partial_tables.contains_key(role)
        });
        keys.extend(role);
        keys.extend(self.without_unit(id));
        if view.holds == Holds::Flag && view.words.len() > 1 {
            keys.push(view.words.get(1..).unwrap_or_default().join(" "));
        }
        for key in keys {
            let ids = self.columns.entry(key).or_default();
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let reordered = self.reordered.entry(sorted(&view.words.join(" ")));
        reordered.or_default().push(id);
        for stored in &view.column.values {
            self.index_value(id, stored);
        }
    }

    /// Returns the name of a column of numbers without its unit: `gdp` for `gdp_billion_usd`.
    fn without_unit(&self, id: ColumnId) -> Option<String> {
        let view = self.catalog.column(id)?;
        let words = &view.words;
        let is_unit = |word: &&String| COLUMN_UNITS.contains(word);
        let units = words.iter().rev().take_while(is_unit).count();
        let name = words.get(..words.len() - units)?.join(" ");
        let mut others = self.catalog.ids(id.table).filter(|other| *other != id);
        let taken = others.any(|other| {
            let other = self.catalog.column(other);
            other.is_some_and(|other| {
                other
                    .words
                    .starts_with(words.get(..words.len() - units).unwrap_or_default())
            })
        });
        let plain = view.holds == Holds::Number && units > 0 && !name.is_empty();
        (plain && !taken && !self.tables.contains_key(&name)).then_some(name)
    }

    fn phrase(&self, at: usize, length: usize, form: impl Fn(&str) -> String) -> Option<String> {
        let tokens = self.tokens.get(at..at + length)?;
        let words: Vec<String> = tokens
            .iter()
            .map(|token| form(&token.lower.replace('_', " ")))
            .collect();
        let plain = tokens
            .iter()
            .all(|token| token.is_word() || matches!(token.kind, TokenKind::Number(_)));
        plain.then(|| words.join(" "))
    }

    /// Returns the phrase in the form in which names are compared: each word in its singular.
    fn name(&self, at: usize, length: usize) -> Option<String> {
        self.phrase(at, length, |words| {
            let singular: Vec<String> = words.split(' ').map(lemma).collect();
            singular.join(" ")
        })
    }

    /// Returns the table that the tokens at a position name exactly.
    pub(crate) fn table_at(&self, at: usize) -> Option<Found<TableLink>> {
        (1..=MAX_PHRASE_WORDS).rev().find_map(|tokens| {
            let name = self.name(at, tokens)?;
            let table = only(self.tables.get(&name)?)?;
            Some(Found {
                item: TableLink {
                    table,
                    score: EXACT,
                    partial: false,
                },
                tokens,
            })
        })
    }

    /// Returns the table that a word names by its last word, by a synonym, or misspelt.
    pub(crate) fn table_like(&self, at: usize) -> Option<Found<TableLink>> {
        let name = self.name(at, 1)?;
        let found = |table, score, partial| Found {
            item: TableLink {
                table,
                score,
                partial,
            },
            tokens: 1,
        };
        if let Some(table) = self
            .partial_tables
            .get(&name)
            .and_then(|tables| only(tables))
        {
            return Some(found(table, SYNONYM, true));
        }
        let synonyms = of(TABLE_SYNONYMS, &name).unwrap_or_default();
        if let Some(table) = synonyms
            .iter()
            .find_map(|word| only(self.tables.get(*word)?))
        {
            return Some(found(table, SYNONYM, false));
        }
        // `revenue` is a sum, and no word for the rows of `sales`.
        if !self.is_open(at) || MONEY.contains(&name.as_str()) {
            return None;
        }
        let (table, score) = self.by_meaning(None, &name)?;
        (score >= LEAST_TABLE_MEANING).then(|| found(table, score, false))
    }

    /// Returns true if the word `table` stands beside the name of one: `the products table`.
    pub(crate) fn is_word_for_table(&self, at: usize) -> bool {
        let is_named = |at: usize| self.table_at(at).is_some();
        let own = is_named(at) || self.column_at(at, None).is_some();
        let beside = at.checked_sub(1).is_some_and(is_named) || is_named(at + 1);
        let token = self.tokens.get(at);
        token.is_some_and(|token| token.is_word() && token.text == "table") && beside && !own
    }

    /// Returns the table with this name, in singular words.
    pub(crate) fn table_named(&self, name: &str) -> Option<usize> {
        only(self.tables.get(name)?)
    }

    /// Returns the columns that the tokens at a position name exactly, of one table or of all.
    pub(crate) fn column_at(&self, at: usize, table: Option<usize>) -> Option<Found<ColumnLink>> {
        (1..=MAX_PHRASE_WORDS).rev().find_map(|tokens| {
            let name = self.name(at, tokens)?;
            let ids: Vec<ColumnId> = self
                .columns
                .get(&name)
                .or_else(|| self.reordered.get(&sorted(&name)))?
                .iter()
                .copied()
                .filter(|id| table.is_none_or(|table| id.table == table))
                .collect();
            (!ids.is_empty()).then_some(Found {
                item: ColumnLink::new(
                    prefer_whole_names(self.catalog, ids, &name),
                    self.shown(at, tokens),
                    EXACT,
                ),
                tokens,
            })
        })
    }

    /// Returns a column whose name has one word more: `email address` for `email`.
    pub(crate) fn column_longer(
        &self,
        at: usize,
        found: &Found<ColumnLink>,
    ) -> Option<Found<ColumnLink>> {
        let next = at + found.tokens;
        let named = self.table_at(next).is_some()
            || self.column_at(next, None).is_some()
            || self.value_at(next).is_some();
        let completes = ["address", "code", "date", "id", "name", "number"];
        let word = self
            .tokens
            .get(next)
            .map_or("", |token| token.lower.as_str());
        if named || !self.is_open(next) && !completes.contains(&word) {
            return None;
        }
        let tokens = found.tokens + 1;
        let phrase = self.phrase(at, tokens, str::to_owned)?;
        let mut ids: Vec<ColumnId> = found
            .item
            .ids
            .iter()
            .copied()
            .filter(|id| self.first_meaning(&[&phrase], id.table) == Some(*id))
            .collect();
        // `iata code`: the word says of a column of text what it is anyway.
        let texts = |id: &&ColumnId| self.catalog.holds(**id) == Holds::Text;
        if ids.is_empty() && ["code", "name", "value"].contains(&word) {
            ids = found.item.ids.iter().filter(texts).copied().collect();
        }
        (!ids.is_empty()).then_some(Found {
            item: ColumnLink::new(ids, phrase, SYNONYM),
            tokens,
        })
    }

    /// Returns the columns of a name, in singular words.
    pub(crate) fn columns_named(&self, name: &str) -> Vec<ColumnId> {
        self.columns.get(name).cloned().unwrap_or_default()
    }

    /// Returns the columns that the tokens at a position name by meaning.
    pub(crate) fn column_like(&self, at: usize, table: Option<usize>) -> Option<Found<ColumnLink>> {
        (1..=3).rev().find_map(|tokens| {
            // `open orders` are rows, and no column `ordered_on`.
            let is_rows = tokens > 1 && self.table_at(at + tokens - 1).is_some();
            if is_rows || !(at..at + tokens).all(|place| self.is_open(place)) {
                return None;
            }
            let phrase = self.phrase(at, tokens, str::to_owned)?;
            let meant = self.column_meaning(&phrase, table);
            let link = meant.or_else(|| self.column_headed(&phrase, table))?;
            Some(Found { item: link, tokens })
        })
    }

    /// Returns the columns that a phrase means.
    pub(crate) fn column_meaning(&self, phrase: &str, table: Option<usize>) -> Option<ColumnLink> {
        let tables: Vec<usize> = match table {
            Some(table) => vec![table],
            None => (0..self.catalog.tables.len()).collect(),
        };
        let found: Vec<(ColumnId, f64)> = tables
            .into_iter()
            .filter_map(|table| {
                let (column, score) = self.by_meaning(Some(table), phrase)?;
                (score >= LEAST_MEANING).then_some((ColumnId { table, column }, score))
            })
            .collect();
        let best = found.iter().map(|(_, score)| *score).fold(0.0, f64::max);
        (best > 0.0)
            .then(|| ColumnLink::new(found.iter().map(|(id, _)| *id).collect(), phrase, best))
    }

    /// Returns the columns of a table whose longer name says by this word what they hold: `gross`
    /// for `US Gross` and `Worldwide Gross`.
    fn column_headed(&self, word: &str, table: Option<usize>) -> Option<ColumnLink> {
        let word = lemma(word);
        let headed = |id: &ColumnId| {
            let view = self.catalog.column(*id);
            view.is_some_and(|view| view.head() == Some(word.as_str()))
        };
        let tables = table.map_or(0..self.catalog.tables.len(), |table| table..table + 1);
        let ids: Vec<ColumnId> = tables
            .flat_map(|table| self.catalog.ids(table))
            .filter(headed)
            .collect();
        // Without a table the word says which table is meant, if it does.
        let first = ids.first()?.table;
        ids.iter()
            .all(|id| id.table == first)
            .then_some(ColumnLink::new(ids, word, SYNONYM))
    }

    /// Returns the column of a table for the first of several meanings that it has.
    pub(crate) fn first_meaning(&self, phrases: &[&str], table: usize) -> Option<ColumnId> {
        phrases.iter().find_map(|phrase| {
            let (column, score) = self.by_meaning(Some(table), phrase)?;
            (score >= LEAST_MEANING).then_some(ColumnId { table, column })
        })
    }

    /// Returns true if a word is looked up by meaning: not one that a sentence is made of, and none
    /// that says when something happened.
    fn is_open(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else {
            return false;
        };
        let word = token.lower.as_str();
        token.is_word()
            && word.chars().count() >= LEAST_LETTERS
            && word
                .chars()
                .all(|letter| letter.is_alphabetic() || letter == '_')
            && !is_structural(word)
            && !is_participle(word)
    }

    /// Lists the words of the question that mean nothing in this schema.
    pub(crate) fn unlinked(&self) -> Vec<String> {
        let means = |at: usize| {
            (0..=at).any(|from| {
                self.value_at(from)
                    .is_some_and(|found| from + found.tokens > at)
            }) || self.column_like(at, None).is_some()
                || self.table_like(at).is_some()
        };
        let says = |at: usize| {
            self.tokens.get(at).is_some_and(|token| {
                ["how", "many", "much", "delete", "remove", "set", "update"]
                    .contains(&token.lower.as_str())
            })
        };
        let words =
            (0..self.tokens.len()).filter(|at| self.is_plain(*at) && !means(*at) && !says(*at));
        words.map(|at| self.shown(at, 1)).collect()
    }

    /// Returns true if a word behind `is` may be a value: neither a name of the schema nor a word
    /// that sentences are made of, but perhaps a participle.
    pub(crate) fn may_be_literal(&self, at: usize) -> bool {
        let word = self.tokens.get(at).filter(|token| token.is_word());
        word.is_some_and(|token| !is_structural(&token.lower))
            && self.table_at(at).is_none()
            && self.column_at(at, None).is_none()
    }

    /// Returns true if a word is neither a name of the schema nor one that sentences are made of.
    pub(crate) fn is_plain(&self, at: usize) -> bool {
        self.is_open(at) && self.table_at(at).is_none() && self.column_at(at, None).is_none()
    }

    /// Returns a column of a table, or a table, by meaning, with its score.
    fn by_meaning(&self, table: Option<usize>, phrase: &str) -> Option<(usize, f64)> {
        let key = (table.map_or(0, |table| table + 1), phrase.to_owned());
        if let Some(known) = self.memory.borrow().get(&key) {
            return *known;
        }
        if self.lookups.get() >= MAX_MEANING_LOOKUPS {
            return None;
        }
        self.lookups.set(self.lookups.get() + 1);
        let view = table.and_then(|table| self.catalog.table(table));
        let (name, infos) = match view {
            Some(view) => (view.table.name.as_str(), view.infos.as_slice()),
            None => ("", self.table_infos.as_slice()),
        };
        let found = find_column_of(name, infos, phrase, None, &self.mappings);
        let result = found.column.and_then(|column| {
            let place = infos.iter().position(|info| info.name == column)?;
            Some((place, found.score))
        });
        self.memory.borrow_mut().insert(key, result);
        result
    }

    /// Returns the tokens as written.
    pub(crate) fn shown(&self, at: usize, tokens: usize) -> String {
        let words: Vec<String> = self
            .tokens
            .get(at..at + tokens)
            .unwrap_or_default()
            .iter()
            .map(Token::shown)
            .collect();
        words.join(" ")
    }
}

/// Returns a name in lower case and singular, split only at `_`, because a question may spell it
/// so: `area_km2`, `result_0123abcd`.
fn spelt(name: &str) -> String {
    let words = name.to_lowercase().replace('_', " ");
    let singular: Vec<String> = words.split(' ').map(lemma).collect();
    singular.join(" ")
}

fn sorted(name: &str) -> String {
    let spelt = |word: &&str| word.contains(char::is_alphanumeric);
    let mut words: Vec<&str> = name.split(' ').filter(spelt).collect();
    words.sort_unstable();
    words.join(" ")
}

/// Returns the element of a list that has only one.
fn only(list: &[usize]) -> Option<usize> {
    match list {
        [one] => Some(*one),
        _ => None,
    }
}

/// Keeps the columns whose whole name is the phrase, if there are any, otherwise those whose name
/// contains it.
fn prefer_whole_names(catalog: &Catalog<'_>, ids: Vec<ColumnId>, name: &str) -> Vec<ColumnId> {
    let whole = |id: &ColumnId| {
        catalog
            .column(*id)
            .is_some_and(|view| view.words.join(" ") == name)
    };
    match ids.iter().any(whole) {
        true => ids.into_iter().filter(whole).collect(),
        false => ids,
    }
}
