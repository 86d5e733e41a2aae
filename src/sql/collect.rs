//! Syntax tree to facts: the walk behind [`Operations`].
//!
//! Every variant of the tree is matched by name, so that a parser update which adds one does not compile until it is handled. The
//! recursion is bounded by [`super::lex::bounds`], which ran on the tokens.

use sqlite3_parser::ast::{
    As, Cmd, ColumnConstraint, ColumnDefinition, CommonTableExpr, CreateTableBody, Expr, ForeignKeyClause, FrameBound, FromClause, FunctionCallOrder,
    FunctionTail, InsertBody, JoinConstraint, LikeOperator, Limit, NamedTableConstraint, OneSelect, Over, QualifiedName, ResultColumn, Select,
    SelectTable, Set, SortedColumn, Stmt, TableConstraint, Upsert, UpsertDo, Window, With,
};
use sqlite3_parser::ast::{AlterTableBody, Literal};

use super::operations::{
    Alias, Cte, CteLimit, Derived, DerivedRows, Explain, Kind, Operations, Relation, Returned, Role, TableFunction, Target,
    UNNAMED_SUBQUERY, unquote,
};

/// The facts of a parsed statement.
pub(crate) fn collect(command: &Cmd<'_>) -> Operations {
    let (statement, explain) = match command {
        Cmd::Stmt(statement) => (statement, Explain::No),
        Cmd::ExplainQueryPlan(statement) => (statement, Explain::QueryPlan),
        Cmd::Explain(statement) => (statement, Explain::Bytecode),
    };
    let mut walk = Walk { found: Operations::new(Kind::Select, explain), scopes: Vec::new(), open: Vec::new() };
    walk.found.kind = walk.statement(statement);
    walk.found
}

