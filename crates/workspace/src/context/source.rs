//! The store of a workspace at one version, as a search asks it.

use std::collections::HashSet;

use base::{Error, Result};
use code::retrieval as store;
use code::retrieval::ColumnWeights;
use database::Database;
use retrieval::fuse::Hit;
use retrieval::words::COLUMN_WEIGHTS;
use retrieval::{Item, Source, Text};

use crate::item;
use crate::limits::FILTERED_CANDIDATES;
use crate::vectors::{Vectors, item_number};

/// One version of a workspace, behind a filter.
pub(super) struct Searched<'a, D: Database> {
    pub db: &'a D,
    pub version: u64,
    /// The version that stands now.
    pub present: u64,
    pub vectors: &'a mut Vectors,
    /// The rows that pass the filter; none where everything passes.
    pub allowed: Option<HashSet<i64>>,
}

impl<D: Database> Searched<'_, D> {
    /// How many rows a list is asked for.
    fn asked(&self, limit: usize) -> usize {
        if self.allowed.is_some() {
            limit.max(FILTERED_CANDIDATES)
        } else {
            limit
        }
    }

    fn passing(&self, mut hits: Vec<Hit>, limit: usize) -> Vec<Hit> {
        if let Some(allowed) = &self.allowed {
            hits.retain(|hit| allowed.contains(&hit.id));
        }
        hits.truncate(limit);
        hits
    }
}

impl<D: Database> Source for Searched<'_, D> {
    type Error = Error;

    fn text(&mut self, expression: &str, limit: usize) -> Result<Option<Vec<Hit>>> {
        if store::indexed(self.db, self.version)? == 0 {
            return Ok(None);
        }
        let [name, path, body] = COLUMN_WEIGHTS;
        let weights = ColumnWeights { name, path, body };
        let asked = self.asked(limit) as u64;
        let filter = store::Filter::default();
        let found = store::matches(self.db, self.version, expression, weights, &filter, asked)?;
        let hits = found.into_iter().map(|found| Hit {
            id: item::row(found.item),
            score: -found.rank,
        });
        Ok(Some(self.passing(hits.collect(), limit)))
    }

    fn near(&mut self, question: &str, limit: usize) -> Result<Option<Vec<Hit>>> {
        let asked = self.asked(limit);
        let found = self.vectors.near(self.db, self.version, question, asked)?;
        Ok(found.map(|hits| self.passing(hits, limit)))
    }

    fn named(&mut self, names: &[String], limit: usize) -> Result<Vec<i64>> {
        let found = store::named(self.db, self.version, names, limit as u64)?;
        let rows = found.into_iter().map(item::row);
        let allowed = self.allowed.as_ref();
        Ok(rows
            .filter(|row| allowed.is_none_or(|allowed| allowed.contains(row)))
            .collect())
    }

    fn items(&mut self, rows: &[i64]) -> Result<Vec<Item>> {
        let numbers: Vec<u64> = rows.iter().copied().map(item_number).collect();
        let found = store::item_rows(self.db, self.version, &numbers)?;
        Ok(found.iter().map(item::of).collect())
    }

    fn read(&mut self, item: &Item) -> Result<Text> {
        let found = store::documents(self.db, self.version, &[item_number(item.row)])?;
        let Some(document) = found.into_iter().next() else {
            return Ok(Text::Missing);
        };
        let is_past = self.version != self.present
            && store::file_hash(self.db, self.present, &item.file_path)?.as_deref()
                != Some(document.file_hash.as_str());
        if is_past {
            return Ok(Text::Stale {
                text: document.text,
            });
        }
        let signature = document.item.signature;
        Ok(Text::Current {
            text: document.text,
            signature: (!signature.is_empty()).then_some(signature),
        })
    }
}
