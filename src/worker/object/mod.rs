//! The base of every Durable Object. A class is a [`Kind`], one line with [`export_object!`], and
//! one line in `js/entry.js`.
//!
//! * The first request of an instance applies the kind's migrations and checks that the alarm is
//!   set. Later requests do not touch the alarm.
//! * The alarm does the work that is due, and sets itself to the earliest of the remaining times.
//!   All of them follow from stored data; the alarm itself stores nothing.
//! * Whatever an object holds in memory is stored as well, or may be lost. Deleting its data
//!   increments its generation, so that work that began earlier notices the deletion.
//! * `#[durable_object]` of workers-rs would export `fetch` and `alarm` without a guard, and after
//!   a panic their promises would stay pending. They are exported by hand, for `js/entry.js`.

pub mod events;

use std::cell::Cell;
use std::rc::Rc;

use futures::future::LocalBoxFuture;
use js_sys::Promise;
use wasm_bindgen::{JsCast, JsError, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::{Request, Response};

use super::bindings::{
    Namespace, ObjectState, Storage, Stub, detach, thrown_text, unless_abandoned,
};
use super::instance;
use super::storage::{Known, ObjectDatabase};
use crate::config::Config;
use base::{CommonError, Error, Result};
use database::DatabaseError;
use database::migrations::{self, Migration};

/// The time until the alarm rings again if the due work failed: soon, because nothing else may wake
/// the object, but not at once, because the cause seldom disappears that fast.
const RETRY_MS: u64 = 5_000;

/// A class of objects, for callers of its objects.
pub struct Class {
    /// The binding of its namespace.
    pub binding: &'static str,
    /// The words for one such object in messages.
    pub in_words: &'static str,
}

impl Class {
    /// Returns the stub of the object with this name.
    ///
    /// # Errors
    /// [`CommonError::Misconfigured`] if the deployment has no such binding.
    pub fn stub(&self, env: &JsValue, name: &str) -> Result<Stub> {
        let Some(namespace) = instance::binding(env, self.binding) else {
            return Err(Error::from(CommonError::Misconfigured {
                message: format!(
                    "the deployment has no Durable Object binding {}",
                    self.binding
                ),
            }));
        };
        let stub = namespace.unchecked_ref::<Namespace>().get_by_name(name);
        stub.map_err(|thrown| Error::internal(thrown_text(&thrown)))
    }

    /// Makes the error for an object that was reset while it served a request. Its uncommitted
    /// changes are rolled back. A request commits after its last statement, so a full disk and a
    /// deferred constraint cause this error, too.
    pub fn stopped(&self, thrown: &JsValue) -> Error {
        self.stopped_by(&logged(thrown))
    }

    /// Makes the same error from the platform's text.
    pub fn stopped_by(&self, text: &str) -> Error {
        if database::is_full(text) {
            return Error::from(DatabaseError::DatabaseFull);
        }
        sql_gate::explain::broken_at_commit(text).unwrap_or_else(|| {
            Error::internal(format!(
                "{} stopped before it responded; its last changes may be stored or rolled back, so look for them before you repeat the request",
                self.in_words
            ))
        })
    }
}

/// Writes the platform's error about an object to the log, and returns its text.
pub fn logged(thrown: &JsValue) -> String {
    let text = thrown_text(thrown);
    web_sys::console::error_1(&JsValue::from_str(&format!("the object failed: {text}")));
    text
}

/// A response in the making.
pub type Served = LocalBoxFuture<'static, Result<Response, JsValue>>;

/// Work of an alarm.
pub type Work = LocalBoxFuture<'static, Result<()>>;

/// A kind of object: the state that its instances hold in memory, and the work that they do.
pub trait Kind: Sized + 'static {
    /// The name in the log.
    const NAME: &'static str;

    /// The schema of its database.
    const MIGRATIONS: &'static [Migration];

    /// Makes the state of a new instance, before anything is read.
    fn new(env: &JsValue) -> Self;

    /// Repairs what an earlier instance left behind, after the migrations. Cheap if there is
    /// nothing to repair.
    ///
    /// # Errors
    /// Those of the engine.
    fn start(_database: &ObjectDatabase) -> Result<()> {
        Ok(())
    }

    /// Returns the times at which work is due, in milliseconds since 1970; none for an object that
    /// lives until it is deleted.
    ///
    /// # Errors
    /// Those of the engine.
    fn due_times_ms(_database: &ObjectDatabase, _config: &Config) -> Result<Vec<u64>> {
        Ok(Vec::new())
    }

    /// Does the work that is due. Work that fails stays due, and is tried again some seconds later.
    fn ring(_object: Rc<Object<Self>>) -> Work {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Serves a request of the front Worker.
    fn serve(object: Rc<Object<Self>>, request: Request) -> Served;

    /// Forgets the state that belongs to deleted data.
    fn forget(&self, _env: &JsValue) {}
}

/// One instance of an object.
pub struct Object<K> {
    /// Its storage.
    pub storage: Storage,
    /// The bindings of the deployment.
    pub env: JsValue,
    /// The state of its kind.
    pub kind: K,
    /// True if this instance knows that migrations have run and the alarm is set.
    prepared: Cell<bool>,
    generation: Cell<u64>,
    running: Cell<u32>,
    known: Rc<Known>,
}

impl<K: Kind> Object<K> {
    /// Makes an instance for the platform. Cheap: nothing is read yet.
    pub fn new(state: &ObjectState, env: JsValue) -> Rc<Self> {
        instance::install_panic_hook();
        Rc::new(Self {
            storage: state.storage(),
            kind: K::new(&env),
            env,
            prepared: Cell::new(false),
            generation: Cell::new(0),
            running: Cell::new(0),
            known: Rc::default(),
        })
    }

    /// Serves one request of the front Worker.
    pub fn fetch(self: &Rc<Self>, request: Request) -> Promise {
        let object = Rc::clone(self);
        unless_abandoned(&future_to_promise(async move {
            K::serve(object, request).await.map(JsValue::from)
        }))
    }

    /// Handles the alarm, for the platform, which tries again after an exception.
    pub fn alarm(self: &Rc<Self>) -> Promise {
        let object = Rc::clone(self);
        unless_abandoned(&future_to_promise(async move {
            let rung = object.ring().await;
            rung.map_err(|error| JsError::new(&error.to_string()))?;
            Ok(JsValue::UNDEFINED)
        }))
    }

    async fn ring(self: Rc<Self>) -> Result<()> {
        let generation = self.generation.get();
        self.start()?;
        K::ring(Rc::clone(&self)).await?;
        // After a deletion nothing can be due.
        if self.generation.get() == generation {
            self.arm()?;
        }
        Ok(())
    }

    /// Applies the migrations and sets the alarm, once in the life of an instance.
    ///
    /// # Errors
    /// Those of the migrations, or of the storage.
    pub async fn prepare(&self) -> Result<()> {
        if self.prepared.get() {
            return Ok(());
        }
        let alarm = settled(self.storage.get_alarm()).await?;
        // Another request may have been faster during the wait.
        if !self.prepared.get() {
            self.start()?;
            if alarm.as_f64().is_none() {
                self.arm()?;
            }
            self.prepared.set(true);
        }
        Ok(())
    }

    /// Returns true if [`Self::prepare`] has nothing to do.
    pub fn is_prepared(&self) -> bool {
        self.prepared.get()
    }

    /// Applies the migrations alone, for an object whose first rows decide when it ends:
    /// [`Self::prepare`] sets the alarm afterwards.
    ///
    /// # Errors
    /// Those of the migrations.
    pub fn migrate(&self) -> Result<()> {
        self.start()
    }

    fn start(&self) -> Result<()> {
        let database = self.database();
        migrations::apply(&database, K::MIGRATIONS, instance::now_ms())?;
        K::start(&database)
    }

    /// Sets the alarm to the earliest time at which work is due, or to a moment from now if that
    /// time has passed. Nobody waits for it here, because the output gate holds responses back
    /// until it is stored.
    #[expect(
        clippy::cast_precision_loss,
        reason = "times in milliseconds stay far below 2^53"
    )]
    pub fn arm(&self) -> Result<()> {
        let config = instance::config(&self.env)?;
        let due = K::due_times_ms(&self.database(), &config)?;
        let now_ms = instance::now_ms();
        if let Some(first_ms) = due.into_iter().min() {
            let at_ms = if first_ms > now_ms {
                first_ms
            } else {
                now_ms.saturating_add(RETRY_MS)
            };
            detach(self.storage.set_alarm(at_ms as f64));
        }
        Ok(())
    }

    /// Deletes everything, including the alarm. It must not run inside a transaction, where the
    /// platform would fail.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn delete(&self) -> Result<()> {
        self.prepared.set(false);
        self.generation.set(self.generation.get() + 1);
        self.known.forget();
        self.kind.forget(&self.env);
        settled(self.storage.delete_all()).await.map(|_| ())
    }

    /// Returns a number that rises when the data is deleted.
    pub fn generation(&self) -> u64 {
        self.generation.get()
    }

    /// Returns true if an operation or a stream runs at this moment.
    pub fn is_running(&self) -> bool {
        self.running.get() > 0
    }

    /// Forgets the size of the database, after statements that this instance has not run.
    pub fn forget_size(&self) {
        self.known.forget();
    }

    /// Returns its database, for one request.
    pub fn database(&self) -> ObjectDatabase {
        ObjectDatabase::new(self.storage.clone(), &self.known)
    }
}

