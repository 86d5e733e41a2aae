//! Resolves a canonical path to one item: in the named file or, if there is no such file, in the
//! files whose paths end with its path. If there is no item or there are several, the error lists
//! candidates.

mod spelling;

pub(crate) use spelling::{ends_with, normalised, spellings};

use std::collections::{BTreeSet, HashMap, HashSet};

use base::{Error, Result};
use database::Database;

use crate::error::Candidate;
use crate::limits::MAX_LISTED_CANDIDATES;
use crate::model::ItemKind;
use crate::project::FilePath;
use crate::store::{files, items};
use crate::{CodeError, ItemRow};

/// The item that a request names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub file: &'a FilePath,
    /// The path as it was given.
    pub canon: &'a str,
    pub kind: ItemKind,
}

/// The items of a file by the spellings of their paths, computed once for all look-ups.
pub(crate) struct SpellingIndex {
    /// The items by their own path.
    own: HashMap<String, Vec<usize>>,
    /// The items by any spelling.
    any: HashMap<String, Vec<usize>>,
}

impl SpellingIndex {
    pub fn of(items: &[ItemRow]) -> Self {
        let mut spelled = Self {
            own: HashMap::with_capacity(items.len()),
            any: HashMap::new(),
        };
        for (index, item) in items.iter().enumerate() {
            let ways = spellings(item);
            if let Some(first) = ways.first() {
                let known = spelled.own.entry(first.clone()).or_default();
                known.push(index);
            }
            for way in ways {
                let known = spelled.any.entry(way).or_default();
                if known.last() != Some(&index) {
                    known.push(index);
                }
            }
        }
        spelled
    }

    /// Returns the items that a path names: first by its exact spelling, then by other spellings.
    fn named(&self, items: &[ItemRow], canon: &str, kind: ItemKind) -> Vec<ItemRow> {
        let family = family(kind);
        let tries: [(&HashMap<_, _>, &[ItemKind]); 4] = [
            (&self.own, &[kind]),
            (&self.any, &[kind]),
            (&self.own, family),
            (&self.any, family),
        ];
        for (ways, kinds) in tries {
            let indexes = ways.get(canon).into_iter().flatten();
            let found = indexes
                .filter_map(|index| items.get(*index))
                .filter(|item| kinds.contains(&item.kind));
            let found: Vec<ItemRow> = found.cloned().collect();
            if !found.is_empty() {
                return found;
            }
        }
        // The end of a path, as people write it who look at the file.
        let by_end = |kinds: &[ItemKind]| -> Vec<ItemRow> {
            let of_kind = items.iter().filter(|item| kinds.contains(&item.kind));
            of_kind
                .filter(|item| ends_with(item, canon))
                .cloned()
                .collect()
        };
        let found = by_end(&[kind]);
        if found.is_empty() {
            by_end(family)
        } else {
            found
        }
    }
}

/// Resolves an item.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for a canonical path without a name,
/// [`CodeError::ItemNotFound`], [`CodeError::AmbiguousItem`].
pub(crate) fn resolve<D: Database>(db: &D, version: u64, wanted: Wanted<'_>) -> Result<ItemRow> {
    if files::find(db, version, wanted.file.as_str())?.is_some() {
        let items = items::of_file(db, version, wanted.file.as_str())?;
        return resolve_in(db, version, wanted, &items, &SpellingIndex::of(&items));
    }
    resolve_elsewhere(db, version, wanted)
}

/// Resolves an item among the items of its file.
///
/// # Errors
/// As [`resolve`].
pub(crate) fn resolve_in<D: Database>(
    db: &D,
    version: u64,
    wanted: Wanted<'_>,
    items: &[ItemRow],
    spelled: &SpellingIndex,
) -> Result<ItemRow> {
    let canon = check(wanted)?;
    let found = spelled.named(items, &canon, wanted.kind);
    one(db, version, wanted, &canon, found)
}

