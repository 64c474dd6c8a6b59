//! No block is over its budget of tokens and bytes, whatever was gathered.

use crate::month::{DAY, NOW, memory, orientation};
use backstory_inject::{
    Block, BlockFrame, Candidate, FetchHint, GatherError, MAX_BLOCK_BYTES, Orientation, WorkTreeStatus,
    compaction, default_budget, prompt, session_start, tool,
};
use backstory_memory::{
    ChangedSymbol, Content, Kind, Memory, Moment, Provenance, SymbolChange, SymbolKind, Tokens, estimate,
};
use proptest::prelude::*;

const ANY_TEXT: &str =
    "(\\PC|[a-z ]{1,12}|[检索順位に全文]{1,20}|🦀|[<>#`\n\r\t\u{1b}\u{202e}\u{200d}]|\\. |; ){0,60}";

prop_compose! {
    fn any_candidate(from: i64)(
        id in from..from + 20,
        kind in 0usize..Kind::ALL.len(),
        (title, body) in (ANY_TEXT, ANY_TEXT),
        facts in prop::collection::vec(ANY_TEXT, 0..3),
        provenance in prop::sample::select(vec![Provenance::User, Provenance::Assistant, Provenance::Web, Provenance::Import]),
        (score, changed_since) in (0.0f64..9.0, any::<bool>()),
        other_project in prop::option::of(ANY_TEXT),
    ) -> Candidate {
        let kind = Kind::ALL[kind];
        let memory = memory(id, kind, id * DAY / 7, &title, &body);
        let content = Content { facts, provenance, ..memory.content.clone() };
        Candidate { score, other_project, changed_since, ..Memory { content, ..memory }.into() }
    }
}

prop_compose! {
    fn any_change()(path in ANY_TEXT, name in ANY_TEXT, signature in ANY_TEXT) -> ChangedSymbol {
        ChangedSymbol { session: None, path, qualified_name: name, kind: SymbolKind::Method, change: SymbolChange::Modified, signature, at: NOW }
    }
}

/// Whether two parts may hold the same memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ids {
    Shared,
    Apart,
}

impl Ids {
    fn first_id(self, part: i64) -> i64 {
        match self {
            Ids::Shared => 0,
            Ids::Apart => part * 20,
        }
    }
}

fn some<T: std::fmt::Debug>(of: impl Strategy<Value = T>, most: usize) -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(of, 0..most)
}

prop_compose! {
    pub(crate) fn any_orientation(ids: Ids)(
        rules in some(any_candidate(ids.first_id(1)), 6),
        pinned in some(any_candidate(ids.first_id(0)), 3),
        handoff in prop::option::of(any_candidate(ids.first_id(5))),
        traps in some(any_candidate(ids.first_id(2)), 6),
        decisions in some(any_candidate(ids.first_id(3)), 6),
        work in some(any_candidate(ids.first_id(4)), 6),
        code_changes in some(any_change(), 5),
        branch in prop::option::of(ANY_TEXT),
        dirty in some(ANY_TEXT, 9),
    ) -> Orientation {
        Orientation {
            rules: Ok(rules),
            pinned: Ok(pinned),
            work_tree: Some(WorkTreeStatus { branch, dirty, commits_since: Vec::new(), files_since: Vec::new() }),
            handoff: Ok(handoff),
            traps: Ok(traps),
            decisions: Ok(decisions),
            work: Ok(work),
            code_changes: Ok(code_changes),
        }
    }
}

pub(crate) fn blocks(known: &Orientation, frame: &BlockFrame) -> [Block; 4] {
    let hits = known.traps.clone().map(|hits| hits.into_iter().cycle().take(40).collect::<Vec<_>>());
    [
        session_start(&known.clone(), None, frame),
        compaction(&known.clone(), frame),
        prompt(&hits, frame),
        tool(&hits, frame),
    ]
}

fn assert_within_budget(block: &Block, frame: &BlockFrame) {
    assert!(block.tokens <= frame.budget && block.tokens == estimate(&block.text), "{block:?}");
    assert!(block.bytes <= frame.max_bytes && block.bytes == block.text.len(), "{block:?}");
    // Only our own fence opens or closes anything.
    for line in block.text.lines() {
        assert!(
            !line.contains('<')
                || line.trim_start_matches("</").trim_start_matches('<').starts_with("backstory-")
        );
    }
    let mut ids: Vec<_> = block.items.iter().map(|it| it.memory).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), block.items.len(), "rendered twice");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn law_4_an_injection_is_never_over_its_budget(known in any_orientation(Ids::Shared), budget in 0u32..8_000, max_bytes in prop_oneof![Just(MAX_BLOCK_BYTES), 0usize..4_000], nonce: u32) {
        let frame = BlockFrame { budget: Tokens(budget), max_bytes, ..BlockFrame::for_moment(Moment::SessionStart, NOW, nonce, FetchHint::Both) };
        let built = blocks(&known, &frame);
        for block in &built {
            assert_within_budget(block, &frame);
        }
        // The same input gives the same bytes.
        prop_assert_eq!(built, blocks(&known, &frame));
    }

    #[test]
    fn one_failing_part_never_removes_another(known in any_orientation(Ids::Apart)) {
        let frame = BlockFrame::for_moment(Moment::SessionStart, NOW, 7, FetchHint::Command);
        let begin = |known: &Orientation| session_start(&known.clone(), None, &frame);
        let whole = begin(&known);
        // A block of code changes alone is empty without them.
        prop_assume!(!whole.items.is_empty());
        let without = begin(&Orientation { code_changes: Err(GatherError::Unreadable("gone".to_owned())), ..known });
        for section in whole.sections.iter().filter(|section| **section != "code") {
            prop_assert!(without.sections.contains(section), "{} is gone", section);
        }
    }
}

