//! Where a hub is: a PostgreSQL URL, and the line of a passfile that belongs to it.
//!
//! A URL with a password is refused: it would be visible in the list of processes, in the shell's history and in our store.

use super::message_limit::{LimitedPlain, LimitedTls};
use super::tls::{Security, connector};
use crate::{HubAddressError, HubError};
use percent_encoding::percent_decode_str;
use postgres::config::{Host, SslMode, SslNegotiation};
use postgres::{Client, Config, NoTls};
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

/// How long to wait for a connection.
const UNTIL_CONNECTED: Duration = Duration::from_secs(10);

/// Where a hub is, and the user who connects; never a password.
#[derive(Clone)]
pub struct HubAddress {
    url: String,
    config: Config,
    security: Security,
}

impl HubAddress {
    /// Reads `postgres://USER@HOST:PORT/DATABASE?sslmode=…&sslrootcert=…`.
    ///
    /// A server on another machine must use TLS and prove itself, also where `sslmode` is `prefer` or `require`, which elsewhere skip the
    /// proof. Only `disable` turns TLS off.
    pub fn parse(url: &str) -> Result<HubAddress, HubAddressError> {
        let not = |detail: String| HubAddressError::NotAnAddress(detail);
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err(not("it begins with `postgres://`".to_owned()));
        }
        // `sslmode` is read here: with `prefer` and `require`, the library would accept any certificate.
        let (base, parameters) = url.split_once('?').unwrap_or((url, ""));
        let mut mode = None;
        let mut root = None;
        let mut others = Vec::new();
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslmode", value)) => mode = Some(value.to_owned()),
                Some(("sslrootcert", value)) => root = Some(decoded(value)),
                Some(("password", _)) => return Err(HubAddressError::HoldsPassword),
                _ => others.push(parameter),
            }
        }
        let rest = if others.is_empty() { base.to_owned() } else { format!("{base}?{}", others.join("&")) };
        let mut config: Config = rest.parse().map_err(|error: postgres::Error| not(error.to_string()))?;
        if config.get_password().is_some() {
            return Err(HubAddressError::HoldsPassword);
        }
        if config.get_user().is_none() {
            return Err(HubAddressError::NoUser);
        }
        let security = Security::from_mode(mode.as_deref(), root, is_local(&config))
            .ok_or_else(|| not(format!("`sslmode={}` is not known", mode.as_deref().unwrap_or_default())))?;
        config.connect_timeout(UNTIL_CONNECTED).application_name("backstory");
        // A hub that vanished without a word must not leave us waiting for ever.
        config.keepalives_idle(Duration::from_secs(30)).tcp_user_timeout(Duration::from_secs(60));
        Ok(HubAddress { url: url.to_owned(), config, security })
    }

    /// Returns the user.
    #[must_use]
    pub fn user(&self) -> &str {
        self.config.get_user().unwrap_or_default()
    }

    /// Returns the database; by default it is called like the user.
    #[must_use]
    pub fn database(&self) -> &str {
        self.config.get_dbname().unwrap_or_else(|| self.user())
    }

    /// Returns the same hub for another user, as a URL.
    #[must_use]
    pub fn url_for(&self, user: &str) -> String {
        let rest = self.url.split_once("://").map_or("", |(_, rest)| rest);
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let place = authority.split_once('@').map_or(authority, |(_, place)| place);
        format!("postgres://{user}@{place}{path}")
    }

    /// Returns the password a passfile has for it: the first line that fits, as `psql` reads it.
    #[must_use]
    pub fn password_in(&self, passfile: &str) -> Option<String> {
        let (host, port) = self.place();
        let wanted = [&host, &port, self.database(), self.user()];
        let fits = |line: &str| -> Option<String> {
            let fields = fields(line);
            let (password, place) = fields.split_last()?;
            let same = |(field, wanted): (&String, &&str)| field == "*" || field == wanted;
            (place.len() == wanted.len() && place.iter().zip(&wanted).all(same)).then(|| password.clone())
        };
        passfile.lines().filter(|line| !line.starts_with('#')).find_map(fits)
    }

    /// Returns the line of a passfile for a user of this hub.
    #[must_use]
    pub fn passfile_line(&self, user: &str, password: &str) -> String {
        let escape = |text: &str| text.replace('\\', "\\\\").replace(':', "\\:");
        let (host, port) = self.place();
        let fields = [&host, &port, self.database(), user, password];
        fields.map(escape).join(":")
    }

    /// Returns the host as passfiles name it, and the port.
    fn place(&self) -> (String, String) {
        let host = match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            // A socket is on this machine.
            _ => "localhost".to_owned(),
        };
        let port = self.config.get_ports().first().copied().unwrap_or(5432);
        (host, port.to_string())
    }

    /// Connects.
    pub(crate) fn connect(&self, password: Option<&str>) -> Result<Client, HubError> {
        let mut config = self.config.clone();
        if let Some(password) = password {
            config.password(password);
        }
        let connected = match &self.security {
            _ if is_socket(&config) => config.ssl_mode(SslMode::Disable).connect(NoTls),
            Security::Proven { root } => {
                config.ssl_mode(SslMode::Require).connect(LimitedTls(connector(root.as_deref())?))
            }
            // The library hands its stream only to a TLS connector. `LimitedPlain` poses as one to count the bytes, and encrypts nothing.
            Security::None => config
                .ssl_mode(SslMode::Require)
                .ssl_negotiation(SslNegotiation::Direct)
                .connect(LimitedPlain),
        };
        connected.map_err(|error| HubError::from_connecting(self, error))
    }
}

