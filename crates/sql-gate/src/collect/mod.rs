//! Collects facts from a syntax tree: the walk behind [`Operations`].
//!
//! Every variant of the tree is matched by name, so that a parser update which adds one does not
//! compile until it is handled. The recursion is bounded by [`crate::lex::bounds`], which ran on
//! the tokens.

use sqlite3_parser::ast::AlterTableBody;
use sqlite3_parser::ast::{
    Cmd, ColumnConstraint, ColumnDefinition, CreateTableBody, Expr, ForeignKeyClause, InsertBody,
    NamedTableConstraint, QualifiedName, Set, Stmt, TableConstraint, Upsert, UpsertDo,
};

use crate::operations::{Explain, Kind, Operations, Role, Target, unquote};

mod carried;
mod compared;
mod estimate;
mod expressions;
mod queries;

pub use estimate::is_aggregate;

/// Returns the number of rows of a literal LIMIT, including those that its OFFSET skips.
pub fn literal_limit(select: &sqlite3_parser::ast::Select<'_>) -> Option<u64> {
    match estimate::cte_limit(select) {
        crate::operations::CteLimit::Literal(rows) => Some(rows),
        crate::operations::CteLimit::None | crate::operations::CteLimit::Expression => None,
    }
}

/// Returns the facts of a parsed statement.
pub fn collect(command: &Cmd<'_>) -> Operations {
    let (statement, explain) = match command {
        Cmd::Stmt(statement) => (statement, Explain::No),
        Cmd::ExplainQueryPlan(statement) => (statement, Explain::QueryPlan),
        Cmd::Explain(statement) => (statement, Explain::Bytecode),
    };
    let mut walk = Walk {
        found: Operations::new(Kind::Select, explain),
        scopes: Vec::new(),
        open: Vec::new(),
    };
    walk.found.kind = walk.statement(statement);
    walk.found
}

struct Walk {
    found: Operations,
    /// Names of the common table expressions in scope, innermost last, each with its index in
    /// `found.ctes` once its body was reached.
    scopes: Vec<Vec<(String, Option<usize>)>>,
    /// The common table expressions whose bodies contain the current position.
    open: Vec<usize>,
}

impl Walk {
    fn statement(&mut self, statement: &Stmt<'_>) -> Kind {
        match statement {
            Stmt::Select(select) => {
                self.select(select);
                Kind::Select
            }
            Stmt::Insert { .. } => self.insert(statement),
            Stmt::Update { .. } => self.update(statement),
            Stmt::Delete { .. } => self.delete(statement),
            Stmt::CreateTable { .. }
            | Stmt::CreateIndex { .. }
            | Stmt::CreateView { .. }
            | Stmt::CreateVirtualTable { .. } => self.create(statement),
            Stmt::AlterTable(name, body) => self.alter(name, body),
            Stmt::DropTable { tbl_name, .. } => {
                self.target(tbl_name, Role::Definition);
                Kind::DropTable
            }
            Stmt::DropIndex { idx_name, .. } => {
                self.target(idx_name, Role::Definition);
                Kind::DropIndex
            }
            Stmt::DropView { view_name, .. } => {
                self.target(view_name, Role::Definition);
                Kind::DropView
            }
            Stmt::Pragma(..) => Kind::Other("PRAGMA"),
            Stmt::Attach { .. } => Kind::Other("ATTACH"),
            Stmt::Detach(..) => Kind::Other("DETACH"),
            Stmt::Begin(..) => Kind::Other("BEGIN"),
            Stmt::Commit(..) => Kind::Other("COMMIT"),
            Stmt::Rollback { .. } => Kind::Other("ROLLBACK"),
            Stmt::Savepoint(..) => Kind::Other("SAVEPOINT"),
            Stmt::Release(..) => Kind::Other("RELEASE"),
            Stmt::Vacuum(..) => Kind::Other("VACUUM"),
            Stmt::Reindex { .. } => Kind::Other("REINDEX"),
            Stmt::Analyze(..) => Kind::Other("ANALYZE"),
            Stmt::CreateTrigger { .. } => Kind::Other("CREATE TRIGGER"),
            Stmt::DropTrigger { .. } => Kind::Other("DROP TRIGGER"),
        }
    }

    fn insert(&mut self, statement: &Stmt<'_>) -> Kind {
        if let Stmt::Insert {
            with,
            tbl_name,
            body,
            returning,
            ..
        } = statement
        {
            self.row_target(tbl_name);
            let scoped = self.enter(with.as_ref());
            if let InsertBody::Select(select, upsert) = body {
                self.select(select);
                self.upsert(*upsert);
            }
            self.returning(*returning);
            self.leave(scoped);
        }
        Kind::Insert
    }

    fn update(&mut self, statement: &Stmt<'_>) -> Kind {
        if let Stmt::Update {
            with,
            tbl_name,
            sets,
            from,
            where_clause,
            returning,
            order_by,
            limit,
            ..
        } = statement
        {
            self.row_target(tbl_name);
            let scoped = self.enter(with.as_ref());
            self.sets(sets);
            if let Some(from) = from {
                self.from(from);
            }
            self.optional(where_clause.as_ref());
            self.sorted(order_by.unwrap_or_default());
            self.limit(*limit);
            self.returning(*returning);
            self.leave(scoped);
        }
        Kind::Update
    }

    fn delete(&mut self, statement: &Stmt<'_>) -> Kind {
        if let Stmt::Delete {
            with,
            tbl_name,
            where_clause,
            returning,
            order_by,
            limit,
            ..
        } = statement
        {
            self.row_target(tbl_name);
            let scoped = self.enter(with.as_ref());
            self.optional(where_clause.as_ref());
            self.sorted(order_by.unwrap_or_default());
            self.limit(*limit);
            self.returning(*returning);
            self.leave(scoped);
        }
        Kind::Delete
    }

