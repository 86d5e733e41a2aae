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
fn the_explanation_says_which_rows_without_a_value_are_left_out() {
    let (database, schema) = database(HOUSES);
    let today = Day::parse("2026-06-15").unwrap();
    let explained = |question: &str| {
        let learned = support::learned(&database, &schema, question);
        match plan_chosen(question, &[], &learned, today) {
            Plan::Query { explanation, .. } => explanation,
            other => panic!("{question}: {other:?}"),
        }
    };
    for (question, said) in [
        (
            "lamps that are not lit",
            "lit is 'no' (rows without a value are left out)",
        ),
        (
            "delete houses not of Eva",
            "(rows without a value for owner_id are left out)",
        ),
    ] {
        let explanation = explained(question);
        assert!(explanation.contains(said), "{explanation}");
    }
}

/// A library that lends books, which readers review.
const LIBRARY: &str = "
    CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO authors VALUES (1,'Christie'),(2,'Ibsen');
    CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES authors(id), genre TEXT, damaged INTEGER);
    INSERT INTO books VALUES (1,'Ghosts',2,'drama',0),(2,'Curtain',1,'crime',1),(3,'Nemesis',1,'crime',0);
    CREATE TABLE readers (id INTEGER PRIMARY KEY, name TEXT, phone TEXT, blocked TEXT);
    INSERT INTO readers VALUES (1,'Lars Holm','12','no'),(2,'Siri Aas',NULL,'yes');
    CREATE TABLE loans (id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES books(id), reader_id INTEGER REFERENCES readers(id), borrowed_on DATE, due_on DATE, returned_on DATE);
    INSERT INTO loans VALUES (1,1,1,'2026-01-03','2026-02-03','2026-02-01'),(2,2,2,'2026-05-03','2026-07-03',NULL);
    CREATE TABLE reviews (id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES books(id), reader_id INTEGER REFERENCES readers(id), stars INTEGER);
    INSERT INTO reviews VALUES (1,1,1,5),(2,3,2,2);";

#[test]
fn two_verbs_do_not_share_what_follows_the_second() {
    check(
        LIBRARY,
        &[
            ("delete loans borrowed or returned in 2026", "!"),
            ("delete loans of Siri Aas borrowed or due in 2026", "!"),
            ("delete books borrowed or reviewed by Lars Holm", "!"),
            ("readers who borrowed and reviewed Ghosts", "!"),
            ("delete reviews that Lars Holm wrote", "!"),
            (
                "delete loans borrowed in 2026 and returned in 2026",
                "DELETE FROM loans WHERE borrowed_on >= '2026-01-01' AND borrowed_on < '2027-01-01' AND returned_on >= '2026-01-01' AND returned_on < '2027-01-01'",
            ),
            (
                "delete loans not returned",
                "DELETE FROM loans WHERE returned_on IS NULL",
            ),
        ],
    );
}

#[test]
fn something_behind_or_may_be_absent_as_well() {
    check(
        LIBRARY,
        &[
            ("delete readers without phone or blocked", "!"),
            ("delete authors with no damaged or crime books", "!"),
            (
                "delete authors with no drama or crime books",
                "DELETE FROM authors WHERE id NOT IN (SELECT author_id FROM books WHERE genre IN ('drama', 'crime') AND author_id IS NOT NULL)",
            ),
        ],
    );
}

#[test]
fn a_planned_day_may_be_after_today() {
    check(
        LIBRARY,
        &[
            ("delete loans that are not due yet", "?"),
            ("delete readers with loans that are due", "?"),
        ],
    );
    chosen(
        LIBRARY,
        &[
            (
                "delete loans that are not due yet",
                "due on of loans is missing or after today",
                "DELETE FROM loans WHERE (due_on IS NULL OR due_on >= '2025-06-16')",
            ),
            (
                "loans that are due",
                "due on of loans is not after today",
                "SELECT 1 WHERE 0",
            ),
        ],
    );
}

#[test]
fn one_of_several_rows_below_may_be_so_and_another_not_so() {
    check(
        LIBRARY,
        &[
            (
                "delete readers who borrowed books by Christie but not by Ibsen",
                "?",
            ),
            ("readers who borrowed books by Christie and Ibsen", "?"),
            (
                "readers who borrowed books by Christie or Ibsen",
                "SELECT 1 UNION SELECT 2",
            ),
        ],
    );
}

/// Volunteers who may have left, with a state and a day, and shifts that may be missed.
const CHARITY: &str = "
    CREATE TABLE agents (id INTEGER PRIMARY KEY, name TEXT, boss TEXT);
    INSERT INTO agents VALUES (1,'Ida','Will Hall'),(2,'Jo','Ned Fox');
    CREATE TABLE volunteers (id INTEGER PRIMARY KEY, name TEXT, status TEXT, left_on DATE, agent_id INTEGER REFERENCES agents(id));
    INSERT INTO volunteers VALUES (1,'Ann','left','2024-01-01',NULL),(2,'Bob','paused','2024-05-01',1),(3,'Cy','active',NULL,1);
    CREATE TABLE shifts (id INTEGER PRIMARY KEY, volunteer_id INTEGER REFERENCES volunteers(id), day DATE, missed TEXT, note TEXT);
    INSERT INTO shifts VALUES (1,2,'2025-01-01','yes','late'),(2,2,'2025-02-01','no','too late'),(3,3,'2025-02-02','no',NULL);";

