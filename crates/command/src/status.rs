//! `codemode status`: shows the differences between directory and workspace, and pending proposals.

use std::io::Write;

use crate::approved::Standing;
use crate::client::Client;
use crate::comparison::compare;
use crate::directory::{Directory, Hashes};
use crate::failure::{Ending, Result};
use crate::sync::left_out_lines;
use crate::terminal::{named, say};

/// Prints the status. Nothing is sent, and no file of the directory is written.
///
/// # Errors
/// The errors of the server.
pub fn status(client: &Client, directory: &Directory, out: &mut dyn Write) -> Result<Ending> {
    let comparison = compare(client, directory, &mut Hashes::default())?;
    let (scan, held) = (&comparison.scan, &comparison.held);
    say(
        out,
        &format!("{} at version {}", client.address(), scan.version),
    );
    let is_free = |path: &&String| !held.contains_key(*path);
    let lists = [
        ("A", &scan.added),
        ("M", &scan.changed),
        ("D", &scan.deleted),
    ];
    for (letter, paths) in lists {
        for path in paths.iter().filter(is_free) {
            say(out, &format!("{letter} {}", named(path)));
        }
    }
    for (path, standing) in held {
        let shown = named(path);
        let mut steps = comparison.steps.0.iter().rev();
        let step = steps.find(|step| step.files.iter().any(|change| change.path.as_str() == path));
        let title = step
            .map(|step| format!(" ({})", step.title()))
            .unwrap_or_default();
        say(
            out,
            &match standing {
                Standing::Conflict => {
                    format!("! {shown}: an approved edit{title} conflicts with the file on disk")
                }
                Standing::Waiting(_) | Standing::Settled => {
                    format!("> {shown}: an approved edit{title} is not on disk: run codemode apply")
                }
            },
        );
    }
    for line in left_out_lines(&comparison.listing) {
        say(out, &line);
    }
    for reason in &comparison.listing.unread {
        say(out, &format!("not read: {reason}"));
    }
    let pending = client.proposals("pending")?;
    for proposal in &pending {
        let files: Vec<String> = proposal
            .files
            .iter()
            .map(|file| named(&file.file_path))
            .collect();
        let line = format!(
            "? {}: waits for a decision: {}",
            named(&proposal.request_id),
            files.join(", ")
        );
        say(out, &line);
    }
    let changes = lists
        .iter()
        .flat_map(|(_, paths)| paths.iter())
        .filter(is_free)
        .count();
    if changes == 0 && held.is_empty() {
        say(out, "directory and workspace are equal");
    }
    Ok(Ending::Done)
}
