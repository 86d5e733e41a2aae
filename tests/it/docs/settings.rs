//! `docs/limits.md`, `ARCHITECTURE.md` and `docs/deploying.md` against the constants, the environment variables, `wrangler.toml` and the log line,
//! and `.nvmrc` against the version that the scripts install.

use std::collections::{BTreeMap, BTreeSet};

use codemode_database::api::status;
use codemode_database::config::{Config, SETTINGS};
use codemode_database::sandbox::failure::CODES;

use super::markdown::{code_spans, plain, read, rows};

/// Limits with a default that a request may change, and the field or parameter that does.
const REQUEST_DEFAULTS: [(&str, &str); 22] = [
    ("DEFAULT_MCP_STATE_ITEMS", "argument `limit`"),
    ("DEFAULT_MCP_FOUND_ITEMS", "argument `limit`"),
    ("DEFAULT_CENTRAL_NODES", "parameter `limit`"),
    ("DEFAULT_FOUND_NODES", "parameter `limit`"),
    ("DEFAULT_LISTED_MEMBERS", "parameter `limit`"),
    ("DEFAULT_MODEL_FIRST_BYTE_MS", "`firstByteMs` in `MODEL`"),
    (
        "DEFAULT_MODEL_OUTPUT_TOKENS",
        "`maxOutputTokens` in `MODEL`",
    ),
    ("DEFAULT_MODEL_STALL_MS", "`stallMs` in `MODEL`"),
    ("DEFAULT_MODEL_TIMEOUT_MS", "`timeoutMs` in `MODEL`"),
    ("DEFAULT_NEIGHBORS", "parameter `limit`"),
    ("DEFAULT_APPROVAL_TTL_MS", "`approvalTtlSeconds` in `AGENT`"),
    ("DEFAULT_RANKING_ROWS", "a number in the question"),
    ("DEFAULT_THREAD_PAGE_ITEMS", "parameter `limit`"),
    ("DEFAULT_PAGE_ITEMS", "parameter `limit`"),
    ("DEFAULT_PAGE_STEPS", "parameter `limit`"),
    ("DEFAULT_HOST_CALL_TIMEOUT_MS", "field `hostCallTimeoutMs`"),
    ("DEFAULT_EXECUTION_TIMEOUT_MS", "field `timeoutMs`"),
    ("DEFAULT_LISTED_EXECUTIONS", "parameter `limit`"),
    ("DEFAULT_LISTED_OBJECTS", "parameter `limit`"),
    ("DEFAULT_LISTED_TOOLS", "parameter `limit`"),
    ("DEFAULT_PAGE_ROWS", "argument `limit`"),
    (
        "DEFAULT_UPSTREAM_TIMEOUT_MS",
        "`timeoutMs` in `MCP_SERVERS`",
    ),
];

