//! The documents against the code. Whatever can be counted stands in a table or a block of its own, and each test fails when one side has an
//! entry that the other lacks.
//!
//! Here: codes, routes, operations, links, make targets. [`policy`] has refusals and functions, [`settings`] limits, settings, bindings and
//! log fields, [`agent`] the database agent, [`examples`] and [`code_examples`] run the examples, [`layers`] and [`cycles`] compare who uses whom, [`constants`] wants a word beside each
//! number, [`mcp_tools`] makes the page of the tools of the MCP server, [`markdown`] reads the documents.

mod agent;
mod code_examples;
mod constants;
mod cycles;
mod examples;
mod hints;
mod layers;
mod literals;
mod markdown;
mod mcp_tools;
mod policy;
mod settings;

use codemode_database::agent::AgentError;
use codemode_database::agent::approval::Status;
use codemode_database::api::RequestError;
use codemode_database::base::CommonError;
use codemode_database::code::CodeError;
use codemode_database::database::DatabaseError;
use codemode_database::graph::GraphError;
use codemode_database::graphql::GraphqlError;
use codemode_database::language_model::settings::FIELDS;
use codemode_database::language_model::{BadResponse, Cap, ModelError, Refuser, Settings, Wait};
use codemode_database::mcp_server::McpServerError;
use codemode_database::oauth::{self, OauthError, TokenProblem};
use codemode_database::sandbox::SandboxError;
use codemode_database::session::{ConfirmationRefusal, SessionError};
use codemode_database::sql::SqlError;
use std::collections::{BTreeMap, BTreeSet};

use codemode_database::api::routes::{BodyLimit, routes};
use codemode_database::api::status;
use codemode_database::base::Error;
use codemode_database::operations::NAMES;
use codemode_database::sandbox::failure::CODES;
use codemode_database::sql::LoopReport;
use codemode_database::tools::{Reason, ToolError};
use serde_json::Value;

use markdown::{code_spans, plain, read, rows};

const DOCUMENTS: [&str; 5] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
];

/// The page that lists the routes, and the folder of the pages by object behind it.
const HTTP_API: &str = "docs/http-api.md";
const HTTP_API_PAGES: &str = "docs/http-api/";

/// One error of each kind, for its details.
fn one_of_each() -> Vec<Error> {
    let mut errors = one_of_each_of_the_rest();
    errors.extend(one_of_each_of_sql());
    errors.extend(one_of_each_of_session());
    errors.extend(one_of_each_of_tools());
    errors.extend(one_of_each_of_the_mcp_server());
    errors.extend(one_of_each_of_graphs());
    errors.extend(one_of_each_of_code());
    errors.extend(one_of_each_of_threads());
    errors.extend(one_of_each_of_models());
    errors
}

/// Those of requests, of the database and of sandboxes, and those that any feature may return.
fn one_of_each_of_the_rest() -> Vec<Error> {
    let text = String::new;
    vec![
        Error::invalid(""),
        Error::body(""),
        Error::from(DatabaseError::DatabaseFull),
        Error::from(CommonError::TooBig {
            message: text(),
            hint: text(),
        }),
        Error::from(DatabaseError::Busy { message: text() }),
        Error::from(CommonError::PayloadTooLarge { limit_bytes: 1 }),
        Error::from(RequestError::Unauthorized {
            message: text(),
            hint: text(),
        }),
        Error::from(OauthError::InvalidToken {
            problem: TokenProblem::Expired,
        }),
        Error::from(OauthError::InsufficientScope {
            missing: Vec::new(),
            required: Vec::new(),
        }),
        Error::from(OauthError::BusinessClaimUnusable {
            claim: text(),
            problem: "",
        }),
        Error::from(OauthError::TenantClaimUnusable {
            claim: text(),
            problem: "",
        }),
        Error::from(OauthError::IssuerResponseInvalid {
            message: text(),
            hint: "",
        }),
        Error::from(OauthError::IssuerUnavailable { message: text() }),
        Error::from(RequestError::OriginNotAllowed { origin: text() }),
        Error::from(RequestError::NotFound {
            method: text(),
            path: text(),
        }),
        Error::from(RequestError::MethodNotAllowed {
            method: text(),
            path: text(),
            allowed: Vec::new(),
        }),
        Error::from(SandboxError::SandboxUnavailable),
        Error::from(SandboxError::SandboxBusy { message: text() }),
        Error::from(SandboxError::CallNotFound {
            execution_id: text(),
            call: 1,
        }),
        Error::from(CommonError::Misconfigured { message: text() }),
        Error::internal(""),
    ]
}

