//! The vectors of a workspace's items: made of their texts, stored with the items, and held in memory for the search.
//!
//! An item that only moves keeps its vector. What is in memory follows the versions of the workspace: it is read when somebody first asks, and brought
//! up to date with what came and went since.

use std::collections::HashSet;

use base::{Error, Result};
use code::retrieval::{self as store, Document};
use database::Database;
use retrieval::fuse::Hit;
use retrieval::vectors::{Matrix, Model, quantise};

use crate::limits::{EMBEDDED_AT_A_TIME, RECENTRED_PERCENT};
use crate::item::{number, row};

/// What makes vectors, and those that are in memory.
pub struct Vectors {
    model: Model,
    held: Option<Held>,
}

/// The vectors of one version.
struct Held {
    version: u64,
    last_block: u64,
    matrix: Matrix,
    rows: HashSet<i64>,
    /// How many came and went since the mean was taken.
    turned: usize,
}

impl Vectors {
    /// Of a model, with none in memory.
    pub fn new(model: Model) -> Self {
        Self { model, held: None }
    }

    /// What the index of these vectors is named by.
    pub fn model_name(&self) -> &'static str {
        self.model.name()
    }

    /// Forgets those in memory.
    pub fn forget(&mut self) {
        self.held = None;
    }

    /// Makes the vectors of items that have none, at most so many; how many are still without one.
    ///
    /// # Errors
    /// The engine's.
    pub fn embed<D: Database>(&self, db: &D, most: u64) -> Result<u64> {
        let name = self.model.name();
        let mut left = most;
        while left > 0 {
            let items = store::without_vectors(db, name, EMBEDDED_AT_A_TIME.min(left))?;
            if items.is_empty() {
                return Ok(0);
            }
            let version = store::version(db, code::AsOf::Now)?;
            let documents = store::documents(db, version, &items)?;
            let made: Vec<(u64, Vec<u8>)> = documents
                .iter()
                .map(|document| {
                    let vector = self.model.embed(&embedded(document));
                    (document.item.item, quantise(&vector))
                })
                .collect();
            left = left.saturating_sub(items.len() as u64);
            store::save_vectors(db, name, &made)?;
        }
        store::without_vectors_count(db, name)
    }

    /// Items whose vectors are near to that of a question, best first; none where the workspace has no vectors.
    pub(crate) fn near<D: Database>(
        &mut self,
        db: &D,
        version: u64,
        question: &str,
        limit: usize,
    ) -> Result<Option<Vec<Hit>>> {
        let question = self.model.embed(question);
        let is_present = version == store::version(db, code::AsOf::Now)?;
        let found = if is_present {
            let held = self.present(db, version)?;
            if held.matrix.is_empty() {
                return Ok(None);
            }
            held.matrix.search(&question, limit)
        } else {
            // Another version is asked about seldom: its vectors are read for the question alone.
            let past = Held::read(db, &self.model, version)?;
            if past.matrix.is_empty() {
                return Ok(None);
            }
            past.matrix.search(&question, limit)
        };
        let found = found.map_err(|error| Error::internal(error.to_string()))?;
        let hits = found.into_iter().map(|near| Hit {
            id: near.id,
            score: f64::from(near.cosine),
        });
        Ok(Some(hits.collect()))
    }

    fn present<D: Database>(&mut self, db: &D, version: u64) -> Result<&Held> {
        let held = match self.held.take() {
            Some(mut held) => {
                held.follow(db, &self.model, version)?;
                held
            }
            None => Held::read(db, &self.model, version)?,
        };
        Ok(self.held.insert(held))
    }
}

impl Held {
    fn read<D: Database>(db: &D, model: &Model, version: u64) -> Result<Self> {
        let mut held = Self {
            version,
            last_block: 0,
            matrix: Matrix::new(model.dimensions()),
            rows: HashSet::new(),
            turned: 0,
        };
        let there: HashSet<u64> = store::filtered(db, version, &store::Filter::default())?
            .into_iter()
            .collect();
        held.add(db, model, |item| there.contains(&item))?;
        held.matrix.centre();
        held.turned = 0;
        Ok(held)
    }

    /// Brings it to a version, with vectors that were made meanwhile.
    fn follow<D: Database>(&mut self, db: &D, model: &Model, version: u64) -> Result<()> {
        if self.version != version {
            let turnover = store::turnover(db, self.version, version)?;
            let ended: HashSet<i64> = turnover.ended.iter().copied().map(row).collect();
            if !ended.is_empty() {
                self.matrix.retain(|row| !ended.contains(&row));
                self.rows.retain(|row| !ended.contains(row));
                self.turned = self.turned.saturating_add(ended.len());
            }
            self.version = version;
        }
        let there: HashSet<u64> = store::filtered(db, version, &store::Filter::default())?
            .into_iter()
            .collect();
        self.add(db, model, |item| there.contains(&item))?;
        if self.turned.saturating_mul(100) > self.matrix.len().saturating_mul(RECENTRED_PERCENT) {
            self.matrix.centre();
            self.turned = 0;
        }
        Ok(())
    }

    /// Adds what blocks behind the last one have. Joined blocks hold vectors that are there already.
    fn add<D: Database>(&mut self, db: &D, model: &Model, is_there: impl Fn(u64) -> bool) -> Result<()> {
        for block in store::vector_blocks(db, model.name(), self.last_block)? {
            self.last_block = self.last_block.max(block.block);
            for (item, vector) in block.iter() {
                let id = row(item);
                if is_there(item) && self.rows.insert(id) {
                    self.matrix
                        .push(id, vector)
                        .map_err(|error| Error::internal(error.to_string()))?;
                    self.turned = self.turned.saturating_add(1);
                }
            }
        }
        Ok(())
    }
}

/// The text that the vector of an item is made of.
fn embedded(document: &Document) -> String {
    let item = &document.item;
    retrieval::Document {
        name: &item.name,
        owner: &crate::item::owner(item),
        file_path: &item.path,
        text: &document.own_text,
    }
    .embedded()
}

/// The number of an item as the store has it.
pub(crate) fn item_number(row: i64) -> u64 {
    number(row)
}
