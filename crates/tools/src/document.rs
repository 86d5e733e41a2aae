//! Finds the GraphQL document among the arguments of a call, and the arguments that belong to it.

use serde_json::{Map, Value};

use tools_graphql::{self, Given, Question};

/// Names of the arguments in which tools accept a document.
const DOCUMENT_NAMES: [&str; 6] = [
    "query",
    "graphql",
    "document",
    "gql",
    "operation",
    "mutation",
];

/// Names of the arguments in which tools accept the name of the operation.
const OPERATION_NAMES: [&str; 2] = ["operationName", "operation_name"];

/// A document and its related arguments.
#[derive(Debug)]
pub struct Document {
    /// The name of its argument.
    pub name: String,
    /// Its text.
    pub query: String,
    /// The values of its variables.
    pub variables: Given<Value>,
    /// The name of the operation to run.
    pub operation: Given<String>,
    /// All other arguments. They may choose the database, and with it the schema.
    pub others: Map<String, Value>,
}

impl Document {
    /// Looks for a document among the arguments of a call, given as JSON text.
    pub fn find(arguments: &str) -> Option<Self> {
        // Arguments of megabytes are data, not a document with its variables.
        if arguments.len() > tools_graphql::MAX_ARGUMENTS_BYTES {
            return None;
        }
        let Ok(Value::Object(mut fields)) = serde_json::from_str(arguments) else {
            return None;
        };
        let name = document_name(&fields)?;
        let Some(Value::String(query)) = fields.remove(&name) else {
            return None;
        };
        let variables = variables(&mut fields);
        let operation = operation(&mut fields);
        Some(Self {
            name,
            query,
            variables,
            operation,
            others: fields,
        })
    }

    /// Returns the document in the form of the GraphQL checks.
    pub fn question(&self) -> Question<'_> {
        Question {
            query: &self.query,
            variables: self.variables.as_ref(),
            operation: self.operation.as_ref().map(String::as_str),
        }
    }
}

fn is_document(value: Option<&Value>) -> bool {
    value
        .and_then(Value::as_str)
        .is_some_and(tools_graphql::looks_like_document)
}

/// Returns the name of the argument with the document: a usual name, or the only argument that
/// looks like a document.
fn document_name(fields: &Map<String, Value>) -> Option<String> {
    let usual = DOCUMENT_NAMES
        .iter()
        .find(|name| is_document(fields.get(**name)));
    if let Some(name) = usual {
        return Some((*name).to_owned());
    }
    let mut documents = fields
        .keys()
        .filter(|name| is_document(fields.get(name.as_str())));
    documents
        .next()
        .filter(|_| documents.next().is_none())
        .cloned()
}

fn variables(fields: &mut Map<String, Value>) -> Given<Value> {
    let object = |value: &Value| match value {
        Value::Object(_) => Some(value.clone()),
        // Some tools accept them as text.
        Value::String(text) => serde_json::from_str(text).ok().filter(Value::is_object),
        _ => None,
    };
    match fields.remove("variables") {
        Some(Value::Null) | None => {}
        Some(given) => return object(&given).map_or(Given::Unknown, Given::Value),
    }
    if fields.values().any(|value| object(value).is_some()) {
        Given::Unknown
    } else {
        Given::Nothing
    }
}

fn operation(fields: &mut Map<String, Value>) -> Given<String> {
    for name in OPERATION_NAMES {
        if let Some(Value::String(given)) = fields.remove(name) {
            return Given::Value(given);
        }
    }
    if fields.values().any(Value::is_string) {
        Given::Unknown
    } else {
        Given::Nothing
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn find(arguments: &Value) -> Option<Document> {
        Document::find(&arguments.to_string())
    }

    #[test]
    fn a_document_is_found_under_any_name() {
        for arguments in [
            json!({ "query": "query A { a }" }),
            json!({ "graphql_query": "query A { a }", "limit": 5 }),
            json!({ "text": "words", "gql": "query A { a }", "fragments": "{ b }" }),
        ] {
            let found = find(&arguments).unwrap();
            assert_eq!(found.query, "query A { a }", "{arguments}");
        }
        for none in [
            json!({ "query": "heart attack" }),
            json!({}),
            json!([]),
            json!({ "query": 5 }),
            json!({ "first": "{ a }", "second": "{ b }" }),
        ] {
            assert!(find(&none).is_none(), "{none}");
        }
    }

    #[test]
    fn variables_and_operation_are_known_absent_or_may_be_elsewhere() {
        let known = find(&json!({ "query": "{ a }", "variables": "{\"x\":1}", "operationName": "A", "database": "human" })).unwrap();
        assert_eq!(known.variables, Given::Value(json!({ "x": 1 })));
        assert_eq!(known.operation, Given::Value("A".to_owned()));
        assert_eq!(Value::Object(known.others), json!({ "database": "human" }));
        let nothing = find(&json!({ "query": "{ a }", "limit": 5, "variables": null })).unwrap();
        assert_eq!(nothing.variables, Given::Nothing);
        assert_eq!(nothing.operation, Given::Nothing);
        for elsewhere in [
            json!({ "query": "{ a }", "params": { "x": 1 }, "operation": "A" }),
            json!({ "query": "{ a }", "vars": "{\"x\":1}" }),
        ] {
            let found = find(&elsewhere).unwrap();
            assert_eq!(found.variables, Given::Unknown, "{elsewhere}");
            assert_eq!(found.operation, Given::Unknown, "{elsewhere}");
        }
    }
}
