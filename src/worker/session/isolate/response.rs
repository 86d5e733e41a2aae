//! The response of a program that ran: result or error, log, calls, and the number of the run.

use serde_json::Value;

use super::Sandboxes;
use super::door::Run;
use crate::api::status::CODES;
use crate::worker::instance;
use base::Result;
use program::notice;
use sandbox::failure::Failure;
use sandbox::result_table::ResultReply;
use session::executions::{Execution, Output};

/// Makes the text of the response and the code for the log line. It records the run and sends the
/// end to a live client.
pub(super) fn conclude(
    run: &Run,
    sandboxes: &Sandboxes,
    code_sent: &str,
    execution_id: &str,
    outcome: std::result::Result<ResultReply, Failure>,
) -> Result<(String, &'static str)> {
    let ended_ms = instance::now_ms();
    let duration_ms = run
        .launched_ms
        .get()
        .map_or(0, |launched_ms| ended_ms.saturating_sub(launched_ms));
    let journal = run.journal.take();
    let calls = journal.calls();
    let code = outcome
        .as_ref()
        .err()
        .map_or("OK", |failure| failure.stable_code(CODES));
    let error = outcome.as_ref().err().map(Failure::to_json);
    let (listed_calls, logs) = journal.into_lists(duration_ms);
    // The record of a run must not create a deleted session again.
    if run.session_lifetime.check().is_ok() {
        let execution = Execution {
            id: execution_id.to_owned(),
            ended_ms,
            duration_ms,
            calls,
            outcome: code.to_owned(),
            error,
            output: Output::end_of(&logs),
        };
        sandboxes.remember(execution, run.call.session()?.db.clone());
    }
    let [behind, between, end] = frame(code_sent, logs, listed_calls);
    let tail = format!("{behind}{duration_ms}{between}{execution_id}{end}");
    Ok(match outcome {
        Ok(kept) => {
            let (result, truncated) = match kept {
                ResultReply::Inline(text) => (text, ""),
                ResultReply::Staged(receipt) => (receipt, r#","truncated":"staged""#),
            };
            // One line, as an event needs it. The texts in it are JSON, where a line break is
            // escaped.
            let text = format!("{SUCCESS}{result}{truncated}{tail}");
            run.events.send_text("result", &text);
            (text, "OK")
        }
        Err(failure) => {
            let text = format!(r#"{{"success":false,"error":{}{tail}"#, failure.to_json());
            run.events.send_text("error", &text);
            (text, code)
        }
    })
}

/// Returns a list as JSON. An empty one needs no serializer, whose code would have to be compiled.
fn list(items: Vec<Value>) -> String {
    if items.is_empty() {
        return "[]".to_owned();
    }
    Value::from(items).to_string()
}

/// The beginning of the response of a program that succeeded, up to its result.
pub(super) const SUCCESS: &str = r#"{"success":true,"result":"#;

/// Returns the parts of a response behind the result: up to the duration, between the duration and
/// the number of the run, and the end.
pub(super) fn frame(code_sent: &str, logs: Vec<Value>, calls: Vec<Value>) -> [String; 3] {
    let notice = notice(code_sent)
        .map(|notice| format!(r#","notice":{}"#, Value::from(notice)))
        .unwrap_or_default();
    let (logs, calls) = (list(logs), list(calls));
    [
        format!(r#"{notice},"logs":{logs},"calls":{calls},"durationMs":"#),
        r#","executionId":""#.to_owned(),
        r#""}"#.to_owned(),
    ]
}
