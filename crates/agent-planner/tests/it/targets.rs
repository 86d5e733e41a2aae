//! Changes whose words may be about other rows, columns or tables than those that a rule finds
//! first.

use crate::values::check;

const FARM: &str = "
    CREATE TABLE workers (id INTEGER PRIMARY KEY, name TEXT, job TEXT, wage INTEGER);
    INSERT INTO workers VALUES (1,'Ann','driver',20),(2,'Bob','cook',21),(3,'Cid','driver',22);
    CREATE TABLE machines (id INTEGER PRIMARY KEY, name TEXT, hours INTEGER, driver_id INTEGER REFERENCES workers(id), owner_id INTEGER REFERENCES workers(id));
    INSERT INTO machines VALUES (1,'Plough',5,1,2),(2,'Baler',6,2,2),(3,'Lorry',7,NULL,NULL);";

#[test]
fn a_role_that_is_a_kind_as_well_is_asked_back() {
    check(
        FARM,
        &[
            ("delete drivers", "?"),
            ("delete drivers without machines", "?"),
            ("set the wage of drivers to 30", "?"),
            ("drivers", "?"),
            ("how many drivers are there", "?"),
            ("workers who are drivers", "?"),
            ("delete cooks", "DELETE FROM workers WHERE job = 'cook'"),
            (
                "delete workers whose job is driver",
                "DELETE FROM workers WHERE job = 'driver'",
            ),
            ("owners", "SELECT 2"),
            (
                "delete machines whose driver is Ann",
                "DELETE FROM machines WHERE driver_id IN (SELECT id FROM workers WHERE name = 'Ann')",
            ),
        ],
    );
}

#[test]
fn a_key_is_no_number_of_rows() {
    check(
        FARM,
        &[
            ("delete machines with more than 1 driver", "!"),
            ("delete machines with fewer than 2 drivers", "!"),
            ("delete machines with 2 drivers", "!"),
            ("machines with more than 1 driver", "!"),
            (
                "delete machines with a driver id over 1",
                "DELETE FROM machines WHERE driver_id > 1",
            ),
            (
                "delete machines with more than 5 hours",
                "DELETE FROM machines WHERE hours > 5",
            ),
            (
                "delete machines without a driver",
                "DELETE FROM machines WHERE driver_id IS NULL",
            ),
        ],
    );
}

#[test]
fn a_number_of_rows_that_are_changed_names_its_column() {
    check(
        "CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT, salary INTEGER, height INTEGER, captain INTEGER);
         INSERT INTO players VALUES (1,'Ann',200,170,0),(2,'Bob',900,180,1);
         CREATE TABLE events (id INTEGER PRIMARY KEY, title TEXT, budget INTEGER, cost INTEGER);
         INSERT INTO events VALUES (1,'Fair',500,400),(2,'Gala',600,700);
         CREATE TABLE bills (id INTEGER PRIMARY KEY, amount INTEGER, paid INTEGER);
         INSERT INTO bills VALUES (1,50,0),(2,150,1);",
        &[
            ("delete players under 170", "?"),
            ("players under 175", "?"),
            ("delete events under 500", "?"),
            ("delete events over $500", "DELETE FROM events WHERE cost > 500"),
            (
                "delete events with a budget under 550",
                "DELETE FROM events WHERE budget < 550",
            ),
            ("delete bills over 100", "DELETE FROM bills WHERE amount > 100"),
            ("events over 500", "SELECT 2"),
        ],
    );
}

#[test]
fn a_verb_that_a_date_is_called_after_is_no_noun() {
    check(
        "CREATE TABLE teams (id INTEGER PRIMARY KEY, name TEXT);
         INSERT INTO teams VALUES (1,'Lions'),(2,'Hawks');
         CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT, team_id INTEGER REFERENCES teams(id));
         INSERT INTO players VALUES (1,'Ann',1),(2,'Bob',2);
         CREATE TABLE transfers (id INTEGER PRIMARY KEY, player_id INTEGER REFERENCES players(id), fee INTEGER, transferred_on TEXT);
         INSERT INTO transfers VALUES (1,1,10,'2024-02-03'),(2,2,20,'2025-02-03');
         CREATE TABLE enrolments (id INTEGER PRIMARY KEY, player_id INTEGER REFERENCES players(id), enrolled_on TEXT);
         INSERT INTO enrolments VALUES (1,1,'2024-02-03');",
        &[
            ("transfer players of the Lions to the Hawks", "!"),
            ("transfer the players of the Lions", "!"),
            ("transfer Ann", "!"),
            ("enroll Ann", "!"),
            ("transfers of Ann", "SELECT 1"),
            ("transfers of players of the Lions", "SELECT 1"),
            ("transfer fees", "SELECT 10 UNION SELECT 20"),
            (
                "delete transfers over 15",
                "DELETE FROM transfers WHERE fee > 15",
            ),
        ],
    );
}

