//! Calls of subroutines and coroutines. A register that holds an address may lead to many
//! addresses; such a list of addresses is called a crossing.

use super::*;

/// The calls of a program, by the registers that they return through.
#[derive(Debug, Default)]
pub struct Calls {
    instructions: usize,
    /// Lists of addresses that many instructions share: every return through a register leads to
    /// the instruction after each call through it. Each such list is stored once, as if it were an
    /// instruction after the last one, so that the number of edges grows only with the number of
    /// instructions.
    crossings: Vec<Vec<usize>>,
    numbers: HashMap<(Crossing, i64), usize>,
    /// The return instructions that always continue with the next instruction.
    pub in_place: BTreeSet<usize>,
    /// For the register of each subroutine that also runs in place, the addresses at which it may
    /// hold a call.
    pub may_hold_call: HashMap<i64, BTreeSet<usize>>,
}

/// A list of addresses that a register leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Crossing {
    /// The instructions after the calls of a subroutine.
    BehindCalls,
    /// The starts of a coroutine.
    Starts,
    /// The instructions after the Yields of a coroutine and of its reader.
    BehindYields,
    /// The instructions with which the reader continues after the last row.
    Ends,
}

impl Calls {
    /// Returns the registers of subroutines that also run in place and that hold no call here.
    pub fn clear_at(&self, address: usize) -> BTreeSet<i64> {
        let registers = self.may_hold_call.iter();
        registers
            .filter(|(_, places)| !places.contains(&address))
            .map(|(register, _)| *register)
            .collect()
    }

    /// Returns true if a return through the register may lead here.
    pub fn returns_to(&self, register: i64, address: usize) -> bool {
        let number = self.numbers.get(&(Crossing::BehindCalls, register));
        let behind = number.and_then(|number| self.crossings.get(*number));
        behind.is_some_and(|behind| behind.binary_search(&address).is_ok())
    }

    /// Returns the addresses of a crossing, by the address that represents it.
    pub fn crossing(&self, address: usize) -> &[usize] {
        let number = address.checked_sub(self.instructions);
        let found = number.and_then(|number| self.crossings.get(number));
        found.map_or(&[], Vec::as_slice)
    }

    /// Returns the address that represents a crossing.
    pub fn crossing_to(&self, kind: Crossing, register: i64) -> Option<usize> {
        let number = self.numbers.get(&(kind, register));
        number.map(|number| self.instructions + number)
    }

    /// Returns the addresses that represent crossings.
    pub fn crossings(&self) -> Range<usize> {
        self.instructions..self.instructions + self.crossings.len()
    }

    pub fn of(instructions: &[Instruction]) -> Self {
        let mut calls = Self {
            instructions: instructions.len(),
            ..Self::default()
        };
        for (address, instruction) in instructions.iter().enumerate() {
            let register = instruction.p1;
            match instruction.opcode {
                Opcode::Gosub => calls.add(Crossing::BehindCalls, register, address + 1),
                Opcode::Yield => {
                    if let Some(target) = instruction.target().filter(|target| *target != 0) {
                        calls.add(Crossing::Ends, register, target);
                    }
                    calls.add(Crossing::BehindYields, register, address + 1);
                }
                Opcode::InitCoroutine => {
                    if let Ok(start) = usize::try_from(instruction.p3) {
                        calls.add(Crossing::Starts, register, start);
                    }
                }
                _ => {}
            }
        }
        calls
    }

    fn add(&mut self, kind: Crossing, register: i64, place: usize) {
        if place >= self.instructions {
            return;
        }
        let next = self.crossings.len();
        let number = *self.numbers.entry((kind, register)).or_insert(next);
        if number == next {
            self.crossings.push(Vec::new());
        }
        if let Some(places) = self.crossings.get_mut(number) {
            places.push(place);
        }
    }
}
