//! Finds secrets known by their line or the line before: `.pgpass`, what a prompt or a command that prints secrets is followed by,
//! and what is piped into a command that reads one.
//!
//! Not here: flags of commands (`commands`) and tables (`tables`).

use super::names::{NameClass, name_class};
use super::passwords::{CREDENTIAL, is_chosen, is_generated, is_made_up, is_password};
use super::phrases::is_phrase;
use super::random::{Announcement, is_placeholder, is_random};
use super::{SecretMatch, protocol};

/// Commands that print a secret and nothing else: all of the parts occur in the line, in any order.
#[rustfmt::skip]
const PRINTERS: &[&[&str]] = &[
    &["pass show "], &["gopass show "], &["op read "], &["bw get password"], &["secret-tool lookup"], &["find-generic-password", "-w"],
    &["/run/secrets/"], &["get secret", "base64"], &["get secrets", "base64"], &["get-secret-value"], &["secrets versions access"],
    &["keyvault secret show"], &["vault kv get", "-field"], &["vault read", "-field"], &["doppler secrets get"], &["heroku config:get"],
    &["gh auth token"], &["print-access-token"], &["print-identity-token"], &["get-access-token"], &["kubectl create token"],
    &["get-login-password"], &["openssl rand"], &["pwgen"], &["initialAdminPassword"], &["initial-password"], &["reset-password"],
    &["security find-internet-password"], &["lpass show", "--password"], &["ansible-vault view"], &["terraform output -raw"], &["dumpprivkey"], &["master.key"], &[".psk "],
];

/// What reads a secret from its input, in the part of a line behind the pipe.
#[rustfmt::skip]
const SINKS: &[&str] = &[
    "--password-stdin", "--passphrase-fd", "--with-token", "--stdin", "--data-file=-", "--body-file -", "--pass-stdin",
    "sudo -S", "chpasswd", "passwd", "secret", "kinit", "cryptsetup", "vault login", "ecryptfs", "htpasswd -i", "pass insert", "smbpasswd",
];

/// Adds a finding for every secret known by its line.
pub(super) fn find(text: &str, found: &mut Vec<SecretMatch>) {
    let mut is_printed = false;
    let mut log_in = protocol::LogIn::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let line_start = start;
        start += line.len();
        if line.len() > LONGEST_LINE {
            is_printed = false;
            continue;
        }
        let signs = LineSigns::of_line(line.as_bytes());
        if signs.prompts && signs.colons > 0 {
            found.extend(before_a_host(line, line_start));
            found.extend(answered(line, line_start));
        }
        if (4..=12).contains(&signs.colons) {
            found.extend(pgpass(line, line_start));
        }
        if std::mem::replace(&mut is_printed, false) {
            found.extend(printed_line(line, line_start));
        }
        found.extend(log_in.password(line, line_start));
        if signs.feeds
            && let Some(feeding) = feeding(line)
        {
            found.extend(fed(line, line_start, feeding));
            is_printed = feeding == Feeding::Document;
        }
        is_printed |= if signs.prompts || begins_with_a_prompt(line) {
            prints_a_secret(line.trim())
        } else {
            begins_with_a_printer(line)
        };
    }
}

/// What one look at a line says about it.
#[derive(Default)]
struct LineSigns {
    colons: usize,
    /// Holds `|` or `<`.
    feeds: bool,
    /// Holds `@`, as a prompt with the name of a host does.
    prompts: bool,
}

impl LineSigns {
    fn of_line(line: &[u8]) -> LineSigns {
        let mut signs = LineSigns::default();
        for byte in line {
            signs.colons += usize::from(*byte == b':');
            signs.feeds |= *byte == b'|' || *byte == b'<';
            signs.prompts |= *byte == b'@';
        }
        signs
    }
}

fn begins_with_a_prompt(line: &str) -> bool {
    line.trim_ascii_start().starts_with(['$', '#', '>', '%', '❯', '+'])
}

/// Returns the secret that a command printed, if that is what it does.
pub(super) fn printed(command: &str, output: &str) -> Option<SecretMatch> {
    if !command.lines().last().is_some_and(is_printer) {
        return None;
    }
    let start = output.len() - output.trim_start().len();
    whole_line(output.get(start..)?.lines().next()?, start)
}

/// What is longer is data, and no line somebody typed.
const LONGEST_LINE: usize = 2_000;

/// How a line gives a text to a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Feeding {
    /// `echo … |`
    Pipe,
    /// `<<< …`
    Text,
    /// `<<END`, and the text begins on the next line.
    Document,
}

