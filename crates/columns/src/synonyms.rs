//! Maps words that mean the same in the column names of any table to one canonical word.
//!
//! Words whose meaning depends on the column's type or on its neighbours are in [`super::concepts`]
//! instead.

/// Returns the canonical form of a lower-case word, by which names are compared. It may have
/// several words. `None` if the word is its own canonical form.
pub(super) fn canonical(word: &str) -> Option<&'static str> {
    let place = CANONICAL
        .binary_search_by_key(&word, |(spelling, _)| spelling)
        .ok()?;
    CANONICAL.get(place).map(|(_, canonical)| *canonical)
}

/// Sequences of canonical words with one meaning, and the words that replace them.
pub(super) const PHRASES: &[(&[&str], &[&str])] = &[
    (&["citation", "by"], &["citation"]),
    (&["last", "update"], &["update"]),
    (&["e", "email"], &["email"]),
    (&["email", "address"], &["email"]),
    (&["postal", "code"], &["postcode"]),
    (&["post", "code"], &["postcode"]),
    (&["postcode", "code"], &["postcode"]),
    (&["time", "stamp"], &["timestamp"]),
    (&["date", "time"], &["timestamp"]),
    (&["running", "time"], &["run", "time"]),
    (&["web", "site"], &["website"]),
    (&["web", "address"], &["url"]),
    (&["home", "page"], &["homepage"]),
    (&["last", "name"], &["surname"]),
    (&["family", "name"], &["surname"]),
    (&["first", "name"], &["forename"]),
    (&["given", "name"], &["forename"]),
    (&["phone", "number"], &["phone"]),
    (&["ip", "address"], &["ip"]),
    (&["abstract", "text"], &["abstract"]),
    (&["primary", "key"], &["id"]),
    (&["unique", "id"], &["id"]),
    (&["doi", "number"], &["doi"]),
    (&["sample", "size"], &["participant", "count"]),
    (&["birth", "day"], &["birth", "date"]),
];

/// Events of a row: after one of them, `on` and `at` mean a date (`created_at`).
pub(super) const EVENTS: &[&str] = &[
    "approval",
    "birth",
    "collection",
    "completion",
    "creation",
    "death",
    "deletion",
    "delivery",
    "deposition",
    "end",
    "expiry",
    "hire",
    "join",
    "log",
    "measurement",
    "observation",
    "order",
    "payment",
    "post",
    "publication",
    "purchase",
    "receipt",
    "record",
    "registration",
    "release",
    "sale",
    "ship",
    "start",
    "submission",
    "update",
];

/// Things that are counted: their plural in a column of numbers is a count (`views`), and so is
/// `total_views`.
pub(super) const COUNTED: &[&str] = &[
    "case",
    "citation",
    "click",
    "comment",
    "death",
    "download",
    "employee",
    "follower",
    "fork",
    "goal",
    "hit",
    "impression",
    "install",
    "like",
    "loss",
    "participant",
    "passenger",
    "reaction",
    "read",
    "review",
    "share",
    "star",
    "subscriber",
    "view",
    "visit",
    "visitor",
    "vote",
    "win",
];

/// Units at the end of a name that do not change its meaning: `Weight_in_lbs`.
pub(super) const UNITS: &[&str] = &[
    "angstrom",
    "bytes",
    "celsius",
    "cm",
    "eur",
    "fahrenheit",
    "ft",
    "g",
    "gb",
    "gbp",
    "ghz",
    "hz",
    "inches",
    "iu",
    "kb",
    "kcal",
    "kda",
    "kg",
    "km",
    "kwh",
    "lb",
    "lbs",
    "mb",
    "meters",
    "mg",
    "mhz",
    "min",
    "miles",
    "ml",
    "mm",
    "ms",
    "mph",
    "nm",
    "second",
    "usd",
];

/// Words that change what a name is about: `parent_id`, `max_score`, `old_price`.
pub(super) const ALTERING: &[&str] = &[
    "alternate",
    "alternative",
    "and",
    "average",
    "child",
    "corresponding",
    "delta",
    "difference",
    "error",
    "expected",
    "first",
    "from",
    "has",
    "last",
    "linked",
    "lower",
    "max",
    "median",
    "min",
    "new",
    "next",
    "no",
    "non",
    "not",
    "old",
    "or",
    "original",
    "other",
    "parent",
    "predicted",
    "previous",
    "related",
    "second",
    "std",
    "to",
    "upper",
];

