//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Files of one request that writes: the Worker takes 2,000, and with fewer the progress bar moves.
    pub const MAX_SENT_FILES: usize = 500;

    /// Bytes of the files of one request that writes: one file of the largest size fits, and the Worker has them in memory beside their trees.
    pub const MAX_SENT_BYTES: usize = 8 * 1024 * 1024;

    /// Files of one request that deletes.
    pub const MAX_DELETED_FILES: usize = 1_000;

    /// Bytes of the list of files of one comparison: the body of an operation has 32 MiB at most, and its other fields need a little.
    pub const MAX_SCAN_BYTES: usize = 30 * 1024 * 1024;

    /// Bytes of a response that is read: a comparison of as many files as a workspace has names all of them.
    pub const MAX_RESPONSE_BYTES: u64 = 64 * 1024 * 1024;

    /// Proposals of one page, the most that the Worker gives.
    pub const PROPOSAL_PAGE: u64 = 200;

    /// Pages of proposals that are read: a workspace keeps 5,000 proposals, and a server without end is none of ours.
    pub const MAX_PROPOSAL_PAGES: usize = 50;

    /// Files of one page of a listing, the most that the Worker gives.
    pub const FILE_PAGE: u64 = 5_000;

    /// Pages of a listing that are read: a workspace has 50,000 files.
    pub const MAX_FILE_PAGES: usize = 20;

    /// Milliseconds until a connection stands.
    pub const CONNECT_MS: u64 = 10_000;

    /// Milliseconds until a response is complete: the Worker lets a write take some minutes.
    pub const REQUEST_MS: u64 = 600_000;

    /// Milliseconds without a change before a watched directory is compared: editors write a file in several steps.
    pub const QUIET_MS: u64 = 200;

    /// Milliseconds after which a watched directory is compared although it goes on changing.
    pub const MAX_UNQUIET_MS: u64 = 2_000;

    /// Milliseconds after which a sync of a watched directory that failed is tried again.
    pub const RETRY_MS: u64 = 5_000;

    /// Milliseconds that a file's time may be off, below which a file that has the same time and size is read again: file systems have clocks of up to
    /// two seconds.
    pub const UNCERTAIN_TIME_MS: u64 = 2_500;

    /// Files that a message lists one by one.
    pub const MAX_SHOWN_FILES: usize = 20;

    /// Characters of a text of the server that a message shows.
    pub const MAX_SHOWN_CHARACTERS: usize = 500;

    /// Bytes of the file in which the command remembers what it wrote.
    pub const MAX_MEMORY_BYTES: u64 = 64 * 1024 * 1024;
}
