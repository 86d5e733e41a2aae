//! Betweenness without weights from eight sources at a time: each node has a lane for each of them,
//! and one walk over the rows serves all lanes. This is faster if a node is about equally far from
//! several sources, as in random graphs.
//!
//! A sweep from 64 sources finds the nodes that they reach with each step. The forward pass then
//! goes through these steps: the number of paths to a node is the sum over the nodes before it, so
//! it sums the rows of incoming arcs. A lane in which a node is not reached yet is 0, so the sums
//! need no condition; for this reason the results of a step are written only when the whole step is
//! done. The backward pass does the same with outgoing arcs.

use crate::limits::MAX_LANE_NODES;
use crate::network::{Network, Rows};
use crate::per_node::PerNode;
use crate::sweep::{BATCH, Reached, sweep};

/// The number of sources of a group: their values fill 64 bytes, one cache line.
const LANES: usize = 8;

/// The mean number of lanes of a group in use, at a node and a step, from which lanes are faster
/// than one source after the other. In random graphs of mean degree 8 it is 3, and lanes take a
/// third of the time; in binary trees numbered level by level it is 2, half of the time; on lines
/// it is 1, twice the time.
const LEAST_FILLED: f64 = 1.5;

/// Lanes are used only if a sweep finds each node at most this number of times on average: in the
/// largest graph the found nodes then take 19 MB. In random graphs of mean degree 8 it finds each 4
/// times, in binary trees 8, in square grids 30 times, on lines 64.
const MOST_FOUND: usize = 12;

/// A number for each source of a group.
type Lanes = [f64; LANES];

/// Adds the dependencies of sources. Returns the sources that remain for the search one by one,
/// because the first of them do not share enough steps for lanes.
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

/// The nodes that the sources of a batch reach with each step.
#[derive(Default)]
struct Steps {
    found: Vec<Found>,
    /// The end of each step in `found`.
    ends: Vec<usize>,
}

/// A node that sources of a batch reach with the same step.
struct Found {
    node: u32,
    /// The sources of the batch that reach it.
    sources: u64,
    /// The sources of the batch for which shortest paths continue after the node.
    onward: u64,
}

impl Steps {
    /// Finds the steps of a batch. Returns true if the sources share enough for lanes to be worth
    /// it.
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

/// Returns the number of groups of a batch that contain one of these sources.
fn groups_of(sources: u64) -> u32 {
    let groups = sources.to_le_bytes();
    groups.map(|lanes| u32::from(lanes != 0)).iter().sum()
}

/// A node that sources of a group reach with the same step.
struct Visit {
    node: u32,
    /// The sources of the group that reach it.
    sources: u8,
    /// The sources of the group for which shortest paths continue after the node.
    onward: u8,
}

/// The searches of a group.
struct Group {
    visits: Vec<Visit>,
    /// The end of each step in `visits`.
    ends: Vec<usize>,
    /// The number of shortest paths from each source.
    paths: PerNode<Lanes>,
    /// `(1 + dependency) / paths` of each node that the backward pass has processed.
    shares: PerNode<Lanes>,
    /// The new values of the nodes of a step, which are written when the whole step is done.
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

    /// Loads the group with this index in a batch.
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

    /// Counts the shortest paths in a forward pass, step by step.
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

    /// Sums the dependencies in a backward pass, from the last step to the first. The sources
    /// themselves are left out, because their own dependency does not count.
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

/// Returns the visits of a step, from the end of the previous step on.
fn step<'visits>(visits: &'visits [Visit], ends: &[usize]) -> &'visits [Visit] {
    let &[start, end] = ends else {
        return &[];
    };
    visits.get(start..end).unwrap_or_default()
}

/// Applies a function to each lane of two values. It does not use an iterator, whose parts are not
/// inlined in every build profile.
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

/// Returns the lanes of these sources, with 0 in all other lanes.
#[inline(always)]
fn only(lanes: Lanes, sources: u8) -> Lanes {
    let masks = |half: u8| MASKS.get(usize::from(half)).copied().unwrap_or_default();
    let [a, b, c, d] = masks(sources & 0xf);
    let [e, f, g, h] = masks(sources >> 4);
    each(lanes, [a, b, c, d, e, f, g, h], |lane, mask| {
        f64::from_bits(lane.to_bits() & mask)
    })
}

/// The number of lanes whose masks are looked up together.
const HALF: usize = LANES / 2;

/// The bit masks of the lanes, for each set of sources.
static MASKS: [[u64; HALF]; 1 << HALF] = {
    // The masks of a lane that is not in the set, and of one that is.
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
