//! Finds the place of a value behind its name: `name: "…"`, `name = …`, `let name: &str = "…"`, `define("NAME", "…")`, `name "…"`.
//!
//! Not here: whether the name names a secret (`names`), and whether the value is one (`passwords`).

/// How a value is tied to its name: the looser, the more a value has to look like a password by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueLink {
    /// A sign between them: `name = …`, `name: …`, `--name …`.
    Assigned,
    /// A sign, then a constructor or a type: `= String::from("…")`, `: &str = "…"`, `= N'…'`.
    Wrapped,
    /// The argument of a function of that name, or of a method that types into a field of that name.
    Called,
    /// Behind a comma, which separates items more often than it assigns.
    Listed,
    /// Quoted behind nothing but a space.
    Spaced,
}

/// Where the value of an assignment stands.
pub(super) struct ValueSpot {
    pub(super) start: usize,
    pub(super) quote: Option<u8>,
    /// No space on either side of the sign.
    pub(super) tight: bool,
    pub(super) link: ValueLink,
    /// On the line below, as YAML writes a block.
    pub(super) is_below: bool,
}

/// Methods that type their argument into the field before them.
const TYPING: [&[u8]; 7] =
    [b".type(", b".fill(", b".sendKeys(", b".send_keys(", b".setValue(", b".typeText(", b".enterText("];
/// `：`, as Chinese and Japanese write a colon.
const WIDE_COLON: &[u8] = "：".as_bytes();

impl ValueSpot {
    /// Reads what lies between a name ending at `at` and its value.
    pub(super) fn after(text: &[u8], name_end: usize, is_flag: bool) -> Option<ValueSpot> {
        let closing = count(text, name_end, b"\"'`\\)]", 3);
        let mut at = name_end + closing;
        let before = count(text, at, b" \t", 24);
        at += before;
        let rest = text.get(at..)?;
        if rest.starts_with(b"value=") {
            at += "value".len();
        }
        let sign = sign_length(text.get(at..)?);
        if sign == 0 {
            return ValueSpot::without_a_sign(text, at, (closing, before), is_flag);
        }
        let colour = colour_length(text.get(at + sign..)?);
        let behind = colour + count(text, at + sign + colour, b" \t", 24);
        // `PASSWORD :'name'` names a variable of psql.
        if before > 0 && behind == 0 && text.get(at..)?.starts_with(b":'") {
            return None;
        }
        at += sign + behind;
        let tight = before + behind == 0;
        if let Some(length) = block_scalar(text.get(at..)?) {
            let spot = ValueSpot::at(text, at + length, false, ValueLink::Assigned);
            return Some(ValueSpot { is_below: true, ..spot });
        }
        if let Some(wrapped) = typed(text, at).or_else(|| wrapped(text, at)) {
            return Some(wrapped);
        }
        Some(ValueSpot::at(text, at, tight, ValueLink::Assigned))
    }

    fn without_a_sign(
        text: &[u8],
        at: usize,
        (closing, before): (usize, usize),
        is_flag: bool,
    ) -> Option<ValueSpot> {
        let rest = text.get(at..)?;
        let is_quote = |at: usize| rest.get(at).is_some_and(|byte| b"\"'".contains(byte));
        if closing > 0 && rest.starts_with(b",") {
            let behind = count(rest, 1, b" \t", 8);
            return Some(ValueSpot::at(text, at + 1 + behind, false, ValueLink::Listed));
        }
        if let Some(method) = TYPING.iter().find(|method| closing > 0 && rest.starts_with(method)) {
            return Some(ValueSpot::at(text, at + method.len(), false, ValueLink::Called));
        }
        if closing + before == 0 && rest.starts_with(b"(") && is_quote(1) {
            return Some(ValueSpot::at(text, at + 1, false, ValueLink::Called));
        }
        if before > 0 && is_flag {
            return Some(ValueSpot::at(text, at, false, ValueLink::Assigned));
        }
        (before > 0 && is_quote(0)).then(|| ValueSpot::at(text, at, false, ValueLink::Spaced))
    }

