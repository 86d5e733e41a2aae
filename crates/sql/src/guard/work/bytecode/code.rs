//! Where control may go in one program: after an instruction, through calls of subroutines and coroutines, and what a register then holds.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use super::opcode::{Flow, Opcode};
use super::program::Instruction;

/// One program with what is known of its calls.
pub struct Code<'a> {
    pub instructions: &'a [Instruction],
    /// Addresses that a return through this register may lead to without a call, because an Integer set it.
    set_by_hand: HashMap<i64, Vec<usize>>,
    /// Subroutines that an Integer before them enters as a call would, and where they then return to.
    entered_by_hand: HashMap<usize, (Subroutine, usize)>,
    /// All jumps by their target, once they are asked for.
    jumps: OnceCell<Vec<(usize, usize)>>,
}

/// What a register holds that a subroutine returns through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holds {
    /// Where it was called from.
    Call,
    /// NULL: the subroutine is run in place, and its return is passed as if it were none.
    Null,
}

/// What a path has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Since {
    /// The register that was last set by a call or for a run in place.
    pub held: Option<(i64, Holds)>,
    /// A subroutine that is also run in place was called.
    pub calls_in_place: bool,
    /// The coroutine has been started again and not been read from.
    pub started: bool,
}

/// A successor: its address, and whether the jump was taken.
type Successor = (usize, bool);

