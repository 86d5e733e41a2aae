//! The table whose rows a question is about: the one that it names, otherwise the one that has the
//! columns and values of the question.

use crate::draft::{Demand, Draft, Group, Intent, Measure, Test, Wish};
use crate::links::{ColumnLink, Links, ValueLink};
use crate::moments::is_of_people;
use crate::morphology::is_plural;
use crate::plan::{Step, Stop};
use crate::relations::Relations;

/// The question with which the planner asks back for the table.
pub(crate) const ABOUT_WHICH: &str = "which table is the question about?";

/// Returns the table whose rows are listed, counted or aggregated.
///
/// # Errors
/// No table fits, or several do.
pub(crate) fn subject_of(links: &Links<'_>, relations: &Relations, draft: &Draft) -> Step<usize> {
    if let Some(subject) = draft.subject {
        return Ok(subject.table);
    }
    let values = values_of(draft, Demand::value);
    if let Some(head) = draft.heads.first() {
        let own = |table: &usize| draft.owner.is_none_or(|owner| owner == *table);
        let mut tables: Vec<usize> = head.ids.iter().map(|id| id.table).filter(own).collect();
        tables.dedup();
        for other in draft.heads.iter().skip(1) {
            let both: Vec<usize> = tables
                .iter()
                .copied()
                .filter(|table| other.ids.iter().any(|id| id.table == *table))
                .collect();
            tables = if both.is_empty() { tables } else { both };
        }
        // `which country has the most customers`: the country of the customers.
        let counted = draft.rank.as_ref().and_then(|rank| match rank.measure {
            Some(Measure::Rows(table)) => Some(table),
            _ => None,
        });
        let many = draft
            .scopes
            .first()
            .into_iter()
            .flat_map(|scope| &scope.wishes)
            .find_map(|wish| {
                let Demand::Inner(inner, Some(_)) = wish.demand else {
                    return None;
                };
                draft.scopes.get(inner)?.table
            });
        let measured = draft.rank.as_ref().and_then(|rank| match &rank.measure {
            Some(Measure::Column(_, link)) if rank.is_by => match link.ids.as_slice() {
                [id] => Some(id.table),
                _ => None,
            },
            _ => None,
        });
        if let Some(table) = counted
            .or(many)
            .or(measured)
            .filter(|table| tables.contains(table))
        {
            return Ok(table);
        }
        return choose(links, relations, tables, &values, head, draft.owner);
    }
    if let Some(people) = people(links, relations, draft, &values) {
        return Ok(people);
    }
    if let Some(rank) = &draft.rank
        && let Some(Measure::Rows(table)) = rank.measure
    {
        return Ok(table);
    }
    for wish in draft.scopes.iter().flat_map(|scope| &scope.wishes) {
        if let Demand::Key(table, _) = wish.demand {
            return Ok(table);
        }
        if let Demand::Column(link, _) = &wish.demand
            && let [id] = link.ids.as_slice()
            && draft.intent == Intent::Exists
        {
            return Ok(id.table);
        }
    }
    if !values.is_empty() && draft.intent == Intent::Exists {
        return of_existence(links, relations, draft, &values);
    }
    if !values.is_empty() {
        let found = by_values(links, relations, draft, &values);
        let found = of_flag(links, relations, draft, &values, found)?;
        return of_place(links, relations, draft, found);
    }
    of_known(links, relations, draft)
}

/// Returns the only table of people for `who lives in Oslo` and `who has the most absences`.
fn people(
    links: &Links<'_>,
    relations: &Relations,
    draft: &Draft,
    values: &[&[ValueLink]],
) -> Option<usize> {
    let counted = draft.rank.as_ref().and_then(|rank| match rank.measure {
        Some(Measure::Rows(table)) => Some(table),
        _ => None,
    });
    let reaches = |table: usize| {
        let own = |value: &&[ValueLink]| {
            let is_kind =
                |link: &ValueLink| link.column.table == table && !names_a_row(links, link);
            value.iter().any(is_kind)
        };
        values.iter().all(own) && counted.is_none_or(|counted| relations.connects(table, counted))
    };
    let asked = draft.person && (counted.is_some() || !values.is_empty());
    let mut tables = (0..links.catalog.tables.len())
        .filter(|table| asked && is_of_people(links, *table) && reaches(*table));
    tables.next().filter(|_| tables.next().is_none())
}

/// Returns the table of the values that a column is compared with or, if there are none, the table
/// of the groups.
fn of_known(links: &Links<'_>, relations: &Relations, draft: &Draft) -> Step<usize> {
    let known = values_of(draft, |demand| {
        let Demand::Column(_, Test::Known(links)) = demand else {
            return None;
        };
        Some(links)
    });
    match (known.is_empty(), grouped_table(draft)) {
        (true, Some(table)) => of_flag(links, relations, draft, &known, Ok(table)),
        _ => {
            let found = by_values(links, relations, draft, &known);
            of_flag(links, relations, draft, &known, found)
        }
    }
}

