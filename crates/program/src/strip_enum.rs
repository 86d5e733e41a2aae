//! Turns an `enum` into the object that it means at run time.
//!
//! The braces of the enum become those of a block in which each member is a constant, so that
//! members can use earlier ones.

use oxc_ast::ast::{Expression, TSEnumDeclaration, TSEnumMember, TSEnumMemberName};
use oxc_span::GetSpan;

use super::edits::{Edits, Order};
use super::source::next_token;

/// Words that cannot be the name of a constant.
const RESERVED: [&str; 47] = [
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
    "arguments",
];

/// Inserts the code that makes the object. `earlier` holds the previous enums, each with the
/// members that its text can name: an enum that is declared again knows those of its first
/// declaration.
pub fn declare(
    it: &TSEnumDeclaration<'_>,
    text: &str,
    stem: &str,
    earlier: &mut Vec<(String, Vec<String>)>,
    edits: &mut Edits,
) {
    let name = it.id.name.as_str();
    let own: Vec<String> = it
        .body
        .members
        .iter()
        .filter_map(|one| constant(one, name))
        .collect();
    let known = earlier.iter().filter(|(of, _)| of == name);
    let mut known: Vec<&str> = known
        .flat_map(|(_, names)| names.iter().map(String::as_str))
        .filter(|known| !own.iter().any(|own| own == known))
        .collect();
    known.sort_unstable();
    known.dedup();
    let head = "var @=@||{};{const $e=@,$m=(k,v)=>{$e[k]=v;if(typeof v===\"number\")$e[v]=k;return v},{#}=$e;let $v=-1;"
        .replace('$', stem)
        .replace('@', name)
        .replace('#', &known.join(","));
    edits.replace(it.span.start, it.body.span.start + 1, head);
    let mut counts = true;
    for one in &it.body.members {
        member(one, name, counts, text, stem, edits);
        let value = one.initializer.as_ref();
        counts = value.map_or(counts, |value| {
            matches!(value, Expression::NumericLiteral(_))
        });
    }
    earlier.push((name.to_owned(), own));
}

/// Returns the name under which the text of an enum can use a member.
fn constant(it: &TSEnumMember<'_>, enum_name: &str) -> Option<String> {
    let name = match &it.id {
        TSEnumMemberName::Identifier(id) => id.name.as_str(),
        TSEnumMemberName::String(text) if is_plain_name(&text.value) => text.value.as_str(),
        _ => return None,
    };
    let usable = name != enum_name && name != "eval" && !RESERVED.contains(&name);
    usable.then(|| name.to_owned())
}

/// Returns true if a text can be the name of a constant. A member with letters beyond ASCII is only
/// accessible by its key.
fn is_plain_name(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_$".contains(&byte))
}

fn member(
    it: &TSEnumMember<'_>,
    enum_name: &str,
    counts: bool,
    text: &str,
    stem: &str,
    edits: &mut Edits,
) {
    let key_span = it.id.span();
    let raw = text.get(key_span.start as usize..key_span.end as usize);
    let key = match &it.id {
        TSEnumMemberName::Identifier(id) => format!("\"{}\"", id.name),
        _ => raw.unwrap_or("").to_owned(),
    };
    let constant = constant(it, enum_name).map(|name| format!("const {name}="));
    let head = format!("{}{stem}v={stem}m({key},", constant.unwrap_or_default());
    match &it.initializer {
        Some(value) => {
            let span = value.span();
            edits.replace(it.span.start, span.start, format!("{head}("));
            edits.insert(span.end, Order::EndStatement, "));");
        }
        // No value can be derived from a text.
        None => {
            let check = if counts {
                String::new()
            } else {
                format!(
                    "if(typeof {stem}v!==\"number\")throw new TypeError(`the member ${{{key}}} of the enum {enum_name} needs a value: \
                     the one before it is not a number`);"
                )
            };
            edits.replace(
                it.span.start,
                it.span.end,
                format!("{check}{head}{stem}v+1);"),
            );
        }
    }
    let comma = next_token(text, it.span.end);
    if text.as_bytes().get(comma as usize) == Some(&b',') {
        edits.replace(comma, comma + 1, " ");
    }
}
