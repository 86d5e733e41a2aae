//! Guesses the format of a body from its first bytes: whether it is text, whether it is JSON or
//! CSV, and the delimiter of a CSV.

use super::blanks::BlankRuns;
use crate::readings::{is_number, is_number_or_missing};
use base::CommonError;
use base::limits::{MAX_COLUMNS, MAX_NAME_CHARACTERS};
use base::{Error, Result};

/// The part of a body that guesses are based on. It is longer than any header: the names of a
/// hundred columns are shorter.
pub(super) const HEAD_BYTES: usize = 64 * 1024;

/// U+FEFF in UTF-8.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The longest header without a line end that is accepted as a whole body.
const MAX_LONE_HEADER_BYTES: usize = 128;

/// The number of rows that guesses are based on.
const ROWS: usize = 100;

/// The usual delimiters. The first is assumed unless another fits better.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// First bytes of other kinds of files, with a description and a hint.
const MAGIC: &[(&[u8], &str, &str)] = &[
    (
        b"\x1F\x8B",
        "packed with gzip",
        "send content-encoding: gzip with it",
    ),
    (
        b"PK\x03\x04",
        "a zip archive or a spreadsheet",
        "unpack it, or save the sheet as CSV",
    ),
    (
        b"\xD0\xCF\x11\xE0",
        "a spreadsheet in the old binary format",
        "save the sheet as CSV",
    ),
    (b"PAR1", "a Parquet file", "convert it to CSV or NDJSON"),
    (
        b"SQLite f",
        "a SQLite database",
        "export its tables as CSV or JSON: sqlite3 -csv -header",
    ),
    (
        b"\x28\xB5\x2F\xFD",
        "packed with zstd",
        "unpack it, or pack it with gzip and send content-encoding: gzip",
    ),
    (
        b"BZh",
        "packed with bzip2",
        "unpack it, or pack it with gzip and send content-encoding: gzip",
    ),
    (
        b"\xFD7zXZ",
        "packed with xz",
        "unpack it, or pack it with gzip and send content-encoding: gzip",
    ),
    (
        b"%PDF-",
        "a PDF",
        "send the data of its tables as CSV or JSON",
    ),
];

/// Rejects the files of other programs by their first bytes.
///
/// # Errors
/// [`CommonError::InvalidBody`] that names the kind of file.
pub(super) fn require_text_file(start: &[u8]) -> Result<()> {
    match MAGIC.iter().find(|(magic, ..)| start.starts_with(magic)) {
        Some((_, what, hint)) => Err(not_data(what, hint)),
        None => Ok(()),
    }
}

fn not_data(what: &str, hint: &str) -> Error {
    Error::from(CommonError::InvalidBody {
        message: format!("the body is {what}"),
        hint: Some(hint.to_owned()),
    })
}

/// Rejects an HTML page.
///
/// # Errors
/// [`CommonError::InvalidBody`] that names the kind of page.
pub(super) fn require_data(head: &[u8]) -> Result<()> {
    const TAGS: [&str; 7] = [
        "<!doctype",
        "<!--",
        "<html",
        "<?xml",
        "<table",
        "<rss",
        "<svg",
    ];
    let body = without_mark(head).trim_ascii_start();
    let begins = |tag: &&str| {
        body.get(..tag.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()))
    };
    if TAGS.iter().any(begins) {
        return Err(not_data(
            "an HTML page or XML, perhaps an error page instead of the data",
            "send the data as CSV or JSON",
        ));
    }
    Ok(())
}

