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
            ("set toll to 5 of flights to Graz", "!"),
            ("set toll to 5 flights to Graz", "!"),
            (
                "set toll to 5 for flights with airline AirC",
                "UPDATE flights SET toll = 5 WHERE airline = 'AirC'",
            ),
        ],
    );
}

#[test]
fn a_preposition_is_not_against_the_name_of_the_column() {
    check(
        FLIGHTS,
        &[
            ("delete flights to Rome", "!"),
            ("delete flights from Nice", "!"),
            ("delete flights not to Rome", "!"),
            ("how many flights to Rome", "!"),
            ("how many flights from Rome", "SELECT 2"),
            (
                "delete flights from Bern to Graz",
                "DELETE FROM flights WHERE from_city = 'Bern' AND to_city = 'Graz'",
            ),
        ],
    );
    check(
        "CREATE TABLE messages (id INTEGER PRIMARY KEY, sender TEXT, receiver TEXT, sent_on TEXT);
         INSERT INTO messages VALUES (1,'Ann','Bob','2024-01-01'),(2,'Ann','Eve','2024-01-02'),(3,'Cid','Bob',NULL);",
        &[
            ("delete messages from Bob", "!"),
            ("delete messages by Bob", "!"),
            ("delete messages sent by Bob", "!"),
            ("delete messages sent to Ann", "!"),
            ("delete messages not from Bob", "!"),
            ("how many messages from Bob or Eve", "!"),
            (
                "delete messages to Bob",
                "DELETE FROM messages WHERE receiver = 'Bob'",
            ),
        ],
    );
    check(
        "CREATE TABLE parcels (id INTEGER PRIMARY KEY, origin TEXT, destination TEXT);
         INSERT INTO parcels VALUES (1,'Rome','Riga'),(2,'Kiel','Riga'),(3,'Rome','Oslo');",
        &[
            ("how many parcels went to Rome", "!"),
            ("parcels from Riga", "!"),
            ("delete parcels not to Kiel", "!"),
            ("delete parcels into Kiel", "!"),
            ("how many parcels from Rome to Riga", "SELECT 1"),
        ],
    );
    check(
        "CREATE TABLE moves (id INTEGER PRIMARY KEY, old_town TEXT, new_town TEXT);
         INSERT INTO moves VALUES (1,'Oslo','Rome'),(2,'Rome','Oslo'),(3,'Bern','Oslo');",
        &[
            ("delete moves to Bern", "!"),
            (
                "delete moves from Oslo to Rome",
                "DELETE FROM moves WHERE old_town = 'Oslo' AND new_town = 'Rome'",
            ),
        ],
    );
}

#[test]
fn from_one_value_to_another_are_two_columns() {
    check(
        "CREATE TABLE trips (id INTEGER PRIMARY KEY, from_town TEXT, to_town TEXT, state TEXT);
         INSERT INTO trips VALUES (1,'Bern','Graz','x'),(2,'Graz','Bern','x'),(3,'Nice','Bern','x'),(4,'Bern','Nice','done'),(5,'Graz','Nice','x');",
        &[
            (
                "delete trips from Bern to Graz",
                "DELETE FROM trips WHERE from_town = 'Bern' AND to_town = 'Graz'",
            ),
            (
                "delete trips to Graz from Bern",
                "DELETE FROM trips WHERE to_town = 'Graz' AND from_town = 'Bern'",
            ),
            (
                "set the state of trips from Bern to Nice to done",
                "UPDATE trips SET state = 'done' WHERE from_town = 'Bern' AND to_town = 'Nice'",
            ),
            (
                "delete trips from Bern or Graz to Nice",
                "?",
            ),
            ("how many trips from Bern to Nice", "SELECT 1"),
        ],
    );
    check(
        "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);
         INSERT INTO people VALUES (1,'Ann'),(2,'Bob'),(3,'Dot');
         CREATE TABLE letters (id INTEGER PRIMARY KEY, sender_id INTEGER REFERENCES people(id), receiver_id INTEGER REFERENCES people(id));
         INSERT INTO letters VALUES (1,1,3),(2,1,2),(3,3,1),(4,2,3);",
        &[
            (
                "delete letters from Ann to Dot",
                "DELETE FROM letters WHERE sender_id IN (SELECT id FROM people WHERE name = 'Ann') AND receiver_id IN (SELECT id FROM people WHERE name = 'Dot')",
            ),
            ("how many letters from Ann to Dot", "SELECT 1"),
            ("how many letters from Ann or Bob to Dot", "?"),
            ("delete letters of Ann", "?"),
        ],
    );
}

#[test]
fn ranges_of_texts_are_refused() {
    check(
        "CREATE TABLE lots (id INTEGER PRIMARY KEY, lot TEXT, grade TEXT);
         INSERT INTO lots VALUES (1,'A1','A'),(2,'A2','B'),(3,'A3','C'),(4,'B1','A');",
        &[
            ("delete lots A1 to B1", "!"),
            ("delete lots from A1 to B1", "!"),
            ("set the grade of lots A1 to A3 to C", "!"),
            ("delete lots of grade A to C", "!"),
            ("delete lots with lot from A1 to A3", "!"),
            ("how many lots from A1 to A3", "!"),
            (
                "delete lots A1 or B1",
                "DELETE FROM lots WHERE lot IN ('A1', 'B1')",
            ),
        ],
    );
}

#[test]
fn a_phrase_behind_a_chain_does_not_lead_back() {
    check(
        "CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
         INSERT INTO authors VALUES (1,'Ada Fontane','France'),(2,'Bo Ek','Norway');
         CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, genre TEXT, pages INTEGER, author_id INTEGER REFERENCES authors(id));
         INSERT INTO books VALUES (1,'Sun','novel',310,1),(2,'Moon','poem',90,2),(6,'Sea','novel',400,1);
         CREATE TABLE readers (id INTEGER PRIMARY KEY, name TEXT, town TEXT, age INTEGER);
         INSERT INTO readers VALUES (1,'Ann','Dover',20),(3,'Cid','Dover',30),(5,'Eve','Bath',40);
         CREATE TABLE loans (id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES books(id), reader_id INTEGER REFERENCES readers(id));
         INSERT INTO loans VALUES (1,1,1),(5,6,3),(6,2,1),(7,1,5);",
        &[
            ("delete loans of books by Ada Fontane to readers from Dover", "!"),
            ("delete loans of books by Ada Fontane to Ann", "!"),
            ("delete loans of books by Ada Fontane in Dover", "!"),
            ("delete loans of books by Ada Fontane with age over 25", "!"),
            ("delete loans of books over 300 pages to readers from Dover", "!"),
            ("delete loans of readers from Dover of novels", "!"),
            ("delete loans of readers from Dover of books by Ada Fontane", "!"),
            ("how many loans of books by Ada Fontane to readers from Dover", "!"),
            (
                "delete loans of novels to readers from Dover",
                "DELETE FROM loans WHERE book_id IN (SELECT id FROM books WHERE genre = 'novel') AND reader_id IN (SELECT id FROM readers WHERE town = 'Dover')",
            ),
            (
                "delete loans of books by authors from France",
                "DELETE FROM loans WHERE book_id IN (SELECT id FROM books WHERE author_id IN (SELECT id FROM authors WHERE country = 'France'))",
            ),
        ],
    );
}