fn limits() -> BTreeMap<String, u64> {
    codemode_database::limits::every()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn with_separators(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[test]
fn limits_md_and_architecture_md_have_every_limit_with_its_value_and_variable() {
    let document: Vec<Vec<String>> = ["docs/limits.md", "ARCHITECTURE.md"]
        .iter()
        .flat_map(|name| rows(&read(name), "limit"))
        .collect();
    let documented: BTreeMap<String, String> = document
        .iter()
        .map(|row| (plain(&row[0]).to_owned(), row[1].clone()))
        .collect();
    assert_eq!(
        documented.len(),
        document.len(),
        "no limit stands there twice"
    );
    let in_code: BTreeMap<String, String> = limits()
        .into_iter()
        .map(|(name, value)| (name, with_separators(value)))
        .collect();
    assert!(in_code.len() > 30, "the constants are found");
    assert_eq!(documented, in_code);

    for row in document.iter().filter(|row| row[0].contains("DEFAULT_")) {
        if let Some((_, field)) = REQUEST_DEFAULTS
            .iter()
            .find(|(name, _)| *name == plain(&row[0]))
        {
            assert_eq!(row[5], *field, "{}", row[0]);
            continue;
        }
        let setting = SETTINGS.iter().find(|setting| {
            // A field of the request may stand behind it.
            let changed_by = row.get(5).map(|cell| code_spans(cell)).unwrap_or_default();
            changed_by.first().is_some_and(|name| name == setting.name)
        });
        let setting = setting.unwrap_or_else(|| panic!("{} names its variable", row[0]));
        assert_eq!(setting.default, row[1].replace(',', ""), "{}", setting.name);
        assert_eq!(format!("DEFAULT_{}", setting.name), plain(&row[0]));
    }
    let of_runs = CODES.iter().map(|(code, _)| *code);
    let codes: BTreeSet<&str> = status::codes()
        .map(|code| code.name)
        .chain(of_runs)
        .collect();
    for row in &document {
        for code in row
            .get(4)
            .map(|cell| code_spans(cell))
            .unwrap_or_default()
            .iter()
            .filter(|code| {
                code.chars()
                    .all(|letter| letter.is_uppercase() || letter == '_')
            })
        {
            assert!(codes.contains(code.as_str()), "{code}");
        }
    }
}

/// A version that `scripts/versions.sh` sets.
fn version_of(name: &str) -> String {
    let prefix = format!("{name}=");
    read("scripts/versions.sh")
        .lines()
        .find_map(|line| line.strip_prefix(&prefix).map(str::to_owned))
        .unwrap_or_else(|| panic!("scripts/versions.sh has {name}"))
}

#[test]
fn nvmrc_has_the_version_of_node_that_the_scripts_install() {
    assert_eq!(read(".nvmrc").trim(), version_of("NODE_VERSION"));
    let major = version_of("NODE_VERSION");
    let major = major.split('.').next().unwrap();
    assert!(
        read("README.md").contains(&format!("Node {major} ")),
        "README.md names Node {major}"
    );
}

fn accepts(name: &str, value: &str) -> bool {
    Config::parse(|asked| (asked == name).then(|| value.to_owned())).is_ok()
}

#[test]
fn deploying_md_has_every_variable_with_its_default_and_what_it_allows() {
    let document = rows(&read("docs/deploying.md"), "variable");
    let documented: Vec<(&str, &str)> = document
        .iter()
        .map(|row| (plain(&row[0]), row[1].as_str()))
        .collect();
    let in_code: Vec<(&str, &str)> = SETTINGS
        .iter()
        .map(|setting| (setting.name, setting.default))
        .collect();
    assert_eq!(documented, in_code);
    for row in &document {
        let name = plain(&row[0]);
        if let Some((smallest, largest)) = row[2].split_once(" to ") {
            let (smallest, largest): (u128, u128) =
                (smallest.parse().unwrap(), largest.parse().unwrap());
            assert!(
                accepts(name, &smallest.to_string()) && accepts(name, &largest.to_string()),
                "{name} takes both ends"
            );
            assert!(
                !accepts(name, &(smallest - 1).to_string())
                    && !accepts(name, &(largest + 1).to_string()),
                "{name} takes nothing beyond"
            );
        } else if !row[1].is_empty() {
            assert!(
                row[2].split(", ").all(|value| accepts(name, value))
                    && !accepts(name, "something else"),
                "{name}"
            );
        } else {
            assert!(!accepts(name, "{"), "{name} is checked");
        }
    }
}

#[test]
fn deploying_md_has_every_binding_and_field_of_the_log() {
    let document = read("docs/deploying.md");
    let configured = read("wrangler.toml");
    for row in rows(&document, "binding") {
        assert!(
            configured.contains(&format!("= \"{}\"", plain(&row[0]))),
            "{} stands in wrangler.toml",
            row[0]
        );
    }
    let source = read("src/worker/telemetry.rs");
    let line = source
        .split_once("fn line")
        .and_then(|(_, rest)| rest.split_once("json!({"))
        .and_then(|(_, rest)| rest.split_once("});"))
        .unwrap()
        .0;
    let in_code: BTreeSet<String> = line
        .split('"')
        .collect::<Vec<_>>()
        .windows(2)
        .filter(|pair| pair[1].starts_with(": "))
        .map(|pair| pair[0].to_owned())
        .collect();
    let documented: BTreeSet<String> = rows(
        document.split_once("## What you can see").unwrap().1,
        "field",
    )
    .iter()
    .flat_map(|row| code_spans(&row[0]))
    .collect();
    assert_eq!(documented, in_code);
}
