//! Recognises a column that abbreviates a name: `acc_bal` is `account balance`, `DName` is
//! `department name`.
//!
//! Every letter of the column belongs to a word of the name, in the name's order, and every word of
//! the name has letters in the column. A word may be abbreviated to its first letters (`acc`), its
//! consonants (`crs` for course), most of its letters, its initial (`D`), or a standard
//! abbreviation (`qty`); several words may be abbreviated to their initials (`dob`). No separator
//! is needed after a word (`empno`).
//!
//! The table's own name may be omitted: the name may contain it and the column not (`customer id`
//! is `id` of `customers`), or the other way round (`sname` of `sailors` is `name`). A prefix that
//! all columns share, and the initial of the table, can only stand for the table (`c_name` of
//! `customer` is not `country name`). A whole word in the column is not split.
//!
//! The result is a cost: 0 if the column contains all words in full. The more letters the column
//! omits, the higher the cost. `crates/columns/tests/it/reach.rs` measures the effect of the costs.
//! Names with non-ASCII characters have no abbreviations.

use super::{synonyms, vocabulary};
use base::words;

/// The maximum number of words in a name. It bounds the work: no abbreviation of a longer name is
/// recognised.
const MAX_WORDS: usize = 8;
/// The maximum number of letters in a name or column, for the same reason.
const MAX_LETTERS: usize = 48;
/// The highest cost of an abbreviation of several words. One of them may be only an initial.
pub(super) const MAX_COST: u32 = 62;
/// The highest cost of an abbreviation of a single word, which must not be only an initial.
const MAX_COST_OF_ONE_WORD: u32 = 25;
/// The cost if the letters cannot be read as the words.
const IMPOSSIBLE: u32 = u32::MAX;

/// The costs of the ways to abbreviate a word.
mod cost {
    /// The standard abbreviation in the vocabulary: `qty`.
    pub(super) const STANDARD: u32 = 4;
    /// The first letters: four or more; then three.
    pub(super) const LONG_PREFIX: u32 = 8;
    pub(super) const PREFIX: u32 = 10;
    /// The consonants: all; then the first ones; then some.
    pub(super) const CONSONANTS: u32 = 10;
    pub(super) const FIRST_CONSONANTS: u32 = 12;
    pub(super) const SOME_CONSONANTS: u32 = 18;
    /// At least seven tenths of the letters; then fewer.
    pub(super) const MOST_LETTERS: u32 = 18;
    pub(super) const SOME_LETTERS: u32 = 26;
    pub(super) const TWO_LETTERS: u32 = 30;
    pub(super) const INITIAL: u32 = 40;
    /// The initials of two words; then of more.
    pub(super) const TWO_INITIALS: u32 = 50;
    pub(super) const INITIALS: u32 = 30;
    /// The table's name with a separator after it; then without.
    pub(super) const TABLE: u32 = 15;
    pub(super) const TABLE_CUT: u32 = 24;
    /// Parts without a meaning: `of` in a name, a prefix of all columns, a separator between the
    /// letters of one word.
    pub(super) const SILENT: u32 = 1;
    /// No separator between two words.
    pub(super) const CUT: u32 = 2;
    /// The last word moved to the beginning: `amt_credit` for `credit amount`.
    pub(super) const TURNED: u32 = 15;
    /// The extra cost of a standard abbreviation of another word: `sec` for `section`.
    pub(super) const ANOTHER_WORD: u32 = 12;
}

/// Words that an abbreviation omits.
const FILLERS: &[&str] = &["and", "of", "or", "the"];
/// Endings that do not make a word a different one.
const INFLECTIONS: &[&str] = &["d", "ed", "es", "ing", "s"];
/// Standard abbreviations that are words themselves in other places, and therefore not in
/// [`synonyms`].
const STANDARD: &[(&str, &str)] = &[
    ("mo", "month"),
    ("no", "number"),
    ("ph", "phone"),
    ("st", "street"),
];
/// Words in a table's name that do not name its rows.
const TABLE_WORDS: &[&str] = &[
    "data", "dim", "fact", "info", "list", "record", "table", "tb", "tbl",
];

