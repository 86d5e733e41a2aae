//! The interface to the object of a graph, and to the page that shows it.
//!
//! Returned texts are the bodies of HTTP responses, as in [`crate::backend`].

use futures::stream::LocalBoxStream;

use base::Result;

/// The services that the tools of a graph need.
#[expect(
    async_fn_in_trait,
    reason = "workerd has one thread, so nothing asks for Send"
)]
pub trait GraphBackend {
    /// Runs one operation with the actor [`super::ACTOR`]: `POST /api/graph/{conversation}`.
    ///
    /// # Errors
    /// If there is no response.
    async fn operate_graph(&self, conversation: &str, body: String) -> Result<String>;

    /// Returns a signal for each change of the graph from now on, including its deletion.
    ///
    /// # Errors
    /// If the graph cannot be watched.
    async fn watch_graph(&self, conversation: &str) -> Result<LocalBoxStream<'static, ()>>;

    /// Returns true if the deployment has web pages.
    fn has_viewer(&self) -> bool;

    /// Returns the page that shows a graph, as HTML; none if the deployment does not have it.
    ///
    /// # Errors
    /// If the files of the deployment cannot be read.
    async fn viewer(&self) -> Result<Option<String>>;
}
