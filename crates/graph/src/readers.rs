//! The readers that follow the changes of a graph. A reader is only woken and reads the changes
//! from the history, so a slow reader uses no memory here.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use base::{Error, Result};
use futures::StreamExt;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};

use crate::GraphError;
use crate::limits::MAX_GRAPH_READERS;

/// The readers of one graph.
#[derive(Debug, Default)]
pub struct Readers(RefCell<Vec<Bell>>);

/// A signal to one reader. However many changes there are before the reader looks, it is sent once.
#[derive(Debug)]
struct Bell {
    sender: UnboundedSender<()>,
    rung: Rc<Cell<bool>>,
}

impl Bell {
    fn ring(&self) {
        if !self.rung.replace(true) {
            // A reader that has left needs no signal.
            let _delivered = self.sender.unbounded_send(());
        }
    }
}

/// The waiting end of a reader's signal. Dropping it removes the reader.
#[derive(Debug)]
pub struct Waiting {
    bell: UnboundedReceiver<()>,
    rung: Rc<Cell<bool>>,
}

impl Waiting {
    /// Waits until there has been a change since it last returned. Returns at once if there has
    /// been one, or if the graph was deleted.
    pub async fn woken(&mut self) {
        self.bell.next().await;
        self.rung.set(false);
    }
}

impl Readers {
    /// Adds a reader.
    ///
    /// # Errors
    /// [`GraphError::TooManyReaders`].
    pub fn add(&self) -> Result<Waiting> {
        let mut bells = self.0.borrow_mut();
        bells.retain(|bell| !bell.sender.is_closed());
        if bells.len() >= MAX_GRAPH_READERS {
            return Err(Error::from(GraphError::TooManyReaders {
                limit: MAX_GRAPH_READERS,
            }));
        }
        let (sender, bell) = unbounded();
        let rung: Rc<Cell<bool>> = Rc::default();
        bells.push(Bell {
            sender,
            rung: Rc::clone(&rung),
        });
        Ok(Waiting { bell, rung })
    }

    /// Wakes all readers after a commit.
    pub fn changed(&self) {
        let mut bells = self.0.borrow_mut();
        bells.retain(|bell| !bell.sender.is_closed());
        for bell in bells.iter() {
            bell.ring();
        }
    }

    /// Wakes all readers for the last time, after the graph was deleted.
    pub fn deleted(&self) {
        for bell in self.0.take() {
            bell.ring();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn is_woken(waiting: &mut Waiting) -> bool {
        waiting.woken().now_or_never().is_some()
    }

    #[test]
    fn a_reader_is_woken_once_for_all_that_happened_before_it_looked() {
        let readers = Readers::default();
        let mut waiting = readers.add().unwrap();
        assert!(!is_woken(&mut waiting));
        for _ in 0..1_000 {
            readers.changed();
        }
        assert!(is_woken(&mut waiting));
        assert!(!is_woken(&mut waiting));
        readers.changed();
        assert!(is_woken(&mut waiting));
    }

    #[test]
    fn one_reader_more_than_a_graph_has_is_refused_until_one_leaves() {
        let readers = Readers::default();
        let mut all: Vec<Waiting> = (0..MAX_GRAPH_READERS)
            .map(|_| readers.add().unwrap())
            .collect();
        let error = readers.add().unwrap_err();
        assert_eq!(error.code(), "TOO_MANY_READERS");
        assert_eq!(error.to_json()["limit"], MAX_GRAPH_READERS);
        all.pop();
        all.push(readers.add().unwrap());
        assert!(readers.add().is_err());
        readers.changed();
        assert!(all.iter_mut().all(is_woken));
    }

    #[test]
    fn who_has_left_is_forgotten_and_the_others_are_woken() {
        let readers = Readers::default();
        let gone = readers.add().unwrap();
        let mut stays = readers.add().unwrap();
        drop(gone);
        readers.changed();
        assert!(is_woken(&mut stays));
        assert_eq!(readers.0.borrow().len(), 1);
    }

    #[test]
    fn the_end_of_the_graph_wakes_everybody_for_the_last_time() {
        let readers = Readers::default();
        let mut waiting = readers.add().unwrap();
        readers.deleted();
        assert!(is_woken(&mut waiting));
        let mut again = readers.add().unwrap();
        readers.changed();
        assert!(is_woken(&mut again));
    }
}
