//! Fuzz target: what the gate lets through changes no table but the user's.
//!
//! Each input is a text as a caller would send it. What passes [`sql_gate::review`] and `guard` runs on real SQLite with
//! the object's own tables, a user's tables and a full-text index in it; the print of everything that is not the user's must be the same
//! afterwards. The first fence is held to the property by itself too: a statement that only the second one would stop is a finding,
//! unless it writes to a part of a full-text index, which text alone cannot show. So is a statement that the tree of another parser takes for
//! another kind of statement, or for one that changes other names.
//!
//! Half of the mutations are of tokens, so that most inputs are still SQL.

#![no_main]

use sql_gate::SqlError;
use std::cell::OnceCell;

use base::Error;
use sql_gate::{self, Parameters, Policy};
use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target};

#[path = "../mutator.rs"]
mod mutator;

use test_support::corpus::{lines, second_parser};
use test_support::corpus::victims::Victims;

thread_local! {
    static VICTIMS: OnceCell<Victims> = const { OnceCell::new() };
}

/// Small bounds, so that an input takes milliseconds.
fn policy() -> Policy {
    Policy {
        max_recursive_rows: 100,
        max_query_work: 100_000,
        ..Policy::default()
    }
}

fuzz_target!(|input: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(input) else {
        return Corpus::Reject;
    };
    let Ok(reviewed) = sql_gate::review(text, &policy()) else {
        return Corpus::Keep;
    };
    if let Some(disagreement) = second_parser::disagreement(&reviewed) {
        panic!("another parser reads {text:?} as {disagreement}");
    }
    let parameters =
        Parameters::Positional(vec![serde_json::Value::from(1); reviewed.parameter_count()]);
    let Ok(bound) = reviewed.bind(&parameters) else {
        return Corpus::Keep;
    };
    VICTIMS.with(|victims| {
        let victims = victims.get_or_init(Victims::new);
        victims.undone(|| {
            match sql_cost::guard(&victims.db, &bound, &policy()) {
                Ok(()) => {}
                Err(SqlError::SqlBlocked {
                    reason: "shadow_table",
                    ..
                }) => return,
                // SQLite's own refusals arrive as SQL_BLOCKED as well; ours must not: the first fence should have seen it.
                Err(SqlError::SqlBlocked {
                    reason: "internal_table",
                    message,
                    ..
                }) => panic!("only the second fence stops {text:?}: {message}"),
                Err(_) => return,
            }
            let before = victims.print_around(&bound);
            // The engine may refuse or fail it: what counts is what has changed.
            drop(victims.run(&bound));
            assert_eq!(
                victims.print_around(&bound),
                before,
                "{text:?} ran as {:?} and changed what is not the user's",
                bound.sql()
            );
        });
    });
    Corpus::Keep
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutator::mutate(data, size, max_size, seed)
});