#[test]
fn every_budget_holds_for_a_real_project_from_nothing_up() {
    for budget in (0..3_000).step_by(11) {
        let frame = BlockFrame {
            budget: Tokens(budget),
            ..BlockFrame::for_moment(Moment::SessionStart, NOW, u32::MAX, FetchHint::Both)
        };
        assert_within_budget(&session_start(&orientation(), None, &frame), &frame);
    }
}

/// S4.12, S4.13, S4.37.
#[test]
fn a_small_budget_is_held_and_what_is_skipped_is_noted() {
    let frame = BlockFrame {
        budget: Tokens(160),
        ..BlockFrame::for_moment(Moment::SessionStart, NOW, 1, FetchHint::Command)
    };
    let block = session_start(&orientation(), None, &frame);
    assert!(
        !block.is_empty() && block.tokens <= Tokens(160) && !block.sections_skipped.is_empty(),
        "{block:?}"
    );
}

#[test]
fn a_full_project_uses_its_budget_and_rules_no_more_than_500_tokens() {
    let many = |from: i64, kind| {
        let body = "It was done because the old way broke under load. Three callers were moved to it, and the fourth is gone.";
        let topics =
            ["seat map", "refund", "ticket scanner", "deck plan", "roster", "timetable", "invoice", "berth"];
        (from..from + 40)
            .zip(topics.iter().cycle())
            .map(|(id, topic)| {
                memory(id, kind, id * DAY / 9, &format!("Change number {id} to the {topic}"), body).into()
            })
            .collect()
    };
    let known = Orientation {
        rules: Ok(many(400, Kind::Rule)),
        traps: Ok(many(500, Kind::Fact)),
        decisions: Ok(many(600, Kind::Decision)),
        work: Ok(many(700, Kind::Change)),
        ..orientation()
    };
    let frame = BlockFrame::for_moment(Moment::SessionStart, NOW, 1, FetchHint::Command);
    let block = session_start(&known, None, &frame);
    assert!((1_200..=2_000).contains(&block.tokens.0), "{}", block.tokens.0);
    assert_eq!(block.sections.len(), 5);
    let rules: u32 = block.items.iter().filter(|it| it.section == "rules").map(|it| it.tokens.0).sum();
    assert!((400..=500).contains(&rules), "{rules}");
    let placed = block.items.iter().filter(|it| it.section == "rules").count();
    let rest = format!("- and {} more: `backstory rules` lists them", 40 - placed);
    assert!(placed < 40 && block.text.contains(&rest), "{}", block.text);
}

/// S4.2, S2.8.
#[test]
fn the_usual_budgets_are_those_of_the_design() {
    let budgets =
        [Moment::SessionStart, Moment::Prompt, Moment::Tool, Moment::Compaction].map(default_budget);
    assert_eq!(budgets, [2_000, 600, 120, 1_000].map(Tokens));
}

/// Text far behind the beginning of a memory is not even read.
#[test]
fn a_huge_memory_costs_no_more_than_its_beginning() {
    let kinds = [Kind::Decision, Kind::Failure, Kind::Handoff, Kind::Summary, Kind::Bugfix];
    let begin = |text: &str| {
        let with = |mut memory: Memory| {
            memory.content.title = text.to_owned();
            memory.content.body = text.to_owned();
            memory.content.facts = vec![text.to_owned()];
            memory
        };
        let memories = kinds.iter().zip(1..).map(|(kind, id)| with(memory(id, *kind, DAY, "", ""))).collect();
        let frame = BlockFrame::for_moment(Moment::SessionStart, NOW, 1, FetchHint::Command);
        session_start(&Orientation::from_memories(memories), None, &frame)
    };
    let huge = "wörd <x> 检索 ".repeat(600_000);
    assert!(huge.len() > 10_000_000);
    let beginning: String = huge.chars().take(6_000).collect();
    assert_eq!(begin(&huge), begin(&beginning));
}
