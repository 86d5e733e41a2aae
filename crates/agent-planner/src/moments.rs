//! Chooses the date column that a question means. `loans in 2024` is about the date of the loan
//! itself, such as `borrowed_on`. A date of another event, such as `returned_on`, is meant only if
//! the question has its verb.

use crate::catalog::{ColumnId, Holds};
use crate::lexicon::{LENGTH, VERBS_OF_NOUNS, Words, of};
use crate::links::Links;
use crate::morphology::stems;

/// The least number of letters with which both the stem of a verb and the noun for its event must
/// begin, as `submit` and `submission` begin with the same five.
const LEAST_STEM: usize = 4;

/// Words for people. A date of a person, such as a birth, does not tell when a row happened.
const PEOPLE: Words = Words(
    "
     actor agent artist author buyer client contact customer doctor employee guest manager
     member nurse passenger patient person player reader staff student teacher user
    ",
);

/// Returns true if the rows of a table are people.
pub(crate) fn is_of_people(links: &Links<'_>, table: usize) -> bool {
    links
        .catalog
        .table(table)
        .is_some_and(|view| view.words.last().is_some_and(|last| PEOPLE.contains(last)))
}

/// Returns true if the date is one of birth or death.
pub(crate) fn is_birth(links: &Links<'_>, id: ColumnId) -> bool {
    let words = Words("birth birthday born death died dob dod");
    links.catalog.says(id, &words)
}

/// Words that every date may have in its name.
const GENERAL: Words = Words("at date datetime day on time timestamp ts year");

/// Words in the name of a date on which the thing that a row describes began to exist.
const BEGINNINGS: Words = Words(
    "
     build built construction created creation established foundation founded founding inception
     install installation installed launch made manufacture manufactured model opened opening
     premiere publication publish published release released start started
    ",
);

/// Words in the name of a date on which a row was recorded, or was added to its table.
const RECORDINGS: Words = Words(
    "
     academic added begin begun booked calendar entered entry event fiscal happened hire hired
     id incident issue issued join joined logged measured observed occurred order ordered placed
     posted pub purchase purchased recorded registered registration sale school season sent sign
     signed signup sold taken tax transaction up
    ",
);

/// Returns true if the thing that a row describes began to exist on this date, so that an age can
/// be computed from it. A date of issue or delivery is no such beginning.
pub(crate) fn begins(links: &Links<'_>, id: ColumnId) -> bool {
    let of_table = table_words(links, id.table);
    links.catalog.column(id).is_some_and(|view| {
        let mut words = view.words.iter();
        words.all(|word| {
            GENERAL.contains(word) || BEGINNINGS.contains(word) || of_table.contains(word)
        })
    })
}

/// Returns true if a date tells when its row came about, so that `enrolments in 2024` may mean it:
/// `enrolled_on` does, and `dropped_on` is the date of another event.
pub(crate) fn dates_row(links: &Links<'_>, id: ColumnId) -> bool {
    let of_table = table_words(links, id.table);
    let says = |word: &String| {
        let names_table = of_table.iter().any(|noun| is_event_of(word, noun));
        GENERAL.contains(word)
            || BEGINNINGS.contains(word)
            || RECORDINGS.contains(word)
            || names_table
    };
    let view = links.catalog.column(id);
    view.is_some_and(|view| view.words.iter().all(says))
}

/// Returns true if a verb means that a row with this noun came about: `paid` for `payment`,
/// `borrowed` for `loan`.
fn is_event_of(verb: &str, noun: &str) -> bool {
    let begins_alike = |stem: &str| {
        let letters = stem.chars().zip(noun.chars());
        let same = letters.take_while(|(one, other)| one == other).count();
        match stem.chars().count() {
            0..=2 => false,
            3 => stem == noun || noun.strip_prefix(stem) == Some("ment"),
            length => same >= LEAST_STEM.max(length.saturating_sub(2)),
        }
    };
    let means = |stem: &String| {
        let nouns = of(VERBS_OF_NOUNS, stem).unwrap_or_default();
        begins_alike(stem) || nouns.contains(&noun)
    };
    stems(verb).iter().any(means)
}

/// Returns the words of the name of a table, singular.
fn table_words<'a>(links: &'a Links<'_>, table: usize) -> &'a [String] {
    let view = links.catalog.table(table);
    view.map_or(&[], |view| view.words.as_slice())
}