struct Walk {
    found: Operations,
    /// Names of the common table expressions in scope, innermost last, each with its index in `found.ctes` once its body was reached.
    scopes: Vec<Vec<(String, Option<usize>)>>,
    /// The expressions whose bodies we are inside of.
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
            Stmt::CreateTable { .. } | Stmt::CreateIndex { .. } | Stmt::CreateView { .. } | Stmt::CreateVirtualTable { .. } => self.create(statement),
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
        if let Stmt::Insert { with, tbl_name, body, returning, .. } = statement {
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
        if let Stmt::Update { with, tbl_name, sets, from, where_clause, returning, order_by, limit, .. } = statement {
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
        if let Stmt::Delete { with, tbl_name, where_clause, returning, order_by, limit, .. } = statement {
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
            Stmt::CreateTable { temporary, tbl_name, body, .. } => {
                self.found.temporary = *temporary;
                self.target(tbl_name, Role::Definition);
                self.table_body(body);
                Kind::CreateTable
            }
            Stmt::CreateIndex { idx_name, tbl_name, columns, where_clause, .. } => {
                self.target(idx_name, Role::Definition);
                self.named_target(None, tbl_name.0, Role::IndexedTable);
                self.sorted(columns);
                self.optional(where_clause.as_ref());
                Kind::CreateIndex
            }
            Stmt::CreateView { temporary, view_name, select, .. } => {
                self.found.temporary = *temporary;
                self.target(view_name, Role::Definition);
                self.select(select);
                Kind::CreateView
            }
            Stmt::CreateVirtualTable { tbl_name, module_name, args, .. } => {
                self.target(tbl_name, Role::Definition);
                Kind::CreateVirtualTable {
                    module: unquote(module_name.0).to_ascii_lowercase(),
                    arguments: args.unwrap_or_default().iter().map(|argument| (*argument).to_owned()).collect(),
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
            CreateTableBody::ColumnsAndConstraints { columns, constraints, .. } => {
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
                ColumnConstraint::Check(expression) | ColumnConstraint::Default(expression) | ColumnConstraint::Generated { expr: expression, .. } => {
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
            TableConstraint::PrimaryKey { columns, .. } | TableConstraint::Unique { columns, .. } => {
                let before = self.found.double_quoted.len();
                self.sorted(columns);
                self.found.double_quoted.truncate(before);
            }
        }
    }

    /// An expression of a definition: its columns are in the definition itself, so double-quoted names are left to the engine.
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
        self.named_target(name.db_name.as_ref().map(|schema| unquote(schema.0)), name.name.0, role);
    }

    fn named_target(&mut self, schema: Option<String>, name: &str, role: Role) {
        self.found.targets.push(Target { schema, name: unquote(name), role });
    }

    /// Opens the scope of a WITH clause; the caller closes it with [`Self::leave`].
    fn enter(&mut self, with: Option<&With<'_>>) -> bool {
        let Some(with) = with else { return false };
        // Every expression of one WITH sees the others, whatever their order.
        self.scopes.push(with.ctes.iter().map(|cte| (unquote(cte.tbl_name.0), None)).collect());
        for (position, cte) in with.ctes.iter().enumerate() {
            self.cte(cte, position);
        }
        true
    }

    fn cte(&mut self, cte: &CommonTableExpr<'_>, position: usize) {
        let index = self.found.ctes.len();
        let name = unquote(cte.tbl_name.0);
        self.found.visible_names.push(name.clone());
        for column in cte.columns.unwrap_or_default() {
            self.found.visible_names.push(unquote(column.col_name.0));
        }
        self.found.ctes.push(Cte { name, recursive: false, limit: cte_limit(cte.select), rows: rows_of(cte.select) });
        if let Some(entry) = self.scopes.last_mut().and_then(|scope| scope.get_mut(position)) {
            entry.1 = Some(index);
        }
        self.open.push(index);
        self.select(cte.select);
        self.open.pop();
    }

    fn leave(&mut self, scoped: bool) {
        if scoped {
            self.scopes.pop();
        }
    }

    fn select(&mut self, select: &Select<'_>) {
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

    fn one_select(&mut self, select: &OneSelect<'_>) {
        match select {
            OneSelect::Values(rows) => {
                for row in rows {
                    for value in row {
                        self.expression(value);
                    }
                }
            }
            OneSelect::Select { columns, from, where_clause, group_by, having, window_clause, .. } => {
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

    fn result_columns(&mut self, columns: &[ResultColumn<'_>]) {
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

    fn returning(&mut self, columns: Option<&[ResultColumn<'_>]>) {
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
                    (Some(As::As(name) | As::Elided(name)), _) | (None, Expr::Name(name) | Expr::Qualified(_, name) | Expr::DoublyQualified(_, _, name)) => {
                        Some(unquote(name.0))
                    }
                    (None, Expr::Id(id)) => Some(unquote(id.0)),
                    _ => None,
                },
            },
        });
        self.found.returning = Some(returned.collect());
    }

    fn alias(&mut self, alias: Option<&As<'_>>) {
        if let Some(As::As(name) | As::Elided(name)) = alias {
            self.found.visible_names.push(unquote(name.0));
        }
    }

    fn from(&mut self, from: &FromClause<'_>) {
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

    fn table(&mut self, table: &SelectTable<'_>) {
        match table {
            SelectTable::Table(name, alias, _) => {
                let plain = unquote(name.name.0);
                let cte = self.relation(name, false);
                self.alias(alias.as_ref());
                match (alias_name(alias.as_ref()), cte) {
                    (Some(alias), Some(rows)) => self.found.derived.push(Derived { name: alias, rows }),
                    (None, Some(rows)) => self.found.derived.push(Derived { name: plain, rows }),
                    (Some(alias), None) => self.found.aliases.push((alias, plain)),
                    (None, None) => {}
                }
            }
            SelectTable::TableCall(name, arguments, alias) => {
                self.relation(name, true);
                let arguments = arguments.unwrap_or_default();
                self.expressions(arguments);
                self.alias(alias.as_ref());
                let alias = alias_name(alias.as_ref()).unwrap_or_else(|| unquote(name.name.0));
                self.found.table_functions.push(TableFunction { alias, over_column: arguments.iter().any(names_a_column) });
            }
            SelectTable::Select(select, alias) => {
                self.select(select);
                self.alias(alias.as_ref());
                let name = alias_name(alias.as_ref()).unwrap_or_else(|| UNNAMED_SUBQUERY.to_owned());
                self.found.derived.push(Derived { name, rows: rows_of(select) });
            }
            SelectTable::Sub(from, alias) => {
                self.from(from);
                self.alias(alias.as_ref());
            }
        }
    }

    /// Records a relation. For a common table expression it returns how many rows that can have instead.
    fn relation(&mut self, name: &QualifiedName<'_>, called: bool) -> Option<DerivedRows> {
        let schema = name.db_name.as_ref().map(|schema| unquote(schema.0));
        let plain = unquote(name.name.0);
        self.found.visible_names.push(plain.clone());
        if schema.is_none()
            && !called
            && let Some(index) = self.refers_to_cte(&plain)
        {
            return Some(index.and_then(|index| self.found.ctes.get(index)).map_or(DerivedRows::Unknown, cte_rows));
        }
        self.found.relations.push(Relation { schema, name: plain, called });
        None
    }

    /// Whether the name is a common table expression here, and which; marks it recursive when we are inside its body.
    fn refers_to_cte(&mut self, name: &str) -> Option<Option<usize>> {
        let named = |scope: &Vec<(String, Option<usize>)>| scope.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, index)| *index);
        let index = self.scopes.iter().rev().find_map(named)?;
        if let Some(inside) = index.filter(|index| self.open.contains(index))
            && let Some(cte) = self.found.ctes.get_mut(inside)
        {
            cte.recursive = true;
        }
        Some(index)
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

    fn sorted(&mut self, columns: &[SortedColumn<'_>]) {
        for column in columns {
            self.expression(&column.expr);
        }
    }

    fn limit(&mut self, limit: Option<&Limit<'_>>) {
        if let Some(limit) = limit {
            self.expression(&limit.expr);
            self.optional(limit.offset.as_ref());
        }
    }

    fn expressions(&mut self, expressions: &[Expr<'_>]) {
        for expression in expressions {
            self.expression(expression);
        }
    }

    fn optional(&mut self, expression: Option<&Expr<'_>>) {
        if let Some(expression) = expression {
            self.expression(expression);
        }
    }

    fn expression(&mut self, expression: &Expr<'_>) {
        match expression {
            Expr::Between { lhs, start, end, .. } => {
                self.expression(lhs);
                self.expression(start);
                self.expression(end);
            }
            Expr::Binary(left, _, right) => {
                self.expression(left);
                self.expression(right);
            }
            Expr::Case { base, when_then_pairs, else_expr } => {
                self.optional(*base);
                for (when, then) in *when_then_pairs {
                    self.expression(when);
                    self.expression(then);
                }
                self.optional(*else_expr);
            }
            Expr::Cast { expr, .. } | Expr::Collate(expr, _) | Expr::IsNull(expr) | Expr::NotNull(expr) | Expr::Unary(_, expr) => self.expression(expr),
            Expr::Exists(select) | Expr::Subquery(select) => self.select(select),
            Expr::FunctionCall { name, args, order_by, filter_over, .. } => {
                self.function(name.0);
                self.expressions(args.unwrap_or_default());
                if let Some(FunctionCallOrder::SortList(columns)) = order_by {
                    self.sorted(columns);
                }
                self.function_tail(filter_over.as_ref());
            }
            Expr::FunctionCallStar { name, filter_over } => {
                self.function(name.0);
                self.function_tail(filter_over.as_ref());
            }
            Expr::InList { lhs, rhs, .. } => {
                self.expression(lhs);
                self.expressions(rhs.unwrap_or_default());
            }
            Expr::InSelect { lhs, rhs, .. } => {
                self.expression(lhs);
                self.select(rhs);
            }
            Expr::InTable { lhs, rhs, args, .. } => {
                self.expression(lhs);
                self.relation(rhs, args.is_some());
                self.expressions(args.unwrap_or_default());
            }
            Expr::Like { lhs, op, rhs, escape, .. } => {
                self.like(*op);
                self.expression(lhs);
                self.expression(rhs);
                self.optional(*escape);
            }
            Expr::Parenthesized(inner) => self.expressions(inner),
            Expr::Id(id) => self.bare_name(id.0),
            Expr::Name(name) => self.bare_name(name.0),
            Expr::Raise(_, message) => {
                self.function("raise");
                self.optional(*message);
            }
            Expr::DoublyQualified(..) | Expr::Qualified(..) | Expr::Literal(_) | Expr::Variable(_) => {}
        }
    }

    fn like(&mut self, operator: LikeOperator) {
        match operator {
            LikeOperator::Regexp => self.found.functions.push("regexp".to_owned()),
            LikeOperator::Glob | LikeOperator::Like | LikeOperator::Match => {}
        }
    }

    fn bare_name(&mut self, written: &str) {
        if written.starts_with('"') {
            self.found.double_quoted.push(unquote(written));
        }
    }

    fn function(&mut self, written: &str) {
        let name = unquote(written).to_ascii_lowercase();
        if !self.found.functions.contains(&name) {
            self.found.functions.push(name);
        }
    }

    fn function_tail(&mut self, tail: Option<&FunctionTail<'_>>) {
        let Some(tail) = tail else { return };
        self.optional(tail.filter_clause);
        match tail.over_clause {
            Some(Over::Window(window)) => self.window(window),
            Some(Over::Name(_)) | None => {}
        }
    }

    fn window(&mut self, window: &Window<'_>) {
        self.expressions(window.partition_by.unwrap_or_default());
        self.sorted(window.order_by.unwrap_or_default());
        if let Some(frame) = &window.frame_clause {
            self.frame_bound(&frame.start);
            if let Some(end) = &frame.end {
                self.frame_bound(end);
            }
        }
    }

    fn frame_bound(&mut self, bound: &FrameBound<'_>) {
        match bound {
            FrameBound::Following(expression) | FrameBound::Preceding(expression) => self.expression(expression),
            FrameBound::CurrentRow | FrameBound::UnboundedFollowing | FrameBound::UnboundedPreceding => {}
        }
    }
}

/// `LIMIT a OFFSET b` and `LIMIT b, a` have the same two places in the tree, so their sum is what both can visit.
fn cte_limit(select: &Select<'_>) -> CteLimit {
    let Some(limit) = select.limit else { return CteLimit::None };
    let literal = |expression: &Expr<'_>| match expression {
        Expr::Literal(Literal::Numeric(digits)) => digits.parse::<u64>().ok(),
        _ => None,
    };
    let skipped = limit.offset.as_ref().map_or(Some(0), literal);
    match (literal(&limit.expr), skipped) {
        (Some(rows), Some(skipped)) => CteLimit::Literal(rows.saturating_add(skipped)),
        _ => CteLimit::Expression,
    }
}

/// How many rows a common table expression can have.
fn cte_rows(cte: &Cte) -> DerivedRows {
    match (cte.recursive, cte.limit) {
        (true, CteLimit::Literal(rows)) => DerivedRows::AtMost(rows),
        (true, _) => DerivedRows::Recursive,
        (false, _) => cte.rows,
    }
}

/// How many rows a query can have, where its syntax says.
fn rows_of(select: &Select<'_>) -> DerivedRows {
    if let CteLimit::Literal(rows) = cte_limit(select) {
        return DerivedRows::AtMost(rows);
    }
    if select.body.compounds.is_some() {
        return DerivedRows::Unknown;
    }
    match &select.body.select {
        OneSelect::Values(rows) => DerivedRows::AtMost(rows.len() as u64),
        OneSelect::Select { from: None, .. } => DerivedRows::AtMost(1),
        OneSelect::Select { columns, group_by: None, .. } if columns.iter().any(is_aggregate) => DerivedRows::AtMost(1),
        OneSelect::Select { .. } => DerivedRows::Unknown,
    }
}

/// Whether a result column is an aggregate over the whole query. Only a call that stands alone or in plain arithmetic is looked at.
fn is_aggregate(column: &ResultColumn<'_>) -> bool {
    match column {
        ResultColumn::Expr(expression, _) => calls_aggregate(expression),
        ResultColumn::Star | ResultColumn::TableStar(_) => false,
    }
}

fn calls_aggregate(expression: &Expr<'_>) -> bool {
    const AGGREGATES: [&str; 7] = ["avg", "count", "group_concat", "json_group_array", "string_agg", "sum", "total"];
    match expression {
        Expr::FunctionCall { name, args, filter_over, .. } => {
            let windowed = filter_over.as_ref().is_some_and(|tail| tail.over_clause.is_some());
            let name = unquote(name.0).to_ascii_lowercase();
            let one_argument = args.is_some_and(|arguments| arguments.len() == 1);
            let aggregate = AGGREGATES.contains(&name.as_str()) || (one_argument && (name == "min" || name == "max"));
            (aggregate && !windowed) || (!windowed && args.is_some_and(|arguments| arguments.iter().any(calls_aggregate)))
        }
        Expr::FunctionCallStar { name, filter_over } => {
            unquote(name.0).eq_ignore_ascii_case("count") && !filter_over.as_ref().is_some_and(|tail| tail.over_clause.is_some())
        }
        Expr::Binary(left, _, right) => calls_aggregate(left) || calls_aggregate(right),
        Expr::Parenthesized(inner) => inner.iter().any(calls_aggregate),
        Expr::Cast { expr, .. } | Expr::Unary(_, expr) => calls_aggregate(expr),
        _ => false,
    }
}

fn alias_name(alias: Option<&As<'_>>) -> Option<String> {
    match alias {
        Some(As::As(name) | As::Elided(name)) => Some(unquote(name.0)),
        None => None,
    }
}

/// Whether an argument refers to a column, directly or inside a call.
fn names_a_column(expression: &Expr<'_>) -> bool {
    match expression {
        Expr::Id(_) | Expr::Name(_) | Expr::Qualified(..) | Expr::DoublyQualified(..) => true,
        Expr::FunctionCall { args, .. } => args.is_some_and(|arguments| arguments.iter().any(names_a_column)),
        Expr::Binary(left, _, right) => names_a_column(left) || names_a_column(right),
        Expr::Parenthesized(inner) => inner.iter().any(names_a_column),
        Expr::Cast { expr, .. } | Expr::Unary(_, expr) | Expr::Collate(expr, _) => names_a_column(expr),
        _ => false,
    }
}
