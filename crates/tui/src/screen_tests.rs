//! What is on the screen after which keys, without a terminal and without a store.

use crate::clock_words::LocalClock;
use crate::drawing::draw;
use crate::palette::{ColourDepth, Palette};
use crate::requests::{
    Act, ActReport, Answer, FoundMemories, InjectedAt, InjectionPreview, MemoryDetail, MemoryLine,
    MemoryWords, ProjectChoice, ReplayStep, ReplayTurn, Request, SessionLine, SessionReplay, UndoStep,
};
use crate::state::{Effect, Focus, GRACE_MS, Overlay, State, View};
use backstory_app::ProjectSelector;
use backstory_memory::{MemoryId, SessionId, Standing, Timestamp};
use backstory_store::{StandingFilter, Verdict};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

/// 2026-05-01 12:00 UTC, a Friday.
const NOW: Timestamp = Timestamp(1_777_636_800_000);
const DAY: i64 = 86_400_000;

fn ago(days: i64) -> Timestamp {
    Timestamp(NOW.0 - days * DAY)
}

fn line(id: i64, kind: &'static str, title: &str) -> MemoryLine {
    MemoryLine {
        id: MemoryId(id),
        kind,
        title: title.to_owned(),
        project: "shop".to_owned(),
        at: ago(15 - id),
        standing: Standing::Confirmed,
        pinned: false,
    }
}

fn lines() -> Vec<MemoryLine> {
    vec![
        MemoryLine {
            pinned: true,
            ..line(14, "rule", "Store money as integer minor units, never as floats")
        },
        line(12, "decision", "Use SQLite FTS5 for search ranking instead of a separate search server"),
        MemoryLine { standing: Standing::Proposed, ..line(9, "fact", "The CI runner has no IPv6") },
        line(7, "failure", "`alembic upgrade head` was missing: no such column orders.paid_at"),
        MemoryLine { standing: Standing::Retired, ..line(3, "goal", "Ship refunds before the summer") },
    ]
}

fn detail(of: &MemoryLine) -> MemoryDetail {
    MemoryDetail {
        line: of.clone(),
        words: MemoryWords {
            title: of.title.clone(),
            body: "A float cannot hold a tenth of a cent. Every amount is an integer of minor units."
                .to_owned(),
        },
        about: vec!["in force: you said so".to_owned(), "said by you · importance 5 of 5".to_owned()],
        lists: vec![("Files", vec!["src/billing/money.py".to_owned()])],
        evidence: vec![(ago(1), "prompted".to_owned(), "from now on store money as integers".to_owned())],
        more_evidence: 0,
        history: vec![(Some(ago(1)), "until then: Store money as decimals".to_owned())],
        injected: vec![InjectedAt {
            at: ago(0),
            words: "session start, line 1 · 24 tokens".to_owned(),
            used: None,
            reasons: "a rule of yours".to_owned(),
        }],
        session: Some(SessionId(4)),
    }
}

fn found(state: &State, rows: Vec<MemoryLine>) -> Answer {
    let generation = state.search.generation;
    Answer::Found(FoundMemories { generation, rows, tenths_ms: 31, note: None })
}

/// A state with five memories, the first selected.
fn browsing() -> State {
    let clock = LocalClock { now: NOW, offset_minutes: |_| 0 };
    let mut state = State::new(clock, (80, 24));
    let named = |name: &str, selector| ProjectChoice { name: name.to_owned(), selector };
    let projects = vec![named("shop", ProjectSelector::Here), named("all projects", ProjectSelector::All)];
    state.take(Answer::Projects(projects));
    state.take(found(&state, lines()));
    state.take(Answer::Inbox(lines().into_iter().filter(|it| it.id.0 == 9).collect()));
    state.take(Answer::Detail(Box::new(detail(&lines()[0]))));
    state
}

fn key(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

fn press(state: &mut State, keys: &str) -> Vec<Effect> {
    keys.chars()
        .flat_map(|letter| {
            state.press(key(match letter {
                '\n' => KeyCode::Enter,
                '\t' => KeyCode::Tab,
                '↓' => KeyCode::Down,
                '→' => KeyCode::Right,
                '←' => KeyCode::Left,
                '⎋' => KeyCode::Esc,
                letter => KeyCode::Char(letter),
            }))
        })
        .collect()
}

fn press_control(state: &mut State, letter: char) -> Vec<Effect> {
    state.press(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL))
}

