//! Measures a statement together with the views and generated columns of the schema that it uses,
//! and finds the statements that compile all views.
//!
//! Definitions are read from `sqlite_schema` as text and parsed here. The engine cannot be asked
//! for the columns of a view, because it would compile the view, and `pragma_table_list` compiles
//! every view.

use crate::SqlError;
use std::cell::{Cell as Flag, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use sqlite3_parser::Bump;

use super::{Definitions, Outline, Size};
use crate::bound::Bound;
use crate::limits::MAX_SCHEMA_REFERENCES;
use crate::operations::Kind;
use crate::reviewed::StatementKind;
use crate::{lex, parse};
use base::{Error, Result};
use database::{Bind, Cell, Database, DatabaseExt as _};

/// The names whose definition a statement may copy. The condition may also match tables without a
/// generated column; those are checked later.
const COPIED: &str = "SELECT lower(name), type FROM sqlite_schema \
    WHERE type = 'view' OR type = 'table' AND rootpage > 0 AND sql LIKE '%as%(%'";

const DEFINITION: &str =
    "SELECT sql FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type IN ('view', 'table')";

/// Refuses a statement that is too large to compile with the definitions of the schema.
///
/// # Errors
/// `QUERY_TOO_EXPENSIVE`, naming the view that multiplies.
pub fn check_in<D: Database>(db: &D, bound: &Bound) -> Result<()> {
    let facts = bound.facts();
    if bound.kind() == StatementKind::Schema {
        let arena = Bump::new();
        super::check_definition(
            &parse::parse(&arena, bound.statement())?,
            &Stored::load(db)?,
        )?;
    }
    let relations = facts.relations.iter().map(|relation| &relation.name);
    let targets = facts.targets.iter().map(|target| &target.name);
    let names: Vec<String> = relations
        .chain(targets)
        .map(|name| name.to_ascii_lowercase())
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    let stored = Stored::load(db)?;
    if stored.copied.is_empty() {
        return Ok(());
    }
    if compiles_every_view(&facts.kind, &names) {
        stored.require_small_views()?;
    }
    if !names.iter().any(|name| stored.copied.contains_key(name)) {
        return Ok(());
    }
    let arena = Bump::new();
    super::check(&parse::parse(&arena, bound.statement())?, &stored)
}

/// Refuses a view that is too large for the engine to compile, which it does to list the view's
/// columns. Any other relation passes.
///
/// # Errors
/// `QUERY_TOO_EXPENSIVE`, with the hint to drop the view.
pub fn require_small<D: Database>(db: &D, name: &str) -> Result<()> {
    let stored = Stored::load(db)?;
    match stored.relation(name) {
        Some(outline) if outline.is_too_large() => Err(refused(&outline, name)),
        _ => Ok(()),
    }
}

/// Returns true for statements before which SQLite compiles the whole schema, to see if the new
/// name breaks anything, and for the pragmas that show views.
fn compiles_every_view(kind: &Kind, names: &[String]) -> bool {
    *kind == Kind::AlterTable || names.iter().any(|name| name.starts_with("pragma_table_"))
}

fn refused(outline: &Outline, view: &str) -> Error {
    super::too_large(outline, Some(view))
}

/// The definitions of a session's schema, each read when it is needed.
struct Stored<'a, D> {
    db: &'a D,
    /// Names of views, and of tables that may have generated columns, in lower case. The value is
    /// true for a view.
    copied: HashMap<String, bool>,
    known: RefCell<HashMap<String, Option<Rc<Outline>>>>,
    height: Flag<usize>,
}

impl<'a, D: Database> Stored<'a, D> {
    fn load(db: &'a D) -> Result<Self> {
        let mut copied = HashMap::new();
        for row in db.rows(COPIED, &[])? {
            let mut cells = row.into_iter().map(Cell::into_text);
            if let (Some(name), Some(kind)) = (cells.next(), cells.next()) {
                copied.insert(name, kind == "view");
            }
        }
        Ok(Self {
            db,
            copied,
            known: RefCell::default(),
            height: Flag::new(0),
        })
    }

