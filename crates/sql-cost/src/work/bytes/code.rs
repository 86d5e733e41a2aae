//! One program, with the instructions that write its registers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::super::bytecode::code::Code;
use super::super::bytecode::cursors::Cursors;
use super::super::bytecode::facts::Facts;
use super::super::bytecode::opcode::{Flow, Opcode};
use super::super::bytecode::ranges::Ranges;

pub(super) struct Program<'a> {
    pub(super) facts: &'a Facts<'a>,
    pub(super) code: &'a Code<'a>,
    pub(super) cursors: &'a Cursors,
    pub(super) writers: HashMap<i64, Vec<usize>>,
    /// The steps of aggregates, by the register that they add to.
    pub(super) steps: HashMap<i64, Vec<usize>>,
    /// True if the program has a recursion, which keeps its rows in a queue.
    pub(super) has_queue: bool,
    /// The addresses of each loop.
    pub(super) loops: Ranges,
    /// By register: where each coroutine hands over its rows.
    rows: RefCell<HashMap<i64, Rc<Rows>>>,
}

/// The places where a coroutine hands over its rows.
pub(super) struct Rows {
    /// The loops around the addresses that hand a row over.
    loops: Vec<Range<usize>>,
    /// The addresses that read the rows.
    pub(super) reads: Vec<usize>,
}

impl Rows {
    /// Returns true if every loop around an address that hands a row over is also around `outer`.
    pub(super) fn are_within(&self, outer: usize) -> bool {
        self.loops.iter().all(|range| range.contains(&outer))
    }
}

pub(super) fn program<'a>(facts: &'a Facts<'a>) -> Program<'a> {
    let Facts { code, cursors, .. } = facts;
    let instructions = code.instructions;
    let mut writers: HashMap<i64, Vec<usize>> = HashMap::new();
    let mut steps: HashMap<i64, Vec<usize>> = HashMap::new();
    let mut loops = Vec::new();
    for (at, instruction) in instructions.iter().enumerate() {
        if !code.meter.takes(2) {
            break;
        }
        if matches!(instruction.opcode, Opcode::AggStep | Opcode::AggStep1) {
            steps.entry(instruction.p3).or_default().push(at);
        }
        // An instruction that starts or calls something writes the address to return to.
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
        // A subroutine is not a loop, and neither is the jump to the end of the program, where
        // constants are set.
        if !matches!(instruction.opcode.flow(), Flow::Gosub | Flow::Return) {
            for (target, _) in code.successors(at, None) {
                if target <= at && target > 1 {
                    loops.push(target..at + 1);
                }
            }
        }
    }
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
        facts,
        cursors,
        writers,
        steps,
        loops: Ranges::of(loops, instructions.len()),
        rows: RefCell::default(),
    }
}

impl Program<'_> {
    /// Returns true if every loop around `inner` is also around `outer`.
    pub(super) fn shares_loops(&self, inner: usize, outer: usize) -> bool {
        let mut around = self.loops.around(inner);
        around.all(|(_, range)| self.code.meter.takes(1) && range.contains(&outer))
    }

    /// Returns the way in which a coroutine hands its rows over.
    pub(super) fn rows_of(&self, coroutine: i64) -> Rc<Rows> {
        if let Some(known) = self.rows.borrow().get(&coroutine) {
            return Rc::clone(known);
        }
        let mut loops: HashMap<usize, Range<usize>> = HashMap::new();
        let mut reads = Vec::new();
        for at in self.code.operating(Opcode::Yield, coroutine) {
            if self.code.at(*at).is_some_and(|other| other.p2 != 0) {
                reads.push(*at);
            } else if self.code.meter.takes(2) {
                let around = self.loops.around(*at);
                loops.extend(around.map(|(number, range)| (number, range.clone())));
            }
        }
        let found = Rc::new(Rows {
            loops: loops.into_values().collect(),
            reads,
        });
        let mut rows = self.rows.borrow_mut();
        rows.insert(coroutine, Rc::clone(&found));
        found
    }
}
