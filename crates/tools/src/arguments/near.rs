//! Names that are similar to a wrong name. Accents are ignored: `ano` suggests `año`.

use crate::limits::MAX_NEAR_PARAMETERS;
use base::limits::MAX_COMPARED_CHARACTERS;
use base::nearest;

/// Groups: a letter, followed by the same letter with accents.
const ACCENTED: &str = "aàáâãäåāăą cçćĉċč dďđð eèéêëēĕėęě gĝğġģ hĥħ iìíîïĩīĭįı jĵ kķ lĺļľŀł nñńņňŉ \
    oòóôõöøōŏő rŕŗř sśŝşšß tţťŧ uùúûüũūŭůűų wŵ yýÿŷ zźżž AÀÁÂÃÄÅĀĂĄ CÇĆĈĊČ EÈÉÊËĒĔĖĘĚ IÌÍÎÏĨĪĬĮİ \
    NÑŃŅŇ OÒÓÔÕÖØŌŎŐ UÙÚÛÜŨŪŬŮŰŲ";

/// Returns the names nearest to a name. Only the first names are compared.
pub(super) fn near<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let plain: Vec<(String, &str)> = names
        .take(MAX_NEAR_PARAMETERS)
        .map(|name| (without_accents(name), name))
        .collect();
    nearest(
        &without_accents(wanted),
        plain.iter().map(|(plain, _)| plain.as_str()),
    )
    .iter()
    .filter_map(|found| plain.iter().find(|(plain, _)| plain == found))
    .map(|(_, name)| (*name).to_owned())
    .collect()
}

/// Removes accents. Reads one character more than may be compared, so that a name that is too long
/// to be compared is still recognised as too long.
fn without_accents(name: &str) -> String {
    name.chars()
        .take(MAX_COMPARED_CHARACTERS + 1)
        // Combining accents, which follow their letter.
        .filter(|character| !('\u{300}'..='\u{36f}').contains(character))
        .map(|character| {
            let mut words = ACCENTED.split_whitespace();
            let known = words.find(|word| !character.is_ascii() && word.contains(character));
            known
                .and_then(|word| word.chars().next())
                .unwrap_or(character)
        })
        .collect()
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
