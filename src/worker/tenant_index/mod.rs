//! The Durable Object `TenantIndex`: the list of a tenant's objects. It lives until it is deleted.

mod serve;

use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::Request;

use super::object::{Kind, Object, Served, export_object};
use database::migrations::Migration;

export_object!("main-module", TenantIndex, Index);

/// The state of an index that an instance holds in memory: none.
pub struct Index;

impl Kind for Index {
    const NAME: &'static str = "index";
    const MIGRATIONS: &'static [Migration] = index::MIGRATIONS;

    fn new(_env: &JsValue) -> Self {
        Self
    }

    fn serve(object: Rc<Object<Self>>, request: Request) -> Served {
        Box::pin(object.respond(request))
    }
}
