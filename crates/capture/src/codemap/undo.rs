//! Restores a file as it was before a turn, by undoing the edits.

use backstory_memory::{Hunk, is_cut};

/// Undoes edits, the last one first. Returns `None` where the earlier text is uncertain: an edit was cut short, its text changed since or
/// stands in several places, or nothing would be left.
#[must_use]
pub(super) fn undo(after: &str, hunks: &[Hunk]) -> Option<String> {
    if hunks.iter().any(|hunk| is_cut(&hunk.before) || is_cut(&hunk.after)) {
        return None;
    }
    let text = hunks.iter().rev().try_fold(after.to_owned(), |text, hunk| {
        let at = only_place(&text, &hunk.after)?;
        let (head, tail) = (text.get(..at)?, text.get(at + hunk.after.len()..)?);
        Some([head, &hunk.before, tail].concat())
    })?;
    // Nothing is left of a file that was written whole: its earlier text is unknown.
    (!hunks.is_empty() && !text.trim().is_empty()).then_some(text)
}

fn only_place(text: &str, part: &str) -> Option<usize> {
    if part.is_empty() {
        return None;
    }
    let at = text.find(part)?;
    // The second may overlap the first.
    let next = at + text.get(at..)?.chars().next()?.len_utf8();
    text.get(next..)?.find(part).is_none().then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_memory::cap;
    use proptest::prelude::*;

    fn hunk(before: &str, after: &str) -> Hunk {
        Hunk { before: before.into(), after: after.into() }
    }

    #[test]
    fn an_ambiguous_edit_is_not_undone() {
        for (after, hunks, before) in [
            ("a two c", vec![hunk("one", "two")], Some("a one c")),
            ("a c", vec![hunk("b", "c"), hunk("x", "a")], Some("x b")),
            ("one three", vec![hunk("1", "one two"), hunk("two", "three")], Some("1")),
            ("a a", vec![hunk("b", "a")], None),
            ("aaa", vec![hunk("b", "aa")], None),
            ("ééé", vec![hunk("b", "éé")], None),
            ("a", vec![hunk("gone", "")], None),
            ("a", vec![hunk("x", "not there")], None),
            ("whole", vec![hunk("", "whole")], None),
            ("a", vec![], None),
        ] {
            assert_eq!(undo(after, &hunks).as_deref(), before, "{after:?} {hunks:?}");
        }
    }

    /// Symbols in the part that was cut out would be taken for new.
    #[test]
    fn an_edit_that_was_cut_short_is_not_undone() {
        let long = "fn f() {}\n".repeat(100);
        for hunk in [hunk(&cap(&long, 200).text, "after"), hunk("before", &cap(&long, 200).text)] {
            assert_eq!(
                undo(&format!("head {} tail", hunk.after), std::slice::from_ref(&hunk)),
                None,
                "{hunk:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn undoing_an_edit_restores_the_text(
            head in "[a-c]{0,6}", tail in "[a-c]{0,6}", before in "[a-c]{0,4}", after in "[a-c]{0,4}",
        ) {
            let was = format!("{head}{before}{tail}");
            let is = format!("{head}{after}{tail}");
            if let Some(undone) = undo(&is, &[hunk(&before, &after)]) {
                prop_assert_eq!(undone, was);
            }
        }
    }
}
