//! The arguments of a graph operation, collected from every place in the request that may hold
//! them: the path, the query string, the header `If-Match`, and the body.
//!
//! A parameter gets the type from the operation's schema. The reader of the arguments refuses
//! fields that the operation does not have. This module refuses a value that is given in two
//! places.

use std::borrow::Cow;

use base::entries::Fields;
use base::known::{self, Given};
use base::percent;
use base::{CommonError, Error, Result};
use database::Database;
use graph::Id;
use operation::declaration::Declaration;
use operation::shape::{Field, Shape};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::routes::query_parameter;

/// The parameters of the query string whose argument has another name: parameter, argument.
const RENAMED: &[(&str, &str)] = &[("q", "query")];

/// The operation of each layout, by the name in the field `algorithm`.
const LAYOUTS: &[(&str, Id)] = &[
    ("force", Id::ApplyForceLayout),
    ("hierarchical", Id::ApplyHierarchicalLayout),
    ("circular", Id::ApplyCircularLayout),
    ("grid", Id::ApplyGridLayout),
    ("optimize", Id::OptimizePositions),
];

/// The names of nodes in arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeNames {
    /// Their ids.
    Ids,
    /// Their ids, or labels that belong to exactly one node.
    Labels,
}

/// An operation and its arguments, as the text of a JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphRequest {
    /// The operation.
    pub id: Id,
    /// Its arguments.
    pub arguments: String,
    /// The names of nodes that the arguments may use.
    pub names: NodeNames,
}

impl GraphRequest {
    /// Returns the arguments, with every name of a node replaced by its id.
    ///
    /// # Errors
    /// As [`graph::resolved`].
    pub fn with_ids<D: Database>(&self, db: &D) -> Result<Cow<'_, str>> {
        match self.names {
            NodeNames::Ids => Ok(Cow::Borrowed(&self.arguments)),
            NodeNames::Labels => graph::resolved(db, self.id, &self.arguments).map(Cow::Owned),
        }
    }
}

/// The parts of a request outside its body that hold arguments.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestParts<'a> {
    /// The item in the path: the id of a node or edge, or a version.
    pub item: Option<&'a str>,
    /// The query string.
    pub query: &'a str,
    /// The parameters that the route has.
    pub parameters: &'a [&'static str],
    /// The header `If-Match`.
    pub if_match: Option<&'a str>,
}

/// Reads a body `{"operation":…}` with the arguments beside the name. `"names":"labels"` means that
/// labels may name nodes, too.
///
/// # Errors
/// [`CommonError::InvalidBody`] for a body that is no such object, [`CommonError::InvalidArgument`]
/// for an unknown operation.
pub fn by_name(body: &str, if_match: Option<&str>) -> Result<GraphRequest> {
    let mut fields = fields(body)?;
    let position = fields.0.iter().position(|(name, _)| name == "operation");
    let named = position.map(|position| fields.0.remove(position).1);
    let name: Option<String> = named.and_then(|raw| serde_json::from_str(raw.get()).ok());
    let Some(name) = name else {
        return Err(Error::invalid_with_hint(
            "the field operation is missing, or is not a text",
            r#"send an object such as {"operation":"addNode","label":"TP53","type":"gene"}"#,
        ));
    };
    let (id, operation) = graph::find(&name).ok_or_else(|| {
        let names = graph::NAMES;
        let near = base::nearest(&name, names.iter().copied());
        let hint = base::did_you_mean(&near)
            .unwrap_or_else(|| format!("the operations are {}", names.join(", ")));
        Error::invalid_with_hint(format!("no such operation: {name}"), hint)
    })?;
    let names = node_names(&mut fields)?;
    let outside = RequestParts {
        if_match,
        ..RequestParts::default()
    };
    let arguments = joined(id, operation, &outside, fields)?;
    Ok(GraphRequest {
        id,
        arguments,
        names,
    })
}