#[test]
fn a_date_of_the_rows_is_nearer_than_a_column_of_others() {
    check(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, shipped_on TEXT);
         INSERT INTO orders VALUES (1,'Ann','2023-01-02'),(2,'Bob','2024-01-02'),(3,'Cid',NULL);
         CREATE TABLE shipments (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id), shipped TEXT);
         INSERT INTO shipments VALUES (1,1,'2024-05-05'),(2,2,'2024-05-06');",
        &[
            (
                "delete orders that were shipped in 2023",
                "DELETE FROM orders WHERE shipped_on >= '2023-01-01' AND shipped_on < '2024-01-01'",
            ),
            (
                "delete orders shipped before 2024",
                "DELETE FROM orders WHERE shipped_on < '2024-01-01'",
            ),
            ("orders shipped in 2024", "SELECT 2"),
            ("delete orders not shipped", "!"),
            (
                "delete shipments shipped before 2025",
                "DELETE FROM shipments WHERE shipped < '2025-01-01'",
            ),
        ],
    );
}

#[test]
fn a_plural_that_is_a_value_may_be_the_singular_of_another() {
    check(
        "CREATE TABLE jobs (id INTEGER PRIMARY KEY, kind TEXT);
         INSERT INTO jobs VALUES (1,'tyres'),(2,'brakes');
         CREATE TABLE parts (id INTEGER PRIMARY KEY, name TEXT, price INTEGER);
         INSERT INTO parts VALUES (1,'Tyre',5),(2,'Belt',6),(3,'Belts',7);",
        &[
            ("delete tyres", "?"),
            ("delete brakes", "DELETE FROM jobs WHERE kind = 'brakes'"),
            (
                "delete jobs of kind tyres",
                "DELETE FROM jobs WHERE kind = 'tyres'",
            ),
            (
                "set the price of Belts to 9",
                "UPDATE parts SET price = 9 WHERE name = 'Belts'",
            ),
            (
                "set the price of Tyre to 9",
                "UPDATE parts SET price = 9 WHERE name = 'Tyre'",
            ),
        ],
    );
}

const SHOP: &str = "
    CREATE TABLE branches (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO branches VALUES (1,'Harbor'),(2,'Hill');
    CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, status TEXT, branch_id INTEGER REFERENCES branches(id));
    INSERT INTO members VALUES (1,'Ann','lapsed',1),(2,'Bob','active',2);
    CREATE TABLE items (id INTEGER PRIMARY KEY, title TEXT, price INTEGER);
    INSERT INTO items VALUES (1,'Zinc',4),(2,'Iron',5);
    CREATE TABLE loans (id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members(id), branch_id INTEGER REFERENCES branches(id), state TEXT);
    INSERT INTO loans VALUES (1,1,2,'open'),(2,2,1,'over');
    CREATE TABLE lines (id INTEGER PRIMARY KEY, loan_id INTEGER REFERENCES loans(id), item_id INTEGER REFERENCES items(id), price INTEGER, quantity INTEGER);
    INSERT INTO lines VALUES (1,1,1,3,9),(2,2,2,3,8);";

#[test]
fn a_change_says_which_rows_it_is_about() {
    check(
        SHOP,
        &[
            // The line of an item, or the item.
            ("set the quantity of Zinc to 2", "?"),
            (
                "set the quantity of lines of Zinc to 2",
                "UPDATE lines SET quantity = 2 WHERE item_id IN (SELECT id FROM items WHERE title = 'Zinc')",
            ),
            (
                "set the price of Zinc to 2",
                "UPDATE items SET price = 2 WHERE title = 'Zinc'",
            ),
            // The table between has a price as well.
            ("set the price of items of open loans to 2", "?"),
            // Those who have one, or the thing that is named.
            ("delete members of Zinc", "?"),
            (
                "delete members with Zinc",
                "DELETE FROM members WHERE id IN (SELECT loans.member_id FROM loans JOIN lines ON lines.loan_id = loans.id JOIN items ON items.id = lines.item_id WHERE items.title = 'Zinc')",
            ),
            (
                "delete members of open loans",
                "DELETE FROM members WHERE id IN (SELECT member_id FROM loans WHERE state = 'open')",
            ),
            // The branch of the loan, or of its member.
            ("delete loans of lapsed members at Harbor", "?"),
            (
                "delete loans of lapsed members",
                "DELETE FROM loans WHERE member_id IN (SELECT id FROM members WHERE status = 'lapsed')",
            ),
            (
                "delete open loans at Harbor",
                "DELETE FROM loans WHERE state = 'open' AND branch_id IN (SELECT id FROM branches WHERE name = 'Harbor')",
            ),
        ],
    );
}

