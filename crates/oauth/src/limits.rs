//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Bytes of an access token: the platform limits a header to 16 KiB, and every byte of a token
    /// is hashed before its sender is known.
    pub const MAX_ACCESS_TOKEN_BYTES: usize = 16 * 1024;

    /// Largest difference between the clock of the issuer and ours.
    pub const CLOCK_TOLERANCE_SECONDS: u32 = 30;

    /// Bytes of the metadata or the keys of an issuer: some kilobytes in practice, and both are
    /// held in memory.
    pub const MAX_ISSUER_RESPONSE_BYTES: usize = 256 * 1024;

    /// Keys of an issuer: a token that names no key is tried with each key of its type.
    pub const MAX_ISSUER_KEYS: usize = 100;

    /// Time for discovery and the fetch of the keys together. A request has to wait for them only
    /// when the lifetime of the keys has ended.
    pub const ISSUER_TIMEOUT_MS: u64 = 5_000;

    /// Time for which keys are used before they are fetched again: a key that the issuer withdraws
    /// is refused after this time.
    pub const ISSUER_KEYS_LIFETIME_MS: u64 = 600_000;

    /// Time for which keys are used while the issuer cannot be reached, so that a short outage of
    /// the issuer has no effect.
    pub const ISSUER_KEYS_OUTAGE_MS: u64 = 3_600_000;

    /// Time after a failure for which the issuer is not asked again, however many tokens arrive.
    pub const ISSUER_RETRY_MS: u64 = 5_000;

    /// Least time between two fetches that tokens with an unknown key cause. Anybody can invent a
    /// key id, so without it each such token would cause a fetch.
    pub const UNKNOWN_KEY_FETCH_MS: u64 = 30_000;

    /// Interval at which requests check for keys that another request fetches. On this platform a
    /// request cannot wait for a promise of another request.
    pub const ISSUER_KEYS_LOOK_MS: u64 = 50;
}