/// Reads a request to a route that is one operation.
///
/// # Errors
/// [`CommonError::InvalidBody`] for a body that is no object, [`CommonError::InvalidArgument`] for
/// a parameter of another type, or for a value that is given in two places.
pub fn of_route(id: Id, outside: &RequestParts<'_>, body: &str) -> Result<GraphRequest> {
    let mut fields = if body.trim().is_empty() {
        Fields(Vec::new())
    } else {
        fields(body)?
    };
    let id = if id == Id::ApplyForceLayout {
        layout(&mut fields)?
    } else {
        id
    };
    let arguments = joined(id, id.declaration(), outside, fields)?;
    Ok(GraphRequest {
        id,
        arguments,
        names: NodeNames::Ids,
    })
}

/// Removes the field `names` from a body and returns its value.
fn node_names(fields: &mut Fields<&RawValue>) -> Result<NodeNames> {
    let position = fields.0.iter().position(|(name, _)| name == "names");
    let Some((_, raw)) = position.map(|position| fields.0.remove(position)) else {
        return Ok(NodeNames::Ids);
    };
    match serde_json::from_str::<&str>(raw.get()) {
        Ok("ids") => Ok(NodeNames::Ids),
        Ok("labels") => Ok(NodeNames::Labels),
        _ => Err(Error::invalid("the field names must be ids or labels")),
    }
}

const IF_VERSION: &str = "ifVersion";

fn fields(body: &str) -> Result<Fields<&RawValue>> {
    serde_json::from_str(body).map_err(|error| {
        Error::from(CommonError::InvalidBody {
            message: format!("the body is not a usable JSON object: {error}"),
            hint: Some(r#"send an object such as {"label":"TP53","type":"gene"}"#.to_owned()),
        })
    })
}

/// Returns the `algorithm` of a layout operation.
pub fn algorithm(id: Id) -> Option<&'static str> {
    LAYOUTS
        .iter()
        .find(|(_, known)| *known == id)
        .map(|(name, _)| *name)
}

/// Removes the field `algorithm` from a body and returns its layout operation.
fn layout(fields: &mut Fields<&RawValue>) -> Result<Id> {
    let position = fields.0.iter().position(|(name, _)| name == "algorithm");
    let named = position.map(|position| fields.0.remove(position).1);
    let names = || LAYOUTS.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let Some(raw) = named else {
        return Err(Error::invalid_with_hint(
            "the field algorithm is missing",
            format!("the algorithms are {}", names().join(", ")),
        ));
    };
    let name: String = serde_json::from_str(raw.get())
        .map_err(|_| Error::invalid("the field algorithm must be a text"))?;
    let found = LAYOUTS.iter().find(|(known, _)| *known == name);
    if let Some((_, id)) = found {
        check_fields(*id, fields)?;
    }
    found.map(|(_, id)| *id).ok_or_else(|| {
        let near = base::nearest(&name, names().into_iter());
        let hint = base::did_you_mean(&near)
            .unwrap_or_else(|| format!("the algorithms are {}", names().join(", ")));
        Error::invalid_with_hint(format!("no such algorithm: {name}"), hint)
    })
}

/// Refuses fields that a layout does not have. The message lists `algorithm` among the fields of
/// the body.
fn check_fields(id: Id, fields: &Fields<&RawValue>) -> Result<()> {
    let of_body = id.declaration().fields.iter().map(|field| field.name);
    let known: Vec<&str> = std::iter::once("algorithm").chain(of_body).collect();
    known::check(
        Given::Field,
        fields.0.iter().map(|(name, _)| name.as_str()),
        &known,
    )
}

/// Joins all arguments into one JSON object. The values of the body keep their text.
fn joined(
    id: Id,
    operation: &Declaration,
    outside: &RequestParts<'_>,
    body: Fields<&RawValue>,
) -> Result<String> {
    let mut members: Vec<(String, String)> = body
        .0
        .into_iter()
        .map(|(name, raw)| (name, raw.get().to_owned()))
        .collect();
    let mut add = |name: &str, value: Value, place: &str| -> Result<()> {
        if members.iter().any(|(known, _)| known == name) {
            return Err(Error::invalid(format!(
                "{name} is given both in the body and in the {place}"
            )));
        }
        members.push((name.to_owned(), value.to_string()));
        Ok(())
    };
    if let Some(item) = outside.item {
        let (name, value) = if id == Id::GetVersion {
            ("version", json!(version(item)?))
        } else {
            ("id", json!(item))
        };
        add(name, value, "path")?;
    }
    for parameter in outside.parameters {
        if let Some(text) = query_parameter(outside.query, parameter)? {
            let renamed = RENAMED.iter().find(|(from, _)| from == parameter);
            let name = renamed.map_or(*parameter, |(_, to)| to);
            add(
                name,
                typed(operation.field(name), parameter, text)?,
                "query string",
            )?;
        }
    }
    if let Some(text) = outside.if_match {
        check_is_change(operation)?;
        add(IF_VERSION, json!(version(text)?), "header If-Match")?;
    }
    let members: Vec<String> = members
        .iter()
        .map(|(name, json)| format!("{}:{json}", json!(name)))
        .collect();
    Ok(format!("{{{}}}", members.join(",")))
}

