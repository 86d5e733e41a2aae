//! The guidance as the description of the tool that runs programs, under the name that the host
//! gives the tool.
//!
//! Some hosts limit descriptions to 1,024 characters, so there is a short form as well.

use super::prompt::{self, ServerTools};
use crate::limits::{MAX_PROMPT_TOKENS, MAX_SHORT_PROMPT_CHARACTERS};
use base::names::check_name;
use base::{Error, Result};
use database::Database;
use session::Session;

/// The name of the tool in the guidance, unless the request gives another.
const DEFAULT_NAME: &str = "execute";

/// All that a model must know before its first program. Errors explain the rest.
const SHORT: &str = "`execute` runs JavaScript or TypeScript beside a SQLite database. Top-level `await` works; `return` sets the result. No network, no imports.
- `await helpers.db.query(sql, params)`: rows of a SELECT, as objects. `helpers.db.exec(sql, params)`: any other statement.
- `helpers.db.createTable(name, \"id INTEGER PRIMARY KEY, title TEXT\")`, `helpers.db.batchInsert(table, records)`. Tables stay between runs, variables do not.
- `dbSchema.getTables()`, `dbSchema.getColumns(table)`: the existing tables and columns.
Put many records into a table, work in SQL, return small results. An error has `code`, `message` and `hint`: do what the hint says.
";

const SHORT_TOOLS: &str = "Tools: `await helpers.<server>.<tool>(args)` returns the data, or `{ok: false, error}`; `helpers.search(\"words\")` finds tools with their parameters.";

/// The length of the guidance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    /// Rules, declarations, recipes, tools and tables.
    Full,
    /// At most [`MAX_SHORT_PROMPT_CHARACTERS`].
    Short,
}

/// The length of the guidance, and the name of the tool in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    tool: String,
    length: Length,
}

impl Form {
    /// Parses the parameters `tool` and `form` of `GET /prompt`.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`].
    pub fn from_parameters(tool: Option<String>, form: Option<&str>) -> Result<Self> {
        let tool = tool.unwrap_or_else(|| DEFAULT_NAME.to_owned());
        check_name("tool", &tool)?;
        let length = match form {
            None | Some("full") => Length::Full,
            Some("short") => Length::Short,
            Some(other) => {
                return Err(Error::invalid(format!(
                    "form must be short or full, not {other:?}"
                )));
            }
        };
        Ok(Self { tool, length })
    }

    /// Returns the text for a request that names no session.
    pub fn render(&self, servers: &[ServerTools]) -> String {
        match self.length {
            Length::Full => self.named(prompt::render_within(None, servers, self.budget_tokens())),
            Length::Short => self.short(servers),
        }
    }

    /// Returns the text with the tables of a session.
    ///
    /// # Errors
    /// The errors of the engine.
    pub fn render_for<D: Database>(
        &self,
        session: &Session<'_, D>,
        servers: &[ServerTools],
    ) -> Result<String> {
        match self.length {
            Length::Full => {
                let text = prompt::for_session_within(session, servers, self.budget_tokens())?;
                Ok(self.named(text))
            }
            Length::Short => Ok(self.short(servers)),
        }
    }

    /// Returns the budget that remains after the name is inserted.
    fn budget_tokens(&self) -> usize {
        let longer = self.tool.len().saturating_sub(DEFAULT_NAME.len());
        MAX_PROMPT_TOKENS - longer.div_ceil(prompt::CHARACTERS_OF_A_TOKEN)
    }

    fn named(&self, text: String) -> String {
        text.replacen(&format!("`{DEFAULT_NAME}`"), &format!("`{}`", self.tool), 1)
    }

    fn short(&self, servers: &[ServerTools]) -> String {
        let mut text = self.named(SHORT.to_owned());
        if servers.is_empty() {
            return text;
        }
        text.push_str(SHORT_TOOLS);
        text.push_str(" Servers: ");
        const MORE: &str = "….";
        for (at, server) in servers.iter().enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            let length = separator.len() + server.server.chars().count() + MORE.len();
            if text.chars().count() + length > MAX_SHORT_PROMPT_CHARACTERS {
                text.push_str(separator);
                text.push_str(MORE);
                return text;
            }
            text.push_str(separator);
            text.push_str(&server.server);
        }
        text.push('.');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tools::server::Kind;

    fn form(tool: Option<&str>, form: Option<&str>) -> Form {
        Form::from_parameters(tool.map(str::to_owned), form).unwrap()
    }

    fn servers(count: usize) -> Vec<ServerTools> {
        (0..count)
            .map(|number| ServerTools {
                server: format!("a-server-with-a-long-name-{number}"),
                kind: Kind::Any,
                tools: Ok(Vec::new()),
            })
            .collect()
    }

    #[test]
    fn the_tool_has_the_name_that_its_host_gave_it() {
        let name = "run_code-2";
        let long = "n".repeat(128);
        for length in [None, Some("full"), Some("short")] {
            let text = form(Some(name), length).render(&[]);
            assert!(text.contains("`run_code-2`"), "{text}");
            assert!(!text.contains("`execute`"), "{text}");
            assert!(form(None, length).render(&[]).contains("`execute`"));
            let text = form(Some(&long), length).render(&servers(200));
            assert!(prompt::estimated_tokens(&text) <= MAX_PROMPT_TOKENS);
        }
        assert_eq!(form(None, None).render(&[]), prompt::render(None));
    }

    #[test]
    fn the_short_form_has_room_in_the_description_of_a_tool() {
        let long = "n".repeat(128);
        for count in [0, 1, 200] {
            for tool in ["execute", &long] {
                let text = form(Some(tool), Some("short")).render(&servers(count));
                assert!(text.chars().count() < 1_000, "{}", text.chars().count());
                assert_eq!(text.contains("helpers.<server>"), count > 0);
            }
        }
    }

    #[test]
    fn other_forms_and_names_are_refused() {
        for (tool, length) in [(None, Some("long")), (Some("a b"), None), (Some(""), None)] {
            let error = Form::from_parameters(tool.map(str::to_owned), length).unwrap_err();
            assert_eq!(error.code(), "INVALID_ARGUMENT");
        }
    }
}
