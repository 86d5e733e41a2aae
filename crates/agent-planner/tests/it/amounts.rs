//! Words that no question may lose, sums of groups, and numbers beside the column that they are
//! about.

use crate::values::check;
use crate::wording::chosen;

const CHOIR: &str = "
    CREATE TABLE singers (id INTEGER PRIMARY KEY, name TEXT, voice TEXT, fee INTEGER);
    INSERT INTO singers VALUES (1,'Ann','alto',10),(2,'Bob','bass',20),(3,'Cid','alto',30);
    CREATE TABLE concerts (id INTEGER PRIMARY KEY, title TEXT, date TEXT);
    INSERT INTO concerts VALUES (1,'Spring','2024-05-01'),(2,'Autumn','2024-10-01');
    CREATE TABLE parts (id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singers(id), concert_id INTEGER REFERENCES concerts(id));
    INSERT INTO parts VALUES (1,1,1),(2,2,1),(3,1,2);";

const BUGS: &str = "
    CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO users VALUES (1,'Ann'),(2,'Bob');
    CREATE TABLE bugs (id INTEGER PRIMARY KEY, title TEXT, user_id INTEGER REFERENCES users(id), estimate_hours INTEGER, status TEXT);
    INSERT INTO bugs VALUES (1,'A',1,5,'open'),(2,'B',2,7,'open'),(3,'C',2,1,'done');
    CREATE TABLE comments (id INTEGER PRIMARY KEY, bug_id INTEGER REFERENCES bugs(id), user_id INTEGER REFERENCES users(id), text TEXT);
    INSERT INTO comments VALUES (1,1,1,'x'),(2,1,2,'y');";

#[test]
fn no_word_that_says_how_rows_are_is_lost() {
    check(
        CHOIR,
        &[
            ("living singers", "!"),
            ("how many living singers are there", "!"),
            ("registered singers", "!"),
            ("how many singers are working", "!"),
            ("concerts that were sold out", "!"),
            ("how many concerts sold out", "!"),
            ("concerts that were taken out", "!"),
            ("recorded concerts", "!"),
            ("how many concerts were recorded", "!"),
            ("average fee of registered singers", "!"),
            ("existing singers", "!"),
            ("singers existing", "!"),
            ("singers located", "!"),
            ("given concerts", "!"),
            ("concerts given", "!"),
            ("concerts cancelled", "!"),
            ("how many concerts were taken", "!"),
            ("how many made concerts", "!"),
            ("singers currently", "!"),
            ("current singers", "!"),
            ("singers out", "!"),
            ("each singer", "!"),
            ("own singers", "!"),
            ("based singers", "!"),
            ("stored concerts", "!"),
            ("how many working singers", "!"),
            ("fee of working singers", "!"),
            ("singers with a working voice", "!"),
            ("how many singers work", "!"),
            ("both singers", "!"),
            ("singers with both concerts", "!"),
            ("concerts had", "!"),
            ("singers in Oslo working", "!"),
            ("singers who are records", "!"),
            ("singers different", "!"),
            ("out singers", "!"),
            ("find out all singers", "SELECT id FROM singers"),
            ("how many concerts did Ann give", "SELECT 2"),
            ("concerts Ann gave", "SELECT 1 UNION SELECT 2"),
            ("singers in the database", "SELECT id FROM singers"),
            (
                "concerts that took place in 2024",
                "SELECT id FROM concerts",
            ),
            ("exactly singers", "!"),
            ("singers", "SELECT id FROM singers"),
            ("how many singers are there", "SELECT 3"),
            ("how many singers exist", "SELECT 3"),
            ("all the singers please", "SELECT id FROM singers"),
        ],
    );
    check(
        BUGS,
        &[
            ("users who commented on their own bugs", "!"),
            ("users with comments on their own bugs", "!"),
            ("how many own a bug", "!"),
            ("how many users have bugs", "SELECT 2"),
            ("users who have", "!"),
        ],
    );
    check(
        "CREATE TABLE sales (id INTEGER, amount INTEGER, ok TEXT);
         INSERT INTO sales VALUES (1,5,'T'),(2,6,'F'),(3,7,'T');
         CREATE TABLE staff (name TEXT, rank TEXT, salary INTEGER);
         INSERT INTO staff VALUES ('Ann','A',5),('Bob','B',7);",
        &[
            ("ok sales", "SELECT 1 UNION SELECT 3"),
            ("how many ok sales", "SELECT 2"),
            ("ok, all sales", "SELECT id FROM sales"),
            ("rank by salary", "!"),
        ],
    );
}

