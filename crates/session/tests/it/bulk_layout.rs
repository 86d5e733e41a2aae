//! The layout of a table in a body: columns of spaces, guessed delimiters, fences, and other
//! wrapping around the data.

use serde_json::Value;

use super::bulk_bodies::{made, refused, sent};

/// Checks the rows of a body, and that a notice contains `notice`; if it is empty, that there is no
/// notice.
#[track_caller]
fn check(content_type: &str, query: &str, body: &str, wanted: &[&str], notice: &str) {
    let query = format!("create=true{query}");
    let (rows, said) = made(&sent(content_type, &query, body.as_bytes()));
    assert_eq!(rows, wanted, "{body}");
    let said = said.as_str().unwrap_or_default();
    assert!(
        said.contains(notice) && said.is_empty() == notice.is_empty(),
        "{body}: {said}"
    );
}

#[test]
fn columns_of_blanks_are_columns() {
    let single = "The fields were read with spaces between them.";
    let runs = "The fields were read with any number of spaces between them.";
    for (body, rows, notice) in [
        ("a b c\n1 2 3\n4 5 6\n", &["1|2|3", "4|5|6"][..], single),
        ("a b\n1 2.5\n4 5\n", &["1|2.5", "4|5.0"], single),
        (
            "name   x    y\nAda    1  2.5\nBen   12  NA\n",
            &["'Ada'|1|2.5", "'Ben'|12|NULL"],
            runs,
        ),
        ("  a   b  \n  1   2  \r\n 33  44\n", &["1|2", "33|44"], runs),
        ("\"a\" \"b c\"\n\"x  y\" \"z\"\n", &["'x  y'|'z'"], single),
    ] {
        check("text/csv", "", body, rows, notice);
    }
    // Used on request, whatever the fields are.
    check(
        "text/csv",
        "&delimiter=space",
        "a b\nx y\n",
        &["'x'|'y'"],
        "",
    );
    check(
        "text/csv",
        "&delimiter=space",
        "a   b\nxxx y\n",
        &["'xxx'|'y'"],
        "",
    );
    // Phrases are not tables: the notice says how else they may be read.
    for (body, rows, notice) in [
        (
            "full name\nAda Lovelace\nAlan Turing\n",
            &["'Ada Lovelace'", "'Alan Turing'"][..],
            "",
        ),
        (
            "first second third\nAda K Lovelace\nAlan M Turing\n",
            &["'Ada K Lovelace'", "'Alan M Turing'"],
            "separated by spaces, all lines have 3 fields: if that is right, add ?delimiter=space.",
        ),
        (
            "total amount\n1 234\n5 678\n",
            &["'1 234'", "'5 678'"],
            "in fields such as “1 234”, “5 678”, the separator may be for thousands",
        ),
        (
            "title\nThe Sea\nOn a Hill\n",
            &["'The Sea'", "'On a Hill'"],
            "",
        ),
        ("a b\n1\n2\n", &["1", "2"], ""),
    ] {
        check("text/csv", "", body, rows, notice);
    }
}

#[test]
fn a_delimiter_that_nobody_named_is_told() {
    for (query, body, name) in [
        ("", "a:b\n1:2\n3:4\n", "colon"),
        ("", "a^b\n1^2\n3^4\n", "caret"),
        ("", "a~b\n1~2\n3~4\n", "tilde"),
        ("", "a\u{1}b\n1\u{1}2\n3\u{1}4\n", "control-a"),
        ("&delimiter=semicolon", "a,b\n1,2\n3,4\n", "comma"),
        ("", "sep=;\na,b\n1,2\n3,4\n", "comma"),
        ("&delimiter=tab", "a b\n1 2\n3 4\n", "space"),
    ] {
        let (rows, notice) = made(&sent(
            "text/csv",
            &format!("create=true{query}"),
            body.as_bytes(),
        ));
        assert_eq!(rows.len(), 2, "{body}");
        let notice = notice.as_str().unwrap_or_default();
        let advice = format!("all lines have 2 fields: if that is right, add ?delimiter={name}.");
        assert!(notice.contains(&advice), "{body}: {notice}");
        // Following the recommendation makes the columns.
        let body = body.trim_start_matches("sep=;\n");
        let query = format!("create=true&delimiter={name}");
        let (rows, notice) = made(&sent("text/csv", &query, body.as_bytes()));
        assert_eq!(
            (rows.as_slice(), notice),
            (&["1|2".to_owned(), "3|4".to_owned()][..], Value::Null)
        );
    }
}

