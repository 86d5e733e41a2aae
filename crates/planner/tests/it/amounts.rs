//! Words that no question may lose, sums of groups, and numbers beside the column that they are about.

use crate::values::check;

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
            ("how many bugs does Bob have", "SELECT 2"),
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
