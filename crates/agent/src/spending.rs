//! The cost of models for a tenant, by day (UTC). A call reserves its maximum cost before it begins
//! and settles its real cost afterwards, so calls at the same time cannot spend the same dollar
//! twice. The sums are in the database of the tenant's index, like the memory.

use database::{Bind, Database, DatabaseExt};
use serde::{Deserialize, Serialize};

use base::Result;

const SPENT: &str = "SELECT microdollars FROM agent_spending WHERE day = ?";
const ADD: &str = "INSERT INTO agent_spending (day, input_tokens, output_tokens, calls, microdollars) VALUES (?, ?, ?, ?, max(0, ?)) \
     ON CONFLICT (day) DO UPDATE SET input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens, \
     calls = calls + excluded.calls, microdollars = max(0, microdollars + ?)";

/// A request to reserve the cost of a call before it begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reservation {
    /// The day, as `2026-11-25`.
    pub day: String,
    /// The maximum cost of the call, in millionths of a dollar.
    pub microdollars: u64,
    /// The tenant's limit for that day, in millionths of a dollar.
    pub limit: u64,
}

/// The real cost of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settlement {
    /// The day of the reservation.
    pub day: String,
    /// The reserved amount, in millionths of a dollar.
    pub reserved: u64,
    /// The real cost, in millionths of a dollar.
    pub microdollars: u64,
    /// Tokens that the model read.
    pub input_tokens: u64,
    /// Tokens that the model wrote.
    pub output_tokens: u64,
}

/// The result of a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReservationOutcome {
    /// True if the call may begin.
    pub granted: bool,
    /// The amount spent and reserved on that day without this call, in millionths of a dollar.
    pub spent: u64,
}

/// Reserves the maximum cost of a call if the day's limit allows it.
///
/// # Errors
/// Errors of the database.
pub fn reserve<D: Database>(db: &D, reservation: &Reservation) -> Result<ReservationOutcome> {
    let spent = db
        .cell(SPENT, &[Bind::text(&reservation.day)])?
        .map_or(0, |cell| cell.as_count());
    let granted = spent.saturating_add(reservation.microdollars) <= reservation.limit;
    if granted {
        add(db, &reservation.day, (0, 0, 0), reservation.microdollars, 0)?;
    }
    Ok(ReservationOutcome { granted, spent })
}

/// Replaces the reserved amount of a call by its real cost.
///
/// # Errors
/// Errors of the database.
pub fn settle<D: Database>(db: &D, settlement: &Settlement) -> Result<()> {
    let tokens = (settlement.input_tokens, settlement.output_tokens, 1);
    add(
        db,
        &settlement.day,
        tokens,
        settlement.microdollars,
        settlement.reserved,
    )
}

fn add<D: Database>(
    db: &D,
    day: &str,
    (input, output, calls): (u64, u64, u64),
    more: u64,
    less: u64,
) -> Result<()> {
    #[expect(
        clippy::cast_precision_loss,
        reason = "sums of a day in millionths of a dollar stay far below 2^53"
    )]
    let change = Bind::Real(more as f64 - less as f64);
    let binds = [
        Bind::text(day),
        Bind::number(input),
        Bind::number(output),
        Bind::number(calls),
        change.clone(),
        change,
    ];
    db.run(ADD, &binds)?;
    Ok(())
}
