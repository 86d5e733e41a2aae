//! The docstring questions for other programs: files without documentation, and lines instead of
//! items.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::docstrings::{self, Crate, is_function};
use crate::items::is_documentation;
use crate::measure::Score;
use crate::rivals;

/// A function in a file without documentation.
struct Function {
    path: String,
    from: u64,
    to: u64,
}

/// Writes the files and the questions, and prints how many functions ripgrep finds, ranked by the
/// number of their lines that contain a word of the question.
pub fn print(sources: &Path, folder: &Path) {
    let mut questions = Vec::new();
    let mut score = Score::default();
    let mut is_installed = true;
    for krate in docstrings::load(sources, docstrings::Language::Rust, &[], 1) {
        let name = krate
            .folder
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let root = folder.join(&name);
        let functions = write(&krate, &root);
        for (sentence, row) in &krate.questions {
            let wanted = &functions[row];
            questions.push(json!({
                "crate": name, "query": sentence, "path": wanted.path, "from": wanted.from, "to": wanted.to,
            }));
            match rivals::ripgrep_lines(&root, sentence) {
                Some(lines) => {
                    let rows = ranked(&functions, &lines);
                    let place = rows.iter().position(|found| found == row);
                    score.add(&place.into_iter().collect::<Vec<_>>(), 1, false);
                }
                None => is_installed = false,
            }
        }
    }
    fs::write(
        folder.join("questions.json"),
        serde_json::to_string(&questions).unwrap(),
    )
    .unwrap();
    if is_installed {
        println!(
            "{}",
            score.row_of_list("ripgrep, functions by count of lines")
        );
    } else {
        println!("rg is not installed");
    }
}

/// Writes the files of a crate without documentation. Returns its functions by row.
fn write(krate: &Crate, root: &Path) -> HashMap<i64, Function> {
    let mut kept: HashMap<&str, Vec<u64>> = HashMap::new();
    let mut functions = HashMap::new();
    for entry in &krate.store.entries {
        let item = &entry.item;
        let kept = kept.entry(&item.file_path).or_insert_with(|| {
            let text = fs::read_to_string(krate.folder.join(&item.file_path)).unwrap();
            let path = root.join(&item.file_path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let lines = text
                .split_inclusive('\n')
                .filter(|line| !is_documentation(line));
            fs::write(path, lines.collect::<String>()).unwrap();
            // The number of lines that remain up to each line, this one included.
            let mut count = 0;
            text.split_inclusive('\n')
                .map(|line| {
                    count += u64::from(!is_documentation(line));
                    count
                })
                .collect()
        });
        let left = |line: u64| match line {
            0 => 0,
            line => kept[kept.len().min(line as usize) - 1],
        };
        if is_function(&item.node_kind) {
            functions.insert(
                item.row,
                Function {
                    path: item.file_path.clone(),
                    from: left(item.lines.0 - 1) + 1,
                    to: left(item.lines.1),
                },
            );
        }
    }
    functions
}

fn ranked(functions: &HashMap<i64, Function>, lines: &[(String, u64)]) -> Vec<i64> {
    let mut counts: HashMap<i64, u64> = HashMap::new();
    let mut by_path: HashMap<&str, Vec<(i64, &Function)>> = HashMap::new();
    for (row, function) in functions {
        by_path
            .entry(&function.path)
            .or_default()
            .push((*row, function));
    }
    for (path, line) in lines {
        // The innermost of nested functions.
        let holds = by_path.get(path.as_str()).into_iter().flatten();
        let holds = holds.filter(|(_, function)| function.from <= *line && *line <= function.to);
        if let Some((row, _)) =
            holds.min_by_key(|(row, function)| (function.to - function.from, *row))
        {
            *counts.entry(*row).or_default() += 1;
        }
    }
    let mut rows: Vec<(i64, u64)> = counts.into_iter().collect();
    rows.sort_by_key(|(row, count)| (std::cmp::Reverse(*count), *row));
    rows.into_iter().map(|(row, _)| row).collect()
}
