//! The embedded planner as the writer: rules, and no model. It says that it is a planner, and it
//! does not guess.

use std::fmt::Write as _;

use agent_planner::{Column, Day, Plan, SampleValue, Schema, Table, plan_chosen};
use serde_json::Value;

use crate::evidence;
use crate::prompt::{WriteTask, hidden};
use crate::state::{AskedBack, Author, Outcome};
use crate::turn::WriterOutput;

/// The end of each refusal, so that nobody takes the planner for a model.
const WHAT_I_AM: &str = "I am a planner that follows rules: I count, list, rank, sum and compare rows. With a language model I would understand more words.";

/// Writes a statement, or a reply that says why there is none.
pub fn write(task: &WriteTask<'_>) -> WriterOutput {
    let reply = |text: String, outcome| WriterOutput::Reply {
        text,
        outcome,
        choices: Vec::new(),
    };
    let Some(today) = Day::parse(&task.today) else {
        return reply(
            format!("The date is not known. {WHAT_I_AM}"),
            Outcome::CannotAnswer,
        );
    };
    if task.values.feedback.is_some() {
        return reply(
            format!(
                "I cannot write another statement: I do not understand the reason of a rejection and would write the same statement again.\nTry: ask a new question, or edit the statement.\n{WHAT_I_AM}"
            ),
            Outcome::CannotAnswer,
        );
    }
    let (question, chosen) = task.values.whole_question();
    match plan_chosen(question, chosen, &schema(task.schema), today) {
        Plan::Query {
            sql, explanation, ..
        } => WriterOutput::Query {
            sql,
            explanation,
            author: Author::Planner,
        },
        Plan::NoSqlNeeded { answer } => reply(answer, Outcome::NoQuery),
        Plan::Ambiguous {
            question,
            candidates,
        } => WriterOutput::Reply {
            text: question,
            outcome: Outcome::AskedBack,
            choices: candidates,
        },
        Plan::CannotAnswer { .. } if let Some(back) = unanswered(task) => WriterOutput::Reply {
            text: format!(
                "That is not one of the choices for “{}”. Choose one of them, or ask a complete question.",
                back.question
            ),
            outcome: Outcome::AskedBack,
            choices: back.choices.clone(),
        },
        Plan::CannotAnswer {
            reason,
            understood,
            suggestions,
        } => {
            let mut text = format!("I cannot: {reason}.");
            let hidden = hidden(task.schema);
            if !hidden.is_empty() {
                let names = hidden.join(", ");
                let _ = write!(
                    text,
                    "\nStatements cannot read {names}: add a column that holds the business of each row (its name is TENANT_COLUMN, business_id by default), or list in GLOBAL_TABLES the tables that every business may read."
                );
            }
            if !understood.is_empty() {
                text.push_str("\nUnderstood: ");
                text.push_str(&understood.join("; "));
                text.push('.');
            }
            if !suggestions.is_empty() {
                text.push_str("\nTry: ");
                text.push_str(&suggestions.join("; "));
                text.push('.');
            }
            reply(format!("{text}\n{WHAT_I_AM}"), Outcome::CannotAnswer)
        }
    }
}

/// The maximum number of words of a reply that is not a question of its own.
const SHORT_REPLY_WORDS: usize = 3;

/// Returns the question back that a short reply belongs to, although the reply names none of the
/// choices.
fn unanswered<'t>(task: &WriteTask<'t>) -> Option<&'t AskedBack> {
    let words = crate::words::of(&task.values.question);
    let back = task.values.unanswered.as_ref();
    back.filter(|_| words.count() <= SHORT_REPLY_WORDS)
}

/// Converts the schema of the session for the planner.
pub(crate) fn schema(told: &Value) -> Schema {
    let tables = list(told, "tables").map(|table| Table {
        name: text(table, "name"),
        columns: list(table, "columns").map(column).collect(),
        row_count: table.get("rowCount").and_then(Value::as_u64),
    });
    let mut schema = Schema {
        tables: tables.collect(),
    };
    evidence::learn(&mut schema, told);
    schema
}

fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    let list = value.get(name).and_then(Value::as_array);
    list.into_iter().flatten()
}

fn text(value: &Value, name: &str) -> String {
    let text = value.get(name).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

fn column(told: &Value) -> Column {
    let flag = |name: &str| told.get(name).and_then(Value::as_bool) == Some(true);
    let values = |name: &str| told.get(name).and_then(Value::as_array);
    let reference = told.get("references").filter(|value| value.is_object());
    Column {
        name: text(told, "name"),
        declared_type: text(told, "type"),
        primary_key: flag("primaryKey"),
        not_null: flag("notNull"),
        references: reference.map(|key| (text(key, "table"), text(key, "column"))),
        samples: values("samples")
            .into_iter()
            .flatten()
            .filter_map(sample)
            .collect(),
        few_values: values("distinct").is_some(),
        ..Column::default()
    }
}

fn sample(value: &Value) -> Option<SampleValue> {
    match value {
        Value::String(text) => Some(SampleValue::Text(text.clone())),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Some(SampleValue::Integer(whole)),
            None => number.as_f64().map(SampleValue::Real),
        },
        _ => None,
    }
}
