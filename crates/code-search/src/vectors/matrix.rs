//! The vectors of a corpus, and the search over all of them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::quantised::{dot, quantise, signed};
use crate::error::{Result, RetrievalError};
use crate::limits::{BLOCK_ROWS, MAX_VECTORS};

/// A row near a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// The row's id.
    pub id: i64,
    /// The cosine, from -1 to 1.
    pub cosine: f32,
}

/// The vectors of a corpus: one byte for each dimension, and eight for each row.
///
/// Rows are added once and searched often. [`Matrix::centre`] computes the mean of all rows at that
/// time; rows that are added later are compared with the same mean.
#[derive(Debug, Clone)]
pub struct Matrix {
    dimensions: usize,
    ids: Vec<i64>,
    /// Blocks of [`BLOCK_ROWS`] rows; only the last one has room.
    blocks: Vec<Vec<i8>>,
    /// One divided by the length of each row.
    inverse: Vec<f32>,
    /// For each row, one divided by its length after it was scaled to length 1 and the mean was
    /// subtracted.
    inverse_centred: Vec<f32>,
    mean: Vec<f32>,
}

impl Matrix {
    /// Returns a matrix without rows.
    #[must_use]
    pub fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            ids: Vec::new(),
            blocks: Vec::new(),
            inverse: Vec::new(),
            inverse_centred: Vec::new(),
            mean: vec![0.0; dimensions],
        }
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns true if there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the mean of the rows at the last [`Matrix::centre`].
    #[must_use]
    pub fn mean(&self) -> &[f32] {
        &self.mean
    }

    /// Adds a row: the bytes that `quantise` returned.
    ///
    /// # Errors
    ///
    /// If the vector has the size of another model, or if there are too many rows.
    pub fn push(&mut self, id: i64, blob: &[u8]) -> Result<()> {
        if blob.len() != self.dimensions {
            return Err(RetrievalError::Dimensions {
                found: blob.len(),
                expected: self.dimensions,
            });
        }
        let limit = usize::try_from(MAX_VECTORS).unwrap_or(usize::MAX);
        if self.len() >= limit {
            return Err(RetrievalError::TooManyVectors { limit });
        }
        if self.len().is_multiple_of(BLOCK_ROWS) {
            let bytes = BLOCK_ROWS.saturating_mul(self.dimensions);
            self.blocks.push(Vec::with_capacity(bytes));
        }
        self.ids.push(id);
        let mut row: &[i8] = &[];
        if let Some(block) = self.blocks.last_mut() {
            let start = block.len();
            block.extend(signed(blob));
            row = block.get(start..).unwrap_or_default();
        }
        let inverse = inverse_length(squared(row));
        let inverse_centred = centred(row, inverse, &self.mean);
        self.inverse.push(inverse);
        self.inverse_centred.push(inverse_centred);
        Ok(())
    }

    /// Returns the rows in their order.
    fn rows(&self) -> impl Iterator<Item = &[i8]> {
        let width = self.dimensions.max(1);
        self.blocks
            .iter()
            .flat_map(move |block| block.chunks_exact(width))
    }

    /// Copies a row to the position of an earlier one.
    fn copy_row(&mut self, from: usize, to: usize) {
        let width = self.dimensions;
        let place = |row: usize| {
            let start = (row % BLOCK_ROWS).saturating_mul(width);
            (row / BLOCK_ROWS, start..start.saturating_add(width))
        };
        let ((from, source), (to, target)) = (place(from), place(to));
        if from == to {
            if let Some(block) = self.blocks.get_mut(to) {
                block.copy_within(source, target.start);
            }
            return;
        }
        let Some((before, behind)) = self.blocks.split_at_mut_checked(from) else {
            return;
        };
        let source = behind.first().and_then(|block| block.get(source));
        let target = before.get_mut(to).and_then(|block| block.get_mut(target));
        if let (Some(source), Some(target)) = (source, target) {
            target.copy_from_slice(source);
        }
    }

    /// Removes all rows for which `keep` is false, in one pass and in place: a second matrix would
    /// take as much memory again.
    pub fn retain(&mut self, keep: impl Fn(i64) -> bool) {
        let mut kept = 0_usize;
        for index in 0..self.ids.len() {
            if !self.ids.get(index).is_some_and(|id| keep(*id)) {
                continue;
            }
            if kept < index {
                self.ids.swap(kept, index);
                self.inverse.swap(kept, index);
                self.inverse_centred.swap(kept, index);
                self.copy_row(index, kept);
            }
            kept = kept.saturating_add(1);
        }
        self.ids.truncate(kept);
        self.inverse.truncate(kept);
        self.inverse_centred.truncate(kept);
        self.blocks.truncate(kept.div_ceil(BLOCK_ROWS));
        let in_last = kept.saturating_sub(
            self.blocks
                .len()
                .saturating_sub(1)
                .saturating_mul(BLOCK_ROWS),
        );
        if let Some(last) = self.blocks.last_mut() {
            last.truncate(in_last.saturating_mul(self.dimensions));
        }
    }

    /// Computes the mean of all rows.
    pub fn centre(&mut self) {
        let mut sums = vec![0.0_f64; self.dimensions];
        for (row, inverse) in self.rows().zip(&self.inverse) {
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += f64::from(f32::from(*value) * inverse);
            }
        }
        let count = self.len().max(1) as f64;
        let mean = sums.into_iter().map(|sum| (sum / count) as f32).collect();
        self.mean = mean;
        let rows = self.rows().zip(&self.inverse);
        self.inverse_centred = rows
            .map(|(row, inverse)| centred(row, *inverse, &self.mean))
            .collect();
    }

    /// Returns the rows nearest to a question, nearest first, ties by id. Only rows with a cosine
    /// above 0 are returned.
    ///
    /// # Errors
    ///
    /// If the question's vector has the size of another model.
    pub fn search(&self, question: &[f32], limit: usize) -> Result<Vec<Near>> {
        if question.len() != self.dimensions {
            return Err(RetrievalError::Dimensions {
                found: question.len(),
                expected: self.dimensions,
            });
        }
        // Rows have length 1 when the mean is subtracted, so the question must have it, too.
        let length = question
            .iter()
            .map(|value| value * value)
            .sum::<f32>()
            .sqrt();
        if !length.is_finite() || length <= 0.0 {
            return Ok(Vec::new());
        }
        let question: Vec<f32> = question
            .iter()
            .zip(&self.mean)
            .map(|(value, mean)| value / length - mean)
            .collect();
        let bytes: Vec<i8> = signed(&quantise(&question)).collect();
        let inverse = inverse_length(squared(&bytes));
        // The contribution of the mean to each product.
        let of_mean: f32 = bytes
            .iter()
            .zip(&self.mean)
            .map(|(value, mean)| f32::from(*value) * mean)
            .sum();
        let mut nearest: BinaryHeap<Farthest> =
            BinaryHeap::with_capacity(limit.min(self.len()).saturating_add(1));
        for (index, row) in self.rows().enumerate() {
            let (Some(of_row), Some(of_centred)) =
                (self.inverse.get(index), self.inverse_centred.get(index))
            else {
                continue;
            };
            let product = dot(&bytes, row) as f32 * of_row - of_mean;
            let cosine = product * inverse * of_centred;
            if cosine <= 0.0 || limit == 0 {
                continue;
            }
            let near = Farthest(Near {
                id: self.ids.get(index).copied().unwrap_or_default(),
                cosine,
            });
            if nearest.len() < limit {
                nearest.push(near);
            } else if nearest.peek().is_some_and(|farthest| near < *farthest) {
                nearest.pop();
                nearest.push(near);
            }
        }
        Ok(nearest
            .into_sorted_vec()
            .into_iter()
            .map(|Farthest(near)| near)
            .collect())
    }
}

