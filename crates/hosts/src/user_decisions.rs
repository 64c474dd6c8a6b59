//! What the user decided in the agent's dialogs: answers to its questions, tools they refused, plans they approved or turned down.
//!
//! Hosts word these differently, and the same words stand in hooks and in transcripts: one reading serves both.

use crate::lenient::LenientJson;
use crate::parsed_event::one_line;
use backstory_memory::Activity;

/// How the text begins that a host gives its agent when the user refused a tool.
const REFUSED: [&str; 9] = [
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "Permission for this tool use was denied. The tool use was rejected",
    "[Request interrupted by user for tool use]",
    "User rejected tool use",
    "The user rejected permission to use this specific tool call",
    "The user rejected this tool call",
    "The user dismissed this question",
    "User dismissed ask_user dialog",
];

/// What stands somewhere in such a text of other hosts, which is short.
const REFUSED_WITHIN: [&str; 3] =
    ["rejected by user", "rejected by the user", "User did not allow tool call"];
const LONGEST_REFUSAL: usize = 400;

/// What the user's own words follow.
const USER_SAID: [&str; 3] = ["the user said:", "with the following feedback:", "User feedback:"];

/// What the host writes behind, or instead of, the user's own words.
const HOST_SAID: [&str; 2] =
    ["\n\nNote: The user's next message", "The user wants to clarify these questions"];

/// Returns what the user said when they refused a tool, mostly nothing; `None` if the text is no refusal.
pub(crate) fn refusal_in(error: &str) -> Option<String> {
    let error = error.trim_start();
    let error = error.strip_prefix("Error: ").unwrap_or(error);
    let is_refused = REFUSED.iter().any(|words| error.starts_with(words))
        || error.len() <= LONGEST_REFUSAL && REFUSED_WITHIN.iter().any(|words| error.contains(words));
    is_refused.then(|| feedback_in(error))
}

/// Returns the user's own words in what the host sends its agent.
pub(crate) fn feedback_in(text: &str) -> String {
    let said = USER_SAID.iter().find_map(|mark| text.split_once(mark)).map_or("", |(_, said)| said);
    let said = HOST_SAID.iter().fold(said, |said, mark| said.split_once(mark).map_or(said, |(own, _)| own));
    said.trim().to_owned()
}

/// Returns what the user decided about a plan; `None` if the host does not say.
pub(crate) fn plan_decided(input: &LenientJson<'_>, response: &LenientJson<'_>) -> Option<Activity> {
    let shown = ["llmContent", "textResultForLlm", "output"].into_iter().find_map(|name| response.said(name));
    let text = shown.or(response.text()).unwrap_or_default();
    let approved = ["User has approved your plan", "Plan approved"];
    let turned_down = text.starts_with("Plan rejected");
    let is_approved = response.said("plan").is_some()
        || approved.iter().any(|words| text.starts_with(words))
        || input.said("plan").is_some() && text.is_empty();
    if !is_approved && !turned_down {
        return None;
    }
    // The user may have edited it: what they approved counts.
    let edited = text.split_once("## Approved Plan").and_then(|(_, rest)| rest.split_once('\n'));
    let plan = response.said("plan").or(edited.map(|(_, plan)| plan.trim()));
    Some(Activity::PlanDecided {
        plan: plan.map_or_else(|| plan_in(input), str::to_owned),
        is_approved: !turned_down,
        feedback: if turned_down { plan_feedback(text) } else { String::new() },
    })
}

/// Returns the plan that the agent proposed: its text, or the file that holds it.
pub(crate) fn plan_in(input: &LenientJson<'_>) -> String {
    let fields = ["plan", "summary", "plan_path", "plan_filename"];
    fields.into_iter().find_map(|field| input.said(field)).unwrap_or_default().to_owned()
}

/// Gemini CLI quotes the feedback and writes on behind it.
fn plan_feedback(text: &str) -> String {
    let said = feedback_in(text);
    let said = said.split_once("\n\nThe plan is stored at").map_or(said.as_str(), |(own, _)| own);
    said.trim().trim_matches('"').to_owned()
}

/// Returns one answer for each question the user answered; one for each option they picked, and one for what they wrote beside it.
pub(crate) fn answered(input: &LenientJson<'_>, response: &LenientJson<'_>) -> Vec<Activity> {
    let one = std::slice::from_ref(input);
    let questions = input.get("questions").items();
    let questions = if questions.is_empty() && input.said("question").is_some() { one } else { questions };
    let answers = UserAnswers::new(response, questions.len());
    let answered = questions.iter().enumerate().filter_map(|(number, question_json)| {
        let question = question_json.said("question")?;
        let options = options_of(question_json);
        let answers = parts_of(&answers.to(number, question_json)?, &options);
        let one = |answer: String| Activity::Answered {
            topic: question_json.str("header").to_owned(),
            question: question.to_owned(),
            options: options.clone(),
            answer,
        };
        Some(answers.into_iter().map(one).collect::<Vec<_>>())
    });
    answered.flatten().collect()
}

