//! The part of the MCP server's backend that reaches code workspaces. The caller's session confirms
//! a decision on files, as it confirms a deletion.

use super::backend::WorkerBackend;
use base::Result;
use mcp_product::backend::{Backend, Subject};
use mcp_product::code::backend::CodeBackend;

impl CodeBackend for WorkerBackend {
    async fn operate_code(&self, workspace: &str, actor: &str, body: String) -> Result<String> {
        self.ask_workspace(workspace, actor, body).await
    }

    async fn decision_state(&self, subject: &Subject) -> Result<String> {
        self.confirmation(subject).await
    }

    async fn redeem_decision(&self, subject: &Subject, state: &str) -> Result<()> {
        self.redeem(subject, state).await
    }
}
