//! Names near to one that is wrong. Accents are looked past where nothing else is near: `ano` means `año`.

use crate::limits::MAX_NEAR_PARAMETERS;
use base::limits::MAX_COMPARED_CHARACTERS;
use base::nearest;

/// Letters with accents, by the letter without.
const ACCENTED: [(&str, char); 26] = [
    ("àáâãäåāăą", 'a'),
    ("çćĉċč", 'c'),
    ("ďđð", 'd'),
    ("èéêëēĕėęě", 'e'),
    ("ĝğġģ", 'g'),
    ("ĥħ", 'h'),
    ("ìíîïĩīĭįı", 'i'),
    ("ĵ", 'j'),
    ("ķ", 'k'),
    ("ĺļľŀł", 'l'),
    ("ñńņňŉ", 'n'),
    ("òóôõöøōŏő", 'o'),
    ("ŕŗř", 'r'),
    ("śŝşšß", 's'),
    ("ţťŧ", 't'),
    ("ùúûüũūŭůűų", 'u'),
    ("ŵ", 'w'),
    ("ýÿŷ", 'y'),
    ("źżž", 'z'),
    ("ÀÁÂÃÄÅĀĂĄ", 'A'),
    ("ÇĆĈĊČ", 'C'),
    ("ÈÉÊËĒĔĖĘĚ", 'E'),
    ("ÌÍÎÏĨĪĬĮİ", 'I'),
    ("ÑŃŅŇ", 'N'),
    ("ÒÓÔÕÖØŌŎŐ", 'O'),
    ("ÙÚÛÜŨŪŬŮŰŲ", 'U'),
];

/// The names nearest to one, the first of them compared.
pub(super) fn near<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let names: Vec<&str> = names.take(MAX_NEAR_PARAMETERS).collect();
    let found = nearest(wanted, names.iter().copied());
    if !found.is_empty() || wanted.is_ascii() && names.iter().all(|name| name.is_ascii()) {
        return found;
    }
    let Some(wanted) = without_accents(wanted) else {
        return found;
    };
    let plain: Vec<(String, &str)> = names
        .into_iter()
        .filter_map(|name| Some((without_accents(name)?, name)))
        .collect();
    nearest(&wanted, plain.iter().map(|(plain, _)| plain.as_str()))
        .iter()
        .filter_map(|found| plain.iter().find(|(plain, _)| plain == found))
        .map(|(_, name)| (*name).to_owned())
        .collect()
}

/// None of a name that is too long to be compared.
fn without_accents(name: &str) -> Option<String> {
    if name.chars().nth(MAX_COMPARED_CHARACTERS).is_some() {
        return None;
    }
    let plain = name
        .chars()
        // Accents that stand behind their letter.
        .filter(|character| !('\u{300}'..='\u{36f}').contains(character))
        .map(|character| {
            let known = ACCENTED
                .iter()
                .find(|(letters, _)| !character.is_ascii() && letters.contains(character));
            known.map_or(character, |(_, plain)| *plain)
        });
    Some(plain.collect())
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn accents_are_looked_past_where_nothing_else_is_near() {
        for (wanted, names, expected) in [
            ("ano", ["año", "query"], "año"),
            ("año", ["ano", "query"], "ano"),
            ("an\u{303}o", ["año", "query"], "año"),
            ("cle", ["clé", "query"], "clé"),
            ("qurey", ["año", "query"], "query"),
        ] {
            assert_eq!(near(wanted, names.into_iter()), [expected], "{wanted}");
        }
        assert_eq!(near("zebra", ["año", "query"].into_iter()), [""; 0]);
        let long = "é".repeat(1_000_000);
        assert_eq!(near(&long, ["e", "é"].into_iter()), [""; 0]);
    }
}
