//! Look-ups in persistent tables: as [`crate::approved`] makes them, in two ways over the network for all columns.

use base::Result;
use sql::Parameters;

use super::super::Persistent;
use super::super::remote::{Outcome, RemoteDatabase};
use crate::approved::LookupRequest;
use crate::approved::lookup::{Budget, Findings, Kind};
use crate::limits::PERSISTENT_LOOKUP_ROWS;

/// The members of the response.
///
/// # Errors
/// The database's, or what the gate says of the scope.
pub(super) async fn read<R: RemoteDatabase>(
    persistent: &Persistent<'_, R>,
    request: &LookupRequest,
) -> Result<String> {
    let catalog = persistent.catalog().await?;
    let stored = persistent.scope_tables(&catalog).await?;
    let mut budget = Budget::new(PERSISTENT_LOOKUP_ROWS);
    let mut tables: Vec<&str> = request
        .columns
        .iter()
        .map(|place| place.table.as_str())
        .collect();
    tables.sort_unstable();
    tables.dedup();
    let counting: Vec<_> = tables
        .iter()
        .filter_map(|table| budget.counting(table))
        .map(|text| persistent.reviewed(&text, &stored, &Parameters::None))
        .collect::<Result<_>>()?;
    let counts = persistent.own_batch(&counting).await?;
    for (table, outcome) in tables.into_iter().zip(counts) {
        if let Some(cell) = outcome.into_first_cell() {
            budget.counted(table, cell.as_count());
        }
    }
    let mut findings = Findings::default();
    let mut asked = Vec::new();
    let mut statements = Vec::new();
    for place in &request.columns {
        for kind in Kind::of(request) {
            if budget.take(&place.table) {
                let text = kind.text(place, request);
                statements.push(persistent.reviewed(&text, &stored, &kind.parameters(request))?);
                asked.push((kind, place));
            } else {
                findings.add(kind, place, None, request);
            }
        }
    }
    let outcomes = persistent.own_batch(&statements).await?;
    for ((kind, place), Outcome { rows, .. }) in asked.into_iter().zip(outcomes) {
        findings.add(kind, place, Some(rows), request);
    }
    Ok(findings.members())
}
