//! The vectors of a workspace's items: made of their texts, stored with the items, and held in
//! memory for the search.
//!
//! An item that only moves keeps its vector. What is in memory follows the versions of the
//! workspace: it is read when somebody first asks, and brought up to date with what came and went
//! since.

use std::borrow::Cow;
use std::collections::HashSet;

use base::{Error, Result};
use code_model::retrieval::{self as store, Document, VectorBlock};
use code_search::fuse::Hit;
use code_search::vectors::{Matrix, Model, quantise};
use database::Database;

use crate::item::{number, row};
use crate::limits::{EMBEDDED_AT_A_TIME, RECENTRED_PERCENT};

/// What makes vectors. Its name is part of the index: vectors of two models are never compared.
#[derive(Debug, Clone)]
pub enum Embedding {
    /// A model of this crate's.
    Here(Model),
    /// A model that is asked over a network, by who has it.
    Remote {
        /// What the index is named by.
        name: &'static str,
        /// How many values a vector has.
        dimensions: usize,
    },
}

impl Embedding {
    /// What an index is named by.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Here(model) => model.name(),
            Self::Remote { name, .. } => name,
        }
    }

    const fn dimensions(&self) -> usize {
        match self {
            Self::Here(model) => model.dimensions(),
            Self::Remote { dimensions, .. } => *dimensions,
        }
    }
}

/// The vector of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    /// It is made here.
    Here,
    /// A remote model has made it.
    Made(Vec<f32>),
    /// A remote model has failed, for this reason.
    Failed(String),
}

/// What vectors are compared with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Near<'a> {
    /// The question in words.
    pub question: &'a str,
    /// Its vector, where a remote model makes it.
    pub asked: &'a Asked,
    /// The rows that may be found; none where that is all of them.
    pub allowed: Option<&'a HashSet<i64>>,
    /// How many are found.
    pub limit: usize,
}

/// What makes vectors, and those that are in memory.
pub struct Vectors {
    embedding: Embedding,
    /// How many are held in memory.
    most: usize,
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
    /// How many there was no room for.
    left_out: u64,
}

impl Vectors {
    /// None in memory, and later at most so many.
    #[must_use]
    pub const fn new(embedding: Embedding, most: usize) -> Self {
        Self {
            embedding,
            most,
            held: None,
        }
    }

    /// What the index of these vectors is named by.
    #[must_use]
    pub const fn model_name(&self) -> &'static str {
        self.embedding.name()
    }

    /// What makes the vectors.
    #[must_use]
    pub const fn embedding(&self) -> &Embedding {
        &self.embedding
    }

    /// Makes vectors with something else from now on. Items get theirs with the next requests.
    pub fn change(&mut self, embedding: Embedding) {
        if self.embedding.name() != embedding.name() {
            self.held = None;
        }
        self.embedding = embedding;
    }

    /// Forgets those in memory.
    pub fn forget(&mut self) {
        self.held = None;
    }

    /// Makes the vectors of items that have none, at most so many; how many are still without one.
    /// A remote model makes none here.
    ///
    /// # Errors
    /// The engine's.
    pub fn embed<D: Database>(&self, db: &D, most: u64) -> Result<u64> {
        let name = self.embedding.name();
        let mut left = most;
        while let Embedding::Here(model) = &self.embedding
            && left > 0
        {
            let texts = self.pending(db, EMBEDDED_AT_A_TIME.min(left))?;
            if texts.is_empty() {
                break;
            }
            let made: Vec<(u64, Vec<u8>)> = texts
                .iter()
                .map(|(item, text)| (*item, quantise(&model.embed(text))))
                .collect();
            left = left.saturating_sub(texts.len() as u64);
            store::save_vectors(db, name, &made)?;
        }
        let missing = store::without_vectors_count(db, name)?;
        if missing == 0 {
            self.discard_others(db)?;
        }
        Ok(missing)
    }

    /// Returns the texts of items that have no vector yet, at most so many, in the order in which
    /// they are to be saved.
    ///
    /// # Errors
    /// The engine's.
    pub fn pending<D: Database>(&self, db: &D, most: u64) -> Result<Vec<(u64, String)>> {
        let items = store::without_vectors(db, self.embedding.name(), most)?;
        if items.is_empty() {
            return Ok(Vec::new());
        }
        let version = store::version(db, code_model::AsOf::Now)?;
        let documents = store::documents(db, version, &items)?;
        Ok(documents
            .iter()
            .map(|document| (document.item.item, embedded(document)))
            .collect())
    }

    /// Stores what a remote model has made of [`Vectors::pending`]. An item that ended meanwhile
    /// keeps its vector unseen.
    ///
    /// # Errors
    /// [`base::CommonError::Internal`] for vectors of another size, the engine's.
    pub fn save<D: Database>(&self, db: &D, made: &[(u64, Vec<f32>)]) -> Result<()> {
        let dimensions = self.embedding.dimensions();
        if let Some((_, other)) = made.iter().find(|(_, vector)| vector.len() != dimensions) {
            return Err(Error::internal(format!(
                "the model made a vector of {} values instead of {dimensions}",
                other.len()
            )));
        }
        let made: Vec<(u64, Vec<u8>)> = made
            .iter()
            .map(|(item, vector)| (*item, quantise(vector)))
            .collect();
        store::save_vectors(db, self.embedding.name(), &made)
    }

    /// Deletes the vectors of models that are not used any more: a workspace has one.
    fn discard_others<D: Database>(&self, db: &D) -> Result<()> {
        for model in store::vector_models(db)? {
            if model != self.embedding.name() {
                store::clear_vectors(db, &model)?;
            }
        }
        Ok(())
    }

    /// Items whose vectors are near to that of a question, best first; none where there are no
    /// vectors.
    pub(crate) fn near<D: Database>(
        &mut self,
        db: &D,
        version: u64,
        near: Near<'_>,
    ) -> Result<Option<Vec<Hit>>> {
        let question = match (&self.embedding, near.asked) {
            (Embedding::Here(model), _) => Cow::Owned(model.embed(near.question)),
            (Embedding::Remote { .. }, Asked::Made(vector)) => Cow::Borrowed(vector.as_slice()),
            (Embedding::Remote { .. }, Asked::Here | Asked::Failed(_)) => return Ok(None),
        };
        let is_present = version == store::version(db, code_model::AsOf::Now)?;
        let past;
        let held = if is_present {
            self.present(db, version)?
        } else {
            // Another version is asked about seldom: its vectors are read for the question alone.
            past = Held::read(db, &self.embedding, self.most, version)?;
            &past
        };
        if held.matrix.is_empty() {
            return Ok(None);
        }
        // The filter counts before the limit: all are compared in any case.
        let compared = match near.allowed {
            Some(_) => held.matrix.len().max(near.limit),
            None => near.limit,
        };
        let found = held.matrix.search(&question, compared);
        let found = found.map_err(|error| Error::internal(error.to_string()))?;
        let hits = found
            .into_iter()
            .filter(|hit| near.allowed.is_none_or(|allowed| allowed.contains(&hit.id)))
            .take(near.limit)
            .map(|hit| Hit {
                id: hit.id,
                score: f64::from(hit.cosine),
            });
        Ok(Some(hits.collect()))
    }

    /// Returns how many items of the present version have a vector that there was no room for in
    /// memory.
    pub(crate) fn left_out(&self) -> u64 {
        self.held.as_ref().map_or(0, |held| held.left_out)
    }

    fn present<D: Database>(&mut self, db: &D, version: u64) -> Result<&Held> {
        let held = match self.held.take() {
            Some(mut held) => {
                held.follow(db, &self.embedding, self.most, version)?;
                held
            }
            None => Held::read(db, &self.embedding, self.most, version)?,
        };
        Ok(self.held.insert(held))
    }
}

