//! What models cost a tenant, by day (UTC). A call reserves what it may cost at most before it begins, and is settled with what it did cost: calls at the
//! same time cannot spend the same dollar twice. It lies in the database of the tenant's index, as the memory does.

use database::{Bind, Database, DatabaseExt};
use serde::{Deserialize, Serialize};

use base::Result;

const SPENT: &str = "SELECT microdollars FROM agent_spending WHERE day = ?";
const ADD: &str = "INSERT INTO agent_spending (day, input_tokens, output_tokens, calls, microdollars) VALUES (?, ?, ?, ?, max(0, ?)) \
     ON CONFLICT (day) DO UPDATE SET input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens, \
     calls = calls + excluded.calls, microdollars = max(0, microdollars + ?)";

/// What a call asks before it begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reservation {
    /// As `2026-11-25`.
    pub day: String,
    /// What it costs at most, in millionths of a dollar.
    pub microdollars: u64,
    /// What the tenant may spend on that day, in millionths of a dollar.
    pub limit: u64,
}

/// What a call cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settlement {
    /// As in the reservation.
    pub day: String,
    /// What was reserved.
    pub reserved: u64,
    /// What it cost.
    pub microdollars: u64,
    /// Tokens that the model read.
    pub input_tokens: u64,
    /// Tokens that it wrote.
    pub output_tokens: u64,
}

/// What a reservation comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserved {
    /// Whether the call may begin.
    pub granted: bool,
    /// What is spent and reserved on that day without it.
    pub spent: u64,
}

/// Reserves what a call may cost, if the day has it.
///
/// # Errors
/// The engine's.
pub fn reserve<D: Database>(db: &D, reservation: &Reservation) -> Result<Reserved> {
    let spent = db
        .cell(SPENT, &[Bind::text(&reservation.day)])?
        .map_or(0, |cell| cell.as_count());
    let granted = spent.saturating_add(reservation.microdollars) <= reservation.limit;
    if granted {
        add(db, &reservation.day, (0, 0, 0), reservation.microdollars, 0)?;
    }
    Ok(Reserved { granted, spent })
}

/// Puts what a call cost in the place of what it reserved.
///
/// # Errors
/// The engine's.
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
