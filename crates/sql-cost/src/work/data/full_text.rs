//! The contents of the documents of full-text tables: how many tokens each has, and how often a
//! phrase occurs in one.
//!
//! fts5 stores the number of tokens of each row beside its index, and `bm25` reveals how often a
//! phrase occurs: with tiny weights for its columns, its formula can be solved for the frequency,
//! in time that grows with the occurrences alone.

use super::lengths::Lengths;
use super::statistics::Statistics;
use crate::full_text::content_of;
use database::{Bind, Cell, Cursor as _, Database, DatabaseExt as _, Statement};
use sql_gate::compose::{Part, compose};

/// The constants of `bm25` in fts5, from its documentation.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The weight that fts5 uses for a phrase that more than half of all rows contain.
const LEAST_IDF: f64 = 1e-6;

/// The weight of each column: so small that the score is linear in the frequency.
const TINY_WEIGHT: f64 = 1e-9;

/// The factor by which a frequency that was computed from a score may be off.
const ROUNDING: f64 = 1.01;

/// The cost of reading the number of tokens of a row, and of a token of a document that is searched
/// for a phrase, in units of 10 ns.
const READ_ROW: f64 = 200.0;
const READ_TOKEN: f64 = 2.0;

/// The number of tokens of a document up to which it does not matter how often it contains a
/// phrase.
const SHORT_DOCUMENT: f64 = 50.0;

/// The largest number of columns whose tokens SQL adds up: an expression of the engine is at most
/// 100 deep.
const MAX_ADDED_COLUMNS: u32 = 20;

/// The most bytes of a phrase that is searched for; a longer one is assumed to occur anywhere.
const MAX_PHRASE_BYTES: usize = 200;

/// A full-text table of the statement.
#[derive(Debug, Clone, PartialEq)]
pub struct FullText {
    pub name: String,
    /// True if each character may begin a token.
    pub trigram: bool,
    /// The number of columns of its documents; the table itself and the rank follow.
    pub columns: u32,
    has_sizes: bool,
    /// The table that stores the texts of its documents, and its columns.
    content: Option<(String, Vec<String>)>,
}

/// The largest number for one row, and the sum over all rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Numbers {
    pub most: f64,
    pub all: f64,
}

/// A part of a search: a word or a phrase, and how often it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    pub text: String,
    pub prefix: bool,
    pub times: usize,
}

impl Phrase {
    /// Returns the phrase as it is written in a search.
    fn quoted(&self) -> String {
        let star = if self.prefix { "*" } else { "" };
        format!("\"{}\"{star}", self.text.replace('"', "\"\""))
    }
}

