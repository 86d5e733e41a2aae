//! Tables without declared keys, as files make them: which rows are told apart, which are joined,
//! and which refer to nothing.

use crate::support;
use crate::values::{check, database, fault};

use agent_planner::{Day, Plan, plan_chosen};

const CLINIC: &str = "
    CREATE TABLE doctors (id INTEGER, name TEXT);
    INSERT INTO doctors VALUES (1,'Ford'),(2,'West');
    CREATE TABLE patients (id INTEGER, name TEXT, sex TEXT);
    INSERT INTO patients VALUES (1,'Ann','f'),(2,'Bob','m'),(3,'Ann','f');
    CREATE TABLE visits (id INTEGER, doctor_id INTEGER, patient_id INTEGER, cost INTEGER, day TEXT);
    INSERT INTO visits VALUES (1,1,1,30,'2024-01-01'),(2,1,1,20,'2024-02-01'),(3,1,1,10,'2024-03-01'),(4,2,1,50,'2024-04-01'),(5,2,2,40,'2024-05-01'),
      (6,2,3,5,'2024-06-01');";

#[test]
fn an_average_over_a_table_between_says_what_counts_how_often() {
    let (database, schema) = database(
        "CREATE TABLE doctors (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE patients (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
        CREATE TABLE visits (id INTEGER PRIMARY KEY, doctor_id INTEGER REFERENCES doctors(id), patient_id INTEGER REFERENCES patients(id));
        INSERT INTO doctors VALUES (1,'Ford'),(2,'West');
        INSERT INTO patients VALUES (1,'Ann',20),(2,'Bob',60);
        INSERT INTO visits VALUES (1,1,1),(2,1,1),(3,1,2),(4,2,2);",
    );
    let today = Day::parse("2025-06-15").unwrap();
    let explained = |question: &str| {
        let learned = support::learned(&database, &schema, question);
        match plan_chosen(question, &[], &learned, today) {
            Plan::Query { explanation, .. } => explanation,
            other => panic!("{question}: {other:?}"),
        }
    };
    let note = "A row of patients counts once for each of its rows of visits.";
    let explanation = explained("average age of patients per doctor");
    assert!(explanation.contains(note), "{explanation}");
    let explanation = explained("number of patients per doctor");
    assert!(!explanation.contains(note), "{explanation}");
}

#[test]
fn things_behind_a_table_between_are_counted_once() {
    check(
        CLINIC,
        &[
            (
                "number of patients per doctor",
                "SELECT 1, 1 UNION SELECT 2, 3",
            ),
            (
                "number of different patients per doctor",
                "SELECT 1, 1 UNION SELECT 2, 3",
            ),
            (
                "number of women per doctor",
                "SELECT 1, 1 UNION SELECT 2, 2",
            ),
            ("which doctor has the most patients?", "SELECT 'West'"),
            ("doctors with more than one patient", "SELECT 'West'"),
            ("doctors with exactly one patient", "SELECT 'Ford'"),
            ("is there a doctor with 4 patients?", "SELECT 0"),
            (
                "number of doctors per patient",
                "SELECT 1, 2 UNION SELECT 2, 1 UNION SELECT 3, 1",
            ),
            ("how many patients does Ford have?", "SELECT 1"),
            (
                "number of visits per doctor",
                "SELECT 1, 3 UNION SELECT 2, 3",
            ),
        ],
    );
}

#[test]
fn rows_of_one_name_are_no_one_row() {
    check(
        CLINIC,
        &[
            (
                "latest visit of each patient",
                "SELECT id FROM visits WHERE id IN (4, 5, 6)",
            ),
            (
                "visit with the highest cost per patient",
                "SELECT id FROM visits WHERE id IN (4, 5, 6)",
            ),
            (
                "number of visits per patient",
                "SELECT 1, 4 UNION SELECT 2, 1 UNION SELECT 3, 1",
            ),
            (
                "share of visits per patient",
                "SELECT patient_id, 100.0 * COUNT(*) / 6 FROM visits GROUP BY patient_id",
            ),
            (
                "number of visits per patient and year",
                "SELECT patient_id, '2024', COUNT(*) FROM visits GROUP BY patient_id",
            ),
        ],
    );
}

const INVOICES: &str = "
    CREATE TABLE customers (id INTEGER, name TEXT);
    INSERT INTO customers VALUES (1,'Ann'),(2,'Bob');
    CREATE TABLE invoices (id INTEGER, customer_id INTEGER, status TEXT);
    INSERT INTO invoices VALUES (1,1,'paid'),(2,1,'open'),(3,2,'paid');
    CREATE TABLE payments (id INTEGER, invoice_id INTEGER, method TEXT, year INTEGER);
    INSERT INTO payments VALUES (1,1,'card',2023),(2,2,'cash',2024),(3,3,'card',2024);";

