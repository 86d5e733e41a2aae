//! Values that are spelt like words of sentences, values in several spellings, what counts as
//! nothing, and questions for values of groups.
//!
//! Each question has a statement by hand with its rows, the change that is proposed, or `?` for a
//! question back and `!` for a refusal.

use crate::support;

use agent_planner::{Day, Plan, Schema, plan, plan_chosen};
use rusqlite::Connection;

pub fn database(sql: &str) -> (Connection, Schema) {
    let database = Connection::open_in_memory().unwrap();
    database.execute_batch(sql).unwrap();
    let schema = support::schema_of(&database);
    (database, schema)
}

/// Returns the fault of a question's plan, or `None` if it is as expected.
pub fn fault(database: &Connection, planned: &Plan, expected: &str) -> Option<String> {
    let said = match planned {
        Plan::Query { sql, .. } if sql.starts_with("SELECT") && expected.starts_with("SELECT") => {
            let rows = support::rows_of(database, sql).unwrap();
            let truth = support::rows_of(database, expected).unwrap();
            return (!support::same_rows(&truth, &rows)).then(|| format!("{sql} {rows:?}"));
        }
        Plan::Query { sql, .. } => sql.clone(),
        Plan::Ambiguous { question, .. } => format!("? {question}"),
        Plan::CannotAnswer { reason, .. } => format!("! {reason}"),
        Plan::NoSqlNeeded { answer } => answer.clone(),
    };
    let is_same = match expected {
        "?" | "!" => said.starts_with(expected),
        _ => said == expected,
    };
    (!is_same).then_some(said)
}

