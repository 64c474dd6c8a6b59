//! Finds values by the name before them: `api_key = …`, `SECRET=…`, `"token": "…"`, `Authorization: Bearer …`.
//!
//! One walk over the words: a name of a credential starts a search, a word that looks like a value ends it with a finding, a new line
//! or too many other words end it without. Each word is read once, so the cost is linear in any text.
//!
//! Not here: the names of credentials (`names`), what looks random (`random`), passwords people chose (`passwords`).

use super::assignment::{ValueSpot, count};
use super::names::{NameClass, name_class};
use super::prose::{LastWords, Prose};
use super::random::{Announcement, is_digest, is_placeholder, is_random, is_uuid};
use super::shapes::MARKS;
use super::words::{RedactorWord, words};
use super::{
    SecretMatch, blocks, calls, commands, entries, headers, lines, literals, nested, passwords, phrases,
    pins, prose, sql, tables, urls,
};

/// The rule of values known by their name.
pub(super) const NAMED: &str = "named-secret";
const AUTHORIZATION: &str = "authorization";

/// How far behind its name a value may begin, and how many other words may stand between.
const REACH: usize = 48;
const WORDS_BETWEEN: usize = 3;
/// The same where a sentence leads from the name to the value: "the password for the staging database is …".
const REACH_OF_PROSE: usize = 96;
const WORDS_OF_PROSE: usize = 9;

struct Armed {
    name_class: NameClass,
    /// Where the name began and ended.
    start: usize,
    end: usize,
    /// Words seen since.
    between: usize,
    prose: Prose,
}

impl Armed {
    /// Whether a quoted word says whose value comes: "Password for 'ann': …".
    fn is_for(&self, text: &[u8], word: &RedactorWord<'_>) -> bool {
        let before = word.start.checked_sub(1).and_then(|at| text.get(at));
        self.prose == Prose::GoesOn
            && before.is_some_and(|quote| b"\"'".contains(quote))
            && matches!(text.get(word.end()..), Some([b'"' | b'\'', b':', ..]))
    }
}

/// Adds a finding for every value behind the name of a credential, on the line below it, and in the table it heads.
///
/// No name is remembered beyond what follows it: a text may hold millions.
pub(super) fn find(whole: &str, found: &mut Vec<SecretMatch>) {
    let text = whole.as_bytes();
    let mut walk = NamedWalk {
        text,
        armed: None,
        last: LastWords::default(),
        identified: None,
        is_storing: false,
        whole,
        tables_read: 0,
        web_keys_read: 0,
    };
    let mut commands = commands::Commands::default();
    let mut before = 0;
    for word in words(text) {
        let gap = text.get(before..word.start).unwrap_or_default();
        before = word.end();
        found.extend(marked(&word));
        found.extend(urls::tenant_host(&word));
        found.extend(urls::signature(text, &word));
        found.extend(urls::in_path(&word));
        found.extend(urls::before_a_network(text, &word));
        found.extend(calls::find(text, &word));
        found.extend(commands.credentials(text, &word, gap));
        pins::find(whole, &word, walk.last.word(), found);
        walk.read(&word, gap, found);
        walk.last.push(word);
    }
}

/// What is remembered from word to word.
struct NamedWalk<'a> {
    text: &'a [u8],
    armed: Option<Armed>,
    last: LastWords<'a>,
    /// Where SQL said `IDENTIFIED`.
    identified: Option<usize>,
    /// Whether the command stores secrets.
    is_storing: bool,
    /// The same text.
    whole: &'a str,
    /// Up to where tables were read.
    tables_read: usize,
    /// Up to where JSON Web Keys were read.
    web_keys_read: usize,
}

