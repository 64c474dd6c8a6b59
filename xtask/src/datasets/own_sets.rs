//! Sets beside the published ones: the invented small stores, and the prompts of recorded sessions with what their readers had noted
//! until then. Both say when nothing should be injected.

use super::converted::{ConvertedSet, SetDocument, SetQuery};
use crate::TaskResult;
use crate::real::gold::{Gold, GoldMoment};
use crate::real::recorded_sessions::{RecordedProject, UserRecord, classify, records, unpack};
use backstory_testkit::{SmallStore, small_stores};
use std::path::Path;

/// Returns the small stores, each a set.
pub(crate) fn small() -> Vec<ConvertedSet> {
    small_stores().iter().map(small_set).collect()
}

fn small_set(store: &SmallStore) -> ConvertedSet {
    let document = |(at, text): (usize, &String)| SetDocument {
        id: at.to_string(),
        text: text.clone(),
        title: Some(text.clone()),
        kind: Some("decision".to_owned()),
        ..SetDocument::default()
    };
    let query = |(at, (text, answer)): (usize, &(String, Option<usize>))| SetQuery {
        id: at.to_string(),
        text: text.clone(),
        gold: answer.iter().map(usize::to_string).collect(),
        ..SetQuery::default()
    };
    ConvertedSet {
        name: store.name.clone(),
        documents: store.memories.iter().enumerate().map(document).collect(),
        queries: store.questions.iter().enumerate().map(query).collect(),
    }
}

/// Reads the prompts of the recorded sessions; `None` where they are absent. Each session is a corpus of what was noted before it.
pub(crate) fn recorded_prompts(data: &Path) -> TaskResult<Option<ConvertedSet>> {
    if !data.join("gold.jsonl").exists() {
        return Ok(None);
    }
    let gold = Gold::read(&data.join("gold.jsonl"))?;
    let folder = tempfile::tempdir()?;
    let projects = unpack(data, folder.path())?;
    let mut set = ConvertedSet { name: "recorded-prompts".to_owned(), ..ConvertedSet::default() };
    for moment in gold.moments.iter().filter(|moment| !moment.is_tool) {
        let Some(text) = prompt_of(moment, &projects)? else { continue };
        let corpus = format!("{}/{}", moment.project, moment.session);
        if !set.queries.iter().any(|query| query.corpus == corpus) {
            set.documents.extend(noted_before(&gold, moment, &corpus));
        }
        set.queries.push(SetQuery {
            id: format!("{corpus}/{}", moment.turn),
            corpus,
            text,
            gold: moment.helpful.iter().cloned().collect(),
            ..SetQuery::default()
        });
    }
    Ok(Some(set))
}

fn noted_before<'g>(
    gold: &'g Gold,
    moment: &'g GoldMoment,
    corpus: &'g str,
) -> impl Iterator<Item = SetDocument> + 'g {
    let before = gold.sessions_in(&moment.project).take_while(|session| session.session != moment.session);
    before.flat_map(|session| &session.notes).map(|note| SetDocument {
        id: note.id.clone(),
        corpus: corpus.to_owned(),
        text: note.text.clone(),
        title: Some(note.title.clone()),
        ..SetDocument::default()
    })
}

/// Finds the words of a prompt, which the notes name by session and turn.
fn prompt_of(moment: &GoldMoment, projects: &[RecordedProject]) -> TaskResult<Option<String>> {
    let Some(project) = projects.iter().find(|project| project.name == moment.project) else {
        return Ok(None);
    };
    let is_it = |path: &&std::path::PathBuf| {
        path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(&moment.session))
    };
    let Some(transcript) = project.transcripts.iter().find(is_it) else { return Ok(None) };
    let mut prompts =
        records(transcript, "/project")?.into_iter().filter_map(|record| match classify(&record) {
            UserRecord::Prompt(text) if record.get("type").is_some_and(|kind| kind == "user") => Some(text),
            _ => None,
        });
    Ok(prompts.nth(moment.turn.saturating_sub(1)))
}
