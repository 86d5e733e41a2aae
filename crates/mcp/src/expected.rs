//! What is known of a response before it comes.

use super::message::Batches;
use net::secrets::Secrets;

/// Who looks after the nesting of a response. It is taken apart without recursion; what is made of its parts is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// The response counts as a whole.
    OfAll,
    /// The reader of its parts looks at each: one that nests too deep is no reason to do without the others.
    OfParts,
}

/// What a response is checked against.
pub(super) struct Expected<'a, C> {
    /// Of the request.
    pub id: u64,
    pub depth: Depth,
    pub batches: Batches,
    pub secrets: &'a Secrets,
    pub clock: &'a C,
}
