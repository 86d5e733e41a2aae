//! The control flow of a program, as contexts: the main program, each coroutine, each subroutine
//! and each sub-program has its own graph, in which a call is an edge to the instruction after it.
//! The runs of a context's instructions are multiplied by the number of times that the context is
//! entered.
//!
//! A subroutine that leaves by a jump instead of a return, because a LIMIT is reached, continues in
//! its caller. The target of such a jump, an escape, becomes an edge of the call. Superfluous edges
//! can only make the bound larger.

use std::collections::{BTreeSet, HashMap};

use super::super::bytecode::code::{Code, ReachableCode, Subroutine};
use super::super::bytecode::facts::Facts;
use super::super::bytecode::opcode::Opcode;
use super::super::bytecode::program::ends;

/// The largest number of nodes in all graphs of one statement.
const MAX_NODES: usize = 400_000;

/// The address of an instruction: the number of its program and its index there.
pub type InstructionAddress = (usize, usize);

/// The way in which a context is entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextEntry {
    /// At the start of the statement.
    AtStart,
    /// From these instructions, which start the coroutine or call the subroutine or sub-program.
    From(Vec<InstructionAddress>),
    /// From these instructions, and once for each row that is written, because the sub-program may
    /// call itself, as a cascade within one table does.
    Again(Vec<InstructionAddress>),
}

/// One graph.
#[derive(Debug, Clone)]
pub struct Context {
    pub program: usize,
    pub entered: ContextEntry,
    pub entry: usize,
    pub nodes: Vec<usize>,
}

/// An edge between nodes of one context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    /// True if the jump of the instruction is taken; false if control falls through.
    pub jumps: bool,
}

/// All graphs of a statement.
#[derive(Debug, Default)]
pub struct Graph {
    pub contexts: Vec<Context>,
    /// The instruction of each node.
    pub places: Vec<InstructionAddress>,
    /// The nodes of each instruction, by program and address.
    nodes_of: Vec<Vec<Vec<usize>>>,
    pub edges: Vec<Edge>,
    /// The context of each node.
    pub context_of: Vec<usize>,
    /// Indexes of the edges that leave each node.
    pub leaving: Vec<Vec<usize>>,
}

impl Graph {
    /// Builds the graphs of all programs. Returns `None` if they are too large to judge.
    pub fn of(programs: &[Facts<'_>]) -> Option<Self> {
        let mut graph = Self {
            nodes_of: programs
                .iter()
                .map(|facts| vec![Vec::new(); facts.code.instructions.len()])
                .collect(),
            ..Self::default()
        };
        let calls_of_programs: Vec<InstructionAddress> = places(programs, Opcode::Program);
        let programs_called = programs.len().saturating_sub(1);
        for (number, facts) in programs.iter().enumerate() {
            let entered = if number == 0 {
                ContextEntry::AtStart
            } else if calls_of_programs.len() == programs_called {
                // Each call has its own sub-program, and EXPLAIN shows them in the order of the
                // calls.
                ContextEntry::From(
                    calls_of_programs
                        .get(number - 1)
                        .copied()
                        .into_iter()
                        .collect(),
                )
            } else {
                let of_statement = calls_of_programs.iter().filter(|(caller, _)| *caller == 0);
                ContextEntry::Again(of_statement.copied().collect())
            };
            graph.add_program(number, &facts.code, entered)?;
        }
        Some(graph)
    }

    /// Returns the nodes of an instruction.
    pub fn nodes_of(&self, (program, address): InstructionAddress) -> &[usize] {
        let of_program = self.nodes_of.get(program);
        let nodes = of_program.and_then(|places| places.get(address));
        nodes.map_or(&[], Vec::as_slice)
    }

    fn add_program(&mut self, number: usize, code: &Code<'_>, entered: ContextEntry) -> Option<()> {
        let nowhere = BTreeSet::new();
        let mut roots: Vec<(usize, ContextEntry, ReachableCode)> = Vec::new();
        for (start, entered) in [(0, entered)].into_iter().chain(coroutines(number, code)) {
            roots.push((start, entered, code.reach(start, None, &nowhere)));
        }
        let in_roots = roots.iter().flat_map(|(_, _, reached)| &reached.addresses);
        let in_roots: BTreeSet<usize> = in_roots.copied().collect();
        let subroutines = subroutines(number, code);
        let mut escapes: HashMap<Subroutine, BTreeSet<usize>> = HashMap::new();
        let mut bodies = Vec::new();
        for ((start, register), callers) in subroutines {
            // A body that also runs in place is followed to its end; any other body ends where the
            // rest of the program begins.
            let stop = if in_roots.contains(&start) {
                &nowhere
            } else {
                &in_roots
            };
            let reached = code.reach(start, Some(register), stop);
            escapes.insert((start, register), reached.escapes);
            bodies.push((start, register, callers, reached.addresses));
        }
        close_escapes(code, &bodies, &mut escapes);
        for (start, entered, reached) in roots {
            self.add_context(
                number,
                code,
                start,
                None,
                entered,
                &reached.addresses,
                &escapes,
            )?;
        }
        for (start, register, callers, addresses) in bodies {
            let entered = ContextEntry::From(callers);
            self.add_context(
                number,
                code,
                start,
                Some(register),
                entered,
                &addresses,
                &escapes,
            )?;
        }
        Some(())
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one context, gathered by the only caller"
    )]
    fn add_context(
        &mut self,
        program: usize,
        code: &Code<'_>,
        start: usize,
        own_return: Option<i64>,
        entered: ContextEntry,
        addresses: &BTreeSet<usize>,
        escapes: &HashMap<Subroutine, BTreeSet<usize>>,
    ) -> Option<()> {
        let mut node_at = HashMap::with_capacity(addresses.len());
        let mut nodes = Vec::with_capacity(addresses.len());
        for address in addresses {
            let node = self.places.len();
            if node >= MAX_NODES || !code.meter.takes(3) {
                return None;
            }
            self.places.push((program, *address));
            self.context_of.push(self.contexts.len());
            let of_program = self.nodes_of.get_mut(program);
            if let Some(nodes) = of_program.and_then(|places| places.get_mut(*address)) {
                nodes.push(node);
            }
            self.leaving.push(Vec::new());
            node_at.insert(*address, node);
            nodes.push(node);
        }
        for (address, node) in addresses.iter().zip(&nodes) {
            let mut successors = code.successors(*address, own_return);
            if let Some(escaped) = code
                .called(*address)
                .and_then(|subroutine| escapes.get(&subroutine))
            {
                code.meter.takes(escaped.len());
                successors.extend(escaped.iter().map(|target| (*target, true)));
            }
            // A jump to the next instruction is the same as falling through.
            successors.sort_unstable();
            successors.dedup_by_key(|(target, _)| *target);
            for (target, jumps) in successors {
                if let Some(to) = node_at.get(&target) {
                    if let Some(leaving) = self.leaving.get_mut(*node) {
                        leaving.push(self.edges.len());
                    }
                    self.edges.push(Edge {
                        from: *node,
                        to: *to,
                        jumps,
                    });
                }
            }
        }
        self.contexts.push(Context {
            program,
            entered,
            entry: node_at.get(&start).copied()?,
            nodes,
        });
        Some(())
    }
}

