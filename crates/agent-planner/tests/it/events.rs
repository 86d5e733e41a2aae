//! Words that may be a value or say that there are rows, what is left out of an aggregate, and
//! things that others have.

use crate::values::check;
use crate::wording::chosen;

const VEHICLES: &str = "
    CREATE TABLE vehicles (id INTEGER PRIMARY KEY, plate TEXT, status TEXT, price INTEGER);
    INSERT INTO vehicles VALUES (1,'AA','rented',10),(2,'BB','free',20),(3,'CC','reserved',30);
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO customers VALUES (1,'Ann'),(2,'Bob');
    CREATE TABLE rentals (id INTEGER PRIMARY KEY, vehicle_id INTEGER REFERENCES vehicles(id), customer_id INTEGER REFERENCES customers(id));
    INSERT INTO rentals VALUES (1,1,2),(2,2,1);
    CREATE TABLE reservations (id INTEGER PRIMARY KEY, vehicle_id INTEGER REFERENCES vehicles(id));
    INSERT INTO reservations VALUES (1,2);";

#[test]
fn what_happened_is_not_how_a_row_is() {
    check(
        VEHICLES,
        &[
            ("vehicles that have never been rented", "SELECT 3"),
            ("vehicles never rented", "SELECT 3"),
            ("how many vehicles have been rented", "SELECT 2"),
            ("vehicles that are rented", "SELECT 1"),
            ("rented vehicles", "SELECT 1"),
            ("vehicles that are not rented", "SELECT 2 UNION SELECT 3"),
            (
                "vehicles that are free or rented",
                "SELECT 1 UNION SELECT 2",
            ),
            ("vehicles whose status is rented", "SELECT 1"),
            (
                "delete rented vehicles",
                "DELETE FROM vehicles WHERE status = 'rented'",
            ),
            ("delete vehicles that have never been rented", "!"),
            ("vehicles that were rented", "?"),
            ("vehicles rented by Ann", "?"),
            ("vehicles that Bob rented", "?"),
            ("vehicles that have been reserved", "?"),
            ("reserved vehicles", "SELECT 3"),
        ],
    );
    chosen(
        VEHICLES,
        &[
            ("vehicles rented by Ann", "rows of rentals", "SELECT 2"),
            (
                "vehicles that were never reserved",
                "rows of reservations",
                "SELECT 1 UNION SELECT 3",
            ),
            (
                "vehicles that were rented",
                "status of vehicles",
                "SELECT 1",
            ),
        ],
    );
}

#[test]
fn an_aggregate_without_a_value_leaves_out_its_rows() {
    check(
        "CREATE TABLE concerts (id INTEGER PRIMARY KEY, title TEXT, genre TEXT, fee INTEGER, town TEXT);
         INSERT INTO concerts VALUES (1,'A','Folk',10,'Rome'),(2,'B','Jazz',10,'Rome'),(3,'C',NULL,30,'Oslo'),(4,'D','Rock',40,'Oslo');",
        &[
            ("total fee without Folk", "SELECT 80"),
            ("total fee except Folk", "SELECT 80"),
            ("total fee of concerts without Folk", "SELECT 80"),
            ("highest fee without Rock", "SELECT 30"),
            ("average fee in Rome without Folk", "SELECT 10"),
            ("total fee per town without Folk", "SELECT 'Oslo', 70 UNION SELECT 'Rome', 10"),
            ("fee without Folk", "SELECT 10 UNION SELECT 30 UNION SELECT 40"),
            ("towns without Folk", "SELECT 'Oslo'"),
        ],
    );
}

const GYMS: &str = "
    CREATE TABLE gyms (id INTEGER PRIMARY KEY, name TEXT, city TEXT, has_sauna BOOLEAN);
    INSERT INTO gyms VALUES (1,'Fit','Rome',1),(2,'Lift','Rome',0),(3,'Run','Oslo',1);
    CREATE TABLE plans (id INTEGER PRIMARY KEY, gym_id INTEGER REFERENCES gyms(id), plan TEXT, price INTEGER);
    INSERT INTO plans VALUES (1,1,'Basic',10),(2,1,'Sauna',20),(3,2,'Sauna',10),(4,2,'Sauna',30);";

#[test]
fn what_has_a_thing_is_not_the_thing() {
    check(
        GYMS,
        &[
            ("how many have a sauna in Rome", "SELECT 1"),
            ("how many gyms have the sauna plan in Rome", "SELECT 2"),
            ("how many have the sauna plan in Rome", "?"),
            ("how many have the basic plan", "?"),
            ("gyms with the sauna plan", "SELECT 1 UNION SELECT 2"),
        ],
    );
    chosen(
        GYMS,
        &[
            ("how many have the basic plan in Rome", "gyms", "SELECT 1"),
            ("how many have the sauna plan", "plans", "SELECT 3"),
        ],
    );
}