/// Returns the columns of numbers that an adjective measures. For a length, these are all columns
/// that hold one, otherwise the single column that fits best. A column called `day` or `hour` holds
/// a part of a date and no length.
pub(crate) fn measures(links: &Links<'_>, meanings: &[&str], table: usize) -> Vec<ColumnId> {
    let lengths = ["distance", "duration", "length", "runtime"];
    let times = [
        "air", "elapsed", "flight", "play", "playing", "run", "running", "travel",
    ];
    let parts = ["day", "hour", "minute", "month", "second", "week", "year"];
    let is_number = |id: &ColumnId| {
        let name = links.catalog.column_name(*id).to_lowercase();
        matches!(links.catalog.holds(*id), Holds::Number | Holds::Unknown)
            && !parts.contains(&name.as_str())
    };
    let mut found = meanings
        .iter()
        .filter_map(|meaning| links.first_meaning(&[meaning], table))
        .filter(is_number);
    let best = found.next();
    if meanings != LENGTH {
        return best.map_or_else(Vec::new, |best| alike(links, meanings, best));
    }
    let tells = |id: &ColumnId| {
        links.catalog.column(*id).is_some_and(|view| {
            let mut words = view.words.iter().map(String::as_str);
            let time = view.words.last().is_some_and(|last| last == "time")
                && view.words.iter().any(|word| times.contains(&word.as_str()));
            time || words.any(|word| lengths.contains(&word))
        })
    };
    let mut ids: Vec<ColumnId> = best.into_iter().chain(found).collect();
    ids.extend(links.catalog.ids(table).filter(is_number).filter(tells));
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Returns a column with those that measure the same in another way: `asking_price` beside
/// `sale_price`, of which none is called `price`.
fn alike(links: &Links<'_>, meanings: &[&str], best: ColumnId) -> Vec<ColumnId> {
    let words = |id: ColumnId| links.catalog.column(id).map(|view| view.words.as_slice());
    let own = words(best).unwrap_or_default();
    if own.len() < 2 || meanings.contains(&own.join(" ").as_str()) {
        return vec![best];
    }
    let is_alike = |id: &ColumnId| {
        let other = words(*id).unwrap_or_default();
        let number = links.catalog.holds(*id) == links.catalog.holds(best);
        number && other.len() > 1 && other.last() == own.last()
    };
    links.catalog.ids(best.table).filter(is_alike).collect()
}

/// Returns the column of a table that says when something happened.
pub(crate) fn date_column(links: &Links<'_>, verb: &str, table: usize) -> Option<ColumnId> {
    let is_date = |id: &ColumnId| matches!(links.catalog.holds(*id), Holds::Date(_));
    let stems = stems(verb);
    let is_verb = |word: &String| stems.contains(word);
    let bounds = ["first", "last", "latest", "next", "previous"];
    let by_stem = || {
        let mut found = links.catalog.ids(table).filter(is_date).filter(|id| {
            links.catalog.column(*id).is_some_and(|view| {
                let bound = view
                    .words
                    .iter()
                    .any(|word| bounds.contains(&word.as_str()));
                view.words.first().is_some_and(is_verb)
                    || !bound
                        && view
                            .words
                            .iter()
                            .any(|word| is_verb(word) && !GENERAL.contains(word))
            })
        });
        let first = found.next();
        first.filter(|_| found.next().is_none())
    };
    // Verbs whose date columns are named after another word.
    let named: &[&str] = match verb {
        "signed" | "registered" | "joined" => &[
            "signup date",
            "registration date",
            "join date",
            "creation date",
        ],
        "added" => &["creation date"],
        "purchased" | "bought" => &["purchase date", "order date"],
        "borrowed" | "lent" => &["loan date", "rental date"],
        "launched" => &["launch date", "release date"],
        "finished" | "ended" => &["end date", "completion date"],
        "shot" | "aired" => &["release date"],
        _ => &[],
    };
    let phrases = [
        format!("{verb} date"),
        format!("{verb} year"),
        format!("{verb} at"),
    ];
    by_stem()
        .or_else(|| {
            phrases.iter().find_map(|phrase| {
                links
                    .first_meaning(&[phrase], table)
                    .filter(is_date)
                    .filter(|id| says(links, *id, verb))
            })
        })
        .or_else(|| links.first_meaning(named, table).filter(is_date))
}

/// Returns true if the name of a column has a word beside those that every date has: `created_at`
/// does not tell when somebody was hired. A bare `date` or `year` is the date of any event of the
/// row except its birth or death.
fn says(links: &Links<'_>, id: ColumnId, verb: &str) -> bool {
    says_event(links, id) || !["born", "died", "due"].contains(&verb)
}

/// Returns true if the name of a date column names its event. Only then does a row without the date
/// mean that the event did not happen.
pub(crate) fn says_event(links: &Links<'_>, id: ColumnId) -> bool {
    let view = links.catalog.column(id);
    view.is_some_and(|view| view.words.iter().any(|word| !GENERAL.contains(word)))
}

/// Returns the column that dates the row itself: the only date of its table, unless it is the date
/// of another event or, of several, the one that is called `date` or has the name of the table,
/// such as `order_date` of orders. The error has the dates to choose from.
pub(crate) fn main_date(
    links: &Links<'_>,
    table: usize,
) -> Option<Result<ColumnId, Vec<ColumnId>>> {
    let dates: Vec<ColumnId> = links
        .catalog
        .ids(table)
        .filter(|id| matches!(links.catalog.holds(*id), Holds::Date(_)))
        .collect();
    let of_table = table_words(links, table);
    let is_own = |id: &ColumnId| {
        links.catalog.column(*id).is_some_and(|view| {
            let mut rest = view.words.clone();
            rest.retain(|word| word == "year" || !GENERAL.contains(word));
            // A bare `ts` or `time` says less than `start` and `end` beside it.
            let says_date = view.words.iter().any(|word| word == "date");
            rest == of_table || rest.is_empty() && says_date
        })
    };
    match dates.as_slice() {
        [] => None,
        [one] if dates_row(links, *one) => Some(Ok(*one)),
        [_] => Some(Err(dates)),
        _ => {
            let own: Vec<ColumnId> = dates.iter().copied().filter(is_own).collect();
            match own.as_slice() {
                [one] => Some(Ok(*one)),
                _ => Some(Err(dates)),
            }
        }
    }
}
