//! The pool of warm isolates: those that runs with `reuse` keep for later runs.
//!
//! The loader finds an isolate by its name, and all objects of a deployment share one namespace. So
//! a name contains the object's own name (tenant and session), the hash of the code, and a random
//! part. Without the random part, a later run could find an isolate that misbehaved.

use std::cell::RefCell;
use std::rc::Rc;

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::limits::MAX_KEPT_ISOLATES;

/// The warm isolates of one object, the most recently used one last.
#[derive(Debug, Default)]
pub struct IsolatePool(RefCell<Vec<Isolate>>);

#[derive(Debug)]
struct Isolate {
    hash: String,
    name: String,
    busy: bool,
}

/// The use of a warm isolate by one run. Dropping it deletes the isolate; [`Lease::give_back`]
/// keeps it for the next run.
#[derive(Debug)]
pub struct Lease {
    isolates: Rc<IsolatePool>,
    name: String,
}

impl IsolatePool {
    /// Leases the isolate for this code, or returns nothing if another run is using it.
    pub fn lease(self: &Rc<Self>, object: &str, module: &str) -> Option<Lease> {
        let hash = const_hex::encode(Sha256::digest(module.as_bytes()));
        let mut isolates = self.0.borrow_mut();
        let name = match isolates.iter().position(|isolate| isolate.hash == hash) {
            Some(index) => {
                if isolates.get(index).is_some_and(|isolate| isolate.busy) {
                    return None;
                }
                let mut isolate = isolates.remove(index);
                isolate.busy = true;
                let name = isolate.name.clone();
                isolates.push(isolate);
                name
            }
            None => {
                if isolates.len() >= MAX_KEPT_ISOLATES {
                    let oldest = isolates.iter().position(|isolate| !isolate.busy)?;
                    isolates.remove(oldest);
                }
                let name = format!("{object}/{hash}/{}", Uuid::new_v4());
                isolates.push(Isolate {
                    hash,
                    name: name.clone(),
                    busy: true,
                });
                name
            }
        };
        Some(Lease {
            isolates: Rc::clone(self),
            name,
        })
    }

    /// Deletes all isolates, for example when the session ends.
    pub fn forget(&self) {
        self.0.borrow_mut().clear();
    }
}

impl Lease {
    /// Returns the name for the loader.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the isolate to the pool after a run that ended normally.
    pub fn give_back(self) {
        let mut isolates = self.isolates.0.borrow_mut();
        if let Some(isolate) = isolates
            .iter_mut()
            .find(|isolate| isolate.name == self.name)
        {
            isolate.busy = false;
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut isolates = self.isolates.0.borrow_mut();
        isolates.retain(|isolate| isolate.name != self.name || !isolate.busy);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(lease: &Option<Lease>) -> String {
        lease.as_ref().unwrap().name().to_owned()
    }

    #[test]
    fn equal_code_finds_its_isolate_again_and_no_other_does() {
        let kept = Rc::new(IsolatePool::default());
        let first = kept.lease("acme/s", "a");
        let name_of_first = name(&first);
        first.unwrap().give_back();
        assert_eq!(name(&kept.lease("acme/s", "a")), name_of_first);
        assert_ne!(name(&kept.lease("acme/s", "b")), name_of_first);
        assert!(name_of_first.starts_with("acme/s/"));
    }

    #[test]
    fn an_isolate_in_use_is_not_shared() {
        let kept = Rc::new(IsolatePool::default());
        let _first = kept.lease("acme/s", "a");
        assert!(kept.lease("acme/s", "a").is_none());
    }

    #[test]
    fn an_isolate_that_was_not_given_back_is_never_found_again() {
        let kept = Rc::new(IsolatePool::default());
        let first = kept.lease("acme/s", "a");
        let name_of_first = name(&first);
        drop(first);
        assert_ne!(name(&kept.lease("acme/s", "a")), name_of_first);
    }

    #[test]
    fn the_one_used_longest_ago_makes_room() {
        let kept = Rc::new(IsolatePool::default());
        let lease = |code: &str| {
            let lease = kept.lease("acme/s", code).unwrap();
            let name = lease.name().to_owned();
            lease.give_back();
            name
        };
        let names: Vec<String> = (0..MAX_KEPT_ISOLATES)
            .map(|n| lease(&n.to_string()))
            .collect();
        assert_eq!(lease("0"), names[0]);
        lease("one more");
        assert_ne!(lease("1"), names[1]);
        assert_eq!(lease("0"), names[0]);
        assert_eq!(kept.0.borrow().len(), MAX_KEPT_ISOLATES);
    }
}
