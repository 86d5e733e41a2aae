//! Errors of JSON-RPC as servers write them: with a string as the code, without a message, or as a
//! plain string. The server's text is kept in every case.

use base::entries::Entries;
use base::json::is_deeper_than;
use base::limits::MAX_UPSTREAM_DEPTH;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::limits::MAX_UPSTREAM_ERROR_DATA_BYTES;

/// The code of an error without a code, or with one that is not an integer. JSON-RPC does not use
/// 0.
pub const NO_CODE: i64 = 0;

/// A JSON-RPC error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcError {
    /// Its code, or [`NO_CODE`].
    pub code: i64,
    /// The server's text; empty if there is none.
    pub message: String,
    /// JSON text of the data; cut if it is long or nests deep.
    pub data: Option<String>,
    /// The versions that an error about versions lists.
    pub supported: Vec<String>,
}

/// The members of an error that is an object.
#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow, default)]
    code: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

impl RpcError {
    /// Reads an error from JSON text.
    pub fn read(json: &str) -> Self {
        let Some(members) = members_of(json) else {
            return Self {
                code: NO_CODE,
                message: words(json),
                data: None,
                supported: Vec::new(),
            };
        };
        let data = members.data.map(RawValue::get);
        let code = members.code.map(RawValue::get).unwrap_or_default();
        let number = whole(code);
        let said = members.message.map(|message| words(message.get()));
        let said = said.filter(|words| !words.trim().is_empty());
        let message = said.unwrap_or_else(|| others(json));
        // A code that is a string is part of the server's text.
        let message = match (number, words(code)) {
            (None, code) if !code.is_empty() && message.is_empty() => code,
            (None, code) if !code.is_empty() => format!("{code}: {message}"),
            _ => message,
        };
        Self {
            code: number.unwrap_or(NO_CODE),
            message,
            supported: data.map(supported).unwrap_or_default(),
            data: data.map(bounded),
        }
    }
}

/// Returns true if an error has a code. Errors of other protocols seldom have one.
pub fn has_code(json: &str) -> bool {
    members_of(json).is_some_and(|members| members.code.is_some())
}

fn members_of(json: &str) -> Option<Members<'_>> {
    // serde would read a list as the fields of a structure in their order.
    let is_object = json.trim_start().starts_with('{');
    is_object.then(|| serde_json::from_str(json).ok()).flatten()
}

/// Returns the other members of an error without a message, as JSON text; empty if there are none.
fn others(json: &str) -> String {
    if json.len() > MAX_UPSTREAM_ERROR_DATA_BYTES {
        return String::new();
    }
    let Ok(Entries(members)) = serde_json::from_str::<Entries<String, &RawValue>>(json) else {
        return String::new();
    };
    let is_other = |name: &str| !matches!(name, "code" | "message" | "data");
    let others: Vec<String> = members
        .into_iter()
        .filter(|(name, value)| is_other(name) && value.get() != "null")
        .map(|(name, value)| format!("{}:{}", Value::from(name), value.get()))
        .collect();
    if others.is_empty() {
        String::new()
    } else {
        format!("{{{}}}", others.join(","))
    }
}

/// Returns the content of a string, the JSON text of any other value, and nothing for null.
fn words(json: &str) -> String {
    match serde_json::from_str::<String>(json) {
        Ok(text) => text,
        Err(_) if json == "null" => String::new(),
        Err(_) => json.to_owned(),
    }
}

/// Parses a code: `-32000`, `-32000.0` and `"-32000"` are the same.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is whole, and codes are small: a greater one saturates"
)]
fn whole(json: &str) -> Option<i64> {
    let text = words(json);
    let number: f64 = text.trim().parse().ok()?;
    (number.is_finite() && number.fract() == 0.0).then_some(number as i64)
}

fn supported(data: &str) -> Vec<String> {
    #[derive(Deserialize)]
    struct Versions {
        supported: Vec<String>,
    }
    let versions = Some(data)
        .filter(|data| data.starts_with('{'))
        .and_then(|data| serde_json::from_str::<Versions>(data).ok());
    versions.map_or_else(Vec::new, |versions| versions.supported)
}