    fn at(text: &[u8], at: usize, tight: bool, link: ValueLink) -> ValueSpot {
        let at = at + count(text, at, b"\\", 3);
        let quote = text.get(at).copied().filter(|byte| b"\"'`".contains(byte));
        ValueSpot { start: at + usize::from(quote.is_some()), quote, tight, link, is_below: false }
    }
}

/// Returns the length of what a terminal shows as colour: `\u{1b}[0m`.
fn colour_length(rest: &[u8]) -> usize {
    const LONGEST: usize = 12;
    let Some(code) = rest.strip_prefix(b"\x1b[") else { return 0 };
    let length = code.iter().take(LONGEST).take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    if code.get(length) == Some(&b'm') { length + 3 } else { 0 }
}

fn sign_length(rest: &[u8]) -> usize {
    match rest {
        [b'<', b'-', ..] => 2,
        [b'>' | b'-' | b'/', ..] => 0,
        _ if rest.starts_with(WIDE_COLON) => WIDE_COLON.len(),
        _ => count(rest, 0, b":=>?", 3),
    }
}

/// Returns how far below its name a value begins that YAML writes as a block: `>-`, a new line, the value.
fn block_scalar(rest: &[u8]) -> Option<usize> {
    const DEEPEST: usize = 40;
    let sign = count(rest, 0, b"|>", 1);
    let length = sign + count(rest, sign, b"+-", 1);
    let line = rest.get(length..)?.strip_prefix(b"\n")?;
    let indent = count(line, 0, b" ", DEEPEST);
    (sign > 0 && indent > 0).then_some(length + 1 + indent)
}

/// A type between the name and the sign that assigns: `: &'static str = "…"`.
fn typed(text: &[u8], at: usize) -> Option<ValueSpot> {
    const LONGEST_TYPE: usize = 40;
    let rest = text.get(at..)?;
    let is_of_a_type = |byte: &u8| byte.is_ascii_alphanumeric() || b"_&'<>[]|?:. *".contains(byte);
    let length = rest.iter().take(LONGEST_TYPE).position(|byte| !is_of_a_type(byte))?;
    let name = rest.get(..length)?;
    let begins = name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"&*[?".contains(byte));
    if !begins || !name.ends_with(b" ") || !rest.get(length..)?.starts_with(b"= ") {
        return None;
    }
    let value = at + length + 2;
    let spot = wrapped(text, value).unwrap_or_else(|| ValueSpot::at(text, value, false, ValueLink::Wrapped));
    spot.quote.is_some().then_some(spot)
}

/// A constructor, a cast or a prefix between the sign and the quote: `String::from("…")`, `[]byte("…")`, `@"…"`, `N'…'`.
fn wrapped(text: &[u8], at: usize) -> Option<ValueSpot> {
    const LONGEST_WRAPPER: usize = 40;
    let rest = text.get(at..)?;
    let is_of_a_call = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.:[]<>&!@-".contains(*byte);
    let length = rest.iter().take(LONGEST_WRAPPER).take_while(is_of_a_call).count();
    let opens =
        matches!(rest.get(length), Some(b'(')) || (matches!(rest.get(length), Some(b' ')) && length > 4);
    let is_prefix =
        matches!(rest.get(..length)?, b"@" | b"N" | b"n" | b"b" | b"r" | b"f" | b"u" | b"L" | b"E");
    if length == 0 || !(opens || is_prefix) {
        return None;
    }
    let quote = at + length + usize::from(!is_prefix);
    let spot = ValueSpot::at(text, quote, false, ValueLink::Wrapped);
    (spot.quote.is_some() && spot.start == quote + 1).then_some(spot)
}

/// Counts the bytes from `at` on that are among `these`, up to `limit`.
pub(super) fn count(text: &[u8], at: usize, these: &[u8], limit: usize) -> usize {
    text.get(at..).unwrap_or_default().iter().take(limit).take_while(|byte| these.contains(byte)).count()
}