impl<'a> Code<'a> {
    pub fn new(instructions: &'a [Instruction]) -> Self {
        let returns: BTreeSet<i64> = instructions
            .iter()
            .filter(|instruction| instruction.opcode == Opcode::Return)
            .map(|instruction| instruction.p1)
            .collect();
        let mut set_by_hand: HashMap<i64, Vec<usize>> = HashMap::new();
        let mut entered_by_hand = HashMap::new();
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
            jumps: OnceCell::new(),
        }
    }

    /// The subroutine that the instruction calls.
    pub fn called(&self, address: usize) -> Option<Subroutine> {
        match self.entered_by_hand.get(&address) {
            Some((subroutine, _)) => Some(*subroutine),
            None => self.at(address).and_then(gosub),
        }
    }

    pub fn at(&self, address: usize) -> Option<&Instruction> {
        self.instructions.get(address)
    }

    /// Where control may go within the context that a call through `own_return` has entered. Calls are edges to what follows them.
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
                // A seek for one key leaves out the comparison behind it, and nothing else.
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

    /// The one instruction whose value a register has at `before`; `None` where a way leads past it, as in CASE and coalesce.
    pub fn written_by(&self, register: i64, before: usize, limit: usize) -> Option<usize> {
        let writes = |at: usize| self.at(at).is_some_and(|other| other.sets(register));
        let at = (0..before).rev().take(limit).find(|at| writes(*at))?;
        (!self.is_bypassed(register, at, before)).then_some(at)
    }

    /// Whether control may come to `before` without passing `at` last, or with another value in the register: by a jump into what lies
    /// between them from before, or from behind where the register is written again.
    pub fn is_bypassed(&self, register: i64, at: usize, before: usize) -> bool {
        let jumps = self.jumps.get_or_init(|| self.all_jumps());
        let first = jumps.partition_point(|(target, _)| *target <= at);
        let between = jumps.get(first..).unwrap_or_default().iter();
        between
            .take_while(|(target, _)| *target <= before)
            .any(|(_, from)| {
                let mut behind = before..=*from;
                *from <= at
                    || behind.any(|again| self.at(again).is_some_and(|other| other.sets(register)))
            })
    }

    /// All jumps by their target, each with where it comes from.
    fn all_jumps(&self) -> Vec<(usize, usize)> {
        let mut jumps: Vec<(usize, usize)> = (0..self.instructions.len())
            .flat_map(|from| {
                let successors = self.successors(from, None).into_iter();
                successors
                    .filter(move |(target, _)| *target != from + 1)
                    .map(move |(target, _)| (target, from))
            })
            .collect();
        jumps.sort_unstable();
        jumps
    }

    /// The only instruction that writes a register.
    pub fn only_writer(&self, register: i64) -> Option<usize> {
        let mut writers = self.instructions.iter().enumerate();
        let mut writers = writers
            .by_ref()
            .filter(|(_, other)| other.sets(register))
            .map(|(at, _)| at);
        let first = writers.next()?;
        writers.next().is_none().then_some(first)
    }

    /// Every address that is reached from `start`, `start` included.
    pub fn reach(&self, start: usize, own_return: Option<i64>, stop: &BTreeSet<usize>) -> Reached {
        let mut reached = Reached::default();
        let mut open = vec![start];
        while let Some(address) = open.pop() {
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

    /// Where control may go when nobody keeps track of who called: every path that exists is among these. Of one coroutine it is known
    /// whether it has been started again and not been read from since.
    pub fn any_successors(
        &self,
        address: usize,
        calls: &Calls,
        coroutine: Option<i64>,
        started: bool,
    ) -> Vec<(usize, bool)> {
        let Some(instruction) = self.at(address) else {
            return Vec::new();
        };
        if let Some((subroutine, _)) = self.entered_by_hand.get(&address) {
            return vec![(subroutine.0, started)];
        }
        let register = instruction.p1;
        let of_coroutine = coroutine == Some(register);
        let mut found: Vec<(usize, bool)> = Vec::new();
        let mut plain = started;
        let all_of = |map: &HashMap<i64, Vec<usize>>| {
            let listed = map.get(&register).into_iter().flatten();
            listed.map(|to| (*to, started)).collect::<Vec<_>>()
        };
        match instruction.opcode.flow() {
            Flow::Gosub => {
                found.extend(instruction.target().map(|target| (target, started)));
                return found;
            }
            Flow::Return if calls.in_place.contains(&address) => {
                return (address + 1 < self.instructions.len())
                    .then_some((address + 1, started))
                    .into_iter()
                    .collect();
            }
            Flow::Return => {
                found.extend(all_of(&calls.behind_calls));
                let by_hand = self.entered_by_hand.values();
                found.extend(
                    by_hand
                        .filter(|((_, through), _)| *through == register)
                        .map(|(_, behind)| (*behind, started)),
                );
            }
            Flow::InitCoroutine if of_coroutine => plain = true,
            Flow::Yield if of_coroutine && instruction.p2 != 0 => {
                return into_coroutine(instruction, calls, started);
            }
            Flow::Yield => {
                found.extend(all_of(&calls.coroutine_starts));
                found.extend(all_of(&calls.behind_yields));
            }
            Flow::End if instruction.opcode == Opcode::EndCoroutine => {
                found.extend(all_of(&calls.ends_of_coroutines));
            }
            _ => {}
        }
        found.extend(
            self.successors(address, None)
                .into_iter()
                .map(|(target, _)| (target, plain)),
        );
        found.retain(|(target, _)| *target < self.instructions.len());
        found
    }

    /// The same when it is known of one register which call it holds: the last one that was followed into its subroutine. A return through
    /// it leads behind that call, which is followed from the call itself.
    pub fn successors_since_call(
        &self,
        address: usize,
        calls: &Calls,
        coroutine: Option<i64>,
        clear: &BTreeSet<i64>,
        since: Since,
    ) -> Vec<(usize, Since)> {
        let Some(instruction) = self.at(address) else {
            return Vec::new();
        };
        let register = instruction.p1;
        let all = || self.any_successors(address, calls, coroutine, since.started);
        let with = |found: Vec<(usize, bool)>, held: Option<(i64, Holds)>| {
            let since = |started| Since {
                held,
                started,
                ..since
            };
            found
                .into_iter()
                .map(|(to, started)| (to, since(started)))
                .collect()
        };
        let in_place = || {
            with(
                self.any_successors(address, &Calls::default(), coroutine, since.started),
                since.held,
            )
        };
        match (instruction.opcode.flow(), instruction.opcode) {
            (Flow::Gosub, _) => {
                let mut found: Vec<(usize, Since)> = with(all(), Some((register, Holds::Call)));
                for (_, since) in &mut found {
                    since.calls_in_place |= clear.contains(&register);
                }
                let returned = Since {
                    calls_in_place: since.calls_in_place || clear.contains(&register),
                    ..since
                };
                found.push((address + 1, returned));
                found
            }
            (_, Opcode::BeginSubrtn) => with(all(), Some((instruction.p2, Holds::Null))),
            (Flow::Return, _) if since.held == Some((register, Holds::Call)) => Vec::new(),
            (Flow::Return, _) if since.held == Some((register, Holds::Null)) => in_place(),
            (Flow::Return, _) if !since.calls_in_place && clear.contains(&register) => in_place(),
            _ => with(all(), since.held),
        }
    }

    /// The register of the innermost coroutine whose body holds the address. Bodies are contiguous.
    pub fn coroutine_around(&self, address: usize) -> Option<i64> {
        let mut innermost: Option<(usize, i64)> = None;
        for instruction in self.instructions {
            if instruction.opcode != Opcode::InitCoroutine {
                continue;
            }
            let Ok(start) = usize::try_from(instruction.p3) else {
                continue;
            };
            let body = self.instructions.iter().enumerate().skip(start);
            let end = body
                .filter(|(_, other)| {
                    other.opcode == Opcode::EndCoroutine && other.p1 == instruction.p1
                })
                .map(|(at, _)| at)
                .next();
            let holds = start <= address && end.is_some_and(|end| address <= end);
            if holds && innermost.is_none_or(|(known, _)| known < start) {
                innermost = Some((start, instruction.p1));
            }
        }
        innermost.map(|(_, register)| register)
    }
}

/// Who calls whom through which register.
#[derive(Debug, Default)]
pub struct Calls {
    behind_calls: HashMap<i64, Vec<usize>>,
    coroutine_starts: HashMap<i64, Vec<usize>>,
    behind_yields: HashMap<i64, Vec<usize>>,
    ends_of_coroutines: HashMap<i64, Vec<usize>>,
    /// Returns that always go on to the next instruction.
    pub in_place: BTreeSet<usize>,
    /// The registers of subroutines that are also run in place, and where they may hold a call.
    pub may_hold_call: HashMap<i64, BTreeSet<usize>>,
}

impl Calls {
    /// The registers of subroutines that are also run in place which hold no call here.
    pub fn clear_at(&self, address: usize) -> BTreeSet<i64> {
        let registers = self.may_hold_call.iter();
        registers
            .filter(|(_, places)| !places.contains(&address))
            .map(|(register, _)| *register)
            .collect()
    }

    /// Whether a return through the register may lead here.
    pub fn returns_to(&self, register: i64, address: usize) -> bool {
        let behind = self.behind_calls.get(&register);
        behind.is_some_and(|behind| behind.contains(&address))
    }

    pub fn of(instructions: &[Instruction]) -> Self {
        let mut calls = Self::default();
        for (address, instruction) in instructions.iter().enumerate() {
            let map = match instruction.opcode {
                Opcode::Gosub => &mut calls.behind_calls,
                Opcode::Yield => {
                    if let Some(target) = instruction.target().filter(|target| *target != 0) {
                        calls
                            .ends_of_coroutines
                            .entry(instruction.p1)
                            .or_default()
                            .push(target);
                    }
                    &mut calls.behind_yields
                }
                Opcode::InitCoroutine => {
                    if let Ok(start) = usize::try_from(instruction.p3) {
                        calls
                            .coroutine_starts
                            .entry(instruction.p1)
                            .or_default()
                            .push(start);
                    }
                    continue;
                }
                _ => continue,
            };
            map.entry(instruction.p1).or_default().push(address + 1);
        }
        calls
    }
}

#[derive(Debug, Default)]
pub struct Reached {
    pub addresses: BTreeSet<usize>,
    pub escapes: BTreeSet<usize>,
}

/// A subroutine by where it starts and the register that it returns through.
pub type Subroutine = (usize, i64);

/// Where a Yield leads into the coroutine that is kept track of: to its start if it has been started again, or behind the Yield that it
/// stopped at, or to the end of its rows. It has been read from then.
fn into_coroutine(instruction: &Instruction, calls: &Calls, started: bool) -> Vec<(usize, bool)> {
    let listed = if started {
        &calls.coroutine_starts
    } else {
        &calls.behind_yields
    };
    let into = listed.get(&instruction.p1).into_iter().flatten().copied();
    into.chain(instruction.target().filter(|_| !started))
        .map(|to| (to, false))
        .collect()
}

fn gosub(instruction: &Instruction) -> Option<Subroutine> {
    (instruction.opcode == Opcode::Gosub)
        .then(|| Some((instruction.target()?, instruction.p1)))
        .flatten()
}
