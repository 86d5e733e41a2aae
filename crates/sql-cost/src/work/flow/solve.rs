//! Computes an upper bound on how often each instruction runs.
//!
//! A strongly connected part of a graph is a nest of loops. Its outermost loops are cut at edges
//! whose allowance is known from outside of the part. Between two cuts, control passes through the
//! rest at most once, so the rest runs at most once for each entry and for each time that a cut
//! edge is taken. Anything that is still strongly connected is an inner loop, and is solved in turn
//! with the runs that the outer loop allows it. Edges that have an allowance but need no cut, such
//! as the way into code that runs once, bound the instructions after them.
//!
//! The method never reads a name, and every step can only enlarge the bound: a count is a sum over
//! all paths of the graph, even those that the data rules out.

use std::collections::{HashMap, HashSet};

use super::super::bytecode::reach::Quick;
use super::super::meter::Meter;
use super::allowance::{Allowance, Factor, Term};
use super::graph::{ContextEntry, Graph, InstructionAddress};
use super::parts::{Dominators, Parts, Region, RegionGraph};

/// The largest number of edges of one loop that are checked for being a necessary cut. If there are
/// more, all are cut.
const MAX_TRIED_CUTS: usize = 200;

/// The largest number of rounds of the solver. Loops, including coroutines and subroutines, nest at
/// most this deep.
const MAX_ROUNDS: usize = 2_000;

/// An edge that was cut, and how often it is taken.
#[derive(Debug, Clone, Copy)]
pub struct Cut {
    pub edge: usize,
    pub taken: f64,
}

pub struct Solver<'a> {
    graph: &'a Graph,
    meter: &'a Meter,
    allowances: &'a [Option<Allowance>],
    /// The number of rows of the tables that the statement writes.
    written_rows: f64,
    counts: Vec<Option<f64>>,
    is_cut: Vec<bool>,
    /// The context in which each program starts.
    main_of: HashMap<usize, usize>,
    /// The cuts that were made, for the explanation of the result.
    pub cuts: Vec<Cut>,
}

/// Multiplies two counts. Zero times infinity is zero.
fn product(left: f64, right: f64) -> f64 {
    if left == 0.0 || right == 0.0 {
        0.0
    } else {
        left * right
    }
}

impl<'a> Solver<'a> {
    pub fn new(
        graph: &'a Graph,
        meter: &'a Meter,
        allowances: &'a [Option<Allowance>],
        written_rows: f64,
    ) -> Self {
        let mut main_of = HashMap::new();
        for (number, context) in graph.contexts.iter().enumerate() {
            main_of.entry(context.program).or_insert(number);
        }
        Self {
            graph,
            meter,
            main_of,
            allowances,
            written_rows,
            counts: vec![None; graph.places.len()],
            is_cut: vec![false; graph.edges.len()],
            cuts: Vec::new(),
        }
    }

    /// Finds all counts; infinite if nothing bounds them.
    pub fn solve(&mut self) {
        let mut contexts: Vec<usize> = (0..self.graph.contexts.len()).collect();
        let mut regions: Vec<Region> = Vec::new();
        for _ in 0..MAX_ROUNDS {
            if self.meter.is_used_up() {
                break;
            }
            let started = self.start_contexts(&mut contexts, &mut regions);
            let solved = self.solve_regions(&mut regions, Trust::Data);
            if regions.is_empty() && contexts.is_empty() {
                return;
            }
            if !started && !solved && !self.force(&mut contexts, &mut regions) {
                break;
            }
        }
        for count in &mut self.counts {
            count.get_or_insert(f64::INFINITY);
        }
    }

    /// Returns how often an instruction runs, over all contexts, or `None` if that is not known
    /// yet.
    pub fn runs(&self, place: InstructionAddress) -> Option<f64> {
        let mut sum = 0.0;
        for node in self.graph.nodes_of(place) {
            sum += (*self.counts.get(*node)?)?;
        }
        Some(sum)
    }

