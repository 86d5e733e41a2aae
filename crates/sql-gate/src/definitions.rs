//! Finds the definitions that a statement depends on: the rows of `sqlite_schema` that decide its
//! meaning.
//!
//! Only texts are needed to find them, so that the same function serves a session, whose schema is
//! available, and a database behind the network. A definition belongs to a statement if
//!
//! 1. the statement, or a view that belongs to it, contains its name at a place where a table can
//!    be: in FROM, after IN, as a table that is written or referred to; or its name occurs anywhere
//!    in a trigger or a virtual table that belongs to it;
//! 2. it is an index or a trigger of a table that belongs to it;
//! 3. the statement may change rows of a table, and it is a table that has a foreign key to that
//!    table, directly or through other tables; or a table that a foreign key of any of these refers
//!    to;
//! 4. the statement changes the schema, and it names a table or view that the statement defines.
//!
//! A name of which no table exists yet counts as well, because the set changes when one is created.
//! The name of a common table expression also counts. Names of columns and aliases do not count: a
//! new table with such a name changes nothing. A statement that reads the catalogue depends on
//! every definition, and so does one with a definition that our parser cannot read. The set may be
//! larger than necessary, but never smaller.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sqlite3_parser::Bump;
use sqlite3_parser::dialect::TokenType;

use crate::bound::Bound;
use crate::operations::StatementKind;
use crate::operations::{Kind, Operations, Role, unquote};
use crate::{collect, lex, parse};

/// A row of `sqlite_schema`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// `table`, `view`, `index` or `trigger`.
    pub kind: String,
    /// The name as it was created.
    pub name: String,
    /// The table that an index or a trigger belongs to; its own name for others.
    pub table: String,
    /// Its text; empty for an index that a constraint creates.
    pub sql: String,
}

impl Definition {
    /// Returns true for a virtual table.
    pub fn is_virtual(&self) -> bool {
        let start = self.sql.get(..VIRTUAL.len());
        self.kind == "table" && start.is_some_and(|start| start.eq_ignore_ascii_case(VIRTUAL))
    }

    /// Returns the position in the order: tables first, then their indexes, then their triggers.
    fn rank(&self) -> u8 {
        match self.kind.as_str() {
            "index" => 1,
            "trigger" => 2,
            _ => 0,
        }
    }

    /// Returns the tables and views that its text names, or every name in it for a trigger or a
    /// virtual table. Returns `None` if it cannot be read.
    fn mentions(&self) -> Option<BTreeSet<String>> {
        match self.kind.as_str() {
            "view" => {
                let arena = Bump::new();
                let facts = collect::collect(&parse::parse(&arena, &self.sql).ok()?);
                Some(relations(&facts).map(str::to_ascii_lowercase).collect())
            }
            "table" if !self.is_virtual() => self.parents(),
            "index" => Some(BTreeSet::from([self.table.to_ascii_lowercase()])),
            _ => names(&self.sql),
        }
    }

    /// Returns the tables that its foreign keys refer to.
    fn parents(&self) -> Option<BTreeSet<String>> {
        if self.kind != "table" || !self.sql.to_ascii_lowercase().contains("references") {
            return Some(BTreeSet::new());
        }
        let tokens = lex::tokens(&self.sql).ok()?;
        let pairs = tokens.iter().zip(tokens.iter().skip(1));
        let referring = pairs.filter(|(word, _)| word.kind == TokenType::TK_REFERENCES);
        Some(
            referring
                .map(|(_, name)| folded(name.text(&self.sql)))
                .collect(),
        )
    }
}

/// The beginning of such a definition, as SQLite stores it.
const VIRTUAL: &str = "CREATE VIRTUAL TABLE";

/// Tables of the engine that list definitions, and the prefix of the functions that do.
const CATALOGUES: [&str; 2] = ["sqlite_schema", "sqlite_master"];
const CATALOGUE_FUNCTIONS: &str = "pragma_";

