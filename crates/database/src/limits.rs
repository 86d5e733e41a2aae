//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// One value or row, as the engine has it.
    pub const MAX_VALUE_BYTES: usize = 2_000_000;

    /// Parameters that the engine binds; more travel as one JSON text.
    pub const ENGINE_PARAMETERS: usize = 100;
}
