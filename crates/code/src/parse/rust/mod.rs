//! Rust: `source` the text, `height` a bound of its tree, `walk` its items, `members` those in impls and traits, `names` how they are called, `uses` what they name, `scope`
//! which paths that means.

mod height;
mod members;
mod names;
mod scope;
mod source;
mod uses;
mod walk;

pub(crate) use names::compact;
pub(crate) use source::Source;

use proc_macro2::TokenStream;
use quote::ToTokens;

use super::Read;
use crate::hash::tracking_hash;
use crate::model::Placement;

/// Why a file has no tree.
pub(crate) enum Unread {
    /// The tree may be higher than a stack takes.
    TooHigh,
    /// What the parser says of it, with line and column.
    Rejected(String),
}

/// Reads a file whose tree has a bounded height.
///
/// # Errors
/// [`Unread`].
pub(crate) fn read(text: &str, placement: &Placement) -> Result<Read, Unread> {
    let source = Source::new(text);
    let read = tree(source).map(|file| {
        let tokens = file.to_token_stream().to_string();
        let tracking_hash = tracking_hash(placement.namespace, &placement.absolute_path, &tokens);
        let (items, references) = walk::walk(source, placement, &file, tracking_hash);
        Read {
            items,
            references,
            tracking_hash,
        }
    });
    // The parser keeps the text of each file that it has read for its spans.
    proc_macro2::extra::invalidate_current_thread_spans();
    read
}

/// The tree of a file, from the same tokens that its height is bounded by.
fn tree(source: Source<'_>) -> Result<syn::File, Unread> {
    let rejected = |error: syn::Error| Unread::Rejected(complaint(source, &error));
    let tokens: TokenStream = source
        .parsed()
        .parse()
        .map_err(|error: proc_macro2::LexError| rejected(error.into()))?;
    if height::is_too_high(tokens.clone()) {
        return Err(Unread::TooHigh);
    }
    syn::parse2(tokens).map_err(rejected)
}

/// What a text says in tokens, if it has any that nest no deeper than they can be written: white space and plain comments do not count.
pub(crate) fn token_text(text: &str) -> Option<String> {
    let tokens = text.parse::<TokenStream>().ok()?;
    let text = (!height::is_too_high(tokens.clone())).then(|| tokens.to_string());
    drop(tokens);
    proc_macro2::extra::invalidate_current_thread_spans();
    text
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
