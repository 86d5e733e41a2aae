//! The command `codemode`: [`run`] parses the arguments and executes them.
//!
//! `arguments` has the command line, `client` sends requests to the server, `directory` reads and
//! replaces files, `memory` keeps the state that the command saves between two runs, and
//! `comparison` finds differences. `sync`, `watch`, `apply` and `status` are the commands;
//! `approved` finds the approved edits that are not on disk. The crate runs on people's machines
//! and is not part of the Worker, with which it shares the crate `code-model` for hashes, paths and
//! limits.

mod apply;
pub mod approved;
pub mod arguments;
pub mod client;
pub mod comparison;
pub mod directory;
pub mod failure;
pub mod limits;
pub mod memory;
mod status;
mod sync;
mod terminal;
mod watch;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser;

use arguments::{Action, Arguments, Server};
use client::Client;
use directory::{Directory, Hashes};
use failure::{Ending, Result};
use sync::UnwrittenEdits;
use terminal::say;

/// Runs the command. Results are written to `out`, errors to `err`.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Ending {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let ending = if error.use_stderr() {
                Ending::Usage
            } else {
                Ending::Done
            };
            let to: &mut dyn Write = if error.use_stderr() { err } else { out };
            for line in error.render().to_string().trim_end().lines() {
                say(to, line);
            }
            return ending;
        }
    };
    match act(&arguments.action, out, err) {
        Ok(ending) => ending,
        Err(failure) => {
            say(err, &format!("error: {failure}"));
            if let Some(hint) = failure.hint() {
                say(err, &format!("hint: {hint}"));
            }
            failure.ending()
        }
    }
}

fn act(action: &Action, out: &mut dyn Write, err: &mut dyn Write) -> Result<Ending> {
    match action {
        Action::Sync {
            directory,
            server,
            watch,
            overwrite,
        } => {
            let (client, directory) = (connect(server)?, Directory::open(directory)?);
            let unwritten = if *overwrite {
                UnwrittenEdits::Overwrite
            } else {
                UnwrittenEdits::LeaveOut
            };
            if *watch {
                return watch::watch(&client, &directory, unwritten, (out, err));
            }
            sync::sync(&client, &directory, &mut Hashes::default(), unwritten, out)
                .map(|(ending, _)| ending)
        }
        Action::Apply {
            request,
            directory,
            server,
        } => {
            let (client, directory) = (connect(server)?, Directory::open(directory)?);
            apply::apply(&client, &directory, request.as_deref(), out)
        }
        Action::Status { directory, server } => {
            let (client, directory) = (connect(server)?, Directory::open(directory)?);
            status::status(&client, &directory, out)
        }
    }
}

fn connect(server: &Server) -> Result<Client> {
    // An empty environment variable counts as unset.
    let token = server.token.as_deref().filter(|token| !token.is_empty());
    Client::new(&server.url, &server.workspace, token)
}
