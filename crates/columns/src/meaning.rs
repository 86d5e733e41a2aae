//! The analysis of a name: its canonical words, the concept that they end with, its qualifiers, a
//! unit.

use super::concepts::{self, Concept};
use super::{synonyms, vocabulary};
use base::words;

/// An analysed name.
#[derive(Debug, Clone, Default)]
pub(super) struct Meaning {
    /// The words as written, in lower case.
    pub(super) spelt: Vec<String>,
    /// The canonical words in reading order, without the unit. Empty if the name has no words.
    pub(super) words: Vec<String>,
    /// The unit at the end of the name.
    pub(super) unit: Option<String>,
    /// The concept, if one is recognised.
    pub(super) concept: Option<&'static Concept>,
    /// The other words, sorted: all except those of the concept or, if there is no concept, all
    /// except the last.
    pub(super) qualifiers: Vec<String>,
    /// True if the last word as written is a plural.
    pub(super) plural: bool,
}

impl Meaning {
    /// Analyses a name of any length and content. A name without words has an empty meaning.
    pub(super) fn parse(name: &str) -> Self {
        let spelt = words::split(name);
        let plural = spelt.last().is_some_and(|word| is_plural(word));
        let counted_total = plural && spelt.first().is_some_and(|word| word == "total");
        let mut canonical = replace_phrases(
            spelt
                .iter()
                .flat_map(|word| canonical_words(word))
                .collect(),
        );
        let unit = take_unit(&mut canonical);
        arrange(&mut canonical, counted_total);
        let (concept, qualifiers) = find_concept(&canonical);
        Self {
            spelt,
            words: canonical,
            unit,
            concept,
            qualifiers,
            plural,
        }
    }

    /// Returns true if the name ends with the participle of an event: `created`, `last_modified`.
    /// Such a column may be a date or a flag.
    pub(super) fn happened(&self) -> bool {
        let last = self.words.last().map(String::as_str).unwrap_or_default();
        synonyms::EVENTS.contains(&last)
            && self
                .spelt
                .last()
                .is_some_and(|word| word.ends_with("ed") && word != last)
    }

    /// Returns the canonical words in sorted order.
    pub(super) fn sorted_words(&self) -> Vec<&str> {
        let mut sorted: Vec<&str> = self.words.iter().map(String::as_str).collect();
        sorted.sort_unstable();
        sorted
    }
}

fn is_plural(word: &str) -> bool {
    synonyms::canonical(word).is_none_or(|form| word.starts_with(form))
        && words::singular(word).is_some()
        && (word != "sales" && word != "series" && word != "species" && word != "news")
}

/// Returns the canonical words of one word: an abbreviation is expanded, a plural becomes singular,
/// a compound of known words is split.
fn canonical_words(word: &str) -> Vec<String> {
    let own = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    if let Some(form) = synonyms::canonical(word) {
        return own(form);
    }
    if vocabulary::is_known(word) {
        return vec![word.to_owned()];
    }
    if let Some(singular) = words::singular(word) {
        return own(synonyms::canonical(&singular).unwrap_or(&singular));
    }
    match compound(word) {
        Some((first, second)) => [first, second]
            .iter()
            .flat_map(|part| own(synonyms::canonical(part).unwrap_or(part)))
            .collect(),
        None => vec![word.to_owned()],
    }
}

/// Splits `pubdate` into `pub` and `date`: two known words, the first with at least three letters,
/// the second with at least two.
fn compound(word: &str) -> Option<(&str, &str)> {
    let known = |part: &str| vocabulary::is_known(part);
    (3..word.len().saturating_sub(1))
        .filter_map(|place| word.split_at_checked(place))
        .find(|(first, second)| {
            known(first) && (known(second) && second.len() > 2 || *second == "id")
        })
}

fn replace_phrases(mut words: Vec<String>) -> Vec<String> {
    for (from, to) in synonyms::PHRASES {
        if let Some(place) = words
            .windows(from.len())
            .position(|run| run.iter().zip(*from).all(|(word, part)| word == part))
        {
            words.splice(
                place..place + from.len(),
                to.iter().map(|&word| word.to_owned()),
            );
        }
    }
    words
}

/// Removes a unit such as `in lbs` from the end. `min` means minutes after a time
/// (`running_time_min`), otherwise a minimum (`temp_min`); `g` means grams after a mass only.
fn take_unit(words: &mut Vec<String>) -> Option<String> {
    let measures = |heads: &[&str]| {
        words
            .iter()
            .rev()
            .skip(1)
            .take(2)
            .any(|word| heads.contains(&word.as_str()))
    };
    let (time, mass) = (
        measures(&["time", "duration", "delay"]),
        measures(&["mass", "weight", "dose"]),
    );
    let unit = words.pop_if(|word| match word.as_str() {
        "min" => time,
        "g" => mass,
        other => synonyms::UNITS.contains(&other),
    });
    if words.is_empty() {
        words.extend(unit);
        return None;
    }
    if unit.is_some() && words.len() > 1 {
        words.pop_if(|word| word == "in");
    }
    unit
}

