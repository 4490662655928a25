//! A connection, by TLS or plain.

use std::io::{Read, Result, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::time::Duration;

use rustls::{ClientConnection, ServerConnection, StreamOwned};

use super::PATIENCE;
use super::tls::Certificates;

pub(super) enum Stream {
    Plain(TcpStream),
    Calling(Box<StreamOwned<ClientConnection, TcpStream>>),
    Called(Box<StreamOwned<ServerConnection, TcpStream>>),
}

/// Connects to `HOST:PORT`.
pub(super) fn dial(address: &str, certificates: Option<&Certificates>) -> Result<Stream> {
    let mut last = std::io::Error::other("it has no address");
    for socket in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&socket, PATIENCE) {
            Ok(stream) => {
                prepare(&stream)?;
                return match certificates {
                    None => Ok(Stream::Plain(stream)),
                    Some(certificates) => {
                        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
                        let connection = certificates.calling(host.trim_matches(['[', ']']))?;
                        Ok(Stream::Calling(Box::new(StreamOwned::new(
                            connection, stream,
                        ))))
                    }
                };
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Takes a connection that somebody else made.
pub(super) fn take(stream: TcpStream, certificates: Option<&Certificates>) -> Result<Stream> {
    prepare(&stream)?;
    match certificates {
        None => Ok(Stream::Plain(stream)),
        Some(certificates) => {
            let connection = certificates.called()?;
            Ok(Stream::Called(Box::new(StreamOwned::new(
                connection, stream,
            ))))
        }
    }
}

fn prepare(stream: &TcpStream) -> Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))
}

impl Stream {
    fn tcp(&self) -> &TcpStream {
        match self {
            Self::Plain(stream) => stream,
            Self::Calling(stream) => &stream.sock,
            Self::Called(stream) => &stream.sock,
        }
    }

    /// The same socket once more, to shut it down.
    pub(super) fn socket(&self) -> Result<TcpStream> {
        self.tcp().try_clone()
    }

    /// It has begun: from now on it may be silent for so long.
    pub(super) fn may_be_silent(&self, silence: Duration) -> Result<()> {
        self.tcp().set_read_timeout(Some(silence))?;
        self.tcp().set_write_timeout(Some(silence))
    }

    /// Nothing more is written.
    pub(super) fn finish(&mut self) -> Result<()> {
        match self {
            Self::Plain(_) => {}
            Self::Calling(stream) => {
                stream.conn.send_close_notify();
                stream.flush()?;
            }
            Self::Called(stream) => {
                stream.conn.send_close_notify();
                stream.flush()?;
            }
        }
        self.tcp().shutdown(Shutdown::Write)
    }
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(bytes),
            Self::Calling(stream) => stream.read(bytes),
            Self::Called(stream) => stream.read(bytes),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::Calling(stream) => stream.write(bytes),
            Self::Called(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> Result<()> {
        match self {
            Self::Plain(stream) => stream.flush(),
            Self::Calling(stream) => stream.flush(),
            Self::Called(stream) => stream.flush(),
        }
    }
}
