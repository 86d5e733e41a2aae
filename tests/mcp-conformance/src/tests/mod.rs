//! The fixtures, driven as the protocol layer drives them.

mod changes;
mod sessions;
mod stateless;
mod world;
