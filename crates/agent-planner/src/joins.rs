//! Columns that may refer to another table without a declared foreign key: the pairs of columns to
//! compare.
//!
//! A similar name alone is no evidence. A pair counts if the values of one column are unique, and
//! contain nearly all values of the other.

use crate::catalog::{Catalog, ColumnId, ColumnView, Holds};
use crate::lexicon::Words;
use crate::limits::MAX_JOIN_CANDIDATES;
use crate::morphology::is_plural;
use crate::relations::Relations;
use crate::schema::{Join, SampleValue};

/// Words in the names of columns that identify a row.
const KEYS: &[&str] = &["id", "key", "code"];

/// Names of columns that many tables have, although the columns do not refer to each other.
const GENERAL: &[&str] = &[
    "comment",
    "description",
    "first name",
    "id",
    "key",
    "label",
    "last name",
    "name",
    "note",
    "notes",
    "text",
    "title",
];

/// First words in the names of columns that refer to another row of the same table: `manager_id`
/// of employees.
const SUPERIORS: Words = Words(
    "
     boss chief coach father head lead leader manager mentor mother parent partner spouse superior
     supervisor
    ",
);

/// Lists the pairs of columns to compare; pairs of tables that the question names come first.
pub(crate) fn candidates(catalog: &Catalog<'_>, named: impl Fn(usize) -> bool) -> Vec<Join> {
    let edges = Relations::new(catalog).edges;
    let linked = |one: usize, other: usize| {
        edges.iter().any(|edge| {
            let ends = (edge.child.table, edge.parent.table);
            ends == (one, other) || ends == (other, one)
        })
    };
    let mut found: Vec<(ColumnId, ColumnId)> = Vec::new();
    for child in 0..catalog.tables.len() {
        for parent in (0..catalog.tables.len()).filter(|parent| *parent != child) {
            if linked(child, parent) {
                continue;
            }
            let pairs = catalog.ids(child).flat_map(|from| {
                let to = catalog.ids(parent);
                to.map(move |to| (from, to))
            });
            found.extend(pairs.filter(|(from, to)| may_refer(catalog, *from, *to)));
        }
    }
    for table in (0..catalog.tables.len()).filter(|table| named(*table)) {
        found.extend(superiors(catalog, table).filter(|(from, _)| {
            let mut known = edges.iter();
            !known.any(|edge| edge.child == *from)
        }));
    }
    found.sort_by_key(|(from, to)| {
        let unnamed = [from, to].into_iter().filter(|id| !named(id.table));
        (!catalog.identifies(*to), unnamed.count())
    });
    found.truncate(MAX_JOIN_CANDIDATES);
    let place = |id: ColumnId| {
        let table = catalog.table_name(id.table).to_owned();
        (table, catalog.column_name(id).to_owned())
    };
    let joins = found.into_iter().map(|(from, to)| Join {
        child: place(from),
        parent: place(to),
    });
    joins.collect()
}

/// Returns true if the names of two columns say that the one may refer to the other: `carrier` and
/// `carrier`, `set` or `set_id` and the `id` of sets, `artist_name` and the `name` of artists.
fn may_refer(catalog: &Catalog<'_>, from: ColumnId, to: ColumnId) -> bool {
    let (Some(child), Some(parent), Some(table)) = (
        catalog.column(from),
        catalog.column(to),
        catalog.table(to.table),
    ) else {
        return false;
    };
    let is_text = child.holds == Holds::Text && parent.holds == Holds::Text;
    let is_number = child.holds == Holds::Number && parent.holds == Holds::Number;
    if !is_text && !is_number || catalog.key(from.table) == Some(from) {
        return false;
    }
    let is_key = |words: &[String]| {
        words
            .last()
            .is_some_and(|last| KEYS.contains(&last.as_str()))
    };
    let names = parent.words.join(" ");
    let is_first = to.column == 0;
    let same = child.words == parent.words
        && !GENERAL.contains(&names.as_str())
        && (is_text || is_key(&child.words) || is_first);
    let whole = [table.words.as_slice(), &parent.words].concat();
    let last = table.words.last().into_iter().chain(&parent.words);
    let of_table = child.words == whole || child.words.iter().eq(last);
    let called =
        child.words == table.words && (is_key(&parent.words) || GENERAL.contains(&names.as_str()));
    // `rooms` of hotels is how many there are.
    let counts = is_number && is_plural(&last_word(&child.column.name));
    let coded = is_text && (is_key(&parent.words) || is_first) && are_codes_alike(child, parent);
    same || of_table || called && !counts || coded
}

