//! The port to what the tools of a workspace need: the object of the workspace, and confirmations.
//!
//! Texts that come back are the bodies of HTTP responses, as those of [`crate::backend`].

use base::Result;

use crate::backend::Subject;

/// What the tools of a workspace need.
#[expect(
    async_fn_in_trait,
    reason = "workerd has one thread, so nothing asks for Send"
)]
pub trait CodeBackend {
    /// One operation: `POST /api/code/{workspace}`, on behalf of an actor.
    ///
    /// # Errors
    /// Where there is no response.
    async fn operate_code(&self, workspace: &str, actor: &str, body: String) -> Result<String>;

    /// A state that stands for one decision on exactly this call.
    ///
    /// # Errors
    /// Where there is none.
    async fn decision_state(&self, subject: &Subject) -> Result<String>;

    /// Uses such a state up.
    ///
    /// # Errors
    /// Where the state is not one of this call, is too old or was used before.
    async fn redeem_decision(&self, subject: &Subject, state: &str) -> Result<()>;
}
