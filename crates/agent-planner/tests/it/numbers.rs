//! Numbers without a column of their own, second bounds, percentages, and numbers that name a row.

use crate::values::check;
use crate::wording::chosen;

const PEOPLE: &str = "
    CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, sex TEXT, age INTEGER, salary INTEGER, city TEXT);
    INSERT INTO people VALUES (1,'Ann','female',45,3000,'Rome'),(2,'Bob','male',25,2000,'Oslo'),(3,'Cid','male',50,35,'Rome');
    CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, weight REAL, price INTEGER, age INTEGER, owner_id INTEGER REFERENCES people(id));
    INSERT INTO pets VALUES (1,'Rex','dog',20,100,1,1),(2,'Tom','cat',4,50,3,1);";

#[test]
fn a_number_beside_people_is_an_age() {
    check(
        PEOPLE,
        &[
            ("people over 40", "SELECT 1 UNION SELECT 3"),
            ("men under 30", "SELECT 2"),
            ("men over 30 in Rome", "SELECT 3"),
            ("how many women are over 40", "SELECT 1"),
            ("average salary of people under 30", "SELECT 2000"),
            ("people over 20 and under 30", "SELECT 2"),
            ("people over 40 with a pet", "SELECT 1"),
            ("delete people over 40", "DELETE FROM people WHERE age > 40"),
            ("people over $40", "SELECT 1 UNION SELECT 2"),
            ("people under 1000", "SELECT 3"),
            ("people with a salary over 40", "SELECT 1 UNION SELECT 2"),
            ("people over 1.80", "?"),
            ("pets under 2", "?"),
            ("dogs under 2", "?"),
            ("people with a dog under 2", "!"),
            ("people over 40 with dogs under 2", "!"),
        ],
    );
    chosen(
        PEOPLE,
        &[
            ("pets under 2", "age of pets", "SELECT 1"),
            ("dogs over 50", "price of pets", "SELECT 1"),
        ],
    );
    check(
        "CREATE TABLE patients (id INTEGER PRIMARY KEY, name TEXT, birth_date TEXT, fee INTEGER);
         INSERT INTO patients VALUES (1,'Ann','1950-01-01',500),(2,'Bob','2000-01-01',60);",
        &[
            ("patients over 65", "?"),
            ("patients over 400", "SELECT 1"),
            ("patients with a fee under 65", "SELECT 2"),
        ],
    );
}

const ITEMS: &str = "
    CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, quantity INTEGER, price INTEGER, color TEXT);
    INSERT INTO items VALUES (1,'A',25,100,'red'),(2,'B',60,10,'red'),(3,'C',30,40,'blue');";

#[test]
fn a_second_bound_is_of_the_same_column() {
    check(
        ITEMS,
        &[
            (
                "items with quantity above 20 and below 50",
                "SELECT 1 UNION SELECT 3",
            ),
            (
                "items whose quantity is more than 20 and not more than 30",
                "SELECT 1 UNION SELECT 3",
            ),
            (
                "items with quantity > 20 and < 50",
                "SELECT 1 UNION SELECT 3",
            ),
            (
                "items with a quantity above 20 below 50",
                "SELECT 1 UNION SELECT 3",
            ),
            (
                "items with more than 20 and fewer than 50 quantity",
                "SELECT 1 UNION SELECT 3",
            ),
            (
                "total price of items with quantity above 20 and below 50",
                "SELECT 140",
            ),
            (
                "delete items with quantity above 20 and below 50",
                "DELETE FROM items WHERE quantity > 20 AND quantity < 50",
            ),
            (
                "items with quantity below 26 or above 50",
                "SELECT 1 UNION SELECT 2",
            ),
            (
                "items with price above 20 and quantity below 50",
                "SELECT 1 UNION SELECT 3",
            ),
            ("items that cost more than 20 and less than 50", "SELECT 3"),
            ("items over 20 and under 50", "SELECT 3"),
            (
                "items with quantity of 20 or above",
                "SELECT 1 UNION SELECT 2 UNION SELECT 3",
            ),
            ("items with quantity above 20 and above 50", "?"),
            ("items with quantity above 20, red and below 50", "?"),
            ("items with quantity between 20 and 50 and below 40", "?"),
        ],
    );
    chosen(
        ITEMS,
        &[(
            "items with quantity above 20, red and below 50",
            "price of items",
            "SELECT 2",
        )],
    );
}

const HOTELS: &str = "
    CREATE TABLE hotels (id INTEGER PRIMARY KEY, name TEXT, city TEXT, stars INTEGER, price INTEGER, pool TEXT);
    INSERT INTO hotels VALUES (1,'Astoria','Rome',5,200,'yes'),(2,'Bellevue','Oslo',3,80,'no'),(3,'Carlton','Rome',4,90,'yes');
    CREATE TABLE rooms (id INTEGER PRIMARY KEY, hotel_id INTEGER REFERENCES hotels(id), number INTEGER, beds INTEGER, price INTEGER, balcony BOOLEAN);
    INSERT INTO rooms VALUES (1,1,12,2,150,1),(2,1,7,1,90,0),(3,2,12,2,60,1),(12,3,1,4,95,0);";

