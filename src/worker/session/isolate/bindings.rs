//! Bindings to the Worker Loader and `js/sandbox.js`.

use std::cell::RefCell;
use std::collections::HashMap;

use js_sys::{Array, Object, Promise, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::limits::MAX_EXECUTION_WORK;
use columns::Mappings;
use sandbox::limits::{
    MAX_EXECUTION_LOG_CHARACTERS, MAX_EXECUTION_LOG_ENTRIES, MAX_EXECUTION_LOGS_CHARACTERS,
    MAX_EXECUTION_RESULT_BYTES, MAX_PROGRESS_EVENTS,
};
use sandbox::runtime::{self, Parts};

#[wasm_bindgen(module = "/js/sandbox.js")]
extern "C" {
    /// A program that was started.
    pub type Launched;

    /// Starts a program in a new isolate, or in the one with the name `kept`.
    #[wasm_bindgen(catch)]
    pub fn launch(
        loader: &JsValue,
        kept: Option<&str>,
        code: &JsValue,
        options: &JsValue,
    ) -> Result<Launched, JsValue>;

    /// Takes the program with this number, which `js/programs.js` has started.
    pub fn taken(number: u32) -> Option<Launched>;

    /// Connects the program with the object: the program calls `call`, and sends its messages to
    /// `note`.
    #[wasm_bindgen(method)]
    pub fn connect(
        this: &Launched,
        call: &Closure<dyn FnMut(String) -> JsValue>,
        note: &Closure<dyn FnMut(String, String)>,
    );

    /// Returns the time of the launch.
    #[wasm_bindgen(method, getter)]
    pub fn began_ms(this: &Launched) -> f64;

    /// Returns the promise of the report and the result, or of the reason that there is none.
    #[wasm_bindgen(method, getter)]
    pub fn outcome(this: &Launched) -> Promise;

    /// Asks the program to end and to report.
    #[wasm_bindgen(method, catch)]
    pub fn stop(this: &Launched, code: &str) -> Result<(), JsValue>;

    /// Releases the program.
    #[wasm_bindgen(method)]
    pub fn close(this: &Launched);
}

/// The compatibility date of the isolate. It precedes the date from which `nodejs_compat` is the
/// default, because a program needs nothing of Node and starts faster without it.
const COMPATIBILITY_DATE: &str = "2025-06-01";

/// The number of main modules that are kept. Each has about 50 to 150 KB.
const MAX_MAIN_MODULES: usize = 16;

thread_local! {
    /// The main modules by their parts. The settings of an instance do not change.
    static MAIN_MODULES: RefCell<HashMap<Parts, JsValue>> = RefCell::default();
}

/// Returns the main module with these parts.
fn main_module(mappings: &Mappings, parts: Parts) -> JsValue {
    MAIN_MODULES.with_borrow_mut(|known| {
        if known.len() >= MAX_MAIN_MODULES && !known.contains_key(&parts) {
            known.clear();
        }
        let made = || JsValue::from_str(&runtime::main_module(mappings, parts));
        known.entry(parts).or_insert_with(made).clone()
    })
}

/// Makes the description of a Worker that the loader takes.
///
/// # Errors
/// Exceptions of the platform; none is known.
pub fn worker_code(
    program: &str,
    parts: Parts,
    cpu_ms: u32,
    mappings: &Mappings,
) -> Result<JsValue, JsValue> {
    let modules = Object::new();
    set(&modules, "runtime.js", &main_module(mappings, parts))?;
    set(&modules, "program.js", &JsValue::from_str(program))?;
    let limits = Object::new();
    set(&limits, "cpuMs", &JsValue::from(cpu_ms))?;
    let code = Object::new();
    set(&code, "compatibilityDate", &COMPATIBILITY_DATE.into())?;
    set(&code, "mainModule", &"runtime.js".into())?;
    set(&code, "modules", &modules)?;
    set(&code, "env", &Object::new())?;
    // No network: a program reaches the outside only through the door.
    set(&code, "globalOutbound", &JsValue::NULL)?;
    set(&code, "limits", &limits)?;
    Ok(code.into())
}

/// Makes the options of `run` in `runtime.js`.
///
/// # Errors
/// As [`worker_code`].
pub fn run_options(
    input: &str,
    servers: &[(&str, &str)],
    places: &[u32],
    timeout_ms: u32,
    flush_ms: u32,
) -> Result<JsValue, JsValue> {
    let options = Object::new();
    set(&options, "places", &Uint32Array::from(places))?;
    set(&options, "input", &JsValue::from_str(input))?;
    let servers = if servers.is_empty() {
        "[]".to_owned()
    } else {
        serde_json::json!(servers).to_string()
    };
    set(&options, "servers", &JsValue::from_str(&servers))?;
    let numbers = [
        ("units", MAX_EXECUTION_WORK as usize),
        ("timeoutMs", timeout_ms as usize),
        ("flushMs", flush_ms as usize),
        ("entries", MAX_EXECUTION_LOG_ENTRIES),
        ("each", MAX_EXECUTION_LOG_CHARACTERS),
        ("total", MAX_EXECUTION_LOGS_CHARACTERS),
        ("progress", MAX_PROGRESS_EVENTS),
        ("maxResult", MAX_EXECUTION_RESULT_BYTES),
    ];
    for (name, number) in numbers {
        set(&options, name, &JsValue::from(number))?;
    }
    Ok(options.into())
}

/// Splits an outcome into report and result.
pub fn report_and_result(outcome: &JsValue) -> (String, Option<String>) {
    let pair = Array::from(outcome);
    (
        pair.get(0).as_string().unwrap_or_default(),
        pair.get(1).as_string(),
    )
}

fn set(object: &Object, name: &str, value: &JsValue) -> Result<(), JsValue> {
    Reflect::set(object, &JsValue::from_str(name), value).map(|_| ())
}
