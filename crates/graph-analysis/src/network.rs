//! The graph that is analysed: compressed sparse rows of arcs, sorted by target.
//!
//! It guarantees that every end exists, that every weight is finite and not negative, and that no
//! two arcs of a row have the same target. An undirected edge is two arcs, a self-loop one. Each
//! measure decides whether it uses weights, and with what meaning.

use crate::error::{AnalysisError, Result};
use crate::limits::{MAX_ANALYSED_EDGES, MAX_ANALYSED_NODES};
use crate::per_node::PerNode;

/// The direction of edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Edges go from source to target.
    Directed,
    /// Edges go both ways.
    Undirected,
}

/// The use of edge weights by a measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Every edge counts 1, including one that represents several parallel edges.
    Ignored,
    /// Edges count with their weight, which is a distance or a strength depending on the measure.
    Used,
}

/// A graph with nodes `0..node_count`.
#[derive(Debug, Clone)]
pub struct Network {
    direction: Direction,
    outgoing: Rows,
    /// `None` in an undirected graph, where they are the same as the outgoing ones.
    incoming: Option<Rows>,
    given_edges: u64,
    loops: PerNode<bool>,
    loop_count: u32,
}

/// Arcs by the node at which they begin, or by the node at which they end.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    /// The start of each row; one entry more than there are nodes.
    starts: Vec<u32>,
    targets: Vec<u32>,
    strengths: Vec<f64>,
    /// `None` in a graph without parallel edges, where they are the same as the strengths.
    distances: Option<Vec<f64>>,
}

/// An edge as it was given: source, target, weight.
type Edge = (u32, u32, f64);

impl Network {
    /// Returns a graph of `node_count` nodes with these edges: source, target, weight (1 if the
    /// caller has none).
    ///
    /// Parallel edges collapse, in an undirected graph regardless of their direction: their
    /// strengths add up, and their distance is the least one. NetworkX does the same: its matrices
    /// of a `MultiGraph` add weights and its path functions take the least.
    ///
    /// # Errors
    /// [`AnalysisError::TooLarge`], [`AnalysisError::NoSuchEnd`], [`AnalysisError::InvalidWeight`],
    /// and [`AnalysisError::WeightOverflow`] if the sum of all weights exceeds a double.
    pub fn new(
        node_count: u32,
        edges: impl IntoIterator<Item = Edge>,
        direction: Direction,
    ) -> Result<Self> {
        AnalysisError::check_size(
            "the number of nodes",
            u64::from(node_count),
            MAX_ANALYSED_NODES,
        )?;
        let edges = validated(node_count, edges)?;
        let (outgoing, incoming) = match direction {
            Direction::Directed => (
                Rows::new(node_count, &edges, Ends::Outgoing),
                Some(Rows::new(node_count, &edges, Ends::Incoming)),
            ),
            Direction::Undirected => (Rows::new(node_count, &edges, Ends::Both), None),
        };
        let mut loops = PerNode::new(node_count, false);
        for (source, _, _) in edges.iter().filter(|edge| edge.0 == edge.1) {
            loops.set(*source, true);
        }
        Ok(Self {
            direction,
            outgoing,
            incoming,
            given_edges: edges.len() as u64,
            loop_count: loops.values().iter().filter(|has| **has).count() as u32,
            loops,
        })
    }

    /// Returns the number of nodes.
    pub fn node_count(&self) -> u32 {
        (self.outgoing.starts.len() as u32).saturating_sub(1)
    }

    /// Returns the number of edges after parallel ones have collapsed, including self-loops.
    pub fn edge_count(&self) -> u64 {
        match self.direction {
            Direction::Directed => self.arc_count(),
            // A self-loop is one arc, every other edge is two.
            Direction::Undirected => (self.arc_count() + u64::from(self.loop_count)) / 2,
        }
    }

    /// Returns the number of edges as given, each parallel edge counted.
    pub fn given_edge_count(&self) -> u64 {
        self.given_edges
    }

    /// Returns the number of nodes with an edge to themselves.
    pub fn self_loop_count(&self) -> u32 {
        self.loop_count
    }

    /// Returns the direction of the edges.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Returns the number of edges at a node, in both directions. A self-loop counts twice, as in
    /// NetworkX.
    pub fn degree(&self, node: u32) -> u32 {
        match &self.incoming {
            Some(incoming) => self.outgoing.length(node) + incoming.length(node),
            None => self.outgoing.length(node) + u32::from(self.loops.get(node)),
        }
    }

