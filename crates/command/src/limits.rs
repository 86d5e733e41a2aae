//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// The number of files of one request that writes. The Worker accepts 2,000, but with smaller
    /// requests the progress bar moves more often.
    pub const MAX_SENT_FILES: usize = 500;

    /// The size of the files of one request that writes. One file of the largest size fits, and the
    /// Worker holds the files in memory together with their trees.
    pub const MAX_SENT_BYTES: usize = 8 * 1024 * 1024;

    /// The number of files of one request that deletes.
    pub const MAX_DELETED_FILES: usize = 1_000;

    /// The size of the list of files of one comparison. The body of an operation has 32 MiB at
    /// most, and its other fields need a little of that.
    pub const MAX_SCAN_BYTES: usize = 30 * 1024 * 1024;

    /// The size of a response. A comparison of as many files as a workspace may have names all of
    /// them.
    pub const MAX_RESPONSE_BYTES: u64 = 64 * 1024 * 1024;

    /// The number of proposals of one page, the most that the Worker returns.
    pub const PROPOSAL_PAGE: u64 = 200;

    /// The number of pages of proposals that are read. A workspace keeps 5,000 proposals, so
    /// a longer list comes from a faulty server.
    pub const MAX_PROPOSAL_PAGES: usize = 50;

    /// The number of files of one page of a listing, the most that the Worker returns.
    pub const FILE_PAGE: u64 = 5_000;

    /// The number of pages of a listing that are read. A workspace has 50,000 files at most.
    pub const MAX_FILE_PAGES: usize = 20;

    /// The time to establish a connection.
    pub const CONNECT_MS: u64 = 10_000;

    /// The time until a response is complete. The Worker lets a write take some minutes.
    pub const REQUEST_MS: u64 = 600_000;

    /// The time without a change before a watched directory is compared, because editors write a
    /// file in several steps.
    pub const QUIET_MS: u64 = 200;

    /// The time after which a watched directory is compared although it keeps changing.
    pub const MAX_UNQUIET_MS: u64 = 2_000;

    /// The time after which a failed sync of a watched directory is repeated.
    pub const RETRY_MS: u64 = 5_000;

    /// The possible error of a file's modification time: some file systems only store it to two
    /// seconds. A file that was last read this soon after it changed is read again, even if its
    /// time and size are the same.
    pub const UNCERTAIN_TIME_MS: u64 = 2_500;

    /// The number of files that a message lists one by one.
    pub const MAX_SHOWN_FILES: usize = 20;

    /// The length of a text from the server in a message.
    pub const MAX_SHOWN_CHARACTERS: usize = 500;

    /// The size of the file in which the command remembers what it wrote.
    pub const MAX_MEMORY_BYTES: u64 = 64 * 1024 * 1024;
}
