//! Prompts for three frequent tasks.

use serde_json::{Value, json};

use crate::backend::Backend;
use crate::results::ObjectResponse;
use crate::terms::Terms;
use base::names::check_name;
use base::nearest;
use mcp::server::ask::PromptCall;
use mcp::server::{Fault, Outcome};

/// One argument of a prompt.
pub(crate) struct Argument {
    pub name: &'static str,
    pub description: &'static str,
    pub required: bool,
}

/// One prompt.
pub(crate) struct Prompt {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub arguments: &'static [Argument],
}

const SESSION: Argument = Argument {
    name: "session",
    description: "The session; default: your own",
    required: false,
};

/// The prompts of the product.
pub(crate) const PROMPTS: &[Prompt] = &[
    Prompt {
        name: "analyse_data_set",
        title: "Analyse a large data set",
        description: "Find out what a table contains and answer a question about it in SQL",
        arguments: &[
            Argument {
                name: "table",
                description: "The table",
                required: true,
            },
            Argument {
                name: "question",
                description: "What you want to know",
                required: true,
            },
            Argument {
                name: "column",
                description: "A column to begin with",
                required: false,
            },
            SESSION,
        ],
    },
    Prompt {
        name: "join_servers",
        title: "Join the data of two servers",
        description: "Put results of tools of two servers into tables and join them",
        arguments: &[
            Argument {
                name: "first",
                description: "A server, and what you want from it",
                required: true,
            },
            Argument {
                name: "second",
                description: "The other server, and what you want from it",
                required: true,
            },
            Argument {
                name: "question",
                description: "What you want to know",
                required: true,
            },
            SESSION,
        ],
    },
    Prompt {
        name: "explain_failing_query",
        title: "Explain a failing query",
        description: "Say why a query fails or finds nothing, and write one that works",
        arguments: &[
            Argument {
                name: "sql",
                description: "The query",
                required: true,
            },
            SESSION,
        ],
    },
];

/// Renders the members of the result of `prompts/list` as JSON text.
pub(crate) fn list(prompts: &[Prompt]) -> String {
    let prompts: Vec<Value> = prompts
        .iter()
        .map(|prompt| {
            let arguments: Vec<Value> = prompt
                .arguments
                .iter()
                .map(|argument| {
                    json!({ "name": argument.name, "description": argument.description, "required": argument.required })
                })
                .collect();
            json!({
                "name": prompt.name, "title": prompt.title,
                "description": prompt.description, "arguments": arguments,
            })
        })
        .collect();
    format!(r#""prompts":{}"#, Value::from(prompts))
}

/// Returns the names of a prompt's arguments.
pub(crate) fn arguments_of(prompts: &[Prompt], name: &str) -> Option<Vec<&'static str>> {
    let prompt = prompts.iter().find(|prompt| prompt.name == name)?;
    Some(
        prompt
            .arguments
            .iter()
            .map(|argument| argument.name)
            .collect(),
    )
}

