//! Does this text look drawn at random? The one question every rule without a known prefix ends with.
//!
//! It reads shape, not entropy: code is full of long names, and what sets a key apart from
//! `Utf8ToUtf16Converter` or `x86_64-unknown-linux-gnu` is where digits and capitals stand, not how many
//! different letters there are.
//!
//! Not here: which texts are worth asking about (`named`), and tokens known by their prefix (`shapes`).

/// How clearly a value was announced; the clearer, the less it has to look random itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Announcement {
    /// The name of a credential stands near.
    Near,
    /// It is assigned to the name of a credential.
    Assigned,
    /// It is assigned in quotes, so it is a value and not the name of one.
    Quoted,
}

impl Announcement {
    /// How many bytes have to look random.
    fn enough(self) -> usize {
        if self == Announcement::Near { MANY } else { 10 }
    }

    /// How many numbers a value of mixed case has to hold; names in code hold one at most.
    fn numbers(self) -> usize {
        if self == Announcement::Quoted { 1 } else { 2 }
    }
}

/// As many random bytes as no name in code has.
const MANY: usize = 16;

/// Whether enough of the value, and at least half of it, looks random.
pub(super) fn is_random(value: &[u8], evidence: Announcement) -> bool {
    let enough = evidence.enough();
    let is_advisory = value.starts_with(b"GHSA-") || value.starts_with(b"CVE-");
    if value.len() < enough
        || is_advisory
        || is_number(value)
        || is_crossed_out(value)
        || is_named_by_digest(value)
    {
        return false;
    }
    if is_grouped(value) {
        return true;
    }
    if is_strewn(value) {
        return true;
    }
    let numbers = value.split(|byte| !byte.is_ascii_digit()).filter(|run| !run.is_empty()).count();
    let strewn = numbers >= evidence.numbers();
    let random: usize =
        segments(value).filter(|segment| is_unnatural(segment, strewn)).map(<[u8]>::len).sum();
    random >= enough && random * 2 >= value.len() && distinct(value) >= 6
}

/// Whether a long value of letters and digits holds odd ones from its beginning to its end, as base64 with `-` and `_` does.
fn is_strewn(value: &[u8]) -> bool {
    const LONG: usize = 32;
    let odd: usize = segments(value).map(odd_letters).sum();
    let has = |expected: fn(&u8) -> bool| value.iter().any(expected);
    let is_plain = value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.=+/".contains(byte));
    // A path may hold odd names, too.
    let share = if value.contains(&b'/') { 5 } else { 6 };
    (LONG..=LONG * 16).contains(&value.len())
        && is_plain
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && odd * share >= value.len()
}

/// Whether a value is the name of an artifact that ends in its digest: `v2-linux-cargo-6f1e…`.
fn is_named_by_digest(value: &[u8]) -> bool {
    const LONGEST_WORD: usize = 12;
    let digest = value.rsplit(|byte| *byte == b'-').next().unwrap_or_default();
    let name = value.get(..value.len() - digest.len()).unwrap_or_default();
    let is_word = |word: &[u8]| {
        word.len() <= LONGEST_WORD && word.iter().filter(|byte| byte.is_ascii_digit()).count() <= 2
    };
    matches!(digest.len(), 40 | 64)
        && is_hex(digest)
        && name.split(|byte| *byte == b'-').filter(|word| !word.is_empty()).count() >= 2
        && name.split(|byte| *byte == b'-').all(is_word)
}

/// Whether letters alone look drawn: a small letter stands alone between capitals, as camel case never puts one.
pub(super) fn is_scrambled(value: &[u8]) -> bool {
    const SHORTEST: usize = 8;
    let is_between_capitals = |window: &[u8]| match window {
        [before, letter, after] => {
            before.is_ascii_uppercase() && letter.is_ascii_lowercase() && after.is_ascii_uppercase()
        }
        _ => false,
    };
    (SHORTEST..=128).contains(&value.len())
        && value.iter().all(u8::is_ascii_alphabetic)
        && (value.windows(3).any(is_between_capitals) || odd_letters(value) >= 3)
        && value.iter().any(u8::is_ascii_lowercase)
        && value.iter().any(u8::is_ascii_uppercase)
}

