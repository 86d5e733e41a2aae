//! Questions as people ask them of a shop, a clinic and a sheet of countries.

use crate::values::check;
use crate::wording::chosen;

/// A bakery with customers, orders and products.
const BAKERY: &str = "
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
    INSERT INTO customers VALUES (1,'Anna','Berlin'),(2,'Ben','Berlin'),(3,'Cleo','Rome'),(4,'Dan',NULL);
    CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, category TEXT, price REAL, vegan INTEGER);
    INSERT INTO products VALUES (1,'Loaf','bread',5,1),(2,'Bun','bread',2,0),(3,'Tart','cake',9,0);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), order_date DATE, status TEXT, paid_on DATE);
    INSERT INTO orders VALUES (1,1,'2025-01-03','delivered','2025-01-04'),(2,1,'2025-02-03','cancelled',NULL),(3,3,'2025-02-09','cancelled',NULL),
      (4,4,'2025-03-01','delivered','2025-03-01'),(5,4,'2025-03-02','delivered','2025-03-02'),(6,4,'2025-03-05','delivered',NULL),(7,1,'2025-04-01','delivered',NULL);
    CREATE TABLE order_items (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id), product_id INTEGER REFERENCES products(id), quantity INTEGER);
    INSERT INTO order_items VALUES (1,1,1,2),(2,2,2,1),(3,3,3,1),(4,7,3,4);";

#[test]
fn values_of_rows_without_certain_other_rows_are_those_with_none() {
    check(
        BAKERY,
        &[
            ("cities with no cancelled orders", "SELECT 1 WHERE 0"),
            ("cities with no delivered orders", "SELECT 'Rome'"),
            ("how many cities have no delivered orders?", "SELECT 1"),
            (
                "customers with no cancelled orders",
                "SELECT 2 UNION SELECT 4",
            ),
        ],
    );
}

#[test]
fn a_verb_before_a_number_of_rows_says_how_these_are() {
    check(
        BAKERY,
        &[
            ("customers who cancelled more than one order", "!"),
            ("which customer cancelled the most orders?", "!"),
            ("customers who cancelled no orders", "!"),
            (
                "customers with more than one delivered order",
                "SELECT 1 UNION SELECT 4",
            ),
        ],
    );
}

#[test]
fn groups_are_described_by_what_stands_behind_them() {
    check(
        BAKERY,
        &[
            (
                "number of orders per customer from Berlin",
                "SELECT 1, 3 UNION SELECT 2, 0",
            ),
            (
                "number of delivered orders per customer from Berlin",
                "SELECT 1, 2 UNION SELECT 2, 0",
            ),
            // Rows without a value are in no place of a ranking.
            ("which city has the most orders?", "SELECT 'Berlin', 3"),
            (
                "which city has the most cancelled orders?",
                "SELECT 'Berlin', 1 UNION SELECT 'Rome', 1",
            ),
            (
                "which category has the most vegan products?",
                "SELECT 'bread', 1",
            ),
            ("cities with more than 1 order", "SELECT 'Berlin', 3"),
            (
                "how many orders were paid per month?",
                "SELECT '2025-01', 1 UNION SELECT '2025-03', 2",
            ),
        ],
    );
}

#[test]
fn a_number_of_things_behind_a_verb_is_of_one_row_or_of_all() {
    check(
        BAKERY,
        &[("customers who ordered more than 2 products", "?")],
    );
    chosen(
        BAKERY,
        &[
            (
                "customers who ordered more than 2 products",
                "more than 2 products in all of them together",
                "SELECT 1",
            ),
            (
                "customers who ordered more than 2 products",
                "more than 2 products in one row of orders",
                "SELECT 1 WHERE 0",
            ),
        ],
    );
}

#[test]
fn rows_are_listed_with_what_belongs_to_them_and_in_the_order_that_is_asked_for() {
    check(
        BAKERY,
        &[
            (
                "orders with their customers",
                "SELECT 1,'Anna' UNION SELECT 2,'Anna' UNION SELECT 3,'Cleo' UNION SELECT 4,'Dan' UNION SELECT 5,'Dan' UNION SELECT 6,'Dan' UNION SELECT 7,'Anna'",
            ),
            ("customers with their orders", "!"),
            ("list products by category", "?"),
            ("vegan products", "SELECT 1"),
            ("average price of vegan products", "SELECT 5.0"),
            (
                "products sorted by category descending and price",
                "SELECT 3 UNION SELECT 2 UNION SELECT 1",
            ),
        ],
    );
    chosen(
        BAKERY,
        &[(
            "list products by category",
            "the number of rows for each category",
            "SELECT 'bread', 2 UNION SELECT 'cake', 1",
        )],
    );
}

