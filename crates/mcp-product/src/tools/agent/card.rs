//! The card of a statement that waits for a decision: its facts, its explanation and its SQL.

use super::*;

pub(super) fn waiting(pending: &Value) -> Value {
    let names = [
        "approvalId",
        "sha256",
        "sql",
        "explanation",
        "author",
        "editedBy",
        "kind",
        "affectedRows",
        "estimatedRows",
        "expiresAt",
        "requiredApprovers",
        "approvers",
    ];
    let fields: Map<String, Value> = names
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), pending.get(name)?.clone())))
        .collect();
    Value::Object(fields)
}

pub(super) fn text_of<'a>(pending: &'a Value, name: &str) -> &'a str {
    pending
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Returns the statement as written, and as it runs if that differs.
pub(super) fn statements(pending: &Value) -> Vec<(&'static str, &str)> {
    let (written, last) = (text_of(pending, "sql"), text_of(pending, "finalSql"));
    match (written, last) {
        ("", "") => Vec::new(),
        (written, "") => vec![("The statement", written)],
        ("", last) => vec![("The statement", last)],
        (written, last) if written == last => vec![("The statement", written)],
        (written, last) => vec![
            ("The statement as it was written", written),
            ("The statement as it runs, within its scope", last),
        ],
    }
}

/// Adds the explanation of the statement, with its author.
pub(super) fn explained(form: &mut Form, pending: &Value) {
    let words = text_of(pending, "explanation");
    match text_of(pending, "author") {
        "model" => form.said("The model says", words),
        "planner" => form.said("The planner says", words),
        "person" => form.said("Edited by", text_of(pending, "editedBy")),
        // An undo, which explains itself.
        _ => form.said("What it does", words),
    }
}

/// Adds the tables that the thread is about.
pub(super) fn target_in_words(form: &mut Form, values: &Value) {
    match values.pointer("/target/session").and_then(Value::as_str) {
        Some(session) => form.named("Session", session, ""),
        None if text_of(values, "target") == PERSISTENT => form.fact("The persistent tables"),
        None => {}
    }
}

/// Adds the database's findings about the statement, the effect first; `values` are those of its
/// thread.
pub(super) fn facts(form: &mut Form, pending: &Value, values: &Value) {
    let kind = text_of(pending, "kind");
    form.fact(format!("Kind: {kind}"));
    let count = |name: &str| pending.get(name).and_then(Value::as_u64);
    let tables = pending.get("tables").and_then(Value::as_array);
    let tables = tables.map(Vec::as_slice).unwrap_or_default();
    form.fact(match (kind, count("affectedRows").or(count("changes"))) {
        ("read", _) => "It only reads.".to_owned(),
        (_, Some(rows)) => match rows_in(tables).saturating_sub(rows) {
            0 => format!("Rows that it changes: {rows}"),
            more => format!(
                "Rows that it changes: {rows}, and {more} more by foreign keys, triggers or replacement"
            ),
        },
        (_, None) => "Rows that it changes: not known".to_owned(),
    });
    target_in_words(form, values);
    let business = text_of(values, "businessId");
    if !business.is_empty() {
        form.named("Business whose rows it sees", business, "");
    }
    for table in tables.iter().take(MAX_SHOWN_TABLES) {
        form.named("Table", text_of(table, "name"), &effect(table));
    }
    if tables.len() > MAX_SHOWN_TABLES {
        form.fact(format!(
            "Tables beyond these: {}",
            tables.len() - MAX_SHOWN_TABLES
        ));
    }
    let flag = |name: &str| pending.get(name).and_then(Value::as_bool);
    if flag("destructive") == Some(true) {
        form.fact("It changes or deletes existing data.");
    }
    match flag("undoable") {
        Some(true) => form.fact("It can be undone."),
        Some(false) if kind != "read" => {
            form.named("It cannot be undone", text_of(pending, "undoReason"), "")
        }
        _ => {}
    }
    if let Some(persons) = count("requiredApprovers").filter(|persons| *persons > 1) {
        form.fact(format!("Persons who must approve: {persons}"));
    }
    let approvers = pending.get("approvers").and_then(Value::as_array);
    for approver in approvers.into_iter().flatten().filter_map(Value::as_str) {
        form.named("Approved by", approver, "");
    }
}

/// The counts of changed rows that a table of a card has.
const CHANGES: [&str; 3] = ["inserted", "updated", "deleted"];

/// Counts the rows that are changed in all tables.
fn rows_in(tables: &[Value]) -> u64 {
    let counts = tables.iter().flat_map(|table| {
        CHANGES
            .into_iter()
            .filter_map(|name| table.get(name)?.as_u64())
    });
    counts.fold(0, u64::saturating_add)
}

/// Describes the effect on a table.
pub(super) fn effect(table: &Value) -> String {
    let counts: Vec<String> = CHANGES
        .into_iter()
        .filter_map(|name| Some(format!("{} {name}", table.get(name)?.as_u64()?)))
        .collect();
    match (text_of(table, "access"), counts.is_empty()) {
        ("write", true) => ", written, the rows are not known".to_owned(),
        ("write", false) => format!(", rows: {}", counts.join(", ")),
        _ => ", read".to_owned(),
    }
}

/// Creates the form.
pub(super) fn question(pending: &Value, values: &Value) -> Outcome {
    let is_undo = text_of(pending, "kind") == "undo";
    let asked = if is_undo {
        "Take this write back?"
    } else {
        "Run this statement?"
    };
    let mut form = Form::asking(asked, "the database");
    facts(&mut form, pending, values);
    explained(&mut form, pending);
    for (label, sql) in statements(pending) {
        form.in_full(label, sql);
    }
    let fields = decision_fields("reject", "rejected");
    Outcome::InputRequired {
        requests: vec![(KEY, form.request(&fields, KEY))],
        state: Some(text_of(pending, "token").to_owned()),
    }
}
