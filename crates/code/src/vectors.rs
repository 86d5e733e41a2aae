//! The vectors of a workspace's items: computed from their texts, stored with the items, and held
//! in memory for the search.
//!
//! An item that only moves keeps its vector. The vectors in memory follow the versions of the
//! workspace: the first search reads them, and later ones add and remove those of the items that
//! changed since.

use std::borrow::Cow;
use std::collections::HashSet;

use base::{Error, Result};
use code_model::retrieval::{self as store, Document, VectorBlock};
use code_search::fuse::Hit;
use code_search::vectors::{Matrix, Model, quantise};
use database::Database;

use crate::item::{number, row};
use crate::limits::{EMBEDDED_AT_A_TIME, RECENTRED_PERCENT};

/// The model that computes vectors. Its name is part of the index: vectors of two models are never
/// compared.
#[derive(Debug, Clone)]
pub enum Embedding {
    /// A model of the crate `code-search`.
    Here(Model),
    /// A model that the caller reaches over a network.
    Remote {
        /// The name of its index.
        name: &'static str,
        /// The number of values of a vector.
        dimensions: usize,
    },
}

impl Embedding {
    /// Returns the name of the model's index.
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

/// The source of a question's vector.
#[derive(Debug, Clone, PartialEq)]
pub enum QuestionVector {
    /// The local model computes it.
    Here,
    /// The vector that a remote model computed.
    Made(Vec<f32>),
    /// The reason why a remote model failed.
    Failed(String),
}

/// The arguments of a search by vectors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearestQuery<'a> {
    /// The text of the question.
    pub question: &'a str,
    /// Its vector, if a remote model computes it.
    pub asked: &'a QuestionVector,
    /// The rows that may be found; `None` if all may.
    pub allowed: Option<&'a HashSet<i64>>,
    /// The number of rows to find.
    pub limit: usize,
}

/// The model that computes vectors, and the vectors in memory.
pub struct Vectors {
    embedding: Embedding,
    /// The most vectors that are held in memory.
    most: usize,
    held: Option<LoadedVectors>,
}

/// The vectors of one version.
struct LoadedVectors {
    version: u64,
    last_block: u64,
    matrix: Matrix,
    rows: HashSet<i64>,
    /// The number of vectors added or removed since the mean was computed.
    turned: usize,
    /// The number of vectors that did not fit.
    left_out: u64,
}

impl Vectors {
    /// Returns a value without vectors in memory, which will hold at most `most`.
    #[must_use]
    pub const fn new(embedding: Embedding, most: usize) -> Self {
        Self {
            embedding,
            most,
            held: None,
        }
    }

    /// Returns the name of the index of these vectors.
    #[must_use]
    pub const fn model_name(&self) -> &'static str {
        self.embedding.name()
    }

    /// Returns the model that computes the vectors.
    #[must_use]
    pub const fn embedding(&self) -> &Embedding {
        &self.embedding
    }

    /// Replaces the model. The next requests compute the vectors of the items with it.
    pub fn change(&mut self, embedding: Embedding) {
        if self.embedding.name() != embedding.name() {
            self.held = None;
        }
        self.embedding = embedding;
    }

    /// Removes all vectors from memory.
    pub fn forget(&mut self) {
        self.held = None;
    }

    /// Computes the vectors of at most `most` items that have none. Returns how many are still
    /// without one. Nothing is computed here for a remote model.
    ///
    /// # Errors
    /// Errors of the engine.
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

    /// Returns the texts of at most `most` items that have no vector yet, in the order in which
    /// their vectors are saved.
    ///
    /// # Errors
    /// Errors of the engine.
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

    /// Stores the vectors that a remote model computed for [`Vectors::pending`]. The vector of an
    /// item that was removed meanwhile is stored but never found.
    ///
    /// # Errors
    /// [`base::CommonError::Internal`] for vectors of another size, and errors of the engine.
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

    /// Deletes the vectors of other models: a workspace uses one model.
    fn discard_others<D: Database>(&self, db: &D) -> Result<()> {
        for model in store::vector_models(db)? {
            if model != self.embedding.name() {
                store::clear_vectors(db, &model)?;
            }
        }
        Ok(())
    }

    /// Returns the items whose vectors are nearest to that of a question, best first; `None` if
    /// there are no vectors.
    pub(crate) fn near<D: Database>(
        &mut self,
        db: &D,
        version: u64,
        near: NearestQuery<'_>,
    ) -> Result<Option<Vec<Hit>>> {
        let question = match (&self.embedding, near.asked) {
            (Embedding::Here(model), _) => Cow::Owned(model.embed(near.question)),
            (Embedding::Remote { .. }, QuestionVector::Made(vector)) => {
                Cow::Borrowed(vector.as_slice())
            }
            (Embedding::Remote { .. }, QuestionVector::Here | QuestionVector::Failed(_)) => {
                return Ok(None);
            }
        };
        let is_present = version == store::version(db, code_model::AsOf::Now)?;
        let past;
        let held = if is_present {
            self.present(db, version)?
        } else {
            // Questions about past versions are rare, so their vectors are read for one question
            // and not kept.
            past = LoadedVectors::read(db, &self.embedding, self.most, version)?;
            &past
        };
        if held.matrix.is_empty() {
            return Ok(None);
        }
        // The filter applies before the limit. All vectors are compared in any case.
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

    /// Returns how many items of the present version have a vector that did not fit in memory.
    pub(crate) fn left_out(&self) -> u64 {
        self.held.as_ref().map_or(0, |held| held.left_out)
    }

    fn present<D: Database>(&mut self, db: &D, version: u64) -> Result<&LoadedVectors> {
        let held = match self.held.take() {
            Some(mut held) => {
                held.follow(db, &self.embedding, self.most, version)?;
                held
            }
            None => LoadedVectors::read(db, &self.embedding, self.most, version)?,
        };
        Ok(self.held.insert(held))
    }
}

impl LoadedVectors {
    fn read<D: Database>(db: &D, embedding: &Embedding, most: usize, version: u64) -> Result<Self> {
        let mut held = Self {
            version,
            last_block: 0,
            matrix: Matrix::new(embedding.dimensions()),
            rows: HashSet::new(),
            turned: 0,
            left_out: 0,
        };
        let there: HashSet<u64> = store::filtered(db, version, &store::Selection::default())?
            .into_iter()
            .collect();
        while let Some(block) = held.next(db, embedding)? {
            held.add(&block, most, |item| there.contains(&item))?;
        }
        held.matrix.centre();
        held.turned = 0;
        Ok(held)
    }

    /// Brings the vectors to a version, including those that were computed meanwhile.
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
                // There may be room again, and items that were left out may have been removed.
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

    /// Returns the block after the last one that was read, if there is one.
    fn next<D: Database>(&mut self, db: &D, embedding: &Embedding) -> Result<Option<VectorBlock>> {
        let block = store::vector_block_after(db, embedding.name(), self.last_block)?;
        if let Some(block) = &block {
            self.last_block = block.block;
        }
        Ok(block)
    }

    /// Adds the vectors of a block as long as there is room. Skips those that are in memory
    /// already, because a merged block repeats them.
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

/// Returns the text from which the vector of an item is computed.
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

/// Returns the number of an item in the store.
pub(crate) fn item_number(row: i64) -> u64 {
    number(row)
}