#[test]
fn a_table_is_taken_out_of_its_fence() {
    let fence = "The body is inside a code fence, ```";
    for (content_type, body, rows, notice) in [
        (
            "",
            "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```",
            &["1|2"][..],
            fence,
        ),
        (
            "text/csv",
            "```markdown\n|a|b|\n|-|-|\n|1|2|\n```\n",
            &["1|2"],
            fence,
        ),
        ("text/csv", "```csv\na\n1\n2\n```\n\n", &["1", "2"], fence),
        (
            "",
            "\n```json\n[{\"a\":1}]\n```",
            &["1"],
            "the body was read as JSON",
        ),
        (
            "application/json",
            "```json\r\n[{\"a\":1}]\r\n```\r\n",
            &["1"],
            fence,
        ),
        ("text/csv", "```\na,b\n1,2\n", &["1|2"], fence),
        (
            "text/csv",
            "````csv\na,b\n```,2\n````\n",
            &["'```'|2"],
            fence,
        ),
        (
            "text/csv",
            "a,b\n\"x\n```\ncode\n```\n\",2\n",
            &["'x\n```\ncode\n```\n'|2"],
            "",
        ),
        ("text/csv", "a,b\n```,2\n", &["'```'|2"], ""),
        (
            "text/csv",
            "a\r\n1\r\n2\r\n\u{1a}",
            &["1", "2"],
            "the end-of-file character of DOS",
        ),
        ("text/csv", "a\nx\u{1a}\n", &["'x\u{1a}'"], ""),
    ] {
        check(content_type, "", body, rows, notice);
    }
    let error = refused(&sent("text/csv", "create=true", b"```\na\n1\n```\nDone.\n"));
    assert!(
        error.to_string().contains("after the code fence"),
        "{error}"
    );
}

#[test]
fn text_around_a_table_and_drawn_columns_are_refused() {
    for (body, words) in [
        (
            "Here:\n\n| a |\n|---|\n| 1 |\n",
            "there is text before the table",
        ),
        (
            "Some rows:\r\n\r\n| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\n",
            "before the table",
        ),
        (
            "Here are the rows:\n```csv\na,b\n1,2\n```\n",
            "there is text before the table",
        ),
        (
            "The table,\nas you asked:\n\n```\na\n1\n```\n",
            "there is text before the table",
        ),
        ("+--+\n|a|\n+--+\n|1|\n+--+\n", "a table drawn with lines"),
        ("+-+\n|a|\n+-+\n", "a table drawn with lines"),
        (" a \n---\n 1\n 2\n(2 rows)\n", "a table drawn with lines"),
        (
            "┌───┐\n│ a │\n├───┤\n│ 1 │\n└───┘\n",
            "a table drawn with lines",
        ),
    ] {
        let error = refused(&sent("text/csv", "create=true", body.as_bytes()));
        assert!(error.to_string().contains(words), "{body}: {error}");
    }
    // Hyphens mean a missing value.
    check("text/csv", "", "a\n--\n1\n", &["NULL", "1"], "became NULL");
    let error = refused(&sent("text/csv", "create=true", b"d\nMay 5, 2025\n"));
    assert!(
        error
            .hint()
            .unwrap()
            .contains("quote fields that contain the delimiter")
    );
}
