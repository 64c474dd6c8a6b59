//! What holds for every text: redaction is idempotent, never panics and keeps what it did not find.

use backstory_capture::{Redactor, RedactorOptions};
use backstory_testkit::{BASE62, HEX, drawn};
use proptest::prelude::*;

/// Texts made of what the rules look at, in any order.
fn risky_text() -> impl Strategy<Value = String> {
    let fragments = prop::sample::select(vec![
        "key",
        "token",
        "password",
        "Password",
        "user",
        "secret",
        "authorization",
        "Bearer ",
        "curl -u ",
        "commit ",
        "=",
        ": ",
        ":",
        "\"",
        "'",
        "\\\"",
        "\\n",
        "\n",
        " ",
        "-",
        "_",
        ".",
        "/",
        "@",
        "://",
        "ghp_",
        "sk-",
        "eyJ",
        "AKIA",
        "xoxb-",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "kind: Secret\n",
        "data:\n",
        "  a: ",
        "<private>",
        "</private>",
        "&lt;private&gt;",
        "\\u003c",
        "private",
        "<",
        ">",
        "[REDACTED:",
        "[REDACTED:literal:012abc]",
        "]",
        "ß",
        "日",
        "nordlicht",
        "hunter2!",
        "00",
        "%3D",
        ";",
        ",",
        "==",
    ]);
    let random = (0u64..50, 1usize..48).prop_map(|(seed, length)| drawn(BASE62, length, seed));
    let hex = (0u64..50, 1usize..48).prop_map(|(seed, length)| drawn(HEX, length, seed));
    let part = prop_oneof![5 => fragments.prop_map(str::to_owned), 2 => random, 1 => hex, 1 => "\\PC{0,6}"];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

fn redactor() -> Redactor {
    Redactor::new(RedactorOptions { literals: vec!["nordlicht".into()], ..RedactorOptions::default() })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn redacting_twice_is_redacting_once(text in risky_text()) {
        let once = redactor().redact(&text).text;
        prop_assert_eq!(redactor().redact(once.as_str()).text, once);
    }

    #[test]
    fn scrubbing_twice_is_scrubbing_once(text in risky_text()) {
        let once = redactor().scrub(&text);
        prop_assert_eq!(redactor().scrub(once.as_str()), once);
    }

    #[test]
    fn text_without_findings_stays_as_it_was(text in risky_text()) {
        let redaction = redactor().redact(&text);
        let mut rest = redaction.text.as_str();
        let mut at = 0;
        for finding in &redaction.found {
            prop_assert!(at <= finding.start && finding.start < finding.end, "in order, not empty");
            rest = rest.strip_prefix(&text[at..finding.start]).expect("the text before a finding stays");
            rest = &rest[rest.find(']').expect("a marker is closed") + 1..];
            at = finding.end;
        }
        prop_assert_eq!(rest, &text[at..]);
    }

    #[test]
    fn any_text_can_be_redacted(text in any::<String>()) {
        let once = redactor().scrub(&text);
        prop_assert_eq!(redactor().scrub(once.as_str()), once);
    }
}
