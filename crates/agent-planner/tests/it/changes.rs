//! Conditions of columns that share what is said of them, the rows that `delete` names, and
//! conditions that stand side by side.

use crate::support;
use crate::values::{check, database, fault};

use agent_planner::{Day, plan_chosen};

/// Checks questions about which the planner asked back, with what was chosen.
fn check_chosen(sql: &str, cases: &[(&str, &[&str], &str)]) {
    let (database, schema) = database(sql);
    let mut wrong = Vec::new();
    for (question, choices, expected) in cases {
        let learned = support::learned(&database, &schema, question);
        let choices: Vec<String> = choices.iter().map(|choice| (*choice).to_owned()).collect();
        let today = Day::parse("2025-06-15").unwrap();
        let planned = plan_chosen(question, &choices, &learned, today);
        if let Some(said) = fault(&database, &planned, expected) {
            wrong.push(format!("{question}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

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
            ("delete orders whose amount or whose method is missing", "!"),
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

#[test]
fn demands_side_by_side_are_of_the_subject() {
    check(
        "CREATE TABLE coaches (id INTEGER PRIMARY KEY, name TEXT, town TEXT);
         CREATE TABLE plans (id INTEGER PRIMARY KEY, name TEXT, price INTEGER);
         CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT, town TEXT, age INTEGER, coach_id INTEGER REFERENCES coaches(id), plan_id INTEGER REFERENCES plans(id));
         INSERT INTO coaches VALUES (1,'Kim','Rome'),(2,'Lou','Oslo'); INSERT INTO plans VALUES (1,'Gold',10),(2,'Basic',2);
         INSERT INTO players VALUES (1,'Ann','Rome',20,1,1),(2,'Bob','Bern',30,NULL,2),(3,'Cid','Oslo',40,NULL,NULL),(4,'Dot','Rome',50,2,NULL);",
        &[
            (
                "players without coach and without plan",
                "SELECT * FROM players WHERE id = 3",
            ),
            ("how many players with no coach and no plan", "SELECT 1"),
            (
                "players without a coach but with a plan",
                "SELECT * FROM players WHERE id = 2",
            ),
            (
                "players with coach Kim and with plan Gold",
                "SELECT * FROM players WHERE id = 1",
            ),
            (
                "delete players with a coach and without a plan",
                "DELETE FROM players WHERE coach_id IS NOT NULL AND plan_id IS NULL",
            ),
            (
                "delete players without a coach or without a plan",
                "DELETE FROM players WHERE (coach_id IS NULL OR plan_id IS NULL)",
            ),
            (
                "players with a coach and with age over 30",
                "SELECT * FROM players WHERE id = 4",
            ),
            ("players with a coach and with town Rome", "?"),
            ("players with a coach and in Rome", "?"),
            ("players with a coach and named Ann", "?"),
            ("delete players with a coach and in Rome", "?"),
        ],
    );
    check(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
         CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), total INTEGER);
         CREATE TABLE items (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id), product TEXT);
         CREATE TABLE invoices (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id), customer_id INTEGER REFERENCES customers(id), amount INTEGER);
         INSERT INTO customers VALUES (1,'Ann','Madrid'),(2,'Bob','Rome'),(3,'Cid','Rome');
         INSERT INTO orders VALUES (1,1,5),(2,2,6),(3,2,7);
         INSERT INTO items VALUES (1,1,'Tea'),(2,3,'Milk');
         INSERT INTO invoices VALUES (1,1,1,5),(2,NULL,2,7),(3,NULL,3,1);",
        &[
            (
                "customers with orders and with invoices",
                "SELECT * FROM customers WHERE id IN (1, 2)",
            ),
            (
                "customers who have orders and who have invoices",
                "SELECT * FROM customers WHERE id IN (1, 2)",
            ),
            (
                "customers with at least 2 orders and at least 1 invoice",
                "SELECT * FROM customers WHERE id = 2",
            ),
            (
                "customers with no orders but with invoices",
                "SELECT * FROM customers WHERE id = 3",
            ),
            (
                "customers with orders and with items",
                "SELECT * FROM customers WHERE id IN (1, 2)",
            ),
            ("delete customers with orders and without invoices", "?"),
            (
                "delete customers without orders and without invoices",
                "DELETE FROM customers WHERE id NOT IN (SELECT customer_id FROM orders WHERE customer_id IS NOT NULL) AND id NOT IN (SELECT customer_id FROM invoices WHERE customer_id IS NOT NULL)",
            ),
        ],
    );
}

