//! Whether a column abbreviates a name: `acc_bal` is `account balance`, `DName` is `department name`.
//!
//! Every letter of the column stands for a word of the name, in the name's order, and every word of the name is in the column. A word
//! is abbreviated by its first letters (`acc`), by its consonants (`crs` for course), by most of its letters, by its initial (`D`) or
//! in a standard way (`qty`); several words are abbreviated by their initials (`dob`). A word may end anywhere (`empno`).
//!
//! The table says the rest. Its own name is silent: a name may have it and the column not (`customer id` is `id` of `customers`), and
//! the other way round (`sname` of `sailors` is `name`). What all columns start with, and the table's own initial, mean the table
//! and nothing else (`c_name` of `customer` is not `country name`). A word that stands in the column in full is not cut up.
//!
//! The result is a cost: 0 for a column written in full, and more for each word the less of it is left. `crates/columns/tests/it/reach.rs`
//! measures what the costs achieve. Names outside ASCII have no abbreviations.

use super::{synonyms, vocabulary};
use base::words;

/// Words of a name, and letters of a name or column, above which there is no abbreviation. They bound the work.
const MAX_WORDS: usize = 8;
const MAX_LETTERS: usize = 48;
/// The highest cost of an abbreviation: one word of several may be an initial, a single word may not.
pub(super) const MAX_COST: u32 = 62;
const MAX_COST_OF_ONE_WORD: u32 = 25;
/// The cost where there is no way to read the letters as the words.
const IMPOSSIBLE: u32 = u32::MAX;

/// What the ways to write words cost.
mod cost {
    /// Letters that the vocabulary has for the word: `qty`.
    pub(super) const STANDARD: u32 = 4;
    /// The first letters: four and more, and three.
    pub(super) const LONG_PREFIX: u32 = 8;
    pub(super) const PREFIX: u32 = 10;
    /// All consonants, the first of them, and some.
    pub(super) const CONSONANTS: u32 = 10;
    pub(super) const FIRST_CONSONANTS: u32 = 12;
    pub(super) const SOME_CONSONANTS: u32 = 18;
    /// Seven letters of ten, and fewer.
    pub(super) const MOST_LETTERS: u32 = 18;
    pub(super) const SOME_LETTERS: u32 = 26;
    pub(super) const TWO_LETTERS: u32 = 30;
    pub(super) const INITIAL: u32 = 40;
    /// The initials of two words, and of more.
    pub(super) const TWO_INITIALS: u32 = 50;
    pub(super) const INITIALS: u32 = 30;
    /// The table's name, and the same cut off from the letters that follow.
    pub(super) const TABLE: u32 = 15;
    pub(super) const TABLE_CUT: u32 = 24;
    /// What says nothing: `of` in a name, a piece that all columns start with, a sign between the letters of one word.
    pub(super) const SILENT: u32 = 1;
    /// Two words without a sign between them.
    pub(super) const CUT: u32 = 2;
    /// The last word first: `amt_credit`.
    pub(super) const TURNED: u32 = 15;
    /// More for letters that are standard for another word: `sec` for `section`.
    pub(super) const ANOTHER_WORD: u32 = 12;
}

/// Words that an abbreviation leaves out.
const FILLERS: &[&str] = &["and", "of", "or", "the"];
/// Endings that a word loses without becoming another.
const INFLECTIONS: &[&str] = &["d", "ed", "es", "ing", "s"];
/// Standard abbreviations that are words of their own elsewhere, and so not among the [`synonyms`].
const STANDARD: &[(&str, &str)] = &[
    ("mo", "month"),
    ("no", "number"),
    ("ph", "phone"),
    ("st", "street"),
];
/// Words of a table's name that do not name the thing in it.
const TABLE_WORDS: &[&str] = &[
    "data", "dim", "fact", "info", "list", "record", "table", "tb", "tbl",
];

