//! The ways in which people and models write the canonical path of an item.

use crate::ItemRow;
use crate::model::ItemKind;
use crate::parse::{compact, impl_path};

/// Returns a path as it is compared: without needless blanks, and without the marks of raw names.
pub(crate) fn normalised(canon: &str) -> String {
    let compact = compact(canon.trim());
    let mut rest = compact.as_str();
    let mut plain = String::with_capacity(rest.len());
    while let Some((before, behind)) = rest.split_once("r#") {
        plain.push_str(before);
        if plain.ends_with(|letter: char| letter == '_' || letter.is_alphanumeric()) {
            plain.push_str("r#");
        }
        rest = behind;
    }
    plain + rest
}

/// Returns true if a path is the end of one of those that are written for the item: `Circle::area`, `area`.
pub(crate) fn ends_with(item: &ItemRow, path: &str) -> bool {
    let is_end = |way: &str| {
        let before = way.strip_suffix(path);
        before.is_some_and(|before| before.ends_with("::") || before.ends_with('.'))
    };
    let last = path.rsplit(['.', ':']).next().unwrap_or(path);
    let may_be = item.kind == ItemKind::Impl || normalised(&item.name).ends_with(last);
    may_be && spellings(item).iter().any(|way| is_end(way))
}

/// All of them, its own first.
pub(crate) fn spellings(item: &ItemRow) -> Vec<String> {
    let module = item.module_path.as_str();
    let mut ways = vec![normalised(&item.canon)];
    let mut way = |name: &str| {
        let way = if module.is_empty() {
            name.to_owned()
        } else {
            format!("{module}::{name}")
        };
        ways.push(normalised(&way));
    };
    match item.kind {
        ItemKind::Impl => {
            let header = item.name.strip_prefix("impl ").unwrap_or(&item.name);
            match header.split_once(" for ") {
                Some((_, of_type)) => {
                    way(&impl_path(header));
                    way(of_type);
                    way(bare(of_type));
                }
                None => {
                    way(header);
                    way(bare(header));
                }
            }
        }
        ItemKind::Import => {
            way(&format!("use {}", item.name));
            let last = item.name.rsplit("::").next().unwrap_or(&item.name);
            way(last.rsplit(" as ").next().unwrap_or(last));
        }
        _ => {
            let inside = item
                .canon
                .strip_prefix(module)
                .unwrap_or(&item.canon)
                .trim_start_matches("::");
            if let Some((owner, name)) = inside
                .strip_prefix('<')
                .and_then(|inside| inside.split_once(">::"))
            {
                // `<Type as Trait<A>>::name`: what follows the last angle.
                let name = name.rsplit(">::").next().unwrap_or(name);
                if let Some((of_type, of_trait)) = owner.split_once(" as ") {
                    way(&format!("{of_type}::{name}"));
                    way(&format!("{}::{name}", bare(of_type)));
                    let end = inside.rfind(">::").unwrap_or_default();
                    let whole = inside
                        .get(..end)
                        .and_then(|inside| inside.split_once(" as "));
                    let of_trait = whole.map_or(of_trait, |(_, of_trait)| of_trait);
                    way(&format!("<{} as {of_trait}>::{name}", bare(of_type)));
                }
            } else if let Some((owner, name)) = inside.rsplit_once(">::") {
                // `Type<A>::name`.
                way(&format!("{}::{name}", bare(owner)));
            }
            if module.is_empty() {
                way(&item.canon.replace("::", "."));
                way(&format!("crate::{}", item.canon));
            }
        }
    }
    // With the name of the crate instead of `crate`.
    let own = normalised(&item.canon);
    let own = own.strip_prefix("crate");
    if let Some(rest) = own.filter(|_| !item.crate_name.is_empty()) {
        ways.push(format!("{}{rest}", item.crate_name));
    }
    ways
}

/// A type without its arguments.
fn bare(of_type: &str) -> &str {
    of_type.split('<').next().unwrap_or(of_type)
}
