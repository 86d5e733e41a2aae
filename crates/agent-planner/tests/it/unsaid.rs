//! Questions that leave out of which event, column or amount they speak: the planner asks back
//! instead of taking the only thing that it finds.

use crate::roles::check_replies;
use crate::values::check;

const COURSES: &str = "
    CREATE TABLE students (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE courses (id INTEGER PRIMARY KEY, title TEXT, deleted_at TEXT);
    CREATE TABLE enrolments (id INTEGER PRIMARY KEY, student_id INTEGER REFERENCES students(id),
      course_id INTEGER REFERENCES courses(id), grade TEXT, dropped_on TEXT);
    CREATE TABLE fees (id INTEGER PRIMARY KEY, enrolment_id INTEGER REFERENCES enrolments(id), amount REAL, refunded_at TEXT);
    CREATE TABLE exams (id INTEGER PRIMARY KEY, course_id INTEGER REFERENCES courses(id), examined_on TEXT);
    CREATE TABLE loans (id INTEGER PRIMARY KEY, student_id INTEGER REFERENCES students(id), borrowed_on TEXT);
    INSERT INTO students VALUES (1,'Ann'),(2,'Bob'),(3,'Cid');
    INSERT INTO courses VALUES (1,'Maths',NULL),(2,'Art','2024-01-01');
    INSERT INTO enrolments VALUES (1,1,1,'A',NULL),(2,2,1,'B','2024-03-01'),(3,3,2,'A','2024-05-02'),(4,1,2,'C','2023-01-01');
    INSERT INTO fees VALUES (1,1,10,NULL),(2,2,20,'2024-04-01');
    INSERT INTO exams VALUES (1,1,'2024-06-01'),(2,2,'2023-06-01');
    INSERT INTO loans VALUES (1,1,'2024-06-01'),(2,2,'2023-06-01');";

#[test]
fn a_date_of_another_event_is_not_that_of_the_row() {
    let mut cases: Vec<(&str, &str)> = [
        "students with grade A in 2024",
        "students with grade A before 2024",
        "students with an enrolment in 2024",
        "students without enrolments in 2024",
        "grade of Ann in 2024",
        "enrolments in 2024",
        "how many enrolments last year?",
        "enrolments per year",
        "number of enrolments in 2024 per course",
        "which student has the most enrolments in 2024?",
        "percentage of enrolments in 2024",
        "is there an enrolment in 2024?",
        "newest enrolment",
        "last enrolment of Ann",
        "last 3 enrolments",
        "first enrolment of Ann",
        "oldest enrolment",
        "delete enrolments before 2024",
        "courses in 2024",
        "newest courses",
        "fees in 2024",
        "average amount per month",
        "latest fee",
    ]
    .map(|question| (question, "?"))
    .to_vec();
    cases.extend([
        ("enrolments dropped in 2024", "SELECT 2 UNION SELECT 3"),
        ("enrolments not dropped", "SELECT 1"),
        ("fees refunded in 2024", "SELECT 2"),
        ("exams in 2024", "SELECT 1"),
        ("newest exam", "SELECT 1"),
        ("loans in 2023", "SELECT 2"),
        ("students with loans in 2024", "SELECT 1"),
        ("exams per year", "SELECT '2023', 1 UNION SELECT '2024', 1"),
        (
            "delete enrolments dropped before 2024",
            "DELETE FROM enrolments WHERE dropped_on < '2024-01-01'",
        ),
    ]);
    check(COURSES, &cases);
    check_replies(
        COURSES,
        &[
            (
                "students with grade A in 2024",
                "dropped on of enrolments",
                "SELECT 3",
            ),
            ("newest enrolment", "dropped on of enrolments", "SELECT 3"),
            (
                "enrolments in 2024",
                "dropped on of enrolments",
                "SELECT 2 UNION SELECT 3",
            ),
        ],
    );
}

#[test]
fn a_verb_has_its_own_date() {
    check(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, amount REAL, ordered_on TEXT, shop_issue_date TEXT);
         INSERT INTO orders VALUES (1,'Ann',5,'2024-01-01','2023-01-01'),(2,'Bob',7,'2023-02-01','2024-01-01');",
        &[
            ("customers ordered in 2024", "SELECT 'Ann'"),
            ("orders ordered in 2024", "SELECT 1"),
            ("orders issued in 2024", "SELECT 2"),
            ("customers deleted in 2024", "!"),
            ("orders received in 2024", "!"),
            ("customers registered in 2024", "!"),
            ("amount refunded in 2024", "!"),
            ("orders dated 2024", "!"),
        ],
    );
}

const ORDERS: &str = "
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, country TEXT, status TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), amount REAL,
      ship_country TEXT, ship_city TEXT, payment_status TEXT, contact_name TEXT);
    CREATE TABLE lines (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id), product TEXT);
    INSERT INTO customers VALUES (1,'Ann','Oslo','Norway','active'),(2,'Bob','Rome','Italy','blocked'),(3,'Cid','Bern','Switzerland','active');
    INSERT INTO orders VALUES (1,1,10,'Italy','Rome','paid','Zed'),(2,2,20,'Norway','Oslo','open','Ann'),(3,3,5,'France','Paris','blocked','Ann');
    INSERT INTO lines VALUES (1,1,'Tea'),(2,2,'Salt'),(3,3,'Tea');";

