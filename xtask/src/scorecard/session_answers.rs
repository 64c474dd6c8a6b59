//! From sessions to answers: plays whole sessions through the hooks, then puts the sets' questions to the distilled memories.

use super::page::{ScorecardPage, not_run, percent};
use super::playback::{SessionMessage, play_session};
use super::scored_store::{HITS, memory_id};
use super::sets::{EvalSets, list, text, texts};
use super::wording::holds;
use super::world::ScorecardWorld;
use crate::TaskResult;
use serde_json::{Value, json};
use std::collections::HashMap;

const HEADS: [&str; 10] = [
    "set",
    "sessions",
    "memories",
    "n",
    "any@1",
    "any@5",
    "any@10",
    "answer held",
    "injected",
    "silent without an answer",
];

/// A session of a set: its id and its messages.
type PlayedSession = (String, Vec<SessionMessage>);

/// One question about sessions.
struct SessionQuestion {
    id: String,
    question: String,
    answer: String,
    sessions: Vec<String>,
}

/// Measures the sets that hold whole sessions.
pub(crate) fn measure(sets: &EvalSets, page: &mut ScorecardPage) -> TaskResult {
    page.section(
        "From sessions to answers",
        "The sessions are played through the hooks, a day apart, and the questions are put to the memories distilled from them, not to the transcripts. `any@k`: a memory of a right session is among the first k. \
         *Answer held*: the first ten hits together hold at least 60 % of the answer's keywords (an answer in other words does not count, so this is a floor). *Injected*: a memory of a right session is \
         injected at the prompt. *Silent*: nothing is injected for a question without an answer.",
    );
    let rows = [
        measure_set("devmembench", devmembench(sets)?, sets, page)?,
        measure_set("coding-agent-life-v1", coding_agent_life(sets)?, sets, page)?,
    ];
    page.table(&HEADS, &rows);
    Ok(())
}

fn measure_set(
    name: &str,
    set: Option<(Vec<PlayedSession>, Vec<SessionQuestion>)>,
    sets: &EvalSets,
    page: &ScorecardPage,
) -> TaskResult<Vec<String>> {
    let Some((sessions, questions)) = set else { return Ok(not_run(name, HEADS.len())) };
    let distilled = DistilledSessions::new(sets.world(), &sessions)?;
    let (unanswerable, answerable): (Vec<&SessionQuestion>, Vec<&SessionQuestion>) =
        questions.iter().partition(|question| question.sessions.is_empty());
    let mut lines = Vec::new();
    let mut silent = 0;
    for question in &unanswerable {
        let titles = distilled.injected_titles(question)?;
        silent += usize::from(titles.is_empty());
        lines.push(json!({"id": question.id, "injected": titles}));
    }
    let results =
        answerable.iter().map(|question| distilled.answer(question)).collect::<TaskResult<Vec<_>>>()?;
    lines.extend(answerable.iter().zip(&results).map(|(question, it)| {
        json!({"id": question.id, "rank": it.rank.map(|at| at + 1), "answer_held": it.is_held, "injected": it.is_injected})
    }));
    page.per_query(&format!("session-answers-{name}"), &lines)?;
    let share = |is: &dyn Fn(&AnswerResult) -> bool| {
        percent(results.iter().filter(|it| is(it)).count(), results.len())
    };
    let within = |most: usize| share(&|it| it.rank.is_some_and(|at| at < most));
    Ok(vec![
        name.to_owned(),
        sessions.len().to_string(),
        distilled.memories.len().to_string(),
        results.len().to_string(),
        within(1),
        within(5),
        within(10),
        share(&|it| it.is_held),
        share(&|it| it.is_injected),
        percent(silent, unanswerable.len()),
    ])
}

/// The result of one answerable question.
struct AnswerResult {
    /// Rank of the first memory of a right session, from 0.
    rank: Option<usize>,
    is_held: bool,
    is_injected: bool,
}

/// A world in which the sessions were played.
struct DistilledSessions {
    world: ScorecardWorld,
    /// The distilled memories by id.
    memories: HashMap<i64, Value>,
}

