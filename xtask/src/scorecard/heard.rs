//! From sessions to answers: whole sessions go through the hooks, and the sets' questions are put to what was made of them.

use super::Outcome;
use super::page::{Page, not_run, percent};
use super::sets::{Sets, list, text, texts};
use super::stock::{HITS, number};
use super::telling::{Said, tell};
use super::wording::holds;
use super::world::World;
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
    "given",
    "silent without an answer",
];

/// A session of a set: its name, and what was said.
type Session = (String, Vec<Said>);

/// One question about sessions.
struct Asked {
    id: String,
    question: String,
    answer: String,
    sessions: Vec<String>,
}

/// Measures the sets that hold whole sessions.
pub(crate) fn measure(sets: &Sets, page: &mut Page) -> Outcome<()> {
    page.section(
        "From sessions to answers",
        "The sessions are told through the hooks, a day apart, and the questions are put to the memories distilled from them, not to the transcripts. `any@k`: a memory of a right session is among the first k. \
         *Answer held*: the first ten hits together hold at least 60 % of the answer's telling words (an answer in other words does not count, so this is a floor). *Given*: a memory of a right session is given \
         unasked. *Silent*: nothing is given unasked to a question without an answer.",
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
    set: Option<(Vec<Session>, Vec<Asked>)>,
    sets: &Sets,
    page: &Page,
) -> Outcome<Vec<String>> {
    let Some((sessions, questions)) = set else { return Ok(not_run(name, HEADS.len())) };
    let heard = Heard::new(sets.world(), &sessions)?;
    let (unanswerable, answerable): (Vec<&Asked>, Vec<&Asked>) =
        questions.iter().partition(|asked| asked.sessions.is_empty());
    let mut lines = Vec::new();
    let mut silent = 0;
    for asked in &unanswerable {
        let given = heard.given(asked)?;
        silent += usize::from(given.is_empty());
        lines.push(json!({"id": asked.id, "given": given}));
    }
    let found = answerable.iter().map(|asked| heard.find(asked)).collect::<Outcome<Vec<_>>>()?;
    lines.extend(answerable.iter().zip(&found).map(|(asked, it)| {
        json!({"id": asked.id, "rank": it.rank.map(|at| at + 1), "answer_held": it.is_held, "is_given": it.is_given})
    }));
    page.per_query(&format!("heard-{name}"), &lines)?;
    let share = |is: &dyn Fn(&Found) -> bool| percent(found.iter().filter(|it| is(it)).count(), found.len());
    let within = |most: usize| share(&|it| it.rank.is_some_and(|at| at < most));
    Ok(vec![
        name.to_owned(),
        sessions.len().to_string(),
        heard.memories.len().to_string(),
        found.len().to_string(),
        within(1),
        within(5),
        within(10),
        share(&|it| it.is_held),
        share(&|it| it.is_given),
        percent(silent, unanswerable.len()),
    ])
}

/// What became of one question that has an answer.
struct Found {
    /// Where the first memory of a right session stands.
    rank: Option<usize>,
    is_held: bool,
    is_given: bool,
}

/// A world in which the sessions were told.
struct Heard {
    world: World,
    /// What was made of them, by the memory's number.
    memories: HashMap<i64, Value>,
}

impl Heard {
    fn new(world: World, sessions: &[Session]) -> Outcome<Heard> {
        for (session, said) in sessions {
            tell(&world, session, said)?;
        }
        world.ask(&["index", "--vectors", "--json"])?;
        let whole: HashMap<String, Value> =
            world.memories()?.into_iter().map(|it| (text(&it, "uid"), it)).collect();
        let all = list(&world.ask(&["search", "-n", "100000", "--json"])?, "hits");
        let memories =
            all.iter().filter_map(|hit| Some((number(hit)?, whole.get(&text(hit, "uid"))?.clone())));
        Ok(Heard { memories: memories.collect(), world })
    }

    /// Returns the memories that are named, each whole.
    fn whole(&self, named: &[Value]) -> Vec<&Value> {
        named.iter().filter_map(|it| self.memories.get(&number(it)?)).collect()
    }

    /// Returns the titles of what a question is given unasked.
    fn given(&self, asked: &Asked) -> Outcome<Vec<String>> {
        let given = self.unasked(asked)?;
        Ok(self.whole(&given).iter().map(|it| text(it, "title")).collect())
    }

    fn unasked(&self, asked: &Asked) -> Outcome<Vec<Value>> {
        let prompt = format!("--prompt={}", asked.question);
        Ok(list(&self.world.ask(&["context", &prompt, "--json"])?, "memories"))
    }

    fn find(&self, asked: &Asked) -> Outcome<Found> {
        let hits = list(&self.world.ask(&["search", "-n", HITS, "--json", "--", &asked.question])?, "hits");
        let found = self.whole(&hits);
        let is_right = |it: &&Value| asked.sessions.contains(&text(it, "session"));
        let said: String =
            found.iter().map(|it| text(it, "title") + " " + &text(it, "body") + "\n").collect();
        Ok(Found {
            rank: found.iter().position(is_right),
            is_held: holds(&said, &asked.answer),
            is_given: self.whole(&self.unasked(asked)?).iter().any(is_right),
        })
    }
}

fn devmembench(sets: &Sets) -> Outcome<Option<(Vec<Session>, Vec<Asked>)>> {
    let (sessions, questions) =
        (sets.json("devmembench/sessions.json")?, sets.json("devmembench/questions.json")?);
    let (Some(Value::Array(sessions)), Some(Value::Array(questions))) = (sessions, questions) else {
        return Ok(None);
    };
    let session = |it: &Value| (text(it, "sessionId"), list(it, "messages").iter().map(Said::read).collect());
    let asked = |it: &Value| Asked {
        id: text(it, "questionId"),
        question: text(it, "question"),
        answer: text(it, "groundTruth"),
        sessions: texts(it, "haystackSessionIds"),
    };
    Ok(Some((sessions.iter().map(session).collect(), questions.iter().map(asked).collect())))
}

fn coding_agent_life(sets: &Sets) -> Outcome<Option<(Vec<Session>, Vec<Asked>)>> {
    let folder = "coding-agent-life-v1";
    let (sessions, questions) =
        (sets.json(&format!("{folder}/sessions.json"))?, sets.json(&format!("{folder}/queries.json"))?);
    let (Some(Value::Array(sessions)), Some(Value::Array(questions))) = (sessions, questions) else {
        return Ok(None);
    };
    let session = |it: &Value| (text(it, "id"), Said::read_lines(&text(it, "content")));
    let asked = |it: &Value| Asked {
        id: text(it, "id"),
        question: text(it, "question"),
        answer: text(it, "answer"),
        sessions: texts(it, "goldSessionIds"),
    };
    Ok(Some((sessions.iter().map(session).collect(), questions.iter().map(asked).collect())))
}
