//! JavaScript and TypeScript: `walk` collects the items of a file, `uses` the names that they use,
//! and `tokens` has the text without white space and comments.
//!
//! oxc recurses on the height of the tree, so the height is bounded beforehand, from tokens alone:
//! by the crate `program`, and with `markup` if a file may contain markup.

mod front;
mod language;
mod markup;
mod tokens;
mod uses;
mod walk;

pub(crate) use language::Script;

use oxc_allocator::Allocator;
use oxc_ast::ast::SourceType;
use oxc_parser::Parser;

use super::Read;
use crate::model::Placement;

/// Parses a file.
///
/// # Errors
/// The parser's error with line and column, or a message that the file nests too deeply.
pub(crate) fn read(text: &str, placement: &Placement) -> Result<Read, String> {
    let (plain, markup) = kinds(&placement.path);
    let mut complaint = None;
    if !program::nests_too_deep(text) {
        for kind in plain {
            match parse(text, *kind, placement) {
                Ok(read) => return Ok(read),
                Err(said) => complaint = complaint.or(Some(said)),
            }
        }
    }
    if let Some(kind) = markup.filter(|_| !markup::nests_too_deep(text)) {
        match parse(text, kind, placement) {
            Ok(read) => return Ok(read),
            Err(said) => complaint = complaint.or(Some(said)),
        }
    }
    Err(complaint.unwrap_or_else(|| "its brackets or operators nest too deeply".to_owned()))
}

/// Returns the source types that a file name allows: those without markup in the order in which
/// they are tried, and the one with markup.
fn kinds(path: &str) -> (&'static [SourceType], Option<SourceType>) {
    const MODULE: &[SourceType] = &[SourceType::mjs(), SourceType::cjs()];
    const SCRIPT: &[SourceType] = &[SourceType::cjs()];
    const TYPED: &[SourceType] = &[SourceType::ts()];
    const DECLARED: &[SourceType] = &[SourceType::d_ts()];
    match path.rsplit('.').next() {
        Some("cjs") => (SCRIPT, None),
        Some("jsx") => (&[], Some(SourceType::jsx())),
        Some("tsx") => (&[], Some(SourceType::tsx())),
        Some("ts" | "mts" | "cts")
            if [".d.ts", ".d.mts", ".d.cts"]
                .iter()
                .any(|end| path.ends_with(end)) =>
        {
            (DECLARED, None)
        }
        Some("ts" | "mts" | "cts") => (TYPED, None),
        // Many files with markup have this extension.
        _ => (MODULE, Some(SourceType::jsx())),
    }
}

fn parse(text: &str, kind: SourceType, placement: &Placement) -> Result<Read, String> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, kind).parse();
    match parsed.diagnostics.first() {
        Some(first) => {
            let at = first
                .labels
                .first()
                .map_or(0, |label| label.offset() as usize);
            let before = text.get(..at.min(text.len())).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            let column = before
                .rsplit('\n')
                .next()
                .unwrap_or_default()
                .chars()
                .count()
                + 1;
            Err(format!("line {line}, column {column}: {}", first.message))
        }
        None => Ok(walk::walk(text, placement, &parsed.program)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nests_too_deep_is_not_parsed() {
        let placement = |path: &str| Placement {
            path: path.to_owned(),
            absolute_path: format!("/ws/{path}"),
            crate_name: String::new(),
            namespace: crate::hash::PROJECT_NAMESPACE,
            module_path: String::new(),
        };
        for (path, text) in [
            ("a.js", "(".repeat(100_000)),
            ("a.ts", format!("type A = {}", "B<".repeat(100_000))),
            ("a.jsx", "<a>".repeat(100_000)),
            ("a.js", format!("<p>don't {}</p>", "{(".repeat(100_000))),
            ("a.tsx", format!("<p>http://x {}", "{!".repeat(100_000))),
            ("a.jsx", format!("<p>/* {}", "{[".repeat(100_000))),
            ("a.jsx", format!("x={}", "[']',".repeat(100_000))),
            ("a.jsx", format!("x={}", "[/*]*/,".repeat(100_000))),
        ] {
            assert!(
                read(&text, &placement(path)).is_err(),
                "{path} {}",
                base::text::cut(&text, 20)
            );
        }
    }
}