fn feeding(line: &str) -> Option<Feeding> {
    let feeding = if line.contains("<<<") {
        Feeding::Text
    } else if line.contains("<<") {
        Feeding::Document
    } else if line.contains('|') && (line.contains("echo ") || line.contains("printf ")) {
        Feeding::Pipe
    } else {
        return None;
    };
    SINKS.iter().any(|sink| line.contains(sink)).then_some(feeding)
}

/// How the answer to "what is the password?" may begin.
const ANSWERS: [&str; 5] = ["it's ", "It's ", "it is ", "that's ", "> "];

/// The line below a prompt for a password, which is the name at `name_start`.
pub(super) fn prompted(text: &str, name_start: usize) -> Option<SecretMatch> {
    const LONGEST_PROMPT: usize = 160;
    let rest = text.get(name_start..)?;
    let length = rest.as_bytes().iter().take(LONGEST_PROMPT).position(|byte| *byte == b'\n')?;
    if !rest.get(..length)?.trim_end_matches(['"', '\'', ' ', '\r']).ends_with([':', '?']) {
        return None;
    }
    let below = rest.get(length..)?;
    let blank = below.len() - below.trim_start().len();
    let line = below.get(blank..)?.lines().next()?;
    let answer = ANSWERS.iter().find_map(|answer| line.strip_prefix(answer)).unwrap_or(line);
    whole_line(answer, name_start + length + blank + line.len() - answer.len())
}

fn prints_a_secret(line: &str) -> bool {
    typed_command(line).is_some_and(is_printer)
}

fn is_printer(command: &str) -> bool {
    let prints = |parts: &&[&str]| parts.iter().all(|part| command.contains(part));
    let names_a_secret = || {
        command.strip_prefix("printenv ").is_some_and(|name| {
            matches!(name_class(name.trim().as_bytes()), Some((NameClass::Password | NameClass::Key, _)))
        })
    };
    PRINTERS.iter().any(prints) || names_a_secret()
}

/// Whether a line without a prompt is a command that prints a secret: it begins with the first word of one.
fn begins_with_a_printer(line: &str) -> bool {
    let line = line.trim();
    let first = line.split(' ').next().unwrap_or_default();
    let begins = |parts: &&[&str]| parts.first().is_some_and(|part| part.split(' ').next() == Some(first));
    let is_known = PRINTERS.iter().any(begins)
        || matches!(
            first,
            "cat" | "bitcoin-cli" | "az" | "argocd" | "security" | "aws" | "gcloud" | "kubectl"
        );
    first.len() < line.len() && is_known && is_printer(line)
}

/// Returns what follows a shell's prompt: `$ …`, `root@host:~# …`.
fn typed_command(line: &str) -> Option<&str> {
    if let Some(command) =
        ["$ ", "# ", "> ", "% ", "❯ ", "+ "].iter().find_map(|prompt| line.strip_prefix(prompt))
    {
        return Some(command);
    }
    let (before, command) = line.split_once("$ ").or_else(|| line.split_once("# "))?;
    before.contains('@').then_some(command)
}

/// The only word of a line that a command printed which prints secrets: any but a plain word or a sign.
fn printed_line(line: &str, line_start: usize) -> Option<SecretMatch> {
    const SHORTEST: usize = 8;
    let value = line.trim();
    let bytes = value.as_bytes();
    let is_word = bytes.iter().all(u8::is_ascii_lowercase) || bytes.iter().all(u8::is_ascii_digit);
    let is_label = bytes.ends_with(b":") || bytes.starts_with(b"-") || bytes.starts_with(b"/");
    let is_printed = bytes.len() >= SHORTEST
        && bytes.iter().all(u8::is_ascii_graphic)
        && !is_word
        && !is_label
        && !bytes.starts_with(b"<")
        && !bytes.starts_with(b"{");
    if !is_printed {
        return whole_line(line, line_start);
    }
    let start = line_start + line.find(value)?;
    Some(SecretMatch { rule: CREDENTIAL, start, end: start + value.len() })
}

/// The only word of a line, also where `send` types it.
fn whole_line(line: &str, line_start: usize) -> Option<SecretMatch> {
    let content = line.trim();
    let content = content.strip_prefix("send ").unwrap_or(content);
    let content = content.trim_matches(['"', '\'']);
    let value = content.strip_suffix("\\r").or_else(|| content.strip_suffix("\\n")).unwrap_or(content);
    let bytes = value.as_bytes();
    if is_placeholder(bytes) || bytes.iter().any(u8::is_ascii_whitespace) {
        return None;
    }
    // BitLocker groups the digits of its recovery password.
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_grouped_number = digits >= 24 && bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
    let is_secret = is_password(bytes) || is_grouped_number || is_random(bytes, Announcement::Assigned);
    let start = line_start + line.find(value)?;
    is_secret.then(|| SecretMatch { rule: CREDENTIAL, start, end: start + value.len() })
}

