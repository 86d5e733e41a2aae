//! Vectors follow the writes of a workspace. A response reports missing vectors and still has an
//! answer.

use code::vectors::{Embedding, QuestionVector, Vectors};
use code_model::retrieval as store;
use code_search::vectors::{Model, SignTable};

use crate::world::{World, canons};

/// Returns the source of functions, each with a word of its own.
fn functions(from: usize, to: usize) -> String {
    (from..to)
        .map(|at| format!("/// Turns the {0}.\npub fn turn_{0}() {{}}\n", word(at)))
        .collect()
}

fn word(at: usize) -> String {
    const SYLLABLES: [&str; 6] = ["ka", "mo", "lu", "zi", "re", "po"];
    [SYLLABLES[at % 6], SYLLABLES[at / 6 % 6], "ndi"].concat()
}

#[test]
fn more_items_than_vectors_in_memory_are_found_by_words_and_said() {
    let mut world = World::with(Vectors::new(Embedding::Here(Model::Hash), 10));
    world.write(&[("src/a.rs", &functions(0, 30))]);
    let fields = world.ask(&format!("turn the {}", word(29)), 500);
    assert_eq!(fields["mode"], "hybrid");
    assert_eq!(fields["withoutVectors"], 21);
    assert!(
        fields["notice"]
            .as_str()
            .unwrap()
            .starts_with("there are more vectors than the limit"),
        "{fields}"
    );
    assert!(
        canons(&fields)
            .iter()
            .any(|canon| canon.ends_with(&word(29))),
        "{fields}"
    );
    // Vectors use room that has become free.
    world.write(&[("src/a.rs", &functions(25, 30))]);
    let fields = world.ask(&format!("turn the {}", word(29)), 500);
    assert_eq!(
        (&fields["withoutVectors"], &fields["notice"]),
        (&0.into(), &serde_json::Value::Null)
    );
}

#[test]
fn another_model_makes_the_vectors_again_and_those_of_the_old_are_deleted() {
    let mut world = World::new();
    world.write(&[("src/a.rs", &functions(0, 5))]);
    assert_eq!(world.ask("turn", 500)["model"], "hash-512/1");
    let table = SignTable::from_files(b"turn\nwheel\n".to_vec(), vec![0x5a; 96]).unwrap();
    world.vectors.change(Embedding::Here(Model::Both(table)));
    let fields = world.ask("turn", 500);
    assert_eq!(
        (&fields["model"], &fields["mode"]),
        (&"hash-512+sign-384/1".into(), &"hybrid".into())
    );
    assert_eq!(
        store::vector_models(&world.db).unwrap(),
        ["hash-512+sign-384/1"]
    );
}

#[test]
fn a_remote_model_that_fails_leaves_the_words_with_the_reason() {
    let remote = Embedding::Remote {
        name: "remote-4",
        dimensions: 4,
    };
    let mut world = World::with(Vectors::new(remote, 100));
    world.write(&[("src/a.rs", &functions(0, 5))]);
    let failed = QuestionVector::Failed("it is overloaded".to_owned());
    let fields = world.asked(&format!("turn the {}", word(3)), 500, &failed);
    assert_eq!(
        (&fields["mode"], &fields["withoutVectors"]),
        (&"sparse_only".into(), &6.into())
    );
    assert!(
        fields["notice"]
            .as_str()
            .unwrap()
            .ends_with("it is overloaded"),
        "{fields}"
    );
    assert!(canons(&fields)[0].ends_with(&word(3)), "{fields}");
    let pending = world.vectors.pending(&world.db, 100).unwrap();
    let made: Vec<(u64, Vec<f32>)> = pending
        .iter()
        .map(|(item, _)| (*item, vec![1.0, *item as f32, 0.0, 0.5]))
        .collect();
    let short: Vec<(u64, Vec<f32>)> = made.iter().map(|(item, _)| (*item, vec![1.0])).collect();
    assert_eq!(
        world.vectors.save(&world.db, &short).unwrap_err().code(),
        "INTERNAL"
    );
    world.vectors.save(&world.db, &made).unwrap();
    let fields = world.asked(
        &format!("turn the {}", word(3)),
        500,
        &QuestionVector::Made(vec![1.0, 0.0, 0.0, 0.0]),
    );
    assert_eq!(
        (&fields["mode"], &fields["withoutVectors"]),
        (&"hybrid".into(), &0.into())
    );
}
