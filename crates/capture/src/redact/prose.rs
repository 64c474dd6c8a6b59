//! Follows a sentence from the name of a secret to its value: "the password for staging is …", "I set the password to …",
//! "use … as the password".
//!
//! Not here: whether the word it leads to is a secret (`passwords`, `random`).

use super::words::RedactorWord;

/// How far a sentence has come from a name to its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Prose {
    /// The name was just read.
    Begun,
    /// The name was just read, and the sentence says that it is set.
    Set,
    /// "for the staging database"
    GoesOn,
    /// "is": the value comes next.
    Ready,
    /// Something else was said.
    Not,
}

impl Prose {
    pub(super) fn next(self, word: &[u8], gap: &[u8]) -> Prose {
        #[rustfmt::skip]
        const LEADING: [&[u8]; 37] = [
            b"for", b"of", b"on", b"in", b"to", b"at", b"from", b"we", b"i", b"you", b"that", b"there", b"they", b"which", b"with",
            b"pour", b"para", b"de", b"auf", b"von", b"generated", b"fuer", b"del", b"della", b"do", b"da", b"du", b"der", b"des", b"dem", b"den",
            b"per", b"zum", b"zur", b"im", b"van",
            // Words are of ASCII letters: "für" begins with one.
            b"f",
        ];
        const SAYING: [&[u8]; 11] =
            [b"is", b"was", b"be", b"been", b"ist", b"war", b"lautet", b"est", b"es", b"jest", b"wordt"];
        const LIKELY: [&[u8]; 8] =
            [b"has", b"should", b"will", b"must", b"can", b"could", b"would", b"wurde"];
        const STILL: [&[u8]; 8] =
            [b"now", b"still", b"just", b"currently", b"jetzt", b"ahora", b"simply", b"probably"];
        let is_among = |words: &[&[u8]]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
        let is_in_one_sentence = gap.iter().all(|byte| b" \"'`@()".contains(byte) || !byte.is_ascii());
        match self {
            // "The password changed, it's …"
            Prose::Begun | Prose::Set if matches!(gap, b", " | b": " | b". ") && word == b"it" => {
                Prose::GoesOn
            }
            // "The password (on the label): …"
            Prose::Begun if gap == b" (" => Prose::GoesOn,
            Prose::GoesOn if gap == b"'" && word == b"s" => Prose::Ready,
            // "The credentials for the demo: ann / …"
            Prose::GoesOn if gap == b": " => Prose::GoesOn,
            Prose::GoesOn if is_in_one_sentence && !is_among(&SAYING) => Prose::GoesOn,
            _ if gap != b" " => Prose::Not,
            Prose::Set if matches!(word, b"to" | b"as" | b"auf" | b"a" | b"from") => Prose::Ready,
            Prose::Begun | Prose::Set | Prose::GoesOn if is_among(&SAYING) => Prose::Ready,
            Prose::Begun | Prose::Set if is_among(&LIKELY) => Prose::Begun,
            Prose::Begun if is_setting(word) => Prose::Set,
            Prose::Ready if is_setting(word) => Prose::Set,
            Prose::Ready if is_among(&STILL) || is_among(&SAYING) => Prose::Ready,
            Prose::Ready if word == b"generated" => Prose::GoesOn,
            Prose::Begun | Prose::Set if is_among(&LEADING) => Prose::GoesOn,
            _ => Prose::Not,
        }
    }

    /// Whether the word behind `gap` is what the sentence says the value is.
    pub(super) fn leads_to(self, gap: &[u8]) -> bool {
        let arrow = "→".as_bytes();
        let gap = gap.trim_ascii();
        // "La password è …", "a senha é …": a word of one letter that is no ASCII letter.
        if ["è", "é", "—"].iter().any(|says| gap == says.as_bytes()) {
            return matches!(self, Prose::Begun | Prose::GoesOn);
        }
        let points = gap.starts_with(arrow) || gap.starts_with(b"->") || gap.starts_with(b"=>");
        let sign = points || gap.iter().any(|byte| b":=".contains(byte));
        let quoted = points || gap.iter().all(|byte| b" :=`'\"()*".contains(byte));
        quoted && (self == Prose::Ready || (matches!(self, Prose::GoesOn | Prose::Set) && sign))
    }
}

/// How a sentence begins whose name starts at `name_start`: "I set the password …".
pub(super) fn begin(text: &[u8], name_start: usize) -> Prose {
    const NEAR: usize = 40;
    let before = text.get(name_start.saturating_sub(NEAR)..name_start).unwrap_or_default();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_set = line.split(|byte| !byte.is_ascii_alphabetic()).any(is_setting);
    if is_set { Prose::Set } else { Prose::Begun }
}

/// Whether a word says that something gets a value.
fn is_setting(word: &[u8]) -> bool {
    #[rustfmt::skip]
    const SETTING: [&str; 12] = [
        "set", "setting", "change", "changed", "reset", "rotate", "rotated", "update", "updated", "switched", "made", "gesetzt",
    ];
    (3..=8).contains(&word.len()) && SETTING.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Remembers the last words of a sentence.
#[derive(Default)]
pub(super) struct LastWords<'a> {
    last: [Option<RedactorWord<'a>>; 4],
}

impl<'a> LastWords<'a> {
    pub(super) fn push(&mut self, word: RedactorWord<'a>) {
        self.last.rotate_left(1);
        if let Some(last) = self.last.last_mut() {
            *last = Some(word);
        }
    }

    /// Returns the last word.
    pub(super) fn word(&self) -> Option<&'a [u8]> {
        let [.., last] = self.last;
        last.map(|word| word.bytes)
    }

    /// Whether the word before the last one is the name of an account that every machine has.
    pub(super) fn is_account(&self) -> bool {
        const ACCOUNTS: [&str; 8] =
            ["admin", "root", "administrator", "sa", "postgres", "elastic", "guest", "demo"];
        let [.., two, _] = self.last;
        two.is_some_and(|word| ACCOUNTS.iter().any(|known| word.bytes == known.as_bytes()))
    }

    /// Returns the word that "… as the password" gives as one, if `name` ends such a sentence.
    pub(super) fn value_before(&self, text: &[u8], name: &RedactorWord<'_>) -> Option<RedactorWord<'a>> {
        let [four, three, two, one] = self.last;
        let is_article = |word: Option<RedactorWord<'_>>| {
            word.is_some_and(|word| [&b"the"[..], b"a", b"my", b"your", b"its"].contains(&word.bytes))
        };
        let (joint, value) = match (one, two, three, four) {
            (_, _, Some(joint), Some(value)) if is_article(two) => (joint, value),
            (_, Some(joint), Some(value), _) if is_article(one) => (joint, value),
            (Some(joint), Some(value), ..) => (joint, value),
            _ => return None,
        };
        let is_one_line = text.get(value.start..name.start).is_some_and(|part| !part.contains(&b'\n'));
        (joint.bytes == b"as" && is_one_line).then_some(value)
    }

    /// Returns whether the word before `name` says that it is public: an "RSA key" is shown by its fingerprint.
    pub(super) fn names_an_algorithm(&self) -> bool {
        const ALGORITHMS: [&str; 9] =
            ["rsa", "dsa", "ecdsa", "eddsa", "ed25519", "gpg", "pgp", "primary", "public"];
        let [.., last] = self.last;
        last.is_some_and(|word| {
            ALGORITHMS.iter().any(|known| word.bytes.eq_ignore_ascii_case(known.as_bytes()))
        })
    }
}
