//! `docs/agent.md` against the crate `agent`: what becomes of approvals and questions, steps, what a deployment decides.

use std::collections::BTreeSet;

use codemode_database::agent::approval::Status;
use codemode_database::agent::settings::Settings;
use codemode_database::agent::state::{Outcome, Step};
use codemode_database::base::Result;

use super::markdown::{code_spans, plain, read, rows};

const PAGE: &str = "docs/agent.md";

/// The names in backquotes in the first column of a table.
fn names(document: &str, head: &str) -> BTreeSet<String> {
    let first = |row: Vec<String>| code_spans(&row[0]);
    rows(document, head).into_iter().flat_map(first).collect()
}

fn wire(value: impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap();
    value.as_str().unwrap().to_owned()
}

#[test]
fn the_outcomes_and_steps_of_the_page_are_those_of_the_code() {
    let page = read(PAGE);
    let outcomes = [
        Outcome::Answered,
        Outcome::NoQuery,
        Outcome::CannotAnswer,
        Outcome::AskedBack,
        Outcome::Rejected,
        Outcome::Expired,
        Outcome::Failed,
    ];
    assert_eq!(
        names(&page, "value of `outcome`"),
        outcomes.map(wire).into_iter().collect()
    );
    let steps = [
        Step::WriteQuery,
        Step::HumanApproval,
        Step::ExecuteQuery,
        Step::GenerateAnswer,
    ];
    assert_eq!(
        names(&page, "`next`"),
        steps
            .map(|step| step.name().to_owned())
            .into_iter()
            .collect()
    );
}

#[test]
fn the_page_names_what_becomes_of_an_approval() {
    let page = read(PAGE);
    let row = rows(&page, "field")
        .into_iter()
        .find(|row| row[0] == "`approvalId`, `status`")
        .unwrap();
    let statuses = [
        Status::Pending,
        Status::Approved,
        Status::AutoApproved,
        Status::Rejected,
        Status::Edited,
        Status::Superseded,
        Status::Expired,
    ];
    assert_eq!(code_spans(&row[1]), statuses.map(wire));
}

#[test]
fn each_field_of_agent_has_its_default_and_bounds() {
    let page = read(PAGE);
    let parse = |field: &str, value: &str| -> Result<Settings> {
        Settings::parse(Some(&format!("{{\"{field}\":{value}}}")))
    };
    let table = rows(&page, "field");
    let fields: Vec<_> = table.iter().filter(|row| row.len() == 4).collect();
    assert_eq!(fields.len(), 4, "fields of AGENT");
    for row in fields {
        let field = plain(&row[0]);
        let told = parse(field, &row[1]).unwrap_or_else(|error| panic!("{field}: {error}"));
        assert_eq!(told, Settings::default(), "the default of {field}");
        if let Some((least, most)) = row[2].split_once(" to ") {
            let (least, most): (u64, u64) = (least.parse().unwrap(), most.parse().unwrap());
            for (value, is_allowed) in [
                (least, true),
                (most, true),
                (least - 1, false),
                (most + 1, false),
            ] {
                let outcome = parse(field, &value.to_string());
                assert_eq!(outcome.is_ok(), is_allowed, "{field} of {value}");
            }
        }
    }
}
