//! Explains why a field is null, as far as the query and the schema show.

use apollo_compiler::ast::{Argument, Field, OperationType, Type};
use apollo_compiler::schema::ExtendedType;

use super::places::Step;
use super::query::{ResultField, RunOperation};
use super::schema::{FieldInfo, Schema};
use super::text::listed;
use base::did_you_mean;
use base::nearest;

/// Arguments that select a page, not a record.
const PAGING: &[&str] = &[
    "first", "last", "after", "before", "limit", "offset", "skip", "top", "page", "pageSize",
    "size",
];

/// Paging arguments that name a record: the page begins after it, or ends before it.
const CURSORS: &[&str] = &["after", "before"];

/// The advice for a null result of a mutation.
pub(super) const MUTATION: &str = "the mutation ran, and its server returned null: it may have done its work, so look before you repeat it";

/// The known facts beside the result.
pub(super) struct Known<'a> {
    pub(super) asked: Option<RunOperation<'a>>,
    pub(super) schema: Option<&'a Schema>,
}

/// A reason, and similar names that may have been intended.
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
    /// Returns true if the operation is a mutation.
    pub(super) fn is_mutation(&self) -> bool {
        let asked = self.asked.as_ref();
        asked.is_some_and(|asked| asked.operation_type() == OperationType::Mutation)
    }

    /// Returns true if the schema has the field of this response key.
    pub(super) fn is_spelt(&self, key: &str) -> bool {
        self.asked.is_some()
            && self
                .field(&[Step::Key(key.to_owned())])
                .is_some_and(|found| found.info.is_some())
    }

    /// Explains why the root field of this response key is null.
    pub(super) fn root(&self, key: &str) -> Option<Advice> {
        let found = self.field(&[Step::Key(key.to_owned())])?;
        if let Some(several) = found.several {
            return Some(Advice::new(format!("it is {several}")));
        }
        let Some(field) = found.asked else {
            return self.without_query(key, found.info);
        };
        if self.lacks(field, &found) {
            return self.unknown_field(&field.name);
        }
        if let Some(broken) = found.info.and_then(|info| promise(info, 0)) {
            return Some(broken);
        }
        if self.is_mutation() {
            return Some(Advice::new(MUTATION.to_owned()));
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

    /// Returns true if the root type of the operation has no such field.
    fn lacks(&self, field: &Field, found: &ResultField<'_>) -> bool {
        let operation = self.asked.as_ref().map(RunOperation::operation_type);
        let root = operation.and_then(|operation| self.schema?.root(operation));
        let is_known = root.is_some_and(|root| {
            self.schema
                .is_some_and(|schema| schema.type_of(root).is_some())
        });
        is_known && found.info.is_none() && !field.name.starts_with("__")
    }

    /// Explains why a field or an element below the root is null.
    pub(super) fn below(&self, steps: &[Step]) -> Option<Advice> {
        let found = self.field(steps)?;
        if let Some(several) = found.several {
            return Some(Advice::new(format!("it is {several}")));
        }
        let elements = steps.iter().rev();
        let elements = elements.take_while(|step| **step == Step::Element).count();
        if let Some(broken) = found.info.and_then(|info| promise(info, elements)) {
            return Some(broken);
        }
        if elements > 0 {
            let info = found.info?;
            return Some(Advice::new(format!(
                "`{}` is a list that may contain null (its type is {}): skip the nulls",
                info.name(),
                info.type_text()
            )));
        }
        let chooses = |field: &&Field| !self.choosing(field, found.info).is_empty();
        let called = found
            .asked
            .filter(chooses)
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

    fn field(&self, steps: &[Step]) -> Option<ResultField<'a>> {
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
                    // It may be an alias, or a field of a type that a fragment names.
                    None if steps.len() > 1 => return None,
                    None => {}
                }
            }
        }
        Some(ResultField {
            asked: None,
            info,
            several: None,
        })
    }

    /// Returns the names of the arguments that may have matched nothing. Paging arguments and flags
    /// do not select a record.
    fn choosing<'f>(&self, field: &'f Field, info: Option<FieldInfo<'_>>) -> Vec<&'f str> {
        let is_flag = |argument: &Argument| {
            let by_value = self.asked.as_ref();
            by_value.is_some_and(|asked| asked.is_flag(&argument.value))
                || info.is_some_and(|info| self.is_flag(info, &argument.name))
        };
        field
            .arguments
            .iter()
            .filter(|argument| !is_paging(&argument.name) && !is_flag(argument))
            .map(|argument| argument.name.as_str())
            .collect()
    }

    /// Returns true if the schema declares an argument as a boolean or an enum.
    fn is_flag(&self, info: FieldInfo<'_>, argument: &str) -> bool {
        let mut known = info.0.arguments.iter();
        known
            .find(|known| known.name == argument)
            .is_some_and(|known| {
                let name = known.ty.inner_named_type().as_str();
                let ty = self.schema.and_then(|schema| schema.type_of(name));
                name == "Boolean" || matches!(ty, Some(ExtendedType::Enum(_)))
            })
    }

    /// Explains that the arguments of a call matched nothing.
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
        let mut names = self.choosing(field, info);
        if names.is_empty() {
            let given = || field.arguments.iter().map(|one| one.name.as_str());
            names = given().filter(|name| !is_paging(name)).collect();
            if names.is_empty() {
                names = given().filter(|name| CURSORS.contains(name)).collect();
            }
        }
        let plural = if names.len() == 1 { "" } else { "s" };
        names.truncate(10);
        let call = asked.call(field);
        Some(Advice::new(
            match asked.missing_variables(field).as_slice() {
                [] if names.is_empty() => {
                    format!("{call} has no value; its arguments only select a page, not a record")
                }
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

    /// Explains a null for a field that the schema does not have.
    fn unknown_field(&self, name: &str) -> Option<Advice> {
        let schema = self.schema?;
        let operation = self
            .asked
            .as_ref()
            .map_or(OperationType::Query, RunOperation::operation_type);
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

    /// Explains a null if only the schema is known. The key may be an alias, so an unknown name is
    /// mentioned only if it is similar to a known one.
    fn without_query(&self, key: &str, info: Option<FieldInfo<'_>>) -> Option<Advice> {
        let Some(info) = info else {
            return self
                .unknown_field(key)
                .filter(|advice| !advice.suggestions.is_empty());
        };
        if let Some(broken) = promise(info, 0) {
            return Some(broken);
        }
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

/// Explains that the schema promises a value for the field, or for the elements of its lists at
/// this depth; none if it does not.
fn promise(info: FieldInfo<'_>, elements: usize) -> Option<Advice> {
    let mut ty = info.ty();
    for _ in 0..elements {
        ty = match ty {
            Type::List(inner) | Type::NonNullList(inner) => inner,
            Type::Named(_) | Type::NonNullNamed(_) => return None,
        };
    }
    ty.is_non_null().then(|| {
        Advice::new(format!(
            "the schema does not allow null here (`{}` is of type {}): the server violates its schema, or the schema belongs to another server",
            info.name(),
            info.type_text()
        ))
    })
}

fn is_paging(name: &str) -> bool {
    PAGING.contains(&name)
}
