//! Questions of few words: who is first where several are equal, questions of yes and no, words for
//! rows, and tables without foreign keys.
//!
//! The questions marked as held out were written after the rules and ran once before they were
//! added here.

use crate::support;
use crate::values::{check, database, fault};

use agent_planner::{Day, Plan, plan_chosen};

const PETS: &str = "
    CREATE TABLE owners (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    INSERT INTO owners VALUES (1,'Tom','Oslo'),(2,'Ann','Bergen'),(3,'Zoe','Oslo'),(4,'Pia','Rome');
    CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, sex TEXT, weight REAL, owner_id INTEGER REFERENCES owners(id), born TEXT);
    INSERT INTO pets VALUES (1,'Rex','dog','male',10,1,'2019-05-01'),(2,'Kit','cat','male',5,2,'2020-01-01'),(3,'Ivy','cat','female',5,2,'2021-01-01'),
      (4,'Bo','dog','female',20,3,'2018-01-01'),(5,'Max','dog','male',20,3,'2018-01-01'),(6,'Una','bird',NULL,NULL,NULL,NULL);";

#[test]
fn all_that_are_first_are_shown() {
    check(
        PETS,
        &[
            ("heaviest pet", "SELECT id FROM pets WHERE weight = 20"),
            ("lightest pet", "SELECT id FROM pets WHERE weight = 5"),
            ("name of the heaviest dog", "SELECT 'Bo' UNION SELECT 'Max'"),
            (
                "oldest pet",
                "SELECT id FROM pets WHERE born = '2018-01-01'",
            ),
            ("youngest pet", "SELECT 3"),
            ("which owner has the most pets?", "SELECT 2 UNION SELECT 3"),
            ("which owner has the fewest pets?", "SELECT 4"),
            ("which city has the most owners?", "SELECT 'Oslo'"),
            ("least common kind", "SELECT 'bird'"),
            ("most common sex", "SELECT 'male'"),
            (
                "heaviest pet per kind",
                "SELECT kind, name FROM pets WHERE id IN (2, 3, 4, 5)",
            ),
            (
                "heaviest pet of each owner",
                "SELECT owner_id, name FROM pets WHERE id IN (1, 2, 3, 4, 5)",
            ),
            (
                "top 2 pets per kind by weight",
                "SELECT id FROM pets WHERE id IN (2, 3, 4, 5)",
            ),
            (
                "top 3 pets by weight",
                "SELECT id FROM pets WHERE id IN (4, 5, 1)",
            ),
            ("which owner has the most pets per city", "!"),
            // Held out.
            ("lightest dog", "SELECT 1"),
            ("the heaviest cat of Ann", "SELECT 2 UNION SELECT 3"),
            ("youngest dog in Oslo", "SELECT 1"),
            (
                "lightest pet of each sex",
                "SELECT id FROM pets WHERE weight = 5 OR id = 3",
            ),
        ],
    );
}

#[test]
fn questions_of_yes_and_no_have_a_reply() {
    check(
        PETS,
        &[
            ("are there any cats?", "SELECT 1"),
            ("is there a dog?", "SELECT 1"),
            ("does Tom have a dog?", "SELECT 1"),
            ("does Tom have a cat?", "SELECT 0"),
            ("does Ann have any cats?", "SELECT 1"),
            ("has Tom a dog?", "SELECT 1"),
            ("is Rex a cat?", "SELECT 0"),
            ("is Rex male?", "SELECT 1"),
            ("is Tom from Oslo?", "SELECT 1"),
            ("was any pet born in 2018?", "SELECT 1"),
            ("are any pets heavier than 100?", "SELECT 0"),
            ("has Ann a dog or a cat?", "SELECT 1"),
            ("has Ann a dog and a cat?", "!"),
            ("are all cats male?", "!"),
            ("are the cats male?", "!"),
            ("do cats live in Bergen?", "!"),
            ("is Rex older than Kit?", "!"),
            ("are there more than 2 dogs?", "SELECT 3"),
            ("does Ann have two cats?", "SELECT 2"),
            (
                "are there more dogs than cats?",
                "SELECT kind, COUNT(*) FROM pets WHERE kind <> 'bird' GROUP BY kind",
            ),
            ("how many dogs does Tom have?", "SELECT 1"),
            ("how many dogs are in Oslo?", "SELECT 3"),
            // Held out.
            ("does Zoe own a female dog?", "SELECT 1"),
            ("is there any bird in Rome?", "SELECT 0"),
            ("does anyone in Bergen have a dog?", "SELECT 0"),
            ("is Kit female?", "SELECT 0"),
            ("are only dogs in Oslo?", "!"),
            ("is every dog male?", "!"),
            ("are most dogs male?", "!"),
            ("did Pia have a cat?", "SELECT 0"),
        ],
    );
}