/// Takes an answer apart that begins with options: those are the agent's words, picked alone or together; what follows is the user's.
fn parts_of(answer: &str, options: &[String]) -> Vec<String> {
    const BETWEEN: [&str; 2] = [", ", ": "];
    let mut parts = Vec::new();
    let mut rest = answer;
    if options.iter().any(|option| option == answer) {
        return vec![answer.to_owned()];
    }
    let next = |rest: &str| {
        let is_next = |option: &&String| {
            let after = rest.strip_prefix(option.as_str());
            !option.is_empty()
                && after.is_some_and(|after| {
                    after.is_empty() || BETWEEN.iter().any(|between| after.starts_with(between))
                })
        };
        options.iter().filter(is_next).max_by_key(|option| option.len())
    };
    while let Some(option) = next(rest) {
        parts.push(option.clone());
        rest = rest.get(option.len()..).unwrap_or_default().trim_start_matches([',', ':', ' ']);
    }
    if !rest.trim().is_empty() {
        parts.push(rest.to_owned());
    }
    parts
}

fn options_of(question: &LenientJson<'_>) -> Vec<String> {
    let offered = [question.get("options").items(), question.get("choices").items()].concat();
    let label = |option: &LenientJson<'_>| option.text().or(option.said("label")).map(str::to_owned);
    offered.iter().filter_map(label).collect()
}

/// The answers in the response of a tool, in any of the forms hosts write them.
struct UserAnswers<'a, 'b> {
    /// The answers as a value: by question, by its id or number, or in order.
    answers: LenientJson<'b>,
    annotations: &'a LenientJson<'b>,
    text: String,
    /// Whether there was only one question.
    is_only_one: bool,
}

impl<'a, 'b> UserAnswers<'a, 'b> {
    fn new(response: &'a LenientJson<'b>, questions: usize) -> UserAnswers<'a, 'b> {
        let shown = ["llmContent", "textResultForLlm", "output", "content", "message"];
        let text = shown.into_iter().map(|name| response.get(name)).find(|value| !value.is_nothing());
        let text = text.unwrap_or(response);
        let text = if matches!(text, LenientJson::Fields(_)) { String::new() } else { text.words() };
        let within = [response.get("answers"), response.get("metadata").get("answers")];
        let answers = within.into_iter().find(|answers| !answers.is_nothing());
        UserAnswers {
            answers: answers.cloned().unwrap_or(LenientJson::Nothing),
            annotations: response.get("annotations"),
            text,
            is_only_one: questions == 1,
        }
    }

    /// Returns what the user chose or wrote; nothing of a question they passed over.
    fn to(&self, number: usize, question_json: &LenientJson<'_>) -> Option<String> {
        let question = question_json.str("question");
        let chosen = self
            .among(&self.answers, number, question_json)
            .or_else(|| {
                let inner = LenientJson::read(self.text.trim_start()).take("answers");
                self.among(&inner, number, question_json)
            })
            .or_else(|| self.quoted(question))
            .or_else(|| self.plain());
        let chosen = chosen.filter(|answer| !matches!(answer.as_str(), "Unanswered" | "Other"));
        let notes = self.annotations.get(question).said("notes").map(str::to_owned);
        match (chosen, notes) {
            (Some(chosen), Some(notes)) => Some(format!("{chosen}: {notes}")),
            (chosen, notes) => chosen.or(notes),
        }
    }

    fn among(
        &self,
        answers: &LenientJson<'_>,
        number: usize,
        question_json: &LenientJson<'_>,
    ) -> Option<String> {
        let number_name = number.to_string();
        let names = [
            question_json.str("question"),
            question_json.str("id"),
            question_json.str("header"),
            number_name.as_str(),
        ];
        let named = names.into_iter().map(|name| answers.get(name)).find(|answer| !answer.is_nothing());
        let answer = named.or_else(|| answers.items().get(number))?;
        let answer = if answer.get("answers").is_nothing() { answer } else { answer.get("answers") };
        let words = match answer {
            LenientJson::List(chosen) => {
                chosen.iter().map(LenientJson::words).collect::<Vec<String>>().join(", ")
            }
            answer => answer.words(),
        };
        Some(words.trim().to_owned()).filter(|words| !words.is_empty())
    }

    /// Reads `"question"="answer"` from the sentence the agent gets.
    fn quoted(&self, question: &str) -> Option<String> {
        let (_, behind) = self.text.split_once(&format!("\"{question}\"=\""))?;
        let ends = ["\", \"", "\". You can now", "\" user notes:", "\" selected preview:", "\"\n"];
        let end = ends.iter().filter_map(|end| behind.find(end)).min();
        let answer = end.and_then(|end| behind.get(..end)).unwrap_or(behind.trim_end_matches(['.', '"']));
        Some(answer.trim().to_owned()).filter(|answer| !answer.is_empty())
    }