/// A sheet that is called like its first column, and one of staff with their managers' names.
const SHEETS: &str = "
    CREATE TABLE countries (country TEXT, capital TEXT, continent TEXT, population INTEGER, official_language TEXT);
    INSERT INTO countries VALUES ('France','Paris','Europe',68000000,'French'),('Monaco','Monaco','Europe',39000,'French'),
      ('Fiji','Suva','Oceania',900000,'English'),('Kenya','Nairobi','Africa',54000000,'English'),('Niger','Niamey','Africa',27000000,'French');
    CREATE TABLE staff (staff_no INTEGER, first_name TEXT, last_name TEXT, salary INTEGER, manager TEXT);
    INSERT INTO staff VALUES (1,'Helen','West',62000,NULL),(2,'Adam','Price',40000,'Helen West'),(3,'Beth','Quinn',35000,'Helen West');";

#[test]
fn a_sheet_called_like_its_column_keeps_its_rows() {
    check(
        SHEETS,
        &[
            (
                "list countries and capitals",
                "SELECT 'France','Paris' UNION SELECT 'Monaco','Monaco' UNION SELECT 'Fiji','Suva' UNION SELECT 'Kenya','Nairobi' UNION SELECT 'Niger','Niamey'",
            ),
            ("number of French countries", "?"),
            ("which continent has the smallest population?", "?"),
            ("which continents have a population over 80 million?", "?"),
            (
                "countries with a population between 10 and 60 million",
                "SELECT 'Kenya' UNION SELECT 'Niger'",
            ),
            (
                "staff with a salary between 30 and 40k",
                "SELECT 2 UNION SELECT 3",
            ),
        ],
    );
    chosen(
        SHEETS,
        &[
            (
                "which continent has the smallest population?",
                "total population",
                "SELECT 'Oceania', 900000",
            ),
            (
                "number of French countries",
                "official language of countries",
                "SELECT 3",
            ),
        ],
    );
}

#[test]
fn a_full_name_may_be_that_of_a_row_or_a_value_of_another_column() {
    check(
        SHEETS,
        &[
            ("salary of Helen West", "?"),
            ("salary of Adam Price", "SELECT 40000"),
        ],
    );
    chosen(
        SHEETS,
        &[(
            "salary of Helen West",
            "first and last name of staff",
            "SELECT 62000",
        )],
    );
}

/// Sheets with units in the names of their columns, and amounts.
const UNITS: &str = "
    CREATE TABLE lands (land TEXT, area_km2 INTEGER, gdp_billion_usd INTEGER);
    INSERT INTO lands VALUES ('Peru',1285,230),('Chad',1284,18),('Oman',309,110);
    CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, town TEXT);
    INSERT INTO members VALUES (1,'Ada','Bern'),(2,'Bo','Graz');
    CREATE TABLE payments (id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members(id), amount INTEGER, method TEXT);
    INSERT INTO payments VALUES (1,1,20,'card'),(2,1,60,'cash'),(3,2,90,'card');";

#[test]
fn the_unit_in_the_name_of_a_column_need_not_be_said() {
    check(
        UNITS,
        &[
            ("which land has the largest area?", "SELECT 'Peru', 1285"),
            ("land with the highest GDP", "SELECT 'Peru', 230"),
            (
                "lands with a GDP over 100 billion",
                "SELECT 'Peru' UNION SELECT 'Oman'",
            ),
            (
                "lands with a GDP over 100",
                "SELECT 'Peru' UNION SELECT 'Oman'",
            ),
            ("which land has the highest GDP per capita?", "!"),
        ],
    );
}

#[test]
fn amounts_and_people_need_not_be_named() {
    check(
        UNITS,
        &[
            ("total payments", "SELECT 170"),
            (
                "average payment per method",
                "SELECT 'card', 55.0 UNION SELECT 'cash', 60.0",
            ),
            ("total payments of Ada", "SELECT 80"),
            ("payments between 50 and 70 dollars", "SELECT 2"),
            ("payments between 70 and 50 dollars", "!"),
            ("who lives in Bern?", "SELECT 1"),
            ("who has the most payments?", "SELECT 1, 2"),
            ("total members", "!"),
        ],
    );
}

/// Cars with a model year, and their sales.
const CARS: &str = "
    CREATE TABLE cars (id INTEGER PRIMARY KEY, make TEXT, year INTEGER, status TEXT, arrived_on DATE);
    INSERT INTO cars VALUES (1,'Fiat',2019,'sold','2024-02-01'),(2,'Opel',2019,'sold','2025-02-01'),(3,'Audi',2022,'stock','2025-03-01');
    CREATE TABLE sales (id INTEGER PRIMARY KEY, car_id INTEGER REFERENCES cars(id), sold_on DATE, price INTEGER);
    INSERT INTO sales VALUES (1,1,'2024-05-01',900),(2,2,'2025-04-02',700);
    CREATE TABLE lessons (title TEXT, teacher TEXT);
    INSERT INTO lessons VALUES ('Algebra','Ms Rowe'),('Optics','Mr Ochs');";