#[test]
fn kinds_are_things() {
    check(
        PETS,
        &[
            ("male cats", "SELECT 2"),
            ("dogs of Tom", "SELECT 1"),
            (
                "pets by owner",
                "SELECT 1, 1 UNION SELECT 2, 2 UNION SELECT 3, 2 UNION SELECT 4, 0",
            ),
            (
                "dogs by owner",
                "SELECT 1, 1 UNION SELECT 2, 0 UNION SELECT 3, 2 UNION SELECT 4, 0",
            ),
            (
                "cats by sex",
                "SELECT sex, COUNT(*) FROM pets WHERE kind = 'cat' GROUP BY sex",
            ),
            ("what percentage of dogs are male?", "SELECT 200.0 / 3"),
            ("delete all cats", "DELETE FROM pets WHERE kind = 'cat'"),
            (
                "delete all female dogs",
                "DELETE FROM pets WHERE sex = 'female' AND kind = 'dog'",
            ),
            ("delete Tom", "?"),
            ("delete all Toms", "?"),
            // Held out.
            ("birds by sex", "SELECT NULL, 1"),
            (
                "female dogs by owner",
                "SELECT 1, 0 UNION SELECT 2, 0 UNION SELECT 3, 1 UNION SELECT 4, 0",
            ),
        ],
    );
    let (database, schema) = database(PETS);
    let today = Day::parse("2025-06-15").unwrap();
    for question in [
        "average weight of cats and dogs",
        "what percentage of cats and dogs are female?",
    ] {
        let learned = support::learned(&database, &schema, question);
        let Plan::Query { explanation, .. } = plan_chosen(question, &[], &learned, today) else {
            panic!("no statement: {question}");
        };
        assert!(explanation.contains("one number over all"), "{explanation}");
    }
}

#[test]
fn rows_have_words_where_there_is_one_table() {
    let ship = "
        CREATE TABLE titanic (survived INTEGER, class TEXT, sex TEXT, age REAL);
        INSERT INTO titanic VALUES (0,'Third','M',22),(1,'First','F',38),(1,'Third','F',26),(0,'Third','M',NULL),(1,'Second','M',54);";
    check(
        ship,
        &[
            ("how many people survived?", "SELECT 3"),
            ("how many passengers did not survive?", "SELECT 2"),
            ("how many rows are there?", "SELECT 5"),
            (
                "number of records per class",
                "SELECT class, COUNT(*) FROM titanic GROUP BY 1",
            ),
            ("how many entries have no age?", "SELECT 1"),
            ("how many women survived?", "SELECT 2"),
            (
                "people by class",
                "SELECT class, COUNT(*) FROM titanic GROUP BY 1",
            ),
            (
                "women by class",
                "SELECT class, COUNT(*) FROM titanic WHERE sex = 'F' GROUP BY 1",
            ),
            ("people older than 30", "SELECT 38 UNION SELECT 54"),
            ("oldest person", "SELECT 54"),
            ("youngest man", "SELECT 22"),
            ("what percentage of women survived?", "SELECT 100.0"),
            (
                "are there more men than women?",
                "SELECT sex, COUNT(*) FROM titanic GROUP BY 1",
            ),
            (
                "share of men per class in percent",
                "SELECT class, 100.0 * SUM(sex = 'M') / COUNT(*) FROM titanic GROUP BY 1",
            ),
            ("how many cats", "!"),
            ("how many teachers", "!"),
            ("delete all records", "!"),
            (
                "delete all rows where age is over 50",
                "DELETE FROM titanic WHERE age > 50",
            ),
            // Held out.
            ("average age of people in third class", "SELECT 24.0"),
            ("how many individuals are older than 25?", "SELECT 3"),
            ("did any men survive?", "SELECT 1"),
        ],
    );
    check(
        PETS,
        &[
            ("how many people are there?", "!"),
            ("how many records are there?", "!"),
        ],
    );
    let weather = "
        CREATE TABLE weather (date TEXT, precipitation REAL, kind TEXT);
        INSERT INTO weather VALUES ('2012-01-01',0,'sun'),('2012-01-02',10.9,'rain'),('2012-01-02',0.8,'rain'),('2012-02-03',3,'snow');";
    check(
        weather,
        &[
            ("how many days are there?", "SELECT 3"),
            ("how many days had rain?", "SELECT 1"),
            ("days without precipitation", "SELECT '2012-01-01'"),
            (
                "number of days per month",
                "SELECT '2012-01', 2 UNION SELECT '2012-02', 1",
            ),
        ],
    );
}

