//! The text a writer reads: the record of a session within a budget, what matters least left out first.
//!
//! The order of shrinking: lines of work by their rank, then closing messages, then the user's words, the longest first. No text is kept
//! whole that is longer than what the user's own words are cut to. Not here: what is in the record (`session_record`).

#[cfg(test)]
mod tests;

use super::session_record::{RecordLine, RecordTurn, SessionRecord, contract_word};
use super::shorten::{head, message_within, one_line, squeezed, user_words, within};
use super::work_lines::COMMIT;
use backstory_memory::{Timestamp, Tokens, estimate, iso, words};
use std::fmt::Write as _;

/// The user's words are whole up to so many characters; a longer text is hardly typed, and gets more.
const WHOLE_CHARS: usize = 1_500;
const WHOLE_PASTED_CHARS: usize = 2_600;
/// Shares in hundredths: of the budget for the state at the end and for known titles, of the rest for the user's words, and of what is
/// then left for closing messages. One of these takes at most a fifth of all.
const END_SHARE: u32 = 7;
const KNOWN_SHARE: u32 = 9;
const USER_SHARE: u32 = 42;
const CLOSING_SHARE: u32 = 62;
const ONE_CLOSING_SHARE: u32 = 20;
/// In a session too long for a digest, so much of the room goes at most to the first words of the user's texts; turns that would take
/// more are left out.
const TURNS_SHARE: u32 = 70;
/// So many tokens of a text are its first words.
const FEW_WORDS: u32 = 24;
/// What a line costs that says which turns are left out.
const GAP_COST: u32 = 12;

/// Renders the record within a budget.
pub(super) fn digest(record: &SessionRecord, budget: Tokens) -> String {
    let head = session_line(record, share(budget, END_SHARE));
    let known = known_lines(record, share(budget, KNOWN_SHARE));
    let end = end_lines(record, share(budget, END_SHARE));
    let fixed = [&head, &known, &end].map(|text| estimate(text)).into_iter().sum();
    let mut room = minus(budget, fixed);
    let body = Body::new(record, room);
    for _ in 0..FITTINGS {
        let fitted = body.fit(room, share(budget, ONE_CLOSING_SHARE));
        let text = format!("{head}{known}{fitted}{end}");
        let cost = estimate(&text);
        if cost <= budget {
            return text;
        }
        // What stands around the texts costs more than was expected: they make room for it.
        room = minus(room, minus(cost, budget) + Tokens(GAP_COST));
    }
    String::new()
}

/// How often the texts make room for what stands around them, before there is no digest.
const FITTINGS: usize = 4;

fn share(budget: Tokens, hundredths: u32) -> Tokens {
    Tokens(budget.0.saturating_mul(hundredths) / 100)
}

fn minus(one: Tokens, other: Tokens) -> Tokens {
    Tokens(one.0.saturating_sub(other.0))
}

fn session_line(record: &SessionRecord, most: Tokens) -> String {
    let minute = |at: Timestamp| first_minute(&iso(at));
    let (from, to) = (minute(record.from), minute(record.to));
    let to = to.strip_prefix(from.get(..11).unwrap_or_default()).unwrap_or(&to);
    let branches = match record.branches.as_slice() {
        [] => String::new(),
        branches => format!(" · branch {}", one_line(&branches.join(" → "), 160)),
    };
    let line = format!("SESSION of {} · {from} to {to}{branches}", one_line(&record.project, 80));
    format!("{} · {} turns\n", within(&line, minus(most, Tokens(8)), &head), record.turns.len())
}

fn first_minute(time: &str) -> String {
    time.get(..16).unwrap_or(time).to_owned()
}

/// The titles of known memories; the oldest have no room first.
fn known_lines(record: &SessionRecord, most: Tokens) -> String {
    let mut text = String::new();
    let mut left = most;
    for known in &record.known {
        let title = one_line(&known.memory.content.title, 100);
        let line = format!("{} {}: {title}\n", known.name, contract_word(&known.memory));
        let cost = estimate(&line);
        if cost > left {
            break;
        }
        left = minus(left, cost);
        text.push_str(&line);
    }
    const HEADING: &str = "KNOWN MEMORIES (id kind: title)\n";
    if text.is_empty() { text } else { format!("{HEADING}{text}") }
}

