//! Guidance for the model that writes programs: rules, the typed API, recipes, and the tables of its session.
//!
//! A system prompt is paid for with every request, so all of it stays within [`MAX_PROMPT_TOKENS`], by the usual rough estimate of four
//! characters for a token. The tables get what is left, and are cut with a line that says how to see the rest.

use crate::database::Database;
use crate::error::Result;
use crate::limits::MAX_PROMPT_TOKENS;
use crate::schema::inspect::{self, TableKind};
use crate::session::Session;

/// What it is sent as.
pub const CONTENT_TYPE: &str = "text/markdown; charset=utf-8";

/// Characters of one token, by the estimate.
pub const CHARACTERS_OF_A_TOKEN: usize = 4;

const GUIDANCE: &str = include_str!("prompt.md");

/// Characters that the line about tables which found no room may take.
const CUT_LINE_CHARACTERS: usize = 120;

/// Tokens of a text by the estimate, rounded up.
pub fn estimated_tokens(text: &str) -> usize {
    text.chars().count().div_ceil(CHARACTERS_OF_A_TOKEN)
}

/// The guidance; `tables` are lines, one for each table of a session.
pub fn render(tables: Option<&[String]>) -> String {
    let Some(tables) = tables else {
        return GUIDANCE.to_owned();
    };
    let mut text = format!("{GUIDANCE}\n## Tables of this session\n\n");
    if tables.is_empty() {
        text.push_str("None yet.\n");
    }
    let mut left = (MAX_PROMPT_TOKENS * CHARACTERS_OF_A_TOKEN)
        .saturating_sub(text.chars().count() + CUT_LINE_CHARACTERS);
    for (shown, line) in tables.iter().enumerate() {
        let length = line.chars().count() + 1;
        if length > left || line.is_empty() {
            let rest = tables.len() - shown;
            text.push_str(&format!(
                "- … and {rest} more: await dbSchema.getTables(), then dbSchema.describeTable(table)\n"
            ));
            break;
        }
        left -= length;
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// The guidance with the tables of a session.
///
/// # Errors
/// The engine's.
pub fn for_session<D: Database>(session: &Session<'_, D>) -> Result<String> {
    let tables = inspect::list_tables(session.db)?;
    let mut lines = Vec::with_capacity(tables.len());
    let mut left = MAX_PROMPT_TOKENS * CHARACTERS_OF_A_TOKEN;
    for (name, kind) in &tables {
        // Counting the rows of tables that find no room would be work for nothing.
        let line = if left > 0 {
            line(session.db, name, *kind)?
        } else {
            String::new()
        };
        left = left.saturating_sub(line.chars().count());
        lines.push(line);
    }
    Ok(render(Some(&lines)))
}

/// ``- `papers` (120 rows): id TEXT, title TEXT``
fn line<D: Database>(db: &D, name: &str, kind: TableKind) -> Result<String> {
    let table = inspect::load_table(db, name)?;
    let columns: Vec<String> = table
        .visible()
        .map(|column| {
            format!(
                "{} {}",
                one_line(&column.name),
                one_line(&column.declared_type)
            )
            .trim_end()
            .to_owned()
        })
        .collect();
    let size = if kind == TableKind::View {
        "view".to_owned()
    } else {
        let count = inspect::row_count(db, name)?;
        format!(
            "{}{} rows",
            if count.exact { "" } else { "at least " },
            count.rows
        )
    };
    Ok(format!(
        "- `{}` ({size}): {}",
        one_line(name),
        columns.join(", ")
    ))
}

/// Names are the caller's own, but a line break in one would begin a paragraph of instructions.
fn one_line(name: &str) -> String {
    name.chars()
        .map(|character| {
            if character.is_control() || character == '`' {
                ' '
            } else {
                character
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guidance_fits_its_budget_with_room_for_tables() {
        let tokens = estimated_tokens(&render(None));
        assert!(tokens <= MAX_PROMPT_TOKENS * 3 / 4, "{tokens} tokens");
    }

    #[test]
    fn tables_are_named_while_they_fit() {
        let tables: Vec<String> = (0..500)
            .map(|number| format!("- `table_{number}` (1 rows): id INTEGER, title TEXT"))
            .collect();
        let text = render(Some(&tables));
        assert!(estimated_tokens(&text) <= MAX_PROMPT_TOKENS);
        assert!(text.contains("`table_0`") && !text.contains("`table_499`"));
        assert!(text.trim_end().lines().last().unwrap().contains("more"));
    }

    #[test]
    fn a_session_without_tables_says_so() {
        assert!(render(Some(&[])).ends_with("None yet.\n"));
    }

    #[test]
    fn one_table_with_a_name_of_any_length_is_within_the_budget() {
        let text = render(Some(&["x".repeat(100_000)]));
        assert!(estimated_tokens(&text) <= MAX_PROMPT_TOKENS);
    }
}
