//! The corpora beside the checkout, unpacked in memory: nothing of them is written anywhere.

use crate::support::corpus;
use flate2::read::GzDecoder;
use std::fs::File;
use std::io::Read;

/// One file of a corpus.
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// Returns what a packed corpus holds, or says loudly that it is not there.
pub(crate) fn unpacked(name: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(corpus(name)?).unwrap()).read_to_end(&mut bytes).unwrap();
    Some(bytes)
}

/// Returns the files of a packed archive.
pub(crate) fn samples(name: &str) -> Option<Vec<Sample>> {
    let archive = unpacked(name)?;
    let mut samples = Vec::new();
    let mut rest = archive.as_slice();
    // Each file is a block of 512 bytes that tells its name and size, then its bytes, filled up to whole blocks.
    while let Some((header, behind)) = rest.split_at_checked(512).filter(|(header, _)| header[0] != 0) {
        let text = |from, to| String::from_utf8_lossy(&header[from..to]).trim_matches(['\0', ' ']).to_owned();
        let size = usize::from_str_radix(&text(124, 136), 8).unwrap();
        let is_file = matches!(header[156], b'0' | 0);
        if is_file {
            samples.push(Sample { name: text(0, 100), bytes: behind[..size].to_vec() });
        }
        rest = &behind[size.next_multiple_of(512)..];
    }
    Some(samples)
}

/// Returns the byte sequences of the UTF-8 corpus, valid and not.
pub(crate) fn byte_sequences() -> Option<Vec<Vec<u8>>> {
    let samples = samples("utf8-unicode.tar.gz")?;
    let table = samples.iter().find(|sample| sample.name == "utf8/utf8tests.txt").expect("the table");
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
    Some(table.lines().filter(|line| !line.starts_with('#')).filter_map(sequence).collect())
}

fn from_hexadecimal(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks_exact(2).map(byte).collect()
}
