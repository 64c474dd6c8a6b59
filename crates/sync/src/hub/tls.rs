//! TLS: a server must prove who it is.

use crate::HubError;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Whether a connection uses TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Security {
    /// It does not: nobody else can listen, or the address says `sslmode=disable`.
    None,
    /// It does, and the server proves itself by an authority of this machine, or by the one in `root`.
    Proven {
        /// The file with the authority's certificate.
        root: Option<PathBuf>,
    },
}

impl Security {
    /// Reads `sslmode`. No mode leaves the choice to the server: whoever is in between could answer for it.
    pub(crate) fn from_mode(mode: Option<&str>, root: Option<PathBuf>, is_local: bool) -> Option<Security> {
        match mode {
            Some("disable") => Some(Security::None),
            Some("allow" | "prefer") | None if root.is_none() && is_local => Some(Security::None),
            Some("allow" | "prefer" | "require" | "verify-ca" | "verify-full") | None => {
                Some(Security::Proven { root })
            }
            Some(_) => None,
        }
    }
}

/// Makes a TLS connector.
pub(crate) fn connector(root: Option<&Path>) -> Result<MakeRustlsConnect, HubError> {
    let mut roots = RootCertStore::empty();
    match root {
        Some(path) => {
            let unusable = |detail: String| HubError::UnusableCertificate { path: path.to_owned(), detail };
            let found = CertificateDer::pem_file_iter(path).map_err(|error| unusable(error.to_string()))?;
            for certificate in found {
                let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
                roots.add(certificate).map_err(|error| unusable(error.to_string()))?;
            }
        }
        // Some of a machine's authorities may be unreadable; the others suffice.
        None => drop(roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs)),
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring knows the versions of TLS")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
