//! The endpoints of the MCP server: a part of the product, or the graph of a conversation.

use crate::Profile;
use crate::graph::Access;

/// What a URL leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// `/mcp` and `/mcp/{profile}`.
    Product(Profile),
    /// `/mcp/graph/{conversationId}`.
    Graph {
        /// The conversation, whose name was checked.
        conversation: String,
        /// What its caller may do.
        access: Access,
    },
}

impl Endpoint {
    /// What the session of a client remembers of it, so that it serves no other endpoint. No two endpoints have the same.
    pub fn name(&self) -> String {
        match self {
            Self::Product(profile) => profile.name().to_owned(),
            Self::Graph {
                conversation,
                access,
            } => match access {
                Access::Full => format!("graph/{conversation}"),
                Access::ReadOnly => format!("graph/{conversation}/readonly"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_endpoint_has_a_name_of_its_own() {
        let graph = |conversation: &str, access| Endpoint::Graph {
            conversation: conversation.to_owned(),
            access,
        };
        let mut names = vec![
            Endpoint::Product(Profile::Full).name(),
            graph("a", Access::Full).name(),
            graph("a", Access::ReadOnly).name(),
            graph("b", Access::Full).name(),
            graph("readonly", Access::Full).name(),
        ];
        names.extend(Profile::NAMED.map(|(_, profile)| Endpoint::Product(profile).name()));
        let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
    }
}
