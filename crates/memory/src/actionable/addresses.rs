//! Addresses in a text, and which of them a project may name.

use super::vocabulary::{DIRECTIONS, DOMAINS};

/// Addresses a project may name: its own remotes, as host and path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnAddresses(Vec<String>);

impl OwnAddresses {
    /// Takes remotes as `host/path`, in any case.
    pub fn new(remotes: impl IntoIterator<Item = String>) -> OwnAddresses {
        OwnAddresses(remotes.into_iter().map(|remote| remote.to_lowercase()).collect())
    }

    fn holds(&self, address: &str) -> bool {
        is_local(address)
            || self.0.iter().any(|own| {
                let rest = address.strip_prefix(own.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '#', '?', '.']))
            })
    }
}

/// Whether a text names an address that is neither this machine's nor the project's own.
pub(super) fn names_foreign_address(text: &str, own: &OwnAddresses) -> bool {
    if !text.contains(['.', ':']) {
        return false;
    }
    let ends = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\'' | '`' | '<' | '>' | '(' | ')' | '[' | ']' | '|' | '‹' | '›' | '，' | '。'
            )
    };
    let mut before = "";
    for word in text.split(ends).filter(|word| !word.is_empty()) {
        let is_direction = || DIRECTIONS.holds(&before.to_lowercase());
        if word.contains(['.', ':'])
            && address(word, is_direction()).is_some_and(|address| !own.holds(&address))
        {
            return true;
        }
        before = word;
    }
    false
}

/// Returns an address as host and path in lower case. A bare host counts where something `is_sent` there or taken from there.
fn address(word: &str, is_sent: bool) -> Option<String> {
    let word = word
        .trim_matches(|c: char| matches!(c, ',' | '.' | ';' | ':' | '!' | '?' | '*' | '{' | '}'))
        .to_lowercase();
    if let Some((scheme, rest)) = word.split_once("://") {
        let is_file = scheme.ends_with("file") || scheme.ends_with("sqlite");
        let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        return (!is_file && !rest.is_empty()).then(|| rest.trim_end_matches('/').to_owned());
    }
    if let Some((_, rest)) = word.split_once("git@") {
        return Some(rest.replacen(':', "/", 1));
    }
    let (host, path) = word.split_once('/').unwrap_or((&word, ""));
    let domain = host.rsplit_once('.').filter(|(name, _)| !name.is_empty())?.1;
    let is_host = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':'));
    // `run.sh` is a file, `get.tool.sh` a host.
    let may_be_bare = is_sent && (domain != "sh" && domain != "run" || host.matches('.').count() > 1);
    let is_named = DOMAINS.holds(domain) && (!path.is_empty() || host.starts_with("www.") || may_be_bare);
    let is_number = host.split(':').next().is_some_and(|host| {
        host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok())
    });
    (is_host && (is_named || is_number && (host.contains(':') || !path.is_empty()))).then(|| word.clone())
}

/// Whether an address is this machine's own.
fn is_local(address: &str) -> bool {
    let host = address.split(['/', ':', '?', '#']).next().unwrap_or_default();
    matches!(host, "localhost" | "0.0.0.0" | "[")
        || host.starts_with("127.")
        || address.starts_with("[::1]")
        || host.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, requested_action};

    #[test]
    fn a_project_may_name_its_own_address() {
        let own = OwnAddresses::new(["Forge.example/team/app".to_owned()]);
        for text in
            ["See https://forge.example/team/app/issues/7", "git@forge.example:team/app.git is the remote"]
        {
            assert_eq!(requested_action(text, &own), None, "{text}");
        }
        for text in ["See https://forge.example/team/apps", "See https://forge.example/other"] {
            assert_eq!(requested_action(text, &own), Some(Action::Address), "{text}");
        }
    }
}
