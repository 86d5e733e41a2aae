//! The strongly connected parts of a region of a graph, and their dominators.

use std::collections::HashMap;

use super::super::bytecode::reach::Quick;
use super::graph::Graph;

/// A part of a graph whose counts are not known yet.
#[derive(Debug)]
pub struct Region {
    pub nodes: Vec<usize>,
    /// The number of times that control enters, by node.
    pub entries: Vec<(usize, f64)>,
    /// The largest number of times that control enters, over all nodes.
    pub entered: f64,
    /// True for a whole context, which may have no loop at all.
    pub whole: bool,
}

/// The nodes of a region, numbered from 0, and the edges between them.
pub struct RegionGraph {
    pub nodes: Vec<usize>,
    pub number: HashMap<usize, usize, Quick>,
    pub edges: Vec<usize>,
}

impl RegionGraph {
    pub fn of(region: &Region, graph: &Graph) -> Self {
        let number: HashMap<usize, usize, Quick> = region
            .nodes
            .iter()
            .enumerate()
            .map(|(number, node)| (*node, number))
            .collect();
        let edges = region
            .nodes
            .iter()
            .filter_map(|node| graph.leaving.get(*node))
            .flatten()
            .copied()
            .filter(|edge| {
                graph
                    .edges
                    .get(*edge)
                    .is_some_and(|edge| number.contains_key(&edge.to))
            })
            .collect();
        Self {
            nodes: region.nodes.clone(),
            number,
            edges,
        }
    }
}

/// The strongly connected parts of a region. In reverse order, each part comes after all parts that
/// lead to it.
pub struct Parts {
    pub members: Vec<Vec<usize>>,
    of_node: Vec<usize>,
}

impl Parts {
    /// Finds the parts by Tarjan's algorithm without recursion (R. Tarjan, "Depth-first search and
    /// linear graph algorithms", 1972).
    pub fn of(inside: &RegionGraph, graph: &Graph, is_cut: &[bool]) -> Self {
        let count = inside.nodes.len();
        let mut successors: Vec<Vec<usize>> = vec![Vec::new(); count];
        for edge in &inside.edges {
            if is_cut.get(*edge).copied().unwrap_or(true) {
                continue;
            }
            let Some(edge) = graph.edges.get(*edge) else {
                continue;
            };
            if let (Some(from), Some(to)) =
                (inside.number.get(&edge.from), inside.number.get(&edge.to))
                && let Some(list) = successors.get_mut(*from)
            {
                list.push(*to);
            }
        }
        let mut search = Search::new(&successors);
        for start in 0..count {
            search.from(start);
        }
        let members = search
            .parts
            .iter()
            .map(|part| {
                part.iter()
                    .filter_map(|number| inside.nodes.get(*number).copied())
                    .collect()
            })
            .collect();
        Self {
            members,
            of_node: search.part_of,
        }
    }

    pub fn part_of(&self, inside: &RegionGraph, node: usize) -> Option<usize> {
        let number = inside.number.get(&node)?;
        self.of_node.get(*number).copied()
    }

    /// Returns the parts in an order in which each comes before those that it leads to.
    pub fn in_order(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.members.len()).rev()
    }

    /// Returns true if both ends of an edge are in one part.
    pub fn is_within(&self, edge: usize, graph: &Graph, inside: &RegionGraph) -> bool {
        graph.edges.get(edge).is_some_and(|edge| {
            let from = self.part_of(inside, edge.from);
            from.is_some() && from == self.part_of(inside, edge.to)
        })
    }
}

/// The state of Tarjan's search.
struct Search<'a> {
    successors: &'a [Vec<usize>],
    next_index: usize,
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    part_of: Vec<usize>,
    parts: Vec<Vec<usize>>,
}

impl<'a> Search<'a> {
    fn new(successors: &'a [Vec<usize>]) -> Self {
        let count = successors.len();
        Self {
            successors,
            next_index: 0,
            index: vec![None; count],
            low: vec![0; count],
            on_stack: vec![false; count],
            stack: Vec::new(),
            part_of: vec![0; count],
            parts: Vec::new(),
        }
    }

