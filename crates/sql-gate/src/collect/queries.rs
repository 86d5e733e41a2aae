//! Walks through queries: WITH, SELECT, FROM, and the references of their names.

use sqlite3_parser::ast::{
    As, CommonTableExpr, Expr, FromClause, JoinConstraint, OneSelect, QualifiedName, ResultColumn,
    Select, SelectTable, With,
};

use super::Walk;
use super::carried::carried;
use super::estimate::cte_limit;
use crate::operations::{Alias, Carried, Cte, Place, Relation, Returned, unquote};

fn place(alias: Option<&As<'_>>) -> Place {
    match alias {
        None => Place::Plain,
        Some(As::As(_) | As::Elided(_)) => Place::Aliased,
    }
}

impl Walk {
    /// Opens the scope of a WITH clause; the caller closes it with [`Self::leave`].
    pub(super) fn enter(&mut self, with: Option<&With<'_>>) -> bool {
        let Some(with) = with else { return false };
        // Each common table expression of a WITH can use the others, in any order.
        self.scopes.push(
            with.ctes
                .iter()
                .map(|cte| (unquote(cte.tbl_name.0), None))
                .collect(),
        );
        for (position, cte) in with.ctes.iter().enumerate() {
            self.cte(cte, position);
        }
        true
    }

    pub(super) fn cte(&mut self, cte: &CommonTableExpr<'_>, position: usize) {
        let index = self.found.ctes.len();
        let name = unquote(cte.tbl_name.0);
        self.found.visible_names.push(name.clone());
        for column in cte.columns.unwrap_or_default() {
            self.found.visible_names.push(unquote(column.col_name.0));
        }
        self.found.ctes.push(Cte {
            name,
            recursive: false,
            limit: cte_limit(cte.select),
            carried: Carried::default(),
        });
        if let Some(entry) = self
            .scopes
            .last_mut()
            .and_then(|scope| scope.get_mut(position))
        {
            entry.1 = Some(index);
        }
        self.open.push(index);
        self.select(cte.select);
        self.open.pop();
        if let Some(found) = self.found.ctes.get_mut(index)
            && found.recursive
        {
            found.carried = carried(cte);
        }
    }

    pub(super) fn leave(&mut self, scoped: bool) {
        if scoped {
            self.scopes.pop();
        }
    }

    pub(super) fn select(&mut self, select: &Select<'_>) {
        self.found.selects += 1;
        let scoped = self.enter(select.with.as_ref());
        self.one_select(&select.body.select);
        for compound in select.body.compounds.iter().flatten() {
            self.found.selects += 1;
            self.one_select(&compound.select);
        }
        self.sorted(select.order_by.unwrap_or_default());
        self.limit(select.limit);
        self.leave(scoped);
    }

    pub(super) fn one_select(&mut self, select: &OneSelect<'_>) {
        match select {
            OneSelect::Values(rows) => {
                for row in rows {
                    for value in row {
                        self.expression(value);
                    }
                }
            }
            OneSelect::Select {
                columns,
                from,
                where_clause,
                group_by,
                having,
                window_clause,
                ..
            } => {
                self.result_columns(columns);
                if let Some(from) = from {
                    self.from(from);
                }
                self.optional(*where_clause);
                self.expressions(group_by.unwrap_or_default());
                self.optional(*having);
                for definition in window_clause.unwrap_or_default() {
                    self.window(&definition.window);
                }
            }
        }
    }

    pub(super) fn result_columns(&mut self, columns: &[ResultColumn<'_>]) {
        for column in columns {
            match column {
                ResultColumn::Expr(expression, alias) => {
                    self.expression(expression);
                    self.alias(alias.as_ref());
                }
                ResultColumn::Star | ResultColumn::TableStar(_) => {}
            }
        }
    }

    pub(super) fn returning(&mut self, columns: Option<&[ResultColumn<'_>]>) {
        let Some(columns) = columns else { return };
        self.result_columns(columns);
        let returned = columns.iter().map(|column| match column {
            ResultColumn::Star | ResultColumn::TableStar(_) => Returned::Star,
            ResultColumn::Expr(expression, alias) => Returned::Expression {
                alias: match alias {
                    None => Alias::None,
                    Some(As::As(_)) => Alias::As,
                    Some(As::Elided(_)) => Alias::Bare,
                },
                name: match (alias, expression) {
                    (Some(As::As(name) | As::Elided(name)), _)
                    | (
                        None,
                        Expr::Name(name)
                        | Expr::Qualified(_, name)
                        | Expr::DoublyQualified(_, _, name),
                    ) => Some(unquote(name.0)),
                    (None, Expr::Id(id)) => Some(unquote(id.0)),
                    _ => None,
                },
            },
        });
        self.found.returning = Some(returned.collect());
    }

    pub(super) fn alias(&mut self, alias: Option<&As<'_>>) {
        if let Some(As::As(name) | As::Elided(name)) = alias {
            self.found.visible_names.push(unquote(name.0));
        }
    }

    pub(super) fn from(&mut self, from: &FromClause<'_>) {
        if let Some(table) = from.select {
            self.table(table);
        }
        for joined in from.joins.iter().flatten() {
            self.table(&joined.table);
            match &joined.constraint {
                Some(JoinConstraint::On(expression)) => self.expression(expression),
                Some(JoinConstraint::Using(_)) | None => {}
            }
        }
    }

    pub(super) fn table(&mut self, table: &SelectTable<'_>) {
        match table {
            SelectTable::Table(name, alias, _) => {
                self.relation(name, None, place(alias.as_ref()));
                self.alias(alias.as_ref());
            }
            SelectTable::TableCall(name, arguments, alias) => {
                let arguments = arguments.unwrap_or_default();
                self.relation(name, Some(arguments), place(alias.as_ref()));
                self.expressions(arguments);
                self.alias(alias.as_ref());
            }
            SelectTable::Select(select, alias) => {
                self.select(select);
                self.alias(alias.as_ref());
            }
            SelectTable::Sub(from, alias) => {
                self.from(from);
                self.alias(alias.as_ref());
            }
        }
    }

    /// Records a relation, unless the name is a common table expression.
    pub(super) fn relation(
        &mut self,
        name: &QualifiedName<'_>,
        arguments: Option<&[Expr<'_>]>,
        place: Place,
    ) {
        let called = arguments.is_some();
        let is_given =
            |argument: &Expr<'_>| matches!(argument, Expr::Literal(_) | Expr::Variable(_));
        let schema = name.db_name.as_ref().map(|schema| unquote(schema.0));
        let plain = unquote(name.name.0);
        self.found.visible_names.push(plain.clone());
        if schema.is_none() && !called && self.refers_to_cte(&plain).is_some() {
            return;
        }
        self.found.relations.push(Relation {
            schema,
            name: plain,
            called,
            given: arguments.is_some_and(|arguments| arguments.iter().all(is_given)),
            place,
        });
    }

    /// Returns `Some` if the name is a common table expression here, with its index if its body was
    /// reached. Marks it recursive if the current position is in its body.
    pub(super) fn refers_to_cte(&mut self, name: &str) -> Option<Option<usize>> {
        let named = |scope: &Vec<(String, Option<usize>)>| {
            scope
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name))
                .map(|(_, index)| *index)
        };
        let index = self.scopes.iter().rev().find_map(named)?;
        if let Some(inside) = index.filter(|index| self.open.contains(index))
            && let Some(cte) = self.found.ctes.get_mut(inside)
        {
            cte.recursive = true;
        }
        Some(index)
    }
}