impl<D: Database> Statistics<'_, D> {
    /// Returns the full-text tables that the statement may read: those that it names, or all of
    /// them if it reads a view or if there are triggers.
    pub fn full_texts(&self) -> Vec<FullText> {
        let listed = self.db.rows(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage = 0",
            &[],
        );
        let any = self.reads_a_view() || self.has_triggers();
        let named = |name: &str| {
            let mut relations = self.facts.relations.iter();
            relations.any(|relation| relation.name.eq_ignore_ascii_case(name))
                || (self.facts.written_table.as_deref())
                    .is_some_and(|written| written.eq_ignore_ascii_case(name))
        };
        let rows = listed.unwrap_or_default().into_iter();
        rows.filter_map(|row| {
            let mut cells = row.into_iter().map(Cell::into_text);
            let (name, sql) = (cells.next()?, cells.next()?);
            (any || named(&name)).then(|| self.full_text(name, &sql))
        })
        .collect()
    }

    fn full_text(&self, name: String, sql: &str) -> FullText {
        let number = |sql: &'static str, bind: String| {
            let found = self.db.cell(sql, &[Bind::text(bind)]);
            found.ok().flatten().map_or(0, |cell| cell.as_count())
        };
        let is_there = |suffix: &str| {
            number(
                "SELECT count(*) FROM sqlite_schema WHERE name = ?1",
                format!("{name}_{suffix}"),
            ) > 0
        };
        let listed = self.of_schema("SELECT name FROM pragma_table_info(?1)", &[&name]);
        let named = listed.iter().flat_map(|rows| rows.iter());
        let named: Vec<String> = named
            .filter_map(|row| row.first().cloned().map(Cell::into_text))
            .collect();
        let content = match content_of(sql) {
            Some(table) => Some((table, named.clone())),
            None => is_there("content").then(|| {
                let numbered = (0..named.len()).map(|column| format!("c{column}"));
                (format!("{name}_content"), numbered.collect())
            }),
        };
        FullText {
            trigram: ["trigram", "separators"]
                .iter()
                .any(|word| sql.to_ascii_lowercase().contains(word)),
            columns: u32::try_from(named.len()).unwrap_or(u32::MAX),
            has_sizes: is_there("docsize"),
            content,
            name,
        }
    }

    /// Returns true if writing a table may write others by a trigger.
    fn has_triggers(&self) -> bool {
        let triggers = "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' LIMIT 1";
        self.of_schema(triggers, &[])
            .is_none_or(|rows| !rows.is_empty())
    }

    /// Returns the bytes of the index of a full-text table.
    pub fn index_bytes(&self, table: &FullText) -> f64 {
        let measured = self.measured(&format!("{}_data", table.name), "block");
        measured.map_or(self.lengths_of_anything().all, |(_, all)| all)
    }

    /// Returns true if the order or the column `rank` may mean another function than bm25 for this
    /// table.
    pub fn ranks_otherwise(&self, table: &FullText) -> bool {
        let query = [
            Part::Sql("SELECT count(*) FROM "),
            Part::Identifier(&format!("{}_config", table.name)),
            Part::Sql(" WHERE k = 'rank' AND v NOT LIKE 'bm25(%'"),
        ];
        self.number(&compose(&query, Vec::new()))
            .is_none_or(|found| found > 0)
    }

    /// Returns the bytes of the documents.
    pub fn documents(&self, table: &FullText) -> Lengths {
        let columns = (0..i64::from(table.columns)).map(|column| self.texts(table, column));
        let found = columns.fold((0.0, 0.0), |(longest, all), texts| {
            (longest + texts.longest, all + texts.all)
        });
        let anything = self.lengths_of_anything();
        Lengths {
            longest: found.0.min(anything.longest),
            all: found.1.min(anything.all),
        }
    }

    /// Returns the bytes of one column of the documents.
    pub fn texts(&self, table: &FullText, column: i64) -> Lengths {
        let measured = || {
            let (content, columns) = table.content.as_ref()?;
            let column = columns.get(usize::try_from(column).ok()?)?;
            let (longest, all) = self.measured(content, column)?;
            Some(Lengths { longest, all })
        };
        measured().unwrap_or(self.lengths_of_anything())
    }

    /// Returns the number of tokens of the documents. Without counting, each token is assumed to
    /// have two bytes, or one if each character begins a token.
    pub fn tokens(&self, table: &FullText) -> Numbers {
        let (most, all) = (
            format!("most tokens {}", table.name),
            format!("all tokens {}", table.name),
        );
        let remember = |label: &str, found: Option<f64>| {
            self.counted_exactly(label.to_owned(), || found.map(whole))
        };
        if let Some((most, all)) = remember(&most, None).zip(remember(&all, None)) {
            return Numbers { most, all };
        }
        let found = self.sizes(table).and_then(|found| {
            Some(Numbers {
                most: remember(&most, Some(found.most))?,
                all: remember(&all, Some(found.all))?,
            })
        });
        found.unwrap_or_else(|| tokens_of(self.lengths_of_anything(), table))
    }

    /// Adds up the tokens of each row. The engine does that for rows in which each column has fewer
    /// than 128 tokens, which is one byte each. All other rows are read here, because SQL cannot
    /// read their numbers.
    fn sizes(&self, table: &FullText) -> Option<Numbers> {
        if !table.has_sizes || !self.affords(self.rows_of(&table.name) * READ_ROW) {
            return None;
        }
        let sizes = format!("{}_docsize", table.name);
        let sizes = Part::Identifier(&sizes);
        let columns = match table.columns {
            columns @ 1..=MAX_ADDED_COLUMNS => columns,
            _ => 0,
        };
        let mut short = (0.0, 0.0);
        if columns > 0 {
            let bytes = (1..=columns).map(|column| {
                format!("coalesce(unicode(CAST(substr(sz, {column}, 1) AS TEXT)), 0)")
            });
            let size = bytes.collect::<Vec<_>>().join(" + ");
            let sums = format!("SELECT coalesce(max({size}), 0), coalesce(sum({size}), 0) FROM ");
            let filter = format!(" WHERE octet_length(sz) = {columns}");
            let query = [Part::Expression(&sums), sizes, Part::Expression(&filter)];
            let found = self.numbers(&compose(&query, Vec::new()))?;
            short = (*found.first()? as f64, *found.get(1)? as f64);
        }
        let filter = format!(" WHERE octet_length(sz) <> {columns}");
        let query = [
            Part::Sql("SELECT 0, sz FROM "),
            sizes,
            Part::Expression(&filter),
        ];
        let rows = self.sized_rows(&compose(&query, Vec::new()))?;
        let long = rows.iter().map(|(_, size)| *size);
        Some(Numbers {
            most: long.clone().fold(short.0, f64::max),
            all: long.sum::<f64>() + short.1,
        })
    }

    fn sized_rows(&self, query: &sql_gate::bound::Bound) -> Option<Vec<(f64, f64)>> {
        if self.reads_nothing() {
            return None;
        }
        let mut cursor = self.db.open(Statement::Reviewed(query.reviewed())).ok()?;
        let mut rows = Vec::new();
        while let Some(row) = cursor.next().ok()? {
            let mut cells = row.into_iter();
            let score = match cells.next()? {
                Cell::Number(score) => score,
                Cell::Null | Cell::Text(_) | Cell::Blob(_) => return None,
            };
            match cells.next()? {
                Cell::Blob(sizes) => rows.push((score, sum_of_varints(&sizes))),
                Cell::Null | Cell::Number(_) | Cell::Text(_) => return None,
            }
        }
        Some(rows)
    }

    /// Returns how often a phrase occurs in any column: the most in one row, and the sum over all
    /// rows.
    pub fn occurrences(&self, table: &FullText, phrase: &Phrase) -> Option<Numbers> {
        if phrase.text.len() > MAX_PHRASE_BYTES || table.columns > MAX_WEIGHTS {
            return None;
        }
        let star = if phrase.prefix { "*" } else { "" };
        let label = format!("{} {star}{}", table.name, phrase.text);
        let most = format!("most of phrase {label}");
        let all = format!("all of phrase {label}");
        let known = |name: &str, found: Option<f64>| {
            self.counted_exactly(name.to_owned(), || found.map(whole))
        };
        if let Some((most, all)) = known(&most, None).zip(known(&all, None)) {
            return Some(Numbers { most, all });
        }
        let found = self.frequencies(table, phrase)?;
        Some(Numbers {
            most: known(&most, Some(found.most))?,
            all: known(&all, Some(found.all))?,
        })
    }

    /// Returns a bound from the number of rows that contain a phrase, if the documents are short.
    fn rows_with(&self, table: &FullText, phrase: &Phrase, tokens: Numbers) -> Option<Numbers> {
        if tokens.most > SHORT_DOCUMENT || !self.affords(tokens.all * READ_TOKEN) {
            return None;
        }
        let name = Part::Identifier(&table.name);
        let query = [
            Part::Sql("SELECT count(*) FROM "),
            name,
            Part::Sql(" WHERE "),
            name,
            Part::Sql(" MATCH ?1"),
        ];
        let rows = self.number(&compose(&query, vec![Bind::Text(phrase.quoted())]))?;
        Some(Numbers {
            most: tokens.most,
            all: (rows as f64 * tokens.most).min(tokens.all),
        })
    }

    fn frequencies(&self, table: &FullText, phrase: &Phrase) -> Option<Numbers> {
        let tokens = self.tokens(table);
        let rows = self.rows_of(&table.name);
        if let Some(found) = self.rows_with(table, phrase, tokens) {
            return Some(found);
        }
        // fts5 searches for a phrase by the positions of each of its words.
        let read = tokens.all * READ_TOKEN * words(table, &phrase.text);
        if !table.has_sizes || !self.affords(rows * READ_ROW + read) {
            return None;
        }
        let weights = format!(", {TINY_WEIGHT:e}").repeat(table.columns as usize);
        let sizes = format!("{}_docsize", table.name);
        let name = Part::Identifier(&table.name);
        let query = [
            Part::Sql("SELECT -bm25("),
            name,
            Part::Expression(&weights),
            Part::Sql("), (SELECT d.sz FROM "),
            Part::Identifier(&sizes),
            Part::Sql(" AS d WHERE d.id = "),
            name,
            Part::Sql(".rowid) FROM "),
            name,
            Part::Sql(" WHERE "),
            name,
            Part::Sql(" MATCH ?1"),
        ];
        let found = self.sized_rows(&compose(&query, vec![Bind::Text(phrase.quoted())]))?;
        let hits = found.len() as f64;
        let idf = ((rows - hits + 0.5) / (hits + 0.5)).ln();
        let idf = if idf > 0.0 { idf } else { LEAST_IDF };
        let mean = (tokens.all / rows.max(1.0)).max(f64::MIN_POSITIVE);
        let mut numbers = Numbers {
            most: 0.0,
            all: 0.0,
        };
        for (score, size) in found {
            let norm = K1 * (1.0 - B + B * size / mean);
            let rest = (idf * (K1 + 1.0) - score).max(f64::MIN_POSITIVE);
            let times = (score * norm / (rest * TINY_WEIGHT) * ROUNDING)
                .ceil()
                .min(size);
            numbers.most = numbers.most.max(times);
            numbers.all += times;
        }
        Some(numbers)
    }
}

