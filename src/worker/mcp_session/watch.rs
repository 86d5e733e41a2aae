//! Notifies a client of changes: of the resources that it has subscribed to, and of the lists.

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::{Either, abortable, select};
use wasm_bindgen_futures::spawn_local;
use worker::Delay;

use super::super::object::Object;
use super::Client;
use super::serve::FrontRequest;
use crate::limits::HEARTBEAT_MS;
use mcp::server::rpc::render_notification;
use mcp::server::session::{self, STANDALONE};
use mcp::server::{Filter, Service};

impl Object<Client> {
    /// Watches the client's present subscriptions for as long as it is connected, and stops the
    /// earlier watcher.
    pub(super) fn watch_again(self: &Rc<Self>, asked: &Rc<FrontRequest>) {
        let (object, asked) = (Rc::clone(self), Rc::clone(asked));
        let (watching, handle) = abortable(async move { object.watch(&asked).await });
        if let Some(before) = self.kind.watcher.replace(Some(handle)) {
            before.abort();
        }
        spawn_local(async move {
            let _stopped = watching.await;
        });
    }

    async fn watch(self: Rc<Self>, asked: &FrontRequest) {
        let Ok(uris) = session::subscriptions(&self.database()) else {
            return;
        };
        let Ok(service) = self.service(asked) else {
            return;
        };
        let wanted = Filter {
            tools: true,
            prompts: true,
            resources: true,
            uris,
        };
        let wanted = service.agreed(&wanted);
        let Ok(mut changes) = service.watch(&wanted).await else {
            return;
        };
        loop {
            let look = pin!(Delay::from(Duration::from_millis(HEARTBEAT_MS.into())));
            let next = select(changes.next(), look).await;
            let is_heard = {
                let live = self.kind.live.borrow();
                live.get(&STANDALONE).is_some_and(|pipe| !pipe.is_closed())
            };
            // No client is connected: watching begins again with the next stream.
            if !is_heard {
                return;
            }
            match next {
                Either::Left((Some(change), _)) if change.is_wanted(&wanted) => {
                    let message = render_notification(change.method(), &change.params(None));
                    self.tell(STANDALONE, &message);
                }
                Either::Left((None, _)) => return,
                _ => {}
            }
        }
    }
}
