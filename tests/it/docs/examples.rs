//! Runs the examples of the documents against a session on the host, and compares the responses.
//!
//! A block of JSON with an `operation`, or an `http` block, is a request; the block behind it is the response of the Worker. A `console`
//! block has `$ curl …` lines with their responses. The comparison leaves out what differs from run to run (times, sizes, the engine's
//! counters); everything else must be equal, numbers exactly. Examples that run a program are left to
//! `tests/worker/documents.test.mjs`.

use codemode_database::api::routes::{self, Front, ServedBy, SessionTask, query_parameter};
use codemode_database::api::{envelope, status};
use codemode_database::base::formulas::Formulas;
use codemode_database::base::{Error, Result};
use codemode_database::config::Config;
use codemode_database::session::bulk::{Load, LoadRequest};
use codemode_database::session::dump::Dump;
use codemode_database::session::export::{Export, ExportFormat};
use codemode_database::session::query::Request;
use codemode_database::session::statement_cache::StatementCache;
use codemode_database::session::{self, Session, dispatch, tabular};
use serde_json::Value;

use super::markdown::{self, Block};
use test_support::HostDatabase;

const NOW_MS: u64 = 1_795_299_000_000;
const VOLATILE: [&str; 6] = [
    "rowsRead",
    "databaseSize",
    "operations",
    "lastActivity",
    "expiresAt",
    "timestamp",
];

/// The pages with examples. The pages of one line share a session, in this order.
const PAGES: &[&[&str]] = &[
    &["docs/values.md"],
    &["docs/sql-policy.md"],
    &[
        "docs/http-api.md",
        "docs/http-api/tables.md",
        "docs/http-api/sessions.md",
        "docs/http-api/tools.md",
        "docs/http-api/persistent.md",
        "docs/http-api/health.md",
    ],
    &["README.md"],
];

/// A session that the examples of some pages share.
struct Subject {
    db: HostDatabase,
    config: Config,
    cache: StatementCache,
}

/// What an example sends.
pub struct Sent {
    pub method: String,
    pub target: String,
    content_type: String,
    pub body: Vec<u8>,
}

impl Sent {
    /// Programs and tools of servers are served by the Worker only: `tests/worker/documents.test.mjs` sends them.
    fn needs_the_worker(&self) -> bool {
        let path = self.target.split('?').next().unwrap_or_default();
        let route = routes::route(&self.method, path);
        route.is_ok_and(|route| match route.entry.place {
            ServedBy::Front(front) => front != Front::Health,
            ServedBy::Index(_)
            | ServedBy::Graph(_)
            | ServedBy::Agent(_)
            | ServedBy::Code(_)
            | ServedBy::Mcp
            | ServedBy::Page(_) => true,
            ServedBy::Session { task, .. } => matches!(
                task,
                SessionTask::Execute | SessionTask::Executions | SessionTask::Proxy
            ),
        })
    }
}