pub fn check(sql: &str, cases: &[(&str, &str)]) {
    let (database, schema) = database(sql);
    let mut wrong = Vec::new();
    for (question, expected) in cases {
        let learned = support::learned(&database, &schema, question);
        let planned = plan(question, &learned, Day::parse("2025-06-15").unwrap());
        if let Some(said) = fault(&database, &planned, expected) {
            wrong.push(format!("{question}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const CODES: &str = "
    CREATE TABLE orders (no INTEGER PRIMARY KEY, state TEXT, unit TEXT, total INTEGER);
    INSERT INTO orders VALUES (1,'OR','each',10),(2,'AS','box',4),(3,'US','each',7),(4,'IN','all',3),(5,'IS','box',9),(6,'TX','each',1),
      (7,'NOT','box',200),(8,'TX','box',300),(9,NULL,'each',8),(10,'HAS','box',6),(11,'AND','box',2),(12,'NULL','box',2);
    CREATE TABLE films (id INTEGER PRIMARY KEY, title TEXT, director TEXT, oscars INTEGER);
    INSERT INTO films VALUES (1,'It','Jo Ray',0),(2,'Her','Kim Lee',1),(3,'A','Al Fox',2),(4,'Jaws','Sam Poe',3),(5,'So','Ida Ek',NULL);
    CREATE TABLE songs (id INTEGER PRIMARY KEY, song TEXT, label TEXT, rating INTEGER, grade TEXT);
    INSERT INTO songs VALUES (1,'Top Gun','MAX',7,'A'),(2,'Most','TOP',6,'B'),(3,'Not Okay','PER',4,NULL);";

/// Changes and questions with values that are spelt like words of sentences.
const SPELT: &[(&str, &str)] = &[
    (
        "delete orders whose state is AS",
        "DELETE FROM orders WHERE state = 'AS'",
    ),
    (
        "delete orders with state AS",
        "DELETE FROM orders WHERE state = 'AS'",
    ),
    (
        "delete orders whose state is as",
        "DELETE FROM orders WHERE state = 'AS'",
    ),
    (
        "delete orders whose state is IS",
        "DELETE FROM orders WHERE state = 'IS'",
    ),
    (
        "delete orders where state is HAS",
        "DELETE FROM orders WHERE state = 'HAS'",
    ),
    (
        "delete orders where state = AND",
        "DELETE FROM orders WHERE state = 'AND'",
    ),
    (
        "delete orders whose state is not NOT",
        "DELETE FROM orders WHERE state <> 'NOT'",
    ),
    (
        "delete orders whose state is NULL",
        "DELETE FROM orders WHERE state = 'NULL'",
    ),
    (
        "delete orders with unit each",
        "DELETE FROM orders WHERE unit = 'each'",
    ),
    (
        "delete orders with unit all",
        "DELETE FROM orders WHERE unit = 'all'",
    ),
    (
        "delete orders in US with total over 5",
        "DELETE FROM orders WHERE state = 'US' AND total > 5",
    ),
    (
        "delete orders in OR with total over 5",
        "DELETE FROM orders WHERE state = 'OR' AND total > 5",
    ),
    (
        "delete orders in TX or US",
        "DELETE FROM orders WHERE state IN ('TX', 'US')",
    ),
    (
        "delete orders in IN and OR",
        "DELETE FROM orders WHERE state IN ('IN', 'OR')",
    ),
    (
        "delete orders in OR or TX",
        "DELETE FROM orders WHERE state IN ('OR', 'TX')",
    ),
    (
        "delete orders with state NOT and total over 100",
        "DELETE FROM orders WHERE state = 'NOT' AND total > 100",
    ),
    (
        "set the unit of orders with state IS to 'box'",
        "UPDATE orders SET unit = 'box' WHERE state = 'IS'",
    ),
    ("how many orders with state AS?", "SELECT 1"),
    ("how many orders have state HAS?", "SELECT 1"),
    (
        "how many orders have state IN?",
        "SELECT COUNT(*) FROM orders WHERE state = 'IN'",
    ),
    (
        "how many orders in the US?",
        "SELECT COUNT(*) FROM orders WHERE state = 'US'",
    ),
    (
        "how many orders in us?",
        "SELECT COUNT(*) FROM orders WHERE state = 'US'",
    ),
    ("orders in IS", "SELECT * FROM orders WHERE state = 'IS'"),
    ("orders in AND", "SELECT * FROM orders WHERE state = 'AND'"),
    ("US orders", "SELECT * FROM orders WHERE state = 'US'"),
    (
        "show us orders in TX",
        "SELECT * FROM orders WHERE state = 'TX'",
    ),
    ("total of US", "SELECT total FROM orders WHERE state = 'US'"),
    (
        "director of A",
        "SELECT director FROM films WHERE title = 'A'",
    ),
    (
        "who directed It?",
        "SELECT director FROM films WHERE title = 'It'",
    ),
    (
        "oscars of So",
        "SELECT oscars FROM films WHERE title = 'So'",
    ),
    ("oscars of it", "?"),
    ("rating of Top Gun", "SELECT 7"),
    ("rating of Most", "SELECT 6"),
    ("rating of Not Okay", "SELECT 4"),
    ("songs of MAX", "SELECT * FROM songs WHERE label = 'MAX'"),
    ("how many songs by PER", "SELECT 1"),
    (
        "delete the songs Top Gun and Most",
        "DELETE FROM songs WHERE song IN ('Top Gun', 'Most')",
    ),
    ("labels without grade A", "SELECT 'TOP' UNION SELECT 'PER'"),
    (
        "songs without grade A",
        "SELECT * FROM songs WHERE grade <> 'A' OR grade IS NULL",
    ),
];

#[test]
fn values_may_be_spelt_like_words_of_sentences() {
    check(CODES, SPELT);
}

#[test]
fn changes_leave_no_word_out_that_may_be_a_value() {
    check(
        CODES,
        &[
            (
                "delete the films It and Her",
                "DELETE FROM films WHERE title IN ('It', 'Her')",
            ),
            ("delete the films it and her", "!"),
            ("delete the films her and it", "!"),
            ("delete orders whose state is", "!"),
            ("delete orders whose state is known", "!"),
            ("delete orders in TX or", "!"),
            ("delete orders in ME", "!"),
            ("delete orders in BE", "!"),
            ("orders in BE", "!"),
            ("how many orders in the WE?", "!"),
            ("orders of ALL states", "!"),
            (
                "how many orders are NOT in TX",
                "SELECT COUNT(*) FROM orders WHERE state <> 'TX'",
            ),
            (
                "orders whose state is NOT TX",
                "SELECT * FROM orders WHERE state <> 'TX' OR state IS NULL",
            ),
            (
                "orders in TX OR US",
                "SELECT * FROM orders WHERE state IN ('TX', 'US')",
            ),
            (
                "orders in TX AND US",
                "SELECT * FROM orders WHERE state IN ('TX', 'US')",
            ),
            ("list OR orders", "SELECT * FROM orders WHERE state = 'OR'"),
            ("delete orders that are NOT in TX", "!"),
            ("delete ALL orders in TX", "!"),
            (
                "delete orders whose state is not as",
                "DELETE FROM orders WHERE state <> 'AS'",
            ),
            ("delete orders in XX with total over 5", "!"),
            ("delete orders Bob with total over 5", "!"),
            ("set the total of orders in ME to 5", "!"),
            (
                "delete orders with total over 5",
                "DELETE FROM orders WHERE total > 5",
            ),
            (
                "delete orders with a state",
                "DELETE FROM orders WHERE state IS NOT NULL",
            ),
            (
                "delete orders in TX",
                "DELETE FROM orders WHERE state = 'TX'",
            ),
        ],
    );
}

const PETS: &str = "
    CREATE TABLE pets (name TEXT, kind TEXT, weight REAL, owner TEXT, sex TEXT, chip TEXT, toys INTEGER, bonus REAL, temperature REAL, size TEXT);
    INSERT INTO pets VALUES ('Rex','dog',30,'Ann','male','None',0,0,0,'Big'),('Tom','cat',4,'Ann','male','x1',2,5,1,'big'),
      ('Ivy','Cat',5,'Bob','female','no',NULL,NULL,NULL,'small'),('Kit','cat',6,'Cid','female',NULL,3,1,-5,'Small'),
      ('Max','DOG',20,'Dan','male','',1,0,2,'BIG'),('Zed','goat',9,'Dan','male','NO',4,2,2,NULL);";

#[test]
fn spellings_that_differ_in_case_are_one_value() {
    check(
        PETS,
        &[
            (
                "pets whose kind is 'cat'",
                "SELECT * FROM pets WHERE lower(kind) = 'cat'",
            ),
            (
                "pets with kind cat",
                "SELECT * FROM pets WHERE lower(kind) = 'cat'",
            ),
            (
                "pets of kind Cat",
                "SELECT * FROM pets WHERE lower(kind) = 'cat'",
            ),
            (
                "pets of size big",
                "SELECT * FROM pets WHERE lower(size) = 'big'",
            ),
            (
                "pets that are small",
                "SELECT * FROM pets WHERE lower(size) = 'small'",
            ),
            (
                "pets whose size is not 'Small'",
                "SELECT * FROM pets WHERE lower(size) <> 'small' OR size IS NULL",
            ),
            (
                "delete pets whose kind is not cat",
                "DELETE FROM pets WHERE kind NOT IN ('cat', 'Cat')",
            ),
            (
                "delete pets whose kind is cat",
                "DELETE FROM pets WHERE kind IN ('cat', 'Cat')",
            ),
            (
                "delete pets with kind 'DOG'",
                "DELETE FROM pets WHERE kind IN ('dog', 'DOG')",
            ),
            (
                "number of pets cat versus dog",
                "SELECT lower(kind), COUNT(*) FROM pets WHERE lower(kind) IN ('cat', 'dog') GROUP BY 1",
            ),
            (
                "average weight of cats versus dogs",
                "SELECT lower(kind), AVG(weight) FROM pets WHERE lower(kind) IN ('cat', 'dog') GROUP BY 1",
            ),
            ("percentage of pets with kind cat", "SELECT 50.0"),
            ("percentage of pets with size big", "SELECT 50.0"),
            (
                "difference between the average weight of dogs and cats",
                "SELECT 20.0",
            ),
            ("how many pets of kind dog", "SELECT 2"),
        ],
    );
}

#[test]
fn nothing_is_also_zero_and_the_word_for_it() {
    check(
        PETS,
        &[
            ("how many pets have no chip?", "SELECT 4"),
            (
                "pets without a chip",
                "SELECT name FROM pets WHERE chip IS NULL OR chip IN ('None', 'no', '')",
            ),
            ("how many pets have a chip?", "SELECT 2"),
            ("how many pets have no toys?", "SELECT 2"),
            ("pets with toys", "SELECT name FROM pets WHERE toys > 0"),
            ("how many pets don't have toys?", "SELECT 2"),
            (
                "pets without a bonus",
                "SELECT name FROM pets WHERE bonus IS NULL OR bonus = 0 ",
            ),
            (
                "pets without a temperature",
                "SELECT name FROM pets WHERE temperature IS NULL",
            ),
            (
                "pets with a temperature",
                "SELECT name FROM pets WHERE temperature IS NOT NULL",
            ),
            (
                "pets without a value for toys",
                "SELECT name FROM pets WHERE toys IS NULL",
            ),
            (
                "delete pets without toys",
                "DELETE FROM pets WHERE (toys IS NULL OR toys = 0)",
            ),
            ("how many have a chip?", "SELECT 2"),
            ("how many have no chip?", "SELECT 4"),
            ("how many have an owner?", "SELECT 6"),
            ("how many have toys?", "SELECT 4"),
        ],
    );
}

#[test]
fn values_of_groups_are_told_from_rows() {
    check(
        PETS,
        &[
            ("owners without cats", "SELECT 'Dan'"),
            (
                "which owners have no dogs?",
                "SELECT 'Bob' UNION SELECT 'Cid'",
            ),
            ("which owners don't have cats?", "SELECT 'Dan'"),
            ("how many owners have no cats?", "SELECT 1"),
            (
                "owners with no female pets",
                "SELECT 'Ann' UNION SELECT 'Dan'",
            ),
            (
                "which kinds have no females?",
                "SELECT 'dog' UNION SELECT 'DOG' UNION SELECT 'goat'",
            ),
            ("owners of pets that have no cats", "?"),
            ("owners who have cats and dogs", "?"),
            (
                "owners who have no cats and no goats",
                "SELECT owner FROM pets WHERE 0",
            ),
            ("owners without a chip", "SELECT 'Bob' UNION SELECT 'Cid'"),
            ("kinds without toys", "SELECT 'Cat' UNION SELECT 'dog'"),
            ("owners with no female cats", "?"),
            (
                "number of males and females per owner",
                "SELECT owner, sex, COUNT(*) FROM pets GROUP BY owner, sex",
            ),
            (
                "average weight of males and females per owner",
                "SELECT owner, sex, AVG(weight) FROM pets GROUP BY owner, sex",
            ),
            (
                "number of cats and dogs per owner",
                "SELECT owner, lower(kind), COUNT(*) FROM pets WHERE lower(kind) <> 'goat' GROUP BY 1, 2",
            ),
            (
                "number of pets that are male or female per owner",
                "SELECT owner, COUNT(*) FROM pets GROUP BY owner",
            ),
            (
                "weight of Tom and Rex",
                "SELECT name, weight FROM pets WHERE name IN ('Tom', 'Rex')",
            ),
        ],
    );
}

/// Countries in several years, more rows than those whose different values are counted.
const YEARS: &str = "
    CREATE TABLE nations (country TEXT, continent TEXT, year INTEGER, pop INTEGER);
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 1200)
    INSERT INTO nations SELECT 'Land ' || (i % 60), CASE i % 60 WHEN 1 THEN 'Oceania' WHEN 2 THEN 'Oceania' ELSE 'Asia' END, 1950 + i / 60, i FROM n;";

#[test]
fn values_are_listed_once_and_rows_to_the_end() {
    check(
        YEARS,
        &[
            (
                "which countries are in Oceania?",
                "SELECT DISTINCT country FROM nations WHERE continent = 'Oceania'",
            ),
            ("countries that are not in Asia", "?"),
            ("list all years", "SELECT DISTINCT year FROM nations"),
            ("list all countries", "SELECT DISTINCT country FROM nations"),
            (
                "which continents have nations?",
                "SELECT DISTINCT continent FROM nations",
            ),
            (
                "nations in Asia",
                "SELECT * FROM nations WHERE continent = 'Asia'",
            ),
            ("nations in 1960", "SELECT * FROM nations WHERE year = 1960"),
            (
                "pop of Land 7",
                "SELECT year, pop FROM nations WHERE country = 'Land 7'",
            ),
            ("first 7 nations", "SELECT * FROM nations LIMIT 7"),
        ],
    );
}

#[test]
fn a_part_of_a_date_is_no_length() {
    let runs = "
        CREATE TABLE runs (runner TEXT, day INTEGER, distance REAL, air_time INTEGER);
        INSERT INTO runs VALUES ('Ann',31,5,20),('Bob',2,10,15),('Cid',7,3,40);
        CREATE TABLE walks (walker TEXT, day INTEGER, hour INTEGER, minutes INTEGER);
        INSERT INTO walks VALUES ('Ann',31,1,20),('Bob',2,23,90);";
    check(
        runs,
        &[
            ("longest run", "?"),
            ("shortest run", "?"),
            ("runs longer than 10", "?"),
            ("longest walk", "SELECT 'Bob'"),
            ("walks longer than 30", "SELECT 'Bob'"),
        ],
    );
    let (database, schema) = database(runs);
    let choice = ["runs.distance".to_owned()];
    let today = Day::parse("2025-06-15").unwrap();
    let planned = plan_chosen("longest run", &choice, &schema, today);
    assert_eq!(fault(&database, &planned, "SELECT 'Bob'"), None);
}

#[test]
fn changes_that_are_not_understood_are_no_lists() {
    let cases = [
        "make all cats big",
        "turn all cats into dogs",
        "mark cats as small",
        "please make Tom a dog",
        "rename Tom to Tim",
        "move Tom to Bob",
        "assign all cats to Bob",
        "give all cats a dog",
        "take all cats",
        "I want to make all cats small",
        "let's make every dog big",
        "cats should be dogs",
        "delete cats and make dogs big",
        "delete cats, then set the size of dogs to 'big'",
        "show cats and make dogs big",
    ];
    check(PETS, &cases.map(|question| (question, "!")));
}
