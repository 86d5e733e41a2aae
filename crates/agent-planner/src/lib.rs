//! Questions in plain words become one SQL statement, by rules and without a model.
//!
//! `lookup` lists the texts of a question that are looked up in the database before `plan` is
//! asked. A question is cut into words (`token`); each is linked to a table, a column, a known
//! value, a date, a number or a word of the language (`links`, `lexicon`, `calendar`); `parse`
//! combines them into a draft of the meaning, `resolve` decides which columns and paths along
//! foreign keys the draft means in this schema, and `sql` and `explain` write the statement and its
//! explanation. Every word must be accounted for: a question with a word that nothing accounts for
//! is refused, and so is one with two meanings. Nothing here runs SQL, and no text of the question
//! becomes SQL except as a literal.

mod accounted;
mod ask;
mod calendar;
mod catalog;
mod change;
mod command;
mod day;
mod draft;
mod explain;
mod joins;
mod lexicon;
pub mod limits;
mod links;
mod lookup;
mod moments;
mod morphology;
mod nationality;
mod parse;
mod plan;
mod relations;
mod resolve;
mod schema;
mod sql;
mod talk;
mod token;
mod truths;

use base::limits::MAX_SUGGESTIONS;
use base::nearest;

pub use day::Day;
pub use lookup::{Findings, Found, Lookup, lookup, unclear};
pub use plan::Plan;
pub use schema::{Column, Join, Reference, SampleValue, Schema, Table};

use catalog::Catalog;
use links::Links;
use plan::{Step, Stop};
use relations::Relations;

/// Plans a question about the tables of a schema. `today` is the day from which dates such as `last
/// month` are computed.
///
/// Deterministic: the same question, schema and day give the same plan.
pub fn plan(question: &str, schema: &Schema, today: Day) -> Plan {
    plan_chosen(question, &[], schema, today)
}

/// Plans a question again after the planner asked back. `choices` are the meanings that a person
/// chose, as [`Plan::Ambiguous`] named them.
pub fn plan_chosen(question: &str, choices: &[String], schema: &Schema, today: Day) -> Plan {
    let mut understood = Vec::new();
    attempt(question, choices, schema, today, &mut understood).unwrap_or_else(|stop| match stop {
        Stop::Ask {
            question: reason,
            candidates,
        } if candidates.is_empty() => Plan::CannotAnswer {
            reason,
            understood,
            suggestions: candidates,
        },
        Stop::Ask {
            question,
            candidates,
        } => Plan::Ambiguous {
            question,
            candidates,
        },
        Stop::Cannot(reason) => Plan::CannotAnswer {
            reason,
            understood,
            suggestions: Vec::new(),
        },
        Stop::Unknown(word) => Plan::CannotAnswer {
            reason: format!(
                "{}{}",
                not_understood(question, &word, schema),
                not_looked_up(schema)
            ),
            suggestions: suggestions(question, &word, schema),
            understood,
        },
    })
}

fn attempt(
    question: &str,
    choices: &[String],
    schema: &Schema,
    today: Day,
    understood: &mut Vec<String>,
) -> Step<Plan> {
    let tokens = token::tokenize(question)?;
    if tokens.is_empty() {
        return Err(Stop::cannot("the question is empty"));
    }
    let mut catalog = Catalog::new(schema)?;
    catalog.choices = choices.to_vec();
    if let Some(answer) = talk::talk(&tokens, &catalog) {
        return Ok(Plan::NoSqlNeeded { answer });
    }
    let relations = Relations::new(&catalog);
    if let Some(changed) = change::change(&tokens, &catalog, &relations.declared(), today) {
        return changed;
    }
    let links = Links::new(&catalog, &tokens);
    let draft = parse::parse(&links, &relations, today)?;
    understood.clone_from(&draft.understood);
    let ask = resolve::resolve(&links, &relations, &draft)?;
    let sql = sql::render(&catalog, &relations, &ask)?;
    Ok(Plan::Query {
        sql,
        explanation: explain::explain(&catalog, &relations, &ask),
        confidence: draft.confidence,
    })
}

/// Lists the columns that were not read whole, so that they may have a word that was not found.
fn not_looked_up(schema: &Schema) -> String {
    let tables = schema.tables.iter();
    let columns = tables.flat_map(|table| table.columns.iter().map(move |column| (table, column)));
    let unread: Vec<String> = columns
        .filter(|(_, column)| column.unread)
        .take(MAX_SUGGESTIONS)
        .map(|(table, column)| format!("{}.{}", table.name, column.name))
        .collect();
    match unread.as_slice() {
        [] => String::new(),
        names => format!(
            ". I did not look for it in {}, because there are too many rows: name the column, as in `whose name is …`",
            names.join(", ")
        ),
    }
}

/// Lists the words that mean nothing here. If all have a meaning, names the one that does not fit.
fn not_understood(question: &str, word: &str, schema: &Schema) -> String {
    let mut words = unlinked(question, schema);
    if !word.chars().any(char::is_alphanumeric) {
        if words.is_empty() {
            return "I do not understand how the words of this question belong together".to_owned();
        }
    } else if !words.iter().any(|known| known == word) {
        words.insert(0, word.to_owned());
    }
    words.truncate(MAX_SUGGESTIONS);
    let shown: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    format!(
        "I do not understand {} in this question",
        shown.join(" and ")
    )
}

fn unlinked(question: &str, schema: &Schema) -> Vec<String> {
    let (Ok(tokens), Ok(catalog)) = (token::tokenize(question), Catalog::new(schema)) else {
        return Vec::new();
    };
    Links::new(&catalog, &tokens).unlinked()
}

/// Returns suggestions that would be understood: values that the names of a question resemble, and
/// names that are spelt like a word. If there are none, returns the columns of the tables that the
/// question names or, if it names none, the tables.
fn suggestions(question: &str, word: &str, schema: &Schema) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for table in &schema.tables {
        for column in &table.columns {
            let near = column.near.iter();
            found.extend(near.map(|value| format!("{value:?} ({}.{})", table.name, column.name)));
        }
    }
    let tables = schema.tables.iter().map(|table| table.name.as_str());
    let columns = |table: &'_ Table| {
        table
            .columns
            .iter()
            .map(|column| column.name.clone())
            .collect::<Vec<_>>()
    };
    let all: Vec<String> = schema.tables.iter().flat_map(columns).collect();
    let names = nearest(word, tables.clone().chain(all.iter().map(String::as_str)));
    found.extend(
        names
            .into_iter()
            .filter(|name| !name.eq_ignore_ascii_case(word)),
    );
    if found.is_empty() {
        let asked = question.to_lowercase();
        let named = schema
            .tables
            .iter()
            .find(|table| asked.contains(&table.name.to_lowercase()));
        found = match named {
            Some(table) => columns(table)
                .into_iter()
                .map(|column| format!("{}.{column}", table.name))
                .collect(),
            None => tables.map(str::to_owned).collect(),
        };
    }
    found.truncate(MAX_SUGGESTIONS);
    found
}