fn drawn(state: &mut State, (width, height): (u16, u16)) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    draw(state, Palette::new(ColourDepth::None), &mut buffer);
    let row = |y: u16| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..height).map(row).collect::<Vec<_>>().join("\n")
}

fn acts(effects: &[Effect]) -> Vec<String> {
    let act = |effect: &Effect| match effect {
        Effect::Ask(Request::Act(act)) => Some(format!("{act:?}")),
        _ => None,
    };
    effects.iter().filter_map(act).collect()
}

fn queries(effects: &[Effect]) -> Vec<crate::requests::MemoryQuery> {
    let query = |effect: &Effect| match effect {
        Effect::Ask(Request::Search(query)) => Some(query.clone()),
        _ => None,
    };
    effects.iter().filter_map(query).collect()
}

#[test]
fn every_letter_searches_anew_and_a_late_answer_is_not_shown() {
    let mut state = browsing();
    let sent = queries(&press(&mut state, "fts"));
    assert_eq!(sent.iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), ["f", "ft", "fts"]);
    let newest = found(&state, vec![lines()[1].clone()]);
    state.take(newest);
    state.take(Answer::Found(FoundMemories {
        generation: sent[0].generation,
        rows: lines(),
        ..FoundMemories::default()
    }));
    assert_eq!(state.search.list.rows.len(), 1, "the answer to `f` came after that to `fts`");
}

#[test]
fn tab_goes_through_the_filters_and_each_change_searches() {
    let mut state = browsing();
    let kinds = queries(&press(&mut state, "\tf"));
    assert_eq!(kinds[0].kinds, [backstory_memory::Kind::Fact]);
    let projects = queries(&press(&mut state, "\t→"));
    assert_eq!(projects[0].projects, ProjectSelector::All);
    let times = queries(&press(&mut state, "\t→"));
    assert_eq!(times[0].since, Some(Timestamp(NOW.0 - DAY / 2)));
    let standings = queries(&press(&mut state, "\t→→"));
    assert_eq!(standings[1].standing, StandingFilter::Proposed);
    press(&mut state, "\t");
    assert_eq!(state.focus, Focus::Field);
}

#[test]
fn letters_act_in_the_list_and_are_typed_in_the_field() {
    let mut state = browsing();
    assert!(acts(&press(&mut state, "c")).is_empty());
    assert_eq!(state.search.field.text(), "c");
    press(&mut state, "⎋");
    let done = acts(&press(&mut state, "cxp"));
    assert_eq!(
        done,
        ["Judge(MemoryId(14), Confirm)", "Judge(MemoryId(14), Retire)", "TogglePin(MemoryId(14))"]
    );
    let alt = state.press(KeyEvent::new(KeyCode::Char('p'), KeyModifiers::ALT));
    assert_eq!(acts(&alt), ["TogglePin(MemoryId(14))"]);
}

#[test]
fn law_3_forgetting_waits_and_is_not_said_to_be_done_before_it_is() {
    let mut state = browsing();
    press(&mut state, "⎋");
    assert!(acts(&press(&mut state, "f")).is_empty(), "nothing is forgotten at once");
    assert!(drawn(&mut state, (80, 24)).contains("#14 will be forgotten in 6 s · u keeps it"));
    assert!(acts(&state.tick(GRACE_MS - 1)).is_empty());
    press(&mut state, "u");
    assert!(acts(&state.tick(10 * GRACE_MS)).is_empty(), "it was kept");
    press(&mut state, "f");
    assert_eq!(acts(&state.tick(12 * GRACE_MS)), ["Forget(MemoryId(14))"]);
    let nothing = press(&mut state, "u");
    assert!(acts(&nothing).is_empty(), "what is forgotten is forgotten");
}

#[test]
fn ending_while_something_waits_to_be_forgotten_wants_a_word() {
    for (answer, forgets) in [("y", true), ("n", false)] {
        let mut state = browsing();
        press(&mut state, "⎋f");
        assert!(press(&mut state, "q").is_empty());
        assert!(drawn(&mut state, (80, 24)).contains("Forget for good?"));
        assert!(acts(&state.tick(10 * GRACE_MS)).is_empty(), "the clock stands still while the user thinks");
        let effects = press(&mut state, answer);
        assert_eq!(acts(&effects).len(), usize::from(forgets));
        let ended = if forgets {
            let report = ActReport { words: "forgot 1 memory".to_owned(), undo: None, shows: None };
            state.take(Answer::Done(Box::new(report)))
        } else {
            effects
        };
        assert!(matches!(ended[..], [Effect::Quit(None)]), "{ended:?}");
    }
    let mut state = browsing();
    press(&mut state, "⎋fq⎋");
    assert!(state.overlay.is_none() && state.is_forgetting(MemoryId(14)), "Escape goes back");
}