/// Returns a name in the form in which SQLite compares names.
fn folded(written: &str) -> String {
    unquote(written).to_ascii_lowercase()
}

/// Returns every name in a text, folded, or `None` for a text that cannot be read. Keywords are
/// included, because most of them may be names, and so are texts in single quotes, because SQLite
/// accepts them as names in some places, and so do options of virtual tables.
fn names(text: &str) -> Option<BTreeSet<String>> {
    let tokens = lex::tokens(text).ok()?;
    let found = tokens.iter().filter_map(|token| {
        let written = token.text(text);
        let first = written.chars().next()?;
        (first.is_alphabetic() || !first.is_ascii() || "'\"`[_".contains(first))
            .then(|| folded(written))
    });
    Some(found.collect())
}

/// Returns the tables, views, functions and common table expressions that a statement reads.
fn relations(facts: &Operations) -> impl Iterator<Item = &str> {
    let read = facts.relations.iter().map(|relation| &relation.name);
    let made = facts.ctes.iter().map(|made| &made.name);
    read.chain(made).map(String::as_str)
}

/// All definitions of a database, in the order of their creation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Definitions {
    all: Vec<Definition>,
}

impl Definitions {
    /// Makes the definitions from all rows of `sqlite_schema`, ordered by rowid.
    pub fn new(all: Vec<Definition>) -> Self {
        Self { all }
    }

    /// Returns all definitions.
    pub fn all(&self) -> &[Definition] {
        &self.all
    }

    /// Returns the definitions that a statement depends on. `stored` returns the name under which
    /// the database stores a table that the statement names.
    pub fn of_statement(&self, bound: &Bound, stored: impl Fn(&str) -> String) -> Vec<&Definition> {
        let mut walk = Walk::new(self);
        let facts = bound.facts();
        // The options of a virtual table name the tables that it reads.
        if let Kind::CreateVirtualTable { .. } = facts.kind {
            walk.mention(names(bound.sql()), Access::Reads);
        }
        for relation in relations(facts) {
            walk.reach(&stored(relation), Access::Reads);
        }
        for target in &facts.targets {
            let access = match target.role {
                Role::Reference => Access::Reads,
                Role::Rows | Role::Definition | Role::NewName | Role::IndexedTable => {
                    Access::Changes
                }
            };
            walk.reach(&stored(&target.name), access);
        }
        if bound.kind() == StatementKind::Schema {
            let defined = facts.targets.iter().map(|target| stored(&target.name));
            walk.dependents_of(&defined.collect());
        }
        walk.finish()
    }

    /// Returns the definitions that a change of rows of these tables depends on.
    pub fn of_changes<'n>(&self, tables: impl Iterator<Item = &'n str>) -> Vec<&Definition> {
        let mut walk = Walk::new(self);
        tables.for_each(|table| walk.reach(table, Access::Changes));
        walk.finish()
    }

    /// Returns the definitions that the removal of a table or view depends on.
    pub fn of_removal(&self, name: &str) -> Vec<&Definition> {
        let mut walk = Walk::new(self);
        walk.reach(name, Access::Changes);
        walk.dependents_of(&BTreeSet::from([name.to_owned()]));
        walk.finish()
    }
}

/// The use of the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Access {
    Reads,
    Changes,
}

/// The search from name to name.
struct Walk<'a> {
    definitions: &'a Definitions,
    /// The definitions by folded name, and by the folded name of their table.
    named: HashMap<String, Vec<&'a Definition>>,
    of_table: HashMap<String, Vec<&'a Definition>>,
    /// The tables with a foreign key to a table, collected when rows are changed.
    children: Option<HashMap<String, Vec<String>>>,
    reached: BTreeMap<String, Access>,
    to_visit: Vec<(String, Access)>,
    /// True if the statement depends on every definition.
    everything: bool,
}