/// What the table says about the names of its columns.
pub(super) struct Surroundings {
    /// The words of the table's name, in the singular.
    thing: Vec<Word>,
    /// The piece that all its columns start with, three at least.
    shared: Option<String>,
}

impl Surroundings {
    /// Reads the name of a table, empty where it is not known, and the pieces of its columns.
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

    /// The cost of letters at the start of a column that stand for the table's name.
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

    /// Whether a word of a name is one of the table's name.
    fn has(&self, word: &str) -> bool {
        let singular = words::singular(word);
        let singular = singular.as_deref().unwrap_or(word);
        self.thing.iter().any(|thing| thing.is_named_by(singular))
    }

    /// Whether words of a name say what a row is: the last word of the table's name is among them.
    fn is_said(&self, words: &[String]) -> bool {
        self.thing.last().is_some_and(|head| {
            words
                .iter()
                .any(|word| head.is_named_by(words::singular(word).as_ref().unwrap_or(word)))
        })
    }
}

/// A word and what its abbreviations are compared with.
struct Word {
    letters: String,
    /// The first letter and the consonants, double ones once.
    consonants: Vec<u8>,
    canonical: String,
    is_filler: bool,
    /// Whether the column may do without it, because the table's name has it.
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

    /// The cost of letters that stand for this word; 0 for the word itself.
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

    /// The cost of some of the letters, the first among them.
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

    /// Whether a word in the singular is this word of a table's name, which may be abbreviated or run on (`user` in `useracct`).
    fn is_named_by(&self, word: &str) -> bool {
        let name = self.letters.as_str();
        name == word
            || word.len() > 3 && name.starts_with(word)
            || name.len() > 2 && Self::new(word).cost(name).is_some()
    }
}

/// Whether letters mean something as they stand, so that they are no initials.
fn is_word(letters: &str) -> bool {
    let known = |word: &str| vocabulary::is_known(word) && synonyms::canonical(word).is_none();
    known(letters) || words::singular(letters).is_some_and(|singular| known(&singular))
}

/// Whether the letters are among the others, in the same order.
fn is_within(some: &[u8], all: &[u8]) -> bool {
    let mut rest = all.iter();
    some.iter()
        .all(|letter| rest.any(|another| another == letter))
}

/// The ways to say the name that is looked for, each with its cost.
pub(super) struct Phrases(Vec<(u32, Vec<Word>)>);

impl Phrases {
    /// A name by its words as written, by its canonical words, and with its last word first.
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
        // The table's name is silent at the start of a name only: `results` is not in `constructor results id`.
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

    /// The cost of a column as an abbreviation of the name; `None` where it is none.
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

/// The letters of a column, and its pieces.
struct Column {
    letters: String,
    /// The piece of each letter.
    pieces: Vec<Piece>,
}

#[derive(Clone, Copy)]
struct Piece {
    start: usize,
    end: usize,
    /// Whether it means something as a whole, so that it is not cut up.
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

    /// The cost of the column as these words, with or without the table's name before them.
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

    /// The cost of the letters from a place on as these words.
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

    /// The cost of a run of letters as a word, if it may stand for the word at this place.
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
        // The last letter of a piece goes on with the word rather than start another: `r` of `constructor`.
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

/// Whether a piece means something as a whole. `uid` is in the vocabulary and means `user id` all the same.
fn is_whole(piece: &str, surroundings: &Surroundings) -> bool {
    let table = || piece.len() > 2 && surroundings.cost(piece, true).is_some();
    piece != "uid" && (is_word(piece) || synonyms::canonical(piece).is_some() || table())
}

/// The costs of the letters from each place on, as the last words of a phrase: none of them, one, two, …
struct Rows(Vec<Vec<u32>>);

impl Rows {
    fn cost(&self, words: usize, place: usize) -> u32 {
        let row = self.0.get(words);
        row.and_then(|row| row.get(place))
            .copied()
            .unwrap_or(IMPOSSIBLE)
    }
}

/// How many words a piece has the initials of, with those of fillers and without, and the cost.
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
