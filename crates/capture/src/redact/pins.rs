//! Finds numbers that open something: a PIN, a PUK, a one-time or recovery code. They are short and not random to look at, so only what is
//! directly said to be one counts.
//!
//! Not here: passwords and keys, which hold letters (`passwords`, `random`).

use super::SecretMatch;
use super::words::RedactorWord;

const RULE: &str = "pin";

/// Words that name such a number by themselves.
const NUMBERS: [&str; 7] = ["pin", "puk", "otp", "totp", "tan", "passcode", "mfa"];
/// Words that make a code one that opens something: "verification code", `alarm_code`.
const OPENING: [&str; 13] = [
    "verification",
    "security",
    "access",
    "alarm",
    "door",
    "backup",
    "recovery",
    "authentication",
    "login",
    "confirmation",
    "one-time",
    "2fa",
    "unlock",
];

/// Adds the numbers that `word`, with the one `before` it, says to open something.
pub(super) fn find(text: &str, word: &RedactorWord<'_>, before: Option<&[u8]>, found: &mut Vec<SecretMatch>) {
    const LONGEST: usize = 32;
    // Nearly every word is ruled out by its last letter.
    if !(3..=LONGEST).contains(&word.bytes.len())
        || !word.bytes.last().is_some_and(|last| b"nNkKpPeEsSaAdD".contains(last))
    {
        return;
    }
    let mut parts = word.bytes.rsplit(|byte| b"_-".contains(byte));
    let last = parts.next().unwrap_or_default();
    let is_among = |names: &[&str]| names.iter().any(|known| last.eq_ignore_ascii_case(known.as_bytes()));
    let is_said = parts.next().or(before).is_some_and(is_opening);
    if is_among(&NUMBERS) || ends_in_pin(last) || (is_said && is_among(&["code", "codes", "password"])) {
        found.extend(number_after(text.as_bytes(), word.end()));
    }
    if is_said && last.eq_ignore_ascii_case(b"codes") {
        find_in_list(text, word.end(), found);
    }
}

/// `devicePin`
fn ends_in_pin(word: &[u8]) -> bool {
    word.len() > 3 && word.ends_with(b"Pin")
}

fn is_opening(word: &[u8]) -> bool {
    OPENING.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Returns the number that follows a name ending at `end`, on the same line and before anything else is said.
fn number_after(text: &[u8], end: usize) -> Option<SecretMatch> {
    const REACH: usize = 40;
    let rest = text.get(end..)?;
    let gap = rest.iter().take(REACH).position(u8::is_ascii_digit)?;
    let between = rest.get(..gap)?;
    let has_sign = between.iter().any(|byte| b":=\"'>".contains(byte));
    let says =
        [&b" is "[..], b" ist ", b" es ", b" est ", b" was "].iter().any(|word| between.ends_with(word));
    if between.contains(&b'\n') || !(has_sign || says || between == b" ") || !ends_plainly(between) {
        return None;
    }
    let is_of_a_number = |byte: &&u8| byte.is_ascii_digit() || b" -".contains(*byte);
    let length = rest.get(gap..)?.iter().take(REACH).take_while(is_of_a_number).count();
    let number = rest.get(gap..gap + length)?.trim_ascii_end();
    let digits = number.iter().filter(|byte| byte.is_ascii_digit()).count();
    let after = rest.get(gap + number.len());
    let is_alone = after.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"./:-".contains(byte))
        || (after == Some(&b'.') && rest.get(gap + number.len() + 1).is_none_or(u8::is_ascii_whitespace));
    let groups = number.split(|byte| b" -".contains(byte)).all(|group| group.len() >= 3);
    let start = end + gap;
    ((4..=10).contains(&digits) && is_alone && groups).then(|| SecretMatch {
        rule: RULE,
        start,
        end: start + number.len(),
    })
}

/// Whether what leads to the number ends in a sign or a space, and not in the middle of a word.
fn ends_plainly(between: &[u8]) -> bool {
    between.last().is_some_and(|byte| b" :=\"'>`(".contains(byte))
}

/// Adds the codes of a list that follows on the line at `at`, or begins below it.
fn find_in_list(text: &str, at: usize, found: &mut Vec<SecretMatch>) {
    const MOST_CODES: usize = 20;
    const LONGEST_LINE: usize = 400;
    let rest = text.get(at..text.floor_char_boundary(at + LONGEST_LINE)).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    for code in line.split([' ', ',', ':', ';']).filter(|code| is_mixed_code(code)) {
        let start = at + (code.as_ptr() as usize - rest.as_ptr() as usize);
        found.push(SecretMatch { rule: RULE, start, end: start + code.len() });
    }
    let mut start = at + line.len() + 1;
    for line in text.get(start..).unwrap_or_default().split_inclusive('\n').take(MOST_CODES) {
        let code =
            line.trim().trim_start_matches(|c: char| c.is_ascii_digit() && line.contains(". ") || c == '.');
        let code = code.trim().trim_start_matches(['-', '*', ' ']);
        if !is_code(code) {
            return;
        }
        let from = start + line.find(code).unwrap_or_default();
        found.push(SecretMatch { rule: RULE, start: from, end: from + code.len() });
        start += line.len();
    }
}

/// Whether a word on a line is a recovery code: letters and digits, and no name.
fn is_mixed_code(code: &str) -> bool {
    is_code(code) && code.bytes().any(|byte| byte.is_ascii_alphabetic()) && code.len() >= 8
}

/// Whether a line is a recovery code: groups of letters and digits, with a digit.
fn is_code(code: &str) -> bool {
    (6..=40).contains(&code.len())
        && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"- ".contains(&byte))
        && code.bytes().any(|byte| byte.is_ascii_digit())
        && code.split(['-', ' ']).all(|group| group.len() >= 3)
}