#[test]
fn a_column_of_yes_and_no_is_not_compared_with_a_number() {
    check(
        HOTELS,
        &[
            ("rooms with a balcony under 100", "SELECT 3"),
            ("rooms without a balcony under 94", "SELECT 2"),
            (
                "average price of rooms with a balcony under 100",
                "SELECT 60",
            ),
            (
                "rooms with balcony more than 1 beds",
                "SELECT 1 UNION SELECT 3",
            ),
            ("rooms with balcony 1", "SELECT 1 UNION SELECT 3"),
            ("hotels with a pool above 4 stars", "SELECT 1"),
            ("hotels with a pool under 100", "SELECT 3"),
            ("hotels with a pool and over 4 stars", "SELECT 1"),
            ("hotels without a pool under 100", "SELECT 2"),
        ],
    );
    check(
        "CREATE TABLE goods (id INTEGER PRIMARY KEY, stock INTEGER, price INTEGER);
         INSERT INTO goods VALUES (1,0,500),(2,1,600),(3,1,7);",
        &[
            ("goods with a stock over 100", "!"),
            ("goods with a stock over 0", "SELECT 2 UNION SELECT 3"),
        ],
    );
}

#[test]
fn a_number_that_names_a_row_is_that_of_its_column() {
    check(
        HOTELS,
        &[
            ("room number 12", "SELECT 1 UNION SELECT 3"),
            ("price of room number 12 in Astoria", "SELECT 150"),
            ("hotels with room number 7", "SELECT 1"),
            ("room 12", "?"),
            ("delete room 12", "?"),
            ("delete room number 12", "?"),
            ("room number 12 of hotel number 1", "SELECT 1"),
            ("beds of room id 12", "SELECT 4"),
            ("hotel number 3", "SELECT 3"),
            ("rooms of hotel 1", "SELECT 1 UNION SELECT 2"),
        ],
    );
    chosen(
        HOTELS,
        &[
            ("price of room 12", "id of rooms", "SELECT 95"),
            ("price of room 7", "number of rooms", "SELECT 90"),
        ],
    );
    check(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, order_no TEXT, amount INTEGER, phone_number TEXT);
         INSERT INTO orders VALUES (1,'7',5,'3'),(7,'12',9,'7');
         CREATE TABLE flights (id INTEGER PRIMARY KEY, flight_number INTEGER, delay INTEGER);
         INSERT INTO flights VALUES (1,7,5),(7,12,9);",
        &[
            ("order number 7", "SELECT 1"),
            ("amount of order no 12", "SELECT 9"),
            ("order 7", "?"),
            ("delay of flight number 7", "SELECT 5"),
            ("delay of flight 7", "?"),
        ],
    );
}

const TAXES: &str = "
    CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, discount REAL, tax REAL, margin INTEGER, price REAL, score REAL);
    INSERT INTO products VALUES (1,'Tea',0.15,0.2,15,10,0.5),(2,'Milk',0.25,0.1,30,20,7.5),(3,'Rum',0.123,0.2,50,5.5,90);";

#[test]
fn percentages_are_as_their_column_holds_them() {
    check(
        TAXES,
        &[
            ("products with a discount above 15%", "SELECT 2"),
            ("products with 20 % tax", "SELECT 1 UNION SELECT 3"),
            ("products with a discount of 12.3 percent", "SELECT 3"),
            (
                "products with at least 15% discount",
                "SELECT 1 UNION SELECT 2",
            ),
            (
                "products with a discount between 10 and 20%",
                "SELECT 1 UNION SELECT 3",
            ),
            (
                "products with a discount above 15% and below 30%",
                "SELECT 2",
            ),
            ("products with a discount above 0.15", "SELECT 2"),
            (
                "products with a margin above 15%",
                "SELECT 2 UNION SELECT 3",
            ),
            ("products with a price over 15%", "!"),
            ("products with a score over 15%", "!"),
            ("products over 15%", "!"),
            ("set the discount of Tea to 20%", "!"),
            (
                "set the discount of Tea to 0.2",
                "UPDATE products SET discount = 0.2 WHERE name = 'Tea'",
            ),
        ],
    );
}

const PLAYERS: &str = "
    CREATE TABLE teams (id INTEGER PRIMARY KEY, name TEXT, budget INTEGER);
    INSERT INTO teams VALUES (1,'Reds',500),(2,'Blues',80),(3,'Greens',50);
    CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT, shirt_number INTEGER, age INTEGER, goals INTEGER, team_id INTEGER REFERENCES teams(id), position TEXT);
    INSERT INTO players VALUES (1,'Ann',4,20,3,1,'keeper'),(4,'Bob',9,35,5,1,'striker'),(5,'Cid',4,28,0,2,'keeper'),(9,'Dee',1,19,7,3,'striker');";

#[test]
fn a_number_stays_beside_what_it_is_said_of() {
    check(
        PLAYERS,
        &[
            ("strikers with more than 4 goals under 30", "SELECT 9"),
            ("strikers over 4 goals", "SELECT 4 UNION SELECT 9"),
            ("strikers with more than 4 goals and under 30", "?"),
            ("players younger than 30 and over 3", "?"),
            ("how many have more than 4 goals", "SELECT 2"),
            ("teams with more than 1 player over 15", "SELECT 1"),
            ("teams with players over 20 and under 30", "?"),
            ("teams with more than 1 player and under 100", "!"),
            ("teams with a keeper over 25", "!"),
            ("player number 4", "?"),
            ("player 4", "SELECT 4"),
        ],
    );
    check(
        "CREATE TABLE books (id INTEGER PRIMARY KEY, genre TEXT, pages INTEGER, price REAL);
         INSERT INTO books VALUES (1,'novel',300,10),(2,'novel',700,25),(3,'map',50,40);",
        &[
            ("novels over 200 pages", "SELECT 1 UNION SELECT 2"),
            ("novels over 200 pages under 20", "SELECT 1"),
            ("novels over 200 pages and under 20", "?"),
        ],
    );
    check(
        "CREATE TABLE sales (id INTEGER PRIMARY KEY, fee_rate REAL);
         INSERT INTO sales VALUES (1,0.02),(2,0.05);",
        &[("sales with a fee rate above 3%", "SELECT 2")],
    );
}
