//! Rust as a language of source files.

use super::scan::{Kind, Scanner};
use super::{Unread as Unparsed, impl_path, read, tolerant};
use crate::limits::MAX_FILE_TOKENS;
use crate::model::{ItemKind, Placement};
use crate::parse::{Grammar, ItemNames, LongText, ParseFailure, Read, braces};

/// Rust, parsed with syn.
pub(crate) struct Rust;

impl Grammar for Rust {
    fn read(&self, text: &str, placement: &Placement) -> Result<Read, ParseFailure> {
        read(text, placement).map_err(|unparsed| match unparsed {
            Unparsed::TooHigh => "its brackets or operators nest too deeply"
                .to_owned()
                .into(),
            Unparsed::TooLong => format!("the file has more than {MAX_FILE_TOKENS} tokens").into(),
            Unparsed::Rejected(reason) => ParseFailure {
                reason,
                partial: Some(tolerant::read(text, placement)),
            },
        })
    }

    fn other_paths(&self, item: ItemNames<'_>) -> Vec<String> {
        let within = |name: &str| match item.module_path {
            "" => name.to_owned(),
            module => format!("{module}::{name}"),
        };
        let ways = match item.kind {
            ItemKind::Impl => of_impl(item.name),
            ItemKind::Import => {
                let last = item.name.rsplit("::").next().unwrap_or(item.name);
                let alias = last.rsplit(" as ").next().unwrap_or(last);
                vec![format!("use {}", item.name), alias.to_owned()]
            }
            ItemKind::Function
            | ItemKind::Method
            | ItemKind::Const
            | ItemKind::Enum
            | ItemKind::Struct
            | ItemKind::Union
            | ItemKind::Trait
            | ItemKind::TypeAlias
            | ItemKind::Static
            | ItemKind::Module
            | ItemKind::Macro
            | ItemKind::Class
            | ItemKind::Interface
            | ItemKind::Export
            | ItemKind::Chunk => of_member(item),
        };
        ways.iter().map(|way| within(way)).collect()
    }

    fn code_end(&self, gap: &str) -> Option<usize> {
        braces::code_end(gap, true)
    }

    fn long_texts(&self, code: &str) -> Option<Vec<LongText>> {
        let literals = Scanner::new(code, 0).filter(|token| token.kind == Kind::Literal);
        let texts = literals.map(|token| LongText {
            range: token.start..token.end,
            is_documentation: false,
        });
        let has_lines = |text: &LongText| {
            let text = code.get(text.range.clone());
            text.is_some_and(|text| text.contains('\n'))
        };
        Some(texts.filter(has_lines).collect())
    }
}

fn of_impl(name: &str) -> Vec<String> {
    let header = name.strip_prefix("impl ").unwrap_or(name);
    match header.split_once(" for ") {
        Some((_, of_type)) => vec![
            impl_path(header),
            of_type.to_owned(),
            bare(of_type).to_owned(),
        ],
        None => vec![header.to_owned(), bare(header).to_owned()],
    }
}

/// Returns the other paths of an item of an impl, whose own path has the arguments of types and
/// traits.
fn of_member(item: ItemNames<'_>) -> Vec<String> {
    let inside = item
        .canon
        .strip_prefix(item.module_path)
        .unwrap_or(item.canon)
        .trim_start_matches("::");
    let mut ways = Vec::new();
    if let Some((owner, name)) = inside
        .strip_prefix('<')
        .and_then(|inside| inside.split_once(">::"))
    {
        // `<Type as Trait<A>>::name`: the part after the last angle bracket.
        let name = name.rsplit(">::").next().unwrap_or(name);
        if let Some((of_type, of_trait)) = owner.split_once(" as ") {
            ways.push(format!("{of_type}::{name}"));
            ways.push(format!("{}::{name}", bare(of_type)));
            let end = inside.rfind(">::").unwrap_or_default();
            let whole = inside
                .get(..end)
                .and_then(|inside| inside.split_once(" as "));
            let of_trait = whole.map_or(of_trait, |(_, of_trait)| of_trait);
            ways.push(format!("<{} as {of_trait}>::{name}", bare(of_type)));
        }
    } else if let Some((owner, name)) = inside.rsplit_once(">::") {
        // `Type<A>::name`.
        ways.push(format!("{}::{name}", bare(owner)));
    }
    ways
}

/// Returns a type without its arguments.
fn bare(of_type: &str) -> &str {
    of_type.split('<').next().unwrap_or(of_type)
}
