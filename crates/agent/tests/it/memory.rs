//! Pairs of question and statement: found by their words, kept apart by business and tables.

use agent::memory::{Lookup, Pair, delete, pin, remember, resembling, search};
use agent::state::Target;
use database::migrations;
use serde_json::Value;

use crate::world::NOW_MS;
use test_support::HostDatabase;

fn tenant() -> HostDatabase {
    let db = HostDatabase::new();
    migrations::apply(&db, index::MIGRATIONS, NOW_MS).unwrap();
    db
}

fn pair(business: &str, question: &str, sql: &str) -> Pair {
    Pair {
        business: business.to_owned(),
        target: Target::Session("shop".to_owned()),
        question: question.to_owned(),
        sql: sql.to_owned(),
        explanation: "words".to_owned(),
    }
}

fn found(db: &HostDatabase, business: &str, question: &str) -> Vec<String> {
    resembling(db, business, &Target::Session("shop".to_owned()), question)
        .unwrap()
        .into_iter()
        .map(|example| example.sql)
        .collect()
}

fn fill(db: &HostDatabase) {
    for (at, (business, question, sql)) in [
        ("b1", "How many orders were there in March?", "orders"),
        ("b1", "Which customers live in Oslo?", "customers"),
        ("b2", "How many orders were returned?", "other"),
    ]
    .into_iter()
    .enumerate()
    {
        remember(
            db,
            &pair(business, question, sql),
            &format!("id{at}"),
            NOW_MS + at as u64,
        )
        .unwrap();
    }
}

#[test]
fn a_question_finds_the_pairs_that_share_its_words_and_only_of_its_business() {
    let db = tenant();
    fill(&db);
    assert_eq!(found(&db, "b1", "count the order of April"), ["orders"]);
    assert_eq!(
        found(&db, "b1", "customer in Bergen"),
        ["customers", "orders"]
    );
    assert_eq!(found(&db, "b3", "orders"), Vec::<String>::new());
    let elsewhere = resembling(&db, "b1", &Target::Persistent, "orders").unwrap();
    assert!(elsewhere.is_empty(), "pairs about other tables");
}

#[test]
fn no_question_is_an_operator_of_the_search() {
    let db = tenant();
    fill(&db);
    for question in [
        "\"",
        "orders OR",
        "NEAR(",
        "a* AND (",
        "question:orders",
        "-",
        "",
        "'; DROP TABLE agent_memory; --",
    ] {
        let _found = found(&db, "b1", question);
    }
    assert_eq!(found(&db, "b1", "\"orders\" AND"), ["orders"]);
}

#[test]
fn people_list_search_pin_and_delete_pairs() {
    let db = tenant();
    fill(&db);
    let ids = |lookup: Lookup| -> Vec<String> {
        let found = search(&db, &lookup).unwrap();
        let pairs = found["pairs"].as_array().unwrap();
        pairs
            .iter()
            .map(|pair: &Value| pair["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let of_b1 = || Lookup {
        business: Some("b1".to_owned()),
        ..Lookup::default()
    };
    assert_eq!(ids(Lookup::default()), ["id2", "id1", "id0"]);
    assert_eq!(ids(of_b1()), ["id1", "id0"]);
    assert_eq!(
        ids(Lookup {
            words: Some("orders".to_owned()),
            ..of_b1()
        }),
        ["id0"]
    );
    pin(&db, "id1", Some("b1"), true).unwrap();
    assert_eq!(
        found(&db, "b1", "orders in"),
        ["customers", "orders"],
        "what is pinned comes first"
    );
    assert_eq!(
        pin(&db, "id2", Some("b1"), true).unwrap_err().code(),
        "NO_SUCH_PAIR",
        "of another business"
    );
    delete(&db, "id0", Some("b1")).unwrap();
    assert_eq!(
        delete(&db, "id0", Some("b1")).unwrap_err().code(),
        "NO_SUCH_PAIR"
    );
    assert_eq!(
        found(&db, "b1", "orders"),
        Vec::<String>::new(),
        "its words are gone too"
    );
}

#[test]
fn the_same_pair_is_counted_and_not_stored_twice() {
    let db = tenant();
    for at in 0..3 {
        remember(
            &db,
            &pair("b1", "how many", "count"),
            &format!("id{at}"),
            NOW_MS + at,
        )
        .unwrap();
    }
    let found = search(&db, &Lookup::default()).unwrap();
    let pairs = found["pairs"].as_array().unwrap();
    assert_eq!((pairs.len(), &pairs[0]["uses"]), (1, &Value::from(3)));
}

#[test]
fn calls_at_the_same_time_cannot_spend_the_same_dollar() {
    use agent::spending::{Reservation, Settlement, reserve, settle};
    let db = tenant();
    let reservation = |microdollars| Reservation {
        day: "2026-11-25".to_owned(),
        microdollars,
        limit: 100,
    };
    assert!(reserve(&db, &reservation(60)).unwrap().granted);
    let second = reserve(&db, &reservation(60)).unwrap();
    assert!(!second.granted && second.spent == 60);
    let settlement = Settlement {
        day: "2026-11-25".to_owned(),
        reserved: 60,
        microdollars: 10,
        input_tokens: 5,
        output_tokens: 2,
    };
    settle(&db, &settlement).unwrap();
    assert!(
        reserve(&db, &reservation(90)).unwrap().granted,
        "10 are spent"
    );
    assert!(!reserve(&db, &reservation(1)).unwrap().granted);
    let tomorrow = Reservation {
        day: "2026-11-26".to_owned(),
        ..reservation(100)
    };
    assert!(reserve(&db, &tomorrow).unwrap().granted);
}