/// Returns JSON text unchanged if it is short and flat enough; otherwise a string with its
/// beginning and a mark.
fn bounded(json: &str) -> String {
    if json.len() <= MAX_UPSTREAM_ERROR_DATA_BYTES && !is_deeper_than(json, MAX_UPSTREAM_DEPTH) {
        return json.to_owned();
    }
    // Length inside a JSON string: a quote takes two bytes, a control character six.
    let mut room = MAX_UPSTREAM_ERROR_DATA_BYTES;
    let beginning: String = json
        .chars()
        .take_while(|character| {
            let bytes = match character {
                '"' | '\\' => 2,
                control if control.is_control() => 6,
                other => other.len_utf8(),
            };
            let left = room.checked_sub(bytes);
            room = left.unwrap_or(0);
            left.is_some()
        })
        .collect();
    let left = json.len() - beginning.len();
    let mark = if left == 0 {
        "… (shown as a text: it nests too deep)".to_owned()
    } else {
        format!("… (cut: {left} of {} bytes are left out)", json.len())
    };
    Value::from(format!("{beginning}{mark}")).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, code: i64, message: &str, data: Option<&str>) {
        let error = RpcError::read(json);
        assert_eq!(
            (error.code, error.message.as_str(), error.data.as_deref()),
            (code, message, data),
            "{json}"
        );
    }

    #[test]
    fn words_are_kept_in_any_shape() {
        for (json, code, message) in [
            (r#"{"code":-32000,"message":"no"}"#, -32000, "no"),
            (r#"{"code":"-32000","message":"no"}"#, -32000, "no"),
            (r#"{"code":-32000.0,"message":"no"}"#, -32000, "no"),
            (r#"{"code":"E_BAD","message":"no"}"#, NO_CODE, "E_BAD: no"),
            (r#"{"code":"E_BAD"}"#, NO_CODE, "E_BAD"),
            (r#"{"code":-5.5,"message":"no"}"#, NO_CODE, "-5.5: no"),
            (r#"{"message":"no"}"#, NO_CODE, "no"),
            (r#"{"code":7,"message":null}"#, 7, ""),
            (r#"{"code":7,"message":{"en":"no"}}"#, 7, r#"{"en":"no"}"#),
            (
                r#"{"code":7,"detail":"quota","retry":3}"#,
                7,
                r#"{"detail":"quota","retry":3}"#,
            ),
            (r#""plain""#, NO_CODE, "plain"),
            (r#"["a",1]"#, NO_CODE, r#"["a",1]"#),
            ("true", NO_CODE, "true"),
            ("{}", NO_CODE, ""),
        ] {
            check(json, code, message, None);
        }
        let quoted = r#"{"code":7,"message":"no","data":{"n":9007199254740993}}"#;
        check(quoted, 7, "no", Some(r#"{"n":9007199254740993}"#));
    }

    #[test]
    fn data_over_the_bound_is_cut_with_a_mark() {
        for (data, end) in [
            (
                format!(
                    r#"{{"trace":"{}"}}"#,
                    "é\"\\".repeat(20_000).replace('"', "'").replace('\\', "/")
                ),
                " bytes are left out)",
            ),
            (
                format!("[{}1]", "\"x\",".repeat(20_000)),
                " bytes are left out)",
            ),
            (
                format!("{}{}", "[".repeat(500), "]".repeat(500)),
                "it nests too deep)",
            ),
        ] {
            let json = format!(r#"{{"code":1,"message":"no","data":{data}}}"#);
            let kept = RpcError::read(&json).data.unwrap();
            assert!(
                kept.len() <= MAX_UPSTREAM_ERROR_DATA_BYTES + 100,
                "{}",
                kept.len()
            );
            let text: String = serde_json::from_str(&kept).unwrap();
            assert!(text.ends_with(end), "{end}");
            assert_eq!(text.get(..20), data.get(..20));
        }
    }
}
