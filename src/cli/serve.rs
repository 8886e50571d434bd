//! `sheetwise serve`: the service on one data folder, until it is told to stop. `sheetwise mcp`: its tools on standard input and output.

use super::args::{Mcp, Serve};
use super::exit::{Exit, Failure};
use super::{print, source};
use crate::config::Config;
use crate::mcp;
use crate::service::Service;
use crate::web::Server;

/// Serves until an interrupt or a termination signal.
pub async fn serve(arguments: Serve, config: Config) -> Result<Exit, Failure> {
    let folder = source::data_folder(arguments.data.as_deref())?;
    let server = Server::bind(arguments.listen, &folder, config).await?.beside(mcp::routes);
    print::text(&format!("serving {} at http://{}\n", folder.display(), server.address()?));
    server.run(stopped()).await?;
    Ok(Exit::Answered)
}

/// Answers an agent's calls on standard input and output; it only reads, but for files of allowed folders.
pub async fn mcp(arguments: Mcp, config: Config) -> Result<Exit, Failure> {
    let folder = source::data_folder(arguments.data.as_deref())?;
    mcp::stdio(Service::open_beside(&folder, config).await?, arguments.allow).await?;
    Ok(Exit::Answered)
}

#[cfg(unix)]
async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminated) = signal(SignalKind::terminate()) else { return interrupted().await };
    tokio::select! {
        _ = terminated.recv() => {}
        () = interrupted() => {}
    }
}

#[cfg(not(unix))]
async fn stopped() {
    interrupted().await
}

async fn interrupted() {
    // Where the signal can't be heard, the process ends by it.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
