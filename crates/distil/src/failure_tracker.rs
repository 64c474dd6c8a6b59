//! Commands that failed in a session, and what fixed them.
//!
//! Keeps only what helps a second time: a mistake that an agent makes and fixes while it edits is work, not a lesson.

use super::finding::{Comparing, Finding, distilled, evidence, subject};
use super::transcript::{TranscriptEntry, Turn};
use crate::FailureClass;
use crate::causes::title_of_cause;
use crate::failures::{
    CommandRun, FailureFix, FailureSignature, FailureStep, FixAttempt, MOST_COMMAND_CHARS, OpenFailure,
    PairedFailures, pair, without_progress,
};
use crate::rejected::Rejected;
use crate::testruns::{TestOutcome, TestRun};
use crate::titles::title_of_command;
use backstory_memory::{
    Activity, Details, Digest, EvidenceKind, ExitStatus, FailureDetails, FixDetails, FixSteps, Hunk, Kind,
    Provenance, RejectionReason, TITLE_CHARS, cap, first_chars, jaccard,
};
use backstory_store::OnRepeat;
use std::cmp::Reverse;
use std::collections::HashMap;

/// One step of a session, with its turn.
pub(super) struct PlacedStep<'a> {
    turn: usize,
    pub(super) entry: &'a TranscriptEntry,
    pub(super) step: FailureStep<'a>,
}

impl PlacedStep<'_> {
    /// What it may have done about a failure: an edit, or a command that did something and succeeded.
    pub(super) fn attempt(&self) -> Option<FixAttempt> {
        match self.step {
            FailureStep::Edit { file } => Some(FixAttempt::Edit(file.to_owned())),
            FailureStep::Command(ran) if !ran.failed() && ran.task().is_some() => {
                Some(FixAttempt::Command(ran.command.trim().to_owned()))
            }
            FailureStep::Command(_) => None,
        }
    }
}

/// The failures of a session, paired with what fixed them.
pub(super) struct FailureTracker<'a> {
    steps: Vec<PlacedStep<'a>>,
    fixed: Vec<FailureFix>,
    /// Tests that failed and passed with nothing changed.
    flaky: Vec<FailureFix>,
    open: Vec<OpenFailure>,
    /// Failures that teach nothing: the step, and why.
    rejected: Vec<(usize, RejectionReason)>,
}

