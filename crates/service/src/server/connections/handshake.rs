//! Why a handshake ended after which nobody is let in, in a word for figures: who runs a server sees
//! whether clients come with certificates that have run out, or of another authority.

use std::io;

use rustls::{CertificateError, Error};

/// The word; `None` where the gate has counted it.
pub(super) fn word(error: &io::Error) -> Option<&'static str> {
    let source = error.get_ref();
    let word = match source.and_then(|source| source.downcast_ref::<Error>()) {
        Some(Error::NoCertificatesPresented) => "no_certificate",
        Some(Error::InvalidCertificate(why)) => return of_certificate(why),
        // The client does not take the server's certificate, say.
        Some(Error::AlertReceived(_)) => "alert",
        _ => "other",
    };
    Some(word)
}

fn of_certificate(why: &CertificateError) -> Option<&'static str> {
    use CertificateError::*;
    match why {
        ApplicationVerificationFailure => None,
        // Authorities may have the same name.
        UnknownIssuer | BadSignature => Some("authority"),
        Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. } => Some("time"),
        _ => Some("certificate"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_its_word() {
        let of = |error: Error| word(&io::Error::new(io::ErrorKind::InvalidData, error));
        let certificate = |why| of(Error::InvalidCertificate(why));
        assert_eq!(of(Error::NoCertificatesPresented), Some("no_certificate"));
        assert_eq!(certificate(CertificateError::Expired), Some("time"));
        assert_eq!(certificate(CertificateError::NotValidYet), Some("time"));
        assert_eq!(
            certificate(CertificateError::UnknownIssuer),
            Some("authority")
        );
        assert_eq!(
            certificate(CertificateError::InvalidPurpose),
            Some("certificate")
        );
        let refused = CertificateError::ApplicationVerificationFailure;
        assert_eq!(certificate(refused), None);
        let alert = Error::AlertReceived(rustls::AlertDescription::UnknownCA);
        assert_eq!(of(alert), Some("alert"));
        let broken = io::Error::from(io::ErrorKind::UnexpectedEof);
        assert_eq!(word(&broken), Some("other"));
    }
}
