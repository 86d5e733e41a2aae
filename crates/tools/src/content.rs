//! The content of a tool's result: its data, or its text about a failure.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::limits::MAX_TOOL_ERROR_CHARACTERS;
use base::json::is_deeper_than;
use base::limits::MAX_UPSTREAM_DEPTH;
use mcp::Tool;
use mcp::call::CallResult;

/// The parts of a content block that may hold text.
#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(rename = "type", default)]
    kind: &'a str,
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    resource: Option<Resource<'a>>,
}

#[derive(Deserialize)]
struct Resource<'a> {
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
}

impl<'a> Piece<'a> {
    fn text_of(raw: &'a RawValue) -> Option<Cow<'a, str>> {
        let piece: Self = serde_json::from_str(raw.get()).ok()?;
        match piece.kind {
            "text" => piece.text,
            "resource" => piece.resource?.text,
            _ => None,
        }
    }
}

/// Returns the data of a result, as JSON text.
///
/// A text counts as JSON if it is an object or an array: a text such as `007` is not changed.
/// Several texts that are all objects become a list, because some servers send lists in this way.
/// Content other than text is returned in the form of the protocol.
pub(super) fn data_of<'a>(result: &CallResult<'a>, tool: Option<&Tool>) -> Cow<'a, str> {
    if let Some(structured) = result.structured
        && structured.get() != "null"
    {
        return Cow::Borrowed(unwrapped(structured, tool).get());
    }
    let texts: Option<Vec<Cow<'_, str>>> = result
        .content()
        .iter()
        .map(|piece| Piece::text_of(piece))
        .collect();
    match texts.as_deref() {
        None => Cow::Owned(list_of(result.content().iter().map(|piece| piece.get()))),
        Some([]) => Cow::Borrowed("null"),
        Some([text]) => Cow::Owned(match json_in(text) {
            Some(json) => json.to_owned(),
            None => quoted(text),
        }),
        Some(texts) => {
            let objects: Option<Vec<&str>> = texts
                .iter()
                .map(|text| json_in(text).filter(|json| json.starts_with('{')))
                .collect();
            Cow::Owned(match objects {
                Some(objects) => list_of(objects.into_iter()),
                None => quoted(&texts.join("\n")),
            })
        }
    }
}

/// Returns the value inside `{"result": …}`, with which FastMCP wraps a value that is not an object
/// if the schema says so.
fn unwrapped<'a>(structured: &'a RawValue, tool: Option<&Tool>) -> &'a RawValue {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wrapped<'a> {
        #[serde(borrow)]
        result: &'a RawValue,
    }
    let wrapped = tool.is_some_and(Tool::wraps_its_answer);
    match serde_json::from_str::<Wrapped<'a>>(structured.get()) {
        Ok(inner) if wrapped => inner.result,
        _ => structured,
    }
}

/// Returns the JSON in a text if it is an object or an array. A text that nests deeper than the
/// limit for a server's result stays a text.
pub(super) fn json_in(text: &str) -> Option<&str> {
    // Some servers begin with a byte-order mark.
    let trimmed = text.trim_start_matches('\u{feff}').trim();
    if !trimmed.starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str::<&RawValue>(trimmed)
        .ok()
        .map(RawValue::get)
        .filter(|json| !is_deeper_than(json, MAX_UPSTREAM_DEPTH))
}

