//! Passwords on command lines, where the meaning of a flag depends on the command: `mysql -p…`, `curl -u name:…`.
//!
//! Not here: flags that name what they take (`--password …`), which are names like any other (`named`).

use super::SecretMatch;
use super::assignment::count;
use super::passwords::{CREDENTIAL, is_chosen, is_password, tail_end, value};
use super::phrases::is_phrase;
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
    (&["curl", "wget", "http", "https", "xh", "xhs", "curlie"], &["-u", "--user", "--proxy-user", "-a", "--auth"], FlagForm::Pair),
    (&["security"], &["-w"], FlagForm::Apart),
    (&["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlcheck", "mysqlsh", "mariadb", "mariadb-dump", "mariadb-admin", "7z", "7za", "rar", "unrar"], &["-p"], FlagForm::Glued),
    (&["sshpass", LOGIN, "mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport", "cqlsh", "rabbitmqadmin"], &["-p"], FlagForm::Either),
    (&["redis-cli", "valkey-cli", "redis-benchmark"], &["-a"], FlagForm::Either),
    (&["zip", "unzip", "sqlcmd", "bcp", "mosquitto_pub", "mosquitto_sub", "ipmitool"], &["-P"], FlagForm::Either),
    (&["openssl"], &["-k"], FlagForm::Apart),
    (&["ssh-keygen"], &["-N"], FlagForm::Apart),
    (&["ab", "lftp", "smbclient", "rpcclient"], &["-A", "-u", "-U"], FlagForm::Pair),
    (&["xfreerdp", "wfreerdp", "rdesktop", "schtasks", "psexec", "winrs", "runas"], &["/p", "/rp", "-p"], FlagForm::Either),
    (&["slmgr", "slmgr.vbs"], &["/ipk", "-ipk"], FlagForm::Either),
    (&["ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd"], &["-w"], FlagForm::Either),
];

/// Commands whose last argument is a secret if their line also holds a certain part.
#[rustfmt::skip]
const LAST_ARGUMENT: &[(&str, &str)] = &[
    ("rabbitmqctl", " add_user "), ("rabbitmqctl", " change_password "), ("htpasswd", " -b"), ("mosquitto_passwd", " -b "), ("net", " use "),
    ("net", " user "), ("pulumi", " --secret "), ("az", " --value "), ("mc", " alias set "), ("sqlplus", "/"), ("vault", " login "),
    ("nmcli", " password "),
];

/// Returns the rest of the command that goes on at `at`.
fn rest_of_line(text: &[u8], at: usize) -> &[u8] {
    const LONGEST_LINE: usize = 400;
    let rest = text.get(at..).unwrap_or_default();
    let length = rest.iter().take(LONGEST_LINE).position(|byte| b"\n|;>".contains(byte));
    rest.get(..length.unwrap_or(rest.len().min(LONGEST_LINE))).unwrap_or_default().trim_ascii_end()
}

/// Returns the secret at the end of the line of the command `name`, which goes on at `line_start`, if that is where it takes one.
fn last_argument(line: &[u8], line_start: usize, name: &[u8]) -> Option<SecretMatch> {
    let holds = |part: &str| line.windows(part.len()).any(|window| window == part.as_bytes());
    if !LAST_ARGUMENT.iter().any(|(known, part)| known.as_bytes() == name && holds(part)) {
        return None;
    }
    // Options of Windows follow what they are about: `net user ann … /add`.
    let is_option = |argument: &&[u8]| argument.starts_with(b"/") && name == b"net";
    let is_login =
        |argument: &&[u8]| name != b"sqlplus" || (argument.contains(&b'/') && argument.contains(&b'@'));
    let argument =
        line.rsplit(|byte| *byte == b' ').find(|argument| !is_option(argument) && is_login(argument))?;
    let mut start = line_start + (argument.as_ptr() as usize - line.as_ptr() as usize);
    let mut value = argument.strip_suffix(b"'").or_else(|| argument.strip_suffix(b"\"")).unwrap_or(argument);
    // `user%…`, `user/…@database`
    if let Some(at) = value.iter().position(|byte| b"%/'\"".contains(byte)) {
        value = value.get(at + 1..)?;
        start += at + 1;
    }
    let value = value.split(|byte| *byte == b'@').next()?;
    let is_word =
        value.iter().all(u8::is_ascii_lowercase) || value.iter().any(|byte| b"/\\.:".contains(byte));
    let is_secret = is_password(value) || (is_chosen(value) && !is_word);
    is_secret.then(|| SecretMatch { rule: CREDENTIAL, start, end: start + value.len() })
}

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
    row = 0;
    while row < LAST_ARGUMENT.len() {
        let name = LAST_ARGUMENT[row].0.as_bytes();
        lengths[name[0] as usize] |= 1 << name.len();
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
    /// Up to where lines were searched for their last argument.
    lines_read: usize,
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
        let is_option = word.bytes.starts_with(b"/") && word.bytes.len() <= 4 && self.named.is_some();
        let Some(flag) = word.bytes.strip_prefix(b"-").or(word.bytes.get(1..).filter(|_| is_option)) else {
            let name = word.bytes.rsplit(|byte| *byte == b'/').next()?;
            let logs_in = std::mem::replace(
                &mut self.logs_in,
                (2..=8).contains(&name.len()) && LOGGING_IN.contains(&name),
            );
            if !may_be_a_command(name) {
                return None;
            }
            if word.start >= self.lines_read
                && LAST_ARGUMENT.iter().any(|(known, _)| known.as_bytes() == name)
            {
                let line = rest_of_line(text, word.end());
                self.lines_read = word.end() + line.len();
                if let Some(last) = last_argument(line, word.end(), name) {
                    return Some(last);
                }
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
        let signs: &[u8] = if is_option { b" =:\t" } else { b" =\t" };
        at += if is_glued { 0 } else { count(text, at, signs, 4) };
        let quote = text.get(at).copied().filter(|byte| b"\"'".contains(byte));
        at += usize::from(quote.is_some());
        let rest = text.get(at..)?;
        let value = value(rest, quote)?;
        let end = if quote.is_some() { value.len() } else { tail_end(rest, value.len()) };
        // `-u name,…`: a comma is no end of it.
        let pair = rest.get(..end)?;
        let is_port = is_port(value, is_glued);
        let is_credential = match form {
            FlagForm::Pair => {
                !is_port
                    && pair.iter().any(|byte| b":%,".contains(byte))
                    && pair.len() >= 5
                    && !pair.starts_with(b"user")
                    && !is_placeholder(pair)
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
