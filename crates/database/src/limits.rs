//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Bytes of one value or row, which is the engine's limit.
    pub const MAX_VALUE_BYTES: usize = 2_000_000;

    /// The number of parameters that the engine accepts. If a statement has more, they are sent
    /// together as one JSON text.
    pub const ENGINE_PARAMETERS: usize = 100;
}
