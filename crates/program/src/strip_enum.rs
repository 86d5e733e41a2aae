//! `enum` as the object that it stands for.
//!
//! The braces stay, as those of a block in which each member is a constant, so that members can use the ones before them.

use oxc_ast::ast::{TSEnumDeclaration, TSEnumMember, TSEnumMemberName};
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

/// Splices in what makes the object.
pub fn declare(it: &TSEnumDeclaration<'_>, text: &str, stem: &str, edits: &mut Edits) {
    let name = it.id.name.as_str();
    let head = "var @=@||{};{const $e=@,$m=(k,v)=>{$e[k]=v;if(typeof v===\"number\")$e[v]=k;return v};let $v=-1;"
        .replace('$', stem)
        .replace('@', name);
    edits.replace(it.span.start, it.body.span.start + 1, head);
    for one in &it.body.members {
        member(one, name, text, stem, edits);
    }
}

fn member(it: &TSEnumMember<'_>, enum_name: &str, text: &str, stem: &str, edits: &mut Edits) {
    let key_span = it.id.span();
    let raw = text
        .get(key_span.start as usize..key_span.end as usize)
        .unwrap_or("");
    let (constant, key) = match &it.id {
        TSEnumMemberName::Identifier(id) => {
            let name = id.name.as_str();
            let usable = name != enum_name && name != "eval" && !RESERVED.contains(&name);
            (
                if usable {
                    format!("const {name}=")
                } else {
                    String::new()
                },
                format!("\"{name}\""),
            )
        }
        _ => (String::new(), raw.to_owned()),
    };
    let head = format!("{constant}{stem}v={stem}m({key},");
    match &it.initializer {
        Some(value) => {
            let span = value.span();
            edits.replace(it.span.start, span.start, format!("{head}("));
            edits.insert(span.end, Order::CloseInner, "));");
        }
        None => edits.replace(it.span.start, it.span.end, format!("{head}{stem}v+1);")),
    }
    let comma = next_token(text, it.span.end);
    if text.as_bytes().get(comma as usize) == Some(&b',') {
        edits.replace(comma, comma + 1, " ");
    }
}
