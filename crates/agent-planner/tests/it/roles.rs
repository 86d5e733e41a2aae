//! References within a table, what `whose` says of whom, dates of the rows between, groups without
//! rows, and replies to questions back.

use crate::support;
use crate::values::{check, database, fault};

use agent_planner::{Day, Plan, plan_chosen};

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
pub fn check_replies(sql: &str, cases: &[(&str, &str, &str)]) {
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
    ("workers without a boss in Rome", "!"),
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

#[test]
fn a_date_behind_a_condition_on_children_is_theirs() {
    check(
        PETS,
        &[
            ("pets with surgery in 2024", "SELECT 'Rex'"),
            ("how many pets had surgery in 2024", "SELECT 1"),
            (
                "pets without surgery in 2024",
                "SELECT 'Mia' UNION SELECT 'Tom'",
            ),
            ("pets with a cost over 50 in 2024", "SELECT 'Rex'"),
            ("pets with surgery since 2025", "SELECT 'Mia'"),
            ("pets with surgery before 2025", "SELECT 'Rex'"),
            ("pets with surgery last year", "SELECT 'Rex'"),
            ("pets with surgery not in 2024", "SELECT 'Mia'"),
            (
                "pets with surgery in 2024 or 2025",
                "SELECT 'Rex' UNION SELECT 'Mia'",
            ),
            ("pets with surgery born in 2019", "SELECT 'Rex'"),
            (
                "pets with a visit in 2024",
                "SELECT 'Rex' UNION SELECT 'Mia'",
            ),
            ("pets with surgery and in 2024", "?"),
            ("owners with surgery in 2024", "SELECT 'Ann'"),
            ("delete pets with surgery in 2024", "?"),
            ("visits with pet Rex in 2024", "SELECT 1, 'surgery'"),
            ("visits of Rex in 2024", "SELECT 1, 'surgery'"),
            ("total cost of the pet Rex in 2024", "SELECT 80"),
            ("visits with pets in 2025", "?"),
            ("pets in 2020", "?"),
        ],
    );
    check_replies(
        PETS,
        &[
            ("visits with pets in 2025", "visits", "SELECT 2, 'surgery'"),
            // Pets have only a birth, which is asked back as well.
            ("visits with pets in 2025", "pets", "?"),
            (
                "pets with surgery and in 2024",
                "day of visits",
                "SELECT 'Rex'",
            ),
        ],
    );
    check(
        "CREATE TABLE trainers (id INTEGER PRIMARY KEY, name TEXT, hired TEXT);
         INSERT INTO trainers VALUES (1,'Ann','2024-02-01'),(2,'Bob','2019-02-01');
         CREATE TABLE classes (id INTEGER PRIMARY KEY, title TEXT, trainer_id INTEGER REFERENCES trainers(id));
         INSERT INTO classes VALUES (1,'Yoga',1),(2,'Yoga',2);",
        &[
            ("trainers of Yoga in 2024", "?"),
            ("trainers hired in 2024", "SELECT 'Ann'"),
        ],
    );
    check_replies(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
         INSERT INTO customers VALUES (1,'Ann'),(2,'Bob');
         CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, launched TEXT);
         INSERT INTO products VALUES (1,'Tea','2020-01-01'),(2,'Milk','2024-01-01');
         CREATE TABLE sales (id INTEGER PRIMARY KEY, product_id INTEGER REFERENCES products(id), customer_id INTEGER REFERENCES customers(id), sold TEXT);
         INSERT INTO sales VALUES (1,1,1,'2024-05-01'),(2,2,1,'2025-05-01'),(3,2,2,'2024-05-01');",
        &[
            ("products of Ann in 2024", "sold of sales", "SELECT 'Tea'"),
            ("products of Ann in 2024", "launched of products", "SELECT 'Milk'"),
        ],
    );
}

#[test]
fn a_group_without_rows_has_none_at_all() {
    check(
        "CREATE TABLE shops (id INTEGER PRIMARY KEY, name TEXT, town TEXT);
         INSERT INTO shops VALUES (1,'North','Rome'),(2,'South','Rome'),(3,'West','Oslo'),(4,'East','Bern');
         CREATE TABLE sales (id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shops(id), amount INTEGER, sold TEXT, online TEXT);
         INSERT INTO sales VALUES (1,1,5,'2024-01-05','yes'),(2,1,5,'2024-03-01','no'),(3,1,5,'2025-01-01','no'),(4,3,9,'2024-02-02','no');",
        &[
            ("towns without sales", "SELECT 'Bern'"),
            ("towns that have no sales", "SELECT 'Bern'"),
            ("how many towns have no sales", "SELECT 1"),
            (
                "towns without sales in 2025",
                "SELECT 'Bern' UNION SELECT 'Oslo'",
            ),
            (
                "towns with no sales over 6",
                "SELECT 'Bern' UNION SELECT 'Rome'",
            ),
            (
                "towns without online sales",
                "SELECT 'Bern' UNION SELECT 'Oslo'",
            ),
            ("how many towns have no online sales", "SELECT 2"),
            (
                "shops without online sales",
                "SELECT 'South' UNION SELECT 'West' UNION SELECT 'East'",
            ),
            ("shops without sales", "SELECT 'South' UNION SELECT 'East'"),
            (
                "names of shops without sales",
                "SELECT 'South' UNION SELECT 'East'",
            ),
            ("towns of shops without sales", "?"),
            (
                "delete shops without sales",
                "DELETE FROM shops WHERE id NOT IN (SELECT shop_id FROM sales WHERE shop_id IS NOT NULL)",
            ),
        ],
    );
}