fn squared(row: &[i8]) -> f32 {
    dot(row, row) as f32
}

/// Returns one divided by a length, given its square; 0 for the length 0.
fn inverse_length(squared: f32) -> f32 {
    if squared > 0.0 {
        1.0 / squared.sqrt()
    } else {
        0.0
    }
}

/// Returns one divided by the distance of a row from the mean.
fn centred(row: &[i8], inverse: f32, mean: &[f32]) -> f32 {
    if inverse == 0.0 {
        return 0.0;
    }
    let squared = row
        .iter()
        .zip(mean)
        .map(|(value, mean)| (f32::from(*value) * inverse - mean).powi(2))
        .sum();
    inverse_length(squared)
}

/// An ordering by distance, in which the farthest row is the greatest.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Farthest(Near);

impl Eq for Farthest {}

impl PartialOrd for Farthest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Farthest {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .0
            .cosine
            .total_cmp(&self.0.cosine)
            .then(self.0.id.cmp(&other.0.id))
    }
}

#[cfg(test)]
mod tests {
    use super::{Matrix, quantise};
    use crate::error::RetrievalError;

    fn matrix(rows: &[[f32; 3]]) -> Matrix {
        let mut matrix = Matrix::new(3);
        for (id, row) in (1..).zip(rows) {
            matrix.push(id, &quantise(row)).unwrap();
        }
        matrix
    }