#[test]
fn law_3_the_program_does_not_end_before_a_change_is_done() {
    let mut state = browsing();
    press(&mut state, "⎋p");
    assert!(press(&mut state, "\n").is_empty(), "pinning is under way");
    let report = ActReport { words: "#14 is pinned".to_owned(), undo: None, shows: None };
    assert!(matches!(state.take(Answer::Done(Box::new(report)))[..], [Effect::Quit(Some(MemoryId(14)))]));
    let mut state = browsing();
    press(&mut state, "⎋p\n");
    let failed = Answer::Failed { is_act: true, words: "disk full".to_owned(), hint: None };
    assert!(state.take(failed).is_empty(), "the user has to see that it failed");
    assert!(drawn(&mut state, (80, 24)).contains("disk full"));
}

#[test]
fn words_are_edited_on_the_screen_and_nothing_is_written_that_did_not_change() {
    let mut state = browsing();
    press(&mut state, "⎋e");
    assert!(acts(&press_control(&mut state, 's')).is_empty());
    assert!(state.overlay.is_none());
    press(&mut state, "e!");
    let saved = acts(&press_control(&mut state, 's'));
    assert!(saved[0].starts_with("Revise(MemoryId(14)") && saved[0].contains("minor units.!"), "{saved:?}");
    press(&mut state, "s\nmore⎋");
    assert!(drawn(&mut state, (80, 24)).contains("Esc again throws your changes away"));
    press(&mut state, "x");
    assert!(matches!(state.overlay, Some(Overlay::Editor(_))));
    press(&mut state, "⎋⎋");
    assert!(state.overlay.is_none());
}

#[test]
fn a_change_is_undone_with_what_was_there_before() {
    let mut state = browsing();
    press(&mut state, "⎋");
    assert!(acts(&press(&mut state, "u")).is_empty());
    let before = memory();
    let undo = Some(UndoStep { before: before.clone(), replacement: None });
    let report = ActReport { words: "#14 is pinned".to_owned(), undo, shows: None };
    state.take(Answer::Done(Box::new(report)));
    assert!(drawn(&mut state, (80, 24)).contains("#14 is pinned · u undoes it"));
    let undone = acts(&press(&mut state, "u"));
    assert!(undone[0].starts_with("Undo(UndoStep { before: Memory { id: MemoryId(14)"), "{undone:?}");
}

#[test]
fn what_was_undone_is_selected_again_so_that_the_next_key_is_about_it() {
    let mut state = browsing();
    press(&mut state, "↓↓");
    let without: Vec<MemoryLine> = lines().into_iter().filter(|it| it.id.0 != 14).collect();
    state.refresh();
    state.take(found(&state, without));
    assert_ne!(state.current_memory().map(|it| it.id), Some(MemoryId(14)));
    let report = ActReport { words: "#14 is as it was".to_owned(), undo: None, shows: Some(MemoryId(14)) };
    state.take(Answer::Done(Box::new(report)));
    state.take(found(&state, lines()));
    assert_eq!(state.current_memory().map(|it| it.id), Some(MemoryId(14)));
    // Who moves on stays where they went.
    press(&mut state, "↓↓");
    state.refresh();
    state.take(found(&state, lines()));
    assert_eq!(state.current_memory().map(|it| it.id), Some(MemoryId(9)));
}

fn memory() -> backstory_memory::Memory {
    use backstory_memory::{Checksum, Content, Kind, Memory, ProjectId, StandingReason, Uid};
    let content = Content::new(Kind::Rule, "Store money as integers", "Store money as integers");
    Memory {
        id: MemoryId(14),
        uid: Uid::parse("x").unwrap(),
        project: ProjectId(1),
        session: None,
        standing: Standing::Confirmed,
        standing_reason: StandingReason::User,
        created_at: NOW,
        updated_at: NOW,
        times_seen: 1,
        times_used: 0,
        last_used_at: None,
        checksum: Checksum::of_content(&content),
        content,
    }
}

