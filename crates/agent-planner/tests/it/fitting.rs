//! The column that a value belongs to where several have it, and the joins that lead there.

use crate::values::check;
use crate::wording::chosen;

/// Files of an airline and a school, without keys.
const FILES: &str = "
    CREATE TABLE flights (flight_no TEXT, airline TEXT, origin TEXT, destination TEXT);
    INSERT INTO flights VALUES ('AX10','AirX','LHR','JFK'),('BL20','BlueJet','CDG','LHR'),('CN30','CanAir','YYZ','CDG');
    CREATE TABLE airports (code TEXT, city TEXT, country TEXT);
    INSERT INTO airports VALUES ('LHR','London','UK'),('JFK','New York','USA'),('CDG','Paris','France'),('YYZ','Toronto','Canada');
    CREATE TABLE airlines (airline TEXT, country TEXT);
    INSERT INTO airlines VALUES ('AirX','UK'),('BlueJet','France'),('CanAir','Canada');
    CREATE TABLE passengers (pid INTEGER, first_name TEXT, last_name TEXT);
    INSERT INTO passengers VALUES (101,'Eva','Long'),(102,'Jo','Paris'),(103,'Kim','Poe');
    CREATE TABLE tickets (ticket_id INTEGER, pid INTEGER, flight_no TEXT, fare INTEGER);
    INSERT INTO tickets VALUES (1,101,'AX10',400),(2,102,'BL20',90),(3,101,'CN30',500),(4,103,'AX10',410);
    CREATE TABLE students (student_no INTEGER, name TEXT, class TEXT);
    INSERT INTO students VALUES (1001,'Amy Reed','7A'),(1002,'Ben Cole','7A'),(1003,'Cat Dunn','8A');
    CREATE TABLE teachers (name TEXT, subject TEXT, class TEXT);
    INSERT INTO teachers VALUES ('Mr Hill','Maths','7A'),('Ms Rose','English','8A');
    CREATE TABLE marks (student_no INTEGER, subject TEXT, mark INTEGER);
    INSERT INTO marks VALUES (1001,'Maths',78),(1001,'English',65),(1002,'Maths',45),(1003,'Maths',91);";

#[test]
fn a_value_that_several_tables_have_is_asked_about() {
    check(
        FILES,
        &[
            ("flights from UK", "?"),
            ("tickets of Paris", "?"),
            ("tickets to Paris", "?"),
            // Only equal subjects lead to teachers, which a person would have to confirm.
            (
                "average mark of 7A",
                "SELECT avg(mark) FROM marks WHERE student_no IN (1001, 1002)",
            ),
            // The rows themselves have it.
            ("students in 7A", "SELECT 1001 UNION SELECT 1002"),
            ("airlines from UK", "SELECT 'AirX'"),
            ("flights of AirX", "SELECT 'AX10'"),
        ],
    );
    chosen(
        FILES,
        &[
            ("flights from UK", "country of airlines", "SELECT 'AX10'"),
            ("tickets of Paris", "last name of passengers", "SELECT 2"),
        ],
    );
}

#[test]
fn rows_join_along_the_first_column_and_along_codes_of_one_form() {
    check(
        FILES,
        &[
            ("tickets of Eva Long", "SELECT 1 UNION SELECT 3"),
            ("passengers without tickets", "SELECT 1 WHERE 0"),
            ("passengers with more than one ticket", "SELECT 101"),
            ("average mark of Amy Reed", "SELECT 71.5"),
            ("flights from LHR to JFK", "SELECT 'AX10'"),
            // A flight has two airports.
            ("flights in London", "?"),
            ("airports without flights", "?"),
            (
                "number of tickets per passenger",
                "SELECT 101, 2 UNION SELECT 102, 1 UNION SELECT 103, 1",
            ),
        ],
    );
}

const THEATRE: &str = "
    CREATE TABLE shows (id INTEGER PRIMARY KEY, title TEXT, genre TEXT, budget INTEGER);
    INSERT INTO shows VALUES (1,'Hamlet','tragedy',90),(2,'Cats','musical',40),(3,'Rent','musical',70);
    CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, job TEXT, fee INTEGER, retired TEXT);
    INSERT INTO people VALUES (1,'Ina West','actor',900,'no'),(2,'Lou Ash','actor',500,'yes'),(3,'Noa Rim','singer',950,'no'),
      (4,'Sam Day','actor',700,'yes');
    CREATE TABLE roles (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES people(id), show_id INTEGER REFERENCES shows(id), part TEXT, state TEXT);
    INSERT INTO roles VALUES (1,1,1,'Hamlet','open'),(2,1,2,'Cat','closed'),(3,2,1,'Ghost','open'),(4,3,2,'Cat','open'),(5,2,3,'Roger','open');";

#[test]
fn a_part_and_a_title_of_one_name_are_asked_about() {
    check(THEATRE, &[("actors with a role in Hamlet", "?")]);
    chosen(
        THEATRE,
        &[(
            "actors with a role in Hamlet",
            "title of shows",
            "SELECT 1 UNION SELECT 2",
        )],
    );
}

