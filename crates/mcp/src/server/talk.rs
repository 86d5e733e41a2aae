//! The notifications that a call sends to its client before the response: progress and log lines.

use std::cell::Cell;
use std::fmt::Write as _;

use serde_json::Value;
use serde_json::value::RawValue;

use super::rpc::render_notification;
use crate::limits::{MAX_REQUEST_ID_BYTES, MAX_TOLD_NOTICES};

/// The severity of a log line, from the lowest to the highest (RFC 5424, section 6.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Details for debugging.
    Debug,
    /// A normal event.
    Info,
    /// A normal event that deserves attention.
    Notice,
    /// A possible problem.
    Warning,
    /// A failure.
    Error,
    /// A component has failed.
    Critical,
    /// Somebody must act at once.
    Alert,
    /// The system is unusable.
    Emergency,
}

impl LogLevel {
    const NAMES: [(&'static str, Self); 8] = [
        ("debug", Self::Debug),
        ("info", Self::Info),
        ("notice", Self::Notice),
        ("warning", Self::Warning),
        ("error", Self::Error),
        ("critical", Self::Critical),
        ("alert", Self::Alert),
        ("emergency", Self::Emergency),
    ];

    /// Parses the name of a level.
    pub fn parse(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, level)| *level)
    }

    /// Returns the name of the level in the protocol.
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(_, level)| *level == self);
        found.map_or("info", |(name, _)| name)
    }

    /// Returns all names, from the lowest level to the highest.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().map(|(name, _)| *name)
    }
}

/// The token of a client that progress notifications repeat byte by byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgressToken(String);

impl ProgressToken {
    /// Reads a short string or number.
    pub fn read(raw: &RawValue) -> Option<Self> {
        let text = raw.get();
        let known =
            text.starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit());
        (known && text.len() <= MAX_REQUEST_ID_BYTES).then(|| Self(text.to_owned()))
    }
}

/// A notification or a command from a call for the connection to its client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelEvent {
    /// The text of a message.
    Message(String),
    /// Close the connection; the client will resume the stream. Only a session has such streams.
    Reconnect,
}

/// The channel from a call to its client.
pub struct ClientChannel {
    token: Option<ProgressToken>,
    /// The lowest log level that is wanted.
    level: Option<LogLevel>,
    last: Cell<Option<f64>>,
    told: Cell<usize>,
    send: Box<dyn Fn(ChannelEvent)>,
}

impl ClientChannel {
    /// Creates a channel that sends progress if the client gave a token, and log lines from `level`
    /// on.
    pub fn new(
        token: Option<ProgressToken>,
        level: Option<LogLevel>,
        send: impl Fn(ChannelEvent) + 'static,
    ) -> Self {
        Self {
            token,
            level,
            last: Cell::new(None),
            told: Cell::new(0),
            send: Box::new(send),
        }
    }

    /// Creates a channel that sends nothing.
    pub fn silent() -> Self {
        Self::new(None, None, |_| {})
    }

    /// Returns true if the client wants progress.
    pub fn wants_progress(&self) -> bool {
        self.token.is_some()
    }

    /// Returns true if the client wants log lines of this level.
    pub fn wants(&self, level: LogLevel) -> bool {
        self.level.is_some_and(|least| level >= least)
    }

    /// Sends the progress of the call. The protocol requires rising numbers within one call; a
    /// number that does not rise is dropped.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        let Some(ProgressToken(token)) = &self.token else {
            return;
        };
        let rises = self.last.get().is_none_or(|last| progress > last);
        if !progress.is_finite() || !rises {
            return;
        }
        self.last.set(Some(progress));
        let mut params = format!(
            r#"{{"progressToken":{token},"progress":{}"#,
            Value::from(progress)
        );
        // Writing to a string cannot fail.
        if let Some(total) = total.filter(|total| total.is_finite()) {
            let _written = write!(params, r#","total":{}"#, Value::from(total));
        }
        if let Some(message) = message {
            let _written = write!(params, r#","message":{}"#, Value::from(message));
        }
        params.push('}');
        self.send("notifications/progress", &params);
    }

    /// Sends a progress of one more step, if the total is unknown.
    pub fn step(&self, message: &str) {
        let next = self.last.get().map_or(1.0, |last| last + 1.0);
        self.progress(next, None, Some(message));
    }

    /// Sends a log line.
    pub fn log(&self, level: LogLevel, logger: &str, data: &Value) {
        if self.wants(level) {
            let logger = Value::from(logger);
            let params = format!(
                r#"{{"level":"{}","logger":{logger},"data":{data}}}"#,
                level.name()
            );
            self.send("notifications/message", &params);
        }
    }

    /// Closes the connection so that the client resumes the stream later (SEP-1699). Has no effect
    /// without a session.
    pub fn reconnect(&self) {
        (self.send)(ChannelEvent::Reconnect);
    }

    fn send(&self, method: &str, params: &str) {
        let told = self.told.get();
        // A call that never stops sending would fill the storage for events.
        if told < MAX_TOLD_NOTICES {
            self.told.set(told + 1);
            (self.send)(ChannelEvent::Message(render_notification(method, params)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use serde_json::json;

    use super::*;

    fn talk(token: &str, level: Option<LogLevel>) -> (ClientChannel, Rc<RefCell<Vec<String>>>) {
        let said: Rc<RefCell<Vec<String>>> = Rc::default();
        let heard = Rc::clone(&said);
        let raw = RawValue::from_string(token.to_owned()).unwrap();
        let token = ProgressToken::read(&raw);
        let talk = ClientChannel::new(token, level, move |told| {
            if let ChannelEvent::Message(text) = told {
                heard.borrow_mut().push(text);
            }
        });
        (talk, said)
    }

    #[test]
    fn progress_only_rises_and_repeats_the_token() {
        let (talk, said) = talk(r#""t\u0031""#, None);
        talk.progress(0.0, Some(100.0), None);
        talk.progress(50.0, Some(100.0), Some("half"));
        talk.progress(50.0, None, None);
        talk.progress(f64::NAN, None, None);
        talk.step("on");
        assert_eq!(
            *said.borrow(),
            [
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t\u0031","progress":0.0,"total":100.0}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t\u0031","progress":50.0,"total":100.0,"message":"half"}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t\u0031","progress":51.0,"message":"on"}}"#,
            ]
        );
    }

    #[test]
    fn nothing_is_told_that_was_not_wanted() {
        let (silent, said) = talk("null", None);
        silent.progress(1.0, None, None);
        silent.log(LogLevel::Emergency, "x", &json!("x"));
        assert!(said.borrow().is_empty() && !silent.wants_progress());
        let (warned, said) = talk("1", Some(LogLevel::Warning));
        warned.log(LogLevel::Info, "x", &json!("x"));
        warned.log(LogLevel::Error, "program", &json!({"text": "no"}));
        assert_eq!(
            *said.borrow(),
            [
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"program","data":{"text":"no"}}}"#
            ]
        );
    }

    #[test]
    fn a_call_cannot_talk_without_end() {
        let (talk, said) = talk("1", None);
        for _ in 0..MAX_TOLD_NOTICES + 5 {
            talk.step("x");
        }
        assert_eq!(said.borrow().len(), MAX_TOLD_NOTICES);
    }
}
