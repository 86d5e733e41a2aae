//! The fixtures, called as the protocol layer calls them.

mod changes;
mod sessions;
mod stateless;
mod world;