/// `Password for 'https://ann@git.example': …`: what was typed behind the prompt.
fn answered(line: &str, line_start: usize) -> Option<SecretMatch> {
    let (_, prompt) = line.split_once("assword for ")?;
    let (_, answer) = prompt.split_once("': ").or_else(|| prompt.split_once("\": "))?;
    let answer = answer.trim_end();
    let start = line_start + (answer.as_ptr() as usize - line.as_ptr() as usize);
    let is_secret = is_generated(answer.as_bytes());
    is_secret.then(|| SecretMatch { rule: CREDENTIAL, start, end: start + answer.len() })
}

/// `ann:…@10.0.0.4`: an address without its scheme.
fn before_a_host(line: &str, line_start: usize) -> Option<SecretMatch> {
    line.split([' ', '"', '\'', '`', '\n', '\r', '=', ',', '(']).find_map(|word| {
        let (pair, host) = word.rsplit_once('@')?;
        let (user, password) = pair.split_once(':')?;
        let is_name = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
        };
        let host = host.split([':', '/']).next()?;
        let is_host = is_name(host) && (host.contains('.') || host == "localhost");
        let is_secret =
            is_made_up(password.as_bytes()) || is_random(password.as_bytes(), Announcement::Assigned);
        let start = line_start + (password.as_ptr() as usize - line.as_ptr() as usize);
        (is_name(user) && is_host && is_secret && !password.starts_with("//")).then(|| SecretMatch {
            rule: CREDENTIAL,
            start,
            end: start + password.len(),
        })
    })
}

/// `host:port:database:user:password`
fn pgpass(line: &str, line_start: usize) -> Option<SecretMatch> {
    const SHORTEST_PORT: usize = 4;
    line.split([' ', '"', '\'', '\n', '\r']).find_map(|word| {
        let mut fields = word.splitn(5, ':');
        let (host, port, database) = (fields.next()?, fields.next()?, fields.next()?);
        let (user, password) = (fields.next()?, fields.next()?);
        let is_plain = |field: &str| {
            !field.is_empty()
                && field.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.*-".contains(&byte))
        };
        let is_port = port == "*"
            || ((SHORTEST_PORT..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit()));
        let is_named = |field: &str| is_plain(field) && !field.bytes().all(|byte| byte.is_ascii_digit());
        // The groups of an IPv6 address are no hosts.
        let is_host = is_plain(host) && !host.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_line = is_host && is_port && is_named(database) && is_named(user);
        let is_password =
            is_chosen(password.as_bytes()) && !password.bytes().all(|byte| byte.is_ascii_lowercase());
        let start = line_start + (password.as_ptr() as usize - line.as_ptr() as usize);
        (is_line && is_password).then(|| SecretMatch { rule: CREDENTIAL, start, end: start + password.len() })
    })
}

/// `echo … | docker login --password-stdin`, `docker login --password-stdin <<< …`
fn fed(line: &str, line_start: usize, feeding: Feeding) -> Option<SecretMatch> {
    match feeding {
        Feeding::Document => None,
        Feeding::Text => {
            let (before, after) = line.split_once("<<<")?;
            let after = after.split(['|', '>']).next().unwrap_or(after);
            argument(after, line_start + before.len() + 3)
        }
        Feeding::Pipe => {
            let (before, after) = line.split_once('|')?;
            let at = ["echo ", "printf "]
                .iter()
                .filter_map(|name| Some(before.rfind(name)? + name.len()))
                .max()?;
            let reads = SINKS.iter().any(|sink| after.contains(sink));
            argument(before.get(at..)?, line_start + at).filter(|_| reads)
        }
    }
}

/// The last argument of a command, which begins at `start`.
fn argument(arguments: &str, start: usize) -> Option<SecretMatch> {
    let trimmed = arguments.trim_end();
    let (from, to) = match trimmed.chars().last().filter(|quote| "\"'".contains(*quote)) {
        Some(quote) => (trimmed.get(..trimmed.len() - 1)?.rfind(quote)? + 1, trimmed.len() - 1),
        None => (trimmed.rfind(' ').map_or(0, |space| space + 1), trimmed.len()),
    };
    let value = trimmed.get(from..to)?;
    let value = value.strip_suffix("\\n").unwrap_or(value);
    // `chpasswd` reads the name of the user first.
    let user = value.split_once(':').map_or(0, |(user, _)| user.len() + 1);
    let value = value.get(user..)?;
    let is_reference = value.starts_with(['$', '-', '%']) || value.contains("$(");
    let start = start + from + user;
    let is_secret = is_chosen(value.as_bytes()) || (to < trimmed.len() && is_phrase(value.as_bytes()));
    (is_secret && !is_reference).then(|| SecretMatch { rule: CREDENTIAL, start, end: start + value.len() })
}