/// Moves the head to the end: `date of birth`, `number of views`, `n_views`, `created_at`,
/// `is_active`.
fn arrange(words: &mut Vec<String>, counted_total: bool) {
    let before_last = words
        .len()
        .checked_sub(2)
        .and_then(|place| words.get(place))
        .cloned()
        .unwrap_or_default();
    let happened = synonyms::EVENTS.contains(&before_last.as_str());
    if let Some(last) = words.last_mut().filter(|_| !before_last.is_empty()) {
        match last.as_str() {
            "at" => "timestamp".clone_into(last),
            "on" if happened => "date".clone_into(last),
            "no" => "number".clone_into(last),
            _ => {}
        }
    }
    if let Some(place) = words
        .iter()
        .position(|word| word == "of")
        .filter(|place| *place > 0 && place + 1 < words.len())
    {
        let mut tail = words.split_off(place + 1);
        words.truncate(place);
        match words.as_slice() {
            [only] if only == "number" || only == "no" => tail.push("count".to_owned()),
            _ => tail.append(words),
        }
        *words = tail;
    } else if words.len() > 1 {
        let counted = words
            .last()
            .is_some_and(|word| synonyms::COUNTED.contains(&word.as_str()));
        match words.first().map(String::as_str) {
            Some("number" | "n" | "count") => move_first_to_end(words, "count"),
            Some("total") if counted && counted_total => move_first_to_end(words, "count"),
            Some("is" | "the") => drop(words.remove(0)),
            _ => {}
        }
    }
}

fn move_first_to_end(words: &mut [String], head: &str) {
    words.rotate_left(1);
    if let Some(last) = words.last_mut() {
        head.clone_into(last);
    }
}

/// Returns the concept and its qualifiers. A date or an identifier may also come first:
/// `date_published`, `id_patient`.
fn find_concept(words: &[String]) -> (Option<&'static Concept>, Vec<String>) {
    let (concept, mut qualifiers) = match concepts::ending(words) {
        Some((concept, length)) => (
            Some(concept),
            words
                .get(..words.len() - length)
                .unwrap_or_default()
                .to_vec(),
        ),
        None => match words.split_first() {
            Some((first, rest))
                if !rest.is_empty()
                    && ["date", "id", "timestamp", "year"].contains(&first.as_str()) =>
            {
                (concepts::named(first), rest.to_vec())
            }
            _ => (
                None,
                words
                    .get(..words.len().saturating_sub(1))
                    .unwrap_or_default()
                    .to_vec(),
            ),
        },
    };
    qualifiers.sort_unstable();
    (concept, qualifiers)
}

#[cfg(test)]
mod tests {
    use super::Meaning;

    fn check(name: &str, words: &str, concept: Option<&str>, qualifiers: &str) {
        let meaning = Meaning::parse(name);
        assert_eq!(meaning.words.join(" "), words, "{name}");
        assert_eq!(
            meaning.concept.map(|concept| concept.name),
            concept,
            "{name}"
        );
        assert_eq!(meaning.qualifiers.join(" "), qualifiers, "{name}");
    }

    #[test]
    fn spellings_of_one_idea_have_one_meaning() {
        for name in [
            "publication_date",
            "pubDate",
            "pubdate",
            "PUB_DT",
            "publishedOn",
            "date of publication",
        ] {
            check(name, "publication date", Some("date"), "publication");
        }
        for name in [
            "citation_count",
            "num_citations",
            "n_citations",
            "number of citations",
            "citedByCount",
            "total_citations",
            "count_citations",
        ] {
            check(name, "citation count", Some("count"), "citation");
        }
        for name in ["dob", "date_of_birth", "birthDate", "birthday"] {
            check(name, "birth date", Some("date"), "birth");
        }
    }

    #[test]
    fn a_head_may_come_first_and_a_unit_last() {
        check(
            "date_published",
            "date publication",
            Some("date"),
            "publication",
        );
        check("id_patient", "id patient", Some("id"), "patient");
        check("Weight_in_lbs", "weight", Some("weight"), "");
        assert_eq!(
            Meaning::parse("Running_Time_min").unit.as_deref(),
            Some("min")
        );
        check("kg", "kg", None, "");
        check("no_show", "no show", None, "no");
        check("pmid", "pmid", None, "");
    }
}