/// The largest number of columns that `bm25` takes weights for.
const MAX_WEIGHTS: u32 = 99;

/// Returns the largest number of tokens in texts of these lengths.
pub fn tokens_of(bytes: Lengths, table: &FullText) -> Numbers {
    let each = if table.trigram { 1.0 } else { 2.0 };
    Numbers {
        most: bytes.longest / each + 1.0,
        all: bytes.all / each + 1.0,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count is never negative, and `as` saturates"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

/// Returns the sum of the numbers of a record of fts5: seven bits in each byte, the highest bit of
/// which says that another byte follows.
fn sum_of_varints(bytes: &[u8]) -> f64 {
    let mut sum = 0.0;
    let mut number = 0_u64;
    for byte in bytes {
        number = (number << 7) | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            sum += number as f64;
            number = 0;
        }
    }
    sum
}

/// Returns the words and phrases of a search. Names of columns and operators count as words, which
/// can only add to the result.
pub fn phrases(search: &str) -> Vec<Phrase> {
    let mut found: Vec<Phrase> = Vec::new();
    let mut rest = search.chars().peekable();
    while let Some(first) = rest.next() {
        let mut text = String::new();
        if first == '"' {
            while let Some(next) = rest.next() {
                if next == '"' && rest.next_if_eq(&'"').is_none() {
                    break;
                }
                text.push(next);
            }
        } else if is_of_word(first) {
            text.push(first);
            while let Some(next) = rest.next_if(|next| is_of_word(*next)) {
                text.push(next);
            }
        } else {
            continue;
        }
        while rest.next_if(|next| next.is_ascii_whitespace()).is_some() {}
        let prefix = rest.next_if_eq(&'*').is_some();
        if ["AND", "OR", "NOT"].contains(&text.as_str()) && first != '"' {
            continue;
        }
        let same = |known: &&mut Phrase| known.text == text && known.prefix == prefix;
        match found.iter_mut().find(same) {
            Some(known) => known.times += 1,
            None => found.push(Phrase {
                text,
                prefix,
                times: 1,
            }),
        }
    }
    found
}

/// Returns the largest number of words in a phrase. Any character that is not an ASCII letter or
/// digit may separate two words.
pub fn words(table: &FullText, phrase: &str) -> f64 {
    let parts = if table.trigram {
        phrase.chars().count()
    } else {
        phrase
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .count()
    };
    parts as f64
}

fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '\u{1a}' || !letter.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::{phrases, sum_of_varints};

    #[test]
    fn a_search_is_taken_apart_into_its_phrases() {
        let shown = |search: &str| -> Vec<String> {
            let shown = phrases(search);
            let shown = shown.iter().map(|one| {
                let star = if one.prefix { "*" } else { "" };
                format!("{}{star}×{}", one.text, one.times)
            });
            shown.collect()
        };
        assert_eq!(shown("one two*"), ["one×1", "two*×1"]);
        assert_eq!(shown("w OR w OR (w NOT x)"), ["w×3", "x×1"]);
        assert_eq!(shown("\"a \"\"b\"\" c\" * + d"), ["a \"b\" c*×1", "d×1"]);
        assert_eq!(
            shown("NEAR(één \"OR\", 5)"),
            ["NEAR×1", "één×1", "OR×1", "5×1"]
        );
        assert!(shown(" ()*+-{}:^,").is_empty());
    }

    #[test]
    fn varints_are_added_up() {
        assert_eq!(sum_of_varints(&[3, 0x81, 0x00, 0x7f]), 258.0);
    }
}
