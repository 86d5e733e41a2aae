//! Renders results as text: code as code, and everything else in few lines.

use std::fmt::Write as _;

use code::Id;
use serde_json::Value;

use crate::results::at;
use base::quoted::printed;

/// Characters of external text in a line.
const MAX_SHOWN_CHARACTERS: usize = 2_000;

/// Entries that a text shows of a list of details, such as changed paths.
const MAX_SHOWN: usize = 50;

/// Renders the result of an operation.
pub(super) fn of(operation: Id, read: &Value) -> String {
    let text = match operation {
        Id::RequestCodeContext => context(read),
        Id::ApplyCodeEdit => staged(read),
        Id::ApproveProposal | Id::RevertProposal => decided(read),
        Id::ApproveAll => {
            let each: Vec<String> = list(read, "proposals").map(decided).collect();
            if each.is_empty() {
                "No proposal waits.".to_owned()
            } else {
                each.join("\n")
            }
        }
        Id::DenyProposal => format!("Denied the proposal {}.", shown(read, "requestId")),
        Id::ListProposals => proposals(read),
        Id::GetFileMetadata => metadata(read),
        Id::CodeItemLookup => item(at(read, "item")),
        Id::CodeItemEdges => edges(read),
        Id::ListFiles => files(read),
        Id::ReadFile => file(read),
        Id::SearchCode => matches(read),
        Id::ScanForChange => changes(read),
        Id::Inspect => inspection(read),
        Id::PutFiles | Id::DeleteFiles => written(read),
    };
    let more = match at(read, "nextCursor") {
        Value::Null => String::new(),
        cursor => format!("\n\nThere is more: call again with cursor {cursor}."),
    };
    format!("{}{more}", text.trim_end())
}

fn word<'v>(value: &'v Value, name: &str) -> &'v str {
    at(value, name).as_str().unwrap_or_default()
}

/// Returns external text for a line, without line breaks.
fn shown(value: &Value, name: &str) -> String {
    match word(value, name) {
        "" => String::new(),
        text => printed(text, MAX_SHOWN_CHARACTERS),
    }
}

/// Returns a line of code, with its indentation if it has no invisible characters.
fn shown_line(line: &str) -> String {
    let trimmed = line.trim();
    if printed(trimmed, MAX_SHOWN_CHARACTERS) == trimmed {
        line.to_owned()
    } else {
        printed(line, MAX_SHOWN_CHARACTERS)
    }
}

fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    at(value, name).as_array().into_iter().flatten()
}

fn count(value: &Value, name: &str) -> usize {
    at(value, name).as_array().map_or(0, Vec::len)
}

fn number(value: &Value, name: &str) -> u64 {
    at(value, name).as_u64().unwrap_or_default()
}

/// Renders a number of things: `3 files`, `1 file`.
fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// Renders a range of lines as `12-30`; of a list, the first range.
fn lines(value: &Value) -> String {
    let ends = |range: &Value| Some((range.get(0)?.as_u64()?, range.get(1)?.as_u64()?));
    ends(value)
        .or_else(|| value.get(0).and_then(ends))
        .map(|(first, last)| format!("{first}-{last}"))
        .unwrap_or_default()
}