/// Tasks, what was pushed, and uncommitted files at the end.
fn end_lines(record: &SessionRecord, most: Tokens) -> String {
    let tasks = &record.end.tasks;
    let marked = |mark: &str, tasks: &[String]| -> Vec<String> {
        tasks.iter().map(|task| format!("[{mark}] {}", one_line(task, 90))).collect()
    };
    let tasks = [marked("x", &tasks.done), marked(">", &tasks.started), marked(" ", &tasks.open)].concat();
    let lists = [
        ("TASK LIST AT THE END", tasks.join("; ")),
        ("REMOTE AT THE END", record.end.remote.join("; ")),
        ("EDITED AFTER THE LAST COMMIT", record.end.edited_since_commit.join(", ")),
    ];
    let lists: Vec<_> = lists.into_iter().filter(|(_, list)| !list.is_empty()).collect();
    let each = Tokens(most.0 / u32::try_from(lists.len().max(1)).unwrap_or(1));
    lists
        .into_iter()
        .map(|(name, list)| {
            format!(
                "{}\n",
                within(&format!("{name}: {}", one_line(&list, 700)), minus(each, Tokens(1)), &head)
            )
        })
        .filter(|line| line.len() > 1)
        .collect()
}

/// The turns of a session before they are cut to size.
struct Body<'a> {
    turns: Vec<ShownTurn<'a>>,
}

/// A turn that has room, by its place in the record.
struct ShownTurn<'a> {
    at: usize,
    turn: &'a RecordTurn,
    /// The one after it in the record, which may answer its message.
    next: Option<&'a RecordTurn>,
    /// The user's words as they are shown if there is room.
    user: Vec<String>,
}

/// How much of each text is shown.
struct Allotment {
    /// The most that one of the user's texts takes.
    user: Tokens,
    /// What each closing message takes, by turn.
    closing: Vec<Tokens>,
    /// What is left for lines of work.
    work: Tokens,
}

impl<'a> ShownTurn<'a> {
    fn new(record: &'a SessionRecord, at: usize, turn: &'a RecordTurn) -> ShownTurn<'a> {
        let shown = |line: &RecordLine| {
            let text = squeezed(&line.text);
            let is_pasted = text.chars().count() > WHOLE_CHARS;
            user_words(&text, if is_pasted { WHOLE_PASTED_CHARS } else { WHOLE_CHARS })
        };
        let user = turn.user.iter().map(shown).collect();
        ShownTurn { at, turn, next: record.turns.get(at + 1), user }
    }

    fn name(&self) -> String {
        format!("t{}", self.at + 1)
    }

    /// What stands around its texts: names, labels, line breaks, indentation.
    fn label_cost(&self) -> u32 {
        let mut labelled = String::new();
        push_user_lines(&mut labelled, self, self.user.iter().cloned());
        let user: u32 = self.user.iter().map(|text| estimate(text).0).sum();
        let closing = self.turn.closing.as_ref().map_or(0, |line| around("A: ", &line.text));
        estimate(&labelled).0.saturating_sub(user).saturating_add(closing)
    }

    /// What it takes to show a few words of everything the user wrote in it.
    fn least_cost(&self) -> u32 {
        let user: u32 = self.user.iter().map(|text| estimate(text).0.min(FEW_WORDS)).sum();
        self.label_cost().saturating_add(user)
    }

    /// Which turns stay where not all have room: the last ones, the first ones, those in which something was decided, then the later ones.
    fn matters(&self, count: usize) -> (u32, usize) {
        const FIRST: usize = 3;
        const LAST: usize = 12;
        let decides = || self.turn.corrects || self.turn.work.iter().any(|line| line.rank >= COMMIT);
        let order = match () {
            () if self.at + LAST >= count => 3,
            () if self.at < FIRST => 2,
            () if decides() => 1,
            () => 0,
        };
        (order, self.at)
    }
}

/// What a text costs more with its label and line breaks than by itself.
fn around(label: &str, text: &str) -> u32 {
    let mut labelled = String::new();
    push_line(&mut labelled, label, text);
    estimate(&labelled).0.saturating_sub(estimate(text).0)
}

