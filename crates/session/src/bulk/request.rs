//! The request of a load: the headers and parameters of `PUT /tables/{table}/rows`.

use super::decode::Decoders;
use crate::SessionError;
use crate::readings::{DateOrder, Decimal, MissingWords, ReadingOptions};
use crate::records::OnConflict;
use base::{Error, Result};

/// The supported media types of a body, in the order in which errors list them.
pub const MEDIA_TYPES: &[&str] = &[
    "application/x-ndjson",
    "application/json",
    "text/csv",
    "text/tab-separated-values",
];

/// The supported content codings of a body.
pub const CODINGS: &[&str] = &["gzip", "identity"];

/// The format of a load's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON objects one after another, or one array of them.
    Json,
    /// `application/json`: the same, except that a single object is not taken as one record.
    JsonDocument,
    /// CSV with a header row.
    Csv,
    /// The same with tabs between the fields.
    Tsv,
    /// Unknown, because the media type is missing or says nothing. The format is guessed from the
    /// body.
    Unsaid,
    /// Unknown, with the media type of a form, which curl sends with each body of `-d`. The format
    /// is guessed from the body.
    Form,
}

impl Format {
    /// Parses a Content-Type.
    ///
    /// # Errors
    /// [`SessionError::UnsupportedMediaType`] with the supported types.
    pub fn from_content_type(content_type: &str) -> Result<Self> {
        let essence = content_type
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        match essence.as_str() {
            "application/x-ndjson"
            | "application/ndjson"
            | "application/jsonl"
            | "application/x-jsonlines" => Ok(Self::Json),
            "application/json" => Ok(Self::JsonDocument),
            "text/csv" => Ok(Self::Csv),
            "text/tab-separated-values" => Ok(Self::Tsv),
            "" | "application/octet-stream" | "text/plain" => Ok(Self::Unsaid),
            "application/x-www-form-urlencoded" => Ok(Self::Form),
            "application/gzip" | "application/x-gzip" => Err(Error::from(SessionError::UnsupportedMediaType {
                message: format!("cannot read a body of type {essence}"),
                hint: "send content-encoding: gzip, and as content-type what is packed: text/csv, application/x-ndjson, …"
                    .to_owned(),
                accepted: MEDIA_TYPES,
            })),
            _ => Err(Error::from(SessionError::UnsupportedMediaType {
                message: format!("cannot read a body of type {content_type}"),
                hint: format!("send {}", MEDIA_TYPES.join(", ")),
                accepted: MEDIA_TYPES,
            })),
        }
    }
}

/// The content coding of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coding {
    /// Not compressed.
    #[default]
    Identity,
    /// gzip, with one or more members.
    Gzip,
}

impl Coding {
    /// Parses a Content-Encoding.
    ///
    /// # Errors
    /// [`SessionError::UnsupportedMediaType`] with the supported codings.
    pub fn from_content_encoding(encoding: Option<&str>) -> Result<Self> {
        let encoding = encoding.unwrap_or_default();
        match encoding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Ok(Self::Identity),
            "gzip" | "x-gzip" => Ok(Self::Gzip),
            _ => Err(Error::from(SessionError::UnsupportedMediaType {
                message: format!("cannot unpack a body with content-encoding {encoding}"),
                hint: "send the body packed with gzip, or as it is".to_owned(),
                accepted: CODINGS,
            })),
        }
    }
}