impl<'a> FailureTracker<'a> {
    /// Follows the commands and edits of a session.
    pub(super) fn follow(turns: &'a [Turn<'a>]) -> FailureTracker<'a> {
        let steps: Vec<PlacedStep<'a>> = steps_of_turns(turns).collect();
        let only: Vec<FailureStep<'_>> = steps.iter().map(|placed| placed.step).collect();
        let PairedFailures { fixed, open } = pair(&only);
        let mut failing =
            FailureTracker { steps, fixed: Vec::new(), flaky: Vec::new(), open, rejected: Vec::new() };
        failing.flaky = fixed.iter().filter(|fix| failing.is_flaky(fix)).cloned().collect();
        let missed = fixed.iter().filter(|fix| !failing.teaches(fix) && !failing.is_flaky(fix));
        let missed = missed.map(|fix| (fix.failed_at, &fix.signature));
        let unseen = failing.open.iter().filter(|open| !failing.weighs(open));
        let missed = missed.chain(unseen.map(|open| (open.failed_at, &open.signature)));
        failing.rejected = missed.map(|(at, signature)| (at, why_not(signature))).collect();
        failing.fixed = fixed.into_iter().filter(|fix| failing.teaches(fix)).collect();
        failing.open =
            std::mem::take(&mut failing.open).into_iter().filter(|open| failing.weighs(open)).collect();
        failing
    }

    /// Whether a fixed failure is worth knowing: the turn did not cause it, it took more than one try, or it lies with the machine.
    fn teaches(&self, fix: &FailureFix) -> bool {
        let class = fix.signature.class;
        // What a hook of the repository wants to have run first, it wants each time.
        let is_wanted = matches!(fix.signature.task.as_str(), "git commit" | "git push")
            && fix.by.iter().any(|attempt| matches!(attempt, FixAttempt::Command(_)));
        let has_more_to_it = !fix.tried.is_empty() || class.is_of_the_machine() || is_wanted;
        // A linter already says what to do.
        let was_met = !is_linting(&fix.signature) && !self.was_made(fix);
        fix.signature.names_error
            && !fix.by.is_empty()
            && !is_of_the_moment(class)
            && (was_met || has_more_to_it)
    }

    /// What became no memory, and why.
    pub(super) fn rejected(&self) -> impl Iterator<Item = Rejected> {
        self.rejected.iter().filter_map(|(at, reason)| {
            let (entry, ran) = (self.steps.get(*at)?.entry, self.ran_at(*at)?);
            let said = ran.signature().map(|signature| FailureDisplay::from_run(ran, signature).title);
            let command = first_chars(ran.command.trim(), MOST_COMMAND_CHARS);
            Some(Rejected::new(
                entry,
                Kind::Failure,
                &format!("{command}: {}", said.unwrap_or_default()),
                *reason,
            ))
        })
    }

    /// Whether its own turn may have caused a failure: something was edited before it.
    fn was_made(&self, fix: &FailureFix) -> bool {
        let turn = self.steps.get(fix.first_at).map(|placed| placed.turn);
        let mut before = self.steps.iter().take(fix.first_at);
        before.any(|placed| Some(placed.turn) == turn && matches!(placed.step, FailureStep::Edit { .. }))
    }

    /// Whether a test failed and then passed with the same command, and nothing was edited in between.
    fn is_flaky(&self, fix: &FailureFix) -> bool {
        let Some(failed) = self.ran_at(fix.failed_at) else { return false };
        let names_test = failed.test_run().is_some_and(|run| !run.failing.is_empty());
        let mut since = self.steps.iter().skip(fix.failed_at + 1);
        let unchanged = since.by_ref().take_while(|placed| !matches!(placed.step, FailureStep::Edit { .. }));
        let passes = |ran: &CommandRun<'_>| ran.command == failed.command && !ran.failed();
        let mut runs = unchanged.filter_map(|placed| match placed.step {
            FailureStep::Command(ran) => Some(ran),
            FailureStep::Edit { .. } => None,
        });
        names_test && fix.by.is_empty() && runs.any(passes)
    }

    /// Whether a turn fixed code that was broken before the turn touched it.
    pub(super) fn fixes_code(&self, turn: usize) -> bool {
        let fixes = |fix: &FailureFix| {
            let is_by_edit = fix.by.iter().any(|attempt| matches!(attempt, FixAttempt::Edit(_)));
            is_by_edit && !self.was_made(fix) && !fix.signature.class.is_of_the_machine()
        };
        self.fixed_in(turn).any(fixes)
    }

    /// Whether a failure that nothing fixed is worth knowing: it is a test, or of the code or the machine and occurred more than once.
    /// Any other command was given up for another way.
    fn weighs(&self, open: &OpenFailure) -> bool {
        let is_test = self.ran_at(open.failed_at).is_some_and(|ran| ran.test_run().is_some());
        let class = open.signature.class;
        let stays = open.times > 1 && !matches!(class, FailureClass::Other | FailureClass::Usage);
        open.signature.names_error && (is_test || stays) && !is_of_the_moment(class)
    }

    fn ran_at(&self, at: usize) -> Option<&'a CommandRun<'a>> {
        match self.steps.get(at)?.step {
            FailureStep::Command(ran) => Some(ran),
            FailureStep::Edit { .. } => None,
        }
    }

    /// Whether a turn fixed a failure.
    pub(super) fn fixes(&self, turn: usize) -> bool {
        self.fixed_in(turn).next().is_some()
    }

    /// The failures a turn fixed by an edit or a command.
    fn fixed_in(&self, turn: usize) -> impl Iterator<Item = &FailureFix> {
        self.fixed
            .iter()
            .filter(move |fix| self.steps.get(fix.fixed_at).is_some_and(|placed| placed.turn == turn))
    }

    /// The tests that still fail at the end, by name; the runner's name if it names none.
    pub(super) fn still_red(&self) -> Vec<String> {
        let mut last: Vec<&TestRun> = Vec::new();
        for placed in &self.steps {
            let FailureStep::Command(ran) = placed.step else { continue };
            let Some(run) = ran.test_run() else { continue };
            last.retain(|known| known.runner != run.runner);
            last.push(run);
        }
        let red = last.into_iter().filter(|run| run.outcome != TestOutcome::Green);
        red.flat_map(|run| match run.failing.is_empty() {
            true => vec![format!("{} does not pass", run.runner.as_str())],
            false => run.failing.iter().take(MOST_NAMED).cloned().collect(),
        })
        .collect()
    }

    /// Makes a finding of each failure; `fix_contexts` says what each turn did.
    pub(super) fn findings(&self, fix_contexts: &HashMap<usize, FixContext>) -> Vec<Finding> {
        let fixed = self.fixed.iter().filter_map(|fix| {
            let context = self.steps.get(fix.fixed_at).and_then(|placed| fix_contexts.get(&placed.turn));
            let note = FailureNote::fixed(self, fix, context);
            // A cause is that of the one thing that was fixed beside it.
            let turn = self.steps.get(fix.fixed_at).map(|placed| placed.turn);
            let is_alone = turn.is_some_and(|turn| self.fixed_in(turn).count() == 1);
            let cause = context.and_then(|context| context.cause.as_deref()).filter(|_| is_alone);
            self.finding(&FailureNote { cause, ..note })
        });
        let open = self.open.iter().filter_map(|open| self.finding(&FailureNote::open(open)));
        let flaky = self.flaky.iter().filter_map(|fix| self.finding(&FailureNote::flaky(fix)));
        fixed.chain(open).chain(flaky).collect()
    }

    fn finding(&self, note: &FailureNote<'_>) -> Option<Finding> {
        let (first, last) = (self.steps.get(note.first_at)?, self.steps.get(note.failed_at)?);
        let ran = self.ran_at(note.failed_at)?;
        let shown = FailureDisplay::from_run(ran, note.signature);
        let subject = subject_of(note.signature, &shown);
        let details = FailureDetails {
            command: first_chars(ran.command.trim(), MOST_COMMAND_CHARS).to_owned(),
            signature: note.signature.digest.clone(),
            error_line: shown.error_line.clone(),
            tests: ran.test_run().map(failing_tests).unwrap_or_default(),
            ..note.details.clone()
        };
        let body = details.body(&shown.excerpt);
        let title = match &note.details.fix {
            _ if note.details.is_flaky => shown.as_flaky(),
            Some(fix) => note.cause.and_then(title_of_cause).unwrap_or_else(|| with_fix(&shown.title, fix)),
            None => shown.title,
        };
        let mut content = distilled(Kind::Failure, &title_of_command(&title), &body, Provenance::Tool);
        content.facts = details.statements();
        content.details = Some(Details::Failure(details));
        content.files = note.files.clone();
        content.category = Some(backstory_memory::Category(note.signature.class.as_str().to_owned()));
        let fixed = note.fixed_at.and_then(|at| self.steps.get(at)).map(|placed| placed.entry);
        Some(Finding {
            subject,
            content,
            events: evidence([first.entry, last.entry].into_iter().chain(fixed)),
            at: last.entry.at,
            // A failure that returns does not discard the fix that is known.
            again: if note.fixed_at.is_some() { OnRepeat::ReinforceAndReplace } else { OnRepeat::Reinforce },
            comparing: Comparing::Not,
            evidence: EvidenceKind::Structure,
            relates_to: note.work.into_iter().collect(),
        })
    }
}

