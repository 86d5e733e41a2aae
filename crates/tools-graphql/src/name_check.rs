//! Looks up the names of a query in the schema, and suggests similar names for unknown ones.

use std::collections::{BTreeSet, HashMap, HashSet};

use apollo_compiler::Node;
use apollo_compiler::ast::{
    Argument, Definition, Document, Field, Selection, Type, VariableDefinition,
};
use apollo_compiler::parser::SourceSpan;
use apollo_compiler::schema::ExtendedType;

use super::issue::{Code, Issue, Severity};
use super::schema::{FieldInfo, Schema};
use super::text::{listed, shorten};
use crate::limits::{MAX_GRAPHQL_QUERY_ISSUES, MAX_GRAPHQL_TEXT_CHARACTERS};
use base::did_you_mean;
use base::nearest;

/// Number of names that a hint lists, so that it takes only a few lines in the context of a model.
pub(super) const LISTED_NAMES: usize = 12;

/// The use of a variable as an argument, or in a list or an object inside an argument.
pub(super) struct Use<'a> {
    pub(super) name: &'a str,
    /// The expected type.
    pub(super) ty: &'a Type,
    /// The path: `filter.level`.
    pub(super) path: String,
}

/// The check of the names in a document.
pub(super) struct NameCheck<'a> {
    pub(super) schema: &'a Schema,
    document: &'a Document,
    fragments: HashSet<&'a str>,
    pub(super) issues: Vec<(usize, Issue)>,
    /// Offsets at which the library would report the same problem again.
    pub(super) covered: Vec<usize>,
    /// Variables of an unknown type.
    pub(super) untyped: Vec<&'a str>,
    /// Types that the query uses and that the schema only names, without a definition.
    pub(super) undefined: BTreeSet<&'a str>,
    /// Lists of names that have already been shown.
    hints: HashSet<String>,
    /// Uses of variables in arguments, by their offsets.
    pub(super) uses: HashMap<usize, Use<'a>>,
}

impl<'a> NameCheck<'a> {
    pub(super) fn new(schema: &'a Schema, document: &'a Document) -> Self {
        let fragments = document
            .definitions
            .iter()
            .filter_map(|definition| match definition {
                Definition::FragmentDefinition(fragment) => Some(fragment.name.as_str()),
                _ => None,
            })
            .collect();
        Self {
            schema,
            document,
            fragments,
            issues: Vec::new(),
            covered: Vec::new(),
            untyped: Vec::new(),
            undefined: BTreeSet::new(),
            hints: HashSet::new(),
            uses: HashMap::new(),
        }
    }

    pub(super) fn has_fragment(&self, name: &str) -> bool {
        self.fragments.contains(name)
    }

    pub(super) fn full(&self) -> bool {
        self.issues.len() >= MAX_GRAPHQL_QUERY_ISSUES
    }

    pub(super) fn say(
        &mut self,
        at: Option<SourceSpan>,
        message: String,
        hint: Option<String>,
        suggestions: Vec<String>,
    ) {
        if self.full() {
            return;
        }
        let message = shorten(&message, MAX_GRAPHQL_TEXT_CHARACTERS);
        let mut issue = Issue::new(Severity::Error, Code::InvalidQuery, message);
        // The suggestion may be wrong, so the list of all names follows it, once.
        issue.hint = match (did_you_mean(&suggestions), hint) {
            (Some(question), Some(hint)) if self.hints.insert(hint.clone()) => {
                Some(format!("{question} {hint}"))
            }
            (Some(question), _) => Some(question),
            (None, hint) => hint,
        };
        issue.suggestions = suggestions;
        self.issues
            .push((at.map_or(0, |place| place.offset()), issue));
    }

