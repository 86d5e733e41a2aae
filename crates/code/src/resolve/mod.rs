//! From a canonical path to one item: strictly, then in files whose path ends like the one that was named. None or several is an error that lists
//! what may have been meant.

mod spelling;

pub(crate) use spelling::{normalised, spellings};

use std::collections::HashSet;

use base::{Error, Result};
use database::Database;

use crate::error::Candidate;
use crate::limits::MAX_LISTED_CANDIDATES;
use crate::model::ItemKind;
use crate::project::FilePath;
use crate::store::{files, items};
use crate::{CodeError, ItemRow};

/// What a request names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub file: &'a FilePath,
    /// As it was given.
    pub canon: &'a str,
    pub kind: ItemKind,
}

/// Finds the item.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for a canonical path without a name, [`CodeError::ItemNotFound`], [`CodeError::AmbiguousItem`].
pub(crate) fn resolve<D: Database>(db: &D, version: u64, wanted: Wanted<'_>) -> Result<ItemRow> {
    let canon = check(wanted)?;
    let strict = items::of_file(db, version, wanted.file.as_str())?;
    let mut found = named(&strict, &canon, wanted.kind);
    if found.is_empty() {
        // The same item in a file whose path ends like this one, part by part.
        let mut relaxed = Vec::new();
        for file in files::ending(db, version, wanted.file.as_str())? {
            if file.path != wanted.file.as_str() {
                relaxed.extend(items::of_file(db, version, &file.path)?);
            }
        }
        found = named(&relaxed, &canon, wanted.kind);
    }
    match found.len() {
        1 => found
            .pop()
            .ok_or_else(|| Error::internal("an item is gone")),
        0 => Err(Error::from(CodeError::ItemNotFound {
            canon: wanted.canon.to_owned(),
            file: wanted.file.as_str().to_owned(),
            candidates: candidates(db, version, &canon, wanted.kind)?,
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

/// How a canonical path looks.
const NAME_IT: &str = "write the module and the name, such as crate::store::open";

/// The items that a path names: as it is written first, then in the other ways in which people write it.
fn named(items: &[ItemRow], canon: &str, kind: ItemKind) -> Vec<ItemRow> {
    let of = |kinds: &[ItemKind], exact: bool| -> Vec<ItemRow> {
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
            .cloned()
            .collect()
    };
    let family = family(kind);
    let tries = [
        of(&[kind], true),
        of(&[kind], false),
        of(family, true),
        of(family, false),
    ];
    tries
        .into_iter()
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// Kinds that people take for each other.
fn family(kind: ItemKind) -> &'static [ItemKind] {
    match kind {
        ItemKind::Function | ItemKind::Method => &[ItemKind::Function, ItemKind::Method],
        ItemKind::Struct | ItemKind::Class => &[ItemKind::Struct, ItemKind::Class],
        ItemKind::Const | ItemKind::Static => &[ItemKind::Const, ItemKind::Static],
        _ => &[],
    }
}

/// What may have been meant, without a filter: the same path in other files, the same name elsewhere, near names.
fn candidates<D: Database>(
    db: &D,
    version: u64,
    canon: &str,
    kind: ItemKind,
) -> Result<Vec<Candidate>> {
    let name = canon.rsplit("::").next().unwrap_or(canon);
    let mut found = items::by_canon(db, version, canon)?;
    found.extend(items::by_name(db, version, name)?);
    if found.is_empty() {
        let names = items::names(db, version, kind)?;
        for near in base::nearest(name, names.iter().map(String::as_str)) {
            found.extend(items::by_name(db, version, &near)?);
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
