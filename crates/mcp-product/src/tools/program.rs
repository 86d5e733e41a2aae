//! Programs: their events while they run, their result and their log.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::context::{Call, FRAME_TOKENS, ParsedCall};
use crate::backend::Backend;
use crate::results::hints::with_rendered_hint;
use crate::results::tokens::estimate;
use crate::results::{self, ObjectResponse};
use crate::terms::Terms;
use base::entries::Entries;
use base::{Error, Result};
use mcp::server::{ClientChannel, LogLevel, Outcome};

impl<B: Backend> Call<'_, B> {
    pub(super) async fn execute(&self, given: &ParsedCall<'_>) -> Result<Outcome> {
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
        let ran: ProgramResponse<'_> = serde_json::from_str(&said)
            .map_err(|_| Error::internal("the response of a program cannot be read"))?;
        // The program did not run at all.
        if ran.execution_id.is_none() {
            return self.concluded(given, &said).await;
        }
        Ok(ran.outcome(&given.session, self.terms))
    }

    pub(super) async fn call_tool(&self, given: &ParsedCall<'_>) -> Result<Outcome> {
        let first = format!(r#""session":"{}""#, given.session);
        let body = given.arguments.body(&first, &["session", "confirm"]);
        let talk = self.request.talk;
        let said = self
            .backend
            .call_tool(
                &given.session,
                body,
                given.basis.as_deref(),
                &mut |kind, data| tell(talk, kind, data),
            )
            .await?;
        match ObjectResponse::read(&said) {
            ObjectResponse::Success(members) => {
                let members = self.receipt_rendered(&members).unwrap_or(members);
                self.shown(given, &members).await
            }
            ObjectResponse::Failure(error) => {
                Ok(results::failure(given.session(), &error, self.terms))
            }
        }
    }

    /// Returns the members of a response whose result is in tables, with a hint on how to read
    /// them; none for another response.
    fn receipt_rendered(&self, members: &str) -> Option<String> {
        #[derive(Deserialize)]
        struct Meta {
            #[serde(default)]
            staged: Value,
        }
        let object = format!("{{{members}}}");
        let Entries(entries) = serde_json::from_str::<Entries<String, &RawValue>>(&object).ok()?;
        let (_, meta) = entries.iter().find(|(name, _)| name == "meta")?;
        let meta: Meta = serde_json::from_str(meta.get()).ok()?;
        if matches!(meta.staged, Value::Null | Value::Bool(false)) {
            return None;
        }
        let members = entries.into_iter().map(|(name, value)| {
            let value = match name.as_str() {
                "result" => with_rendered_hint(value.get(), self.terms.profile),
                _ => value.get().to_owned(),
            };
            format!("{}:{value}", Value::from(name))
        });
        Some(members.collect::<Vec<_>>().join(","))
    }
}

/// Passes on an event of a running call.
fn tell(talk: &ClientChannel, kind: &str, data: &Value) {
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

/// The response for a program that ran.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProgramResponse<'a> {
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

impl ProgramResponse<'_> {
    /// Renders the result. Lists of logs and calls are cut to the remaining tokens, and the numbers
    /// of the other entries are reported.
    fn outcome(self, session: &str, terms: &Terms) -> Outcome {
        let max_tokens = terms.max_tokens;
        let result = self.result.map_or("null", RawValue::get);
        // A result in tables has a reference and a hint of ours.
        let staged = self
            .truncated
            .as_ref()
            .map(|_| with_rendered_hint(result, terms.profile));
        let result = staged.as_deref().unwrap_or(result);
        let error = self
            .error
            .as_ref()
            .map(|error| results::shortened(error, max_tokens, Some(terms.profile)));
        let mut text = match &error {
            Some(error) => failed_program(error),
            None => serde_json::from_str::<String>(result).unwrap_or_else(|_| result.to_owned()),
        };
        let error = error.as_ref().map(Value::to_string);
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

/// Returns the first entries that fit into the tokens, if each is shown this many times.
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
