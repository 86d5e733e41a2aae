//! Passes lists to SQLite as JSON texts of a bounded size, because the size of a value is limited
//! and a statement has few parameters.

use base::Result;

use crate::limits::PIECE_BYTES;

/// Writes items as JSON lists, and calls `take` with each list: the index of its first item, and
/// its text.
pub(crate) fn in_pieces<T>(
    items: impl IntoIterator<Item = T>,
    write: impl FnMut(T, &mut String),
    take: impl FnMut(usize, String) -> Result<()>,
) -> Result<()> {
    in_pieces_of(usize::MAX, items, write, take)
}

/// Writes items like [`in_pieces`], with at most `most` items in a list.
pub(crate) fn in_pieces_of<T>(
    most: usize,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(T, &mut String),
    mut take: impl FnMut(usize, String) -> Result<()>,
) -> Result<()> {
    let mut piece = String::new();
    let mut first = 0;
    let mut item = String::new();
    for (index, value) in items.into_iter().enumerate() {
        item.clear();
        write(value, &mut item);
        let is_full = index - first >= most || piece.len() + item.len() > PIECE_BYTES;
        if !piece.is_empty() && is_full {
            piece.push(']');
            take(first, std::mem::take(&mut piece))?;
        }
        if piece.is_empty() {
            first = index;
            piece.push('[');
        } else {
            piece.push(',');
        }
        piece.push_str(&item);
    }
    if piece.is_empty() {
        return Ok(());
    }
    piece.push(']');
    take(first, piece)
}

/// Returns a text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_bounded_and_nothing_is_lost() {
        let items: Vec<String> = (0..5_000).map(|number| format!("{number:0600}")).collect();
        let mut found = Vec::new();
        let mut pieces = 0;
        in_pieces(
            &items,
            |item, json| json.push_str(&quoted(item)),
            |first, piece| {
                assert!(piece.len() <= PIECE_BYTES + 2, "{}", piece.len());
                assert_eq!(first, found.len());
                found.extend(serde_json::from_str::<Vec<String>>(&piece).unwrap());
                pieces += 1;
                Ok(())
            },
        )
        .unwrap();
        assert_eq!((found, pieces), (items, 4));
    }
}
