//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Access token: a header of the platform has up to 16 KiB, and every byte of a token is hashed before anybody is known to have sent it.
    pub const MAX_ACCESS_TOKEN_BYTES: usize = 16 * 1024;

    /// How far the clock of the issuer may be from ours.
    pub const CLOCK_TOLERANCE_SECONDS: u32 = 30;

    /// Metadata of an issuer, or its keys: some kilobytes in practice, and both are held in memory.
    pub const MAX_ISSUER_RESPONSE_BYTES: usize = 256 * 1024;

    /// Keys of an issuer: a token that names no key is tried with each of its kind.
    pub const MAX_ISSUER_KEYS: usize = 100;

    /// Discovery and keys together: a request waits for them once in the lifetime of the keys.
    pub const ISSUER_TIMEOUT_MS: u64 = 5_000;

    /// How long keys are used before they are fetched again: a key that the issuer withdraws is refused after that.
    pub const ISSUER_KEYS_LIFETIME_MS: u64 = 600_000;

    /// How long keys are used while the issuer cannot be reached: a short outage of the issuer is none of ours.
    pub const ISSUER_KEYS_OUTAGE_MS: u64 = 3_600_000;

    /// After a failure the issuer is not asked again for this long, however many tokens come.
    pub const ISSUER_RETRY_MS: u64 = 5_000;

    /// After a token with an unknown key made us fetch the keys, no other such token does for this long: anybody can make up a key id.
    pub const UNKNOWN_KEY_FETCH_MS: u64 = 30_000;

    /// Requests that need the keys while another one fetches them look for them this often. A request of the platform cannot wait for the
    /// promise of another one.
    pub const ISSUER_KEYS_LOOK_MS: u64 = 50;
}
