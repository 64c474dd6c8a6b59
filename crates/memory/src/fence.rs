//! The fence around an injected block: written here and recognised here, so that our own words are never captured as something that
//! happened (law 5, SEC-3, R24).
//!
//! The tag holds a nonce drawn for each block: content cannot close a fence whose nonce it does not know. Not here: drawing the
//! nonce, and escaping the content (`inject`).

use std::borrow::Cow;

const TAG: &str = "backstory-";
const NONCE_DIGITS: usize = 8;

/// Puts a block between an opening and a closing tag with its nonce.
#[must_use]
pub fn fence(block: &str, nonce: u32) -> String {
    let end = if block.ends_with('\n') { "" } else { "\n" };
    format!("<{TAG}{nonce:08x}>\n{block}{end}</{TAG}{nonce:08x}>")
}

/// Returns the nonce of the first fence in a text, even if a host has escaped its tag.
#[must_use]
pub fn fence_nonce(text: &str) -> Option<u32> {
    u32::from_str_radix(find_tag(text)?.nonce, 16).ok()
}

/// Removes every fenced block, even if a host has escaped the tags. A fence that is never closed reaches to the end.
#[must_use]
pub fn strip_fences(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(opening) = find_tag(rest) {
        kept.push_str(rest.get(..opening.start).unwrap_or_default());
        let inside = rest.get(opening.end..).unwrap_or_default();
        let closing = format!("/{TAG}{}", opening.nonce);
        rest = inside.split_once(&closing).map_or("", |(_, after)| after_bracket(after));
    }
    if kept.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

struct FenceTag<'a> {
    start: usize,
    end: usize,
    nonce: &'a str,
}

/// Ways a bracket is written: plain, in HTML, in JSON inside JSON.
const OPENING_BRACKETS: [&str; 4] = ["<", "&lt;", "\\u003c", "\\u003C"];
const CLOSING_BRACKETS: [&str; 4] = [">", "&gt;", "\\u003e", "\\u003E"];

fn find_tag(text: &str) -> Option<FenceTag<'_>> {
    text.match_indices(TAG).find_map(|(at, _)| {
        let before = text.get(..at)?;
        let bracket = OPENING_BRACKETS.into_iter().find(|bracket| before.ends_with(bracket))?;
        let name_end = at + TAG.len() + NONCE_DIGITS;
        let nonce = text.get(at + TAG.len()..name_end)?;
        let is_nonce = nonce.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_nonce.then_some(FenceTag { start: at - bracket.len(), end: name_end, nonce })
    })
}

fn after_bracket(text: &str) -> &str {
    CLOSING_BRACKETS.into_iter().find_map(|bracket| text.strip_prefix(bracket)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_block_is_known_again_however_a_host_writes_it() {
        let block = fence("- [2h ago] Use WAL mode", 0xbeef);
        assert_eq!(strip_fences(&format!("before {block} after")), "before  after");
        let escaped = block.replace('<', "&lt;").replace('>', "&gt;");
        assert_eq!(strip_fences(&format!("{escaped} after")), " after");
        let in_json = block.replace('<', "\\u003c").replace('>', "\\u003e");
        assert_eq!(strip_fences(&format!("say {in_json}.")), "say .");
        for written in [&block, &escaped, &in_json] {
            assert_eq!(fence_nonce(&format!("{{\"answer\": \"{written}\"}}")), Some(0xbeef));
        }
        assert_eq!(fence_nonce("<backstory-serve> and backstory-0000beef"), None);
        assert_eq!(strip_fences("before <backstory-0000beef>\ncut off"), "before ");
        assert_eq!(
            strip_fences("the backstory-inject crate, <backstory-serve>"),
            "the backstory-inject crate, <backstory-serve>"
        );
    }

    proptest! {
        #[test]
        fn nothing_of_a_block_stays_and_nothing_else_goes(before in "[a-z <>&;]{0,40}", block in "\\PC{0,80}", after in "[a-z <>&;]{0,40}", nonce: u32) {
            prop_assume!(find_tag(&block).is_none() && !block.contains(TAG));
            let text = format!("{before}{}{after}", fence(&block, nonce));
            prop_assert_eq!(strip_fences(&text), format!("{before}{after}"));
        }
    }
}
