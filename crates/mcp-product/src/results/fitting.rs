//! Fits results into the size limit: a response that is too long is requested again with fewer
//! entries, so that its cursor and its counts stay those of the object.

use crate::McpServerError;
use base::{Error, Result};

/// The maximum number of requests for one result. Each asks for about as many entries as should
/// fit, calculated from the last response. More than two are needed because entries differ in size.
const ROUNDS: usize = 6;

/// A response, measured in tokens.
pub(crate) enum Attempt<T> {
    /// It fits, or it cannot be made smaller.
    Fits(T),
    /// It is too long.
    TooLong {
        /// The number of entries.
        had: u64,
        /// The number of entries that should fit.
        fits: u64,
    },
}

/// The list to fit, as an error names it.
pub(crate) struct List {
    pub what: &'static str,
    /// The argument that limits the size of the result.
    pub argument: &'static str,
    pub limit_tokens: usize,
}

impl List {
    /// Requests the list with smaller limits until it fits. Without a first limit, the object's own
    /// applies.
    ///
    /// # Errors
    /// [`McpServerError::ResultTooLarge`] if no attempt fits, and the errors of `request`.
    pub(crate) async fn fit<T>(
        &self,
        mut limit: Option<u64>,
        mut request: impl AsyncFnMut(Option<u64>) -> Result<Attempt<T>>,
    ) -> Result<T> {
        for _ in 0..ROUNDS {
            match request(limit).await? {
                Attempt::Fits(result) => return Ok(result),
                Attempt::TooLong { had, fits } => {
                    limit = Some(fits.clamp(1, had.saturating_sub(1).max(1)));
                }
            }
        }
        Err(Error::from(McpServerError::ResultTooLarge {
            what: self.what,
            limit_tokens: self.limit_tokens,
            hint: format!("repeat the call with a smaller {}", self.argument),
        }))
    }
}
