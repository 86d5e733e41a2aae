//! Conditions of columns that share what is said of them, the rows that `delete` names, and conditions that stand side by side.

use crate::values::check;

const ORDERS: &str = "
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, amount INTEGER, method TEXT, shipped_on TEXT);
    INSERT INTO orders VALUES (1,'Ann',5,'cash','2024-01-02'),(2,'Bob',NULL,'card',NULL),(3,'Cid',7,NULL,'2024-02-02'),(4,'Dot',NULL,NULL,NULL);";

#[test]
fn a_test_behind_a_list_of_columns_is_of_each() {
    const MISSING: &str = "DELETE FROM orders WHERE (amount IS NULL OR method IS NULL)";
    check(
        ORDERS,
        &[
            ("delete orders whose amount or method is missing", MISSING),
            ("delete orders whose amount or method is empty", MISSING),
            ("delete orders whose amount or method is unknown", MISSING),
            ("delete orders where amount or the method is null", MISSING),
            ("delete orders with amount or method missing", MISSING),
            (
                "delete orders whose amount is missing or whose method is missing",
                MISSING,
            ),
            (
                "delete orders whose amount and method are missing",
                "DELETE FROM orders WHERE amount IS NULL AND method IS NULL",
            ),
            (
                "delete orders whose amount, method or customer is missing",
                "DELETE FROM orders WHERE ((amount IS NULL OR method IS NULL) OR customer IS NULL)",
            ),
            (
                "delete orders whose amount or method is known",
                "DELETE FROM orders WHERE (amount IS NOT NULL OR method IS NOT NULL)",
            ),
            (
                "set the method of orders whose amount or shipped on is missing to cash",
                "UPDATE orders SET method = 'cash' WHERE (amount IS NULL OR shipped_on IS NULL)",
            ),
            (
                "how many orders whose amount or method is missing",
                "SELECT 3",
            ),
            ("delete orders whose amount or method is not missing", "!"),
            ("delete orders whose customer or method is card", "!"),
            ("delete orders whose customer or method is 'card'", "!"),
            ("delete orders whose amount or id is over 5", "!"),
            ("how many orders whose amount or id is over 5", "!"),
            ("delete orders without amount or method", "!"),
            (
                "delete orders where neither amount nor method is known",
                "!",
            ),
            ("orders with neither an amount nor a method", "!"),
            (
                "delete orders with an amount but no method",
                "DELETE FROM orders WHERE amount > 0 AND method IS NULL",
            ),
            (
                "delete orders whose method is missing or cash",
                "DELETE FROM orders WHERE (method IS NULL OR method = 'cash')",
            ),
        ],
    );
}

#[test]
fn only_rows_of_the_noun_behind_delete_are_deleted() {
    const TICKETS: &str = "
        CREATE TABLE tickets (id INTEGER PRIMARY KEY, title TEXT, state TEXT, label TEXT);
        INSERT INTO tickets VALUES (1,'A','on hold','bug'),(2,'B','open','bug'),(3,'C','on hold','idea');";
    check(
        &format!(
            "{TICKETS} CREATE TABLE labels (id INTEGER PRIMARY KEY, ticket_id INTEGER REFERENCES tickets(id), name TEXT);
             INSERT INTO labels VALUES (1,1,'bug'),(2,2,'bug'),(3,3,'idea');"
        ),
        &[
            ("delete bug labels of tickets on hold", "!"),
            ("delete bug label of tickets on hold", "!"),
            ("delete the bug labels of open tickets", "!"),
            ("delete on hold tickets labels", "!"),
            (
                "delete labels of tickets on hold",
                "DELETE FROM labels WHERE ticket_id IN (SELECT id FROM tickets WHERE state = 'on hold')",
            ),
            (
                "delete open tickets",
                "DELETE FROM tickets WHERE state = 'open'",
            ),
            (
                "delete tickets with bug labels",
                "DELETE FROM tickets WHERE label = 'bug'",
            ),
        ],
    );
    check(
        &format!(
            "{TICKETS} CREATE TABLE labels (id INTEGER PRIMARY KEY, name TEXT, color TEXT);
             INSERT INTO labels VALUES (1,'bug','red'),(2,'help','blue');"
        ),
        &[
            ("delete bug labels of tickets on hold", "!"),
            (
                "delete red labels",
                "DELETE FROM labels WHERE color = 'red'",
            ),
        ],
    );
    check(
        TICKETS,
        &[
            ("delete bug labels of tickets on hold", "!"),
            ("delete the label of tickets on hold", "!"),
            (
                "delete bug tickets",
                "DELETE FROM tickets WHERE label = 'bug'",
            ),
            (
                "delete tickets of label bug",
                "DELETE FROM tickets WHERE label = 'bug'",
            ),
        ],
    );
}

#[test]
fn a_column_and_its_value_are_no_part_of_a_text() {
    check(
        "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, status TEXT, city TEXT, plan TEXT);
         INSERT INTO users VALUES (1,'Ann','active','Madrid','free'),(2,'Bob','active','Rome','pro'),(3,'Cid','closed','Madrid','pro');",
        &[
            (
                "delete users with status active in city Madrid",
                "DELETE FROM users WHERE status = 'active' AND city = 'Madrid'",
            ),
            (
                "set the plan of users with status active in city Madrid to pro",
                "UPDATE users SET \"plan\" = 'pro' WHERE status = 'active' AND city = 'Madrid'",
            ),
            (
                "delete users with city Madrid in status active",
                "DELETE FROM users WHERE city = 'Madrid' AND status = 'active'",
            ),
            (
                "users with name Ann in city Madrid on plan free",
                "SELECT * FROM users WHERE id = 1",
            ),
            ("delete users with status paused in city Madrid", "!"),
            ("delete users with act in the city Madrid", "!"),
            ("users with very old in city Madrid", "!"),
            ("users with dri in the city", "SELECT * FROM users WHERE id IN (1, 3)"),
        ],
    );
}