/// Adds to each subroutine the escapes of the subroutines that it calls.
fn close_escapes(
    code: &Code<'_>,
    bodies: &[(usize, i64, Vec<InstructionAddress>, BTreeSet<usize>)],
    escapes: &mut HashMap<Subroutine, BTreeSet<usize>>,
) {
    let calls: Vec<BTreeSet<Subroutine>> = bodies
        .iter()
        .map(|(_, _, _, addresses)| {
            let called = addresses.iter().filter_map(|address| code.called(*address));
            called.collect()
        })
        .collect();
    // Each round carries an escape over one call. Calls nest at most as deep as there are
    // subroutines.
    for _ in bodies {
        let mut changed = false;
        for ((start, register, _, addresses), calls) in bodies.iter().zip(&calls) {
            let inner: BTreeSet<usize> = calls
                .iter()
                .filter_map(|subroutine| escapes.get(subroutine))
                .flatten()
                .filter(|target| code.meter.takes(2) && !addresses.contains(target))
                .copied()
                .collect();
            let own = escapes.entry((*start, *register)).or_default();
            let before = own.len();
            own.extend(inner);
            changed |= own.len() > before;
        }
        if !changed {
            return;
        }
    }
}

fn places(programs: &[Facts<'_>], opcode: Opcode) -> Vec<InstructionAddress> {
    programs
        .iter()
        .enumerate()
        .flat_map(|(number, facts)| {
            let instructions = facts.code.instructions.iter();
            instructions
                .enumerate()
                .filter(move |(_, instruction)| instruction.opcode == opcode)
                .map(move |(address, _)| (number, address))
        })
        .collect()
}

fn subroutines(number: usize, code: &Code<'_>) -> Vec<(Subroutine, Vec<InstructionAddress>)> {
    let mut found: Vec<(Subroutine, Vec<InstructionAddress>)> = Vec::new();
    let mut known: HashMap<Subroutine, usize> = HashMap::new();
    for address in 0..code.instructions.len() {
        let Some(subroutine) = code.called(address) else {
            continue;
        };
        let at = *known.entry(subroutine).or_insert(found.len());
        match found.get_mut(at) {
            Some((_, callers)) => callers.push((number, address)),
            None => found.push((subroutine, vec![(number, address)])),
        }
    }
    found
}

/// Returns the start of each coroutine, with the instructions that start it.
fn coroutines(number: usize, code: &Code<'_>) -> Vec<(usize, ContextEntry)> {
    let mut found: Vec<(usize, Vec<InstructionAddress>)> = Vec::new();
    let mut known: HashMap<usize, usize> = HashMap::new();
    for (address, instruction) in code.instructions.iter().enumerate() {
        if instruction.opcode != Opcode::InitCoroutine || !starts(code, address, instruction.p1) {
            continue;
        }
        let Ok(start) = usize::try_from(instruction.p3) else {
            continue;
        };
        let at = *known.entry(start).or_insert(found.len());
        match found.get_mut(at) {
            Some((_, places)) => places.push((number, address)),
            None => found.push((start, vec![(number, address)])),
        }
    }
    found
        .into_iter()
        .map(|(start, places)| (start, ContextEntry::From(places)))
        .collect()
}

/// Returns true if a reader resumes the coroutine that this instruction sets up before another
/// instruction sets it up again. The instruction before a coroutine's body often only jumps over
/// it.
fn starts(code: &Code<'_>, address: usize, register: i64) -> bool {
    let mut seen = BTreeSet::new();
    let mut open: Vec<usize> = code
        .successors(address, None)
        .into_iter()
        .map(|(target, _)| target)
        .collect();
    while let Some(at) = open.pop() {
        if !code.meter.takes(3) {
            return true;
        }
        let Some(instruction) = code.at(at) else {
            continue;
        };
        if !seen.insert(at) || ends(instruction) {
            continue;
        }
        if instruction.p1 == register {
            match instruction.opcode {
                Opcode::Yield => return true,
                Opcode::InitCoroutine => continue,
                _ => {}
            }
        }
        let into = code.called(at).map(|(target, _)| target);
        open.extend(
            code.successors(at, None)
                .into_iter()
                .map(|(target, _)| target)
                .chain(into),
        );
    }
    false
}