/// Returns true if a body is a table that a database shell has drawn: its first or second line
/// consists of hyphens with a `+` between columns.
pub(super) fn is_drawn(head: &[u8]) -> bool {
    let is_rule = |line: &&[u8]| {
        let line = line.trim_ascii();
        let is_box = line.starts_with(b"+") && line.ends_with(b"+") && line.contains(&b'-');
        line.iter().all(|byte| matches!(byte, b'-' | b'+' | b'='))
            && line.contains(&b'+')
            && (is_box || line.windows(3).any(|part| matches!(part, b"---" | b"===")))
    };
    // Corners and crossings of box-drawing characters.
    let has_corner = |line: &&[u8]| {
        let text = String::from_utf8_lossy(line);
        text.trim().starts_with(['┌', '╔', '╭', '┏', '├', '╞', '╪']) || text.contains("─┼─")
    };
    let mut lines = without_mark(head)
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty());
    let begin: Vec<&[u8]> = lines.by_ref().take(2).collect();
    let is_line = |line: &&[u8]| {
        let line = line.trim_ascii();
        line.len() > 1 && line.iter().all(|byte| *byte == b'-')
    };
    // One column, as psql prints it: the row count shows that the hyphens are not a field.
    let counts_rows = |line: &[u8]| {
        let line = line.trim_ascii();
        line.starts_with(b"(") && (line.ends_with(b" row)") || line.ends_with(b" rows)"))
    };
    begin.iter().any(is_rule)
        || begin.iter().any(has_corner)
        || (begin.get(1).is_some_and(is_line) && lines.any(counts_rows))
}

/// Returns the error for a drawn table.
pub(super) fn drawn() -> Error {
    not_data(
        "a table drawn with lines, as a database shell prints it",
        "export it as CSV or with tabs: psql --csv, mysql --batch, sqlite3 -csv -header, duckdb -csv",
    )
}

/// Returns the first byte that is not white space, after a byte order mark.
pub(super) fn first_byte(head: &[u8]) -> Option<u8> {
    without_mark(head)
        .iter()
        .copied()
        .find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

/// Returns the delimiter named by a first line such as `sep=;`, which spreadsheets write, and the
/// position of the next line.
pub(super) fn separator_line(head: &[u8]) -> Option<(u8, usize)> {
    let body = without_mark(head);
    let end = body.iter().position(|byte| matches!(byte, b'\r' | b'\n'))?;
    let line = body.get(..end)?;
    let line = line
        .strip_prefix(b"\"")
        .and_then(|line| line.strip_suffix(b"\""))
        .unwrap_or(line);
    let delimiter = match line {
        [s, e, p, b'=', delimiter] if [*s, *e, *p].eq_ignore_ascii_case(b"sep") => *delimiter,
        _ => return None,
    };
    let breaks = match body.get(end..) {
        Some([b'\r', b'\n', ..]) => 2,
        _ => 1,
    };
    let is_usable = delimiter.is_ascii() && !delimiter.is_ascii_alphanumeric() && delimiter != b'"';
    is_usable.then_some((delimiter, head.len() - body.len() + end + breaks))
}

/// Returns true if a body that should be CSV is JSON: no header begins like that.
pub(super) fn is_json(head: &[u8]) -> bool {
    let mut bytes = without_mark(head)
        .iter()
        .copied()
        .filter(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    matches!(
        (bytes.next(), bytes.next()),
        (Some(b'{'), Some(b'"' | b'}') | None) | (Some(b'['), Some(b'{' | b']') | None)
    )
}

/// A guessed delimiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Guess {
    pub(super) delimiter: u8,
    /// Two other delimiters that would fit as well.
    pub(super) doubt: Option<(u8, u8)>,
}

/// Guesses the delimiter: the only one of the usual ones that makes all rows as wide as the header,
/// or a comma if there is none or more than one. `complete` is true if the head is the whole body.
pub(super) fn guess_delimiter(head: &[u8], complete: bool) -> Guess {
    let widths = DELIMITERS.map(|delimiter| (delimiter, widths(head, delimiter, complete)));
    let same = |widths: &[usize]| match widths {
        [header, rows @ ..] => *header > 1 && rows.iter().all(|width| width == header),
        [] => false,
    };
    // Rows of different widths are an error of the file, which the CSV reader explains best: here,
    // any delimiter that splits every row will do.
    let several = |widths: &[usize]| !widths.is_empty() && widths.iter().all(|width| *width > 1);
    let mut fitting = Vec::new();
    for fits in [&same as &dyn Fn(&[usize]) -> bool, &several] {
        fitting = widths
            .iter()
            .filter(|(_, widths)| widths.as_deref().is_some_and(fits))
            .map(|(delimiter, _)| *delimiter)
            .collect();
        if !fitting.is_empty() {
            break;
        }
    }
    let comma = |doubt| Guess {
        delimiter: b',',
        doubt,
    };
    match fitting.as_slice() {
        [only] => Guess {
            delimiter: *only,
            doubt: None,
        },
        [b',', ..] | [] => comma(None),
        [one, other, ..] => comma(Some((*one, *other))),
    }
}

/// Delimiters that are used only if the sender names them, in addition to the usual ones.
const RARE: [u8; 4] = [b':', b'^', b'~', 1];

/// The spaces between two fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blanks {
    /// One space.
    Single,
    /// One or more spaces.
    Runs,
}