    pub(super) fn document(&mut self) {
        let document = self.document;
        for definition in &document.definitions {
            match definition {
                Definition::OperationDefinition(operation) => {
                    for variable in &operation.variables {
                        self.variable_type(variable);
                    }
                    if let Some(root) = self.schema.root(operation.operation_type) {
                        self.selections(&operation.selection_set, root);
                    }
                }
                Definition::FragmentDefinition(fragment) => {
                    let on = &fragment.type_condition;
                    if self.known_type(on, on.location()) {
                        self.selections(&fragment.selection_set, on);
                    }
                }
                _ => {}
            }
        }
    }

    fn variable_type(&mut self, variable: &'a Node<VariableDefinition>) {
        let name = variable.ty.inner_named_type();
        if !self.known_type(name, name.location()) {
            self.covered
                .extend(variable.location().map(|place| place.offset()));
            self.untyped.push(variable.name.as_str());
        }
    }

    fn known_type(&mut self, name: &'a str, at: Option<SourceSpan>) -> bool {
        if self.schema.type_of(name).is_some() {
            return true;
        }
        if self.schema.is_undefined(name) {
            self.undefined.insert(name);
            self.covered.extend(at.map(|place| place.offset()));
            return false;
        }
        let suggestions = nearest(name, self.schema.types());
        self.say(
            at,
            format!("the schema has no type `{}`", shorten(name, 64)),
            None,
            suggestions,
        );
        false
    }

    fn selections(&mut self, selections: &'a [Selection], on: &'a str) {
        if self.schema.type_of(on).is_none() {
            if !selections.is_empty() {
                self.undefined.insert(on);
            }
            return;
        }
        for selection in selections {
            if self.full() {
                return;
            }
            match selection {
                Selection::Field(field) => self.field(field, on),
                Selection::InlineFragment(fragment) => match &fragment.type_condition {
                    None => self.selections(&fragment.selection_set, on),
                    Some(condition) => {
                        if self.known_type(condition, condition.location()) {
                            self.selections(&fragment.selection_set, condition);
                        }
                    }
                },
                Selection::FragmentSpread(spread) => {
                    let name = spread.fragment_name.as_str();
                    if !self.fragments.contains(name) {
                        let suggestions = nearest(name, self.fragments.iter().copied());
                        let message = format!("the query has no fragment `{}`", shorten(name, 64));
                        self.say(spread.location(), message, None, suggestions);
                    }
                }
            }
        }
    }

    fn field(&mut self, field: &'a Node<Field>, on: &'a str) {
        let schema = self.schema;
        let Some(info) = schema.field(on, &field.name) else {
            self.unknown_field(field, on);
            return;
        };
        let mut meant = Vec::new();
        for argument in &field.arguments {
            meant.extend(self.argument(argument, info, on));
        }
        self.missing_arguments(field, info, on, &meant);
        let inner = info.inner_type();
        let composite = matches!(
            schema.type_of(inner),
            Some(ExtendedType::Object(_) | ExtendedType::Interface(_) | ExtendedType::Union(_))
        );
        if composite && field.selection_set.is_empty() {
            let fields: Vec<&str> = schema.fields(inner).take(LISTED_NAMES).collect();
            let hint = match fields.as_slice() {
                [] => format!("write {} {{ __typename }}", field.name),
                [first, ..] => format!(
                    "write {} {{ {first} }}; its fields are {}",
                    field.name,
                    listed(&fields)
                ),
            };
            let message = format!(
                "`{}` is of type {}, but none of its fields are selected",
                field.name,
                info.ty()
            );
            self.say(field.location(), message, Some(hint), Vec::new());
        }
        if !composite && !field.selection_set.is_empty() && schema.type_of(inner).is_some() {
            let message = format!(
                "`{}` is of type {}, which has no fields",
                field.name,
                info.ty()
            );
            let hint = format!("write {} without braces", field.name);
            self.say(field.location(), message, Some(hint), Vec::new());
            return;
        }
        let before = (self.issues.len(), self.covered.len());
        self.selections(&field.selection_set, inner);
        if before != (self.issues.len(), self.covered.len()) {
            // The library treats a selection of which nothing is left as missing.
            self.covered
                .extend(field.location().map(|place| place.offset()));
        }
    }