/// Returns the table of the only column that describes the rows, if nothing else names them:
/// `smokers in Rome`, `who is married`. A place does not name them: `how many are sick in Rome`.
fn of_flag(
    links: &Links<'_>,
    relations: &Relations,
    draft: &Draft,
    values: &[&[ValueLink]],
    found: Step<usize>,
) -> Step<usize> {
    let wishes = draft.scopes.iter().flat_map(|scope| &scope.wishes);
    let flags: Vec<(&ColumnLink, &str)> = wishes
        .filter_map(|wish| {
            let Demand::Column(link, Test::Flag) = &wish.demand else {
                return None;
            };
            Some((link, wish.word.as_str()))
        })
        .collect();
    let mut tables: Vec<usize> = flags
        .iter()
        .flat_map(|(link, _)| &link.ids)
        .map(|id| id.table)
        .collect();
    tables.sort_unstable();
    tables.dedup();
    let names_rows = match draft.intent {
        Intent::Count | Intent::Share => true,
        Intent::List => {
            let nouns = flags
                .iter()
                .any(|(_, word)| is_plural(&word.to_lowercase()));
            draft.person || draft.rank.is_some() || nouns
        }
        Intent::Amount | Intent::Exists | Intent::Compare | Intent::Difference | Intent::When => {
            false
        }
    };
    let reaches = |table: usize| {
        values.iter().all(|value| {
            let mut links = value.iter();
            links.any(|link| relations.connects(table, link.column.table))
        })
    };
    let [one] = tables.as_slice() else {
        return found;
    };
    match found {
        Err(Stop::Cannot(_)) if names_rows && reaches(*one) => Ok(*one),
        Ok(table) if table != *one && draft.intent == Intent::Count && reaches(*one) => {
            let up = relations.leads_up(*one, table);
            match place_of(draft) {
                Place::Certain if up => Ok(*one),
                Place::None => Ok(table),
                Place::Certain | Place::Doubtful => {
                    links.catalog.choose_table(ABOUT_WHICH, &[*one, table])
                }
            }
        }
        found => found,
    }
}

/// The certainty with which the values of a question are places of its rows, and not kinds of rows.
enum Place {
    Certain,
    /// `how many attended on Monday`
    Doubtful,
    /// `how many women attended`
    None,
}

fn place_of(draft: &Draft) -> Place {
    let wishes = draft.scopes.iter().flat_map(|scope| &scope.wishes);
    let mut flagged = false;
    let mut place = Place::Certain;
    for wish in wishes {
        flagged |= matches!(wish.demand, Demand::Column(_, Test::Flag));
        if wish.demand.value().is_none() || wish.located {
            continue;
        }
        if !flagged || is_plural(&wish.word.to_lowercase()) {
            return Place::None;
        }
        place = Place::Doubtful;
    }
    place
}

/// Asks back for `how many work in Graz`, where the place is one of departments: rows that belong
/// to them may be counted.
fn of_place(links: &Links<'_>, relations: &Relations, draft: &Draft, table: usize) -> Step<usize> {
    let wishes = draft.scopes.iter().flat_map(|scope| &scope.wishes);
    let mut wishes = wishes.peekable();
    let is_place = |wish: &Wish| {
        wish.located
            && matches!(&wish.demand, Demand::Value(links) if links.iter().any(|link| link.column.table == table))
    };
    let places = wishes.peek().is_some() && wishes.all(is_place);
    if draft.intent != Intent::Count || !places || is_of_people(links, table) {
        return Ok(table);
    }
    let children = relations
        .edges
        .iter()
        .filter(|edge| edge.parent.table == table);
    let children = children
        .map(|edge| edge.child.table)
        .filter(|child| *child != table);
    let mut tables: Vec<usize> = [table].into_iter().chain(children).collect();
    tables.dedup();
    links.catalog.choose_table(ABOUT_WHICH, &tables)
}

/// Returns the values of the conditions that say them so.
fn values_of(draft: &Draft, said: impl Fn(&Demand) -> Option<&[ValueLink]>) -> Vec<&[ValueLink]> {
    let wishes = draft.scopes.iter().flat_map(|scope| &scope.wishes);
    wishes.filter_map(|wish| said(&wish.demand)).collect()
}

/// Returns the only table of the column that groups: `share of each rank`.
fn grouped_table(draft: &Draft) -> Option<usize> {
    let Some(Group::Column(link)) = draft.groups.first() else {
        return None;
    };
    let mut tables = link.ids.iter().map(|id| id.table);
    let table = tables.next()?;
    tables.all(|other| other == table).then_some(table)
}

