//! JavaScript and TypeScript as languages of source files.

use super::read;
use crate::model::{ItemKind, Placement};
use crate::parse::{Grammar, ItemNames, LongText, ParseFailure, Read};

/// JavaScript and TypeScript, parsed with oxc.
pub(crate) struct Script;

impl Grammar for Script {
    fn read(&self, text: &str, placement: &Placement) -> Result<Read, ParseFailure> {
        read(text, placement).map_err(ParseFailure::from)
    }

    fn other_paths(&self, item: ItemNames<'_>) -> Vec<String> {
        if item.kind == ItemKind::Import {
            let last = item.name.rsplit("::").next().unwrap_or(item.name);
            let alias = last.rsplit(" as ").next().unwrap_or(last);
            return vec![format!("use {}", item.name), alias.to_owned()];
        }
        vec![
            item.canon.replace("::", "."),
            format!("crate::{}", item.canon),
        ]
    }

    fn long_texts(&self, code: &str) -> Option<Vec<LongText>> {
        // A template literal has backticks, and other literals may be nested in it.
        let is_certain = |line: &str| {
            let ticks = line.matches('`').count();
            let opened = line.matches("${").count();
            ticks.is_multiple_of(2) && opened <= line.matches('}').count() && !line.ends_with('\\')
        };
        code.lines().all(is_certain).then(Vec::new)
    }
}