/// Returns true if all known values of two columns are codes of one form, such as `LHR` and `JFK`.
fn are_codes_alike(child: &ColumnView<'_>, parent: &ColumnView<'_>) -> bool {
    let form = |sample: &SampleValue| match sample {
        SampleValue::Text(text) => code_form(text),
        SampleValue::Integer(_) | SampleValue::Real(_) => None,
    };
    let mut forms = [child, parent]
        .into_iter()
        .flat_map(|view| &view.column.samples)
        .map(form);
    let first = forms.next().flatten();
    first.is_some() && !child.column.samples.is_empty() && forms.all(|form| form == first)
}

/// Returns the form of a code: `A` for each capital letter and `0` for each digit. Words and
/// sentences have none.
fn code_form(text: &str) -> Option<String> {
    let form = text.chars().map(|letter| match letter {
        'A'..='Z' => Some('A'),
        '0'..='9' => Some('0'),
        '-' | '_' | '.' | '/' => Some(letter),
        _ => None,
    });
    let form: String = form.collect::<Option<_>>()?;
    (form.len() > 1).then_some(form)
}

/// Lists the columns of a table that may refer to another row of it, with the column that tells its
/// rows apart: `manager_id` of employees with `id`, `mother_tag` of animals with `tag`.
fn superiors(catalog: &Catalog<'_>, table: usize) -> impl Iterator<Item = (ColumnId, ColumnId)> {
    let names = catalog.table(table);
    let is_named = names.is_some_and(|view| !view.labels.is_empty());
    let columns = catalog.ids(table).filter(move |_| is_named);
    columns.filter_map(move |from| {
        let (_, rest) = superior(catalog, from)?;
        let is = |words: &[String]| {
            let mut columns = catalog.ids(table);
            columns.find(|id| catalog.column(*id).is_some_and(|view| view.words == words))
        };
        let to = is(rest).or_else(|| is(&["id".to_owned()]));
        let to = to.filter(|to| *to != from && catalog.holds(*to) == catalog.holds(from))?;
        Some((from, to))
    })
}

/// Reads the name of a column as a word for another person of the same table, and the words behind
/// it.
pub(crate) fn superior<'a>(
    catalog: &'a Catalog<'_>,
    id: ColumnId,
) -> Option<(&'a str, &'a [String])> {
    let (first, rest) = catalog.column(id)?.words.split_first()?;
    let own = catalog.ids(id.table).any(|other| {
        let view = catalog.column(other).filter(|_| other != id);
        view.is_some_and(|view| view.words == rest)
    });
    let ends = matches!(rest, [only] if KEYS.contains(&only.as_str()) || only == "no" || only == "number" || only == "ref");
    let bare = rest.is_empty() && catalog.holds(id) == Holds::Number;
    let says = SUPERIORS.contains(first) && (own || ends || bare);
    says.then_some((first.as_str(), rest))
}

/// Endings of words for somebody who does something: `instructor`, `referee`, `guardian`.
const DOERS: &[&str] = &["or", "er", "ee", "ian", "man", "mgr", "rep"];

/// Words with such an ending that are nobody.
const THINGS: Words = Words(
    "
     advert answer chapter color colour corner counter diameter factor fee filter floor letter meter
     motor number offer order paper parameter perimeter power quarter semester sector tier timer
     transfer voucher water weather
    ",
);

/// Returns true if a word is one for somebody who does something.
pub(crate) fn does(word: &str) -> bool {
    let ends = DOERS.iter().any(|ending| word.ends_with(ending));
    ends && word.len() > 3 && !THINGS.contains(word)
}

/// Returns true if the name of a column says that it refers to another row, such as `copilot_no`
/// and `tutor`. The caller knows of no key that it is.
pub(crate) fn names_a_row(catalog: &Catalog<'_>, id: ColumnId) -> bool {
    let Some((view, table)) = catalog.column(id).zip(catalog.table(id.table)) else {
        return false;
    };
    let Some(last) = view.words.last() else {
        return false;
    };
    if matches!(view.holds, Holds::Date(_) | Holds::Flag)
        || catalog.key(id.table) == Some(id)
        || id.column == 0
    {
        return false;
    }
    let is_role =
        view.role().is_some_and(|role| role != table.words) && view.holds == Holds::Number;
    let is_doer = SUPERIORS.contains(last) || last == "substitute" || does(last);
    is_role || is_doer && view.holds == Holds::Number
}

fn last_word(name: &str) -> String {
    base::words::split(name).pop().unwrap_or_default()
}
