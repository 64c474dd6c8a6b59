//! Which class a character belongs to, and what characters beyond ASCII cost, by script.

/// What a run of characters is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScriptClass {
    /// A letter of a script that is written in words.
    Letter,
    Digit,
    /// ASCII punctuation and control characters.
    Mark,
    Space,
    Break,
    /// A character of a script that is written without spaces, or in syllables: each is a piece of its own.
    Ideograph,
    /// Everything else.
    Symbol,
}

/// Returns the class of a character, and what it costs by itself, in hundredths of a token.
///
/// ASCII is priced by the run it is in and costs nothing here. The prices of scripts are averages over ordinary prose.
pub(super) fn class_of(c: char) -> (ScriptClass, u32) {
    match c {
        'a'..='z' | 'A'..='Z' => (ScriptClass::Letter, 0),
        '0'..='9' => (ScriptClass::Digit, 0),
        ' ' | '\t' => (ScriptClass::Space, 0),
        '\n' | '\r' => (ScriptClass::Break, 0),
        '\0'..='\u{7f}' => (ScriptClass::Mark, 0),
        _ => class_beyond_ascii(c),
    }
}

fn class_beyond_ascii(c: char) -> (ScriptClass, u32) {
    match u32::from(c) {
        // Latin: western, central and eastern European, Vietnamese; and marks that combine.
        0xc0..=0xd6 | 0xd8..=0xf6 | 0xf8..=0xff => (ScriptClass::Letter, 165),
        0x100..=0x17f => (ScriptClass::Letter, 200),
        0x180..=0x24f | 0x1e00..=0x1eff | 0x300..=0x36f => (ScriptClass::Letter, 105),
        // Greek; Russian; the other letters of Cyrillic.
        0x370..=0x3ff | 0x1f00..=0x1fff => (ScriptClass::Letter, 90),
        0x410..=0x44f => (ScriptClass::Letter, 38),
        0x400..=0x52f => (ScriptClass::Letter, 125),
        // Hebrew; Arabic; Devanagari; the other scripts of India; Thai.
        0x590..=0x5ff => (ScriptClass::Letter, 92),
        0x600..=0x6ff | 0x750..=0x77f | 0xfb50..=0xfdff | 0xfe70..=0xfefc => (ScriptClass::Letter, 70),
        0x900..=0x97f => (ScriptClass::Letter, 105),
        0x980..=0xdff => (ScriptClass::Letter, 140),
        0xe00..=0xe7f => (ScriptClass::Letter, 95),
        // Kana; Chinese characters, of which the traditional ones cost more; Hangul.
        0x3040..=0x30ff => (ScriptClass::Ideograph, 100),
        0x3400..=0x9fff | 0xf900..=0xfaff => (ScriptClass::Ideograph, 124),
        0x1100..=0x11ff | 0xac00..=0xd7af => (ScriptClass::Ideograph, 112),
        // Dashes, quotes, dots; their wide relatives; joiners and variation selectors.
        0x80..=0xbf | 0xd7 | 0xf7 | 0x2010..=0x205f => (ScriptClass::Symbol, 105),
        0x3000..=0x303f | 0xff00..=0xffef => (ScriptClass::Symbol, 125),
        0x200b..=0x200f | 0xfe00..=0xfe0f => (ScriptClass::Symbol, 100),
        0x2000..=0x2bff => (ScriptClass::Symbol, 170),
        // Scripts that are rare in a vocabulary are encoded almost byte by byte; emoji save their first byte.
        beyond => {
            let class = if c.is_alphabetic() { ScriptClass::Letter } else { ScriptClass::Symbol };
            (class, if beyond < 0x10000 { 200 } else { 280 })
        }
    }
}
