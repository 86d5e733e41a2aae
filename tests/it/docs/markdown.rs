//! A reader for the tables, fenced blocks, links and headings of a Markdown document.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

fn events(document: &str) -> Parser<'_> {
    Parser::new_ext(document, Options::ENABLE_TABLES)
}

/// Returns the cells of every table whose first column has this head, row by row, as Markdown.
pub fn rows(document: &str, head: &str) -> Vec<Vec<String>> {
    let (mut found, mut is_wanted) = (Vec::<Vec<String>>::new(), false);
    for (event, range) in events(document).into_offset_iter() {
        match event {
            Event::Start(Tag::TableHead | Tag::TableRow) => found.push(Vec::new()),
            Event::Start(Tag::TableCell) => {
                let cell = document.get(range).unwrap().trim_matches(['|', ' ']);
                found.last_mut().unwrap().push(cell.replace("\\|", "|"));
            }
            Event::End(TagEnd::TableHead) => is_wanted = found.pop().unwrap()[0] == head,
            Event::End(TagEnd::TableRow) if !is_wanted => drop(found.pop()),
            _ => {}
        }
    }
    assert!(!found.is_empty(), "no table has the head {head:?}");
    found
}

/// Returns the names in the first column of such a table: those between backquotes, or the text of
/// a cell without any.
pub fn names(document: &str, head: &str) -> Vec<String> {
    let names = |row: &Vec<String>| match code_spans(&row[0]) {
        spans if spans.is_empty() => vec![row[0].clone()],
        spans => spans,
    };
    rows(document, head).iter().flat_map(names).collect()
}

/// Returns a cell without the backquotes around it.
pub fn plain(cell: &str) -> &str {
    cell.trim_matches('`')
}

/// Returns the texts between backquotes, except those in round brackets.
pub fn code_spans(text: &str) -> Vec<String> {
    let (mut depth, mut found) = (0, Vec::new());
    for event in events(text) {
        match event {
            Event::Text(text) => {
                depth += text.matches('(').count() as i32 - text.matches(')').count() as i32
            }
            Event::Code(code) if depth == 0 => found.push(code.into_string()),
            _ => {}
        }
    }
    found
}

/// Returns the selected tags, each with the text inside.
fn inside<T>(document: &str, select: impl Fn(&Tag) -> Option<T>) -> Vec<(T, String)> {
    let (mut found, mut end) = (Vec::new(), None);
    for event in events(document) {
        match event {
            Event::Start(tag) => {
                if let Some(selected) = select(&tag) {
                    found.push((selected, String::new()));
                    end = Some(tag.to_end());
                }
            }
            Event::End(tag) if end == Some(tag) => end = None,
            Event::Text(text) | Event::Code(text) if end.is_some() => {
                found.last_mut().unwrap().1.push_str(&text);
            }
            _ => {}
        }
    }
    found
}

/// Returns each fenced block: the word behind the fence, and the text.
pub fn blocks(document: &str) -> Vec<(String, String)> {
    inside(document, |tag| match tag {
        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => info.split(' ').next().map(str::to_owned),
        _ => None,
    })
}

/// Returns the text of the only block in a language.
pub fn block(document: &str, language: &str) -> String {
    let mut found = blocks(document);
    found.retain(|block| block.0 == language);
    assert_eq!(found.len(), 1, "blocks of {language}");
    found.remove(0).1
}

/// Returns the targets of links and pictures.
pub fn links(document: &str) -> Vec<String> {
    let links = inside(document, |tag| match tag {
        Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => Some(dest_url.to_string()),
        _ => None,
    });
    links.into_iter().map(|(target, _)| target).collect()
}

/// Returns the headings.
pub fn headings(document: &str) -> Vec<(HeadingLevel, String)> {
    inside(document, |tag| match tag {
        Tag::Heading { level, .. } => Some(*level),
        _ => None,
    })
}

/// Returns the anchor that GitHub makes of a heading.
pub fn anchor(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}
