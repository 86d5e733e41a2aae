//! Questions and their contexts, over a source in memory.

use std::convert::Infallible;
use std::num::NonZeroU32;

use super::{Mode, Source, context, rank};
use crate::fuse::Hit;
use crate::item::{Filter, Item, PartKind, Role, Text};
use crate::question::Question;
use crate::rules::{Rule, Weights};

/// Items by row from 1, and the rows of each list.
#[derive(Default)]
struct Memory {
    items: Vec<Item>,
    sparse: Option<Vec<i64>>,
    dense: Option<Vec<i64>>,
    named: Vec<i64>,
}

fn hits(rows: &[i64], limit: usize) -> Vec<Hit> {
    rows.iter()
        .take(limit)
        .map(|row| Hit {
            id: *row,
            score: 1.0,
        })
        .collect()
}

impl Source for Memory {
    type Error = Infallible;

    fn text(&mut self, _: &str, limit: usize) -> Result<Option<Vec<Hit>>, Infallible> {
        Ok(self.sparse.as_ref().map(|rows| hits(rows, limit)))
    }

    fn near(&mut self, _: &str, limit: usize) -> Result<Option<Vec<Hit>>, Infallible> {
        Ok(self.dense.as_ref().map(|rows| hits(rows, limit)))
    }

    fn named(&mut self, _: &[String], _: usize) -> Result<Vec<i64>, Infallible> {
        Ok(self.named.clone())
    }

    fn items(&mut self, rows: &[i64]) -> Result<Vec<Item>, Infallible> {
        Ok(self
            .items
            .iter()
            .filter(|item| rows.contains(&item.row))
            .cloned()
            .collect())
    }

    fn read(&mut self, item: &Item) -> Result<Text, Infallible> {
        Ok(Text::Current {
            text: format!("fn {}() {{}}", item.name),
            signature: None,
        })
    }
}

fn item(row: i64, file: &str, name: &str) -> Item {
    Item {
        row,
        id: row.to_string(),
        file_path: file.to_owned(),
        canon_path: format!("crate::{name}"),
        name: name.to_owned(),
        summary: String::new(),
        node_kind: "function".to_owned(),
        package: "one".to_owned(),
        role: Role::Definition,
        part: PartKind::Code,
        range: (0, 9),
        lines: (1, 1),
    }
}

fn memory() -> Memory {
    Memory {
        items: vec![
            item(1, "src/a.rs", "alpha"),
            item(2, "src/b.rs", "beta"),
            item(3, "tests/c.rs", "gamma"),
        ],
        ..Memory::default()
    }
}

fn ranked(memory: &mut Memory, question: &str, filter: &Filter) -> (Mode, Vec<i64>) {
    let Ok(ranking) = rank(
        memory,
        &Question::read(question),
        filter,
        &Weights::USED,
        25,
    );
    (
        ranking.mode,
        ranking.hits.iter().map(|hit| hit.row).collect(),
    )
}

#[test]
fn the_mode_says_which_lists_there_were() {
    let open = Filter::default();
    for (sparse, dense, question, mode) in [
        (Some(vec![1]), Some(vec![2]), "what waits", Mode::Hybrid),
        (Some(vec![1]), None, "what waits", Mode::SparseOnly),
        (None, Some(vec![2]), "what waits", Mode::DenseOnly),
        (Some(vec![1]), Some(vec![2]), "what is it", Mode::DenseOnly),
        (None, None, "what waits", Mode::NamesOnly),
    ] {
        let mut memory = Memory {
            sparse,
            dense,
            ..memory()
        };
        assert_eq!(ranked(&mut memory, question, &open).0, mode);
    }
}

#[test]
fn a_definition_that_no_list_has_is_found_by_its_name() {
    let mut memory = Memory {
        sparse: Some(vec![2]),
        named: vec![1],
        ..memory()
    };
    assert_eq!(ranked(&mut memory, "alpha", &Filter::default()).1, [1, 2]);
}

#[test]
fn the_item_of_a_path_comes_first() {
    for (question, canon) in [
        ("Gate::open", "crate::Gate::open"),
        ("Gate.open", "Gate::open"),
        ("Gate::open()", "crate::<Gate as Door<u8>>::open"),
        ("Gate<u8>::open", "crate::Gate<u16>::open"),
        ("crate::Gate::open", "crate::Gate::open"),
    ] {
        let of_path = |row, file, name, canon: &str| Item {
            canon_path: canon.to_owned(),
            ..item(row, file, name)
        };
        let mut memory = Memory {
            items: vec![
                of_path(1, "src/open.rs", "open", "crate::GateKeeper::open"),
                of_path(2, "src/gate.rs", "reopen", "crate::Gate::reopen"),
                of_path(3, "tests/gate.rs", "open", canon),
                of_path(4, "src/gate.rs", "Gate", "crate::Gate"),
                of_path(5, "src/gate.rs", "open_all", "crate::Gate::open_all"),
            ],
            sparse: Some(vec![2, 1, 5, 4]),
            named: vec![4, 1, 3],
            ..Memory::default()
        };
        let (_, rows) = ranked(&mut memory, question, &Filter::default());
        assert_eq!(rows.first(), Some(&3), "{question}: {rows:?}");
    }
}

#[test]
fn a_filter_leaves_what_passes() {
    let mut memory = Memory {
        sparse: Some(vec![1, 2, 3]),
        ..memory()
    };
    let filter = Filter {
        paths: vec!["src".to_owned()],
        ..Filter::default()
    };
    assert_eq!(ranked(&mut memory, "what waits", &filter).1, [1, 2]);
}

#[test]
fn a_test_comes_after_other_code_and_says_why() {
    let mut memory = Memory {
        sparse: Some(vec![3, 1]),
        ..memory()
    };
    let Ok(ranking) = rank(
        &mut memory,
        &Question::read("what waits"),
        &Filter::default(),
        &Weights::USED,
        25,
    );
    let last = ranking.hits.last().unwrap();
    assert_eq!(last.row, 3);
    assert!(
        last.reasons
            .iter()
            .any(|reason| reason.rule == Rule::Secondary)
    );
}

#[test]
fn a_row_that_is_gone_is_left_out() {
    let mut memory = Memory {
        sparse: Some(vec![77, 1]),
        ..memory()
    };
    assert_eq!(ranked(&mut memory, "what waits", &Filter::default()).1, [1]);
}

#[test]
fn a_context_has_parts_and_the_hits_that_they_come_from() {
    let mut memory = Memory {
        sparse: Some(vec![1, 2]),
        ..memory()
    };
    let budget = NonZeroU32::new(1_000).unwrap();
    let Ok(context) = context(
        &mut memory,
        &Question::read("what waits"),
        &Filter::default(),
        budget,
    );
    assert_eq!((context.mode, context.top_k), (Mode::SparseOnly, 5));
    assert_eq!(context.packed.parts.len(), 2);
    assert_eq!(context.packed.parts[0].text, "fn alpha() {}");
    assert_eq!(context.hits.len(), 2);
}