/// Renders a prompt, with the data that the session has about its subject.
///
/// # Errors
/// [`Fault`] for an unknown prompt or argument, or a missing argument.
pub async fn get(
    backend: &impl Backend,
    terms: &Terms,
    asked: &PromptCall,
) -> Result<Outcome, Fault> {
    let prompt = check(PROMPTS, asked)?;
    let argument = |name: &str| asked.arguments.get(name).map_or("", String::as_str);
    let session = match argument("session") {
        "" => terms.session.as_str(),
        session => {
            check_name("session", session)?;
            session
        }
    };
    let text = match prompt.name {
        "analyse_data_set" => {
            let table = argument("table");
            let body = json!({ "operation": "describeTable", "table": table }).to_string();
            let known = said(&backend.operate(session, body).await?);
            let begin = match argument("column") {
                "" => String::new(),
                column => format!("\nBegin with the column {column}."),
            };
            format!(
                "Reply to this question about the table {table} of session {session}: {}{begin}\n\nWhat db_describe_table says of it:\n{known}\n\n\
                 1. Look at the columns: types, missing values, distinct values, smallest and largest values. Use one program in execute, or a few queries with aggregates; never read the whole table.\n\
                 2. Work in SQL. Put results of intermediate steps into tables of the session.\n\
                 3. Check the outcome against the number of rows, and say what the data cannot tell.\n\
                 4. Give the result first, then the query that shows it.",
                argument("question")
            )
        }
        "join_servers" => format!(
            "Reply to this question by joining data of two servers: {}\n\nFirst: {}\nSecond: {}\n\n\
             1. Find the tools with tools_search and tools_describe.\n\
             2. Call them in one program in execute for session {session}: await helpers.<server>.<tool>(args). Large results become tables by themselves; put small ones into tables with helpers.db.batchInsert.\n\
             3. Find the columns that mean the same with dbSchema.findColumn(table, \"meaning\"). Compare how both write the key (case, prefixes, blanks) before you join, and count what matches and what does not.\n\
             4. Join in SQL. Say how many rows of each side found no partner, then give the result.",
            argument("question"),
            argument("first"),
            argument("second")
        ),
        _ => {
            let body =
                json!({ "operation": "query", "sql": argument("sql"), "limit": 3 }).to_string();
            let run = said(&backend.operate(session, body).await?);
            let body = r#"{"operation":"getTables"}"#.to_owned();
            let tables = said(&backend.operate(session, body).await?);
            format!(
                "This query of session {session} does not do what it should:\n\n{}\n\nWhat happens when it is run:\n{run}\n\nThe tables: {tables}\n\n\
                 1. Say in one sentence what is wrong. If the error has a hint, begin with it.\n\
                 2. Compare names with db_describe_table and db_find_column. If it finds nothing, count the rows after each condition and each join.\n\
                 3. Write a query that works, run it with db_query, and show it.",
                argument("sql")
            )
        }
    };
    Ok(rendered(prompt, &text))
}

/// Renders the result of a prompt.
pub(crate) fn rendered(prompt: &Prompt, text: &str) -> Outcome {
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    Outcome::complete(format!(
        r#""description":{},"messages":[{message}]"#,
        Value::from(prompt.description)
    ))
}

/// Returns the prompt that is asked for, after a check of its arguments.
///
/// # Errors
/// [`Fault`] for an unknown prompt or argument, or a missing argument.
pub(crate) fn check<'p>(prompts: &'p [Prompt], asked: &PromptCall) -> Result<&'p Prompt, Fault> {
    let Some(prompt) = prompts.iter().find(|prompt| prompt.name == asked.name) else {
        let near = nearest(&asked.name, prompts.iter().map(|prompt| prompt.name));
        let hint = near
            .first()
            .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let name = base::text::first(&asked.name, base::limits::MAX_NAME_CHARACTERS);
        return Err(Fault::params(format!("Unknown prompt: {name}{hint}")));
    };
    let known: Vec<&str> = prompt
        .arguments
        .iter()
        .map(|argument| argument.name)
        .collect();
    let given = asked.arguments.keys().map(String::as_str);
    base::known::check(base::known::Given::Field, given, &known)?;
    let missing = prompt
        .arguments
        .iter()
        .find(|argument| argument.required && !asked.arguments.contains_key(argument.name));
    match missing {
        None => Ok(prompt),
        Some(missing) => Err(Fault::params(format!(
            "the argument {} is missing",
            missing.name
        ))),
    }
}

/// Returns a response for a model.
pub(crate) fn said(body: &str) -> String {
    /// Characters of a response that are shown, so that the prompt leaves room for the work.
    const MAX_CHARACTERS: usize = 4_000;
    let text = match ObjectResponse::read(body) {
        ObjectResponse::Success(members) => format!("{{{members}}}"),
        ObjectResponse::Failure(error) => error.to_string(),
    };
    base::text::first(&text, MAX_CHARACTERS)
}
