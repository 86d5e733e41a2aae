//! A stream of pieces that sequential code sends, each when the reader requests it.
//!
//! The code is an async block, so it may borrow from its own variables: an export borrows the
//! session that it reads. It pauses at each [`Outlet::send`] until the reader requests more, and is
//! dropped when the reader goes away.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures::Stream;

use base::Result;

type Slot = Rc<Cell<Option<Vec<u8>>>>;

/// The end at which the code sends its pieces.
pub struct Outlet {
    slot: Slot,
}

impl Outlet {
    /// Sends a piece, and waits until the reader requests the next.
    pub async fn send(&self, piece: Vec<u8>) {
        self.slot.set(Some(piece));
        futures::pending!();
    }
}

/// The stream.
pub struct Pieces {
    slot: Slot,
    /// The code; `None` once it has ended.
    code: Option<Pin<Box<dyn Future<Output = Result<()>>>>>,
}

/// Makes the stream of the pieces that `code` sends. An error of `code` ends it.
pub fn pieces<F: Future<Output = Result<()>> + 'static>(code: impl FnOnce(Outlet) -> F) -> Pieces {
    let slot = Slot::default();
    let code = Box::pin(code(Outlet {
        slot: Rc::clone(&slot),
    }));
    Pieces {
        slot,
        code: Some(code),
    }
}

impl Stream for Pieces {
    type Item = Result<Vec<u8>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(code) = &mut self.code else {
            return Poll::Ready(None);
        };
        let progress = code.as_mut().poll(context);
        if progress.is_ready() {
            self.code = None;
        }
        match (self.slot.take(), progress) {
            (Some(piece), _) => Poll::Ready(Some(Ok(piece))),
            (None, Poll::Pending) => Poll::Pending,
            (None, Poll::Ready(Ok(()))) => Poll::Ready(None),
            (None, Poll::Ready(Err(error))) => Poll::Ready(Some(Err(error))),
        }
    }
}
