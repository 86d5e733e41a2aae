#[allow(dead_code, unused_imports)]
#[path = "../tests/it/support/mod.rs"]
mod support;
use codemode_database::sql::{self, Parameters, Policy};
use rusqlite::StatementStatus;
use support::HostDatabase;
fn main() {
    let mut args = std::env::args().skip(1);
    let setup = std::fs::read_to_string(args.next().unwrap()).unwrap();
    let db = HostDatabase::new();
    db.script(&setup);
    let text = std::fs::read_to_string(args.next().unwrap()).unwrap();
    for statement in text.split(";\n").map(str::trim).filter(|s| !s.is_empty()) {
        let policy = Policy::default();
        let bound = match sql::review(statement, &policy).and_then(|r| r.bind(&Parameters::None)) {
            Ok(bound) => bound,
            Err(error) => {
                println!("REVIEW {error}: {statement}");
                continue;
            }
        };
        let started = std::time::Instant::now();
        let estimate = sql::estimate(&db, &bound, &policy);
        let took = started.elapsed();
        let verdict = match sql::guard(&db, &bound, &policy) {
            Ok(()) => "ok".to_owned(),
            Err(e) => format!("{} | {}", e, e.hint().unwrap_or_default()),
        };
        let truth;
        let secs;
        {
            let conn = db.connection();
            let handle = conn.get_interrupt_handle();
            let (send, receive) = std::sync::mpsc::channel::<()>();
            std::thread::spawn(move || {
                if receive
                    .recv_timeout(std::time::Duration::from_secs(10))
                    .is_err()
                {
                    handle.interrupt();
                }
            });
            let mut st = conn.prepare(bound.sql()).unwrap();
            let t = std::time::Instant::now();
            let ok = (|| -> rusqlite::Result<()> {
                let mut rows = st.query([])?;
                while rows.next()?.is_some() {}
                Ok(())
            })();
            secs = t.elapsed().as_secs_f64();
            // rusqlite resets the statement when rows are dropped; the counter stays.
            truth = st.get_status(StatementStatus::VmStep) as f64;
            let _ = send.send(());
            if ok.is_err() {
                println!("  (run: {ok:?})");
            }
        }
        match estimate {
            Ok(e) => println!(
                "{:>12.3e} {:>12.3e} work {:>10.2e} ratio {:>8.2} {:.3}s gate {:>6.0?} | {} | {}",
                e.opcodes as f64,
                truth,
                e.work as f64,
                e.opcodes as f64 / truth,
                secs,
                took,
                &verdict,
                statement.replace('\n', " ")
            ),
            Err(e) => println!("ERR {e} {statement}"),
        }
    }
}
