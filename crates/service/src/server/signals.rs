//! When to stop, as the system says it.

use std::io;

use tokio::sync::mpsc;

/// One message for each SIGTERM or SIGINT.
pub(super) fn signals() -> io::Result<mpsc::Receiver<()>> {
    let (sender, receiver) = mpsc::channel(2);
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                if sender.send(()).await.is_err() {
                    return;
                }
            }
        });
    }
    #[cfg(not(unix))]
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).await.is_ok() {}
    });
    Ok(receiver)
}