fn one_of_each_of_sql() -> Vec<Error> {
    let text = String::new;
    vec![
        Error::from(SqlError::SqlBlocked {
            reason: "empty",
            message: text(),
            hint: text(),
        }),
        Error::from(SqlError::SyntaxError {
            message: text(),
            line: 1,
            column: 1,
            pointer: text(),
            hint: None,
        }),
        Error::from(SqlError::NoSuchTable {
            hint: None,
            table: text(),
            suggestions: Vec::new(),
        }),
        Error::from(SqlError::NoSuchColumn {
            column: text(),
            suggestions: Vec::new(),
            available: Vec::new(),
            double_quoted: false,
            hint: None,
        }),
        Error::from(SqlError::NoSuchFunction {
            function: text(),
            suggestions: Vec::new(),
            hint: None,
        }),
        Error::from(SqlError::ConstraintFailed {
            kind: "UNIQUE",
            table: None,
            columns: Vec::new(),
            message: text(),
        }),
        Error::from(SqlError::DatatypeMismatch { message: text() }),
        Error::from(SqlError::ParameterCount {
            expected: 0,
            given: 1,
        }),
        Error::from(SqlError::QueryTooExpensive {
            estimated_work: Some(1),
            limit: 1,
            loops: vec![LoopReport {
                over: text(),
                rows: Some(1),
                visited: None,
            }],
            hint: text(),
            plan: Vec::new(),
        }),
        Error::from(SqlError::SqlError {
            message: text(),
            hint: None,
        }),
    ]
}

fn one_of_each_of_session() -> Vec<Error> {
    let text = String::new;
    vec![
        Error::from(SessionError::QueryTimeout { timeout_ms: 1 }),
        Error::from(SessionError::UnknownOperation {
            operation: text(),
            suggestions: Vec::new(),
            operations: &[],
        }),
        Error::from(SessionError::UnsupportedMediaType {
            message: text(),
            hint: text(),
            accepted: &[],
        }),
        Error::from(SessionError::PersistentUnavailable),
        Error::from(SessionError::ConfirmationInvalid {
            why: ConfirmationRefusal::Expired,
        }),
        Error::from(SessionError::TooManyWatchers { limit: 1 }),
        Error::from(SessionError::StatementChanged {
            message: text(),
            approved: text(),
            found: text(),
        }),
        Error::from(SessionError::UndoConflict {
            message: text(),
            rows: Vec::new(),
        }),
        Error::from(SessionError::UndoUnavailable { reason: text() }),
        Error::from(SessionError::ApprovalNotFound {
            approval_id: text(),
        }),
        Error::from(SessionError::SessionDeleted {
            what: "the load was arriving",
        }),
        Error::from(SessionError::OtherColumns {
            table: text(),
            existing: vec![text()],
            asked: vec![text()],
        }),
    ]
}

fn one_of_each_of_tools() -> Vec<Error> {
    let text = String::new;
    vec![
        Error::from(ToolError::ServerNotFound {
            server: text(),
            available: Vec::new(),
            suggestions: Vec::new(),
        }),
        Error::from(ToolError::ToolNotFound {
            server: text(),
            tool: text(),
            available: Vec::new(),
            suggestions: Vec::new(),
        }),
        Error::from(ToolError::InvalidArguments {
            message: text(),
            issues: Vec::new(),
            schema: Value::Null,
        }),
        Error::from(ToolError::UpstreamFailed {
            server: text(),
            reason: Reason::Connection,
            message: text(),
            status: None,
            retry_after_ms: Some(1),
            data: Some("because".into()),
            hint: "",
        }),
        Error::from(ToolError::UpstreamAuthFailed {
            server: text(),
            step: "",
            message: text(),
            status: None,
            hint: "",
        }),
        Error::from(ToolError::UpstreamTimeout {
            server: text(),
            timeout_ms: 1,
        }),
        Error::from(ToolError::UpstreamToolError {
            server: text(),
            tool: text(),
            message: text(),
        }),
        Error::from(GraphqlError::GraphqlInvalidQuery {
            message: text(),
            hint: None,
            issues: Value::Null,
        }),
        Error::from(GraphqlError::GraphqlNullData {
            message: text(),
            hint: None,
            null_fields: Vec::new(),
            details: Value::Null,
            validation: Value::Null,
            console: Vec::new(),
            data: None,
        }),
        Error::from(SessionError::StagedNotFound {
            id: text(),
            suggestions: Vec::new(),
        }),
        Error::from(SessionError::StagedTooLarge {
            message: text(),
            hint: text(),
        }),
    ]
}

