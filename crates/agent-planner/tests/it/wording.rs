//! Words that decide which rows are meant: exceptions, `and` between groups, words that refer back,
//! `no`, and the words that a change may leave out.

use crate::support;
use crate::values::{check, database, fault};

use agent_planner::{Day, Plan, plan_chosen};

const SHOP: &str = "
    CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, price INTEGER, stock INTEGER);
    INSERT INTO products VALUES (1,'Tea','Drinks',3,0),(2,'Milk','Drinks',2,5),(3,'Wine','Drinks',9,5),(4,'Bread','Food',4,7),
      (5,'Rice','Food',2,0),(6,'Table','Home',99,1),(7,'Lamp','Home',20,0);";

const CLINIC: &str = "
    CREATE TABLE patients (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    INSERT INTO patients VALUES (1,'Ann','Oslo'),(2,'Bob','Rome'),(3,'Cid','Oslo');
    CREATE TABLE doctors (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO doctors VALUES (1,'Ford'),(2,'West');
    CREATE TABLE visits (id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patients(id), doctor_id INTEGER REFERENCES doctors(id), status TEXT,
      diagnosis TEXT, cost INTEGER);
    INSERT INTO visits VALUES (1,1,1,'open','flu',10),(2,1,2,'done','flu',20),(3,2,1,'open','cold',30),(4,2,2,'done','cold',40),(5,3,1,'done','flu',50);";

const PEOPLE: &str = "
    CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, sex TEXT, age TEXT, city TEXT, country TEXT);
    INSERT INTO people VALUES (1,'Ann','women','adult','Oslo','Norway'),(2,'Bob','men','child','Rome','Italy'),(3,'Eva','women','child','Rome','Italy'),
      (4,'Jon','men','adult','Paris','France'),(5,'Lea','women','adult','Paris','France');";

const ORDERS: &str = "
    CREATE TABLE orders (id INTEGER PRIMARY KEY, clerk TEXT, city TEXT, status TEXT, amount INTEGER);
    INSERT INTO orders VALUES (1,'Ann','Oslo','open',10),(2,'Bob','Oslo','paid',20),(3,'Bob','Rome','open',85),(4,'Ann','Bonn','paid',50);";

/// The question with the choices, whose texts must be those that it offers.
pub fn chosen(sql: &str, cases: &[(&str, &str, &str)]) {
    let (database, schema) = database(sql);
    let mut wrong = Vec::new();
    for (question, choice, expected) in cases {
        let learned = support::learned(&database, &schema, question);
        let today = Day::parse("2025-06-15").unwrap();
        let planned = plan_chosen(question, &[], &learned, today);
        let Plan::Ambiguous { candidates, .. } = planned else {
            wrong.push(format!("{question}: {planned:?}"));
            continue;
        };
        if !candidates.iter().any(|candidate| candidate == choice) {
            wrong.push(format!("{question}: {candidates:?}"));
            continue;
        }
        let planned = plan_chosen(question, &[(*choice).to_owned()], &learned, today);
        if let Some(said) = fault(&database, &planned, expected) {
            wrong.push(format!("{question} ({choice}): {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn but_excepts_what_follows_it() {
    check(
        SHOP,
        &[
            (
                "delete all products but Tea",
                "DELETE FROM products WHERE name <> 'Tea'",
            ),
            (
                "delete all but drinks",
                "DELETE FROM products WHERE category <> 'Drinks'",
            ),
            (
                "delete all drinks but Tea",
                "DELETE FROM products WHERE category = 'Drinks' AND name <> 'Tea'",
            ),
            (
                "delete drinks but Tea",
                "DELETE FROM products WHERE category = 'Drinks' AND name <> 'Tea'",
            ),
            (
                "delete all products but for Tea",
                "DELETE FROM products WHERE name <> 'Tea'",
            ),
            (
                "delete all but Tea from products",
                "DELETE FROM products WHERE name <> 'Tea'",
            ),
            (
                "delete all products but Tea and Milk",
                "DELETE FROM products WHERE name NOT IN ('Tea', 'Milk')",
            ),
            (
                "delete all products but Tea and drinks",
                "DELETE FROM products WHERE name <> 'Tea' AND category <> 'Drinks'",
            ),
            (
                "set stock to 0 for all products but Tea",
                "UPDATE products SET stock = 0 WHERE name <> 'Tea'",
            ),
            (
                "all products but Tea",
                "SELECT name FROM products WHERE name <> 'Tea'",
            ),
            (
                "average price of all products but drinks",
                "SELECT AVG(price) FROM products WHERE category <> 'Drinks'",
            ),
            ("is there any product but Tea with stock 0?", "?"),
            ("delete nothing but drinks", "!"),
            ("delete no products but Tea", "!"),
            ("show no products but Tea", "!"),
            ("delete everything but drinks", "!"),
            (
                "drinks but not Tea",
                "SELECT name FROM products WHERE category = 'Drinks' AND name <> 'Tea'",
            ),
        ],
    );
    check(
        CLINIC,
        &[
            (
                "set status to done for all visits of Ann but those at Ford",
                "UPDATE visits SET status = 'done' WHERE patient_id IN (SELECT id FROM patients WHERE name = 'Ann') AND doctor_id NOT IN (SELECT id FROM doctors WHERE name = 'Ford')",
            ),
            (
                "visits but those of Ann",
                "SELECT id, cost FROM visits WHERE patient_id <> 1",
            ),
        ],
    );
}

#[test]
fn an_exception_with_several_conditions_is_asked_back() {
    let both = "left out are rows with all of this: drinks, price 2";
    let first = "left out are rows with drinks, and price 2 is required";
    chosen(
        SHOP,
        &[
            (
                "delete all products except drinks with price 2",
                both,
                "DELETE FROM products WHERE (category <> 'Drinks' OR price <> 2)",
            ),
            (
                "delete all products except drinks with price 2",
                first,
                "DELETE FROM products WHERE category <> 'Drinks' AND price = 2",
            ),
            (
                "how many products except drinks with price 2",
                both,
                "SELECT 6",
            ),
            (
                "delete drinks except with price above 2 and stock 0",
                "left out are rows with all of this: price above 2, stock 0",
                "DELETE FROM products WHERE category = 'Drinks' AND (price <= 2 OR stock <> 0)",
            ),
            (
                "delete products that are not drinks with price 2",
                both,
                "DELETE FROM products WHERE (category <> 'Drinks' OR price <> 2)",
            ),
        ],
    );
    check(
        SHOP,
        &[
            (
                "delete all products except Tea and drinks",
                "DELETE FROM products WHERE name <> 'Tea' AND category <> 'Drinks'",
            ),
            (
                "delete all products except Tea, Milk and Rice",
                "DELETE FROM products WHERE name NOT IN ('Tea', 'Milk', 'Rice')",
            ),
            (
                "how many products except drinks are in stock?",
                "SELECT COUNT(*) FROM products WHERE category <> 'Drinks' AND stock > 0",
            ),
            (
                "delete products where not (category is drinks and price is 2)",
                "!",
            ),
            ("delete products that are not both drinks and price 2", "!"),
            ("products that are not both drinks and price 2", "!"),
            (
                "products where not (category is drinks and price is 2)",
                "!",
            ),
            ("delete products (drinks) with price 2", "!"),
            ("delete all drinks except Tea, and all food", "!"),
        ],
    );
}

#[test]
fn a_condition_behind_two_values_is_asked_back_where_rows_are_changed() {
    chosen(
        SHOP,
        &[
            (
                "delete drinks or food with price 2",
                "price 2 is said of each of drinks, food",
                "DELETE FROM products WHERE category IN ('Drinks', 'Food') AND price = 2",
            ),
            (
                "set stock to 1 for Tea or Milk with price 2",
                "price 2 is said of each of Tea, Milk",
                "UPDATE products SET stock = 1 WHERE name IN ('Tea', 'Milk') AND price = 2",
            ),
        ],
    );
    check(
        SHOP,
        &[(
            "drinks or food with price 2",
            "SELECT 'Milk' UNION SELECT 'Rice'",
        )],
    );
}

#[test]
fn exceptions_lists_and_brackets_in_changes() {
    check(
        SHOP,
        &[(
            "delete drinks that are not Tea",
            "DELETE FROM products WHERE category = 'Drinks' AND name <> 'Tea'",
        )],
    );
    check(
        CLINIC,
        &[
            ("delete all visits except those of Ann at Ford", "?"),
            ("delete all visits except open visits of Ann", "?"),
            ("delete patients with visits except those of Ford", "!"),
            ("delete patients with flu and cold visits", "?"),
            ("delete patients except those with flu and cold", "?"),
            (
                "delete patients that do not have flu",
                "DELETE FROM patients WHERE id NOT IN (SELECT patient_id FROM visits WHERE diagnosis = 'flu' AND patient_id IS NOT NULL)",
            ),
        ],
    );
    check(
        ORDERS,
        &[
            ("delete all orders except open orders in Oslo", "?"),
            (
                "set status to paid for all orders except open orders in Oslo",
                "?",
            ),
        ],
    );
}

#[test]
fn groups_of_rows_in_two_columns_are_asked_back() {
    chosen(
        PEOPLE,
        &[
            (
                "delete women and people in Rome",
                "either women or Rome",
                "DELETE FROM people WHERE (sex = 'women' OR city = 'Rome')",
            ),
            (
                "delete women and children",
                "either women or children",
                "DELETE FROM people WHERE (sex = 'women' OR age = 'child')",
            ),
            (
                "delete women and children",
                "both women and children",
                "DELETE FROM people WHERE sex = 'women' AND age = 'child'",
            ),
            (
                "how many women and children in Rome are there?",
                "either women or children, and besides Rome",
                "SELECT 2",
            ),
            (
                "how many women and children are there?",
                "either women or children",
                "SELECT 4",
            ),
        ],
    );
    check(
        PEOPLE,
        &[
            ("delete people from Oslo and France", "?"),
            ("delete women, children", "?"),
            ("women, children", "?"),
            ("delete people from Paris, France please", "?"),
            (
                "delete people from Oslo, Rome and Paris",
                "DELETE FROM people WHERE city IN ('Oslo', 'Rome', 'Paris')",
            ),
            ("delete men from Italy and women from France", "?"),
            (
                "delete people that are women and from Rome",
                "DELETE FROM people WHERE sex = 'women' AND city = 'Rome'",
            ),
            (
                "women in Oslo and Rome",
                "SELECT name FROM people WHERE id IN (1, 3)",
            ),
            ("delete women and people", "!"),
        ],
    );
    check(
        SHOP,
        &[
            (
                "delete products where price is 2 but category is not Drinks",
                "DELETE FROM products WHERE price = 2 AND category <> 'Drinks'",
            ),
            (
                "delete products where category is not Drinks and price is 2",
                "DELETE FROM products WHERE category <> 'Drinks' AND price = 2",
            ),
            ("delete drinks and products with price 2", "?"),
            ("drinks and products out of stock", "?"),
            ("set stock to 9 for Tea and food", "?"),
            ("is there a drink under 3 and a food under 3?", "!"),
            (
                "delete drinks with price 2 and stock 5",
                "DELETE FROM products WHERE category = 'Drinks' AND price = 2 AND stock = 5",
            ),
        ],
    );
    check(CLINIC, &[("delete open visits and flu visits", "?")]);
}

#[test]
fn words_that_refer_back_need_something_to_refer_to() {
    check(
        ORDERS,
        &[
            ("delete these open orders", "!"),
            ("delete their open orders", "!"),
            ("delete its open orders", "!"),
            ("delete those orders", "!"),
            ("delete that open order", "!"),
            ("delete our open orders", "!"),
            ("delete open orders there", "!"),
            ("set status of these orders to paid", "!"),
            ("delete orders of Bob and in Oslo", "?"),
            (
                "delete orders of Bob in Oslo",
                "DELETE FROM orders WHERE clerk = 'Bob' AND city = 'Oslo'",
            ),
            ("their amount", "!"),
            ("total amount of these", "!"),
            ("how many of those are open?", "!"),
            ("what is its total amount", "!"),
            ("total amount of their orders", "!"),
            ("how many live there?", "!"),
            ("where is the highest amount?", "!"),
            ("where is the largest order by amount?", "SELECT 3"),
            (
                "delete orders of Ann except those in Oslo",
                "DELETE FROM orders WHERE clerk = 'Ann' AND city <> 'Oslo'",
            ),
            ("orders with their amount", "SELECT id, amount FROM orders"),
            ("how many orders are there in Oslo?", "SELECT 2"),
        ],
    );
}

/// Words that change which rows are meant, or ask something: a change with one of them is refused.
const MEANT: &str = "both own our their its these those what which who where than out given it they us there your my how why half most some few
    first other rest only until unless neither instead whose such same else last next previous above more less";

/// Words that change no meaning.
const PLAIN: &str = "the all any";

#[test]
fn each_word_of_a_change_is_accounted_for() {
    let (database, schema) = database(SHOP);
    let mut wrong = Vec::new();
    let mut ask = |question: String, is_plain: bool| {
        let learned = support::learned(&database, &schema, &question);
        let planned = plan_chosen(&question, &[], &learned, Day::parse("2025-06-15").unwrap());
        if matches!(planned, Plan::Query { .. }) != is_plain {
            wrong.push(format!("{question}: {planned:?}"));
        }
    };
    for word in MEANT.split_whitespace() {
        ask(format!("delete {word} drinks"), false);
        ask(format!("delete all {word} drinks"), false);
        ask(format!("set stock to 3 for {word} drinks"), false);
    }
    for word in PLAIN.split_whitespace() {
        ask(format!("delete {word} drinks"), true);
        ask(format!("set stock to 3 for {word} drinks"), true);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_change_takes_is_certain() {
    check(
        SHOP,
        &[
            ("delete the table products", "!"),
            ("delete the products table", "!"),
            (
                "delete drinks from the products table",
                "DELETE FROM products WHERE category = 'Drinks'",
            ),
            (
                "delete products called Table",
                "DELETE FROM products WHERE name = 'Table'",
            ),
            ("delete no drinks", "!"),
            ("set stock to 0 for no drinks", "!"),
            ("delete missing drinks", "!"),
            ("delete not drinks", "!"),
            ("delete without drinks", "!"),
            ("delete except drinks", "!"),
            ("delete but drinks", "!"),
            ("set stock to 3 for not drinks", "!"),
            ("set stock to 3 for never drinks", "!"),
            ("delete drinks never Tea", "!"),
            ("how many missing drinks are there?", "!"),
            ("should I delete the drinks?", "!"),
            ("can we delete drinks?", "!"),
            ("could i remove drinks", "!"),
            (
                "can you delete all drinks",
                "DELETE FROM products WHERE category = 'Drinks'",
            ),
        ],
    );
    check(
        CLINIC,
        &[
            ("delete the status of open visits", "!"),
            ("remove all diagnoses of open visits", "!"),
            ("delete the visits table", "!"),
        ],
    );
}

#[test]
fn questions_in_few_words_are_not_guessed() {
    check(
        PEOPLE,
        &[
            ("are there no men?", "!"),
            ("is there no man in Rome?", "!"),
            ("are there not any men?", "!"),
            ("are there any men?", "SELECT 1"),
        ],
    );
    check(
        "CREATE TABLE cars (id INTEGER PRIMARY KEY, name TEXT, cylinders INTEGER, origin TEXT);
         INSERT INTO cars VALUES (1,'Alfa',4,'Italy'),(2,'Buick',8,'USA'),(3,'Ford',8,'USA');",
        &[
            ("8 cylinders", "!"),
            ("list 8 cylinders from USA", "!"),
            ("first 2 cylinders", "SELECT cylinders FROM cars LIMIT 2"),
            ("2 names", "SELECT name FROM cars LIMIT 2"),
            (
                "cars with 8 cylinders",
                "SELECT name FROM cars WHERE cylinders = 8",
            ),
        ],
    );
    check(
        "CREATE TABLE voters (id INTEGER PRIMARY KEY, name TEXT, voted TEXT);
         INSERT INTO voters VALUES (1,'Ann','Y'),(2,'Bob','N');",
        &[("did Bob vote?", "!")],
    );
    check(
        "CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT);
         INSERT INTO categories VALUES (1,'Drinks'),(2,'Food');
         CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, category TEXT, price INTEGER);
         INSERT INTO products VALUES (1,'Tea','Drinks',3),(2,'Rice','Food',2);",
        &[("is there a city with more than 2 products?", "!")],
    );
    check(
        SHOP,
        &[("is there a category with more than 2 products?", "!")],
    );
    check(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
         INSERT INTO customers VALUES (1,'Ann'),(2,'Bob');
         CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), status TEXT);
         INSERT INTO invoices VALUES (1,1,'paid'),(2,2,'open');
         CREATE TABLE payments (id INTEGER PRIMARY KEY, invoice_id INTEGER REFERENCES invoices(id), method TEXT);
         INSERT INTO payments VALUES (1,1,'cash');",
        &[
            ("delete customers who never paid by cash", "!"),
            ("customers who never paid by cash", "!"),
            ("customers with paid invoices", "SELECT name FROM customers WHERE id = 1"),
        ],
    );
}

#[test]
fn a_reply_to_both_or_either_is_understood() {
    let sql = "
        CREATE TABLE owners (id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO owners VALUES (1,'Tom'),(2,'Ann'),(3,'Zoe');
        CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, owner_id INTEGER REFERENCES owners(id));
        INSERT INTO pets VALUES (1,'Rex','dog',1),(2,'Kit','cat',1),(3,'Bo','dog',2),(4,'Una','bird',3);";
    chosen(
        sql,
        &[
            (
                "owners with pets that are cats and dogs",
                "both of them",
                "SELECT 'Tom'",
            ),
            (
                "owners with pets that are cats and dogs",
                "either of them",
                "SELECT 'Tom' UNION SELECT 'Ann'",
            ),
        ],
    );
}
