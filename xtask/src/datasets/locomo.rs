//! LoCoMo: long conversations of two people in sessions of turns, and questions whose evidence is named by turn. A corpus is a
//! conversation; a document is a turn or a session.

use super::converted::{ConvertedSet, SetDocument, SetQuery};
use super::message;
use serde::Deserialize;
use serde_json::{Map, Value};

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LocomoGrain {
    Turns,
    Sessions,
}

#[derive(Debug, Deserialize)]
pub(super) struct LocomoSample {
    sample_id: Option<String>,
    conversation: Map<String, Value>,
    qa: Vec<LocomoQuestion>,
}

#[derive(Debug, Deserialize)]
struct LocomoQuestion {
    question: Value,
    #[serde(default)]
    evidence: Vec<String>,
    category: u8,
}

#[derive(Debug, Deserialize)]
struct LocomoTurn {
    speaker: String,
    dia_id: String,
    #[serde(default)]
    text: String,
    /// Caption of a picture that was sent.
    blip_caption: Option<String>,
}

/// Questions of this category ask for something the conversation does not contain.
const ADVERSARIAL: u8 = 5;

/// Converts the set. Skips a question that should have evidence and names none.
pub(super) fn convert(samples: Vec<LocomoSample>, grain: LocomoGrain) -> ConvertedSet {
    let name = match grain {
        LocomoGrain::Turns => "locomo",
        LocomoGrain::Sessions => "locomo-sessions",
    };
    let mut set = ConvertedSet { name: name.to_owned(), ..ConvertedSet::default() };
    for (number, sample) in samples.into_iter().enumerate() {
        let corpus = sample.sample_id.unwrap_or_else(|| format!("conversation-{}", number + 1));
        for (session, at, turns) in sessions(&sample.conversation) {
            set.documents.extend(documents(&corpus, &session, at.as_ref(), &turns, grain));
        }
        for (number, question) in sample.qa.iter().enumerate() {
            set.queries.extend(query(&corpus, number + 1, question, grain));
        }
    }
    set
}

/// Returns the sessions of a conversation in order, each with its time.
fn sessions(conversation: &Map<String, Value>) -> Vec<(String, Option<Value>, Vec<LocomoTurn>)> {
    let number = |key: &String| key.strip_prefix("session_")?.parse::<u32>().ok();
    let mut numbered: Vec<(u32, &Value)> =
        conversation.iter().filter_map(|(key, turns)| Some((number(key)?, turns))).collect();
    numbered.sort_by_key(|(number, _)| *number);
    let read = |(number, turns): (u32, &Value)| {
        let at = conversation.get(&format!("session_{number}_date_time"));
        let at = at.and_then(Value::as_str).and_then(message::time);
        Some((format!("D{number}"), at, Vec::<LocomoTurn>::deserialize(turns).ok()?))
    };
    numbered.into_iter().filter_map(read).collect()
}

fn documents(
    corpus: &str,
    session: &str,
    at: Option<&Value>,
    turns: &[LocomoTurn],
    grain: LocomoGrain,
) -> Vec<SetDocument> {
    let document = |id: &str, text: String| SetDocument {
        id: id.to_owned(),
        corpus: corpus.to_owned(),
        text,
        session: Some(session.to_owned()),
        at: at.cloned(),
        ..SetDocument::default()
    };
    match grain {
        LocomoGrain::Turns => {
            turns.iter().map(|turn| document(&plain_id(&turn.dia_id), turn.line())).collect()
        }
        LocomoGrain::Sessions => {
            let lines: Vec<String> = turns.iter().map(LocomoTurn::line).collect();
            vec![document(session, lines.join("\n"))]
        }
    }
}

impl LocomoTurn {
    /// Returns the text with its speaker: questions ask by name.
    fn line(&self) -> String {
        let picture = self.blip_caption.as_ref().map(|caption| format!(" [{caption}]")).unwrap_or_default();
        format!("{}: {}{picture}", self.speaker, self.text.trim())
    }
}

