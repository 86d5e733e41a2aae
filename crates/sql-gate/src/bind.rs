//! Converts parameters from JSON values to values that the engine can bind.
//!
//! workerd binds every number as REAL and takes at most 100 values. So an integer is bound as text,
//! and `->>'$'` is spliced after its placeholder: the result is an INTEGER without affinity, exact
//! to 64 bits. More than 100 values are bound as JSON arrays from which the placeholders select
//! elements.

use std::collections::HashSet;

use crate::SqlError;
use base::CommonError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::lists::{self, ListValue, Lists};
use super::placeholders::Placeholders;
use super::scoping::{ScopeValue, ValueText};
use super::splice::Splice;
use crate::limits::MAX_PARAMETERS;
use base::{Error, Result};
use database::Bind;
use database::limits::{ENGINE_PARAMETERS, MAX_VALUE_BYTES};

/// The `params` of a call.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Parameters {
    /// No `params`.
    #[default]
    None,
    /// By position.
    Positional(Vec<Value>),
    /// By name, with or without its prefix.
    Named(Map<String, Value>),
}

impl Parameters {
    /// Reads the field `params`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if it is neither a list nor an object, or too long.
    pub fn from_json(value: Option<Value>) -> Result<Self> {
        let parameters = match value {
            None | Some(Value::Null) => Self::None,
            Some(Value::Array(values)) => Self::Positional(values),
            Some(Value::Object(values)) => Self::Named(values),
            Some(_) => {
                return Err(Error::invalid_with_hint(
                    "params must be a list or an object",
                    "pass [value, …] for ? and ?1, or {\"name\": value, …} for :name, @name and $name",
                ));
            }
        };
        let count = match &parameters {
            Self::None => 0,
            Self::Positional(values) => values.len(),
            Self::Named(values) => values.len(),
        };
        if count > MAX_PARAMETERS {
            return Err(Error::from(CommonError::TooBig {
                message: format!("{count} parameters were given, the limit is {MAX_PARAMETERS}"),
                hint: r#"pass one JSON text and read it with json_each(?), or use {"operation":"batchInsert"}"#
                    .to_owned(),
            }));
        }
        Ok(parameters)
    }
}

/// The bound values for the engine, and the splices for the placeholders.
pub(crate) struct Binding {
    pub binds: Vec<Bind>,
    pub splices: Vec<Splice>,
    /// The expression for the value of a row scope.
    pub scope: Option<ValueText>,
    /// The number of binds that hold the caller's own values.
    own: usize,
}

impl Binding {
    /// Returns the binds of the caller's own values; packed ones may also hold the scope's.
    pub fn own_binds(&self) -> &[Bind] {
        self.binds.get(..self.own).unwrap_or(&self.binds)
    }
}

/// Matches values to placeholders. The value of a row scope becomes an additional parameter
/// after all others. The caller's placeholders are then numbered, so that those without a number
/// keep their meaning.
///
/// # Errors
/// `PARAMETER_COUNT`, or `INVALID_ARGUMENT` for a value that cannot be bound.
pub(crate) fn bind(
    statement: &str,
    placeholders: &Placeholders,
    parameters: &Parameters,
    scope: Option<&ScopeValue>,
) -> Result<Binding> {
    let values = values(placeholders, parameters)?;
    let lists = Lists::of(statement, placeholders, &values)?;
    let mut converted = values
        .into_iter()
        .enumerate()
        .map(|(index, value)| {
            let converted = match value {
                Value::Array(items) if lists.is_spread(index + 1) => list(index, items)?,
                _ => convert(index, value)?,
            };
            checked(index, converted)
        })
        .collect::<Result<Vec<_>>>()?;
    converted.extend(scope.map(|value| match value {
        ScopeValue::Text(text) => Converted::Text(text.clone()),
        ScopeValue::Integer(integer) => Converted::Integer(*integer),
    }));
    let reading = match scope {
        None => Reading::AsWritten,
        Some(_) => Reading::Numbered,
    };
    if converted.len() > ENGINE_PARAMETERS {
        bind_as_json(placeholders, &lists, converted, reading)
    } else {
        bind_directly(placeholders, &lists, converted, reading)
    }
}