#[test]
fn what_a_kind_of_rows_has_is_ranked() {
    check(
        THEATRE,
        &[
            ("which actor has the highest fee?", "SELECT 1"),
            ("actor with the lowest fee", "SELECT 2"),
            ("retired actors with the highest fee", "SELECT 4"),
            ("musical with the highest budget", "SELECT 3"),
            ("actors with the 2 highest fees", "SELECT 1 UNION SELECT 4"),
            ("highest fee of actors", "SELECT 900"),
            (
                "which actor has the most roles?",
                "SELECT 1, 2 UNION SELECT 2, 2",
            ),
            ("person with the most open roles", "SELECT 2, 2"),
            (
                "top 2 people with the most roles",
                "SELECT 1, 2 UNION SELECT 2, 2",
            ),
            ("bottom 2 people with the most roles", "!"),
            ("largest people with the most roles", "!"),
        ],
    );
}

/// Cars whose drivers are in a table that no name tells, and fines that name people.
const CARS: &str = "
    CREATE TABLE staff (id INTEGER, name TEXT);
    INSERT INTO staff VALUES (1,'Ann'),(2,'Bob'),(3,'Cy');
    CREATE TABLE cars (plate TEXT, driver_id INTEGER, built INTEGER, bought TEXT);
    INSERT INTO cars VALUES ('AB-1',1,2018,'2019-01-05'),('AB-2',2,2020,'2020-02-03'),('AB-3',3,2020,'2021-12-09');
    CREATE TABLE fines (fine_id INTEGER, plate TEXT, staff_id INTEGER);
    INSERT INTO fines VALUES (1,'AB-1',2),(2,'AB-3',2);";

#[test]
fn a_key_of_which_nothing_is_known_is_not_passed_by() {
    check(
        CARS,
        &[
            ("cars of Bob", "?"),
            ("fines of Bob", "SELECT 1 UNION SELECT 2"),
        ],
    );
}

/// Pilots and students whose instructors and tutors no key names.
const ROLES: &str = "
    CREATE TABLE pilots (pilot_no INTEGER, name TEXT, base TEXT, instructor_no INTEGER, hours INTEGER);
    INSERT INTO pilots VALUES (1,'Paul Orly','Paris',NULL,90),(2,'Kate Moor','York',1,50),(3,'Ian Frost','York',1,40);
    CREATE TABLE students (student_no INTEGER, name TEXT, town TEXT, tutor INTEGER, grade INTEGER);
    INSERT INTO students VALUES (11,'Ned Oxford','York',2,5),(12,'Amy Poe','Bath',1,6);
    CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES authors(id), translator_id INTEGER REFERENCES authors(id));
    CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO authors VALUES (1,'Leo Sand'),(2,'Isa Hap');
    INSERT INTO books VALUES (1,'War',1,2),(2,'Peace',1,NULL);";

#[test]
fn what_is_said_of_a_role_is_not_said_of_the_row() {
    check(
        ROLES,
        &[
            ("delete pilots with instructor Paul Orly", "!"),
            ("delete pilots without instructor Paul Orly", "!"),
            (
                "set hours to 0 for pilots with an instructor Paul Orly",
                "!",
            ),
            ("delete students with a tutor from York", "!"),
            ("students with tutor Ned Oxford", "!"),
            ("delete books without translator Isa Hap", "!"),
            ("students with grade above their tutor", "!"),
            ("pilots without an instructor", "SELECT 1"),
            ("pilots with an instructor", "SELECT 2 UNION SELECT 3"),
            ("pilots whose instructor is 1", "SELECT 2 UNION SELECT 3"),
            ("books whose translator is Isa Hap", "SELECT 1"),
        ],
    );
}

/// Teams and players that both have a state, and orders whose customers no key names.
const TEAMS: &str = "
    CREATE TABLE teams (id INTEGER PRIMARY KEY, name TEXT, status TEXT);
    INSERT INTO teams VALUES (1,'Lions','active'),(2,'Owls','dissolved'),(3,'Bears','active');
    CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT, team_id INTEGER REFERENCES teams(id), position TEXT, status TEXT);
    INSERT INTO players VALUES (1,'Jo',1,'striker','injured'),(2,'Al',2,'striker','active'),(3,'Kim',3,'keeper','active');
    CREATE TABLE customers (customer_id INTEGER, name TEXT, city TEXT, state TEXT);
    INSERT INTO customers VALUES (1,'Hart','Austin','active'),(2,'Reed','Boston','closed');
    CREATE TABLE orders (order_id INTEGER, customer_id INTEGER, ship_city TEXT, state TEXT, order_date TEXT, ship_date TEXT);
    INSERT INTO orders VALUES (7,1,'Boston','shipped','2026-01-05','2026-03-01'),(8,2,'Austin','open','2026-02-05',NULL);";

