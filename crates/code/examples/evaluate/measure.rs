//! Measures of a ranked list.

/// The sums of the measures of one way of searching over a set of questions.
#[derive(Default, Clone, Copy)]
pub struct Score {
    pub ndcg: f64,
    pub recall: f64,
    pub reciprocal: f64,
    /// The share of contexts of 1,000 tokens that contain the expected item.
    pub held: f64,
    pub count: f64,
}

/// The number of ranks of a list that count.
pub const PLACES: usize = 10;

impl Score {
    /// Adds the result of one question: the ranks, from 0, of the relevant hits, and the number of
    /// relevant items.
    pub fn add(&mut self, places: &[usize], relevant: usize, held: bool) {
        let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
        let ideal: f64 = (0..relevant.min(PLACES)).map(gain).sum();
        let found = places.iter().filter(|place| **place < PLACES);
        self.ndcg += found.clone().map(|place| gain(*place)).sum::<f64>() / ideal;
        self.recall += found.count() as f64 / relevant as f64;
        self.reciprocal += places
            .iter()
            .min()
            .map_or(0.0, |place| 1.0 / (*place as f64 + 1.0));
        self.held += f64::from(u8::from(held));
        self.count += 1.0;
    }

    pub fn join(&mut self, other: &Self) {
        self.ndcg += other.ndcg;
        self.recall += other.recall;
        self.reciprocal += other.reciprocal;
        self.held += other.held;
        self.count += other.count;
    }

    /// Returns the row of a program that makes no contexts.
    pub fn row_of_list(&self, name: &str) -> String {
        let mean = |sum: f64| sum / self.count.max(1.0);
        format!(
            "{name:<44} NDCG@10 {:.3}  R@10 {:.3}  MRR {:.3}  ({})",
            mean(self.ndcg),
            mean(self.recall),
            mean(self.reciprocal),
            self.count
        )
    }

    pub fn row(&self, name: &str) -> String {
        let mean = |sum: f64| sum / self.count.max(1.0);
        format!(
            "{name:<44} NDCG@10 {:.3}  R@10 {:.3}  MRR {:.3}  in 1,000 tokens {:.3}  ({})",
            mean(self.ndcg),
            mean(self.recall),
            mean(self.reciprocal),
            mean(self.held),
            self.count
        )
    }
}
