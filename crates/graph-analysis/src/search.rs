//! Shortest distances from one source: breadth-first without weights, Dijkstra's algorithm with
//! them.
//!
//! Buffers are reused from search to search, and only the entries that a search touched are reset.
//! Nodes are settled in order of distance, then of edges on the way, then of their number, which
//! makes every result built on it deterministic.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::network::{Rows, Weights};
use crate::per_node::PerNode;

/// The state of a node in a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct State {
    /// The shortest distance from the source; infinite if the node is not reached.
    pub distance: f64,
    /// The fewest edges of a path of that distance.
    pub hops: u32,
    /// The position in the order of settling, or [`UNSETTLED`].
    pub rank: u32,
}

/// The rank of a node that is not settled: no graph has this many nodes.
pub(crate) const UNSETTLED: u32 = u32::MAX;

impl Default for State {
    fn default() -> Self {
        Self {
            distance: f64::INFINITY,
            hops: u32::MAX,
            rank: UNSETTLED,
        }
    }
}

impl State {
    pub fn is_settled(self) -> bool {
        self.rank != UNSETTLED
    }
}

/// A search, and the result of its last run.
pub(crate) struct Search {
    states: PerNode<State>,
    /// The bits of a distance, which sort like the distance because it is not negative; edges;
    /// node.
    heap: BinaryHeap<Reverse<(u64, u32, u32)>>,
    touched: Vec<u32>,
    order: Vec<u32>,
    steps: u64,
}

impl Search {
    pub fn new(nodes: u32) -> Self {
        Self {
            states: PerNode::new(nodes, State::default()),
            heap: BinaryHeap::new(),
            touched: Vec::new(),
            order: Vec::new(),
            steps: 0,
        }
    }

    /// Searches from a source through the allowed arcs. If there is a target, the search ends when
    /// it is settled.
    pub fn run(
        &mut self,
        rows: &Rows,
        weights: Weights,
        source: u32,
        target: Option<u32>,
        allowed: impl Fn(u32, u32) -> bool,
    ) {
        for node in self.touched.drain(..) {
            self.states.set(node, State::default());
        }
        self.order.clear();
        self.heap.clear();
        self.touched.push(source);
        self.states.update(source, |state| {
            state.distance = 0.0;
            state.hops = 0;
        });
        match weights {
            Weights::Ignored => self.breadth_first(rows, target, allowed),
            Weights::Used => self.dijkstra(rows, source, target, allowed),
        }
    }

    /// Returns the state of a node.
    pub fn state(&self, node: u32) -> State {
        self.states.get(node)
    }

    /// Returns the settled nodes, in order.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the number of arcs and nodes read by all runs.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Settles nodes in the order in which they are reached; `touched` is the queue. Nodes at the
    /// same distance are not in the order of their numbers, on which nothing depends here.
    fn breadth_first(
        &mut self,
        rows: &Rows,
        target: Option<u32>,
        allowed: impl Fn(u32, u32) -> bool,
    ) {
        let mut rank = 0;
        while let Some(node) = self.touched.get(rank as usize).copied() {
            let mut hops = 0;
            self.states.update(node, |state| {
                state.rank = rank;
                hops = state.hops + 1;
            });
            self.order.push(node);
            rank += 1;
            if target == Some(node) {
                return;
            }
            let row = rows.row(node);
            self.steps += row.len() as u64 + 1;
            for neighbour in row {
                self.states.update(*neighbour, |state| {
                    if state.hops == u32::MAX && allowed(node, *neighbour) {
                        state.hops = hops;
                        state.distance = f64::from(hops);
                        self.touched.push(*neighbour);
                    }
                });
            }
        }
    }

    fn dijkstra(
        &mut self,
        rows: &Rows,
        source: u32,
        target: Option<u32>,
        allowed: impl Fn(u32, u32) -> bool,
    ) {
        self.heap.push(Reverse((0, 0, source)));
        // Every arc is pushed at most once, so the heap never has more entries than the graph has
        // arcs.
        while let Some(Reverse((bits, hops, node))) = self.heap.pop() {
            let rank = self.order.len() as u32;
            let mut is_settled = false;
            self.states.update(node, |state| {
                is_settled = state.is_settled();
                if !is_settled {
                    state.rank = rank;
                }
            });
            if is_settled {
                continue;
            }
            self.order.push(node);
            if target == Some(node) {
                return;
            }
            let distance = f64::from_bits(bits);
            self.steps += u64::from(rows.length(node)) + 1;
            for (neighbour, length) in rows.distances(node) {
                let candidate = (distance + length, hops + 1);
                self.states.update(neighbour, |state| {
                    let is_better = !state.is_settled()
                        && candidate < (state.distance, state.hops)
                        && allowed(node, neighbour);
                    if !is_better {
                        return;
                    }
                    if state.hops == u32::MAX {
                        self.touched.push(neighbour);
                    }
                    (state.distance, state.hops) = candidate;
                    self.heap
                        .push(Reverse((candidate.0.to_bits(), candidate.1, neighbour)));
                });
            }
        }
    }
}
