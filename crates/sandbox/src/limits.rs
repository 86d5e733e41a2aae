//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// The time that a program may run if its request names no time.
    pub const DEFAULT_EXECUTION_TIMEOUT_MS: u32 = 30_000;

    /// The longest time that a request may name.
    pub const MAX_EXECUTION_TIMEOUT_MS: u32 = 300_000;

    /// The CPU time that the platform gives a program's isolate. Local workerd does not enforce it.
    pub const DEFAULT_EXECUTION_CPU_MS: u32 = 30_000;

    /// The number of Dynamic Workers that the platform lets one object have at a time. More
    /// programs wait in order.
    pub const MAX_OBJECT_ISOLATES: usize = 10;

    /// The number of programs that may wait for an isolate of one object.
    pub const MAX_WAITING_EXECUTIONS: usize = 100;

    /// The number of warm isolates that an object remembers.
    pub const MAX_KEPT_ISOLATES: usize = 8;

    /// The number of log entries of one run.
    pub const MAX_EXECUTION_LOG_ENTRIES: usize = 200;

    /// The length of one log entry of a run.
    pub const MAX_EXECUTION_LOG_CHARACTERS: usize = 2_000;

    /// The length of all log entries of a run together.
    pub const MAX_EXECUTION_LOGS_CHARACTERS: usize = 64 * 1024;

    /// The number of helper calls that one run may make.
    pub const MAX_EXECUTION_CALLS: usize = 1_000;

    /// The number of progress events of one run that reach the client.
    pub const MAX_PROGRESS_EVENTS: usize = 1_000;

    /// The size of a result that is returned directly; a larger one goes into a table.
    pub const MAX_INLINE_RESULT_BYTES: usize = 1024 * 1024;

    /// The smallest `maxResultBytes`, by which a caller may lower `MAX_INLINE_RESULT_BYTES`. With
    /// it, every result except an empty text becomes a table.
    pub const MIN_INLINE_RESULT_BYTES: usize = 1;

    /// The number of records of a result that is returned directly; a result with more goes into a
    /// table.
    pub const MAX_INLINE_RESULT_RECORDS: usize = 1_000;

    /// The size of a program's result as JSON text. An RPC message of the platform holds 32 MiB.
    pub const MAX_EXECUTION_RESULT_BYTES: usize = 30 * 1024 * 1024;

    /// The length of one piece of a result that is not a list, when it goes into a table.
    pub const RESULT_PIECE_CHARACTERS: usize = 500_000;

    /// The number of tokens of the guidance for a model, estimated at four characters each.
    pub const MAX_PROMPT_TOKENS: usize = 4_000;

    /// The length of the short form of the guidance. Hosts limit the description of a tool to 1,024
    /// characters.
    pub const MAX_SHORT_PROMPT_CHARACTERS: usize = 990;

    /// The number of prepared programs that an object remembers.
    pub const MAX_REMEMBERED_PROGRAMS: usize = 16;

    /// The length of a program that is remembered. With their modules and maps, sixteen of them
    /// stay below 4 MB.
    pub const MAX_REMEMBERED_PROGRAM_BYTES: usize = 32 * 1024;

    /// The length of the error in the guidance that says why a server's tools could not be listed.
    pub const SHOWN_LISTING_ERROR_CHARACTERS: usize = 160;
}
