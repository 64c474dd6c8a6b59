//! Passwords on command lines, where the meaning of a flag depends on the command: `mysql -p…`, `curl -u name:…`.
//!
//! Not here: flags that name what they take (`--password …`), which are names like any other (`named`).

use super::SecretMatch;
use super::assignment::count;
use super::passwords::{CREDENTIAL, is_chosen, is_phrase, tail_end, value};
use super::random::is_placeholder;
use super::words::RedactorWord;

/// How a flag takes its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FlagForm {
    /// `-pVALUE` alone: what follows `-p` after a space is something else.
    Glued,
    /// `-p VALUE` or `-pVALUE`.
    Either,
    /// `-k VALUE` alone: `-key` is another flag.
    Apart,
    /// `-u NAME:VALUE`
    Pair,
}

/// Commands, the flags by which they take a password, and how.
#[rustfmt::skip]
const COMMANDS: &[(&[&str], &[&str], FlagForm)] = &[
    (&["curl", "wget", "http", "https"], &["-u", "--user"], FlagForm::Pair),
    (&["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlcheck", "mysqlsh", "mariadb", "mariadb-dump", "mariadb-admin", "7z", "7za", "rar", "unrar"], &["-p"], FlagForm::Glued),
    (&["sshpass", LOGIN, "mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport", "cqlsh", "rabbitmqadmin"], &["-p"], FlagForm::Either),
    (&["redis-cli", "valkey-cli", "redis-benchmark"], &["-a"], FlagForm::Either),
    (&["zip", "unzip", "sqlcmd", "bcp", "mosquitto_pub", "mosquitto_sub", "ipmitool"], &["-P"], FlagForm::Either),
    (&["openssl"], &["-k"], FlagForm::Apart),
    (&["ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd"], &["-w"], FlagForm::Either),
];

/// What follows the name of a command that has registries or accounts; elsewhere a word like any other.
const LOGIN: &str = "login";
#[rustfmt::skip]
const LOGGING_IN: [&[u8]; 10] = [b"docker", b"podman", b"nerdctl", b"buildah", b"skopeo", b"oras", b"helm", b"registry", b"az", b"cf"];

/// For each first byte of a command, the lengths of the commands that begin with it as bits.
const LENGTHS: [u32; 256] = lengths();

#[expect(clippy::indexing_slicing, reason = "the compiler runs it")]
const fn lengths() -> [u32; 256] {
    let mut lengths = [0; 256];
    let mut row = 0;
    while row < COMMANDS.len() {
        let mut column = 0;
        while column < COMMANDS[row].0.len() {
            let name = COMMANDS[row].0[column].as_bytes();
            lengths[name[0] as usize] |= 1 << name.len();
            column += 1;
        }
        row += 1;
    }
    lengths
}

fn may_be_a_command(name: &[u8]) -> bool {
    let lengths = name.first().and_then(|first| LENGTHS.get(usize::from(*first)));
    name.len() < 32 && lengths.is_some_and(|lengths| lengths >> name.len() & 1 != 0)
}

/// Remembers the command whose flags are being read.
#[derive(Default)]
pub(super) struct Commands {
    /// Whether the word before was a command one logs in with.
    logs_in: bool,
    /// Where the last command that takes credentials was named, its flags and how it takes them.
    named: Option<(usize, &'static [&'static str], FlagForm)>,
}

impl Commands {
    /// Returns the credentials that `word`, behind `gap`, holds or announces, if it is the flag of a command seen shortly before.
    pub(super) fn credentials(
        &mut self,
        text: &[u8],
        word: &RedactorWord<'_>,
        gap: &[u8],
    ) -> Option<SecretMatch> {
        const NEAR: usize = 512;
        self.named = self.named.filter(|(at, ..)| word.start - at <= NEAR && !ends_a_command(gap, word));
        let Some(flag) = word.bytes.strip_prefix(b"-") else {
            let name = word.bytes.rsplit(|byte| *byte == b'/').next()?;
            let logs_in = std::mem::replace(
                &mut self.logs_in,
                (2..=8).contains(&name.len()) && LOGGING_IN.contains(&name),
            );
            if !may_be_a_command(name) {
                return None;
            }
            let is_named = |names: &[&str]| names.iter().any(|known| known.as_bytes() == name);
            let (_, flags, form) = COMMANDS.iter().find(|(names, ..)| is_named(names))?;
            // The scheme of an address is no command.
            if (name == LOGIN.as_bytes() && !logs_in) || text.get(word.end()) == Some(&b':') {
                return None;
            }
            self.named = Some((word.start, flags, *form));
            return None;
        };
        let (_, flags, form) = self.named?;
        let length = flags.iter().find(|flag| takes(word.bytes, flag.as_bytes(), form))?.len();
        let is_glued =
            flag.len() + 1 > length || text.get(word.end()).is_some_and(|byte| b"\"'".contains(byte));
        let mut at = word.start + length;
        at += if is_glued { 0 } else { count(text, at, b" =\t", 4) };
        let quote = text.get(at).copied().filter(|byte| b"\"'".contains(byte));
        at += usize::from(quote.is_some());
        let rest = text.get(at..)?;
        let value = value(rest, quote)?;
        let end = if quote.is_some() { value.len() } else { tail_end(rest, value.len()) };
        let is_port = is_port(value, is_glued);
        let is_credential = match form {
            FlagForm::Pair => {
                !is_port
                    && value.contains(&b':')
                    && value.len() >= 5
                    && !value.starts_with(b"user")
                    && !is_placeholder(value)
            }
            FlagForm::Glued if !is_glued => false,
            _ if quote.is_some() => is_chosen(value) || is_phrase(value),
            _ => is_chosen(value) && !value.starts_with(b"-") && !is_port,
        };
        is_credential.then_some(SecretMatch { rule: CREDENTIAL, start: at, end: at + end })
    }
}

/// Whether a value is a port, or ports and addresses that are mapped onto each other: `8080:80`.
fn is_port(value: &[u8], is_glued: bool) -> bool {
    let is_mapped =
        value.contains(&b':') && value.iter().all(|byte| byte.is_ascii_digit() || b":.".contains(byte));
    is_mapped || (!is_glued && value.len() <= 5 && value.iter().all(u8::is_ascii_digit))
}

/// Whether a word is the flag, or begins with it where a value may be glued to it.
fn takes(word: &[u8], flag: &[u8], form: FlagForm) -> bool {
    word == flag
        || (!matches!(form, FlagForm::Pair | FlagForm::Apart) && flag.len() == 2 && word.starts_with(flag))
}

/// `;`, `&&`, `|` or a line that does not go on end a command. The `&` of an address has no space beside it.
fn ends_a_command(gap: &[u8], word: &RedactorWord<'_>) -> bool {
    let is_apart = gap.iter().any(u8::is_ascii_whitespace);
    let breaks = gap.contains(&b'\n') && !gap.contains(&b'\\');
    breaks || (is_apart && gap.iter().any(|byte| b";&".contains(byte))) || matches!(word.bytes, b"|" | b"||")
}
