//! Classifies expressions: those that show the texts of a column, those that are numbers, and the
//! places where a text is read as a number.

use sqlite3_parser::ast::{
    Expr, FunctionTail, Literal, OneSelect, Operator, Over, ResultColumn, Select, UnaryOperator,
    Window,
};

use super::reads::Reads;
use super::{NumericReading, Origin};
use crate::functions;

impl Reads<'_> {
    /// Finds the columns that one expression reads as numbers.
    pub(super) fn judge(&mut self, expression: &Expr<'_>) {
        match expression {
            Expr::FunctionCall {
                name,
                args,
                filter_over,
                ..
            } => {
                self.function(&name.0.to_ascii_lowercase(), args.unwrap_or_default());
                self.over(filter_over.as_ref());
            }
            Expr::FunctionCallStar { filter_over, .. } => self.over(filter_over.as_ref()),
            Expr::Binary(left, operator, right) => self.binary(left, *operator, right),
            Expr::Between {
                lhs, start, end, ..
            } => {
                self.compare(lhs, start);
                self.compare(lhs, end);
            }
            Expr::InList { lhs, rhs, .. } => {
                let values = rhs.unwrap_or_default().iter();
                values.for_each(|value| self.compare(lhs, value));
            }
            Expr::Case {
                base: Some(base),
                when_then_pairs,
                ..
            } => when_then_pairs
                .iter()
                .for_each(|(when, _)| self.compare(base, when)),
            Expr::Cast { expr, type_name } if is_numeric(type_name.as_ref().map(|t| t.name)) => {
                let origin = self.origin(expr);
                self.add(origin, NumericReading::Cast);
            }
            Expr::Unary(UnaryOperator::Negative, inner) => {
                let origin = self.origin(inner);
                self.add(origin, NumericReading::Cast);
            }
            _ => {}
        }
    }

    fn function(&mut self, name: &str, arguments: &[Expr<'_>]) {
        match (name, arguments) {
            ("sum" | "avg" | "total", [argument]) => {
                let origin = self.origin(argument);
                self.add(origin, NumericReading::Added);
            }
            ("min" | "max", [argument]) => {
                let origin = self.origin(argument);
                self.add(origin, NumericReading::Ordered);
            }
            (name, arguments) if functions::is(name, functions::OF_NUMBERS) => {
                for argument in arguments {
                    let origin = self.origin(argument);
                    self.add(origin, NumericReading::Cast);
                }
            }
            ("min" | "max", _) => {
                for one in arguments {
                    for other in arguments {
                        self.compare_ordered(one, other);
                    }
                }
            }
            _ => {}
        }
    }

    fn over(&mut self, tail: Option<&FunctionTail<'_>>) {
        if let Some(Over::Window(window)) = tail.and_then(|tail| tail.over_clause.as_ref()) {
            self.window(window);
        }
    }

    /// Reports the first term of a window's order, which decides the rows that come before one.
    pub(super) fn window(&mut self, window: &Window<'_>) {
        if let Some(first) = window.order_by.unwrap_or_default().first() {
            let origin = self.origin(&first.expr);
            self.add(origin, NumericReading::Ordered);
        }
    }

    fn binary(&mut self, left: &Expr<'_>, operator: Operator, right: &Expr<'_>) {
        match operator {
            Operator::Equals
            | Operator::NotEquals
            | Operator::Less
            | Operator::LessEquals
            | Operator::Greater
            | Operator::GreaterEquals
            | Operator::Is
            | Operator::IsNot => {
                if operator == Operator::Equals
                    && (self.filters(left, right) || self.filters(right, left))
                {
                    return;
                }
                self.compare(left, right);
                self.compare(right, left);
            }
            Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Divide
            | Operator::Modulus => {
                for side in [left, right] {
                    let origin = self.origin(side);
                    self.add(origin, NumericReading::Cast);
                }
            }
            _ => {}
        }
    }

    /// Returns true for `CAST(x AS NUMERIC) = x`, which is true only for texts that are numbers.
    fn filters(&mut self, cast: &Expr<'_>, text: &Expr<'_>) -> bool {
        let Expr::Cast { expr, type_name } = cast else {
            return false;
        };
        let (one, other) = (self.origin(expr), self.origin(text));
        let is_filter = is_numeric(type_name.as_ref().map(|kind| kind.name)) && one == other;
        if let (true, Some(origin)) = (is_filter, one) {
            self.found.filtered.push(origin);
            return true;
        }
        false
    }

    /// Compares two sides. Row values are compared element by element.
    fn compare(&mut self, text: &Expr<'_>, number: &Expr<'_>) {
        if !self.step() {
            return;
        }
        if let (Expr::Parenthesized(texts), Expr::Parenthesized(numbers)) = (text, number)
            && texts.len() == numbers.len()
        {
            let pairs = texts.iter().zip(numbers.iter());
            return pairs.for_each(|(text, number)| self.compare(text, number));
        }
        self.compare_ordered(text, number);
    }

    fn compare_ordered(&mut self, text: &Expr<'_>, number: &Expr<'_>) {
        let Some(manner) = compared_with(number) else {
            return;
        };
        let origin = self.origin(text);
        self.add(origin, manner);
    }

    /// Returns the column whose texts an expression shows.
    pub(super) fn origin(&mut self, expression: &Expr<'_>) -> Option<Origin> {
        if !self.step() {
            return None;
        }
        match expression {
            Expr::Id(id) => self.named(None, id.0),
            Expr::Name(name) => self.named(None, name.0),
            Expr::Qualified(table, name) | Expr::DoublyQualified(_, table, name) => {
                self.named(Some(table.0), name.0)
            }
            Expr::Parenthesized(inner) => match inner.as_slice() {
                [only] => self.origin(only),
                _ => None,
            },
            Expr::Collate(inner, _) | Expr::Unary(UnaryOperator::Positive, inner) => {
                self.origin(inner)
            }
            // `x || ''` is the same text.
            Expr::Binary(text, Operator::Concat, other) => match (text, other) {
                (text, Expr::Literal(Literal::String("''")))
                | (Expr::Literal(Literal::String("''")), text) => self.origin(text),
                _ => None,
            },
            Expr::Cast { expr, type_name } => match type_name {
                Some(kind) if !is_numeric(Some(kind.name)) => self.origin(expr),
                _ => None,
            },
            Expr::Case {
                when_then_pairs,
                else_expr,
                ..
            } => {
                let then = when_then_pairs.iter().map(|(_, then)| then);
                let mut results = then.chain(else_expr.iter().copied());
                results.find_map(|result| self.origin(result))
            }
            Expr::FunctionCall { name, args, .. } => {
                let name = name.0.to_ascii_lowercase();
                let arguments = args.unwrap_or_default();
                if functions::is(&name, functions::ONE_OF_ALL) {
                    let skipped = usize::from(name == "iif");
                    let mut results = arguments.iter().skip(skipped);
                    return results.find_map(|argument| self.origin(argument));
                }
                let is_form = functions::is(&name, functions::FORM)
                    && !functions::is(&name, functions::NUMBER);
                if is_form || functions::is(&name, functions::FIRST) {
                    return arguments.first().and_then(|first| self.origin(first));
                }
                None
            }
            Expr::Subquery(select) => self.first_output(select),
            _ => None,
        }
    }
}

