//! Rust. `source` prepares the text, `height` bounds its tree, `pieces` splits it into items as
//! tokens, and `walk` collects the items, each with its surroundings (`around`); `members` collects
//! those in impls and traits, `macros` those in macros. `names` writes names, `uses` collects the
//! names that items use, and `scope` resolves them to paths. `tolerant` reads files that the parser
//! rejects, with the tokens of `scan`. `language` has the rules for inserting code.

mod around;
pub(crate) mod cargo;
mod height;
mod language;
mod macros;
mod members;
mod names;
mod pieces;
mod scan;
mod scope;
mod source;
mod tolerant;
mod uses;
mod walk;

pub(crate) use language::Rust;
pub(crate) use names::compact;
use source::Source;

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use proc_macro2::{Spacing, TokenStream};
use quote::ToTokens;
use syn::Attribute;
use syn::parse::Parser as _;

use self::pieces::Pieces;
use self::scan::{Kind, Scanner};
use self::walk::Reading;
use super::Read;
use crate::hash::tracking_hash;
use crate::limits::{MAX_FILE_TOKENS, MAX_ITEM_TOKENS};
use crate::model::{Item, ItemKind, Placement};

/// The reason why a file has no tree.
pub(crate) enum Unread {
    /// The tree may be higher than the stack allows.
    TooHigh,
    /// The tokens and the data made from them would not fit into memory.
    TooLong,
    /// The parser's error, with line and column.
    Rejected(String),
}

/// Parses a file, while the height and the size of its trees are bounded.
///
/// # Errors
/// [`Unread`].
pub(crate) fn read(text: &str, placement: &Placement) -> Result<Read, Unread> {
    let read = read_source(Source::new(text), placement);
    // The parser keeps the text of each file that it has parsed for its spans.
    proc_macro2::extra::invalidate_current_thread_spans();
    read
}

fn read_source(source: Source<'_>, placement: &Placement) -> Result<Read, Unread> {
    if has_too_many_tokens(source) {
        return Err(Unread::TooLong);
    }
    let tokens = tokens(source)?;
    if height::is_too_high(tokens.clone()) {
        return Err(Unread::TooHigh);
    }
    let by_items = read_pieces(source, placement, Pieces::new(tokens));
    match by_items {
        Err(PieceError::Rejected { is_short: true, .. }) => {
            let file: syn::File =
                syn::parse2(tokens_again(source)?).map_err(|error| rejected(source, &error))?;
            let mut text = TokenText::default();
            let mut reading = Reading::new(source, placement, &file.attrs);
            for attribute in &file.attrs {
                text.push(attribute.to_token_stream());
            }
            for item in &file.items {
                text.push(item.to_token_stream());
                reading.item(item);
            }
            Ok(finished(placement, reading, &text))
        }
        Err(PieceError::Rejected { error, .. }) => Err(rejected(source, &error)),
        Err(PieceError::TooLarge { line }) => Err(Unread::Rejected(format!(
            "line {line}: the item has more than {MAX_ITEM_TOKENS} tokens"
        ))),
        Ok((reading, text)) => Ok(finished(placement, reading, &text)),
    }
}

fn finished(placement: &Placement, reading: Reading<'_>, text: &TokenText) -> Read {
    let tracking_hash = tracking_hash(placement.namespace, &placement.absolute_path, &text.text);
    let (mut items, references) = reading.finish(tracking_hash);
    tell_impls_apart(&mut items);
    Read {
        items,
        references,
        tracking_hash,
    }
}

/// Adds the type arguments to the paths of members that have the same path in impls of the same
/// type with other arguments: `Vec2<f32>::len` and `Vec2<f64>::len`.
fn tell_impls_apart(items: &mut [Item]) {
    let header = |item: &Item| {
        let parent = items.get(item.parent?)?;
        (parent.kind == ItemKind::Impl).then_some(parent.name.as_str())
    };
    let mut headers: HashMap<(ItemKind, &str), BTreeSet<&str>> = HashMap::new();
    for item in items.iter() {
        if let Some(header) = header(item) {
            let same = headers.entry((item.kind, item.canon.as_str())).or_default();
            same.insert(header);
        }
    }
    let is_shared = |item: &Item| {
        let same = headers.get(&(item.kind, item.canon.as_str()));
        same.is_some_and(|same| same.len() > 1)
    };
    let paths: Vec<(usize, String)> = items
        .iter()
        .enumerate()
        .filter(|(_, item)| is_shared(item))
        .filter_map(|(index, item)| {
            let owner = impl_path(header(item)?);
            let path = format!("{}::{owner}::{}", item.module_path, item.name);
            Some((index, path))
        })
        .collect();
    for (index, path) in paths {
        if let Some(item) = items.get_mut(index) {
            item.canon = path;
        }
    }
}