/// Puts a text into a code fence that it does not contain.
fn fenced(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    format!("{fence}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

fn context(read: &Value) -> String {
    let context = at(read, "context");
    let stats = at(context, "stats");
    let mut text = format!(
        "{} for {:?}, {} tokens, version {}.",
        counted(count(context, "parts"), "part"),
        word(read, "query"),
        number(stats, "total_tokens"),
        number(read, "version")
    );
    if at(read, "truncated") == true {
        let _ = write!(
            text,
            " The budget exceeds the size of a result: {} tokens were used.",
            number(read, "token_budget")
        );
    }
    if !word(read, "notice").is_empty() {
        let _ = write!(text, "\nNote: {}", shown(read, "notice"));
    }
    for part in list(context, "parts") {
        let _ = write!(
            text,
            "\n\n{}:{} {} ({}, score {:.2}){}\n{}",
            shown(part, "file_path"),
            lines(at(part, "lines")),
            shown(part, "canon_path"),
            word(part, "kind"),
            at(part, "score").as_f64().unwrap_or_default(),
            if at(part, "stale") == true {
                ", stale"
            } else {
                ""
            },
            fenced(word(part, "text"))
        );
    }
    text
}

fn staged(read: &Value) -> String {
    let state = if at(read, "auto_confirmed") == true {
        "Applied without a decision, as the deployment is configured"
    } else if word(read, "status").is_empty() || word(read, "status") == "pending" {
        "Nothing is written before it is approved"
    } else {
        word(read, "status")
    };
    let mut text = format!(
        "Proposal {} with {} of {}. {state}.",
        shown(read, "requestId"),
        counted(
            usize::try_from(number(read, "staged")).unwrap_or_default(),
            "edit"
        ),
        counted(count(read, "files"), "file"),
    );
    for warning in list(read, "warnings").filter_map(Value::as_str) {
        let warning = printed(warning, MAX_SHOWN_CHARACTERS);
        let _ = write!(text, "\nWarning: {warning}");
    }
    let _ = write!(text, "\n\n{}", fenced(word(read, "preview")));
    text
}

fn decided(read: &Value) -> String {
    let id = shown(read, "requestId");
    if at(read, "ok") != true {
        let mut text = format!(
            "Proposal {id} was not applied ({}): {}",
            word(read, "status"),
            shown(read, "reason")
        );
        for result in list(read, "results").take(MAX_SHOWN) {
            let message = shown(at(result, "error"), "message");
            let _ = write!(text, "\n- {}: {message}", shown(result, "file_path"));
        }
        return text;
    }
    let verb = if at(read, "reverted").is_u64() {
        "Reverted"
    } else {
        "Applied"
    };
    let mut text = format!(
        "{verb} the proposal {id}: version {}.",
        number(read, "version")
    );
    for result in list(read, "results").take(MAX_SHOWN) {
        let _ = write!(
            text,
            "\n- {} file_hash {}",
            shown(result, "file_path"),
            word(result, "new_file_hash")
        );
    }
    let stale: Vec<String> = list(read, "stale")
        .filter_map(Value::as_str)
        .map(|id| printed(id, MAX_SHOWN_CHARACTERS))
        .collect();
    if !stale.is_empty() {
        let _ = write!(text, "\nStale now: {}", stale.join(", "));
    }
    text
}

fn proposals(read: &Value) -> String {
    let mut text = counted(count(read, "proposals"), "proposal");
    if let Some(waiting) = at(read, "pending").as_u64() {
        let _ = write!(text, ", {waiting} pending in all");
    }
    text.push('.');
    for proposal in list(read, "proposals") {
        let files: Vec<String> = list(proposal, "files")
            .map(|file| shown(file, "file_path"))
            .collect();
        let _ = write!(
            text,
            "\n- {} ({}) by {}: {}",
            shown(proposal, "requestId"),
            word(proposal, "status"),
            shown(proposal, "actor"),
            files.join(", ")
        );
        if !word(proposal, "reason").is_empty() {
            let _ = write!(text, "; {}", shown(proposal, "reason"));
        }
        if !word(proposal, "preview").is_empty() {
            let _ = write!(text, "\n{}", fenced(word(proposal, "preview")));
        }
    }
    text
}

fn metadata(read: &Value) -> String {
    let path = shown(read, "file_path");
    if at(read, "exists") != true {
        return format!(
            "{path} does not exist in version {}.",
            number(read, "version")
        );
    }
    format!(
        "{path}: {} bytes, {} lines, {}{}\nfile_hash {}\ntracking_hash {}",
        number(read, "byte_len"),
        number(read, "line_count"),
        word(read, "language"),
        if at(read, "parsed") == false {
            ", not parsed"
        } else {
            ""
        },
        word(read, "file_hash"),
        word(read, "tracking_hash")
    )
}

/// Renders an item in one line.
fn named(item: &Value) -> String {
    format!(
        "{} {} ({}:{})",
        word(item, "node_type"),
        shown(item, "canon"),
        shown(item, "file_path"),
        lines(at(item, "lines"))
    )
}

fn item(item: &Value) -> String {
    format!(
        "{}, id {}\nfile_hash {}\n{}",
        named(item),
        word(item, "id"),
        word(item, "file_hash"),
        fenced(word(item, "text"))
    )
}

fn edges(read: &Value) -> String {
    let mut text = named(at(read, "item"));
    for (name, arrow) in [("outgoing", "->"), ("incoming", "<-")] {
        for edge in list(read, name) {
            let other = at(edge, "item");
            let other = if other.is_object() {
                named(other)
            } else {
                shown(edge, "target").to_owned()
            };
            let _ = write!(text, "\n{arrow} {} {other}", word(edge, "kind"));
        }
    }
    text
}

fn files(read: &Value) -> String {
    let mut text = format!(
        "{} of {}, version {}.",
        counted(count(read, "files"), "file"),
        number(read, "fileCount"),
        number(read, "version")
    );
    for file in list(read, "files") {
        let _ = write!(
            text,
            "\n{} ({} bytes{})",
            shown(file, "file_path"),
            number(file, "byte_len"),
            if at(file, "parsed") == false {
                ", not parsed"
            } else {
                ""
            }
        );
    }
    text
}

fn file(read: &Value) -> String {
    let mut text = format!(
        "{}, lines {} of {}, version {}, file_hash {}\n{}",
        shown(read, "file_path"),
        lines(at(read, "lines")),
        number(read, "line_count"),
        number(read, "version"),
        word(read, "file_hash"),
        fenced(word(read, "text"))
    );
    if at(read, "truncated") == true {
        let next = at(read, "range").get(1).and_then(Value::as_u64);
        let _ = write!(
            text,
            "\nThere is more: call again with start_byte {}.",
            next.unwrap_or_default()
        );
    }
    text
}

fn matches(read: &Value) -> String {
    let mut text = format!(
        "{} in {}, version {}.",
        counted(count(read, "matches"), "matching line"),
        counted(
            usize::try_from(number(read, "searchedFiles")).unwrap_or_default(),
            "searched file"
        ),
        number(read, "version")
    );
    for found in list(read, "matches") {
        let _ = write!(
            text,
            "\n{}:{}: {}",
            shown(found, "file_path"),
            number(found, "line"),
            shown_line(word(found, "text"))
        );
    }
    text
}

fn changes(read: &Value) -> String {
    let mut text = format!("{} unchanged.", number(read, "unchanged"));
    for name in ["added", "changed", "deleted"] {
        for path in list(read, name).filter_map(Value::as_str).take(MAX_SHOWN) {
            let path = printed(path, MAX_SHOWN_CHARACTERS);
            let _ = write!(text, "\n{name} {path}");
        }
        let more = count(read, name).saturating_sub(MAX_SHOWN);
        if more > 0 {
            let _ = write!(text, "\n{name} {more} more");
        }
    }
    text
}

fn inspection(read: &Value) -> String {
    let mut text = format!(
        "Version {} of {} to {}: {} files, {} items.",
        number(read, "version"),
        number(read, "oldest"),
        number(read, "newest"),
        number(read, "files"),
        number(read, "items")
    );
    for module in list(read, "modules").take(MAX_SHOWN) {
        let _ = write!(
            text,
            "\n{} {}",
            shown(module, "module_path"),
            shown(module, "file_path")
        );
    }
    for item in list(read, "spans").take(MAX_SHOWN) {
        let _ = write!(
            text,
            "\n{} {}",
            word(item, "node_type"),
            shown(item, "canon")
        );
    }
    text
}

fn written(read: &Value) -> String {
    let changed = list(read, "files").filter(|file| at(file, "changed") == true);
    let mut text = format!(
        "Wrote {} and deleted {}: version {}.",
        counted(changed.count(), "file"),
        counted(count(read, "deleted"), "file"),
        number(read, "version")
    );
    for file in list(read, "files")
        .filter(|file| at(file, "parsed") == false)
        .take(MAX_SHOWN)
    {
        let _ = write!(
            text,
            "\nNot parsed: {} {}",
            shown(file, "file_path"),
            shown(file, "reason")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_fence_is_longer_than_those_of_the_code() {
        assert_eq!(fenced("a\n"), "```\na\n```\n");
        assert_eq!(fenced("```` and ```"), "`````\n```` and ```\n`````\n");
    }

    #[test]
    fn a_page_says_how_to_get_the_next() {
        let read = json!({"ok": true, "version": 3, "fileCount": 9, "files": [{"file_path": "a.rs", "byte_len": 5, "parsed": false}], "nextCursor": "a.rs"});
        assert_eq!(
            of(Id::ListFiles, &read),
            "1 file of 9, version 3.\na.rs (5 bytes, not parsed)\n\nThere is more: call again with cursor \"a.rs\"."
        );
    }

    #[test]
    fn what_was_not_applied_says_why() {
        let read = json!({"ok": false, "requestId": "r", "status": "stale", "applied": 0, "reason": "the file changed", "results": [{"file_path": "a.rs", "error": {"message": "File content changed"}}]});
        assert_eq!(
            of(Id::ApproveProposal, &read),
            "Proposal r was not applied (stale): the file changed\n- a.rs: File content changed"
        );
    }
}