#[test]
fn a_family_name_does_not_win_over_what_the_row_belongs_to() {
    check(
        "CREATE TABLE departments (id INTEGER PRIMARY KEY, name TEXT);
         CREATE TABLE employees (id INTEGER PRIMARY KEY, first_name TEXT, surname TEXT, department_id INTEGER REFERENCES departments(id), salary INTEGER);
         CREATE TABLE rooms (id INTEGER PRIMARY KEY, name TEXT);
         INSERT INTO departments VALUES (1,'Sales'),(2,'Marketing'),(3,'Bass'); INSERT INTO rooms VALUES (1,'Lee');
         INSERT INTO employees VALUES (1,'Finn','Bass',1,10),(2,'Ann','Marketing',2,20),(3,'Bob','Lee',2,30);",
        &[
            ("how many employees in Marketing", "SELECT 2"),
            ("average salary in Marketing", "?"),
            ("salary of Bass", "?"),
            ("delete employees in Marketing", "?"),
            ("set the salary of Bass to 5", "?"),
            ("delete Bass", "?"),
            (
                "delete employees named Lee",
                "DELETE FROM employees WHERE surname = 'Lee'",
            ),
            (
                "delete employees in Sales",
                "DELETE FROM employees WHERE department_id IN (SELECT id FROM departments WHERE name = 'Sales')",
            ),
        ],
    );
}

#[test]
fn what_has_not_happened_in_a_time_includes_what_never_happened() {
    check(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
         CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), placed_on TEXT NOT NULL);
         INSERT INTO customers VALUES (1,'Ann'),(2,'Bob'),(3,'Cid');
         INSERT INTO orders VALUES (1,1,'2025-06-01'),(2,2,'2025-05-01');",
        &[
            (
                "customers who haven't ordered this month",
                "SELECT * FROM customers WHERE id IN (2, 3)",
            ),
            ("how many customers haven’t ordered this month", "SELECT 2"),
            (
                "customers that didn't order anything this month",
                "SELECT * FROM customers WHERE id IN (2, 3)",
            ),
            (
                "delete customers who haven't ordered this month",
                "DELETE FROM customers WHERE id NOT IN (SELECT customer_id FROM orders WHERE placed_on >= '2025-06-01' AND placed_on < '2025-07-01' AND customer_id IS NOT NULL)",
            ),
            (
                "delete orders that weren't placed this month",
                "DELETE FROM orders WHERE NOT (placed_on >= '2025-06-01' AND placed_on < '2025-07-01')",
            ),
        ],
    );
    check(
        "CREATE TABLE bills (id INTEGER PRIMARY KEY, paid_on TEXT, state TEXT);
         INSERT INTO bills VALUES (1,NULL,'open'),(2,'2025-06-03','done'),(3,'2024-06-03','done');",
        &[
            (
                "bills that haven't been paid this month",
                "SELECT * FROM bills WHERE id IN (1, 3)",
            ),
            ("delete bills not paid this month", "?"),
            (
                "delete bills that haven't been paid",
                "DELETE FROM bills WHERE paid_on IS NULL",
            ),
        ],
    );
}

#[test]
fn verbs_that_change_something_are_no_descriptions() {
    check(
        "CREATE TABLE pigs (id INTEGER PRIMARY KEY, name TEXT, vaccinated INTEGER, weight INTEGER, pen TEXT);
         INSERT INTO pigs VALUES (1,'Ina',1,100,'north'),(2,'Udo',0,120,'open');",
        &[
            ("vaccinate all pigs", "!"),
            ("vaccinate pigs", "!"),
            ("please vaccinate the pigs in the north pen", "!"),
            ("can you vaccinate the heaviest pig", "!"),
            ("weigh all pigs", "!"),
            ("pen all pigs", "!"),
            ("open the pigs", "!"),
            ("open pig 2", "!"),
            ("slaughter the pigs", "!"),
            ("vaccinated pigs", "SELECT * FROM pigs WHERE id = 1"),
            ("open pigs", "SELECT * FROM pigs WHERE id = 2"),
            ("name the heaviest pig", "SELECT 'Udo'"),
            ("name all pigs", "SELECT name FROM pigs"),
            ("weight of all pigs", "SELECT weight FROM pigs"),
            ("count all pigs", "SELECT 2"),
        ],
    );
}