#[test]
fn a_list_of_values_has_no_blank_one() {
    check(
        "CREATE TABLE locations (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
         INSERT INTO locations VALUES (1,'North','Rome'),(2,'South','Oslo'),(3,'West',NULL);
         CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT, location_id INTEGER REFERENCES locations(id), part_time BOOLEAN);
         INSERT INTO employees VALUES (1,'Ann',1,1),(2,'Bob',2,0),(3,'Cid',NULL,1),(4,'Dee',3,1);",
        &[
            ("cities with part time employees", "SELECT 'Rome'"),
            ("locations with part time employees", "SELECT 1 UNION SELECT 3"),
        ],
    );
    check(
        "CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT, location TEXT, part_time TEXT);
         INSERT INTO employees VALUES (1,'Ann','North','yes'),(2,'Bob','North','no'),(3,'Cid','South','no'),(4,'Dee',NULL,'yes'),(5,'Eve','','yes');",
        &[
            ("locations with part time employees", "SELECT 'North'"),
            ("locations of part time employees", "SELECT 'North'"),
            ("locations", "SELECT 'North' UNION SELECT 'South'"),
        ],
    );
}

const DOGS: &str = "
    CREATE TABLE owners (id INTEGER PRIMARY KEY, name TEXT, town TEXT, member BOOLEAN);
    INSERT INTO owners VALUES (1,'Ann','Rome',1),(2,'Bob','Oslo',0),(3,'Cid','Rome',1);
    CREATE TABLE dogs (id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owners(id), name TEXT, breed TEXT, price INTEGER, sold BOOLEAN, vaccinated TEXT);
    INSERT INTO dogs VALUES (1,1,'Rex','boxer',100,1,'yes'),(2,1,'Bo','poodle',50,0,'no'),(3,2,'Max','boxer',5,0,'yes');
    CREATE TABLE sales (id INTEGER PRIMARY KEY, dog_id INTEGER REFERENCES dogs(id), amount INTEGER);
    INSERT INTO sales VALUES (1,1,900),(2,2,20);
    CREATE TABLE walks (id INTEGER PRIMARY KEY, dog_id INTEGER REFERENCES dogs(id), state TEXT);
    INSERT INTO walks VALUES (1,1,'missed'),(2,1,'done');";

#[test]
fn a_column_of_yes_and_no_does_not_hide_what_happened() {
    check(
        DOGS,
        &[
            ("sold dogs", "SELECT 1"),
            ("dogs that are sold", "SELECT 1"),
            ("how many dogs are not sold", "SELECT 2"),
            ("dogs whose sold is 1", "SELECT 1"),
            ("dogs that have never been sold", "SELECT 3"),
            ("dogs that were sold", "?"),
            ("dogs sold for over 100", "?"),
            ("dogs never sold under 100", "!"),
            ("vaccinated dogs", "SELECT 1 UNION SELECT 3"),
            ("dogs that were vaccinated", "SELECT 1 UNION SELECT 3"),
        ],
    );
    chosen(
        DOGS,
        &[
            ("dogs sold for over 100", "rows of sales", "SELECT 1"),
            ("dogs that were sold", "sold of dogs", "SELECT 1"),
        ],
    );
}

#[test]
fn rows_that_a_column_names_have_rows_of_others() {
    check(
        DOGS,
        &[
            ("members with boxers", "SELECT 1"),
            ("members with a dog", "SELECT 1"),
            ("how many members have a dog", "SELECT 1"),
            ("how many members have more than 1 dog", "SELECT 1"),
            ("how many members have a vaccinated dog", "SELECT 1"),
            ("how many members live in Rome", "SELECT 2"),
            ("how many have a dog", "?"),
            ("how many have a vaccinated dog", "?"),
            ("how many missed a walk", "!"),
            ("walks missed by Ann", "!"),
            ("missed walks", "SELECT 1"),
            ("dogs with missed walks", "SELECT 1"),
            ("how many dogs have missed walks", "SELECT 1"),
        ],
    );
}

#[test]
fn what_never_happened_is_so_of_all_rows_of_a_value() {
    check(
        "CREATE TABLE bookings (id INTEGER PRIMARY KEY, passenger TEXT, seats INTEGER, paid BOOLEAN, state TEXT);
         INSERT INTO bookings VALUES (1,'Jo',2,1,'done'),(2,'Al',1,0,'open'),(3,'Jo',1,0,'cancelled'),(4,'Al',1,0,'done');",
        &[
            ("passengers who never paid", "SELECT 'Al'"),
            ("passengers who never cancelled", "SELECT 'Al'"),
            ("passengers who have not paid", "SELECT 'Al' UNION SELECT 'Jo'"),
            ("bookings never paid", "SELECT 2 UNION SELECT 3 UNION SELECT 4"),
            ("bookings 20%", "!"),
        ],
    );
    check(DOGS, &[("dogs by walks", "!")]);
}