const SHOPS: &str = "
    CREATE TABLE shops (id INTEGER PRIMARY KEY, name TEXT, town TEXT, rooms INTEGER);
    INSERT INTO shops VALUES (1,'North','Rome',2),(2,'South','Rome',3),(3,'West','Oslo',4);
    CREATE TABLE sales (id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shops(id), amount INTEGER, sold TEXT);
    INSERT INTO sales VALUES (1,1,5,'2024-01-05'),(2,1,5,'2024-03-01'),(3,1,5,'2025-01-01'),(4,3,9,'2024-02-02');";

const RENTALS: &str = "
    CREATE TABLE rentals (customer TEXT, class TEXT, km_driven INTEGER, fee INTEGER);
    INSERT INTO rentals VALUES ('Sam','van',100,10),('Sam','car',200,15),('Paul','van',150,20),('Bob','van',160,9),('Bob','van',170,9);";

const MILK: &str = "
    CREATE TABLE milk (date TEXT, tag TEXT, litres REAL);
    INSERT INTO milk VALUES ('2024-01-01','A1',5),('2024-01-02','A1',6),('2024-01-03','A1',1),('2024-01-01','A2',15);
    CREATE TABLE animals (tag TEXT, name TEXT, kind TEXT);
    INSERT INTO animals VALUES ('A1','Bella','cow'),('A2','Flora','cow'),('A3','Zoe','goat');";

const INVOICES: &str = "
    CREATE TABLE invoices (id INTEGER PRIMARY KEY, amount INTEGER, weight TEXT, duration TEXT, client TEXT);
    INSERT INTO invoices VALUES (1,100,'a lot','1h','Ann'),(2,200,NULL,'2h','Bob'),(3,1,'little',NULL,'Ann');";

const CLUBS: &str = "
    CREATE TABLE clubs (id INTEGER PRIMARY KEY, name TEXT, city TEXT, total INTEGER);
    INSERT INTO clubs VALUES (1,'Chess','Rome',3),(2,'Tennis','Oslo',4),(3,'Golf','Rome',0);
    CREATE TABLE persons (id INTEGER PRIMARY KEY, name TEXT, sex TEXT, age INTEGER, club_id INTEGER REFERENCES clubs(id));
    INSERT INTO persons VALUES (1,'Ann','female',40,1),(2,'Bea','female',30,1),(3,'Cid','male',20,2),(4,'Dee','female',50,2);";

