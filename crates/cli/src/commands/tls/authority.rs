//! An authority that signs certificates: ECDSA over P-256, X.509 version 3 (RFC 5280).
//!
//! A certificate of the server may prove a server only, one of a client a client only, so that no
//! client can pretend to be the server to the others. The authority may not make further
//! authorities.

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use time::{Duration, OffsetDateTime};
use zeroize::Zeroizing;

use crate::commands::internal;
use crate::failure::{Code, Failure};

/// Validity of the authority's own certificate.
const AUTHORITY_DAYS: i64 = 3650;
/// Certificates are valid from a little before now, since clocks differ.
const CLOCK_SKEW: Duration = Duration::hours(1);

/// An authority with its key.
pub(super) struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate and its key, as PEM texts.
pub(super) struct Credentials {
    pub(super) certificate: String,
    pub(super) key: Zeroizing<String>,
}

/// What a certificate is for.
pub(super) enum Role<'a> {
    /// A server with these names and addresses.
    Server(&'a [&'a str]),
    /// A worker of a cluster with these names and addresses.
    Worker(&'a [&'a str]),
    /// A client of this name.
    Client(&'a str),
}

impl Authority {
    /// A new one, with a key of the operating system's randomness.
    pub(super) fn new(name: &str) -> Result<Authority, Failure> {
        let key = KeyPair::generate().map_err(internal)?;
        let mut parameters = CertificateParams::default();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        parameters.distinguished_name = rcgen::DistinguishedName::new();
        parameters.distinguished_name.push(DnType::CommonName, name);
        set_validity(&mut parameters, AUTHORITY_DAYS);
        let pem = parameters.self_signed(&key).map_err(internal)?.pem();
        let issuer = Issuer::new(parameters, key);
        Ok(Authority { pem, issuer })
    }

    /// The one that these files hold; or what is wrong with them.
    pub(super) fn load(pem: &str, key: &str) -> Result<Authority, String> {
        let unreadable = |error: rcgen::Error| format!("is no authority's key ({error})");
        let key = KeyPair::from_pem(key).map_err(unreadable)?;
        let issuer = Issuer::from_ca_cert_pem(pem, key).map_err(unreadable)?;
        Ok(Authority {
            pem: pem.to_owned(),
            issuer,
        })
    }

    /// The authority's certificate.
    pub(super) fn pem(&self) -> &str {
        &self.pem
    }

    /// The authority's key.
    pub(super) fn key_pem(&self) -> Zeroizing<String> {
        Zeroizing::new(self.issuer.key().serialize_pem())
    }

    /// A certificate of this authority with a new key.
    pub(super) fn issue(&self, role: Role<'_>, days: u32) -> Result<Credentials, Failure> {
        let key = KeyPair::generate().map_err(internal)?;
        let (names, name, usages) = match role {
            Role::Server(hosts) => (
                hosts,
                "Blindcore server",
                vec![ExtendedKeyUsagePurpose::ServerAuth],
            ),
            // Workers call each other.
            Role::Worker(hosts) => (
                hosts,
                "Blindcore worker",
                vec![
                    ExtendedKeyUsagePurpose::ServerAuth,
                    ExtendedKeyUsagePurpose::ClientAuth,
                ],
            ),
            Role::Client(name) => (&[][..], name, vec![ExtendedKeyUsagePurpose::ClientAuth]),
        };
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut parameters = CertificateParams::new(names).map_err(|error| {
            let message = format!("a --host is neither a name nor an address: {error}");
            Failure::new(Code::Input, message)
        })?;
        parameters.distinguished_name = rcgen::DistinguishedName::new();
        parameters.distinguished_name.push(DnType::CommonName, name);
        parameters.is_ca = IsCa::ExplicitNoCa;
        parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        parameters.extended_key_usages = usages;
        parameters.use_authority_key_identifier_extension = true;
        set_validity(&mut parameters, i64::from(days));
        let certificate = parameters.signed_by(&key, &self.issuer).map_err(internal)?;
        Ok(Credentials {
            certificate: certificate.pem(),
            key: Zeroizing::new(key.serialize_pem()),
        })
    }
}

fn set_validity(parameters: &mut CertificateParams, days: i64) {
    let now = OffsetDateTime::now_utc();
    parameters.not_before = now - CLOCK_SKEW;
    parameters.not_after = now + Duration::days(days);
}