/// Parses the delimiter of a CSV: a name such as `comma`, or the character itself.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for a text that cannot be a delimiter.
pub fn parse_delimiter(text: Option<&str>) -> Result<Option<u8>> {
    let Some(text) = text else { return Ok(None) };
    let named = super::sniff::NAMED_DELIMITERS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(text))
        .map(|(_, byte)| *byte);
    let one = match text.as_bytes() {
        [byte] => Some(*byte),
        _ => None,
    };
    let usable = |byte: &u8| {
        byte.is_ascii()
            && !byte.is_ascii_alphanumeric()
            && !matches!(byte, b'"' | b'\r' | b'\n' | 0)
    };
    match named.or(one).filter(usable) {
        Some(byte) => Ok(Some(byte)),
        None => Err(Error::invalid_with_hint(
            format!("delimiter must be one character between fields, not {text:?}"),
            "send comma, semicolon, tab, pipe, space, colon, caret, tilde, control-a, or the character itself; letters, digits, quotes and line ends cannot be delimiters",
        )),
    }
}

/// Reads the options for the texts of a CSV, and returns the names of the parameters that set them.
fn reading_options(
    parameter: impl Fn(&str) -> Result<Option<String>>,
) -> Result<(ReadingOptions, Vec<&'static str>)> {
    let mut options = ReadingOptions::default();
    let mut given = Vec::new();
    if let Some(words) = parameter("null")? {
        options.missing = MissingWords::parse(&words);
        given.push("null");
    }
    if let Some(decimal) = parameter("decimal")? {
        options.decimal = Some(match decimal.as_str() {
            "." | "point" => Decimal::Point,
            "," | "comma" => Decimal::Comma,
            other => {
                return Err(Error::invalid_with_hint(
                    format!("decimal must be a point or a comma, not {other:?}"),
                    "send ?decimal=, for 1.234,5 and ?decimal=. for 1,234.5",
                ));
            }
        });
        given.push("decimal");
    }
    if let Some(order) = parameter("dates")? {
        options.date_order = Some(match order.as_str() {
            "dmy" => DateOrder::DayFirst,
            "mdy" => DateOrder::MonthFirst,
            other => {
                return Err(Error::invalid_with_hint(
                    format!("dates must be dmy or mdy, not {other:?}"),
                    "send ?dates=dmy for 31.12.2025 and ?dates=mdy for 12/31/2025",
                ));
            }
        });
        given.push("dates");
    }
    Ok((options, given))
}

/// Returns the error for a CSV parameter that is used with JSON.
pub(super) fn for_csv(name: &str, said: &str) -> Error {
    Error::invalid_with_hint(
        format!("{name} only works with CSV, but {said} JSON"),
        format!(
            "leave {name} out, or send content-type: text/csv; in JSON a number is written without quotation marks, and a missing value is null"
        ),
    )
}

/// The table or tables that a load writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Destination {
    /// An existing table.
    #[default]
    Existing,
    /// A new table, with column types that hold every value of the load.
    Create,
    /// New tables for nested records, like those of a staged tool result. The first has the name of
    /// the load, the others follow it.
    Staged,
}

/// A load request.
#[derive(Debug, Clone)]
pub struct LoadRequest {
    /// The name of the table.
    pub table: String,
    /// The format of the body.
    pub format: Format,
    /// The content coding of the body.
    pub coding: Coding,
    /// The delimiter of a CSV, if the caller names it.
    pub delimiter: Option<u8>,
    /// The caller's options for the texts of a CSV.
    pub reading: ReadingOptions,
    /// The names of the parameters that set these options.
    pub reading_parameters: Vec<&'static str>,
    /// The character encoding of the body, if the caller names it.
    pub encoding: Option<String>,
    /// The platform's decoders; without them only UTF-8 is supported.
    pub decoders: Decoders,
    /// The table or tables to write.
    pub destination: Destination,
    /// The treatment of rows that violate a constraint.
    pub on_conflict: OnConflict,
}

impl LoadRequest {
    /// Makes a request for uncompressed rows without further options; the delimiter of a CSV is
    /// guessed.
    pub fn new(table: &str, format: Format, destination: Destination) -> Self {
        Self {
            table: table.to_owned(),
            format,
            coding: Coding::Identity,
            delimiter: None,
            reading: ReadingOptions::default(),
            reading_parameters: Vec::new(),
            encoding: None,
            decoders: |_| None,
            destination,
            on_conflict: OnConflict::Error,
        }
    }

