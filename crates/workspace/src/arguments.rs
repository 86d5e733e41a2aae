//! The arguments of an operation: a JSON object whose fields are known, each of its type.

use base::known::{self, Given};
use base::{CommonError, Error, Result, nearest};
use code::AsOf;
use code::model::ItemKind;
use serde_json::{Map, Value};

/// The fields of a request, each once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// Reads a JSON object.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] for what is none, or has a field twice.
    pub fn parse(text: &str) -> Result<Self> {
        let entries: base::entries::Fields<Value> =
            serde_json::from_str(text).map_err(|error| CommonError::InvalidBody {
                message: format!("the body is not a usable JSON object: {error}"),
                hint: Some(r#"send an object such as {"operation":"list_files"}"#.to_owned()),
            })?;
        Ok(Self(entries.0.into_iter().collect()))
    }

    /// Takes a field out.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// The whole object.
    pub fn as_object(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Refuses other fields than these.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] with the nearest name.
    pub fn only(&self, names: &[&str]) -> Result<()> {
        known::check(Given::Field, self.0.keys().map(String::as_str), names)
    }

    fn given(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A text.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for what is none.
    pub fn text(&self, name: &str) -> Result<Option<String>> {
        match self.given(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(Error::invalid(format!("the field {name} must be a text"))),
        }
    }

    /// A text that must be there.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub fn required(&self, name: &str) -> Result<String> {
        let text = self.text(name)?.filter(|text| !text.is_empty());
        text.ok_or_else(|| Error::invalid(format!("the field {name} is missing")))
    }

    /// A list of texts; empty without one.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for what is none, or has more entries.
    pub fn texts(&self, name: &str, most: usize) -> Result<Vec<String>> {
        let wrong = || Error::invalid(format!("the field {name} must be a list of texts"));
        let Some(value) = self.given(name) else {
            return Ok(Vec::new());
        };
        let list = value.as_array().ok_or_else(wrong)?;
        if list.len() > most {
            return Err(Error::invalid(format!(
                "the field {name} has {} entries, the limit is {most}",
                list.len()
            )));
        }
        let texts = list.iter().map(|entry| entry.as_str().map(str::to_owned));
        texts.collect::<Option<_>>().ok_or_else(wrong)
    }

    /// A whole number within bounds.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for what is none.
    pub fn number(&self, name: &str, least: u64, most: u64) -> Result<Option<u64>> {
        let Some(value) = self.given(name) else {
            return Ok(None);
        };
        let number = value
            .as_u64()
            .filter(|number| (least..=most).contains(number));
        number.map(Some).ok_or_else(|| {
            Error::invalid(format!(
                "the field {name} must be a whole number from {least} to {most}, not {value}"
            ))
        })
    }

    /// True or false.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for what is neither.
    pub fn flag(&self, name: &str) -> Result<Option<bool>> {
        match self.given(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(Error::invalid(format!(
                "the field {name} must be true or false"
            ))),
        }
    }

    /// The version, or the time, that is asked about.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for what is neither.
    pub fn as_of(&self) -> Result<AsOf> {
        let wrong = || {
            Error::invalid_with_hint(
                "asOf must be a version, or a time",
                "send a whole number, or a text such as \"2026-11-25T12:00:00Z\"",
            )
        };
        match self.given("asOf") {
            None => Ok(AsOf::Now),
            Some(Value::Number(number)) => number.as_u64().map(AsOf::Version).ok_or_else(wrong),
            Some(Value::String(text)) => {
                if let Ok(version) = text.parse() {
                    return Ok(AsOf::Version(version));
                }
                base::time::from_iso8601(text)
                    .map(AsOf::Time)
                    .ok_or_else(wrong)
            }
            Some(_) => Err(wrong()),
        }
    }

    /// Refuses a workspace that is not the one of the address.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`].
    pub fn require_workspace(&self, workspace: &str) -> Result<()> {
        match self.text("workspace")? {
            Some(named) if named != workspace => Err(Error::invalid_with_hint(
                format!("the address is that of the workspace {workspace:?}, not of {named:?}"),
                "leave the field workspace out, or use the address of the other one",
            )),
            _ => Ok(()),
        }
    }
}

/// The kind of a word.
///
/// # Errors
/// [`CommonError::InvalidArgument`] with the nearest word.
pub fn kind(word: &str) -> Result<ItemKind> {
    ItemKind::of(word).ok_or_else(|| {
        let words = ItemKind::ALL.iter().map(|kind| kind.word());
        let near = nearest(word, words.clone());
        let hint = base::did_you_mean(&near)
            .unwrap_or_else(|| format!("the kinds are {}", words.collect::<Vec<_>>().join(", ")));
        Error::invalid_with_hint(format!("Unsupported node_type: {word}"), hint)
    })
}
