//! Corpora of hostile input: our own, generated here and always run, and larger ones beside the checkout that run in addition.
//!
//! Our own are redistributable: written or generated for this project, with no secret or look-alike in the source. The larger ones come
//! from other projects and are not shipped; where they are missing, that is reported and counted, and the bars still hold for our own.

mod attacks;
mod malformed;
mod names;
mod realistic;
mod secrets;

pub use attacks::{EscapeCase, attack_texts, escape_cases, harmless_prompts};
pub use malformed::{JsonSample, byte_sequences, json_samples, naughty_strings};
pub use names::{hostile_names, traversal_texts};
pub use realistic::{
    RealisticText, independent_texts_with_secrets, independent_texts_without_secrets, texts_with_secrets,
    texts_without_secrets,
};
pub use secrets::{PrivateTagCase, SecretSample, lookalikes, private_tag_cases, secret_samples};

use flate2::read::GzDecoder;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// One file of an archive.
#[derive(Clone, Debug)]
pub struct CorpusFile {
    /// Its path in the archive.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Returns the path of a corpus beside the checkout, or reports that it is skipped.
#[must_use]
#[expect(clippy::print_stderr, reason = "a skipped corpus must be visible")]
pub fn extra_corpus(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/security").join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: extra corpus `{name}` is not beside this checkout; only our own cases were run");
    None
}

/// Returns the content of a corpus beside the checkout, unpacked in memory.
///
/// # Panics
///
/// When it is there and cannot be read.
#[must_use]
pub fn extra_bytes(name: &str) -> Option<Vec<u8>> {
    let path = extra_corpus(name)?;
    if !name.ends_with(".gz") {
        return Some(fs::read(path).expect("a corpus"));
    }
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(path).expect("a corpus")).read_to_end(&mut bytes).expect("a packed corpus");
    Some(bytes)
}

/// Returns the text of a corpus beside the checkout.
///
/// # Panics
///
/// When it is there and is not UTF-8.
#[must_use]
pub fn extra_text(name: &str) -> Option<String> {
    Some(String::from_utf8(extra_bytes(name)?).expect("a corpus in UTF-8"))
}

/// Returns the files of a tar archive beside the checkout.
///
/// # Panics
///
/// When it is there and is not an archive.
#[must_use]
pub fn extra_files(name: &str) -> Option<Vec<CorpusFile>> {
    let archive = extra_bytes(name)?;
    let mut files = Vec::new();
    let mut rest = archive.as_slice();
    // A header of 512 bytes with name, size and type, then the content, padded to whole blocks.
    while let Some((header, behind)) =
        rest.split_at_checked(512).filter(|(header, _)| header.first() != Some(&0))
    {
        let field = |from, to| {
            let bytes = header.get(from..to).unwrap_or_default();
            String::from_utf8_lossy(bytes).trim_matches(['\0', ' ']).to_owned()
        };
        let size = usize::from_str_radix(&field(124, 136), 8).expect("a size in a tar header");
        if matches!(header.get(156), Some(b'0' | 0)) {
            files.push(CorpusFile {
                name: field(0, 100),
                bytes: behind.get(..size).expect("whole files").to_vec(),
            });
        }
        rest = behind.get(size.next_multiple_of(512)..).unwrap_or_default();
    }
    Some(files)
}
