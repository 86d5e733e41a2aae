//! The command of a question that changes rows: its verb, and the noun behind `delete`.

use crate::accounted::PREPOSITIONS;
use crate::catalog::{Catalog, ColumnId};
use crate::lexicon::{RANKS, Words, is_structural, of};
use crate::links::{ColumnLink, Links};
use crate::morphology::{is_participle, is_plural, stems};
use crate::parse::CLAUSES;
use crate::plan::{Step, Stop};
use crate::token::{Token, TokenKind};

/// The kinds of changes that a question may ask for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Change {
    Delete,
    Update,
    Other,
}

const CHANGES: &[(&str, Change)] = &[
    ("delete", Change::Delete),
    ("remove", Change::Delete),
    ("erase", Change::Delete),
    ("set", Change::Update),
    ("update", Change::Update),
    ("change", Change::Update),
    ("add", Change::Other),
    ("insert", Change::Other),
    ("create", Change::Other),
    ("drop", Change::Other),
    ("truncate", Change::Other),
    ("alter", Change::Other),
    ("clear", Change::Other),
    ("empty", Change::Other),
    ("increase", Change::Other),
    ("decrease", Change::Other),
    ("raise", Change::Other),
    ("rename", Change::Other),
    ("replace", Change::Other),
];

/// Other verbs that ask for a change if the question begins with them.
const OTHERS: Words = Words(
    "
     adjust append archive assign cancel close convert copy correct double edit fix halve let
     make mark merge modify move purge reset restore save store swap switch turn undo wipe
     write
    ",
);

/// Words that may stand before the verb.
const POLITE: Words = Words(
    "
     all and can could i just kindly let's like must need now please should then to want we
     will would you
    ",
);

/// Finds the verb that changes rows and its position; `None` for a question that reads.
pub(crate) fn command(tokens: &[Token], catalog: &Catalog<'_>) -> Option<(usize, Change)> {
    let start = tokens
        .iter()
        .position(|token| token.kind != TokenKind::Sign && !POLITE.contains(&token.lower))?;
    let verb = tokens.get(start)?;
    let commands = commands(catalog, tokens, start);
    let kind = of(CHANGES, &verb.lower).or(commands).or_else(|| {
        let names = Links::new(catalog, tokens);
        let named = names.table_at(start).is_some() || names.column_at(start, None).is_some();
        let article = tokens
            .get(start + 1)
            .map_or("", |token| token.lower.as_str());
        let shows = verb.lower == "make" && ["a", "me"].contains(&article);
        (OTHERS.contains(&verb.lower) && !named && !shows).then_some(Change::Other)
    })?;
    Some((start, kind))
}

/// Finds a verb that changes something although a name of the schema is like it: `vaccinate pigs`,
/// where a column is `vaccinated`, and `open the orders of Ann`, where `open` is a state. Words
/// that say how rows are stand before no article, and before no row that is named.
fn commands(catalog: &Catalog<'_>, tokens: &[Token], start: usize) -> Option<Change> {
    let links = Links::new(catalog, tokens);
    let verb = tokens.get(start)?;
    let word = |ahead: usize| {
        let token = tokens.get(start + ahead).filter(|token| token.is_word());
        token.map_or("", |token| token.lower.as_str())
    };
    let reads = is_structural(&verb.lower)
        || of(RANKS, &verb.lower).is_some()
        || ["name", "total"].contains(&verb.lower.as_str());
    if !verb.is_word() || reads || is_plural(&verb.lower) {
        return None;
    }
    if !is_participle(&verb.lower) && does_what_a_date_says(&links, start) {
        return Some(Change::Other);
    }
    if links.table_at(start).is_some() {
        return None;
    }
    let all = ["all", "any", "each", "every", "my", "our", "these", "those"].contains(&word(1));
    let article = all || ["a", "an", "the"].contains(&word(1));
    let value = links.value_at(start).filter(|found| found.tokens == 1);
    let column = links.column_at(start, None);
    let like = links.column_like(start, None).filter(|_| column.is_none());
    // The row behind it is named: `open order 3`, `open Ann's orders`.
    let table = links.table_at(start + 1);
    let named = table.and_then(|table| {
        let next = tokens.get(start + 1 + table.tokens)?;
        let number = matches!(next.kind, TokenKind::Number(_));
        Some(number && !is_plural(word(table.tokens)))
    });
    let owner = tokens
        .get(start + 1)
        .map_or("", |token| token.text.as_str());
    let named = named == Some(true) || owner.ends_with("'s") || owner.ends_with("’s");
    let done = like.as_ref().is_some_and(|found| {
        let mut ids = found.item.ids.iter();
        ids.any(|id| {
            let column = catalog.column(*id);
            let last = column.and_then(|view| view.words.last());
            last.is_some_and(|last| is_participle(last) && stems(last).contains(&verb.lower))
        })
    });
    let commands = match (value, column, like) {
        (Some(_), ..) => article || named,
        (None, Some(_), _) => all,
        (None, None, Some(_)) => article || done && !is_participle(&verb.lower),
        (None, None, None) => false,
    };
    commands.then_some(Change::Other)
}

/// Returns true for a verb in front of rows, of which a column says when it was done: `transfer
/// players to the Lions` with `transferred_on`.
fn does_what_a_date_says(links: &Links<'_>, start: usize) -> bool {
    let Some(verb) = links.tokens.get(start) else {
        return false;
    };
    let says = |column: ColumnId| {
        let view = links.catalog.column(column);
        let first = view.and_then(|view| view.words.first());
        first.is_some_and(|first| is_participle(first) && stems(first).contains(&verb.lower))
    };
    let tables = 0..links.catalog.tables.len();
    let is_verb = tables.flat_map(|table| links.catalog.ids(table)).any(says);
    let single = links.table_at(start).is_none_or(|found| found.tokens == 1);
    let next = links.tokens.get(start + 1);
    let articles = [
        "a", "all", "an", "any", "each", "every", "my", "our", "the", "these", "those",
    ];
    let acts = next.is_some_and(|next| {
        articles.contains(&next.lower.as_str())
            || links.table_at(start + 1).is_some()
            || links.value_at(start + 1).is_some()
            || next.is_word() && next.is_capital()
    });
    is_verb && single && acts
}