/// Returns the values in the order of their numbers.
///
/// # Errors
/// `PARAMETER_COUNT`, or `INVALID_ARGUMENT` for a name that is not in the statement.
pub(crate) fn values<'v>(
    placeholders: &Placeholders,
    parameters: &'v Parameters,
) -> Result<Vec<&'v Value>> {
    let values = match parameters {
        Parameters::None => Vec::new(),
        Parameters::Positional(values) => values.iter().collect(),
        Parameters::Named(values) => by_name(placeholders, values)?,
    };
    if values.len() != placeholders.count {
        return Err(Error::from(SqlError::ParameterCount {
            expected: placeholders.count,
            given: values.len(),
        }));
    }
    Ok(values)
}

/// The form of the placeholders in the text that runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    AsWritten,
    /// Each has its number, and the number of a row scope follows the caller's.
    Numbered,
}

fn by_name<'v>(
    placeholders: &Placeholders,
    values: &'v Map<String, Value>,
) -> Result<Vec<&'v Value>> {
    let mut ordered = vec![None; placeholders.count];
    for (written, number) in &placeholders.names {
        let plain = written.get(1..).unwrap_or_default();
        let value = values.get(plain).or_else(|| values.get(written));
        if let (Some(slot), Some(value)) = (ordered.get_mut(number - 1), value) {
            *slot = Some(value);
        }
    }
    let own = placeholders.names.iter();
    let known: HashSet<&str> = own
        .flat_map(|(name, _)| [name.as_str(), name.get(1..).unwrap_or_default()])
        .collect();
    let unknown = values.keys().find(|key| !known.contains(key.as_str()));
    if let Some(key) = unknown {
        return Err(Error::invalid_with_hint(
            format!("the statement has no parameter {key}"),
            names(placeholders),
        ));
    }
    let given = values.len();
    ordered
        .into_iter()
        .collect::<Option<Vec<_>>>()
        .ok_or(Error::from(SqlError::ParameterCount {
            expected: placeholders.count,
            given,
        }))
}

/// Returns the hint that lists the parameters of a statement.
fn names(placeholders: &Placeholders) -> String {
    let names: Vec<&str> = placeholders
        .names
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    if names.is_empty() {
        "its parameters are positional: pass params as a list".to_owned()
    } else {
        format!("its parameters are: {}", names.join(", "))
    }
}

/// A value in the form in which SQLite gets it.
enum Converted {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
    /// The values that IN compares with.
    List(ListValue),
}

/// Converts a list whose values IN takes one by one. Its items must be single values.
fn list(index: usize, items: &[Value]) -> Result<Converted> {
    let mut json = String::from("[");
    let mut blobs = Vec::with_capacity(items.len());
    for item in items {
        let nested = match item {
            Value::Array(_) => true,
            Value::Object(fields) => {
                fields.len() != 1
                    || !["$blob", "$real"]
                        .iter()
                        .any(|key| fields.contains_key(*key))
            }
            _ => false,
        };
        if nested {
            return Err(lists::nested(index));
        }
        let value = convert(index, item)?;
        if !blobs.is_empty() {
            json.push(',');
        }
        blobs.push(matches!(value, Converted::Blob(_)));
        json.push_str(&json_text(value));
    }
    json.push(']');
    Ok(Converted::List(ListValue { json, blobs }))
}

fn convert(index: usize, value: &Value) -> Result<Converted> {
    Ok(match value {
        Value::Null => Converted::Null,
        Value::Bool(truth) => Converted::Integer(i64::from(*truth)),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Converted::Integer(integer),
            (None, Some(real)) if number.is_f64() => Converted::Real(real),
            _ => {
                return Err(Error::invalid_with_hint(
                    format!("parameter {} is beyond 64 bits: {number}", index + 1),
                    "pass it as text",
                ));
            }
        },
        Value::String(text) => Converted::Text(text.clone()),
        Value::Object(fields) if fields.len() == 1 && fields.contains_key("$blob") => {
            Converted::Blob(decode_blob(index, fields.get("$blob"))?)
        }
        Value::Object(fields) if fields.len() == 1 && fields.contains_key("$real") => {
            Converted::Real(decode_real(index, fields.get("$real"))?)
        }
        Value::Array(_) | Value::Object(_) => Converted::Text(value.to_string()),
    })
}