/// Returns the way in which a column is read if it is compared with this expression, or `None` if
/// the expression is not a number.
fn compared_with(expression: &Expr<'_>) -> Option<NumericReading> {
    match expression {
        Expr::Variable(written) => {
            // The parser leaves the question mark out.
            let digits = written.strip_prefix('?').unwrap_or(written);
            Some(match digits.parse() {
                Ok(number) => NumericReading::ComparedWith(number, format!("?{digits}")),
                Err(_) => NumericReading::ComparedWith(0, (*written).to_owned()),
            })
        }
        Expr::Unary(UnaryOperator::Negative | UnaryOperator::Positive, inner) => {
            compared_with(inner)
        }
        Expr::Parenthesized(inner) => match inner.as_slice() {
            [only] => compared_with(only),
            _ => None,
        },
        Expr::Subquery(select) => first_column(select).and_then(compared_with),
        Expr::Literal(Literal::String(quoted)) => {
            is_iso_date(quoted.trim_matches('\'')).then_some(NumericReading::ComparedWithDate)
        }
        other => is_a_number(other).then_some(NumericReading::Compared),
    }
}

fn is_a_number(expression: &Expr<'_>) -> bool {
    match expression {
        Expr::Literal(Literal::Numeric(_)) | Expr::FunctionCallStar { .. } => true,
        Expr::Binary(_, operator, _) => matches!(
            operator,
            Operator::Add
                | Operator::Subtract
                | Operator::Multiply
                | Operator::Divide
                | Operator::Modulus
        ),
        Expr::FunctionCall { name, .. } => {
            functions::is(&name.0.to_ascii_lowercase(), functions::NUMBER)
        }
        _ => false,
    }
}

fn first_column<'a>(select: &'a Select<'a>) -> Option<&'a Expr<'a>> {
    match &select.body.select {
        OneSelect::Select { columns, .. } => match columns.first() {
            Some(ResultColumn::Expr(expression, _)) => Some(expression),
            _ => None,
        },
        OneSelect::Values(rows) => rows.first().and_then(|row| row.first()),
    }
}

/// Returns true if CAST to this type makes a number.
fn is_numeric(name: Option<&str>) -> bool {
    let name = name.unwrap_or_default().to_ascii_uppercase();
    let is_text = ["CHAR", "CLOB", "TEXT", "BLOB"]
        .iter()
        .any(|part| name.contains(part));
    !name.is_empty() && (name.contains("INT") || !is_text)
}

/// Returns true for a text that begins with a date in ISO 8601 format.
pub fn is_iso_date(text: &str) -> bool {
    let shape = text.bytes().take(10).map(|byte| match byte {
        b'0'..=b'9' => b'0',
        other => other,
    });
    shape.eq(*b"0000-00-00")
}