/// Refuses the header for an operation that changes nothing in the graph, because such an operation
/// does not depend on the version.
fn check_is_change(operation: &Declaration) -> Result<()> {
    if operation.field(IF_VERSION).is_some() {
        return Ok(());
    }
    Err(Error::invalid_with_hint(
        format!(
            "the header If-Match is for changes of the graph, but {} does not change it",
            operation.name
        ),
        "leave the header out",
    ))
}

/// Returns the value of a parameter with the type of its schema. An empty parameter does not count
/// as absent: it is refused if the schema wants at least one character.
fn typed(field: Option<&Field>, parameter: &str, text: String) -> Result<Value> {
    let wanted = match field.map(|field| field.shape) {
        Some(Shape::Whole { .. }) => match text.parse::<i64>() {
            Ok(number) => return Ok(number.into()),
            Err(_) => "a whole number",
        },
        Some(Shape::Number { .. }) => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => return Ok(json!(number)),
            _ => "a number",
        },
        Some(Shape::Flag) => match text.as_str() {
            "true" => return Ok(true.into()),
            "false" => return Ok(false.into()),
            _ => "true or false",
        },
        Some(Shape::Text { min: Some(_), .. }) if text.is_empty() => {
            "a text of at least one character"
        }
        _ => return Ok(text.into()),
    };
    Err(Error::invalid(format!(
        "{parameter} must be {wanted}, not {text:?}"
    )))
}

/// Parses a version, which an entity tag may have in quotes.
///
/// # Errors
/// [`CommonError::InvalidArgument`].
pub fn version(text: &str) -> Result<u64> {
    let number = text.trim().trim_start_matches("W/").trim_matches('"');
    number.parse().map_err(|_| {
        Error::invalid_with_hint(
            format!("{text:?} is not a version of a graph"),
            "a version is a whole number, such as `version` of a response",
        )
    })
}

