//! Changes whose words may belong together in two ways.

use agent_planner::{Day, Plan, plan_chosen};

use crate::support;
use crate::values::{check, database};
use crate::wording::chosen;

/// Visits of houses, and staff that lead each other.
const HOUSES: &str = "
    CREATE TABLE staff (id INTEGER PRIMARY KEY, name TEXT, town TEXT, age INTEGER, state TEXT, manager_id INTEGER REFERENCES staff(id), joined DATE);
    INSERT INTO staff VALUES (1,'Ann','York',30,'active',NULL,'2020-03-01'),(2,'Bob','Hull',40,'away',1,'2021-05-03'),(3,'Cy','York',50,'active',1,'2026-05-01');
    CREATE TABLE owners (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO owners VALUES (1,'Eva'),(2,'Jon');
    CREATE TABLE houses (id INTEGER PRIMARY KEY, street TEXT, rooms INTEGER, state TEXT, owner_id INTEGER REFERENCES owners(id), sold DATE);
    INSERT INTO houses VALUES (1,'High St',3,'sold',1,'2026-03-31'),(2,'Low St',4,'vacant',2,NULL);
    CREATE TABLE visits (id INTEGER PRIMARY KEY, house_id INTEGER REFERENCES houses(id), day DATE, rating INTEGER, result TEXT, code TEXT, note TEXT);
    INSERT INTO visits VALUES (1,1,'2026-01-31',5,'open','A1','wet'),(2,1,'2026-03-01',3,'done','B2',NULL),(3,2,'2026-06-03',2,'open','A1','late');
    CREATE TABLE lamps (id INTEGER PRIMARY KEY, place TEXT, lit TEXT);
    INSERT INTO lamps VALUES (1,'hall','yes'),(2,'door','no'),(3,'attic',NULL);";

#[test]
fn a_time_that_begins_may_have_an_end() {
    let since = "DELETE FROM staff WHERE joined >= '2026-03-01'";
    check(
        HOUSES,
        &[
            ("delete staff joined from March 2026 on", since),
            ("delete staff joined from March 2026 onwards", since),
            ("delete staff joined as from March 2026", since),
            ("delete staff joined since March 2026", since),
            ("delete staff joined from March 2026", "?"),
            ("delete staff joined as of March 2026", "?"),
            ("staff joined from March 2026", "?"),
            ("staff joined from 2020 to 2021", "SELECT 1 UNION SELECT 2"),
            (
                "staff joined from 2020 through 2021",
                "SELECT 1 UNION SELECT 2",
            ),
            (
                "delete staff joined since 2020 until 2021",
                "DELETE FROM staff WHERE joined >= '2020-01-01' AND joined < '2022-01-01'",
            ),
            ("delete staff joined after 2020 to 2021", "!"),
            ("delete staff joined since 2021 to 2020", "!"),
        ],
    );
    chosen(
        HOUSES,
        &[
            (
                "staff joined from March 2026",
                "from March 2026 on",
                "SELECT 3",
            ),
            ("staff joined from May 2021", "only in May 2021", "SELECT 2"),
        ],
    );
}

#[test]
fn a_change_that_breaks_off_is_refused() {
    check(
        HOUSES,
        &[
            ("delete staff from 2020 to", "!"),
            ("delete staff in York to", "!"),
            ("delete staff with a manager in", "!"),
            ("delete staff in York who", "!"),
            ("delete staff in York and with", "!"),
            (
                "delete staff in York",
                "DELETE FROM staff WHERE town = 'York'",
            ),
        ],
    );
}

#[test]
fn words_behind_a_column_or_other_rows_are_said_of_these_first() {
    check(
        HOUSES,
        &[
            ("delete visits with rating done", "!"),
            ("delete staff with age active", "!"),
            ("delete visits with a note in 2026", "?"),
            ("delete visits with house A1", "?"),
            ("delete houses with an owner vacant", "?"),
            ("delete houses with an owner sold in 2026", "?"),
            (
                "delete visits with a note",
                "DELETE FROM visits WHERE note IS NOT NULL",
            ),
            (
                "delete visits with rating 5 and with a note",
                "DELETE FROM visits WHERE rating = 5 AND note IS NOT NULL",
            ),
            (
                "delete houses with owner Eva",
                "DELETE FROM houses WHERE owner_id IN (SELECT id FROM owners WHERE name = 'Eva')",
            ),
            (
                "delete staff with a manager from York",
                "DELETE FROM staff WHERE manager_id IN (SELECT id FROM staff WHERE town = 'York')",
            ),
            // Behind `or` the column that was named holds on.
            ("delete visits with code A1 or done", "!"),
            (
                "delete visits with code A1 or B2",
                "DELETE FROM visits WHERE code IN ('A1', 'B2')",
            ),
            (
                "delete staff whose manager is Ann or Bob",
                "DELETE FROM staff WHERE manager_id IN (SELECT id FROM staff WHERE name IN ('Ann', 'Bob'))",
            ),
        ],
    );
    chosen(
        HOUSES,
        &[(
            "delete visits with a note in 2026",
            "in 2026 is said of visits",
            "DELETE FROM visits WHERE note IS NOT NULL AND day >= '2026-01-01' AND day < '2027-01-01'",
        )],
    );
}

#[test]
fn a_state_and_a_day_of_one_name_are_asked_about() {
    check(HOUSES, &[("delete sold houses", "?")]);
    chosen(
        HOUSES,
        &[(
            "delete sold houses",
            "state of houses is \"sold\"",
            "DELETE FROM houses WHERE state = 'sold'",
        )],
    );
}

#[test]
fn the_explanation_says_that_no_leaves_out_rows_without_a_value() {
    let (database, schema) = database(HOUSES);
    let question = "lamps that are not lit";
    let learned = support::learned(&database, &schema, question);
    let today = Day::parse("2026-06-15").unwrap();
    let Plan::Query { explanation, .. } = plan_chosen(question, &[], &learned, today) else {
        panic!("{question} has no answer");
    };
    assert!(
        explanation.contains("lit is 'no' (rows without a value are left out)"),
        "{explanation}"
    );
}