impl NamedWalk<'_> {
    fn read(&mut self, word: &RedactorWord<'_>, gap: &[u8], found: &mut Vec<SecretMatch>) {
        let text = self.text;
        self.armed = self.armed.take().filter(|armed| reaches(armed, word, gap));
        found.extend(self.behind_a_user(word, gap));
        found.extend(self.behind_a_level(word, gap));
        found.extend(self.identified_by(word));
        found.extend(self.stored(word, gap));
        found.extend(self.seed_phrase(word));
        found.extend(self.community(word, gap));
        if word.bytes.eq_ignore_ascii_case(b"values") {
            sql::find_in_rows(text, (word.start, word.end()), found);
        } else if word.bytes == b"kty" && word.start >= self.web_keys_read {
            self.web_keys_read = blocks::find_in_web_key(text, word.start, found);
        }
        if let Some(name) = &mut self.armed {
            if let Some((rule, end)) = fires(name, word, gap, text) {
                found.push(SecretMatch { rule, start: word.start, end });
                found.extend(nested::behind_an_arrow(text, end));
                if follows_a_pair(text, name.start) {
                    found.extend(passwords::user_before(text, name.start));
                }
                // A cookie may be followed by others, and the old password by the new one.
                let is_old = name.prose == Prose::Ready && self.last.word() == Some(b"from");
                name.prose = if is_old { Prose::Set } else { name.prose };
                self.armed = self.armed.take().filter(|armed| is_old || is_cookie(text, armed));
                return;
            }
            name.between += 1;
            name.prose = name.prose.next(word.bytes, gap);
        }
        let is_pass_phrase = word.bytes == b"phrase" && self.last.word() == Some(b"pass");
        if is_pass_phrase {
            self.read_name(word, (NameClass::Password, word.bytes.len()), found);
        } else if let Some((name_class, end)) = name_class(word.bytes) {
            self.read_name(word, (name_class, end), found);
        } else if self.armed.as_ref().is_some_and(|armed| !armed.is_for(text, word)) && is_key(text, word) {
            // What follows is the value of this key, and not of the name before.
            self.armed = self.armed.take().filter(|armed| is_cookie(text, armed));
        }
    }

    fn read_name(
        &mut self,
        word: &RedactorWord<'_>,
        (name_class, end): (NameClass, usize),
        found: &mut Vec<SecretMatch>,
    ) {
        // `AuthorizationCodeGrant` names a type and no header, `…/password-prompt-1.1.tgz` a file.
        let is_of_another = name_class == NameClass::Header || is_built(word.bytes);
        if is_of_another && end < word.bytes.len() {
            return;
        }
        let is_public = name_class == NameClass::Key && self.last.names_an_algorithm();
        let name_class = if is_public { NameClass::Harmless } else { name_class };
        if name_class == NameClass::Password {
            found.extend(lines::prompted(self.whole, word.start));
        }
        if matches!(name_class, NameClass::Password | NameClass::Key) && word.start >= self.tables_read {
            self.tables_read = tables::find_at(self.whole, word.start, found);
        }
        announced(self.text, word, (name_class, end), found);
        if name_class == NameClass::Password
            && let Some(value) = self.last.value_before(self.text, word)
        {
            let before = self.text.get(..value.start).unwrap_or_default();
            let joined = before
                .iter()
                .rev()
                .take_while(|byte| b"!@#$%^&*".contains(byte) || byte.is_ascii_alphanumeric())
                .count();
            found.extend(passwords::in_a_sentence(self.text, value.start - joined));
        }
        // "The token for the login page is …" is still about the token.
        let is_aside = self.armed.as_ref().is_some_and(|armed| {
            let is_other = armed.name_class == NameClass::Password && name_class == NameClass::Key;
            armed.prose == Prose::GoesOn && (name_class == NameClass::Hint || is_other)
        });
        if !is_aside {
            let prose = prose::begin(self.text, word.start);
            self.armed = Some(Armed { name_class, start: word.start, end: word.end(), between: 0, prose });
        }
    }

    /// "credentials for the demo: demo / …", "log in with root:…", "new user: admin / …"
    fn behind_a_user(&self, word: &RedactorWord<'_>, gap: &[u8]) -> Option<SecretMatch> {
        let is_behind_a_slash = gap == b" " && self.last.word() == Some(b"/");
        let signs = gap.strip_prefix(b" ").filter(|signs| signs.iter().all(u8::is_ascii_punctuation));
        if let Some(signs) = signs
            && self.last.word() == Some(b"/")
            && self.last.is_account()
        {
            return passwords::generated_at(self.text, word.start - signs.len());
        }
        let armed = self.armed.as_ref()?;
        if gap == b":" && armed.between > 0 && armed.name_class == NameClass::Hint {
            let name = self.text.get(armed.start..armed.end)?;
            return passwords::generated_at(self.text, word.start).filter(|_| name.ends_with(b"ogin"));
        }
        if !is_behind_a_slash {
            return None;
        }
        let name = self.text.get(armed.start..armed.end)?.to_ascii_lowercase();
        let is_login = armed.name_class == NameClass::Password
            || name.starts_with(b"cred")
            || [&b"login"[..], b"ident", b"zugang"].iter().any(|start| name.starts_with(start));
        passwords::in_a_sentence(self.text, word.start).filter(|_| is_login)
    }

    /// `password 7 …`, `enable secret 5 …`: routers say by a digit how the value is written.
    fn behind_a_level(&self, word: &RedactorWord<'_>, gap: &[u8]) -> Option<SecretMatch> {
        let armed = self.armed.as_ref().filter(|armed| gap == b" " && armed.between == 1)?;
        let is_level = matches!(self.last.word(), Some([b'0'..=b'9']));
        let is_named = armed.name_class == NameClass::Password
            || self.text.get(armed.start..armed.end).is_some_and(|name| name == b"secret");
        passwords::made_up_at(self.text, word.start).filter(|_| is_level && is_named)
    }

    /// `fly secrets set NAME=…`, `heroku config:set NAME=…`: whatever the names are.
    fn stored(&mut self, word: &RedactorWord<'_>, gap: &[u8]) -> Option<SecretMatch> {
        let follows = |names: &[&[u8]]| self.last.word().is_some_and(|last| names.contains(&last));
        if word.bytes == b"set" && follows(&[b"secrets", b"secret", b"config"]) {
            self.is_storing = true;
        } else if gap.contains(&b'\n') {
            self.is_storing = false;
        }
        let is_value = self.is_storing && gap.first() == Some(&b'=');
        let is_secret = is_value && is_random(word.bytes, Announcement::Assigned);
        is_secret.then(|| SecretMatch { rule: NAMED, start: word.start, end: word.end() })
    }

    /// `mnemonic: …`, "the seed phrase is …": a dozen words or two that open a wallet.
    fn seed_phrase(&self, word: &RedactorWord<'_>) -> Option<SecretMatch> {
        const FEWEST: usize = 12;
        let follows = |names: &[&[u8]]| {
            self.last.word().is_some_and(|last| names.iter().any(|name| last.eq_ignore_ascii_case(name)))
        };
        let is_name = word.bytes.eq_ignore_ascii_case(b"mnemonic")
            || (word.bytes.eq_ignore_ascii_case(b"phrase")
                && follows(&[b"seed", b"recovery", b"backup", b"mnemonic"]));
        let spot = is_name.then(|| ValueSpot::after(self.text, word.end(), false))??;
        let rest = self.text.get(spot.start..)?;
        let is_of_a_phrase = |byte: &&u8| byte.is_ascii_lowercase() || **byte == b' ';
        let phrase = rest.get(..rest.iter().take(256).take_while(is_of_a_phrase).count())?.trim_ascii_end();
        let is_enough = phrase.split(|byte| *byte == b' ').filter(|part| part.len() >= 3).count() >= FEWEST;
        is_enough.then(|| SecretMatch { rule: NAMED, start: spot.start, end: spot.start + phrase.len() })
    }

    /// `snmp-server community …`: a password that routers call otherwise.
    fn community(&self, word: &RedactorWord<'_>, gap: &[u8]) -> Option<SecretMatch> {
        if gap != b" " || self.last.word() != Some(b"community") {
            return None;
        }
        let end = passwords::end_in_a_sentence(self.text, word.start)?;
        let value = self.text.get(word.start..end)?;
        let is_secret = passwords::is_password(value) || passwords::is_joined(value);
        is_secret.then_some(SecretMatch { rule: passwords::CREDENTIAL, start: word.start, end })
    }

    /// `IDENTIFIED BY '…'`, `IDENTIFIED WITH plugin BY '…'`
    fn identified_by(&mut self, word: &RedactorWord<'_>) -> Option<SecretMatch> {
        const NEAR: usize = 64;
        if word.bytes.eq_ignore_ascii_case(b"identified") {
            self.identified = Some(word.end());
            return None;
        }
        let at = self.identified?;
        if word.start - at > NEAR {
            self.identified = None;
        }
        if !word.bytes.eq_ignore_ascii_case(b"by") {
            return None;
        }
        self.identified = None;
        sql::after_identified_by(self.text, word.end())
    }
}

