//! Input that parsers stumble over: JSON of every sort, strings that break programs, byte sequences that are no UTF-8.

/// One JSON text.
#[derive(Clone, Debug)]
pub struct JsonSample {
    /// What it is.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether parsers disagree about it.
    pub is_disputed: bool,
}

const VALID: [&str; 16] = [
    "null",
    "true",
    "0",
    "-0",
    "1.5e-3",
    "\"\"",
    "\"text\"",
    "\"\\u00e9\\n\\t\\\"\\\\\\/\"",
    "\"\\ud83e\\udd80\"",
    "[]",
    "{}",
    "[1, [2, [3, []]]]",
    "{\"a\": {\"b\": {\"c\": null}}}",
    " [ 1 , 2 ] ",
    "{\"\": 0}",
    "[\"\u{2028}\u{7f}\"]",
];

const INVALID: [&str; 30] = [
    "",
    " ",
    "nul",
    "tru",
    "True",
    "NaN",
    "Infinity",
    "-",
    "01",
    "1.",
    ".5",
    "1e",
    "+1",
    "0x1",
    "'a'",
    "\"",
    "\"\\x\"",
    "\"\\u12\"",
    "\"a\nb\"",
    "[",
    "[1,]",
    "[,1]",
    "[1 2]",
    "{",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{a:1}",
    "[1]]",
    "// x\n1",
];

/// A document that is cut at every byte.
const CUT: &str =
    "{\"name\": [1, -2.5e3, true, null, \"caf\\u00e9 \\\"x\\\"\"], \"deep\": {\"a\": [[], {}]}}";

/// Returns JSON texts: valid, invalid, cut anywhere, and such that parsers disagree about.
#[must_use]
pub fn json_samples() -> Vec<JsonSample> {
    let sample = |name: String, bytes: Vec<u8>, is_disputed| JsonSample { name, bytes, is_disputed };
    let plain = |sort: &'static str| {
        move |(number, text): (usize, &&str)| {
            sample(format!("{sort} {number}"), text.as_bytes().to_vec(), false)
        }
    };
    let mut samples: Vec<JsonSample> = VALID.iter().enumerate().map(plain("valid")).collect();
    samples.extend(INVALID.iter().enumerate().map(plain("invalid")));
    let cuts =
        (1..CUT.len()).map(|end| sample(format!("cut at {end}"), CUT.bytes().take(end).collect(), false));
    samples.extend(cuts);
    samples.extend(disputed().into_iter().map(|(name, bytes)| sample(name.to_owned(), bytes, true)));
    samples
}

fn disputed() -> Vec<(&'static str, Vec<u8>)> {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth)).into_bytes();
    vec![
        ("a huge exponent", b"[1e400]".to_vec()),
        ("a tiny exponent", b"[1e-400]".to_vec()),
        ("a huge integer", format!("[{}]", "9".repeat(120)).into_bytes()),
        ("many digits", format!("[0.{}]", "3".repeat(200)).into_bytes()),
        ("one half of a pair", b"[\"\\ud800\"]".to_vec()),
        ("the other half", b"[\"\\udc00\"]".to_vec()),
        ("halves in the wrong order", b"[\"\\udc00\\ud800\"]".to_vec()),
        ("half a pair as a key", b"{\"\\ud800\": 1}".to_vec()),
        ("no character", b"[\"\\uffff\"]".to_vec()),
        ("invalid UTF-8", b"[\"\xff\"]".to_vec()),
        ("an overlong slash", b"[\"\xc0\xaf\"]".to_vec()),
        ("an encoded surrogate", b"[\"\xed\xa0\x80\"]".to_vec()),
        ("beyond Unicode", b"[\"\xf4\x90\x80\x80\"]".to_vec()),
        ("half a character", b"[\"\xe0\xff\"]".to_vec()),
        ("a key twice", b"{\"a\": 1, \"a\": 2}".to_vec()),
        ("nested deeply", nested(500)),
        ("a byte order mark", b"\xef\xbb\xbf{}".to_vec()),
    ]
}

/// Returns strings that break programs which quote, format, compare or measure text.
#[must_use]
pub fn naughty_strings() -> Vec<String> {
    let mut strings: Vec<String> = [
        "",
        " ",
        "undefined",
        "null",
        "NULL",
        "None",
        "true",
        "-1",
        "0x0",
        "1e309",
        "NaN",
        "-Infinity",
        "1,000.00",
        "',. \"",
        "\\",
        "\\\\n",
        "'; DROP TABLE memories;--",
        "\" OR 1=1 --",
        "%",
        "_",
        "%s%d%n",
        "{0}",
        "{{x}}",
        "${HOME}",
        "$(id)",
        "`id`",
        "| ls",
        "&& ls",
        "> /dev/null",
        "../../../etc/passwd",
        "file:///etc/passwd",
        "C:\\nul",
        "<b>bold</b>",
        "<!-- x",
        "]]>",
        "&amp;",
        "&#x3c;",
        "é",
        "e\u{301}",
        "ß",
        "İ",
        "ı",
        "ſ",
        "ﬁ",
        "Ω",
        "日本語",
        "العربية",
        "עברית",
        "हिन्दी",
        "🦀",
        "👩‍👩‍👧‍👦",
        "🇩🇪",
        "a\u{308}\u{323}\u{307}",
        "\u{a0}",
        "\u{3000}",
        "−5",
        "½",
        "１２３",
        "\u{fffd}",
        "line one\nline two",
        "tab\tseparated",
        "trailing ",
        " leading",
        "--help",
        "-n",
        "#1",
        "@user",
    ]
    .map(str::to_owned)
    .to_vec();
    strings.extend([1_000, 8_000].map(|length| "long words ".repeat(length / 11)));
    strings.push("z".repeat(3_000));
    strings
}

/// Returns byte sequences, valid UTF-8 and not: every lone byte beyond ASCII, cut, overlong and forbidden characters.
#[must_use]
pub fn byte_sequences() -> Vec<Vec<u8>> {
    let mut sequences: Vec<Vec<u8>> = (0x80..=0xff).map(|byte| vec![byte]).collect();
    for character in ["é", "€", "🦀"] {
        sequences.push(character.as_bytes().to_vec());
        sequences.extend((1..character.len()).map(|end| character.bytes().take(end).collect::<Vec<u8>>()));
        // Cut, and more text behind it.
        sequences
            .extend((1..character.len()).map(|end| character.bytes().take(end).chain(*b"after").collect()));
    }
    sequences.extend([
        vec![0xc0, 0xaf],
        vec![0xe0, 0x80, 0xaf],
        vec![0xf0, 0x80, 0x80, 0xaf],
        vec![0xed, 0xa0, 0x80],
        vec![0xed, 0xbf, 0xbf],
        vec![0xf4, 0x90, 0x80, 0x80],
        vec![0xf8, 0x88, 0x80, 0x80, 0x80],
        vec![0xef, 0xbf, 0xbe],
        vec![0xe2, 0x82, 0x41, 0xac],
        b"plain".to_vec(),
    ]);
    sequences
}
