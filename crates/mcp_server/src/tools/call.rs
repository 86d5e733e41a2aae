//! What is done for a call of a tool: mostly a request to the session's object, and a result made of its response.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::list::listed;
use super::table::{Does, TOOLS, Tool};
use crate::McpServerError;
use crate::backend::{Backend, Subject};
use crate::confirmation::{self, Object, Verdict};
use crate::limits::{DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS, STAGED_PIECE_CHARACTERS};
use crate::product::Terms;
use crate::results::tokens::estimate;
use crate::results::{self, Said};
use ::tools::request::SearchRequest;
use base::names::check_name;
use base::{Error, Result, nearest};
use mcp::server::ask::ToolCall;
use mcp::server::{Fault, LogLevel, Outcome, Request};
use sql::compose::quote_identifier;

/// A call on its way.
pub struct Call<'a, B> {
    /// Sessions and servers.
    pub backend: &'a B,
    /// What the endpoint and the caller have agreed on.
    pub terms: &'a Terms,
    /// What was sent.
    pub request: &'a Request<'a>,
}

/// A tool with its arguments and its session.
struct Given<'a> {
    tool: &'static Tool,
    arguments: Arguments,
    session: String,
    call: &'a ToolCall,
}

/// Calls a tool.
///
/// # Errors
/// [`Fault`] for a tool that is not listed, and for a confirmation that was not given for this call. Everything else is a result.
pub async fn call<B: Backend>(
    context: &Call<'_, B>,
    asked: &ToolCall,
) -> std::result::Result<Outcome, Fault> {
    let tool = find(context.terms, &asked.name)?;
    let given = match context.read(tool, asked) {
        Ok(given) => given,
        Err(error) => return Ok(results::failed(None, &error)),
    };
    let session = tool.has_session().then_some(given.session.as_str());
    let outcome = match context.confirm(&given).await? {
        Ok(Verdict::Ask(question)) => return Ok(question),
        Ok(Verdict::Confirmed) => context.perform(&given).await,
        Err(error) => Err(error),
    };
    Ok(outcome.unwrap_or_else(|error| results::failed(session, &error)))
}

fn find(terms: &Terms, name: &str) -> std::result::Result<&'static Tool, Fault> {
    if let Some(tool) = listed(terms.profile).find(|tool| tool.name == name) {
        return Ok(tool);
    }
    let shown = base::text::first(name, base::limits::MAX_NAME_CHARACTERS);
    if TOOLS.iter().any(|tool| tool.name == name) {
        let error = Error::from(McpServerError::ToolNotInProfile { tool: shown });
        return Err(Fault::params(format!("Unknown tool: {error}")).with(error.to_json()));
    }
    let names = listed(terms.profile).map(|tool| tool.name);
    let near = nearest(name, names);
    let hint = near
        .first()
        .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    Err(Fault::params(format!("Unknown tool: {shown}{hint}")))
}