    /// Refuses a schema whose views are too large for the engine to compile all at once.
    fn require_small_views(&self) -> Result<()> {
        let views: HashSet<&String> = self
            .copied
            .iter()
            .filter_map(|(name, is_view)| is_view.then_some(name))
            .collect();
        let mut largest: Option<(Rc<Outline>, &str)> = None;
        let mut references = 0_u64;
        for view in views {
            let Some(outline) = self.relation(view) else {
                continue;
            };
            if outline.is_too_large() {
                return Err(refused(&outline, view));
            }
            references = references.saturating_add(outline.size.references);
            if largest
                .as_ref()
                .is_none_or(|(known, _)| known.size.references < outline.size.references)
            {
                largest = Some((outline, view));
            }
        }
        match largest {
            Some((_, view)) if references > MAX_SCHEMA_REFERENCES => {
                Err(Error::from(SqlError::TooMuchWork {
                    message: format!(
                        "the statement makes SQLite compile every view of the session, and they have {references} references together, \
                     {MAX_SCHEMA_REFERENCES} is the limit"
                    ),
                    hint: format!("drop large views first, such as {view}"),
                }))
            }
            _ => Ok(()),
        }
    }

    fn read(&self, name: &str, is_view: bool) -> Option<Outline> {
        let sql = self.db.cell(DEFINITION, &[Bind::text(name)]).ok()??;
        outline_of(sql.as_text()?, is_view, self)
    }
}

/// Returns the measured definition of a name of the schema.
fn outline_of(sql: &str, is_view: bool, definitions: &dyn Definitions) -> Option<Outline> {
    // If our own parser cannot read the definition, it is a table without known columns, or a view
    // of unknown size.
    let unread = || {
        is_view.then(|| Outline {
            size: Size::ENDLESS,
            ..Outline::default()
        })
    };
    let readable = lex::tokens(sql).and_then(|tokens| lex::bounds(&tokens));
    if readable.is_err() {
        return unread();
    }
    let arena = Bump::new();
    let Ok(command) = parse::parse(&arena, sql) else {
        return unread();
    };
    let mut outline = super::definition(&command, definitions)?;
    if !is_view {
        // A reference to a table does not compile the table, only the columns that are used.
        outline.size = Size::default();
        outline.written = Size::default();
    }
    Some(outline)
}

/// The views of a database that is not available here, by name.
pub struct Views {
    definitions: HashMap<String, String>,
    known: RefCell<HashMap<String, Option<Rc<Outline>>>>,
    height: Flag<usize>,
}

impl Views {
    /// Makes a schema of views with these names and definitions.
    pub fn new(definitions: impl IntoIterator<Item = (String, String)>) -> Self {
        let definitions = definitions
            .into_iter()
            .map(|(name, sql)| (name.to_ascii_lowercase(), sql));
        Self {
            definitions: definitions.collect(),
            known: RefCell::default(),
            height: Flag::new(0),
        }
    }

    /// Refuses a statement that is too large to compile with these views.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE`, naming the view that multiplies.
    pub fn check(&self, sql: &str) -> Result<()> {
        let arena = Bump::new();
        let command = parse::parse(&arena, sql)?;
        super::check_definition(&command, self)?;
        super::check(&command, self)
    }
}

impl Definitions for Views {
    fn relation(&self, name: &str) -> Option<Rc<Outline>> {
        let name = name.to_ascii_lowercase();
        let sql = self.definitions.get(&name)?;
        if let Some(known) = self.known.borrow().get(&name) {
            return known.clone();
        }
        self.known.borrow_mut().insert(name.clone(), None);
        let outline = outline_of(sql, true, self).map(Rc::new);
        self.known.borrow_mut().insert(name, outline.clone());
        outline
    }

    fn height(&self) -> &Flag<usize> {
        &self.height
    }
}

impl<D: Database> Definitions for Stored<'_, D> {
    fn relation(&self, name: &str) -> Option<Rc<Outline>> {
        let name = name.to_ascii_lowercase();
        let is_view = *self.copied.get(&name)?;
        if let Some(known) = self.known.borrow().get(&name) {
            return known.clone();
        }
        // A view that names itself is an error that the engine finds without copying.
        self.known.borrow_mut().insert(name.clone(), None);
        let outline = self.read(&name, is_view).map(Rc::new);
        self.known.borrow_mut().insert(name, outline.clone());
        outline
    }

    fn height(&self) -> &Flag<usize> {
        &self.height
    }
}
