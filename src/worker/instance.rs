//! The state that one WebAssembly instance keeps for all requests: the parsed settings and the
//! panic hook.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use js_sys::Reflect;
use wasm_bindgen::JsValue;

use super::bindings;
use crate::config::Config;
use base::{Error, Result};

thread_local! {
    /// The parsed settings. The environment of a Worker never changes while it runs, so one parse
    /// serves every request.
    static CONFIG: RefCell<Option<Rc<Config>>> = const { RefCell::new(None) };
    static HOOKED: OnceCell<()> = const { OnceCell::new() };
}

/// Returns the settings in force.
///
/// # Errors
/// [`base::CommonError::Misconfigured`].
pub fn config(env: &JsValue) -> Result<Rc<Config>> {
    if let Some(config) = CONFIG.with_borrow(Clone::clone) {
        return Ok(config);
    }
    let config = Rc::new(Config::parse(|name| text_binding(env, name))?);
    for warning in &config.warnings {
        web_sys::console::warn_1(&JsValue::from_str(warning));
    }
    CONFIG.set(Some(Rc::clone(&config)));
    Ok(config)
}

/// Returns a variable or secret as text. A variable that wrangler.toml writes as a number or a
/// table is no text, so it is rendered as JSON.
fn text_binding(env: &JsValue, name: &str) -> Option<String> {
    let value = binding(env, name)?;
    value
        .as_string()
        .or_else(|| js_sys::JSON::stringify(&value).ok()?.as_string())
}

/// Returns a binding of the environment, if it exists.
pub fn binding(env: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(env, &JsValue::from_str(name))
        .ok()
        .filter(|value| !value.is_undefined() && !value.is_null())
}

/// Installs the panic hook. At a panic, it writes the stack to the log, answers every waiting
/// request, and then runs the hook of workers-rs, which replaces the instance.
pub fn install_panic_hook() {
    HOOKED.with(|hooked| {
        hooked.get_or_init(|| {
            let replace_instance = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                console_error_panic_hook::hook(panic);
                bindings::abandon("it panicked");
                replace_instance(panic);
            }));
        });
    });
}

/// Returns the time in milliseconds since 1970. In production it does not advance between two
/// inputs or outputs.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the clock is whole and after 1970"
)]
pub fn now_ms() -> u64 {
    js_sys::Date::now() as u64
}

/// Returns bytes of the platform's cryptographic random source.
///
/// # Errors
/// Internal, if the platform has no such source.
pub fn fresh_bytes() -> Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::internal(format!("the platform gave no random bytes: {error}")))?;
    Ok(bytes)
}
