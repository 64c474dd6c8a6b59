//! Places where a bare word is certainly a literal and no name of a variable: a line of a settings file, a printed map, a flag of a
//! command, what a program falls back to where the environment has no value.
//!
//! In such a place a password may be any word a person chose. Not here: what is a password by its looks (`passwords`).

use super::SecretMatch;
use super::assignment::count;
use super::names::name_class;
use super::passwords::{CREDENTIAL, is_chosen, value};

/// How far around an assignment is looked.
const NEAR: usize = 160;

/// What stands where a password would: types, states, and what programs are shipped with.
#[rustfmt::skip]
const STAND_INS: [&str; 54] = [
    "string", "text", "required", "optional", "hidden", "true", "false", "postgres", "guest", "root", "null", "none", "undefined", "number",
    "integer", "boolean", "bytes", "varchar", "object", "input", "disabled", "enabled", "never", "always", "prompt", "unset", "empty", "masked",
    "encrypted", "hashed", "hash", "plaintext", "incorrect", "invalid", "wrong", "missing", "expired", "default", "unknown", "changed", "failed",
    "accepted", "rejected", "provided", "omitted", "value", "field", "flag", "option", "here", "anything", "file", "stdin", "auto",
];

/// Whether a word in the place of a password says something about it.
pub(super) fn is_stand_in(value: &[u8]) -> bool {
    let value = value.strip_suffix(b"!").unwrap_or(value);
    STAND_INS.iter().any(|known| value.eq_ignore_ascii_case(known.as_bytes()))
}

/// Whether a value says how another has to be: `required|string|min:8`.
pub(super) fn is_rule(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| *byte == b'|');
    parts.next().is_some_and(is_stand_in) && parts.next().is_some()
}

/// Whether a bare value that a person chose fills the line of a settings file, or a part of a printed map: nothing there is code.
pub(super) fn is_data(text: &[u8], name_start: usize, (start, end): (usize, usize)) -> bool {
    let value = text.get(start..end).unwrap_or_default();
    let is_plain = value.len() >= 6 && name_class(value).is_none() && !is_reference(value);
    is_plain
        && (is_in_printed_map(text, start, end)
            || is_among_pairs(text, name_start, (start, end))
            || is_settings_line(text, name_start, (start, end)))
}