/// Resolves an item whose file does not exist under this path.
///
/// # Errors
/// As [`resolve`].
pub(crate) fn resolve_elsewhere<D: Database>(
    db: &D,
    version: u64,
    wanted: Wanted<'_>,
) -> Result<ItemRow> {
    let canon = check(wanted)?;
    let found = elsewhere(db, version, wanted.file.as_str(), &canon, wanted.kind)?;
    one(db, version, wanted, &canon, found)
}

fn one<D: Database>(
    db: &D,
    version: u64,
    wanted: Wanted<'_>,
    canon: &str,
    mut found: Vec<ItemRow>,
) -> Result<ItemRow> {
    match found.len() {
        1 => found
            .pop()
            .ok_or_else(|| Error::internal("an item is gone")),
        0 => Err(Error::from(CodeError::ItemNotFound {
            canon: wanted.canon.to_owned(),
            file: wanted.file.as_str().to_owned(),
            candidates: candidates(db, version, canon, wanted.kind)?,
        })),
        count => Err(Error::from(CodeError::AmbiguousItem {
            canon: wanted.canon.to_owned(),
            file: wanted.file.as_str().to_owned(),
            count,
            candidates: limited(found.iter().map(ItemRow::candidate)),
        })),
    }
}

fn check(wanted: Wanted<'_>) -> Result<String> {
    let given = wanted.canon.trim();
    if given.is_empty() {
        return Err(Error::invalid_with_hint("Invalid 'canon': empty", NAME_IT));
    }
    let canon = normalised(given);
    let no_name = canon.ends_with("::") || (canon == "crate" && wanted.kind != ItemKind::Module);
    if no_name {
        return Err(Error::invalid_with_hint(
            "Invalid 'canon': missing item name",
            NAME_IT,
        ));
    }
    Ok(canon)
}

/// Returns the items that a path names in files whose paths end like this one, part by part. All of
/// them are compared, so that a single result is certainly the only one; the number of kept results
/// is bounded.
fn elsewhere<D: Database>(
    db: &D,
    version: u64,
    file: &str,
    canon: &str,
    kind: ItemKind,
) -> Result<Vec<ItemRow>> {
    let mut kinds = vec![kind];
    kinds.extend(family(kind).iter().filter(|other| **other != kind));
    let behind = |separator: &str| canon.rsplit(separator).next().unwrap_or(canon);
    // Every spelling of such an item's path ends with its name. File names, and paths in scripts,
    // contain dots.
    let raw = [behind("::"), behind(".")].map(|name| format!("r#{name}"));
    // `area.setter` is one name.
    let role = behind(".").len() + 1;
    let accessor = canon
        .len()
        .checked_sub(role)
        .and_then(|end| canon.get(..end))
        .and_then(|front| front.rsplit(['.', ':']).next())
        .map(|owner| format!("{owner}.{}", behind(".")))
        .unwrap_or_default();
    let names = [
        canon,
        behind("::"),
        behind("."),
        &raw[0],
        &raw[1],
        &accessor,
    ];
    let names = BTreeSet::from(names);
    let by_name = kinds.iter().all(|kind| CALLED_BY_THEIR_ENDS.contains(kind));
    let wanted = items::Ending {
        path: file,
        kinds: &kinds,
        names: by_name.then_some(&names),
    };
    let most = usize::try_from(MAX_LISTED_CANDIDATES).unwrap_or(usize::MAX);
    let mut tries: [Vec<ItemRow>; TRIES] = Default::default();
    let mut last = (String::new(), 0);
    loop {
        let page = items::ending(db, version, wanted, (&last.0, last.1))?;
        let Some(end) = page.last() else {
            break;
        };
        last = (end.path.clone(), end.position);
        for (found, more) in tries.iter_mut().zip(matching(&page, canon, kind)) {
            found.extend(more.into_iter().cloned());
            found.truncate(most);
        }
        // Nothing has priority over the first reading, and it has more results than an error lists.
        if tries.first().is_some_and(|first| first.len() >= most) {
            break;
        }
    }
    Ok(tries
        .into_iter()
        .find(|found| !found.is_empty())
        .unwrap_or_default())
}

