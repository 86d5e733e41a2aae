//! The control flow of one program: the successors of an instruction, calls of subroutines and
//! coroutines, and the contents of the registers that they return through.

mod calls;

pub use calls::{Calls, Crossing};

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::super::meter::Meter;
use super::opcode::{Flow, Opcode};
use super::program::Instruction;
use super::ranges::Ranges;

/// One program, with facts about its calls.
pub struct Code<'a> {
    pub instructions: &'a [Instruction],
    pub meter: &'a Meter,
    /// By register: the addresses to which a return can lead without a call, because an Integer
    /// instruction has put the address into the register.
    set_by_hand: HashMap<i64, Vec<usize>>,
    /// Subroutines that are entered without a call instruction: an Integer before them sets the
    /// register. Each is stored with the address to which it then returns.
    entered_by_hand: HashMap<usize, (Subroutine, usize)>,
    /// The addresses to which such a subroutine returns, by its register.
    behind_by_hand: HashMap<i64, Vec<usize>>,
    // The other facts are computed when they are first needed.
    plain: OnceCell<Vec<Vec<usize>>>,
    writers: OnceCell<HashMap<i64, Vec<usize>>>,
    /// Addresses by opcode and P1.
    operating: OnceCell<HashMap<(Opcode, i64), Vec<usize>>>,
    /// All jumps, by target.
    jumps: OnceCell<Vec<Jumps>>,
    jumps_back: OnceCell<Ranges>,
    /// The register of the innermost coroutine around each address.
    coroutines: OnceCell<Vec<Option<i64>>>,
}

/// The jumps to one target.
struct Jumps {
    target: usize,
    first_from: usize,
    last_from: usize,
}

/// The contents of a register that a subroutine returns through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReturnRegister {
    /// The address of its call.
    Call,
    /// NULL: the subroutine runs in place, and its return continues with the next instruction.
    Null,
}

/// The state that a path has accumulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PathState {
    /// The register that was last set, by a call or for a run in place.
    pub held: Option<(i64, ReturnRegister)>,
    /// True if a subroutine that also runs in place was called.
    pub calls_in_place: bool,
    /// True if the coroutine has been started again and not been read from since.
    pub started: bool,
}

/// A successor: its address, and true if the jump was taken.
type Successor = (usize, bool);

impl<'a> Code<'a> {
    pub fn new(instructions: &'a [Instruction], meter: &'a Meter) -> Self {
        let returns: BTreeSet<i64> = instructions
            .iter()
            .filter(|instruction| instruction.opcode == Opcode::Return)
            .map(|instruction| instruction.p1)
            .collect();
        let mut set_by_hand: HashMap<i64, Vec<usize>> = HashMap::new();
        let mut entered_by_hand = HashMap::new();
        let mut behind_by_hand: HashMap<i64, Vec<usize>> = HashMap::new();
        let called: BTreeSet<Subroutine> = instructions.iter().filter_map(gosub).collect();
        for (at, instruction) in instructions.iter().enumerate() {
            if instruction.opcode == Opcode::Integer
                && instruction.p1 > 0
                && returns.contains(&instruction.p2)
                && let Ok(address) = usize::try_from(instruction.p1)
            {
                let subroutine = (at + 1, instruction.p2);
                if called.contains(&subroutine) {
                    entered_by_hand.insert(at, (subroutine, address + 1));
                    behind_by_hand
                        .entry(instruction.p2)
                        .or_default()
                        .push(address + 1);
                    continue;
                }
                set_by_hand
                    .entry(instruction.p2)
                    .or_default()
                    .push(address + 1);
            }
        }
        Self {
            instructions,
            set_by_hand,
            entered_by_hand,
            behind_by_hand,
            meter,
            plain: OnceCell::new(),
            writers: OnceCell::new(),
            operating: OnceCell::new(),
            jumps: OnceCell::new(),
            jumps_back: OnceCell::new(),
            coroutines: OnceCell::new(),
        }
    }

