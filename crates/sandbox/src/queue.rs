//! The queue of programs: decides which program may run now, and the order of the others.

use crate::SandboxError;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use futures::channel::oneshot;

use crate::limits::{MAX_OBJECT_ISOLATES, MAX_WAITING_EXECUTIONS};
use base::{Error, Result};

/// The isolates of one object.
#[derive(Debug, Default)]
pub struct Queue {
    active: Cell<usize>,
    waiting: RefCell<VecDeque<oneshot::Sender<Permit>>>,
}

/// The right to run one program. Dropping it passes it to the next program.
#[derive(Debug)]
pub struct Permit(Option<Rc<Queue>>);

/// A place in the queue. Dropping it leaves the queue.
#[derive(Debug)]
pub enum Entry {
    /// A permit without waiting.
    Free(Permit),
    /// A channel that delivers the permit when it is this program's turn.
    Wait(oneshot::Receiver<Permit>),
}

impl Queue {
    /// Returns true if no program runs or waits.
    pub fn is_idle(&self) -> bool {
        self.active.get() == 0
    }

    /// Takes a place in the queue.
    ///
    /// # Errors
    /// [`SandboxError::SandboxBusy`] if too many programs already wait.
    pub fn enter(self: &Rc<Self>) -> Result<Entry> {
        if self.active.get() < MAX_OBJECT_ISOLATES {
            self.active.set(self.active.get() + 1);
            return Ok(Entry::Free(Permit(Some(Rc::clone(self)))));
        }
        let mut waiting = self.waiting.borrow_mut();
        waiting.retain(|place| !place.is_canceled());
        if waiting.len() >= MAX_WAITING_EXECUTIONS {
            return Err(Error::from(SandboxError::SandboxBusy {
                message: format!(
                    "{MAX_OBJECT_ISOLATES} programs of this session are running and {MAX_WAITING_EXECUTIONS} are waiting"
                ),
            }));
        }
        let (sender, receiver) = oneshot::channel();
        waiting.push_back(sender);
        Ok(Entry::Wait(receiver))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(queue) = self.0.take() else { return };
        loop {
            let next = queue.waiting.borrow_mut().pop_front();
            let Some(next) = next else { break };
            match next.send(Permit(Some(Rc::clone(&queue)))) {
                Ok(()) => return,
                // The waiting program is gone. The channel returns this same permit, which must not
                // be passed on a second time.
                Err(mut unwanted) => unwanted.0 = None,
            }
        }
        queue.active.set(queue.active.get().saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn free(queue: &Rc<Queue>) -> Permit {
        match queue.enter().unwrap() {
            Entry::Free(permit) => permit,
            Entry::Wait(_) => panic!("no slot was free"),
        }
    }

    fn wait(queue: &Rc<Queue>) -> oneshot::Receiver<Permit> {
        match queue.enter().unwrap() {
            Entry::Wait(receiver) => receiver,
            Entry::Free(_) => panic!("a slot was free"),
        }
    }

    fn full(queue: &Rc<Queue>) -> Vec<Permit> {
        (0..MAX_OBJECT_ISOLATES).map(|_| free(queue)).collect()
    }

    #[test]
    fn places_are_given_in_order() {
        let queue = Rc::new(Queue::default());
        let mut running = full(&queue);
        let (first, second) = (wait(&queue), wait(&queue));
        running.pop();
        let permit = first.now_or_never().unwrap().unwrap();
        let mut second = second;
        assert!(second.try_recv().unwrap().is_none());
        drop(permit);
        assert!(second.try_recv().unwrap().is_some());
    }

    #[test]
    fn who_has_gone_is_passed_over_and_leaks_no_place() {
        let queue = Rc::new(Queue::default());
        let mut running = full(&queue);
        drop(wait(&queue));
        let last = wait(&queue);
        running.pop();
        drop(last.now_or_never().unwrap().unwrap());
        drop(running);
        assert_eq!(queue.active.get(), 0);
        assert_eq!(full(&queue).len(), MAX_OBJECT_ISOLATES);
    }

    #[test]
    fn a_permit_that_nobody_took_out_of_its_channel_is_free_again() {
        let queue = Rc::new(Queue::default());
        let running = full(&queue);
        let receiver = wait(&queue);
        drop(running);
        drop(receiver);
        assert_eq!(queue.active.get(), 0);
    }

    #[test]
    fn the_line_has_an_end() {
        let queue = Rc::new(Queue::default());
        let _running = full(&queue);
        let _waiting: Vec<_> = (0..MAX_WAITING_EXECUTIONS).map(|_| wait(&queue)).collect();
        assert_eq!(queue.enter().unwrap_err().code(), "SANDBOX_BUSY");
    }
}
