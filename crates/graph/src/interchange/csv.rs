//! CSV of edges: a header that names source and target, and a row for each edge.
//!
//! | column | also called | is |
//! | --- | --- | --- |
//! | source | from, subject | the id of the node that the edge leaves |
//! | target | to, object | the id of the node that it enters |
//! | label | predicate | its label |
//! | type, id | | its type and id |
//! | data | | a JSON object: fields of its data |
//! | any other | | a field of its data; an empty one is left out |
//!
//! Names are compared without regard to ASCII case. The separator is a comma, tab, semicolon or
//! pipe: the one with which the header has a source and a target. If all values of a column are
//! JSON numbers, or all are true or false, it has that type; any other column has texts. Each end
//! of an edge becomes a node whose label is its id. Quotes follow RFC 4180; blanks around a field
//! are part of it.

use std::borrow::Cow;
use std::collections::HashSet;

use base::{CommonError, Error, Result, nearest};
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use serde_json::value::RawValue;

use super::attributes::{self, Attributes};
use super::collector::Collector;
use super::{json_text, shown};
use crate::limits::MAX_ATTRIBUTES;
use crate::model::{Drafts, EdgeDraft, NodeDraft, check_id};

/// The characters that spreadsheets and databases put between fields.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// The columns that are not data, each with its other names.
const ROLES: [(&str, &[&str]); 6] = [
    ("source", &["from", "subject"]),
    ("target", &["to", "object"]),
    ("label", &["predicate"]),
    ("type", &[]),
    ("id", &[]),
    ("data", &[]),
];

/// Returns true if a column with this name is not a field of data.
pub(super) fn is_role(name: &str) -> bool {
    let is = |known: &str| known.eq_ignore_ascii_case(name.trim());
    ROLES
        .iter()
        .any(|(role, others)| is(role) || others.iter().any(|other| is(other)))
}

/// Returns true if a text is a JSON number.
pub(super) fn is_number(text: &str) -> bool {
    matches!(text.bytes().next(), Some(b'-' | b'0'..=b'9'))
        && !text.ends_with(|last: char| last.is_ascii_whitespace())
        && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// Returns true if a text is `true` or `false`.
pub(super) fn is_flag(text: &str) -> bool {
    matches!(text, "true" | "false")
}

/// Parses a graph.
pub(super) fn read(text: &str) -> Result<Drafts> {
    let header = Header::find(text)?;
    let types = header.types(text)?;
    let mut collector = Collector::default();
    let mut seen = HashSet::new();
    let mut nodes = Vec::new();
    let mut rows = Rows::new(text, header.delimiter);
    rows.next()?;
    while let Some(row) = rows.next()? {
        let edge = header.edge(&row, &types);
        if let Ok(edge) = &edge {
            for end in [&edge.source, &edge.target] {
                if seen.insert(end.clone()) {
                    nodes.push(end.clone());
                }
            }
        }
        collector.edge(edge)?;
    }
    drop(seen);
    for id in nodes {
        collector.node(Ok(NodeDraft {
            label: id.clone(),
            id: Some(id),
            kind: String::new(),
            data: None,
            position: None,
            pinned: None,
        }))?;
    }
    collector.finish()
}

/// The meaning of the columns.
struct Header {
    delimiter: u8,
    /// The index of the column of each of [`ROLES`].
    roles: [Option<usize>; ROLES.len()],
    names: Vec<String>,
}

/// The type of a data column.
#[derive(Clone, Copy)]
struct ColumnType {
    all_numbers: bool,
    all_flags: bool,
}

impl Header {
    fn find(text: &str) -> Result<Self> {
        let mut first: Option<Result<Self>> = None;
        for delimiter in DELIMITERS {
            let mut rows = Rows::new(text, delimiter);
            let header = match rows.next() {
                Ok(Some(row)) => Ok(Self::of(delimiter, &row)),
                Ok(None) => Err(Error::body("the CSV is empty")),
                Err(error) => Err(error),
            };
            match header {
                Ok(header) if header.has_ends() => return header.check(),
                // If no separator fits, the error is that of the comma, the most likely one.
                header => first = first.or(Some(header)),
            }
        }
        let header = first.unwrap_or_else(|| Err(Error::body("the CSV is empty")))?;
        let names = || header.names.iter().map(String::as_str);
        let list: Vec<&str> = names().take(10).collect();
        let hint = match nearest("source", names()).into_iter().chain(nearest("target", names())).next() {
            Some(near) => format!("rename the column {near} to source or target"),
            None => "begin with a row of column names: source and target, then label, type, id and any others".to_owned(),
        };
        Err(Error::from(CommonError::InvalidBody {
            message: format!(
                "the CSV has no columns source and target; its first row is {}",
                shown(&list.join(","))
            ),
            hint: Some(hint),
        }))
    }

    fn of(delimiter: u8, row: &Row<'_>) -> Self {
        let names: Vec<String> = row.fields().map(|name| name.trim().to_owned()).collect();
        let at = |wanted: &str| {
            names
                .iter()
                .position(|name| name.eq_ignore_ascii_case(wanted))
        };
        let roles = ROLES
            .map(|(role, others)| at(role).or_else(|| others.iter().find_map(|other| at(other))));
        Self {
            delimiter,
            roles,
            names,
        }
    }

    /// Returns true if there are columns for source and target.
    fn has_ends(&self) -> bool {
        matches!(self.roles, [Some(_), Some(_), ..])
    }

    fn check(self) -> Result<Self> {
        if let Some(index) = self.names.iter().position(String::is_empty) {
            let message = format!("column {} of the CSV has no name", index + 1);
            return Err(Error::body(message));
        }
        match super::lists::repeated(self.names.iter().map(String::as_str)) {
            None => Ok(self),
            Some(name) => {
                let message = format!("two columns of the CSV are called {}", shown(name));
                Err(Error::body(message))
            }
        }
    }

    /// Returns the type of each column.
    fn types(&self, text: &str) -> Result<Vec<ColumnType>> {
        let unknown = ColumnType {
            all_numbers: true,
            all_flags: true,
        };
        let mut types = vec![unknown; self.names.len()];
        let mut rows = Rows::new(text, self.delimiter);
        rows.next()?;
        while let Some(row) = rows.next()? {
            for (field, found) in row.fields().zip(&mut types) {
                if !field.is_empty() {
                    found.all_numbers = found.all_numbers && is_number(field);
                    found.all_flags = found.all_flags && is_flag(field);
                }
            }
        }
        Ok(types)
    }

    fn edge(&self, row: &Row<'_>, types: &[ColumnType]) -> Result<EdgeDraft> {
        let line = row.line;
        if row.ends.len() != self.names.len() {
            return Err(Error::invalid_with_hint(
                format!(
                    "line {line} has {} fields, the header has {}",
                    row.ends.len(),
                    self.names.len()
                ),
                "quote fields that contain the delimiter, quotes or line ends",
            ));
        }
        let [source, target, label, kind, id, data] = self.roles;
        let text = |column: Option<usize>| {
            let field = column.and_then(|column| row.get(column));
            field.filter(|field| !field.is_empty())
        };
        let end = |name: &str, column| -> Result<Option<String>> {
            let id = text(column).filter(|id| !id.trim().is_empty());
            let id = id.ok_or_else(|| Error::invalid(format!("line {line} has no {name}")))?;
            check_id(name, id)?;
            Ok(Some(id.to_owned()))
        };
        let ends = (end("source", source)?, end("target", target)?);
        let mut fields: Vec<(String, Cow<'_, str>)> = Vec::new();
        for (name, column) in [("label", label), ("type", kind), ("data", data)] {
            if let Some(field) = text(column) {
                fields.push((name.to_owned(), Cow::Owned(json_text(field))));
            }
        }
        fields.extend(self.data(row, types));
        let attributes = Attributes::of_texts(fields)?;
        attributes::edge(attributes, text(id).map(str::to_owned), ends, &["label"])
    }

    /// Returns the data fields of a row that are not empty, each as JSON.
    fn data<'r>(
        &self,
        row: &'r Row<'_>,
        types: &[ColumnType],
    ) -> impl Iterator<Item = (String, Cow<'r, str>)> {
        let columns = self.names.iter().zip(types).zip(row.fields()).enumerate();
        columns
            .filter(|(index, (_, field))| !field.is_empty() && !self.roles.contains(&Some(*index)))
            .map(|(_, ((name, found), field))| {
                let json = if found.all_numbers || found.all_flags {
                    Cow::Borrowed(field)
                } else {
                    Cow::Owned(json_text(field))
                };
                (name.clone(), json)
            })
    }
}

/// One row.
struct Row<'r> {
    /// The line on which it begins, from 1.
    line: u64,
    text: &'r str,
    ends: &'r [usize],
}

