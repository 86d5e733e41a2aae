//! Bodies in encodings other than UTF-8, a first line that names the delimiter, and Markdown
//! tables.

use encoding_rs::{SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};

use super::bulk_bodies::{made, refused, sent};

fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let marked = format!("\u{feff}{text}");
    marked.encode_utf16().flat_map(order).collect()
}

#[test]
fn a_byte_order_mark_counts_more_than_a_name() {
    for (query, body, notice) in [
        (
            "encoding=windows-1252",
            &b"\xEF\xBB\xBFa,b\nM\xC3\xBCller,1\n"[..],
            "The body begins with the byte order mark of utf-8 and was read as utf-8, not as windows-1252.",
        ),
        ("encoding=utf-8", b"\xEF\xBB\xBFa,b\nM\xC3\xBCller,1\n", ""),
        ("encoding=UTF8", b"\xEF\xBB\xBFa,b\nM\xC3\xBCller,1\n", ""),
        (
            "encoding=utf-16be",
            b"\xFF\xFEa\0,\0b\0\n\0M\0\xFC\0l\0l\0e\0r\0,\x001\0\n\0",
            "mark of utf-16le and was read as utf-16le, not as utf-16be",
        ),
        (
            "encoding=utf-16",
            b"\xFF\xFEa\0,\0b\0\n\0M\0\xFC\0l\0l\0e\0r\0,\x001\0\n\0",
            "",
        ),
        ("encoding=windows-1252", b"a,b\nM\xFCller,1\n", ""),
    ] {
        let (rows, said) = made(&sent("text/csv", &format!("create=true&{query}"), body));
        assert_eq!(rows, ["'Müller'|1"], "{query}");
        let said = said.as_str().unwrap_or_default();
        assert!(
            said.contains(notice) && said.is_empty() == notice.is_empty(),
            "{query}: {said}"
        );
    }
}

#[test]
fn a_body_is_decoded_by_its_mark_by_its_bytes_or_as_the_caller_says() {
    const TEXT: &str = "name;n\nMüller – “x”;1\nGarçon €;2\n";
    let western = WINDOWS_1252.encode(TEXT).0.into_owned();
    for (query, body, notice) in [
        ("", TEXT.as_bytes().to_vec(), false),
        ("", utf16(TEXT, u16::to_le_bytes), false),
        ("", utf16(TEXT, u16::to_be_bytes), false),
        ("", western.clone(), true),
        ("&encoding=windows-1252", western.clone(), false),
        ("&encoding=latin1", western, false),
        ("&encoding=UTF-8", TEXT.as_bytes().to_vec(), false),
        ("&encoding=utf-16le", utf16(TEXT, u16::to_le_bytes), false),
    ] {
        let (rows, said) = made(&sent("text/csv", &format!("create=true{query}"), &body));
        assert_eq!(rows, ["'Müller – “x”'|1", "'Garçon €'|2"], "{query}");
        let said = said.as_str().unwrap_or_default();
        assert_eq!(
            said.contains("was read as windows-1252; use ?encoding="),
            notice,
            "{query}: {said}"
        );
    }
    let japanese = SHIFT_JIS.encode("名前,n\n東京都,1\n").0.into_owned();
    let (rows, _) = made(&sent(
        "text/csv",
        "create=true&encoding=shift_jis",
        &japanese,
    ));
    assert_eq!(rows, ["'東京都'|1"]);
    let json = WINDOWS_1252.encode("[{\"x\":\"é\"}]").0.into_owned();
    assert_eq!(
        made(&sent("application/json", "create=true", &json)).0,
        ["'é'"]
    );
}

