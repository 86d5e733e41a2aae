//! Runs the examples of `docs/http-api/code.md` against a workspace on the host, and compares the responses. `tests/worker/documents.test.mjs` sends the
//! same to the Worker.

use codemode_database::api::routes::{self, CodeTask, ServedBy};
use codemode_database::api::{envelope, status};
use codemode_database::base::Result;
use codemode_database::code::{self, Changes, Settings, Workspace};
use codemode_database::database::migrations;
use codemode_database::operations;
use codemode_database::retrieval::limits::MAX_VECTORS;
use codemode_database::retrieval::vectors::{Model, SignTable};
use codemode_database::retrieval::words::index_words;
use codemode_database::workspace::files::{self, Arrived};
use codemode_database::workspace::operate::{self, Memory};
use codemode_database::workspace::vectors::{Asked, Embedding, Vectors};
use serde_json::Value;

use super::examples::{Sent, requests, same_text};
use super::markdown;
use test_support::HostDatabase;

const PAGE: &str = "docs/http-api/code.md";
const NOW_MS: u64 = 1_795_299_000_000;

struct Subject {
    db: HostDatabase,
    settings: Settings,
    memory: Memory,
}

impl Subject {
    fn new() -> Self {
        let db = HostDatabase::new();
        migrations::apply(&db, code::MIGRATIONS, NOW_MS).unwrap();
        let model = Model::Both(SignTable::embedded().unwrap());
        let most = usize::try_from(MAX_VECTORS).unwrap();
        let vectors = Vectors::new(Embedding::Here(model), most);
        Self {
            db,
            settings: Settings::default(),
            memory: Memory {
                vectors,
                recent: None,
            },
        }
    }

    fn respond(&mut self, sent: &Sent) -> (u16, String) {
        match self.perform(sent) {
            Ok(fields) => (200, envelope::success(fields)),
            Err(error) => (status::status(&error), envelope::failure(&error)),
        }
    }

    fn perform(&mut self, sent: &Sent) -> Result<Value> {
        let route = routes::route(&sent.method, &sent.target)?;
        let ServedBy::Code(task) = route.entry.place else {
            panic!("{} is no route of a workspace", sent.target);
        };
        let name = route.workspace.unwrap_or_default();
        let path = route.item.unwrap_or_default();
        let workspace = Workspace {
            db: &self.db,
            settings: &self.settings,
            now_ms: NOW_MS,
            actor: "api",
            words: &index_words,
        };
        let write = |description: &str, changes: &Changes| -> Result<Value> {
            let committed = code::write_files(&workspace, description, changes)?;
            operate::embed(&self.db, &self.memory)?;
            Ok(files::reply(&committed, &Arrived::default()).fields)
        };
        match task {
            CodeTask::Operate => {
                let request = operate::Request::parse(std::str::from_utf8(&sent.body).unwrap())?;
                let memory = &mut self.memory;
                let reply = operate::dispatch(&workspace, &name, memory, &request, &Asked::Here)?;
                if reply.version.is_some() {
                    operate::embed(&self.db, memory)?;
                }
                Ok(reply.fields)
            }
            CodeTask::PutFile => write("put_files", &files::one(&path, sent.body.clone(), NOW_MS)?),
            CodeTask::DeleteFile => write("delete_files", &files::deleted(&path)?),
            other => panic!("an example of {other:?} cannot be run here"),
        }
    }
}

#[test]
fn the_examples_of_workspaces_get_the_responses_that_they_show() {
    let mut subject = Subject::new();
    let mut failures = Vec::new();
    let mut examples = 0;
    for (line, sent, expected) in requests(&markdown::read(PAGE)) {
        examples += 1;
        let (status, found) = subject.respond(&sent);
        if status != expected.status || !same_text(&expected, &found) {
            failures.push(format!(
                "{PAGE}, line {line}: expected {}\n{}\nfound {status}\n{found}",
                expected.status, expected.text
            ));
        }
    }
    assert!(examples >= 10, "{examples} examples");
    assert!(
        failures.is_empty(),
        "{} of {examples} examples differ:\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

#[test]
fn the_page_of_workspaces_has_every_operation() {
    let documented: Vec<String> = markdown::rows(&markdown::read(PAGE), "operation")
        .iter()
        .map(|row| markdown::plain(&row[0]).to_owned())
        .collect();
    assert_eq!(documented, operations::code::NAMES);
}
