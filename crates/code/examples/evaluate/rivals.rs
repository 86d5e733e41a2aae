//! The results of other programs.

use std::path::Path;
use std::process::Command;

use code_search::words::is_stop_word;

/// Returns the lines that contain a word of the question, with their files; `None` if `rg` is not
/// installed.
pub fn ripgrep_lines(root: &Path, question: &str) -> Option<Vec<(String, u64)>> {
    let text = run(root, question, &["--line-number", "--no-heading"])?;
    let places = text.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':');
        Some((parts.next()?.to_owned(), parts.next()?.parse().ok()?))
    });
    Some(places.collect())
}

/// Returns the files, those with the most lines that contain a word of the question first; `None`
/// if `rg` is not installed.
pub fn ripgrep(root: &Path, question: &str) -> Option<Vec<String>> {
    let text = run(root, question, &["--count"])?;
    let mut files: Vec<(u64, String)> = text
        .lines()
        .filter_map(|line| line.rsplit_once(':'))
        .filter_map(|(path, count)| Some((count.parse().ok()?, path.to_owned())))
        .collect();
    files.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(&right.1)));
    Some(files.into_iter().map(|(_, path)| path).collect())
}

fn run(root: &Path, question: &str, options: &[&str]) -> Option<String> {
    let words: Vec<&str> = question
        .split(|character: char| !(character.is_alphanumeric() || character == '_'))
        .filter(|word| word.len() > 1 && !is_stop_word(&word.to_lowercase()))
        .collect();
    let mut command = Command::new("rg");
    command
        .args(options)
        .args(["--ignore-case", "--fixed-strings", "--glob", "*.rs"])
        .current_dir(root);
    for word in words {
        command.args(["-e", word]);
    }
    let output = command.output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