#[test]
fn a_column_with_a_qualifier_is_not_the_plain_one_of_rows_above() {
    let mut cases: Vec<(&str, &str)> = [
        "orders from Norway",
        "orders in Norway",
        "orders of Norway",
        "orders from Oslo",
        "orders from France",
        "orders from Switzerland",
        "orders not from Norway",
        "orders from Norway or Italy",
        "Norwegian orders",
        "how many orders from Norway?",
        "total amount from Norway",
        "lines from Norway",
        "lines of orders in Norway",
        "customers with orders from Norway",
        "compare orders from Norway and Italy",
        "percentage of orders from Norway",
        "is there an order from Norway?",
        "delete orders from Norway",
        "orders per country",
        "total amount per city",
        "lines per country",
        "which country has the most orders?",
        "countries with more than 1 order",
        "country of order 1",
        "orders whose country is Norway",
        "orders with status paid",
        "orders per status",
        "orders of Ann",
    ]
    .map(|question| (question, "?"))
    .to_vec();
    cases.extend([
        ("orders to Norway", "SELECT 2"),
        ("orders whose ship country is Norway", "SELECT 2"),
        ("orders of customers from Norway", "SELECT 1"),
        ("orders whose customer's country is Norway", "SELECT 1"),
        ("customers from Norway", "SELECT 1"),
        ("paid orders", "SELECT 1"),
        ("orders of Zed", "SELECT 1"),
        (
            "orders per ship country",
            "SELECT ship_country, COUNT(*) FROM orders GROUP BY 1",
        ),
    ]);
    check(ORDERS, &cases);
}

#[test]
fn a_reply_names_the_column_with_or_without_the_qualifier() {
    check_replies(
        ORDERS,
        &[
            ("orders from Norway", "ship country of orders", "SELECT 2"),
            ("orders from Norway", "country of customers", "SELECT 1"),
            (
                "orders from France",
                "country of customers",
                "SELECT * FROM orders WHERE 0",
            ),
            ("lines from Norway", "country of customers", "SELECT 1"),
            (
                "orders with status paid",
                "payment status of orders",
                "SELECT 1",
            ),
            (
                "orders per country",
                "ship country of orders",
                "SELECT ship_country, COUNT(*) FROM orders GROUP BY 1",
            ),
            (
                "orders per country",
                "country of customers",
                "SELECT country, 1 FROM customers",
            ),
            (
                "country of order 1",
                "ship country of orders",
                "SELECT 'Italy'",
            ),
        ],
    );
}

#[test]
fn a_preposition_says_which_column_with_a_qualifier_is_meant() {
    check(
        "CREATE TABLE carriers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
         CREATE TABLE flights (id INTEGER PRIMARY KEY, carrier_id INTEGER REFERENCES carriers(id), origin_city TEXT, destination_city TEXT);
         INSERT INTO carriers VALUES (1,'Fly','Oslo'),(2,'Jet','Rome');
         INSERT INTO flights VALUES (1,1,'Rome','Oslo'),(2,2,'Oslo','Bern');",
        &[
            ("flights from Oslo", "SELECT 2"),
            ("flights to Oslo", "SELECT 1"),
            ("flights in Oslo", "?"),
            ("flights per city", "?"),
        ],
    );
}

const STOCK: &str = "
    CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE stock (id INTEGER PRIMARY KEY, product_id INTEGER REFERENCES products(id), warehouse TEXT, quantity INTEGER);
    CREATE TABLE sales (id INTEGER PRIMARY KEY, product_id INTEGER REFERENCES products(id), price INTEGER);
    INSERT INTO products VALUES (1,'Tea'),(2,'Salt'),(3,'Milk');
    INSERT INTO stock VALUES (1,1,'North',5),(2,2,'North',0),(3,2,'South',0);
    INSERT INTO sales VALUES (1,1,2);";

#[test]
fn rows_of_amounts_may_be_nothing() {
    let mut cases: Vec<(&str, &str)> = [
        "products with no stock",
        "products without stock",
        "products that have no stock",
        "products with stock",
        "products with stock in North",
        "products without any stock in South",
        "products never stocked",
        "how many products have no stock?",
        "percentage of products without stock",
        "is there a product without stock?",
        "is there stock of Salt?",
        "does Salt have stock?",
        "stock per product",
        "number of stock per product",
        "which product has the most stock?",
        "delete products without stock",
    ]
    .map(|question| (question, "?"))
    .to_vec();
    cases.extend([
        ("products with more than 1 stock", "!"),
        ("products with 0 stock", "!"),
        ("products with stock whose quantity is over 2", "SELECT 1"),
        ("products with no quantity", "SELECT 2 UNION SELECT 3"),
        ("products without sales", "SELECT 2 UNION SELECT 3"),
        ("stock of Salt", "SELECT 2 UNION SELECT 3"),
    ]);
    check(STOCK, &cases);
    check_replies(
        STOCK,
        &[
            (
                "products with no stock",
                "quantity of stock over 0",
                "SELECT 2 UNION SELECT 3",
            ),
            (
                "products with no stock",
                "rows of stock, also with 0",
                "SELECT 3",
            ),
            (
                "products with stock in North",
                "quantity of stock over 0",
                "SELECT 1",
            ),
            (
                "products with stock in North",
                "rows of stock, also with 0",
                "SELECT 1 UNION SELECT 2",
            ),
            (
                "does Salt have stock?",
                "quantity of stock over 0",
                "SELECT 0",
            ),
            (
                "delete products without stock",
                "rows of stock, also with 0",
                "DELETE FROM products WHERE id NOT IN (SELECT product_id FROM stock WHERE product_id IS NOT NULL)",
            ),
        ],
    );
}