fn one_of_each_of_the_mcp_server() -> Vec<Error> {
    let text = String::new;
    vec![
        Error::from(McpServerError::ResultTooLarge {
            what: "",
            limit_tokens: 1,
            hint: text(),
        }),
        Error::from(McpServerError::ConfirmationRequired {
            object: text(),
            name: text(),
        }),
        Error::from(McpServerError::ConfirmationDeclined { object: text() }),
        Error::from(McpServerError::PersonRequired { thread: text() }),
        Error::from(McpServerError::InvalidCursor),
        Error::from(McpServerError::ToolNotInProfile { tool: text() }),
    ]
}

fn one_of_each_of_threads() -> Vec<Error> {
    let text = String::new;
    let status = Status::Approved;
    [
        AgentError::NoSuchThread { thread: text() },
        AgentError::NoSuchCheckpoint { checkpoint: 1 },
        AgentError::NoSuchPair { id: text() },
        AgentError::NothingPending,
        AgentError::WrongApproval {
            given: text(),
            pending: None,
        },
        AgentError::AlreadyDecided {
            approval_id: text(),
            status,
        },
        AgentError::AlreadyApproved {
            person: text(),
            missing: 1,
        },
        AgentError::ApprovalExpired {
            approval_id: text(),
            expired_at_ms: 0,
        },
        AgentError::StatementChanged {
            given: text(),
            pending: text(),
        },
        AgentError::TurnInProgress { step: "writeQuery" },
        AgentError::InputConflict { input_id: text() },
        AgentError::NothingToTakeBack { reason: text() },
        AgentError::BadApprovalToken { reason: "" },
        AgentError::OtherBusiness { given: text() },
        AgentError::ThreadFull { limit: 1 },
        AgentError::StepFailed {
            step: "writeQuery",
            tries: 1,
            last: text(),
        },
        AgentError::BadWriting { problem: text() },
    ]
    .map(Error::from)
    .to_vec()
}

fn one_of_each_of_graphs() -> Vec<Error> {
    let text = String::new;
    let issues = Vec::new();
    vec![
        Error::from(GraphError::NodeNotFound {
            id: text(),
            suggestions: Vec::new(),
        }),
        Error::from(GraphError::EdgeNotFound {
            id: text(),
            suggestions: Vec::new(),
        }),
        Error::from(GraphError::AmbiguousNode {
            label: text(),
            candidates: Vec::new(),
        }),
        Error::from(GraphError::VersionConflict {
            expected: 1,
            version: 2,
        }),
        Error::from(GraphError::VersionNotFound {
            version: 1,
            oldest: 2,
            newest: 3,
        }),
        Error::from(GraphError::NothingToUndo),
        Error::from(GraphError::NothingToRedo),
        Error::from(GraphError::GraphFull {
            what: "",
            size: 2,
            limit: 1,
        }),
        Error::from(GraphError::TooLarge {
            what: "",
            size: 2,
            limit: 1,
        }),
        Error::from(GraphError::TooManyReaders { limit: 1 }),
        Error::from(GraphError::InvalidItems {
            issues,
            count: 0,
            mixed: true,
        }),
    ]
}

fn one_of_each_of_code() -> Vec<Error> {
    let text = String::new;
    vec![
        Error::from(CodeError::FileNotFound {
            path: text(),
            suggestions: Vec::new(),
        }),
        Error::from(CodeError::ItemNotFound {
            canon: text(),
            file: text(),
            candidates: Vec::new(),
        }),
        Error::from(CodeError::AmbiguousItem {
            canon: text(),
            file: text(),
            count: 2,
            candidates: Vec::new(),
        }),
        Error::from(CodeError::Changed {
            path: text(),
            expected: text(),
            file_hash: text(),
            tracking_hash: text(),
        }),
        Error::from(CodeError::Overlapping {
            path: text(),
            edits: (0, 1),
        }),
        Error::from(CodeError::SyntaxBroken {
            path: text(),
            reason: text(),
        }),
        Error::from(CodeError::Placeholder {
            path: text(),
            line: text(),
        }),
        Error::from(CodeError::VersionNotKept {
            version: 1,
            oldest: 2,
            newest: 3,
        }),
        Error::from(CodeError::ProposalNotFound { request_id: text() }),
        Error::from(CodeError::ProposalDecided {
            request_id: text(),
            status: "denied",
            reason: text(),
        }),
        Error::from(CodeError::DuplicateRequest { request_id: text() }),
        Error::from(CodeError::Full {
            what: "files",
            size: 2,
            limit: 1,
        }),
    ]
}

