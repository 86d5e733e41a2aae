//! The similarity of two words or names by their spelling. Inputs are short: callers limit them to
//! [`crate::limits::MAX_COMPARED_CHARACTERS`].

/// Returns the share of common three-letter sequences in two texts, from 0 to 1 (the Sørensen-Dice
/// coefficient, with padded ends).
///
/// strsim only has this for pairs of letters without padding, which distinguishes short names less
/// well.
pub fn dice(left: &str, right: &str) -> f64 {
    let mut first = trigrams(left);
    let mut second = trigrams(right);
    let total = first.len() + second.len();
    if total == 0 {
        return 0.0;
    }
    first.sort_unstable();
    second.sort_unstable();
    ratio(2 * count_common(&first, &second), total)
}

/// Returns the share of letters that two texts have in common in the same order, from 0 to 1 (one
/// minus the normalised insert-delete distance, which strsim does not have).
pub fn indel(left: &str, right: &str) -> f64 {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut row = vec![0usize; right.len() + 1];
    for &letter in &left {
        let mut diagonal = 0;
        let mut beside = 0;
        for (cell, &other) in row.iter_mut().skip(1).zip(&right) {
            let above = *cell;
            *cell = if letter == other {
                diagonal + 1
            } else {
                above.max(beside)
            };
            diagonal = above;
            beside = *cell;
        }
    }
    ratio(
        2 * row.last().copied().unwrap_or(0),
        left.len() + right.len(),
    )
}

/// Returns the number of insertions, deletions, replacements and swaps of neighbours between two
/// texts, or `None` above `limit`.
pub fn edits(left: &str, right: &str, limit: usize) -> Option<usize> {
    // Two texts need at least as many edits as their lengths differ, so most pairs need no table.
    let lengths = left.chars().count().abs_diff(right.chars().count());
    let distance = || strsim::osa_distance(left, right);
    (lengths <= limit)
        .then(distance)
        .filter(|distance| *distance <= limit)
}

fn trigrams(text: &str) -> Vec<[char; 3]> {
    if text.is_empty() {
        return Vec::new();
    }
    let padded: Vec<char> = "  ".chars().chain(text.chars()).chain([' ']).collect();
    padded
        .windows(3)
        .filter_map(|piece| <[char; 3]>::try_from(piece).ok())
        .collect()
}

/// Returns the number of elements that two sorted lists share, including repeated ones.
fn count_common(first: &[[char; 3]], second: &[[char; 3]]) -> usize {
    let mut common = 0;
    let (mut left, mut right) = (first.iter().peekable(), second.iter().peekable());
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        match one.cmp(other) {
            std::cmp::Ordering::Less => drop(left.next()),
            std::cmp::Ordering::Greater => drop(right.next()),
            std::cmp::Ordering::Equal => {
                common += 1;
                left.next();
                right.next();
            }
        }
    }
    common
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "lengths of capped names are far below 2^53"
    )]
    let value = part as f64 / whole as f64;
    value
}

/// Converts a similarity between 0 and 1 to thousandths.
pub fn thousandths(likeness: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "likeness lies between 0 and 1"
    )]
    let value = (likeness * 1000.0) as u32;
    value
}

#[cfg(test)]
mod tests {
    use super::{dice, edits, indel};

    #[test]
    fn likeness_runs_from_nothing_shared_to_identical() {
        for measure in [dice, indel] {
            assert!((measure("title", "title") - 1.0).abs() < 1e-9);
            assert!(
                measure("title", "") < 1e-9
                    && measure("", "") < 1e-9
                    && measure("abc", "xyz") < 1e-9
            );
        }
        assert!((indel("pubdate", "publicationdate") - 14.0 / 22.0).abs() < 1e-9);
        assert!((dice("abc", "abd") - 0.5).abs() < 1e-9);
    }

    #[test]
    fn edits_count_a_swap_once_and_stop_at_the_limit() {
        assert_eq!(edits("title", "title", 2), Some(0));
        assert_eq!(edits("title", "titel", 2), Some(1));
        assert_eq!(edits("title", "tile", 2), Some(1));
        assert_eq!(edits("kitten", "sitting", 3), Some(3));
        assert_eq!(edits("kitten", "sitting", 2), None);
        assert_eq!(edits("", "ab", 2), Some(2));
    }
}
