//! The words that the planner knows in every schema: words that ask for something, and fillers.
//!
//! The planner refuses a question with a word that is in no list here and is linked to nothing in
//! the schema. So a word may be a filler only if the result is the same without it.

/// Words, with blanks between them.
pub(crate) struct Words(pub(crate) &'static str);

impl Words {
    pub(crate) fn contains(&self, word: &str) -> bool {
        self.0.split_ascii_whitespace().any(|known| known == word)
    }

    /// Returns true if one of the words of a name is in the list.
    pub(crate) fn has_one_of(&self, words: &[String]) -> bool {
        words.iter().any(|word| self.contains(word))
    }
}

/// Phrases, with a comma between them.
pub(crate) struct Phrases(pub(crate) &'static str);

impl Phrases {
    pub(crate) fn iter(&self) -> impl Iterator<Item = Vec<&'static str>> {
        let phrases = self.0.split(',');
        phrases.map(|phrase| phrase.split_ascii_whitespace().collect())
    }
}

/// Fillers at the beginning of a question.
pub(crate) const OPENERS: Words = Words(
    "
     all and any are be can could did display do does every fetch find get give hello hey hi
     i in into is list me need now of ok okay on out please print return see show tell than
     the there to us want was we were what what's where's which who who's whom whose would
     you your
    ",
);

/// Fillers inside a question.
pub(crate) const CONNECTORS: Words = Words(
    "
     a all an any anyone anything are as at be been being by did during do does ever exist
     exists for from had has have having i in into is it its of on our respectively s someone
     something that the their there they these those to us was we were what where which who
     whom whose with you your
    ",
);

/// Words that join or deny.
pub(crate) const JUNCTIONS: Words = Words("and but if no nor not or per so than without");

/// Words for presence and absence.
pub(crate) const ABSENCE: Words =
    Words("containing had has have having lack lacking lacks no without with");

/// Texts that mean that there is no value, in upper or lower case. Blank text means it, too.
pub(crate) const NOTHING: &[&str] = &["none", "no"];

/// Verbs and nouns that only say that two things belong together.
pub(crate) const NEUTRAL: Words = Words(
    "
     appear associate base belong come connect contain database dataset entry get give go
     handle happen issue link live locate make mention occur offer operate own place receive
     record register relate reside row stand store study system take work
    ",
);

/// Verbs that stand for rows of a table, with the nouns that such a table may be called by: who
/// borrowed something has a row of `loans`.
pub(crate) const VERBS_OF_NOUNS: &[(&str, &[&str])] = &[
    ("borrow", &["loan", "rental", "checkout"]),
    ("buy", &["order", "purchase", "sale", "invoice"]),
    ("consult", &["appointment", "visit", "consultation"]),
    ("diagnose", &["diagnosis"]),
    ("lend", &["loan"]),
    ("loan", &["loan"]),
    ("order", &["order"]),
    ("prescribe", &["prescription"]),
    ("purchase", &["purchase", "order", "sale", "invoice"]),
    ("rate", &["rating", "review"]),
    ("rent", &["rental", "loan"]),
    ("review", &["review"]),
    ("see", &["appointment", "visit", "consultation"]),
    ("sell", &["sale", "order item", "order", "invoice"]),
    ("visit", &["visit", "appointment"]),
    ("write", &["author", "writer"]),
];

/// Verbs that say the value of a column.
pub(crate) const VERBS_OF_COLUMNS: &[(&str, &[&str])] = &[
    ("cost", PRICE),
    ("earn", &["salary", "wage", "income"]),
    ("last", LENGTH),
    ("make", &["salary", "wage"]),
    ("pay", &["total", "amount"]),
    ("spend", &["total", "amount"]),
    ("weigh", WEIGHT),
    ("worth", &["total", "value", "price"]),
];

/// Words for the rows of any table.
pub(crate) const ROW_WORDS: &[&str] = &["data point", "entry", "observation", "record", "row"];

/// Words for the rows of a table of people.
pub(crate) const PEOPLE_WORDS: &[&str] = &["human", "individual", "person"];

/// Words of columns that people have.
pub(crate) const OF_PEOPLE: Words = Words("birthday gender surname sex");

/// Other names of tables: the word of a question, and the words of tables.
pub(crate) const TABLE_SYNONYMS: &[(&str, &[&str])] = &[
    ("article", &["publication", "paper"]),
    ("buyer", &["customer"]),
    ("client", &["customer"]),
    ("film", &["movie"]),
    ("paper", &["publication", "article"]),
    ("passenger", &["titanic"]),
    ("physician", &["doctor"]),
    ("purchase", &["order"]),
    ("staff", &["employee"]),
    ("study", &["trial"]),
    ("victim", &["death", "homicide", "murder"]),
    ("worker", &["employee"]),
];

/// Titles in front of a name, and the table of whom they are.
pub(crate) const TITLES: &[(&str, &str)] = &[("dr", "doctor"), ("prof", "professor")];

/// True if a value grows or falls along the ranking that an adjective asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Most,
    Least,
}