#[test]
fn a_verb_without_a_date_of_the_rows_is_not_left_out() {
    check(
        "CREATE TABLE animals (id INTEGER PRIMARY KEY, species TEXT, sex TEXT, born TEXT);
         INSERT INTO animals VALUES (1,'pig','male','2023-01-02'),(2,'cow','male','2024-01-02');
         CREATE TABLE treatments (id INTEGER PRIMARY KEY, animal_id INTEGER REFERENCES animals(id), kind TEXT, treated_on TEXT);
         INSERT INTO treatments VALUES (1,1,'hoof','2024-05-05'),(2,2,'hoof','2023-05-06');",
        &[
            ("delete pigs treated in 2023", "!"),
            ("pigs treated in 2023", "!"),
            ("delete pigs washed in 2023", "!"),
            ("pigs born in 2023", "SELECT 1"),
            (
                "delete animals born in 2023",
                "DELETE FROM animals WHERE born >= '2023-01-01' AND born < '2024-01-01'",
            ),
            // Of the pigs alone, or of the cows as well.
            ("delete male pigs or cows", "?"),
            ("delete male pigs and cows", "?"),
            (
                "delete male pigs",
                "DELETE FROM animals WHERE sex = 'male' AND species = 'pig'",
            ),
            (
                "delete pigs or cows",
                "DELETE FROM animals WHERE species IN ('pig', 'cow')",
            ),
        ],
    );
}

#[test]
fn a_direction_is_that_of_rows_with_such_a_key() {
    check(
        "CREATE TABLE teams (id INTEGER PRIMARY KEY, name TEXT);
         INSERT INTO teams VALUES (1,'Lions'),(2,'Hawks');
         CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT, state TEXT, team_id INTEGER REFERENCES teams(id));
         INSERT INTO players VALUES (1,'Ann','hurt',1),(2,'Bob','fit',2);
         CREATE TABLE transfers (id INTEGER PRIMARY KEY, player_id INTEGER REFERENCES players(id), from_team INTEGER REFERENCES teams(id),
           to_team INTEGER REFERENCES teams(id), status TEXT);
         INSERT INTO transfers VALUES (1,1,1,2,'pending'),(2,2,2,1,'done');",
        &[
            (
                "delete transfers of hurt players to the Lions",
                "DELETE FROM transfers WHERE player_id IN (SELECT id FROM players WHERE state = 'hurt') AND to_team IN (SELECT id FROM teams WHERE name = 'Lions')",
            ),
            ("delete players with pending transfers to the Lions", "!"),
            ("players with pending transfers to the Lions", "!"),
            (
                "delete transfers to the Lions",
                "DELETE FROM transfers WHERE to_team IN (SELECT id FROM teams WHERE name = 'Lions')",
            ),
            (
                "delete pending transfers from the Lions to the Hawks",
                "DELETE FROM transfers WHERE status = 'pending' AND from_team IN (SELECT id FROM teams WHERE name = 'Lions') AND to_team IN (SELECT id FROM teams WHERE name = 'Hawks')",
            ),
            (
                "delete players of the Lions",
                "DELETE FROM players WHERE team_id IN (SELECT id FROM teams WHERE name = 'Lions')",
            ),
        ],
    );
}

#[test]
fn a_verb_of_a_key_says_nothing_of_another_name() {
    check(
        "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);
         INSERT INTO people VALUES (1,'Ann'),(2,'Bob');
         CREATE TABLE jobs (id INTEGER PRIMARY KEY, title TEXT, mechanic_id INTEGER REFERENCES people(id), inspector_id INTEGER REFERENCES people(id));
         INSERT INTO jobs VALUES (1,'oil',1,2),(2,'wax',2,1);",
        &[
            ("delete jobs of Ann inspected by Bob", "!"),
            ("delete jobs inspected by Bob of Ann", "!"),
            ("delete jobs of Ann and inspected by Bob", "!"),
            (
                "delete jobs inspected by Bob",
                "DELETE FROM jobs WHERE inspector_id IN (SELECT id FROM people WHERE name = 'Bob')",
            ),
            (
                "delete jobs inspected by Bob or Ann",
                "DELETE FROM jobs WHERE inspector_id IN (SELECT id FROM people WHERE name IN ('Bob', 'Ann'))",
            ),
        ],
    );
}

#[test]
fn a_zero_that_may_be_nothing_is_asked_back() {
    check(
        "CREATE TABLE stays (id INTEGER PRIMARY KEY, guest TEXT, deposit INTEGER, nights INTEGER);
         INSERT INTO stays VALUES (1,'Ann',0,2),(2,'Bob',NULL,3),(3,'Cid',50,NULL);",
        &[
            ("delete stays without a deposit", "?"),
            ("delete stays with a deposit", "?"),
            (
                "delete stays whose deposit is missing",
                "DELETE FROM stays WHERE deposit IS NULL",
            ),
            (
                "delete stays with a deposit over 0",
                "DELETE FROM stays WHERE deposit > 0",
            ),
        ],
    );
}
