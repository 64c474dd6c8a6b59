//! All there is of one memory: its words, what it rests on, what it said before, and where it was injected (law 9).

use crate::answers::AnswerContext;
use crate::requests::{EvidenceLine, InjectedAt, MemoryDetail, MemoryWords};
use backstory_app::AppError;
use backstory_app::browse::MemoryBackground;
use backstory_app::engine::Profile;
use backstory_app::transcript::step;
use backstory_app::why::WhyRequest;
use backstory_app::words::{counted, one_line};
use backstory_memory::{Memory, MemoryId, Relation, Standing, Timestamp, clean};
use backstory_store::StoredEvent;

/// As many events are listed; the rest is counted.
const MOST_EVIDENCE: usize = 12;
/// As much of an event is shown.
const MOST_LETTERS: usize = 300;

impl AnswerContext<'_> {
    /// Reads all there is of a memory. A person's reading is not use, so nothing is recorded.
    pub(crate) fn detail(&self, memory: &Memory) -> Result<MemoryDetail, AppError> {
        let why = self
            .app
            .why(self.store, &WhyRequest { id: memory.id, query: None, profile: Profile::default() })?;
        let background = self.app.memory_background(self.store, memory.id, MOST_EVIDENCE)?;
        let injected = why.injected.iter().map(|it| InjectedAt {
            at: it.at,
            words: format!("{}, line {} · {} tokens", it.moment.replace('_', " "), it.rank, it.tokens),
            used: it.used.as_ref().map(|(_, how)| one_line(how).replace('_', " ")),
            reasons: it.reasons.iter().map(|reason| one_line(reason)).collect::<Vec<_>>().join(", "),
        });
        let content = &memory.content;
        let lists = [("Facts", &content.facts), ("Files", &content.files), ("Concepts", &content.concepts)];
        let named = lists.into_iter().filter(|(_, items)| !items.is_empty());
        let mut words = MemoryWords::from_content(content);
        words.title = one_line(&words.title);
        words.body = clean(&words.body).into_owned();
        Ok(MemoryDetail {
            line: self.line(memory)?,
            words,
            about: about(memory, why.shown.total),
            lists: named
                .map(|(name, items)| (name, items.iter().map(|item| one_line(item)).collect()))
                .collect(),
            evidence: background.evidence.iter().map(evidence_line).collect(),
            more_evidence: background.more_evidence,
            history: self.history(memory, background)?,
            injected: injected.collect(),
            session: memory.session,
        })
    }

    /// Tells what it said before, newest first, and what it has to do with others.
    fn history(
        &self,
        memory: &Memory,
        background: MemoryBackground,
    ) -> Result<Vec<(Option<Timestamp>, String)>, AppError> {
        let mut history = Vec::new();
        if let Standing::Superseded(by) = memory.standing {
            history.push((None, format!("replaced by {}", self.named(by)?)));
        }
        for link in background.links {
            let is_ours = link.from == memory.id;
            let other = self.named(if is_ours { link.to } else { link.from })?;
            let words = match (link.relation, is_ours) {
                (Relation::Supersedes, true) => "replaces",
                (Relation::Supersedes, false) => "replaced by",
                (Relation::Contradicts, true) => "contradicts",
                (Relation::Contradicts, false) => "contradicted by",
                (Relation::DerivedFrom, true) => "made from",
                (Relation::DerivedFrom, false) => "led to",
                (Relation::Relates, _) => "see also",
            };
            history.push((None, format!("{words} {other}")));
        }
        for revision in background.revisions {
            let (title, body) = (one_line(&revision.content.title), one_line(&revision.content.body));
            let says = if body.starts_with(&title) { body } else { format!("{title}: {body}") };
            history.push((Some(revision.until), format!("until then: {says}")));
        }
        Ok(history)
    }

    fn named(&self, id: MemoryId) -> Result<String, AppError> {
        let title = self.app.title(self.store, id)?;
        Ok(title.map_or_else(|| format!("#{id}"), |title| format!("#{id} {}", one_line(&title))))
    }
}

fn evidence_line(stored: &StoredEvent) -> EvidenceLine {
    let step = step(stored);
    let text = one_line(&step.text).chars().take(MOST_LETTERS).collect();
    (stored.event.at, step.what.to_string(), text)
}

fn about(memory: &Memory, shown: u32) -> Vec<String> {
    let content = &memory.content;
    let said_by = match content.provenance.to_string().as_str() {
        "user" => "you".to_owned(),
        "assistant" => "the agent".to_owned(),
        "tool" => "a tool".to_owned(),
        "repository" => "the repository".to_owned(),
        "web" => "a web page".to_owned(),
        "import" => "an import".to_owned(),
        other => one_line(other),
    };
    let standing = match memory.standing {
        Standing::Proposed => "waits for your word",
        Standing::Confirmed => "in force",
        Standing::Retired => "retired",
        Standing::Superseded(_) => "replaced",
    };
    let mut about = vec![
        format!("{standing}: {}", memory.standing_reason.explanation()),
        format!("said by {said_by} · importance {} of 5", content.importance.get()),
        format!(
            "seen {} · shown {} · used {}",
            counted(memory.times_seen.into(), "time"),
            counted(shown.into(), "time"),
            counted(memory.times_used.into(), "time")
        ),
    ];
    about.extend(memory.failure_state().map(str::to_owned));
    if !memory.is_intact() {
        about.push("damaged on disk: run `backstory doctor --full`".to_owned());
    }
    about
}
