//! Rust: `source` the text, `walk` its items, `members` those in impls and traits, `names` how they are called, `uses` what they name, `scope`
//! which paths that means.

mod members;
mod names;
mod scope;
mod source;
mod uses;
mod walk;

pub(crate) use names::compact;
pub(crate) use source::Source;

use quote::ToTokens;

use super::Read;
use crate::hash::tracking_hash;
use crate::model::Placement;

/// Reads a file whose tree has a bounded height.
///
/// # Errors
/// What the parser says of it, with line and column.
pub(crate) fn read(text: &str, placement: &Placement) -> Result<Read, String> {
    let source = Source::new(text);
    let read = syn::parse_str::<syn::File>(source.parsed()).map(|file| {
        let tokens = file.to_token_stream().to_string();
        let tracking_hash = tracking_hash(placement.namespace, &placement.absolute_path, &tokens);
        let (items, references) = walk::walk(source, placement, &file, tracking_hash);
        Read {
            items,
            references,
            tracking_hash,
        }
    });
    let read = read.map_err(|error| complaint(source, &error));
    // The parser keeps the text of each file that it has read for its spans.
    proc_macro2::extra::invalidate_current_thread_spans();
    read
}

/// What a text says in tokens, if it has any: white space and plain comments do not count.
pub(crate) fn token_text(text: &str) -> Option<String> {
    let tokens = text.parse::<proc_macro2::TokenStream>().ok()?;
    let text = tokens.to_string();
    drop(tokens);
    proc_macro2::extra::invalidate_current_thread_spans();
    Some(text)
}

fn complaint(source: Source<'_>, error: &syn::Error) -> String {
    let at = source.range(error.span()).start;
    let before = source.text.get(..at).unwrap_or(source.text);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    format!("line {line}, column {column}: {error}")
}
