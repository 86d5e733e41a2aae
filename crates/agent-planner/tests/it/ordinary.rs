//! Questions in the ordinary words of people who know one table: shares, kinds, numbers in columns
//! of text, months without a year, and what is best.

use crate::support;
use crate::values::{check, database, fault};

use agent_planner::{Day, Plan, plan, plan_chosen};

const STAFF: &str = "
    CREATE TABLE professors (rank TEXT, discipline TEXT, sex TEXT, salary INTEGER, cylinders TEXT);
    INSERT INTO professors VALUES ('Prof','A','Male',90,'4'),('Prof','B','Female',80,'6'),('Prof','A','Female',70,'rotary'),
      ('Assistant','A','Male',60,'4'),('Assistant','B','Male',50,'5'),('Lecturer','C','Female',40,NULL);";

#[test]
fn shares_and_kinds_are_counted() {
    check(
        STAFF,
        &[
            (
                "share of professors per rank in percent",
                "SELECT rank, 100.0 * COUNT(*) / 6 FROM professors GROUP BY rank",
            ),
            (
                "share of each rank",
                "SELECT rank, 100.0 * COUNT(*) / 6 FROM professors GROUP BY rank",
            ),
            (
                "share of ranks in percent",
                "SELECT rank, 100.0 * COUNT(*) / 6 FROM professors GROUP BY rank",
            ),
            (
                "share of females per rank",
                "SELECT rank, 100.0 * SUM(sex = 'Female') / COUNT(*) FROM professors GROUP BY rank",
            ),
            (
                "share of professors that are male per rank",
                "SELECT rank, 100.0 * SUM(sex = 'Male') / COUNT(*) FROM professors GROUP BY rank",
            ),
            (
                "professors by rank",
                "SELECT rank, COUNT(*) FROM professors GROUP BY rank",
            ),
            (
                "professors by rank and sex",
                "SELECT rank, sex, COUNT(*) FROM professors GROUP BY rank, sex",
            ),
            (
                "female professors by rank",
                "SELECT rank, COUNT(*) FROM professors WHERE sex = 'Female' GROUP BY rank",
            ),
            ("professors by salary", "!"),
            (
                "males versus females",
                "SELECT sex, COUNT(*) FROM professors GROUP BY sex",
            ),
            (
                "female lecturers",
                "SELECT * FROM professors WHERE sex = 'Female' AND rank = 'Lecturer'",
            ),
        ],
    );
}

#[test]
fn letters_and_numbers_are_values_of_text() {
    check(
        STAFF,
        &[
            (
                "professors in discipline A",
                "SELECT * FROM professors WHERE discipline = 'A'",
            ),
            ("how many professors of discipline A?", "SELECT 3"),
            (
                "salary of discipline A",
                "SELECT salary FROM professors WHERE discipline = 'A'",
            ),
            ("average salary of discipline A", "SELECT 220.0 / 3"),
            ("highest salary of discipline B", "SELECT 80"),
            (
                "average salary in discipline A versus discipline B",
                "SELECT discipline, AVG(salary) FROM professors WHERE discipline IN ('A', 'B') GROUP BY 1",
            ),
            (
                "average salary of discipline A and discipline B",
                "SELECT 70.0",
            ),
            (
                "delete professors in discipline A",
                "DELETE FROM professors WHERE discipline = 'A'",
            ),
            (
                "professors with 4 cylinders",
                "SELECT * FROM professors WHERE cylinders = '4'",
            ),
            ("how many professors have 5 cylinders?", "SELECT 1"),
            (
                "number of professors with 4 cylinders versus 6 cylinders",
                "SELECT cylinders, COUNT(*) FROM professors WHERE cylinders IN ('4', '6') GROUP BY 1",
            ),
            (
                "average salary of 4 cylinders versus 6 cylinders",
                "SELECT cylinders, AVG(salary) FROM professors WHERE cylinders IN ('4', '6') GROUP BY 1",
            ),
            ("professors with more than 4 cylinders", "!"),
        ],
    );
}

