//! Forms of English words: the singular of a noun, the stems of a verb.

use base::words;

use crate::lexicon::Words;

/// Irregular plurals with their singular, and words that only look like plurals.
const NOUNS: &[(&str, &str)] = &[
    ("aliases", "alias"),
    ("analyses", "analysis"),
    ("buses", "bus"),
    ("children", "child"),
    ("criteria", "criterion"),
    ("data", "data"),
    ("diagnoses", "diagnosis"),
    ("feet", "foot"),
    ("indices", "index"),
    ("men", "man"),
    ("mice", "mouse"),
    ("movies", "movie"),
    ("news", "news"),
    ("people", "person"),
    ("persons", "person"),
    ("sales", "sales"),
    ("series", "series"),
    ("species", "species"),
    ("statuses", "status"),
    ("synopses", "synopsis"),
    ("was", "was"),
    ("women", "woman"),
];

/// Irregular forms of verbs, with their stem.
const VERBS: &[(&str, &str)] = &[
    ("bought", "buy"),
    ("came", "come"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("drew", "draw"),
    ("drawn", "draw"),
    ("drove", "drive"),
    ("driven", "drive"),
    ("gave", "give"),
    ("given", "give"),
    ("got", "get"),
    ("held", "hold"),
    ("led", "lead"),
    ("left", "leave"),
    ("lent", "lend"),
    ("let", "let"),
    ("made", "make"),
    ("paid", "pay"),
    ("ran", "run"),
    ("saw", "see"),
    ("seen", "see"),
    ("sent", "send"),
    ("sold", "sell"),
    ("spent", "spend"),
    ("sung", "sing"),
    ("taken", "take"),
    ("taught", "teach"),
    ("took", "take"),
    ("went", "go"),
    ("won", "win"),
    ("written", "write"),
    ("wrote", "write"),
];

/// Returns a word in the form in which nouns are compared: lower case, singular.
pub(crate) fn lemma(word: &str) -> String {
    let known = NOUNS.iter().find(|(plural, _)| *plural == word);
    match known {
        Some((_, singular)) => (*singular).to_owned(),
        // `salespeople`
        None if word.ends_with("people") => word.replace("people", "person"),
        None => words::singular(word).unwrap_or_else(|| word.to_owned()),
    }
}

/// Plurals that a word may have.
pub(crate) fn plurals(word: &str) -> Vec<String> {
    let known = NOUNS.iter().filter(|(_, singular)| *singular == word);
    let mut found: Vec<String> = known.map(|(plural, _)| (*plural).to_owned()).collect();
    found.extend([format!("{word}s"), format!("{word}es")]);
    found.extend(word.strip_suffix('y').map(|stem| format!("{stem}ies")));
    found
}

/// Nouns for several things whose form does not show it.
const COLLECTIVE: Words = Words("cattle crew data people personnel police poultry sheep staff");

/// Returns true if a word is a plural noun by its form, or a noun for several things.
pub(crate) fn is_plural(word: &str) -> bool {
    lemma(word) != word || COLLECTIVE.contains(word)
}

/// Returns the words that `word` may be a form of, itself first: `ordered` is `order`, `cancelled`
/// is `cancel`.
pub(crate) fn stems(word: &str) -> Vec<String> {
    let mut stems = vec![word.to_owned()];
    if let Some((_, stem)) = VERBS.iter().find(|(form, _)| *form == word) {
        stems.push((*stem).to_owned());
    }
    for ending in ["ed", "ing", "es", "s"] {
        let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() > 2) else {
            continue;
        };
        stems.push(stem.to_owned());
        if ending == "ed" || ending == "ing" {
            stems.push(format!("{stem}e"));
            let mut ends = stem.chars().rev();
            let (last, before) = (ends.next(), ends.next());
            if last == before {
                stems.push(stem.chars().take(stem.chars().count() - 1).collect());
            }
            if let Some(short) = stem.strip_suffix('i') {
                stems.push(format!("{short}y"));
            }
        }
    }
    stems
}

/// Returns true if the word has the form of something that happened: `hired`, `born`, `sold`.
pub(crate) fn is_participle(word: &str) -> bool {
    let irregular = ["born", "due", "begun", "opened"];
    word.len() > 3 && word.ends_with("ed")
        || irregular.contains(&word)
        || VERBS.iter().any(|(form, _)| *form == word)
}

/// Returns the nouns for somebody who does what a verb says, from its stem: `manager`.
pub(crate) fn doers(stem: &str) -> [String; 3] {
    ["er", "or", "r"].map(|ending| format!("{stem}{ending}"))
}

#[cfg(test)]
mod tests {
    use super::{lemma, stems};

    #[test]
    fn nouns_have_a_singular() {
        for (plural, singular) in [
            ("people", "person"),
            ("diagnoses", "diagnosis"),
            ("cities", "city"),
            ("movies", "movie"),
            ("status", "status"),
        ] {
            assert_eq!(lemma(plural), singular);
        }
    }

    #[test]
    fn verbs_have_their_stem() {
        for (form, stem) in [
            ("ordered", "order"),
            ("cancelled", "cancel"),
            ("hired", "hire"),
            ("bought", "buy"),
            ("studied", "study"),
            ("rating", "rate"),
        ] {
            assert!(stems(form).iter().any(|found| found == stem), "{form}");
        }
    }
}