    fn create(&mut self, statement: &Stmt<'_>) -> Kind {
        match statement {
            Stmt::CreateTable {
                temporary,
                tbl_name,
                body,
                ..
            } => {
                self.found.temporary = *temporary;
                self.target(tbl_name, Role::Definition);
                self.table_body(body);
                Kind::CreateTable
            }
            Stmt::CreateIndex {
                idx_name,
                tbl_name,
                columns,
                where_clause,
                ..
            } => {
                self.target(idx_name, Role::Definition);
                self.named_target(None, tbl_name.0, Role::IndexedTable);
                self.sorted(columns);
                self.optional(where_clause.as_ref());
                Kind::CreateIndex
            }
            Stmt::CreateView {
                temporary,
                view_name,
                select,
                ..
            } => {
                self.found.temporary = *temporary;
                self.target(view_name, Role::Definition);
                self.select(select);
                Kind::CreateView
            }
            Stmt::CreateVirtualTable {
                tbl_name,
                module_name,
                args,
                ..
            } => {
                self.target(tbl_name, Role::Definition);
                Kind::CreateVirtualTable {
                    module: unquote(module_name.0).to_ascii_lowercase(),
                    arguments: args
                        .unwrap_or_default()
                        .iter()
                        .map(|argument| (*argument).to_owned())
                        .collect(),
                }
            }
            _ => Kind::Other("CREATE"),
        }
    }

    fn alter(&mut self, name: &QualifiedName<'_>, body: &AlterTableBody<'_>) -> Kind {
        self.target(name, Role::Definition);
        match body {
            AlterTableBody::RenameTo(new) => self.named_target(None, new.0, Role::NewName),
            AlterTableBody::AddColumn(column) => self.column(column),
            AlterTableBody::AddConstraint(constraint) => self.table_constraint(constraint),
            AlterTableBody::RenameColumn { .. }
            | AlterTableBody::DropColumn(_)
            | AlterTableBody::DropColumnNotNull(_)
            | AlterTableBody::SetColumnNotNull(..)
            | AlterTableBody::DropConstraint(_) => {}
        }
        Kind::AlterTable
    }

    fn table_body(&mut self, body: &CreateTableBody<'_>) {
        match body {
            CreateTableBody::AsSelect(select) => self.select(select),
            CreateTableBody::ColumnsAndConstraints {
                columns,
                constraints,
                ..
            } => {
                for column in columns {
                    self.column(column);
                }
                for constraint in constraints.unwrap_or_default() {
                    self.table_constraint(constraint);
                }
            }
        }
    }

    fn column(&mut self, column: &ColumnDefinition<'_>) {
        for named in column.constraints {
            match &named.constraint {
                ColumnConstraint::Check(expression)
                | ColumnConstraint::Default(expression)
                | ColumnConstraint::Generated {
                    expr: expression, ..
                } => {
                    self.definition_expression(expression);
                }
                ColumnConstraint::ForeignKey { clause, .. } => self.foreign_key(clause),
                ColumnConstraint::PrimaryKey { .. }
                | ColumnConstraint::NotNull { .. }
                | ColumnConstraint::Unique(_)
                | ColumnConstraint::Defer(_)
                | ColumnConstraint::Collate { .. } => {}
            }
        }
    }

    fn table_constraint(&mut self, named: &NamedTableConstraint<'_>) {
        match &named.constraint {
            TableConstraint::Check(expression, _) => self.definition_expression(expression),
            TableConstraint::ForeignKey { clause, .. } => self.foreign_key(clause),
            TableConstraint::PrimaryKey { columns, .. }
            | TableConstraint::Unique { columns, .. } => {
                let before = self.found.double_quoted.len();
                self.sorted(columns);
                self.found.double_quoted.truncate(before);
            }
        }
    }

    /// Walks through an expression of a definition. Its columns are in the definition itself, so
    /// the engine judges double-quoted names.
    fn definition_expression(&mut self, expression: &Expr<'_>) {
        let before = self.found.double_quoted.len();
        self.expression(expression);
        self.found.double_quoted.truncate(before);
    }

    fn foreign_key(&mut self, clause: &ForeignKeyClause<'_>) {
        self.named_target(None, clause.tbl_name.0, Role::Reference);
    }

    fn row_target(&mut self, name: &QualifiedName<'_>) {
        self.target(name, Role::Rows);
        self.found.written_table = Some(unquote(name.name.0));
        self.found.visible_names.push(unquote(name.name.0));
        self.found.visible_names.push("excluded".to_owned());
        if let Some(alias) = &name.alias {
            self.found.visible_names.push(unquote(alias.0));
        }
    }

    fn target(&mut self, name: &QualifiedName<'_>, role: Role) {
        self.named_target(
            name.db_name.as_ref().map(|schema| unquote(schema.0)),
            name.name.0,
            role,
        );
    }

    fn named_target(&mut self, schema: Option<String>, name: &str, role: Role) {
        self.found.targets.push(Target {
            schema,
            name: unquote(name),
            role,
        });
    }

    fn upsert(&mut self, upsert: Option<&Upsert<'_>>) {
        let mut next = upsert;
        while let Some(clause) = next {
            if let Some(index) = &clause.index {
                self.sorted(index.targets);
                self.optional(index.where_clause.as_ref());
            }
            match &clause.do_clause {
                UpsertDo::Set { sets, where_clause } => {
                    self.sets(sets);
                    self.optional(where_clause.as_ref());
                }
                UpsertDo::Nothing => {}
            }
            next = clause.next;
        }
    }

    fn sets(&mut self, sets: &[Set<'_>]) {
        for set in sets {
            self.expression(&set.expr);
        }
    }
}
