//! The `Content-Disposition` header of a response that a client may save as a file (RFC 6266), with
//! a name that is safe on every system.

use std::fmt::Write as _;

use base::devices::is_device;

/// The longest stem, in bytes. File systems allow 255 bytes with the extension.
const MAX_STEM_BYTES: usize = 120;

/// Returns the header value `attachment` with this file name. If the name has letters beyond ASCII,
/// the value has a second form of it, which every current browser reads.
pub fn attachment(name: &str, extension: &str) -> String {
    let stem = stem(name);
    let ascii: String = stem
        .chars()
        .map(|character| if character.is_ascii() { character } else { '_' })
        .collect();
    let mut header = format!("attachment; filename=\"{ascii}.{extension}\"");
    if !stem.is_ascii() {
        header.push_str("; filename*=UTF-8''");
        for byte in stem.bytes() {
            if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') {
                header.push(char::from(byte));
            } else {
                // Writing to a string cannot fail.
                let _written = write!(header, "%{byte:02X}");
            }
        }
        header.push('.');
        header.push_str(extension);
    }
    header
}

/// Removes from a name every character that a path, a shell, a header or a reader could
/// misunderstand.
fn stem(name: &str) -> String {
    let safe = |character: char| {
        character.is_alphanumeric() || matches!(character, '-' | '_' | '.' | ' ' | '(' | ')' | '+')
    };
    let mut stem: String = name
        .chars()
        .map(|character| if safe(character) { character } else { '_' })
        .collect();
    stem.truncate(stem.floor_char_boundary(MAX_STEM_BYTES));
    let trimmed = stem.trim_matches(['.', ' ']);
    if trimmed.is_empty() {
        "data".to_owned()
    } else if is_device(trimmed) {
        format!("_{trimmed}")
    } else {
        trimmed.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_safe_whatever_the_table_is_called() {
        for (name, wanted) in [
            ("movies", "attachment; filename=\"movies.csv\""),
            ("two words", "attachment; filename=\"two words.csv\""),
            (
                "../../etc/passwd",
                "attachment; filename=\"_.._etc_passwd.csv\"",
            ),
            (
                "a\"b\\c\r\nx: y",
                "attachment; filename=\"a_b_c__x_ y.csv\"",
            ),
            ("C:\\temp", "attachment; filename=\"C__temp.csv\""),
            ("", "attachment; filename=\"data.csv\""),
            ("...", "attachment; filename=\"data.csv\""),
            ("%2e%2e", "attachment; filename=\"_2e_2e.csv\""),
            ("CON", "attachment; filename=\"_CON.csv\""),
            ("nul.txt", "attachment; filename=\"_nul.txt.csv\""),
            ("com1", "attachment; filename=\"_com1.csv\""),
            ("con .x", "attachment; filename=\"_con .x.csv\""),
            (
                "COM¹",
                "attachment; filename=\"_COM_.csv\"; filename*=UTF-8''_COM%C2%B9.csv",
            ),
            ("company", "attachment; filename=\"company.csv\""),
            (
                "évé",
                "attachment; filename=\"_v_.csv\"; filename*=UTF-8''%C3%A9v%C3%A9.csv",
            ),
            ("a\u{202e}fdp", "attachment; filename=\"a_fdp.csv\""),
        ] {
            assert_eq!(attachment(name, "csv"), wanted, "{name:?}");
        }
        let long = attachment(&"é".repeat(500), "csv");
        assert!(long.is_ascii() && long.len() < 600, "{long}");
    }
}