impl<'r> Row<'r> {
    fn get(&self, index: usize) -> Option<&'r str> {
        let begin = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.text.get(begin..*self.ends.get(index)?)
    }

    fn fields(&self) -> impl Iterator<Item = &'r str> {
        (0..self.ends.len()).filter_map(|index| self.get(index))
    }
}

/// The rows of a text, one after the other. Empty lines are skipped.
struct Rows<'t> {
    reader: Reader,
    /// The rest of the input: the text, and a final line end, so that only a row with an open quote
    /// is unfinished after it.
    pieces: [&'t [u8]; 2],
    fields: Vec<u8>,
    ends: Vec<usize>,
}

impl<'t> Rows<'t> {
    /// The initial size of the buffer for a row. It doubles, up to the size of the text.
    const BUFFER_BYTES: usize = 4_096;

    fn new(text: &'t str, delimiter: u8) -> Self {
        Self {
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            pieces: [text.as_bytes(), b"\n"],
            fields: vec![0; Self::BUFFER_BYTES],
            ends: vec![0; MAX_ATTRIBUTES + 1],
        }
    }

    fn next(&mut self) -> Result<Option<Row<'_>>> {
        let line = self.reader.line();
        let (mut filled, mut ended) = (0, 0);
        loop {
            let [text, line_end] = self.pieces;
            let input = if text.is_empty() { line_end } else { text };
            let output = self.fields.get_mut(filled..).unwrap_or_default();
            let ends = self.ends.get_mut(ended..).unwrap_or_default();
            let (result, read, written, fields) = self.reader.read_record(input, output, ends);
            let rest = input.get(read..).unwrap_or_default();
            self.pieces = if text.is_empty() {
                [&[], rest]
            } else {
                [rest, line_end]
            };
            filled += written;
            ended += fields;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.fields.resize(self.fields.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => {
                    let message = format!("line {line} has more than {MAX_ATTRIBUTES} fields");
                    return Err(Error::body(message));
                }
                ReadRecordResult::Record if input.is_empty() => {
                    return Err(Error::from(CommonError::InvalidBody {
                        message: format!("a quote in the row at line {line} is never closed"),
                        hint: Some("double each quote within a quoted field".to_owned()),
                    }));
                }
                ReadRecordResult::Record => break,
                ReadRecordResult::End => return Ok(None),
            }
        }
        let text = self.fields.get(..filled).unwrap_or_default();
        let text = std::str::from_utf8(text)
            .map_err(|_| Error::internal("a field of the CSV is not UTF-8"))?;
        let ends = self.ends.get(..ended).unwrap_or_default();
        Ok(Some(Row { line, text, ends }))
    }
}