    /// Reads the answer to the only question, where nothing else is written.
    fn plain(&self) -> Option<String> {
        let text = self.text.trim();
        let before = ["User selected: ", "User responded: ", "User answered: ", "The user responded: "];
        let own = before.iter().find_map(|words| text.strip_prefix(words));
        own.filter(|own| self.is_only_one && !own.is_empty()).map(str::to_owned)
    }
}

/// Returns what the user refused: a plan, or a tool that was `at` something.
pub(crate) fn refused(plan: Option<String>, at: &str, feedback: String) -> Activity {
    match plan {
        Some(plan) => Activity::PlanDecided { plan, is_approved: false, feedback },
        None => Activity::Rejected { at: one_line(at), feedback },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_keeps_only_the_users_own_words() {
        let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, \
                       the new_string was NOT written to the file).";
        for (text, feedback) in [
            (format!("{refused} STOP what you are doing and wait."), Some("")),
            (
                format!("{refused} To tell you how to proceed, the user said:\nkeep the port at 7070\n"),
                Some("keep the port at 7070"),
            ),
            (format!("Error: {refused} the user said:\nno\n\nNote: The user's next message may"), Some("no")),
            (
                format!("{refused} the user said:\nThe user wants to clarify these questions.\n This means"),
                Some(""),
            ),
            ("exec command rejected by user".to_owned(), Some("")),
            ("[Operation Cancelled] Reason: User did not allow tool call".to_owned(), Some("")),
            (
                "The user rejected permission to use this specific tool call with the following feedback: use make".to_owned(),
                Some("use make"),
            ),
            (format!("assertion failed\n{}\nrejected by user", "x".repeat(400)), None),
            ("Exit code 1\nThe user doesn't want to proceed".to_owned(), None),
        ] {
            assert_eq!(refusal_in(&text).as_deref(), feedback, "{text}");
        }
    }

    #[test]
    fn an_answer_is_found_in_every_form() {
        let question_json = r#"{"questions":[{"question":"Which port?","id":"port","header":"Port","options":[{"label":"7070"},{"label":"8080"}]}]}"#;
        for (response, answers) in [
            (r#"{"answers":{"Which port?":"7070"}}"#, "7070"),
            (
                r#"{"answers":{"Which port?":"Other"},"annotations":{"Which port?":{"notes":"9090, as in CI"}}}"#,
                "9090, as in CI",
            ),
            (
                r#"{"answers":{"Which port?":"7070"},"annotations":{"Which port?":{"notes":"for now"}}}"#,
                "7070|for now",
            ),
            (
                r#""User has answered your questions: \"Which port?\"=\"say \"7070\"\". You can now continue""#,
                r#"say "7070""#,
            ),
            (
                r#""{\"answers\":{\"port\":{\"answers\":[\"7070\",\"user_note: for now\"]}}}""#,
                "7070|user_note: for now",
            ),
            (r#"{"llmContent":"{\"answers\":{\"0\":\"7070\"}}"}"#, "7070"),
            (r#"{"metadata":{"answers":[["7070","8080"]]},"output":"x"}"#, "7070|8080"),
            (r#"{"textResultForLlm":"User responded: neither"}"#, "neither"),
        ] {
            let answered = answered(&LenientJson::read(question_json), &LenientJson::read(response));
            let expected = |answer: &str| Activity::Answered {
                topic: "Port".into(),
                question: "Which port?".into(),
                options: vec!["7070".into(), "8080".into()],
                answer: answer.into(),
            };
            assert_eq!(answered, answers.split('|').map(expected).collect::<Vec<_>>(), "{response}");
        }
        for silent in [r#"{"answers":{}}"#, r#""User dismissed it""#, r#"{"metadata":{"answers":[[]]}}"#] {
            assert_eq!(
                answered(&LenientJson::read(question_json), &LenientJson::read(silent)),
                [],
                "{silent}"
            );
        }
    }

    #[test]
    fn law_6_options_picked_together_are_answers_of_their_own() {
        let options = ["Tests, then docs", "Docs", "Nothing"].map(str::to_owned);
        for (answer, expected) in [
            ("Docs", &["Docs"] as &[&str]),
            ("Tests, then docs", &["Tests, then docs"]),
            ("Tests, then docs, Docs", &["Tests, then docs", "Docs"]),
            ("Docs, and the changelog", &["Docs", "and the changelog"]),
            ("Docs: but short ones", &["Docs", "but short ones"]),
            ("Docs of the parser", &["Docs of the parser"]),
            ("neither, Docs", &["neither, Docs"]),
        ] {
            assert_eq!(parts_of(answer, &options), expected, "{answer}");
        }
    }
}
