//! The command `codemode`.

use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    let ending = command::run(std::env::args_os(), &mut io::stdout(), &mut io::stderr());
    ExitCode::from(ending as u8)
}