#[test]
fn a_state_a_day_a_flag_and_a_part_of_a_text_are_told_apart() {
    check(
        CHARITY,
        &[
            ("delete volunteers who have not left", "?"),
            ("delete volunteers who missed more than one shift", "!"),
            ("delete volunteers who missed no shift", "!"),
            ("delete volunteers whose boss is Will Hall", "?"),
            (
                "delete shifts containing late",
                "DELETE FROM shifts WHERE note LIKE '%late%'",
            ),
            (
                "delete shifts not containing late",
                "DELETE FROM shifts WHERE NOT (note LIKE '%late%')",
            ),
        ],
    );
    chosen(
        CHARITY,
        &[(
            "delete volunteers who have not left",
            "left on of volunteers is missing",
            "DELETE FROM volunteers WHERE left_on IS NULL",
        )],
    );
}

/// Flats that may be let, with a caretaker and tenants, and staff who may be trained.
const FLATS: &str = "
    CREATE TABLE flats (code TEXT, city TEXT, status TEXT, caretaker TEXT);
    INSERT INTO flats VALUES ('A1','York','let','Hugh Kerr'),('A2','Bath','empty','Nell Rice'),('A3','York','let','Nell Rice');
    CREATE TABLE staff (id INTEGER PRIMARY KEY, name TEXT, trained TEXT);
    INSERT INTO staff VALUES (1,'Sue Hope','yes'),(2,'Art Mills','no');
    CREATE TABLE clients (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO clients VALUES (1,'Ada'),(2,'Bo');
    CREATE TABLE policies (id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients(id), premium INTEGER);
    INSERT INTO policies VALUES (1,1,900),(2,1,100),(3,2,200);";

#[test]
fn nobody_is_taken_for_the_one_who_did_something() {
    check(
        FLATS,
        &[
            ("delete flats let to Hugh Kerr", "!"),
            ("delete flats to let", "!"),
            ("delete staff trained by Sue Hope", "!"),
            ("staff trained by Sue Hope", "!"),
            (
                "delete let flats in York",
                "DELETE FROM flats WHERE status = 'let' AND city = 'York'",
            ),
            ("delete clients whose premium is over 800", "?"),
        ],
    );
    chosen(
        FLATS,
        &[(
            "delete clients whose premium is over 800",
            "one of policies is enough",
            "DELETE FROM clients WHERE id IN (SELECT client_id FROM policies WHERE premium > 800)",
        )],
    );
}

/// Invoices with three dates, and tickets with two people.
const DESK: &str = "
    CREATE TABLE invoices (id INTEGER PRIMARY KEY, date DATE, due_date DATE, paid_on DATE, note TEXT);
    INSERT INTO invoices VALUES (1,'2024-12-01','2025-01-01','2025-02-01','rush'),(2,'2025-12-01','2026-01-01','2026-02-01',NULL),(3,'2026-02-01','2026-12-01',NULL,'late');
    CREATE TABLE tickets (no INTEGER, title TEXT, reporter TEXT, assignee TEXT, city TEXT);
    INSERT INTO tickets VALUES (1,'login fails','Ada','Chris','Bern'),(2,'crash','Bo','Chris','Hull');
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    INSERT INTO customers VALUES (1,'Ann','Hull'),(2,'Joe','Bern');";

#[test]
fn a_second_date_or_name_is_of_the_column_of_the_first() {
    let years = "paid_on >= '2025-01-01' AND paid_on < '2026-01-01' OR paid_on >= '2026-01-01' AND paid_on < '2027-01-01'";
    check(
        DESK,
        &[
            (
                "delete invoices paid in 2025 or 2026",
                &format!("DELETE FROM invoices WHERE ({years})"),
            ),
            (
                "delete invoices paid after March 2025 and before 2026",
                "DELETE FROM invoices WHERE paid_on >= '2025-04-01' AND paid_on < '2026-01-01'",
            ),
            (
                "delete invoices whose due date is before 2026 or after October 2026",
                "DELETE FROM invoices WHERE (due_date < '2026-01-01' OR due_date >= '2026-11-01')",
            ),
            (
                "invoices paid in 2025 or after January 2026",
                "SELECT 1 UNION SELECT 2",
            ),
            ("delete tickets reported by Ada or Chris", "!"),
            ("delete customers named Hull", "!"),
            ("delete customers named Ann or Bern", "!"),
            (
                "delete tickets not containing login or crash in the title",
                "!",
            ),
        ],
    );
}

/// Animals with names like those of their owners.
const ANIMALS: &str = "
    CREATE TABLE owners (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT);
    INSERT INTO owners VALUES (1,'Rose','Lee'),(2,'Ben','Fox');
    CREATE TABLE animals (id INTEGER PRIMARY KEY, name TEXT, owner_id INTEGER REFERENCES owners(id));
    INSERT INTO animals VALUES (1,'Rex',1),(2,'Rose',2);";

#[test]
fn the_noun_before_named_has_the_name() {
    check(
        ANIMALS,
        &[
            (
                "delete animals of owners named Rose",
                "DELETE FROM animals WHERE owner_id IN (SELECT id FROM owners WHERE first_name = 'Rose')",
            ),
            (
                "delete animals named Rose",
                "DELETE FROM animals WHERE name = 'Rose'",
            ),
            ("delete animals of owners named Rex", "?"),
        ],
    );
}