/// Whether a name is that of the header whose values have names of their own: `Cookie: sid=…; theme=…`.
fn is_cookie(text: &[u8], armed: &Armed) -> bool {
    let is_named =
        text.get(armed.start..armed.end).is_some_and(|name| name.to_ascii_lowercase().ends_with(b"cookie"));
    is_named && text.get(armed.end) == Some(&b':')
}

/// Whether a word is the key of an assignment of its own: `"uuid": …`, `userId=…`.
fn is_key(text: &[u8], word: &RedactorWord<'_>) -> bool {
    let rest = text.get(word.end()..).unwrap_or_default();
    let quotes = rest.iter().take(3).take_while(|byte| b"\\\"'".contains(byte)).count();
    let sign = rest.get(quotes..).unwrap_or_default();
    let assigns = match sign {
        [b'=', b'=' | b'>' | b'~', ..] => false,
        [b'=', ..] => true,
        [b':', ..] => quotes > 0,
        _ => false,
    };
    assigns && !nested::is_neutral(word.bytes)
}

/// Adds what follows a name in the same word or in quotes, where splitting into words would not find it.
fn announced(
    text: &[u8],
    word: &RedactorWord<'_>,
    (name_class, end): (NameClass, usize),
    found: &mut Vec<SecretMatch>,
) {
    if name_class == NameClass::Harmless {
        return;
    }
    if name_class == NameClass::Header {
        found.extend(headers::header(text, word.end()));
    }
    found.extend(glued(word, end));
    let variable = word.bytes.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    if passwords::is_shouted(variable) {
        found.extend(literals::fallback(text, word.end()));
    }
    if end == word.bytes.len() {
        found.extend(entries::find(text, word, name_class));
        if let Some(inside) = nested::in_block(text, word.end(), name_class) {
            found.extend(nested::behind_an_arrow(text, inside.end));
            found.push(inside);
        }
        found.extend(nested::in_yaml_block(text, word, name_class));
        found.extend(nested::in_next_element(text, word.end(), name_class));
        found.extend(nested::windows_registry_value(text, word.end(), name_class));
        found.extend(seed_of_codes(text, word.end()));
    } else if word.bytes.get(end..) == Some(b"s") {
        nested::find_in_container(text, word.end(), found);
    }
    if let Some(chosen) = passwords::after(text, word, end, name_class) {
        found.extend(nested::behind_an_arrow(text, chosen.end));
        found.push(chosen);
        found.extend(passwords::user_before(text, word.start));
    }
}