#[test]
fn the_inbox_takes_one_key_a_memory() {
    let mut state = browsing();
    state.press(KeyEvent::new(KeyCode::Char('2'), KeyModifiers::ALT));
    assert_eq!(state.view, View::Review);
    let effects = press(&mut state, "y");
    let expected = format!("{:?}", Act::Judge(MemoryId(9), Verdict::Confirm));
    assert_eq!(acts(&effects), [expected]);
    assert_eq!(acts(&press(&mut state, "n")), [format!("{:?}", Act::Judge(MemoryId(9), Verdict::Retire))]);
}

#[test]
fn what_is_pasted_is_text_and_never_keys() {
    let mut state = browsing();
    press(&mut state, "⎋");
    let effects = state.paste("fx\nq");
    assert_eq!(queries(&effects)[0].text, "fx q");
    assert!(acts(&effects).is_empty());
}

#[test]
fn a_session_is_replayed_with_its_changes() {
    let mut state = browsing();
    press(&mut state, "⎋3");
    let session = SessionLine {
        id: SessionId(4),
        title: "Store money as integers".to_owned(),
        host: "claude-code".to_owned(),
        project: "shop".to_owned(),
        started_at: ago(1),
        last_event_at: Timestamp(ago(1).0 + 25 * 60_000),
        events: 12,
        memories: 2,
    };
    state.take(Answer::Sessions(vec![session.clone()]));
    assert!(drawn(&mut state, (80, 12)).contains("yesterday 12:00  Store money as integers"));
    assert!(matches!(press(&mut state, "\n")[..], [Effect::Ask(Request::Replay(SessionId(4)))]));
    let step = |what: &str, failed, is_edit, text: &str, detail: Option<&str>| ReplayStep {
        what: what.to_owned(),
        failed,
        is_edit,
        text: text.to_owned(),
        detail: detail.map(str::to_owned),
    };
    let turn = ReplayTurn {
        prompt: Some("from now on store money as integers".to_owned()),
        at: ago(1),
        steps: vec![
            step("edited", false, true, "src/money.py", Some("- amount: float\n+ amount: int\n")),
            step("failed", true, false, "pytest", Some("1 failed")),
        ],
        closing: Some("Amounts are integers now.".to_owned()),
        learnt: vec![(MemoryId(14), "rule", "Store money as integer minor units".to_owned())],
        injected: vec!["session start: 3 memories in 120 tokens".to_owned()],
    };
    state.take(Answer::Replay(Box::new(SessionReplay { line: session, turns: vec![turn] })));
    insta::assert_snapshot!(drawn(&mut state, (60, 20)), @r#"
    1 Memories  2 Review 1  3 Sessions  4 Injection       shop
    Store money as integers
    yesterday 12:00 · claude-code · 25m · 12 events

    yesterday 12:00
      injected at session start: 3 memories in 120 tokens
    › from now on store money as integers
      edited   src/money.py
          - amount: float
          + amount: int
      failed   pytest
          1 failed
      Amounts are integers now.
      + #14 rule Store money as integer minor units





    ↑↓ scroll  Space page  v whole outputs  ← back  ? help
    "#);
}

#[test]
fn what_would_be_injected_is_shown_with_its_cost() {
    let mut state = browsing();
    press(&mut state, "⎋4");
    press(&mut state, "amount");
    state.take(Answer::Injection(Box::new(InjectionPreview {
        generation: state.injection.generation,
        text: "- #14 rule: Store money as integer minor units".to_owned(),
        tokens: 150,
        budget: 600,
        bytes: 610,
        tenths_ms: 22,
        sections: vec![("rules".to_owned(), 24, 1)],
        skipped: Vec::new(),
    })));
    insta::assert_snapshot!(drawn(&mut state, (60, 12)), @r#"
    1 Memories  2 Review 1  3 Sessions  4 Injection       shop
    › amount                                            2.2 ms
    █████░░░░░░░░░░░░░░░ 150 of 600 tokens, 610 bytes

    - #14 rule: Store money as integer minor units

    What it costs
        24  rules (1)



    type a prompt  Tab to the text  F1 help
    "#);
    let effects = press(&mut state, "\t+");
    let [Effect::Ask(Request::Injection(query))] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(query.budget, Some(700));
}

#[test]
fn a_small_screen_shows_the_list_above_the_text() {
    insta::assert_snapshot!(drawn(&mut browsing(), (60, 20)), @r#"
    1 Memories  2 Review 1  3 Sessions  4 Injection       shop
    › type to search                                5 · 3.1 ms
      any kind · shop · any time · in force or waiting
    ▸ #14 rule      ★ Store money as integer minor uni…     1d
      #12 decision    Use SQLite FTS5 for search ranki…     3d
       #9 fact      ? The CI runner has no IPv6             6d
       #7 failure     `alembic upgrade head` was missi… 23 Apr
       #3 goal      × Ship refunds before the summer    19 Apr

    ──────────────────────────────────────────────────────────
    Store money as integer minor units, never as floats
    #14 rule · yesterday 12:00 · shop · pinned
    in force: you said so
    said by you · importance 5 of 5

    A float cannot hold a tenth of a cent. Every amount is an
    integer of minor units.

    Files                                                 ↓ 13
    ↑↓ select  Enter print  Tab filter  Esc list  F1 help
    "#);
}

#[test]
fn a_usual_screen_shows_more_of_both() {
    let mut state = browsing();
    press(&mut state, "⎋");
    insta::assert_snapshot!(drawn(&mut state, (80, 24)), @r#"
    1 Memories  2 Review 1  3 Sessions  4 Injection                           shop
    › type to search                                                    5 · 3.1 ms
      any kind · shop · any time · in force or waiting
    ▸ #14 rule      ★ Store money as integer minor units, never as floats       1d
      #12 decision    Use SQLite FTS5 for search ranking instead of a sepa…     3d
       #9 fact      ? The CI runner has no IPv6                                 6d
       #7 failure     `alembic upgrade head` was missing: no such column o… 23 Apr
       #3 goal      × Ship refunds before the summer                        19 Apr



    ──────────────────────────────────────────────────────────────────────────────
    Store money as integer minor units, never as floats
    #14 rule · yesterday 12:00 · shop · pinned
    in force: you said so
    said by you · importance 5 of 5

    A float cannot hold a tenth of a cent. Every amount is an integer of minor
    units.

    Files
      · src/billing/money.py
                                                                              ↓ 10
    / search  → read  e edit  p pin  s supersede  f forget  u undo  ? help
    "#);
}

#[test]
fn a_wide_screen_shows_them_side_by_side() {
    insta::assert_snapshot!(drawn(&mut browsing(), (120, 24)), @r#"
    1 Memories  2 Review 1  3 Sessions  4 Injection                                                                   shop
    › type to search                                                                                            5 · 3.1 ms
      any kind · shop · any time · in force or waiting
    ▸ #14 rule      ★ Store money as integer minor unit…     1d │ Store money as integer minor units, never as floats
      #12 decision    Use SQLite FTS5 for search rankin…     3d │ #14 rule · yesterday 12:00 · shop · pinned
       #9 fact      ? The CI runner has no IPv6              6d │ in force: you said so
       #7 failure     `alembic upgrade head` was missin… 23 Apr │ said by you · importance 5 of 5
       #3 goal      × Ship refunds before the summer     19 Apr │
                                                                │ A float cannot hold a tenth of a cent. Every amount is
                                                                │ an integer of minor units.
                                                                │
                                                                │ Files
                                                                │   · src/billing/money.py
                                                                │
                                                                │ Rests on
                                                                │   · prompted from now on store money as integers
                                                                │     (yesterday 12:00)
                                                                │   o replays its session
                                                                │
                                                                │ History
                                                                │   · yesterday 12:00, until then: Store money as decimals
                                                                │
                                                                │ Where it was injected                                ↓ 2
    ↑↓ select  Enter print  Tab filter  Esc list  F1 help  Alt+1…4 screens
    "#);
}

#[test]
fn any_size_can_be_drawn() {
    for view in ["1", "2", "3", "4", "?", "e", "→", "f"] {
        let mut state = browsing();
        press(&mut state, "⎋");
        press(&mut state, view);
        for width in [0, 1, 9, 29, 30, 31, 45, 60, 109, 110, 200] {
            for height in [0, 1, 2, 7, 8, 9, 20, 60] {
                drawn(&mut state, (width, height));
            }
        }
    }
}
