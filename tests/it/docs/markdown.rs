//! What the tests of the documents read in Markdown: tables, fenced blocks, links and headings. Not a parser of all of it.

use std::path::PathBuf;

/// A file of the repository, by its path.
pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The text of a file of the repository.
pub fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The files below a folder whose names end so, by their paths in the repository.
pub fn files(folder: &str, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(path(&folder)).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type().unwrap().is_dir() {
                folders.push(name);
            } else if name.ends_with(ending) {
                found.push(name);
            }
        }
    }
    found.sort_unstable();
    found
}

/// The cells of every table whose first column has this head, row by row.
pub fn rows(document: &str, head: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        if !line.starts_with('|') {
            inside = false;
            continue;
        }
        let cells = cells(line);
        if inside && !line.starts_with("| ---") {
            found.push(cells);
        } else if cells.first().is_some_and(|cell| cell == head) {
            inside = true;
        }
    }
    assert!(!found.is_empty(), "there is a table with the head {head:?}");
    found
}

fn cells(line: &str) -> Vec<String> {
    let inner = line
        .trim()
        .trim_start_matches('|')
        .trim_end_matches('|')
        .replace("\\|", "\0");
    inner
        .split('|')
        .map(|cell| cell.trim().replace('\0', "|"))
        .collect()
}

/// A cell without the backquotes around it.
pub fn plain(cell: &str) -> &str {
    cell.trim_matches('`')
}

/// The texts between backquotes, without what stands in round brackets.
pub fn code_spans(cell: &str) -> Vec<String> {
    let mut outside = String::new();
    let mut depth = 0_usize;
    for letter in cell.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => outside.push(letter),
            _ => {}
        }
    }
    outside
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// A fenced block.
#[derive(Debug, Clone)]
pub struct Block {
    /// The word behind the fence.
    pub language: String,
    /// The number behind that word; 200 without one.
    pub status: u16,
    /// What stands between the fences.
    pub text: String,
    /// The line of the opening fence.
    pub line: usize,
}

/// The fenced blocks of a document.
pub fn blocks(document: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    for (number, line) in document.lines().enumerate() {
        match (line.strip_prefix("```"), open) {
            (Some(_), true) => open = false,
            (Some(info), false) => {
                let (language, status) = info.split_once(' ').unwrap_or((info, "200"));
                let status = status
                    .parse()
                    .unwrap_or_else(|_| panic!("line {}: {info}", number + 1));
                found.push(Block {
                    language: language.to_owned(),
                    status,
                    text: String::new(),
                    line: number + 1,
                });
                open = true;
            }
            (None, true) => {
                if let Some(block) = found.last_mut() {
                    block.text.push_str(line);
                    block.text.push('\n');
                }
            }
            (None, false) => {}
        }
    }
    found
}

/// The text of the only block in a language.
pub fn block(document: &str, language: &str) -> String {
    let mut found = blocks(document)
        .into_iter()
        .filter(|block| block.language == language);
    match (found.next(), found.next()) {
        (Some(block), None) => block.text,
        _ => panic!("there is one block of {language}"),
    }
}

/// Lines outside fenced blocks.
pub fn prose(document: &str) -> impl Iterator<Item = &str> {
    let mut open = false;
    document.lines().filter(move |line| {
        let fence = line.starts_with("```");
        open ^= fence;
        !open && !fence
    })
}

/// The targets of links.
pub fn links(document: &str) -> Vec<&str> {
    prose(document)
        .flat_map(|line| {
            line.split("](")
                .skip(1)
                .filter_map(|rest| rest.split(')').next())
        })
        .collect()
}

/// The headings, as the anchors that GitHub makes of them.
pub fn anchors(document: &str) -> Vec<String> {
    let headings = prose(document).filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        title
            .chars()
            .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'))
            .map(|letter| if letter == ' ' { '-' } else { letter })
            .collect()
    };
    headings.map(anchor).collect()
}
