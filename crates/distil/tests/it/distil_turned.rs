//! A change of mind: what the user says later takes the place of what they said before, in whatever words it is said; and what only
//! adds, narrows or excepts stands beside it.

use crate::cases::{Case, assert_none, cases};
use crate::recording::Recording;
use backstory_memory::{Kind, Memory, Standing};

/// The memories of a project in which a user says two things in two sessions.
fn memories(first: &str, then: &str) -> Vec<Memory> {
    let mut story = Recording::new();
    story.steers(first).closes("Understood.");
    story.session("later").steers(then).closes("Understood.");
    story.of_kind(Kind::Rule)
}

fn wrong(case: &Case) -> Option<String> {
    let [first, then] = case.entries.as_slice() else { panic!("{}: not a pair", case.entries[0].at) };
    let memories = memories(&first.text(), &then.text());
    let is_right = match (then.key.as_str(), memories.as_slice()) {
        ("replaced by", [first, then]) => {
            first.standing == Standing::Superseded(then.id) && then.standing.is_live()
        }
        ("repeated by", [only]) => (only.standing, only.times_seen) == (Standing::Confirmed, 2),
        ("kept beside", [first, then]) => [first, then].iter().all(|it| it.standing.is_live()),
        _ => false,
    };
    let found: Vec<_> = memories.iter().map(|it| (it.standing, &it.content.title, it.times_seen)).collect();
    (!is_right).then(|| format!("{}: {}: {found:?}", then.at, then.key))
}

#[test]
fn a_later_statement_replaces_repeats_or_stands_beside_an_earlier_one() {
    let cases = cases("changes_of_mind.txt", &["first", "replaced by", "repeated by", "kept beside"]);
    assert_none(&cases.iter().filter_map(wrong).collect::<Vec<_>>());
}
