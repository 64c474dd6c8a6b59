//! Names of files and folders that break programs, and texts that lead to other files.

/// Returns names of folders: bytes, because not every name is text.
#[must_use]
pub fn hostile_names() -> Vec<Vec<u8>> {
    let texts = [
        "..",
        ".",
        "~",
        "-rf",
        "--help",
        "a b",
        " ",
        "a\nb",
        "a\tb",
        "\u{1b}[31mred",
        "$(touch owned)",
        "`id`",
        "; echo x",
        "a|b",
        "*",
        "?",
        "[a]",
        "{a,b}",
        "'",
        "\"",
        "\\",
        "C:\\Windows",
        "con",
        "nul",
        "%00",
        "%2e%2e",
        "%s%n",
        "{{7*7}}",
        "<script>alert(1)</script>",
        "a/../../b",
        "../../etc",
        ".git",
        ".backstory.toml",
        "\u{202e}gpj.exe",
        "e\u{301}",
        "日本語",
        "🦀",
        "a\0b",
        "\u{feff}a",
        "#1",
        "!history",
    ];
    let mut names: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    names.extend([
        vec![0xff, 0xfe],
        vec![b'a', 0x80],
        vec![0xed, 0xa0, 0x80],
        vec![b'x'; 255],
        vec![0xc3; 40],
    ]);
    names
}

/// Returns texts that name a file outside, in the spellings that parsers disagree about.
#[must_use]
pub fn traversal_texts() -> Vec<String> {
    let steps =
        ["../", "..\\", "..%2f", "%2e%2e/", "%2e%2e%2f", "....//", "..;/", "..%252f", "..%c0%af", "/../"];
    let files = ["etc/passwd", "proc/self/environ", "etc/passwd%00.txt", "windows/win.ini"];
    let mut texts = Vec::new();
    for step in steps {
        for depth in [1, 3, 8] {
            texts.extend(files.map(|file| format!("{}{file}", step.repeat(depth))));
        }
    }
    texts
}