/// Returns the kind of spaces between the fields of a file without another delimiter, or `None` if
/// the file is not a table with spaces. All lines must have the same number of fields, and at least
/// one column must hold numbers (or the header must be quoted): otherwise the lines could be
/// phrases of two words.
pub(super) fn blank_columns(head: &[u8], complete: bool) -> Option<Blanks> {
    let is_one_field = |delimiter: &u8| {
        widths(head, *delimiter, complete).is_none_or(|widths| widths.first() == Some(&1))
    };
    if !DELIMITERS.iter().all(is_one_field) {
        return None;
    }
    let (blanks, single) = aligned(head, complete)?;
    let text = String::from_utf8_lossy(without_mark(&single));
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    if !complete {
        lines.pop();
    }
    let mut rows = lines
        .iter()
        .take(ROWS)
        .map(|line| line.split(' ').collect::<Vec<_>>());
    let header = rows.next()?;
    let mut numbers = vec![true; header.len()];
    let mut are_grouped = true;
    for row in rows {
        are_grouped &= is_one_number(&row);
        for (is_number, field) in numbers.iter_mut().zip(row) {
            *is_number &= is_number_or_missing(field);
        }
    }
    let count = numbers.iter().filter(|is_number| **is_number).count();
    let is_quoted = header
        .iter()
        .all(|name| name.len() > 1 && name.starts_with('"') && name.ends_with('"'));
    let has_numbers = count == numbers.len() || (numbers.len() > 2 && count > 0);
    let is_table = is_quoted || (has_numbers && !are_grouped);
    (is_table && !header.iter().any(|name| is_number(name))).then_some(blanks)
}