/// `setup key: ABCD E2FG HI3J KLMN`: the seed of one-time codes, in groups of four.
fn seed_of_codes(text: &[u8], name_end: usize) -> Option<SecretMatch> {
    const LONGEST: usize = 64;
    let gap = count(text, name_end, b": =`\"", 4);
    let start = name_end + gap;
    let rest = text.get(start..).filter(|_| gap > 0)?;
    let is_of_a_seed =
        |byte: &&u8| byte.is_ascii_alphabetic() || (b'2'..=b'7').contains(*byte) || **byte == b' ';
    let seed = rest.get(..rest.iter().take(LONGEST).take_while(is_of_a_seed).count())?.trim_ascii_end();
    let groups = seed.split(|byte| *byte == b' ');
    let is_seed = groups.clone().count() >= 4
        && groups.into_iter().all(|group| group.len() == 4)
        && seed.iter().any(u8::is_ascii_digit);
    is_seed.then(|| SecretMatch { rule: NAMED, start, end: start + seed.len() })
}

/// `AccountName=…;AccountKey=…`: the name is part of a connection string.
fn follows_a_pair(text: &[u8], name_start: usize) -> bool {
    let before = text.get(..name_start).unwrap_or_default();
    before.trim_ascii_end().ends_with(b";")
}

