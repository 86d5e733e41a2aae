//! The guarantees of packing, by example and over random candidates.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::num::NonZeroU32;

use super::{PackedContext, candidates, pack, tokens, top_k};
use crate::fuse::Modality;
use crate::item::{Item, PartKind, Role, Text};
use crate::random::Random;
use crate::rules::RankedHit;

fn budget(tokens: u32) -> NonZeroU32 {
    NonZeroU32::new(tokens).unwrap()
}

fn item(row: i64, file: &str, start: u64, text: &str) -> Item {
    let first = start / 10 + 1;
    Item {
        row,
        id: format!("id-{row}"),
        file_path: file.to_owned(),
        canon_path: format!("crate::item_{row}"),
        name: format!("item_{row}"),
        summary: String::new(),
        node_kind: "function".to_owned(),
        package: "one".to_owned(),
        role: Role::Definition,
        part: PartKind::Code,
        range: (start, start + text.len() as u64),
        lines: (first, first + text.matches('\n').count() as u64),
    }
}

fn hit(row: i64) -> RankedHit {
    RankedHit {
        row,
        score: 1.0 / row as f64,
        modality: Modality::Sparse,
        sparse_rank: Some(1),
        dense_rank: None,
        reasons: Vec::new(),
    }
}

/// Packs items, given with their texts, in this order.
fn packed(entries: &[(Item, Text)], tokens: u32) -> PackedContext {
    let hits: Vec<RankedHit> = entries.iter().map(|(item, _)| hit(item.row)).collect();
    let items: BTreeMap<i64, Item> = entries
        .iter()
        .map(|(item, _)| (item.row, item.clone()))
        .collect();
    let texts: BTreeMap<i64, Text> = entries
        .iter()
        .map(|(item, text)| (item.row, text.clone()))
        .collect();
    let read = |item: &Item| Ok::<_, Infallible>(texts[&item.row].clone());
    let Ok(packed) = pack(&hits, &items, budget(tokens), read);
    packed
}

fn current(text: &str) -> Text {
    Text::Current {
        text: text.to_owned(),
        signature: None,
    }
}

fn entry(row: i64, file: &str, start: u64, text: &str) -> (Item, Text) {
    (item(row, file, start, text), current(text))
}

#[test]
fn a_budget_asks_for_a_part_each_200_tokens_from_5_to_20() {
    for (tokens, parts) in [(1, 5), (1_000, 5), (1_200, 6), (4_000, 20), (u32::MAX, 20)] {
        assert_eq!(top_k(budget(tokens)), parts);
    }
    assert_eq!(candidates(5), 25);
}

#[test]
fn a_token_is_four_characters_whatever_their_bytes() {
    assert_eq!(
        (tokens(""), tokens("a"), tokens("abcde"), tokens("äöüß")),
        (0, 1, 2, 1)
    );
}

#[test]
fn what_is_left_after_a_part_is_what_the_next_may_take() {
    let text = "let one = 1;\n".repeat(40);
    let entries: Vec<_> = (1..=5)
        .map(|row| entry(row, &format!("{row}.rs"), 0, &format!("{row}{text}")))
        .collect();
    let packed = packed(&entries, 300);
    assert!(packed.stats.total_tokens <= 300, "{:?}", packed.stats);
    assert!(packed.stats.parts >= 3, "{:?}", packed.stats);
    assert!(packed.stats.truncated_parts >= 3, "{:?}", packed.stats);
}

#[test]
fn a_cut_part_ends_at_a_line_and_says_which() {
    let text = "0123456789\n".repeat(100);
    let packed = packed(&[entry(1, "a.rs", 0, &text)], 100);
    let part = &packed.parts[0];
    assert!(part.text.ends_with('9'), "{:?}", part.text);
    assert_eq!(part.ranges, [(0, part.text.len() as u64)]);
    assert_eq!(
        part.lines,
        [(1, 1 + part.text.matches('\n').count() as u64)]
    );
    assert_eq!(packed.stats.truncated_parts, 1);
}

#[test]
fn an_item_inside_another_is_taken_once() {
    let text = "fn outer() {\n    inner();\n}";
    let inner = entry(2, "a.rs", 13, "inner();");
    let packed = packed(&[entry(1, "a.rs", 0, text), inner], 1_000);
    assert_eq!((packed.stats.parts, packed.stats.dedup_removed), (1, 1));
}

#[test]
fn a_text_that_is_there_already_is_not_taken_from_another_file() {
    let packed = packed(
        &[
            entry(1, "a.rs", 0, "fn same() {}"),
            entry(2, "b.rs", 0, "fn same() {}"),
        ],
        1_000,
    );
    assert_eq!((packed.stats.parts, packed.stats.dedup_removed), (1, 1));
}

