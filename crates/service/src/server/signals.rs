//! When to stop and when to read files anew, as the system says it.

use std::io;

use tokio::sync::mpsc;

/// Waits for SIGHUP; for ever where there is none.
pub(super) struct Hangups(#[cfg(unix)] tokio::signal::unix::Signal);

impl Hangups {
    pub(super) fn listen() -> io::Result<Self> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            signal(SignalKind::hangup()).map(Self)
        }
        #[cfg(not(unix))]
        Ok(Self())
    }

    pub(super) async fn next(&mut self) {
        #[cfg(unix)]
        if self.0.recv().await.is_some() {
            return;
        }
        std::future::pending().await
    }
}

/// Has SIGHUP and SIGUSR1, which a server is sent while it serves, end nothing from now on.
pub(super) fn ignore() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        // A handler that was installed once stays, whoever listens.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let _within = runtime.enter();
        drop(signal(SignalKind::hangup())?);
        drop(signal(SignalKind::user_defined1())?);
    }
    Ok(())
}

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
