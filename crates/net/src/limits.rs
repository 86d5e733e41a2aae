//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Response of another server, read as a stream: it is in memory as a whole, beside what is made of it, and objects share 128 MB.
    pub const MAX_UPSTREAM_ANSWER_BYTES: usize = 32 * 1024 * 1024;

    /// Id of an event in a server's stream: it is sent back in a header, and servers refuse longer ones.
    pub const MAX_EVENT_ID_BYTES: usize = 1_024;

    /// Responses of servers that one instance reads at a time, together: it shares 128 MB with all its objects, and a response is held two or
    /// three times while it is taken apart.
    pub const MAX_UPSTREAM_READING_BYTES: usize = 40 * 1024 * 1024;

    /// First part of each response that does not count towards that, so that small responses are read whatever else is: the platform hands out
    /// pieces of that size.
    pub const UNCOUNTED_ANSWER_BYTES: usize = 256 * 1024;
}
