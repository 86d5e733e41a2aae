//! References within a table, what `whose` says of whom, dates of the rows between, groups without rows, and replies to questions back.

use crate::support;
use crate::values::{check, database, fault};

use cmdb_planner::{Day, Plan, plan_chosen};

const WORKERS: &str = "
    CREATE TABLE workers (id INTEGER PRIMARY KEY, name TEXT, boss_id INTEGER REFERENCES workers(id), pay INTEGER, city TEXT);
    INSERT INTO workers VALUES (1,'Ann',NULL,9,'Rome'),(2,'Bob',1,5,'Oslo'),(3,'Cid',2,7,'Rome'),(4,'Dee',1,8,'Oslo');";

const PETS: &str = "
    CREATE TABLE owners (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    INSERT INTO owners VALUES (1,'Ann','Rome'),(2,'Bob','Oslo');
    CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, born TEXT, sick TEXT, owner_id INTEGER REFERENCES owners(id));
    INSERT INTO pets VALUES (1,'Rex','dog','2019-03-01','yes',1),(2,'Mia','cat','2020-03-01','yes',1),(3,'Tom','cat','2021-03-01','no',2);
    CREATE TABLE visits (id INTEGER PRIMARY KEY, pet_id INTEGER REFERENCES pets(id), reason TEXT, day TEXT, cost INTEGER);
    INSERT INTO visits VALUES (1,1,'surgery','2024-05-05',80),(2,2,'surgery','2025-05-05',90),(3,2,'checkup','2024-06-06',10);";

