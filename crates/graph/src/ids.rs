//! Generates ids of nodes and edges.

use uuid::Uuid;

use crate::ItemList;

/// The digits of base 32 (RFC 4648, lower case).
const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// The characters after the prefix: 60 random bits, so that among two million graphs with a million
/// nodes each, about one has the same id twice.
const RANDOM_CHARACTERS: usize = 12;
/// The bits of a character.
const BITS: u32 = 5;

/// Returns a new id: `node_…` or `edge_…`.
pub(crate) fn generate(list: ItemList) -> String {
    let mut id = match list {
        ItemList::Nodes => "node_",
        ItemList::Edges => "edge_",
    }
    .to_owned();
    // The lowest 62 bits of a UUID of version 4 are random.
    let mut bits = Uuid::new_v4().as_u128();
    for _ in 0..RANDOM_CHARACTERS {
        let digit = DIGITS.get((bits % DIGITS.len() as u128) as usize);
        id.push(char::from(digit.copied().unwrap_or(b'a')));
        bits >>= BITS;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_random_and_say_what_they_are_of() {
        let (one, other) = (generate(ItemList::Nodes), generate(ItemList::Nodes));
        assert!(one.starts_with("node_") && one.len() == 17, "{one}");
        assert_ne!(one, other);
        assert!(generate(ItemList::Edges).starts_with("edge_"));
    }
}
