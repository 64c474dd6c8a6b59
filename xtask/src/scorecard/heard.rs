//! From sessions to answers: whole sessions go through the hooks, and the sets' questions are put to what was made of them.

use super::Outcome;
use super::page::{Page, not_run, percent};
use super::sets::{Sets, list, text, texts};
use super::stock::HITS;
use super::telling::{Said, tell};
use super::wording::holds;
use serde_json::{Value, json};
use std::collections::HashMap;

const HEADS: [&str; 9] = [
    "set",
    "sessions",
    "memories",
    "n",
    "any@1",
    "any@5",
    "any@10",
    "answer held",
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
         *Answer held*: the first ten hits together hold at least 60 % of the answer's telling words (an answer in other words does not count, so this is a floor). *Silent*: nothing is given unasked to a \
         question without an answer.",
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
    let world = sets.world();
    for (session, said) in &sessions {
        tell(&world, session, said)?;
    }
    world.ask(&["index", "--vectors", "--json"])?;
    let memories: HashMap<String, Value> =
        world.memories()?.into_iter().map(|it| (text(&it, "uid"), it)).collect();
    let (mut ranks, mut held, mut silent) = (Vec::new(), 0, 0);
    let mut lines = Vec::new();
    for Asked { id, question, answer, sessions } in &questions {
        if sessions.is_empty() {
            let given = world.ask(&["context", &format!("--prompt={question}"), "--json"])?;
            silent += usize::from(list(&given, "memories").is_empty());
            continue;
        }
        let hits = list(&world.ask(&["search", "-n", HITS, "--json", "--", question])?, "hits");
        let found: Vec<&Value> = hits.iter().filter_map(|hit| memories.get(&text(hit, "uid"))).collect();
        let rank = found.iter().position(|it| sessions.contains(&text(it, "session")));
        let said: String =
            found.iter().map(|it| text(it, "title") + " " + &text(it, "body") + "\n").collect();
        let is_held = holds(&said, answer);
        held += usize::from(is_held);
        lines.push(json!({"id": id, "rank": rank.map(|at| at + 1), "answer_held": is_held}));
        ranks.push(rank);
    }
    page.per_query(&format!("heard-{name}"), &lines)?;
    let within = |most: usize| percent(ranks.iter().flatten().filter(|&&at| at < most).count(), ranks.len());
    Ok(vec![
        name.to_owned(),
        sessions.len().to_string(),
        memories.len().to_string(),
        ranks.len().to_string(),
        within(1),
        within(5),
        within(10),
        percent(held, ranks.len()),
        percent(silent, questions.len() - ranks.len()),
    ])
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