/// Returns the subject under which a failure is remembered, from the failed command and its output. The same failure gives the same
/// subject later, which is how its memory is found.
#[must_use]
pub fn failure_subject(command: &str, output: &str) -> Option<Digest> {
    let ran = CommandRun::new(command, output, ExitStatus::Failure);
    let signature = ran.signature()?;
    Some(subject_of(signature, &FailureDisplay::from_run(&ran, signature)))
}

fn subject_of(signature: &FailureSignature, shown: &FailureDisplay) -> Digest {
    subject("failure", &[signature.digest.as_bytes(), shown.test.as_bytes()])
}

/// What the turn that fixed a failure did.
pub(super) struct FixContext {
    /// The memory of the turn's work, if it did any.
    pub(super) work: Option<Digest>,
    /// The turn's summary of itself.
    pub(super) summary: String,
    /// What was behind it, in the agent's words.
    pub(super) cause: Option<String>,
}

/// Whether a linter or formatter reported the failure, judged by its class or by the name of the command.
fn is_linting(signature: &FailureSignature) -> bool {
    let name = signature.task.to_lowercase();
    signature.class == FailureClass::Lint || LINTERS.iter().any(|linter| name.contains(linter))
}

const LINTERS: [&str; 9] =
    ["lint", "clippy", "ruff", "flake8", "prettier", "biome", "rubocop", "shellcheck", "checkstyle"];

