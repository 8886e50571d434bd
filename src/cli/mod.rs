//! The command line: arguments in, text or JSON out, an exit code that says what happened.
//!
//! Must never happen: anything but the answer on standard output; a failure with exit code 0.

mod args;
mod ask;
mod chinese;
mod doctor;
mod escape;
mod eval;
mod exit;
mod inspect;
mod kb;
mod keys;
mod print;
mod progress;
mod score;
mod serve;
mod source;

use std::process::ExitCode;

use clap::Parser;

use crate::sheet;
use args::{Arguments, Command};
pub use exit::Exit;

/// Parses the arguments, runs the command and gives its exit code.
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Answered };
            let _ = error.print();
            return code.into();
        }
    };
    if matches!(arguments.command, Command::ReadCells) {
        return serve().into();
    }
    start_log(arguments.verbose);
    // Without its own path the program reads in this process.
    let _ = std::env::current_exe().map(sheet::read_with);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return print::failure(&error.to_string()).into(),
    };
    let code = runtime.block_on(command(arguments)).unwrap_or_else(|failure| {
        print::failure(&failure.to_string());
        failure.exit()
    });
    runtime.shutdown_background();
    code.into()
}

/// Reads one workbook for another process.
fn serve() -> Exit {
    match sheet::serve(std::io::stdin(), std::io::stdout()) {
        Ok(()) => Exit::Answered,
        Err(error) => print::failure(&error.to_string()),
    }
}

async fn command(arguments: Arguments) -> Result<Exit, exit::Failure> {
    let config = crate::config::load(arguments.config.as_deref()).map_err(exit::Failure::usage)?;
    match arguments.command {
        Command::Ask(ask) => ask::ask(ask, config).await,
        Command::Sql(sql) => ask::sql(sql, config).await,
        Command::Inspect(inspect) => inspect::inspect(inspect, config).await,
        Command::Kb(kb) => kb::kb(kb, config).await,
        Command::Doctor(doctor) => doctor::doctor(doctor, config).await,
        Command::Eval(eval) => eval::eval(eval, config).await,
        Command::ReadCells => Ok(serve()),
        Command::Serve(serve) => serve::serve(serve, config).await,
        Command::Mcp(mcp) => serve::mcp(mcp, config).await,
        Command::Keys(keys) => keys::keys(keys, config).await,
    }
}

fn start_log(verbose: u8) {
    let level = ["warn", "sheetwise=info", "sheetwise=debug", "sheetwise=trace"][usize::from(verbose.min(3))];
    let filter = tracing_subscriber::EnvFilter::try_from_env("SHEETWISE_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}
