//! Conditions that exclude each other, and names of which it is not said whose they are.

use crate::values::check;
use crate::wording::chosen;

const GYM: &str = "
    CREATE TABLE trainers (id INTEGER PRIMARY KEY, name TEXT, rate INTEGER, manager_id INTEGER REFERENCES trainers(id));
    INSERT INTO trainers VALUES (1,'Rosa',50,NULL),(2,'Marek',40,1),(3,'Tom',30,2),(4,'Eva',30,1);
    CREATE TABLE members (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, active TEXT, trainer_id INTEGER REFERENCES trainers(id));
    INSERT INTO members VALUES (1,'Ella','Kim','yes',2),(2,'Jun','Kim','no',3),(3,'Ella','Ross','yes',2),(4,'Bo','Berg','no',3);
    CREATE TABLE bookings (id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members(id), day DATE, amount INTEGER, parking TEXT);
    INSERT INTO bookings VALUES (1,1,'2025-01-05',10,'yes'),(2,2,'2025-02-05',20,'no'),(3,3,'2025-03-05',30,'yes'),(4,4,'2025-02-20',40,'no');";

/// A second name belongs to the role as well, or the question is refused.
#[test]
fn a_second_name_behind_a_role_is_no_name_of_these_rows() {
    check(
        GYM,
        &[
            (
                "trainers whose manager is Rosa or Marek",
                "SELECT name FROM trainers WHERE manager_id IN (1, 2)",
            ),
            ("trainers whose manager is Rosa, Marek or Tom", "!"),
            ("trainers whose manager is Rosa, Marek", "!"),
            ("trainers whose manager is not Rosa and not Marek", "!"),
            (
                "set the rate of trainers whose manager is Rosa or Marek to 41",
                "UPDATE trainers SET rate = 41 WHERE manager_id IN (SELECT id FROM trainers WHERE name IN ('Rosa', 'Marek'))",
            ),
            (
                "which trainer is the manager of Marek?",
                "SELECT name FROM trainers WHERE id = 1",
            ),
            (
                "trainers who are manager of Tom",
                "SELECT name FROM trainers WHERE id = 2",
            ),
            (
                "trainers whose manager is Rosa",
                "SELECT name FROM trainers WHERE manager_id = 1",
            ),
        ],
    );
}

#[test]
fn conditions_that_exclude_each_other_are_refused() {
    check(
        GYM,
        &[
            ("bookings with and without parking", "!"),
            ("delete bookings with and without an amount", "!"),
            ("how many trainers with or without a manager", "!"),
            ("number of active and inactive members", "!"),
            (
                "number of active or inactive members",
                "SELECT count(*) FROM members",
            ),
            ("bookings by February 2025", "?"),
            ("delete bookings by February 2025", "?"),
            ("how many bookings are not by Ella Kim?", "?"),
            ("members not named Ella Kim", "?"),
        ],
    );
    // A range of two months does not become one that has no day.
    chosen(
        GYM,
        &[(
            "bookings from November to February 2025",
            "November 2025",
            "!",
        )],
    );
}

const THEATRE: &str = "
    CREATE TABLE shows (id INTEGER PRIMARY KEY, title TEXT, genre TEXT, budget INTEGER);
    INSERT INTO shows VALUES (1,'Hamlet','tragedy',90),(2,'Cats','musical',40);
    CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, job TEXT);
    INSERT INTO people VALUES (3,'Ina','manager'),(4,'Ole','actor');
    CREATE TABLE venues (id INTEGER PRIMARY KEY, city TEXT, manager_id INTEGER);
    INSERT INTO venues VALUES (1,'London',3),(2,'Leeds',NULL);
    CREATE TABLE cars (id INTEGER PRIMARY KEY, make TEXT, sold DATE);
    INSERT INTO cars VALUES (1,'Ford','2025-01-05'),(2,'Ford',NULL),(3,'Volvo',NULL);";

#[test]
fn a_word_with_two_meanings_is_the_rows_that_are_meant_or_is_asked_back() {
    check(
        THEATRE,
        &[
            (
                "which show has the highest budget?",
                "SELECT title FROM shows WHERE id = 1",
            ),
            (
                "the show with the lowest budget",
                "SELECT title FROM shows WHERE id = 2",
            ),
            (
                "show the budget of Cats",
                "SELECT budget FROM shows WHERE id = 2",
            ),
            ("list shows", "SELECT title FROM shows"),
            ("managers", "?"),
            ("managers in London", "?"),
            (
                "manager of venues in London",
                "SELECT manager_id FROM venues WHERE id = 1",
            ),
            ("sold Fords", "!"),
            ("cars sold", "!"),
        ],
    );
    chosen(
        THEATRE,
        &[(
            "managers",
            "rows whose job of people is manager",
            "SELECT name FROM people WHERE id = 3",
        )],
    );
}

const GROCER: &str = "
    CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, category TEXT, unit_price REAL, cost_price REAL);
    INSERT INTO products VALUES (1,'Milk','dairy',2.5,1.5),(2,'Apples','fruit',3.5,2.5);
    CREATE TABLE order_items (id INTEGER PRIMARY KEY, product_id INTEGER REFERENCES products(id), price REAL, quantity INTEGER);
    INSERT INTO order_items VALUES (1,1,2.25,2),(2,1,2.5,1),(3,2,3.5,4);";

#[test]
fn a_name_that_another_table_has_alone_is_asked_back_beside_a_qualified_one() {
    check(
        GROCER,
        &[
            ("price of Milk", "?"),
            ("average price of fruit", "?"),
            (
                "total quantity of Milk",
                "SELECT SUM(quantity) FROM order_items WHERE product_id = 1",
            ),
            (
                "unit price of Milk",
                "SELECT unit_price FROM products WHERE id = 1",
            ),
        ],
    );
}