/// Decodes a path in a URL, which may have any byte percent-encoded.
fn decoded(value: &str) -> PathBuf {
    backstory_platform::path_from_bytes(percent_decode_str(value).collect())
}

fn is_socket(config: &Config) -> bool {
    config.get_hostaddrs().is_empty() && config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_)))
}

/// Whether every host of the address is this machine.
fn is_local(config: &Config) -> bool {
    let is_local = |host: &Host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
            name == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
    };
    config.get_hostaddrs().iter().all(IpAddr::is_loopback) && config.get_hosts().iter().all(is_local)
}

impl fmt::Display for HubAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)
    }
}

/// Splits a line of a passfile at its unescaped colons.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_escaped = false;
    for c in line.chars() {
        match c {
            '\\' if !is_escaped => is_escaped = true,
            ':' if !is_escaped => fields.push(String::new()),
            _ => {
                is_escaped = false;
                fields.last_mut().expect("there is always one").push(c);
            }
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(url: &str) -> HubAddress {
        HubAddress::parse(url).unwrap()
    }

    #[test]
    fn a_password_is_refused_wherever_it_stands() {
        let refused = |url| HubAddress::parse(url).err();
        assert_eq!(refused("postgres://ann:hush@db/hub"), Some(HubAddressError::HoldsPassword));
        assert_eq!(refused("postgres://ann@db/hub?password=hush"), Some(HubAddressError::HoldsPassword));
        assert_eq!(refused("postgres://db/hub"), Some(HubAddressError::NoUser));
        assert!(matches!(refused("https://ann@db"), Some(HubAddressError::NotAnAddress(_))));
        assert!(matches!(refused("postgres://ann@db?sslmode=maybe"), Some(HubAddressError::NotAnAddress(_))));
    }

    #[test]
    fn a_passfile_is_read_as_psql_reads_it() {
        let passfile = "# comment\nother:5432:hub:ann:no\n*:*:hub:ann:a\\:b\\\\c\ndb:5433:hub:ann:late\n";
        assert_eq!(address("postgres://ann@db:5433/hub").password_in(passfile).as_deref(), Some("a:b\\c"));
        assert_eq!(address("postgres://bob@db:5433/hub").password_in(passfile), None);
        assert_eq!(address("postgres://ann@other/hub").password_in(passfile).as_deref(), Some("no"));
    }

    #[test]
    fn a_path_is_read_however_an_address_spells_it() {
        let root = |url: &str| match address(url).security {
            Security::Proven { root } => root,
            Security::None => None,
        };
        for spelt in
            ["/etc/our certs/ca.pem", "%2Fetc%2Four%20certs%2Fca.pem", "%2fetc%2four%20certs/ca%2Epem"]
        {
            let url = format!("postgres://ann@db/hub?sslrootcert={spelt}");
            assert_eq!(root(&url), Some(PathBuf::from("/etc/our certs/ca.pem")), "{spelt}");
        }
    }

    /// Somebody in between could pretend that the server offers no TLS.
    #[test]
    fn only_loopback_and_sslmode_disable_go_without_tls() {
        let security = |url: &str| address(url).security;
        let proven = Security::Proven { root: None };
        for url in [
            "postgres://ann@db/hub",
            "postgres://ann@db/hub?sslmode=prefer",
            "postgres://ann@db/hub?sslmode=allow",
            "postgres://ann@db/hub?sslmode=require",
            "postgres://ann@localhost,db/hub",
            "postgres://ann@localhost/hub?hostaddr=10.0.0.1",
            "postgres://ann@localhost.example.org/hub",
            "postgres://ann@localhost/hub?sslmode=require",
        ] {
            assert_eq!(security(url), proven, "{url}");
        }
        for url in [
            "postgres://ann@%2Ftmp%2Fpg/hub",
            "postgres://ann@localhost/hub",
            "postgres://ann@127.0.0.2:5433/hub?sslmode=prefer",
            "postgres://ann@[::1]/hub",
            "postgres://ann@db/hub?sslmode=disable",
        ] {
            assert_eq!(security(url), Security::None, "{url}");
        }
    }

    #[test]
    fn what_is_written_for_a_member_is_what_the_member_reads() {
        let owner = address("postgres://owner@db:5433/hub?sslmode=require");
        let line = owner.passfile_line("ann", "a:b\\c");
        let url = owner.url_for("ann");
        assert_eq!(url, "postgres://ann@db:5433/hub?sslmode=require");
        assert_eq!(address(&url).password_in(&line).as_deref(), Some("a:b\\c"));
    }
}
