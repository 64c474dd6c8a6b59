//! Normalises the address of a remote: one form for every spelling.
//!
//! The https, ssh, git and scp-like forms of one repository give the same address, and everything before an `@` is dropped: an
//! address is stored, shown and compared, and a password must not be. Addresses that are paths on this machine are only recognised.
//! Not here: following those (`repository`).

use super::files;
use backstory_platform::begins_with_drive;
use std::path::PathBuf;

/// Where a repository came from.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RemoteOrigin {
    /// Another machine.
    Address(RemoteAddress),
    /// A path on this machine, as it was written.
    Local(PathBuf),
}

/// A repository on another machine.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RemoteAddress {
    /// `host[:port]/path`, the same for every spelling.
    pub(super) key: String,
    /// The last part of the path, as its owner spelled it.
    pub(super) name: String,
}

/// Ports that do not identify a repository: the defaults of ssh, http, https and git; 443 also serves ssh behind firewalls.
const COMMON_PORTS: [&str; 4] = ["22", "80", "443", "9418"];

/// Hosts whose paths ignore case.
const CASELESS_HOSTS: [&str; 3] = ["github.com", "gitlab.com", "bitbucket.org"];

/// Other names of the same hosts.
const HOST_ALIASES: [(&str, &str); 6] = [
    ("ssh.github.com", "github.com"),
    ("www.github.com", "github.com"),
    ("altssh.gitlab.com", "gitlab.com"),
    ("www.gitlab.com", "gitlab.com"),
    ("altssh.bitbucket.org", "bitbucket.org"),
    ("www.bitbucket.org", "bitbucket.org"),
];

/// Reads the address of a remote as git's configuration holds it.
pub(super) fn read(url: &[u8]) -> Option<RemoteOrigin> {
    let url = url.trim_ascii();
    let text: String = String::from_utf8_lossy(url).chars().filter(|c| !c.is_control()).collect();
    let text = text.trim();
    if let Some((scheme, rest)) = text.split_once("://") {
        if scheme.eq_ignore_ascii_case("file") {
            return local_from_file_url(url);
        }
        return address_from_url(rest).map(RemoteOrigin::Address);
    }
    // `helper::address` names a program that fetches; only the address counts.
    if let Some((_, rest)) = text.split_once("::").filter(|(helper, _)| is_word(helper)) {
        return read(rest.as_bytes());
    }
    match split_scp_like(text) {
        Some((authority, path)) => address(authority, path).map(RemoteOrigin::Address),
        None if url.is_empty() => None,
        None => Some(RemoteOrigin::Local(files::path_from(url))),
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Reads `file:///path` or `file://host/path`.
fn local_from_file_url(url: &[u8]) -> Option<RemoteOrigin> {
    let rest = url.get("file://".len()..)?;
    let path = rest.get(rest.iter().position(|byte| *byte == b'/')?..)?;
    Some(RemoteOrigin::Local(files::path_from(&files::percent_decoded(path))))
}

/// Reads what follows `scheme://`.
fn address_from_url(rest: &str) -> Option<RemoteAddress> {
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let odd_port = authority.rsplit_once(':').is_some_and(|(_, port)| !is_port(port));
    // A slash in a password should have been written `%2F`: what looks like the authority is half of a secret.
    if odd_port
        && !authority.contains('@')
        && !authority.starts_with('[')
        && let Some((_, real)) = path.rsplit_once('@')
    {
        return address_from_url(real);
    }
    // A query may carry a token, and never distinguishes two repositories.
    let path = path.split(['?', '#']).next().unwrap_or_default();
    address(authority, path)
}

/// Splits `[user@]host:path`, git's short form of ssh, and drops the user. With a slash before the colon it is a path on this
/// machine.
fn split_scp_like(text: &str) -> Option<(&str, &str)> {
    if begins_with_drive(text) {
        return None;
    }
    let (before_slash, after_slash) = text.split_once('/').unwrap_or((text, ""));
    let (before_colon, after_colon) = before_slash.rsplit_once(':')?;
    // `user:password@host/path`: git does not know this form, but people write it.
    if let Some((_, host)) = after_colon.rsplit_once('@')
        && !before_colon.contains('@')
    {
        return Some((host, after_slash));
    }
    // Git also accepts `[user@host:port]:path`; the brackets of a numeric address hold more colons.
    if let Some((inner, path)) = text.strip_prefix('[').and_then(|text| text.split_once("]:"))
        && inner.matches(':').count() < 2
    {
        return Some((inner, path));
    }
    let user = before_colon.rfind('@').map_or(0, |at| at + 1);
    let rest = text.get(user..)?;
    let colon = if rest.starts_with('[') { rest.find("]:")? + 1 } else { rest.find(':')? };
    Some((rest.get(..colon)?, rest.get(colon + 1..)?))
}

/// Builds an address from its parts, without credentials and without anything that does not distinguish repositories.
fn address(authority: &str, path: &str) -> Option<RemoteAddress> {
    let authority = files::percent_decoded(authority.as_bytes());
    let authority = String::from_utf8_lossy(&authority);
    let place = authority.rsplit_once('@').map_or(&*authority, |(_, place)| place);
    let place: String = place.chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect();
    let place = place.split(['/', '?', '#', '%']).next().unwrap_or_default();
    let (host, port) = split_port(place.trim_start_matches('.'));
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    if host.is_empty() {
        return None;
    }
    let host = HOST_ALIASES.iter().find(|(alias, _)| *alias == host).map_or(&*host, |(_, name)| name);
    let path = tidy_path(path);
    let name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(host).to_owned();
    let path = if CASELESS_HOSTS.contains(&host) { path.to_ascii_lowercase() } else { path };
    let port = port.filter(|port| !COMMON_PORTS.contains(port)).map(|port| format!(":{port}"));
    let slash = if path.is_empty() { "" } else { "/" };
    Some(RemoteAddress { key: format!("{host}{}{slash}{path}", port.unwrap_or_default()), name })
}

/// Splits a port from a host. A port that is not a number is dropped: it may be half of a password.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    if authority.starts_with('[') {
        let (host, rest) = authority.split_at(authority.find(']').map_or(authority.len(), |at| at + 1));
        return (host, rest.strip_prefix(':').filter(|port| is_port(port)));
    }
    match authority.split_once(':') {
        Some((host, port)) => (host, Some(port).filter(|port| is_port(port))),
        None => (authority, None),
    }
}

