//! Plain English: words that our texts do not use, each with what to write instead.
//!
//! A document is read as a whole, with its code blocks: those that quote the product show its messages. Names in backquotes (files, modules,
//! constants, operations) are skipped. To cover another kind of text, add its files to [`TEXTS`] with a function that gives the lines to
//! read, such as [`super::literals::of_rust`] for the messages of `src/**/*.rs`.

use regex_lite::{Regex, RegexBuilder};

use super::markdown;

/// A word as a regular expression without regard to case, and what to write instead.
const WORDS: &[(&str, &str)] = &[
    (
        r"\banswer(s|ed|ing|able)?\b",
        "response or result; to return",
    ),
    (
        r"\b(held|holds?|holding)( \S+){0,4} against\b",
        "validated or checked against",
    ),
    (r"\brepetitions?\b", "retries"),
    (r"\b(struck|strikes?|striking)( \S+){0,3} out\b", "redacted"),
    (r"\breceipts?\b", "result reference"),
    (r"\bsettings?\b", "environment variable, or its name"),
    (r"\bkept isolates?\b", "warm isolate"),
    (r"\beras?\b", "protocol version"),
    (r"\bplaces?\b", "position, path, or a rewording"),
    (r"\bforg[eo]t(s|ten|ting)?\b", "delete"),
    (r"\bmend(s|ed|ing)?\b", "fix"),
    (r"\banew\b", "again"),
    (r"\bcur(e|es|ed|ing)\b", "fix or suggestion"),
    (r"\bthe allowed way\b", "what to write instead"),
    (r"\bwhat could do harm\b", "unsafe SQL"),
];

/// Names between backquotes, without blanks, and of fields in JSON: they are what the code calls a thing.
const NAME: &str = r#"`[^`\s]+`|"\w+":"#;

/// What a message has put in: the name is the code's, and not seen by the reader.
const PUT_IN: &str = r"\$?\{[^{}\s]*\}";

/// A kind of text: its files, and the lines of a file that are read.
struct Text {
    /// Paths from the root of the repository: `folder/*.end`, or `folder/**/*.end` with the folders below it.
    globs: &'static [&'static str],
    /// The numbered lines that are read.
    lines: fn(&str) -> Vec<(usize, String)>,
}

const TEXTS: &[Text] = &[
    Text {
        globs: &["*.md", "docs/**/*.md", "src/**/*.md", "crates/**/*.md"],
        lines: all_lines,
    },
    Text {
        globs: &["src/**/*.rs", "crates/**/*.rs"],
        lines: super::literals::of_rust,
    },
    Text {
        globs: &["src/**/*.js", "crates/**/*.js", "js/*.js", "scripts/*.mjs"],
        lines: super::literals::of_javascript,
    },
    Text {
        globs: &["src/**/*.json", "crates/**/*.json"],
        lines: all_lines,
    },
];

/// Names and messages of the product that a document quotes and that have such a word: file, and a part of the line. An entry whose line is gone
/// fails the test as well.
const QUOTED: &[(&str, &str)] = &[("docs/agent.md", "update.answer")];

fn all_lines(text: &str) -> Vec<(usize, String)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.to_owned()))
        .collect()
}

fn pattern(text: &str) -> Regex {
    RegexBuilder::new(text)
        .case_insensitive(true)
        .build()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Words that people use in questions: texts of theirs, and none of ours.
const VOCABULARY: &str = "crates/planner/src/lexicon.rs";

/// The files that a glob stands for.
fn files(glob: &str) -> Vec<String> {
    let (folder, name) = glob.rsplit_once('/').unwrap_or(("", glob));
    let ending = name.trim_start_matches('*');
    if let Some(folder) = folder.strip_suffix("/**") {
        return markdown::files(folder, ending);
    }
    let mut found: Vec<String> = std::fs::read_dir(markdown::path(folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(ending))
        .map(|name| {
            format!("{folder}/{name}")
                .trim_start_matches('/')
                .to_owned()
        })
        .collect();
    found.sort_unstable();
    found
}

/// What is wrong in a line, as file, line, word and what to write instead.
fn findings(file: &str, number: usize, line: &str, words: &[(Regex, &str)]) -> Vec<String> {
    words
        .iter()
        .filter_map(|(word, instead)| Some((word.find(line)?.as_str(), instead)))
        .map(|(found, instead)| format!("{file}, line {number}: {found:?}: write {instead}"))
        .collect()
}

#[test]
fn no_text_uses_a_word_that_has_a_plainer_one() {
    let words: Vec<(Regex, &str)> = WORDS
        .iter()
        .map(|(word, instead)| (pattern(word), *instead))
        .collect();
    let put_in = pattern(PUT_IN);
    let name = pattern(NAME);
    let mut wrong = Vec::new();
    let mut quoted = 0;
    let mut read = 0;
    for text in TEXTS {
        let files = text.globs.iter().flat_map(|glob| files(glob));
        for file in files.filter(|file| file != VOCABULARY) {
            read += 1;
            for (number, line) in (text.lines)(&markdown::read(&file)) {
                let quotes: Vec<&str> = QUOTED
                    .iter()
                    .filter(|(of, quote)| *of == file && line.contains(quote))
                    .map(|(_, quote)| *quote)
                    .collect();
                quoted += quotes.len();
                let line = quotes
                    .iter()
                    .fold(line, |line, quote| line.replace(quote, ""));
                wrong.extend(findings(
                    &file,
                    number,
                    &put_in.replace_all(&name.replace_all(&line, "`…`"), "…"),
                    &words,
                ));
            }
        }
    }
    assert!(read > 20, "{read} files are read");
    assert!(
        wrong.is_empty(),
        "{} words:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert_eq!(
        quoted,
        QUOTED.len(),
        "each quoted message is still there, once"
    );
}

#[test]
fn every_word_is_found_and_names_are_not() {
    let words: Vec<(Regex, &str)> = WORDS
        .iter()
        .map(|(word, instead)| (pattern(word), *instead))
        .collect();
    for line in [
        "The Answer is late",
        "arguments are held against the schema",
        "two repetitions",
        "it strikes our secrets out",
        "a receipt",
        "Settings",
        "a kept isolate",
        "both eras",
        "in the place",
        "the server has forgotten it",
        "it is mended",
        "begun anew",
        "and the cure",
        "refused with the allowed way",
        "What could do harm",
    ] {
        assert_eq!(findings("a.md", 1, line, &words).len(), 1, "{line}");
    }
    for line in [
        "MAX_REMEMBERED_ANSWERS",
        "replace",
        "placeholder",
        "amendment",
        "general",
        "security",
        "strike the balance",
    ] {
        assert!(findings("a.md", 1, line, &words).is_empty(), "{line}");
    }
}
