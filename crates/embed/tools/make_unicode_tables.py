"""Writes ../src/tokenizer/tables.rs by asking the reference tokenizer about every code point.

usage: python make_unicode_tables.py

Asking is safer than reading the Unicode database: the reference was built with tables of its own age, and the
vocabulary was trained with them. Entries that cannot change an answer are left out (see `folded`).
"""

from pathlib import Path

from reference import model_directory, tokenizer

OUTPUT = Path(__file__).parent.parent / "src" / "tokenizer" / "tables.rs"
HANGUL = range(0xAC00, 0xD7A4)  # decomposed by arithmetic, not by a table


def code_points():
    return (c for c in range(0x80, 0x110000) if not 0xD800 <= c <= 0xDFFF)


def ranges(points) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for point in points:
        if found and found[-1][1] == point - 1:
            found[-1] = (found[-1][0], point)
        else:
            found.append((point, point))
    return found


def literal(point: int) -> str:
    return f"'\\u{{{point:x}}}'"


def escaped(text: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else f"\\u{{{ord(c):x}}}" for c in text)


def wrapped(items: list[str]) -> str:
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) + 2 > 110:
            lines.append(line)
            line = "   "
        line += f" {item},"
    return "\n".join([*lines, line])


def main() -> None:
    reference = tokenizer(truncated=False)
    normal, split = reference.normalizer.normalize_str, reference.pre_tokenizer.pre_tokenize_str
    alphabet = {c for token in (model_directory() / "vocab.txt").read_text().splitlines() for c in token}

    dropped, ideographs, punctuation, folded = [], [], [], []
    for point in code_points():
        character = chr(point)
        between = normal(f"a{character}b")
        if between == "ab":
            dropped.append(point)
            continue
        if between == "a b":
            continue
        if between.startswith("a ") and between.endswith(" b"):
            ideographs.append(point)
        result = normal(character).strip(" ")
        # A result outside the vocabulary's alphabet makes the word unknown, and so does the character itself.
        if point not in HANGUL and result != character.lower() and set(result) <= alphabet:
            folded.append((point, result))
        if len(result) == 1 and ord(result) >= 0x80 and point == ord(result) and len(split(f"a{result}b")) == 3:
            punctuation.append(point)

    assert all(len(result) <= 2 for _, result in folded), "FOLDED holds at most two characters"
    pairs = [f'({literal(point)}, "{escaped(result)}")' for point, result in folded]

    def spans(points):
        return wrapped([f"({literal(a)}, {literal(b)})" for a, b in ranges(points)])

    OUTPUT.write_text(f"""//! Character tables of the tokenizer, written by `tools/make_unicode_tables.py`: change the script, not this.
//!
//! ASCII is not here: `characters.rs` decides it in code.

/// Ranges of characters that vanish: control and format characters, and accents after decomposition.
#[rustfmt::skip]
pub(super) const DROPPED: &[(char, char)] = &[
{spans(dropped)}
];

/// Ranges of ideographs, each of which is a word of its own.
#[rustfmt::skip]
pub(super) const IDEOGRAPHS: &[(char, char)] = &[
{spans(ideographs)}
];

/// Ranges of punctuation, each of which is a word of its own.
#[rustfmt::skip]
pub(super) const PUNCTUATION: &[(char, char)] = &[
{spans(punctuation)}
];

/// What a character becomes once decomposed and stripped of accents, where that is more than lowering its case.
#[rustfmt::skip]
pub(super) const FOLDED: &[(char, &str)] = &[
{wrapped(pairs)}
];
""")
    print(f"{len(ranges(dropped))} dropped, {len(ranges(ideographs))} ideographs, "
          f"{len(ranges(punctuation))} punctuation, {len(folded)} folded")


if __name__ == "__main__":
    main()
