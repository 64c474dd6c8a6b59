//! Copying through the terminal itself (OSC 52), so that it works over SSH and needs no other program.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns what makes a terminal put a text on the clipboard.
pub(crate) fn copy_sequence(text: &str) -> String {
    format!("\u{1b}]52;c;{}\u{7}", base64(text.as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group =
            (0..3).fold(0u32, |group, at| group << 8 | u32::from(chunk.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let index = (group >> (18 - 6 * at)) as usize & 63;
            let letter = ALPHABET.get(index).copied().map_or('=', char::from);
            out.push(if at > chunk.len() { '=' } else { letter });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_wrapped_for_the_terminal() {
        for (text, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("größe", "Z3LDtsOfZQ==")]
        {
            assert_eq!(copy_sequence(text), format!("\u{1b}]52;c;{coded}\u{7}"));
        }
    }
}
