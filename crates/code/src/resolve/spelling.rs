//! The ways in which people and models write the canonical path of an item.

use crate::ItemRow;
use crate::model::ItemKind;
use crate::parse::compact;

/// A path as it is compared: without needless blanks.
pub(crate) fn normalised(canon: &str) -> String {
    compact(canon.trim())
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
                Some((of_trait, of_type)) => {
                    way(&format!("<{of_type} as {of_trait}>"));
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
                if let Some((of_type, _)) = owner.split_once(" as ") {
                    way(&format!("{of_type}::{name}"));
                }
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