#[test]
fn a_state_before_a_kind_is_that_of_the_kind() {
    check(
        TEAMS,
        &[
            ("teams with active strikers", "SELECT 2"),
            ("teams with an active striker", "SELECT 2"),
            ("teams without active strikers", "SELECT 1 UNION SELECT 3"),
            ("delete orders of active customers", "!"),
            ("delete orders from Austin", "?"),
            ("orders from Austin", "?"),
            ("delete shipped orders before March 2026", "?"),
            (
                "delete shipped orders",
                "DELETE FROM orders WHERE state = 'shipped'",
            ),
        ],
    );
}

/// Visits have a doctor of their own, and patients another one.
const CLINIC: &str = "
    CREATE TABLE doctors (doctor_no INTEGER, name TEXT);
    INSERT INTO doctors VALUES (1,'Kim Lee'),(2,'Tia Rome');
    CREATE TABLE patients (patient_no INTEGER, name TEXT, doctor TEXT);
    INSERT INTO patients VALUES (5,'Jo Ray','Kim Lee'),(6,'Al Orr','Kim Lee'),(7,'Bo Ash','Tia Rome');
    CREATE TABLE visits (visit_no INTEGER, patient_no INTEGER, doctor_no INTEGER);
    INSERT INTO visits VALUES (11,5,2),(12,5,2),(13,6,2),(14,7,1);";

#[test]
fn groups_are_the_rows_that_these_rows_refer_to() {
    check(
        CLINIC,
        &[
            ("visits per doctor", "SELECT 1, 1 UNION SELECT 2, 3"),
            (
                "patients per doctor",
                "SELECT 'Kim Lee', 2 UNION SELECT 'Tia Rome', 1",
            ),
        ],
    );
}

/// A club whose coaches and captains are names, loans with a clerk and a member, and people who
/// manage others.
const CLUB: &str = "
    CREATE TABLE teams (team TEXT, city TEXT, coach TEXT, captain TEXT, state TEXT);
    INSERT INTO teams VALUES ('Lions','Lyon','Tom Ray','Ivo Lund','active'),('Owls','Paris','Ned Fay','Leo Berg','dissolved');
    CREATE TABLE players (player_no INTEGER, name TEXT, team TEXT, status TEXT);
    INSERT INTO players VALUES (1,'Ivo Lund','Lions','injured'),(2,'Leo Berg','Owls','fit'),(3,'Tom Ray','Owls','fit');
    CREATE TABLE books (isbn INTEGER, author TEXT, editor TEXT);
    INSERT INTO books VALUES (11,'Jan Moss','Eva Lind'),(12,'Eva Lind','Jan Moss'),(13,'Jan Moss','Jan Moss');
    CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT, manager_id INTEGER REFERENCES employees(id));
    INSERT INTO employees VALUES (1,'Ann Hill',NULL),(2,'Ben Cole',1),(3,'Fay Park',2);";

#[test]
fn names_of_people_in_texts_are_not_rows_that_have_a_state() {
    check(
        CLUB,
        &[
            ("delete teams whose captain is not injured", "!"),
            ("teams whose captain is injured", "!"),
            ("delete teams with a coach from Lyon", "!"),
            ("delete teams without a captain from Paris", "!"),
            ("delete teams with a coach who is active", "!"),
            ("delete Tom Ray's players", "?"),
            ("delete players of Tom Ray", "?"),
            ("delete books by Jan Moss edited by Eva Lind", "!"),
            ("books by Jan Moss not edited by Eva Lind", "!"),
            (
                "delete teams whose captain is Leo Berg",
                "DELETE FROM teams WHERE captain = 'Leo Berg'",
            ),
            (
                "delete teams with a coach",
                "DELETE FROM teams WHERE coach IS NOT NULL",
            ),
        ],
    );
}

#[test]
fn who_manages_somebody_is_not_managed_by_her() {
    check(
        CLUB,
        &[
            ("employees who manage Fay Park", "SELECT 2"),
            ("which employee manages Ben Cole?", "SELECT 1"),
            (
                "delete employees managing Fay Park",
                "DELETE FROM employees WHERE id IN (SELECT manager_id FROM employees WHERE name = 'Fay Park')",
            ),
            ("employees managed by Ann Hill", "SELECT 2"),
            ("employees who do not manage Fay Park", "!"),
        ],
    );
}

#[test]
fn years_and_ranges_of_dates_are_read_as_people_write_them() {
    check(
        CARS,
        &[
            ("cars built in 2018", "SELECT 'AB-1'"),
            ("cars built after 2018", "SELECT 'AB-2' UNION SELECT 'AB-3'"),
            ("cars bought from January to February 2020", "SELECT 'AB-2'"),
            ("cars bought between 1 and 5 February 2020", "SELECT 'AB-2'"),
            (
                "cars bought from 5 January to 7 February 2020",
                "SELECT 'AB-2'",
            ),
            (
                "cars bought from November to December 2021",
                "SELECT 'AB-3'",
            ),
        ],
    );
}