impl<B: Backend> Call<'_, B> {
    fn read<'c>(&self, tool: &'static Tool, call: &'c ToolCall) -> Result<Given<'c>> {
        let arguments = Arguments::read(tool, &call.arguments)?;
        let session = match arguments.text("session")? {
            Some(session) => {
                check_name("session", &session)?;
                session
            }
            None => self.terms.session.clone(),
        };
        Ok(Given {
            tool,
            arguments,
            session,
            call,
        })
    }

    /// Whether a call that deletes something may do so.
    async fn confirm(&self, given: &Given<'_>) -> std::result::Result<Result<Verdict>, Fault> {
        if !self.terms.confirm {
            return Ok(Ok(Verdict::Confirmed));
        }
        let object = match self.object(given).await {
            Ok(Some(object)) => object,
            Ok(None) => return Ok(Ok(Verdict::Confirmed)),
            Err(error) => return Ok(Err(error)),
        };
        let argument = match given.arguments.text("confirm") {
            Ok(argument) => argument,
            Err(error) => return Ok(Err(error)),
        };
        let subject = Subject {
            session: given.session.clone(),
            tool: given.call.name.clone(),
            arguments: given.arguments.canonical(&["confirm"]),
        };
        confirmation::decide(
            self.backend,
            self.request.caller,
            &self.request.inputs,
            argument.as_deref(),
            &subject,
            &object,
        )
        .await
    }

    /// What a call would delete; nothing where it deletes nothing, or what is not there.
    async fn object(&self, given: &Given<'_>) -> Result<Option<Object>> {
        let target = given.arguments.text("target")?;
        let (what, name) = match given.tool.does {
            Does::DeleteSession => {
                return Ok(Some(Object {
                    words: "all tables".to_owned(),
                    name: given.session.clone(),
                }));
            }
            Does::Operation("dropTable") => ("table", given.arguments.text("table")?),
            Does::Operation("exec") => {
                let statement = given.arguments.text("sql")?.unwrap_or_default();
                match sql::destroyed(&statement).into_iter().next() {
                    Some(sql::Destroyed { kind, name }) => {
                        let what = match kind {
                            sql::DestroyedKind::Table => "table",
                            sql::DestroyedKind::View => "view",
                        };
                        (what, Some(name))
                    }
                    None => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        let Some(name) = name else {
            return Ok(None);
        };
        let body = json!({ "operation": "describeTable", "table": name, "target": target });
        let described = self
            .backend
            .operate(&given.session, body.to_string())
            .await?;
        let what = if target.as_deref() == Some("persistent") {
            format!("persistent {what}")
        } else {
            what.to_owned()
        };
        Ok(match Said::read(&described) {
            // What is not there is not asked about: the call itself says so.
            Said::Failure(error) if error["code"] == "NO_SUCH_TABLE" => None,
            Said::Failure(_) => Some(Object {
                words: format!("the {what} {name}"),
                name,
            }),
            Said::Success(members) => {
                let description: Value =
                    serde_json::from_str(&format!("{{{members}}}")).unwrap_or_default();
                Some(Object {
                    words: confirmation::with_rows(&what, &name, &description),
                    name,
                })
            }
        })
    }

    async fn perform(&self, given: &Given<'_>) -> Result<Outcome> {
        match given.tool.does {
            Does::Operation("query") => self.query(given).await,
            Does::Operation(name) => self.operate(given, name).await,
            Does::Execute => self.execute(given).await,
            Does::Search => self.search(given).await,
            Does::Describe => self.describe(given).await,
            Does::Call => self.call_tool(given).await,
            Does::Import => self.import(given).await,
            Does::DeleteSession => {
                let body = self.backend.delete_session(&given.session).await?;
                self.concluded(given, &body).await
            }
            Does::GraphqlCheck => {
                let checked = graphql::check_request(&given.arguments.body("", &[]))?;
                self.shown(given, &members_of(&checked)).await
            }
        }
    }

    /// One page of the rows of a query.
    async fn query(&self, given: &Given<'_>) -> Result<Outcome> {
        let wanted = given.arguments.count("limit")?;
        let limit = wanted.unwrap_or(DEFAULT_PAGE_ROWS).min(MAX_PAGE_ROWS);
        let statement = given.arguments.canonical(&["cursor", "limit"]);
        let offset = match given.arguments.text("cursor")? {
            None => 0,
            Some(cursor) => Cursor::read(&cursor, &statement)?,
        };
        let first = format!(
            r#""operation":"query","rowFormat":"array","limit":{limit},"offset":{offset},"maxBytes":{}"#,
            self.terms.result_bytes()
        );
        let body = given
            .arguments
            .body(&first, &["session", "limit", "cursor"]);
        let said = self.backend.operate(&given.session, body).await?;
        let members = match Said::read(&said) {
            Said::Success(members) => members,
            Said::Failure(error) => return Ok(results::failure(Some(&given.session), &error)),
        };
        let mut page = results::page(&members, self.terms.max_tokens)?;
        let mut text = self.headed(given, &format!("{} rows", page.rows), &page.text);
        if page.truncated {
            let cursor = Cursor::write(offset + page.rows, &statement);
            text.push_str("\nThere are more rows: repeat the call with \"cursor\": \"");
            text.push_str(&cursor);
            text.push('"');
            page.members
                .push_str(&format!(r#","nextCursor":"{cursor}""#));
        }
        let structured = results::with_session(Some(&given.session), &page.members);
        Ok(Outcome::complete(results::result(
            &text,
            &structured,
            false,
        )))
    }

    /// The line over rows says which session they are of: a model may not have named it.
    fn headed(&self, given: &Given<'_>, what: &str, text: &str) -> String {
        format!("Session {}: {what}\n{text}", given.session)
    }

    async fn operate(&self, given: &Given<'_>, name: &str) -> Result<Outcome> {
        let rows = if name == "exec" {
            format!(
                r#","rowFormat":"array","limit":{MAX_PAGE_ROWS},"maxBytes":{}"#,
                self.terms.result_bytes()
            )
        } else {
            String::new()
        };
        let first = format!(r#""operation":"{name}"{rows}"#);
        let body = given.arguments.body(&first, &["session", "confirm"]);
        let said = self.backend.operate(&given.session, body).await?;
        match Said::read(&said) {
            Said::Success(members) if members.starts_with(r#""columns":"#) && name == "exec" => {
                let page = results::page(&members, self.terms.max_tokens)?;
                let more = if page.truncated { ", and more" } else { "" };
                let text = self.headed(given, &format!("{} rows{more}", page.rows), &page.text);
                let structured = results::with_session(Some(&given.session), &page.members);
                Ok(Outcome::complete(results::result(
                    &text,
                    &structured,
                    false,
                )))
            }
            _ => self.concluded(given, &said).await,
        }
    }

    async fn execute(&self, given: &Given<'_>) -> Result<Outcome> {
        let first = format!(
            r#""session":"{}","maxResultBytes":{}"#,
            given.session,
            self.terms.inline_bytes()
        );
        let body = given.arguments.body(&first, &["session"]);
        let talk = self.request.talk;
        let said = self
            .backend
            .execute(&given.session, body, &mut |kind, data| {
                tell(talk, kind, data)
            })
            .await?;
        let ran: Ran<'_> = serde_json::from_str(&said)
            .map_err(|_| Error::internal("the response of a program cannot be read"))?;
        // The program was not run at all.
        if ran.execution_id.is_none() {
            return self.concluded(given, &said).await;
        }
        Ok(ran.outcome(&given.session, self.terms.max_tokens))
    }

    async fn search(&self, given: &Given<'_>) -> Result<Outcome> {
        let mut request = SearchRequest::parse(&given.arguments.body("", &[]))?;
        loop {
            let found = self.backend.search(&request).await?;
            let members = members_of(&found);
            if request.limit <= 1 || 2 * estimate(&members) <= self.terms.max_tokens {
                return self.shown(given, &members).await;
            }
            // nextOffset says where the next page begins.
            request.limit /= 2;
        }
    }

    async fn describe(&self, given: &Given<'_>) -> Result<Outcome> {
        let text = |name: &str| given.arguments.text(name).map(Option::unwrap_or_default);
        let described = self
            .backend
            .describe(&text("server")?, &text("tool")?)
            .await?;
        self.shown(given, &members_of(&described)).await
    }

    async fn call_tool(&self, given: &Given<'_>) -> Result<Outcome> {
        let first = format!(r#""session":"{}""#, given.session);
        let body = given.arguments.body(&first, &["session"]);
        let talk = self.request.talk;
        let said = self
            .backend
            .call_tool(&given.session, body, &mut |kind, data| {
                tell(talk, kind, data)
            })
            .await?;
        self.concluded(given, &said).await
    }

    async fn import(&self, given: &Given<'_>) -> Result<Outcome> {
        let arguments = &given.arguments;
        let table = arguments.text("table")?.unwrap_or_default();
        let conflict = arguments.text("onConflict")?;
        let (text, from) = (arguments.text("text")?, arguments.text("from")?);
        let said = match (text, from) {
            (Some(text), None) => {
                let format = arguments.text("format")?;
                let content_type = match format.as_deref() {
                    None => "text/plain",
                    Some("csv") => "text/csv",
                    Some("tsv") => "text/tab-separated-values",
                    Some("ndjson") => "application/x-ndjson",
                    Some("json") => "application/json",
                    Some(_) => {
                        let problem = "the argument format must be csv, tsv, ndjson or json";
                        return Err(Error::invalid(problem));
                    }
                };
                let conflict = conflict.map_or_else(String::new, |conflict| {
                    format!("&onConflict={}", base::percent::encode(&conflict))
                });
                let query = format!("create=true{conflict}");
                self.backend
                    .load(&given.session, &table, &query, content_type, text)
                    .await?
            }
            (None, Some(from)) => self.copy(given, &table, &from, conflict.as_deref()).await?,
            _ => {
                return Err(Error::invalid_with_hint(
                    "db_import takes either text or from",
                    "text is the rows themselves, from the name of a table of a staged result",
                ));
            }
        };
        self.concluded(given, &said).await
    }

    /// Copies a table: into a new one, or into one that is there.
    async fn copy(
        &self,
        given: &Given<'_>,
        table: &str,
        from: &str,
        conflict: Option<&str>,
    ) -> Result<String> {
        let (table, from) = (quote_identifier(table), quote_identifier(from));
        let or = match conflict {
            None | Some("error") => "",
            Some("ignore") => " OR IGNORE",
            Some("replace") => " OR REPLACE",
            Some(_) => {
                let problem = "the argument onConflict must be error, ignore or replace";
                return Err(Error::invalid(problem));
            }
        };
        let run = |sql: String| {
            let body = json!({ "operation": "exec", "sql": sql }).to_string();
            self.backend.operate(&given.session, body)
        };
        let created = run(format!("CREATE TABLE {table} AS SELECT * FROM {from}")).await?;
        match Said::read(&created) {
            Said::Failure(error) if error["code"] == "ALREADY_EXISTS" => {
                run(format!("INSERT{or} INTO {table} SELECT * FROM {from}")).await
            }
            Said::Failure(_) => Ok(created),
            Said::Success(_) => {
                let count = json!({ "operation": "query", "rowFormat": "array",
                    "sql": format!("SELECT count(*) FROM {table}") });
                let counted = self
                    .backend
                    .operate(&given.session, count.to_string())
                    .await?;
                let counted: Value = serde_json::from_str(&counted).unwrap_or_default();
                let rows = counted.pointer("/results/0/0").cloned().unwrap_or_default();
                Ok(json!({ "success": true, "rowsWritten": rows }).to_string())
            }
        }
    }

    /// The result of a response.
    async fn concluded(&self, given: &Given<'_>, said: &str) -> Result<Outcome> {
        match Said::read(said) {
            Said::Success(members) => self.shown(given, &members).await,
            Said::Failure(error) => Ok(results::failure(session_of(given), &error)),
        }
    }

    /// A result with these members; where they are too many, a reference to the table that holds them.
    async fn shown(&self, given: &Given<'_>, members: &str) -> Result<Outcome> {
        let session = session_of(given);
        if 2 * estimate(members) + FRAME_TOKENS <= self.terms.max_tokens {
            return Ok(Outcome::complete(results::structured(session, members)));
        }
        if given.tool.hints().read_only && self.terms.profile == crate::Profile::ReadOnly {
            return Err(Error::from(McpServerError::ResultTooLarge {
                what: "the result",
                limit_tokens: self.terms.max_tokens,
                hint: "ask for less at once, or use the endpoint /mcp, where large results become tables"
                    .to_owned(),
            }));
        }
        let staged = self.stage(given, members).await?;
        Ok(Outcome::complete(results::structured(
            Some(&given.session),
            &staged,
        )))
    }

    /// Puts a text into a table, in pieces.
    async fn stage(&self, given: &Given<'_>, members: &str) -> Result<String> {
        let text = format!("{{{members}}}");
        let table = format!("result_{:016x}", hash(&text));
        let create = json!({ "operation": "createTable", "name": table, "schema": "part INTEGER PRIMARY KEY, text TEXT" });
        let characters: Vec<char> = text.chars().collect();
        let records: Vec<Value> = characters
            .chunks(STAGED_PIECE_CHARACTERS)
            .enumerate()
            .map(|(part, piece)| json!({ "part": part, "text": piece.iter().collect::<String>() }))
            .collect();
        let parts = records.len();
        let insert = json!({ "operation": "batchInsert", "table": table, "records": records, "onConflict": "replace" });
        for body in [create, insert] {
            let said = self
                .backend
                .operate(&given.session, body.to_string())
                .await?;
            if let Said::Failure(error) = Said::read(&said) {
                return Err(Error::invalid(format!(
                    "the result is too large to show and could not be stored: {}",
                    error["message"].as_str().unwrap_or_default()
                )));
            }
        }
        Ok(format!(
            r#""staged":true,"table":"{table}","rows":{parts},"hint":"The result is JSON text in pieces: SELECT json_extract(string_agg(text, '' ORDER BY part), '$.…') FROM {table}""#
        ))
    }
}

/// What stands around a result.
const FRAME_TOKENS: usize = 200;

fn session_of<'g>(given: &'g Given<'_>) -> Option<&'g str> {
    given.tool.has_session().then_some(given.session.as_str())
}

fn members_of(fields: &Value) -> String {
    let text = fields.to_string();
    let inner = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'));
    inner.unwrap_or_default().to_owned()
}

/// Passes on what a running call tells.
fn tell(talk: &mcp::server::Talk, kind: &str, data: &Value) {
    let text = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default();
    match kind {
        "console" => {
            let level = match text("level") {
                "error" => LogLevel::Error,
                "warn" => LogLevel::Warning,
                "debug" => LogLevel::Debug,
                _ => LogLevel::Info,
            };
            talk.log(level, "program", &Value::from(text("text")));
        }
        "call" => talk.step(&format!("called {}.{}", text("server"), text("tool"))),
        "progress" => {
            let percent = data.get("fraction").and_then(Value::as_f64);
            let percent =
                percent.map_or_else(String::new, |part| format!("{:.0} % ", part * 100.0));
            talk.step(format!("{percent}{}", text("text")).trim());
        }
        _ => {}
    }
}

/// The response to a program that was run.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ran<'a> {
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<Value>,
    #[serde(default)]
    truncated: Option<Value>,
    #[serde(default)]
    notice: Option<Value>,
    #[serde(default)]
    logs: Vec<Value>,
    #[serde(default)]
    calls: Vec<Value>,
    #[serde(default)]
    duration_ms: u64,
    #[serde(default)]
    execution_id: Option<String>,
}

impl Ran<'_> {
    /// Lists of logs and calls are cut to what is left of the tokens; their numbers are said.
    fn outcome(self, session: &str, max_tokens: usize) -> Outcome {
        let result = self.result.map_or("null", RawValue::get);
        let mut text = match &self.error {
            Some(error) => failed_program(error),
            None => serde_json::from_str::<String>(result).unwrap_or_else(|_| result.to_owned()),
        };
        let error = self.error.as_ref().map(Value::to_string);
        let shown = error.as_deref().unwrap_or(result);
        let mut left = max_tokens
            .saturating_sub(FRAME_TOKENS)
            .saturating_sub(estimate(&text) + estimate(shown));
        let logs = fitting(&self.logs, left / 2, 2);
        left = left.saturating_sub(2 * estimate(&Value::from(logs.to_vec()).to_string()));
        let calls = fitting(&self.calls, left / 2, 1);
        for entry in logs {
            let field = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
            text.push_str(&format!("\n[{}] {}", field("level"), field("text")));
        }
        let mut members = match &error {
            Some(error) => format!(r#""error":{error}"#),
            None => format!(r#""result":{result}"#),
        };
        for (name, value) in [("truncated", self.truncated), ("notice", self.notice)] {
            if let Some(value) = value {
                members.push_str(&format!(r#","{name}":{value}"#));
            }
        }
        members.push_str(&format!(
            r#","logs":{},"calls":{},"durationMs":{}"#,
            Value::from(logs.to_vec()),
            Value::from(calls.to_vec()),
            self.duration_ms
        ));
        for (name, all, shown) in [
            ("moreLogs", self.logs.len(), logs.len()),
            ("moreCalls", self.calls.len(), calls.len()),
        ] {
            if shown < all {
                members.push_str(&format!(r#","{name}":{}"#, all - shown));
                text.push_str(&format!("\n({name}: {})", all - shown));
            }
        }
        if let Some(id) = self.execution_id {
            members.push_str(&format!(r#","executionId":{}"#, Value::from(id)));
        }
        let text = format!("{text}\n(session {session})");
        let structured = results::with_session(Some(session), &members);
        Outcome::complete(results::result(&text, &structured, error.is_some()))
    }
}

/// The first entries that fit into so many tokens, each shown so many times.
fn fitting(entries: &[Value], mut tokens: usize, times: usize) -> &[Value] {
    let mut count = 0;
    for entry in entries {
        let Some(rest) = tokens.checked_sub(times * (estimate(&entry.to_string()) + 2)) else {
            break;
        };
        tokens = rest;
        count += 1;
    }
    entries.get(..count).unwrap_or(entries)
}

fn failed_program(error: &Value) -> String {
    let field = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut text = format!(
        "{} ({}): {}",
        field("name"),
        field("code"),
        field("message")
    );
    if let Some(line) = error.get("line").and_then(Value::as_u64) {
        text.push_str(&format!("\nat line {line}"));
        if let Some(column) = error.get("column").and_then(Value::as_u64) {
            text.push_str(&format!(", column {column}"));
        }
    }
    if !field("hint").is_empty() {
        text.push_str("\nHint: ");
        text.push_str(field("hint"));
    }
    text
}

/// The place of the next page: how many rows lie before it, and of which statement.
struct Cursor;

impl Cursor {
    fn write(offset: u64, statement: &str) -> String {
        format!("{offset}.{:016x}", hash(statement))
    }

    fn read(cursor: &str, statement: &str) -> Result<u64> {
        let parts = cursor.split_once('.');
        parts
            .filter(|(_, of)| *of == format!("{:016x}", hash(statement)))
            .and_then(|(offset, _)| offset.parse().ok())
            .ok_or_else(|| Error::from(McpServerError::InvalidCursor))
    }
}

/// FNV-1a with 64 bits (Fowler, Noll and Vo): tells texts apart, and protects nothing.
fn hash(text: &str) -> u64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    text.bytes().fold(OFFSET_BASIS, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(PRIME)
    })
}