/// The context that a table gives to the names of its columns.
pub(super) struct Surroundings {
    /// The words of the table's name, in the singular: they name a row.
    thing: Vec<Word>,
    /// The prefix that all columns share, if there are at least three.
    shared: Option<String>,
}

impl Surroundings {
    /// Makes the context from the name of a table, empty if unknown, and the parts of its column
    /// names.
    pub(super) fn new<'a>(table: &str, columns: impl Iterator<Item = &'a [String]>) -> Self {
        let thing = words::split(table)
            .into_iter()
            .filter(|word| !TABLE_WORDS.contains(&word.as_str()) && word.len() <= MAX_LETTERS)
            .map(|word| Word::new(&words::singular(&word).unwrap_or(word)))
            .take(MAX_WORDS)
            .collect();
        let first_of = |pieces: &'a [String]| match pieces {
            [first, _, ..] => Some(first),
            _ => None,
        };
        let firsts: Vec<Option<&String>> = columns.map(first_of).collect();
        let shared = match firsts.as_slice() {
            [Some(first), _, _, ..] if firsts.iter().all(|other| *other == Some(*first)) => {
                Some((*first).clone())
            }
            _ => None,
        };
        Self { thing, shared }
    }

    /// Returns the cost of letters at the beginning of a column that mean the table's name.
    fn cost(&self, letters: &str, ends_piece: bool) -> Option<u32> {
        if ends_piece && self.shared.as_deref() == Some(letters) {
            return Some(cost::SILENT);
        }
        if self.thing.iter().any(|word| word.letters == letters) {
            return Some(cost::TABLE);
        }
        let initials = self.thing.len() > 1
            && self
                .thing
                .iter()
                .filter_map(|word| word.letters.chars().next())
                .eq(letters.chars());
        let fits = initials || self.thing.iter().any(|word| word.cost(letters).is_some());
        fits.then_some(if ends_piece {
            cost::TABLE
        } else {
            cost::TABLE_CUT
        })
    }

    /// Returns true if a word of a name is one of the words in the table's name.
    fn has(&self, word: &str) -> bool {
        let singular = words::singular(word);
        let singular = singular.as_deref().unwrap_or(word);
        self.thing.iter().any(|thing| thing.is_named_by(singular))
    }

    /// Returns true if the last word of the table's name, which names a row, is one of the words.
    fn is_said(&self, words: &[String]) -> bool {
        self.thing.last().is_some_and(|head| {
            words
                .iter()
                .any(|word| head.is_named_by(words::singular(word).as_ref().unwrap_or(word)))
        })
    }
}

/// A word, with the forms that abbreviations are compared with.
struct Word {
    letters: String,
    /// The first letter and the consonants, without repeated ones in a row.
    consonants: Vec<u8>,
    canonical: String,
    is_filler: bool,
    /// True if the column may omit the word because it is in the table's name.
    is_silent: bool,
}

impl Word {
    fn new(word: &str) -> Self {
        let vowel = |letter: u8| b"aeiou".contains(&letter);
        let mut consonants: Vec<u8> = word
            .bytes()
            .enumerate()
            .filter(|&(place, letter)| place == 0 || !vowel(letter))
            .map(|(_, letter)| letter)
            .collect();
        consonants.dedup();
        let singular = words::singular(word).unwrap_or_else(|| word.to_owned());
        let canonical = synonyms::canonical(word).or_else(|| synonyms::canonical(&singular));
        Self {
            canonical: canonical.map_or(singular, str::to_owned),
            letters: word.to_owned(),
            consonants,
            is_filler: FILLERS.contains(&word),
            is_silent: false,
        }
    }

