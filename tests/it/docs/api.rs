//! The routes and the operations.

use codemode_database::api::routes::{BodyLimit, routes};
use pulldown_cmark::HeadingLevel;

use super::markdown::{headings, names, rows};
use super::{HTTP_API, HTTP_API_PAGES, assert_same, documents, read};

#[test]
fn http_api_md_has_every_route_with_its_body() {
    let documented = rows(&read(HTTP_API), "method")
        .into_iter()
        .map(|row| row.into_iter().take(3).collect::<Vec<_>>());
    let in_code = routes().map(|entry| {
        let body = match entry.body {
            BodyLimit::None => "",
            BodyLimit::Request => "`MAX_REQUEST_BYTES`",
            BodyLimit::Batch => "`MAX_BATCH_BYTES`",
            BodyLimit::Load => "`MAX_LOAD_BYTES`",
        };
        vec![
            entry.method.to_owned(),
            format!("`{}`", entry.path),
            body.to_owned(),
        ]
    });
    assert_same(documented.collect(), in_code.collect());
}

#[test]
fn every_operation_is_described_and_unique() {
    let pages = documents();
    let described = pages
        .iter()
        .filter(|name| name.starts_with(HTTP_API_PAGES))
        .flat_map(|name| headings(&read(name)))
        .filter(|(level, title)| *level == HeadingLevel::H3 && !title.contains(' '))
        .map(|(_, title)| title);
    assert_same(
        described.collect(),
        session::NAMES.iter().copied().map(str::to_owned).collect(),
    );
    assert_eq!(
        names(&read("docs/http-api/code.md"), "operation"),
        code::NAMES
    );
    let changes = read("CHANGELOG.md");
    for name in session::NAMES {
        assert!(
            changes.contains(&format!("`{name}`")),
            "CHANGELOG.md has {name}"
        );
    }
}