    fn start_contexts(&mut self, contexts: &mut Vec<usize>, regions: &mut Vec<Region>) -> bool {
        let before = contexts.len();
        contexts.retain(|number| {
            let Some(context) = self.graph.contexts.get(*number) else {
                return false;
            };
            let Some(entered) = self.times_entered(&context.entered) else {
                return true;
            };
            regions.push(Region {
                nodes: context.nodes.clone(),
                entries: vec![(context.entry, entered)],
                entered,
                whole: true,
            });
            false
        });
        contexts.len() < before
    }

    fn times_entered(&self, entered: &ContextEntry) -> Option<f64> {
        match entered {
            ContextEntry::AtStart => Some(1.0),
            ContextEntry::From(places) => self.total(places),
            ContextEntry::Again(places) => Some(self.total(places)? + self.written_rows),
        }
    }

    fn solve_regions(&mut self, regions: &mut Vec<Region>, trust: Trust) -> bool {
        let mut solved = false;
        let mut open = std::mem::take(regions);
        while let Some(region) = open.pop() {
            match self.split(&region, trust) {
                Some(inner) => {
                    solved = true;
                    open.extend(inner);
                }
                None => regions.push(region),
            }
        }
        solved
    }

    /// Makes progress if nothing more follows from the data: first recursions are assumed to end at
    /// their limit, then the counts that remain are set to infinity. Returns false if nothing
    /// remains.
    fn force(&mut self, contexts: &mut Vec<usize>, regions: &mut Vec<Region>) -> bool {
        let mut index = 0;
        while index < regions.len() {
            if let Some(region) = regions.get(index)
                && let Some(inner) = self.split(region, Trust::Recursion)
            {
                regions.swap_remove(index);
                regions.extend(inner);
                return true;
            }
            index += 1;
        }
        let Some(nodes) = regions.pop().map(|region| region.nodes).or_else(|| {
            let number = contexts.pop()?;
            self.graph
                .contexts
                .get(number)
                .map(|context| context.nodes.clone())
        }) else {
            return false;
        };
        for node in nodes {
            if let Some(count) = self.counts.get_mut(node) {
                *count = Some(f64::INFINITY);
            }
        }
        true
    }

    /// Returns how often an edge may be taken, if that is known.
    fn allowed(&self, edge: usize, trust: Trust) -> Option<f64> {
        let allowance = self.allowances.get(edge)?.as_ref()?;
        if allowance.of_recursion && trust == Trust::Data {
            return None;
        }
        let mut sum = 0.0;
        if allowance.once {
            let from = self.graph.edges.get(edge)?.from;
            let (program, _) = self.graph.places.get(from)?;
            let main = self.graph.contexts.get(*self.main_of.get(program)?)?;
            sum += self.times_entered(&main.entered)?;
        }
        sum += self.sum(&allowance.terms)?;
        // The other bound is used only after the first is known. It is often larger, and is known
        // before the loops in between are cut.
        let other = allowance
            .otherwise
            .as_ref()
            .and_then(|terms| self.sum(terms))
            .unwrap_or(f64::INFINITY);
        let sum = sum.min(other);
        sum.is_finite().then_some(sum)
    }

    fn sum(&self, terms: &[Term]) -> Option<f64> {
        let mut sum = 0.0;
        for term in terms {
            let factor = match &term.factor {
                Factor::Fixed(factor) => *factor,
                Factor::Inserted(places) => self.total(places)?,
                Factor::InsertedSoFar(places) => f64::midpoint(self.total(places)?, 1.0),
            };
            sum += product(self.total(&term.places)?, factor);
        }
        Some(sum)
    }

    fn total(&self, places: &[InstructionAddress]) -> Option<f64> {
        let mut sum = 0.0;
        for place in places {
            if !self.meter.takes(1) {
                return None;
            }
            sum += self.runs(*place)?;
        }
        Some(sum)
    }

