//! Reads XML as a sequence of elements and texts.
//!
//! Nothing is fetched. Only the five entities of XML itself and character references are expanded:
//! a DOCTYPE with declarations of its own is rejected, one that only names a file is ignored. Depth
//! and attributes are bounded. Every error names the line.

use base::{CommonError, Error, Result};
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

use crate::interchange::shown;
use crate::limits::{MAX_XML_ATTRIBUTES, MAX_XML_DEPTH};

/// A reader of a text.
pub(super) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    text: &'a str,
    depth: usize,
    stray_texts: usize,
    /// The first text between elements, with its line.
    first_stray: Option<(String, usize)>,
}

/// The next part of the document.
pub(super) enum Token {
    /// An element opens. Each open element is also closed, an empty one at once.
    Open(Element),
    /// The open element ends.
    Close,
    /// A piece of text.
    Text(String),
    /// The document ends.
    End,
}

/// The start tag of an element.
pub(super) struct Element {
    /// Its name without a namespace prefix.
    pub(super) name: String,
    attributes: Vec<(String, String)>,
}

impl Element {
    /// Returns the names of all attributes, except for those of other namespaces.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.attributes.iter().map(|(name, _)| name.as_str());
        names.filter(|name| !name.contains(':') && *name != "xmlns")
    }

    /// Returns the value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl<'a> Xml<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        Self {
            reader,
            text,
            depth: 0,
            stray_texts: 0,
            first_stray: None,
        }
    }

    /// Returns the next element, end or text. Comments and instructions are skipped.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] with the line.
    pub(super) fn next(&mut self) -> Result<Token> {
        loop {
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => return Err(self.error(&error.to_string(), None)),
            };
            match event {
                Event::Start(tag) => return self.open(&tag),
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(Token::Close);
                }
                Event::Text(text) => return Ok(Token::Text(text.xml10_content().into_owned())),
                Event::CData(text) => return Ok(Token::Text(text.xml10_content().into_owned())),
                Event::GeneralRef(reference) => return self.character(&reference),
                Event::DocType(declaration) if declaration.contains('[') => {
                    return Err(self.error(
                        "the DOCTYPE declares entities or elements",
                        Some("leave the DOCTYPE out: GraphML needs none"),
                    ));
                }
                Event::Eof if self.depth > 0 => {
                    return Err(self.error(
                        "the text ends within an element",
                        Some("send the whole file"),
                    ));
                }
                Event::Eof => return Ok(Token::End),
                Event::Decl(_) | Event::Comment(_) | Event::PI(_) | Event::DocType(_) => {}
                // `expand_empty_elements` turns it into two events, so it does not occur.
                Event::Empty(tag) => return self.open(&tag),
            }
        }
    }

    fn open(&mut self, tag: &BytesStart<'_>) -> Result<Token> {
        self.depth += 1;
        if self.depth > MAX_XML_DEPTH {
            let problem = format!("elements nest deeper than {MAX_XML_DEPTH}");
            return Err(self.error(&problem, None));
        }
        let mut attributes = Vec::new();
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| self.error(&error.to_string(), None))?;
            if attributes.len() == MAX_XML_ATTRIBUTES {
                let problem = format!("an element has more than {MAX_XML_ATTRIBUTES} attributes");
                return Err(self.error(&problem, None));
            }
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_err(|error| self.error(&error.to_string(), None))?;
            attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
        }
        Ok(Token::Open(Element {
            name: tag.local_name().as_ref().to_owned(),
            attributes,
        }))
    }

    fn character(&self, reference: &BytesRef<'_>) -> Result<Token> {
        let by_number = reference
            .resolve_char_ref()
            .map_err(|error| self.error(&error.to_string(), None))?;
        if let Some(character) = by_number {
            return Ok(Token::Text(character.to_string()));
        }
        match resolve_predefined_entity(reference) {
            Some(text) => Ok(Token::Text(text.to_owned())),
            None => {
                let problem = format!("the entity {} is not known", shown(reference));
                let hint = "write the character itself, or its number: &#8211;";
                Err(self.error(&problem, Some(hint)))
            }
        }
    }

    /// Returns the text of the element that has just opened, up to its end; `None` if it contains
    /// elements.
    ///
    /// # Errors
    /// As [`Xml::next`].
    pub(super) fn text(&mut self) -> Result<Option<String>> {
        let mut text = String::new();
        loop {
            match self.next()? {
                Token::Text(piece) if text.is_empty() => text = piece,
                Token::Text(piece) => text.push_str(&piece),
                Token::Open(_) => {
                    self.skip()?;
                    self.skip()?;
                    return Ok(None);
                }
                Token::Close | Token::End => return Ok(Some(text)),
            }
        }
    }

    /// Skips the rest of the open element.
    ///
    /// # Errors
    /// As [`Xml::next`].
    pub(super) fn skip(&mut self) -> Result<()> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside {
            self.next()?;
        }
        Ok(())
    }

    /// Returns the next child of the open element; `None` at its end. Text between elements is
    /// counted and skipped.
    ///
    /// # Errors
    /// As [`Xml::next`].
    pub(super) fn child(&mut self) -> Result<Option<Element>> {
        loop {
            match self.next()? {
                Token::Open(element) => return Ok(Some(element)),
                Token::Close | Token::End => return Ok(None),
                Token::Text(text) if text.trim().is_empty() => {}
                Token::Text(text) => {
                    self.stray_texts += 1;
                    if self.first_stray.is_none() {
                        self.first_stray = Some((shown(text.trim()), self.line()));
                    }
                }
            }
        }
    }

    /// Returns the notice about text between elements.
    pub(super) fn stray(&self) -> Option<String> {
        let (text, line) = self.first_stray.as_ref()?;
        Some(match self.stray_texts {
            1 => format!("the text {text} between elements, in line {line}, was left out"),
            count => format!(
                "{count} texts between elements were left out, the first of them {text} in line {line}"
            ),
        })
    }

    fn line(&self) -> usize {
        let read = usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX);
        let read = self.text.as_bytes().get(..read).unwrap_or_default();
        1 + read.iter().filter(|byte| **byte == b'\n').count()
    }

    /// Returns an error at the current position.
    pub(super) fn error(&self, problem: &str, hint: Option<&str>) -> Error {
        let line = self.line();
        Error::from(CommonError::InvalidBody {
            message: format!("the text is not valid GraphML, line {line}: {problem}"),
            hint: hint.map(str::to_owned),
        })
    }
}
