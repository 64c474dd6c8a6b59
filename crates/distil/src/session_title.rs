//! The title of a session, for whoever looks for it: what it committed, else the plan it carried out, else the work it did, else what it
//! was mainly asked for.
//!
//! Not here: the summary of a session that did several things (`summary`), which takes its title from the work itself.

use crate::finding::Finding;
use crate::titles::{request_title, title_of_approved, title_of_plan};
use crate::transcript::Turn;
use backstory_memory::{Activity, Content, Details, Kind, Memory, TITLE_CHARS};

/// Returns the title of a session; `known` is what earlier runs made of it, of turns that are no longer read, too.
pub(super) fn session_title(turns: &[Turn<'_>], known: &[Memory], findings: &[Finding]) -> Option<String> {
    let titles = |is_wanted: fn(&Content) -> bool| {
        let before = known.iter().map(|memory| &memory.content);
        let all = before.chain(findings.iter().map(|finding| &finding.content));
        let mut titles: Vec<String> = Vec::new();
        for content in all.filter(|content| is_wanted(content)) {
            if !titles.contains(&content.title) {
                titles.push(content.title.clone());
            }
        }
        joined(&titles)
    };
    let work = || titles(|content| content.kind.is_work() && content.kind != Kind::Discovery);
    titles(is_committed).or_else(|| plan(turns)).or_else(work).or_else(|| main_request(turns))
}

/// As many names as one line holds, and how many there are beside.
fn joined(names: &[String]) -> Option<String> {
    let mut title = names.first()?.clone();
    for (at, name) in names.iter().enumerate().skip(1) {
        let longer = format!("{title}; {name}");
        if longer.chars().count() > TITLE_CHARS {
            let counted = format!("{title}; {} more", names.len() - at);
            return Some(if counted.chars().count() > TITLE_CHARS { title } else { counted });
        }
        title = longer;
    }
    Some(title)
}

fn is_committed(content: &Content) -> bool {
    matches!(&content.details, Some(Details::WorkDone(work)) if !work.commits.is_empty())
}

/// The last plan the user approved, or sent as a prompt.
fn plan(turns: &[Turn<'_>]) -> Option<String> {
    turns.iter().rev().find_map(|turn| {
        let decided = turn.entries.iter().rev().find_map(|entry| match entry.activity() {
            Activity::PlanDecided { plan, is_approved: true, .. } => title_of_approved(plan),
            _ => None,
        });
        decided.or_else(|| title_of_plan(turn.prompt()))
    })
}

/// The request that most was done for; of several, the first. One that leans on what was said before it comes last.
fn main_request(turns: &[Turn<'_>]) -> Option<String> {
    let requests = turns.iter().rev().filter_map(|turn| {
        let request = request_title(turn.prompt())?;
        Some(((request.is_whole, request.is_order, turn.entries.len()), request.title))
    });
    requests.max_by_key(|(done, _)| *done).map(|(_, title)| title)
}
