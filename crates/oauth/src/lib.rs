//! OAuth 2.1 as a resource server: the tenant of a request by an access token of a configured issuer.
//!
//! `settings` reads the environment variables, `resource` makes what clients discover the issuer by (RFC 9728 and the header
//! `WWW-Authenticate`), `token` and `claims` judge a token, `documents` and `discovery` ask the issuer for its keys, `key_memory` says when,
//! and `verification` joins them. Signatures are the platform's: the crate says which token with which keys, and reads the outcome.

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