    /// Cuts the outermost loops of a region, counts the instructions that are in no inner loop, and
    /// returns the inner loops. Returns `None` if there is no edge to cut yet.
    fn split(&mut self, region: &Region, trust: Trust) -> Option<Vec<Region>> {
        if !self.meter.takes(4 * region.nodes.len()) {
            return None;
        }
        let inside = RegionGraph::of(region, self.graph);
        let cuts = self.choose_cuts(region, &inside, trust);
        if cuts.is_empty() && !region.whole {
            return None;
        }
        for cut in &cuts {
            if let Some(is_cut) = self.is_cut.get_mut(cut.edge) {
                *is_cut = true;
            }
        }
        self.cuts.extend(cuts.iter().copied());
        let passes = region.entered + cuts.iter().map(|cut| cut.taken).sum::<f64>();
        let parts = Parts::of(&inside, self.graph, &self.is_cut);
        Some(self.flow(region, &inside, &parts, &cuts, passes))
    }

    /// Returns the edges to cut: those with a known allowance, without those that the other cuts
    /// make unnecessary. The edges that are taken most often are tried first.
    fn choose_cuts(&mut self, region: &Region, inside: &RegionGraph, trust: Trust) -> Vec<Cut> {
        // A region that remains after the outer loops of a context are cut is one part, and stays
        // one.
        let uncut = region
            .whole
            .then(|| Parts::of(inside, self.graph, &self.is_cut));
        let is_within = |edge: usize| {
            let within = uncut
                .as_ref()
                .map(|parts| parts.is_within(edge, self.graph, inside));
            within.unwrap_or(true)
        };
        let mut cuts: Vec<Cut> = inside
            .edges
            .iter()
            .filter(|edge| !self.is_cut.get(**edge).copied().unwrap_or(true))
            .filter(|edge| is_within(**edge))
            .filter_map(|edge| {
                let taken = self.allowed(*edge, trust)?;
                Some(Cut { edge: *edge, taken })
            })
            .collect();
        if cuts.len() > MAX_TRIED_CUTS {
            return cuts;
        }
        cuts.sort_by(|left, right| right.taken.total_cmp(&left.taken));
        for cut in &cuts {
            self.set_cut(cut.edge, true);
        }
        cuts.retain(|cut| {
            let needed = self.closes_a_circle(cut.edge, inside);
            self.set_cut(cut.edge, needed);
            needed
        });
        cuts
    }

    fn set_cut(&mut self, edge: usize, value: bool) {
        if let Some(slot) = self.is_cut.get_mut(edge) {
            *slot = value;
        }
    }

    /// Returns true if control may return from the end of an edge to its beginning, within a region
    /// and without the cut edges.
    fn closes_a_circle(&self, edge: usize, inside: &RegionGraph) -> bool {
        let Some(edge) = self.graph.edges.get(edge) else {
            return false;
        };
        let mut seen: HashSet<usize, Quick> = HashSet::default();
        let mut open = vec![edge.to];
        while let Some(node) = open.pop() {
            if !self.meter.takes(2) || node == edge.from {
                return true;
            }
            if !inside.number.contains_key(&node) || !seen.insert(node) {
                continue;
            }
            let leaving = self.graph.leaving.get(node).into_iter().flatten();
            let uncut = leaving.filter(|edge| !self.is_cut.get(**edge).copied().unwrap_or(true));
            open.extend(uncut.filter_map(|edge| Some(self.graph.edges.get(*edge)?.to)));
        }
        false
    }

