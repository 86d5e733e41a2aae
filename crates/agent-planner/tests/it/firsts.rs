//! All that are first, the year with the most, numbers that a question asks about, and questions
//! back that end.

use crate::support;
use crate::values::{check, database, fault};

use agent_planner::{Day, Plan, plan_chosen};

const PRODUCTS: &str = "
    CREATE TABLE products (name TEXT, category TEXT, price INTEGER, stock INTEGER);
    INSERT INTO products VALUES ('Tea','Drinks',3,0),('Milk','Drinks',2,5),('Wine','Drinks',9,5),('Bread','Food',4,7),('Rice','Food',2,0),('Lamp','Home',20,0);";

#[test]
fn superlatives_of_a_column_in_the_plural_are_all_that_have_it() {
    check(
        PRODUCTS,
        &[
            (
                "which products have the lowest price?",
                "SELECT 'Milk' UNION SELECT 'Rice'",
            ),
            (
                "products with the lowest price",
                "SELECT 'Milk' UNION SELECT 'Rice'",
            ),
            (
                "which product has the lowest price?",
                "SELECT 'Milk' UNION SELECT 'Rice'",
            ),
            ("products in Drinks with the highest price", "SELECT 'Wine'"),
            (
                "top 2 products by price",
                "SELECT 'Lamp' UNION SELECT 'Wine'",
            ),
        ],
    );
}

#[test]
fn the_most_of_a_year_are_counted() {
    check(
        "CREATE TABLE films (title TEXT, year INTEGER, released TEXT);
         INSERT INTO films VALUES ('A',1999,'1999-05-01'),('B',2001,'2001-06-01'),('C',2001,'2001-07-01'),('D',2005,'2005-07-01'),('E',2005,NULL),('F',2005,NULL);",
        &[
            ("in which year were the most films released?", "SELECT 2001"),
            ("which year has the most films released?", "SELECT 2001"),
            ("which year has the most films?", "SELECT 2005"),
        ],
    );
}

#[test]
fn a_number_that_is_asked_about_is_compared() {
    check(
        PRODUCTS,
        &[
            ("are there more than 3 drinks?", "SELECT 0, 3"),
            ("are there more than 2 drinks?", "SELECT 1, 3"),
            ("are there at least 3 drinks?", "SELECT 1, 3"),
            ("are there exactly 2 drinks?", "SELECT 0, 3"),
            (
                "are there fewer than 4 products with stock 0?",
                "SELECT 1, 3",
            ),
            ("is there a category with more than 2 products?", "!"),
        ],
    );
}

#[test]
fn a_question_back_accepts_its_own_choices() {
    let sql = "
        CREATE TABLE customers (id INTEGER, name TEXT);
        INSERT INTO customers VALUES (1,'Ann'),(2,'Bob');
        CREATE TABLE products (id INTEGER, product TEXT);
        INSERT INTO products VALUES (1,'Tea'),(2,'Milk');
        CREATE TABLE orders (id INTEGER, customer_id INTEGER, product_id INTEGER, quantity INTEGER);
        INSERT INTO orders VALUES (1,1,1,5),(2,1,1,2),(3,2,2,1),(4,1,2,3);";
    let (database, schema) = database(sql);
    let today = Day::parse("2025-06-15").unwrap();
    for (question, reply, expected) in [
        (
            "how many products did Ann buy?",
            "different ones",
            "SELECT 2",
        ),
        (
            "how many products did Ann buy?",
            "total quantity of orders",
            "SELECT 10",
        ),
        (
            "how many customers bought Tea?",
            "different ones",
            "SELECT 1",
        ),
        (
            "how many customers bought Tea?",
            "total quantity of orders",
            "SELECT 7",
        ),
    ] {
        let learned = support::learned(&database, &schema, question);
        let asked = plan_chosen(question, &[], &learned, today);
        let Plan::Ambiguous { candidates, .. } = asked else {
            panic!("{question}: {asked:?}");
        };
        assert!(
            candidates.iter().any(|candidate| candidate == reply),
            "{candidates:?}"
        );
        let planned = plan_chosen(question, &[reply.to_owned()], &learned, today);
        assert_eq!(
            fault(&database, &planned, expected),
            None,
            "{question}: {reply}"
        );
    }
}
