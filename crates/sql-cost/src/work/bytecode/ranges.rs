//! A set of address ranges that can be searched by an address within them.

use std::collections::HashMap;
use std::ops::Range;

/// A segment tree: each range is stored at the few nodes that cover it exactly, so a search passes
/// only the nodes above one address.
#[derive(Debug, Default)]
pub struct Ranges {
    all: Vec<Range<usize>>,
    leaves: usize,
    nodes: HashMap<usize, Vec<usize>>,
}

impl Ranges {
    /// Builds the tree for ranges within `0..addresses`.
    pub fn of(all: Vec<Range<usize>>, addresses: usize) -> Self {
        let leaves = addresses.next_power_of_two();
        let mut nodes: HashMap<usize, Vec<usize>> = HashMap::new();
        for (number, range) in all.iter().enumerate() {
            let (mut low, mut high) = (range.start + leaves, range.end.min(addresses) + leaves);
            while low < high {
                if low % 2 == 1 {
                    nodes.entry(low).or_default().push(number);
                    low += 1;
                }
                if high % 2 == 1 {
                    high -= 1;
                    nodes.entry(high).or_default().push(number);
                }
                low /= 2;
                high /= 2;
            }
        }
        Self { all, leaves, nodes }
    }

    /// Returns the ranges that contain the address, each with its number in the given order.
    pub fn around(&self, address: usize) -> impl Iterator<Item = (usize, &Range<usize>)> {
        let leaf = (address < self.leaves).then_some(address + self.leaves);
        let path = std::iter::successors(leaf, |node| (*node > 1).then_some(node / 2));
        path.filter_map(|node| self.nodes.get(&node))
            .flatten()
            .filter_map(|number| Some((*number, self.all.get(*number)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::Ranges;

    #[test]
    fn an_address_finds_every_range_that_holds_it_and_no_other() {
        for addresses in 1..20 {
            let all: Vec<_> = (0..addresses)
                .flat_map(|start| (start..=addresses).map(move |end| start..end))
                .collect();
            let ranges = Ranges::of(all.clone(), addresses);
            for address in 0..addresses {
                let mut found: Vec<usize> = ranges.around(address).map(|(at, _)| at).collect();
                found.sort_unstable();
                let wanted = all
                    .iter()
                    .enumerate()
                    .filter(|(_, one)| one.contains(&address));
                assert_eq!(found, wanted.map(|(at, _)| at).collect::<Vec<_>>());
            }
        }
    }
}
