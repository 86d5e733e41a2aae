//! Fits results into the size limit. A page is requested again with fewer entries, and a context
//! with a smaller budget, so that cursors and scores are those of the object. The text of a file is
//! cut at the end of a line, with the position where it continues. In other results lists are cut.
//! `truncated` always reports a cut.

use code::Id;
use serde_json::{Value, json};

use super::CodeProduct;
use super::backend::CodeBackend;
use super::given::{Done, Given};
use super::texts;
use crate::results::fitting::{Attempt, List};
use crate::results::trimmed::trimmed;
use crate::results::{ObjectResponse, at, tokens};
use base::{Error, Result};

/// Tokens reserved for the parts of a result beside its text and members.
const FRAME_TOKENS: usize = 200;

/// The percentage of the calculated number of entries that is actually requested: entries differ in
/// size, so the calculated number may be too large.
const SAFE_PERCENT: u64 = 85;

/// The divisor of a percentage.
const PERCENT: u64 = 100;

/// The share of a result's tokens that the text may take if both text and members are too long, as
/// a divisor.
const PARTS_OF_TEXT: usize = 2;

/// The argument that limits the result of an operation.
pub(super) struct Size {
    argument: &'static str,
    /// Returns the number of entries or tokens in a result.
    returned: fn(&Value) -> u64,
}

/// Returns the size argument of an operation; none if it has none.
pub(super) fn shrinks(operation: Id) -> Option<Size> {
    let size = |argument, returned| Some(Size { argument, returned });
    match operation {
        Id::RequestCodeContext => size("token_budget", |read| {
            let stats = at(at(read, "context"), "stats");
            at(stats, "total_tokens").as_u64().unwrap_or_default()
        }),
        Id::ListFiles => size("limit", |read| entries(read, "files")),
        Id::SearchCode => size("limit", |read| entries(read, "matches")),
        Id::ListProposals => size("limit", |read| entries(read, "proposals")),
        Id::ApplyCodeEdit
        | Id::ApproveProposal
        | Id::ApproveAll
        | Id::DenyProposal
        | Id::RevertProposal
        | Id::GetFileMetadata
        | Id::CodeItemLookup
        | Id::CodeItemEdges
        | Id::ReadFile
        | Id::ScanForChange
        | Id::Inspect
        | Id::PutFiles
        | Id::DeleteFiles => None,
    }
}

fn entries(read: &Value, name: &str) -> u64 {
    at(read, name).as_array().map_or(0, Vec::len) as u64
}

