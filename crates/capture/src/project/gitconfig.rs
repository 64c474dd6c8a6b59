//! Git's configuration syntax, as much as it takes to find a repository's remote.
//!
//! Lenient: a line that makes no sense is skipped. Not here: `include`, `insteadOf`, and the configuration of the user and the
//! system, which change how an address is reached rather than what it names.

/// One setting, in the order of the file.
#[derive(Debug, PartialEq, Eq)]
struct GitSetting {
    /// Lower-cased, like git's own.
    section: String,
    subsection: Vec<u8>,
    /// Lower-cased.
    key: String,
    value: Vec<u8>,
}

/// A repository's own configuration.
pub(super) struct GitConfig(Vec<GitSetting>);

impl GitConfig {
    /// Reads a configuration file's content.
    pub(super) fn parse(content: &[u8]) -> GitConfig {
        let mut reader = GitConfigReader { rest: content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content) };
        GitConfig(reader.settings())
    }

    /// Returns the address of the remote that stands for the repository.
    ///
    /// That is `origin`; else the remote the branch follows; else the first by name.
    pub(super) fn remote(&self, branch: Option<&[u8]>) -> Option<&[u8]> {
        let followed = branch.and_then(|branch| self.values("branch", "remote", branch).last());
        let addressed = self.0.iter().filter(|it| it.section == "remote" && it.key == "url");
        let first = addressed.map(|it| it.subsection.as_slice()).min();
        let names = [Some(b"origin".as_slice()), followed, first];
        names.into_iter().flatten().find_map(|name| self.address(name))
    }

    /// Returns the work tree that the repository says it has.
    pub(super) fn work_tree(&self) -> Option<&[u8]> {
        self.values("core", "worktree", b"").last()
    }

    /// Whether the repository says that it has no work tree.
    pub(super) fn is_bare(&self) -> bool {
        let bare = self.values("core", "bare", b"").last();
        bare.is_some_and(|value| [b"".as_slice(), b"true", b"yes", b"on", b"1"].contains(&value))
    }

    /// Returns where a remote is fetched from: its first address after the list was last cleared.
    fn address(&self, remote: &[u8]) -> Option<&[u8]> {
        let mut address = None;
        for value in self.values("remote", "url", remote) {
            address = if value.is_empty() { None } else { address.or(Some(value)) };
        }
        address
    }

    fn values(&self, section: &str, key: &str, subsection: &[u8]) -> impl Iterator<Item = &[u8]> {
        self.0
            .iter()
            .filter(move |it| it.section == section && it.key == key && it.subsection == subsection)
            .map(|it| it.value.as_slice())
    }
}

struct GitConfigReader<'a> {
    rest: &'a [u8],
}

