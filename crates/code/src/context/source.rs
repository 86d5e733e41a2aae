//! The store of a workspace at one version, as the source of a search.

use std::collections::HashSet;

use base::{Error, Result};
use code_model::retrieval as store;
use code_model::retrieval::{ColumnWeights, Selection};
use code_search::fuse::Hit;
use code_search::words::COLUMN_WEIGHTS;
use code_search::{Item, Source, Text};
use database::Database;

use crate::item;
use crate::vectors::{NearestQuery, QuestionVector, Vectors, item_number};

/// One version of a workspace, restricted to the items that the filters of a request let through.
pub(super) struct WorkspaceSource<'a, D: Database> {
    pub db: &'a D,
    pub version: u64,
    /// The present version.
    pub present: u64,
    pub vectors: &'a mut Vectors,
    /// The vector of the question.
    pub question: &'a QuestionVector,
    /// The items that the filters let through.
    pub chosen: Selection,
    /// The rows that the filters let through; `None` if they let all through.
    pub allowed: Option<HashSet<i64>>,
}

impl<D: Database> WorkspaceSource<'_, D> {
    /// Looks up the rows that the filters let through. The search by vectors compares only these.
    pub fn look_up(&mut self) -> Result<()> {
        self.allowed = if self.chosen.is_all() {
            None
        } else {
            let found = store::filtered(self.db, self.version, &self.chosen)?;
            Some(found.into_iter().map(item::row).collect())
        };
        Ok(())
    }
}

impl<D: Database> Source for WorkspaceSource<'_, D> {
    type Error = Error;

    fn text(&mut self, expression: &str, limit: usize) -> Result<Option<Vec<Hit>>> {
        if !store::is_indexed(self.db, self.version)? {
            return Ok(None);
        }
        let [name, path, body] = COLUMN_WEIGHTS;
        let weights = ColumnWeights { name, path, body };
        let limit = limit as u64;
        let found = store::matches(
            self.db,
            self.version,
            expression,
            weights,
            &self.chosen,
            limit,
        )?;
        let hits = found.into_iter().map(|found| Hit {
            id: item::row(found.item),
            score: -found.rank,
        });
        Ok(Some(hits.collect()))
    }

    fn near(&mut self, question: &str, limit: usize) -> Result<Option<Vec<Hit>>> {
        self.vectors.near(
            self.db,
            self.version,
            NearestQuery {
                question,
                asked: self.question,
                allowed: self.allowed.as_ref(),
                limit,
            },
        )
    }

    fn named(&mut self, names: &[String], limit: usize) -> Result<Vec<i64>> {
        let found = store::named(self.db, self.version, names, &self.chosen, limit as u64)?;
        Ok(found.into_iter().map(item::row).collect())
    }

    fn items(&mut self, rows: &[i64]) -> Result<Vec<Item>> {
        let numbers: Vec<u64> = rows.iter().copied().map(item_number).collect();
        let found = store::item_rows(self.db, self.version, &numbers)?;
        let holders: Vec<u64> = found
            .iter()
            .filter(|found| item::is_shown_by_its_head(found.kind))
            .map(|found| found.item)
            .collect();
        let mut firsts = if holders.is_empty() {
            Vec::new()
        } else {
            store::first_inside(self.db, self.version, &holders)?
        };
        let mut items = Vec::with_capacity(found.len());
        for row in &found {
            let first = firsts.iter().position(|first| first.item == row.item);
            items.push(item::of(row, first.map(|at| firsts.swap_remove(at))));
        }
        Ok(items)
    }

    fn read(&mut self, item: &Item) -> Result<Text> {
        let Some(found) = store::text(self.db, self.version, item_number(item.row))? else {
            return Ok(Text::Missing);
        };
        let text = found.text;
        let length = item.range.1.saturating_sub(item.range.0);
        let length = usize::try_from(length)
            .unwrap_or(usize::MAX)
            .min(text.len());
        let is_whole = length == text.len();
        let text = if is_whole {
            text
        } else {
            let head = text.get(..length).unwrap_or_default();
            head.trim_end().to_owned()
        };
        let is_past = self.version != self.present
            && store::file_hash(self.db, self.present, &item.file_path)?.as_deref()
                != Some(found.file_hash.as_str());
        if is_past {
            return Ok(Text::Stale { text });
        }
        if text.trim().is_empty() && !is_whole {
            return self.outline(item);
        }
        let signature = found.item.signature;
        Ok(Text::Current {
            text,
            signature: (!signature.is_empty()).then_some(signature),
        })
    }
}

impl<D: Database> WorkspaceSource<'_, D> {
    /// Returns the signatures of the items inside of an item that has no text of its own.
    fn outline(&self, item: &Item) -> Result<Text> {
        let inside = store::inside(self.db, self.version, &item.id)?;
        let heads: Vec<String> = inside
            .into_iter()
            .map(|inside| inside.signature)
            .filter(|signature| !signature.is_empty())
            .collect();
        Ok(if heads.is_empty() {
            Text::Outline {
                text: item.canon_path.clone(),
            }
        } else {
            Text::Outline {
                text: heads.join("\n"),
            }
        })
    }
}