/// Returns the path of an impl from its header: `Vec2<f32>`, or `<Vec2<f32> as Add>`.
pub(crate) fn impl_path(header: &str) -> String {
    let header = header.strip_prefix("impl ").unwrap_or(header);
    match header.split_once(" for ") {
        Some((of_trait, of_type)) => format!("<{of_type} as {of_trait}>"),
        None => header.to_owned(),
    }
}

/// The reason why a file is not parsed item by item.
enum PieceError {
    /// The parser rejects an item. If the file is short, it is then parsed as a whole.
    Rejected { error: syn::Error, is_short: bool },
    /// The tree of an item would be too large.
    TooLarge { line: usize },
}

fn read_pieces<'a>(
    source: Source<'a>,
    placement: &'a Placement,
    mut pieces: Pieces,
) -> Result<(Reading<'a>, TokenText), PieceError> {
    let mut total = 0_usize;
    let rejected = |error: syn::Error, total: usize| PieceError::Rejected {
        error,
        is_short: total <= MAX_ITEM_TOKENS,
    };
    let mut text = TokenText::default();
    let inner = pieces.attributes();
    let attributes = Attribute::parse_inner.parse2(inner);
    let attributes = attributes.map_err(|error| rejected(error, 0))?;
    for attribute in &attributes {
        text.push(attribute.to_token_stream());
    }
    let mut reading = Reading::new(source, placement, &attributes);
    while let Some(piece) = pieces.next() {
        let count = pieces::count(&piece);
        total = total.saturating_add(count);
        if count > MAX_ITEM_TOKENS {
            let first = piece.first().map(proc_macro2::TokenTree::span);
            let line = first.map_or(1, |span| line_of(source, span));
            return Err(PieceError::TooLarge { line });
        }
        let item = syn::parse2::<syn::Item>(piece.into_iter().collect());
        let item = item.map_err(|error| {
            let left: usize = pieces.by_ref().map(|piece| pieces::count(&piece)).sum();
            rejected(error, total.saturating_add(left))
        })?;
        text.push(item.to_token_stream());
        reading.item(&item);
    }
    Ok((reading, text))
}

/// The text of tokens that are added one by one, equal to the text of all of them together.
#[derive(Default)]
struct TokenText {
    text: String,
    is_joint: bool,
}

impl TokenText {
    fn push(&mut self, tokens: TokenStream) {
        if !self.text.is_empty() && !self.is_joint {
            self.text.push(' ');
        }
        let _ = write!(self.text, "{tokens}");
        let last = tokens.into_iter().last();
        self.is_joint = matches!(last, Some(proc_macro2::TokenTree::Punct(sign)) if sign.spacing() == Spacing::Joint);
    }
}

/// Returns true if the tokens of a file would take too much memory. The check is made before they
/// are created.
fn has_too_many_tokens(source: Source<'_>) -> bool {
    let mut left = MAX_FILE_TOKENS;
    Scanner::new(source.parsed(), 0).any(|token| {
        let made = if token.kind == Kind::Doc {
            TOKENS_OF_A_DOC
        } else {
            1
        };
        left = left.saturating_sub(made);
        left == 0
    })
}

/// The tokens of `/// x`, which is `#[doc = "x"]`.
const TOKENS_OF_A_DOC: usize = 5;

fn rejected(source: Source<'_>, error: &syn::Error) -> Unread {
    Unread::Rejected(complaint(source, error))
}

fn tokens(source: Source<'_>) -> Result<TokenStream, Unread> {
    let tokens = source.parsed().parse();
    tokens.map_err(|error: proc_macro2::LexError| rejected(source, &error.into()))
}

/// Returns the tokens once more, because the pieces have consumed them.
fn tokens_again(source: Source<'_>) -> Result<TokenStream, Unread> {
    proc_macro2::extra::invalidate_current_thread_spans();
    tokens(source)
}

fn line_of(source: Source<'_>, span: proc_macro2::Span) -> usize {
    let before = source.text.get(..source.range(span).start);
    before.unwrap_or(source.text).matches('\n').count() + 1
}

/// Returns the tokens of a text as text; `None` if they cannot be lexed or nest too deeply. White
/// space and plain comments are not part of it.
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