    /// Reads headers and parameters.
    ///
    /// # Errors
    /// [`SessionError::UnsupportedMediaType`] and [`base::CommonError::InvalidArgument`].
    pub fn read(
        table: &str,
        header: impl Fn(&str) -> Option<String>,
        parameter: impl Fn(&str) -> Result<Option<String>>,
    ) -> Result<Self> {
        let mut format = Format::from_content_type(&header("content-type").unwrap_or_default())?;
        let coding = Coding::from_content_encoding(header("content-encoding").as_deref())?;
        let delimiter = parse_delimiter(parameter("delimiter")?.as_deref())?;
        if delimiter.is_some() {
            format = match format {
                Format::Unsaid | Format::Form | Format::Csv | Format::Tsv => Format::Csv,
                Format::Json | Format::JsonDocument => {
                    return Err(for_csv("delimiter", "the content-type says"));
                }
            };
        }
        let (reading, reading_parameters) = reading_options(&parameter)?;
        if let (Format::Json | Format::JsonDocument, [name, ..]) =
            (format, reading_parameters.as_slice())
        {
            return Err(for_csv(name, "the content-type says"));
        }
        let staged = flag("stage", parameter("stage")?.as_deref())?;
        let create = flag("create", parameter("create")?.as_deref())?;
        let on_conflict = parameter("onConflict")?;
        if staged && (on_conflict.is_some() || matches!(format, Format::Csv | Format::Tsv)) {
            return Err(Error::invalid_with_hint(
                "stage makes tables of nested JSON: it takes no CSV and no onConflict",
                "leave stage out, and add create=true if the table does not exist",
            ));
        }
        let destination = match (staged, create) {
            (true, _) => Destination::Staged,
            (false, true) => Destination::Create,
            (false, false) => Destination::Existing,
        };
        Ok(Self {
            coding,
            delimiter,
            reading,
            reading_parameters,
            encoding: parameter("encoding")?.filter(|name| !name.is_empty()),
            on_conflict: OnConflict::parse(on_conflict.as_deref())?,
            ..Self::new(table, format, destination)
        })
    }
}

fn flag(name: &str, value: Option<&str>) -> Result<bool> {
    match value {
        None | Some("false") => Ok(false),
        Some("" | "true") => Ok(true),
        Some(other) => Err(Error::invalid(format!(
            "{name} must be true or false, not {other:?}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delimiter_is_a_name_or_one_character() {
        for (text, byte) in [
            (",", b','),
            (";", b';'),
            ("\t", b'\t'),
            ("\\t", b'\t'),
            ("tab", b'\t'),
            ("TAB", b'\t'),
            ("Semicolon", b';'),
            ("pipe", b'|'),
            ("^", b'^'),
            ("\u{1}", 1),
            (" ", b' '),
            ("colon", b':'),
            ("control-a", 1),
        ] {
            assert_eq!(parse_delimiter(Some(text)), Ok(Some(byte)), "{text:?}");
        }
        for text in ["", "a", "7", "\"", "\n", "\0", "||", "é", "commas"] {
            let error = parse_delimiter(Some(text)).unwrap_err();
            assert_eq!(error.code(), "INVALID_ARGUMENT", "{text:?}");
        }
        assert_eq!(parse_delimiter(None), Ok(None));
    }

    #[test]
    fn only_gzip_is_unpacked() {
        for (encoding, wanted) in [
            (None, Some(Coding::Identity)),
            (Some("identity"), Some(Coding::Identity)),
            (Some(" GZip "), Some(Coding::Gzip)),
            (Some("x-gzip"), Some(Coding::Gzip)),
            (Some("br"), None),
            (Some("gzip, gzip"), None),
            (Some("deflate"), None),
        ] {
            assert_eq!(Coding::from_content_encoding(encoding).ok(), wanted);
        }
    }
}
