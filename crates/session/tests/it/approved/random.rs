//! Random tables, rows and statements: a preview changes nothing, a run has the effect of exec, and
//! an undo restores everything.

use serde_json::json;

use super::{ask, dump, preview, undo_request, whole_dump};
use test_support::{operation, with};

/// xorshift64*: the same results in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

const VALUES: [&str; 14] = [
    "NULL",
    "0",
    "1",
    "2",
    "3",
    "-1",
    "1.5",
    "'a'",
    "'A'",
    "'1'",
    "x'61'",
    "9007199254740993",
    "9e999",
    "'é''\"'",
];
const ACTIONS: [&str; 5] = [
    "CASCADE",
    "SET NULL",
    "SET DEFAULT",
    "NO ACTION",
    "RESTRICT",
];
const CONFLICTS: [&str; 5] = ["", "OR IGNORE ", "OR REPLACE ", "OR FAIL ", "OR ABORT "];
const NAMES: [&str; 3] = ["a", "\"b \"\"x\"\" \"", "[c d]"];

/// Returns the SQL of three tables that may refer to each other and to themselves.
fn schema(random: &mut Random) -> String {
    let mut script = String::new();
    for (at, name) in NAMES.iter().enumerate() {
        let key = random.one(&[
            "id INTEGER PRIMARY KEY",
            "id PRIMARY KEY",
            "id TEXT COLLATE NOCASE PRIMARY KEY",
            "id INTEGER PRIMARY KEY AUTOINCREMENT",
            "id UNIQUE",
        ]);
        let unique = random.one(&[
            "",
            " UNIQUE",
            " UNIQUE ON CONFLICT REPLACE",
            " COLLATE NOCASE",
        ]);
        let check = random.one(&[
            "",
            " CHECK (v IS NOT 3)",
            " NOT NULL DEFAULT 1",
            " DEFAULT 2",
        ]);
        let generated = random.one(&["", ", g AS (v || 'g')", ", g AS (typeof(v)) STORED"]);
        let parent = NAMES[random.below(at as u64 + 1) as usize];
        let reference = if random.chance(70) {
            format!(
                " REFERENCES {parent} (id) ON DELETE {} ON UPDATE {}",
                random.one(&ACTIONS),
                random.one(&ACTIONS)
            )
        } else {
            String::new()
        };
        let without =
            if key.contains("AUTOINCREMENT") || key.contains("UNIQUE") || random.chance(60) {
                ""
            } else {
                " WITHOUT ROWID"
            };
        script.push_str(&format!(
            "CREATE TABLE {name} ({key}, u{unique}, v{check}, p{reference}{generated}){without}; "
        ));
    }
    script
}

fn expression(random: &mut Random) -> String {
    match random.below(6) {
        0 => "id".to_owned(),
        1 => "v".to_owned(),
        2 => "u || 'x'".to_owned(),
        3 => "v + 1".to_owned(),
        _ => random.one(&VALUES).to_owned(),
    }
}

fn condition(random: &mut Random) -> String {
    match random.below(7) {
        0 => String::new(),
        1 => format!(" WHERE id = {}", random.one(&VALUES)),
        2 => format!(" WHERE v IS NOT {}", random.one(&VALUES)),
        3 => " WHERE p IS NOT NULL".to_owned(),
        4 => format!(" WHERE id IN (SELECT p FROM {})", random.one(&NAMES)),
        5 => " WHERE typeof(id) = 'integer'".to_owned(),
        _ => format!(" WHERE u > {}", random.one(&VALUES)),
    }
}

fn statement(random: &mut Random) -> String {
    let table = random.one(&NAMES);
    let conflict = random.one(&CONFLICTS);
    let returning = if random.chance(20) {
        " RETURNING id, v"
    } else {
        ""
    };
    match random.below(10) {
        0..=3 => {
            let rows: Vec<String> = (0..=random.below(3))
                .map(|_| {
                    let mut values = || random.one(&VALUES).to_owned();
                    format!("({}, {}, {}, {})", values(), values(), values(), values())
                })
                .collect();
            let upsert = if conflict.is_empty() && random.chance(40) {
                random.one(&[
                    " ON CONFLICT DO NOTHING",
                    " ON CONFLICT (id) DO UPDATE SET v = excluded.u, u = v",
                    " ON CONFLICT (id) DO UPDATE SET id = excluded.v",
                ])
            } else {
                ""
            };
            format!(
                "INSERT {conflict}INTO {table} (id, u, v, p) VALUES {}{upsert}{returning}",
                rows.join(", ")
            )
        }
        4 => format!(
            "INSERT {conflict}INTO {table} (id, u, v) SELECT v, u, id FROM {}{returning}",
            random.one(&NAMES)
        ),
        5..=7 => {
            let columns = ["id", "u", "v", "p"];
            let column = columns[random.below(4) as usize];
            format!(
                "UPDATE {conflict}{table} SET {column} = {}{}{returning}",
                expression(random),
                condition(random)
            )
        }
        _ => format!("DELETE FROM {table}{}{returning}", condition(random)),
    }
}

