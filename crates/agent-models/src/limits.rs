//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Time for one response of a model with its retries, unless `timeoutMs` sets another: even a
    /// long response of a slow model takes less.
    pub const DEFAULT_MODEL_TIMEOUT_MS: u64 = 60_000;

    /// Maximum of `timeoutMs`: the front Worker does not wait longer for a live response.
    pub const MAX_MODEL_TIMEOUT_MS: u64 = 300_000;

    /// Minimum of `timeoutMs`: no hosted model responds faster.
    pub const MIN_MODEL_TIMEOUT_MS: u64 = 1_000;

    /// Silence before the first byte of a response, unless `firstByteMs` sets another limit:
    /// endpoints begin within seconds, unless they load a model.
    pub const DEFAULT_MODEL_FIRST_BYTE_MS: u64 = 30_000;

    /// Silence within a response, unless `stallMs` sets another limit: tokens arrive several times
    /// a second, but a model that reasons pauses.
    pub const DEFAULT_MODEL_STALL_MS: u64 = 20_000;

    /// Retries of a request after 429, 5xx or a connection that broke before the first token.
    pub const MODEL_RETRIES: u32 = 2;

    /// Pause before the first retry, plus or minus a half; twice that before the second. Providers
    /// count their limits by the second.
    pub const MODEL_RETRY_MS: u64 = 500;

    /// Tokens of a response, unless `maxOutputTokens` sets another limit: a statement with its
    /// explanation takes a tenth.
    pub const DEFAULT_MODEL_OUTPUT_TOKENS: u32 = 2_048;

    /// Maximum of `maxOutputTokens`: the tokens that fit into [`MAX_MODEL_TEXT_BYTES`] at four
    /// bytes each.
    pub const MAX_MODEL_OUTPUT_TOKENS: u32 = 65_536;

    /// Bytes of the text of a response. It is in memory twice, beside the other data of an object
    /// with 128 MB, and no request asks for a longer one.
    pub const MAX_MODEL_TEXT_BYTES: usize = 256 * 1024;

    /// Bytes of one event of a stream, or of a whole response that is not a stream: enough for the
    /// text of a response with every byte escaped, and its envelope.
    pub const MAX_MODEL_MESSAGE_BYTES: usize = 2 * 1024 * 1024;

    /// All bytes of a stream, which are read but not kept: each token has an envelope of some 300
    /// bytes.
    pub const MAX_MODEL_STREAM_BYTES: u64 = 32 * 1024 * 1024;

    /// Bytes of a response with an error status, in which the message of the provider is searched:
    /// such responses have some 200 bytes.
    pub const MAX_MODEL_FAILURE_BYTES: usize = 64 * 1024;

    /// Time for the body of a response with an error status: the status alone says enough.
    pub const MODEL_FAILURE_BODY_MS: u64 = 2_000;

    /// Characters of a text of a provider or a model that an error shows.
    pub const MAX_SHOWN_MODEL_CHARACTERS: usize = 300;

    /// Bytes of the text of all messages of one request: some 250,000 tokens, more than most models
    /// read.
    pub const MAX_MODEL_REQUEST_BYTES: usize = 1024 * 1024;

    /// Messages of one request.
    pub const MAX_MODEL_MESSAGES: usize = 200;

    /// Braces in a text that are tried as the beginning of an object: prose has few braces.
    pub const MAX_JSON_CANDIDATES: usize = 64;

    /// Bytes of text before an object up to which the field of the object is still streamed: enough
    /// for a greeting, too short for thoughts.
    pub const MAX_WORDS_AHEAD_BYTES: usize = 48;

    /// Characters of the name of a model in the environment variable: the longest names in use have
    /// some 60.
    pub const MAX_MODEL_NAME_CHARACTERS: usize = 128;

    /// Bytes of `MODEL_API_KEY`: servers refuse longer headers.
    pub const MAX_MODEL_API_KEY_BYTES: usize = 8 * 1024;

    /// Dollars for a million tokens, and for the budget of a day, that a deployment may configure:
    /// a higher number is a typing error.
    pub const MAX_MODEL_DOLLARS: u64 = 1_000_000;
}