/// `host=db user=app password=…`, `--set a=b,password=…`: pairs without spaces around the sign, and no call around them.
fn is_among_pairs(text: &[u8], name_start: usize, (start, end): (usize, usize)) -> bool {
    let line = |part: &'_ [u8]| part.iter().any(|byte| b"(){};\"'`".contains(byte));
    let before = text.get(name_start.saturating_sub(NEAR)..name_start).unwrap_or_default();
    let before = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let after = text.get(end..text.len().min(end + NEAR)).unwrap_or_default();
    let after = after.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_tight = text.get(start - 1) == Some(&b'=');
    let is_apart = before
        .last()
        .is_some_and(|byte| b" \t,.".contains(byte) || byte.is_ascii_alphanumeric() || *byte == b'_');
    let has_a_pair = |part: &[u8]| {
        part.windows(3)
            .any(|three| matches!(three, [a, b'=', b] if a.is_ascii_alphanumeric() && b.is_ascii_graphic()))
    };
    let ends = after.first().is_none_or(|byte| b" ,\r".contains(byte));
    is_tight && is_apart && ends && (has_a_pair(before) || has_a_pair(after)) && !line(before) && !line(after)
}

/// Whether a value is what code calls something that lies elsewhere: `args.user`, `self.hash`, `DB_USER`.
fn is_reference(value: &[u8]) -> bool {
    const OWNERS: [&[u8]; 12] = [
        b"self",
        b"this",
        b"args",
        b"config",
        b"cfg",
        b"env",
        b"os",
        b"req",
        b"request",
        b"settings",
        b"var",
        b"local",
    ];
    let owner = value.split(|byte| *byte == b'.').next().unwrap_or_default();
    let is_owned = owner.len() < value.len() && OWNERS.iter().any(|known| owner.eq_ignore_ascii_case(known));
    is_owned || !value.iter().any(u8::is_ascii_lowercase)
}

/// `{user=app, password=…, ssl=false}`: how Java prints a map. Code in braces assigns with spaces or colons.
fn is_in_printed_map(text: &[u8], start: usize, end: usize) -> bool {
    let before = text.get(start.saturating_sub(NEAR)..start).unwrap_or_default();
    let before = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let opened = before.iter().rposition(|byte| b"{}".contains(byte));
    let is_open = opened.is_some_and(|at| {
        let inside = before.get(at..).unwrap_or_default();
        inside.starts_with(b"{")
            && !inside.iter().any(|byte| b"(\"';".contains(byte))
            && inside.ends_with(b"=")
    });
    is_open && text.get(end).is_some_and(|byte| b",}".contains(byte))
}

/// Whether the name begins its line, the value ends it, and no code stands around it.
fn is_settings_line(text: &[u8], name_start: usize, (start, end): (usize, usize)) -> bool {
    let before = text.get(name_start.saturating_sub(NEAR)..name_start).unwrap_or_default();
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let is_first_line = name_start <= NEAR || line_start > 0;
    let head = before.get(line_start..).unwrap_or_default();
    let is_key = head.iter().all(|byte| byte.is_ascii_alphanumeric() || b" \t-._\"'".contains(byte));
    let sign = text.get(name_start..start).unwrap_or_default();
    let is_spaced = sign.ends_with(b" = ");
    let rest = text.get(end..).unwrap_or_default();
    let ends = match rest {
        [] | [b'\n' | b'\r', ..] => true,
        [b' ', ..] => rest.trim_ascii_start().starts_with(b"#") || rest.trim_ascii_start().is_empty(),
        _ => false,
    };
    let above = before.get(..line_start).unwrap_or_default().trim_ascii_end();
    let below = rest.iter().position(|byte| *byte == b'\n').and_then(|at| rest.get(at..)).unwrap_or_default();
    let is_code = above.last().is_some_and(|byte| b"{([,;".contains(byte))
        || below.trim_ascii_start().first().is_some_and(|byte| b"})];".contains(byte));
    // `password = other` is also how code copies one variable to another: only below a section, beside a key of settings.
    let is_of_a_section = || !is_spaced || before.windows(2).any(|pair| pair == b"]\n");
    is_first_line && is_key && ends && !is_code && is_of_a_section()
}

/// Whether the flag of a command is followed by a literal: all that shells leave alone, but no word of prose or help.
pub(super) fn is_argument(name: &[u8], value: &[u8], is_joined: bool) -> bool {
    let is_word = value.iter().all(u8::is_ascii_lowercase);
    let is_variable = !value.iter().any(u8::is_ascii_lowercase) && !value.iter().any(u8::is_ascii_digit);
    name.starts_with(b"-")
        && is_chosen(value)
        && !value.starts_with(b"-")
        && !is_variable
        && (is_joined || !is_word)
        && name_class(value).is_none()
}

/// What leads from a variable of the environment to the value a program uses without it.
const FALLBACKS: [&[u8]; 9] =
    [b"unwrap_or", b"||", b"??", b" or ", b"default", b"{ ", b"get_or", b"else", b"?:"];

/// Returns what a program falls back to where the variable whose name ends at `name_end` has no value: `?? "…"`, `:-…}`.
pub(super) fn fallback(text: &[u8], name_end: usize) -> Option<SecretMatch> {
    const REACH: usize = 48;
    let rest = text.get(name_end..)?;
    if let Some(bare) = rest.strip_prefix(b":-").or_else(|| rest.strip_prefix(b":=")) {
        let length = bare.iter().take(REACH).position(|byte| b"}\n".contains(byte))?;
        let value = bare.get(..length).filter(|_| bare.get(length) == Some(&b'}'))?;
        let start = name_end + 2;
        return is_fallback(value).then(|| SecretMatch { rule: CREDENTIAL, start, end: start + length });
    }
    let closing = count(rest, 0, b"\"'`)]", 3);
    let behind = rest.get(closing..)?;
    let bridge = behind.iter().take(REACH).position(|byte| b"\"'\n;".contains(byte))?;
    let quote = behind.get(bridge).copied().filter(|byte| b"\"'".contains(byte))?;
    let between = behind.get(..bridge)?;
    let leads = FALLBACKS.iter().any(|known| between.windows(known.len()).any(|part| part == *known));
    let start = name_end + closing + bridge + 1;
    let value = value(text.get(start..)?, Some(quote)).filter(|_| leads)?;
    is_fallback(value).then(|| SecretMatch { rule: CREDENTIAL, start, end: start + value.len() })
}

fn is_fallback(value: &[u8]) -> bool {
    is_chosen(value)
        && !is_stand_in(value)
        && value.iter().any(u8::is_ascii_lowercase)
        && name_class(value).is_none()
}
