//! Betweenness without weights from eight sources at a time: each node has a lane for each of them,
//! and one walk over the rows serves all lanes. That pays where a node is about equally far from
//! several sources, as in random graphs.
//!
//! A sweep from 64 sources finds which nodes they reach with each step. The way out then goes
//! through these steps: the paths to a node are those to the nodes before it, so it sums the rows
//! of incoming arcs. A lane in which a node is not reached yet is 0, so that sums need no
//! condition; hence the results of a step are written when all of it is done. The way back does the
//! same with outgoing arcs.

use crate::limits::MAX_LANE_NODES;
use crate::network::{Network, Rows};
use crate::per_node::PerNode;
use crate::sweep::{BATCH, Reached, sweep};

/// Sources of a group: their numbers fill 64 bytes, a line of a processor's cache.
const LANES: usize = 8;

/// How many lanes of a group the sources fill in the mean, at a node and a step, where lanes are
/// faster than one source after the other. They fill 3 in random graphs of mean degree 8, which
/// takes a third of the time then; 2 in binary trees numbered level by level, half of the time; 1
/// on lines, twice the time.
const LEAST_FILLED: f64 = 1.5;

/// How often a sweep may find each node, in the mean: what it finds takes 19 MB then, in the
/// largest graph. In random graphs of mean degree 8 it finds each 4 times, in binary trees 8, in
/// square grids 30 times, on lines 64.
const MOST_FOUND: usize = 12;

/// A number for each source of a group.
type Lanes = [f64; LANES];

/// Adds the dependencies of sources. Returns those that are left because lanes do not pay: the
/// first of them do not share enough.
pub(super) fn add_dependencies<'sources>(
    network: &Network,
    sources: &'sources [u32],
    sums: &mut PerNode<f64>,
) -> &'sources [u32] {
    let nodes = network.node_count();
    if u64::from(nodes) > MAX_LANE_NODES {
        return sources;
    }
    let mut steps = Steps::default();
    let mut group = Group::new(nodes);
    let mut left = sources;
    for batch in sources.chunks(BATCH) {
        if !steps.find(network, batch) {
            break;
        }
        for (index, sources) in batch.chunks(LANES).enumerate() {
            group.choose(&steps, index);
            group.count_paths(network.incoming(), sources);
            group.sum_dependencies(network.outgoing());
        }
        left = left.get(batch.len()..).unwrap_or_default();
    }
    for node in 0..nodes {
        let dependencies: f64 = group.sums.get(node).iter().sum();
        sums.update(node, |sum| *sum += dependencies);
    }
    left
}

/// Which nodes the sources of a batch reach with each step.
#[derive(Default)]
struct Steps {
    found: Vec<Found>,
    /// Where each step ends in `found`.
    ends: Vec<usize>,
}

/// A node that sources of a batch reach with the same step.
struct Found {
    node: u32,
    /// Which sources of the batch.
    sources: u64,
    /// From which of them shortest paths lead on.
    onward: u64,
}

impl Steps {
    /// Returns true if the sources share enough for lanes to pay.
    fn find(&mut self, network: &Network, batch: &[u32]) -> bool {
        let Self { found, ends } = self;
        found.clear();
        ends.clear();
        let nodes = network.node_count();
        let most = nodes as usize * MOST_FOUND;
        let (mut listed, mut filled, mut groups) = (0, 0, 0);
        let list = |reached: &Reached| {
            listed += 1;
            if listed > most {
                return;
            }
            while ends.len() < reached.distance as usize {
                ends.push(found.len());
            }
            filled += reached.sources.count_ones();
            groups += groups_of(reached.sources);
            found.push(Found {
                node: reached.node,
                sources: reached.sources,
                onward: reached.onward,
            });
        };
        sweep(network.outgoing(), nodes, batch, None, list);
        ends.push(found.len());
        listed <= most && f64::from(filled) >= LEAST_FILLED * f64::from(groups)
    }
}

/// In how many groups of a batch there are such sources.
fn groups_of(sources: u64) -> u32 {
    let groups = sources.to_le_bytes();
    groups.map(|lanes| u32::from(lanes != 0)).iter().sum()
}

/// A node that sources of a group reach with the same step.
struct Visit {
    node: u32,
    /// Which sources of the group.
    sources: u8,
    /// From which of them shortest paths lead on.
    onward: u8,
}

/// The searches of a group.
struct Group {
    visits: Vec<Visit>,
    /// Where each step ends in `visits`.
    ends: Vec<usize>,
    /// The number of shortest paths from each source.
    paths: PerNode<Lanes>,
    /// `(1 + dependency) / paths` of each node that the way back has passed.
    shares: PerNode<Lanes>,
    /// What the nodes of a step get when all of it is done.
    results: PerNode<Lanes>,
    /// The dependencies of all groups so far.
    sums: PerNode<Lanes>,
}

impl Group {
    fn new(nodes: u32) -> Self {
        let zeros = PerNode::new(nodes, [0.0; LANES]);
        Self {
            visits: Vec::new(),
            ends: Vec::new(),
            paths: zeros.clone(),
            shares: zeros.clone(),
            results: zeros.clone(),
            sums: zeros,
        }
    }

