//! Values behind `from` and `to`, and the value that is set beside a condition with `to`.

use crate::values::check;

const FLIGHTS: &str = "
    CREATE TABLE flights (id INTEGER PRIMARY KEY, from_city TEXT, to_city TEXT, airline TEXT, toll INTEGER);
    INSERT INTO flights VALUES (1,'Bern','Graz','AirA',1),(2,'Bern','Nice','AirB',2),(3,'Rome','Graz','AirA',3),(4,'Rome','Nice','AirB',4),(5,'Oslo','Graz','AirC',5);";

#[test]
fn a_second_to_behind_the_rows_is_not_the_value() {
    check(
        FLIGHTS,
        &[
            ("set to city to Rome for flights to Nice", "!"),
            ("set the to city to Rome for flights to Nice", "!"),
            ("set airline to AirA for flights to AirB", "!"),
            ("set airline to AirA where the flights go to Nice", "!"),
            ("set toll to 5 for flights to Graz", "!"),
            (
                "set the toll of flights to Graz to 5",
                "UPDATE flights SET toll = 5 WHERE to_city = 'Graz'",
            ),
            (
                "set toll to 5 for flights with airline AirC",
                "UPDATE flights SET toll = 5 WHERE airline = 'AirC'",
            ),
        ],
    );
}