    /// Carries the entries and the cut edges through the parts of a region, in their order.
    fn flow(
        &mut self,
        region: &Region,
        inside: &RegionGraph,
        parts: &Parts,
        cuts: &[Cut],
        passes: f64,
    ) -> Vec<Region> {
        let count = parts.members.len();
        let mut entries: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
        let mut injected = vec![false; count];
        let mut inject = |node: usize, taken: f64| {
            let Some(part) = parts.part_of(inside, node) else {
                return;
            };
            if let (Some(list), Some(flag)) = (entries.get_mut(part), injected.get_mut(part)) {
                list.push((node, taken));
                *flag = true;
            }
        };
        for (node, times) in &region.entries {
            inject(*node, *times);
        }
        for cut in cuts {
            if let Some(edge) = self.graph.edges.get(cut.edge) {
                inject(edge.to, cut.taken);
            }
        }
        let mut runs = vec![0.0_f64; count];
        let mut dominators = Dominators::new(count);
        let mut inner = Vec::new();
        for part in parts.in_order() {
            let members = parts.members.get(part).cloned().unwrap_or_default();
            let own = entries.get(part).cloned().unwrap_or_default();
            let arriving: f64 = own.iter().map(|(_, times)| times).sum();
            let above = dominators.bound(part, injected.get(part).copied().unwrap_or(true), &runs);
            let below = match members.as_slice() {
                [node] => self.leaves_at_most(*node),
                _ => f64::INFINITY,
            };
            let times = arriving.min(passes).min(above).min(below);
            if let Some(slot) = runs.get_mut(part) {
                *slot = times;
            }
            let is_loop =
                members.len() > 1 || members.iter().any(|node| self.loops_on_itself(*node));
            for node in &members {
                self.leave(
                    *node,
                    part,
                    times,
                    inside,
                    parts,
                    &mut entries,
                    &mut dominators,
                );
            }
            if is_loop {
                inner.push(Region {
                    nodes: members,
                    entries: own,
                    entered: times,
                    whole: false,
                });
            } else {
                for node in members {
                    if let Some(slot) = self.counts.get_mut(node) {
                        *slot = Some(times);
                    }
                }
            }
        }
        inner
    }

    /// Returns the bound from the outgoing edges. Control that reaches an instruction also leaves
    /// it, so the instruction runs no more often than all its outgoing edges together allow.
    fn leaves_at_most(&self, node: usize) -> f64 {
        let mut sum = 0.0;
        let mut any = false;
        for edge in self.graph.leaving.get(node).into_iter().flatten() {
            let Some(allowed) = self.allowed(*edge, Trust::Data) else {
                return f64::INFINITY;
            };
            sum += allowed;
            any = true;
        }
        if any { sum } else { f64::INFINITY }
    }

    fn loops_on_itself(&self, node: usize) -> bool {
        self.graph
            .leaving
            .get(node)
            .into_iter()
            .flatten()
            .any(|edge| {
                !self.is_cut.get(*edge).copied().unwrap_or(false)
                    && self
                        .graph
                        .edges
                        .get(*edge)
                        .is_some_and(|edge| edge.to == node)
            })
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the state of one walk over the parts of a region"
    )]
    fn leave(
        &self,
        node: usize,
        part: usize,
        times: f64,
        inside: &RegionGraph,
        parts: &Parts,
        entries: &mut [Vec<(usize, f64)>],
        dominators: &mut Dominators,
    ) {
        for edge in self.graph.leaving.get(node).into_iter().flatten() {
            if self.is_cut.get(*edge).copied().unwrap_or(true) {
                continue;
            }
            let Some(target) = self.graph.edges.get(*edge).map(|edge| edge.to) else {
                continue;
            };
            let Some(next) = parts.part_of(inside, target).filter(|next| *next != part) else {
                continue;
            };
            let flow = self
                .allowed(*edge, Trust::Data)
                .map_or(times, |allowed| allowed.min(times));
            dominators.reached(next, part);
            if let Some(list) = entries.get_mut(next) {
                list.push((target, flow));
            }
        }
    }
}

/// The allowances that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// Only those that follow from the data.
    Data,
    /// Those and the limit of recursions.
    Recursion,
}