    /// Returns the cost of letters as an abbreviation of this word; 0 for the word itself.
    fn cost(&self, letters: &str) -> Option<u32> {
        if letters == self.letters {
            return Some(0);
        }
        let synonym = synonyms::canonical(letters);
        let standard = || {
            STANDARD
                .iter()
                .find(|(short, _)| *short == letters)
                .map(|(_, long)| *long)
        };
        let canonical = synonym.or_else(standard).unwrap_or(letters);
        if letters.len() > 1 && canonical == self.canonical {
            return Some(cost::STANDARD);
        }
        let plain = |text: &str| text.bytes().all(|letter| letter.is_ascii_lowercase());
        let another = synonym.is_none() && !self.is_silent && vocabulary::is_known(letters);
        if !plain(letters)
            || !plain(&self.letters)
            || letters.bytes().next() != self.letters.bytes().next()
            || another && letters.len() > 2 && !self.inflects(letters)
        {
            return None;
        }
        let singular = letters.strip_suffix('s').filter(|stem| stem.len() > 2);
        let cost = self
            .cost_of_some(letters)
            .or_else(|| self.cost_of_some(singular?))?;
        Some(cost + synonym.map_or(0, |_| cost::ANOTHER_WORD))
    }

    /// Returns the cost of some of the letters, including the first.
    fn cost_of_some(&self, letters: &str) -> Option<u32> {
        let (some, all) = (letters.as_bytes(), self.letters.as_bytes());
        let prefix = all.starts_with(some);
        let consonants = is_within(some, &self.consonants);
        match some.len() {
            1 => (all.len() > 2).then_some(cost::INITIAL),
            2 if prefix => Some(cost::TWO_LETTERS),
            _ if all.len() < 4 => None,
            3 if prefix => Some(cost::PREFIX),
            _ if prefix => Some(cost::LONG_PREFIX),
            _ if *some == *self.consonants => Some(cost::CONSONANTS),
            2 => consonants.then_some(cost::TWO_LETTERS),
            _ if self.consonants.starts_with(some) => Some(cost::FIRST_CONSONANTS),
            _ if consonants => Some(cost::SOME_CONSONANTS),
            _ if !is_within(some, all) => None,
            most if most * 10 >= all.len() * 7 => Some(cost::MOST_LETTERS),
            _ => Some(cost::SOME_LETTERS),
        }
    }

    fn inflects(&self, stem: &str) -> bool {
        let ending = self.letters.strip_prefix(stem);
        ending.is_some_and(|ending| INFLECTIONS.contains(&ending))
    }

    /// Returns true if a singular word is this word of a table's name, which may be an abbreviation
    /// or a compound (`user` in `useracct`).
    fn is_named_by(&self, word: &str) -> bool {
        let name = self.letters.as_str();
        name == word
            || word.len() > 3 && name.starts_with(word)
            || name.len() > 2 && Self::new(word).cost(name).is_some()
    }
}

/// Returns true if the letters are a word by themselves, so that they are not initials.
fn is_word(letters: &str) -> bool {
    let known = |word: &str| vocabulary::is_known(word) && synonyms::canonical(word).is_none();
    known(letters) || words::singular(letters).is_some_and(|singular| known(&singular))
}

/// Returns true if the letters of `some` occur in `all` in the same order.
fn is_within(some: &[u8], all: &[u8]) -> bool {
    let mut rest = all.iter();
    some.iter()
        .all(|letter| rest.any(|another| another == letter))
}

/// The ways to write the requested name, each with its cost.
pub(super) struct Phrases(Vec<(u32, Vec<Word>)>);