#[test]
fn a_year_is_that_of_the_rows_and_not_of_others() {
    check(
        CARS,
        &[
            ("sales per year", "SELECT '2024', 1 UNION SELECT '2025', 1"),
            (
                "how many cars arrived in each year?",
                "SELECT '2024', 1 UNION SELECT '2025', 2",
            ),
            ("cars per year", "SELECT 2019, 2 UNION SELECT 2022, 1"),
            ("which year had the most sales?", "!"),
            ("how many cars were sold in April 2025?", "?"),
            ("what does Ms Rowe teach?", "!"),
        ],
    );
    chosen(
        CARS,
        &[
            (
                "how many cars were sold in April 2025?",
                "sold on of sales",
                "SELECT 1",
            ),
            (
                "how many cars were sold in March 2025?",
                "arrived on of cars",
                "SELECT 1",
            ),
        ],
    );
}

/// Recipes with numbers, and columns of 0 and 1.
const RECIPES: &str = "
    CREATE TABLE recipes (id INTEGER PRIMARY KEY, title TEXT, course TEXT, cuisine TEXT, servings INTEGER, vegetarian INTEGER, rating INTEGER);
    INSERT INTO recipes VALUES (1,'Tart','dessert','French',4,1,5),(2,'Flan','dessert','Greek',2,0,NULL),(3,'Stew','main','French',0,0,4),(4,'Pie','main','Greek',6,1,NULL);";

#[test]
fn numbers_and_qualities_belong_to_the_rows() {
    check(
        RECIPES,
        &[
            ("recipes with servings 2 or 4", "SELECT 1 UNION SELECT 2"),
            (
                "titles with servings 2 or 4",
                "SELECT 'Tart' UNION SELECT 'Flan'",
            ),
            ("vegetarian desserts", "SELECT 1"),
            ("desserts with a rating", "SELECT 1"),
            ("recipes with zero servings", "SELECT 3"),
            ("which cuisine has the fewest desserts?", "!"),
            ("servings without desserts", "!"),
            ("smallest vegetarian recipe", "?"),
        ],
    );
}

/// Flats with two prices, and the people who sell them.
const SALES: &str = "
    CREATE TABLE salespeople (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO salespeople VALUES (1,'Amir'),(2,'Gary');
    CREATE TABLE sales (id INTEGER PRIMARY KEY, salesperson_id INTEGER REFERENCES salespeople(id), asking_price INTEGER, sale_price INTEGER);
    INSERT INTO sales VALUES (1,1,180,NULL),(2,1,300,290);";

#[test]
fn two_prices_are_asked_about_and_people_without_rows_are_counted() {
    check(
        SALES,
        &[
            ("cheapest sale", "?"),
            (
                "number of sales per salesperson",
                "SELECT 1, 2 UNION SELECT 2, 0",
            ),
        ],
    );
    chosen(
        SALES,
        &[("cheapest sale", "asking price of sales", "SELECT 1, 180")],
    );
}

/// Prescriptions of a sheet, whose doctors no key names.
const PHARMACY: &str = "
    CREATE TABLE patients (patient_id INTEGER, name TEXT, ward_id INTEGER);
    INSERT INTO patients VALUES (1,'Ana Roy',1),(2,'Bo Lund',2);
    CREATE TABLE wards (ward_id INTEGER, ward TEXT, head TEXT);
    INSERT INTO wards VALUES (1,'Surgery','Dr. Adams'),(2,'Eyes','Dr. Chen');
    CREATE TABLE doctors (doctor_id INTEGER, name TEXT);
    INSERT INTO doctors VALUES (7,'Dr. Adams'),(8,'Dr. Chen'),(9,'Dr. Brown');
    CREATE TABLE prescriptions (id INTEGER, patient_id INTEGER, drug TEXT, prescribed_by INTEGER, approved_by INTEGER);
    INSERT INTO prescriptions VALUES (1,1,'Morphine',8,7),(2,2,'Insulin',8,9);";

#[test]
fn nobody_far_is_taken_for_the_one_who_did_it() {
    check(
        PHARMACY,
        &[
            ("prescriptions by Dr. Adams", "!"),
            ("who prescribed Morphine", "!"),
            ("prescriptions containing in", "!"),
            ("prescriptions containing Insulin", "SELECT 2"),
            ("patients of Surgery", "SELECT 1"),
        ],
    );
}