    fn unknown_field(&mut self, field: &Field, on: &str) {
        let (name, schema) = (field.name.as_str(), self.schema);
        let message = format!("{on} has no field `{}`", shorten(name, 64));
        let at = field.name.location();
        let having = |name: &str| {
            let types = schema.possible_types(on);
            let having: Vec<&str> = types
                .filter(|ty| schema.field(ty, name).is_some())
                .take(LISTED_NAMES)
                .collect();
            match having.as_slice() {
                [] => None,
                [only] => Some(format!("write ... on {only} {{ {name} }}")),
                [first, ..] => Some(format!(
                    "{} have it: write ... on {first} {{ {name} }}",
                    listed(&having)
                )),
            }
        };
        if let Some(hint) = having(name) {
            self.say(at, message, Some(hint), Vec::new());
            return;
        }
        let mut suggestions = nearest(name, schema.fields(on));
        let fields: Vec<&str> = schema.fields(on).take(LISTED_NAMES).collect();
        let mut hint = match fields.as_slice() {
            [] => None,
            names => Some(format!("the fields of {on} include {}", listed(names))),
        };
        if suggestions.is_empty() {
            let of_possible = schema.possible_types(on).flat_map(|ty| schema.fields(ty));
            suggestions = nearest(name, of_possible);
            let meant = suggestions.first().and_then(|name| having(name));
            hint = meant.or(hint);
        }
        let types: Vec<&str> = schema.possible_types(on).take(LISTED_NAMES).collect();
        if matches!(schema.type_of(on), Some(ExtendedType::Union(_))) && hint.is_none() {
            hint = Some(format!(
                "{on} is a union: write ... on {} {{ … }}",
                types.join(" or ")
            ));
        }
        self.say(at, message, hint, suggestions);
    }

    /// Checks an argument. Returns the similar name if the name is unknown.
    fn argument(
        &mut self,
        argument: &'a Node<Argument>,
        info: FieldInfo<'a>,
        on: &str,
    ) -> Option<String> {
        match info
            .0
            .arguments
            .iter()
            .find(|known| known.name == argument.name)
        {
            Some(known) => {
                if !argument.value.is_null() {
                    self.literal(&known.ty, &argument.value, &shorten(&argument.name, 64));
                }
                None
            }
            None => {
                let suggestions = nearest(&argument.name, info.arguments());
                let meant = suggestions.first().cloned();
                let names: Vec<&str> = info.arguments().take(LISTED_NAMES).collect();
                let hint = match names.as_slice() {
                    [] => format!("`{}` takes no arguments", info.name()),
                    names => format!("its arguments are {}", listed(names)),
                };
                let message = format!(
                    "{on}.{} takes no argument `{}`",
                    info.name(),
                    shorten(&argument.name, 64)
                );
                self.say(argument.location(), message, Some(hint), suggestions);
                meant
            }
        }
    }

    fn missing_arguments(
        &mut self,
        field: &Node<Field>,
        info: FieldInfo<'_>,
        on: &str,
        meant: &[String],
    ) {
        for known in &info.0.arguments {
            if meant.iter().any(|name| known.name == name.as_str()) {
                self.covered
                    .extend(field.location().map(|place| place.offset()));
                continue;
            }
            let given = field
                .arguments
                .iter()
                .find(|argument| argument.name == known.name);
            if known.is_required() && given.is_none_or(|argument| argument.value.is_null()) {
                let message = format!(
                    "{on}.{} needs the argument `{}` of type {}",
                    info.name(),
                    known.name,
                    known.ty
                );
                let hint = format!("write {}({}: …)", info.name(), known.name);
                let null = given.and_then(|argument| argument.value.location());
                self.covered.extend(null.map(|place| place.offset()));
                self.say(field.location(), message, Some(hint), Vec::new());
            }
        }
    }
}