impl Direction {
    pub(crate) fn reverse(self) -> Self {
        match self {
            Self::Most => Self::Least,
            Self::Least => Self::Most,
        }
    }
}

/// An adjective with its comparative and superlative, the direction, and the columns that it
/// measures, by meaning.
pub(crate) struct Adjective {
    pub(crate) positive: &'static str,
    pub(crate) comparative: &'static str,
    pub(crate) superlative: &'static str,
    pub(crate) direction: Direction,
    pub(crate) columns: &'static [&'static str],
}

const fn adjective(
    forms: [&'static str; 3],
    direction: Direction,
    columns: &'static [&'static str],
) -> Adjective {
    let [positive, comparative, superlative] = forms;
    Adjective {
        positive,
        comparative,
        superlative,
        direction,
        columns,
    }
}

const PRICE: &[&str] = &["price", "unit price", "list price", "cost", "fee"];
pub(crate) const LENGTH: &[&str] = &[
    "runtime",
    "run time",
    "running time",
    "duration",
    "length",
    "pages",
    "days",
    "milliseconds",
    "seconds",
    "minutes",
];
const WEIGHT: &[&str] = &["weight"];
const HEIGHT: &[&str] = &["height"];
const AGE: &[&str] = &["age"];

/// Adjectives that name what they measure.
pub(crate) const ADJECTIVES: &[Adjective] = &[
    adjective(["expensive", "pricier", "priciest"], Direction::Most, PRICE),
    adjective(["costly", "costlier", "costliest"], Direction::Most, PRICE),
    adjective(["cheap", "cheaper", "cheapest"], Direction::Least, PRICE),
    adjective(["long", "longer", "longest"], Direction::Most, LENGTH),
    adjective(["short", "shorter", "shortest"], Direction::Least, LENGTH),
    adjective(["heavy", "heavier", "heaviest"], Direction::Most, WEIGHT),
    adjective(["light", "lighter", "lightest"], Direction::Least, WEIGHT),
    adjective(["tall", "taller", "tallest"], Direction::Most, HEIGHT),
    adjective(["old", "older", "oldest"], Direction::Most, AGE),
    adjective(["young", "younger", "youngest"], Direction::Least, AGE),
    adjective(
        ["hot", "hotter", "hottest"],
        Direction::Most,
        &["temperature"],
    ),
    adjective(
        ["cold", "colder", "coldest"],
        Direction::Least,
        &["temperature"],
    ),
    adjective(["fast", "faster", "fastest"], Direction::Most, &["speed"]),
    adjective(["slow", "slower", "slowest"], Direction::Least, &["speed"]),
];

/// Superlatives of time: the direction is that of the date.
pub(crate) const DATED: &[(&str, Direction)] = &[
    ("newest", Direction::Most),
    ("latest", Direction::Most),
    ("youngest", Direction::Most),
    ("oldest", Direction::Least),
    ("earliest", Direction::Least),
];