#[test]
fn the_examples_get_the_responses_that_they_show() {
    let mut failures = Vec::new();
    let mut examples = 0;
    for pages in PAGES {
        let mut subject = Subject::new();
        for name in *pages {
            let document = markdown::read(name);
            for (line, sent, expected) in requests(&document) {
                if sent.needs_the_worker() {
                    continue;
                }
                examples += 1;
                let (status, found) = subject.respond(&sent);
                if status != expected.status || !same_text(&expected, &found) {
                    failures.push(format!(
                        "{name}, line {line}: expected {}\n{}\nfound {status}\n{found}",
                        expected.status, expected.text
                    ));
                }
            }
        }
    }
    assert!(examples > 50, "{examples} examples were found");
    assert!(
        failures.is_empty(),
        "{} of {examples} examples differ:\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

/// The requests of a document, each with its line and its response.
pub fn requests(document: &str) -> Vec<(usize, Sent, Block)> {
    let mut found = Vec::new();
    let mut blocks = markdown::blocks(document).into_iter();
    while let Some(block) = blocks.next() {
        let sent = match block.language.as_str() {
            "http" => http_request(&block.text),
            "json" if block.text.contains("\"operation\"") => operation(block.text.clone()),
            "console" => {
                found.extend(console(&block));
                continue;
            }
            _ => continue,
        };
        let response = blocks
            .next()
            .unwrap_or_else(|| panic!("line {}: a request has a response behind it", block.line));
        found.push((block.line, sent, response));
    }
    found
}

fn operation(body: String) -> Sent {
    Sent {
        method: "POST".to_owned(),
        target: "/api/codemode/sessions/demo".to_owned(),
        content_type: String::new(),
        body: body.into_bytes(),
    }
}

fn http_request(text: &str) -> Sent {
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut lines = head.lines();
    let (method, target) = lines
        .next()
        .and_then(|line| line.split_once(' '))
        .expect("a request line");
    let content_type = lines
        .find_map(|line| line.strip_prefix("content-type: "))
        .unwrap_or_default();
    Sent {
        method: method.to_owned(),
        target: target.trim().to_owned(),
        content_type: content_type.to_owned(),
        body: body.as_bytes().to_vec(),
    }
}

/// `$ curl …` lines, each with the line behind it.
fn console(block: &Block) -> Vec<(usize, Sent, Block)> {
    let mut found = Vec::new();
    let mut lines = block.text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("$ curl ") {
            let text = lines.next().unwrap_or_default().to_owned();
            let response = Block {
                language: "json".to_owned(),
                status: console_status(&text),
                text,
                line: block.line,
            };
            found.push((block.line, curl(line), response));
        }
    }
    found
}

/// curl prints no status, so it is the one of the code that the response shows.
fn console_status(response: &str) -> u16 {
    let response: Value =
        serde_json::from_str(response).unwrap_or_else(|error| panic!("{error}: {response}"));
    response
        .pointer("/error/code")
        .and_then(Value::as_str)
        .map_or(200, |code| {
            let known = status::codes().find(|known| known.name == code);
            status::status_of(known.expect("a known code").kind)
        })
}

fn curl(line: &str) -> Sent {
    let quoted = |mark: &str| {
        line.split_once(mark)
            .and_then(|(_, rest)| rest.split('\'').next())
            .map(str::to_owned)
    };
    if let Some(body) = quoted("-d '") {
        let execute = "/api/codemode/execute";
        let mut sent = operation(body);
        if line.contains(execute) {
            sent.target = execute.to_owned();
        }
        return sent;
    }
    let target = line
        .split_once("\"$S")
        .and_then(|(_, rest)| rest.split('"').next())
        .expect("an address");
    let method = line
        .split_once("-X ")
        .and_then(|(_, rest)| rest.split(' ').next())
        .unwrap_or("GET");
    let file = line
        .split_once("--data-binary @")
        .map(|(_, file)| file.trim())
        .expect("a body");
    Sent {
        method: method.to_owned(),
        target: format!("/api/codemode/sessions/demo{target}"),
        content_type: quoted("content-type: ").unwrap_or_default(),
        body: std::fs::read(markdown::path(file))
            .unwrap_or_else(|error| panic!("{file}: {error}; scripts/setup brings it")),
    }
}

impl Subject {
    fn new() -> Self {
        let db = HostDatabase::new();
        session::start(&db, NOW_MS).expect("an empty database");
        Self {
            db,
            config: Config::parse(|_| None).expect("the defaults"),
            cache: StatementCache::default(),
        }
    }

    fn respond(&mut self, sent: &Sent) -> (u16, String) {
        match self.perform(sent) {
            Ok(text) => (200, text),
            Err(error) => (status::status(&error), envelope::failure(&error)),
        }
    }

    fn perform(&mut self, sent: &Sent) -> Result<String> {
        let (path, query) = sent.target.split_once('?').unwrap_or((&sent.target, ""));
        let route = routes::route(&sent.method, path)?;
        let session = Session {
            db: &self.db,
            settings: &self.config.session,
            cache: &self.cache,
            scope: None,
            now_ms: NOW_MS,
            name: "demo",
        };
        let body =
            || std::str::from_utf8(&sent.body).map_err(|_| Error::body("the body is not UTF-8"));
        let table = route.table.unwrap_or_default();
        let ServedBy::Session { task, .. } = route.entry.place else {
            return Ok(envelope::success(
                serde_json::json!({ "version": env!("CARGO_PKG_VERSION") }),
            ));
        };
        match task {
            SessionTask::Operate => {
                let format = query_parameter(query, "format")?;
                let format = tabular::wanted(body()?, format.as_deref(), None)?;
                let formulas = query_parameter(query, "formulas")?;
                let formulas = Formulas::parse(formulas.as_deref(), format == ExportFormat::Csv)?;
                let answer = dispatch(&session, body()?)?;
                match format {
                    ExportFormat::Json => Ok(envelope::answered(&answer)),
                    other => Ok(tabular::render(&answer, other, formulas)?.text),
                }
            }
            SessionTask::Stream => {
                let mut rows = session.stream(&Request::parse(body()?)?)?;
                Ok(collect(|| Ok(rows.next_chunk())))
            }
            SessionTask::Load => load(session, &table, query, sent),
            SessionTask::Export => {
                let format = ExportFormat::parse(query_parameter(query, "format")?.as_deref())?;
                let formulas = query_parameter(query, "formulas")?;
                let formulas = Formulas::parse(formulas.as_deref(), format == ExportFormat::Csv)?;
                let mut export = Export::new(session, &table, format, formulas)?;
                Ok(collect(|| export.next_chunk()))
            }
            SessionTask::Dump => {
                let mut dump = Dump::new(session)?;
                Ok(collect(|| dump.next_chunk()))
            }
            SessionTask::Delete => {
                *self = Self::new();
                Ok(envelope::success(Value::Null))
            }
            other => panic!("an example of {other:?} cannot be run here"),
        }
    }
}

fn load(
    session: Session<'_, HostDatabase>,
    table: &str,
    query: &str,
    sent: &Sent,
) -> Result<String> {
    let header = |name: &str| (name == "content-type").then(|| sent.content_type.clone());
    let request = LoadRequest::read(table, header, |name| query_parameter(query, name))?;
    let mut load = Load::new(session, request)?;
    load.feed(&sent.body)?;
    Ok(envelope::answered(&load.finish()?))
}

fn collect(mut next: impl FnMut() -> Result<Option<Vec<u8>>>) -> String {
    let mut bytes = Vec::new();
    while let Some(piece) = next().expect("a whole response") {
        bytes.extend(piece);
    }
    String::from_utf8(bytes).expect("UTF-8")
}

/// Whether a response is the one that an example shows.
pub fn same_text(expected: &Block, found: &str) -> bool {
    if expected.language == "json" {
        let parsed = |text: &str| serde_json::from_str::<Value>(text).map(steady);
        return matches!((parsed(&expected.text), parsed(found)), (Ok(expected), Ok(found)) if expected == found);
    }
    without_times(expected.text.trim_end()) == without_times(found.replace("\r\n", "\n").trim_end())
}

/// The value without what differs from run to run. The engine counts rows written; of a load it is the number of records.
fn steady(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let load = fields.contains_key("chunks");
            let kept = fields.into_iter().filter(|(name, _)| {
                !VOLATILE.contains(&name.as_str()) && (load || name != "rowsWritten")
            });
            Value::Object(kept.map(|(name, value)| (name, steady(value))).collect())
        }
        Value::Array(items) => items.into_iter().map(steady).collect(),
        other => other,
    }
}

/// Milliseconds since 1970 have thirteen digits.
fn without_times(text: &str) -> String {
    let mut result = String::new();
    let mut digits = String::new();
    for letter in text.chars().chain(['\n']) {
        if letter.is_ascii_digit() {
            digits.push(letter);
            continue;
        }
        result.push_str(if digits.len() == 13 { "TIME" } else { &digits });
        digits.clear();
        result.push(letter);
    }
    result
}
