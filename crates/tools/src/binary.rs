//! Images, sounds and other bytes that a server sends as base64. A model cannot read them, and each
//! takes as much room as a book.
//!
//! In tables they become blobs; elsewhere they are replaced by their size. A string counts as
//! base64 if the protocol says so (`data` of an image or a sound, `blob` of a resource), if it is a
//! `data:` URL, or if it uses at least `MIN_SIGNS` of the 64 base64 characters. Compressed bytes
//! do; a sequence of letters, a hexadecimal number or a long word does not.

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

use crate::limits::MAX_SHOWN_BASE64_BYTES;

/// Least number of different characters in a string that is not declared as base64. Random bytes
/// have all 64.
const MIN_SIGNS: u32 = 40;

/// Decodes base64 with and without padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Data in which long base64 strings were replaced.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReplacedData {
    /// The data.
    pub(super) data: String,
    /// The number of replaced strings.
    pub(super) texts: usize,
    /// The number of bytes that they encode.
    pub(super) bytes: usize,
}

/// The replacement of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replacement {
    /// `{"$blob": …}`.
    Blob,
    /// The size of the bytes.
    Size,
}

/// Replaces each long base64 string of a JSON text in one pass; returns `None` if there is none.
pub(super) fn replace(data: &str, instead: Replacement) -> Option<ReplacedData> {
    if data.len() <= MAX_SHOWN_BASE64_BYTES {
        return None;
    }
    let typed = data.contains("\"mimeType\"") || data.contains("\"mime_type\"");
    let mut replaced = ReplacedData {
        data: String::new(),
        texts: 0,
        bytes: 0,
    };
    let (mut rest, mut key) = (data, "");
    while let Some(begin) = rest.find('"') {
        let (before, from) = rest.split_at(begin);
        let end = end_of_text(from);
        let (text, behind) = from.split_at(end);
        let is_key = behind.trim_start().starts_with(':');
        rest = behind;
        let known = typed && matches!(key, "\"data\"" | "\"blob\"");
        let marked = key == "\"$blob\"";
        let found = (!is_key && text.len() > MAX_SHOWN_BASE64_BYTES)
            .then(|| read(text, known || marked))
            .flatten();
        replaced.data.push_str(before);
        match found {
            Some((base64, bytes)) => {
                replaced.texts += 1;
                replaced.bytes += bytes;
                match instead {
                    Replacement::Blob if marked => replaced.data.push_str(text),
                    Replacement::Blob => {
                        replaced.data.extend(["{\"$blob\":\"", &base64, "\"}"]);
                    }
                    Replacement::Size => {
                        let size = format!("\"({bytes} bytes of base64 are left out here)\"");
                        replaced.data.push_str(&size);
                    }
                }
            }
            None => replaced.data.push_str(text),
        }
        key = if is_key { text } else { "" };
    }
    replaced.data.push_str(rest);
    (replaced.texts > 0).then_some(replaced)
}

/// Returns the end of the JSON string that begins here.
fn end_of_text(from: &str) -> usize {
    let mut escaped = false;
    let end = from.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(from.len(), |end| end + 2)
}

