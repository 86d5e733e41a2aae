//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Time for a program when its request says nothing.
    pub const DEFAULT_EXECUTION_TIMEOUT_MS: u32 = 30_000;

    /// Time that a program may ask for.
    pub const MAX_EXECUTION_TIMEOUT_MS: u32 = 300_000;

    /// CPU time that the platform gives a program's isolate. Local workerd does not enforce it.
    pub const DEFAULT_EXECUTION_CPU_MS: u32 = 30_000;

    /// Dynamic Workers in flight for one object, as the platform has it. More wait in order.
    pub const MAX_OBJECT_ISOLATES: usize = 10;

    /// Programs that may wait for one of those.
    pub const MAX_WAITING_EXECUTIONS: usize = 100;

    /// Kept isolates that an object remembers.
    pub const MAX_KEPT_ISOLATES: usize = 8;

    /// Log entries of one run.
    pub const MAX_EXECUTION_LOG_ENTRIES: usize = 200;

    /// Characters of one log entry of a run.
    pub const MAX_EXECUTION_LOG_CHARACTERS: usize = 2_000;

    /// Characters of all log entries of a run.
    pub const MAX_EXECUTION_LOGS_CHARACTERS: usize = 64 * 1024;

    /// Calls of helpers that one run may make.
    pub const MAX_EXECUTION_CALLS: usize = 1_000;

    /// Progress events of one run that reach the client.
    pub const MAX_PROGRESS_EVENTS: usize = 1_000;

    /// Result of a program that is answered as it is; a larger one goes into a table.
    pub const MAX_INLINE_RESULT_BYTES: usize = 1024 * 1024;

    /// The least that a caller may make of it with `maxResultBytes`: every result but an empty text then becomes a table.
    pub const MIN_INLINE_RESULT_BYTES: usize = 1;

    /// Records of a result that are answered as they are; more go into a table.
    pub const MAX_INLINE_RESULT_RECORDS: usize = 1_000;

    /// Result of a program as JSON text: an RPC message of the platform takes 32 MiB.
    pub const MAX_EXECUTION_RESULT_BYTES: usize = 30 * 1024 * 1024;

    /// Text of one piece of a result that is no list, where it goes into a table.
    pub const RESULT_PIECE_CHARACTERS: usize = 500_000;

    /// Tokens that the guidance for a model may take, by the estimate of four characters each.
    pub const MAX_PROMPT_TOKENS: usize = 4_000;

    /// The short form of the guidance: hosts bound the description of a tool to 1,024 characters.
    pub const MAX_SHORT_PROMPT_CHARACTERS: usize = 990;

    /// Prepared programs that an object remembers.
    pub const MAX_REMEMBERED_PROGRAMS: usize = 16;

    /// Text of a program that is remembered: with its module and map, sixteen of them stay below 4 MB.
    pub const MAX_REMEMBERED_PROGRAM_BYTES: usize = 32 * 1024;

    /// Characters of the reason why a server's tools are not in the guidance for a model.
    pub const SHOWN_LISTING_ERROR_CHARACTERS: usize = 160;
}
