//! The facts of a statement: what it is, what it reads, writes and calls. No judgement is made here.
//!
//! Names are unquoted but keep their case; compare them with ASCII case folding, as SQLite does. [`super::policy`] decides.

/// What kind of statement it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Select,
    Insert,
    Update,
    Delete,
    CreateTable,
    CreateIndex,
    CreateView,
    CreateVirtualTable {
        module: String,
        arguments: Vec<String>,
    },
    AlterTable,
    DropTable,
    DropIndex,
    DropView,
    /// A statement that no profile allows, by its keyword.
    Other(&'static str),
}

/// Whether and how the statement is explained instead of run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Explain {
    No,
    QueryPlan,
    Bytecode,
}

/// A table, view or function in FROM, or behind IN. Common table expressions are not relations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Relation {
    pub schema: Option<String>,
    pub name: String,
    /// Written with arguments: a table-valued function.
    pub called: bool,
    /// Its arguments are literals and parameters.
    pub given: bool,
    pub place: Place,
}

/// Where a relation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In FROM, under its own name.
    Plain,
    /// In FROM, with an alias.
    Aliased,
    /// Behind IN.
    In,
}

/// A placeholder that SQLite compares with one value, or takes as one of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ComparedVariable {
    /// As the tree has it, without its `?`.
    pub name: String,
    pub comparison: Comparison,
}

/// What a placeholder is compared as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// `x = ?`, `x LIKE ?`, `x BETWEEN ? AND y`, a row of `IN`
    One,
    /// `x IN (?)`
    WholeList,
    /// `x IN (?, 5)`
    PartOfList,
}

/// What a statement does to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Rows are inserted, updated or deleted.
    Rows,
    /// A table, view or index of this name is created, altered or dropped.
    Definition,
    /// A table gets this name.
    NewName,
    /// A foreign key refers to it.
    Reference,
    /// An index is put on it.
    IndexedTable,
}

/// A name that the statement changes or refers to by definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub schema: Option<String>,
    pub name: String,
    pub role: Role,
}

/// A common table expression, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cte {
    pub name: String,
    /// It refers to itself.
    pub recursive: bool,
    pub limit: CteLimit,
    /// What a recursion hands from row to row; empty for any other.
    pub carried: Carried,
}

/// The columns of a recursion whose values may be long.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Carried {
    /// UNION and not UNION ALL: each row is compared with those before.
    pub is_distinct: bool,
    pub arms: Vec<CarriedArm>,
}

/// One recursive SELECT of a compound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CarriedArm {
    /// Its position in the compound.
    pub arm: usize,
    /// How many result columns are written.
    pub items: usize,
    /// The position of one that may be put into a call, with its alias.
    pub item: usize,
    pub alias: Alias,
    /// What the expression is called in its FROM.
    pub qualifier: String,
    pub checked: Vec<CarriedColumn>,
}

/// A column that may be long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CarriedColumn {
    pub name: String,
    /// The position of the result column that takes a part of it, so that each row has less.
    pub shrinks: Option<usize>,
}

/// The LIMIT of a common table expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CteLimit {
    None,
    /// Literals, not negative: rows taken and skipped together.
    Literal(u64),
    /// Anything else.
    Expression,
}

/// One item behind RETURNING.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Returned {
    /// `*`
    Star,
    /// An expression with the tokens of its alias, and its name where the syntax gives one.
    Expression { alias: Alias, name: Option<String> },
}

/// How an alias is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alias {
    None,
    /// `expr name`
    Bare,
    /// `expr AS name`
    As,
}

/// A column that is compared with something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ComparedColumn {
    /// Its name, without that of a table.
    pub name: String,
    /// Whether it is compared for equality, and not for an order.
    pub is_equality: bool,
}

/// Everything known of one statement from its syntax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Operations {
    pub kind: Kind,
    pub explain: Explain,
    /// CREATE TEMP …
    pub temporary: bool,
    pub relations: Vec<Relation>,
    pub targets: Vec<Target>,
    /// Function names, lower case.
    pub functions: Vec<String>,
    pub ctes: Vec<Cte>,
    /// Placeholders beside a comparison.
    pub compared: Vec<ComparedVariable>,
    /// Columns beside a comparison.
    pub compared_columns: Vec<ComparedColumn>,
    /// Names in double quotes where SQLite would fall back to text.
    pub double_quoted: Vec<String>,
    /// Aliases, table names, CTE names and their columns: what a double-quoted name may mean beside a column.
    pub visible_names: Vec<String>,
    /// Sub-selects of any kind, the outermost included.
    pub selects: usize,
    /// A function has a window.
    pub windows: bool,
    pub returning: Option<Vec<Returned>>,
    /// The table of INSERT, UPDATE or DELETE.
    pub written_table: Option<String>,
}

impl Operations {
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

    /// Whether compiling it may copy a part of its text to another place: a query that is named or stands in another, a generated column.
    pub fn may_copy(&self) -> bool {
        self.selects > 1 || !self.ctes.is_empty() || self.kind == Kind::CreateTable
    }

    /// Whether running it may do work that grows as a product: more than one relation, a query inside a query, or a window.
    pub fn may_multiply(&self) -> bool {
        self.relations.len() + self.ctes.len() > 1 || self.selects > 1 || self.windows
    }
}

/// The name that a token or tree node means, without its quotes.
pub(crate) fn unquote(written: &str) -> String {
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
