//! Packs hits into parts of text within a token budget.
//!
//! Parts are taken in order of rank, and each reduces the budget for the next. Caps on a part and
//! on a file prevent one of them from taking the whole budget; the budget that is left at the end
//! goes to the parts that were cut, in order. Neither the same range nor the same text is taken
//! twice. Adjoining ranges of a file become one part.

mod fit;
mod signature;

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::Serialize;

use crate::fuse::Modality;
use crate::item::{Item, PartKind, Text};
use crate::limits::{
    CANDIDATES_FOR_EACH_PART, CHARACTERS_PER_TOKEN, MAX_FILE_PERCENT, MAX_PART_PERCENT, MAX_PARTS,
    MIN_PARTS, TOKENS_FOR_EACH_PART,
};
use crate::rules::RankedHit;
use fit::{cut, fit, narrow};

/// A part of the context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// The item's id; for joined parts, that of the best one.
    pub id: String,
    /// Its file.
    pub file_path: String,
    /// The path of the item in code.
    pub canon_path: String,
    /// The byte ranges of the file that the text contains: first, and one after the last.
    pub ranges: Vec<(u64, u64)>,
    /// The line ranges of the file that the text contains: first and last, from 1.
    pub lines: Vec<(u64, u64)>,
    /// The kind of the text.
    pub kind: PartKind,
    /// The text.
    pub text: String,
    /// The score; for joined parts, that of the best one.
    pub score: f64,
    /// The lists that have the item.
    pub modality: Modality,
    /// True if the file changed since this text was indexed, or cannot be read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
}

/// The statistics of a context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Tokens of all parts, estimated as characters / 4, rounded up for each part.
    pub total_tokens: u32,
    /// The number of distinct files.
    pub files: u32,
    /// The number of parts.
    pub parts: u32,
    /// The number of parts that were cut at a line, or reduced to a signature.
    pub truncated_parts: u32,
    /// The number of hits left out because their text is in the context already.
    pub dedup_removed: u32,
}

/// The parts with their statistics.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PackedContext {
    /// The parts, best first.
    pub parts: Vec<Part>,
    /// The statistics.
    pub stats: Stats,
}

/// Returns the number of parts for a budget: one per 200 tokens, from 5 to 20.
#[must_use]
pub fn top_k(budget: NonZeroU32) -> usize {
    let parts = u64::from(budget.get()) / TOKENS_FOR_EACH_PART;
    usize::try_from(parts.clamp(MIN_PARTS, MAX_PARTS)).unwrap_or_default()
}

/// Returns the number of hits to fetch for this many parts, before filters.
#[must_use]
pub fn candidates(top_k: usize) -> usize {
    top_k.saturating_mul(usize::try_from(CANDIDATES_FOR_EACH_PART).unwrap_or(1))
}

/// Returns the estimated number of tokens of a text.
#[must_use]
pub fn tokens(text: &str) -> u32 {
    let characters = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
    u32::try_from(characters.div_ceil(CHARACTERS_PER_TOKEN)).unwrap_or(u32::MAX)
}

/// Returns the parts of the best hits. `read` returns the text of an item; it is called only for
/// items that are needed.
///
/// # Errors
///
/// Errors of `read`.
pub fn pack<E>(
    ranked: &[RankedHit],
    items: &BTreeMap<i64, Item>,
    budget: NonZeroU32,
    mut read: impl FnMut(&Item) -> Result<Text, E>,
) -> Result<PackedContext, E> {
    let mut packing = Packing::new(budget);
    for hit in ranked {
        let Some(item) = items.get(&hit.row) else {
            continue;
        };
        if packing.is_full() {
            break;
        }
        if packing.may_take(item) {
            let text = read(item)?;
            packing.take(hit, item, text);
        }
    }
    Ok(packing.finish())
}

/// A part with the data that it needs to grow.
struct Taken {
    part: Part,
    tokens: u32,
    /// The whole text with the item's bytes and lines, if the part was cut.
    whole: Option<Whole>,
    is_truncated: bool,
}

/// The whole text of an item that was cut.
struct Whole {
    text: String,
    range: (u64, u64),
    lines: (u64, u64),
}