#[test]
fn adjoining_items_of_a_file_become_one_part() {
    let packed = packed(
        &[
            entry(1, "a.rs", 20, "fn second() {}"),
            entry(2, "a.rs", 0, "fn first() {}"),
        ],
        1_000,
    );
    assert_eq!(packed.stats.parts, 1);
    let part = &packed.parts[0];
    assert_eq!(part.id, "id-1", "the better of them names it");
    assert_eq!(part.ranges, [(0, 13), (20, 34)]);
    assert_eq!(part.text, "fn first() {}\n\nfn second() {}");
    assert_eq!(packed.stats.total_tokens, tokens(&part.text));
}

#[test]
fn a_missing_text_is_told_and_an_old_one_is_marked() {
    let missing = (item(1, "a.rs", 0, "gone"), Text::Missing);
    let old = (
        item(2, "b.rs", 0, "fn old() {}"),
        Text::Stale {
            text: "fn old() {}".to_owned(),
        },
    );
    let packed = packed(&[missing, old], 1_000);
    assert_eq!(packed.parts.len(), 2);
    assert_eq!(
        (packed.parts[0].kind, packed.parts[0].text.as_str()),
        (PartKind::Metadata, "crate::item_1")
    );
    assert!(packed.parts.iter().all(|part| part.stale));
}

#[test]
fn a_signature_stands_in_for_a_body_that_cannot_be_cut() {
    let body = "x".repeat(4_000);
    let text = Text::Current {
        text: body.clone(),
        signature: Some("fn long()".to_owned()),
    };
    let packed = packed(&[(item(1, "a.rs", 0, &body), text)], 200);
    assert_eq!(
        (packed.parts[0].kind, packed.parts[0].text.as_str()),
        (PartKind::Signature, "fn long()")
    );
    assert_eq!(packed.stats.truncated_parts, 1);
}

#[test]
fn a_file_leaves_room_for_others() {
    let text = "let a = 1;\n".repeat(60);
    let mut entries: Vec<_> = (1..=4)
        .map(|row| {
            entry(
                row,
                "big.rs",
                10_000 * row as u64,
                &format!("{row}\n{text}"),
            )
        })
        .collect();
    entries.push(entry(5, "small.rs", 0, "fn small() {}"));
    let packed = packed(&entries, 500);
    assert!(
        packed.parts.iter().any(|part| part.file_path == "small.rs"),
        "{packed:?}"
    );
}

/// Returns random items of few files, with overlaps, duplicates, stale and missing texts.
fn random_entries(random: &mut Random) -> Vec<(Item, Text)> {
    let words = [
        "fn",
        "größe",
        "\n",
        " ",
        "{",
        "}",
        "日本語",
        "\n\n",
        "let value = compute();",
        "\r\n",
        "🦀",
    ];
    (1..=random.below(60) as i64)
        .map(|row| {
            let length = random.below(200);
            let text: String = (0..length)
                .map(|_| words[random.below(words.len())])
                .collect();
            let file = format!("{}.rs", random.below(4));
            let item = item(row, &file, random.below(5_000) as u64, &text);
            let signature = (random.below(2) == 0).then(|| text.chars().take(20).collect());
            let text = match random.below(8) {
                0 => Text::Missing,
                1 => Text::Stale { text },
                _ => Text::Current { text, signature },
            };
            (item, text)
        })
        .collect()
}

#[test]
fn random_candidates_never_exceed_the_budget_and_the_counts_are_true() {
    let mut random = Random::new(15);
    for _ in 0..2_000 {
        let entries = random_entries(&mut random);
        let tokens_wanted = 1 + random.below(3_000) as u32;
        let result = packed(&entries, tokens_wanted);
        let sum: u32 = result.parts.iter().map(|part| tokens(&part.text)).sum();
        assert_eq!(result.stats.total_tokens, sum);
        assert!(sum <= tokens_wanted, "{sum} of {tokens_wanted}");
        assert!(result.parts.len() <= top_k(budget(tokens_wanted)));
        assert_eq!(result.stats.parts as usize, result.parts.len());
        assert_eq!(
            result,
            packed(&entries, tokens_wanted),
            "the same input packs the same"
        );
        for part in &result.parts {
            assert!(part.ranges.iter().all(|(start, end)| start <= end));
            assert_eq!(part.ranges.len(), part.lines.len());
        }
        disjoint(&result);
    }
}

/// Asserts that no byte of a file is in two parts.
fn disjoint(packed: &PackedContext) {
    let mut ranges: Vec<(&str, u64, u64)> = packed
        .parts
        .iter()
        .flat_map(|part| {
            part.ranges
                .iter()
                .map(|range| (part.file_path.as_str(), range.0, range.1))
        })
        .filter(|(_, start, end)| start < end)
        .collect();
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        assert!(pair[0].0 != pair[1].0 || pair[0].2 <= pair[1].1, "{pair:?}");
    }
}
