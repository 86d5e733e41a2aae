//! The operations of a session. Each is a type with its arguments and its declaration. It
//! implements how it runs in a session, within a scope, and on the tenant's persistent tables.

mod explain_query;
mod kinds;
mod statements;
mod tables;
mod values;

use ::operation::arguments::{Arguments, Item};
use ::operation::declaration::Declared;
use base::{CommonError, Error, Result, entries, nearest};
use database::Database;
use serde_json::value::RawValue;
use sql_scope::Scope;

use crate::error::operations_hint;
use crate::persistent::Persistent;
use crate::persistent::remote::RemoteDatabase;
use crate::query::Request;
use crate::scope::refused;
use crate::{Reply, Session, SessionError};

use explain_query::ExplainQuery;
pub(crate) use kinds::{Count, Params, RequestScope, RowFormat, Sql, Target};
use statements::{Exec, Preview, Query, QueryStagedData};
use tables::{CreateTable, DescribeTable, DropTable, FindColumn, GetColumns, GetTables, HasColumn};
use values::{BatchInsert, GetMetrics, GetState, SaveState};

/// The names under which programs call the session's operations, as if they were servers.
pub const SERVERS: &[&str] = &["db", "schema"];

/// The JSON text of the objects in schemas and responses, by name, in addition to
/// [`operation::DEFINITIONS`].
pub const DEFINITIONS: &str = include_str!("definitions.json");

/// The form in which programs call an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Helper {
    /// The server that has the operation: one of [`SERVERS`].
    pub server: &'static str,
    /// The TypeScript interface that lists its method in the guide for programs.
    pub interface: &'static str,
    /// The method in TypeScript, with the comment above it.
    pub method: &'static str,
}

impl Helper {
    const fn db(method: &'static str) -> Self {
        let (server, interface) = ("db", "DB");
        Self {
            server,
            interface,
            method,
        }
    }

    const fn schema(method: &'static str) -> Self {
        let (server, interface) = ("schema", "Schema");
        Self {
            server,
            interface,
            method,
        }
    }

    /// Returns a method of the objects that represent other servers.
    const fn server(method: &'static str) -> Self {
        let (server, interface) = ("db", "Server");
        Self {
            server,
            interface,
            method,
        }
    }
}

/// The arguments of an operation, which can run it.
pub(crate) trait Operation<'a>: Declared + Arguments<'a> {
    /// The form in which programs call it.
    const HELPER: Helper;

    /// True if it accepts the target `persistent`.
    const IS_PERSISTENT: bool = false;

    /// Runs the operation.
    ///
    /// # Errors
    /// Those of the operation, and the engine's.
    fn run<D: Database>(self, session: &Session<'_, D>) -> Result<Reply>;

    /// Runs the operation within the scope of the session.
    ///
    /// # Errors
    /// As [`Operation::run`], and `SQL_BLOCKED` for an operation that cannot be restricted to a
    /// scope.
    fn run_scoped<D: Database>(self, _session: &Session<'_, D>, _scope: &Scope) -> Result<Reply> {
        Err(refused(Self::DECLARATION.name))
    }

    /// Runs the operation on the persistent tables of the tenant.
    ///
    /// # Errors
    /// As [`Operation::run`]; [`base::CommonError::InvalidArgument`] for an operation that only
    /// works on sessions.
    async fn run_persistent<R: RemoteDatabase>(
        self,
        _persistent: &Persistent<'_, R>,
    ) -> Result<Reply> {
        Err(Error::invalid_with_hint(
            format!("{} only works on the session", Self::DECLARATION.name),
            format!(
                "the operations on the persistent database are: {}",
                persistent_names().join(", ")
            ),
        ))
    }

    /// Runs the operation on the rows of a scope in the persistent tables.
    ///
    /// # Errors
    /// As [`Operation::run_persistent`], and `SQL_BLOCKED` for an operation that cannot be
    /// restricted to a scope.
    async fn run_persistent_scoped<R: RemoteDatabase>(
        self,
        _persistent: &Persistent<'_, R>,
        _scope: &Scope,
    ) -> Result<Reply> {
        let name = Self::DECLARATION.name;
        Err(refused(&format!("{name} on the persistent database")))
    }
}

/// Lists the operations.
macro_rules! operations {
    ($($name:ident,)*) => {
        ::operation::list! { $($name,)* }

        impl Id {
            /// Returns the form in which programs call the operation.
            pub fn helper(self) -> Helper {
                match self {
                    $(Self::$name => <$name as Operation>::HELPER,)*
                }
            }

            /// Returns true if the operation accepts the target `persistent`.
            pub fn is_persistent(self) -> bool {
                match self {
                    $(Self::$name => <$name as Operation>::IS_PERSISTENT,)*
                }
            }
        }

        fn run<D: Database>(session: &Session<'_, D>, id: Id, item: &Item<'_>) -> Result<Reply> {
            match id {
                $(Id::$name => {
                    let operation = $name::of_only(item)?;
                    match session.scope {
                        None => operation.run(session),
                        Some(scope) => operation.run_scoped(session, scope),
                    }
                })*
            }
        }

        async fn run_persistent<R: RemoteDatabase>(
            persistent: &Persistent<'_, R>,
            id: Id,
            item: &Item<'_>,
        ) -> Result<Reply> {
            match id {
                $(Id::$name => {
                    let operation = $name::of_only(item)?;
                    match persistent.scope() {
                        None => operation.run_persistent(persistent).await,
                        Some(scope) => operation.run_persistent_scoped(persistent, scope).await,
                    }
                })*
            }
        }
    };
}

operations! {
    Exec,
    Query,
    Preview,
    BatchInsert,
    CreateTable,
    DropTable,
    SaveState,
    GetState,
    GetMetrics,
    GetColumns,
    HasColumn,
    GetTables,
    DescribeTable,
    FindColumn,
    QueryStagedData,
    ExplainQuery,
}

fn persistent_names() -> Vec<&'static str> {
    let persistent = OPERATIONS.iter().filter(|(id, _)| id.is_persistent());
    persistent.map(|(_, declared)| declared.name).collect()
}

