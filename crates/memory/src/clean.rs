//! Cleans text for a screen or an agent: no escape sequences, no invisible or direction-changing characters (SEC-4).
//!
//! Not here: fences (`fence`) and the escaping of tags (`inject`).

use std::borrow::Cow;

/// Puts a text on one line. A name of a file or a branch may hold line breaks, and must not make a line of its own.
#[must_use]
pub fn on_one_line(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}')) {
        return Cow::Borrowed(text);
    }
    // These break a line, too, and would be dropped without leaving a space.
    let text = text.replace(['\u{85}', '\u{2028}', '\u{2029}'], "\n");
    Cow::Owned(clean(&text).split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Drops everything a reader cannot see but a terminal or a model would act on.
///
/// Line breaks and tabs stay, and so do joiners between letters or emoji, where they carry meaning.
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| !is_suspect(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => skip_escape_sequence(&mut rest),
            '\u{9b}' => skip_control_sequence(&mut rest),
            '\u{200c}' | '\u{200d}' => {
                // ASCII letters are never joined: between them a joiner only hides something.
                let joins =
                    |c: char| (c.is_alphanumeric() && !c.is_ascii()) || is_emoji(c) || c == '\u{fe0f}';
                // The next character may itself be dropped, and then nothing is joined.
                let next = rest.peek().copied().filter(|next| !is_suspect(*next));
                if out.chars().next_back().is_some_and(joins) && next.is_some_and(joins) {
                    out.push(c);
                }
            }
            // A variation selector chooses how an emoji looks; anywhere else, or in a row, it carries hidden bytes.
            '\u{fe0e}' | '\u{fe0f}' => {
                let varies = |c: char| is_emoji(c) || matches!(c, '0'..='9' | '#' | '*' | '©' | '®');
                if out.chars().next_back().is_some_and(varies) {
                    out.push(c);
                }
            }
            c if is_suspect(c) => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Skips what follows an escape: a control sequence, a string up to its end, or one character.
fn skip_escape_sequence(rest: &mut Rest<'_>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_control_sequence(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            // The string ends at BEL, at ST, or, so that a lone introducer cannot eat the text, at the line's end.
            while let Some(c) = rest.next_if(|c| *c != '\n') {
                match c {
                    '\u{7}' | '\u{9c}' => return,
                    '\u{1b}' => {
                        rest.next_if_eq(&'\\');
                        return;
                    }
                    _ => {}
                }
            }
        }
        Some(' '..='/') => {
            while rest.next_if(|c| matches!(c, ' '..='/')).is_some() {}
            rest.next_if(|c| matches!(c, '0'..='~'));
        }
        Some('0'..='~') => {
            rest.next();
        }
        _ => {}
    }
}

/// Skips the parameters and the final character of a control sequence.
fn skip_control_sequence(rest: &mut Rest<'_>) {
    while rest.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    rest.next_if(|c| matches!(c, '@'..='~'));
}

/// Whether a character is dropped, or needs a look at its neighbours.
fn is_suspect(c: char) -> bool {
    match c {
        '\n' | '\t' | ' '..='~' => false,
        c if c.is_control() => true,
        _ => matches!(u32::from(c),
            0x00ad | 0x034f | 0x061c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180b..=0x180f
            | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x2800 | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
            | 0x1d173..=0x1d17a | 0xe0000..=0xe007f | 0xe0100..=0xe01ef),
    }
}

/// Whether a character is a picture or a decoration: arrows, shapes, dingbats, pictographs. Signs of mathematics are none.
#[must_use]
pub fn is_emoji(c: char) -> bool {
    matches!(u32::from(c),
        0x2190..=0x21ff | 0x2300..=0x23ff | 0x24c2 | 0x2500..=0x27bf | 0x2934 | 0x2935 | 0x2b00..=0x2bff | 0x1f000..=0x1faff)
}

/// Whether a character only decorates a text: the pictures among the emoji, and the selector that makes one of another sign. Arrows,
/// shapes and check marks are none, because they may carry meaning.
#[must_use]
pub fn is_pictograph(c: char) -> bool {
    matches!(u32::from(c), 0x1f000..=0x1faff | 0xfe0f | 0x2705 | 0x2728 | 0x274c | 0x2757 | 0x26a1 | 0x2b50)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_acts_unseen_is_dropped_and_what_carries_meaning_stays() {
        let check = |text, expected| assert_eq!(clean(text), expected, "{text:?}");
        check("plain\ttext\nstays é 数 🦀", "plain\ttext\nstays é 数 🦀");
        check("\u{1b}[31mred\u{1b}[0m", "red");
        check("\u{9b}31mred", "red");
        check("\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\", "link");
        check("\u{1b}]0;title without an end\nnext", "\nnext");
        check("a\u{202e}b\u{2066}c\u{200b}d\u{feff}e\r\u{0}", "abcde");
        check("tag\u{e0041}\u{e007f}s", "tags");
        check("👩\u{200d}💻 نمی\u{200c}خواهم", "👩\u{200d}💻 نمی\u{200c}خواهم");
        check("\u{200d}x \u{200d} y", "x  y");
        check("ig\u{200d}no\u{200c}re", "ignore");
        check("ݯ\u{200c}\u{2800}- 한\u{200d}\u{3164}글 ❤\u{200d}\u{fe0f}x", "ݯ- 한글 ❤\u{fe0f}x");
        check("❤\u{fe0f} 1\u{fe0f}\u{20e3} a\u{fe0f}b\u{fe01}\u{fe0f}c", "❤\u{fe0f} 1\u{fe0f}\u{20e3} abc");
    }

    proptest! {
        #[test]
        fn cleaning_twice_is_cleaning_once(text: String) {
            let once = clean(&text).into_owned();
            prop_assert_eq!(clean(&once), once.as_str());
        }
    }
}
