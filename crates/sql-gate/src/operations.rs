//! The facts of a statement: its kind, and the names that it reads, writes and calls. No judgement
//! is made here.
//!
//! Names are unquoted but keep their case; compare them with ASCII case folding, as SQLite does.
//! [`super::policy`] decides.

/// The kind of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// SELECT or VALUES.
    Select,
    /// INSERT or REPLACE.
    Insert,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// CREATE TABLE.
    CreateTable,
    /// CREATE INDEX.
    CreateIndex,
    /// CREATE VIEW.
    CreateView,
    /// CREATE VIRTUAL TABLE.
    CreateVirtualTable {
        /// The name of the module.
        module: String,
        /// The arguments of the module, as written.
        arguments: Vec<String>,
    },
    /// ALTER TABLE.
    AlterTable,
    /// DROP TABLE.
    DropTable,
    /// DROP INDEX.
    DropIndex,
    /// DROP VIEW.
    DropView,
    /// A statement that no profile allows, by its keyword.
    Other(&'static str),
}

/// The way in which the statement is explained instead of run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Explain {
    /// The statement runs.
    No,
    /// EXPLAIN QUERY PLAN.
    QueryPlan,
    /// EXPLAIN.
    Bytecode,
}

/// The effect of a statement on the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementKind {
    /// It only reads.
    Read,
    /// It changes rows.
    Write,
    /// It changes the schema.
    Schema,
    /// EXPLAIN QUERY PLAN.
    QueryPlan,
}

/// A table, view or function in FROM, or after IN. Common table expressions are not relations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// The schema in front of the name.
    pub schema: Option<String>,
    /// The name.
    pub name: String,
    /// True if it is written with arguments: a table-valued function.
    pub called: bool,
    /// True if its arguments are literals and parameters.
    pub given: bool,
    /// The place in the text.
    pub place: Place,
}

/// The place in which a relation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In FROM, under its own name.
    Plain,
    /// In FROM, with an alias.
    Aliased,
    /// After IN.
    In,
}

/// A placeholder that SQLite compares with one value, or uses as one of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedVariable {
    /// The name in the tree, without its `?`.
    pub name: String,
    /// The kind of comparison.
    pub comparison: Comparison,
}

/// The kind of comparison that a placeholder is used in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `x = ?`, `x LIKE ?`, `x BETWEEN ? AND y`, a row of `IN`
    One,
    /// `x IN (?)`
    WholeList,
    /// `x IN (?, 5)`
    PartOfList,
}

/// The use of a name by a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Rows are inserted, updated or deleted.
    Rows,
    /// A table, view or index with this name is created, altered or dropped.
    Definition,
    /// A table gets this name.
    NewName,
    /// A foreign key refers to it.
    Reference,
    /// An index is created on it.
    IndexedTable,
}

/// A name that the statement changes or refers to in a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The schema in front of the name.
    pub schema: Option<String>,
    /// The name.
    pub name: String,
    /// The effect on the name.
    pub role: Role,
}

/// A common table expression, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cte {
    /// The name.
    pub name: String,
    /// True if it refers to itself.
    pub recursive: bool,
    /// The LIMIT.
    pub limit: CteLimit,
    /// The values that a recursion passes from row to row; empty for any other expression.
    pub carried: Carried,
}

/// The columns of a recursion whose values may be long.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Carried {
    /// True for UNION, which compares each row with those before, and false for UNION ALL.
    pub is_distinct: bool,
    /// The recursive SELECTs.
    pub arms: Vec<CarriedArm>,
}

/// One recursive SELECT of a compound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarriedArm {
    /// Its position in the compound.
    pub arm: usize,
    /// The number of result columns that are written.
    pub items: usize,
    /// The position of a result column that may be put into a call, with its alias.
    pub item: usize,
    /// The alias of that column.
    pub alias: Alias,
    /// The name of the expression in its FROM.
    pub qualifier: String,
    /// The columns whose length is checked.
    pub checked: Vec<CarriedColumn>,
}

/// A column whose value may be long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarriedColumn {
    /// The name.
    pub name: String,
    /// The position of the result column that takes a part of it, so that it becomes shorter with
    /// each row.
    pub shrinks: Option<usize>,
}