fn list_of<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let mut list = String::from("[");
    for (at, item) in items.enumerate() {
        if at > 0 {
            list.push(',');
        }
        list.push_str(item);
    }
    list.push(']');
    list
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Returns the text with which a tool describes its failure.
pub(super) fn error_text(result: &CallResult<'_>) -> String {
    let texts: Vec<Cow<'_, str>> = result
        .content()
        .iter()
        .filter_map(|piece| Piece::text_of(piece))
        .collect();
    let mut text = texts.join("\n");
    if text.trim().is_empty() {
        text = result
            .structured
            .map_or_else(String::new, |structured| structured.get().to_owned());
    }
    if text.is_empty() {
        return "the tool failed without a message".to_owned();
    }
    base::text::cut(&text, MAX_TOOL_ERROR_CHARACTERS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn data(result: &str, output_schema: Option<Value>) -> String {
        let result: CallResult<'_> = serde_json::from_str(result).unwrap();
        let tool = Tool {
            name: "t".to_owned(),
            title: None,
            description: String::new(),
            input_schema: Value::Null,
            output_schema,
            read_only: false,
            idempotent: false,
        };
        data_of(&result, Some(&tool)).into_owned()
    }

    #[test]
    fn structured_content_comes_first_and_stays_as_written() {
        let result = r#"{"content":[{"type":"text","text":"x"}],"structuredContent":{"id": 9007199254740993}}"#;
        assert_eq!(data(result, None), r#"{"id": 9007199254740993}"#);
        let result = r#"{"content":[{"type":"text","text":"x"}],"structuredContent":null}"#;
        assert_eq!(data(result, None), r#""x""#);
    }

    #[test]
    fn json_in_text_counts_where_it_is_an_object_or_array() {
        for (text, wanted) in [
            (r#" {"a":1} "#, r#"{"a":1}"#),
            ("[1,2]", "[1,2]"),
            ("\u{feff}{\"a\":1}\n", r#"{"a":1}"#),
            ("007", r#""007""#),
            ("true", r#""true""#),
            ("{broken", r#""{broken""#),
            ("", r#""""#),
        ] {
            let result = json!({ "content": [{ "type": "text", "text": text }] });
            assert_eq!(data(&result.to_string(), None), wanted, "{text}");
        }
    }

    #[test]
    fn json_in_text_that_nests_deeper_than_an_answer_may_stays_text() {
        let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        for (levels, is_text) in [
            (MAX_UPSTREAM_DEPTH, false),
            (MAX_UPSTREAM_DEPTH + 1, true),
            (3_000, true),
        ] {
            let result = json!({ "content": [{ "type": "text", "text": nested(levels) }] });
            assert_eq!(
                data(&result.to_string(), None).starts_with('"'),
                is_text,
                "{levels}"
            );
        }
    }

    #[test]
    fn several_texts_are_a_list_of_objects_or_one_text() {
        let pieces = |texts: &[&str]| {
            let content: Vec<Value> = texts
                .iter()
                .map(|text| json!({ "type": "text", "text": text }))
                .collect();
            data(&json!({ "content": content }).to_string(), None)
        };
        assert_eq!(
            pieces(&[r#"{"a":1}"#, r#"{"a":2}"#]),
            r#"[{"a":1},{"a":2}]"#
        );
        assert_eq!(pieces(&[r#"{"a":1}"#, "b"]), r#""{\"a\":1}\nb""#);
        assert_eq!(pieces(&[]), "null");
    }

    #[test]
    fn what_is_not_text_is_handed_on() {
        let result = r#"{"content":[{"type":"image","data":"AA==","mimeType":"image/png"}]}"#;
        assert_eq!(
            data(result, None),
            r#"[{"type":"image","data":"AA==","mimeType":"image/png"}]"#
        );
        let result = r#"{"content":[{"type":"resource","resource":{"uri":"x:y","text":"[1]"}}]}"#;
        assert_eq!(data(result, None), "[1]");
    }

    #[test]
    fn a_wrapped_result_is_unwrapped_where_the_schema_says_so() {
        let result = r#"{"content":[],"structuredContent":{"result":[1]}}"#;
        assert_eq!(data(result, None), r#"{"result":[1]}"#);
        assert_eq!(
            data(result, Some(json!({ "x-fastmcp-wrap-result": true }))),
            "[1]"
        );
    }

    #[test]
    fn the_words_of_a_failing_tool_are_kept_up_to_a_cap() {
        let long = "é".repeat(MAX_TOOL_ERROR_CHARACTERS + 1);
        for (content, wanted) in [
            (
                json!([{ "type": "text", "text": "no\nluck" }]),
                "no\nluck".to_owned(),
            ),
            (json!([]), "the tool failed without a message".to_owned()),
            (
                json!([{ "type": "text", "text": long }]),
                format!("{}…", "é".repeat(MAX_TOOL_ERROR_CHARACTERS)),
            ),
        ] {
            let text = json!({ "content": content, "isError": true }).to_string();
            let result: CallResult<'_> = serde_json::from_str(&text).unwrap();
            assert_eq!(error_text(&result), wanted);
        }
    }
}
