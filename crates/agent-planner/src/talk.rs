//! Questions that need no SQL: greetings, what the planner is, which tables and columns there are.

use crate::catalog::Catalog;
use crate::lexicon::Words;
use crate::morphology::lemma;
use crate::token::{Token, TokenKind};

/// The planner's words about itself.
const ABOUT: &str = "I am the built-in planner: rules without a language model. I turn questions about your tables into one SQL statement: counts, lists with \
filters, rankings, sums and averages for groups, shares, comparisons of two groups and dates. I say so when I do not understand a word.";

/// Fillers in a question that needs no SQL.
const SILENT: Words = Words(
    "
     a all any are available can could database db do does exist give have here i in is know
     list me my of our please print show tell that the there this us we what which you your
    ",
);

/// Returns the response to a question that is not about rows; `None` for other questions.
pub(crate) fn talk(tokens: &[Token], catalog: &Catalog<'_>) -> Option<String> {
    let words: Vec<&str> = tokens
        .iter()
        .filter(|token| token.kind != TokenKind::Sign)
        .map(|token| token.lower.as_str())
        .collect();
    let sentence = words.join(" ");
    let greetings = [
        "hello",
        "hi",
        "hey",
        "hello there",
        "good morning",
        "good afternoon",
        "good evening",
    ];
    let thanks = [
        "thanks",
        "thank you",
        "thank you very much",
        "ok",
        "okay",
        "bye",
        "goodbye",
    ];
    let about = [
        "help",
        "what can you do",
        "what do you do",
        "who are you",
        "what are you",
        "how do you work",
        "what can i ask",
        "what can i ask you",
        "what questions can i ask",
        "are you a model",
        "are you an ai",
    ];
    if greetings.contains(&sentence.as_str()) {
        return Some(format!("Hello. {ABOUT} {}", tables(catalog)));
    }
    if thanks.contains(&sentence.as_str()) {
        return Some("You are welcome.".to_owned());
    }
    if about.contains(&sentence.as_str()) {
        return Some(format!("{ABOUT} {}", tables(catalog)));
    }
    schema(&words, catalog)
}

/// Answers `which tables are there`, `which columns does orders have`, `describe orders`.
fn schema(words: &[&str], catalog: &Catalog<'_>) -> Option<String> {
    let describes = words.first() == Some(&"describe");
    let content: Vec<String> = words
        .iter()
        .skip(usize::from(describes))
        .filter(|word| !SILENT.contains(word))
        .map(|word| lemma(word))
        .collect();
    let kinds = ["table", "column", "field", "schema"];
    let own = |kind: &str| {
        catalog.tables.iter().any(|view| {
            view.words.iter().any(|word| word == kind)
                || view
                    .columns
                    .iter()
                    .any(|column| column.words.iter().any(|word| word == kind))
        })
    };
    if kinds.iter().any(|kind| own(kind)) {
        return None;
    }
    match content.as_slice() {
        [only] if only == "table" || only == "schema" => return Some(tables(catalog)),
        [how, many, only] if how == "how" && many == "many" && only == "table" => {
            return Some(format!(
                "There are {} tables. {}",
                catalog.tables.len(),
                tables(catalog)
            ));
        }
        _ => {}
    }
    let asks = describes
        || content
            .iter()
            .any(|word| word == "column" || word == "field");
    let rest: Vec<&String> = content
        .iter()
        .filter(|word| !kinds.contains(&word.as_str()))
        .collect();
    let table = catalog
        .tables
        .iter()
        .find(|view| view.words.iter().eq(rest.iter().copied()))
        .filter(|_| asks)?;
    let columns: Vec<String> = table
        .columns
        .iter()
        .map(|view| match view.column.declared_type.as_str() {
            "" => view.column.name.clone(),
            declared => format!("{} ({declared})", view.column.name),
        })
        .collect();
    Some(format!(
        "{} has the columns {}.",
        table.table.name,
        columns.join(", ")
    ))
}

/// Returns the tables with their sizes.
pub(crate) fn tables(catalog: &Catalog<'_>) -> String {
    let shown: Vec<String> = catalog
        .tables
        .iter()
        .take(base::limits::MAX_COLUMNS)
        .map(|view| match view.table.row_count {
            Some(1) => format!("{} (1 row)", view.table.name),
            Some(count) => format!("{} ({count} rows)", view.table.name),
            None => view.table.name.clone(),
        })
        .collect();
    format!("The tables are {}.", shown.join(", "))
}
