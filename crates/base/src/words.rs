//! Splits names into words, whatever the convention: snake_case, camelCase, kebab-case, spaces.
//!
//! The work is bounded: a name longer than [`MAX_COMPARED_CHARACTERS`] has no words, and is only
//! compared as a whole.

use crate::limits::MAX_COMPARED_CHARACTERS;

/// Returns the words of a name in lower case, with digits separate from letters. Empty for a name
/// without letters and digits, and for one over the limit.
pub fn split(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().take(MAX_COMPARED_CHARACTERS + 1).collect();
    if characters.len() > MAX_COMPARED_CHARACTERS {
        return Vec::new();
    }
    let mut words = Vec::new();
    let mut word = String::new();
    let mut finish = |word: &mut String| {
        if !word.is_empty() {
            words.push(std::mem::take(word));
        }
    };
    for (place, &character) in characters.iter().enumerate() {
        let before = place
            .checked_sub(1)
            .and_then(|previous| characters.get(previous))
            .copied();
        if let Some(symbol) = symbol_word(character) {
            finish(&mut word);
            word.push_str(symbol);
            finish(&mut word);
        } else if !character.is_alphanumeric() {
            finish(&mut word);
        } else {
            if before.is_some_and(|before| {
                starts_word(
                    before,
                    character,
                    characters.get(place + 1..).unwrap_or_default(),
                )
            }) {
                finish(&mut word);
            }
            word.extend(character.to_lowercase());
        }
    }
    finish(&mut word);
    words
}

/// Returns a name without case and separators: names with the same result only differ in
/// convention. Empty if [`split`] is.
pub fn fold(name: &str) -> String {
    split(name).concat()
}

/// Returns the singular of an English noun, by its ending. Words that only look like plurals must
/// not be passed.
pub fn singular(word: &str) -> Option<String> {
    if word.len() < 4 || !word.is_ascii() {
        return None;
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return (stem.len() >= 2).then(|| format!("{stem}y"));
    }
    for ending in ["sses", "shes", "ches", "xes"] {
        if word.ends_with(ending) {
            return word.strip_suffix("es").map(str::to_owned);
        }
    }
    if ["ss", "us", "is"]
        .iter()
        .any(|ending| word.ends_with(ending))
    {
        return None;
    }
    word.strip_suffix('s').map(str::to_owned)
}

/// Returns the word for a sign with a meaning: `growth_%` is not `growth_$`.
fn symbol_word(character: char) -> Option<&'static str> {
    match character {
        '%' => Some("percent"),
        '#' => Some("number"),
        '$' => Some("usd"),
        '€' => Some("eur"),
        '£' => Some("gbp"),
        '+' => Some("plus"),
        _ => None,
    }
}

/// Returns true if a word begins at `character`: `pubDate`, `NCTId`, `address1`, but not the s of
/// `PMIDs`.
fn starts_word(before: char, character: char, after: &[char]) -> bool {
    if !before.is_alphanumeric() {
        return false;
    }
    if before.is_numeric() != character.is_numeric() {
        return true;
    }
    if !character.is_uppercase() {
        return false;
    }
    if before.is_lowercase() {
        return true;
    }
    let plural =
        after.first() == Some(&'s') && after.get(1).is_none_or(|next| !next.is_lowercase());
    !plural && after.first().is_some_and(|next| next.is_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{fold, singular, split};

    fn check(name: &str, expected: &[&str]) {
        assert_eq!(split(name), expected, "{name}");
    }

    #[test]
    fn every_naming_convention_gives_the_same_words() {
        for name in [
            "pub_date",
            "pubDate",
            "PubDate",
            "pub-date",
            "Pub Date",
            "PUB_DATE",
            "pub.date",
            "__pub__date__",
        ] {
            check(name, &["pub", "date"]);
        }
    }

    #[test]
    fn runs_of_capitals_digits_and_signs_are_words() {
        check("NCTId", &["nct", "id"]);
        check("HTTPServerURL", &["http", "server", "url"]);
        check("PMIDs", &["pmids"]);
        check("userIDsList", &["user", "ids", "list"]);
        check("address1", &["address", "1"]);
        check("growth_%", &["growth", "percent"]);
        check("Größe", &["größe"]);
        check("发表日期", &["发表日期"]);
        check("🙂 !", &[]);
        check("", &[]);
    }

    #[test]
    fn a_name_over_the_cap_has_no_words() {
        assert_eq!(fold(&"a".repeat(128)).len(), 128);
        assert_eq!(fold(&"a".repeat(129)), "");
    }

    #[test]
    fn plurals_lose_their_ending_and_look_alikes_do_not() {
        let pairs = [
            ("titles", "title"),
            ("countries", "country"),
            ("boxes", "box"),
            ("matches", "match"),
            ("classes", "class"),
        ];
        for (plural, expected) in pairs {
            assert_eq!(singular(plural).as_deref(), Some(expected));
        }
        for word in ["status", "class", "analysis", "gas", "title"] {
            assert_eq!(singular(word), None, "{word}");
        }
    }
}