/// Asks each question, gives the reply that must be one of its choices, and compares the rows.
fn check_replies(sql: &str, cases: &[(&str, &str, &str)]) {
    let (database, schema) = database(sql);
    let today = Day::parse("2025-06-15").unwrap();
    let mut wrong = Vec::new();
    for (question, reply, expected) in cases {
        let learned = support::learned(&database, &schema, question);
        let asked = plan_chosen(question, &[], &learned, today);
        let offers = matches!(&asked, Plan::Ambiguous { candidates, .. } if candidates.iter().any(|one| one == reply));
        if !offers {
            wrong.push(format!("{question}: {asked:?}"));
            continue;
        }
        let planned = plan_chosen(question, &[(*reply).to_owned()], &learned, today);
        if let Some(said) = fault(&database, &planned, expected) {
            wrong.push(format!("{question}: {reply}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const ROLES: &[(&str, &str)] = &[
    (
        "workers whose boss has a pay over 7",
        "SELECT 'Bob' UNION SELECT 'Dee'",
    ),
    ("workers with boss Bob", "SELECT 'Cid'"),
    ("average pay of workers with boss Ann", "SELECT 6.5"),
    ("workers with a boss in Oslo", "SELECT 'Cid'"),
    ("how many workers have a boss in Oslo", "SELECT 1"),
    ("workers whose boss is in Oslo", "SELECT 'Cid'"),
    (
        "workers whose boss is Ann",
        "SELECT 'Bob' UNION SELECT 'Dee'",
    ),
    (
        "workers whose boss has no boss",
        "SELECT 'Bob' UNION SELECT 'Dee'",
    ),
    ("workers whose boss has a pay over 7 in Oslo", "?"),
    ("workers whose boss has a pay over 7 and a pay over 6", "?"),
    ("workers of Bob", "SELECT 'Cid'"),
    ("Bob's workers", "SELECT 'Cid'"),
    ("how many workers does Ann have", "SELECT 2"),
    ("average pay of the workers of Ann", "SELECT 6.5"),
    ("is Ann a worker of Bob", "SELECT 0"),
    ("is Bob a worker of Ann", "SELECT 1"),
    ("does Ann have workers", "SELECT 1"),
    ("does Cid have workers", "SELECT 0"),
    ("bosses", "SELECT 'Ann' UNION SELECT 'Bob'"),
    ("bosses in Oslo", "SELECT 'Bob'"),
    ("which boss is in Oslo", "SELECT 'Bob'"),
    ("boss in Oslo", "SELECT 'Bob'"),
    ("bosses with a pay over 6", "SELECT 'Ann'"),
    ("bosses of workers in Rome", "SELECT 'Bob'"),
    ("boss of the workers in Rome", "SELECT 'Bob'"),
    ("how many bosses are there", "SELECT 2"),
    ("average pay of bosses", "SELECT 7.0"),
    ("names of bosses", "SELECT 'Ann' UNION SELECT 'Bob'"),
    ("workers that are bosses", "SELECT 'Ann' UNION SELECT 'Bob'"),
    (
        "workers who are no bosses",
        "SELECT 'Cid' UNION SELECT 'Dee'",
    ),
    ("workers without workers", "SELECT 'Cid' UNION SELECT 'Dee'"),
    ("workers without a boss", "SELECT 'Ann'"),
    ("boss of Bob", "SELECT 'Ann'"),
    ("Bob's boss", "SELECT 'Ann'"),
    ("pay of Bob", "SELECT 5"),
    ("pay of the worker Bob", "SELECT 5"),
    ("is Bob in Oslo", "SELECT 1"),
];

#[test]
fn a_condition_behind_a_role_is_about_the_row_that_it_refers_to() {
    check(WORKERS, ROLES);
    check(
        WORKERS,
        &[
            ("boss with the most workers", "SELECT 'Ann', 2"),
            (
                "workers and their bosses",
                "SELECT 'Ann', NULL UNION SELECT 'Bob', 'Ann' UNION SELECT 'Cid', 'Bob' UNION SELECT 'Dee', 'Ann'",
            ),
            ("delete workers of Bob", "?"),
            (
                "delete workers with boss Bob",
                "DELETE FROM workers WHERE boss_id IN (SELECT id FROM workers WHERE name = 'Bob')",
            ),
        ],
    );
    // The values alone say that it is a key; rows are not changed along those.
    let keyless = WORKERS
        .replace("INTEGER PRIMARY KEY", "INTEGER")
        .replace(" REFERENCES workers(id)", "");
    check(&keyless, ROLES);
    check(
        &keyless,
        &[
            ("delete workers of Bob", "!"),
            ("delete workers with boss Bob", "!"),
            ("delete workers whose boss has a pay over 7", "!"),
        ],
    );
}

#[test]
fn other_roles_ask_back() {
    check_replies(
        "CREATE TABLE animals (tag TEXT, name TEXT, mother_tag TEXT, weight INTEGER);
         INSERT INTO animals VALUES ('A1','Bella',NULL,600),('A2','Flora','A1',500),('A3','Hugo','A1',400),('A4','Daisy','A2',300);",
        &[
            (
                "animals of Bella",
                "those whose mother is Bella",
                "SELECT 'Flora' UNION SELECT 'Hugo'",
            ),
            ("animals of Bella", "Bella itself", "SELECT 'Bella'"),
        ],
    );
    check_replies(
        WORKERS,
        &[
            (
                "workers whose boss has a pay over 7 in Oslo",
                "Oslo is said of the boss",
                "SELECT * FROM workers WHERE 0",
            ),
            (
                "workers whose boss has a pay over 7 in Oslo",
                "Oslo is said of the workers",
                "SELECT 'Bob' UNION SELECT 'Dee'",
            ),
        ],
    );
    check(
        "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, team TEXT);
         INSERT INTO users VALUES (1,'Ada','web'),(2,'Bo','web'),(3,'Cy','core');
         CREATE TABLE bugs (id INTEGER PRIMARY KEY, title TEXT, priority TEXT, reporter_id INTEGER REFERENCES users(id));
         INSERT INTO bugs VALUES (1,'x','high',1),(2,'y','high',1),(3,'z','low',2),(4,'w','high',NULL);",
        &[
            ("reporters of high bugs", "SELECT 'Ada'"),
            ("reporters", "SELECT 'Ada' UNION SELECT 'Bo'"),
            ("how many reporters are there", "SELECT 2"),
            ("reporter of bug 3", "SELECT 'Bo'"),
        ],
    );
}

#[test]
fn a_clause_is_about_the_rows_that_whose_names() {
    check(
        PETS,
        &[
            (
                "pets whose owner has a dog",
                "SELECT 'Rex' UNION SELECT 'Mia'",
            ),
            ("cats whose owner has a dog", "SELECT 'Mia'"),
            ("cats whose owner has a sick dog", "SELECT 'Mia'"),
            ("cats whose owner has no dog", "SELECT 'Tom'"),
            (
                "pets with an owner who has a dog",
                "SELECT 'Rex' UNION SELECT 'Mia'",
            ),
            (
                "visits of pets whose owner has a dog",
                "SELECT 1, 'surgery' UNION SELECT 2, 'surgery' UNION SELECT 3, 'checkup'",
            ),
            (
                "pets whose owner has a dog and are sick",
                "SELECT 'Rex' UNION SELECT 'Mia'",
            ),
            (
                "pets whose owner lives in Rome and has a dog",
                "SELECT 'Rex' UNION SELECT 'Mia'",
            ),
            ("pets whose owner has a dog and a cat", "?"),
            ("pets with an owner with a dog", "?"),
            ("pets whose owner is sick", "!"),
            ("pets whose owner lives in Rome and is sick", "!"),
            (
                "pets whose owner has more than 1 pet",
                "SELECT 'Rex' UNION SELECT 'Mia'",
            ),
            ("owners who have a dog", "SELECT 'Ann'"),
            (
                "delete cats whose owner has a dog",
                "DELETE FROM pets WHERE kind = 'cat' AND owner_id IN (SELECT id FROM owners WHERE id IN (SELECT owner_id FROM pets WHERE kind = 'dog'))",
            ),
        ],
    );
    check_replies(
        PETS,
        &[
            (
                "pets with an owner with a dog",
                "dog is said of owners",
                "SELECT 'Rex' UNION SELECT 'Mia'",
            ),
            (
                "pets with an owner with a dog",
                "dog is said of pets",
                "SELECT 'Rex'",
            ),
        ],
    );
}