impl Held {
    fn read<D: Database>(db: &D, embedding: &Embedding, most: usize, version: u64) -> Result<Self> {
        let mut held = Self {
            version,
            last_block: 0,
            matrix: Matrix::new(embedding.dimensions()),
            rows: HashSet::new(),
            turned: 0,
            left_out: 0,
        };
        let there: HashSet<u64> = store::filtered(db, version, &store::Chosen::default())?
            .into_iter()
            .collect();
        while let Some(block) = held.next(db, embedding)? {
            held.add(&block, most, |item| there.contains(&item))?;
        }
        held.matrix.centre();
        held.turned = 0;
        Ok(held)
    }

    /// Brings it to a version, with vectors that were made meanwhile.
    fn follow<D: Database>(
        &mut self,
        db: &D,
        embedding: &Embedding,
        most: usize,
        version: u64,
    ) -> Result<()> {
        if self.version != version {
            let turnover = store::turnover(db, self.version, version)?;
            let ended: HashSet<i64> = turnover.ended.iter().copied().map(row).collect();
            if ended.iter().any(|row| self.rows.contains(row)) {
                self.matrix.retain(|row| !ended.contains(&row));
                self.rows.retain(|row| !ended.contains(row));
                self.turned = self.turned.saturating_add(ended.len());
            }
            self.version = version;
            if self.left_out > 0 {
                // There may be room again, and what was left out may have ended.
                *self = Self::read(db, embedding, most, version)?;
                return Ok(());
            }
        }
        while let Some(block) = self.next(db, embedding)? {
            let unknown = block.items.iter().copied();
            let unknown: Vec<u64> = unknown
                .filter(|item| !self.rows.contains(&row(*item)))
                .collect();
            let there: HashSet<u64> = store::standing(db, version, &unknown)?
                .into_iter()
                .collect();
            self.add(&block, most, |item| there.contains(&item))?;
        }
        if self.turned.saturating_mul(100) > self.matrix.len().saturating_mul(RECENTRED_PERCENT) {
            self.matrix.centre();
            self.turned = 0;
        }
        Ok(())
    }

    /// Returns the first block behind the last one.
    fn next<D: Database>(&mut self, db: &D, embedding: &Embedding) -> Result<Option<VectorBlock>> {
        let block = store::vector_block_after(db, embedding.name(), self.last_block)?;
        if let Some(block) = &block {
            self.last_block = block.block;
        }
        Ok(block)
    }

    /// Adds what a block has, as long as there is room. A block that was joined has vectors that
    /// are there already.
    fn add(
        &mut self,
        block: &VectorBlock,
        most: usize,
        is_there: impl Fn(u64) -> bool,
    ) -> Result<()> {
        for (item, vector) in block.iter() {
            let id = row(item);
            if !is_there(item) || self.rows.contains(&id) {
                continue;
            }
            if self.matrix.len() >= most {
                self.left_out = self.left_out.saturating_add(1);
                continue;
            }
            self.matrix
                .push(id, vector)
                .map_err(|error| Error::internal(error.to_string()))?;
            self.rows.insert(id);
            self.turned = self.turned.saturating_add(1);
        }
        Ok(())
    }
}

/// Returns the text that the vector of an item is made of.
fn embedded(document: &Document) -> String {
    let item = &document.item;
    code_search::Document {
        name: &item.name,
        owner: &crate::item::owner(item),
        file_path: &item.path,
        text: &document.own_text,
    }
    .embedded()
}

/// Returns the number of an item as the store has it.
pub(crate) fn item_number(row: i64) -> u64 {
    number(row)
}
