//! Columns of text that say yes and no: their word says that the row is so, as it does of a column
//! of 0 and 1.

use crate::values::check;

const PEOPLE: &str = "
    CREATE TABLE people (name TEXT, sex TEXT, smoker TEXT, married TEXT, voted TEXT, vegan TEXT, city TEXT, age INTEGER, diet TEXT);
    INSERT INTO people VALUES ('Ann','f','yes','Yes','Y','ja','Oslo',30,'fish'),('Bob','m','no','No','N','nein','Rome',50,'meat'),
      ('Cid','m','yes','No','Y','nein','Oslo',41,'meat'),('Dan','m','yes','Yes',NULL,'ja','Rome',28,'none'),('Eva','f','no','Yes','N','nein','Rome',61,'fish');";

#[test]
fn a_word_of_yes_and_no_says_how_rows_are() {
    check(
        PEOPLE,
        &[
            ("how many men smoke?", "SELECT 2"),
            ("how many people smoke?", "SELECT 3"),
            ("how many smokers are there?", "SELECT 3"),
            ("how many smoke?", "SELECT 3"),
            ("how many are married?", "SELECT 3"),
            ("number of smokers in Oslo", "SELECT 2"),
            ("how many married women are there?", "SELECT 2"),
            ("how many women are married?", "SELECT 2"),
            ("how many female smokers are there?", "SELECT 1"),
            ("how many women voted?", "SELECT 1"),
            ("how many people did not vote?", "SELECT 2"),
            ("how many vegans are there?", "SELECT 2"),
            ("smokers in Rome", "SELECT 'Dan'"),
            ("men who smoke", "SELECT 'Cid' UNION SELECT 'Dan'"),
            ("men who do not smoke", "SELECT 'Bob'"),
            ("married women", "SELECT 'Ann' UNION SELECT 'Eva'"),
            (
                "married people",
                "SELECT 'Ann' UNION SELECT 'Dan' UNION SELECT 'Eva'",
            ),
            (
                "who is married?",
                "SELECT 'Ann' UNION SELECT 'Dan' UNION SELECT 'Eva'",
            ),
            (
                "who smokes?",
                "SELECT 'Ann' UNION SELECT 'Cid' UNION SELECT 'Dan'",
            ),
            ("oldest smoker", "SELECT 'Cid'"),
            ("average age of smokers", "SELECT 33.0"),
            ("average age of married women", "SELECT 45.5"),
            ("what percentage of men smoke?", "SELECT 200.0 / 3"),
            ("is there a smoker in Rome?", "SELECT 1"),
            ("is Bob a smoker?", "SELECT 0"),
            ("did any women vote?", "SELECT 1"),
            (
                "people whose smoker is no",
                "SELECT 'Bob' UNION SELECT 'Eva'",
            ),
            (
                "people with smoker yes",
                "SELECT 'Ann' UNION SELECT 'Cid' UNION SELECT 'Dan'",
            ),
            ("smokers by city", "SELECT 'Oslo', 2 UNION SELECT 'Rome', 1"),
            ("are there more than 2 married people?", "SELECT 1, 3"),
            ("are there more than 3 smokers?", "SELECT 0, 3"),
            ("people by smoker", "SELECT 'no', 2 UNION SELECT 'yes', 3"),
            ("delete people who smoke", "!"),
            (
                "delete married people",
                "DELETE FROM people WHERE married = 'Yes'",
            ),
            (
                "delete people whose smoker is no",
                "DELETE FROM people WHERE smoker = 'no'",
            ),
            // The value itself is asked for.
            ("smoker of Bob", "SELECT 'no'"),
            (
                "name and smoker of people in Rome",
                "SELECT 'Bob', 'no' UNION SELECT 'Dan', 'yes' UNION SELECT 'Eva', 'no'",
            ),
            (
                "list smoker and married of people in Oslo",
                "SELECT 'yes', 'Yes' UNION SELECT 'yes', 'No'",
            ),
            ("smoker, married and age of Bob", "SELECT 'no', 'No', 50"),
            ("how many different smoker values are there?", "!"),
        ],
    );
}

#[test]
fn a_count_is_no_count_of_different_values_where_a_column_says_how_rows_are() {
    check(
        "CREATE TABLE people (name TEXT, sex TEXT, smoker TEXT, married TEXT, city TEXT, maker TEXT, origin TEXT);
         INSERT INTO people VALUES ('Ann','f','never','yes','Oslo','A','Japan'),('Bob','m','daily','widowed','Rome','B','Japan'),
           ('Cid','m','rarely','no','Oslo','C','USA');",
        &[
            ("how many men smoke?", "!"),
            ("how many smoke?", "!"),
            ("how many married women are there?", "!"),
            ("how many women are married?", "!"),
            ("how many are married?", "!"),
            ("how many male smokers are there?", "!"),
            ("how many cities are there?", "SELECT 2"),
            ("how many different cities do men live in?", "SELECT 2"),
        ],
    );
    check(
        "CREATE TABLE cars (model TEXT, maker TEXT, origin TEXT);
         INSERT INTO cars VALUES ('Civic','Honda','Japan'),('Jazz','Honda','Japan'),('Leaf','Nissan','Japan'),('T','Ford','USA');",
        &[("how many Japanese makers are there?", "SELECT 2")],
    );
}

#[test]
fn rows_that_are_so_are_found_along_foreign_keys() {
    check(
        "CREATE TABLE owners (id INTEGER PRIMARY KEY, name TEXT, member TEXT);
         INSERT INTO owners VALUES (1,'Tom','No'),(2,'Ann','Yes'),(3,'Zoe','Yes');
         CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, vaccinated TEXT, owner_id INTEGER REFERENCES owners(id));
         INSERT INTO pets VALUES (1,'Rex','dog','TRUE',1),(2,'Kit','cat','FALSE',2),(3,'Bo','dog','TRUE',3),(4,'Max','dog','FALSE',3);",
        &[
            ("how many dogs are vaccinated?", "SELECT 2"),
            ("vaccinated dogs", "SELECT 'Rex' UNION SELECT 'Bo'"),
            ("owners with vaccinated dogs", "SELECT 'Tom' UNION SELECT 'Zoe'"),
            ("pets that are not vaccinated", "SELECT 'Kit' UNION SELECT 'Max'"),
            ("delete pets that are not vaccinated", "DELETE FROM pets WHERE vaccinated = 'FALSE'"),
            ("share of vaccinated pets", "SELECT 50.0"),
        ],
    );
}
