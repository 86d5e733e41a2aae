//! The arguments of a call: a limited number, without duplicates, with known names.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::lenient::lenient;
use crate::schema::kinds;
use crate::table::Tool;
use base::entries::Fields;
use base::known::{self, Given};
use base::{CommonError, Error, Result};

/// The arguments of one call, as written.
#[derive(Debug, Default)]
pub struct Arguments {
    fields: Vec<(String, Box<RawValue>)>,
}

impl Arguments {
    /// Parses the arguments of a tool, and checks their names.
    ///
    /// # Errors
    /// As [`Arguments::parse`].
    pub fn read(tool: &Tool, arguments: &RawValue) -> Result<Self> {
        Self::parse(tool.name, &tool.properties(), tool.required, arguments)
    }

    /// Parses the arguments of a tool with these properties, some of which are required. A value of
    /// another type that can be read in only one way is converted, and arguments that hosts add for
    /// themselves are removed.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] if they are not a valid object,
    /// [`CommonError::InvalidArgument`] for an unknown or missing name.
    pub fn parse(
        tool: &str,
        properties: &Map<String, Value>,
        required: &[&str],
        arguments: &RawValue,
    ) -> Result<Self> {
        let Fields(fields) = serde_json::from_str::<Fields<Box<RawValue>>>(arguments.get())
            .map_err(|error| {
                Error::from(CommonError::InvalidBody {
                    message: format!("the arguments are not a usable JSON object: {error}"),
                    hint: None,
                })
            })?;
        let fields = lenient(fields, properties, required);
        let known: Vec<&str> = properties.keys().map(String::as_str).collect();
        known::check(
            Given::Field,
            fields.iter().map(|(name, _)| name.as_str()),
            &known,
        )?;
        let given = Self { fields };
        for name in required {
            if !given.has(name, properties) {
                return Err(Error::invalid_with_hint(
                    format!("the argument {name} is missing"),
                    format!("{tool} takes {}", known.join(", ")),
                ));
            }
        }
        Ok(given)
    }

    /// Returns true if an argument is given. Null counts as a value only if the argument may have
    /// any type.
    fn has(&self, name: &str, properties: &Map<String, Value>) -> bool {
        let is_any = properties
            .get(name)
            .is_some_and(|schema| kinds(schema).is_empty());
        let is_named = self.fields.iter().any(|(known, _)| known == name);
        is_named && (is_any || self.get(name).is_some())
    }

    /// Returns each argument as written, with its name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.fields
            .iter()
            .map(|(name, value)| (name.as_str(), &**value))
    }

    /// Returns the JSON text of an argument; none if it is missing or null.
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        let found = self.fields.iter().find(|(known, _)| known == name);
        found
            .map(|(_, value)| &**value)
            .filter(|value| value.get() != "null")
    }

    /// Returns a string argument.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for a value of another type.
    pub fn text(&self, name: &str) -> Result<Option<String>> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let read = serde_json::from_str(value.get());
        read.map(Some)
            .map_err(|_| Error::invalid(format!("the argument {name} must be a text")))
    }

    /// Returns an argument that is an integer from 0 on.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for anything else.
    pub fn count(&self, name: &str) -> Result<Option<u64>> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let read = serde_json::from_str(value.get());
        read.map(Some).map_err(|_| {
            Error::invalid(format!(
                "the argument {name} must be a whole number of 0 or more"
            ))
        })
    }

    /// Renders an object with these first members and all arguments except some.
    pub fn body(&self, first: &str, without: &[&str]) -> String {
        let mut body = format!("{{{first}");
        for (name, value) in &self.fields {
            if without.contains(&name.as_str()) {
                continue;
            }
            if !body.ends_with('{') {
                body.push(',');
            }
            body.push_str(&Value::from(name.as_str()).to_string());
            body.push(':');
            body.push_str(value.get());
        }
        body.push('}');
        body
    }

    /// Renders all arguments except some, sorted by name, so that the same call always has the same
    /// text.
    pub fn canonical(&self, without: &[&str]) -> String {
        let mut fields: Vec<&(String, Box<RawValue>)> = self
            .fields
            .iter()
            .filter(|(name, _)| !without.contains(&name.as_str()))
            .collect();
        fields.sort_by(|one, other| one.0.cmp(&other.0));
        let members: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), value.get()))
            .collect();
        format!("{{{}}}", members.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::TOOLS;

    fn read(tool: &str, arguments: &str) -> Result<Arguments> {
        let tool = TOOLS.iter().find(|known| known.name == tool).unwrap();
        Arguments::read(tool, &RawValue::from_string(arguments.to_owned()).unwrap())
    }

    #[test]
    fn values_stay_as_they_were_written() {
        let given = read(
            "db_query",
            r#"{"sql":"SELECT ?","params":[9007199254740993],"session":"s","limit":null}"#,
        )
        .unwrap();
        assert_eq!(
            given.body(r#""operation":"query""#, &["session", "limit"]),
            r#"{"operation":"query","sql":"SELECT ?","params":[9007199254740993]}"#
        );
        assert_eq!(given.text("session").unwrap().as_deref(), Some("s"));
        assert_eq!(given.count("limit").unwrap(), None);
        assert_eq!(
            given.body("", &["sql", "params", "limit"]),
            r#"{"session":"s"}"#
        );
    }

    #[test]
    fn a_slip_is_named_with_its_fix() {
        for (arguments, message, hint) in [
            (
                r#"{"sql":"x","limt":1}"#,
                "there is no field \"limt\"",
                "did you mean `limit`?",
            ),
            (
                "{}",
                "the argument sql is missing",
                "db_query takes sql, params, limit, cursor, target, session",
            ),
            (
                r#"{"sql":null}"#,
                "the argument sql is missing",
                "db_query takes sql, params, limit, cursor, target, session",
            ),
        ] {
            let error = read("db_query", arguments).unwrap_err();
            assert_eq!(error.to_string(), message);
            assert_eq!(error.hint().as_deref(), Some(hint));
        }
        assert!(read("db_query", r#"{"sql":"x","sql":"y"}"#).is_err());
        assert!(read("db_save_state", r#"{"key":"k","value":null}"#).is_ok());
        assert!(read("db_save_state", r#"{"key":"k"}"#).is_err());
        let given = read("db_query", r#"{"sql":5,"limit":-1}"#).unwrap();
        assert!(given.text("sql").is_err() && given.count("limit").is_err());
    }

    #[test]
    fn the_order_of_arguments_is_no_matter() {
        let one = read(
            "db_drop_table",
            r#"{"table":"t","target":"persistent","confirm":"t"}"#,
        )
        .unwrap();
        let other = read("db_drop_table", r#"{"target":"persistent","table":"t"}"#).unwrap();
        assert_eq!(one.canonical(&["confirm"]), other.canonical(&["confirm"]));
    }
}
