//! From an address to a served folder, and back.

use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::{Web, router};
use crate::config::Config;
use crate::service::{Service, ServiceError};

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Service(#[from] ServiceError),
    #[error("{address}: {source}; choose another address with --listen")]
    Bind { address: SocketAddr, source: std::io::Error },
    #[error(
        "{0} can be reached from other machines and there is no API key; make one with `sheetwise keys create NAME`"
    )]
    NoKey(SocketAddr),
    #[error("the service ended: {0}")]
    Io(#[from] std::io::Error),
}

/// A folder that is about to be served at an address.
pub struct Server {
    listener: TcpListener,
    web: Arc<Web>,
    beside: Router,
}

impl Server {
    /// Opens the folder and takes the address; one that others can reach needs a key.
    pub async fn bind(address: SocketAddr, folder: &Path, config: Config) -> Result<Self, ServeError> {
        let service = Service::open(folder, config).await?;
        let loopback = address.ip().is_loopback();
        if !loopback && !service.app().catalog().has_keys().await.map_err(ServiceError::from)? {
            service.close().await;
            return Err(ServeError::NoKey(address));
        }
        let listener = TcpListener::bind(address).await.map_err(|source| ServeError::Bind { address, source })?;
        let web = Arc::new(Web { service, loopback, metrics: Default::default() });
        Ok(Self { listener, web, beside: Router::new() })
    }

    /// With routes of other protocols beside ours.
    pub fn beside(mut self, routes: impl FnOnce(Arc<Web>) -> Router) -> Self {
        self.beside = routes(self.web.clone());
        self
    }

    /// The address taken, where the port was left open.
    pub fn address(&self) -> Result<SocketAddr, ServeError> {
        Ok(self.listener.local_addr()?)
    }

    /// Serves until `stop` is done; requests under way are given a while, a parse goes back to the queue.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), ServeError> {
        let service = self.web.service.clone();
        let patience = Duration::from_secs(service.app().config().serve.stop_seconds);
        let (stopping, stopped) = oneshot::channel::<()>();
        let serve = axum::serve(self.listener, router(self.web, self.beside)).with_graceful_shutdown(async move {
            stop.await;
            let _ = stopping.send(());
        });
        let late = async move {
            // Never said: it serves on.
            if stopped.await.is_err() {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(patience).await;
        };
        let served = tokio::select! {
            served = serve => served,
            () = late => Ok(()),
        };
        service.close().await;
        Ok(served?)
    }
}
