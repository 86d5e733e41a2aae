//! `search_code`: a literal text or a regular expression, over the files of a version. The search
//! stops at its limits and reports that it did.

use base::{Error, Result};
use database::Database;
use operation::arguments::{Text, Whole};
use operation::declaration::Effect;
use regex_lite::{Regex, RegexBuilder};
use serde_json::{Value, json};

use crate::kinds::{AsOfArgument, Path};
use crate::limits::{
    FULL_BUDGET_PATTERN_BYTES, MAX_PATTERN_SIZE_BYTES, MAX_REGEX_BYTES, MAX_SEARCH_LINE_CHARACTERS,
    MAX_SEARCH_MATCHES, MAX_SEARCH_PATTERN_BYTES, MAX_SEARCHED_BYTES, SEARCH_MATCHES,
    SEARCHED_FILES_AT_A_TIME,
};
use crate::project::{FilePath, PathPattern};
use crate::store::files::{self, FileFilter, FileRow};
use crate::{Head, Operation, Reply, Workspace};

/// The text or expression of a search.
enum Pattern {
    Literal(String),
    /// A literal text, regardless of the case of ASCII letters.
    Folded(String),
    Regex {
        regex: Regex,
        /// The number of bytes that it may be compared with.
        budget: usize,
    },
}

impl Pattern {
    fn parse(text: &str, is_regex: bool, ignores_case: bool) -> Result<Self> {
        if text.is_empty() || text.len() > MAX_SEARCH_PATTERN_BYTES {
            return Err(Error::invalid(format!(
                "pattern must have 1 to {MAX_SEARCH_PATTERN_BYTES} bytes"
            )));
        }
        if !is_regex {
            return Ok(if ignores_case {
                Self::Folded(text.to_ascii_lowercase())
            } else {
                Self::Literal(text.to_owned())
            });
        }
        Self::expression(text, ignores_case).map_err(|error| {
            Error::invalid_with_hint(
                format!("the pattern is not a valid regular expression: {error}"),
                "correct it, or leave out regex to search for the literal text",
            )
        })
    }

    /// Compiles an expression. For each character the engine may visit every state of the program,
    /// so a large program gets fewer bytes. The engine does not report the size of a program, only
    /// whether it exceeds a limit, so the limit is doubled until the program fits.
    fn expression(text: &str, ignores_case: bool) -> std::result::Result<Self, regex_lite::Error> {
        let mut size = FULL_BUDGET_PATTERN_BYTES;
        loop {
            let built = RegexBuilder::new(text)
                .case_insensitive(ignores_case)
                .multi_line(true)
                .size_limit(size)
                .build();
            match built {
                Ok(regex) => {
                    let budget = MAX_REGEX_BYTES / (size / FULL_BUDGET_PATTERN_BYTES);
                    return Ok(Self::Regex { regex, budget });
                }
                Err(error) if size >= MAX_PATTERN_SIZE_BYTES => return Err(error),
                Err(_) => size *= 2,
            }
        }
    }

    /// Returns the number of bytes that may be searched.
    fn budget(&self) -> usize {
        match self {
            Self::Regex { budget, .. } => *budget,
            Self::Literal(_) | Self::Folded(_) => MAX_SEARCHED_BYTES,
        }
    }

    /// Returns the position of the first match in a line.
    fn find(&self, line: &str) -> Option<(usize, usize)> {
        match self {
            Self::Literal(text) => line.find(text).map(|at| (at, at + text.len())),
            Self::Folded(text) => line
                .to_ascii_lowercase()
                .find(text)
                .map(|at| (at, at + text.len())),
            Self::Regex { regex, .. } => regex.find(line).map(|found| (found.start(), found.end())),
        }
    }
}

operation::operation! {
    /// The lines that contain a text, or that match a regular expression, by path. The work is
    /// bounded: nextCursor continues where it ended.
    pub struct SearchCode {
        /// The text, or the regular expression.
        "pattern" => pattern: Text<1, 1000>,
        /// True if pattern is a regular expression, in the syntax of the Rust crate regex-lite.
        "regex" => regex: bool = false,
        /// True to ignore the case of letters.
        "ignoreCase" => ignore_case: bool = false,
        /// A file, a folder, or a pattern with * and ?.
        "path" => path: Option<Path>,
        /// Only of this crate.
        "crate" => crate_name: Option<Text<1, 128>>,
        /// Matches at most.
        "limit" => limit: Whole<1, MAX_SEARCH_MATCHES> = SEARCH_MATCHES,
        /// nextCursor of the previous page.
        "cursor" => cursor: Option<Text<1, 2048>>,
        /// The version, or the time in ISO 8601, whose state is read. Without it the present state.
        "asOf" => as_of: Option<AsOfArgument>,
    }
    name: "search_code",
    title: "Search text",
    effect: Effect::READS,
    output: "MatchesAnswer",
    example: r##"{"pattern":"fn total"}"##,
}