impl Phrases {
    /// Makes three ways: the words as written, the canonical words, and the last word at the
    /// beginning.
    pub(super) fn new(spelt: &[String], canonical: &[String], surroundings: &Surroundings) -> Self {
        let mut ways = vec![(0, spelt.to_vec())];
        if canonical != spelt {
            ways.push((cost::SILENT, canonical.to_vec()));
        }
        if spelt.len() > 1 {
            let mut turned = spelt.to_vec();
            turned.rotate_right(1);
            ways.push((cost::TURNED, turned));
        }
        ways.retain(|(_, words)| {
            let short = |word: &String| word.len() <= MAX_LETTERS && word.is_ascii();
            words.len() <= MAX_WORDS && words.iter().all(short)
        });
        // The table's name can only be omitted at the beginning of a name: `results` must be in the
        // column for `constructor results id`.
        let read = |words: &[String]| {
            let silent = match surroundings.is_said(words) {
                true => words
                    .iter()
                    .take_while(|word| surroundings.has(word))
                    .count(),
                false => 0,
            };
            let read = |(place, word): (usize, &String)| Word {
                is_silent: place < silent,
                ..Word::new(word)
            };
            words.iter().enumerate().map(read).collect()
        };
        Self(
            ways.iter()
                .map(|(cost, words)| (*cost, read(words)))
                .collect(),
        )
    }

    /// Returns the cost of a column as an abbreviation of the name; `None` if it is not one.
    pub(super) fn cost(&self, pieces: &[String], surroundings: &Surroundings) -> Option<u32> {
        let column = Column::new(pieces, surroundings)?;
        let cost = |(extra, words): &(u32, Vec<Word>)| {
            let highest = match words.iter().filter(|word| !word.is_filler).count() {
                0 | 1 => MAX_COST_OF_ONE_WORD,
                _ => MAX_COST,
            };
            let cost = column.cost(words, surroundings).saturating_add(*extra);
            (cost <= highest).then_some(cost)
        };
        self.0.iter().filter_map(cost).min()
    }
}

/// The letters of a column, and its parts between separators.
struct Column {
    letters: String,
    /// The part of each letter.
    pieces: Vec<Piece>,
}

#[derive(Clone, Copy)]
struct Piece {
    start: usize,
    end: usize,
    /// True if the part is a word by itself, so that it is not split.
    is_whole: bool,
}

impl Column {
    fn new(pieces: &[String], surroundings: &Surroundings) -> Option<Self> {
        let letters = pieces.concat();
        if !(2..=MAX_LETTERS).contains(&letters.len()) || !letters.is_ascii() {
            return None;
        }
        let mut places = Vec::with_capacity(letters.len());
        for piece in pieces {
            let (start, end) = (places.len(), places.len() + piece.len());
            let is_whole = is_whole(piece, surroundings);
            places.resize(
                end,
                Piece {
                    start,
                    end,
                    is_whole,
                },
            );
        }
        Some(Self {
            letters,
            pieces: places,
        })
    }

    fn letters(&self, from: usize, to: usize) -> &str {
        self.letters.get(from..to).unwrap_or_default()
    }

    /// Returns the cost of the column as these words, with or without the table's name before them.
    fn cost(&self, words: &[Word], surroundings: &Surroundings) -> u32 {
        let length = self.letters.len();
        let mut rows = Rows(vec![vec![IMPOSSIBLE; length + 1]]);
        if let Some(end) = rows.0.first_mut().and_then(|row| row.last_mut()) {
            *end = 0;
        }
        for count in 1..=words.len() {
            let words = words.get(words.len() - count..).unwrap_or_default();
            let row = (0..=length)
                .map(|place| self.cost_from(place, words, &rows, surroundings))
                .collect();
            rows.0.push(row);
        }
        let whole = rows.cost(words.len(), 0);
        let Some(&Piece { end, is_whole, .. }) = self.pieces.first() else {
            return whole;
        };
        if words.iter().any(|word| word.is_silent) {
            return whole;
        }
        let shortest = if is_whole { end } else { 1 };
        (shortest..=end)
            .filter_map(|cut| {
                let rest = rows.cost(words.len(), cut);
                let table = || surroundings.cost(self.letters(0, cut), cut == end);
                (rest != IMPOSSIBLE && cut < length)
                    .then(table)?
                    .map(|own| own + rest)
            })
            .fold(whole, u32::min)
    }

