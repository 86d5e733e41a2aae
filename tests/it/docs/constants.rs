//! Every number with a name has a word beside it.
//!
//! Limits are made by `base::limits!`, which asks for a unit and a reason. Other numeric constants stand beside their use; each has a comment
//! above it, above the run of constants that it belongs to, above the module around that run, or on its line. Whether the comment gives the
//! reason is for a reader to judge.

use super::layers::crate_names;
use super::markdown::{files, read};

/// The constants of a text that are numbers, or lists of them, and have no comment: the line of each, from 1, with its name.
fn bare_numbers(source: &str) -> Vec<(usize, String)> {
    let production = source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let lines: Vec<&str> = production.lines().map(str::trim).collect();
    lines
        .iter()
        .enumerate()
        .filter_map(|(index, line)| Some((index, numeric(line)?)))
        .filter(|(index, _)| !is_explained(&lines[..=*index]))
        .map(|(index, name)| (index + 1, name.to_owned()))
        .collect()
}

/// The name of the constant that a line declares, if it is a number.
fn numeric(line: &str) -> Option<&str> {
    let (name, rest) = declared(line)?;
    let (kind, _) = rest.split_once('=')?;
    let number = kind.trim().trim_start_matches(['&', '[']);
    let number = number.split([';', ']']).next()?;
    let sizes = ["8", "16", "32", "64", "128", "size"];
    let is_number = number
        .strip_prefix(['u', 'i', 'f'])
        .is_some_and(|size| sizes.contains(&size));
    is_number.then_some(name)
}

/// The name of a constant, and what follows the colon.
fn declared(line: &str) -> Option<(&str, &str)> {
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(')')?.1.trim_start(),
        Some(rest) => rest.trim_start(),
        None => line,
    };
    line.strip_prefix("const ")?.split_once(": ")
}

/// Whether the last of these lines has a comment, or the first of its run, or the module that the run begins.
fn is_explained(lines: &[&str]) -> bool {
    let Some((line, before)) = lines.split_last() else {
        return false;
    };
    if line.contains("//") {
        return true;
    }
    let mut before = before.iter().rev();
    let above = before.find(|line| declared(line).is_none());
    match above {
        Some(line) if line.starts_with("mod ") && line.ends_with('{') => {
            before.next().is_some_and(|line| line.starts_with("//"))
        }
        Some(line) => line.starts_with("//"),
        None => false,
    }
}

#[test]
fn every_numeric_constant_is_explained() {
    let crates = crate_names().map(|name| format!("crates/{name}/src"));
    let mut found = Vec::new();
    for folder in crates.chain(["src".to_owned()]) {
        for file in files(&folder, ".rs") {
            let is_test = file.contains("/tests/") || file.ends_with("/tests.rs");
            if !is_test {
                found.extend(
                    bare_numbers(&read(&file))
                        .into_iter()
                        .map(|(line, name)| format!("{file}:{line} {name}")),
                );
            }
        }
    }
    assert!(
        found.is_empty(),
        "say where each number comes from, or make it a limit of its feature:\n{}",
        found.join("\n")
    );
}

#[test]
fn numbers_without_a_word_are_found() {
    let source = "/// Two of them.\nconst A: u32 = 1;\npub(super) const B: f64 = 2.0;\n\nconst C: usize = 3;\nconst D: &[u8] = &[4];\n\
                  const E: u8 = 5; // a word\nconst F: &str = \"6\";\n\n/// Rates.\nmod rate {\n    pub const G: i64 = 7;\n}\nmod bare {\n    \
                  pub const H: [u16; 2] = [8, 9];\n}\n#[cfg(test)]\nmod tests {\n    const I: u32 = 10;\n}";
    let found = bare_numbers(source);
    let names: Vec<(usize, &str)> = found
        .iter()
        .map(|(line, name)| (*line, name.as_str()))
        .collect();
    assert_eq!(names, [(5, "C"), (6, "D"), (15, "H")]);
}