#[test]
fn of_two_references_the_reply_says_which() {
    let sql = "
        CREATE TABLE teams (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
        INSERT INTO teams VALUES (1,'Lions','York'),(2,'Tigers','Bath');
        CREATE TABLE matches (id INTEGER PRIMARY KEY, home_team_id INTEGER REFERENCES teams(id), away_team_id INTEGER REFERENCES teams(id), visitors INTEGER);
        INSERT INTO matches VALUES (1,1,2,50),(2,2,1,60),(3,1,2,70);";
    check(
        sql,
        &[
            ("matches with home team Lions", "SELECT 50 UNION SELECT 70"),
            ("matches with a home team in Bath", "SELECT 60"),
            ("matches whose away team is in York", "SELECT 60"),
            ("matches of the Lions", "?"),
        ],
    );
    check_replies(
        sql,
        &[
            (
                "matches of the Lions",
                "through home team id of matches",
                "SELECT 50 UNION SELECT 70",
            ),
            (
                "matches in York",
                "through away team id of matches",
                "SELECT 60",
            ),
            (
                "how many matches have the Lions",
                "through home team id of matches",
                "SELECT 2",
            ),
        ],
    );
}

#[test]
fn rows_that_are_so_are_counted_and_not_those_of_their_place() {
    check(
        PETS,
        &[
            ("how many are sick in Rome", "SELECT 2"),
            ("how many sick in Rome", "SELECT 2"),
            ("how many in Rome are sick", "SELECT 2"),
            ("how many sick per city", "SELECT 'Rome', 2"),
            ("how many are not sick in Oslo", "SELECT 1"),
            ("how many dogs in Rome", "SELECT 1"),
            ("how many cats of owners in Rome", "SELECT 1"),
            ("cats of owners in Rome", "SELECT 'Mia'"),
            ("how many owners in Rome", "SELECT 1"),
            ("how many are in Rome", "?"),
        ],
    );
    check_replies(
        PETS,
        &[
            ("how many are in Rome", "pets", "SELECT 2"),
            ("how many are in Rome", "owners", "SELECT 1"),
        ],
    );
}

#[test]
fn a_role_of_zeros_and_ones_asks_whether_the_rows_are_meant() {
    let sql = "
        CREATE TABLE teams (id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO teams VALUES (1,'Lions'),(2,'Tigers');
        CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT, height INTEGER, captain INTEGER, team_id INTEGER REFERENCES teams(id));
        INSERT INTO players VALUES (1,'Ann',180,1,1),(2,'Bob',190,0,1),(3,'Cid',170,0,2);";
    check(
        sql,
        &[
            ("captains", "?"),
            ("who is captain", "?"),
            ("captain of the Lions", "?"),
            ("captain of Ann", "SELECT 1"),
            (
                "name and captain of players",
                "SELECT 'Ann', 1 UNION SELECT 'Bob', 0 UNION SELECT 'Cid', 0",
            ),
            ("teams without a captain", "SELECT 'Tigers'"),
        ],
    );
    let rows = "rows whose captain of players is 1";
    check_replies(
        sql,
        &[
            ("captains", rows, "SELECT 'Ann'"),
            (
                "captains",
                "the column captain of players",
                "SELECT 1 UNION ALL SELECT 0 UNION ALL SELECT 0",
            ),
            ("who is captain", rows, "SELECT 'Ann'"),
            ("captain of the Lions", rows, "SELECT 'Ann'"),
            ("how many captains are there", rows, "SELECT 1"),
            ("average height of captains", rows, "SELECT 180.0"),
            ("teams with a captain", rows, "SELECT 'Lions'"),
            (
                "players who are not captains",
                rows,
                "SELECT 'Bob' UNION SELECT 'Cid'",
            ),
        ],
    );
}

#[test]
fn a_value_of_another_row_is_not_compared_and_a_person_is_asked_for() {
    check(
        "CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT, job TEXT, salary INTEGER);
         INSERT INTO employees VALUES (1,'Ivy','engineer',5),(2,'Jack','engineer',7),(3,'Kate','advisor',4);",
        &[
            ("employees with the job of Ivy", "!"),
            ("employees with the salary of Jack", "!"),
            ("employees with the job of employee 1", "!"),
            ("job of Ivy", "SELECT 'engineer'"),
            ("job and salary of Ivy", "SELECT 'engineer', 5"),
            ("employees with a salary of 4", "SELECT 'Kate'"),
            ("who has the highest salary", "SELECT 'Jack', 7"),
            ("who has the lowest salary", "SELECT 'Kate', 4"),
            ("highest salary", "SELECT 7"),
        ],
    );
}