#[test]
fn rows_that_are_named_without_their_key_are_asked_back() {
    const EMPLOYEES: &str = "
        CREATE TABLE employees (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, city TEXT, hired_on TEXT, total INTEGER);
        INSERT INTO employees VALUES (1,'Finn','Bass','Rome','2024-11-03',10),(2,'Ann','Lee','Oslo','2023-11-04',20);
        CREATE TABLE rooms (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO rooms VALUES (1,'Bass'),(2,'Hall');";
    check(
        EMPLOYEES,
        &[
            ("delete Finn Bass", "?"),
            ("delete the employee Finn Bass", "?"),
            ("delete Hall", "?"),
            ("remove Ann from Oslo", "!"),
            (
                "delete employees in Rome?",
                "DELETE FROM employees WHERE city = 'Rome'",
            ),
            (
                "set the total of employee 1 to 5",
                "UPDATE employees SET total = 5 WHERE id = 1",
            ),
            (
                "delete employees hired in November of any year",
                "DELETE FROM employees WHERE substr(hired_on, 6, 2) = '11'",
            ),
        ],
    );
    check_chosen(
        EMPLOYEES,
        &[
            (
                "delete Finn Bass",
                &["employees"],
                "DELETE FROM employees WHERE first_name = 'Finn' AND last_name = 'Bass'",
            ),
            (
                "delete Hall",
                &["rooms"],
                "DELETE FROM rooms WHERE name = 'Hall'",
            ),
            (
                "delete the employee Ann Lee",
                &["all rows of employees where first_name is 'Ann' and last_name is 'Lee'"],
                "DELETE FROM employees WHERE first_name = 'Ann' AND last_name = 'Lee'",
            ),
            (
                "employees hired in November",
                &["2023"],
                "SELECT * FROM employees WHERE id = 2",
            ),
            (
                "delete employees hired in November",
                &["November 2024"],
                "DELETE FROM employees WHERE hired_on >= '2024-11-01' AND hired_on < '2024-12-01'",
            ),
        ],
    );
}

#[test]
fn what_is_said_of_other_rows_is_asked_back_in_a_change() {
    check(
        "CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
         CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, genre TEXT, author_id INTEGER REFERENCES authors(id), language TEXT, status TEXT);
         INSERT INTO authors VALUES (1,'Ada Fox','France'),(2,'Bo Ek','Norway'),(3,'Bob','Chile');
         INSERT INTO books VALUES (1,'Emma','novel',1,'English','sold'),(2,'Sun','poem',2,'French','old'),(4,'Oslo','travel',NULL,'English','old');",
        &[
            ("delete sold authors", "?"),
            ("delete novel authors", "?"),
            ("delete authors whose books are sold", "?"),
            ("delete French authors", "?"),
            ("how many French authors", "SELECT 1"),
            (
                "delete authors with sold books",
                "DELETE FROM authors WHERE id IN (SELECT author_id FROM books WHERE status = 'sold')",
            ),
            (
                "delete Norwegian authors",
                "DELETE FROM authors WHERE country = 'Norway'",
            ),
            (
                "delete books Bob wrote",
                "DELETE FROM books WHERE author_id IN (SELECT id FROM authors WHERE name = 'Bob')",
            ),
            (
                "set the status of old books to sold",
                "UPDATE books SET status = 'sold' WHERE status = 'old'",
            ),
            ("delete the status of old books", "!"),
        ],
    );
}