struct Packing {
    left: u32,
    most_of_part: u32,
    most_of_file: u32,
    most_parts: usize,
    taken: Vec<Taken>,
    of_files: BTreeMap<String, u32>,
    dedup_removed: u32,
}

impl Packing {
    fn new(budget: NonZeroU32) -> Self {
        let budget = budget.get();
        let percent = |percent: u64| {
            u32::try_from(u64::from(budget).saturating_mul(percent).div_ceil(100)).unwrap_or(budget)
        };
        Self {
            left: budget,
            most_of_part: percent(MAX_PART_PERCENT),
            most_of_file: percent(MAX_FILE_PERCENT),
            most_parts: top_k(NonZeroU32::new(budget).unwrap_or(NonZeroU32::MIN)),
            taken: Vec::new(),
            of_files: BTreeMap::new(),
            dedup_removed: 0,
        }
    }

    fn is_full(&self) -> bool {
        self.left == 0 || self.taken.len() >= self.most_parts
    }

    /// Returns true if no part contains anything of the item. Counts the item as removed if one
    /// does.
    fn may_take(&mut self, item: &Item) -> bool {
        let is_there = self.taken.iter().any(|taken| {
            taken.part.file_path == item.file_path
                && taken
                    .part
                    .ranges
                    .iter()
                    .any(|range| overlap(*range, item.range))
        });
        if is_there {
            self.dedup_removed = self.dedup_removed.saturating_add(1);
        }
        !is_there
    }

    fn take(&mut self, hit: &RankedHit, item: &Item, text: Text) {
        let (text, signature, stale, kind) = match text {
            Text::Current { text, signature } => (text, signature, false, item.part),
            Text::Outline { text } => (text, None, false, PartKind::Signature),
            Text::Stale { text } => (text, None, true, item.part),
            Text::Missing => (item.canon_path.clone(), None, true, PartKind::Metadata),
        };
        if self.taken.iter().any(|taken| taken.part.text == text) && kind != PartKind::Metadata {
            self.dedup_removed = self.dedup_removed.saturating_add(1);
            return;
        }
        let of_file = self
            .of_files
            .get(&item.file_path)
            .copied()
            .unwrap_or_default();
        let cap = self
            .left
            .min(self.most_of_part)
            .min(self.most_of_file.saturating_sub(of_file));
        let needed = tokens(&text);
        let mut part = Part {
            id: item.id.clone(),
            file_path: item.file_path.clone(),
            canon_path: item.canon_path.clone(),
            ranges: vec![item.range],
            lines: vec![item.lines],
            kind,
            text: String::new(),
            score: hit.score,
            modality: hit.modality,
            stale,
        };
        let Some(whole) = fit(&mut part, text, signature.as_deref(), cap) else {
            return;
        };
        let whole = whole.map(|text| Whole {
            text,
            range: item.range,
            lines: item.lines,
        });
        let used = tokens(&part.text);
        self.spend(&item.file_path, used);
        self.taken.push(Taken {
            part,
            tokens: used,
            whole,
            is_truncated: used < needed,
        });
    }

    fn spend(&mut self, file: &str, tokens: u32) {
        self.left = self.left.saturating_sub(tokens);
        match self.of_files.get_mut(file) {
            Some(used) => *used = used.saturating_add(tokens),
            None => {
                self.of_files.insert(file.to_owned(), tokens);
            }
        }
    }

    /// Gives the rest of the budget to the parts that were cut, in order.
    fn grow(&mut self) {
        for index in 0..self.taken.len() {
            let Some(part) = self.grown(index) else {
                continue;
            };
            let Some(taken) = self.taken.get_mut(index) else {
                continue;
            };
            let now = tokens(&part.text);
            let more = now.saturating_sub(taken.tokens);
            taken.is_truncated = taken
                .whole
                .as_ref()
                .is_some_and(|whole| whole.text.len() > part.text.len());
            taken.tokens = now;
            let file = part.file_path.clone();
            taken.part = part;
            self.spend(&file, more);
        }
    }

