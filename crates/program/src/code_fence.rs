//! A code fence with prose around it.
//!
//! Of the fences whose label names a language that runs here (or that have no label), the longest is the program. Everything else is
//! taken out, the ends of lines are kept.

use super::source::{Source, ends_line};

/// Labels of fences that are taken for programs.
const LABELS: [&str; 12] = [
    "",
    "js",
    "ts",
    "jsx",
    "tsx",
    "mjs",
    "javascript",
    "typescript",
    "node",
    "ecmascript",
    "es6",
    "codemode",
];

/// The program in the text: what is in the best fence, else all of it.
pub fn code(source: &Source) -> String {
    let Some(lines) = best(source) else {
        return source.text().to_owned();
    };
    let mut text = String::with_capacity(source.text().len());
    for number in 1..=super::source::number(source.lines()) {
        let whole = source.line_with_end(number).unwrap_or("");
        let line = source.line(number).unwrap_or("");
        if lines.contains(&number) {
            text.push_str(line);
        }
        // A lone CR would make one end of a line with an LF that comes to stand behind it.
        let end = whole.get(line.len()..).unwrap_or("");
        text.push_str(if end == "\r" { "\n" } else { end });
    }
    text
}

/// Which of several fences is the program, in words; nothing where there is no choice.
pub fn choice(source: &Source) -> Option<String> {
    let (lines, offered) = chosen(source)?;
    if offered < 2 {
        return None;
    }
    let (first, last) = (lines.start, lines.end.saturating_sub(1));
    let place = if first >= last {
        format!("line {first}")
    } else {
        format!("lines {first} to {last}")
    };
    Some(format!(
        "the text has {offered} code fences with programs: only the longest ran, {place}"
    ))
}

/// The lines of the best fence.
fn best(source: &Source) -> Option<std::ops::Range<u32>> {
    chosen(source).map(|(lines, _)| lines)
}

/// The lines of the best fence, and among how many it was chosen.
fn chosen(source: &Source) -> Option<(std::ops::Range<u32>, usize)> {
    let count = super::source::number(source.lines());
    let mut best: Option<(usize, std::ops::Range<u32>)> = None;
    let mut offered = 0;
    let mut open: Option<(Mark<'_>, u32, usize)> = None;
    let mut outside = false;
    for number in 1..=count {
        let line = source.line(number).unwrap_or("");
        match (&mut open, mark(line)) {
            (None, Some(mark)) => open = Some((mark, number, 0)),
            (None, None) => outside |= !line.trim().is_empty(),
            (Some((opened, start, length)), Some(mark)) if mark.closes(opened) => {
                offered += usize::from(offer(&mut best, opened, *start + 1..number, *length));
                open = None;
            }
            (Some((_, _, length)), _) => *length += line.trim().len(),
        }
    }
    // A fence that is never closed reaches to the end, but only if the text begins with it or its label says so.
    if let Some((opened, start, length)) = open
        && (!opened.label.is_empty() || !outside)
    {
        offered += usize::from(offer(&mut best, &opened, start + 1..count + 1, length));
    }
    best.map(|(_, lines)| (lines, offered))
}

/// Takes a fence for the best if it is; whether it is a program at all.
fn offer(
    best: &mut Option<(usize, std::ops::Range<u32>)>,
    mark: &Mark<'_>,
    lines: std::ops::Range<u32>,
    length: usize,
) -> bool {
    let known = LABELS
        .iter()
        .any(|label| label.eq_ignore_ascii_case(mark.label));
    let is_program = known && length > 0;
    if is_program && best.as_ref().is_none_or(|(longest, _)| length > *longest) {
        *best = Some((length, lines));
    }
    is_program
}

/// A line that opens or closes a fence.
struct Mark<'t> {
    sign: char,
    length: usize,
    label: &'t str,
}

impl Mark<'_> {
    fn closes(&self, opened: &Mark<'_>) -> bool {
        self.sign == opened.sign && self.length >= opened.length && self.label.is_empty()
    }
}

fn mark(line: &str) -> Option<Mark<'_>> {
    let line =
        line.trim_matches(|character: char| character.is_whitespace() || ends_line(character));
    let sign = line
        .chars()
        .next()
        .filter(|sign| matches!(sign, '`' | '~'))?;
    let rest = line.trim_start_matches(sign);
    let length = line.len() - rest.len();
    let label = rest.split([' ', '{', ':', ',']).next().unwrap_or("");
    (length >= 3 && !rest.contains(sign)).then_some(Mark {
        sign,
        length,
        label,
    })
}
