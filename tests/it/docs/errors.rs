//! The codes of errors and of failed runs, the reasons of rejected tokens, and of unusable
//! responses of models.

use std::collections::{BTreeMap, BTreeSet};

use agent_models::BadResponse;
use codemode_database::api::status;
use oauth::ALGORITHMS;
use oauth::TokenProblem::{Audience, Expired, Issuer, NotAJwt, UnknownKey};
use sandbox::failure::CODES;

use super::markdown::{code_spans, names, plain, rows};
use super::{assert_same, files, read, rust};

#[test]
fn errors_md_has_every_code_with_its_status_and_details() {
    let mut details = BTreeMap::new();
    for file in [files("crates", ".rs"), files("src", ".rs")].concat() {
        if read(&file).contains("Problem for ") {
            rust::add_details(&rust::parse(&file), &mut details);
        }
    }
    let in_code = status::codes().map(|code| {
        let details = details.get(code.name);
        let details = details.unwrap_or_else(|| panic!("no error has the code {}", code.name));
        let status = status::status_of(code.kind);
        (code.name.to_owned(), status, details.clone())
    });
    let rows = rows(&read("docs/errors.md"), "code");
    let documented = rows.iter().map(|row| {
        let details: BTreeSet<_> = code_spans(&row[3]).into_iter().collect();
        let status: u16 = row[1].parse().unwrap();
        (plain(&row[0]).to_owned(), status, details)
    });
    assert_same(documented.collect(), in_code.collect());
}

#[test]
fn programs_md_has_every_code_of_a_failed_run_with_its_category() {
    let rows = rows(&read("docs/programs.md"), "code");
    let documented = rows.iter().map(|row| (plain(&row[0]), plain(&row[1])));
    let in_code = CODES.iter().map(|(code, kind)| (*code, kind.name()));
    assert_same(documented.collect(), in_code.collect());
}

#[test]
fn authentication_md_has_the_algorithms_and_the_messages_of_tokens() {
    let document = read("docs/authentication.md");
    let rules = rows(&document, "part");
    let rule = rules.iter().find(|row| row[0] == "signature").unwrap();
    let (listed, _) = rule[1].split_once(", with a key").unwrap();
    let listed = listed.replace(" or ", ", ");
    assert_eq!(listed.split(", ").collect::<Vec<_>>(), ALGORITHMS);
    let messages =
        [Expired, Audience, Issuer, UnknownKey, NotAJwt].map(|problem| problem.to_string());
    assert_eq!(names(&document, "message"), messages);
}

#[test]
fn models_md_has_every_reason_of_a_useless_response() {
    let reasons = BadResponse::ALL.map(BadResponse::name);
    assert_eq!(names(&read("docs/models.md"), "reason"), reasons);
}
