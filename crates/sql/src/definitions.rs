//! The definitions that decide what a statement means: which rows of `sqlite_schema` it depends on.
//!
//! Found from texts alone, so that one function serves a session, where the schema is at hand, and a database behind the network. A definition
//! belongs to a statement if
//!
//! 1. its name stands in the statement, in whatever quotes, or in a view, a trigger or a virtual table that belongs to it;
//! 2. it is an index or a trigger of a table that belongs to it;
//! 3. the statement may change rows of a table: all tables with foreign keys to that table, with those to them and so on, and the tables
//!    that the foreign keys of all these refer to;
//! 4. the statement changes the schema: what names a table or view that it defines.
//!
//! A name that nothing has yet counts as well: once something has it, the set is another one. A statement that reads the catalogue depends on every
//! definition, and so does one with a definition that our tokenizer cannot read. The set may be larger than what matters, never smaller.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sqlite3_parser::dialect::TokenType;

use crate::operations::{Role, unquote};
use crate::{Bound, StatementKind, lex};

/// A row of `sqlite_schema`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// `table`, `view`, `index` or `trigger`.
    pub kind: String,
    /// As it was created.
    pub name: String,
    /// The table that an index or a trigger belongs to; its own name for others.
    pub table: String,
    /// Its text; empty for an index that a constraint makes.
    pub sql: String,
}

impl Definition {
    /// Whether it is a virtual table.
    pub fn is_virtual(&self) -> bool {
        let start = self.sql.get(..VIRTUAL.len());
        self.kind == "table" && start.is_some_and(|start| start.eq_ignore_ascii_case(VIRTUAL))
    }

    /// Tables first, then their indexes, then their triggers.
    fn rank(&self) -> u8 {
        match self.kind.as_str() {
            "index" => 1,
            "trigger" => 2,
            _ => 0,
        }
    }

    /// The names in its text. Texts in single quotes count: SQLite takes them for names in some places, and so do options of virtual tables.
    fn mentions(&self) -> Option<BTreeSet<String>> {
        names(&self.sql, Quoted::Counts)
    }

    /// The tables that its foreign keys refer to.
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

/// As SQLite stores the beginning of such a definition.
const VIRTUAL: &str = "CREATE VIRTUAL TABLE";

/// Tables of the engine that list definitions, and the beginning of the functions that do.
const CATALOGUES: [&str; 2] = ["sqlite_schema", "sqlite_master"];
const CATALOGUE_FUNCTIONS: &str = "pragma_";

/// Whether a text in single quotes may be a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quoted {
    Counts,
    IsText,
}

/// As SQLite compares names.
fn folded(written: &str) -> String {
    unquote(written).to_ascii_lowercase()
}

/// Every name in a text, folded; `None` for a text that cannot be read. Keywords are among them, since most of them may be names.
fn names(text: &str, quoted: Quoted) -> Option<BTreeSet<String>> {
    let tokens = lex::tokens(text).ok()?;
    let found = tokens.iter().filter_map(|token| {
        let written = token.text(text);
        match written.chars().next()? {
            '\'' if quoted == Quoted::IsText => None,
            '\'' | '"' | '`' | '[' | '_' => Some(folded(written)),
            first if first.is_alphabetic() || !first.is_ascii() => Some(folded(written)),
            _ => None,
        }
    });
    Some(found.collect())
}

/// All definitions of a database, in the order of their creation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Definitions {
    all: Vec<Definition>,
}

impl Definitions {
    /// Of all rows of `sqlite_schema`, ordered by their rowid.
    pub fn new(all: Vec<Definition>) -> Self {
        Self { all }
    }

    /// All of them.
    pub fn all(&self) -> &[Definition] {
        &self.all
    }

    /// Those that a statement depends on. `stored` says under which name the database has a table that the statement names.
    pub fn of_statement(&self, bound: &Bound, stored: impl Fn(&str) -> String) -> Vec<&Definition> {
        let mut walk = Walk::new(self);
        walk.mention(names(bound.sql(), Quoted::IsText), Access::Reads);
        let facts = bound.facts();
        for relation in &facts.relations {
            walk.reach(&stored(&relation.name), Access::Reads);
        }
        for target in &facts.targets {
            if target.role != Role::Reference {
                walk.reach(&stored(&target.name), Access::Changes);
            }
        }
        if bound.kind() == StatementKind::Schema {
            let defined = facts.targets.iter().map(|target| stored(&target.name));
            walk.dependents_of(&defined.collect());
        }
        walk.finish()
    }

    /// Those that a change of rows of these tables depends on.
    pub fn of_changes<'n>(&self, tables: impl Iterator<Item = &'n str>) -> Vec<&Definition> {
        let mut walk = Walk::new(self);
        tables.for_each(|table| walk.reach(table, Access::Changes));
        walk.finish()
    }

    /// Those that the removal of a table or view depends on.
    pub fn of_removal(&self, name: &str) -> Vec<&Definition> {
        let mut walk = Walk::new(self);
        walk.reach(name, Access::Changes);
        walk.dependents_of(&BTreeSet::from([name.to_owned()]));
        walk.finish()
    }
}

/// What is done with the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Access {
    Reads,
    Changes,
}

/// The way from name to name.
struct Walk<'a> {
    definitions: &'a Definitions,
    /// By folded name, and by the folded name of the table.
    named: HashMap<String, Vec<&'a Definition>>,
    of_table: HashMap<String, Vec<&'a Definition>>,
    /// The tables with a foreign key to a table, made when rows are changed.
    children: Option<HashMap<String, Vec<String>>>,
    reached: BTreeMap<String, Access>,
    to_visit: Vec<(String, Access)>,
    /// It depends on every definition.
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

    /// What names one of these in its text.
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
        // Stable, so that the indexes of a table stay in the order in which the planner finds them.
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
