//! The names of files in requests: a file, a folder with its content, or a pattern, with the same
//! meaning in every operation.
//!
//! The engine gets only the literal beginning: its own patterns may have 50 bytes in a Durable
//! Object, which is less than many paths.

use base::{Error, Result};

use crate::limits::{MAX_PATH_BYTES, MAX_PATTERN_STEPS};

/// The files that a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPattern {
    /// The file or folder that contains all of them.
    folder: Option<String>,
    /// The whole pattern, if it contains `*` or `?`.
    parts: Option<Vec<Part>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// Any text, including slashes.
    Star,
    /// Any single character.
    One,
    Letter(char),
    /// One of these characters, or any other one if it is negated.
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Part {
    fn fits(&self, letter: char) -> bool {
        match self {
            Self::Star | Self::One => true,
            Self::Letter(own) => *own == letter,
            Self::Class { negated, ranges } => {
                let within = ranges
                    .iter()
                    .any(|(first, last)| (*first..=*last).contains(&letter));
                within != *negated
            }
        }
    }

    /// Returns the cost of a comparison.
    fn steps(&self) -> u64 {
        match self {
            Self::Class { ranges, .. } => 1 + ranges.len() as u64,
            Self::Star | Self::One | Self::Letter(_) => 1,
        }
    }
}

impl PathPattern {
    /// Parses a name in a request. If it contains `*` (any text including slashes; `**` is the
    /// same) or `?` (one character), it is a pattern, in which `[abc]` is one of these characters.
    /// Otherwise it is a literal file or folder.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] if it is longer than a path may be.
    pub fn parse(named: &str) -> Result<Self> {
        let named = named.trim_start_matches("./").trim_end_matches('/');
        if named.len() > MAX_PATH_BYTES {
            return Err(Error::invalid_with_hint(
                format!(
                    "the path or pattern has {} bytes, the limit is {MAX_PATH_BYTES}",
                    named.len()
                ),
                "name a folder, or use a shorter pattern",
            ));
        }
        if named.is_empty() || named == "." {
            return Ok(Self {
                folder: None,
                parts: None,
            });
        }
        let Some(wild) = named.find(['*', '?']) else {
            return Ok(Self {
                folder: Some(named.to_owned()),
                parts: None,
            });
        };
        let literal = named.find('[').map_or(wild, |class| class.min(wild));
        let folder = named
            .get(..literal)
            .and_then(|front| front.rsplit_once('/'))
            .map(|(folder, _)| folder.to_owned())
            .filter(|folder| !folder.is_empty());
        Ok(Self {
            folder,
            parts: Some(parts(named)),
        })
    }

    /// Returns the file or folder that contains all matches; `None` if they may be anywhere.
    pub(crate) fn folder(&self) -> Option<&str> {
        self.folder.as_deref()
    }

    /// Returns true if it is a pattern and not a literal file or folder.
    pub(crate) fn is_wild(&self) -> bool {
        self.parts.is_some()
    }
}

/// The patterns of a request, with the cost of the comparisons so far.
pub(crate) struct Matcher<'p> {
    patterns: &'p [PathPattern],
    steps: u64,
}

impl<'p> Matcher<'p> {
    /// Returns a matcher that accepts paths matching at least one pattern, or all paths if there
    /// are no patterns.
    pub(crate) fn new(patterns: &'p [PathPattern]) -> Self {
        Self { patterns, steps: 0 }
    }