fn one_of_each_of_models() -> Vec<Error> {
    let text = String::new;
    vec![
        Error::from(ModelError::NotConfigured { message: text() }),
        Error::from(ModelError::Unauthorized {
            status: None,
            message: text(),
        }),
        Error::from(ModelError::RateLimited {
            cap: Cap::Rate,
            message: text(),
            retry_after_ms: None,
        }),
        Error::from(ModelError::Unavailable {
            message: text(),
            status: None,
            retry_after_ms: None,
        }),
        Error::from(ModelError::Timeout {
            waited_for: Wait::End,
            limit_ms: 1,
        }),
        Error::from(ModelError::Refused {
            by: Refuser::Model,
            message: text(),
        }),
        Error::from(ModelError::BadAnswer {
            reason: BadResponse::Empty,
            message: text(),
        }),
        Error::from(ModelError::Rejected {
            status: 400,
            message: text(),
        }),
        Error::from(ModelError::BudgetExceeded {
            spent_microdollars: 2,
            reserved_microdollars: 1,
            limit_microdollars: 2,
            resets_at_ms: 1,
        }),
    ]
}

#[test]
fn errors_md_has_every_code_with_its_status_and_details() {
    let mut documented: Vec<(String, u16, BTreeSet<String>)> =
        rows(&read("docs/errors.md"), "code")
            .iter()
            .map(|row| {
                (
                    plain(&row[0]).to_owned(),
                    row[1].parse().unwrap(),
                    code_spans(&row[3]).into_iter().collect(),
                )
            })
            .collect();
    let samples: BTreeMap<&str, Error> = one_of_each()
        .into_iter()
        .map(|error| (error.code(), error))
        .collect();
    let details = |code: &str| {
        let error = samples
            .get(code)
            .unwrap_or_else(|| panic!("one_of_each has no {code}"));
        error
            .details()
            .into_iter()
            .map(|(name, _)| name)
            .collect::<BTreeSet<_>>()
    };
    let mut in_code: Vec<_> = status::codes()
        .map(|code| {
            (
                code.name.to_owned(),
                status::status_of(code.kind),
                details(code.name),
            )
        })
        .collect();
    let statuses: Vec<u16> = documented.iter().map(|(_, status, _)| *status).collect();
    assert!(
        statuses.is_sorted(),
        "the table is in the order of its statuses"
    );
    documented.sort();
    in_code.sort();
    assert_eq!(documented, in_code);
}

#[test]
fn programs_md_has_every_code_of_a_failed_run_with_its_category() {
    let documented: Vec<(String, String)> = rows(&read("docs/programs.md"), "code")
        .iter()
        .map(|row| {
            assert!(
                row.len() == 4 && row.iter().all(|cell| !cell.is_empty()),
                "{row:?} has a meaning and a fix"
            );
            (plain(&row[0]).to_owned(), plain(&row[1]).to_owned())
        })
        .collect();
    let in_code: Vec<(String, String)> = CODES
        .iter()
        .map(|(code, category)| ((*code).to_owned(), category.name().to_owned()))
        .collect();
    assert_eq!(documented, in_code);
}

#[test]
fn authentication_md_has_the_algorithms_and_the_messages_of_tokens() {
    let document = read("docs/authentication.md");
    let rules = rows(&document, "part");
    let rule = rules.iter().find(|row| row[0] == "signature").unwrap();
    let listed = rule[1].split(", with a key").next().unwrap();
    let listed: Vec<&str> = listed
        .split([',', ' '])
        .filter(|word| !matches!(*word, "" | "or"))
        .collect();
    assert_eq!(listed, oauth::ALGORITHMS);

    let messages: Vec<String> = [
        TokenProblem::Expired,
        TokenProblem::Audience,
        TokenProblem::Issuer,
        TokenProblem::UnknownKey,
        TokenProblem::NotAJwt,
    ]
    .iter()
    .map(ToString::to_string)
    .collect();
    let documented: Vec<String> = rows(&document, "message")
        .iter()
        .map(|row| row[0].clone())
        .collect();
    assert_eq!(documented, messages);
}

#[test]
fn models_md_has_every_field_and_every_reason_and_its_examples_are_read() {
    let document = read("docs/models.md");
    let documented = |column: &str| -> Vec<String> {
        let rows = rows(&document, column);
        rows.iter().map(|row| plain(&row[0]).to_owned()).collect()
    };
    assert_eq!(documented("field"), FIELDS);
    assert_eq!(
        documented("reason"),
        BadResponse::ALL.map(BadResponse::name)
    );
    let mut read = 0;
    for block in markdown::blocks(&document) {
        let has_key = !block.text.contains("workers-ai");
        let settings = Settings::parse(|name| match name {
            "MODEL" => Some(block.text.clone()),
            _ => has_key.then(|| "sk-of-a-provider".to_owned()),
        });
        assert!(matches!(settings, Ok(Settings::Hosted(_))), "{settings:?}");
        read += 1;
    }
    assert_eq!(read, 4);
}