#[test]
fn changes_say_their_rows_in_front_or_behind() {
    check(
        STAFF,
        &[
            (
                "delete all females",
                "DELETE FROM professors WHERE sex = 'Female'",
            ),
            (
                "remove lecturers",
                "DELETE FROM professors WHERE rank = 'Lecturer'",
            ),
            (
                "set salary to 5 for females",
                "UPDATE professors SET salary = 5 WHERE sex = 'Female'",
            ),
            (
                "set the salary to 5 where the rank is Prof",
                "UPDATE professors SET salary = 5 WHERE rank = 'Prof'",
            ),
            (
                "set discipline to 'A' where cylinders is missing",
                "UPDATE professors SET discipline = 'A' WHERE cylinders IS NULL",
            ),
            ("set salary to 5 for Bob", "!"),
            ("set salary to 5", "!"),
            ("delete Prof", "?"),
        ],
    );
}

#[test]
fn questions_back_offer_what_can_be_chosen() {
    let deaths = "
        CREATE TABLE deaths (name TEXT, death_date TEXT, age INTEGER, dose REAL);
        INSERT INTO deaths VALUES ('Ann','1992-05-01',40,1),('Bob','1992-06-02',50,2),('Cid','1993-05-03',60,3);";
    let (database, schema) = database(deaths);
    let today = Day::parse("2025-06-15").unwrap();
    let planned = |question: &str, choices: &[&str]| {
        let learned = support::learned(&database, &schema, question);
        let choices: Vec<String> = choices.iter().map(|choice| (*choice).to_owned()).collect();
        plan_chosen(question, &choices, &learned, today)
    };
    let offered = |question: &str, choices: &[&str]| match planned(question, choices) {
        Plan::Ambiguous { candidates, .. } => candidates,
        other => panic!("{question}: {other:?}"),
    };
    assert_eq!(offered("deaths in May", &[]), ["May 1993", "May 1992"]);
    assert_eq!(
        offered("worst death", &[]),
        ["age of deaths", "dose of deaths"]
    );
    assert_eq!(
        offered("worst death", &["dose of deaths"]),
        ["highest dose", "lowest dose"]
    );
    assert_eq!(offered("best age", &[]), ["highest age", "lowest age"]);
    for (question, choices, expected) in [
        ("deaths in May", &["May 1992"][..], "SELECT 'Ann'"),
        ("deaths in May", &["May 1990"], "SELECT 1 WHERE 0"),
        ("deaths before June", &["June 1992"], "SELECT 'Ann'"),
        (
            "worst death",
            &["deaths.dose", "highest dose"],
            "SELECT 'Cid'",
        ),
        ("best age", &["lowest age"], "SELECT 40"),
        (
            "deaths per year",
            &[],
            "SELECT '1992', 2 UNION SELECT '1993', 1",
        ),
        ("first death", &[], "SELECT 'Ann'"),
        ("deaths in 1992", &[], "SELECT 'Ann' UNION SELECT 'Bob'"),
    ] {
        let found = fault(&database, &planned(question, choices), expected);
        assert_eq!(found, None, "{question}");
    }
}

#[test]
fn rankings_show_the_name_and_what_decides_first() {
    let (database, schema) = database(
        "CREATE TABLE cars (a TEXT, b TEXT, c TEXT, d TEXT, e TEXT, f TEXT, g TEXT, h TEXT, i TEXT, j TEXT, k TEXT, l TEXT,
           m TEXT, n TEXT, o TEXT, p TEXT, q TEXT, r TEXT, s TEXT, t TEXT, u TEXT, weight INTEGER, name TEXT);
         INSERT INTO cars (weight, name) VALUES (5, 'Mini'), (9, 'Maxi');",
    );
    let today = Day::parse("2025-06-15").unwrap();
    let Plan::Query {
        sql, explanation, ..
    } = plan("heaviest car", &schema, today)
    else {
        panic!("no statement");
    };
    let rows = support::rows_of(&database, &sql).unwrap();
    assert_eq!(rows[0].len(), 23, "{sql}");
    assert_eq!(
        rows[0][..2],
        [serde_json::Value::from("Maxi"), serde_json::Value::from(9)],
        "{sql}"
    );
    assert!(explanation.contains("only the first"), "{explanation}");
}