/// Refuses a question whether something is to be changed: `should I delete`, `can we remove`.
pub(crate) fn require_command(before: &[Token]) -> Step<()> {
    let asks = ["can", "could", "must", "need", "should", "will", "would"];
    let asks = before.windows(2).any(|pair| {
        matches!(pair, [verb, who] if asks.contains(&verb.lower.as_str()) && ["i", "we"].contains(&who.lower.as_str()))
    });
    match asks {
        true => Err(Stop::cannot(
            "it asks whether rows are to be changed, and I cannot judge that; say `delete …` or `set …` to have it proposed",
        )),
        false => Ok(()),
    }
}

/// The things that the noun behind `delete` names.
enum Noun {
    Tables(Vec<usize>),
    Column(String),
}

/// Refuses to delete rows of another table than that of the noun behind `delete`: of `labels of
/// paid invoices` no invoice.
///
/// # Errors
/// Another table, or a column, which has no rows.
pub(crate) fn require_noun(links: &Links<'_>, table: usize) -> Step<()> {
    match noun(links) {
        Some(Noun::Column(word)) => Err(Stop::cannot(format!(
            "{word:?} is a column, and `delete` takes whole rows; to change it say `set the {word} of … to …`, and to delete rows name their table"
        ))),
        Some(Noun::Tables(tables)) if !tables.contains(&table) => Err(Stop::cannot(format!(
            "the words behind `delete` name other rows than those of {}; say which table loses rows, as in `delete {} …`",
            links.catalog.table_name(table),
            links.catalog.table_name(table)
        ))),
        _ => Ok(()),
    }
}

/// Finds the last name before the first word that begins a description of the rows: `labels` of
/// `bug labels of open tickets`.
fn noun(links: &Links<'_>) -> Option<Noun> {
    let (mut found, mut is_table, mut says_so) = (None, false, false);
    let mut end = 0;
    let describes = |column: &ColumnLink| {
        let last = column.word.rsplit(' ').next().unwrap_or_default();
        let mut ids = column.ids.iter();
        is_participle(&last.to_lowercase()) || ids.any(|id| links.catalog.is_flag(*id))
    };
    let mut at = 0;
    while let Some(token) = links.tokens.get(at) {
        let table = links.table_at(at);
        let value = links.value_at(at);
        let column = links.column_at(at, None);
        let lengths = [
            table.as_ref().map(|found| found.tokens),
            value.as_ref().map(|found| found.tokens),
            column.as_ref().map(|found| found.tokens),
        ];
        let longest = lengths.into_iter().flatten().max();
        let Some(longest) = longest else {
            let word = token.lower.as_str();
            let ends = PREPOSITIONS.contains(word) || CLAUSES.contains(word) || word == ",";
            if ends && found.is_some() {
                break;
            }
            at += 1;
            continue;
        };
        let of_length = |tokens: usize| tokens == longest;
        let here = table.as_ref().is_some_and(|table| of_length(table.tokens));
        is_table |= here;
        found = match (table, value, column) {
            (Some(table), ..) if of_length(table.tokens) => {
                Some(Noun::Tables(vec![table.item.table]))
            }
            // `books Bob borrowed`: what stands behind the table says which rows.
            (_, Some(value), _) if of_length(value.tokens) && is_table => found,
            (_, Some(value), _) if of_length(value.tokens) => {
                let tables = value.item.iter().map(|link| link.column.table);
                Some(Noun::Tables(tables.collect()))
            }
            // `books over 100 pages`, `books published in 2005`
            (.., Some(column)) if is_table && (at != end || describes(&column.item)) => found,
            (.., Some(column)) => {
                let mut ids = column.item.ids.iter();
                // `delete smokers` takes rows.
                says_so = ids.any(|id| links.catalog.is_flag(*id));
                Some(Noun::Column(column.item.word))
            }
            _ => found,
        };
        at += longest;
        end = if here { at } else { end };
    }
    let owned = ["of", "for", "from", "in", "on", "where", "whose"];
    let next = links
        .tokens
        .get(at)
        .map_or("", |token| token.lower.as_str());
    match found {
        Some(Noun::Column(_))
            if !owned.contains(&next) && (is_table || says_so || !next.is_empty()) =>
        {
            None
        }
        found => found,
    }
}

/// Refuses a second verb that changes rows: `delete cats and make dogs big`.
pub(crate) fn require_one(tokens: &[Token], catalog: &Catalog<'_>) -> Step<()> {
    let links = Links::new(catalog, tokens);
    let changes = |at: usize, token: &Token| {
        let verb = of(CHANGES, &token.lower).is_some() || OTHERS.contains(&token.lower);
        let follows = at.checked_sub(1).and_then(|at| tokens.get(at));
        let follows = follows
            .is_some_and(|token| ["and", ",", "then", "or", "."].contains(&token.lower.as_str()));
        let named = links.table_at(at).is_some()
            || links.column_at(at, None).is_some()
            || links.value_at(at).is_some();
        token.is_word() && verb && follows && !named
    };
    match tokens
        .iter()
        .enumerate()
        .any(|(at, token)| changes(at, token))
    {
        true => Err(Stop::cannot(
            "it asks for two changes; ask for one after the other",
        )),
        false => Ok(()),
    }
}