#[test]
fn previews_change_nothing_runs_are_exec_and_undos_restore() {
    let first: u64 = std::env::var("CODEMODE_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(1);
    let seeds: u64 = std::env::var("CODEMODE_APPROVED_SEEDS")
        .ok()
        .and_then(|seeds| seeds.parse().ok())
        .unwrap_or(60);
    let (mut ran, mut undone, mut unrecorded) = (0, 0, 0);
    for seed in first..first + seeds {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let script = schema(&mut random);
        let (ours, exec) = (with(&script), with(&script));
        for number in 0..25 {
            let sql = statement(&mut random);
            let of_exec = operation(&exec, &json!({"operation": "exec", "sql": sql}).to_string());
            let before = whole_dump(&ours);
            let own_before = dump(&ours);
            let asked = json!({"do": "preview", "sql": sql});
            let shown = ask(&ours, &asked);
            let told = format!("seed {seed}, {script}; statement {number}: {sql}");
            assert_eq!(whole_dump(&ours), before, "{told}");
            let Ok(shown) = shown else {
                assert_eq!(shown.unwrap_err(), of_exec.unwrap_err(), "{told}");
                // Conflict clauses other than ABORT may leave changes.
                if !sql.contains("OR FAIL") {
                    assert_eq!(dump(&ours), dump(&exec), "{told}");
                } else {
                    break;
                }
                continue;
            };
            let of_exec = of_exec.unwrap_or_else(|error| panic!("{error}: {told}"));
            let id = format!("a{number}");
            let request = json!({"do": "run", "approvalId": id, "sha256": shown["sha256"], "sql": sql, "maxRows": 1000, "keepUndoBytes": 1_000_000});
            let outcome = ask(&ours, &request).unwrap_or_else(|error| panic!("{error}: {told}"));
            assert_eq!(dump(&ours), dump(&exec), "{told}");
            assert_eq!(outcome["changes"], of_exec["changes"], "{told}");
            assert_eq!(shown["affectedRows"], of_exec["changes"], "{told}");
            assert_eq!(outcome.get("rows"), of_exec.get("results"), "{told}");
            ran += 1;
            if outcome["undo"]["available"] != true {
                let reason = outcome["undo"]["reason"].as_str().unwrap();
                if reason.starts_with("its rows could not be recorded") {
                    // With a trigger on the table, SQLite checks the foreign keys of REPLACE at
                    // another time.
                    assert!(reason.contains("FOREIGN KEY"), "{reason}; {told}");
                    assert_eq!(shown["undoable"], false, "{told}");
                    unrecorded += 1;
                    continue;
                }
                assert_eq!(reason, "it changed nothing", "{told}");
                assert_eq!(dump(&ours), own_before, "{told}");
                continue;
            }
            assert_eq!(shown["undoable"], true, "{told}");
            let undo = undo_request(&ours, &id, &format!("u{number}"));
            ask(&ours, &undo).unwrap_or_else(|error| panic!("{}: {told}", error.to_json()));
            assert_eq!(dump(&ours), own_before, "{told}");
            undone += 1;
            // Continue with the rows of the statement.
            let again = preview(&ours, &sql);
            let mut request = request;
            request["approvalId"] = json!(format!("b{number}"));
            request["sha256"] = again["sha256"].clone();
            let outcome = ask(&ours, &request).unwrap();
            if dump(&ours) != dump(&exec) {
                // A key of AUTOINCREMENT is not used again.
                assert!(script.contains("AUTOINCREMENT"), "{told} {outcome}");
                break;
            }
        }
    }
    assert!(
        ran > seeds * 3 && undone > seeds * 2 && unrecorded * 20 < ran,
        "{ran} runs, {undone} undos, {unrecorded} without records"
    );
}
