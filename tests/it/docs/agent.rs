//! `docs/agent.md` against the crate `agent`: steps, outcomes, ends of an approval, and settings of
//! a deployment.

use agent::settings::Settings;

use super::markdown::{code_spans, names, plain, rows};
use super::settings::around;
use super::{read, rust};

const PAGE: &str = "docs/agent.md";

/// Returns the variants of an enum as in JSON, in camelCase.
fn wire(file: &str, name: &str) -> Vec<String> {
    let lower = |name: &String| {
        let (first, rest) = name.split_at(1);
        first.to_lowercase() + rest
    };
    rust::variants(file, name).iter().map(lower).collect()
}

#[test]
fn the_steps_outcomes_and_statuses_of_the_page_are_those_of_the_code() {
    let (page, state) = (read(PAGE), "crates/agent/src/state.rs");
    assert_eq!(names(&page, "value of `outcome`"), wire(state, "Outcome"));
    let mut steps = names(&page, "`next`");
    assert_eq!(steps.pop().as_deref(), Some("none"));
    steps.push("end".to_owned());
    assert_eq!(steps, wire(state, "Step"));
    let fields = rows(&page, "field");
    let status = fields.iter().find(|row| row[0].ends_with("`status`"));
    let statuses = wire("crates/agent/src/status.rs", "Status");
    assert_eq!(code_spans(&status.unwrap()[1]), statuses);
}

#[test]
fn each_field_of_agent_has_its_default_and_bounds() {
    let parse = |field: &str, value: &str| {
        let agent = format!("{{\"{field}\":{value}}}");
        Settings::parse(Some(&agent))
    };
    let mut fields = rows(&read(PAGE), "field");
    fields.retain(|row| row.len() == 4);
    assert_eq!(fields.len(), 4, "fields of AGENT");
    for row in fields {
        let field = plain(&row[0]);
        assert_eq!(parse(field, &row[1]), Ok(Settings::default()), "{field}");
        if let Some((least, most)) = row[2].split_once(" to ") {
            for (value, is_allowed) in around(least.parse().unwrap(), most.parse().unwrap()) {
                let outcome = parse(field, &value.to_string());
                assert_eq!(outcome.is_ok(), is_allowed, "{field} {value}");
            }
        }
    }
}
