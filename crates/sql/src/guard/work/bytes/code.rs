//! One program, with what writes its registers.

use std::collections::HashMap;

use super::super::bytecode::code::{Calls, Code};
use super::super::bytecode::cursors::Cursors;
use super::super::bytecode::opcode::{Flow, Opcode};
use super::super::bytecode::program::Instruction;

/// One program.
pub(super) struct Program<'a> {
    pub(super) code: Code<'a>,
    pub(super) calls: Calls,
    pub(super) cursors: Cursors,
    pub(super) writers: HashMap<i64, Vec<usize>>,
    /// Whether there is a recursion: each row is taken out of its queue and then removed.
    pub(super) has_queue: bool,
    /// Jumps backwards, each with its target: loops.
    pub(super) loops: Vec<(usize, usize)>,
}

pub(super) fn program(instructions: &[Instruction]) -> Program<'_> {
    let code = Code::new(instructions);
    let mut writers: HashMap<i64, Vec<usize>> = HashMap::new();
    let mut loops = Vec::new();
    for (at, instruction) in instructions.iter().enumerate() {
        // What starts or calls writes where to return to.
        let returns = matches!(
            instruction.opcode.flow(),
            Flow::Gosub | Flow::InitCoroutine | Flow::Yield
        ) || matches!(
            instruction.opcode,
            Opcode::EndCoroutine | Opcode::Null | Opcode::BeginSubrtn
        );
        if !returns {
            for register in instruction.written() {
                writers.entry(register).or_default().push(at);
            }
        }
        // A subroutine is no loop, nor is the end of the program, where constants are set.
        if !matches!(instruction.opcode.flow(), Flow::Gosub | Flow::Return) {
            for (target, _) in code.successors(at, None) {
                if target <= at && target > 1 {
                    loops.push((target, at));
                }
            }
        }
    }
    let cursors = Cursors::of(instructions);
    let has_queue = instructions.windows(2).any(|pair| {
        matches!(pair, [taken, removed]
            if matches!(taken.opcode, Opcode::RowData | Opcode::Column)
                && removed.opcode == Opcode::Delete
                && taken.p1 == removed.p1
                && !cursors.is_stored(taken.p1))
    });
    Program {
        code,
        has_queue,
        calls: Calls::of(instructions),
        cursors,
        writers,
        loops,
    }
}
