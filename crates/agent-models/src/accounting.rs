//! Tokens, their cost, and the check of a budget. Pure functions: the caller stores the sums.
//!
//! Costs are whole microdollars, rounded up, so that many small requests are never free.

use crate::error::ModelError;
use crate::request::ModelRequest;
pub use crate::usage::Usage;

/// Microdollars in a dollar.
pub const MICRODOLLARS: u64 = 1_000_000;

/// The number of tokens that prices refer to.
const PRICED_TOKENS: u128 = 1_000_000;

/// The average bytes of a token, estimated low: 4 in English, 3 in Chinese or in SQL with many
/// short names.
const TOKEN_BYTES: usize = 3;

/// Tokens for the envelope of each text of a request: a message, the system text, or the schema.
const ENVELOPE_TOKENS: u64 = 8;

/// The period of a budget: a day in UTC.
const PERIOD_MS: u64 = 24 * 60 * 60 * 1000;

/// Estimates the tokens of a text, rather too high than too low.
pub fn estimated_tokens(text: &str) -> u64 {
    text.len().div_ceil(TOKEN_BYTES) as u64
}

/// Estimates the input tokens of a request, rather too high than too low.
pub fn estimated_input_tokens(request: &ModelRequest) -> u64 {
    let schema = request.structure().map(|structure| structure.schema_text());
    let texts = request
        .messages()
        .iter()
        .map(|message| message.text.as_str())
        .chain([request.system()])
        .chain(schema.as_deref());
    texts
        .map(|text| estimated_tokens(text).saturating_add(ENVELOPE_TOKENS))
        .fold(0, u64::saturating_add)
}

/// The prices of a provider, in microdollars for a million tokens. Without prices, everything is
/// free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Prices {
    /// The price of tokens that the model reads.
    pub input_per_million: u64,
    /// The price of tokens that the model writes.
    pub output_per_million: u64,
}

impl Prices {
    /// Returns the cost of these tokens, in microdollars, rounded up.
    pub fn cost(&self, usage: &Usage) -> u64 {
        let part = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        let input = part(usage.input_tokens, self.input_per_million);
        let output = part(usage.output_tokens, self.output_per_million);
        let microdollars = input.saturating_add(output).div_ceil(PRICED_TOKENS);
        u64::try_from(microdollars).unwrap_or(u64::MAX)
    }

    /// Estimates the maximum cost of a request that succeeds without a retry, in microdollars. The
    /// caller reserves this amount of a budget while the request is in progress.
    pub fn reservation(&self, request: &ModelRequest) -> u64 {
        self.cost(&Usage {
            input_tokens: estimated_input_tokens(request),
            output_tokens: u64::from(request.max_output_tokens()),
            estimated: true,
        })
    }
}

/// The budget of a tenant for models, for one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The limit in microdollars.
    pub per_day: u64,
}

impl Budget {
    /// Returns the number of the day of a time in milliseconds since 1970. Sums are stored by this
    /// number.
    pub fn period(now_ms: u64) -> u64 {
        now_ms / PERIOD_MS
    }

    /// Returns the time at which the next day begins, in milliseconds since 1970.
    pub fn resets_at_ms(now_ms: u64) -> u64 {
        Self::period(now_ms)
            .saturating_add(1)
            .saturating_mul(PERIOD_MS)
    }

    /// Checks that a request with the maximum cost `reserved` fits into the budget. `spent` is the
    /// cost of the period so far, with the requests in progress.
    ///
    /// # Errors
    /// [`ModelError::BudgetExceeded`].
    pub fn check(&self, spent: u64, reserved: u64, now_ms: u64) -> Result<(), ModelError> {
        if spent < self.per_day && spent.saturating_add(reserved) <= self.per_day {
            return Ok(());
        }
        Err(ModelError::BudgetExceeded {
            spent_microdollars: spent,
            reserved_microdollars: reserved,
            limit_microdollars: self.per_day,
            resets_at_ms: Self::resets_at_ms(now_ms),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICES: Prices = Prices {
        input_per_million: 150_000,
        output_per_million: 600_000,
    };

    fn usage(input_tokens: u64, output_tokens: u64) -> Usage {
        Usage {
            input_tokens,
            output_tokens,
            estimated: false,
        }
    }

    #[test]
    fn usages_add_up_and_an_estimate_stays_one() {
        let estimated = Usage {
            estimated: true,
            ..usage(1, 2)
        };
        let sum: Usage = [usage(10, 20), estimated, usage(u64::MAX, 0)]
            .into_iter()
            .sum();
        assert_eq!(
            sum,
            Usage {
                input_tokens: u64::MAX,
                output_tokens: 22,
                estimated: true
            }
        );
    }

    #[test]
    fn costs_are_whole_microdollars_rounded_up() {
        for (tokens, microdollars) in [
            ((0, 0), 0),
            ((1, 0), 1),
            ((1_000_000, 0), 150_000),
            ((0, 1_000_000), 600_000),
            ((1_234, 567), 526),
            ((20, 0), 3),
        ] {
            assert_eq!(
                PRICES.cost(&usage(tokens.0, tokens.1)),
                microdollars,
                "{tokens:?}"
            );
        }
        assert_eq!(Prices::default().cost(&usage(u64::MAX, u64::MAX)), 0);
        let dear = Prices {
            input_per_million: u64::MAX,
            output_per_million: u64::MAX,
        };
        assert_eq!(dear.cost(&usage(u64::MAX, u64::MAX)), u64::MAX);
    }

    #[test]
    fn a_budget_has_room_up_to_its_limit_and_not_beyond() {
        let budget = Budget { per_day: 100 };
        assert_eq!(budget.check(0, 100, 0), Ok(()));
        assert_eq!(budget.check(40, 60, 0), Ok(()));
        for (spent, reserved) in [(41, 60), (100, 0), (0, 101), (u64::MAX, u64::MAX)] {
            let refused = budget.check(spent, reserved, PERIOD_MS + 5);
            assert_eq!(
                refused,
                Err(ModelError::BudgetExceeded {
                    spent_microdollars: spent,
                    reserved_microdollars: reserved,
                    limit_microdollars: 100,
                    resets_at_ms: 2 * PERIOD_MS,
                })
            );
        }
    }

    #[test]
    fn a_period_is_a_day_of_utc() {
        assert_eq!(Budget::period(PERIOD_MS - 1), 0);
        assert_eq!(Budget::period(PERIOD_MS), 1);
        assert_eq!(Budget::resets_at_ms(PERIOD_MS - 1), PERIOD_MS);
    }

    #[test]
    fn a_reservation_covers_what_the_request_may_write() {
        let request = crate::tests::world::request();
        let reserved = PRICES.reservation(&request);
        let least = PRICES.cost(&usage(0, u64::from(request.max_output_tokens())));
        assert!(reserved > least, "{reserved} > {least}");
        assert!(estimated_tokens("äöü") >= 2 && estimated_tokens("") == 0);
    }
}
