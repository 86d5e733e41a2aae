//! The service of an endpoint: the product for a caller, with a session for calls that name none.
//! Test builds also serve the fixtures of the conformance tests.

use std::borrow::Cow;
use std::rc::Rc;

use futures::stream::LocalBoxStream;
use serde_json::Value;

use super::backend::WorkerBackend;
use crate::config::Config;
use mcp::server::{Change, Description, Fault, Filter, Outcome, Request, Service};
use mcp_product::{CodeProduct, CodeTerms, Endpoint, GraphProduct, GraphTerms, Product, Terms};

/// A service that handles the requests of a caller.
pub enum Served {
    /// The product.
    Product(Box<Product<WorkerBackend>>),
    /// The graph of a conversation.
    Graph(Box<GraphProduct<WorkerBackend>>),
    /// A code workspace.
    Code(Box<CodeProduct<WorkerBackend>>),
    /// The fixtures that the conformance tests expect.
    #[cfg(feature = "fault-injection")]
    Fixtures(mcp_conformance::Fixtures<super::super::servers::Time>),
}

#[cfg(feature = "fault-injection")]
thread_local! {
    static INSTANCE: Rc<mcp_conformance::Instance> =
        Rc::new(mcp_conformance::Instance::new(b"a secret of test builds"));
}

/// Makes the service of a caller at the endpoint of this path.
pub fn served(
    path: &str,
    backend: WorkerBackend,
    config: &Rc<Config>,
    endpoint: Endpoint,
    session: String,
) -> Served {
    #[cfg(feature = "fault-injection")]
    if path == crate::api::routes::MCP_CONFORMANCE {
        let instance = INSTANCE.with(Rc::clone);
        let clock = super::super::servers::Time;
        return Served::Fixtures(mcp_conformance::Fixtures::new(clock, instance));
    }
    #[cfg(not(feature = "fault-injection"))]
    let _only_in_test_builds = path;
    let max_tokens = config.mcp.max_result_tokens;
    let model_may_decide = config.agent.of(&backend.tenant).model_may_decide;
    match endpoint {
        Endpoint::Product(profile) => Served::Product(Box::new(Product {
            backend,
            terms: Terms {
                profile,
                session,
                max_tokens,
                confirm: config.mcp.confirm,
                model_may_decide,
            },
        })),
        Endpoint::Graph {
            conversation,
            access,
        } => Served::Graph(Box::new(GraphProduct {
            backend,
            terms: GraphTerms {
                conversation,
                access,
                max_tokens,
            },
        })),
        Endpoint::Code { workspace, access } => Served::Code(Box::new(CodeProduct {
            backend,
            terms: CodeTerms {
                workspace,
                access,
                session,
                max_tokens,
                model_may_decide,
            },
        })),
    }
}

impl Service for Served {
    fn description(&self) -> Description {
        match self {
            Self::Product(product) => product.description(),
            Self::Graph(product) => product.description(),
            Self::Code(product) => product.description(),
            #[cfg(feature = "fault-injection")]
            Self::Fixtures(fixtures) => fixtures.description(),
        }
    }

    fn header_schema(&self, tool: &str) -> Option<Cow<'_, Value>> {
        match self {
            Self::Product(product) => product.header_schema(tool),
            Self::Graph(product) => product.header_schema(tool),
            Self::Code(product) => product.header_schema(tool),
            #[cfg(feature = "fault-injection")]
            Self::Fixtures(fixtures) => fixtures.header_schema(tool),
        }
    }

    async fn serve(&self, request: &Request<'_>) -> Result<Outcome, Fault> {
        match self {
            Self::Product(product) => product.serve(request).await,
            Self::Graph(product) => product.serve(request).await,
            Self::Code(product) => product.serve(request).await,
            #[cfg(feature = "fault-injection")]
            Self::Fixtures(fixtures) => fixtures.serve(request).await,
        }
    }

    fn agreed(&self, filter: &Filter) -> Filter {
        match self {
            Self::Product(product) => product.agreed(filter),
            Self::Graph(product) => product.agreed(filter),
            Self::Code(product) => product.agreed(filter),
            #[cfg(feature = "fault-injection")]
            Self::Fixtures(fixtures) => fixtures.agreed(filter),
        }
    }

    async fn watch(&self, filter: &Filter) -> Result<LocalBoxStream<'static, Change>, Fault> {
        match self {
            Self::Product(product) => product.watch(filter).await,
            Self::Graph(product) => product.watch(filter).await,
            Self::Code(product) => product.watch(filter).await,
            #[cfg(feature = "fault-injection")]
            Self::Fixtures(fixtures) => fixtures.watch(filter).await,
        }
    }
}
