//! The endpoints of the MCP server: a part of the product, the graph of a conversation, or a code workspace.

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
    /// `/mcp/code/{workspace}`.
    Code {
        /// The workspace, whose name was checked.
        workspace: String,
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
            Self::Code { workspace, access } => match access {
                Access::Full => format!("code/{workspace}"),
                Access::ReadOnly => format!("code/{workspace}/readonly"),
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
        let code = |workspace: &str, access| Endpoint::Code {
            workspace: workspace.to_owned(),
            access,
        };
        let mut names = vec![
            Endpoint::Product(Profile::Full).name(),
            graph("a", Access::Full).name(),
            graph("a", Access::ReadOnly).name(),
            graph("b", Access::Full).name(),
            graph("readonly", Access::Full).name(),
            code("a", Access::Full).name(),
            code("a", Access::ReadOnly).name(),
        ];
        names.extend(Profile::NAMED.map(|(_, profile)| Endpoint::Product(profile).name()));
        let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
    }
}