#[test]
fn conditions_along_a_chain_hold_on_one_row_of_it() {
    let cases = [
        ("customers with a paid invoice by cash", "SELECT 1 WHERE 0"),
        ("customers with an open invoice by cash", "SELECT 'Ann'"),
        (
            "customers with a paid invoice by card",
            "SELECT 'Ann' UNION SELECT 'Bob'",
        ),
        (
            "customers with a paid invoice by card in 2024",
            "SELECT 'Bob'",
        ),
        (
            "customers without a paid invoice by cash",
            "SELECT 'Ann' UNION SELECT 'Bob'",
        ),
        ("customers without an open invoice by cash", "SELECT 'Bob'"),
        ("customers who never paid by cash", "!"),
        ("how many customers never paid by cash?", "!"),
        ("customers who paid by cash", "?"),
        ("customers with paid invoices and cash payments", "?"),
        ("delete customers who never paid by cash", "!"),
    ];
    check(INVOICES, &cases);
    let keyed = INVOICES
        .replace("(id INTEGER", "(id INTEGER PRIMARY KEY")
        .replace(
            "customer_id INTEGER",
            "customer_id INTEGER REFERENCES customers(id)",
        )
        .replace(
            "invoice_id INTEGER",
            "invoice_id INTEGER REFERENCES invoices(id)",
        );
    check(&keyed, &cases);
    check(
        &keyed,
        &[(
            "delete customers with paid invoices by cash",
            "DELETE FROM customers WHERE id IN (SELECT customer_id FROM invoices WHERE status = 'paid' AND id IN (SELECT invoice_id FROM payments WHERE method = 'cash'))",
        )],
    );
    replies(
        INVOICES,
        &[
            (
                "customers who paid by cash",
                "status of invoices",
                "SELECT 1 WHERE 0",
            ),
            (
                "customers with paid invoices and cash payments",
                "one row of invoices",
                "SELECT 1 WHERE 0",
            ),
            (
                "customers with paid invoices and cash payments",
                "any rows of invoices",
                "SELECT 'Ann'",
            ),
        ],
    );
}

/// Asks questions that a reply completes.
fn replies(sql: &str, cases: &[(&str, &str, &str)]) {
    let (database, schema) = database(sql);
    for (question, reply, expected) in cases {
        let learned = support::learned(&database, &schema, question);
        let today = Day::parse("2025-06-15").unwrap();
        assert!(
            matches!(
                plan_chosen(question, &[], &learned, today),
                Plan::Ambiguous { .. }
            ),
            "{question}"
        );
        let planned = plan_chosen(question, &[(*reply).to_owned()], &learned, today);
        assert_eq!(
            fault(&database, &planned, expected),
            None,
            "{question}: {reply}"
        );
    }
}

const ORDERS: &str = "
    CREATE TABLE customers (id INTEGER, name TEXT, country TEXT);
    INSERT INTO customers VALUES (1,'Ann','Norway'),(2,'Bob','Italy');
    CREATE TABLE orders (id INTEGER, customer_id INTEGER, total INTEGER);
    INSERT INTO orders VALUES (1,1,10),(2,NULL,20),(3,1,30),(4,2,40);";

#[test]
fn rows_that_refer_to_nothing_are_counted() {
    check(
        ORDERS,
        &[
            ("orders without a customer", "SELECT 2"),
            ("how many orders have no customer?", "SELECT 1"),
            ("is there an order without a customer?", "SELECT 1"),
            ("customers without orders", "SELECT 1 WHERE 0"),
            (
                "share of orders per country",
                "SELECT 'Norway', 50.0 UNION SELECT 'Italy', 25.0 UNION SELECT NULL, 25.0",
            ),
            (
                "number of orders per country",
                "SELECT 'Norway', 2 UNION SELECT 'Italy', 1 UNION SELECT NULL, 1",
            ),
            (
                "total of orders per country",
                "SELECT 'Norway', 40 UNION SELECT 'Italy', 40 UNION SELECT NULL, 20",
            ),
            (
                "number of orders per customer",
                "SELECT 1, 2 UNION SELECT 2, 1",
            ),
            ("what percentage of orders is from Norway?", "SELECT 50.0"),
        ],
    );
    let (database, schema) = database(ORDERS);
    for (question, note) in [
        (
            "total of orders per country",
            "are counted in the group without a value",
        ),
        ("number of orders per customer", "are in none of the groups"),
    ] {
        let learned = support::learned(&database, &schema, question);
        let planned = plan_chosen(question, &[], &learned, Day::parse("2025-06-15").unwrap());
        let Plan::Query { explanation, .. } = planned else {
            panic!("{question}: no statement");
        };
        assert!(explanation.contains(note), "{explanation}");
    }
    check(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, country TEXT);
         INSERT INTO customers VALUES (1,'Norway');
         CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id));
         INSERT INTO orders VALUES (1,1),(2,NULL);",
        &[
            (
                "share of orders per country",
                "SELECT 'Norway', 50.0 UNION SELECT NULL, 50.0",
            ),
            ("orders without a customer", "SELECT 2"),
        ],
    );
}