impl<B: CodeBackend> CodeProduct<B> {
    /// Runs an operation, with a smaller limit if its result is too large.
    pub(super) async fn shrinking(&self, given: &Given, size: &Size) -> Result<Done> {
        let list = List {
            what: "what the workspace returns",
            argument: size.argument,
            limit_tokens: self.terms.max_tokens,
        };
        let request = async |smaller: Option<u64>| {
            let body = match smaller {
                None => given.body(),
                Some(limit) => given.body_with(size.argument, limit),
            };
            let said = self.operate(body).await?;
            let mut members = match ObjectResponse::read(&said) {
                ObjectResponse::Success(members) => members,
                ObjectResponse::Failure(error) => return Ok(Attempt::Fits(Done::Failure(error))),
            };
            let read = object(&members)?;
            if let Some(value) = smaller {
                members.push_str(&format!(r#","truncated":true,"{}":{value}"#, size.argument));
            }
            let text = texts::of(given.operation, &object(&members)?);
            let spent = tokens::estimate(&text) + tokens::estimate(&members) + FRAME_TOKENS;
            if spent <= self.terms.max_tokens {
                return Ok(Attempt::Fits(Done::Shown { text, members }));
            }
            let had = (size.returned)(&read);
            if had <= 1 {
                let short = fitted(given.operation, members, self.terms.max_tokens)?;
                return Ok(Attempt::Fits(short));
            }
            let share = had.saturating_mul(self.terms.max_tokens as u64) / spent.max(1) as u64;
            Ok(Attempt::TooLong {
                had,
                fits: share.saturating_mul(SAFE_PERCENT) / PERCENT,
            })
        };
        list.fit(None, request).await
    }
}

fn object(members: &str) -> Result<Value> {
    serde_json::from_str(&format!("{{{members}}}"))
        .map_err(|error| Error::internal(format!("the workspace's response: {error}")))
}

/// Shortens the members and the text of a success if they are too long.
pub(super) fn fitted(operation: Id, members: String, max_tokens: usize) -> Result<Done> {
    let read = object(&members)?;
    let text = texts::of(operation, &read);
    let spent = |text: &str, members: &str| {
        tokens::estimate(text) + tokens::estimate(members) + FRAME_TOKENS
    };
    if spent(&text, &members) <= max_tokens {
        return Ok(Done::Shown { text, members });
    }
    let short = if operation == Id::ReadFile {
        shorter_text(read, max_tokens)
    } else {
        marked(
            trimmed(
                &read,
                (max_tokens / PARTS_OF_TEXT).saturating_sub(FRAME_TOKENS),
            )
            .0,
        )
    };
    let members = short.to_string();
    let members = members
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
        .unwrap_or_default();
    let left = max_tokens.saturating_sub(FRAME_TOKENS + tokens::estimate(members));
    Ok(Done::Shown {
        text: tokens::cut(&texts::of(operation, &short), left),
        members: members.to_owned(),
    })
}

fn marked(mut short: Value) -> Value {
    if let Some(fields) = short.as_object_mut() {
        fields.insert("truncated".to_owned(), true.into());
    }
    short
}

/// Cuts the text in a result of `read_file` at the end of a line, or inside a line that is longer
/// than a result.
fn shorter_text(mut read: Value, max_tokens: usize) -> Value {
    let text = at(&read, "text").as_str().unwrap_or_default();
    // A result contains the text twice, once with escapes.
    let kept = cut_at_line(text, max_tokens);
    let number = |name: &str| {
        at(&read, name)
            .get(0)
            .and_then(Value::as_u64)
            .unwrap_or_default()
    };
    let (start, first) = (number("range"), number("lines"));
    let end = start + kept.len() as u64;
    let last = first + kept.trim_end_matches('\n').matches('\n').count() as u64;
    let kept = kept.to_owned();
    if let Some(fields) = read.as_object_mut() {
        let rows = [
            ("text", kept.into()),
            ("range", json!([start, end])),
            ("lines", json!([first, last])),
            ("truncated", true.into()),
            ("next_byte", end.into()),
        ];
        fields.extend(rows.map(|(name, value)| (name.to_owned(), value)));
    }
    read
}

/// Returns the beginning of a text of which two copies fit into a result.
fn cut_at_line(text: &str, max_tokens: usize) -> &str {
    let room = max_tokens.saturating_sub(2 * FRAME_TOKENS);
    let mut kept = text;
    while !kept.is_empty() {
        let spent = tokens::estimate(kept) + tokens::estimate(&Value::from(kept).to_string());
        if spent <= room {
            break;
        }
        let bytes = kept.len().saturating_mul(room) / spent.max(1);
        let bytes = bytes.min(kept.len() - 1);
        let begin = kept
            .get(..kept.floor_char_boundary(bytes))
            .unwrap_or_default();
        let line = begin.rfind('\n').and_then(|end| begin.get(..=end));
        kept = line.unwrap_or(begin);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(operation: Id, read: &Value, max_tokens: usize) -> (String, Value) {
        let members = read.to_string();
        let members = members.trim_start_matches('{').strip_suffix('}').unwrap();
        let Ok(Done::Shown { text, members }) = fitted(operation, members.to_owned(), max_tokens)
        else {
            panic!("a success");
        };
        let spent = tokens::estimate(&text) + tokens::estimate(&members);
        assert!(spent <= max_tokens, "{spent}");
        (text, object(&members).unwrap())
    }

    #[test]
    fn a_long_file_ends_behind_a_line_and_says_where_it_goes_on() {
        let source: String = (0..3_000)
            .map(|line| format!("fn name_{line}() {{}} // é\n"))
            .collect();
        let read = json!({"ok": true, "file_path": "a.rs", "text": source, "range": [0, source.len()], "lines": [1, 3_000], "line_count": 3_000, "truncated": false});
        let (text, short) = shown(Id::ReadFile, &read, 3_000);
        let kept = short["text"].as_str().unwrap();
        assert!(source.starts_with(kept) && kept.ends_with('\n') && kept.len() > 1_000);
        assert_eq!(short["next_byte"], kept.len());
        assert_eq!(short["lines"][1], kept.matches('\n').count());
        assert!(
            text.contains(&format!("start_byte {}", kept.len())),
            "{text}"
        );
    }

    #[test]
    fn a_line_that_is_longer_than_a_result_is_cut_within() {
        let source = "é".repeat(50_000);
        let read = json!({"ok": true, "file_path": "a.txt", "text": source, "range": [0, source.len()], "lines": [1, 1], "line_count": 1, "truncated": false});
        let (_, short) = shown(Id::ReadFile, &read, 2_000);
        assert!(short["text"].as_str().unwrap().len() > 100);
    }

    #[test]
    fn a_long_list_says_that_it_is_short() {
        let items: Vec<Value> = (0..2_000)
            .map(|at| json!({"kind": "calls", "target": format!("crate::name_{at}")}))
            .collect();
        let read = json!({"ok": true, "version": 1, "item": {"canon": "crate"}, "outgoing": items, "incoming": []});
        let (_, short) = shown(Id::CodeItemEdges, &read, 3_000);
        assert_eq!(short["truncated"], true);
        assert!(!short["outgoing"].as_array().unwrap().is_empty());
    }
}
