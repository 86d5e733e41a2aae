//! The command line, and the places of files.

use std::path::PathBuf;

use crate::analytic::tables::Variant;
use test_support::analytic::{Named, runaway, statements};

/// The error that ends a command.
pub type Failure = Box<dyn std::error::Error>;

/// The task of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Make the databases.
    Build,
    /// Run the statements.
    Truth,
    /// Compare estimates with the runs.
    Judge,
    /// Time each kind of work.
    Speed,
    /// Run random statements.
    Random,
    /// Try statements that must be refused.
    Runaway,
}

/// The command line.
#[derive(Debug)]
pub struct Options {
    /// The command.
    pub command: Command,
    /// The number of rows in the largest tables.
    pub rows: u64,
    /// Seconds after which a statement is stopped.
    pub cut_off_s: f64,
    /// The limit of the gate, if it is not the product's own.
    pub limit: Option<u64>,
    /// True to print every statement, false to print only those that need attention.
    pub all: bool,
    /// The file for the results that `bench/work.mjs` reads.
    pub json: Option<PathBuf>,
    /// A part of the names of the statements to run.
    pub only: Option<String>,
    /// The first seed of random statements.
    pub first_seed: u64,
    /// The number of seeds.
    pub seeds: u64,
    variant: Option<Variant>,
}

const DEFAULT_ROWS: u64 = 1_000_000;
const DEFAULT_CUT_OFF_S: f64 = 10.0;
const DEFAULT_SEEDS: u64 = 100;

impl Options {
    /// Reads the words of the command line.
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let command = match words.next().as_deref() {
            Some("build") => Command::Build,
            Some("truth") => Command::Truth,
            Some("judge") => Command::Judge,
            Some("speed") => Command::Speed,
            Some("random") => Command::Random,
            Some("runaway") => Command::Runaway,
            other => {
                return Err(format!(
                    "name a command: build, truth, judge, speed, random or runaway, not {other:?}"
                )
                .into());
            }
        };
        let mut options = Self {
            command,
            rows: DEFAULT_ROWS,
            cut_off_s: DEFAULT_CUT_OFF_S,
            limit: None,
            all: false,
            json: None,
            only: None,
            first_seed: 0,
            seeds: DEFAULT_SEEDS,
            variant: None,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--rows" => options.rows = value()?.parse()?,
                "--cut-off" => options.cut_off_s = value()?.parse()?,
                "--limit" => options.limit = Some(value()?.parse()?),
                "--all" => options.all = true,
                "--first" => options.first_seed = value()?.parse()?,
                "--seeds" => options.seeds = value()?.parse()?,
                "--json" => options.json = Some(value()?.into()),
                "--only" => options.only = Some(value()?),
                "--variant" => {
                    let name = value()?;
                    let known = Variant::ALL
                        .into_iter()
                        .find(|variant| variant.name() == name);
                    options.variant = Some(known.ok_or_else(|| format!("no variant {name}"))?);
                }
                _ => return Err(format!("unknown option {word}").into()),
            }
        }
        Ok(options)
    }

    /// Returns the chosen variants.
    pub fn variants(&self) -> impl Iterator<Item = Variant> {
        Variant::ALL
            .into_iter()
            .filter(|variant| self.variant.is_none_or(|wanted| wanted == *variant))
    }

    /// Returns the chosen statements.
    pub fn statements(&self) -> Vec<Named> {
        let wanted = |named: &Named| {
            self.only
                .as_ref()
                .is_none_or(|part| named.name.contains(part.as_str()))
        };
        let all = match self.command {
            Command::Runaway => runaway(),
            _ => statements(),
        };
        all.into_iter().filter(wanted).collect()
    }

    /// Returns the folder of databases and results, and creates it if necessary.
    pub fn folder() -> Result<PathBuf, Failure> {
        let cache =
            std::env::var_os("CODEMODE_CACHE").map_or_else(std::env::temp_dir, PathBuf::from);
        let folder = cache.join("work");
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Returns the path of a variant's database.
    pub fn database(&self, variant: Variant) -> Result<PathBuf, Failure> {
        Ok(Self::folder()?.join(format!("{}-{}.sqlite", variant.name(), self.rows)))
    }

    /// Returns the path of the results of a variant's runs.
    pub fn results(&self, variant: Variant) -> Result<PathBuf, Failure> {
        Ok(Self::folder()?.join(format!("{}-{}.tsv", variant.name(), self.rows)))
    }
}
