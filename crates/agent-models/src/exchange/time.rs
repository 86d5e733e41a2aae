//! The time limits of a response: in total, until it begins, and between two pieces.

use std::future::Future;
use std::pin::pin;

use futures::future::{Either, select};
use net::transport::Clock;

use crate::error::{ModelError, Wait};
use crate::limits::{
    DEFAULT_MODEL_FIRST_BYTE_MS, DEFAULT_MODEL_STALL_MS, DEFAULT_MODEL_TIMEOUT_MS,
};

/// The time limits for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimits {
    /// Milliseconds for the whole response, with its retries.
    pub timeout_ms: u64,
    /// Milliseconds until the first byte of each attempt.
    pub first_byte_ms: u64,
    /// Milliseconds between two pieces.
    pub stall_ms: u64,
}

impl Default for TimeLimits {
    fn default() -> Self {
        Self {
            timeout_ms: DEFAULT_MODEL_TIMEOUT_MS,
            first_byte_ms: DEFAULT_MODEL_FIRST_BYTE_MS,
            stall_ms: DEFAULT_MODEL_STALL_MS,
        }
    }
}

/// The timer of one response.
pub(crate) struct Time<'a, C> {
    clock: &'a C,
    patience: TimeLimits,
    deadline_ms: u64,
    attempt_ms: u64,
}

impl<'a, C: Clock> Time<'a, C> {
    /// Starts the time of the response now.
    pub(crate) fn new(clock: &'a C, patience: TimeLimits) -> Self {
        let now_ms = clock.now_ms();
        Self {
            clock,
            patience,
            deadline_ms: now_ms.saturating_add(patience.timeout_ms),
            attempt_ms: now_ms,
        }
    }

    /// Restarts the wait for the first byte, for the next attempt.
    pub(crate) fn begin_attempt(&mut self) {
        self.attempt_ms = self.clock.now_ms();
    }

    /// Returns the milliseconds that are left of the total time.
    pub(crate) fn left_ms(&self) -> u64 {
        self.deadline_ms.saturating_sub(self.clock.now_ms())
    }

    /// Waits for work that ends at the latest with the first byte.
    pub(crate) async fn first_byte<F: Future>(&self, work: F) -> Result<F::Output, ModelError> {
        let gone_ms = self.clock.now_ms().saturating_sub(self.attempt_ms);
        let left_ms = self.patience.first_byte_ms.saturating_sub(gone_ms);
        self.within(work, left_ms, Wait::FirstByte).await
    }

    /// Waits for the next piece.
    pub(crate) async fn next_byte<F: Future>(&self, work: F) -> Result<F::Output, ModelError> {
        self.within(work, self.patience.stall_ms, Wait::NextByte)
            .await
    }

    /// Waits for work that may take all the time that is left.
    pub(crate) async fn whole<F: Future>(&self, work: F) -> Result<F::Output, ModelError> {
        self.within(work, u64::MAX, Wait::End).await
    }

    async fn within<F: Future>(
        &self,
        work: F,
        limit_ms: u64,
        waited_for: Wait,
    ) -> Result<F::Output, ModelError> {
        let left_ms = self.left_ms();
        let waited_for = if left_ms <= limit_ms {
            Wait::End
        } else {
            waited_for
        };
        // If the pieces of a body were always ready, the timer would never fire.
        if left_ms > 0
            && let Either::Left((output, _)) =
                select(pin!(work), pin!(self.clock.sleep(left_ms.min(limit_ms)))).await
        {
            return Ok(output);
        }
        // Dropping the work closes its connection.
        Err(ModelError::Timeout {
            waited_for,
            limit_ms: match waited_for {
                Wait::FirstByte => self.patience.first_byte_ms,
                Wait::NextByte => self.patience.stall_ms,
                Wait::End => self.patience.timeout_ms,
            },
        })
    }
}