fn is_port(text: &str) -> bool {
    (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Decodes a path, and drops empty parts and the endings that git ignores.
fn tidy_path(path: &str) -> String {
    let mut path = readable(path);
    loop {
        let parts = path.split('/').map(str::trim).filter(|part| !matches!(*part, "" | "."));
        path = parts.collect::<Vec<_>>().join("/");
        match path.strip_suffix(".git") {
            Some(shorter) => path = shorter.to_owned(),
            None => return path,
        }
    }
}

/// Decodes sequences for readable characters only, so that decoding the result again changes nothing.
fn readable(path: &str) -> String {
    let decoded = files::percent_decoded(path.as_bytes());
    let text = std::str::from_utf8(&decoded).unwrap_or(path);
    let keep_encoded = |c: char| c.is_control() || matches!(c, '%' | '?' | '#');
    let mut readable = String::with_capacity(text.len());
    for c in text.chars() {
        if keep_encoded(c) {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                readable.push_str(&format!("%{byte:02X}"));
            }
        } else {
            readable.push(c);
        }
    }
    readable
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(url: &str) -> Option<String> {
        match read(url.as_bytes())? {
            RemoteOrigin::Address(address) => Some(address.key),
            RemoteOrigin::Local(_) => None,
        }
    }

    #[test]
    fn every_spelling_of_one_repository_is_one_key() {
        for url in [
            "https://github.com/Rust-Lang/Cargo.git",
            "https://github.com/rust-lang/cargo/",
            "http://www.github.com:80/rust-lang/cargo",
            "https://someone:hunter2@GitHub.com:443/rust-lang//cargo.git/",
            "git@github.com:rust-lang/cargo.git",
            "github.com:/rust-lang/cargo",
            "ssh://git@github.com/rust-lang/cargo",
            "ssh://git@github.com:22/rust-lang/cargo.git",
            "ssh://git@ssh.github.com:443/rust-lang/cargo.git",
            "[git@ssh.github.com:443]:rust-lang/cargo.git",
            "git+ssh://git@github.com/rust-lang/cargo",
            "git://github.com/rust-lang/cargo",
            "https://github.com/rust-lang/%63argo?private_token=secret#x",
            "ext::https://github.com/rust-lang/cargo",
            "\u{7}https://github.com/rust-lang/cargo\n",
        ] {
            assert_eq!(key(url).as_deref(), Some("github.com/rust-lang/cargo"), "{url}");
        }
    }

    #[test]
    fn different_repositories_have_different_keys() {
        let check = |url, expected: &str| assert_eq!(key(url).as_deref(), Some(expected), "{url}");
        check("ssh://git@git.example.org:2222/Team/App.git", "git.example.org:2222/Team/App");
        check("git@git.example.org:Team/App.git", "git.example.org/Team/App");
        check("https://git.example.org/team/app", "git.example.org/team/app");
        check("git@[::1]:team/app", "[::1]/team/app");
        check("ssh://[fe80::1]:2222/team/app", "[fe80::1]:2222/team/app");
        check("git@host:tool@v2.git", "host/tool@v2");
        check("https://host/a%20b%2Fc%25%3F", "host/a b/c%25%3F");
        check("https://host/%ff/x", "host/%25ff/x");
        check("https://host", "host");
    }

    #[test]
    fn a_path_on_this_machine_is_no_address() {
        let check = |url: &str, path: &str| {
            assert_eq!(read(url.as_bytes()), Some(RemoteOrigin::Local(path.into())), "{url}");
        };
        check("/srv/x.git", "/srv/x.git");
        check("../x", "../x");
        check("./odd:name", "./odd:name");
        check("file:///srv/a%20b.git", "/srv/a b.git");
        check("FILE://localhost/srv/x", "/srv/x");
        assert_eq!(read(b""), None);
        assert_eq!(read(b"https:///x"), None);
        assert_eq!(read(b"file://x"), None);
    }

    #[test]
    fn a_name_is_spelled_as_its_owner_spells_it() {
        let name = |url: &str| match read(url.as_bytes()) {
            Some(RemoteOrigin::Address(address)) => address.name,
            other => panic!("{other:?}"),
        };
        assert_eq!(name("https://github.com/Microsoft/TypeScript.git"), "TypeScript");
        assert_eq!(name("https://example.org"), "example.org");
    }

    #[test]
    fn a_password_that_was_not_encoded_is_dropped_all_the_same() {
        for url in [
            "https://user:s3/cr?e#t@host/a/b",
            "https://user:s3cr@et@host/a/b",
            "https://user%3As3cret%40host/a/b",
            "ssh://user:s3cret@host:22/a/b",
            "user:s3cret@host:a/b",
            "user:s3cret@host/a/b",
            "https://host:s3cret/a/b",
        ] {
            assert_eq!(key(url).as_deref(), Some("host/a/b"), "{url}");
        }
    }

    proptest! {
        #[test]
        fn normalising_a_remote_key_again_changes_nothing(url: String, dense in "(https://|ssh://|)[a-c%@:/.\\[\\]?#~0-9 git]{0,40}") {
            for url in [url.as_str(), &format!("https://{url}"), &dense] {
                if let Some(once) = key(url) {
                    prop_assert_eq!(key(&format!("https://{once}")), Some(once.clone()), "{:?} {:?}", url, once);
                }
            }
        }

        #[test]
        fn no_credential_survives(
            user in "[A-Z]{3,9}",
            password in "[A-Z@:%?#&=+!]{1,9}|[A-Z:%?#&=+!]{0,9}X/[A-Z/]{0,9}",
            form in 0..4,
        ) {
            let url = match form {
                0 => format!("https://{user}:{password}@host.example/a/b.git"),
                1 => format!("ssh://{user}:{password}@host.example:2222/a/b"),
                2 => format!("https://{user}@host.example/a"),
                _ => format!("{user}:{}@host.example:a/b", password.replace(['/', ':'], "")),
            };
            let key = key(&url).unwrap_or_default();
            prop_assert!(key.starts_with("host.example"), "{url} {key}");
            prop_assert!(!key.contains(|c: char| c.is_ascii_uppercase()), "{url} {key}");
        }
    }
}