/// Refuses a value above the production limit. A local workerd would accept more, and a program
/// tested there would fail later.
fn checked(index: usize, value: Converted) -> Result<Converted> {
    let bytes = match &value {
        Converted::Text(text) => text.len(),
        Converted::Blob(bytes) => bytes.len(),
        Converted::List(list) => list.json.len(),
        Converted::Null | Converted::Integer(_) | Converted::Real(_) => 0,
    };
    if bytes > MAX_VALUE_BYTES {
        return Err(Error::from(CommonError::TooBig {
            message: format!(
                "parameter {} has {bytes} bytes, the limit of a value is {MAX_VALUE_BYTES}",
                index + 1
            ),
            hint: "store long texts in pieces, one row each".to_owned(),
        }));
    }
    Ok(value)
}

fn decode_blob(index: usize, value: Option<&Value>) -> Result<Vec<u8>> {
    value
        .and_then(Value::as_str)
        .and_then(|text| STANDARD.decode(text).ok())
        .ok_or_else(|| {
            Error::invalid_with_hint(
                format!(
                    "parameter {} has a $blob that is not base64 with padding",
                    index + 1
                ),
                "write {\"$blob\":\"<base64 with padding>\"}",
            )
        })
}

fn decode_real(index: usize, value: Option<&Value>) -> Result<f64> {
    match value.and_then(Value::as_str) {
        Some("Infinity") => Ok(f64::INFINITY),
        Some("-Infinity") => Ok(f64::NEG_INFINITY),
        _ => Err(Error::invalid_with_hint(
            format!(
                "parameter {} has a $real that is neither Infinity nor -Infinity",
                index + 1
            ),
            "write {\"$real\":\"Infinity\"} or {\"$real\":\"-Infinity\"}; SQLite has no NaN",
        )),
    }
}

fn bind_directly(
    placeholders: &Placeholders,
    lists: &Lists,
    values: Vec<Converted>,
    reading: Reading,
) -> Result<Binding> {
    let integers: Vec<bool> = values
        .iter()
        .map(|value| matches!(value, Converted::Integer(_)))
        .collect();
    let is_integer = |number: usize| integers.get(number - 1).copied().unwrap_or(false);
    let mut splices = Vec::new();
    for (position, place) in placeholders.places.iter().enumerate() {
        let variable = format!("?{}", place.number);
        let spread = match values.get(place.number - 1) {
            Some(Converted::List(list)) => lists.spread(position, &variable, list)?,
            _ => None,
        };
        let text = match spread {
            Some(text) => text,
            // The brackets keep one splice from being the beginning of another, as `?1` is of
            // `?10`. SQLite names a column without an alias after its text, and splices are
            // searched in such names.
            None if is_integer(place.number) => format!("({variable}->>'$')"),
            None if reading == Reading::Numbered => format!("({variable})"),
            None => continue,
        };
        splices.push(Splice {
            start: place.start,
            end: place.end,
            text,
        });
    }
    let scope = (reading == Reading::Numbered).then(|| {
        let number = placeholders.count + 1;
        if is_integer(number) {
            ValueText {
                text: format!("(?{number}->>'$')"),
                variable: format!("?{number}"),
                element: Some("'$'".to_owned()),
            }
        } else {
            ValueText {
                text: format!("?{number}"),
                variable: format!("?{number}"),
                element: None,
            }
        }
    });
    let binds = values
        .into_iter()
        .map(|value| match value {
            Converted::Null => Bind::Null,
            Converted::Integer(integer) => Bind::Text(integer.to_string()),
            Converted::Real(real) => Bind::Real(real),
            Converted::Text(text) => Bind::Text(text),
            Converted::Blob(bytes) => Bind::Blob(bytes),
            Converted::List(list) => Bind::Text(list.json),
        })
        .collect();
    Ok(Binding {
        binds,
        splices,
        scope,
        own: placeholders.count,
    })
}

