//! Ids and hashes: UUIDs of version 5 in one namespace, so that anyone can compute the same values.
//!
//! A file hash covers all bytes, so any change changes it. A tracking hash covers tokens, so white
//! space and plain comments do not change it.

use uuid::{Uuid, uuid};

/// The root namespace.
pub const PROJECT_NAMESPACE: Uuid = uuid!("f7f4a9a0-1b1a-4b0e-9c1a-1a1a1a1a1a1a");

/// The separator between the namespace of a crate and the path of a file.
const FILE_MARK: &[u8] = b"::FILE::";
/// The separator between the path of a file and its tokens.
const CONTENT_MARK: &[u8] = b"::CONTENT::";
/// The separator of the parts of an item's id: no path or name contains it.
const PART_MARK: &[u8] = b"\0";
/// The bytes of a UUID that make a text hash: numbers in SQLite's JSON and in JavaScript are exact
/// up to 53 bits.
const TEXT_HASH_BYTES: usize = 6;

/// Returns the namespace of a crate.
pub fn crate_namespace(name: &str, version: &str) -> Uuid {
    Uuid::new_v5(&PROJECT_NAMESPACE, format!("{name}@{version}").as_bytes())
}

/// Returns the hash of a file's bytes.
pub fn file_hash(bytes: &[u8]) -> Uuid {
    Uuid::new_v5(&PROJECT_NAMESPACE, bytes)
}

/// Returns the hash of the tokens of a file, or of an item in it. `absolute_path` is the path of
/// the file.
pub fn tracking_hash(namespace: Uuid, absolute_path: &str, tokens: &str) -> Uuid {
    let parts = [
        namespace.as_bytes().as_slice(),
        FILE_MARK,
        absolute_path.as_bytes(),
        CONTENT_MARK,
        tokens.as_bytes(),
    ];
    Uuid::new_v5(&PROJECT_NAMESPACE, &parts.concat())
}

/// Returns the id of an item. It depends on the identity of the item and not on its position.
pub fn item_id(namespace: Uuid, parts: &[&str]) -> Uuid {
    let mut name = namespace.as_bytes().to_vec();
    for part in parts {
        name.extend_from_slice(PART_MARK);
        name.extend_from_slice(part.as_bytes());
    }
    Uuid::new_v5(&PROJECT_NAMESPACE, &name)
}

/// Returns a hash of bytes as a number below 2^48.
pub fn text_hash(bytes: &[u8]) -> u64 {
    let hash = file_hash(bytes);
    let taken = hash.as_bytes().iter().take(TEXT_HASH_BYTES);
    taken.fold(0, |number, byte| number << u8::BITS | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_and_hashes_are_those_of_the_facts() {
        let nodes = crate_namespace("fixture_nodes", "0.1.0");
        for (found, expected) in [
            (nodes, "bfc25988-15c1-5e58-9aa8-3d33b5e58b92"),
            (
                crate_namespace("fixture_tracking_hash", "0.1.0"),
                "aa1d3812-abb4-5d05-a69f-fe80aa856e3d",
            ),
            (
                tracking_hash(
                    nodes,
                    "/ws/src/main.rs",
                    "fn main () { println ! (\"Hello, world!\") ; }",
                ),
                "3cec41ae-645a-5c1c-a11a-a884f8488a7c",
            ),
            (
                file_hash(b"fn main() {}\n"),
                "d10e34ad-5202-5425-9f0e-95f389958ee4",
            ),
        ] {
            assert_eq!(found.to_string(), expected);
        }
    }

    #[test]
    fn parts_of_an_id_do_not_run_into_each_other() {
        let id = |parts: &[&str]| item_id(PROJECT_NAMESPACE, parts);
        assert_ne!(id(&["a", "bc"]), id(&["ab", "c"]));
        assert_ne!(id(&["a", ""]), id(&["a"]));
    }

    #[test]
    fn a_text_hash_is_exact_as_a_float() {
        assert!(text_hash(b"x") < 1 << 48);
        assert_ne!(text_hash(b"x"), text_hash(b"y"));
    }
}
