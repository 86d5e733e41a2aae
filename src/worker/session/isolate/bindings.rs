//! Bindings to the Worker Loader and `js/sandbox.js`.

use std::cell::OnceCell;

use js_sys::{Array, Object, Promise, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::limits::MAX_EXECUTION_WORK;
use columns::Mappings;
use sandbox::limits::{
    MAX_EXECUTION_LOG_CHARACTERS, MAX_EXECUTION_LOG_ENTRIES, MAX_EXECUTION_LOGS_CHARACTERS,
    MAX_EXECUTION_RESULT_BYTES, MAX_PROGRESS_EVENTS,
};
use sandbox::runtime;

#[wasm_bindgen(module = "/js/sandbox.js")]
extern "C" {
    /// A program that was started.
    pub type Launched;

    /// Starts a program in a new isolate, or in the one with the name `kept`, and connects it with
    /// the object: the program calls `call`, and sends its messages to `note`.
    #[wasm_bindgen(catch)]
    pub fn launch(
        loader: &JsValue,
        kept: Option<&str>,
        code: &JsValue,
        options: &JsValue,
        call: &Closure<dyn FnMut(String) -> JsValue>,
        note: &Closure<dyn FnMut(String, String)>,
    ) -> Result<Launched, JsValue>;

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

thread_local! {
    /// The main module, made once, because the settings of an instance do not change.
    static MAIN_MODULE: OnceCell<JsValue> = const { OnceCell::new() };
}

/// Makes the description of a Worker that the loader takes.
///
/// # Errors
/// Exceptions of the platform; none is known.
pub fn worker_code(program: &str, cpu_ms: u32, mappings: &Mappings) -> Result<JsValue, JsValue> {
    let main = MAIN_MODULE.with(|main| {
        main.get_or_init(|| JsValue::from_str(&runtime::main_module(mappings)))
            .clone()
    });
    let modules = Object::new();
    set(&modules, "runtime.js", &main)?;
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
    let servers = serde_json::json!(servers).to_string();
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
