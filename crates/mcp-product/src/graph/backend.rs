//! The port to what the tools of a graph need: the object of the graph, and the page that shows it.
//!
//! Texts that come back are the bodies of HTTP responses, as those of [`crate::backend`].

use futures::stream::LocalBoxStream;

use base::Result;

/// What the tools of a graph need.
#[expect(
    async_fn_in_trait,
    reason = "workerd has one thread, so nothing asks for Send"
)]
pub trait GraphBackend {
    /// One operation: `POST /api/graph/{conversation}`, whose actor is [`super::ACTOR`].
    ///
    /// # Errors
    /// Where there is no response.
    async fn operate_graph(&self, conversation: &str, body: String) -> Result<String>;

    /// A signal for each change of the graph from now on, its deletion included.
    ///
    /// # Errors
    /// Where the graph cannot be watched.
    async fn watch_graph(&self, conversation: &str) -> Result<LocalBoxStream<'static, ()>>;

    /// Whether the deployment has pages at all.
    fn has_viewer(&self) -> bool;

    /// The page that shows a graph, as HTML; none where the deployment has no such file.
    ///
    /// # Errors
    /// Where the files of the deployment cannot be read.
    async fn viewer(&self) -> Result<Option<String>>;
}
