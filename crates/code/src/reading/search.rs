//! `search_code`: a literal text or a regular expression, over the files of a version. It ends where its limits are, and says so.

use base::{Error, Result};
use database::Database;
use regex_lite::{Regex, RegexBuilder};
use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::limits::{
    MAX_PATTERN_SIZE_BYTES, MAX_REGEX_BYTES, MAX_SEARCH_LINE_CHARACTERS, MAX_SEARCH_MATCHES,
    MAX_SEARCH_PATTERN_BYTES, MAX_SEARCHED_BYTES, SEARCH_MATCHES, SEARCHED_FILES_AT_A_TIME,
};
use crate::store::files::{self, FileFilter, FileRow};
use crate::{Head, Reply, Workspace};

/// What is looked for.
enum Pattern {
    Literal(String),
    /// A literal without regard to the case of ASCII letters.
    Folded(String),
    Regex(Regex),
}

impl Pattern {
    fn parse(arguments: &Arguments) -> Result<Self> {
        let text = arguments.required("pattern")?;
        if text.is_empty() || text.len() > MAX_SEARCH_PATTERN_BYTES {
            return Err(Error::invalid(format!(
                "pattern must have 1 to {MAX_SEARCH_PATTERN_BYTES} bytes"
            )));
        }
        let ignores_case = arguments.flag("ignoreCase")?;
        if !arguments.flag("regex")? {
            return Ok(if ignores_case {
                Self::Folded(text.to_ascii_lowercase())
            } else {
                Self::Literal(text.to_owned())
            });
        }
        let built = RegexBuilder::new(text)
            .case_insensitive(ignores_case)
            .multi_line(true)
            .size_limit(MAX_PATTERN_SIZE_BYTES)
            .build();
        built.map(Self::Regex).map_err(|error| {
            Error::invalid_with_hint(
                format!("the pattern is no regular expression: {error}"),
                "correct it, or leave out regex to look for the text as it is",
            )
        })
    }

    /// How many bytes may be searched: an expression costs more for each.
    fn budget(&self) -> usize {
        match self {
            Self::Regex(_) => MAX_REGEX_BYTES,
            _ => MAX_SEARCHED_BYTES,
        }
    }

    /// Where it is in a line.
    fn find(&self, line: &str) -> Option<(usize, usize)> {
        match self {
            Self::Literal(text) => line.find(text).map(|at| (at, at + text.len())),
            Self::Folded(text) => line
                .to_ascii_lowercase()
                .find(text)
                .map(|at| (at, at + text.len())),
            Self::Regex(regex) => regex.find(line).map(|found| (found.start(), found.end())),
        }
    }
}

/// `search_code`.
pub(crate) fn search<D: Database>(workspace: &Workspace<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(
        arguments,
        &[
            "pattern",
            "regex",
            "ignoreCase",
            "path",
            "crate",
            "limit",
            "cursor",
            "asOf",
        ],
    )?;
    let pattern = Pattern::parse(&arguments)?;
    let version = Head::load(workspace.db)?.at(workspace.db, arguments.as_of()?)?;
    let limit = arguments
        .number("limit", 1..=MAX_SEARCH_MATCHES)?
        .unwrap_or(SEARCH_MATCHES);
    let filter = FileFilter {
        path: arguments.files("path")?,
        crate_name: arguments.text("crate")?.map(|name| name.replace('-', "_")),
        language: None,
    };
    let mut last = arguments.text("cursor")?.unwrap_or_default().to_owned();
    let mut found = Found {
        matches: Vec::new(),
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
        cut: false,
    };
    let mut left = pattern.budget();
    let (mut searched, mut complete) = (0_u64, true);
    // A file with more matches than fit, of which the first are shown.
    let mut cut_in = None;
    'files: loop {
        let page = files::after(
            workspace.db,
            version,
            &last,
            &filter,
            SEARCHED_FILES_AT_A_TIME,
        )?;
        if page.is_empty() {
            break;
        }
        for file in page {
            let bytes = usize::try_from(file.byte_len).unwrap_or(usize::MAX);
            if bytes > left && searched > 0 {
                complete = false;
                break 'files;
            }
            left = left.saturating_sub(bytes);
            let before = found.matches.len();
            let text = files::content(workspace.db, file.content)?;
            if let Ok(text) = std::str::from_utf8(&text) {
                found.in_file(&pattern, &file, text);
            }
            if found.cut && before > 0 {
                // The next page begins with this file, so that no match is lost.
                found.matches.truncate(before);
                complete = false;
                break 'files;
            }
            searched += 1;
            last.clone_from(&file.path);
            if std::mem::take(&mut found.cut) {
                cut_in = Some(file.path);
                complete = false;
                break 'files;
            }
        }
    }
    let cursor = (!complete).then_some(last);
    Ok(Reply::read(json!({
        "ok": true,
        "version": version,
        "matches": found.matches,
        "searchedFiles": searched,
        "complete": complete,
        "cutIn": cut_in,
        "nextCursor": cursor,
    })))
}

struct Found {
    matches: Vec<Value>,
    limit: usize,
    /// Whether there are more than fit.
    cut: bool,
}

impl Found {
    fn in_file(&mut self, pattern: &Pattern, file: &FileRow, text: &str) {
        let mut start = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let content = line.trim_end_matches(['\n', '\r']);
            if let Some((from, to)) = pattern.find(content) {
                if self.matches.len() >= self.limit {
                    self.cut = true;
                    return;
                }
                self.matches.push(json!({
                    "file_path": file.path,
                    "line": index + 1,
                    "range": [start + from, start + to],
                    "text": base::text::cut(content, MAX_SEARCH_LINE_CHARACTERS),
                }));
            }
            start += line.len();
        }
    }
}