/// Runs the operation that a body `{"operation":…}` names.
///
/// # Errors
/// [`base::CommonError::InvalidBody`] if the body is not such an object,
/// [`SessionError::UnknownOperation`], or the operation's own errors.
pub fn dispatch<D: Database>(session: &Session<'_, D>, body: &str) -> Result<Reply> {
    let mut item = read(body)?;
    let id = named(&mut item, || NAMES.to_vec())?;
    run(session, id, &item)
}

/// An operation on one statement of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatementOperation {
    Exec,
    Query,
}

/// Returns the statement of a body that names exec or query; `None` for another operation.
///
/// # Errors
/// As [`dispatch`].
pub(crate) fn statement_of(body: &str) -> Result<Option<(StatementOperation, Request)>> {
    let mut item = read(body)?;
    Ok(match named(&mut item, || NAMES.to_vec())? {
        Id::Exec => Some((StatementOperation::Exec, Exec::of_only(&item)?.into())),
        Id::Query => Some((StatementOperation::Query, Query::of_only(&item)?.into())),
        _ => None,
    })
}

/// Runs the operation of a body with `"target":"persistent"`.
///
/// # Errors
/// As [`dispatch`]; [`base::CommonError::InvalidArgument`] for an operation that only works on
/// sessions.
pub async fn dispatch_persistent<R: RemoteDatabase>(
    persistent: &Persistent<'_, R>,
    body: &str,
) -> Result<Reply> {
    let mut item = read(body)?;
    let id = named(&mut item, persistent_names)?;
    run_persistent(persistent, id, &item).await
}

/// Parses the fields of a body. A duplicate field is refused, because the caller may mean either of
/// the two.
pub(crate) fn read(body: &str) -> Result<Item<'_>> {
    let fields: entries::Fields<&RawValue> =
        serde_json::from_str(body).map_err(|error| CommonError::InvalidBody {
            message: format!("the body is not a usable JSON object: {error}"),
            hint: Some(
                r#"send an object such as {"operation":"query","sql":"SELECT 1"}"#.to_owned(),
            ),
        })?;
    Ok(Item::of(fields.0).after("the field "))
}

/// Removes the name of the operation from the fields of a body and returns the operation. `names`
/// returns the names for a hint.
fn named(item: &mut Item<'_>, names: impl Fn() -> Vec<&'static str>) -> Result<Id> {
    let wrong = |what| {
        let message = format!("the field operation {what}");
        Error::invalid_with_hint(message, operations_hint(&names()))
    };
    let raw = item.take("operation").ok_or_else(|| wrong("is missing"))?;
    let name: String = serde_json::from_str(raw.get()).map_err(|_| wrong("must be a text"))?;
    match find(&name) {
        Some((id, _)) => Ok(id),
        None => {
            let operations = names();
            Err(Error::from(SessionError::UnknownOperation {
                suggestions: nearest(&name, operations.iter().copied()),
                operation: name,
                operations,
            }))
        }
    }
}

/// Returns the schema of an operation's arguments without references.
pub fn input(operation: Id) -> serde_json::Value {
    let known = ::operation::definitions(DEFINITIONS);
    ::operation::shape::inlined(&operation.declaration().input(), &known)
}

/// Returns true for one of [`SERVERS`].
pub fn is_own_server(name: &str) -> bool {
    SERVERS.contains(&name)
}

/// Returns the operations that a server has.
pub fn of_server(server: &str) -> impl Iterator<Item = Id> {
    let all = OPERATIONS.iter().map(|(id, _)| *id);
    all.filter(move |id| id.helper().server == server)
}

/// Returns the server that has an operation; the first of [`SERVERS`] for an unknown name.
pub fn server_of(name: &str) -> &'static str {
    find(name).map_or("db", |(id, _)| id.helper().server)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_belongs_to_a_server_and_says_what_it_is() {
        for (id, declared) in OPERATIONS {
            let (name, helper) = (declared.name, id.helper());
            assert!(SERVERS.contains(&helper.server), "{name}");
            assert!(
                !declared.title.is_empty() && !declared.description().is_empty(),
                "{name}"
            );
            assert!(helper.method.contains(&format!("{name}(")), "{name}");
            let effect = declared.effect;
            assert!(!(effect.read_only && effect.destructive), "{name}");
            assert_eq!(find(name).unwrap().0, *id, "{name} stands there twice");
        }
    }
}