/// A guard that counts an operation as running for as long as it lives.
pub struct OperationGuard<K: Kind>(Rc<Object<K>>);

impl<K: Kind> OperationGuard<K> {
    /// Counts one more operation.
    pub fn start(object: &Rc<Object<K>>) -> Self {
        object.running.set(object.running.get().saturating_add(1));
        Self(Rc::clone(object))
    }
}

impl<K: Kind> Drop for OperationGuard<K> {
    fn drop(&mut self) {
        self.0.running.set(self.0.running.get().saturating_sub(1));
    }
}

/// Returns the outcome of a promise of the storage.
async fn settled(promise: Result<Promise, JsValue>) -> Result<JsValue> {
    let outcome = match promise {
        Ok(promise) => JsFuture::from(promise).await,
        Err(thrown) => Err(thrown),
    };
    outcome.map_err(|thrown| {
        let text = thrown_text(&thrown);
        if database::is_full(&text) {
            return Error::from(DatabaseError::DatabaseFull);
        }
        Error::internal(format!("the storage refused: {text}"))
    })
}

/// Exports a kind of object as the class that `wrangler.toml` names, from the module with this
/// feature (`Cargo.toml`).
macro_rules! export_object {
    ($module:literal, $class:ident, $kind:ty) => {
        /// The class that `wrangler.toml` names.
        #[cfg(feature = $module)]
        #[wasm_bindgen::prelude::wasm_bindgen]
        pub struct $class {
            object: std::rc::Rc<$crate::worker::object::Object<$kind>>,
        }

        #[cfg(feature = $module)]
        #[wasm_bindgen::prelude::wasm_bindgen]
        impl $class {
            /// Makes an instance; the platform calls it.
            #[wasm_bindgen(constructor)]
            #[must_use]
            pub fn new(
                state: $crate::worker::bindings::ObjectState,
                env: wasm_bindgen::JsValue,
            ) -> Self {
                Self {
                    object: $crate::worker::object::Object::new(&state, env),
                }
            }

            /// Serves one request of the front Worker.
            pub fn fetch(&self, request: web_sys::Request) -> js_sys::Promise {
                self.object.fetch(request)
            }

            /// Handles the alarm; the platform calls it.
            pub fn alarm(&self) -> js_sys::Promise {
                self.object.alarm()
            }
        }
    };
}

pub(crate) use export_object;
