//! Looks up texts in the tables of a session, reading each table once, within a budget of work.

use std::collections::HashMap;

use base::Result;
use database::{Cell, Database};
use sql_cost::Meter;
use sql_gate::compose::quote_identifier;
use sql_gate::{Bound, Parameters, Policy};

use super::capture::sizes;
use super::lookup::{Budget, Findings, Scan};
use super::request::{ColumnPlace, JoinPlace, LookupRequest};
use super::scope::reviewed;
use crate::error::affordable;
use crate::limits::{
    LOOKUP_BYTES_OF_WORK, LOOKUP_FOUND_WORK, LOOKUP_JOIN_WORK, LOOKUP_MEASURE_WORK,
    LOOKUP_NEAR_WORK, LOOKUP_STATEMENT_WORK, LOOKUP_VALUE_WORK, LOOKUP_WORK,
};
use crate::{Session, inspect};

/// The size of a table.
struct Measured {
    rows: u64,
    bytes: u64,
}

/// The look-ups of one request.
struct Lookups<'a, D: Database> {
    session: &'a Session<'a, D>,
    request: &'a LookupRequest,
    /// The limit on the work of the caller's expressions: the smaller of the budget of all look-ups
    /// and the limit for one statement.
    meter: Meter<'a>,
    budget: Budget,
    /// The numbers of rows of the tables that were read.
    rows_of: HashMap<&'a str, u64>,
}

/// Looks up the requested texts. Returns the members of the response.
///
/// # Errors
/// The engine's, or the gate's refusal of the scope.
pub(super) fn read<D: Database>(
    session: &Session<'_, D>,
    request: &LookupRequest,
) -> Result<String> {
    let policy = session.policy();
    let policy = Policy {
        max_query_work: policy.max_query_work.min(LOOKUP_WORK),
        ..policy
    };
    let mut lookups = Lookups {
        session,
        request,
        meter: Meter::new(policy, &session.cache.counts),
        budget: Budget::new(LOOKUP_WORK),
        rows_of: HashMap::new(),
    };
    let mut findings = Findings::default();
    for scan in Scan::of(request) {
        let Some(measured) = lookups.measure(scan.table)? else {
            findings.add_unread(&scan.columns);
            continue;
        };
        lookups.rows_of.insert(scan.table, measured.rows);
        let mut next = Some(scan);
        while let Some(mut scan) = next {
            let others = lookups.cut(&mut scan, &measured);
            findings.add_unread(&others);
            if scan.columns.is_empty() {
                break;
            }
            let rows = lookups.scan(&scan)?;
            next = findings.add(&scan, rows, request);
        }
    }
    for join in &request.joins {
        let counts = lookups.compare(join)?;
        findings.add_join(join, &counts);
    }
    Ok(findings.members(request))
}

impl<'a, D: Database> Lookups<'a, D> {
    fn bound(&self, text: &str, parameters: &Parameters) -> Result<Bound> {
        let scope = self.request.scope.as_ref();
        let reviewed = reviewed(self.session.db, text, self.meter.policy(), scope)?;
        reviewed.bind(parameters)
    }

    fn rows(&self, table: &str, bound: &Bound) -> Result<Vec<Vec<Cell>>> {
        let db = self.session.db;
        let fail = |error| sql_gate::explain::explain(db, &error, bound);
        let mut cursor = self.meter.open(db, table, bound)?;
        let mut rows = Vec::new();
        while let Some(row) = database::Cursor::next(&mut cursor).map_err(fail)? {
            rows.push(row);
        }
        Ok(rows)
    }