/// The LIMIT of a common table expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CteLimit {
    /// There is none.
    None,
    /// Literals that are not negative: the number of rows taken and skipped together.
    Literal(u64),
    /// Anything else.
    Expression,
}

/// One item of RETURNING.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Returned {
    /// `*`
    Star,
    /// An expression with the tokens of its alias, and its name where the syntax gives one.
    Expression {
        /// The form of the alias.
        alias: Alias,
        /// The name.
        name: Option<String>,
    },
}

/// The form of an alias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alias {
    /// There is none.
    None,
    /// `expr name`
    Bare,
    /// `expr AS name`
    As,
}

/// A column that is compared with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedColumn {
    /// Its name, without the table's.
    pub name: String,
    /// True if it is compared for equality, false if for order.
    pub is_equality: bool,
}

/// All facts that the syntax of one statement shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operations {
    /// The kind of statement.
    pub kind: Kind,
    /// The form of EXPLAIN in front of it.
    pub explain: Explain,
    /// True for CREATE TEMP …
    pub temporary: bool,
    /// The relations that it reads.
    pub relations: Vec<Relation>,
    /// The names that it changes.
    pub targets: Vec<Target>,
    /// The names of functions, in lower case.
    pub functions: Vec<String>,
    /// The common table expressions.
    pub ctes: Vec<Cte>,
    /// Placeholders in a comparison.
    pub compared: Vec<ComparedVariable>,
    /// Columns in a comparison.
    pub compared_columns: Vec<ComparedColumn>,
    /// Names in double quotes in places where SQLite would read them as text if they match nothing.
    pub double_quoted: Vec<String>,
    /// Aliases, table names, CTE names and their columns: the names other than columns that a
    /// double-quoted name may mean.
    pub visible_names: Vec<String>,
    /// The number of SELECTs of any kind, including the outermost.
    pub selects: usize,
    /// True if a function has a window.
    pub windows: bool,
    /// The items of RETURNING.
    pub returning: Option<Vec<Returned>>,
    /// The table of INSERT, UPDATE or DELETE.
    pub written_table: Option<String>,
}

impl Operations {
    /// Returns the effect of the statement.
    pub fn statement_kind(&self) -> StatementKind {
        if self.explain == Explain::QueryPlan {
            return StatementKind::QueryPlan;
        }
        match self.kind {
            Kind::Select => StatementKind::Read,
            Kind::Insert | Kind::Update | Kind::Delete => StatementKind::Write,
            Kind::CreateTable
            | Kind::CreateIndex
            | Kind::CreateView
            | Kind::CreateVirtualTable { .. }
            | Kind::AlterTable
            | Kind::DropTable
            | Kind::DropIndex
            | Kind::DropView
            | Kind::Other(_) => StatementKind::Schema,
        }
    }

    /// Makes the facts of a statement that names nothing.
    pub fn new(kind: Kind, explain: Explain) -> Self {
        Self {
            kind,
            explain,
            temporary: false,
            relations: Vec::new(),
            targets: Vec::new(),
            functions: Vec::new(),
            ctes: Vec::new(),
            compared: Vec::new(),
            compared_columns: Vec::new(),
            double_quoted: Vec::new(),
            visible_names: Vec::new(),
            selects: 0,
            windows: false,
            returning: None,
            written_table: None,
        }
    }

    /// Returns true if compiling the statement may copy a part of its text to another place: a
    /// query that is named or nested, or a generated column.
    pub fn may_copy(&self) -> bool {
        self.selects > 1 || !self.ctes.is_empty() || self.kind == Kind::CreateTable
    }

    /// Returns true if running the statement may do work that grows as a product: more than one
    /// relation, a query inside a query, or a window.
    pub fn may_multiply(&self) -> bool {
        self.relations.len() + self.ctes.len() > 1 || self.selects > 1 || self.windows
    }
}

/// Returns the name of a token or tree node, without its quotes.
pub fn unquote(written: &str) -> String {
    let mut characters = written.chars();
    let (Some(first), Some(last)) = (characters.next(), characters.next_back()) else {
        return written.to_owned();
    };
    let inner = characters.as_str();
    match (first, last) {
        ('[', ']') => inner.to_owned(),
        ('"', '"') => inner.replace("\"\"", "\""),
        ('`', '`') => inner.replace("``", "`"),
        ('\'', '\'') => inner.replace("''", "'"),
        _ => written.to_owned(),
    }
}