impl<'a> Body<'a> {
    /// Takes the turns that have room. In the middle of a long session turns are left out whole: a few words of each say nothing.
    fn new(record: &'a SessionRecord, room: Tokens) -> Body<'a> {
        let turns = record.turns.iter().enumerate();
        let mut turns: Vec<ShownTurn<'_>> =
            turns.map(|(at, turn)| ShownTurn::new(record, at, turn)).collect();
        let count = turns.len();
        turns.sort_by_key(|turn| std::cmp::Reverse(turn.matters(count)));
        let mut left = share(room, TURNS_SHARE).0;
        // The last turn is where the work stands.
        turns.retain(|turn| {
            let cost = turn.least_cost();
            let fits = cost <= left || turn.at + 1 == count;
            left = if fits { left.saturating_sub(cost) } else { 0 };
            fits
        });
        turns.sort_by_key(|turn| turn.at);
        Body { turns }
    }

    fn fit(&self, budget: Tokens, one_closing: Tokens) -> String {
        let labels = self.turns.iter().map(ShownTurn::label_cost).sum();
        let allotment = self.allot(minus(budget, Tokens(labels)), one_closing);
        let mut left = allotment.work;
        let work = self.work_within(&mut left, allotment.user);
        let mut text = String::new();
        let mut next = 0;
        for (place, turn) in self.turns.iter().enumerate() {
            push_gap(&mut text, next, turn.at);
            next = turn.at + 1;
            push_user_lines(
                &mut text,
                turn,
                turn.user.iter().map(|it| within(it, allotment.user, &user_words)),
            );
            for line in work.get(place).into_iter().flatten() {
                push_line(&mut text, " - ", line);
            }
            let closing = closing(turn, allotment.closing.get(place).copied().unwrap_or_default());
            if !closing.is_empty() {
                push_line(&mut text, "A: ", &closing);
            }
        }
        text
    }

    /// Shares out a budget. The user's words are whole unless what is of lower rank has shrunk to its share; then their longest are cut,
    /// and nothing longer than those stays whole.
    fn allot(&self, budget: Tokens, one_closing: Tokens) -> Allotment {
        let user: Vec<u32> =
            self.turns.iter().flat_map(|turn| &turn.user).map(|text| estimate(text).0).collect();
        let closing = |most: u32| -> Vec<u32> {
            let cost =
                |line: &Option<RecordLine>| line.as_ref().map_or(0, |line| estimate(&line.text).0.min(most));
            self.turns.iter().map(|shown| cost(&shown.turn.closing)).collect()
        };
        let work: u32 = self.turns.iter().flat_map(|shown| &shown.turn.work).map(work_cost).sum();
        let lower_share = minus(budget, share(budget, USER_SHARE)).0;
        let cut_to = |level: u32| -> (u32, u32) {
            let words = user.iter().map(|cost| (*cost).min(level)).sum();
            let lower = closing(level.min(one_closing.0)).iter().sum::<u32>().saturating_add(work);
            (words, lower.min(lower_share))
        };
        let fits = |level: u32| {
            let (words, lower) = cut_to(level);
            words.saturating_add(lower) <= budget.0
        };
        let longest = user.iter().copied().max().unwrap_or_default();
        let is_whole = fits(u32::MAX);
        let level = if is_whole { u32::MAX } else { largest(longest, fits) };
        let (words, _) = cut_to(level);
        let left = budget.0.saturating_sub(words);
        let closings = closing(level.min(one_closing.0));
        let wanted = closings.iter().sum::<u32>();
        let for_closings =
            wanted.min((left.saturating_mul(CLOSING_SHARE) / 100).max(left.saturating_sub(work)));
        Allotment {
            user: Tokens(level),
            closing: shared_out(&closings, &self.weights(), for_closings),
            work: Tokens(left.saturating_sub(for_closings)),
        }
    }

    /// How much the closing message of each turn matters, in hundredths: the end most, then what was put right or answered briefly.
    fn weights(&self) -> Vec<u32> {
        let mut weights = Vec::with_capacity(self.turns.len());
        for (at, shown) in self.turns.iter().enumerate() {
            let place = match self.turns.len() - at {
                1 => 300,
                2 => 160,
                _ if at == 0 => 140,
                _ => 100,
            };
            let corrected = if shown.turn.corrects { 135 } else { 100 };
            let answered = if shown.next.is_some_and(is_short_reply) { 125 } else { 100 };
            weights.push(place * corrected * answered / 10_000);
        }
        weights
    }

    /// The lines of work that have room, by turn, each turn's in its own order.
    fn work_within(&self, left: &mut Tokens, level: Tokens) -> Vec<Vec<&'a str>> {
        let turns = &self.turns;
        let mut ranked: Vec<(u32, usize, usize, &RecordLine)> = Vec::new();
        for (at, ShownTurn { turn, .. }) in turns.iter().enumerate() {
            let bonus = if at + 2 >= turns.len() { 15 } else { 0 } + if turn.corrects { 10 } else { 0 };
            ranked.extend(
                turn.work.iter().enumerate().map(|(place, line)| (line.rank + bonus, at, place, line)),
            );
        }
        ranked.sort_by_key(|(rank, at, place, _)| (std::cmp::Reverse(*rank), *at, *place));
        let mut kept: Vec<Vec<(usize, &str)>> = vec![Vec::new(); turns.len()];
        for (_, at, place, line) in ranked {
            let cost = Tokens(work_cost(line));
            if cost <= *left
                && cost <= level
                && let Some(kept) = kept.get_mut(at)
            {
                *left = minus(*left, cost);
                kept.push((place, line.text.as_str()));
            }
        }
        for lines in &mut kept {
            lines.sort_unstable_by_key(|(place, _)| *place);
        }
        kept.into_iter().map(|lines| lines.into_iter().map(|(_, text)| text).collect()).collect()
    }
}

