//! Facts about the programs of a statement that do not depend on the data. Each is computed once
//! and then reused.

use super::super::meter::Meter;
use super::code::{Calls, Code};
use super::cursors::Cursors;
use super::program::Instruction;
use super::reach::Reach;
use super::returns;
use super::ways::Ways;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// The facts about one program.
pub struct Facts<'a> {
    pub code: Code<'a>,
    pub calls: Calls,
    pub cursors: Cursors,
    ways: OnceCell<Ways>,
    /// Cached results of [`Facts::is_put_again`].
    again: RefCell<HashMap<Emptied, bool>>,
    /// By cursor: the addresses that control can reach from the instructions that position it.
    reaches: RefCell<HashMap<i64, Rc<Reach>>>,
    /// By cursor and address of a step: the instructions that may have positioned the cursor last
    /// before that step.
    last: RefCell<HashMap<Step, Rc<[usize]>>>,
}

/// A cursor whose table is emptied, and the addresses between which control may pass.
type Emptied = (i64, Vec<usize>);

/// A cursor and the address at which it steps.
type Step = (i64, usize);

impl<'a> Facts<'a> {
    pub fn of(instructions: &'a [Instruction], meter: &'a Meter) -> Self {
        meter.takes(instructions.len());
        let code = Code::new(instructions, meter);
        let mut calls = Calls::of(instructions);
        returns::follow(&code, &mut calls);
        Self {
            cursors: Cursors::of(&code),
            code,
            calls,
            ways: OnceCell::new(),
            again: RefCell::default(),
            reaches: RefCell::default(),
            last: RefCell::default(),
        }
    }

    /// Returns the ways to each address.
    pub fn ways(&self) -> &Ways {
        self.ways.get_or_init(|| Ways::of(&self.code, &self.calls))
    }

    /// Returns the positionings of a cursor that may be the last one before a step. If none is
    /// found, all of them count.
    pub fn positions_before(&self, cursor: i64, step: usize) -> Vec<usize> {
        let found = self.reaching(cursor, step);
        if found.is_empty() {
            self.cursors.positions(cursor)
        } else {
            found.to_vec()
        }
    }

    /// Returns true if control may pass from one of these positionings to another without the table
    /// of the cursor being emptied in between.
    pub fn is_put_again(&self, cursor: i64, positions: &[usize]) -> bool {
        let key = (cursor, positions.to_vec());
        if let Some(known) = self.again.borrow().get(&key) {
            return *known;
        }
        let emptied = self.cursors.emptied(cursor);
        let reach = Reach::of(&self.code, &self.calls, positions, &emptied);
        let reaching = reach.reaching(&self.code, &self.calls, positions);
        let found = reaching.contains(&true);
        self.again.borrow_mut().insert(key, found);
        found
    }

    /// Returns the positionings of a cursor from which control may come to an address without
    /// another positioning in between.
    pub fn reaching(&self, cursor: i64, address: usize) -> Rc<[usize]> {
        let all = self.cursors.positions(cursor);
        if all.len() < 2 {
            return all.into();
        }
        if let Some(known) = self.last.borrow().get(&(cursor, address)) {
            return Rc::clone(known);
        }
        let known = self.reaches.borrow().get(&cursor).map(Rc::clone);
        let reach = known.unwrap_or_else(|| {
            let reach = Rc::new(Reach::of(&self.code, &self.calls, &all, &all));
            let mut reaches = self.reaches.borrow_mut();
            reaches.insert(cursor, Rc::clone(&reach));
            reach
        });
        let reaching = reach.reaching(&self.code, &self.calls, &[address]);
        let found = all.iter().zip(reaching).filter(|(_, reaches)| *reaches);
        let found: Rc<[usize]> = found.map(|(at, _)| *at).collect();
        let mut last = self.last.borrow_mut();
        last.insert((cursor, address), Rc::clone(&found));
        found
    }
}
