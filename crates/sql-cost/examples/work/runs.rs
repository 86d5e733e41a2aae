//! The results of running statements, and the file that stores them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::options::Failure;

/// One run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// True if it ended before the cut-off.
    pub finished: bool,
    /// The time that it took, or the cut-off.
    pub seconds: f64,
    /// The number of instructions of the virtual machine.
    pub opcodes: u64,
    /// A fingerprint of the text that ran, so that a changed statement is run again.
    pub fingerprint: u64,
}

/// Runs, by the name of their statement.
pub type Runs = BTreeMap<String, Run>;

/// Returns the FNV-1a hash of a text, with 64 bits.
pub fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Reads the file. If there is no file, there are no runs.
pub fn load(path: &Path) -> Result<Runs, Failure> {
    if !path.exists() {
        return Ok(Runs::new());
    }
    let mut runs = Runs::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, finished, seconds, opcodes, fingerprint] = fields[..] else {
            return Err(format!("{}: {line}", path.display()).into());
        };
        let run = Run {
            finished: finished == "finished",
            seconds: seconds.parse()?,
            opcodes: opcodes.parse()?,
            fingerprint: fingerprint.parse()?,
        };
        runs.insert(name.to_owned(), run);
    }
    Ok(runs)
}

/// Writes the file.
pub fn save(path: &Path, runs: &Runs) -> Result<(), Failure> {
    let mut text = String::new();
    for (name, run) in runs {
        let finished = if run.finished { "finished" } else { "cut off" };
        writeln!(
            text,
            "{name}\t{finished}\t{:.3}\t{}\t{}",
            run.seconds, run.opcodes, run.fingerprint
        )?;
    }
    std::fs::write(path, text)?;
    Ok(())
}