/// Why a failure is not worth a memory: nobody could recognise it, or it is a slip that was put right at once.
fn why_not(signature: &FailureSignature) -> RejectionReason {
    if signature.names_error { RejectionReason::OfTheMoment } else { RejectionReason::NoErrorLine }
}

/// Whether a failure cannot happen again: the two texts of a merge conflict will not meet a second time.
fn is_of_the_moment(class: FailureClass) -> bool {
    class == FailureClass::Conflict
}

/// Everything a failure's memory is made from.
struct FailureNote<'f> {
    signature: &'f FailureSignature,
    first_at: usize,
    failed_at: usize,
    fixed_at: Option<usize>,
    /// The fix, and the attempts that did not help.
    details: FailureDetails,
    files: Vec<String>,
    work: Option<Digest>,
    cause: Option<&'f str>,
}

impl<'f> FailureNote<'f> {
    fn fixed(
        tracker: &FailureTracker<'_>,
        fix: &'f FailureFix,
        context: Option<&FixContext>,
    ) -> FailureNote<'f> {
        let steps = fix_steps(&fix.by);
        let files = steps.files.clone();
        let summary = context.map(|context| context.summary.clone()).filter(|summary| !summary.is_empty());
        let applied = FixDetails { steps, changed_line: tracker.edited_line(fix), summary };
        FailureNote {
            details: FailureDetails {
                fix: Some(applied),
                tried: fix_steps(&fix.tried),
                ..FailureDetails::default()
            },
            files,
            work: context.and_then(|context| context.work),
            ..FailureNote::passed(fix)
        }
    }

    fn flaky(fix: &'f FailureFix) -> FailureNote<'f> {
        let details = FailureDetails { is_flaky: true, ..FailureDetails::default() };
        FailureNote { details, ..FailureNote::passed(fix) }
    }

    /// A failure after which the command passed.
    fn passed(fix: &'f FailureFix) -> FailureNote<'f> {
        FailureNote {
            signature: &fix.signature,
            first_at: fix.first_at,
            failed_at: fix.failed_at,
            fixed_at: Some(fix.fixed_at),
            details: FailureDetails::default(),
            files: Vec::new(),
            work: None,
            cause: None,
        }
    }

    fn open(open: &'f OpenFailure) -> FailureNote<'f> {
        let tried = fix_steps(&open.tried);
        FailureNote {
            signature: &open.signature,
            first_at: open.first_at,
            failed_at: open.failed_at,
            fixed_at: None,
            files: tried.files.clone(),
            details: FailureDetails { tried, ..FailureDetails::default() },
            work: None,
            cause: None,
        }
    }
}

impl FailureTracker<'_> {
    /// Returns the line whose edit fixed the failure, before and after, if it was one short line.
    fn edited_line(&self, fix: &FailureFix) -> Option<(String, String)> {
        let between = self.steps.iter().take(fix.fixed_at).skip(fix.failed_at);
        let mut hunks = between.filter_map(|placed| match placed.entry.activity() {
            Activity::Edited { hunks, .. } => Some(hunks),
            _ => None,
        });
        match (hunks.next()?.as_slice(), hunks.next()) {
            ([hunk], None) => changed_line(hunk),
            _ => None,
        }
    }
}

/// Names the one command that put a failure right, where there is room for it.
fn with_fix(title: &str, fix: &FixDetails) -> String {
    let title = title.replacen(": error: ", ": ", 1);
    let both = match (fix.steps.commands.as_slice(), fix.steps.files.is_empty()) {
        ([command], true) => Some(format!("{title}; fixed by {}", bare(command))),
        _ => None,
    };
    // A title does not end with a dot, and `pip install -e .` does.
    both.filter(|both| both.chars().count() <= TITLE_CHARS && !both.ends_with('.')).unwrap_or(title)
}

/// A command without what only leads to it or shortens what it prints: `cd app && npm ci 2>&1 | tail -5` is `npm ci`.
fn bare(command: &str) -> &str {
    let is_lead =
        |part: &str| ["cd ", "source ", ". "].iter().any(|lead| part.trim_start().starts_with(lead));
    let mut rest = command;
    while let Some((_, after)) = rest.split_once("&&").filter(|(lead, _)| is_lead(lead)) {
        rest = after.trim_start();
    }
    let shown = [" | tail", " | head"].iter().filter_map(|pipe| rest.rfind(pipe)).min().unwrap_or(rest.len());
    let rest = rest.get(..shown).unwrap_or(rest).trim();
    rest.strip_suffix("2>&1").unwrap_or(rest).trim_end()
}

fn failing_tests(run: &TestRun) -> Vec<String> {
    run.failing.iter().take(MOST_NAMED).cloned().collect()
}

/// Returns the line a hunk changes, before and after, if it is one short line.
fn changed_line(hunk: &Hunk) -> Option<(String, String)> {
    let before: Vec<&str> =
        hunk.before.lines().filter(|line| !hunk.after.lines().any(|kept| kept == *line)).collect();
    let after: Vec<&str> =
        hunk.after.lines().filter(|line| !hunk.before.lines().any(|kept| kept == *line)).collect();
    let ([before], [after]) = (before.as_slice(), after.as_slice()) else { return None };
    let is_short = before.len().max(after.len()) <= 120;
    is_short.then(|| (before.trim().to_owned(), after.trim().to_owned()))
}

/// The steps of the recent turns of a session, in order.
pub(super) fn steps_of_turns<'a>(turns: &'a [Turn<'a>]) -> impl Iterator<Item = PlacedStep<'a>> {
    let recent = turns.len().saturating_sub(crate::session_findings::RECENT_TURNS);
    let recent = turns.iter().enumerate().skip(recent);
    recent.flat_map(|(turn, of)| steps_of(of).map(move |(entry, step)| PlacedStep { turn, entry, step }))
}

/// The edits of a turn and its commands of which the host says how they ended, in order.
fn steps_of<'a>(turn: &'a Turn<'a>) -> impl Iterator<Item = (&'a TranscriptEntry, FailureStep<'a>)> {
    let mut commands = turn.commands();
    turn.entries.iter().filter_map(move |entry| match entry.activity() {
        Activity::Edited { file, .. } => Some((entry, FailureStep::Edit { file })),
        Activity::Ran { .. } => {
            let (_, ran) = commands.next()?;
            let has_ended = matches!(ran.status, ExitStatus::Success | ExitStatus::Failure);
            has_ended.then_some((entry, FailureStep::Command(ran)))
        }
        _ => None,
    })
}

fn edited(attempts: &[FixAttempt]) -> Vec<String> {
    let files = attempts.iter().filter_map(|attempt| match attempt {
        FixAttempt::Edit(file) => Some(file.clone()),
        FixAttempt::Command(_) => None,
    });
    files.take(MOST_NAMED).collect()
}

/// Returns what was done about a failure.
pub(super) fn fix_steps(attempts: &[FixAttempt]) -> FixSteps {
    let commands = attempts.iter().filter_map(|attempt| match attempt {
        FixAttempt::Command(command) => Some(first_chars(command.trim(), 120).to_owned()),
        FixAttempt::Edit(_) => None,
    });
    FixSteps { files: edited(attempts), commands: commands.take(3).collect() }
}

/// A failure as a person reads it.
struct FailureDisplay {
    title: String,
    /// The line of the output that says what failed.
    error_line: String,
    /// The output lines around the error line.
    excerpt: String,
    /// The failing test, for assertions only: two tests that expected another number failed for two different reasons.
    test: String,
    /// The first failing test, for every class of failure.
    failing: String,
}

impl FailureDisplay {
    fn as_flaky(&self) -> String {
        format!("Flaky: {}", self.failing.rsplit(" > ").next().unwrap_or(&self.failing))
    }

    fn from_run(ran: &CommandRun<'_>, signature: &FailureSignature) -> FailureDisplay {
        let said = signature.title.split_once(": ").map_or(signature.title.as_str(), |(_, said)| said);
        let lines: Vec<&str> =
            ran.output.lines().map(without_progress).filter(|line| !line.trim().is_empty()).collect();
        let alike = |line: &str| (jaccard(line, said) * 1000.0) as u64;
        let closest = lines.iter().enumerate().max_by_key(|(at, line)| (alike(line), Reverse(*at)));
        let (at, line) = closest.map_or((0, ""), |(at, line)| (at, line.trim()));
        let excerpt =
            lines.iter().skip(at.saturating_sub(2)).take(EXCERPT_LINES).copied().collect::<Vec<_>>();
        let failing = ran.test_run().and_then(|run| run.failing.first()).cloned();
        let failing = failing.or_else(|| panicking_test(lines.get(..at)?)).unwrap_or_default();
        let test = if signature.class == FailureClass::Assertion { failing.clone() } else { String::new() };
        let title = match () {
            () if !test.is_empty() => format!("{test}: {line}"),
            // Two values that differ say nothing without the test that compares them.
            () if line.starts_with("assertion") && !failing.is_empty() => format!("{failing}: {line}"),
            // The signature leaves out what varies; a person would rather see it.
            () if !line.is_empty() => {
                let line = without_place(without_error_code(line));
                let is_sign = |c: char| c == ' ' || !c.is_ascii() && !c.is_alphanumeric();
                format!("{}: {}", signature.task, line.trim_start_matches(is_sign))
            }
            () => signature.title.clone(),
        };
        FailureDisplay {
            title,
            error_line: line.to_owned(),
            excerpt: cap(&excerpt.join("\n"), EXCERPT_BYTES).text,
            test,
            failing,
        }
    }
}

/// `thread 'clock::tests::ticks' panicked at …`: the test that the line after it is about.
fn panicking_test(before: &[&str]) -> Option<String> {
    let (_, name) = before.last()?.split_once("thread '")?;
    name.split_once('\'').filter(|(_, rest)| rest.contains("panicked at")).map(|(name, _)| name.to_owned())
}

/// Drops what stands before the message itself: `error[E0061]: `, and pytest's `E `.
fn without_error_code(line: &str) -> &str {
    let line = line.trim_start_matches("E ").trim();
    let coded = line.split_once("]: ").filter(|(code, _)| code.starts_with("error[") && !code.contains(' '));
    coded.map_or(line, |(_, said)| said)
}

/// Drops the file and the line that a linter puts before what it says, and the excerpt it puts behind: `docs/a.md:7:1 error …`.
fn without_place(line: &str) -> &str {
    let is_place = |token: &str| {
        token.split_once(':').is_some_and(|(path, rest)| {
            path.contains('.') && !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit() || c == ':')
        })
    };
    let said = line
        .split_once(' ')
        .filter(|(token, rest)| is_place(token) && rest.contains(' '))
        .map_or(line, |(_, rest)| rest);
    said.split(" [Context:").next().unwrap_or(said)
}

/// Returns the line of a failed command's output that says what failed, as it was printed.
pub(super) fn printed_error_line(ran: &CommandRun<'_>) -> Option<String> {
    let shown = FailureDisplay::from_run(ran, ran.signature()?);
    Some(shown.error_line).filter(|line| !line.is_empty())
}

const EXCERPT_LINES: usize = 6;
const EXCERPT_BYTES: usize = 600;
const MOST_NAMED: usize = 8;

/// Whether tests went from red to green in a turn, and which.
pub(super) fn turned_green(turn: &Turn<'_>) -> Option<Vec<String>> {
    let runs: Vec<&TestRun> = turn.commands().filter_map(|(_, ran)| ran.test_run()).collect();
    runs.iter().enumerate().find_map(|(at, before)| {
        runs.iter().skip(at + 1).find_map(|after| crate::red_to_green(before, after))
    })
}
