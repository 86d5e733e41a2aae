//! Why a field is null, as far as the query and the schema tell.

use apollo_compiler::ast::{Field, OperationType};

use super::query::{Asked, Found};
use super::scan::Step;
use super::schema::{FieldInfo, Schema};
use super::text::listed;
use crate::error::did_you_mean;
use crate::schema::nearest;

/// Arguments that choose a page and not a record.
const PAGING: &[&str] = &[
    "first", "last", "after", "before", "limit", "offset", "skip", "top", "page", "pageSize",
    "size",
];

/// What is known besides the answer.
pub(super) struct Known<'a> {
    pub(super) asked: Option<Asked<'a>>,
    pub(super) schema: Option<&'a Schema>,
}

/// A reason, and names that may have been meant.
pub(super) struct Advice {
    pub(super) hint: String,
    pub(super) suggestions: Vec<String>,
}

impl Advice {
    fn new(hint: String) -> Self {
        Self {
            hint,
            suggestions: Vec::new(),
        }
    }
}

impl<'a> Known<'a> {
    /// Why the root field of that response key is null.
    pub(super) fn root(&self, key: &str) -> Option<Advice> {
        let found = self.field(&[Step::Key(key.to_owned())])?;
        let Some(field) = found.asked else {
            return self.without_query(key, found.info);
        };
        if self.schema.is_some() && found.info.is_none() && !field.name.starts_with("__") {
            return self.unknown_field(&field.name);
        }
        self.called(field, found.info).or_else(|| {
            let name = &field.name;
            Some(Advice::new(match found.info {
                Some(info) => format!(
                    "`{name}` may be null in the schema (its type is {}), and the server has no value for it",
                    info.type_text()
                ),
                None => format!("`{name}` was asked for without arguments, and the server has no value for it"),
            }))
        })
    }

    /// Why a field or an element further down is null.
    pub(super) fn below(&self, steps: &[Step]) -> Option<Advice> {
        let found = self.field(steps)?;
        if matches!(steps.last(), Some(Step::Element)) {
            let info = found.info?;
            return Some(Advice::new(format!(
                "`{}` is a list that may hold null (its type is {}): skip the nulls",
                info.name(),
                info.type_text()
            )));
        }
        let called = found
            .asked
            .filter(|field| field.arguments.iter().any(|one| !is_paging(&one.name)))
            .and_then(|field| self.called(field, found.info));
        if called.is_some() {
            return called;
        }
        let alias = found
            .asked
            .filter(|field| field.alias.is_some())
            .map(|field| format!("it is the field `{}`", field.name));
        let nullable = found.info.map(|info| {
            format!(
                "`{}` may be null in the schema (its type is {}): the record has no value there",
                info.name(),
                info.type_text()
            )
        });
        match (alias, nullable) {
            (Some(alias), Some(nullable)) => Some(Advice::new(format!("{alias}; {nullable}"))),
            (Some(one), None) | (None, Some(one)) => Some(Advice::new(one)),
            (None, None) => None,
        }
    }

    fn field(&self, steps: &[Step]) -> Option<Found<'a>> {
        if let Some(asked) = &self.asked {
            return asked.field(steps, self.schema);
        }
        let schema = self.schema?;
        let mut on = schema.root(OperationType::Query)?;
        let mut info = None;
        for step in steps {
            if let Step::Key(key) = step {
                info = schema.field(on, key);
                match info {
                    Some(info) => on = info.inner_type(),
                    // An alias, or a field of a type that a fragment named.
                    None if steps.len() > 1 => return None,
                    None => {}
                }
            }
        }
        Some(Found { asked: None, info })
    }

    /// What the arguments of a call matched: nothing.
    fn called(&self, field: &Field, info: Option<FieldInfo<'_>>) -> Option<Advice> {
        let asked = self.asked.as_ref()?;
        if field.arguments.is_empty() {
            let takes: Vec<&str> = info?.arguments().filter(|name| !is_paging(name)).collect();
            if takes.is_empty() {
                return None;
            }
            return Some(Advice::new(format!(
                "`{}` was asked for without arguments: it takes {}",
                field.name,
                listed(&takes.into_iter().take(10).collect::<Vec<_>>())
            )));
        }
        let mut names: Vec<&str> = field
            .arguments
            .iter()
            .map(|argument| argument.name.as_str())
            .filter(|name| !is_paging(name))
            .collect();
        if names.is_empty() {
            names = field
                .arguments
                .iter()
                .map(|one| one.name.as_str())
                .collect();
        }
        let plural = if names.len() == 1 { "" } else { "s" };
        names.truncate(10);
        let call = asked.call(field);
        Some(Advice::new(
            match asked.missing_variables(field).as_slice() {
                [] => format!(
                    "{call} matched nothing: check the argument{plural} {}",
                    listed(&names)
                ),
                variables => {
                    let variables: Vec<String> =
                        variables.iter().map(|name| format!("${name}")).collect();
                    let variables: Vec<&str> = variables.iter().map(String::as_str).collect();
                    format!(
                        "{call} matched nothing: no value was given for {}",
                        listed(&variables)
                    )
                }
            },
        ))
    }

    /// A server that answers null for a field that its schema does not have.
    fn unknown_field(&self, name: &str) -> Option<Advice> {
        let schema = self.schema?;
        let operation = self
            .asked
            .as_ref()
            .map_or(OperationType::Query, Asked::operation_type);
        let root = schema.root(operation)?;
        let suggestions = nearest(name, schema.fields(root));
        let question = did_you_mean(&suggestions)
            .map(|question| format!(": {question}"))
            .unwrap_or_default();
        Some(Advice {
            hint: format!("`{root}` has no field `{name}`{question}"),
            suggestions,
        })
    }

    /// Only the schema is known: the key may be an alias, so that nothing is said of a name that it does not have, unless it is near one.
    fn without_query(&self, key: &str, info: Option<FieldInfo<'_>>) -> Option<Advice> {
        let Some(info) = info else {
            return self
                .unknown_field(key)
                .filter(|advice| !advice.suggestions.is_empty());
        };
        let takes: Vec<&str> = info
            .arguments()
            .filter(|name| !is_paging(name))
            .take(10)
            .collect();
        let check = match takes.as_slice() {
            [] => "the server has no value for it".to_owned(),
            names => format!(
                "no record matched; check what was passed for {}",
                listed(names)
            ),
        };
        Some(Advice::new(format!(
            "`{key}` may be null in the schema (its type is {}): {check}",
            info.type_text()
        )))
    }
}

fn is_paging(name: &str) -> bool {
    PAGING.contains(&name)
}