/// Returns true for fields such as `1 234 567`, which may be one number with spaces between
/// thousands.
fn is_one_number(fields: &[&str]) -> bool {
    let [first, middle @ .., last] = fields else {
        return false;
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = last.split(['.', ',']).next().unwrap_or_default();
    let groups = middle.iter().copied().chain([whole]);
    matches!(first.trim_start_matches('-').len(), 1..=3)
        && digits(first.trim_start_matches('-'))
        && groups
            .into_iter()
            .all(|group| group.len() == 3 && digits(group))
}

/// Returns the kind of spaces that makes all lines as wide as the header, and the text with one
/// space between two fields.
fn aligned(head: &[u8], complete: bool) -> Option<(Blanks, Vec<u8>)> {
    if is_same(&widths(head, b' ', complete).unwrap_or_default()) {
        return Some((Blanks::Single, head.to_vec()));
    }
    let single = BlankRuns::default().single(head);
    is_same(&widths(&single, b' ', complete).unwrap_or_default()).then_some((Blanks::Runs, single))
}

/// Returns true for a header of two or more fields, followed by at least one row, with all rows as
/// wide as the header.
fn is_same(widths: &[usize]) -> bool {
    match widths {
        [header, rows @ ..] => {
            *header > 1 && !rows.is_empty() && rows.iter().all(|width| width == header)
        }
        [] => false,
    }
}

/// Returns true if a file that is read with single spaces has several between its fields.
pub(super) fn has_runs(head: &[u8], complete: bool) -> bool {
    matches!(aligned(head, complete), Some((Blanks::Runs, _)))
}

/// Returns a notice if each line of a file is one field, although another delimiter would split all
/// lines into the same number of fields.
pub(super) fn other_delimiter(head: &[u8], delimiter: u8, complete: bool) -> Option<String> {
    let header = widths(head, delimiter, complete)?.first().copied()?;
    if header != 1 {
        return None;
    }
    let others = DELIMITERS.into_iter().chain(RARE);
    let found = others
        .filter(|other| *other != delimiter)
        .find_map(|other| {
            let widths = widths(head, other, complete)?;
            is_same(&widths).then(|| (other, widths.first().copied().unwrap_or_default()))
        })
        .or_else(|| {
            let (_, single) = aligned(head, complete).filter(|_| delimiter != b' ')?;
            let widths = widths(&single, b' ', complete)?;
            let fields = widths.first().copied().unwrap_or_default();
            // Two words are more often one name than two columns.
            let are_columns = fields > 2 || blank_columns(head, complete).is_some();
            are_columns.then_some((b' ', fields))
        });
    let (other, fields) = found?;
    Some(format!(
        "Each line was read as one field; separated by {}, all lines have {fields} fields: if that is right, add ?delimiter={}.",
        delimiter_name(other),
        delimiter_word(other)
    ))
}

/// Returns the word for a delimiter in `?delimiter=`.
fn delimiter_word(delimiter: u8) -> &'static str {
    NAMED_DELIMITERS
        .iter()
        .find(|(_, byte)| *byte == delimiter)
        .map_or("", |(name, _)| name)
}

/// The words for delimiters in `?delimiter=`.
pub(super) const NAMED_DELIMITERS: [(&str, u8); 10] = [
    ("comma", b','),
    ("semicolon", b';'),
    ("tab", b'\t'),
    ("\\t", b'\t'),
    ("pipe", b'|'),
    ("space", b' '),
    ("colon", b':'),
    ("caret", b'^'),
    ("tilde", b'~'),
    ("control-a", 1),
];

/// Returns the name of a delimiter in messages.
pub(super) fn delimiter_name(delimiter: u8) -> String {
    match delimiter {
        b',' => "commas".to_owned(),
        b';' => "semicolons".to_owned(),
        b'\t' => "tabs".to_owned(),
        b'|' => "pipes".to_owned(),
        b' ' => "spaces".to_owned(),
        b':' => "colons".to_owned(),
        b'^' => "carets".to_owned(),
        b'~' => "tildes".to_owned(),
        1 => "the characters control-a".to_owned(),
        other => format!("{:?}", char::from(other)),
    }
}

/// Returns the only line of a body that has no line end; `None` if the body has one. A line end in
/// a quoted field counts, too.
pub(super) fn only_line(head: &[u8]) -> Option<&[u8]> {
    let body = without_mark(head);
    (!body.iter().any(|byte| matches!(byte, b'\r' | b'\n'))).then_some(body)
}

/// Returns true if the fields of a line can be column names, when nothing else helps to decide. A
/// field that ends with a digit probably runs into the next row: `id,name1,Ada2,Ben`.
pub(super) fn may_be_header(line: &[u8], delimiter: u8) -> bool {
    let text = String::from_utf8_lossy(line);
    let fields: Vec<&str> = text
        .split(char::from(delimiter))
        .map(|field| field.trim().trim_matches('"'))
        .collect();
    let mut seen = std::collections::HashSet::new();
    line.len() <= MAX_LONE_HEADER_BYTES
        && fields.len() <= MAX_COLUMNS
        && fields.iter().all(|field| {
            (fields.len() == 1 || !field.is_empty())
                && field.chars().count() <= MAX_NAME_CHARACTERS
                && !field.bytes().any(|byte| byte.is_ascii_digit())
                && seen.insert(field.to_ascii_lowercase())
        })
}

