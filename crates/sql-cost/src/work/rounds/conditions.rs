//! Finds the conditions under which control comes from one instruction of a loop to a later one,
//! and writes them as SQL.
//!
//! Branches compare registers, and the value of a register is an expression over the columns of the
//! surrounding tables. A branch that cannot be read may go either way. Comparisons keep the
//! affinity and the collation of the instruction, whatever its columns are declared as.

mod values;

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use super::super::bytecode::cursors::ROWID;
use super::super::bytecode::opcode::{Flow, Opcode};
use super::super::bytecode::program::Instruction;
use super::super::data::Data;
use super::super::data::affinity::{AFFINITY, Affinity, signs};
use super::super::data::join::Rows;
use super::Reader;
use super::nest::{Nest, Table};
use sql_gate::compose::{quote_identifier, quote_text};
use sql_gate::functions;

/// The largest number of instructions through which one value is followed.
const MAX_STEPS: usize = 40;

/// The largest number of instructions that are searched backwards for the writer of a register.
pub const MAX_LOOKED_BACK: usize = 2_000;

/// The largest number of branches in one condition. With more, it may go either way.
const MAX_BRANCHES: usize = 120;

/// The most bytes of one condition. A longer one is left out.
const MAX_CONDITION_BYTES: usize = 4_000;

/// The largest number of conditions of one loop that are read.
const MAX_CONDITIONS: usize = 40;

/// `SQLITE_JUMPIFNULL`: the jump is taken if a side is NULL.
const NULL_JUMPS: i64 = 0x10;

/// `SQLITE_NULLEQ`: the comparison treats NULL as a value.
const NULL_IS_A_VALUE: i64 = 0x80;

/// An expression in SQL.
pub struct Value {
    pub text: String,
    pub affinity: Affinity,
}

impl Value {
    fn computed(text: String) -> Option<Self> {
        (text.len() <= MAX_CONDITION_BYTES).then_some(Self {
            text,
            affinity: Affinity::Nothing,
        })
    }
}

/// The conditions under which a branch jumps and continues. Each is SQL that is true in that case,
/// and false or NULL otherwise.
struct Branch {
    jumps: String,
    goes_on: String,
    is_equality: bool,
}

/// The condition under which control passes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PassCondition {
    Always,
    Never,
    /// If this SQL is true. Otherwise it is false or NULL.
    When(String),
}