#[test]
fn a_superior_is_shown_by_name() {
    let employees = "
        CREATE TABLE employees (id INTEGER, name TEXT, dept TEXT, manager_id INTEGER, desk_id INTEGER);
        INSERT INTO employees VALUES (1,'Ann','HR',NULL,2),(2,'Bob','IT',1,3),(3,'Cid','IT',1,1),(4,'Dan','HR',2,4);";
    check(
        employees,
        &[
            ("who is the manager of Bob?", "SELECT 'Ann'"),
            ("manager of Dan", "SELECT 'Bob'"),
            ("name and manager of Cid", "SELECT 'Cid', 'Ann'"),
            ("manager id of Bob", "SELECT 1"),
            ("desk of Bob", "SELECT 3"),
            ("how many employees are in IT?", "SELECT 2"),
            ("employees without a manager", "SELECT 1"),
        ],
    );
}

#[test]
fn equal_small_numbers_and_short_codes_are_no_reference() {
    check(
        "CREATE TABLE hotels (hotel TEXT, city TEXT, rooms INTEGER);
         INSERT INTO hotels VALUES ('Ritz','Paris',3),('Adler','Berlin',2),('Sol','Madrid',4);
         CREATE TABLE rooms (id INTEGER, room_name TEXT, price INTEGER, hotel_nr INTEGER);
         INSERT INTO rooms VALUES (1,'a',200,1),(2,'b',180,1),(3,'c',90,1),(4,'d',75,2),(5,'e',60,2),(6,'f',30,3);",
        &[
            ("how many rooms are in Berlin?", "!"),
            ("average price of rooms in Madrid", "!"),
            ("how many rooms does the Ritz have?", "!"),
            ("hotels with a room over 150", "?"),
            ("hotels with more than 2 rooms", "SELECT 'Ritz' UNION SELECT 'Sol'"),
            ("average price of rooms", "SELECT 635.0 / 6"),
        ],
    );
    check(
        "CREATE TABLE students (id INTEGER, name TEXT, grade INTEGER);
         INSERT INTO students VALUES (1,'Ann',5),(2,'Bob',4),(3,'Cid',5);
         CREATE TABLE grades (id INTEGER, pupil INTEGER, subject TEXT, mark INTEGER);
         INSERT INTO grades VALUES (1,1,'Math',3),(2,1,'Art',2),(3,2,'Math',1),(4,3,'Art',4),(5,3,'Math',5);",
        &[
            ("average mark of Ann", "!"),
            ("how many grades does Ann have?", "?"),
            ("students without a grade in Math", "?"),
        ],
    );
    check(
        "CREATE TABLE cities (city TEXT, code TEXT);
         INSERT INTO cities VALUES ('Los Angeles','CA'),('Dover','DE'),('Mobile','AL');
         CREATE TABLE countries (code TEXT, country TEXT);
         INSERT INTO countries VALUES ('CA','Canada'),('DE','Germany'),('AL','Albania'),('IN','India');",
        &[
            ("how many cities are in Canada?", "?"),
            ("number of cities per country", "?"),
        ],
    );
    check(
        "CREATE TABLE players (id INTEGER, name TEXT, team TEXT);
         INSERT INTO players VALUES (1,'Ann','Ajax'),(2,'Bob','Porto'),(3,'Cid','Ajax');
         CREATE TABLE teams (name TEXT, city TEXT);
         INSERT INTO teams VALUES ('Ajax','Amsterdam'),('Porto','Porto');",
        &[(
            "players of teams in Amsterdam",
            "SELECT 'Ann' UNION SELECT 'Cid'",
        )],
    );
}
