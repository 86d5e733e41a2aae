//! `codemode sync --watch`, as a process.

use std::fs;
use std::io::{BufRead as _, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::server::Instead;
use crate::world::World;

struct Watching {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Watching {
    fn start(world: &World) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_codemode"))
            .args(["sync", world.folder.0.to_str().unwrap(), "--watch"])
            .env("CODEMODE_URL", world.url())
            .env("CODEMODE_WORKSPACE", "w")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// Returns the next line that contains a text. If it never arrives, the test fails after a time
    /// limit.
    fn until(&mut self, text: &str) -> String {
        loop {
            let line = self.lines.next().unwrap().unwrap();
            if line.contains(text) {
                return line;
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn a_change_is_sent_when_it_is_made() {
    let world = World::synced();
    let mut watching = Watching::start(&world);
    watching.until("watching ");
    world.write("src/lib.rs", "fn changed() {}\n");
    watching.until("1 files sent");
    assert_eq!(world.text("src/lib.rs"), "fn changed() {}\n");
    // A new folder with a file that was created before the folder was watched.
    world.write("deep/er/new.rs", "fn n() {}\n");
    watching.until("1 files sent");
    world.write("deep/er/new.rs", "fn m() {}\n");
    watching.until("1 files sent");
    // The same folder again, as git creates it when the branch changes.
    fs::remove_dir_all(world.path("deep")).unwrap();
    watching.until("1 deleted");
    world.write("deep/er/new.rs", "fn o() {}\n");
    watching.until("1 files sent");
    world.write("deep/er/new.rs", "fn p() {}\n");
    watching.until("1 files sent");
    assert_eq!(world.text("deep/er/new.rs"), "fn p() {}\n");
}

#[test]
fn a_sync_that_failed_is_tried_again() {
    let world = World::synced();
    let mut watching = Watching::start(&world);
    watching.until("watching ");
    let mut failures = 0;
    world.server.instead(move |asked| {
        failures += usize::from(asked.operation == "files");
        (asked.operation == "files" && failures == 1).then_some(Instead::Cut)
    });
    world.write("src/lib.rs", "fn changed() {}\n");
    watching.until("0 of 1 changes were sent before the error");
    watching.until("1 files sent");
    assert_eq!(world.text("src/lib.rs"), "fn changed() {}\n");
}