/// Whether somebody already took the secret out: `ghp_xxxxxxxx`.
pub(super) fn is_crossed_out(body: &[u8]) -> bool {
    body.iter().filter(|byte| byte.eq_ignore_ascii_case(&b'x')).count() * 2 > body.len()
}

/// Whether a value only stands for one: `<token>`, `${TOKEN}`, `xxxx`, `your_password`, `example`.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    const MARKS: [u8; 6] = *b"<>{}[]";
    const WORDS: [&str; 12] = [
        "example",
        "placeholder",
        "changeme",
        "change_me",
        "your",
        "redacted",
        "dummy",
        "insert",
        "todo",
        "null",
        "none",
        "xxxx",
    ];
    value.starts_with(b"$")
        || value.iter().any(|byte| MARKS.contains(byte))
        || value.windows(2).any(|pair| pair == b"**")
        || distinct(value) < 4
        || WORDS.iter().any(|word| find_ignoring_case(value, word.as_bytes()).is_some())
}

/// Returns where `needle`, which is lower case, first occurs in `text`, letters compared without case.
pub(super) fn find_ignoring_case(text: &[u8], needle: &[u8]) -> Option<usize> {
    text.windows(needle.len()).position(|window| window.eq_ignore_ascii_case(needle))
}

/// Parts between punctuation; `+` stays inside, as it only occurs in base64.
fn segments(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'+').filter(|segment| !segment.is_empty())
}

/// A segment no person would have typed as a name, a word, a number or a version; `strewn` says whether the
/// whole value holds more numbers than a name would.
fn is_unnatural(segment: &[u8], strewn: bool) -> bool {
    let digits = segment.iter().filter(|byte| byte.is_ascii_digit()).count();
    let upper = segment.iter().any(u8::is_ascii_uppercase);
    let lower = segment.iter().any(u8::is_ascii_lowercase);
    let odd = odd_letters(segment);
    if segment.len() >= MANY && is_counted(segment) {
        true
    } else if digits == segment.len() {
        // Longer than any timestamp or 64-bit number.
        digits >= 24
    } else if digits == 0 {
        segment.len() >= 20 && odd >= 3
    } else if upper && lower && !is_hex(segment) {
        odd >= 4 || (odd >= 2 && strewn) || digits >= 8
    } else {
        changes(segment) * 4 >= segment.len() || digits * 2 >= segment.len() || odd >= 3
    }
}

/// Times a letter follows a digit or a digit a letter.
fn changes(segment: &[u8]) -> usize {
    pairs(segment).filter(|(one, two)| one.is_ascii_digit() != two.is_ascii_digit()).count()
}

/// Letters where camel case and English would not put them: a capital or a small letter alone between the
/// other kind, a letter alone beside a digit, four consonants in a row.
fn odd_letters(segment: &[u8]) -> usize {
    let lonely = segment
        .windows(3)
        .filter(|window| match window {
            [before, letter, after] => kind(*letter) != LetterCase::Digit && alone(*before, *letter, *after),
            _ => false,
        })
        .count();
    let consonants = segment
        .split(|byte| !byte.is_ascii_alphabetic() || b"aeiouyAEIOUY".contains(byte))
        .map(|run| run.len() / 4)
        .sum::<usize>();
    lonely + consonants
}

fn alone(before: u8, letter: u8, after: u8) -> bool {
    let (before, letter, after) = (kind(before), kind(letter), kind(after));
    // One capital before small letters begins a camel-case word, so it is not alone.
    before != letter && after != letter && !(letter == LetterCase::Upper && after == LetterCase::Lower)
}

#[derive(PartialEq, Eq)]
enum LetterCase {
    Upper,
    Lower,
    Digit,
}

fn kind(byte: u8) -> LetterCase {
    match byte {
        b'A'..=b'Z' => LetterCase::Upper,
        b'a'..=b'z' => LetterCase::Lower,
        _ => LetterCase::Digit,
    }
}