/// The position of a value in the JSON arrays.
struct Packed {
    /// The number of its array.
    array: usize,
    element: usize,
    is_blob: bool,
    list: Option<ListValue>,
}

/// Packs the values into as few JSON arrays as their sizes allow.
fn bind_as_json(
    placeholders: &Placeholders,
    lists: &Lists,
    values: Vec<Converted>,
    reading: Reading,
) -> Result<Binding> {
    let mut arrays: Vec<String> = Vec::new();
    let mut places: Vec<Packed> = Vec::with_capacity(values.len());
    let mut elements = 0_usize;
    let mut last = None;
    for value in values {
        let is_blob = matches!(value, Converted::Blob(_));
        let (text, list) = json_and_list(value);
        let fits = arrays
            .last()
            .is_some_and(|array| array.len() + text.len() + 2 <= MAX_VALUE_BYTES);
        if !fits {
            arrays.push(String::from("["));
            elements = 0;
        }
        let number = arrays.len();
        if let Some(array) = arrays.last_mut() {
            if elements > 0 {
                array.push(',');
            }
            array.push_str(&text);
        }
        places.push(Packed {
            array: number,
            element: elements,
            is_blob,
            list,
        });
        last = Some((number, elements));
        elements += 1;
    }
    if arrays.len() > ENGINE_PARAMETERS {
        return Err(Error::from(CommonError::TooBig {
            message: format!(
                "the parameters together are over {} MB",
                ENGINE_PARAMETERS * MAX_VALUE_BYTES / 1_000_000
            ),
            hint: "load rows with PUT …/tables/{table}/rows".to_owned(),
        }));
    }
    let mut splices = Vec::with_capacity(placeholders.places.len());
    for (position, place) in placeholders.places.iter().enumerate() {
        let Some(packed) = places.get(place.number - 1) else {
            continue;
        };
        let Packed { array, element, .. } = packed;
        let spread = match &packed.list {
            Some(list) => lists.spread(position, &format!("?{array}->{element}"), list)?,
            None => None,
        };
        let text = match spread {
            Some(text) => text,
            None if packed.is_blob => format!("unhex(?{array}->>{element})"),
            None => format!("(?{array}->>{element})"),
        };
        splices.push(Splice {
            start: place.start,
            end: place.end,
            text,
        });
    }
    let scope = last
        .filter(|_| reading == Reading::Numbered)
        .map(|(number, element)| ValueText {
            text: format!("(?{number}->>{element})"),
            variable: format!("?{number}"),
            element: Some(element.to_string()),
        });
    let binds: Vec<Bind> = arrays
        .into_iter()
        .map(|array| Bind::Text(array + "]"))
        .collect();
    Ok(Binding {
        own: binds.len(),
        binds,
        splices,
        scope,
    })
}

/// Returns the JSON of a value, and the list if it is one.
fn json_and_list(value: Converted) -> (String, Option<ListValue>) {
    if let Converted::List(list) = value {
        (list.json.clone(), Some(list))
    } else {
        (json_text(value), None)
    }
}

fn json_text(value: Converted) -> String {
    match value {
        Converted::Null => "null".to_owned(),
        Converted::Integer(integer) => integer.to_string(),
        // `9e999` is the way in which SQLite writes infinity in JSON; a finite real keeps its point
        // or exponent.
        Converted::Real(real) if real.is_infinite() => {
            (if real > 0.0 { "9e999" } else { "-9e999" }).to_owned()
        }
        Converted::Real(real) => Value::from(real).to_string(),
        Converted::Text(text) => Value::from(text).to_string(),
        Converted::Blob(bytes) => format!("\"{}\"", const_hex::display(&bytes)),
        Converted::List(list) => list.json,
    }
}
