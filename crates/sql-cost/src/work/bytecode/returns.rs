//! Finds Return instructions whose register cannot hold the address of a call.
//!
//! A subroutine that SQLite also runs in place ends with a return that continues with the next
//! instruction if its register is NULL. This module follows the possible contents of the register
//! from the start of the program.

use std::collections::BTreeSet;

use super::code::{Calls, Code, ReturnRegister};
use super::opcode::{Flow, Opcode};

/// The largest number of registers that are followed. A statement has one for each sub-query that
/// it may run in place.
const MAX_REGISTERS: usize = 60;

/// The largest number of instructions of a program in which registers are followed.
const MAX_INSTRUCTIONS: usize = 20_000;

/// Finds the addresses at which the register of such a subroutine may hold a call.
pub fn follow(code: &Code<'_>, calls: &mut Calls) {
    let returns = || {
        let all = code.instructions.iter().enumerate();
        all.filter(|(_, other)| other.opcode == Opcode::Return && other.p3 == 1)
    };
    let registers: BTreeSet<i64> = returns().map(|(_, other)| other.p1).collect();
    if registers.len() > MAX_REGISTERS || code.instructions.len() > MAX_INSTRUCTIONS {
        return;
    }
    for register in registers {
        if code.meter.is_used_up() {
            return;
        }
        let with_call = reached_with_call(code, calls, register);
        let in_place = returns()
            .filter(|(at, other)| other.p1 == register && !with_call.contains(at))
            .map(|(at, _)| at);
        calls.in_place.extend(in_place);
        calls.may_hold_call.insert(register, with_call);
    }
}

/// Returns the instructions that control reaches while the register may hold a call.
fn reached_with_call(code: &Code<'_>, calls: &Calls, register: i64) -> BTreeSet<usize> {
    let mut seen: BTreeSet<(usize, ReturnRegister)> = BTreeSet::new();
    let mut open = vec![(0, ReturnRegister::Null)];
    let mut successors = Vec::new();
    while let Some((at, holds)) = open.pop() {
        if !code.meter.takes(3) {
            break;
        }
        if !seen.insert((at, holds)) {
            continue;
        }
        let Some(instruction) = code.at(at) else {
            open.extend(calls.crossing(at).iter().map(|to| (*to, holds)));
            continue;
        };
        if instruction.opcode.flow() == Flow::Return
            && instruction.p1 == register
            && holds == ReturnRegister::Null
        {
            open.push((at + 1, holds));
            continue;
        }
        let after = match instruction.opcode {
            Opcode::Null | Opcode::BeginSubrtn if instruction.sets(register) => {
                ReturnRegister::Null
            }
            _ if instruction.sets(register) => ReturnRegister::Call,
            _ => holds,
        };
        let own = instruction.opcode.flow() == Flow::Return && instruction.p1 == register;
        successors.clear();
        code.any_successors(at, calls, None, false, &mut successors);
        open.extend(
            successors
                .iter()
                // With a call in the register, the return goes to the callers and not to the next
                // instruction. That one counts only if it directly follows a call of this
                // subroutine.
                .filter(|(target, _)| {
                    !own || *target != at + 1 || calls.returns_to(register, *target)
                })
                .map(|(target, _)| (*target, after)),
        );
    }
    seen.into_iter()
        .filter(|(_, holds)| *holds == ReturnRegister::Call)
        .map(|(at, _)| at)
        .collect()
}
