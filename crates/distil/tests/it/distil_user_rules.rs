//! Rules from where the user's words stand: after a refusal, as a correction, beside a piece of work; and what their titles are.

use crate::recording::Recording;
use backstory_memory::{Activity, Kind, Provenance, Standing};

fn refuses(recording: &mut Recording, request: &str) {
    let refused = Activity::Rejected { at: request.to_owned(), feedback: String::new() };
    recording.happens(refused, Provenance::User);
}

#[test]
fn the_prompt_after_a_refusal_without_a_word_says_what_to_do_instead() {
    let mut recording = Recording::new();
    recording.asks("Install the formatter");
    refuses(&mut recording, "npm install prettier");
    recording.asks("use pnpm for packages").runs("pnpm add prettier", "ok").closes("Installed.");
    let rule = recording.only(Kind::Rule);
    assert_eq!((rule.content.title.as_str(), rule.standing), ("Use pnpm for packages", Standing::Proposed));
    // The same words elsewhere order a piece of work, and so does assent after a refusal.
    for prompts in [["Install the formatter", "use pnpm for packages"], ["", "yeah, use pnpm for packages"]] {
        let mut other = Recording::new();
        other.asks("Install the linter");
        match prompts[0] {
            "" => refuses(&mut other, "npm install eslint"),
            request => drop(other.asks(request).closes("Installed.")),
        }
        other.asks(prompts[1]).closes("Done.");
        assert_eq!(other.of_kind(Kind::Rule), [], "{prompts:?}");
    }
}

#[test]
fn a_prompt_that_begins_with_a_correction_is_one_about_the_request_before() {
    let mut recording = Recording::new();
    recording.checks_repeats();
    recording.asks("switch to the release branch").runs("git switch -c rel", "").closes("Switched.");
    recording.asks("thats not the branch I meant - its called release/next").closes("Switched again.");
    let rule = recording.only(Kind::Rule);
    assert_eq!(rule.content.title, "Switch to the release branch: its called release/next");
    assert_eq!(rule.standing, Standing::Proposed);
}

#[test]
fn a_reproach_that_stops_the_work_forbids_what_it_asks_about() {
    let mut recording = Recording::new();
    recording.asks("Build the exporter").creates("exporter.c", "int main;");
    recording.happens(Activity::Interrupted, Provenance::User);
    recording.asks("Why are you writing C?").closes("I'll start over in Rust.");
    assert_eq!(recording.kinds(), ["rule: Do not write C"]);
    let mut unhindered = Recording::new();
    unhindered.asks("Build the exporter").closes("Built.");
    unhindered.asks("Why are you writing C?").closes("It is fast.");
    assert_eq!(unhindered.of_kind(Kind::Rule), [], "nobody stopped it");
}

#[test]
fn how_commits_and_tests_are_made_is_a_rule_beside_a_piece_of_work() {
    let titles = |prompt: &str| {
        let mut recording = Recording::new();
        recording.asks(prompt).closes("Fine.");
        let rules = recording.of_kind(Kind::Rule);
        assert!(rules.iter().all(|rule| rule.standing == Standing::Proposed), "{prompt}");
        rules.into_iter().map(|rule| rule.content.title).collect::<Vec<_>>()
    };
    assert_eq!(titles("Look at what changed. Split the commits by module."), ["Split the commits by module"]);
    assert_eq!(
        titles("Add a page for refunds. Begin by writing tests, then add the page."),
        ["Begin by writing tests, then add the page"]
    );
    assert_eq!(titles("split the commits by module"), [] as [&str; 0], "alone it is an errand");
    assert_eq!(titles("Add a page for refunds. Then push it."), [] as [&str; 0]);
}

#[test]
fn a_hint_keeps_what_it_was_said_in() {
    let mut recording = Recording::new();
    recording
        .asks("The total is gone from the invoice. It should be in the footer of every page.")
        .closes("It is back.");
    let rule = recording.only(Kind::Rule);
    assert!(rule.content.body.contains("The total is gone from the invoice."), "{}", rule.content.body);
}

