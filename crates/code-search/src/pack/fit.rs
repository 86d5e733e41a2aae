//! Fits a text into a part: the whole text, its first lines, or its signature, with matching bytes
//! and lines.

use super::signature::locate;
use super::{Part, tokens};
use crate::item::PartKind;
use crate::limits::{CHARACTERS_PER_TOKEN, LEAST_PART_TOKENS};

/// Sets the text of a part: the whole text if it fits, else as many of its lines as fit, else its
/// signature. Returns `None` if nothing fits, and `Some(None)` if the part has the whole text or a
/// signature. If only the first lines fit, returns the whole text as `Some(Some(text))`, because
/// the part may get more lines later.
pub(super) fn fit(
    part: &mut Part,
    text: String,
    signature: Option<&str>,
    cap: u32,
) -> Option<Option<String>> {
    if tokens(&text) <= cap {
        part.text = text;
        if part.kind == PartKind::Code || part.kind == PartKind::Doc {
            narrow(part);
        } else {
            collapse(part);
        }
        return Some(None);
    }
    if u64::from(cap) >= LEAST_PART_TOKENS
        && let Some(piece) = cut(&text, cap)
    {
        piece.clone_into(&mut part.text);
        if part.kind == PartKind::Signature {
            collapse(part);
            return Some(None);
        }
        narrow(part);
        return Some(Some(text));
    }
    let signature = signature.filter(|signature| tokens(signature) <= cap)?;
    part.kind = PartKind::Signature;
    match locate(&text, signature) {
        Some((at, end)) => {
            let exact = text.get(at..end).unwrap_or_default();
            let fits = tokens(exact) <= cap;
            part.text = if fits { exact } else { signature }.to_owned();
            move_to(part, &text, at, end);
        }
        // The position of the signature within the item is unknown, so the part gets the position
        // of the item.
        None => {
            signature.clone_into(&mut part.text);
            collapse(part);
        }
    }
    Some(None)
}

/// Sets ranges and lines to those of a piece of the text.
fn move_to(part: &mut Part, text: &str, at: usize, end: usize) {
    let breaks = |piece: Option<&str>| {
        u64::try_from(piece.unwrap_or_default().matches('\n').count()).unwrap_or(u64::MAX)
    };
    let offset = |at: usize| u64::try_from(at).unwrap_or(u64::MAX);
    if let Some(range) = part.ranges.first_mut() {
        let start = range.0;
        *range = (
            start.saturating_add(offset(at)),
            start.saturating_add(offset(end)),
        );
    }
    if let Some(lines) = part.lines.first_mut() {
        let first = lines.0.saturating_add(breaks(text.get(..at)));
        *lines = (first, first.saturating_add(breaks(text.get(at..end))));
    }
}

/// Sets ranges and lines to the start of the item, because the shown text is not in the file like
/// this.
fn collapse(part: &mut Part) {
    if part.kind == PartKind::Metadata {
        return;
    }
    if let Some((start, end)) = part.ranges.first_mut() {
        *end = *start;
    }
    if let Some((from, to)) = part.lines.first_mut() {
        *to = *from;
    }
}

/// Returns as many of the first lines of a text as fit, at least one.
pub(super) fn cut(text: &str, cap: u32) -> Option<&str> {
    let most =
        usize::try_from(u64::from(cap).saturating_mul(CHARACTERS_PER_TOKEN)).unwrap_or(usize::MAX);
    let end = text
        .char_indices()
        .nth(most)
        .map_or(text.len(), |(at, _)| at);
    if end == text.len() {
        return Some(text);
    }
    let head = text.get(..end)?;
    let lines = head.get(..head.rfind('\n')?)?;
    (!lines.trim().is_empty()).then_some(lines)
}

/// Sets ranges and lines to those of the remaining text.
pub(super) fn narrow(part: &mut Part) {
    let breaks = u64::try_from(part.text.matches('\n').count()).unwrap_or(u64::MAX);
    let length = bytes(&part.text);
    if let Some((start, end)) = part.ranges.first_mut() {
        *end = start.saturating_add(length).min(*end);
    }
    if let Some((from, to)) = part.lines.first_mut() {
        *to = from.saturating_add(breaks).min(*to);
    }
}

fn bytes(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}