/// The message a turn closed with, within a size.
fn closing(shown: &ShownTurn<'_>, most: Tokens) -> String {
    let Some(line) = &shown.turn.closing else { return String::new() };
    let reply = shown.next.filter(|next| is_short_reply(next)).map(first_words);
    // A reply of a word or two says nothing without the option and the question it answers.
    let answers =
        |text: &str| reply.as_ref().is_some_and(|reply| text.contains('?') || names_option(text, reply));
    within(&line.text, most, &|text, most| message_within(text, most, &answers))
}

fn work_cost(line: &RecordLine) -> u32 {
    estimate(&line.text).0.saturating_add(around(" - ", &line.text))
}

/// Returns the largest number up to a limit that passes; every smaller one passes, too.
fn largest(limit: u32, passes: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, limit);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if passes(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// Shares out a budget by weight. Nobody gets more than they need; what one does not need is shared out again.
fn shared_out(needs: &[u32], weights: &[u32], budget: u32) -> Vec<Tokens> {
    let mut shares: Vec<u32> = vec![0; needs.len()];
    let mut open: Vec<usize> =
        (0..needs.len()).filter(|at| needs.get(*at).is_some_and(|need| *need > 0)).collect();
    let mut left = budget;
    loop {
        let weight = |at: &usize| u64::from(weights.get(*at).copied().unwrap_or(100));
        let all: u64 = open.iter().map(weight).sum();
        let fair = |at: &usize| u32::try_from(u64::from(left) * weight(at) / all.max(1)).unwrap_or(u32::MAX);
        let need = |at: &usize| needs.get(*at).copied().unwrap_or_default();
        let served: Vec<usize> = open.iter().copied().filter(|at| need(at) <= fair(at)).collect();
        let granted: Vec<(usize, u32)> = match served.is_empty() {
            true => open.iter().map(|at| (*at, fair(at))).collect(),
            false => served.iter().map(|at| (*at, need(at))).collect(),
        };
        for (at, share) in &granted {
            if let Some(place) = shares.get_mut(*at) {
                *place = *share;
            }
            left = left.saturating_sub(*share);
        }
        open.retain(|at| !served.contains(at));
        if served.is_empty() || open.is_empty() {
            return shares.into_iter().map(Tokens).collect();
        }
    }
}

/// Whether a prompt only answers the message before it.
fn is_short_reply(turn: &RecordTurn) -> bool {
    turn.user.first().is_some_and(|line| line.text.chars().count() <= 60)
}

fn first_words(turn: &RecordTurn) -> Vec<String> {
    turn.user.first().map(|line| words(&line.text).take(8).collect()).unwrap_or_default()
}

/// Whether a line is the option that a reply names by its number or letter.
fn names_option(line: &str, reply: &[String]) -> bool {
    let line = line.trim_start_matches(['-', '*', '|', '(', ' ']);
    let label = line.strip_prefix("Option ").unwrap_or(line);
    let end = label.find(['.', ')', ':', '|', ' ', ']']).unwrap_or_default();
    let label = label.get(..end).unwrap_or_default().to_lowercase();
    let is_label = label.len() == 1 || label.len() <= 2 && label.bytes().all(|byte| byte.is_ascii_digit());
    is_label && reply.contains(&label)
}

/// Says which turns are left out before one.
fn push_gap(text: &mut String, next: usize, at: usize) {
    if next < at {
        push_line(text, "", &format!("[t{} to t{at}: left out]", next + 1));
    }
}

fn push_user_lines(text: &mut String, turn: &ShownTurn<'_>, shown: impl Iterator<Item = String>) {
    let name = turn.name();
    if turn.turn.user.is_empty() {
        push_line(text, "", &format!("{name} (no prompt)"));
    }
    for (at, (line, shown)) in turn.turn.user.iter().zip(shown).enumerate() {
        let label = if at == 0 { format!("{name} {}: ", line.label) } else { format!("{}: ", line.label) };
        push_line(text, &label, &shown);
    }
}

/// Writes a text behind its label. Its other lines are indented, so that none of them looks like a line of the record.
fn push_line(text: &mut String, label: &str, shown: &str) {
    let mut lines = shown.lines();
    let _infallible = writeln!(text, "{label}{}", lines.next().unwrap_or_default());
    for line in lines {
        let line = line.trim_start();
        let (mark, rest) = line.strip_prefix("- ").map_or(("", line), |rest| ("* ", rest));
        let _infallible = writeln!(text, " {mark}{rest}");
    }
}
