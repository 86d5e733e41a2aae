//! Lines for a terminal. Names and messages from a server cannot control the terminal.

use std::io::Write;

use base::quoted::{printed, visible};

use crate::limits::MAX_SHOWN_CHARACTERS;

/// Writes a line. Line breaks and control characters are replaced, because parts of the line come
/// from the server.
pub fn say(out: &mut dyn Write, line: &str) {
    // If the reader has closed the output, the work continues without it.
    drop(writeln!(out, "{}", visible(line)));
}

/// Returns a foreign name or message in a form that is safe within a line.
pub fn named(text: &str) -> String {
    printed(text, MAX_SHOWN_CHARACTERS)
}