/// Returns the error for a body that has lost its line ends.
pub(super) fn one_line() -> Error {
    Error::from(CommonError::InvalidBody {
        message: "the body is a single line that is not a CSV header: its line ends were lost, or it is not CSV".to_owned(),
        hint: Some(
            "curl -d @file removes the line ends: send the file with --data-binary @file, or with -T file; end a header that has no rows with a line end"
                .to_owned(),
        ),
    })
}

pub(super) fn without_mark(head: &[u8]) -> &[u8] {
    head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head)
}

/// Returns the number of fields in each of the first rows, or `None` if text follows a closing
/// quote. Quotes are respected. A row that the head cuts off is not counted.
fn widths(head: &[u8], delimiter: u8, complete: bool) -> Option<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum At {
        Start,
        Plain,
        Quoted,
        Quote,
    }
    let mut rows = Vec::new();
    let (mut at, mut fields, mut bytes) = (At::Start, 1, 0_usize);
    for &byte in without_mark(head) {
        if at == At::Quoted {
            if byte == b'"' {
                at = At::Quote;
            }
            continue;
        }
        at = match byte {
            b'\r' | b'\n' => {
                if bytes > 0 {
                    rows.push(fields);
                }
                if rows.len() == ROWS {
                    return Some(rows);
                }
                (fields, bytes) = (1, 0);
                At::Start
            }
            _ if byte == delimiter => {
                fields += 1;
                bytes += 1;
                At::Start
            }
            b'"' if matches!(at, At::Start | At::Quote) => {
                bytes += 1;
                At::Quoted
            }
            _ if at == At::Quote => return None,
            _ => {
                bytes += 1;
                At::Plain
            }
        };
    }
    if complete && bytes > 0 && at != At::Quoted {
        rows.push(fields);
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_is_what_makes_all_rows_as_wide_as_the_header() {
        for (head, delimiter) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1;2\n", b';'),
            ("a\tb\n1\t2\n", b'\t'),
            ("a|b\r\n1|2\r\n", b'|'),
            // Decimal commas, and commas in names.
            ("name;price\nx;1,5\ny;2,5\n", b';'),
            ("name;price, net\nx;1\ny;2\n", b';'),
            // Delimiters in quotes are ignored.
            ("a;b\n\"x,y\";\"1;2\"\n", b';'),
            ("a,b\n\"x;y\",\"1;2\"\n", b','),
            ("\"a;x\",b\n\"1;2\",\"\"\"\"\n", b','),
            ("a;b\n\"two\nlines\";2\n", b';'),
            // Rows of different widths: the reader explains the error.
            ("a;b;c\n1;2;3\n4;5\n", b';'),
            ("a,b,c\n1,2,3\n4,5\n", b','),
            // A comma if no delimiter or several fit.
            ("a\n1\n", b','),
            ("", b','),
            ("a,b;c\n1,2;3\n", b','),
            ("a;b|c\n1;2|3\n", b','),
            ("note\nfirst; second\n", b','),
            ("a;b;c", b';'),
            ("\u{feff}a;b\n1;2\n", b';'),
        ] {
            assert_eq!(
                guess_delimiter(head.as_bytes(), true).delimiter,
                delimiter,
                "{head:?}"
            );
        }
        let doubt = guess_delimiter(b"a;b|c\n1;2|3\n", true).doubt;
        assert_eq!(doubt, Some((b';', b'|')));
        // The last row may be incomplete.
        assert_eq!(guess_delimiter(b"a;b;c\n1;2;3\n4;5", false).delimiter, b';');
    }

    #[test]
    fn a_line_of_data_is_no_header() {
        for (line, header) in [
            ("a,b", true),
            ("first name,last name", true),
            ("a", true),
            ("nct_id,phase,started", true),
            ("nct_id,phaseNCT001,2,NCT002", false),
            ("id,name1,Ada2,Ben,", false),
            ("a,b,c1,2,34,5,6", false),
            ("a,b,a", false),
        ] {
            assert_eq!(may_be_header(line.as_bytes(), b','), header, "{line}");
        }
        let long = "column,".repeat(30);
        assert!(!may_be_header(long.as_bytes(), b','));
    }
}
