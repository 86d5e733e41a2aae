//! The interface to the object of a workspace and to confirmations.
//!
//! Returned texts are the bodies of HTTP responses, as in [`crate::backend`].

use base::Result;

use crate::backend::Subject;

/// The services that the tools of a workspace need.
#[expect(
    async_fn_in_trait,
    reason = "workerd has one thread, so nothing asks for Send"
)]
pub trait CodeBackend {
    /// Runs one operation on behalf of an actor: `POST /api/code/{workspace}`.
    ///
    /// # Errors
    /// If there is no response.
    async fn operate_code(&self, workspace: &str, actor: &str, body: String) -> Result<String>;

    /// Returns a state that represents one decision on exactly this call.
    ///
    /// # Errors
    /// If the state cannot be created.
    async fn decision_state(&self, subject: &Subject) -> Result<String>;

    /// Consumes such a state.
    ///
    /// # Errors
    /// If the state does not belong to this call, is too old, or was used before.
    async fn redeem_decision(&self, subject: &Subject, state: &str) -> Result<()>;
}