/// Kinds of items whose name is at the end of every spelling of their path.
const CALLED_BY_THEIR_ENDS: [ItemKind; 13] = [
    ItemKind::Function,
    ItemKind::Method,
    ItemKind::Const,
    ItemKind::Enum,
    ItemKind::Struct,
    ItemKind::Union,
    ItemKind::Trait,
    ItemKind::TypeAlias,
    ItemKind::Static,
    ItemKind::Macro,
    ItemKind::Class,
    ItemKind::Interface,
    ItemKind::Chunk,
];

/// The number of ways to read a path, which are tried one after the other.
const TRIES: usize = 6;

/// A hint that shows the form of a canonical path.
const NAME_IT: &str = "write the module and the name, such as crate::store::open";

/// Returns the items that a path names, for each way to read it.
fn matching<'i>(items: &'i [ItemRow], canon: &str, kind: ItemKind) -> [Vec<&'i ItemRow>; TRIES] {
    let of = |kinds: &[ItemKind], exact: bool| -> Vec<&'i ItemRow> {
        let items = items.iter().filter(|item| kinds.contains(&item.kind));
        items
            .filter(|item| {
                let mut ways = spellings(item).into_iter();
                if exact {
                    ways.next().is_some_and(|first| first == canon)
                } else {
                    ways.any(|way| way == canon)
                }
            })
            .collect()
    };
    let by_end = |kinds: &[ItemKind]| -> Vec<&'i ItemRow> {
        let items = items.iter().filter(|item| kinds.contains(&item.kind));
        items.filter(|item| ends_with(item, canon)).collect()
    };
    let family = family(kind);
    [
        of(&[kind], true),
        of(&[kind], false),
        of(family, true),
        of(family, false),
        by_end(&[kind]),
        by_end(family),
    ]
}

/// Returns the kinds that people confuse with a kind.
fn family(kind: ItemKind) -> &'static [ItemKind] {
    match kind {
        ItemKind::Function | ItemKind::Method => &[ItemKind::Function, ItemKind::Method],
        ItemKind::Struct | ItemKind::Class => &[ItemKind::Struct, ItemKind::Class],
        ItemKind::Const | ItemKind::Static => &[ItemKind::Const, ItemKind::Static],
        ItemKind::Enum
        | ItemKind::Union
        | ItemKind::Trait
        | ItemKind::TypeAlias
        | ItemKind::Module
        | ItemKind::Macro
        | ItemKind::Impl
        | ItemKind::Import
        | ItemKind::Interface
        | ItemKind::Export
        | ItemKind::Chunk => &[],
    }
}

/// Returns candidates for an error, without a filter: the same path in other files, the same name
/// elsewhere, similar names.
fn candidates<D: Database>(
    db: &D,
    version: u64,
    canon: &str,
    kind: ItemKind,
) -> Result<Vec<Candidate>> {
    let name = canon.rsplit("::").next().unwrap_or(canon);
    let dotted = name.rsplit('.').next().unwrap_or(name);
    let anywhere = items::Narrow::default();
    let mut found = items::by_canon(db, version, canon, anywhere)?;
    found.extend(items::by_name(db, version, name, anywhere)?);
    if found.is_empty() && dotted != name {
        found.extend(items::by_name(db, version, dotted, anywhere)?);
    }
    if found.is_empty() {
        let names = items::names(db, version, kind)?;
        for near in base::nearest(name, names.iter().map(String::as_str)) {
            found.extend(items::by_name(db, version, &near, anywhere)?);
        }
    }
    Ok(limited(
        found
            .iter()
            .filter(|item| item.kind != ItemKind::Chunk)
            .map(ItemRow::candidate),
    ))
}

fn limited(candidates: impl Iterator<Item = Candidate>) -> Vec<Candidate> {
    let mut seen = HashSet::new();
    let most = usize::try_from(MAX_LISTED_CANDIDATES).unwrap_or(usize::MAX);
    candidates
        .filter(|candidate| {
            seen.insert((
                candidate.file_path.clone(),
                candidate.line,
                candidate.canon.clone(),
            ))
        })
        .take(most)
        .collect()
}
