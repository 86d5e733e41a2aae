//! Rewrites the fields of a chunk into the values that they mean: `[["1,5","NA"]]` becomes
//! `[["1.5",null]]`.

use std::borrow::Cow;

use crate::readings::Conversion;
use crate::records::append_json_text;
use base::{Error, Result};

/// Returns the chunk with the fields of these columns converted.
///
/// # Errors
/// An internal error for a chunk that the encoder did not write.
pub(super) fn convert(json: &str, conversions: &[Option<Conversion>]) -> Result<String> {
    let mut out = String::with_capacity(json.len() + json.len() / 8);
    let (mut depth, mut column) = (0_usize, 0_usize);
    let mut rest = json;
    while let Some(at) = rest
        .bytes()
        .position(|byte| matches!(byte, b'[' | b']' | b',' | b'"'))
    {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let (mark, behind) = from.split_at_checked(1).unwrap_or(("", ""));
        match mark {
            "\"" => {
                let end = string_end(behind).ok_or_else(unreadable)?;
                let (inner, after) = behind.split_at_checked(end).ok_or_else(unreadable)?;
                match conversions.get(column).and_then(Option::as_ref) {
                    Some(conversion) => append(conversion, inner, &mut out)?,
                    None => out.extend(["\"", inner, "\""]),
                }
                rest = after.get(1..).unwrap_or_default();
                continue;
            }
            "[" => {
                depth += 1;
                column = 0;
            }
            "]" => depth = depth.saturating_sub(1),
            _ if depth == 2 => column += 1,
            _ => {}
        }
        out.push_str(mark);
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

/// Returns the position of the closing quote of a string.
fn string_end(text: &str) -> Option<usize> {
    let mut at = 0_usize;
    loop {
        let rest = text.as_bytes().get(at..)?;
        at += rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        if text.as_bytes().get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

fn append(conversion: &Conversion, inner: &str, out: &mut String) -> Result<()> {
    let field = if inner.contains('\\') {
        let quoted = format!("\"{inner}\"");
        Cow::Owned(serde_json::from_str::<String>(&quoted).map_err(|_| unreadable())?)
    } else {
        Cow::Borrowed(inner)
    };
    match conversion.field(&field) {
        Some(converted) => append_json_text(&converted, out),
        None => out.push_str("null"),
    }
    Ok(())
}

fn unreadable() -> Error {
    Error::internal("a chunk of a load is unreadable")
}
