//! Searches tools by words in names, titles, descriptions and parameters, with ranking.
//!
//! The score is BM25 over weighted fields: the weight of a word depends on its field and on the
//! number of tools that have it. A word matches as a whole in singular or plural, or with less
//! weight by its beginning or its stem; a name of several parts, such as ClinVar, is also one word.
//! A word that occurs nowhere counts as misspelt, and matches the words that are one or two letters
//! away. Tools with equal scores are sorted by server and name, so that the same query always gives
//! the same result. `parts` splits texts into words.
//!
//! Limits: only the first words of a query and the beginning of a description are used.

mod parts;

use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::Value;

use self::parts::{Part, each_part, each_word};
use crate::limits::{
    MAX_SEARCH_WORD_BYTES, MAX_SEARCH_WORDS, MAX_SEARCHED_DESCRIPTION_BYTES,
    MAX_SEARCHED_NOTE_BYTES, MAX_SEARCHED_PARAMETERS,
};
use base::{distance, words};
use mcp::Tool;

/// A tool that was found.
#[derive(Debug, Clone)]
pub struct Hit<'a> {
    /// Its server.
    pub server: &'a str,
    /// The tool.
    pub tool: &'a Tool,
    /// The score; comparable only within one search.
    pub score: f64,
}

/// Returns the tools that match a query, the best first; all tools in their order if the query has
/// no words.
pub fn search<'a>(query: &str, tools: impl Iterator<Item = (&'a str, &'a Tool)>) -> Vec<Hit<'a>> {
    let query = Query::parse(query);
    let mut hits: Vec<Hit<'a>> = tools
        .map(|(server, tool)| Hit {
            server,
            tool,
            score: 0.0,
        })
        .collect();
    if query.terms.is_empty() {
        return hits;
    }
    let mut found: Vec<Counts> = hits
        .iter()
        .map(|hit| {
            query.frequencies(hit, &mut |word, part, counts| {
                query.add_matches(word, part, counts);
            })
        })
        .collect();
    query.mend(&hits, &mut found);
    let rarities = query.rarities(&found);
    for (hit, frequencies) in hits.iter_mut().zip(&found) {
        hit.score = query.score(hit, frequencies, &rarities);
    }
    hits.retain(|hit| hit.score > 0.0);
    hits.sort_by(|one, other| {
        other
            .score
            .partial_cmp(&one.score)
            .unwrap_or(Ordering::Equal)
            .then_with(|| one.server.cmp(other.server))
            .then_with(|| one.tool.name.cmp(&other.tool.name))
    });
    hits
}

/// k1 of BM25, which limits the effect of repeated words; 1.2 to 2 are usual.
const SATURATION: f64 = 1.5;
/// b of BM25, the effect of the length of a field.
const LENGTH_WEIGHT: f64 = 0.6;
/// The bonus for the exact name of a tool, larger than any sum of words.
const EXACT_NAME: f64 = 1_000.0;
/// The bonus for a name whose words are all in the query.
const WHOLE_NAME: f64 = 1.0;

/// A field, its weight, and its usual number of words.
#[derive(Clone, Copy)]
struct Field {
    weight: f64,
    usual_words: f64,
}

const NAME: Field = Field {
    weight: 5.0,
    usual_words: 3.0,
};
const TITLE: Field = Field {
    weight: 3.0,
    usual_words: 4.0,
};
const SERVER: Field = Field {
    weight: 1.5,
    usual_words: 1.0,
};
const DESCRIPTION: Field = Field {
    weight: 2.0,
    usual_words: 15.0,
};
const PARAMETER: Field = Field {
    weight: 1.2,
    usual_words: 6.0,
};
const NOTE: Field = Field {
    weight: 0.5,
    usual_words: 20.0,
};

/// Words that say nothing about a tool.
const FILLERS: [&str; 40] = [
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "does",
    "for", "from", "given", "how", "i", "in", "is", "it", "me", "my", "of", "on", "or", "some",
    "that", "the", "these", "this", "to", "tool", "what", "which", "who", "with", "want", "you",
];

struct Query {
    terms: Vec<Term>,
    /// The query without separators, to recognise an exact name.
    folded: String,
}

struct Term {
    text: String,
    letters: usize,
}

impl Term {
    fn new(text: String) -> Self {
        Self {
            letters: text.chars().count(),
            text,
        }
    }
}

/// The match of a word with each term, from 0 to 1.
type Counts = [f64; MAX_SEARCH_WORDS];