fn choose(
    links: &Links<'_>,
    relations: &Relations,
    tables: Vec<usize>,
    values: &[&[ValueLink]],
    head: &ColumnLink,
    draft_owner: Option<usize>,
) -> Step<usize> {
    let word = head.word.as_str();
    let has_all = |table: &usize| {
        values
            .iter()
            .all(|value| value.iter().any(|link| link.column.table == *table))
    };
    let reaches_all = |table: &usize| {
        values.iter().all(|value| {
            let mut links = value.iter();
            links.any(|link| relations.connects(*table, link.column.table))
        })
    };
    let a_name = links.catalog.tables.iter().any(|view| {
        view.columns.iter().enumerate().any(|(place, column)| {
            view.labels.contains(&place) && column.words.join(" ") == word.to_lowercase()
        })
    });
    if a_name && draft_owner.is_none() && values.is_empty() && links.catalog.tables.len() > 1 {
        return which_table(links, &tables, word);
    }
    let own: Vec<usize> = tables
        .iter()
        .copied()
        .filter(|table| !values.is_empty() && has_all(table))
        .collect();
    let reached: Vec<usize> = tables.iter().copied().filter(reaches_all).collect();
    match (own.as_slice(), reached.as_slice()) {
        ([one], _) | ([], [one]) => Ok(*one),
        ([], []) => Err(Stop::cannot(format!(
            "no table has {word:?} together with the values that the question names"
        ))),
        _ => which_table(links, &tables, word),
    }
}

fn which_table(links: &Links<'_>, tables: &[usize], word: &str) -> Step<usize> {
    let shown = |table: &usize| links.catalog.table_name(*table).to_owned();
    links
        .catalog
        .choose(format!("{word:?} of which table?"), tables, shown)
}

/// Returns the table of the only value that says of what kind a row is, if all others are reached
/// from it: `does Tom have a dog`.
fn of_existence(
    links: &Links<'_>,
    relations: &Relations,
    draft: &Draft,
    values: &[&[ValueLink]],
) -> Step<usize> {
    let names = |link: &ValueLink| links.catalog.is_name(link.column) || names_a_row(links, link);
    let reaches = |table: usize, value: &[ValueLink]| {
        let mut links = value.iter();
        links.any(|link| relations.connects(table, link.column.table))
    };
    let tables_of = |located: bool| {
        let wishes = draft.scopes.iter().flat_map(|scope| &scope.wishes);
        let wishes = wishes.filter(|wish| wish.located == located);
        let kinds = wishes.filter_map(|wish| wish.demand.value());
        let kinds = kinds.flatten().filter(|link| !names(link));
        let mut tables: Vec<usize> = kinds
            .map(|link| link.column.table)
            .filter(|table| values.iter().all(|value| reaches(*table, value)))
            .collect();
        tables.sort_unstable();
        tables.dedup();
        tables
    };
    // `dogs in Oslo` are dogs.
    let tables = match tables_of(false) {
        none if none.is_empty() => tables_of(true),
        tables => tables,
    };
    match tables.as_slice() {
        [] => Err(Stop::cannot("the question names no table and no column")),
        tables => links.catalog.choose_table(ABOUT_WHICH, tables),
    }
}

/// Returns true if a value is the name or the key of a row.
fn names_a_row(links: &Links<'_>, link: &ValueLink) -> bool {
    let id = link.column;
    links.catalog.is_label(id) || links.catalog.key(id.table) == Some(id)
}

/// Returns the table of a value that says of what kind its rows are, unless it is the name of one
/// row: `How many cardiologists are there`.
fn by_values(
    links: &Links<'_>,
    relations: &Relations,
    draft: &Draft,
    values: &[&[ValueLink]],
) -> Step<usize> {
    let nothing = || Stop::cannot("the question names no table and no column");
    let first = values.first().ok_or_else(nothing)?;
    let mut tables: Vec<usize> = first.iter().map(|link| link.column.table).collect();
    tables.dedup();
    let table = links.catalog.choose_table(ABOUT_WHICH, &tables)?;
    let names_a_row = first.iter().any(|link| names_a_row(links, link));
    let all_there = values
        .iter()
        .all(|value| value.iter().any(|link| link.column.table == table));
    let plural = draft.names_many();
    let rows = match draft.intent {
        Intent::Count => true,
        Intent::Compare => values.len() > 1,
        Intent::Share => plural,
        Intent::List => plural || draft.rank.is_some() && draft.heads.is_empty(),
        Intent::Amount | Intent::Exists | Intent::Difference | Intent::When => false,
    };
    let of_things = rows && matches!(draft.intent, Intent::Count | Intent::List);
    if of_things && (names_a_row || !all_there) {
        // `how many dogs does Tom have`.
        return of_existence(links, relations, draft, values);
    }
    if names_a_row || !all_there || !rows {
        return Err(nothing());
    }
    Ok(table)
}
