//! The size of one expression, and the cost of computing it.

use sqlite3_parser::ast::{Expr, Literal, Operator, Select};

use super::super::STORED_BYTES;
use super::super::functions::{self, Value, sum};
use super::Estimate;
use crate::operations::unquote;
use crate::tree::{self, Child, folded};
use base::Result;
use database::limits::MAX_VALUE_BYTES;

impl Estimate<'_> {
    pub(super) fn expression(&mut self, expression: &Expr<'_>) -> Result<Value> {
        match expression {
            Expr::Literal(literal) => Ok(literal_value(literal)),
            Expr::Variable(written) => Ok(self.parameter(written)),
            Expr::Id(id) => Ok(self.column(None, id.0)),
            Expr::Name(name) => Ok(self.column(None, name.0)),
            Expr::Qualified(table, name) | Expr::DoublyQualified(_, table, name) => {
                Ok(self.column(Some(table.0), name.0))
            }
            Expr::Parenthesized(inner) if inner.len() == 1 => match inner.first() {
                Some(only) => self.expression(only),
                None => Ok(Value::short()),
            },
            Expr::FunctionCall { name, args, .. } => {
                let name = unquote(name.0).to_ascii_lowercase();
                let format = args
                    .and_then(<[Expr<'_>]>::first)
                    .and_then(|first| match first {
                        Expr::Literal(Literal::String(text)) => Some(*text),
                        _ => None,
                    });
                let parts = self.parts(expression)?;
                let value = functions::call(&name, &parts, format)?;
                let inside = parts.iter().map(|part| part.ns).max().unwrap_or(0);
                if value.ns > inside.saturating_mul(2) {
                    self.blame(&name, value.ns);
                }
                Ok(value)
            }
            Expr::Subquery(select) | Expr::Exists(select) => self.subquery(select),
            _ => self.operator(expression),
        }
    }

    fn operator(&mut self, expression: &Expr<'_>) -> Result<Value> {
        let parts = self.parts(expression)?;
        let all = sum(parts.iter().map(|part| part.bytes));
        let longest = parts.iter().map(|part| part.bytes).max().unwrap_or(0);
        let (bytes, ns) = match expression {
            Expr::Binary(_, Operator::Concat, _) => (all, all),
            Expr::Binary(_, Operator::ArrowRight | Operator::ArrowRightShift, _) => {
                (longest, all.saturating_mul(10))
            }
            Expr::Like { .. } => (functions::SHORT_BYTES, longest.saturating_mul(50)),
            Expr::Case { .. } | Expr::Cast { .. } | Expr::Collate(..) => (longest, longest),
            // A comparison ends with the shorter value.
            _ if parts.len() > 1 => {
                let shortest = parts.iter().map(|part| part.bytes).min();
                (functions::SHORT_BYTES, shortest.unwrap_or(0))
            }
            _ => (functions::SHORT_BYTES, 0),
        };
        if matches!(expression, Expr::Like { .. }) {
            self.blame("like", ns);
        }
        Ok(Value {
            ns: sum(parts.iter().map(|part| part.ns).chain([ns / 2])),
            varies: parts.iter().any(|part| part.varies),
            carried: sum(parts.iter().map(|part| part.carried)),
            scale: scale_of(expression, &parts),
            binary: parts.iter().any(|part| part.binary),
            ..Value::of(bytes)
        })
    }

    /// Returns the values of the direct parts. A query among them that does not depend on the row
    /// is charged only once.
    fn parts(&mut self, expression: &Expr<'_>) -> Result<Vec<Value>> {
        let mut children = Vec::new();
        tree::children(expression, &mut |child| children.push(child));
        let mut values = Vec::new();
        for child in children {
            match child {
                Child::Expression(inner) => values.push(self.expression(inner)?),
                Child::Query(select) => values.push(self.subquery(select)?),
                Child::Table(name) => {
                    let derived = self.named(name);
                    self.once_ns = self.once_ns.saturating_add(derived.ns);
                }
            }
        }
        Ok(values)
    }

    pub(super) fn subquery(&mut self, select: &Select<'_>) -> Result<Value> {
        let outside = self.frames.len();
        let before = std::mem::replace(&mut self.reached_below, usize::MAX);
        let derived = self.select(select)?;
        let correlated = self.reached_below < outside;
        self.reached_below = before.min(self.reached_below);
        let bytes = derived
            .columns
            .first()
            .map_or(STORED_BYTES, |(_, value)| value.bytes);
        let mut value = Value {
            varies: true,
            ..Value::of(bytes)
        };
        if correlated {
            value.ns = derived.ns;
        } else {
            self.once_ns = self.once_ns.saturating_add(derived.ns);
        }
        Ok(value)
    }

    fn parameter(&self, written: &str) -> Value {
        let number: Option<usize> = written.trim_start_matches('?').parse().ok();
        let value = number
            .and_then(|number| number.checked_sub(1))
            .and_then(|position| self.context.parameters.get(position));
        value.copied().unwrap_or(Value::of(MAX_VALUE_BYTES as u64))
    }

    fn column(&mut self, qualifier: Option<&str>, written: &str) -> Value {
        let name = folded(written);
        let qualifier = qualifier.map(folded);
        let found = self
            .frames
            .iter()
            .enumerate()
            .rev()
            .find_map(|(position, frame)| match &qualifier {
                Some(table) if !frame.tables.contains(table) => None,
                _ => match frame.columns.get(&name) {
                    Some(value) => Some((position, *value)),
                    None if frame.is_stored || qualifier.is_some() => {
                        Some((position, Value::of(STORED_BYTES)))
                    }
                    None => None,
                },
            });
        let (position, mut value) = found.unwrap_or((0, Value::of(STORED_BYTES)));
        self.reached_below = self.reached_below.min(position);
        value.varies = true;
        value
    }
}

fn literal_value(literal: &Literal<'_>) -> Value {
    match literal {
        Literal::Numeric(digits) => {
            let number: Option<u64> = digits.parse().ok();
            Value {
                number,
                scale: number.unwrap_or(0),
                ..Value::short()
            }
        }
        Literal::String(text) => Value::of((text.len() as u64).saturating_sub(2)),
        Literal::Blob(text) => Value {
            binary: true,
            ..Value::of((text.len() as u64).saturating_sub(2))
        },
        _ => Value::short(),
    }
}

fn scale_of(expression: &Expr<'_>, parts: &[Value]) -> u64 {
    let scales = parts.iter().map(|part| part.scale);
    match expression {
        Expr::Binary(_, Operator::Multiply, _) => {
            scales.fold(1, |product, scale| product.saturating_mul(scale.max(1)))
        }
        Expr::Binary(_, Operator::LeftShift, _) => MAX_VALUE_BYTES as u64,
        Expr::Binary(_, Operator::Add | Operator::Subtract | Operator::BitwiseOr, _) => sum(scales),
        _ => scales.max().unwrap_or(0),
    }
}