/// Returns the rule by which `value` is a secret, given the name of the field that holds it.
pub(super) fn rule_for(name: &str, value: &str) -> Option<&'static str> {
    let (name_class, _) = name_class(name.as_bytes())?;
    let bytes = value.as_bytes();
    let secret = match name_class {
        NameClass::Password => {
            passwords::is_chosen(bytes)
                || (phrases::names_a_phrase(name.as_bytes()) && phrases::is_phrase(bytes))
        }
        NameClass::Header => headers::is_header(bytes) || (!value.contains(' ') && is_credential(bytes)),
        NameClass::Key => is_random(bytes, Announcement::Quoted),
        NameClass::Hint => is_random(bytes, Announcement::Near),
        NameClass::Harmless => false,
    };
    secret.then_some(NAMED)
}

fn reaches(armed: &Armed, word: &RedactorWord<'_>, gap: &[u8]) -> bool {
    // `- name: DB_PASSWORD` has its value on the next line.
    let goes_on = gap.iter().any(|byte| b":=".contains(byte)) || nested::is_neutral(word.bytes);
    let same_line = !gap.contains(&b'\n') || (armed.between == 0 && goes_on);
    same_line
        && match armed.prose {
            Prose::GoesOn | Prose::Ready => {
                armed.between <= WORDS_OF_PROSE && word.start - armed.end <= REACH_OF_PROSE
            }
            _ => is_near(armed, word),
        }
}

fn is_near(armed: &Armed, word: &RedactorWord<'_>) -> bool {
    armed.between <= WORDS_BETWEEN && word.start - armed.end <= REACH
}