    /// Returns the number of rows in a table and their size; `None` if measuring the table or
    /// reading one of its columns is too much work.
    fn measure(&mut self, name: &str) -> Result<Option<Measured>> {
        let table = inspect::load_table(self.session.db, name)?;
        let stored = table.columns.iter();
        let stored = stored.filter(|column| !column.info.hidden && !column.generated);
        let columns: Vec<String> = stored
            .map(|column| quote_identifier(&column.info.name))
            .collect();
        let one_row = LOOKUP_MEASURE_WORK.saturating_mul(columns.len() as u64 + 1);
        if !self.budget.take(LOOKUP_STATEMENT_WORK) {
            return Ok(None);
        }
        let most = self.budget.left() / (LOOKUP_VALUE_WORK + one_row);
        let size = if columns.is_empty() {
            "0".to_owned()
        } else {
            sizes(columns.into_iter())
        };
        let text = format!(
            "SELECT count(*), coalesce(sum(size), 0) FROM (SELECT {size} AS size FROM {} LIMIT {})",
            quote_identifier(name),
            most.saturating_add(1)
        );
        let bound = self.bound(&text, &Parameters::None)?;
        if self.request.scope.is_some() {
            // The scan also passes the rows of other tenants, which the number of found rows does
            // not include.
            let weighed = self.meter.weigh(self.session.db, &bound, 1);
            let (Some(work), _) = affordable(weighed)? else {
                return Ok(None);
            };
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "`as` saturates, which is what a budget wants"
            )]
            if !self.budget.take(work as u64) {
                return Ok(None);
            }
        }
        let (rows, _) = affordable(self.rows(name, &bound))?;
        let mut cells = rows.into_iter().flatten().flatten();
        let (Some(rows), Some(bytes)) = (cells.next(), cells.next()) else {
            return Ok(None);
        };
        let (rows, bytes) = (rows.as_count(), bytes.as_count());
        self.budget.spend(rows.saturating_mul(one_row));
        Ok((rows <= most).then_some(Measured { rows, bytes }))
    }

    /// Returns the counts of two columns whose values are compared; none if that is too much work.
    fn compare(&mut self, join: &'a JoinPlace) -> Result<Vec<Cell>> {
        let mut rows = 0_u64;
        for table in [join.child.table.as_str(), join.parent.table.as_str()] {
            let known = self.rows_of.get(table).copied();
            let known = match known {
                Some(known) => Some(known),
                None => self.measure(table)?.map(|measured| measured.rows),
            };
            let Some(known) = known else {
                return Ok(Vec::new());
            };
            self.rows_of.insert(table, known);
            rows = rows.saturating_add(known);
        }
        let work = rows.saturating_mul(LOOKUP_JOIN_WORK);
        if !self.budget.take(work.saturating_add(LOOKUP_STATEMENT_WORK)) {
            return Ok(Vec::new());
        }
        let bound = self.bound(&join.text(), &Parameters::None)?;
        let (rows, _) = affordable(self.rows(&join.child.table, &bound))?;
        Ok(rows.into_iter().flatten().next().unwrap_or_default())
    }

    /// Cuts a scan to the columns that the budget covers. Returns the other columns.
    fn cut<'b>(&mut self, scan: &mut Scan<'b>, measured: &Measured) -> Vec<&'b ColumnPlace> {
        let near = LOOKUP_NEAR_WORK.saturating_mul(self.request.near.len() as u64);
        let column = measured.rows.saturating_mul(LOOKUP_VALUE_WORK + near);
        let table = LOOKUP_STATEMENT_WORK.saturating_add(measured.bytes / LOOKUP_BYTES_OF_WORK);
        self.budget.cut(scan, table, column)
    }

    /// Returns the rows that a scan finds; `None` if it is too much work.
    fn scan(&mut self, scan: &Scan<'_>) -> Result<Option<Vec<Vec<Cell>>>> {
        let bound = self.bound(&scan.text(self.request), &Scan::parameters(self.request))?;
        let (rows, _) = affordable(self.rows(scan.table, &bound))?;
        let found = rows.as_ref().map_or(0, Vec::len) as u64;
        self.budget.spend(found.saturating_mul(LOOKUP_FOUND_WORK));
        Ok(rows)
    }
}
