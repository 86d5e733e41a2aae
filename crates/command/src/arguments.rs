//! The arguments of the command, with their help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Keeps a code workspace in step with a directory, and writes approved edits to disk.
#[derive(Debug, Parser)]
#[command(name = "codemode", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Arguments {
    /// The action to run.
    #[command(subcommand)]
    pub action: Action,
}

/// The actions of the command.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Send what changed in a directory to its workspace
    #[command(after_help = SYNC_EXAMPLES)]
    Sync {
        /// The directory
        #[arg(value_name = "DIR", default_value = ".")]
        directory: PathBuf,
        /// The server and the workspace
        #[command(flatten)]
        server: Server,
        /// Keep running, and send each change when it is made
        #[arg(long)]
        watch: bool,
        /// Also send files whose approved edit is not on disk; the edit is lost
        #[arg(long)]
        overwrite: bool,
    },
    /// Write approved edits, and reverted ones, to the directory
    #[command(after_help = APPLY_EXAMPLES)]
    Apply {
        /// Only the proposal with this request id
        #[arg(value_name = "REQUEST")]
        request: Option<String>,
        /// The directory
        #[arg(long = "dir", value_name = "DIR", default_value = ".")]
        directory: PathBuf,
        /// The server and the workspace
        #[command(flatten)]
        server: Server,
    },
    /// Show differences, approved edits that are not on disk, and proposals that wait for a
    /// decision
    Status {
        /// The directory
        #[arg(value_name = "DIR", default_value = ".")]
        directory: PathBuf,
        /// The server and the workspace
        #[command(flatten)]
        server: Server,
    },
}

/// The server, the workspace and the token.
#[derive(Debug, Args)]
pub struct Server {
    /// The address of the server
    #[arg(long, env = "CODEMODE_URL", value_name = "URL")]
    pub url: String,
    /// The name of the workspace
    #[arg(long, env = "CODEMODE_WORKSPACE", value_name = "NAME")]
    pub workspace: String,
    /// The token of the tenant, if the server asks for one; better in the environment, where other
    /// users do not see it
    #[arg(
        long,
        env = "CODEMODE_TOKEN",
        value_name = "TOKEN",
        hide_env_values = true
    )]
    pub token: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  export CODEMODE_URL=http://127.0.0.1:8787 CODEMODE_WORKSPACE=docs
  codemode sync .          send the changes
  codemode sync . --watch  send the changes, and keep running
  codemode status          show the differences and the pending proposals
  codemode apply           write approved edits to disk

Exit codes:
  0  everything was done
  1  some files were left unchanged; the output names them
  2  the arguments are invalid
  3  the server could not be reached, or the connection ended
  4  the server refused the request, or its response is invalid
  5  the file system refused an action";

const SYNC_EXAMPLES: &str = "\
Files that git ignores are left out, and symbolic links are not followed. A file of which an approved
edit is not on disk is not sent: run codemode apply first.

Examples:
  codemode sync . --url http://127.0.0.1:8787 --workspace docs
  CODEMODE_TOKEN=secret codemode sync ~/project --url https://db.example.com --workspace project --watch";

const APPLY_EXAMPLES: &str = "\
A file is written only if it is as it was when the edit was applied in the workspace, and all files of
a proposal or none.

Examples:
  codemode apply
  codemode apply trim-1 --dir ~/project";
