//! What an agent's closing message of a turn says: the work it claims, what is left, what it asks, what it found.
//!
//! Rules, no model, over `prose`. The claim is the title a person would give to the work: its first sentence that says
//! anything, without the first person, verb first where the agent wrote it so. Offers, greetings, reports on tests and
//! restated tasks say nothing. Not here: what of it holds beyond the turn (`statements`), and what was really done
//! (events).

mod commit;
mod line;
mod phrases;
mod sayings;

use crate::prose::{Passage, PassageShape, passages, sentences};
pub use commit::title_of_commit;
use line::{MOST_ANSWER_CHARS, line};
use sayings::{Saying, Topic, announces_work, learned, next_step, saying, topic, unannounced};

/// Longer ones are text someone pasted rather than something said.
const MOST_SENTENCE_BYTES: usize = 600;
const MOST_NEXT_STEPS: usize = 8;
const MOST_QUESTIONS: usize = 8;
const MOST_LEARNED: usize = 5;

/// What a closing message says, each part in plain words on one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closing {
    /// The title of the work, at most eighty characters: "Fixed the off-by-one in window()".
    pub claim: Option<String>,
    /// What is left to do.
    pub next_steps: Vec<String>,
    /// What the user is to decide.
    pub questions: Vec<String>,
    /// Causes and facts the agent came upon.
    pub learned: Vec<String>,
    /// Where no work is reported: what was found, in one or two sentences.
    pub answer: Option<String>,
}

/// Returns what a closing message says.
#[must_use]
pub fn closing(message: &str) -> Closing {
    let mut reading = read(message);
    reading.closing.claim = settled(reading.claim());
    if !reading.reports_work {
        reading.closing.answer = reading.answer;
    }
    reading.closing
}

/// Follows a claim until it claims itself: cut out of its sentence, it may open with more that says nothing.
fn settled(mut claim: Option<String>) -> Option<String> {
    for _ in 0..3 {
        let again = read(claim.as_deref()?).claim();
        // Without its backticks a name would get a capital.
        if again.as_deref().map(str::to_lowercase) == claim.as_deref().map(str::to_lowercase) {
            return claim;
        }
        claim = again;
    }
    None
}

fn read(message: &str) -> MessageReading {
    let mut reading = MessageReading::default();
    let passages = passages(message);
    for (place, passage) in passages.iter().enumerate() {
        reading.passage(passage, passages.get(place + 1));
    }
    reading.closing.next_steps.truncate(MOST_NEXT_STEPS);
    reading.closing.questions.truncate(MOST_QUESTIONS);
    reading.closing.learned.truncate(MOST_LEARNED);
    reading
}

/// What has been read of a message so far.
#[derive(Default)]
struct MessageReading {
    closing: Closing,
    work: Option<String>,
    fact: Option<String>,
    /// What leans on a sentence before it, and says little alone.
    leaning: Option<String>,
    heading: Option<String>,
    answer: Option<String>,
    reports_work: bool,
}

impl MessageReading {
    fn claim(&self) -> Option<String> {
        [&self.work, &self.fact, &self.heading, &self.leaning].into_iter().find_map(Clone::clone)
    }

    fn passage(&mut self, passage: &Passage<'_>, next: Option<&Passage<'_>>) {
        if matches!(passage.shape, PassageShape::Heading | PassageShape::Lead) {
            self.reports_work |= announces_work(passage.text);
        }
        if passage.shape == PassageShape::Heading {
            if let Saying::Work { title, .. } = saying(passage.text) {
                self.heading.get_or_insert(title);
            }
            return;
        }
        if let Some(task) = passage.text.strip_prefix("[ ]") {
            push(&mut self.closing.next_steps, next_step(task));
            return;
        }
        let text = passage.text.strip_prefix("[x]").unwrap_or(passage.text);
        let sentences = sentences(text);
        match topic_of(passage) {
            Topic::NextSteps if passage.shape == PassageShape::Lead => {}
            // One item is one step, however many sentences explain it.
            Topic::NextSteps => {
                let step = sentences.first().filter(|step| step.len() <= MOST_SENTENCE_BYTES);
                push(&mut self.closing.next_steps, step.and_then(|step| next_step(step)));
            }
            Topic::Aside => {}
            Topic::Work => {
                // What a lead announces stands in the item after it.
                let item = next.filter(|_| passage.shape == PassageShape::Lead).map(|next| next.text);
                for (place, sentence) in sentences.iter().enumerate() {
                    self.sentence(sentence, sentences.get(place + 1).copied().or(item));
                }
            }
        }
    }

    fn sentence(&mut self, sentence: &str, after: Option<&str>) {
        if sentence.len() > MOST_SENTENCE_BYTES {
            return;
        }
        push(&mut self.closing.learned, learned(sentence));
        match saying(sentence) {
            Saying::Nothing => {}
            Saying::SomeWork => self.reports_work = true,
            Saying::NextStep(step) => push(&mut self.closing.next_steps, Some(step)),
            // "Why did it fail? Because …" asks nobody.
            Saying::Question { asks_user, text } => {
                push(&mut self.closing.questions, (asks_user || after.is_none()).then_some(text));
            }
            Saying::Work { title, leans } => {
                self.reports_work = true;
                if leans { &mut self.leaning } else { &mut self.work }.get_or_insert(title);
            }
            Saying::Fact { title, leans } => {
                self.answer.get_or_insert_with(|| answer(sentence, after));
                if leans { &mut self.leaning } else { &mut self.fact }.get_or_insert(title);
            }
        }
    }
}

fn push(lines: &mut Vec<String>, line: Option<String>) {
    lines.extend(line.filter(|line| !lines.contains(line)));
}

/// What a passage is about, by the heading and the lead it stands under.
fn topic_of(passage: &Passage<'_>) -> Topic {
    let own = Some(passage.text).filter(|_| passage.shape == PassageShape::Lead);
    let lead = passage.lead.filter(|_| passage.shape == PassageShape::Item);
    [own, lead, passage.section]
        .into_iter()
        .flatten()
        .map(|above| topic(sentences(above).last().unwrap_or(&above)))
        .find(|topic| *topic != Topic::Work)
        .unwrap_or(Topic::Work)
}

/// A sentence that answers, with the next one where that says more and both are short.
fn answer(sentence: &str, after: Option<&str>) -> String {
    let first = line(unannounced(sentence), MOST_ANSWER_CHARS);
    let second = after
        .filter(|after| after.len() <= MOST_SENTENCE_BYTES && matches!(saying(after), Saying::Fact { .. }));
    let both = second.map(|second| {
        let second = line(sentences(second).first().unwrap_or(&second), MOST_ANSWER_CHARS);
        format!("{first} {}.", second.trim_end_matches(['.', '!', ':']))
    });
    both.filter(|both| both.chars().count() <= MOST_ANSWER_CHARS).unwrap_or(first)
}
