//! Refuses the same actions as workerd's authorizer. So a statement that the product accepts by
//! mistake has the same result here as in production.
//!
//! Measured on workerd: ATTACH, DETACH, TEMP, tuning PRAGMAs, names `_cf_*` and foreign virtual
//! tables are "not authorized". Transaction statements are refused with workerd's own text, which
//! the host adaptor returns.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

const VIRTUAL_TABLE_MODULES: &[&str] = &["fts5", "fts5vocab", "rtree", "rtree_i32"];
const PRAGMAS: &[&str] = &[
    "data_version",
    "case_sensitive_like",
    "foreign_keys",
    "defer_foreign_keys",
    "foreign_key_check",
    "foreign_key_list",
    "ignore_check_constraints",
    "index_info",
    "index_list",
    "index_xinfo",
    "legacy_alter_table",
    "optimize",
    "quick_check",
    "recursive_triggers",
    "reverse_unordered_selects",
    "table_info",
    "table_list",
    "table_xinfo",
    "function_list",
];
const FUNCTIONS: &[&str] = &[
    "if",
    "load_extension",
    "sqlite_version",
    "sqlite_source_id",
    "sqlite_compileoption_get",
    "sqlite_compileoption_used",
    "soundex",
    "median",
    "power",
    "log10",
    "ceiling",
    "unistr",
    "unistr_quote",
    "json_pretty",
    "subtype",
];

/// Makes the hook. `ours` is true while the adaptor itself runs BEGIN, COMMIT or ROLLBACK, or reads
/// the size of the database.
pub fn authorizer(
    ours: Arc<AtomicBool>,
) -> impl for<'r> FnMut(AuthContext<'r>) -> Authorization + Send + 'static {
    move |context| {
        // ALTER also reads and updates the schema of temp, where it finds nothing.
        if context.database_name == Some("temp")
            && !matches!(
                context.action,
                AuthAction::Read { .. } | AuthAction::Update { .. }
            )
        {
            return Authorization::Deny;
        }
        if allowed(&context.action, ours.load(Ordering::Relaxed)) {
            Authorization::Allow
        } else {
            Authorization::Deny
        }
    }
}

fn allowed(action: &AuthAction<'_>, ours: bool) -> bool {
    match action {
        AuthAction::Attach { .. } | AuthAction::Detach { .. } => false,
        AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } => ours,
        AuthAction::CreateTempIndex { .. }
        | AuthAction::CreateTempTable { .. }
        | AuthAction::CreateTempTrigger { .. }
        | AuthAction::CreateTempView { .. }
        | AuthAction::DropTempIndex { .. }
        | AuthAction::DropTempTable { .. }
        | AuthAction::DropTempTrigger { .. }
        | AuthAction::DropTempView { .. } => false,
        AuthAction::CreateVtable {
            table_name,
            module_name,
        }
        | AuthAction::DropVtable {
            table_name,
            module_name,
        } => {
            !reserved(table_name)
                && VIRTUAL_TABLE_MODULES
                    .iter()
                    .any(|module| module.eq_ignore_ascii_case(module_name))
        }
        AuthAction::CreateTable { table_name }
        | AuthAction::DropTable { table_name }
        | AuthAction::Insert { table_name }
        | AuthAction::Delete { table_name }
        | AuthAction::Update { table_name, .. }
        | AuthAction::Read { table_name, .. }
        | AuthAction::CreateIndex { table_name, .. }
        | AuthAction::CreateTrigger { table_name, .. }
        | AuthAction::AlterTable { table_name, .. } => !reserved(table_name),
        AuthAction::CreateView { view_name } | AuthAction::DropView { view_name } => {
            !reserved(view_name)
        }
        AuthAction::Pragma { pragma_name, .. } => {
            ours || PRAGMAS
                .iter()
                .any(|name| name.eq_ignore_ascii_case(pragma_name))
        }
        AuthAction::Function { function_name } => !FUNCTIONS
            .iter()
            .any(|name| name.eq_ignore_ascii_case(function_name)),
        _ => true,
    }
}

fn reserved(name: &str) -> bool {
    name.get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("_cf_"))
}