impl GitConfigReader<'_> {
    fn settings(&mut self) -> Vec<GitSetting> {
        let mut settings = Vec::new();
        let (mut section, mut subsection) = (String::new(), Vec::new());
        while let Some(byte) = self.next() {
            match byte {
                b'[' => (section, subsection) = self.header(),
                b'#' | b';' => self.skip_line(),
                byte if byte.is_ascii_alphabetic() => {
                    let (key, value) = self.setting(byte);
                    settings.push(GitSetting {
                        section: section.clone(),
                        subsection: subsection.clone(),
                        key,
                        value,
                    });
                }
                _ => {}
            }
        }
        settings
    }

    /// Reads `section "subsection"]` or the older `section.subsection]`, after the opening bracket.
    fn header(&mut self) -> (String, Vec<u8>) {
        let mut name = Vec::new();
        while let Some(byte) = self.next_if(|byte| !matches!(byte, b']' | b'"' | b'\n')) {
            name.push(byte.to_ascii_lowercase());
        }
        let subsection = if self.next() == Some(b'"') { self.quoted_subsection() } else { Vec::new() };
        let name = String::from_utf8_lossy(name.trim_ascii()).into_owned();
        match name.split_once('.') {
            Some((section, dotted)) if subsection.is_empty() => (section.to_owned(), dotted.into()),
            _ => (name, subsection),
        }
    }

    fn quoted_subsection(&mut self) -> Vec<u8> {
        let mut subsection = Vec::new();
        while let Some(byte) = self.next_if(|byte| !matches!(byte, b'"' | b'\n')) {
            subsection.extend(if byte == b'\\' { self.next() } else { Some(byte) });
        }
        while self.next_if(|byte| !matches!(byte, b']' | b'\n')).is_some() {}
        self.next();
        subsection
    }

    /// Reads `key = value`, after the first letter of the key. A key alone has an empty value.
    fn setting(&mut self, first: u8) -> (String, Vec<u8>) {
        let mut key = String::from(char::from(first.to_ascii_lowercase()));
        while let Some(byte) = self.next_if(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            key.push(char::from(byte.to_ascii_lowercase()));
        }
        while self.next_if(|byte| matches!(byte, b' ' | b'\t')).is_some() {}
        if self.next_if(|byte| byte == b'=').is_some() {
            return (key, self.value());
        }
        self.skip_line();
        (key, Vec::new())
    }

    /// Reads a value to the end of its line, or of the lines it continues on.
    fn value(&mut self) -> Vec<u8> {
        let mut value = Vec::new();
        // White space at the end does not count, unless it was quoted or escaped.
        let mut length = 0;
        let mut quoted = false;
        while let Some(byte) = self.next() {
            match byte {
                b'\n' => break,
                b'#' | b';' if !quoted => {
                    self.skip_line();
                    break;
                }
                b'"' => quoted = !quoted,
                b'\\' => value.extend(self.escaped()),
                b' ' | b'\t' if !quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                _ => value.push(byte),
            }
            length = value.len();
        }
        value.truncate(length);
        value
    }

    /// Reads what follows a backslash; none for a line that continues on the next.
    fn escaped(&mut self) -> Option<u8> {
        match self.next()? {
            b'\n' => None,
            b'n' => Some(b'\n'),
            b't' => Some(b'\t'),
            b'b' => Some(8),
            other => Some(other),
        }
    }

    fn skip_line(&mut self) {
        while self.next().is_some_and(|byte| byte != b'\n') {}
    }

    /// Takes the next byte; a Windows line break counts as one.
    fn next(&mut self) -> Option<u8> {
        if let Some(rest) = self.rest.strip_prefix(b"\r\n") {
            self.rest = rest;
            return Some(b'\n');
        }
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn next_if(&mut self, wanted: impl Fn(u8) -> bool) -> Option<u8> {
        let before = self.rest;
        let byte = self.next()?;
        if wanted(byte) {
            return Some(byte);
        }
        self.rest = before;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn remote_of(config: &str, branch: Option<&str>) -> Option<String> {
        let config = GitConfig::parse(config.as_bytes());
        config.remote(branch.map(str::as_bytes)).map(|url| String::from_utf8_lossy(url).into_owned())
    }

    #[test]
    fn a_remote_is_read_from_whatever_git_would_read_it_from() {
        let check = |config, url: &str| assert_eq!(remote_of(config, None).as_deref(), Some(url), "{config}");
        check("[remote \"origin\"]\n\turl = a\n\tpushurl = b\n\turl = c\n", "a");
        check("\u{feff}[REMOTE \"origin\"] URL=a # why\r\n", "a");
        check("[remote.origin]\nurl = a ; why\n", "a");
        check("[remote \"origin\"]\nurl = \"a # b\" c \t\n", "a # b c");
        check("[remote \"origin\"]\nurl = a\\\n  b\\\\c\n", "a  b\\c");
        check("[remote \"origin\"]\nurl = a\nurl =\nurl = b\n", "b");
        check("[remote \"origin\"]\nbad line [x]\nurl = a", "a");
        check("[core]\nbare\n[remote \"a\\\"]b\"]\nurl = a\n", "a");
    }

    #[test]
    fn origin_comes_before_the_followed_remote_and_that_before_the_first() {
        let remotes = "[remote \"beta\"]\nurl = b\n[remote \"alpha\"]\nurl = a\n";
        let follows = format!("{remotes}[branch \"main\"]\nremote = beta\n[branch \"local\"]\nremote = .\n");
        assert_eq!(remote_of(remotes, Some("main")).as_deref(), Some("a"));
        assert_eq!(remote_of(&follows, Some("main")).as_deref(), Some("b"));
        assert_eq!(remote_of(&follows, Some("local")).as_deref(), Some("a"));
        let origin = format!("{follows}[remote \"origin\"]\nurl = o\n");
        assert_eq!(remote_of(&origin, Some("main")).as_deref(), Some("o"));
        assert_eq!(remote_of("[remote \"origin\"]\nfetch = x\n", None), None);
    }

    proptest! {
        #[test]
        fn any_file_is_read_to_its_end(content: Vec<u8>, config in "[\\[\\]\"=\\\\\r\n #a-z.]{0,60}") {
            GitConfig::parse(&content).remote(Some(b"main"));
            GitConfig::parse(config.as_bytes()).remote(None);
        }
    }
}