    /// Returns the number of edges that end at a node; for an undirected graph, its degree.
    pub fn in_degree(&self, node: u32) -> u32 {
        self.incoming
            .as_ref()
            .map_or_else(|| self.degree(node), |incoming| incoming.length(node))
    }

    /// Returns the number of edges that begin at a node; for an undirected graph, its degree.
    pub fn out_degree(&self, node: u32) -> u32 {
        match self.direction {
            Direction::Directed => self.outgoing.length(node),
            Direction::Undirected => self.degree(node),
        }
    }

    /// Returns the same graph without directions. Opposite edges collapse like parallel ones.
    ///
    /// # Errors
    /// [`AnalysisError::WeightOverflow`].
    pub(crate) fn to_undirected(&self, weights: Weights) -> Result<Self> {
        let arcs = (0..self.node_count()).flat_map(|source| {
            self.outgoing
                .arcs(source)
                .map(move |(target, strength)| match weights {
                    Weights::Used => (source, target, strength),
                    Weights::Ignored => (source, target, 1.0),
                })
                // An undirected edge is two arcs, of which one is enough.
                .filter(|arc| self.direction == Direction::Directed || arc.0 <= arc.1)
        });
        Self::new(self.node_count(), arcs, Direction::Undirected)
    }

    /// Returns the number of arcs, which is the number that a walk over all rows reads.
    pub(crate) fn arc_count(&self) -> u64 {
        self.outgoing.targets.len() as u64
    }

    pub(crate) fn outgoing(&self) -> &Rows {
        &self.outgoing
    }

    pub(crate) fn incoming(&self) -> &Rows {
        self.incoming.as_ref().unwrap_or(&self.outgoing)
    }

    /// Checks that there is such a node.
    ///
    /// # Errors
    /// [`AnalysisError::NoSuchNode`].
    pub(crate) fn check_node(&self, node: u32) -> Result<()> {
        let nodes = self.node_count();
        if node >= nodes {
            return Err(AnalysisError::NoSuchNode { node, nodes });
        }
        Ok(())
    }

    /// Checks that no distance is 0 if weights are used: otherwise the number of shortest paths
    /// would be infinite.
    ///
    /// # Errors
    /// [`AnalysisError::ZeroDistance`] with the first edge of length 0.
    pub(crate) fn check_distances(&self, weights: Weights) -> Result<()> {
        if weights == Weights::Ignored {
            return Ok(());
        }
        for from in 0..self.node_count() {
            if let Some((to, _)) = self
                .outgoing
                .distances(from)
                .find(|(to, distance)| *distance <= 0.0 && *to != from)
            {
                return Err(AnalysisError::ZeroDistance { from, to });
            }
        }
        Ok(())
    }
}

/// Checks the edges, and returns them as a list.
fn validated(nodes: u32, edges: impl IntoIterator<Item = Edge>) -> Result<Vec<Edge>> {
    let mut list = Vec::new();
    let mut sum = 0.0;
    for (edge, (source, target, weight)) in edges.into_iter().enumerate() {
        AnalysisError::check_size("the number of edges", edge as u64 + 1, MAX_ANALYSED_EDGES)?;
        for node in [source, target] {
            if node >= nodes {
                return Err(AnalysisError::NoSuchEnd { edge, node, nodes });
            }
        }
        if !weight.is_finite() || weight < 0.0 {
            return Err(AnalysisError::InvalidWeight { edge, weight });
        }
        // Adding 0 turns -0 into 0, whose bits sort before those of every other distance.
        let weight = weight + 0.0;
        sum += weight;
        list.push((source, target, weight));
    }
    // Twice the sum, because an undirected edge counts at both of its ends.
    if f64::is_finite(2.0 * sum) {
        Ok(list)
    } else {
        Err(AnalysisError::WeightOverflow)
    }
}

/// The ends of an edge at which it is listed.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    Outgoing,
    Incoming,
    Both,
}