impl<D: Data> Reader<'_, D> {
    /// Returns the conditions under which control comes from the top of a loop to `place`, to be
    /// joined by AND. The bool is true if the condition is an equality with a column of a
    /// sub-query.
    pub fn conditions_between(
        &self,
        around: &Range<usize>,
        place: usize,
        nest: &Nest,
    ) -> Vec<(String, bool)> {
        let mut found = Vec::new();
        let mut from = around.start;
        for met in self.always_met(around, place) {
            if found.len() >= MAX_CONDITIONS {
                break;
            }
            if let PassCondition::When(condition) = self.passes(from, met, around, nest)
                && condition.len() <= MAX_CONDITION_BYTES
            {
                let is_equality = met == from + 1
                    && self
                        .code
                        .at(from)
                        .and_then(|instruction| self.branch(instruction, from, nest))
                        .is_some_and(|branch| branch.is_equality && branch.goes_on == condition);
                found.push((condition, is_equality));
            }
            from = met;
        }
        found
    }

    /// Returns the instructions after the first one up to `place` that nothing in the loop jumps
    /// over, except to the loop's end.
    pub fn always_met(&self, around: &Range<usize>, place: usize) -> Vec<usize> {
        let met = self.met(around);
        let behind = met.partition_point(|at| *at <= place);
        self.code.meter.takes(behind);
        met.iter().take(behind).copied().collect()
    }

    /// Returns true if nothing in the loop jumps over `place`, except to the loop's end.
    pub fn is_always_met(&self, around: &Range<usize>, place: usize) -> bool {
        self.met(around).binary_search(&place).is_ok()
    }

    /// Returns all instructions of a loop after the first one that nothing in the loop jumps over,
    /// except to the loop's end.
    fn met(&self, around: &Range<usize>) -> Rc<[usize]> {
        let known = self.met.borrow().get(around).map(Rc::clone);
        known.unwrap_or_else(|| {
            let met: Rc<[usize]> = self.met_in(around).into();
            let mut known = self.met.borrow_mut();
            known.insert(around.clone(), Rc::clone(&met));
            met
        })
    }

    fn met_in(&self, around: &Range<usize>) -> Vec<usize> {
        let end = self.end_of_round(around);
        let mut furthest = around.start;
        let mut met = Vec::new();
        for at in around.clone() {
            if !self.code.meter.takes(2) {
                break;
            }
            if furthest <= at && at > around.start {
                met.push(at);
            }
            let inside = self
                .code
                .successors(at, None)
                .into_iter()
                .map(|(target, _)| target)
                .filter(|target| *target < end);
            furthest = inside.fold(furthest, usize::max);
        }
        met
    }

    /// Returns the address after which a round of a loop does nothing more: its step, or the end of
    /// a subroutine before the step.
    pub fn end_of_round(&self, around: &Range<usize>) -> usize {
        let mut end = around.end.saturating_sub(1);
        let returns = |at: usize| {
            self.code
                .at(at)
                .is_some_and(|other| other.opcode == Opcode::Return && other.p3 == 1)
        };
        while end > around.start && returns(end - 1) {
            end -= 1;
        }
        end
    }

    /// Returns the condition under which control comes from `from` to `to`. Every way in the loop
    /// passes both.
    fn passes(&self, from: usize, to: usize, around: &Range<usize>, nest: &Nest) -> PassCondition {
        if to - from > MAX_BRANCHES {
            return PassCondition::Always;
        }
        // Works backwards, so that the condition of every later instruction is known when it is
        // needed.
        let mut known: BTreeMap<usize, PassCondition> =
            BTreeMap::from([(to, PassCondition::Always)]);
        for at in (from..to).rev() {
            if !self.code.meter.takes(8) {
                return PassCondition::Always;
            }
            let passes = self.passes_from(at, around, nest, &known);
            if let PassCondition::When(text) = &passes
                && text.len() > MAX_CONDITION_BYTES
            {
                return PassCondition::Always;
            }
            known.insert(at, passes);
        }
        known.remove(&from).unwrap_or(PassCondition::Always)
    }

    fn passes_from(
        &self,
        at: usize,
        around: &Range<usize>,
        nest: &Nest,
        known: &BTreeMap<usize, PassCondition>,
    ) -> PassCondition {
        let end = self.end_of_round(around);
        let ahead = |target: usize| {
            if target >= end {
                return PassCondition::Never;
            }
            // A jump backwards, or to an address that was not followed, may lead anywhere.
            known.get(&target).cloned().unwrap_or(PassCondition::Always)
        };
        let Some(instruction) = self.code.at(at) else {
            return PassCondition::Always;
        };
        if instruction.opcode.flow() == Flow::Next {
            return ahead(at + 1);
        }
        let ways = self.code.successors(at, None);
        let jumps = match (instruction.opcode.flow(), instruction.target()) {
            (Flow::Branch, Some(target)) => {
                let (taken, not_taken) = (ahead(target), ahead(at + 1));
                if taken == not_taken {
                    return taken;
                }
                self.branch(instruction, at, nest)
                    .map(|branch| (branch, taken, not_taken))
            }
            _ => None,
        };
        match jumps {
            Some((branch, taken, not_taken)) => {
                either(both(branch.jumps, taken), both(branch.goes_on, not_taken))
            }
            None => ways
                .into_iter()
                .map(|(target, _)| ahead(target))
                .reduce(either)
                .unwrap_or(PassCondition::Never),
        }
    }

    /// Returns the conditions under which the instruction jumps and does not jump, or `None` if
    /// they cannot be read.
    fn branch(&self, instruction: &Instruction, at: usize, nest: &Nest) -> Option<Branch> {
        let value = |register: i64| Some(self.unconverted(register, at, nest)?.text);
        let plain = |jumps: String, goes_on: String| Branch {
            jumps,
            goes_on,
            is_equality: false,
        };
        let null_counts = instruction.p3 != 0;
        match instruction.opcode {
            Opcode::Eq => self.compares(["=", "<>"], instruction, at, nest),
            Opcode::Ne => self.compares(["<>", "="], instruction, at, nest),
            Opcode::Lt => self.compares(["<", ">="], instruction, at, nest),
            Opcode::Le => self.compares(["<=", ">"], instruction, at, nest),
            Opcode::Gt => self.compares([">", "<="], instruction, at, nest),
            Opcode::Ge => self.compares([">=", "<"], instruction, at, nest),
            Opcode::If | Opcode::IfNot => {
                let value = value(instruction.p1)?;
                let (wanted, other) = if instruction.opcode == Opcode::If {
                    ("TRUE", "FALSE")
                } else {
                    ("FALSE", "TRUE")
                };
                Some(if null_counts {
                    plain(
                        format!("(({value}) IS NOT {other})"),
                        format!("(({value}) IS {other})"),
                    )
                } else {
                    plain(
                        format!("(({value}) IS {wanted})"),
                        format!("(({value}) IS NOT {wanted})"),
                    )
                })
            }
            Opcode::IsNull | Opcode::NotNull => {
                let value = value(instruction.p1)?;
                let is_null = format!("(({value}) IS NULL)");
                let is_not_null = format!("(({value}) IS NOT NULL)");
                Some(if instruction.opcode == Opcode::IsNull {
                    plain(is_null, is_not_null)
                } else {
                    plain(is_not_null, is_null)
                })
            }
            _ => None,
        }
    }

    /// Returns the branch of `P3 operator P1`, compared as the instruction compares. `opposite` is
    /// the operator that applies if `operator` does not.
    fn compares(
        &self,
        [operator, opposite]: [&str; 2],
        instruction: &Instruction,
        at: usize,
        nest: &Nest,
    ) -> Option<Branch> {
        let left = self.unconverted(instruction.p3, at, nest)?;
        let right = self.unconverted(instruction.p1, at, nest)?;
        let collation = instruction
            .key
            .as_deref()
            .and_then(|key| key.split('-').next())
            .filter(|name| !name.is_empty())
            .unwrap_or("BINARY");
        let (plus_left, plus_right) =
            signs(left.affinity, right.affinity, instruction.p5 & AFFINITY)?;
        let compared = |operator: &str| {
            format!(
                "({plus_left}({}) COLLATE {} {operator} {plus_right}({}))",
                left.text,
                quote_identifier(collation),
                right.text
            )
        };
        if instruction.p5 & NULL_IS_A_VALUE != 0 {
            let (operator, opposite) = match operator {
                "=" => ("IS", "IS NOT"),
                "<>" => ("IS NOT", "IS"),
                _ => return None,
            };
            return Some(Branch {
                jumps: compared(operator),
                goes_on: compared(opposite),
                is_equality: false,
            });
        }
        if instruction.p5 & NULL_JUMPS == 0 {
            return Some(Branch {
                jumps: format!("({} IS TRUE)", compared(operator)),
                goes_on: format!("({} IS NOT TRUE)", compared(operator)),
                is_equality: false,
            });
        }
        // Rows of a sub-query have no index, so for them a bare comparison cannot make the engine
        // use another index than the loop does.
        let of_sub_query = [left.affinity, right.affinity].contains(&Affinity::Unknown);
        Some(Branch {
            jumps: format!("({} IS NOT FALSE)", compared(operator)),
            goes_on: if of_sub_query {
                compared(opposite)
            } else {
                format!("({} IS TRUE)", compared(opposite))
            },
            is_equality: of_sub_query && opposite == "=",
        })
    }
}

