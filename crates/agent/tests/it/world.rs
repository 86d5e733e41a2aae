//! A world whose tables and writer respond as a test tells them, and that stops at the step that a
//! test chooses.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use agent::drive::{self, StoredQuestion, Thread, Token, World, Writer, work_on};
use agent::memory::{Example, Pair};
use agent::prompt::WriteTask;
use agent::request::{Claims, DecisionRequest, Question};
use agent::state::{Author, Failure, Target, Values};
use agent::store::{Head, Owner, Page, Store};
use agent::turn::{ApprovalRules, WriterOutput};
use base::{Error, Result};
use database::migrations;
use futures::executor::block_on;
use serde_json::{Value, json};

use test_support::HostDatabase;

/// 2026-11-21T22:10:00Z.
pub const NOW_MS: u64 = 1_795_299_000_000;

/// A response of the tables to one request.
pub enum Told {
    /// The fields of a success.
    Yes(Value),
    /// A refusal.
    No(&'static str),
    /// No response: the object died, and it is not known if the request was done.
    Lost,
}

/// The next output of the writer.
pub enum Next {
    Query(&'static str),
    Reply(&'static str, agent::state::Outcome),
    /// The planner's own output, a plan or a question back.
    Planned,
    Fails(&'static str),
}

#[derive(Default)]
pub struct Scripted {
    pub writes: RefCell<VecDeque<Next>>,
    /// The prompts that the writer received.
    pub prompts: RefCell<Vec<String>>,
    pub replies: RefCell<VecDeque<Result<Option<String>>>>,
}

impl Writer for Scripted {
    async fn write(
        &self,
        task: &WriteTask<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<WriterOutput> {
        self.prompts
            .borrow_mut()
            .push(agent::prompt::write(task).user);
        on_text("Thi");
        on_text("nking");
        match self.writes.borrow_mut().pop_front() {
            Some(Next::Query(sql)) => Ok(WriterOutput::Query {
                sql: sql.to_owned(),
                explanation: "It does what is asked.".to_owned(),
                author: Author::Model,
            }),
            Some(Next::Reply(text, outcome)) => Ok(WriterOutput::Reply {
                text: text.to_owned(),
                outcome,
                choices: Vec::new(),
            }),
            Some(Next::Planned) => Ok(agent::writer::planned::write(task)),
            Some(Next::Fails(message)) => Err(Error::internal(message)),
            None => panic!("nothing more is written"),
        }
    }

    async fn reply(
        &self,
        _values: &Values,
        _on_text: &mut dyn FnMut(&str),
    ) -> Result<Option<String>> {
        self.replies.borrow_mut().pop_front().unwrap_or(Ok(None))
    }
}

/// A thread with its scripted ports.
pub struct Stage {
    pub db: HostDatabase,
    pub writer: Scripted,
    pub told: RefCell<VecDeque<Told>>,
    /// The requests to the tables, in order.
    pub asked: RefCell<Vec<Value>>,
    pub remembered: RefCell<Vec<Pair>>,
    pub tokens: RefCell<Vec<(String, usize, String)>>,
    pub now_ms: Cell<u64>,
    pub rules: ApprovalRules,
    ids: Cell<u32>,
}

impl World for Stage {
    type Writer = Scripted;

    async fn tables(&self, _target: &Target, request: &Value) -> Result<Result<Value, Failure>> {
        self.asked.borrow_mut().push(request.clone());
        if request["do"] == "lookup" {
            return Ok(Ok(
                json!({ "equal": [{ "table": "films", "column": "genre", "values": ["Drama"] }], "near": [], "unread": [] }),
            ));
        }
        if request["do"] == "schema" {
            return Ok(Ok(json!({ "tables": [
                    { "name": "films", "columns": [{ "name": "genre", "type": "TEXT" }, { "name": "rating", "type": "REAL" }] },
                    { "name": "actors", "columns": [{ "name": "rating", "type": "REAL" }] },
                    { "name": "result_0123abcd", "columns": [{ "name": "rating", "type": "REAL" }, { "name": "genre", "type": "TEXT" }] },
                ] })));
        }
        match self.told.borrow_mut().pop_front() {
            Some(Told::Yes(fields)) => Ok(Ok(fields)),
            Some(Told::No(code)) => Ok(Err(Failure {
                code: code.to_owned(),
                message: format!("refused by {code}"),
                hint: Some("do otherwise".to_owned()),
                details: serde_json::Map::new(),
            })),
            Some(Told::Lost) => Err(Error::internal("the session stopped")),
            None => panic!("the tables are asked more than expected: {request}"),
        }
    }

    async fn resembling(&self, _values: &Values) -> Vec<Example> {
        Vec::new()
    }

    async fn remember(&self, pair: &Pair) {
        self.remembered.borrow_mut().push(pair.clone());
    }

    fn writer(&self) -> &Scripted {
        &self.writer
    }

    fn now_ms(&self) -> u64 {
        self.now_ms.get()
    }

    fn fresh_id(&self) -> String {
        self.ids.set(self.ids.get() + 1);
        format!("approval-{}", self.ids.get())
    }

    fn tell(&self, token: Token<'_>) {
        self.tokens.borrow_mut().push((
            token.message.to_owned(),
            token.offset,
            token.text.to_owned(),
        ));
    }

    fn stored(&self) {}

    fn is_current(&self) -> bool {
        true
    }
}

impl Stage {
    pub fn new() -> Self {
        let db = HostDatabase::new();
        migrations::apply(&db, agent::MIGRATIONS, NOW_MS).unwrap();
        Self {
            db,
            writer: Scripted::default(),
            told: RefCell::default(),
            asked: RefCell::default(),
            remembered: RefCell::default(),
            tokens: RefCell::default(),
            now_ms: Cell::new(NOW_MS),
            rules: ApprovalRules {
                approval_ttl_ms: 60_000,
                write_approvers: 1,
                auto_approve_rows: None,
            },
            ids: Cell::new(0),
        }
    }

    pub fn writes(self, next: impl IntoIterator<Item = Next>) -> Self {
        self.writer.writes.borrow_mut().extend(next);
        self
    }

    pub fn tables_say(self, told: impl IntoIterator<Item = Told>) -> Self {
        self.told.borrow_mut().extend(told);
        self
    }

    pub fn thread(&self) -> Thread<'_, HostDatabase, Self> {
        Thread {
            db: &self.db,
            world: self,
            id: "talk",
            rules: &self.rules,
        }
    }

    pub fn store(&self) -> Store<'_, HostDatabase> {
        Store {
            db: &self.db,
            now_ms: self.now_ms.get(),
        }
    }

    pub fn owner() -> Owner {
        Owner {
            tenant: "acme".to_owned(),
            thread: "talk".to_owned(),
        }
    }

    pub fn head(&self) -> Head {
        self.store().head().unwrap().unwrap()
    }

    pub fn ask_body(&self, body: &Value) -> Result<StoredQuestion> {
        let question = Question::parse(&body.to_string(), &Claims::default())?;
        drive::ask(self.thread(), &Self::owner(), &question)
    }

    /// Asks a question, and works until the thread waits for a person.
    pub fn ask(&self, input: &str, input_id: &str) -> Head {
        self.ask_body(&json!({
            "input": input, "inputId": input_id, "session": "films", "businessId": "b1", "userId": "ann",
        }))
        .unwrap();
        self.work().unwrap();
        self.head()
    }

    pub fn work(&self) -> Result<()> {
        block_on(work_on(self.thread()))
    }

    pub fn decide_body(&self, body: &Value, claims: &Claims) -> Result<u64> {
        let request = DecisionRequest::parse(&body.to_string(), claims)?;
        block_on(drive::decide(
            self.thread(),
            "acme/talk",
            claims,
            &request,
            || Ok([7; 32]),
        ))
    }

    /// Decides on the pending approval.
    pub fn decide(&self, person: &str, action: &str, more: &Value) -> Result<u64> {
        let head = self.head();
        let approval = head.values.approval.as_ref().unwrap();
        let mut body = json!({
            "approvalId": approval.approval_id, "sha256": approval.preview.sha256, "action": action, "userId": person,
        });
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        self.decide_body(&body, &Claims::default())
    }

    /// Returns the number of requests of one kind to the tables.
    pub fn asked_to(&self, what: &str) -> usize {
        let asked = self.asked.borrow();
        asked.iter().filter(|request| request["do"] == what).count()
    }

    /// Returns the kinds and bodies of the audit records.
    pub fn audit(&self) -> Vec<(String, Value)> {
        let page = Page {
            limit: 200,
            cursor: None,
        };
        let audit = self.store().audit(page).unwrap();
        let records = audit["records"].as_array().unwrap();
        records
            .iter()
            .map(|record| {
                let body = serde_json::from_str(record["body"].as_str().unwrap()).unwrap();
                (record["kind"].as_str().unwrap().to_owned(), body)
            })
            .collect()
    }

    /// Returns the events as pairs of name and data.
    pub fn events(&self) -> Vec<(String, Value)> {
        let mut events = Vec::new();
        let mut after = 0;
        loop {
            let rows = self.store().events_after(after).unwrap();
            let Some(last) = rows.last() else {
                return events;
            };
            after = last.id;
            events.extend(
                rows.into_iter()
                    .map(|row| (row.event, serde_json::from_str(&row.data).unwrap())),
            );
        }
    }
}

/// Returns the session's response to a preview.
pub fn preview(kind: &str, sha256: &str) -> Told {
    Told::Yes(json!({
        "kind": kind, "finalSql": format!("final {sha256}"), "sha256": sha256, "tables": [{ "name": "films", "access": "write" }],
        "plan": ["scans films"], "estimatedRows": 10.0, "cheap": true, "affectedRows": 2, "sample": { "before": [], "after": [] }, "undoable": true,
    }))
}

/// Returns the session's response to a read that ran.
pub fn rows() -> Told {
    Told::Yes(json!({
        "columns": ["genre", "films"], "rows": [{ "genre": "drama", "films": 4 }, { "genre": "comedy", "films": 2 }],
        "rowCount": 2, "truncated": false,
    }))
}

/// Returns the session's response to a write that ran.
pub fn changed() -> Told {
    Told::Yes(json!({ "changes": 2, "undo": { "available": true, "rows": 2 } }))
}