    fn from(&mut self, start: usize) {
        if self.index.get(start).copied().flatten().is_some() {
            return;
        }
        self.enter(start);
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((node, taken)) = path.last_mut() {
            let node = *node;
            let next = self
                .successors
                .get(node)
                .and_then(|list| list.get(*taken))
                .copied();
            *taken += 1;
            match next {
                Some(next) => match self.index.get(next).copied().flatten() {
                    None => {
                        self.enter(next);
                        path.push((next, 0));
                    }
                    Some(seen) if self.on_stack.get(next).copied().unwrap_or(false) => {
                        self.lower(node, seen);
                    }
                    Some(_) => {}
                },
                None => {
                    path.pop();
                    let low = self.low.get(node).copied().unwrap_or(0);
                    if let Some((parent, _)) = path.last() {
                        self.lower(*parent, low);
                    }
                    if self.index.get(node).copied().flatten() == Some(low) {
                        self.close(node);
                    }
                }
            }
        }
    }

    fn enter(&mut self, node: usize) {
        if let (Some(index), Some(low), Some(on_stack)) = (
            self.index.get_mut(node),
            self.low.get_mut(node),
            self.on_stack.get_mut(node),
        ) {
            *index = Some(self.next_index);
            *low = self.next_index;
            *on_stack = true;
        }
        self.next_index += 1;
        self.stack.push(node);
    }

    fn lower(&mut self, node: usize, to: usize) {
        if let Some(low) = self.low.get_mut(node) {
            *low = (*low).min(to);
        }
    }

    fn close(&mut self, node: usize) {
        let number = self.parts.len();
        let mut part = Vec::new();
        while let Some(member) = self.stack.pop() {
            if let (Some(on_stack), Some(part_of)) =
                (self.on_stack.get_mut(member), self.part_of.get_mut(member))
            {
                *on_stack = false;
                *part_of = number;
            }
            part.push(member);
            if member == node {
                break;
            }
        }
        self.parts.push(part);
    }
}

/// The immediate dominators of the parts, found in the order of the parts (K. Cooper, T. Harvey, K.
/// Kennedy, "A simple, fast dominance algorithm", 2001). In one pass, control that reaches a part
/// has passed through its dominator, so the part runs no more often than that.
pub struct Dominators {
    /// For each part, `None` until it is reached, then its dominator; `Some(None)` if control also
    /// enters it from outside.
    above: Vec<Option<Option<usize>>>,
    depth: Vec<usize>,
}

impl Dominators {
    pub fn new(count: usize) -> Self {
        Self {
            above: vec![None; count],
            depth: vec![0; count],
        }
    }

    /// Records that a part is reached from another one, whose own dominator is final.
    pub fn reached(&mut self, part: usize, from: usize) {
        let joined = match self.above.get(part).copied().flatten() {
            None => Some(from),
            Some(known) => self.common(known, Some(from)),
        };
        if let Some(slot) = self.above.get_mut(part) {
            *slot = Some(joined);
        }
    }

    fn common(&self, left: Option<usize>, right: Option<usize>) -> Option<usize> {
        let (mut left, mut right) = (left?, right?);
        while left != right {
            let depth = |part: usize| self.depth.get(part).copied().unwrap_or(0);
            if depth(left) >= depth(right) {
                left = self.above.get(left).copied().flatten().flatten()?;
            } else {
                right = self.above.get(right).copied().flatten().flatten()?;
            }
        }
        Some(left)
    }

    /// Returns the bound on the runs of the part that follows from its dominator. If `from_outside`
    /// is true, control also enters from outside, and there is no bound.
    pub fn bound(&mut self, part: usize, from_outside: bool, runs: &[f64]) -> f64 {
        let above = if from_outside {
            None
        } else {
            self.above.get(part).copied().flatten().flatten()
        };
        let depth = above.map_or(0, |above| self.depth.get(above).copied().unwrap_or(0) + 1);
        if let (Some(slot), Some(level)) = (self.above.get_mut(part), self.depth.get_mut(part)) {
            *slot = Some(above);
            *level = depth;
        }
        above
            .and_then(|above| runs.get(above).copied())
            .unwrap_or(f64::INFINITY)
    }
}