const FLIGHTS: &str = "
    CREATE TABLE flights (carrier TEXT, tailnum TEXT, dest TEXT, year INTEGER);
    INSERT INTO flights VALUES ('AA','N1','BOS',2013),('AA','N1','LAX',2013),('UA','N2','BOS',2014),('UA','N9','ORD',2013),(NULL,'N8','ORD',2013);
    CREATE TABLE airlines (carrier TEXT, name TEXT);
    INSERT INTO airlines VALUES ('AA','American'),('UA','United'),('DL','Delta');
    CREATE TABLE planes (tailnum TEXT, maker TEXT, year INTEGER);
    INSERT INTO planes VALUES ('N1','BOEING',1999),('N2','AIRBUS',2001),('N3','BOEING',2001);
    CREATE TABLE notes (name TEXT, rank INTEGER);
    INSERT INTO notes VALUES ('American',1),('United',2),('Delta',3);";

#[test]
fn rows_are_joined_along_values_that_say_so() {
    check(
        FLIGHTS,
        &[
            (
                "how many flights per airline?",
                "SELECT 'American', 2 UNION SELECT 'United', 2 UNION SELECT 'Delta', 0",
            ),
            (
                "flights of American",
                "SELECT dest FROM flights WHERE carrier = 'AA'",
            ),
            ("which airlines have no flights?", "SELECT 'Delta'"),
            ("how many flights did Delta have?", "SELECT 0"),
            (
                "flights per carrier",
                "SELECT carrier, COUNT(*) FROM flights GROUP BY 1",
            ),
            (
                "which airline has the most flights?",
                "SELECT 'American' UNION SELECT 'United'",
            ),
            // Half of the planes are not known; the years and names of other tables only look
            // alike.
            ("how many flights per plane?", "?"),
            ("airlines with rank above 1", "!"),
            ("delete flights of American", "!"),
        ],
    );
    let (database, schema) = database(FLIGHTS);
    let today = Day::parse("2025-06-15").unwrap();
    for (question, choices, expected) in [
        (
            "how many flights with BOEING planes?",
            &["tailnum of flights = tailnum of planes"][..],
            "SELECT 2",
        ),
        (
            "flights with AIRBUS planes",
            &["flights.tailnum = planes.tailnum"],
            "SELECT 'N2'",
        ),
        ("how many flights with BOEING planes?", &[], "?"),
    ] {
        let learned = support::learned(&database, &schema, question);
        let choices: Vec<String> = choices.iter().map(|choice| (*choice).to_owned()).collect();
        let planned = plan_chosen(question, &choices, &learned, today);
        assert_eq!(fault(&database, &planned, expected), None, "{question}");
        if let Plan::Query { explanation, .. } = planned {
            assert!(explanation.contains("no foreign key says"), "{explanation}");
        }
    }
}

#[test]
fn keys_in_numbers_and_names_of_tables_join_too() {
    check(
        "CREATE TABLE cards (card TEXT, set_id INTEGER, artist TEXT, price INTEGER);
         INSERT INTO cards VALUES ('Pika',1,'Ken',1),('Mew',1,'Mit',5),('Odd',2,'Ken',9);
         CREATE TABLE sets (id INTEGER, title TEXT, price INTEGER);
         INSERT INTO sets VALUES (1,'Base',1),(2,'Jungle',5),(3,'Fossil',9);
         CREATE TABLE artists (name TEXT, born INTEGER);
         INSERT INTO artists VALUES ('Ken',1970),('Mit',1960);",
        &[
            (
                "how many cards per set?",
                "SELECT 'Base', 2 UNION SELECT 'Jungle', 1 UNION SELECT 'Fossil', 0",
            ),
            ("cards of Jungle", "SELECT 'Odd'"),
            ("sets without cards", "SELECT 'Fossil'"),
            ("average price of cards in Base", "SELECT 3.0"),
            // Held out.
            ("cards by artists born before 1965", "SELECT 'Mew'"),
            (
                "how many cards per artist?",
                "SELECT artist, COUNT(*) FROM cards GROUP BY 1",
            ),
            ("how many cards are in Base?", "SELECT 2"),
        ],
    );
}