    /// Returns the cost of the letters from a position on as these words.
    fn cost_from(
        &self,
        place: usize,
        words: &[Word],
        rows: &Rows,
        surroundings: &Surroundings,
    ) -> u32 {
        let Some((word, after)) = words.split_first() else {
            return IMPOSSIBLE;
        };
        let mut least = IMPOSSIBLE;
        let mut offer = |own: u32, rest: u32| least = least.min(rest.saturating_add(own));
        if word.is_filler {
            offer(cost::SILENT, rows.cost(after.len(), place));
        } else if word.is_silent {
            offer(cost::TABLE, rows.cost(after.len(), place));
        }
        let Some(&Piece { start, end, .. }) = self.pieces.get(place) else {
            return least;
        };
        let full = place + word.letters.len();
        if full > end && self.letters(place, full) == word.letters {
            offer(cost::SILENT, rows.cost(after.len(), full));
        }
        for cut in place + 1..=end {
            let rest = rows.cost(after.len(), cut);
            let own = (rest != IMPOSSIBLE).then(|| self.cost_of(place, cut, word, surroundings));
            if let Some(own) = own.flatten() {
                offer(own + if cut == end { 0 } else { cost::CUT }, rest);
            }
        }
        if place == start {
            for (own, count) in initials(self.letters(start, end), words) {
                offer(own, rows.cost(words.len() - count, end));
            }
        }
        least
    }

    /// Returns the cost of a range of letters as a word; `None` if it cannot be the word at this
    /// position.
    fn cost_of(
        &self,
        from: usize,
        to: usize,
        word: &Word,
        surroundings: &Surroundings,
    ) -> Option<u32> {
        let letters = self.letters(from, to);
        let own = word.cost(letters).filter(|own| *own > 0);
        let Some(own) = own else {
            return (letters == word.letters).then_some(0);
        };
        let &Piece {
            start,
            end,
            is_whole,
        } = self.pieces.get(from)?;
        let part = to - from < end - start;
        // The last letter of a part continues the word and does not begin another one: `r` of
        // `constructor`.
        let goes_on = to + 1 == end && to - from > 2 && {
            let longer = self.letters(from, end);
            word.letters.starts_with(longer)
        };
        if goes_on || part && is_whole {
            return None;
        }
        let means_table = || {
            from == 0
                && surroundings.cost(letters, to == end).is_some()
                && !surroundings.has(&word.letters)
        };
        (own < cost::TWO_LETTERS || !means_table()).then_some(own)
    }
}

/// Returns true if a part is a word by itself. `uid` is in the vocabulary, but means `user id`.
fn is_whole(piece: &str, surroundings: &Surroundings) -> bool {
    let table = || piece.len() > 2 && surroundings.cost(piece, true).is_some();
    piece != "uid" && (is_word(piece) || synonyms::canonical(piece).is_some() || table())
}

/// The costs of the letters from each position on, as the last words of a phrase: none of them,
/// one, two, …
struct Rows(Vec<Vec<u32>>);

impl Rows {
    fn cost(&self, words: usize, place: usize) -> u32 {
        let row = self.0.get(words);
        row.and_then(|row| row.get(place))
            .copied()
            .unwrap_or(IMPOSSIBLE)
    }
}

/// Returns the number of words for which a part has the initials, with and without fillers, and the
/// cost.
fn initials(piece: &str, words: &[Word]) -> impl Iterator<Item = (u32, usize)> {
    let count = |with_fillers: bool| {
        let mut letters = piece.bytes().peekable();
        let mut count = 0;
        for word in words {
            let Some(letter) = letters.peek() else { break };
            let fits = word.letters.bytes().next() == Some(*letter);
            if fits && (with_fillers || !word.is_filler) {
                letters.next();
            } else if !word.is_filler {
                return None;
            }
            count += 1;
        }
        letters.peek().is_none().then_some(count)
    };
    let own = match piece.len() {
        0 | 1 => None,
        _ if is_word(piece) => None,
        2 => Some(cost::TWO_INITIALS),
        _ => Some(cost::INITIALS),
    };
    let counts = own.map(|own| [true, false].map(|fillers| Some((own, count(fillers)?))));
    counts.into_iter().flatten().flatten()
}