impl Rows {
    fn new(nodes: u32, edges: &[Edge], ends: Ends) -> Self {
        let arcs = if ends == Ends::Both {
            2 * edges.len() as u32
        } else {
            edges.len() as u32
        };
        // The second arc of an undirected edge has an odd index. A self-loop has no second arc.
        let arc = |index: u32| {
            let edge = if ends == Ends::Both { index / 2 } else { index };
            let (source, target, weight) = *edges.get(edge as usize)?;
            let is_reversed = ends == Ends::Incoming || (ends == Ends::Both && index % 2 == 1);
            match is_reversed {
                true if source == target && ends == Ends::Both => None,
                true => Some((target, source, weight)),
                false => Some((source, target, weight)),
            }
        };
        let all: Vec<u32> = (0..arcs).filter(|index| arc(*index).is_some()).collect();
        // Two stable counting sorts: by target, then by row.
        let by_target = sorted_by(nodes, &all, |index| arc(index).map_or(0, |arc| arc.1));
        drop(all);
        let sorted = sorted_by(nodes, &by_target, |index| arc(index).map_or(0, |arc| arc.0));
        drop(by_target);
        Self::collapsed(nodes, sorted.into_iter().filter_map(arc))
    }

    /// Returns rows from arcs that are sorted by row and target.
    fn collapsed(nodes: u32, arcs: impl Iterator<Item = Edge>) -> Self {
        let mut rows = Self {
            starts: Vec::with_capacity(nodes as usize + 1),
            targets: Vec::new(),
            strengths: Vec::new(),
            distances: None,
        };
        let mut last = None;
        for (source, target, weight) in arcs {
            if last == Some((source, target)) {
                rows.add_parallel(weight);
                continue;
            }
            last = Some((source, target));
            while rows.starts.len() <= source as usize {
                rows.starts.push(rows.targets.len() as u32);
            }
            rows.targets.push(target);
            rows.strengths.push(weight);
            if let Some(distances) = &mut rows.distances {
                distances.push(weight);
            }
        }
        let end = rows.targets.len() as u32;
        rows.starts.resize(nodes as usize + 1, end);
        rows
    }

    fn add_parallel(&mut self, weight: f64) {
        let strengths = &mut self.strengths;
        let distances = self.distances.get_or_insert_with(|| strengths.clone());
        if let (Some(strength), Some(distance)) = (strengths.last_mut(), distances.last_mut()) {
            *strength += weight;
            *distance = distance.min(weight);
        }
    }

    #[inline(always)]
    fn range(&self, row: u32) -> std::ops::Range<usize> {
        let row = row as usize;
        match (self.starts.get(row), self.starts.get(row + 1)) {
            (Some(start), Some(end)) => *start as usize..*end as usize,
            _ => 0..0,
        }
    }

    #[inline(always)]
    pub(crate) fn length(&self, row: u32) -> u32 {
        self.range(row).len() as u32
    }

    /// Returns the other ends of a row's arcs, in order.
    #[inline(always)]
    pub(crate) fn row(&self, row: u32) -> &[u32] {
        self.targets.get(self.range(row)).unwrap_or_default()
    }

    /// Returns the other ends, each with the sum of the weights of parallel edges.
    #[inline(always)]
    pub(crate) fn arcs(&self, row: u32) -> impl Iterator<Item = (u32, f64)> {
        let strengths = self.strengths.get(self.range(row)).unwrap_or_default();
        self.row(row).iter().copied().zip(strengths.iter().copied())
    }

    /// Returns the least weight of the edges from a row to another node, if there is one. It uses a
    /// binary search, so long rows are not slow.
    pub(crate) fn distance_to(&self, row: u32, target: u32) -> Option<f64> {
        let at = self.row(row).binary_search(&target).ok()?;
        let all = self.distances.as_ref().unwrap_or(&self.strengths);
        all.get(self.range(row).start + at).copied()
    }

    /// Returns the other ends, each with the least weight of parallel edges.
    #[inline(always)]
    pub(crate) fn distances(&self, row: u32) -> impl Iterator<Item = (u32, f64)> {
        let all = self.distances.as_ref().unwrap_or(&self.strengths);
        let distances = all.get(self.range(row)).unwrap_or_default();
        self.row(row).iter().copied().zip(distances.iter().copied())
    }
}

/// Returns a list sorted by keys below `bound`. Entries with the same key keep their order.
pub(crate) fn sorted_by(bound: u32, list: &[u32], key: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut next = PerNode::new(bound, 0u32);
    for entry in list {
        next.update(key(*entry), |count| *count += 1);
    }
    let mut start = 0;
    for bucket in 0..bound {
        next.update(bucket, |count| {
            let length = *count;
            *count = start;
            start += length;
        });
    }
    let mut sorted = PerNode::new(list.len() as u32, 0u32);
    for entry in list {
        next.update(key(*entry), |position| {
            sorted.set(*position, *entry);
            *position += 1;
        });
    }
    sorted.into_values()
}
