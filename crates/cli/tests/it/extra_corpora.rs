//! The extra corpus of byte sequences, which comes as a table.

use backstory_testkit::corpora::extra_files;

/// Returns the byte sequences of the extra UTF-8 corpus, valid and not.
pub(crate) fn extra_byte_sequences() -> Vec<Vec<u8>> {
    let Some(files) = extra_files("utf8-unicode.tar.gz") else { return Vec::new() };
    let table = files.iter().find(|file| file.name == "utf8/utf8tests.txt").expect("the table");
    let table = String::from_utf8(table.bytes.clone()).unwrap();
    let sequence = |line: &str| {
        let mut parts = line.split(':');
        let (_number, sort, bytes) = (parts.next()?, parts.next()?, parts.next()?);
        match sort {
            "valid" => Some(bytes.as_bytes().to_vec()),
            "valid hex" | "invalid hex" => Some(from_hexadecimal(bytes)),
            _ => None,
        }
    };
    table.lines().filter(|line| !line.starts_with('#')).filter_map(sequence).collect()
}

fn from_hexadecimal(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks_exact(2).map(byte).collect()
}
