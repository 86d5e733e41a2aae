//! The profiles: parts of the product that a URL can name. `/mcp` is all of it, `/mcp/{profile}`
//! one part.

use base::known::{self, Given};
use base::{Error, Result};

/// A part of the product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// All tools.
    Full,
    /// A program and a search for tools: the fewest tokens, for hosts with many servers.
    Compact,
    /// Only tools that change nothing.
    ReadOnly,
    /// The session database.
    Database,
    /// Programs and the tools of other servers.
    Code,
}

impl Profile {
    /// The profiles that a URL can name, with their names.
    pub const NAMED: [(&'static str, Self); 4] = [
        ("compact", Self::Compact),
        ("readonly", Self::ReadOnly),
        ("database", Self::Database),
        ("code", Self::Code),
    ];

    /// Parses the last part of a path; without it the profile is full.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] with the nearest name.
    pub fn parse(name: Option<&str>) -> Result<Self> {
        let Some(name) = name else {
            return Ok(Self::Full);
        };
        let found = Self::NAMED.iter().find(|(known, _)| *known == name);
        found.map(|(_, profile)| *profile).ok_or_else(|| {
            let names: Vec<&str> = Self::NAMED.iter().map(|(name, _)| *name).collect();
            let hint = known::unknown(Given::Parameter, name, &names, "").hint();
            Error::from(base::CommonError::InvalidArgument {
                message: format!(
                    "there is no MCP endpoint /mcp/{}",
                    base::text::first(name, 80)
                ),
                hint: hint.map(|hint| hint.replace("parameters", "profiles")),
            })
        })
    }

    /// Returns the name in a URL; empty for the full profile.
    pub fn name(self) -> &'static str {
        let found = Self::NAMED.iter().find(|(_, profile)| *profile == self);
        found.map_or("", |(name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_a_part_of_the_product() {
        assert_eq!(Profile::parse(None).unwrap(), Profile::Full);
        for (name, profile) in Profile::NAMED {
            assert_eq!(Profile::parse(Some(name)).unwrap(), profile);
            assert_eq!(profile.name(), name);
        }
        let error = Profile::parse(Some("read-only")).unwrap_err();
        assert_eq!(error.hint().as_deref(), Some("did you mean `readonly`?"));
    }
}
