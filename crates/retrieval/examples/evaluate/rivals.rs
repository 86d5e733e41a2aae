//! What others find.

use std::path::Path;
use std::process::Command;

use cmdb_retrieval::words::is_stop_word;

/// Files by how many lines have one of the question's words, the most first; none if `rg` is not installed.
pub fn ripgrep(root: &Path, question: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = question
        .split(|character: char| !(character.is_alphanumeric() || character == '_'))
        .filter(|word| word.len() > 1 && !is_stop_word(&word.to_lowercase()))
        .collect();
    let mut command = Command::new("rg");
    command
        .args([
            "--count",
            "--ignore-case",
            "--fixed-strings",
            "--glob",
            "*.rs",
        ])
        .current_dir(root);
    for word in words {
        command.args(["-e", word]);
    }
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut files: Vec<(u64, String)> = text
        .lines()
        .filter_map(|line| line.rsplit_once(':'))
        .filter_map(|(path, count)| Some((count.parse().ok()?, path.to_owned())))
        .collect();
    files.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(&right.1)));
    Some(files.into_iter().map(|(_, path)| path).collect())
}