#[test]
fn a_number_before_a_column_may_count_rows_of_the_table_of_its_name() {
    const MEMBERS: &str = "
        CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, fee INTEGER, rooms INTEGER);
        CREATE TABLE fees (id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members(id), status TEXT);
        INSERT INTO members VALUES (1,'Dee',10,2),(2,'Eli',1,3);
        INSERT INTO fees VALUES (1,2,'open'),(2,2,'paid');";
    check(
        MEMBERS,
        &[
            ("delete members with more than 1 fee", "?"),
            ("members with more than 1 fee", "?"),
            ("members with fee over 5", "?"),
            (
                "delete members with more than 2 rooms",
                "DELETE FROM members WHERE rooms > 2",
            ),
        ],
    );
    let question = "delete members with more than 1 fee";
    check_chosen(
        MEMBERS,
        &[
            (
                question,
                &["fee of members"],
                "DELETE FROM members WHERE fee > 1",
            ),
            (
                question,
                &["rows of fees"],
                "DELETE FROM members WHERE id IN (SELECT member_id FROM fees GROUP BY member_id HAVING COUNT(*) > 1)",
            ),
        ],
    );
}

#[test]
fn what_stands_beside_a_demand_is_asked_back_where_both_tables_have_it() {
    check(
        "CREATE TABLE coaches (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, born_on TEXT);
         CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, born_on TEXT, coach_id INTEGER REFERENCES coaches(id));
         INSERT INTO coaches VALUES (1,'Kim',50,'1970-01-01');
         INSERT INTO players VALUES (1,'Ann',20,'2000-01-01',1),(2,'Bob',60,'1960-01-01',NULL);",
        &[
            ("players with a coach and older than 30", "?"),
            ("players with a coach and born before 1980", "?"),
            ("delete players with a coach and age over 30", "?"),
            ("delete players with a coach and over 30", "!"),
            ("delete players with a coach and name Ann", "?"),
            (
                "delete players with a coach born before 1980",
                "DELETE FROM players WHERE coach_id IN (SELECT id FROM coaches WHERE born_on < '1980-01-01')",
            ),
        ],
    );
}

#[test]
fn a_column_behind_the_table_says_which_rows_or_is_no_row() {
    check(
        "CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, language TEXT, pages INTEGER, published TEXT, shelf TEXT);
         INSERT INTO books VALUES (1,'Sun','French',100,'2005-01-01','A'),(2,'Moon','English',200,'2015-01-01','B');",
        &[
            (
                "delete books over 150 pages in French",
                "DELETE FROM books WHERE pages > 150 AND language = 'French'",
            ),
            (
                "delete books published in 2005",
                "DELETE FROM books WHERE published >= '2005-01-01' AND published < '2006-01-01'",
            ),
            (
                "delete books on shelf A",
                "DELETE FROM books WHERE shelf = 'A'",
            ),
            ("delete book pages in French", "!"),
            ("delete French pages of books", "!"),
            ("delete pages", "!"),
        ],
    );
}

#[test]
fn a_choice_says_of_which_rows_something_is_said() {
    check_chosen(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
         CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), city TEXT, status TEXT);
         CREATE TABLE invoices (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id), customer_id INTEGER REFERENCES customers(id));
         INSERT INTO customers VALUES (1,'Ann','Madrid'),(2,'Bob','Rome');
         INSERT INTO orders VALUES (1,1,'Rome','open'),(2,2,'Bern','sold');
         INSERT INTO invoices VALUES (1,1,1);",
        &[
            (
                "delete customers with orders and without invoices",
                &["invoices is said of customers"],
                "DELETE FROM customers WHERE id IN (SELECT customer_id FROM orders) AND id NOT IN (SELECT customer_id FROM invoices WHERE customer_id IS NOT NULL)",
            ),
            (
                "customers with orders and in Rome",
                &["Rome is said of customers"],
                "SELECT * FROM customers WHERE id = 2",
            ),
            (
                "customers with orders and in Rome",
                &["Rome is said of orders"],
                "SELECT * FROM customers WHERE id = 1",
            ),
            (
                "delete customers whose orders are sold",
                &["one of orders is enough"],
                "DELETE FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE status = 'sold')",
            ),
            (
                "delete sold customers",
                &["customers with orders that are sold"],
                "DELETE FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE status = 'sold')",
            ),
        ],
    );
}