#[test]
fn what_the_rules_cannot_name_is_noted() {
    let mut recording = Recording::new();
    recording.asks("this header should look like those").closes("Fine.");
    let noted = recording.store.rejections().of_session(recording.id()).unwrap();
    let noted: Vec<_> = noted.iter().map(|one| (one.reason.as_str(), one.text.as_str())).collect();
    assert_eq!(noted, [("says_nothing", "this header should look like those")]);
}

#[test]
fn work_says_why_and_leaves_out_cheers_files_and_figures_nobody_measured() {
    let mut recording = Recording::new();
    let plan = "Implement the following plan:\n\n# Plan: Bound the mail queue\n\n## Context\n\nA slow relay fills the memory of the mailer.";
    recording.asks(plan).edits("src/mail.rs", "a", "b");
    recording.closes(
        "All clean. Here's a summary of the changes:\n\n**New files**\n- `src/bound.rs` — the bound\n\n**Changes**\n- `src/mail.rs` — the \
         queue holds 200 letters, because the relay takes that many an hour\n- The mailer is 40% faster\n- `cargo test` — all tests pass",
    );
    let work = recording.memories().into_iter().find(|memory| memory.content.kind.is_work()).unwrap().content;
    assert_eq!(work.title, "Bound the mail queue");
    assert_eq!(
        work.body,
        "Why: A slow relay fills the memory of the mailer.\nthe queue holds 200 letters, because the relay takes that many an hour"
    );
}

#[test]
fn a_limit_beside_the_work_takes_its_subject_from_the_request() {
    let mut recording = Recording::new();
    recording.asks("Rewrite the guide for new tenants. Avoid jargon.").closes("Rewritten.");
    assert_eq!(recording.kinds(), ["rule: Rewrite the guide for new tenants: avoid jargon"]);
    assert_eq!(recording.only(Kind::Rule).standing, Standing::Proposed);
}

#[test]
fn what_is_to_stop_is_forbidden() {
    let title = |prompt: &str| {
        let mut recording = Recording::new();
        recording.asks("Report the depth of the tank").closes("The page reports it.");
        recording.asks(prompt).closes("I see.");
        recording.of_kind(Kind::Rule).into_iter().map(|rule| rule.content.title).collect::<Vec<_>>()
    };
    assert_eq!(title("Stop adding comments to every test"), ["Do not add comments to every test"]);
    assert_eq!(title("still reporting feet instead of metres?"), ["Do not report feet instead of metres"]);
    assert_eq!(title("still getting timeouts at the tank"), [] as [&str; 0], "a report is no rule");
}

#[test]
fn a_plan_that_was_carried_out_leaves_the_way_it_took() {
    let plan = "Implement the following plan:\n\n# Plan: Mail relay\n\n## Approach: one queue for each sender\n\nSenders block each other today.";
    let mut recording = Recording::new();
    recording.asks(plan).closes("I read it.");
    assert_eq!(recording.of_kind(Kind::Decision), [], "nothing was done yet");
    let mut done = Recording::new();
    done.asks(plan).edits("src/mail.rs", "a", "b").closes("Senders no longer block each other.");
    let decision = done.only(Kind::Decision).content;
    assert_eq!(decision.title, "One queue for each sender");
    assert_eq!(decision.body, "Senders block each other today.\nPlan: Mail relay");
}

#[test]
fn who_demands_something_of_all_there_is_needs_no_review() {
    for (said, standing) in [
        ("I think better not to keep any draft of a letter on the phone", Standing::Confirmed),
        ("the stamps should be at the bottom of the letter", Standing::Proposed),
    ] {
        let mut recording = Recording::new();
        recording.asks(said).closes("Understood.");
        assert_eq!(recording.only(Kind::Rule).standing, standing, "{said}");
    }
}
