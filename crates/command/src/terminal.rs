//! Lines for a terminal. Texts of others, such as names and messages of a server, stand in them without effect.

use std::io::Write;

use base::quoted::{printed, visible};

use crate::limits::MAX_SHOWN_CHARACTERS;

/// Writes a line, without what would end it or command a terminal: parts of it come from the server.
pub fn say(out: &mut dyn Write, line: &str) {
    // Whoever closed the output wants no more of it; the work goes on.
    drop(writeln!(out, "{}", visible(line)));
}

/// Returns a name or message of others as a part of a line.
pub fn named(text: &str) -> String {
    printed(text, MAX_SHOWN_CHARACTERS)
}