/// Returns the rule by which a word is a secret, and where that ends.
fn fires(armed: &Armed, word: &RedactorWord<'_>, gap: &[u8], text: &[u8]) -> Option<(&'static str, usize)> {
    if armed.prose.leads_to(gap)
        && let Some(end) = value_end(armed.name_class, word, text)
    {
        return Some((NAMED, end));
    }
    if armed.prose.leads_to(gap)
        && let Some(end) = quoted_phrase_end(text, word, gap)
        && text.get(armed.start..armed.end).is_some_and(phrases::names_a_passphrase)
    {
        return Some((passwords::CREDENTIAL, end));
    }
    if !is_near(armed, word) {
        return None;
    }
    if armed.name_class == NameClass::Password
        && let Some(end) = quoted_end(text, word, gap)
    {
        return Some((passwords::CREDENTIAL, end));
    }
    if armed.name_class == NameClass::Password
        && armed.between == 0
        && gap.iter().all(|byte| b" \t".contains(byte))
        && let Some(end) = value_end(armed.name_class, word, text)
        && let Some(value) = text.get(word.start..end)
        && (passwords::ends_chosen(value)
            || is_all_of_a_line(text, armed.start, end)
            || passwords::is_unlike_a_name(value)
            || (passwords::is_joined(value) && value.iter().any(u8::is_ascii_digit))
            || (ends_a_clause(text, end)
                && !value.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-')))
    {
        // `login me password winter26`, `requirepass winter26`
        return Some((NAMED, end));
    }
    let end = || passwords::tail_end(text, word.end());
    if armed.name_class == NameClass::Header && armed.between <= 1 && is_credential(word.bytes) {
        return Some((AUTHORIZATION, end()));
    }
    let evidence = match armed.name_class {
        NameClass::Harmless => return None,
        NameClass::Key | NameClass::Password if armed.between == 0 => evidence(gap),
        _ => Announcement::Near,
    };
    // Ids are written so more often than keys.
    let is_id = ((armed.between > 0 || is_client(text, armed)) && is_uuid(word.bytes))
        || (is_digest(word.bytes) && is_access(text, armed));
    (!is_id && is_random(word.bytes, evidence)).then(|| (NAMED, end()))
}

/// Whether a name is that of a client, which its addresses say to everybody: `authorize?client_id=…`.
fn is_client(text: &[u8], armed: &Armed) -> bool {
    let is_parameter =
        armed.start.checked_sub(1).and_then(|at| text.get(at)).is_some_and(|byte| b"?&".contains(byte));
    is_parameter && text.get(armed.start..armed.end).is_some_and(|name| name == b"client_id")
}

/// Whether a name only ends in "access": `KeychainAccess: 7e6a…` is a library and its checksum.
fn is_access(text: &[u8], armed: &Armed) -> bool {
    armed.name_class == NameClass::Hint
        && text.get(armed.start..armed.end).is_some_and(|name| name.ends_with(b"Access"))
}

/// Returns where the secret ends that a sentence leads to, if the word it leads to is one.
fn value_end(name_class: NameClass, word: &RedactorWord<'_>, text: &[u8]) -> Option<usize> {
    let mixed = word.bytes.iter().any(u8::is_ascii_digit) && word.bytes.iter().any(u8::is_ascii_alphabetic);
    let is_made = || mixed && is_random(word.bytes, Announcement::Assigned);
    match name_class {
        NameClass::Password => {
            let end = passwords::end_in_a_sentence(text, word.start)?;
            let value = text.get(word.start..end)?;
            let is_number = value.len() >= 6 && value.iter().all(u8::is_ascii_digit);
            let is_said_to_the_end = ends_a_clause(text, end)
                && (is_number || passwords::is_made_up(value) || passwords::is_joined(value));
            let is_numbered = passwords::is_joined(value) && value.iter().any(u8::is_ascii_digit);
            let is_secret = passwords::in_a_sentence(text, word.start).is_some()
                || is_made()
                || is_numbered
                || is_said_to_the_end;
            is_secret.then_some(end)
        }
        NameClass::Key => is_made().then(|| passwords::tail_end(text, word.end())),
        _ => None,
    }
}

/// Returns where the quoted phrase ends that begins with `word`.
fn quoted_phrase_end(text: &[u8], word: &RedactorWord<'_>, gap: &[u8]) -> Option<usize> {
    let quote = gap.last().copied().filter(|byte| b"\"'`".contains(byte))?;
    let value = passwords::value(text.get(word.start..)?, Some(quote))?;
    phrases::is_long_phrase(value).then_some(word.start + value.len())
}

/// Returns where a quoted word ends that stands on the line of a password's name and looks like a password by itself.
fn quoted_end(text: &[u8], word: &RedactorWord<'_>, gap: &[u8]) -> Option<usize> {
    let quote = gap.last().copied().filter(|byte| b"\"'`".contains(byte))?;
    let value = passwords::value(text.get(word.start..)?, Some(quote))?;
    let has = |expected: fn(&u8) -> bool| value.iter().any(expected);
    let is_mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    if passwords::is_words_and_dashes(value) {
        return Some(word.start + value.len());
    }
    let is_odd =
        passwords::ends_chosen(value) || is_mixed || value.iter().any(|byte| b"!@#$^&*+".contains(byte));
    (is_odd && passwords::is_made_up(value)).then_some(word.start + value.len())
}

/// Whether a sentence, a part of it or a line ends at `at`: what stands before is said to the end.
fn ends_a_clause(text: &[u8], at: usize) -> bool {
    match text.get(at..).unwrap_or_default() {
        [] | [b'\n' | b'\r' | b')', ..] => true,
        [b',' | b'.', after, ..] => after.is_ascii_whitespace(),
        [b',' | b'.'] => true,
        _ => false,
    }
}

/// Whether a line holds nothing but a name and its value, as in the files of servers.
fn is_all_of_a_line(text: &[u8], name_start: usize, value_end: usize) -> bool {
    let before = text.get(..name_start).unwrap_or_default();
    let indent = before.iter().rev().take_while(|byte| b" \t".contains(byte)).count();
    let begins = before.len() == indent || before.get(before.len() - indent - 1) == Some(&b'\n');
    begins && text.get(value_end).is_none_or(|byte| b"\r\n".contains(byte))
}

/// Reads the text between a name and the next word, which shows whether it assigns.
fn evidence(gap: &[u8]) -> Announcement {
    let has = |signs: &[u8]| gap.iter().any(|byte| signs.contains(byte));
    if has(b"\"'") {
        Announcement::Quoted
    } else if has(b":=") && gap != b"::" {
        // `Tokenizer::Name` is a path, not an assignment.
        Announcement::Assigned
    } else {
        Announcement::Near
    }
}

/// A value glued to its name: `datadog-token-0024a2…`, `secretkey-0024a2…`.
fn glued(word: &RedactorWord<'_>, name_end: usize) -> Option<SecretMatch> {
    let rest = word.bytes.get(name_end..)?;
    let joint = rest.iter().position(|byte| !byte.is_ascii_alphabetic())?;
    let skipped = joint + rest.get(joint..)?.iter().position(u8::is_ascii_alphanumeric)?;
    let value = rest.get(skipped..)?;
    let start = word.start + name_end + skipped;
    // `…/Auth-Concept-6f1e…` is the title of a page and its number.
    let is_title = value.iter().position(|byte| !byte.is_ascii_alphabetic()).is_some_and(|length| {
        let (first, others) = (value.first(), value.get(1..length).unwrap_or_default());
        length >= 4 && first.is_some_and(u8::is_ascii_uppercase) && others.iter().all(u8::is_ascii_lowercase)
    });
    let is_other = is_built(word.bytes) || is_title;
    (skipped > 0 && !is_other && is_random(value, Announcement::Near)).then(|| SecretMatch {
        rule: NAMED,
        start,
        end: word.end(),
    })
}

/// Whether a path is that of a file a compiler names by a hash: `target/debug/deps/tokens-6f1e….rlib`.
fn is_built(path: &[u8]) -> bool {
    let ending = path.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    let is_of_a_build = matches!(ending, b"js" | b"mjs" | b"css" | b"map");
    (path.contains(&b'/') || is_of_a_build)
        && (1..=5).contains(&ending.len())
        && ending.iter().all(u8::is_ascii_lowercase)
}

/// What follows `Authorization: Bearer`: not a word of prose and not a name that stands for the value.
fn is_credential(value: &[u8]) -> bool {
    let digit = value.iter().any(u8::is_ascii_digit);
    let mixed = value.iter().any(u8::is_ascii_uppercase) && value.iter().skip(1).any(u8::is_ascii_lowercase);
    let address = value.starts_with(b"//");
    value.len() >= 10
        && !address
        && !is_placeholder(value)
        && (digit || value.ends_with(b"=") || (mixed && is_random(value, Announcement::Quoted)))
}

fn marked(word: &RedactorWord<'_>) -> Option<SecretMatch> {
    // No token with a mark is shorter, and in a long run of base64 every mark occurs by chance.
    if !(36..=256).contains(&word.bytes.len()) {
        return None;
    }
    let holds = |inside: &str| word.bytes.windows(inside.len()).any(|window| window == inside.as_bytes());
    let mark = MARKS.iter().find(|mark| word.bytes.len() >= mark.min && holds(mark.inside))?;
    Some(SecretMatch { rule: mark.rule, start: word.start, end: word.end() })
}
