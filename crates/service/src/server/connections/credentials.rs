//! What a server says in handshakes, which may be replaced while it runs: who connects afterwards
//! hears the new certificate, connections that exist go on.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use rustls::ServerConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::server::ServerSessionMemoryCache;
use tokio_rustls::TlsAcceptor;
use x509_parser::prelude::{FromDer, X509Certificate};

use super::Places;
use super::gate::Gate;
use crate::server::policy::Policy;
use crate::tls::{Clients, Material};

/// Sessions that can be resumed, of clients that were let in.
const SESSIONS: usize = 256;

/// A certificate and its directory.
pub(in crate::server) struct Credentials {
    pub(in crate::server) directory: PathBuf,
    who: Clients,
    policy: Arc<Policy>,
    places: Arc<Places>,
    config: RwLock<Arc<ServerConfig>>,
}

/// Files that were read and are in order, not in force yet.
pub(in crate::server) struct Fresh(ServerConfig);

impl Credentials {
    /// What lies in a directory.
    pub(in crate::server) fn new(
        directory: &Path,
        material: &Material,
        who: Clients,
        policy: &Arc<Policy>,
        places: &Arc<Places>,
    ) -> Result<Arc<Self>, String> {
        let config = config(material, who, policy, places)?;
        Ok(Arc::new(Self {
            directory: directory.to_path_buf(),
            who,
            policy: Arc::clone(policy),
            places: Arc::clone(places),
            config: RwLock::new(Arc::new(config)),
        }))
    }

    /// For the next handshake.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        let config = self.config.read().unwrap_or_else(PoisonError::into_inner);
        TlsAcceptor::from(Arc::clone(&config))
    }

    /// Reads the directory anew; an error says what is wrong with which file.
    pub(in crate::server) fn read(&self) -> Result<Fresh, String> {
        let material = Material::read(&self.directory).map_err(|error| error.to_string())?;
        let config = config(&material, self.who, &self.policy, &self.places);
        let wrong = |reason: String| format!("{}: {reason}", self.directory.display());
        check_time(&material).map_err(wrong)?;
        config.map(Fresh).map_err(wrong)
    }

    /// From the next handshake on.
    pub(in crate::server) fn replace(&self, fresh: Fresh) {
        let mut place = self.config.write().unwrap_or_else(PoisonError::into_inner);
        *place = Arc::new(fresh.0);
    }

    /// Nobody resumes a session: each handshake from here on looks at the certificate.
    pub(in crate::server) fn forget_sessions(&self) {
        let mut place = self.config.write().unwrap_or_else(PoisonError::into_inner);
        let mut config = ServerConfig::clone(&place);
        config.session_storage = ServerSessionMemoryCache::new(SESSIONS);
        *place = Arc::new(config);
    }
}

fn config(
    material: &Material,
    who: Clients,
    policy: &Arc<Policy>,
    places: &Arc<Places>,
) -> Result<ServerConfig, String> {
    let mut config = material.config(who, |authority| {
        Arc::new(Gate::new(authority, Arc::clone(policy), Arc::clone(places)))
    })?;
    config.session_storage = ServerSessionMemoryCache::new(SESSIONS);
    Ok(config)
}

/// A certificate that nobody would accept must not replace one that works.
fn check_time(material: &Material) -> Result<(), String> {
    let unreadable = |reason: String| format!("cert.pem: {reason}");
    let own = CertificateDer::from_pem_slice(&material.certificate)
        .map_err(|error| unreadable(error.to_string()))?;
    let (_, own) =
        X509Certificate::from_der(&own).map_err(|error| unreadable(error.to_string()))?;
    match own.validity().is_valid() {
        true => Ok(()),
        false => Err(format!(
            "cert.pem is valid from {} to {}, which is not now: make another one",
            own.validity().not_before,
            own.validity().not_after
        )),
    }
}
