//! Figures of the memories themselves: how many, of what kind, defects of form, duplicates, and which gold notes they keep.

use super::figures::RunFigures;
use super::gold::{Gold, GoldNote};
use super::matching::{MatchText, Matcher, Recalled, is_user_class, is_work};
use super::project_run::{ProjectRun, RunMemory};
use super::title_defects::{TitleDefect, count_duplicates, title_defects};
use std::collections::BTreeMap;

/// A project's memories and notes, ready to be compared.
pub(crate) struct PreparedRun<'a> {
    pub(crate) run: &'a ProjectRun,
    pub(crate) matcher: &'a Matcher,
    pub(crate) memories: Vec<(&'a RunMemory, MatchText)>,
    pub(crate) notes: BTreeMap<&'a str, (&'a GoldNote, MatchText)>,
}

impl<'a> PreparedRun<'a> {
    /// Prepares every text once.
    pub(crate) fn new(run: &'a ProjectRun, gold: &'a Gold, matcher: &'a Matcher) -> PreparedRun<'a> {
        let memories = run.memories.iter().map(|it| (it, matcher.prepare(&it.title, &it.body)));
        let notes = gold.sessions.iter().filter(|it| it.project == run.project).flat_map(|it| &it.notes);
        let notes = notes.map(|it| (it.id.as_str(), (it, matcher.prepare(&it.title, &it.text))));
        PreparedRun { run, matcher, memories: memories.collect(), notes: notes.collect() }
    }
}

/// Measures the memories of a project.
pub(crate) fn measure(prepared: &PreparedRun<'_>, figures: &mut RunFigures) {
    let run = prepared.run;
    figures.count(&run.project, "sessions", run.sessions.len());
    figures.count(&run.project, "hooks", run.hooks);
    figures.count(&run.project, "lines in the log", run.log.len());
    figures.average(&run.project, "memories a session", (run.memories.len(), run.sessions.len()));
    measure_kinds(run, figures);
    measure_titles(run, figures);
    let all: Vec<&RunMemory> =
        run.memories.iter().filter(|it| !["summary", "handoff"].contains(&it.kind.as_str())).collect();
    figures.share(&run.project, "duplicates of one piece of work", (count_duplicates(&all), all.len()));
    measure_recall(prepared, figures);
}

#[rustfmt::skip]
const KINDS: [&str; 13] = [
    "rule", "decision", "fact", "failure", "goal", "note", "feature", "bugfix", "refactor", "change", "discovery",
    "summary", "handoff",
];

fn measure_kinds(run: &ProjectRun, figures: &mut RunFigures) {
    let total = run.memories.len();
    for kind in KINDS {
        let of_kind = run.memories.iter().filter(|it| it.kind == kind).count();
        figures.average(&run.project, &format!("  {kind} a session"), (of_kind, run.sessions.len()));
    }
    let standing = |name: &str| run.memories.iter().filter(|it| it.standing == name).count();
    let (confirmed, proposed) = (standing("confirmed"), standing("proposed"));
    figures.share(&run.project, "memories confirmed", (confirmed, total));
    figures.share(&run.project, "memories proposed", (proposed, total));
    figures.share(&run.project, "memories retired", (total - confirmed - proposed, total));
}

fn measure_titles(run: &ProjectRun, figures: &mut RunFigures) {
    let prompts = |memory: &RunMemory| {
        run.sessions.iter().find(|it| memory.is_from(&it.session)).map_or(&[][..], |it| it.prompts.as_slice())
    };
    let defects: Vec<_> = run.memories.iter().map(|it| title_defects(it, prompts(it))).collect();
    let bad = defects.iter().filter(|it| !it.is_empty()).count();
    figures.share(&run.project, "titles with a defect", (bad, defects.len()));
    for (defect, word) in TitleDefect::ALL {
        let count = defects.iter().filter(|it| it.contains(&defect)).count();
        figures.share(&run.project, &format!("  {word}"), (count, defects.len()));
    }
    let of_work = run.memories.iter().zip(&defects).filter(|(memory, _)| is_work(&memory.kind));
    let (bad, all) = of_work.fold((0, 0), |sum, (_, it)| (sum.0 + usize::from(!it.is_empty()), sum.1 + 1));
    figures.share(&run.project, "  of work, with a defect", (bad, all));
}

/// Groups of classes, in the order of the table.
#[rustfmt::skip]
const GROUPS: [&str; 10] = [
    "user's rules", "constraint", "preference", "correction", "decision", "failure", "gotcha", "fact", "work", "all",
];

fn measure_recall(prepared: &PreparedRun<'_>, figures: &mut RunFigures) {
    let recalled = recall_notes(prepared);
    for group in GROUPS {
        let is_in =
            |class: &str| group == "all" || group == class || group == "user's rules" && is_user_class(class);
        let notes: Vec<_> = recalled.iter().filter(|it| is_in(&it.note.class)).collect();
        let count = |wanted: Recalled| notes.iter().filter(|it| it.verdict == wanted).count();
        let kept_as = |standing: &str| {
            let is_so = |it: &&&RecalledNote<'_>| it.memory.is_some_and(|memory| memory.standing == standing);
            notes.iter().filter(is_so).filter(|it| it.verdict == Recalled::Kept).count()
        };
        let mut row =
            |name: &str, part: usize| figures.share(&prepared.run.project, name, (part, notes.len()));
        row(&format!("gold {group} kept"), count(Recalled::Kept));
        row(&format!("  {group}, confirmed"), kept_as("confirmed"));
        row(&format!("  {group}, proposed"), kept_as("proposed"));
        row(&format!("  {group}, buried"), count(Recalled::Buried));
        row(&format!("  {group}, missed"), count(Recalled::Missed));
    }
}

/// A gold note, what became of it, and the memory that says it best.
pub(crate) struct RecalledNote<'a> {
    pub(crate) note: &'a GoldNote,
    pub(crate) verdict: Recalled,
    pub(crate) memory: Option<&'a RunMemory>,
}

/// Looks for every note of a project among its memories.
pub(crate) fn recall_notes<'a>(prepared: &PreparedRun<'a>) -> Vec<RecalledNote<'a>> {
    let recall = |(note, text): &(&'a GoldNote, MatchText)| {
        let judge = |(memory, other): &(&'a RunMemory, MatchText)| {
            let likeness = prepared.matcher.compare(text, other);
            (likeness.verdict(&note.class, &memory.kind), memory.injectable(), likeness.score(), *memory)
        };
        // Of equals the one that would be injected counts, then the one that is most alike.
        let order = |one: &(Recalled, u8, f64, &RunMemory), other: &(Recalled, u8, f64, &RunMemory)| {
            one.0.cmp(&other.0).then(one.1.cmp(&other.1)).then(one.2.total_cmp(&other.2))
        };
        let best = prepared.memories.iter().map(judge).max_by(order);
        let verdict = best.map_or(Recalled::Missed, |it| it.0);
        RecalledNote { note, verdict, memory: best.map(|it| it.3) }
    };
    prepared.notes.values().map(recall).collect()
}