impl Query {
    fn parse(query: &str) -> Self {
        let mut all: Vec<String> = Vec::new();
        let mut folded = String::new();
        let beginning = MAX_SEARCH_WORDS * MAX_SEARCH_WORD_BYTES;
        each_part(head(query, beginning), |word, part| {
            if part == Part::Word {
                folded.push_str(word);
            }
            let word = singular(word);
            if all.len() < MAX_SEARCH_WORDS && !all.contains(&word) {
                all.push(word);
            }
        });
        let said: Vec<String> = all
            .iter()
            .filter(|word| !FILLERS.contains(&word.as_str()))
            .cloned()
            .collect();
        let terms = if said.is_empty() { all } else { said };
        Self {
            terms: terms.into_iter().map(Term::new).collect(),
            folded,
        }
    }

    /// Counts the occurrences of each term in a tool, weighted by field and match.
    fn frequencies(&self, hit: &Hit<'_>, add: &mut impl FnMut(&str, Part, &mut Counts)) -> Counts {
        let mut sums = [0.0; MAX_SEARCH_WORDS];
        let tool = hit.tool;
        count(&mut sums, NAME, add, [tool.name.as_str()]);
        count(&mut sums, TITLE, add, tool.title.as_deref());
        count(&mut sums, SERVER, add, [hit.server]);
        let description = head(&tool.description, MAX_SEARCHED_DESCRIPTION_BYTES);
        count(&mut sums, DESCRIPTION, add, [description]);
        if let Some(Value::Object(properties)) = tool.input_schema.get("properties") {
            let names = properties.keys().take(MAX_SEARCHED_PARAMETERS);
            count(&mut sums, PARAMETER, add, names.map(String::as_str));
            let notes = properties
                .values()
                .take(MAX_SEARCHED_PARAMETERS)
                .filter_map(|property| property.get("description")?.as_str())
                .map(|note| head(note, MAX_SEARCHED_NOTE_BYTES));
            count(&mut sums, NOTE, add, notes);
        }
        sums
    }

    fn add_matches(&self, word: &str, part: Part, counts: &mut Counts) {
        for (term, count) in self.terms.iter().zip(counts) {
            let likeness = match_word(term, word);
            // A compound that only begins with the term would count twice, because its first word
            // has been counted.
            if part == Part::Word || likeness >= 1.0 {
                *count += likeness;
            }
        }
    }

    /// Searches again for terms that occur nowhere, now among similarly spelt words. Each different
    /// word is compared once.
    fn mend(&self, hits: &[Hit<'_>], found: &mut [Counts]) {
        let lost: Vec<(usize, &Term)> = self
            .terms
            .iter()
            .enumerate()
            .filter(|(place, _)| {
                found
                    .iter()
                    .all(|sums| sums.get(*place).is_none_or(|sum| *sum <= 0.0))
            })
            .collect();
        if lost.is_empty() {
            return;
        }
        let mut known: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut add = |word: &str, _: Part, counts: &mut Counts| {
            if !lost.iter().any(|(_, term)| may_be_misspelt(term, word)) {
                return;
            }
            if !known.contains_key(word) {
                let alike = lost
                    .iter()
                    .map(|(place, term)| (*place, match_misspelt(term, word)))
                    .filter(|(_, likeness)| *likeness > 0.0)
                    .collect();
                known.insert(word.to_owned(), alike);
            }
            for (place, likeness) in known.get(word).into_iter().flatten() {
                if let Some(count) = counts.get_mut(*place) {
                    *count += likeness;
                }
            }
        };
        for (hit, sums) in hits.iter().zip(found) {
            let alike = self.frequencies(hit, &mut add);
            for (sum, more) in sums.iter_mut().zip(alike) {
                *sum += more;
            }
        }
    }

    /// Returns the inverse document frequency of each term.
    fn rarities(&self, found: &[Counts]) -> Vec<f64> {
        let tools = as_float(found.len());
        (0..self.terms.len())
            .map(|place| {
                let having = found
                    .iter()
                    .filter(|sums| sums.get(place).is_some_and(|sum| *sum > 0.0))
                    .count();
                let having = as_float(having);
                (1.0 + (tools - having + 0.5) / (having + 0.5)).ln()
            })
            .collect()
    }

    fn score(&self, hit: &Hit<'_>, frequencies: &[f64], rarities: &[f64]) -> f64 {
        let mut score = 0.0;
        let mut matched = 0.0;
        for (frequency, rarity) in frequencies.iter().zip(rarities) {
            if *frequency > 0.0 {
                matched += 1.0;
                score += rarity * frequency * (SATURATION + 1.0) / (frequency + SATURATION);
            }
        }
        // A tool that has all words is a better match than one that often has one of them.
        score *= 0.4 + 0.6 * matched / as_float(self.terms.len());
        score + self.name_bonus(hit)
    }

    fn name_bonus(&self, hit: &Hit<'_>) -> f64 {
        let mut folded = String::new();
        let (mut wanted, mut strange) = (false, false);
        each_word(&hit.tool.name, |word| {
            folded.push_str(word);
            let word = singular(word);
            let is_term = self.terms.iter().any(|term| term.text == word);
            wanted |= is_term;
            strange |= !is_term && !FILLERS.contains(&word.as_str());
        });
        let mut with_server = String::new();
        each_word(hit.server, |word| with_server.push_str(word));
        with_server.push_str(&folded);
        if folded == self.folded || with_server == self.folded {
            EXACT_NAME
        } else if wanted && !strange {
            WHOLE_NAME
        } else {
            0.0
        }
    }
}

/// Adds the words of one field to the sums. In a long field each word counts less.
fn count<'t>(
    sums: &mut Counts,
    field: Field,
    add: &mut impl FnMut(&str, Part, &mut Counts),
    texts: impl IntoIterator<Item = &'t str>,
) {
    let mut words = 0.0;
    let mut counts = [0.0; MAX_SEARCH_WORDS];
    for text in texts {
        each_part(text, |word, part| {
            if part == Part::Word {
                words += 1.0;
            }
            add(word, part, &mut counts);
        });
    }
    let length = 1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * words / field.usual_words;
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += field.weight * count / length.max(0.5);
    }
}