    /// Returns true if a path matches.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] if the comparisons exceed the limit of one request.
    pub(crate) fn fits(&mut self, path: &str) -> Result<bool> {
        if self.patterns.is_empty() {
            return Ok(true);
        }
        let letters: Vec<char> = path.chars().collect();
        for pattern in self.patterns {
            self.steps += 1;
            let below = pattern.folder().is_none_or(|folder| {
                path.strip_prefix(folder)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            });
            let fits = below
                && match &pattern.parts {
                    None => true,
                    Some(parts) => self.compared(parts, &letters)?,
                };
            if fits {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Compares character by character. After a mismatch, the last star takes one character more.
    fn compared(&mut self, parts: &[Part], letters: &[char]) -> Result<bool> {
        let (mut part, mut letter) = (0, 0);
        // The position after the last star, and the first character that the star does not take.
        let mut star: Option<(usize, usize)> = None;
        loop {
            let own = parts.get(part);
            self.steps = self.steps.saturating_add(own.map_or(1, Part::steps));
            if self.steps > MAX_PATTERN_STEPS {
                return Err(Error::invalid_with_hint(
                    "the patterns of paths take too long to compare with all files",
                    "send fewer or shorter patterns, or begin them with a folder",
                ));
            }
            match (own, letters.get(letter)) {
                (Some(Part::Star), _) => {
                    part += 1;
                    star = Some((part, letter));
                }
                (Some(own), Some(found)) if own.fits(*found) => {
                    part += 1;
                    letter += 1;
                }
                (None, None) => return Ok(true),
                (_, None) => return Ok(false),
                (_, Some(_)) => match star {
                    Some((behind, taken)) => {
                        part = behind;
                        letter = taken + 1;
                        star = Some((behind, taken + 1));
                    }
                    None => return Ok(false),
                },
            }
        }
    }
}

fn parts(named: &str) -> Vec<Part> {
    let letters: Vec<char> = named.chars().collect();
    let mut parts = Vec::with_capacity(letters.len());
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        at += 1;
        match letter {
            '*' => {
                if parts.last() != Some(&Part::Star) {
                    parts.push(Part::Star);
                }
            }
            '?' => parts.push(Part::One),
            '[' => match class(&letters, at) {
                Some((class, behind)) => {
                    parts.push(class);
                    at = behind;
                }
                None => parts.push(Part::Letter('[')),
            },
            other => parts.push(Part::Letter(*other)),
        }
    }
    parts
}

/// Parses the characters after `[` up to `]`. Also returns the position after it. A first `^`
/// negates the class, and a first `]` is literal.
fn class(letters: &[char], start: usize) -> Option<(Part, usize)> {
    let negated = letters.get(start) == Some(&'^');
    let first = start + usize::from(negated);
    let mut at = first;
    let mut ranges = Vec::new();
    loop {
        let letter = *letters.get(at)?;
        if letter == ']' && at > first {
            return Some((Part::Class { negated, ranges }, at + 1));
        }
        let end = (letters.get(at + 1) == Some(&'-'))
            .then(|| letters.get(at + 2).copied())
            .flatten()
            .filter(|end| *end != ']');
        ranges.push((letter, end.unwrap_or(letter)));
        at += if end.is_some() { 3 } else { 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(named: &str, path: &str) -> bool {
        let patterns = [PathPattern::parse(named).unwrap()];
        Matcher::new(&patterns).fits(path).unwrap()
    }

    #[test]
    fn a_folder_is_all_that_is_in_it() {
        for (named, path, expected) in [
            ("src/api/", "src/api", true),
            ("src/api/", "src/api/deep/a.rs", true),
            ("src/api", "src/api2/a.rs", false),
            ("./src", "src/a.rs", true),
            (".", "any/where", true),
            ("", "any/where", true),
            ("src/[a].rs", "src/[a].rs", true),
            ("src/[a].rs", "src/a.rs", false),
        ] {
            assert_eq!(fits(named, path), expected, "{named} {path}");
        }
    }

    #[test]
    fn a_star_is_anything() {
        for (named, path, expected) in [
            ("src/**/*.rs", "src/a/b.rs", true),
            ("src/**/*.rs", "src/b.rs", false),
            ("src/*.rs", "src/a/b.rs", true),
            ("src/*.rs", "src2/b.rs", false),
            ("*.rs", "a.rs.txt", false),
            ("*/lib.rs", "a/src/lib.rs", true),
            ("*a*b*", "xaxxb", true),
            ("*a*b*", "xbxxa", false),
            ("a?.rs", "a\u{e4}.rs", true),
            ("a?.rs", "a.rs", false),
            ("*/[[]id].tsx", "pages/[id].tsx", true),
            ("*/[[]id].tsx", "pages/i.tsx", false),
            ("src/[ab]*", "src/b.rs", true),
            ("src/[ab]*", "src/c.rs", false),
            ("src/[a-c]?.rs", "src/b1.rs", true),
            ("src/[^a-c]*", "src/b1.rs", false),
            ("src/[^a-c]*", "src/d", true),
            ("[]]*", "]a", true),
            ("[*", "[a", true),
        ] {
            assert_eq!(fits(named, path), expected, "{named} {path}");
        }
    }

    #[test]
    fn the_literal_front_of_a_pattern_is_a_folder() {
        for (named, folder) in [
            ("src/api/*.rs", Some("src/api")),
            ("src/api*", Some("src")),
            ("src/[ab]/x*", Some("src")),
            ("*.rs", None),
            ("src/api", Some("src/api")),
        ] {
            assert_eq!(PathPattern::parse(named).unwrap().folder(), folder);
        }
    }

    #[test]
    fn a_pattern_that_compares_for_ever_is_refused() {
        assert!(PathPattern::parse(&"a".repeat(MAX_PATH_BYTES + 1)).is_err());
        let patterns = [PathPattern::parse(&format!("*{}b", "a".repeat(500))).unwrap()];
        let path = "a".repeat(1_000);
        let mut matcher = Matcher::new(&patterns);
        let refused = (0..10_000).find_map(|_| matcher.fits(&path).err());
        assert_eq!(refused.unwrap().code(), "INVALID_ARGUMENT");
    }
}