fn table_of(nest: &Nest, cursor: i64) -> Option<(usize, &Table)> {
    let mut tables = nest.tables.iter().enumerate();
    tables.find(|(_, table)| table.cursors.contains(&cursor))
}

fn either(left: PassCondition, right: PassCondition) -> PassCondition {
    match (left, right) {
        (PassCondition::Always, _) | (_, PassCondition::Always) => PassCondition::Always,
        (PassCondition::Never, other) | (other, PassCondition::Never) => other,
        (PassCondition::When(left), PassCondition::When(right)) => {
            PassCondition::When(format!("({left} OR {right})"))
        }
    }
}

fn both(condition: String, ahead: PassCondition) -> PassCondition {
    match ahead {
        PassCondition::Always => PassCondition::When(condition),
        PassCondition::Never => PassCondition::Never,
        PassCondition::When(text) => PassCondition::When(format!("({condition} AND {text})")),
    }
}

/// Returns `CAST(value AS …)`, by the letter of the type.
fn cast(value: &str, letter: i64) -> Option<Value> {
    let (name, affinity) = match u8::try_from(letter).ok()? {
        b'A' => ("BLOB", Affinity::Blob),
        b'B' => ("TEXT", Affinity::Text),
        b'C' => ("NUMERIC", Affinity::Numeric),
        b'D' => ("INTEGER", Affinity::Numeric),
        b'E' => ("REAL", Affinity::Numeric),
        _ => return None,
    };
    Some(Value {
        text: format!("CAST({value} AS {name})"),
        affinity,
    })
}

/// Returns the number of a Real instruction, which is split over P1 and P3, as a fraction that
/// SQLite reads exactly.
fn real(instruction: &Instruction) -> Option<String> {
    /// The exponents of powers of two by which an integer may be divided.
    const EXPONENTS: Range<i64> = 0..63;
    const HALF: u64 = 0xffff_ffff;
    if instruction
        .key
        .as_deref()
        .is_some_and(|text| !text.is_empty())
    {
        return None;
    }
    let half = |number: i64| number.cast_unsigned() & HALF;
    let bits = (half(instruction.p3) << 32) | half(instruction.p1);
    let number = f64::from_bits(bits);
    if number == 0.0 {
        return Some("0.0".to_owned());
    }
    let exponent = i64::try_from((bits >> 52) & 0x7ff).ok()? - 1_075;
    let whole = i64::try_from((bits & ((1 << 52) - 1)) | (1 << 52)).ok()?;
    let zeros = i64::from(whole.trailing_zeros()).min(-exponent);
    let (whole, exponent) = if zeros > 0 {
        (whole >> zeros, exponent + zeros)
    } else {
        (whole, exponent)
    };
    let signed = if number < 0.0 { -whole } else { whole };
    EXPONENTS
        .contains(&-exponent)
        .then(|| format!("({signed} / {}.0)", 1_i64 << -exponent))
}

/// The operator that reads a parameter that is an integer from its text.
const OF_PARAMETER: &str = "->>";

/// Returns name and number of arguments of a call such as `like(2)`. EXPLAIN shows -1 for a
/// function with any number of arguments, and then the number is not known.
fn function(shown: &str) -> Option<(&str, i64)> {
    let (name, rest) = shown.split_once('(')?;
    let count: i64 = rest.strip_suffix(')')?.parse().ok()?;
    ((name == OF_PARAMETER || functions::is(name, functions::FOLLOWS)) && count > 0)
        .then_some((name, count))
}