impl<'a> Walk<'a> {
    fn new(definitions: &'a Definitions) -> Self {
        let mut named: HashMap<String, Vec<&Definition>> = HashMap::new();
        let mut of_table: HashMap<String, Vec<&Definition>> = HashMap::new();
        for definition in &definitions.all {
            let name = definition.name.to_ascii_lowercase();
            named.entry(name).or_default().push(definition);
            let table = definition.table.to_ascii_lowercase();
            of_table.entry(table).or_default().push(definition);
        }
        Self {
            definitions,
            named,
            of_table,
            children: None,
            reached: BTreeMap::new(),
            to_visit: Vec::new(),
            everything: false,
        }
    }

    fn reach(&mut self, name: &str, access: Access) {
        let name = name.to_ascii_lowercase();
        let lists_definitions =
            CATALOGUES.contains(&name.as_str()) || name.starts_with(CATALOGUE_FUNCTIONS);
        self.everything |= lists_definitions;
        let before = self.reached.get(&name);
        if before.is_none_or(|before| *before < access) {
            self.reached.insert(name.clone(), access);
            self.to_visit.push((name, access));
        }
    }

    fn mention(&mut self, names: Option<BTreeSet<String>>, access: Access) {
        match names {
            Some(names) => names.iter().for_each(|name| self.reach(name, access)),
            None => self.everything = true,
        }
    }

    /// Adds the definitions that name one of these in their text.
    fn dependents_of(&mut self, names: &BTreeSet<String>) {
        let names: BTreeSet<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
        for definition in &self.definitions.all {
            match definition.mentions() {
                None => self.everything = true,
                Some(mentions) if mentions.is_disjoint(&names) => {}
                Some(_) => self.reach(&definition.table, Access::Reads),
            }
        }
    }

    fn finish(mut self) -> Vec<&'a Definition> {
        while let Some((name, access)) = self.to_visit.pop()
            && !self.everything
        {
            self.visit(&name, access);
        }
        let all = self.definitions.all.iter();
        let mut found: Vec<&Definition> = if self.everything {
            all.collect()
        } else {
            let reached = self.reached.keys();
            let of_tables = reached.filter_map(|name| self.of_table.get(name));
            of_tables.flatten().copied().collect()
        };
        // The sort is stable, so that the indexes of a table stay in the order in which the planner
        // finds them.
        found.sort_by_cached_key(|definition| {
            let table = definition.table.to_ascii_lowercase();
            (table, definition.rank())
        });
        found
    }

    fn visit(&mut self, name: &str, access: Access) {
        let named = self.named.get(name).cloned().unwrap_or_default();
        for definition in named {
            if definition.kind == "view" || definition.is_virtual() {
                self.mention(definition.mentions(), Access::Reads);
            } else if definition.kind == "index" && access == Access::Changes {
                self.reach(&definition.table, Access::Reads);
            } else if access == Access::Changes {
                self.mention(definition.parents(), Access::Reads);
            }
        }
        if access == Access::Reads {
            return;
        }
        let of_table = self.of_table.get(name).cloned().unwrap_or_default();
        for trigger in of_table.iter().filter(|found| found.kind == "trigger") {
            self.mention(trigger.mentions(), Access::Changes);
        }
        let children = match self.children.take() {
            Some(children) => children,
            None => self.all_children(),
        };
        for child in children.get(name).into_iter().flatten() {
            self.reach(child, Access::Changes);
        }
        self.children = Some(children);
    }

    fn all_children(&mut self) -> HashMap<String, Vec<String>> {
        let mut children: HashMap<String, Vec<String>> = HashMap::new();
        for definition in &self.definitions.all {
            match definition.parents() {
                None => self.everything = true,
                Some(parents) => {
                    for parent in parents {
                        let of_parent = children.entry(parent).or_default();
                        of_parent.push(definition.name.clone());
                    }
                }
            }
        }
        children
    }
}
