//! The facts about a response that are known before it arrives.

use super::message::Batches;
use net::secrets::Secrets;

/// The stage of reading that limits how deep a response may nest. The response is split without
/// recursion; later processing of its parts is recursive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// The reader of the whole response limits its nesting.
    OfAll,
    /// The reader of the parts checks each one, so that one part that nests too deep does not spoil
    /// the others.
    OfParts,
}

/// The conditions that a response must fulfil.
pub(super) struct Expected<'a, C> {
    /// The id of the request.
    pub id: u64,
    pub depth: Depth,
    pub batches: Batches,
    pub secrets: &'a Secrets,
    pub clock: &'a C,
}
