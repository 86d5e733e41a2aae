//! Prompts for two frequent tasks in a workspace.

use serde_json::json;

use super::CodeProduct;
use super::backend::CodeBackend;
use crate::prompts::{Argument, Prompt, check, rendered, said};
use mcp::server::ask::PromptCall;
use mcp::server::{Fault, Outcome};

/// Tokens of the code that a prompt shows.
const PROMPT_TOKENS: u32 = 4_000;

/// The prompts of a workspace.
pub(super) const PROMPTS: &[Prompt] = &[
    Prompt {
        name: "explain_code",
        title: "Explain code",
        description: "Answer a question about the code, with the lines that support the answer",
        arguments: &[Argument {
            name: "question",
            description: "What you want to know",
            required: true,
        }],
    },
    Prompt {
        name: "change_code",
        title: "Change code",
        description: "Propose edits for a task, for a person to approve",
        arguments: &[Argument {
            name: "task",
            description: "What should be different",
            required: true,
        }],
    },
];

impl<B: CodeBackend> CodeProduct<B> {
    /// Renders a prompt, with the code that its subject concerns.
    ///
    /// # Errors
    /// [`Fault`] for an unknown prompt or argument, or a missing argument.
    pub(super) async fn get_prompt(&self, asked: &PromptCall) -> Result<Outcome, Fault> {
        let prompt = check(PROMPTS, asked)?;
        let argument = |name: &str| asked.arguments.get(name).map_or("", String::as_str);
        let hint = format!("{}{}", argument("question"), argument("task"));
        let body = json!({ "operation": "request_code_context", "token_budget": PROMPT_TOKENS, "hint": hint });
        let found = said(&self.operate(body.to_string()).await?);
        let text = if prompt.name == "explain_code" {
            format!(
                "Reply to this question about the code: {hint}\n\nWhat request_code_context says:\n{found}\n\n\
                 1. Ask request_code_context again with other words, or code_item_edges of an item, where this is not enough.\n\
                 2. Name the file and the lines that support each statement.\n\
                 3. Say what you have not found."
            )
        } else {
            format!(
                "Change the code: {hint}\n\nWhat request_code_context says:\n{found}\n\n\
                 1. Read what you will change with code_item_lookup, and find its users with code_item_edges.\n\
                 2. Propose all edits with one apply_code_edit, mode canonical by the item's canon, with its documentation and attributes.\n\
                 3. Show the preview. A person approves or denies it; do not decide for them."
            )
        };
        Ok(rendered(prompt, &text))
    }
}
