//! OAuth 2.1 for a resource server: finds the tenant of a request from an access token of a
//! configured issuer.
//!
//! `settings` reads the environment variables. `resource` renders the metadata (RFC 9728) and the
//! header `WWW-Authenticate` through which clients discover the issuer. `token` and `claims` judge
//! a token. `documents` and `discovery` fetch the keys of the issuer, `key_memory` decides when,
//! and `verification` combines all of these. The platform verifies signatures: this crate chooses
//! token and keys, and reads the result.

pub mod claims;
mod discovery;
mod documents;
mod error;
mod key_memory;
pub mod limits;
pub mod resource;
mod settings;
mod token;
mod verification;

pub use claims::Holder;
pub use error::{OauthError, codes};
pub use key_memory::KeyMemory;
pub use settings::Settings;
pub use token::{TokenProblem, looks_like_a_jwt};
pub use verification::{ALGORITHMS, Signatures, Verification};
