//! Words for values that are stored in another form: `Japanese` means rows with the country Japan,
//! and `women` means rows with the sex `F`.

use crate::lexicon::{Words, of};

/// Adjectives of countries, each with the names and codes under which the country is stored.
const COUNTRIES: &[(&str, &[&str])] = &[
    (
        "american",
        &[
            "usa",
            "us",
            "united states",
            "united states of america",
            "u.s.a.",
            "america",
        ],
    ),
    ("argentine", &["argentina", "ar"]),
    ("argentinian", &["argentina", "ar"]),
    ("australian", &["australia", "au"]),
    ("austrian", &["austria", "at"]),
    ("belgian", &["belgium", "be"]),
    ("brazilian", &["brazil", "br"]),
    (
        "british",
        &["united kingdom", "uk", "great britain", "gb", "britain"],
    ),
    ("bulgarian", &["bulgaria", "bg"]),
    ("canadian", &["canada", "ca"]),
    ("chilean", &["chile", "cl"]),
    ("chinese", &["china", "cn"]),
    ("colombian", &["colombia", "co"]),
    ("croatian", &["croatia", "hr"]),
    ("cuban", &["cuba", "cu"]),
    ("czech", &["czech republic", "czechia", "cz"]),
    ("danish", &["denmark", "dk"]),
    (
        "dutch",
        &["netherlands", "the netherlands", "nl", "holland"],
    ),
    ("egyptian", &["egypt", "eg"]),
    ("english", &["england"]),
    ("estonian", &["estonia", "ee"]),
    ("european", &["europe"]),
    ("finnish", &["finland", "fi"]),
    ("french", &["france", "fr"]),
    ("german", &["germany", "de"]),
    ("greek", &["greece", "gr"]),
    ("hungarian", &["hungary", "hu"]),
    ("icelandic", &["iceland", "is"]),
    ("indian", &["india"]),
    ("indonesian", &["indonesia"]),
    ("irish", &["ireland", "ie"]),
    ("israeli", &["israel", "il"]),
    ("italian", &["italy"]),
    ("japanese", &["japan", "jp"]),
    ("kenyan", &["kenya", "ke"]),
    (
        "korean",
        &["south korea", "korea", "republic of korea", "kr"],
    ),
    ("latvian", &["latvia", "lv"]),
    ("lithuanian", &["lithuania", "lt"]),
    ("mexican", &["mexico", "mx"]),
    ("moroccan", &["morocco", "ma"]),
    ("nigerian", &["nigeria", "ng"]),
    ("norwegian", &["norway", "no"]),
    ("pakistani", &["pakistan", "pk"]),
    ("peruvian", &["peru", "pe"]),
    ("polish", &["poland", "pl"]),
    ("portuguese", &["portugal", "pt"]),
    ("romanian", &["romania", "ro"]),
    ("russian", &["russia", "russian federation", "ru"]),
    ("scottish", &["scotland"]),
    ("serbian", &["serbia", "rs"]),
    ("slovak", &["slovakia", "sk"]),
    ("slovenian", &["slovenia", "si"]),
    ("spanish", &["spain", "es"]),
    ("swedish", &["sweden", "se"]),
    ("swiss", &["switzerland", "ch"]),
    ("thai", &["thailand", "th"]),
    ("turkish", &["turkey", "türkiye", "tr"]),
    ("ukrainian", &["ukraine", "ua"]),
    ("venezuelan", &["venezuela", "ve"]),
    ("vietnamese", &["vietnam", "viet nam", "vn"]),
    ("welsh", &["wales"]),
];

/// Words for a sex, and the other words by which columns store it.
const SEXES: &[(&str, &[&str])] = &[
    ("female", &["f"]),
    ("females", &["f"]),
    ("male", &["m"]),
    ("males", &["m"]),
    ("man", &["male", "m"]),
    ("men", &["male", "m"]),
    ("woman", &["female", "f"]),
    ("women", &["female", "f"]),
];

/// Words of columns that hold countries.
const COLUMNS: Words = Words("country nation nationality origin");

/// Returns the names and codes of the country of an adjective.
pub(crate) fn countries_of(adjective: &str) -> &'static [&'static str] {
    of(COUNTRIES, adjective).unwrap_or_default()
}

/// Returns the other words by which columns store the sex that a word names.
pub(crate) fn sexes_of(word: &str) -> &'static [&'static str] {
    of(SEXES, word).unwrap_or_default()
}

/// Returns true for a column whose name has the words of a sex.
pub(crate) fn holds_sexes(words: &[String]) -> bool {
    words.iter().any(|word| word == "sex" || word == "gender")
}

/// Returns true if a word is the name of a country.
pub(crate) fn is_country(word: &str) -> bool {
    let word = word.to_lowercase();
    word.len() > 2
        && COUNTRIES
            .iter()
            .any(|(_, names)| names.contains(&word.as_str()))
}

/// Returns true if a column with these words in its name holds countries.
pub(crate) fn holds_countries(words: &[String]) -> bool {
    COLUMNS.has_one_of(words)
}
