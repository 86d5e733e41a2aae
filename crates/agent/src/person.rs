//! The people who decide, and the rule by which two decisions come from the same person.
//!
//! An access token proves a subject of its issuer, which is compared byte by byte. A name is only a
//! claim of the caller. Names are compared as people read them: after compatibility normalisation
//! (NFKC) and full case folding, without blanks and invisible characters. Letters of different
//! scripts that look alike are different, because their look depends on the font, and because a
//! caller who wants to cheat could as well give two different names.

use icu_normalizer::uts46::Uts46MapperBorrowed;
use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory};
use icu_properties::{CodePointMapData, CodePointSetData};
use serde::{Deserialize, Serialize};

use base::{Error, Result};

/// A person who decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The name that is shown and written into the audit.
    pub name: String,
    /// The evidence for the identity.
    pub known_by: IdentityEvidence,
}

/// The evidence by which a person is identified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdentityEvidence {
    /// The name that the caller gives, in a deployment without access tokens.
    Name,
    /// The subject of an access token of this issuer.
    Subject {
        /// The issuer.
        issuer: String,
    },
    /// No evidence: the deployment has access tokens, and the request came without one.
    Nothing,
}

/// The identity of a person: two approvals with the same identity count once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Identity {
    /// A name, in the form that is compared.
    Name(String),
    /// A subject of an issuer.
    Subject(String, String),
}

impl Person {
    /// Returns a person who is known by a name alone.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            known_by: IdentityEvidence::Name,
        }
    }

    /// Returns the identity, which is the same for two approvals by the same person.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] if the deployment has access tokens and the person is
    /// known only by a name.
    pub fn identity(&self) -> Result<Identity> {
        match &self.known_by {
            IdentityEvidence::Name => Ok(Identity::Name(compared(&self.name))),
            IdentityEvidence::Subject { issuer } => {
                Ok(Identity::Subject(issuer.clone(), self.name.clone()))
            }
            IdentityEvidence::Nothing => Err(Error::invalid_with_hint(
                "this deployment identifies people by access tokens, and the request has none",
                "approve with an access token of the issuer: if several people must approve, a name in the body is not enough",
            )),
        }
    }
}

/// Unicode classes U+2800 as a symbol, but it looks like a blank.
const BRAILLE_BLANK: char = '\u{2800}';

/// Returns a name in the form that is compared; empty if all of its characters are invisible.
pub fn compared(name: &str) -> String {
    // The mapper does NFKC and case folding. It leaves two letters as they are, because names of
    // hosts may contain them.
    let mapper = Uts46MapperBorrowed::new();
    let mapped = mapper
        .map_normalize(name.chars().filter(|found| is_visible(*found)))
        .filter(|found| is_visible(*found));
    let mut text = String::with_capacity(name.len());
    for found in mapped {
        match found {
            'ß' => text.push_str("ss"),
            'ς' => text.push('σ'),
            other => text.push(other),
        }
    }
    text
}

fn is_visible(character: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(character);
    let is_blank = matches!(
        category,
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::SpaceSeparator
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
            | GeneralCategory::Unassigned
    );
    !is_blank
        && character != BRAILLE_BLANK
        && !CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_read_alike_are_one_identity() {
        for (name, others) in [
            (
                "Ann Lee",
                &[
                    "ann lee",
                    "ANN  LEE",
                    " annlee\u{a0}",
                    "Ann\u{200b}Lee",
                    "\u{ff21}nn Lee",
                    "A\u{ad}nn\u{2060}Lee",
                    "\u{202e}Ann Lee\u{202c}",
                    "Ann\u{3164}Lee",
                    "Ann\u{115f}Lee",
                    "Ann\u{2800}Lee",
                    "Ann\u{34f}Lee",
                    "Ann\u{fe0f}Lee",
                    "Ann\u{e0061}Lee",
                    "Ann\u{feff}Lee",
                    "𝐀𝐧𝐧 Lee",
                    "ⓐnn lee",
                ][..],
            ),
            ("José", &["Jose\u{301}", "JOSÉ", "JOSE\u{301}"]),
            ("Strauß", &["STRAUSS", "strauss", "STRAUẞ", "Strau\u{df}"]),
            ("Νίκος", &["ΝΊΚΟΣ", "νίκοσ"]),
            ("ﬁona", &["Fiona", "FIONA"]),
            ("Ångström", &["\u{212b}ngstro\u{308}m"]),
        ] {
            for other in others {
                assert_eq!(compared(name), compared(other), "{name} {other:?}");
            }
        }
    }

    #[test]
    fn other_names_stay_others() {
        for (one, other) in [
            ("ann", "anna"),
            ("ann", "аnn"),
            ("jose", "josé"),
            ("a1", "a2"),
            ("a-b", "ab"),
            ("ann@a.example", "ann@b.example"),
        ] {
            assert_ne!(compared(one), compared(other));
        }
        for nobody in ["", " ", "\u{200b}\u{3164}", "\u{2800}\u{ad}"] {
            assert_eq!(compared(nobody), "");
        }
    }
}