impl DistilledSessions {
    fn new(world: ScorecardWorld, sessions: &[PlayedSession]) -> TaskResult<DistilledSessions> {
        for (session, messages) in sessions {
            play_session(&world, session, messages)?;
        }
        world.json(&["index", "--vectors", "--json"])?;
        let whole: HashMap<String, Value> =
            world.memories()?.into_iter().map(|it| (text(&it, "uid"), it)).collect();
        let all = list(&world.json(&["search", "-n", "100000", "--json"])?, "hits");
        let memories =
            all.iter().filter_map(|hit| Some((memory_id(hit)?, whole.get(&text(hit, "uid"))?.clone())));
        Ok(DistilledSessions { memories: memories.collect(), world })
    }

    /// Returns the full memories of a list of hits.
    fn full_memories(&self, named: &[Value]) -> Vec<&Value> {
        named.iter().filter_map(|it| self.memories.get(&memory_id(it)?)).collect()
    }

    /// Returns the titles of the memories injected for a question.
    fn injected_titles(&self, question: &SessionQuestion) -> TaskResult<Vec<String>> {
        let injected = self.injected(question)?;
        Ok(self.full_memories(&injected).iter().map(|it| text(it, "title")).collect())
    }

    fn injected(&self, question: &SessionQuestion) -> TaskResult<Vec<Value>> {
        let prompt = format!("--prompt={}", question.question);
        Ok(list(&self.world.json(&["context", &prompt, "--json"])?, "memories"))
    }

    fn answer(&self, question: &SessionQuestion) -> TaskResult<AnswerResult> {
        let hits =
            list(&self.world.json(&["search", "-n", HITS, "--json", "--", &question.question])?, "hits");
        let memories = self.full_memories(&hits);
        let is_right = |it: &&Value| question.sessions.contains(&text(it, "session"));
        let together: String =
            memories.iter().map(|it| text(it, "title") + " " + &text(it, "body") + "\n").collect();
        Ok(AnswerResult {
            rank: memories.iter().position(is_right),
            is_held: holds(&together, &question.answer),
            is_injected: self.full_memories(&self.injected(question)?).iter().any(is_right),
        })
    }
}

fn devmembench(sets: &EvalSets) -> TaskResult<Option<(Vec<PlayedSession>, Vec<SessionQuestion>)>> {
    let (sessions, questions) =
        (sets.json("devmembench/sessions.json")?, sets.json("devmembench/questions.json")?);
    let (Some(Value::Array(sessions)), Some(Value::Array(questions))) = (sessions, questions) else {
        return Ok(None);
    };
    let session = |it: &Value| {
        (text(it, "sessionId"), list(it, "messages").iter().map(SessionMessage::parse).collect())
    };
    let question = |it: &Value| SessionQuestion {
        id: text(it, "questionId"),
        question: text(it, "question"),
        answer: text(it, "groundTruth"),
        sessions: texts(it, "haystackSessionIds"),
    };
    Ok(Some((sessions.iter().map(session).collect(), questions.iter().map(question).collect())))
}

fn coding_agent_life(sets: &EvalSets) -> TaskResult<Option<(Vec<PlayedSession>, Vec<SessionQuestion>)>> {
    let folder = "coding-agent-life-v1";
    let (sessions, questions) =
        (sets.json(&format!("{folder}/sessions.json"))?, sets.json(&format!("{folder}/queries.json"))?);
    let (Some(Value::Array(sessions)), Some(Value::Array(questions))) = (sessions, questions) else {
        return Ok(None);
    };
    let session = |it: &Value| (text(it, "id"), SessionMessage::parse_lines(&text(it, "content")));
    let question = |it: &Value| SessionQuestion {
        id: text(it, "id"),
        question: text(it, "question"),
        answer: text(it, "answer"),
        sessions: texts(it, "goldSessionIds"),
    };
    Ok(Some((sessions.iter().map(session).collect(), questions.iter().map(question).collect())))
}