const SALES: &str = "
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_name TEXT, city TEXT, product TEXT, amount REAL);
    INSERT INTO orders VALUES (1,'Ann','Oslo','Tea',5),(2,'Ann','Oslo','Salt',7),(3,'Bob','Rome','Tea',3),(4,'Cid','Oslo','Tea',9),(5,'Cid','Bern','Salt',1);";

#[test]
fn things_that_are_only_named_are_listed_once() {
    check(
        SALES,
        &[
            (
                "customers",
                "SELECT 'Ann' UNION SELECT 'Bob' UNION SELECT 'Cid'",
            ),
            (
                "customer names",
                "SELECT 'Ann' UNION SELECT 'Bob' UNION SELECT 'Cid'",
            ),
            ("customers in Oslo", "SELECT 'Ann' UNION SELECT 'Cid'"),
            (
                "customers with amount over 4",
                "SELECT 'Ann' UNION SELECT 'Cid'",
            ),
            (
                "customers of Tea",
                "SELECT 'Ann' UNION SELECT 'Bob' UNION SELECT 'Cid'",
            ),
            ("products of Ann", "SELECT 'Tea' UNION SELECT 'Salt'"),
            ("customers sorted by amount", "!"),
            ("customers not in Oslo", "?"),
            ("customers whose product is not Tea", "?"),
            ("customer name of order 2", "SELECT 'Ann'"),
            ("names of goats", "!"),
        ],
    );
    check_replies(
        SALES,
        &[
            (
                "customers not in Oslo",
                "a row that is not so",
                "SELECT 'Bob' UNION SELECT 'Cid'",
            ),
            (
                "customers not in Oslo",
                "a value of customer name of orders of which no row is so",
                "SELECT 'Bob'",
            ),
        ],
    );
    // The rows themselves are pets, and two may have one name.
    check(
        "CREATE TABLE pets (license INTEGER PRIMARY KEY, animal_name TEXT, species TEXT);
         INSERT INTO pets VALUES (1,'Rex','Goat'),(2,'Rex','Goat'),(3,'Tom','Cat');",
        &[("names of goats", "SELECT 'Rex' UNION ALL SELECT 'Rex'")],
    );
}

#[test]
fn a_state_that_no_column_has_is_refused() {
    let schema = "
        CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, amount REAL, ordered_on TEXT);
        CREATE TABLE parcels (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id), weight REAL);
        INSERT INTO orders VALUES (1,'Ann',5,'2024-01-01'),(2,'Bob',7,'2024-02-01');
        INSERT INTO parcels VALUES (1,1,2.0);";
    check(
        schema,
        &[
            "orders not delivered",
            "orders that were not delivered",
            "delivered orders",
            "undelivered orders",
            "orders never delivered",
            "orders not shipped",
            "unpaid orders",
            "open orders",
            "closed orders",
            "pending orders",
            "how many orders were not delivered?",
            "percentage of delivered orders",
            "delete orders not delivered",
            "delete open orders",
        ]
        .map(|question| (question, "!")),
    );
    // Only rows that belong to the orders have a state.
    let schema = "
        CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, amount REAL);
        CREATE TABLE shipments (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id), status TEXT);
        CREATE TABLE invoices (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id), state TEXT);
        INSERT INTO orders VALUES (1,'Ann',5),(2,'Bob',7),(3,'Cid',3);
        INSERT INTO shipments VALUES (1,1,'delivered'),(2,1,'lost'),(3,2,'shipped');
        INSERT INTO invoices VALUES (1,1,'closed'),(2,2,'open');";
    check(
        schema,
        &[
            ("open orders", "?"),
            ("orders that are not open", "?"),
            ("orders not shipped", "?"),
            ("delivered orders", "?"),
            ("how many orders were not delivered?", "?"),
            ("delete orders not delivered", "?"),
            ("orders with open invoices", "SELECT 2"),
            ("orders without lost shipments", "SELECT 2 UNION SELECT 3"),
            ("lost shipments", "SELECT 2"),
        ],
    );
    check_replies(
        schema,
        &[
            (
                "open orders",
                "orders with invoices that are open",
                "SELECT 2",
            ),
            (
                "orders not delivered",
                "orders without shipments that are delivered",
                "SELECT 2 UNION SELECT 3",
            ),
        ],
    );
}