const DEPOT: &str = "
    CREATE TABLE depot (entry INTEGER, \"group\" TEXT, qty INTEGER);
    INSERT INTO depot VALUES (1,'A',1),(2,'A',1),(3,'B',9);";

#[test]
fn the_most_of_a_column_is_added_up_or_asked_back() {
    check(
        SHOPS,
        &[
            ("town with the most amount", "SELECT 'Rome', 15"),
            ("town with the highest amount", "?"),
            ("town with the most sales", "SELECT 'Rome', 3"),
            ("shop with the most sales", "SELECT 1, 3"),
            ("shop with the most amount", "?"),
            ("town with the fewest sales", "!"),
            ("towns with fewer than 3 sales", "!"),
            ("towns with more than 1 sale in 2024", "SELECT 'Rome', 2"),
            ("how many towns have more than 1 sale", "!"),
            ("towns with more than 1 shop and more than 1 sale", "!"),
        ],
    );
    check(
        RENTALS,
        &[
            ("class with the most rentals", "SELECT 'van', 4"),
            ("which class made the most rentals", "SELECT 'van', 4"),
            ("customers with a fee over 15", "SELECT 'Paul'"),
            ("rentals with more than 180 km driven", "SELECT 200"),
            ("how many customers have more than 200 km driven", "!"),
        ],
    );
    chosen(
        RENTALS,
        &[
            (
                "customer with the most fees",
                "total fee",
                "SELECT 'Sam', 25",
            ),
            (
                "customer with the most fees",
                "highest fee",
                "SELECT 'Paul', 20",
            ),
            (
                "customer with the most km driven",
                "total km_driven",
                "SELECT 'Bob', 330",
            ),
            (
                "customer with the fewest km driven",
                "lowest km_driven",
                "SELECT 'Sam', 100",
            ),
            (
                "customers with more than 200 km driven",
                "total km driven of rentals",
                "SELECT 'Bob', 330 UNION SELECT 'Sam', 300",
            ),
            (
                "customers with at least 200 km driven",
                "km driven of rentals in one row",
                "SELECT 'Sam'",
            ),
            (
                "customers with more than 150 km driven with class van",
                "total km driven of rentals",
                "SELECT 'Bob', 330",
            ),
        ],
    );
}

#[test]
fn what_is_more_than_rows_is_asked_back() {
    chosen(
        MILK,
        &[
            (
                "which animal gave the most milk",
                "total litres",
                "SELECT 'Flora', 15",
            ),
            (
                "animal with the most milk",
                "number of rows of milk",
                "SELECT 'Bella', 3",
            ),
            (
                "kind with the most litres",
                "total litres",
                "SELECT 'cow', 27",
            ),
        ],
    );
    chosen(
        DEPOT,
        &[
            (
                "group with the most entries",
                "number of rows of depot",
                "SELECT 'A', 2",
            ),
            (
                "groups with more than 1 entry",
                "number of rows of depot",
                "SELECT 'A', 2",
            ),
        ],
    );
}

#[test]
fn numbers_stay_with_the_column_that_they_follow() {
    check(
        INVOICES,
        &[
            ("invoices with a duration over 1", "!"),
            ("invoices with weight over 2", "!"),
            ("invoices with a client over 100", "!"),
            ("how many invoices have a duration over 1", "!"),
            ("average amount of invoices with a weight over 2", "!"),
            ("invoices with a duration over 1 and an amount over 5", "!"),
            ("invoices whose weight is more than 2", "!"),
            ("delete invoices with a duration over 1", "!"),
            ("invoices with an amount over 100", "SELECT 2"),
            ("clients with more than one invoice", "SELECT 'Ann', 2"),
        ],
    );
}

#[test]
fn a_number_in_front_of_a_value_counts_its_rows() {
    check(
        CLUBS,
        &[
            ("clubs with at least two women", "SELECT 1"),
            ("how many clubs have more than 1 man", "SELECT 0"),
            ("clubs with fewer than 2 women", "SELECT 2 UNION SELECT 3"),
            ("clubs with exactly two women", "SELECT 1"),
            ("cities with at least two women", "SELECT 'Rome', 2"),
            (
                "clubs with at least one woman over 35",
                "SELECT 1 UNION SELECT 2",
            ),
            ("clubs with at least two female persons", "SELECT 1"),
            ("persons with at least two women", "!"),
            ("clubs with at least 3 strikers", "!"),
            ("clubs with a total over 3", "SELECT 2"),
        ],
    );
}

#[test]
fn a_number_of_rows_stands_beside_an_aggregate() {
    check(
        SHOPS,
        &[
            (
                "number of sales and total amount per town",
                "SELECT 'Oslo', 1, 9 UNION SELECT 'Rome', 3, 15",
            ),
            (
                "count and average amount per shop",
                "SELECT 1, 3, 5.0 UNION SELECT 2, 0, NULL UNION SELECT 3, 1, 9.0",
            ),
            (
                "number of sales and total amount per year",
                "SELECT '2024', 3, 19 UNION SELECT '2025', 1, 5",
            ),
            ("total amount per shop", "SELECT 1, 15 UNION SELECT 3, 9"),
            ("number of sales and total rooms per town", "!"),
        ],
    );
}

#[test]
fn a_table_is_no_column_and_no_sum() {
    check(
        SHOPS,
        &[
            ("revenue per shop", "!"),
            ("revenue in 2024", "!"),
            ("turnover of North", "!"),
            ("revenue of Rome", "!"),
            ("town with the highest revenue", "!"),
            ("top 3 shops by revenue", "!"),
            ("average amount per sale", "!"),
            ("average sale", "SELECT 6.0"),
            ("average of sales", "!"),
            ("best selling shop", "!"),
        ],
    );
    chosen(
        SHOPS,
        &[
            ("largest sale", "amount of sales", "SELECT 4"),
            ("highest sale", "amount of sales", "SELECT 4"),
        ],
    );
    chosen(
        "CREATE TABLE sales (sale_id INTEGER, shop TEXT, sold_at TEXT, quantity INTEGER);
         INSERT INTO sales VALUES (1,'N','2024-01-01',9),(2,'N','2024-01-02',3),(3,'S','2024-01-03',4);",
        &[("biggest sale", "quantity of sales", "SELECT 1, 9")],
    );
    check(
        "CREATE TABLE tips (total_bill REAL, tip REAL, day TEXT);
         INSERT INTO tips VALUES (10,1,'Sun'),(20,2,'Sun'),(60,51,'Fri');",
        &[
            ("days with more than 1 tips", "SELECT 'Sun', 2"),
            ("days with fewer than 2 tips", "SELECT 'Fri', 1"),
            ("day with the most tips", "SELECT 'Sun', 2"),
        ],
    );
    check(
        BUGS,
        &[
            ("comments per hour", "!"),
            ("bugs per minute", "!"),
            (
                "number of bugs and total estimate hours per status",
                "SELECT 'open', 2, 12 UNION SELECT 'done', 1, 1",
            ),
        ],
    );
}

#[test]
fn months_are_numbers_or_of_any_year() {
    check(
        "CREATE TABLE air (Ozone INTEGER, Temp INTEGER, Month INTEGER, Day INTEGER);
         INSERT INTO air VALUES (41,67,5,1),(36,72,5,2),(12,74,7,1),(18,80,7,2),(NULL,90,8,1);",
        &[
            ("average temp in July", "SELECT 77"),
            ("how many rows in May", "SELECT 2"),
            ("highest temp in August", "SELECT 90"),
            ("ozone in May 2024", "!"),
        ],
    );
    check(
        "CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT, born TEXT, seen INTEGER);
         INSERT INTO pets VALUES (1,'Rex','2019-12-03',1733011200),(2,'Mia','2020-12-05',1735689600),(3,'Tom','2021-01-01',NULL);",
        &[
            ("pets born in december", "?"),
            ("pets born in december of any year", "SELECT 1 UNION SELECT 2"),
            ("pets not born in December of every year", "SELECT 3"),
            ("how many pets were born in January of any year", "SELECT 1"),
        ],
    );
}

#[test]
fn a_date_behind_rows_without_one_is_not_that_of_the_rows_around_them() {
    check(
        "CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT, hired TEXT);
         INSERT INTO employees VALUES (1,'Ann','2025-03-01'),(2,'Bob','2024-01-01');
         CREATE TABLE payslips (id INTEGER PRIMARY KEY, employee_id INTEGER REFERENCES employees(id), month TEXT, net INTEGER);
         INSERT INTO payslips VALUES (1,1,'2025-03',5);",
        &[
            ("employees without a payslip in March 2025", "!"),
            ("employees with a payslip in March 2025", "!"),
            ("employees with a payslip hired in 2025", "SELECT 1"),
            ("employees hired in 2024 without a payslip", "SELECT 2"),
        ],
    );
}

#[test]
fn a_number_for_each_group_is_a_total_or_an_average() {
    chosen(
        MILK,
        &[
            (
                "litres per animal",
                "total litres",
                "SELECT 'Bella', 12 UNION SELECT 'Flora', 15",
            ),
            (
                "litres per animal",
                "average litres",
                "SELECT 'Bella', 4 UNION SELECT 'Flora', 15",
            ),
        ],
    );
    check(MILK, &[("names per kind", "!")]);
}

#[test]
fn beginnings_of_words_deny_a_column_of_yes_and_no() {
    check(
        "CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, is_active BOOLEAN, paid TEXT, smoker TEXT);
         INSERT INTO members VALUES (1,'Ann',1,'yes','no'),(2,'Bob',0,'no','no'),(3,'Cid',NULL,'yes','yes');",
        &[
            ("inactive members", "SELECT 2"),
            ("how many unpaid members", "SELECT 1"),
            ("members who are not inactive", "SELECT 1"),
            ("paid non-smokers", "SELECT 1"),
            ("nonsmokers", "SELECT 1 UNION SELECT 2"),
            ("names of unpaid members", "SELECT 'Bob'"),
            ("delete unpaid members", "!"),
            ("unfriendly members", "!"),
        ],
    );
}