    /// Begins with the group of this index in a batch.
    fn choose(&mut self, steps: &Steps, index: usize) {
        self.visits.clear();
        self.ends.clear();
        self.paths.fill([0.0; LANES]);
        self.shares.fill([0.0; LANES]);
        let lanes = |sources: u64| (sources >> (index * LANES)) as u8;
        let mut start = 0;
        for end in &steps.ends {
            let found = steps.found.get(start..*end).unwrap_or_default();
            let visits = found.iter().map(|found| Visit {
                node: found.node,
                sources: lanes(found.sources),
                onward: lanes(found.onward),
            });
            self.visits
                .extend(visits.filter(|visit| visit.sources != 0));
            self.ends.push(self.visits.len());
            start = *end;
        }
    }

    /// The way out, step after step.
    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    fn count_paths(&mut self, incoming: &Rows, sources: &[u32]) {
        for (lane, source) in sources.iter().enumerate() {
            self.paths.update(*source, |paths| {
                if let Some(paths) = paths.get_mut(lane) {
                    *paths = 1.0;
                }
            });
        }
        for ends in self.ends.windows(2) {
            let visits = step(&self.visits, ends);
            for (visit, result) in visits.iter().zip(self.results.slots()) {
                let paths = total(&self.paths, incoming.row(visit.node));
                *result = only(paths, visit.sources);
            }
            for (visit, result) in visits.iter().zip(self.results.values()) {
                self.paths.update(visit.node, |paths| add(paths, result));
            }
        }
    }

    /// The way back, from the last step to the first. The sources themselves are left out: their
    /// own dependency does not count.
    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    fn sum_dependencies(&mut self, outgoing: &Rows) {
        for ends in self.ends.windows(2).rev() {
            let visits = step(&self.visits, ends);
            for (visit, result) in visits.iter().zip(self.results.slots()) {
                let paths = self.paths.get(visit.node);
                let mut dependencies = [0.0; LANES];
                if visit.onward != 0 {
                    let passed = total(&self.shares, outgoing.row(visit.node));
                    dependencies = each(paths, passed, |paths, passed| paths * passed);
                    dependencies = only(dependencies, visit.onward);
                    self.sums
                        .update(visit.node, |sums| add(sums, &dependencies));
                }
                let shares = each(dependencies, paths, |dependency, paths| {
                    (1.0 + dependency) / paths
                });
                *result = only(shares, visit.sources);
            }
            for (visit, result) in visits.iter().zip(self.results.values()) {
                self.shares.update(visit.node, |shares| add(shares, result));
            }
        }
    }
}

/// Returns the visits of a step, from where the step before it ends.
fn step<'visits>(visits: &'visits [Visit], ends: &[usize]) -> &'visits [Visit] {
    let &[start, end] = ends else {
        return &[];
    };
    visits.get(start..end).unwrap_or_default()
}

/// Returns a function of each lane of two. Without an iterator, whose parts are not inlined in
/// every profile of cargo.
#[inline(always)]
fn each<T>(one: Lanes, other: [T; LANES], function: impl Fn(f64, T) -> f64) -> Lanes {
    let [a, b, c, d, e, f, g, h] = one;
    let [i, j, k, l, m, n, o, p] = other;
    [
        function(a, i),
        function(b, j),
        function(c, k),
        function(d, l),
        function(e, m),
        function(f, n),
        function(g, o),
        function(h, p),
    ]
}

#[inline(always)]
fn add(sums: &mut Lanes, values: &Lanes) {
    *sums = each(*sums, *values, |sum, value| sum + value);
}

/// Returns the sums over nodes.
#[inline(always)]
fn total(values: &PerNode<Lanes>, nodes: &[u32]) -> Lanes {
    let values = values.values();
    let mut sums = [0.0; LANES];
    for node in nodes {
        if let Some(values) = values.get(*node as usize) {
            add(&mut sums, values);
        }
    }
    sums
}

/// Returns the lanes of these sources, whatever is in the others: those become 0.
#[inline(always)]
fn only(lanes: Lanes, sources: u8) -> Lanes {
    let masks = |half: u8| MASKS.get(usize::from(half)).copied().unwrap_or_default();
    let [a, b, c, d] = masks(sources & 0xf);
    let [e, f, g, h] = masks(sources >> 4);
    each(lanes, [a, b, c, d, e, f, g, h], |lane, mask| {
        f64::from_bits(lane.to_bits() & mask)
    })
}

/// Lanes whose masks are looked up together.
const HALF: usize = LANES / 2;

/// For each set of sources, all bits of their lanes.
static MASKS: [[u64; HALF]; 1 << HALF] = {
    // What a lane that is left out keeps of its bits, and what one of the set keeps.
    const NO: u64 = 0;
    const ALL: u64 = u64::MAX;
    [
        [NO, NO, NO, NO],
        [ALL, NO, NO, NO],
        [NO, ALL, NO, NO],
        [ALL, ALL, NO, NO],
        [NO, NO, ALL, NO],
        [ALL, NO, ALL, NO],
        [NO, ALL, ALL, NO],
        [ALL, ALL, ALL, NO],
        [NO, NO, NO, ALL],
        [ALL, NO, NO, ALL],
        [NO, ALL, NO, ALL],
        [ALL, ALL, NO, ALL],
        [NO, NO, ALL, ALL],
        [ALL, NO, ALL, ALL],
        [NO, ALL, ALL, ALL],
        [ALL, ALL, ALL, ALL],
    ]
};