#[test]
fn http_api_md_has_every_route_with_its_body() {
    let mut documented: Vec<Vec<String>> = rows(&read(HTTP_API), "method")
        .into_iter()
        .map(|row| row.into_iter().take(3).collect())
        .collect();
    let mut in_code: Vec<Vec<String>> = routes()
        .map(|entry| {
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
        })
        .collect();
    // The page has them in the order of a reader.
    documented.sort();
    in_code.sort();
    assert_eq!(documented, in_code);
}

#[test]
fn http_api_md_and_the_openapi_document_have_every_operation() {
    let pages: Vec<String> = all_documents()
        .iter()
        .filter(|name| name.starts_with(HTTP_API_PAGES))
        .map(|name| read(name))
        .collect();
    let mut headings: Vec<&str> = pages
        .iter()
        .flat_map(|page| markdown::prose(page))
        .filter_map(|line| line.strip_prefix("### "))
        .filter(|title| !title.contains(' '))
        .collect();
    headings.sort_unstable();
    let mut in_code = NAMES.to_vec();
    in_code.sort_unstable();
    assert_eq!(headings, in_code, "each operation is described once");
    let in_code: BTreeSet<&str> = in_code.into_iter().collect();
    let changelog = read("CHANGELOG.md");
    assert!(
        NAMES
            .iter()
            .all(|name| changelog.contains(&format!("`{name}`"))),
        "CHANGELOG.md has every operation"
    );

    let described: Value = serde_json::from_str(&read("src/api/openapi/document.json")).unwrap();
    let schemas = described["components"]["schemas"].as_object().unwrap();
    let mut named = BTreeSet::new();
    for reference in schemas["Operation"]["oneOf"].as_array().unwrap() {
        let name = reference["$ref"]
            .as_str()
            .unwrap()
            .rsplit('/')
            .next()
            .unwrap();
        let operation = &schemas[name]["properties"]["operation"];
        named.extend(operation["const"].as_str());
        named.extend(
            operation["enum"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str),
        );
    }
    assert_eq!(named, in_code);
}

fn all_documents() -> Vec<String> {
    let pages = markdown::files("docs", ".md");
    DOCUMENTS
        .iter()
        .map(|name| (*name).to_owned())
        .chain(pages)
        .collect()
}

/// The file that a link of a document leads to, by its path in the repository.
fn resolve(document: &str, file: &str) -> String {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

#[test]
fn readme_links_every_document_and_every_link_leads_somewhere() {
    let readme = read("README.md");
    let linked: BTreeSet<&str> = markdown::links(&readme).into_iter().collect();
    let index = read(HTTP_API);
    let pages: BTreeSet<String> = markdown::links(&index)
        .into_iter()
        .map(|link| resolve(HTTP_API, link))
        .collect();
    for name in all_documents().iter().filter(|name| *name != "README.md") {
        if name.starts_with(HTTP_API_PAGES) {
            assert!(pages.contains(name), "{HTTP_API} links {name}");
        } else {
            assert!(linked.contains(name.as_str()), "README.md links {name}");
        }
    }
    for name in all_documents() {
        let text = read(&name);
        for link in markdown::links(&text)
            .into_iter()
            .filter(|link| !link.contains("://"))
        {
            let (file, anchor) = link
                .split_once('#')
                .map_or((link, None), |(file, anchor)| (file, Some(anchor)));
            let target = if file.is_empty() {
                name.clone()
            } else {
                resolve(&name, file)
            };
            assert!(markdown::path(&target).exists(), "{name} links {link}");
            assert!(
                anchor.is_none_or(|anchor| markdown::anchors(&read(&target))
                    .iter()
                    .any(|known| known == anchor)),
                "{name} links {link}"
            );
        }
    }
}

#[test]
fn every_make_target_that_a_document_names_exists() {
    let makefile = read("Makefile");
    let mut named = 0;
    for name in all_documents() {
        let text = read(&name);
        for rest in ["`make ", "$ make ", "\nmake "]
            .iter()
            .flat_map(|before| text.split(before).skip(1))
        {
            let target: String = rest
                .chars()
                .take_while(|letter| letter.is_ascii_lowercase() || *letter == '-')
                .collect();
            assert!(
                makefile.contains(&format!("\n{target}:")),
                "{name} names make {target}"
            );
            named += 1;
        }
    }
    assert!(named > 5, "{named} targets are named");
}
