//! The table of chunks that wait for the end of a load or of a copy, because they do not fit into
//! memory.

/// Computes the id of the next load.
pub(crate) const NEXT_LOAD: &str = "SELECT coalesce(max(load_id), 0) + 1 FROM _codemode_stage";
pub(crate) const INSERT: &str =
    "INSERT INTO _codemode_stage (load_id, sequence, chunk) VALUES (?, ?, ?)";
pub(crate) const READ: &str =
    "SELECT chunk FROM _codemode_stage WHERE load_id = ? AND sequence = ?";
pub(crate) const DISCARD: &str = "DELETE FROM _codemode_stage WHERE load_id = ?";

/// Finds chunks of a load that was interrupted before it could delete them.
pub(crate) const SWEEP_NEEDED: &str = "SELECT 1 FROM _codemode_stage LIMIT 1";
pub(crate) const SWEEP: &str = "DELETE FROM _codemode_stage";