    fn ids(matrix: &Matrix, question: [f32; 3], limit: usize) -> Vec<i64> {
        matrix
            .search(&question, limit)
            .unwrap()
            .iter()
            .map(|near| near.id)
            .collect()
    }

    #[test]
    fn the_nearest_rows_come_first_and_no_more_than_asked_for() {
        let matrix = matrix(&[
            [1.0, 0.0, 0.0],
            [0.7, 0.7, 0.0],
            [0.0, 1.0, 0.0],
            [-1.0, 0.0, 0.0],
        ]);
        assert_eq!(ids(&matrix, [1.0, 0.1, 0.0], 9), [1, 2, 3]);
        assert_eq!(ids(&matrix, [1.0, 0.1, 0.0], 1), [1]);
        assert_eq!(ids(&matrix, [1.0, 0.1, 0.0], 0), [0_i64; 0]);
    }

    #[test]
    fn equal_rows_are_ordered_by_id() {
        let matrix = matrix(&[[0.0, 1.0, 0.0]; 5]);
        assert_eq!(ids(&matrix, [0.0, 1.0, 0.0], 3), [1, 2, 3]);
    }

    #[test]
    fn what_all_rows_share_does_not_count_once_the_mean_is_taken() {
        let mut matrix = matrix(&[[9.0, 1.0, 0.0], [9.0, 0.0, 1.0]]);
        matrix.centre();
        let near = matrix.search(&[9.0, 1.0, 0.0], 2).unwrap();
        assert_eq!(near.len(), 1);
        assert!(near[0].id == 1 && near[0].cosine > 0.9, "{near:?}");
    }

    #[test]
    fn rows_are_removed_by_id() {
        let mut matrix = matrix(&[[1.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.8, 0.2, 0.0]]);
        matrix.retain(|id| id != 2);
        assert_eq!(ids(&matrix, [1.0, 0.0, 0.0], 9), [1, 3]);
    }

    #[test]
    fn any_rows_can_be_removed_and_others_come_behind() {
        let vector = |id: i64| quantise(&[1.0, id as f32 / 1_000.0, 0.0]);
        let mut matrix = Matrix::new(3);
        for id in 1..=1_200 {
            matrix.push(id, &vector(id)).unwrap();
        }
        matrix.retain(|id| id % 3 == 0);
        matrix.push(9_999, &vector(0)).unwrap();
        matrix.retain(|_| true);
        let mut fresh = Matrix::new(3);
        for id in (1..=400).map(|part| part * 3) {
            fresh.push(id, &vector(id)).unwrap();
        }
        fresh.push(9_999, &vector(0)).unwrap();
        let found = matrix.search(&[1.0, 0.3, 0.0], 500).unwrap();
        assert_eq!(found.len(), 401);
        assert_eq!(found, fresh.search(&[1.0, 0.3, 0.0], 500).unwrap());
    }

    #[test]
    fn rows_go_on_behind_any_number_that_is_kept() {
        let vector = |id: i64| quantise(&[1.0, id as f32 / 5_000.0, 0.0]);
        for kept in [0, 1, 511, 512, 513, 1_023, 1_024, 1_025, 1_600] {
            let mut matrix = Matrix::new(3);
            for id in 1..=1_600 {
                matrix.push(id, &vector(id)).unwrap();
            }
            matrix.retain(|id| id > 1_600 - kept);
            for id in 1_601..=2_300 {
                matrix.push(id, &vector(id)).unwrap();
            }
            let mut fresh = Matrix::new(3);
            for id in 1_601 - kept..=2_300 {
                fresh.push(id, &vector(id)).unwrap();
            }
            let found = matrix.search(&[1.0, 0.3, 0.0], 5_000).unwrap();
            assert_eq!(found.len() as i64, kept + 700);
            assert_eq!(found, fresh.search(&[1.0, 0.3, 0.0], 5_000).unwrap());
        }
    }

    #[test]
    fn a_vector_of_another_model_is_rejected() {
        let mut matrix = Matrix::new(3);
        assert_eq!(
            matrix.push(1, &[0; 4]).unwrap_err(),
            RetrievalError::Dimensions {
                found: 4,
                expected: 3
            }
        );
        assert_eq!(
            matrix.search(&[0.0; 2], 1).unwrap_err(),
            RetrievalError::Dimensions {
                found: 2,
                expected: 3
            }
        );
    }

    #[test]
    fn a_vector_without_length_is_near_to_nothing() {
        let mut matrix = matrix(&[[0.0; 3], [f32::NAN, 0.0, 0.0], [1.0, 0.0, 0.0]]);
        matrix.centre();
        assert!(
            matrix
                .search(&[0.0; 3], 9)
                .unwrap()
                .iter()
                .all(|near| near.cosine.is_finite())
        );
    }
}