    /// Returns a cut part, extended by as many lines as fit, unless another part contains them.
    fn grown(&self, index: usize) -> Option<Part> {
        let taken = self.taken.get(index)?;
        let whole = taken.whole.as_ref()?;
        let file = &taken.part.file_path;
        let of_file = self.of_files.get(file).copied().unwrap_or_default();
        let more = self.left.min(self.most_of_file.saturating_sub(of_file));
        let text = cut(&whole.text, taken.tokens.saturating_add(more))?;
        if tokens(text) <= taken.tokens {
            return None;
        }
        let mut part = taken.part.clone();
        text.clone_into(&mut part.text);
        part.ranges = vec![whole.range];
        part.lines = vec![whole.lines];
        narrow(&mut part);
        let range = *part.ranges.first()?;
        let collides = self.taken.iter().enumerate().any(|(other, taken)| {
            other != index
                && taken.part.file_path == *file
                && taken.part.ranges.iter().any(|other| overlap(*other, range))
        });
        (!collides).then_some(part)
    }

    /// Joins adjoining parts of a file into the better one of them.
    fn join(&mut self) {
        let mut index = 0_usize;
        while index < self.taken.len() {
            match (index.saturating_add(1)..self.taken.len())
                .find_map(|other| Some((other, self.joined(index, other)?)))
            {
                Some((other, part)) => {
                    let removed = self.taken.remove(other);
                    let Some(taken) = self.taken.get_mut(index) else {
                        break;
                    };
                    let before = taken.tokens.saturating_add(removed.tokens);
                    taken.tokens = tokens(&part.text);
                    taken.part = part;
                    self.left = self
                        .left
                        .saturating_add(before)
                        .saturating_sub(taken.tokens);
                }
                None => index = index.saturating_add(1),
            }
        }
    }

    /// Returns both parts as one, if they adjoin, are whole, and the joined text fits.
    fn joined(&self, index: usize, other: usize) -> Option<Part> {
        let (better, worse) = (self.taken.get(index)?, self.taken.get(other)?);
        let whole = [better, worse]
            .iter()
            .all(|taken| !taken.is_truncated && !taken.part.stale);
        if !whole
            || better.part.file_path != worse.part.file_path
            || better.part.kind != worse.part.kind
        {
            return None;
        }
        let (first, second) = if better.part.ranges.first()? < worse.part.ranges.first()? {
            (better, worse)
        } else {
            (worse, better)
        };
        let between = second
            .part
            .lines
            .first()?
            .0
            .checked_sub(first.part.lines.last()?.1)?;
        let touches = first.part.ranges.last()?.1 == second.part.ranges.first()?.0;
        // At most one line is between them.
        if !touches && between > 2 {
            return None;
        }
        let mut part = better.part.clone();
        part.text = [first.part.text.as_str(), second.part.text.as_str()].join(if touches {
            ""
        } else {
            "\n\n"
        });
        part.ranges = first
            .part
            .ranges
            .iter()
            .chain(&second.part.ranges)
            .copied()
            .collect();
        part.lines = first
            .part
            .lines
            .iter()
            .chain(&second.part.lines)
            .copied()
            .collect();
        let more = tokens(&part.text).saturating_sub(better.tokens.saturating_add(worse.tokens));
        (more <= self.left).then_some(part)
    }

    fn finish(mut self) -> PackedContext {
        self.grow();
        self.join();
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let mut files: Vec<&str> = self
            .taken
            .iter()
            .map(|taken| taken.part.file_path.as_str())
            .collect();
        files.sort_unstable();
        files.dedup();
        let stats = Stats {
            total_tokens: self
                .taken
                .iter()
                .fold(0, |sum, taken| sum.saturating_add(taken.tokens)),
            files: count(files.len()),
            parts: count(self.taken.len()),
            truncated_parts: count(self.taken.iter().filter(|taken| taken.is_truncated).count()),
            dedup_removed: self.dedup_removed,
        };
        PackedContext {
            parts: self.taken.into_iter().map(|taken| taken.part).collect(),
            stats,
        }
    }
}

const fn overlap(left: (u64, u64), right: (u64, u64)) -> bool {
    left.0 < right.1 && right.0 < left.1
}

#[cfg(test)]
mod tests;