/// Superlatives that need a column beside them.
pub(crate) const RANKS: &[(&str, Direction)] = &[
    ("highest", Direction::Most),
    ("largest", Direction::Most),
    ("biggest", Direction::Most),
    ("greatest", Direction::Most),
    ("maximum", Direction::Most),
    ("max", Direction::Most),
    ("top", Direction::Most),
    ("most", Direction::Most),
    ("lowest", Direction::Least),
    ("smallest", Direction::Least),
    ("minimum", Direction::Least),
    ("min", Direction::Least),
    ("bottom", Direction::Least),
    ("least", Direction::Least),
    ("fewest", Direction::Least),
];

/// The names of columns with money that something earned.
pub(crate) const MONEY: &[&str] = &[
    "gross",
    "revenue",
    "earning",
    "sales",
    "turnover",
    "profit",
    "income",
    "box office",
];

/// Names of columns of money that a number without a column may mean.
pub(crate) const MONEY_COLUMNS: &[&str] = &["price", "total", "amount", "salary", "fee", "cost"];

/// Participles that name a measured column after `most`, `highest` and the like.
pub(crate) const RATED: &[(&str, &[&str])] = &[
    ("rated", &["rating", "score", "stars"]),
    ("cited", &["citation count"]),
    ("paid", &["salary", "wage"]),
    ("priced", PRICE),
];

/// Units beside a number, and how columns abbreviate them. A column that says no unit accepts money
/// only.
pub(crate) const UNITS: &[(&str, &[&str])] = &[
    ("kg", &["kg"]),
    ("kilo", &["kg"]),
    ("kilogram", &["kg"]),
    ("minute", &["min", "minutes", "mins"]),
    ("min", &["min", "minutes", "mins"]),
    ("millisecond", &["milliseconds", "ms"]),
    ("hour", &["hours", "hrs", "hour"]),
    ("second", &["seconds", "secs", "sec"]),
    ("day", &["days", "day"]),
    ("year", &["years"]),
    ("month", &["months"]),
    ("km", &["km"]),
    ("mile", &["miles"]),
    ("cm", &["cm"]),
    ("meter", &["meters", "m"]),
    ("celsius", &["celsius"]),
];

/// Words at the end of a column's name that say in which unit it counts.
pub(crate) const COLUMN_UNITS: Words = Words(
    "
     billion celsius chf cm day dollar eur euro g gbp ha hectare hour hr kg km km2 kwh l liter litre
     m m2 meter mile million min minute mm ms pct percent sec second sqft sqm thousand ton usd 2
    ",
);

/// Signs and words of money.
pub(crate) const CURRENCIES: &[&str] = &[
    "$", "€", "£", "dollar", "euro", "pound", "usd", "eur", "gbp", "chf",
];

/// Numbers as words.
pub(crate) const NUMBER_WORDS: &[(&str, f64)] = &[
    ("zero", 0.0),
    ("one", 1.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("fifteen", 15.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("hundred", 100.0),
    ("thousand", 1000.0),
];

/// Words that multiply the number before them.
pub(crate) const MULTIPLIERS: &[(&str, f64)] = &[
    ("hundred", 1e2),
    ("thousand", 1e3),
    ("million", 1e6),
    ("billion", 1e9),
    ("k", 1e3),
];

/// Words that sentences are made of and that name nothing by meaning, beside those of the lexicon.
const STRUCTURE: Words = Words(
    "
     above after age ago and average before below best between compare contains count day
     days difference distinct due each equal every except fewer good greater higher highest
     its last latest least less lower lowest maximum mean median minimum missing month
     months more most never newest next not number oldest over per percentage recent share
     since sorted sum than top total under unique unknown until versus week weeks when why
     without worst year years
    ",
);

/// Returns true if a word is one that sentences are made of.
pub(crate) fn is_structural(word: &str) -> bool {
    STRUCTURE.contains(word)
        || CONNECTORS.contains(word)
        || OPENERS.contains(word)
        || NEUTRAL.contains(word)
        || of(NUMBER_WORDS, word).is_some()
        || ADJECTIVES
            .iter()
            .any(|known| [known.positive, known.comparative, known.superlative].contains(&word))
}

/// Returns the entry of a word in one of the lists of pairs.
pub(crate) fn of<T: Copy>(list: &[(&str, T)], word: &str) -> Option<T> {
    list.iter()
        .find(|(known, _)| *known == word)
        .map(|(_, value)| *value)
}