/// Returns the name that a caller gives itself, for the history: 1 to 64 characters.
///
/// # Errors
/// [`CommonError::InvalidArgument`].
pub fn actor(header: Option<&str>) -> Result<String> {
    /// The longest name that a list shows, in characters.
    const MAX_ACTOR_CHARACTERS: usize = 64;
    let Some(text) = header else {
        return Ok("api".to_owned());
    };
    // A header has no letters beyond ASCII, so callers percent-encode them.
    let name = percent::decode(text).map_or_else(|| text.to_owned(), |name| name.trim().to_owned());
    let length = name.chars().count();
    if length == 0 || length > MAX_ACTOR_CHARACTERS || name.chars().any(char::is_control) {
        return Err(Error::invalid(format!(
            "x-codemode-actor must have 1 to {MAX_ACTOR_CHARACTERS} characters"
        )));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(request: Result<GraphRequest>) -> Value {
        serde_json::from_str(&request.unwrap().arguments).unwrap()
    }

    #[test]
    fn a_body_says_what_nodes_are_named_by() {
        for (body, names) in [
            (r#"{"operation":"removeNode","id":"a"}"#, NodeNames::Ids),
            (
                r#"{"operation":"removeNode","names":"ids","id":"a"}"#,
                NodeNames::Ids,
            ),
            (
                r#"{"names":"labels","operation":"removeNode","id":"a"}"#,
                NodeNames::Labels,
            ),
        ] {
            let request = by_name(body, None).unwrap();
            assert_eq!(
                (request.names, request.arguments.as_str()),
                (names, r#"{"id":"a"}"#)
            );
        }
        for wrong in ["5", "\"label\"", "null"] {
            let body = format!(r#"{{"operation":"removeNode","id":"a","names":{wrong}}}"#);
            assert_eq!(by_name(&body, None).unwrap_err().code(), "INVALID_ARGUMENT");
        }
    }

    #[test]
    fn path_query_header_and_body_are_arguments() {
        let outside = RequestParts {
            item: Some("NCBIGene:7157/%"),
            query: "?upsert=true",
            parameters: &["upsert"],
            if_match: Some("\"12\""),
        };
        let request = of_route(
            Id::AddNode,
            &outside,
            r#"{"label":"TP53","data":{"n":9007199254740993}}"#,
        );
        let text = request.unwrap().arguments;
        assert!(text.contains("9007199254740993"), "{text}");
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["id"], "NCBIGene:7157/%");
        assert_eq!(value["upsert"], true);
        assert_eq!(value["ifVersion"], 12);
    }

    #[test]
    fn parameters_have_the_types_of_the_operation() {
        let outside = |query| RequestParts {
            query,
            parameters: &["limit", "type", "q"],
            ..RequestParts::default()
        };
        let state = arguments(of_route(Id::GetGraphState, &outside("?limit=5&type=7"), ""));
        assert_eq!(state, json!({ "limit": 5, "type": "7" }));
        let search = arguments(of_route(Id::SearchNodes, &outside("?q=12"), ""));
        assert_eq!(search, json!({ "query": "12" }));
        let error = of_route(Id::GetGraphState, &outside("?limit=five"), "").unwrap_err();
        assert_eq!(
            error.to_string(),
            "limit must be a whole number, not \"five\""
        );
    }

    #[test]
    fn a_header_of_a_change_is_refused_where_nothing_is_changed() {
        let outside = RequestParts {
            if_match: Some("12"),
            ..RequestParts::default()
        };
        for id in [Id::DeleteGraph, Id::Redo, Id::ImportFromQuery] {
            assert_eq!(arguments(of_route(id, &outside, ""))["ifVersion"], 12);
        }
        for id in [Id::Query, Id::ExportToSession, Id::GetGraphState] {
            let error = of_route(id, &outside, "").unwrap_err();
            assert_eq!(error.code(), "INVALID_ARGUMENT");
            assert!(error.to_string().contains("If-Match"), "{error}");
        }
    }

    #[test]
    fn a_value_stands_in_one_place() {
        let outside = RequestParts {
            item: Some("a"),
            ..RequestParts::default()
        };
        let error = of_route(Id::UpdateNode, &outside, r#"{"id":"b"}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            "id is given both in the body and in the path"
        );
    }

    #[test]
    fn layouts_are_named_in_the_body() {
        let none = RequestParts::default();
        let request = of_route(Id::ApplyForceLayout, &none, r#"{"algorithm":"grid"}"#).unwrap();
        assert_eq!(request.id, Id::ApplyGridLayout);
        let error = of_route(Id::ApplyForceLayout, &none, r#"{"algorithm":"gird"}"#).unwrap_err();
        assert_eq!(error.hint().as_deref(), Some("did you mean `grid`?"));
        assert!(of_route(Id::ApplyForceLayout, &none, "{}").is_err());
    }

    #[test]
    fn an_operation_is_named_in_the_body() {
        let request = by_name(r#"{"operation":"addNode","label":"TP53"}"#, Some("3")).unwrap();
        assert_eq!(request.id, Id::AddNode);
        let value: Value = serde_json::from_str(&request.arguments).unwrap();
        assert_eq!(value, json!({ "label": "TP53", "ifVersion": 3 }));
        let error = by_name(r#"{"operation":"addNod"}"#, None).unwrap_err();
        assert_eq!(error.hint().as_deref(), Some("did you mean `addNode`?"));
        assert!(by_name("[]", None).is_err());
        assert!(by_name("{}", None).is_err());
    }

    #[test]
    fn an_actor_is_a_short_name() {
        assert_eq!(actor(None).unwrap(), "api");
        assert_eq!(actor(Some("person")).unwrap(), "person");
        assert_eq!(actor(Some("J%C3%BCrgen")).unwrap(), "Jürgen");
        assert!(actor(Some("")).is_err());
        assert!(actor(Some(&"x".repeat(65))).is_err());
        assert!(actor(Some("a%0Ab")).is_err());
    }
}