/// Sorted by spelling.
#[rustfmt::skip]
const CANONICAL: &[(&str, &str)] = &[
    ("accounts", "account"), ("acct", "account"), ("addr", "address"), ("addresses", "address"), ("adr", "address"), ("amt", "amount"),
    ("approved", "approval"), ("avg", "average"), ("bal", "balance"), ("bday", "birth date"), ("began", "start"), ("begin", "start"),
    ("beginning", "start"), ("begun", "start"), ("behaviour", "behavior"), ("birthday", "birth date"), ("bmi", "body mass index"),
    ("born", "birth"), ("cat", "category"), ("cellphone", "phone"), ("centre", "center"), ("changed", "update"), ("chr", "chromosome"),
    ("chrom", "chromosome"), ("cite", "citation"), ("cited", "citation"), ("cites", "citation"), ("citing", "citation"),
    ("client", "customer"), ("cnt", "count"), ("collected", "collection"), ("colour", "color"), ("commenced", "start"),
    ("companies", "company"), ("completed", "completion"), ("create", "creation"), ("created", "creation"), ("ctry", "country"),
    ("cust", "customer"), ("datetime", "timestamp"), ("deceased", "death"), ("deleted", "deletion"), ("delivered", "delivery"),
    ("deposited", "deposition"), ("dept", "department"), ("desc", "description"), ("descr", "description"), ("dest", "destination"),
    ("died", "death"), ("disorder", "disease"), ("disorders", "disease"), ("dob", "birth date"), ("doc", "document"),
    ("dod", "death date"), ("dst", "destination"), ("dt", "date"), ("dttm", "timestamp"), ("dur", "duration"), ("edited", "update"),
    ("emp", "employee"), ("ended", "end"), ("ending", "end"), ("enrolled", "enrollment"), ("enrolment", "enrollment"),
    ("expiration", "expiry"), ("expire", "expiry"), ("expired", "expiry"), ("expires", "expiry"), ("expr", "expression"),
    ("favourite", "favorite"), ("film", "movie"), ("films", "movie"), ("finish", "end"), ("finished", "end"), ("firm", "company"),
    ("firstname", "forename"), ("fname", "forename"), ("freq", "frequency"), ("govt", "government"), ("grey", "gray"), ("grp", "group"),
    ("haemoglobin", "hemoglobin"), ("hired", "hire"), ("hr", "hour"), ("hrs", "hour"), ("ht", "height"), ("identifier", "id"),
    ("identifiers", "id"), ("ids", "id"), ("idx", "index"), ("illness", "disease"), ("img", "image"), ("info", "information"),
    ("joined", "join"), ("kind", "type"), ("lang", "language"), ("lastname", "surname"), ("lat", "latitude"), ("len", "length"),
    ("licence", "license"), ("lname", "surname"), ("lng", "longitude"), ("loc", "location"), ("logged", "log"), ("lon", "longitude"),
    ("long", "longitude"), ("mail", "email"), ("maximum", "max"), ("mean", "average"), ("measured", "measurement"),
    ("medication", "drug"), ("medications", "drug"), ("medicine", "drug"), ("medicines", "drug"), ("mfr", "manufacturer"),
    ("mgr", "manager"), ("minimum", "min"), ("mins", "min"), ("minute", "min"), ("minutes", "min"), ("mobile", "phone"),
    ("modification", "update"), ("modified", "update"), ("modify", "update"), ("movies", "movie"), ("msg", "message"), ("mth", "month"),
    ("nation", "country"), ("nb", "number"), ("nbr", "number"), ("nr", "number"), ("num", "number"), ("observed", "observation"),
    ("ordered", "order"), ("orders", "order"), ("org", "organization"), ("organisation", "organization"), ("paid", "payment"),
    ("passwd", "password"), ("pct", "percent"), ("percentage", "percent"), ("photo", "image"), ("photograph", "image"),
    ("photos", "image"), ("pic", "image"), ("picture", "image"), ("pictures", "image"), ("pk", "id"), ("pop", "population"),
    ("pos", "position"), ("posted", "post"), ("posts", "post"), ("prev", "previous"), ("prod", "product"), ("programme", "program"),
    ("pub", "publication"), ("publ", "publication"), ("publications", "publication"), ("publish", "publication"),
    ("published", "publication"), ("publishing", "publication"), ("purchased", "purchase"), ("pval", "p value"), ("pvalue", "p value"),
    ("pwd", "password"), ("qnty", "quantity"), ("qty", "quantity"), ("ranking", "rank"), ("received", "receipt"),
    ("recorded", "record"), ("ref", "reference"), ("refs", "reference"), ("registered", "registration"), ("released", "release"),
    ("removed", "deletion"), ("runtime", "run time"), ("sal", "salary"), ("salaries", "salary"), ("sec", "second"),
    ("seconds", "second"), ("secs", "second"), ("seq", "sequence"), ("sex", "gender"), ("shipped", "ship"), ("shipping", "ship"),
    ("sold", "sale"), ("src", "source"), ("started", "start"), ("starting", "start"), ("subj", "subject"), ("submitted", "submission"),
    ("sz", "size"), ("tel", "phone"), ("telephone", "phone"), ("temp", "temperature"), ("therapies", "treatment"),
    ("therapy", "treatment"), ("tot", "total"), ("treatments", "treatment"), ("ts", "timestamp"), ("tstamp", "timestamp"),
    ("tumour", "tumor"), ("txt", "text"), ("typ", "type"), ("uname", "user name"), ("updated", "update"), ("uri", "url"),
    ("urls", "url"), ("username", "user name"), ("usr", "user"), ("val", "value"), ("ver", "version"), ("viewed", "view"),
    ("views", "view"), ("vol", "volume"), ("wage", "salary"), ("wages", "salary"), ("writer", "author"), ("wt", "weight"),
    ("years", "year"), ("yr", "year"), ("yrs", "year"), ("zip", "postcode"), ("zipcode", "postcode"),
];

#[cfg(test)]
mod tests {
    use super::{CANONICAL, EVENTS, PHRASES, canonical};

    #[test]
    fn the_table_is_sorted_without_repeats() {
        assert!(CANONICAL.is_sorted_by(|one, next| one.0 < next.0));
    }

    #[test]
    fn canonical_forms_stay_as_they_are() {
        let forms = CANONICAL.iter().flat_map(|(_, form)| form.split(' '));
        let phrases = PHRASES
            .iter()
            .flat_map(|(from, to)| from.iter().chain(*to).copied());
        for word in forms.chain(phrases).chain(EVENTS.iter().copied()) {
            assert_eq!(canonical(word), None, "{word}");
        }
    }
}
