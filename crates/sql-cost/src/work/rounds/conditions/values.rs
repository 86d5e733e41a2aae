//! The values that a condition compares, as SQL.

use super::*;

impl<D: Data> Reader<'_, D> {
    /// Returns the value of a register if no Affinity instruction has changed it since it was
    /// written.
    pub(super) fn unconverted(&self, register: i64, before: usize, nest: &Nest) -> Option<Value> {
        let start = self.written_at(register, before).unwrap_or(0);
        let converts = |other: &Instruction| {
            other.opcode == Opcode::Affinity && (other.p1..other.p1 + other.p2).contains(&register)
        };
        let since = self.code.instructions.get(start..before)?;
        self.code.meter.takes(since.len() / 8);
        if since.iter().any(converts) {
            return None;
        }
        self.value(register, before, nest)
    }

    pub(super) fn written_at(&self, register: i64, before: usize) -> Option<usize> {
        self.code.written_by(register, before, MAX_LOOKED_BACK)
    }

    /// Returns the value of a register, as an expression over the tables of the nest.
    pub fn value(&self, register: i64, before: usize, nest: &Nest) -> Option<Value> {
        self.value_within(register, before, nest, MAX_STEPS)
    }

    pub(super) fn value_within(
        &self,
        register: i64,
        before: usize,
        nest: &Nest,
        steps: usize,
    ) -> Option<Value> {
        let steps = steps.checked_sub(1).filter(|_| self.code.meter.takes(8))?;
        if let Some(value) = self.handed_value(register, before, nest) {
            return Some(value);
        }
        let Some(at) = self
            .written_at(register, before)
            .or_else(|| self.constant_at(register))
        else {
            // A value that is computed once must not depend on a row.
            let at = self.computed_once(register, before)?;
            return self.value_of(at, register, &Nest::default(), steps);
        };
        self.value_of(at, register, nest, steps)
    }

    /// Returns the value that an instruction writes into a register.
    pub(super) fn value_of(
        &self,
        at: usize,
        register: i64,
        nest: &Nest,
        steps: usize,
    ) -> Option<Value> {
        let writer = self.code.at(at)?;
        let value = |register: i64| self.value_within(register, at, nest, steps);
        let text = |register: i64| value(register).map(|value| value.text);
        let computes = |operator: &str| {
            Value::computed(format!(
                "({} {operator} {})",
                text(writer.p2)?,
                text(writer.p1)?
            ))
        };
        match writer.opcode {
            Opcode::Column => self.stored_value(writer.p1, writer.p2, nest),
            Opcode::Rowid | Opcode::IdxRowid => {
                let (number, table) = table_of(nest, writer.p1)?;
                let (Rows::Stored(page) | Rows::Indexed(page)) = table.rows else {
                    return None;
                };
                Some(Value {
                    text: format!("r{number}.{}", self.data.rowid_name(page)?),
                    affinity: Affinity::Numeric,
                })
            }
            // It converts integers to reals of the same value.
            Opcode::RealAffinity => value(register),
            Opcode::Integer => Value::computed(writer.p1.to_string()),
            Opcode::Int64 => {
                let number: i64 = writer.key.as_deref()?.parse().ok()?;
                Value::computed(number.to_string())
            }
            Opcode::Real => Value::computed(real(writer)?),
            Opcode::String8 => Value::computed(writer.key.as_deref().map(quote_text)?),
            Opcode::Variable => Value::computed(format!("?{}", writer.p1)),
            Opcode::Cast => cast(&text(register)?, writer.p2),
            Opcode::Copy | Opcode::SCopy => value(writer.p1 + (register - writer.p2)),
            Opcode::Add => computes("+"),
            Opcode::Subtract => computes("-"),
            Opcode::Multiply => computes("*"),
            Opcode::Remainder => computes("%"),
            Opcode::Function | Opcode::PureFunc => {
                let (name, count) = function(writer.key.as_deref()?)?;
                let arguments: Option<Vec<String>> =
                    (writer.p2..writer.p2 + count).map(text).collect();
                let arguments = arguments?;
                Value::computed(match arguments.as_slice() {
                    [value, path] if name == OF_PARAMETER => format!("({value}{name}{path})"),
                    _ => format!("{name}({})", arguments.join(",")),
                })
            }
            _ => None,
        }
    }

    /// Returns the instruction that last writes a register, if that is a constant. Constants are
    /// set in the code at the end of the program, which runs first.
    pub(super) fn constant_at(&self, register: i64) -> Option<usize> {
        let start = self.code.at(0)?.target()?;
        let mut last = None;
        for at in self.code.writers(register) {
            let at = *at;
            let instruction = self.code.at(at)?;
            let fits = match instruction.opcode {
                Opcode::Integer
                | Opcode::Int64
                | Opcode::Real
                | Opcode::String8
                | Opcode::Variable
                | Opcode::Function
                | Opcode::PureFunc => last.is_none(),
                Opcode::Cast => last == at.checked_sub(1),
                _ => false,
            };
            if !fits || at < start {
                return None;
            }
            last = Some(at);
        }
        last
    }

    /// Returns the only instruction that writes a register, if an Once before its use makes it run
    /// the first time only.
    pub(super) fn computed_once(&self, register: i64, before: usize) -> Option<usize> {
        let at = self.code.only_writer(register)?;
        let start = at.saturating_sub(MAX_STEPS);
        let holds = |once: usize| {
            self.code.at(once).is_some_and(|other| {
                other.opcode == Opcode::Once
                    && other
                        .target()
                        .is_some_and(|end| (at + 1..=before).contains(&end))
            })
        };
        (start..at).any(holds).then_some(at)
    }

    pub(super) fn stored_value(&self, cursor: i64, column: i64, nest: &Nest) -> Option<Value> {
        let (number, _) = table_of(nest, cursor)?;
        let (name, stored) = self.column_under(cursor, column)?;
        let affinity = match stored {
            Some((_, ROWID)) => Affinity::Numeric,
            Some((page, column)) => self.data.affinity(page, column),
            None => Affinity::Unknown,
        };
        Some(Value {
            text: format!("r{number}.{name}"),
            affinity,
        })
    }

    /// Returns a column that a coroutine has handed out, if nothing has changed the register since.
    pub(super) fn handed_value(&self, register: i64, before: usize, nest: &Nest) -> Option<Value> {
        let (number, first) = nest.tables.iter().enumerate().find_map(|(number, table)| {
            let (handed, top) = table.handed.as_ref()?;
            let is_kept = *top <= before
                && (*top == before || !self.code.is_written(register, *top, before - 1));
            (handed.contains(&register) && is_kept).then_some((number, handed.start))
        })?;
        Some(Value {
            text: format!("r{number}.c{}", register - first),
            affinity: Affinity::Unknown,
        })
    }
}
