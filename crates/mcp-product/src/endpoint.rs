//! The endpoints of the MCP server: a profile of the product, the graph of a conversation, or a
//! code workspace.

use crate::Profile;
use crate::graph::Access;

/// An endpoint, as a URL names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// `/mcp` and `/mcp/{profile}`.
    Product(Profile),
    /// `/mcp/graph/{conversationId}`.
    Graph {
        /// The conversation, with a valid name.
        conversation: String,
        /// The access of the caller.
        access: Access,
    },
    /// `/mcp/code/{workspace}`.
    Code {
        /// The workspace, with a valid name.
        workspace: String,
        /// The access of the caller.
        access: Access,
    },
}

impl Endpoint {
    /// Returns the unique name of the endpoint. The session of a client stores it, so that it is
    /// not used at another endpoint.
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