/// Returns the match of a word: the word itself, in singular or plural; its beginning; the same
/// stem.
fn match_word(term: &Term, word: &str) -> f64 {
    let wanted = term.text.as_str();
    if word.as_bytes().first() != wanted.as_bytes().first() {
        return 0.0;
    }
    if word == wanted {
        return 1.0;
    }
    let common = common_bytes(word, wanted);
    if common < 3 {
        return 0.0;
    }
    let (shorter, longer) = (word.len().min(wanted.len()), word.len().max(wanted.len()));
    if longer - common <= 3 && singular(word) == wanted {
        return 1.0;
    }
    if common == shorter && word.len() > wanted.len() {
        // The term is the beginning of the word.
        return 0.7 * as_float(shorter) / as_float(longer);
    }
    let is_stem = common >= 5 && longer - common <= 4 && shorter - common <= 2;
    if is_stem { 0.6 } else { 0.0 }
}

/// Returns the number of letters that may be wrong: one of four to seven, two of more. Two swapped
/// neighbours count as one.
fn tolerated(term: &Term) -> usize {
    match term.letters {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// Returns true if a comparison is worthwhile: the length is similar, and the first letter is
/// correct, missing, added or swapped. This includes most misspellings and excludes most words.
fn may_be_misspelt(term: &Term, word: &str) -> bool {
    let (wanted, given) = (term.text.as_bytes(), word.as_bytes());
    // A letter has up to four bytes, and a plural ending has three.
    given.len().abs_diff(wanted.len()) <= tolerated(term) * 4 + 3
        && (given.first() == wanted.first()
            || given.first() == wanted.get(1)
            || given.get(1) == wanted.first())
}

/// Returns the match of a misspelt word, from 0 to 1.
fn match_misspelt(term: &Term, word: &str) -> f64 {
    let limit = tolerated(term);
    if limit == 0 || !may_be_misspelt(term, word) {
        return 0.0;
    }
    match distance::edits(&term.text, &singular(word), limit) {
        Some(0) => 1.0,
        Some(1) => 0.6,
        Some(_) => 0.4,
        None => 0.0,
    }
}

fn singular(word: &str) -> String {
    words::singular(word).unwrap_or_else(|| word.to_owned())
}

fn common_bytes(one: &str, other: &str) -> usize {
    one.bytes()
        .zip(other.bytes())
        .take_while(|(left, right)| left == right)
        .count()
}

/// Returns the beginning of a text, at most this many bytes.
fn head(text: &str, bytes: usize) -> &str {
    let end = text.floor_char_boundary(bytes);
    text.get(..end).unwrap_or(text)
}

fn as_float(number: usize) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers of tools and letters are small"
    )]
    let value = number as f64;
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_match_by_number_beginning_stem_and_misspelling() {
        let term = |text: &str| Term::new(text.to_owned());
        assert!((match_word(&term("paper"), "papers") - 1.0).abs() < 1e-9);
        assert!((match_word(&term("study"), "studies") - 1.0).abs() < 1e-9);
        assert!(match_word(&term("auth"), "author") > 0.3);
        assert!(match_word(&term("translation"), "translate") > 0.5);
        assert!(match_word(&term("interaction"), "interactive") > 0.5);
        assert!(match_word(&term("page"), "paper") < 1e-9);
        assert!(match_word(&term("international"), "interval") < 1e-9);
        assert!(match_misspelt(&term("auhtor"), "author") > 0.5);
        assert!(match_misspelt(&term("wether"), "weather") > 0.5);
        assert!(match_misspelt(&term("cat"), "car") < 1e-9);
    }
}