impl Operation<'_> for SearchCode {
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply> {
        let pattern = Pattern::parse(&self.pattern, self.regex, self.ignore_case)?;
        let version = Head::load(workspace.db)?.at(workspace.db, self.as_of.unwrap_or_default())?;
        let filter = FileFilter {
            path: self.path.as_deref().map(PathPattern::parse).transpose()?,
            crate_name: self.crate_name.map(|name| name.replace('-', "_")),
            language: None,
        };
        let from = match &self.cursor {
            Some(text) => Place::parse(text)
                .ok_or_else(|| Error::invalid("cursor must be a nextCursor of search_code"))?,
            None => Place::default(),
        };
        let mut search = Search {
            left: pattern.budget(),
            pattern,
            limit: self.limit,
            matches: Vec::new(),
            skipped: Vec::new(),
        };
        let (mut searched, mut next) = (0_u64, None);
        let mut page = files::starting_with(
            workspace.db,
            version,
            &from.path,
            &filter,
            SEARCHED_FILES_AT_A_TIME,
        )?;
        while next.is_none() {
            let Some(end) = page.last().map(|file| file.path.clone()) else {
                break;
            };
            for file in page {
                // The previous search ended in this file.
                let line = if file.path == from.path { from.line } else { 0 };
                next = search.file(workspace.db, &file, line)?;
                if next.as_ref().is_some_and(|place| place.line == 0) {
                    break;
                }
                searched += 1;
                if next.is_some() {
                    break;
                }
            }
            page = files::after(
                workspace.db,
                version,
                &end,
                &filter,
                SEARCHED_FILES_AT_A_TIME,
            )?;
        }
        Ok(Reply::read(json!({
            "ok": true,
            "version": version,
            "matches": search.matches,
            "searchedFiles": searched,
            "skippedLines": search.skipped,
            "complete": next.is_none(),
            "nextCursor": next.map(|place| place.to_string()),
        })))
    }
}

/// A line of a file, as a cursor: `12:src/lib.rs`.
#[derive(Default)]
struct Place {
    /// The index of the line, from 0.
    line: usize,
    path: String,
}

impl Place {
    fn parse(text: &str) -> Option<Self> {
        let (line, path) = text.split_once(':')?;
        Some(Self {
            line: line.parse().ok()?,
            path: FilePath::parse(path).ok()?.as_str().to_owned(),
        })
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.line, self.path)
    }
}

struct Search {
    pattern: Pattern,
    limit: usize,
    /// The bytes that may still be compared.
    left: usize,
    matches: Vec<Value>,
    /// Lines that are too long for the cost of the expression.
    skipped: Vec<Value>,
}

impl Search {
    /// Searches a file from a line on. Returns the place to continue at if the search ends before
    /// the end of the file.
    fn file<D: Database>(&mut self, db: &D, file: &FileRow, from: usize) -> Result<Option<Place>> {
        let content = files::content(db, file.content)?;
        let Ok(text) = std::str::from_utf8(&content) else {
            return Ok(None);
        };
        let mut start = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            if index >= from && !self.line(file, index, start, line) {
                return Ok(Some(Place {
                    line: index,
                    path: file.path.clone(),
                }));
            }
            start += line.len();
        }
        Ok(None)
    }

    /// Searches a line. Returns false, without searching, if that would exceed a limit.
    fn line(&mut self, file: &FileRow, index: usize, start: usize, line: &str) -> bool {
        let content = line.trim_end_matches(['\n', '\r']);
        let is_full = |list: &[Value]| list.len() >= self.limit;
        if line.len() > self.pattern.budget() {
            if is_full(&self.skipped) {
                return false;
            }
            self.skipped
                .push(json!({ "file_path": file.path, "line": index + 1, "bytes": line.len() }));
            return true;
        }
        let Some(left) = self.left.checked_sub(line.len()) else {
            return false;
        };
        if let Some((from, to)) = self.pattern.find(content) {
            if is_full(&self.matches) {
                return false;
            }
            self.matches.push(json!({
                "file_path": file.path,
                "line": index + 1,
                "range": [start + from, start + to],
                "text": base::text::cut(content, MAX_SEARCH_LINE_CHARACTERS),
            }));
        }
        self.left = left;
        true
    }
}