/// Returns the base64 of a JSON string, with padding, and the number of bytes that it encodes.
fn read(text: &str, known: bool) -> Option<(String, usize)> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    // Line breaks in base64, and slashes that some servers escape.
    let plain: Cow<'_, str> = if inner.contains('\\') {
        let decoded: String = serde_json::from_str(text).ok()?;
        decoded.replace(['\r', '\n'], "").into()
    } else {
        inner.into()
    };
    let (base64, known) = match plain.strip_prefix("data:") {
        Some(address) => (address.split_once(";base64,")?.1, true),
        None => (&*plain, known),
    };
    let mut signs = [0_u64; 2];
    for byte in base64.trim_end_matches('=').bytes() {
        let half = signs.get_mut(usize::from(byte >> 6))?;
        *half |= 1 << (byte & 63);
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')) {
            return None;
        }
    }
    let has = |from: u8, to: u8| {
        (from..=to).any(|byte| {
            signs
                .get(usize::from(byte >> 6))
                .is_some_and(|half| half & (1 << (byte & 63)) != 0)
        })
    };
    let count: u32 = signs.iter().map(|half| half.count_ones()).sum();
    let varied = count >= MIN_SIGNS && has(b'a', b'z') && has(b'A', b'Z') && has(b'0', b'9');
    if !known && !varied {
        return None;
    }
    let standard: Cow<'_, str> = if base64.contains(['-', '_']) {
        base64.replace('-', "+").replace('_', "/").into()
    } else {
        base64.into()
    };
    let bytes = LENIENT.decode(standard.as_bytes()).ok()?;
    Some((LENIENT.encode(&bytes), bytes.len()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Bytes that look like a compressed file.
    fn bytes(count: u32) -> Vec<u8> {
        (0..count)
            .map(|at| (at.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0])
            .collect()
    }

    fn blobs(data: &Value) -> Option<Value> {
        replace(&data.to_string(), Replacement::Blob)
            .map(|replaced| serde_json::from_str(&replaced.data).unwrap())
    }

    #[test]
    fn long_base64_becomes_a_blob_wherever_it_stands() {
        let base64 = LENIENT.encode(bytes(5_000));
        let blob = json!({ "$blob": base64 });
        let lines: Vec<String> = base64
            .as_bytes()
            .chunks(76)
            .map(|line| String::from_utf8(line.to_vec()).unwrap())
            .collect();
        let url_safe = base64.replace('+', "-").replace('/', "_").replace('=', "");
        for text in [
            base64.clone(),
            lines.join("\r\n"),
            format!("data:image/png;base64,{base64}"),
            url_safe,
        ] {
            let data = json!({"rows": [{"id": 1, "photo": text, "note": "a \"b\" c"}]});
            let wanted = json!({"rows": [{"id": 1, "photo": blob, "note": "a \"b\" c"}]});
            assert_eq!(blobs(&data), Some(wanted), "{text:.80}");
        }
        let picture = json!([{"type": "image", "data": base64, "mimeType": "image/png"}]);
        assert_eq!(
            blobs(&picture),
            Some(json!([{"type": "image", "data": blob, "mimeType": "image/png"}]))
        );
        // The protocol declares it as base64, however little it varies.
        let blank = LENIENT.encode(vec![0; 6_000]);
        let picture = json!([{"type": "image", "data": blank, "mimeType": "image/bmp"}]);
        assert_eq!(
            blobs(&picture).unwrap()[0]["data"],
            json!({ "$blob": blank })
        );
        let marked = json!([{ "b": blob }]);
        assert_eq!(blobs(&marked), Some(marked));
    }

    #[test]
    fn the_size_stands_where_there_is_no_table() {
        let base64 = LENIENT.encode(bytes(5_000));
        let data = json!({"photo": base64, "id": 1}).to_string();
        let replaced = replace(&data, Replacement::Size).unwrap();
        assert_eq!((replaced.texts, replaced.bytes), (1, 5_000));
        assert_eq!(
            replaced.data,
            r#"{"photo":"(5000 bytes of base64 are left out here)","id":1}"#
        );
    }

    #[test]
    fn what_is_short_or_only_resembles_base64_stays() {
        let letters = |alphabet: &str, count: usize| -> String {
            let letters: Vec<char> = alphabet.chars().collect();
            bytes(u32::try_from(count).unwrap())
                .iter()
                .map(|byte| letters[usize::from(*byte) % letters.len()])
                .collect()
        };
        for text in [
            LENIENT.encode(bytes(3_000)),
            letters("ACGT", 8_000),
            letters("ACDEFGHIKLMNPQRSTVWY", 8_000),
            letters("0123456789abcdef", 8_000),
            letters("0123456789", 8_000),
            "word ".repeat(2_000),
            "CamelCaseWord9".repeat(600),
            format!("{}é", LENIENT.encode(bytes(5_000))),
            format!("data:text/plain,{}", "a".repeat(5_000)),
        ] {
            assert_eq!(
                blobs(&json!({"text": text, "more": "x".repeat(5_000)})),
                None,
                "{text:.60}"
            );
        }
        let key = LENIENT.encode(bytes(5_000));
        assert_eq!(blobs(&json!({ key: 1 })), None);
    }
}
