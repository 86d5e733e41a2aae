//! Look-ups in persistent tables, as in [`crate::approved`]: two round trips over the network for
//! all columns, and one more if a column has so many values that its table must be read again for
//! the others.

use std::collections::HashMap;

use base::Result;
use sql_gate::Parameters;

use super::super::Persistent;
use super::super::remote::{Outcome, RemoteDatabase};
use crate::approved::LookupRequest;
use crate::approved::lookup::{Budget, Findings, Scan};
use crate::approved::samples::count_text;
use crate::limits::PERSISTENT_LOOKUP_ROWS;

/// Looks up the requested texts. Returns the members of the response.
///
/// # Errors
/// The database's, or the gate's refusal of the scope.
pub(super) async fn read<R: RemoteDatabase>(
    persistent: &Persistent<'_, R>,
    request: &LookupRequest,
) -> Result<String> {
    let catalog = persistent.catalog().await?;
    let stored = persistent.scope_tables(&catalog).await?;
    let mut budget = Budget::new(PERSISTENT_LOOKUP_ROWS);
    let mut next = Scan::of(request);
    let counting: Vec<_> = next
        .iter()
        .map(|scan| {
            let text = count_text(scan.table, budget.left());
            persistent.reviewed(&text, &stored, &Parameters::None)
        })
        .collect::<Result<_>>()?;
    let counts = persistent.own_batch(&counting).await?;
    let tables = next.iter().map(|scan| scan.table);
    let counts: HashMap<&str, u64> = tables
        .zip(counts)
        .filter_map(|(table, outcome)| Some((table, outcome.into_first_cell()?.as_count())))
        .collect();
    let mut findings = Findings::default();
    while !next.is_empty() {
        let mut scans = Vec::new();
        let mut statements = Vec::new();
        for mut scan in next {
            let rows = counts.get(scan.table).copied().unwrap_or(u64::MAX);
            let others = budget.cut(&mut scan, 0, rows);
            findings.add_unread(&others);
            if !scan.columns.is_empty() {
                let parameters = Scan::parameters(request);
                statements.push(persistent.reviewed(&scan.text(request), &stored, &parameters)?);
                scans.push(scan);
            }
        }
        let outcomes = persistent.own_batch(&statements).await?;
        next = scans
            .iter()
            .zip(outcomes)
            .filter_map(|(scan, Outcome { rows, .. })| findings.add(scan, Some(rows), request))
            .collect();
    }
    Ok(findings.members(request))
}
