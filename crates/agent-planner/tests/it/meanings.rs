//! Questions with two meanings that one statement would hide: a state beside a day, a city of two
//! tables, 0 beside no value.

use crate::values::check;
use crate::wording::chosen;

const SHIPPING: &str = "
    CREATE TABLE depots (id INTEGER PRIMARY KEY, depot TEXT, city TEXT);
    INSERT INTO depots VALUES (1,'North','Rome'),(2,'South','Lima');
    CREATE TABLE clients (id INTEGER PRIMARY KEY, company TEXT, city TEXT);
    INSERT INTO clients VALUES (1,'Acme','Oslo'),(2,'Bolt','Rome');
    CREATE TABLE orders (id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients(id), depot_id INTEGER REFERENCES depots(id), status TEXT,
      method TEXT, shipped_on TEXT);
    INSERT INTO orders VALUES (1,1,1,'open','card',NULL),(2,1,2,'shipped','cash','2025-01-02'),(3,2,1,'delivered','card','2025-01-03'),
      (4,2,2,'paid','cash',NULL);
    CREATE TABLE returns (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id), reason TEXT);
    INSERT INTO returns VALUES (1,2,'late'),(2,3,'broken');
    CREATE TABLE stock (depot_id INTEGER REFERENCES depots(id), item TEXT, quantity INTEGER);
    INSERT INTO stock VALUES (1,'nail',500),(1,'bolt',20),(2,'nail',3);
    CREATE TABLE shifts (id INTEGER PRIMARY KEY, worker TEXT, job TEXT, hours REAL, pay REAL);
    INSERT INTO shifts VALUES (1,'Ann','cook',2,40),(2,'Bob','guard',4,60);";

#[test]
fn a_state_and_a_day_are_told_apart() {
    check(
        SHIPPING,
        &[
            ("orders not shipped", "?"),
            ("how many orders were shipped", "?"),
            ("delete orders that are not shipped", "?"),
            ("shipped orders", "SELECT 2"),
            ("orders that are shipped", "SELECT 2"),
            ("orders shipped in 2025", "SELECT 2 UNION SELECT 3"),
            (
                "orders that are not delivered",
                "SELECT 1 UNION SELECT 2 UNION SELECT 4",
            ),
            (
                "orders whose status is not shipped",
                "SELECT 1 UNION SELECT 3 UNION SELECT 4",
            ),
        ],
    );
    chosen(
        SHIPPING,
        &[
            (
                "orders not shipped",
                "shipped on of orders is missing",
                "SELECT 1 UNION SELECT 4",
            ),
            (
                "orders not shipped",
                "status of orders is not \"shipped\"",
                "SELECT 1 UNION SELECT 3 UNION SELECT 4",
            ),
            (
                "how many orders were shipped",
                "shipped on of orders is present",
                "SELECT 2",
            ),
        ],
    );
}

#[test]
fn a_word_behind_an_event_is_said_of_it() {
    check(
        SHIPPING,
        &[
            ("orders not paid by cash", "!"),
            ("orders that are not paid with card", "!"),
            ("orders paid by cash", "SELECT 4"),
            ("orders not by cash", "SELECT 1 UNION SELECT 3"),
            ("orders shipped late", "!"),
            ("late returns", "SELECT 1"),
            ("orders with late returns", "SELECT 2"),
        ],
    );
}

#[test]
fn a_place_that_two_tables_may_have_is_asked_for() {
    check(
        SHIPPING,
        &[
            ("orders in Oslo", "?"),
            ("orders in Lima", "?"),
            ("orders in Rome", "?"),
            ("orders of clients in Oslo", "SELECT 1 UNION SELECT 2"),
            ("clients in Oslo", "SELECT 1"),
        ],
    );
    let oslo = "SELECT 1 UNION SELECT 2";
    chosen(
        SHIPPING,
        &[
            ("orders in Oslo", "city of clients", oslo),
            ("orders in Oslo", "city of depots", "SELECT 1 WHERE 0"),
        ],
    );
}

#[test]
fn an_amount_is_neither_counted_nor_a_group() {
    check(
        SHIPPING,
        &[
            ("stock per depot", "?"),
            (
                "total quantity per depot",
                "SELECT 1, 520 UNION SELECT 2, 3",
            ),
            ("average pay per hour", "!"),
            ("total pay per hour", "!"),
            (
                "average pay per job",
                "SELECT 'cook', 40 UNION SELECT 'guard', 60",
            ),
        ],
    );
}

const LIBRARY: &str = "
    CREATE TABLE branches (id INTEGER PRIMARY KEY, town TEXT, manager_id INTEGER REFERENCES staff(id));
    CREATE TABLE staff (id INTEGER PRIMARY KEY, name TEXT, role TEXT);
    INSERT INTO staff VALUES (1,'Ida','manager'),(2,'Kai','driver'),(3,'Mo','manager');
    INSERT INTO branches VALUES (1,'Oslo',1),(2,'Rome',2);
    CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO authors VALUES (1,'Ann Bass'),(2,'Bob Fox');
    CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES authors(id));
    INSERT INTO books VALUES (1,'Red',1),(2,'Blue',2);
    CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, grant_eur REAL, answer TEXT, fan TEXT);
    INSERT INTO members VALUES (1,'Cy Hill',0,'yes','yes'),(2,'Di Long',500,'maybe','no'),(3,'Ed May',NULL,'no','no'),(4,'Flo Ray',20,NULL,'yes');
    CREATE TABLE loans (id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES books(id), member_id INTEGER REFERENCES members(id), borrowed_on TEXT);
    INSERT INTO loans VALUES (1,1,1,'2025-01-01'),(2,2,2,'2025-02-01');";

#[test]
fn a_name_of_other_people_is_asked_for() {
    check(
        LIBRARY,
        &[
            ("loans of Ann Bass", "?"),
            ("loans of Cy Hill", "SELECT 1"),
            ("books by Ann Bass", "SELECT 1"),
            ("loans of books by Ann Bass", "SELECT 1"),
        ],
    );
}

#[test]
fn a_role_that_is_also_a_kind_is_asked_for() {
    check(
        LIBRARY,
        &[
            ("managers", "?"),
            ("how many managers are there", "?"),
            ("staff whose role is manager", "SELECT 1 UNION SELECT 3"),
            ("drivers", "SELECT 2"),
        ],
    );
    let referred = "rows that manager id of branches refers to";
    chosen(
        LIBRARY,
        &[("managers", referred, "SELECT 1 UNION SELECT 2")],
    );
}

#[test]
fn nothing_is_told_from_zero_and_no() {
    check(
        LIBRARY,
        &[
            ("members without a grant", "?"),
            ("members with a grant", "?"),
            ("members without an answer", "SELECT 4"),
            ("members whose answer is no", "SELECT 3"),
            ("how many members are no fans", "SELECT 2"),
            ("how many members borrowed no books", "!"),
            ("members without loans", "SELECT 3 UNION SELECT 4"),
            ("members with no loans", "SELECT 3 UNION SELECT 4"),
        ],
    );
    chosen(
        LIBRARY,
        &[
            (
                "members without a grant",
                "grant eur of members is missing or 0",
                "SELECT 1 UNION SELECT 3",
            ),
            (
                "members without a grant",
                "grant eur of members is missing",
                "SELECT 3",
            ),
            (
                "members with a grant",
                "grant eur of members is more than 0",
                "SELECT 2 UNION SELECT 4",
            ),
        ],
    );
}
