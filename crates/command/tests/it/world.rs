//! A directory, a server, and the command between them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use command::failure::Ending;
use serde_json::{Value, json};

use crate::server::Server;

static FOLDERS: AtomicU32 = AtomicU32::new(0);

/// A folder that is deleted at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("codemode-{}-{number}", std::process::id()));
        drop(fs::remove_dir_all(&path));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

pub struct World {
    pub server: Server,
    pub folder: Folder,
}

/// The output of a run of the command.
pub struct Ran {
    pub ending: Ending,
    pub out: String,
    pub err: String,
}

impl Ran {
    #[track_caller]
    pub fn done(self) -> String {
        assert_eq!(self.ending, Ending::Done, "{}{}", self.out, self.err);
        self.out
    }

    #[track_caller]
    pub fn ended(self, ending: Ending) -> String {
        assert_eq!(self.ending, ending, "{}{}", self.out, self.err);
        self.out + &self.err
    }
}

/// Runs the command.
pub fn run(arguments: &[&str]) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let words = std::iter::once("codemode").chain(arguments.iter().copied());
    let ending = command::run(words.map(Into::into), &mut out, &mut err);
    Ran {
        ending,
        out: String::from_utf8(out).unwrap(),
        err: String::from_utf8(err).unwrap(),
    }
}

impl World {
    pub fn new() -> Self {
        Self {
            server: Server::start(),
            folder: Folder::new(),
        }
    }

    /// Creates a world with one crate of one file, which is in the workspace.
    pub fn synced() -> Self {
        let world = Self::new();
        world.write(
            "Cargo.toml",
            "[package]\nname = \"a\"\nversion = \"0.1.0\"\n",
        );
        world.write("src/lib.rs", "fn a() { 1; }\n\nfn b() { 1; }\n");
        world.sync().done();
        world
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.0.join(path)
    }

    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn on_disk(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.server.port)
    }

    fn with(&self, words: &[&str]) -> Ran {
        let url = self.url();
        let mut arguments: Vec<&str> = words.to_vec();
        arguments.extend(["--url", &url, "--workspace", "w"]);
        run(&arguments)
    }

    fn directory(&self) -> &str {
        self.folder.0.to_str().unwrap()
    }

    pub fn sync(&self) -> Ran {
        self.with(&["sync", self.directory()])
    }

    pub fn sync_with(&self, flag: &str) -> Ran {
        self.with(&["sync", self.directory(), flag])
    }

    pub fn apply(&self) -> Ran {
        self.with(&["apply", "--dir", self.directory()])
    }

    pub fn apply_one(&self, request: &str) -> Ran {
        self.with(&["apply", request, "--dir", self.directory()])
    }

    pub fn status(&self) -> Ran {
        self.with(&["status", self.directory()])
    }

    /// Returns the paths of the workspace.
    pub fn paths(&self) -> Vec<String> {
        let listed = self.server.call("list_files", json!({ "limit": 5_000 }));
        let files = listed["files"].as_array().unwrap().iter();
        files
            .map(|file| file["file_path"].as_str().unwrap().to_owned())
            .collect()
    }

    pub fn text(&self, path: &str) -> String {
        let read = self.server.call("read_file", json!({ "file_path": path }));
        read["text"].as_str().unwrap().to_owned()
    }

    /// Stages edits, each a function of a file with its code, and approves them.
    pub fn approve(&self, request: &str, edits: &[(&str, &str, &str)]) {
        self.propose(request, edits);
        let approved = self
            .server
            .call("approve_proposal", json!({ "requestId": request }));
        assert_eq!(approved["ok"], true, "{approved}");
    }

    pub fn propose(&self, request: &str, edits: &[(&str, &str, &str)]) {
        let edits: Vec<Value> = edits
            .iter()
            .map(|(file, canon, code)| json!({ "mode": "canonical", "file": file, "canon": canon, "node_type": "function", "code": code }))
            .collect();
        self.server.call(
            "apply_code_edit",
            json!({ "requestId": request, "edits": edits }),
        );
    }
}

/// Returns all files below a folder, with their bytes.
pub fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(tree(&path));
        } else {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}