fn query(corpus: &str, number: usize, question: &LocomoQuestion, grain: LocomoGrain) -> Option<SetQuery> {
    let mut gold: Vec<String> = question.evidence.iter().flat_map(|evidence| turn_ids(evidence)).collect();
    if grain == LocomoGrain::Sessions {
        gold = gold.iter().filter_map(|id| Some(id.split_once(':')?.0.to_owned())).collect();
    }
    gold.sort();
    gold.dedup();
    if question.category == ADVERSARIAL {
        gold.clear();
    } else if gold.is_empty() {
        return None;
    }
    Some(SetQuery {
        id: format!("{corpus}/{number}"),
        corpus: corpus.to_owned(),
        text: question.question.as_str().map_or_else(|| question.question.to_string(), str::to_owned),
        gold,
        category: Some(category(question.category).to_owned()),
        ..SetQuery::default()
    })
}

/// Reads the turns an evidence names. Some entries of the published file name several, or write `D:8:3` or `D8:03`.
fn turn_ids(evidence: &str) -> Vec<String> {
    let parts = evidence.split([';', ',', ' ']).map(str::trim).filter(|part| part.starts_with('D'));
    parts.map(|part| plain_id(&part.replacen("D:", "D", 1))).collect()
}

/// Writes a turn's id without leading zeros.
fn plain_id(id: &str) -> String {
    match id.split_once(':') {
        Some((session, turn)) => match turn.parse::<u32>() {
            Ok(turn) => format!("{session}:{turn}"),
            Err(_) => id.to_owned(),
        },
        None => id.to_owned(),
    }
}

fn category(number: u8) -> &'static str {
    match number {
        1 => "multi-hop",
        2 => "temporal",
        3 => "open-domain",
        4 => "single-hop",
        ADVERSARIAL => "adversarial",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    fn samples() -> Vec<LocomoSample> {
        from_value(json!([{"sample_id": "c1", "conversation": {"speaker_a": "Ina", "speaker_b": "Bo",
            "session_10": [{"speaker": "Ina", "dia_id": "D10:1", "text": "The kiln is hot", "img_url": ["x"], "blip_caption": "a red kiln"}],
            "session_10_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "I sold the boat"}, {"speaker": "Ina", "dia_id": "D2:2", "text": "Why?"}],
            "session_2_date_time": "11:05 am on 1 May, 2023"},
          "qa": [{"question": "Who sold a boat?", "answer": "Bo", "evidence": ["D2:1"], "category": 4},
            {"question": "What is hot, and what was sold?", "answer": "…", "evidence": ["D10:01; D2:1"], "category": 1},
            {"question": "Who bought the kiln?", "adversarial_answer": "Bo", "evidence": ["D10:1"], "category": 5},
            {"question": "What might Bo buy?", "answer": "…", "evidence": [], "category": 3}]}])).unwrap()
    }

    #[test]
    fn a_turn_is_a_document_and_sessions_keep_their_order() {
        let set = convert(samples(), LocomoGrain::Turns);
        let documents: Vec<_> =
            set.documents.iter().map(|document| (document.id.as_str(), document.text.as_str())).collect();
        assert_eq!(
            documents,
            [
                ("D2:1", "Bo: I sold the boat"),
                ("D2:2", "Ina: Why?"),
                ("D10:1", "Ina: The kiln is hot [a red kiln]")
            ]
        );
        assert_eq!(set.documents[2].at, Some(json!("2023-05-08T13:56:00Z")));
        let gold: Vec<_> = set
            .queries
            .iter()
            .map(|query| (query.gold.join(" "), query.category.as_deref().unwrap()))
            .collect();
        let expected = [("D2:1", "single-hop"), ("D10:1 D2:1", "multi-hop"), ("", "adversarial")];
        assert_eq!(gold, expected.map(|(gold, category)| (gold.to_owned(), category)));
        assert_eq!(set.unknown_gold(), 0);
    }

    #[test]
    fn sessions_can_be_the_documents() {
        let set = convert(samples(), LocomoGrain::Sessions);
        let ids: Vec<_> = set.documents.iter().map(|document| document.id.as_str()).collect();
        assert_eq!(ids, ["D2", "D10"]);
        assert_eq!(set.documents[0].text, "Bo: I sold the boat\nIna: Why?");
        assert_eq!(set.queries[1].gold, ["D10", "D2"]);
    }

    #[test]
    fn evidence_is_read_however_it_is_written() {
        assert_eq!(turn_ids("D8:6; D9:17"), ["D8:6", "D9:17"]);
        assert_eq!(turn_ids("D:11:26"), ["D11:26"]);
        assert_eq!(turn_ids("D30:05"), ["D30:5"]);
        assert!(turn_ids("").is_empty());
    }
}
