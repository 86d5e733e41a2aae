//! Limits, settings, bindings and fields of the log, and the settings of models.

use std::collections::BTreeSet;

use agent_models::Settings;
use agent_models::settings::FIELDS;
use codemode_database::api::status;
use codemode_database::config::{Config, SETTINGS};
use codemode_database::limits;
use sandbox::failure::CODES;

use super::markdown::{blocks, code_spans, names, plain, rows};
use super::{assert_same, path, read, rust};

/// The pages of limits. A caller can meet those of the first.
const PAGES: [&str; 2] = ["docs/limits.md", "docs/internals/limits.md"];

/// Returns a number with a comma between its thousands.
fn grouped(number: u64) -> String {
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

/// Writes the tables again: the values of the code, no row of a limit that the code has not, and a
/// row of each new limit at the end of the internal page, whose meaning a person adds.
fn write_limits() {
    let mut missing: std::collections::BTreeMap<&str, u64> = limits::every().collect();
    let known = missing.clone();
    let mut pages = PAGES.map(|page| {
        let text = read(page);
        let lines = text.lines().filter_map(|line| {
            let mut cells: Vec<String> = line.split(" | ").map(str::to_owned).collect();
            let Some(name) = cells[0]
                .strip_prefix("| `")
                .and_then(|cell| cell.strip_suffix('`'))
            else {
                return Some(line.to_owned());
            };
            let name = name.to_owned();
            missing.remove(name.as_str());
            cells[1] = grouped(*known.get(name.as_str())?);
            Some(cells.join(" | "))
        });
        lines.map(|line| line + "\n").collect::<String>()
    });
    for (name, value) in missing {
        let unit = name.rsplit('_').next().unwrap_or_default().to_lowercase();
        pages[1].push_str(&format!("| `{name}` | {} | {unit} | | |\n", grouped(value)));
    }
    for (page, text) in PAGES.into_iter().zip(pages) {
        std::fs::write(path(page), text).unwrap();
    }
}

#[test]
fn both_pages_of_limits_have_every_limit_with_its_value_code_and_variable() {
    if std::env::var_os("CODEMODE_WRITE_LIMITS").is_some() {
        write_limits();
    }
    let pages = PAGES;
    let document = pages.map(|page| rows(&read(page), "limit")).concat();
    let value = |row: &Vec<String>| row[1].replace(',', "").parse::<u64>().unwrap();
    let documented = document.iter().map(|row| (plain(&row[0]), value(row)));
    // Two crates may use the same limit.
    let in_code: BTreeSet<(&str, u64)> = limits::every().collect();
    assert_same(documented.collect(), in_code.into_iter().collect());

    let of_runs = CODES.iter().map(|(code, _)| *code);
    let codes: Vec<&str> = of_runs
        .chain(status::codes().map(|code| code.name))
        .collect();
    for row in &document {
        assert!(!row[3].is_empty(), "{} has no meaning", row[0]);
        let setting = plain(&row[0]).strip_prefix("DEFAULT_");
        if let Some(setting) = SETTINGS.iter().find(|one| Some(one.name) == setting) {
            assert_eq!(setting.default, value(row).to_string(), "{}", setting.name);
            assert_eq!(code_spans(&row[5])[0], setting.name);
        }
        for code in row.get(4).map(|cell| code_spans(cell)).unwrap_or_default() {
            let is_code = !code.contains(|letter: char| !letter.is_uppercase() && letter != '_');
            assert!(!is_code || codes.contains(&code.as_str()), "{code}");
        }
    }
}

/// Returns the ends of a range, which are allowed, and the numbers beside it, which are not.
pub fn around(least: u128, most: u128) -> [(u128, bool); 4] {
    [
        (least, true),
        (most, true),
        (least - 1, false),
        (most + 1, false),
    ]
}

fn accepts(name: &str, value: &str) -> bool {
    Config::parse(|asked| (asked == name).then(|| value.to_owned())).is_ok()
}

#[test]
fn deploying_md_has_every_variable_with_its_default_and_what_it_allows() {
    let document = rows(&read("docs/deploying.md"), "variable");
    let documented = document.iter().map(|row| (plain(&row[0]), row[1].as_str()));
    let in_code = SETTINGS
        .iter()
        .map(|setting| (setting.name, setting.default));
    assert_same(documented.collect(), in_code.collect());
    for row in &document {
        let name = plain(&row[0]);
        if let Some((least, most)) = row[2].split_once(" to ") {
            for (value, is_allowed) in around(least.parse().unwrap(), most.parse().unwrap()) {
                assert_eq!(
                    accepts(name, &value.to_string()),
                    is_allowed,
                    "{name} {value}"
                );
            }
        } else if !row[1].is_empty() {
            assert!(row[2].split(", ").all(|word| accepts(name, word)), "{name}");
            assert!(!accepts(name, "something else"), "{name}");
        } else {
            assert!(!accepts(name, "{"), "{name} is checked");
        }
    }
}

#[test]
fn deploying_md_has_every_binding_and_field_of_the_log() {
    let document = read("docs/deploying.md");
    let configured = read("wrangler.toml");
    for binding in names(&document, "binding") {
        let is_there = configured.contains(&format!("= \"{binding}\""));
        assert!(is_there, "wrangler.toml has no {binding}");
    }
    let (_, log) = document.split_once("## What you can see").unwrap();
    let record = rust::parse("src/worker/telemetry.rs");
    let in_code = rust::keys_of_method(&record, "line");
    assert_same(names(log, "field"), in_code.into_iter().collect());
}

#[test]
fn models_md_has_every_field_and_its_examples_are_read() {
    let document = read("docs/models.md");
    assert_eq!(names(&document, "field"), FIELDS);
    let examples = blocks(&document);
    assert_eq!(examples.len(), 4);
    for (_, example) in examples {
        let settings = Settings::parse(|name| match name {
            "MODEL" => Some(example.clone()),
            _ => (!example.contains("workers-ai")).then(|| "sk-of-a-provider".to_owned()),
        });
        assert!(matches!(settings, Ok(Settings::Hosted(_))), "{settings:?}");
    }
}
