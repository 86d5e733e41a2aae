//! Who keeps a thread at its work. One at a time: a request starts it, and the alarm where the object died over it or a step could not be done.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;

use super::super::instance;
use super::super::notes::send;
use super::super::object::{Object, Running};
use super::Agent;
use super::world::Platform;
use ::agent::drive::{Thread, expire, work_on};
use ::agent::store::Store;
use base::Result;
use database::Database as _;
use index::{Note, ObjectKind};

/// Work on a thread while it lives.
struct Driving(Rc<Object<Agent>>);

impl Driving {
    fn start(object: &Rc<Object<Agent>>) -> Option<Self> {
        (!object.kind.driving.replace(true)).then(|| Self(Rc::clone(object)))
    }
}

impl Drop for Driving {
    fn drop(&mut self) {
        self.0.kind.driving.set(false);
        // Readers see that nobody works on, and whether the thread is done.
        self.0.kind.readers.rang();
    }
}

impl Object<Agent> {
    /// Works on behind the response.
    pub(super) fn drive(self: &Rc<Self>, tenant: &str, thread: &str) -> Result<()> {
        let Some(driving) = Driving::start(self) else {
            return Ok(());
        };
        // Should the object die now, the alarm finds what is left.
        self.arm()?;
        let object = Rc::clone(self);
        let (tenant, thread) = (tenant.to_owned(), thread.to_owned());
        spawn_local(async move {
            let _running = Running::start(&object);
            let outcome = object.work(&tenant, &thread).await;
            drop(driving);
            object.tell_index(&tenant, &thread).await;
            let outcome = outcome.and_then(|()| object.arm());
            if let Err(error) = outcome {
                let words = format!("the thread could not go on: {error}");
                web_sys::console::warn_1(&words.into());
            }
        });
        Ok(())
    }

    /// Tells the index of the tenant what the thread is about now, for its list.
    async fn tell_index(&self, tenant: &str, thread: &str) {
        let database = self.database();
        let store = Store {
            db: &database,
            now_ms: instance::now_ms(),
        };
        // A list that is older than the thread is no failure of it.
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

    /// What the alarm does: ends what nobody decided, and goes on with what was left.
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
        let Some(driving) = Driving::start(&self) else {
            return Ok(());
        };
        let outcome = work_on(thread).await;
        drop(driving);
        outcome
    }
}