#[test]
fn a_body_that_cannot_be_decoded_names_the_parameter() {
    let japanese = SHIFT_JIS.encode("名前,n\n東京都庁,1\n").0.into_owned();
    let russian = WINDOWS_1251.encode("имя,n\nМосква,1\n").0.into_owned();
    let unmarked: Vec<u8> = "a,b\n1,2\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let mut picture = b"a,b\n1,".to_vec();
    picture.extend([0xFF, 0xD8, 0xFF, 0xE0, 0, 0x10, b'J']);
    for (query, body) in [
        ("", japanese.clone()),
        ("", russian),
        ("", unmarked),
        ("", picture),
        ("", b"a,b\n\xC3\xA9,1\n\xFF,2\n".to_vec()),
        ("&encoding=utf-8", b"a\n\xFF\n".to_vec()),
        ("&encoding=gb18030", b"a\n\xFF\n".to_vec()),
        ("&encoding=utf-16le", b"\xFF\xFEa\0\n\0\x3D".to_vec()),
        ("", b"\xFF\xFE\0\0a\0\0\0".to_vec()),
    ] {
        let error = refused(&sent("text/csv", &format!("create=true{query}"), &body));
        assert_eq!(error.code(), "INVALID_BODY", "{query} {body:?}");
        assert!(
            error.hint().unwrap_or_default().contains("?encoding="),
            "{error}: {:?}",
            error.hint()
        );
    }
}

#[test]
fn a_first_line_may_name_the_delimiter() {
    for (query, body) in [
        ("", "sep=;\na;b\n1;x\n2;y\n"),
        ("", "\u{feff}sep=;\r\na;b\r\n1;x\r\n2;y\r\n"),
        ("", "SEP=|\na|b\n1|x\n2|y\n"),
        ("", "\"sep=\t\"\na\tb\n1\tx\n2\ty\n"),
        ("&delimiter=,", "sep=;\na,b\n1,x\n2,y\n"),
    ] {
        let (rows, notice) = made(&sent(
            "text/csv",
            &format!("create=true{query}"),
            body.as_bytes(),
        ));
        assert_eq!(rows, ["1|'x'", "2|'y'"], "{body}");
        let said = notice.as_str().unwrap_or_default();
        assert_eq!(
            said.contains("The first line names"),
            query.is_empty(),
            "{said}"
        );
    }
    let error = refused(&sent("text/csv", "create=true", b"sep=;\na;b\n1;2;3\n"));
    assert!(error.to_string().contains("line 3 has 3 fields"), "{error}");
    // A column with that name.
    let (rows, _) = made(&sent("text/csv", "create=true", b"sep=x,b\n1,2\n"));
    assert_eq!(rows, ["1|2"]);
}

#[test]
fn a_table_of_markdown_is_read_as_a_table() {
    for body in [
        "| a | b |\n|---|:-:|\n| 1 | x \\| y |\n| 2 | z |\n",
        "\n a | b\n---|---\n1 | x \\| y\n2 | z\n\n",
        "| a | b |\r\n| -- | -- |\r\n| 1 | x \\| y |\r\n| 2 | z |",
    ] {
        for content_type in ["text/csv", ""] {
            let (rows, notice) = made(&sent(content_type, "create=true", body.as_bytes()));
            assert_eq!(rows, ["1|'x | y'", "2|'z'"], "{body}");
            assert!(notice.as_str().unwrap().contains("Markdown"), "{notice}");
        }
    }
    let (rows, _) = made(&sent(
        "text/csv",
        "create=true",
        b"|a|n|\n|-|-|\n|x||\n|y|5|\n|z|NA|\n",
    ));
    assert_eq!(rows, ["'x'|NULL", "'y'|5", "'z'|NULL"]);
    for (body, complaint) in [
        (
            "| a | b |\n|---|---|\n| 1 |\n",
            "line 3 of the Markdown table has 1 cells, but the header has 2",
        ),
        (
            "| a | b |\n|---|---|\n| 1 | 2 |\n\nSource: a page\n",
            "line 5 of the Markdown table comes after",
        ),
    ] {
        let error = refused(&sent("text/csv", "create=true", body.as_bytes()));
        assert!(error.to_string().contains(complaint), "{error}");
    }
    // With a delimiter the body is CSV.
    let (rows, _) = made(&sent(
        "text/csv",
        "create=true&delimiter=|",
        b"a|b\n-|-\n1|2\n",
    ));
    assert_eq!(rows, ["NULL|NULL", "1|2"]);
}
