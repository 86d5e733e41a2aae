//! Runs the work of a thread, one task at a time. A request starts the work. The alarm resumes it
//! if the object died during a step, or if a step could not be finished.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;

use super::super::instance;
use super::super::notes::send;
use super::super::object::{Object, OperationGuard};
use super::Agent;
use super::world::Platform;
use ::agent::drive::{Thread, expire, work_on};
use ::agent::store::Store;
use base::Result;
use database::Database as _;
use index::{Note, ObjectKind};

/// The right to work on a thread, held until it is dropped.
struct WorkPermit(Rc<Object<Agent>>);

impl WorkPermit {
    fn start(object: &Rc<Object<Agent>>) -> Option<Self> {
        (!object.kind.driving.replace(true)).then(|| Self(Rc::clone(object)))
    }
}

impl Drop for WorkPermit {
    fn drop(&mut self) {
        self.0.kind.driving.set(false);
        // Readers then check if the thread is done.
        self.0.kind.readers.rang();
    }
}

impl Object<Agent> {
    /// Starts the work that continues after the response.
    pub(super) fn drive(self: &Rc<Self>, tenant: &str, thread: &str) -> Result<()> {
        let Some(driving) = WorkPermit::start(self) else {
            return Ok(());
        };
        // If the object dies now, the alarm resumes the work.
        self.arm()?;
        let object = Rc::clone(self);
        let (tenant, thread) = (tenant.to_owned(), thread.to_owned());
        spawn_local(async move {
            let _running = OperationGuard::start(&object);
            let outcome = object.work(&tenant, &thread).await;
            drop(driving);
            object.tell_index(&tenant, &thread).await;
            let outcome = outcome.and_then(|()| object.arm());
            if let Err(error) = outcome {
                let words = format!("the thread could not continue: {error}");
                web_sys::console::warn_1(&words.into());
            }
        });
        Ok(())
    }

    /// Sends the present subject of the thread to the index of the tenant, which shows it in its
    /// list.
    async fn tell_index(&self, tenant: &str, thread: &str) {
        let database = self.database();
        let store = Store {
            db: &database,
            now_ms: instance::now_ms(),
        };
        // An outdated entry in the list is no failure of the thread.
        let Ok(Some(head)) = store.head() else {
            return;
        };
        let note = Note::Used {
            kind: ObjectKind::Thread,
            name: thread.to_owned(),
            size_bytes: database.size_bytes(),
            last_use_ms: store.now_ms,
            expires_at_ms: None,
            details: Some(head.summary()),
        };
        send(&self.env, tenant, &note).await;
    }

    async fn work(self: &Rc<Self>, tenant: &str, thread: &str) -> Result<()> {
        let database = self.database();
        let config = instance::config(&self.env)?;
        let platform = Platform::new(self, &config, tenant);
        work_on(Thread {
            db: &database,
            world: &platform,
            id: thread,
            rules: &config.agent.of(tenant).rules,
        })
        .await
    }

    /// Handles the alarm: expires approvals that nobody decided, and resumes unfinished work.
    pub(super) async fn go_on(self: Rc<Self>) -> Result<()> {
        let database = self.database();
        let store = Store {
            db: &database,
            now_ms: instance::now_ms(),
        };
        let Some(owner) = store.owner()? else {
            if !self.is_running() {
                self.delete().await?;
            }
            return Ok(());
        };
        let config = instance::config(&self.env)?;
        let platform = Platform::new(&self, &config, &owner.tenant);
        let thread = Thread {
            db: &database,
            world: &platform,
            id: &owner.thread,
            rules: &config.agent.of(&owner.tenant).rules,
        };
        expire(thread)?;
        let Some(driving) = WorkPermit::start(&self) else {
            return Ok(());
        };
        let outcome = work_on(thread).await;
        drop(driving);
        outcome
    }
}
