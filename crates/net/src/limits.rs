//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Bytes of a response of another server. The whole response is in memory together with the
    /// data made from it, and all objects of an instance share 128 MB.
    pub const MAX_UPSTREAM_ANSWER_BYTES: usize = 32 * 1024 * 1024;

    /// Bytes of the id of an event in a server's stream: it is sent back in a header, and servers
    /// refuse longer ones.
    pub const MAX_EVENT_ID_BYTES: usize = 1_024;

    /// Bytes of all responses that one instance reads at the same time. All objects of an instance
    /// share 128 MB, and a response is held two or three times while it is parsed.
    pub const MAX_UPSTREAM_READING_BYTES: usize = 40 * 1024 * 1024;

    /// Bytes at the beginning of each response that are not counted, so that small responses can
    /// always be read. The platform delivers pieces of this size.
    pub const UNCOUNTED_ANSWER_BYTES: usize = 256 * 1024;
}