    /// Returns the subroutine that the instruction calls.
    pub fn called(&self, address: usize) -> Option<Subroutine> {
        match self.entered_by_hand.get(&address) {
            Some((subroutine, _)) => Some(*subroutine),
            None => self.at(address).and_then(gosub),
        }
    }

    pub fn at(&self, address: usize) -> Option<&Instruction> {
        self.instructions.get(address)
    }

    /// Returns the addresses to which control may go within the context that a call through
    /// `own_return` has entered. A call is an edge to the instruction after it.
    pub fn successors(&self, address: usize, own_return: Option<i64>) -> Vec<Successor> {
        let Some(instruction) = self.at(address) else {
            return Vec::new();
        };
        let next = (address + 1, false);
        if let Some((_, behind)) = self.entered_by_hand.get(&address) {
            return (*behind < self.instructions.len())
                .then_some((*behind, true))
                .into_iter()
                .collect();
        }
        let jump = instruction.target().map(|target| (target, true));
        let mut found: Vec<Successor> = match instruction.opcode.flow() {
            Flow::Next | Flow::Gosub => vec![next],
            Flow::Goto => jump.into_iter().collect(),
            Flow::Branch | Flow::Once | Flow::Program | Flow::Yield => {
                let taken = jump.filter(|(target, _)| *target != 0);
                let always = instruction.opcode == Opcode::Init && taken.is_some();
                (!always).then_some(next).into_iter().chain(taken).collect()
            }
            Flow::Step => [next].into_iter().chain(jump).collect(),
            Flow::InitCoroutine => match jump {
                Some(taken) if taken.0 != 0 => vec![taken],
                _ => vec![next],
            },
            Flow::Jump => [instruction.p1, instruction.p2, instruction.p3]
                .iter()
                .filter_map(|target| usize::try_from(*target).ok())
                .map(|target| (target, true))
                .collect(),
            Flow::Seek => {
                let taken = jump.filter(|(target, _)| *target != 0);
                // A seek for one key may skip the comparison after it, and nothing else.
                let compares = self
                    .at(address + 1)
                    .is_some_and(|other| matches!(other.opcode, Opcode::IdxGT | Opcode::IdxLT));
                let past = compares.then_some((address + 2, false));
                [next].into_iter().chain(past).chain(taken).collect()
            }
            Flow::SeekScan => {
                let seek = self.at(address + 1).and_then(Instruction::target);
                [next, (address + 2, false)]
                    .into_iter()
                    .chain(jump)
                    .chain(seek.map(|target| (target, true)))
                    .collect()
            }
            Flow::Return if own_return == Some(instruction.p1) => Vec::new(),
            Flow::Return => {
                let falls = (instruction.p3 == 1).then_some(next);
                let by_hand = self
                    .set_by_hand
                    .get(&instruction.p1)
                    .into_iter()
                    .flatten()
                    .map(|target| (*target, true));
                falls.into_iter().chain(by_hand).collect()
            }
            Flow::End => Vec::new(),
        };
        found.retain(|(target, _)| *target < self.instructions.len());
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the one instruction whose value a register has at `before`, or `None` if control may
    /// come there without passing it, as in CASE and coalesce.
    pub fn written_by(&self, register: i64, before: usize, limit: usize) -> Option<usize> {
        let writers = self.writers(register);
        let next = writers.partition_point(|at| *at < before);
        let at = *writers.get(next.checked_sub(1)?)?;
        (before - at <= limit && !self.is_bypassed(register, at, before)).then_some(at)
    }

    /// Returns true if control may come to `before` without passing `at` last, or with another
    /// value in the register. That needs a jump to an address between them that comes from before
    /// `at`, or from after an instruction that writes the register again.
    pub fn is_bypassed(&self, register: i64, at: usize, before: usize) -> bool {
        let jumps = self.jumps.get_or_init(|| self.all_jumps());
        let first = jumps.partition_point(|jump| jump.target <= at);
        let between = jumps.get(first..).unwrap_or_default().iter();
        between
            .take_while(|jump| jump.target <= before && self.meter.takes(1))
            .any(|jump| jump.first_from <= at || self.is_written(register, before, jump.last_from))
    }

    /// Returns true if an instruction of `first..=last` writes a register.
    pub fn is_written(&self, register: i64, first: usize, last: usize) -> bool {
        let writers = self.writers(register);
        let next = writers.partition_point(|at| *at < first);
        writers.get(next).is_some_and(|at| *at <= last)
    }

    /// Returns the instructions that write a register, in their order.
    pub fn writers(&self, register: i64) -> &[usize] {
        let all = self.writers.get_or_init(|| {
            let mut all: HashMap<i64, Vec<usize>> = HashMap::new();
            for (at, instruction) in self.instructions.iter().enumerate() {
                for register in instruction.written() {
                    if !self.meter.takes(1) {
                        return all;
                    }
                    all.entry(register).or_default().push(at);
                }
            }
            all
        });
        all.get(&register).map_or(&[], Vec::as_slice)
    }

    /// Returns the addresses of an opcode with this P1, in their order.
    pub fn operating(&self, opcode: Opcode, p1: i64) -> &[usize] {
        let all = self.operating.get_or_init(|| {
            let mut all: HashMap<(Opcode, i64), Vec<usize>> = HashMap::new();
            self.meter.takes(self.instructions.len());
            for (at, instruction) in self.instructions.iter().enumerate() {
                let key = (instruction.opcode, instruction.p1);
                all.entry(key).or_default().push(at);
            }
            all
        });
        all.get(&(opcode, p1)).map_or(&[], Vec::as_slice)
    }

    /// Returns the instructions that step the cursor, in their order.
    pub fn steps_of(&self, cursor: i64) -> Vec<usize> {
        let mut steps: Vec<usize> = STEPS
            .iter()
            .flat_map(|opcode| self.operating(*opcode, cursor))
            .copied()
            .collect();
        steps.sort_unstable();
        steps
    }

    /// Returns all jumps, by target.
    fn all_jumps(&self) -> Vec<Jumps> {
        let mut jumps: Vec<(usize, usize)> = (0..self.instructions.len())
            .take_while(|_| self.meter.takes(2))
            .flat_map(|from| {
                let successors = self.successors(from, None).into_iter();
                successors
                    .filter(move |(target, _)| *target != from + 1)
                    .map(move |(target, _)| (target, from))
            })
            .collect();
        jumps.sort_unstable();
        jumps
            .chunk_by(|one, next| one.0 == next.0)
            .filter_map(|same| {
                let (target, first_from) = *same.first()?;
                Some(Jumps {
                    target,
                    first_from,
                    last_from: same.last()?.1,
                })
            })
            .collect()
    }

    /// Returns the backward jumps over an address, each as the range from its target to itself,
    /// with its number in the program.
    pub fn jumps_back_over(&self, address: usize) -> impl Iterator<Item = (usize, &Range<usize>)> {
        let all = self.jumps_back.get_or_init(|| {
            self.meter.takes(self.instructions.len());
            let instructions = self.instructions.iter().enumerate();
            let all = instructions.flat_map(|(at, instruction)| {
                let targets = match instruction.opcode.flow() {
                    Flow::Jump => vec![instruction.p1, instruction.p2, instruction.p3],
                    Flow::Next | Flow::Return | Flow::End => Vec::new(),
                    Flow::Goto
                    | Flow::Branch
                    | Flow::Seek
                    | Flow::SeekScan
                    | Flow::Step
                    | Flow::Once
                    | Flow::Gosub
                    | Flow::InitCoroutine
                    | Flow::Yield
                    | Flow::Program => vec![instruction.p2],
                };
                targets
                    .into_iter()
                    .filter_map(|target| usize::try_from(target).ok())
                    .filter(move |target| *target > 1 && *target <= at)
                    .map(move |target| target..at + 1)
            });
            Ranges::of(all.collect(), self.instructions.len())
        });
        all.around(address).take_while(|_| self.meter.takes(1))
    }

    /// Returns the only instruction that writes a register.
    pub fn only_writer(&self, register: i64) -> Option<usize> {
        match self.writers(register) {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Returns every address that is reached from `start`, including `start`.
    pub fn reach(
        &self,
        start: usize,
        own_return: Option<i64>,
        stop: &BTreeSet<usize>,
    ) -> ReachableCode {
        let mut reached = ReachableCode::default();
        let mut open = vec![start];
        while let Some(address) = open.pop() {
            if !self.meter.takes(3) {
                break;
            }
            if address != start && stop.contains(&address) {
                reached.escapes.insert(address);
                continue;
            }
            if self.at(address).is_none() || !reached.addresses.insert(address) {
                continue;
            }
            open.extend(
                self.successors(address, own_return)
                    .into_iter()
                    .map(|(target, _)| target),
            );
        }
        reached
    }

    /// Finds the addresses to which control may go if callers are not tracked. They include every
    /// path that exists. For one coroutine it is known if it has been started again and not been
    /// read from since. The addresses after the last instruction are the crossings of `calls`.
    pub fn any_successors(
        &self,
        address: usize,
        calls: &Calls,
        coroutine: Option<i64>,
        started: bool,
        found: &mut Vec<(usize, bool)>,
    ) {
        let Some(instruction) = self.at(address) else {
            let targets = calls.crossing(address).iter();
            found.extend(targets.map(|to| (*to, started)));
            return;
        };
        if let Some((subroutine, _)) = self.entered_by_hand.get(&address) {
            found.push((subroutine.0, started));
            return;
        }
        let register = instruction.p1;
        let of_coroutine = coroutine == Some(register);
        let mut plain = started;
        let crossing = |kind| calls.crossing_to(kind, register).map(|to| (to, started));
        match instruction.opcode.flow() {
            Flow::Gosub => {
                found.extend(instruction.target().map(|target| (target, started)));
                return;
            }
            Flow::Return if calls.in_place.contains(&address) => {
                let next = (address + 1, started);
                found.extend((next.0 < self.instructions.len()).then_some(next));
                return;
            }
            Flow::Return => {
                found.extend(crossing(Crossing::BehindCalls));
                let by_hand = self.behind_by_hand.get(&register).into_iter().flatten();
                let inside = by_hand.filter(|behind| **behind < self.instructions.len());
                found.extend(inside.map(|behind| (*behind, started)));
            }
            Flow::InitCoroutine if of_coroutine => plain = true,
            Flow::Yield if of_coroutine && instruction.p2 != 0 => {
                // If it has been started again, control goes to its start, otherwise to the
                // instruction after the Yield where it stopped, or to the end of its rows. From
                // then on it has been read from.
                let into = if started {
                    Crossing::Starts
                } else {
                    Crossing::BehindYields
                };
                let into = calls.crossing_to(into, register).into_iter();
                let ended = instruction.target().filter(|_| !started);
                found.extend(into.chain(ended).map(|to| (to, false)));
                return;
            }
            Flow::Yield => {
                found.extend(crossing(Crossing::Starts));
                found.extend(crossing(Crossing::BehindYields));
            }
            Flow::End if instruction.opcode == Opcode::EndCoroutine => {
                found.extend(crossing(Crossing::Ends));
            }
            Flow::Next
            | Flow::Goto
            | Flow::Branch
            | Flow::Jump
            | Flow::Seek
            | Flow::SeekScan
            | Flow::Step
            | Flow::Once
            | Flow::InitCoroutine
            | Flow::Program
            | Flow::End => {}
        }
        let successors = self.plain_successors(address).iter();
        found.extend(successors.map(|target| (*target, plain)));
    }

    /// Returns the targets of [`Self::successors`], for a whole program.
    fn plain_successors(&self, address: usize) -> &[usize] {
        let all = self.plain.get_or_init(|| {
            self.meter.takes(2 * self.instructions.len());
            let addresses = 0..self.instructions.len();
            addresses
                .map(|at| {
                    let successors = self.successors(at, None).into_iter();
                    successors.map(|(target, _)| target).collect()
                })
                .collect()
        });
        all.get(address).map_or(&[], Vec::as_slice)
    }

    /// Finds the same addresses if for one register it is known which call it holds: the last one
    /// that was followed into its subroutine. A return through it leads to the instruction after
    /// that call, which is already an edge of the call itself.
    pub fn successors_since_call(
        &self,
        address: usize,
        calls: &Calls,
        coroutine: Option<i64>,
        clear: &BTreeSet<i64>,
        since: PathState,
        found: &mut Vec<(usize, PathState)>,
    ) {
        let Some(instruction) = self.at(address) else {
            let targets = calls.crossing(address).iter();
            found.extend(targets.map(|to| (*to, since)));
            return;
        };
        let register = instruction.p1;
        let held = match (instruction.opcode.flow(), instruction.opcode) {
            (Flow::Gosub, _) => Some((register, ReturnRegister::Call)),
            (_, Opcode::BeginSubrtn) => Some((instruction.p2, ReturnRegister::Null)),
            _ => since.held,
        };
        let mut calls_in_place = since.calls_in_place;
        let mut known = calls;
        let passed = Calls::default();
        match instruction.opcode.flow() {
            Flow::Gosub => {
                calls_in_place |= clear.contains(&register);
                let returned = PathState {
                    calls_in_place,
                    ..since
                };
                if address + 1 < self.instructions.len() {
                    found.push((address + 1, returned));
                }
            }
            Flow::Return if since.held == Some((register, ReturnRegister::Call)) => return,
            Flow::Return
                if since.held == Some((register, ReturnRegister::Null))
                    || (!since.calls_in_place && clear.contains(&register)) =>
            {
                known = &passed;
            }
            Flow::Next
            | Flow::Goto
            | Flow::Branch
            | Flow::Jump
            | Flow::Seek
            | Flow::SeekScan
            | Flow::Step
            | Flow::Once
            | Flow::Return
            | Flow::InitCoroutine
            | Flow::Yield
            | Flow::Program
            | Flow::End => {}
        }
        let mut all = Vec::with_capacity(4);
        self.any_successors(address, known, coroutine, since.started, &mut all);
        found.extend(all.into_iter().map(|(to, started)| {
            let since = PathState {
                held,
                calls_in_place,
                started,
            };
            (to, since)
        }));
    }

    /// Returns the register of the innermost coroutine whose body contains the address. Bodies are
    /// contiguous.
    pub fn coroutine_around(&self, address: usize) -> Option<i64> {
        let all = self.coroutines.get_or_init(|| self.coroutine_bodies());
        all.get(address).copied().flatten()
    }

    fn coroutine_bodies(&self) -> Vec<Option<i64>> {
        let mut bodies: Vec<(usize, i64)> = self
            .instructions
            .iter()
            .filter(|instruction| instruction.opcode == Opcode::InitCoroutine)
            .filter_map(|instruction| Some((usize::try_from(instruction.p3).ok()?, instruction.p1)))
            .collect();
        // Of several coroutines with one start, the first in the program counts.
        bodies.sort_by_key(|(start, _)| *start);
        bodies.dedup_by_key(|(start, _)| *start);
        let mut around = vec![None; self.instructions.len()];
        self.meter.takes(self.instructions.len());
        for (start, register) in bodies {
            let ends = self.operating(Opcode::EndCoroutine, register);
            let end = ends.get(ends.partition_point(|end| *end < start));
            let body = end.and_then(|end| around.get_mut(start..=*end));
            // An inner body begins after the outer one, and overwrites its part of it.
            for inside in body.unwrap_or_default() {
                if !self.meter.takes(1) {
                    return around;
                }
                *inside = Some(register);
            }
        }
        around
    }
}

/// The opcodes that step a cursor.
const STEPS: [Opcode; 4] = [
    Opcode::Next,
    Opcode::Prev,
    Opcode::SorterNext,
    Opcode::VNext,
];

#[derive(Debug, Default)]
pub struct ReachableCode {
    pub addresses: BTreeSet<usize>,
    pub escapes: BTreeSet<usize>,
}

/// A subroutine, as its start address and the register that it returns through.
pub type Subroutine = (usize, i64);

fn gosub(instruction: &Instruction) -> Option<Subroutine> {
    (instruction.opcode == Opcode::Gosub)
        .then(|| Some((instruction.target()?, instruction.p1)))
        .flatten()
}
