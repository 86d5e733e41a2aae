//! The reading of a statement by sqlparser's syntax tree, which is compared with the gate's. The
//! product itself only uses sqlparser's tokenizer.

use sql_gate::{Reading, Reviewed};
use sqlparser::ast::{
    AlterTableOperation, FromTable, ObjectName, ObjectNamePart, ObjectType, RenameTableNameKind,
    SetExpr, Statement, TableFactor, TableObject, TableWithJoins,
};
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;

/// sqlparser's own recursion limit: more than the gate's limit on brackets would only cost stack.
const RECURSION_LIMIT: usize = 50;

/// Returns both readings if they differ. `None` for a statement that sqlparser cannot parse.
pub fn disagreement(reviewed: &Reviewed) -> Option<String> {
    let statement = reviewed.statement();
    let parsed = Parser::new(&SQLiteDialect {})
        .with_recursion_limit(RECURSION_LIMIT)
        .try_with_sql(statement)
        .and_then(|mut parser| parser.parse_statements())
        .ok()?;
    let ours = reviewed.reading();
    let theirs = match parsed.as_slice() {
        [statement] => reading(statement)?,
        _ => return Some(format!("{} statements", parsed.len())),
    };
    (theirs != ours && !is_known(&ours, &theirs)).then(|| format!("{theirs:?} instead of {ours:?}"))
}

/// Returns true for a known error of sqlparser, which takes some names for keywords of another
/// product: `CREATE INDEX concurrently ON t (a)`, `UPDATE replace AS x SET …`.
fn is_known(ours: &Reading, theirs: &Reading) -> bool {
    let names: Vec<&str> = ours.names.iter().map(String::as_str).collect();
    ours.kind == theirs.kind
        && match (ours.kind, names.as_slice()) {
            ("create index", ["async" | "concurrently", table]) => theirs.names == [*table],
            ("update", ["replace"]) => theirs.names == ["as"],
            _ => false,
        }
}

/// Returns sqlparser's reading; `None` for statements that the gate never accepts.
fn reading(statement: &Statement) -> Option<Reading> {
    let (kind, names) = match statement {
        Statement::Query(query) => return query_body(&query.body),
        Statement::Insert(insert) => match &insert.table {
            TableObject::TableName(name) => ("insert", vec![last_part(name)]),
            _ => ("insert into something else", Vec::new()),
        },
        Statement::Update(update) => ("update", vec![table_name(&update.table)]),
        Statement::Delete(delete) => {
            let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) =
                &delete.from;
            let tables = tables.iter().map(table_name);
            (
                "delete",
                tables.chain(delete.tables.iter().map(last_part)).collect(),
            )
        }
        Statement::CreateTable(create) => ("create table", vec![last_part(&create.name)]),
        Statement::CreateIndex(create) => (
            "create index",
            create
                .name
                .iter()
                .chain([&create.table_name])
                .map(last_part)
                .collect(),
        ),
        Statement::CreateView(create) => ("create view", vec![last_part(&create.name)]),
        Statement::CreateVirtualTable { name, .. } => {
            ("create virtual table", vec![last_part(name)])
        }
        Statement::AlterTable(alter) => {
            let renamed = alter.operations.iter().filter_map(new_name);
            (
                "alter table",
                std::iter::once(last_part(&alter.name))
                    .chain(renamed)
                    .collect(),
            )
        }
        Statement::Drop {
            object_type, names, ..
        } => {
            let kind = match object_type {
                ObjectType::Table => "drop table",
                ObjectType::Index => "drop index",
                ObjectType::View => "drop view",
                _ => "drop something else",
            };
            (kind, names.iter().map(last_part).collect())
        }
        Statement::Explain { statement, .. } => return reading(statement),
        _ => return None,
    };
    Some(Reading { kind, names })
}

/// Returns the reading of a query. For sqlparser, `WITH … INSERT` is a query whose body is the
/// INSERT.
fn query_body(body: &SetExpr) -> Option<Reading> {
    let kind = match body {
        SetExpr::Insert(statement) | SetExpr::Update(statement) | SetExpr::Delete(statement) => {
            return reading(statement);
        }
        SetExpr::Select(_)
        | SetExpr::Query(_)
        | SetExpr::SetOperation { .. }
        | SetExpr::Values(_) => "select",
        _ => "something else",
    };
    Some(Reading {
        kind,
        names: Vec::new(),
    })
}

fn new_name(operation: &AlterTableOperation) -> Option<String> {
    match operation {
        AlterTableOperation::RenameTable {
            table_name: RenameTableNameKind::As(name) | RenameTableNameKind::To(name),
        } => Some(last_part(name)),
        _ => None,
    }
}

fn table_name(table: &TableWithJoins) -> String {
    match &table.relation {
        TableFactor::Table { name, .. } => last_part(name),
        _ => String::new(),
    }
}

fn last_part(name: &ObjectName) -> String {
    match name.0.last() {
        Some(ObjectNamePart::Identifier(identifier)) => identifier.value.to_ascii_lowercase(),
        _ => String::new(),
    }
}