fn pairs(segment: &[u8]) -> impl Iterator<Item = (u8, u8)> + '_ {
    segment.iter().zip(segment.iter().skip(1)).map(|(one, two)| (*one, *two))
}

fn is_hex(segment: &[u8]) -> bool {
    segment.iter().all(u8::is_ascii_hexdigit)
}

/// A number as source code writes it: `0x1F_u64`, at most 128 bits wide.
fn is_number(value: &[u8]) -> bool {
    value.starts_with(b"0x") && value.len() <= 44
}

/// Groups between dashes, the way UUIDs and license keys are written.
fn is_grouped(value: &[u8]) -> bool {
    let groups = value.split(|byte| *byte == b'-');
    let total = groups.clone().count();
    let with_digits = groups.clone().filter(|group| group.iter().any(u8::is_ascii_digit)).count();
    let plain = groups.clone().all(|group| group.len() >= 4 && group.iter().all(u8::is_ascii_alphanumeric));
    let uuid = groups.map(<[u8]>::len).eq([8, 4, 4, 4, 12]);
    total >= 4
        && (uuid || with_digits * 2 >= total)
        && with_digits > 0
        && plain
        && value.iter().any(u8::is_ascii_alphabetic)
}

/// Whether a value is an id as programs draw them.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    let groups = value.split(|byte| *byte == b'-');
    value.len() == 36
        && groups.clone().map(<[u8]>::len).eq([8, 4, 4, 4, 12])
        && groups.flatten().all(u8::is_ascii_hexdigit)
}

/// Whether a value is as long as SHA-1 or SHA-256 in hexadecimal digits.
pub(super) fn is_digest(value: &[u8]) -> bool {
    matches!(value.len(), 40 | 64) && is_hex(value)
}

/// Letters or digits counted up or down: nobody's name, and how examples of keys are made.
fn is_counted(segment: &[u8]) -> bool {
    const ENOUGH: usize = 8;
    let steps = |step: i16| {
        let mut run = 1;
        pairs(segment).any(|(one, two)| {
            run = if i16::from(two) - i16::from(one) == step { run + 1 } else { 1 };
            run >= ENOUGH
        })
    };
    steps(1) || steps(-1)
}

fn distinct(value: &[u8]) -> u32 {
    let seen = value.iter().fold(0u128, |seen, byte| seen | 1 << (byte & 127));
    seen.count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_versions_paths_and_numbers_do_not_look_random() {
        for natural in [
            "Utf8ToUtf16Converter",
            "x86_64-unknown-linux-gnu",
            "src/redact/random_numbers_2.rs",
            "2022-09-26T21-55-47",
            "TokenStreamIterator2",
            "0x1234567890abcdef1234567890abcdef",
            "v1.2.3-beta.4+build.20240101",
            "Authentifizierungsverfahren",
            "1700000000000000000",
            "aaaaaaaaaaaaaaaa1111111111111111",
        ] {
            assert!(!is_random(natural.as_bytes(), Announcement::Quoted), "{natural}");
        }
    }

    /// Draws text from an alphabet, the same each time; written out it would look like a leaked key.
    fn drawn(alphabet: &[u8], length: usize) -> Vec<u8> {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            alphabet[(state >> 33) as usize % alphabet.len()]
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn hexadecimal_base36_base62_and_groups_look_random() {
        const LOWER: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
        let base62 = [LOWER, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"].concat();
        for alphabet in [&LOWER[..16], LOWER, &base62] {
            for length in [20, 32, 64] {
                let value = drawn(alphabet, length);
                assert!(is_random(&value, Announcement::Quoted), "{}", String::from_utf8_lossy(&value));
            }
        }
        let groups = [8, 4, 4, 4, 12].map(|length| drawn(&LOWER[..16], length));
        assert!(is_random(&groups.join(&b'-'), Announcement::Near));
    }

    #[test]
    fn placeholders_are_recognised() {
        for placeholder in ["<token>", "${TOKEN}", "xxxxxxxx", "your_password", "********", "aaaa"] {
            assert!(is_placeholder(placeholder.as_bytes()), "{placeholder}");
        }
        assert!(!is_placeholder(b"hunter2"));
    }
}
