//! Redaction on request: what would be taken out of a text before it is stored, so that a person can try.

use crate::app::App;
use crate::json::{RedactionShape, SecretShape};

impl App {
    /// Returns a text as it would be stored, and what was taken out of it.
    pub fn redact(&self, text: &str) -> RedactionShape {
        let redaction = self.redactor().scrub_and_report(text);
        let scrubbed = redaction.text.into_inner();
        let found = redaction.found.into_iter().map(|secret| SecretShape {
            rule: secret.rule,
            start: secret.start,
            end: secret.end,
        });
        let marks = |text: &str| text.matches("[private]").count();
        // The text may quote the mark itself: those were there before.
        let private_parts = marks(&scrubbed).saturating_sub(marks(text));
        RedactionShape { version: 1, text: scrubbed, found: found.collect(), private_parts }
    }
}
