//! Which failure was followed by what fixed it, in the steps of one turn.
//!
//! A failure is over when the same command, by its name, succeeds. What fixed it is what happened between its last
//! appearance and the next run of that command. Not here: storing the pair, and counting across sessions.

use super::{CommandRun, FailureSignature};

/// How many failures are followed at once, and how many attempts are kept of each.
const MOST: usize = 64;
/// Seen this often, a failure is a pattern worth warning of.
const RULE_OF_THREE: u32 = 3;

/// One step of a turn.
#[derive(Clone, Copy, Debug)]
pub enum FailureStep<'a> {
    /// A command ran.
    Command(&'a CommandRun<'a>),
    /// A file was written or changed.
    Edit {
        /// The file, as the host names it.
        file: &'a str,
    },
}

/// What was done about a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixAttempt {
    /// This file was changed.
    Edit(String),
    /// This command ran and succeeded.
    Command(String),
}

/// A failure and what fixed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureFix {
    /// What failed.
    pub signature: FailureSignature,
    /// How often it appeared in this turn.
    pub times: u32,
    /// What was tried before its last appearance and did not help.
    pub tried: Vec<FixAttempt>,
    /// What was done after it; empty when the command passed on its own, as flaky tests do.
    pub by: Vec<FixAttempt>,
    /// The step at which it first appeared.
    pub first_at: usize,
    /// The step at which it last appeared.
    pub failed_at: usize,
    /// The step that succeeded.
    pub fixed_at: usize,
}

/// A failure that nothing fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenFailure {
    /// What failed.
    pub signature: FailureSignature,
    /// How often it appeared in this turn.
    pub times: u32,
    /// What was tried.
    pub tried: Vec<FixAttempt>,
    /// The step at which it first appeared.
    pub first_at: usize,
    /// The step at which it last appeared.
    pub failed_at: usize,
}

/// The failures of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairedFailures {
    /// Those that were fixed, in the order they were.
    pub fixed: Vec<FailureFix>,
    /// Those that did not.
    pub open: Vec<OpenFailure>,
}

/// Pairs each failure with what fixed it.
#[must_use]
pub fn pair(steps: &[FailureStep<'_>]) -> PairedFailures {
    let mut pairing = Pairing::default();
    for (at, step) in steps.iter().enumerate() {
        match step {
            FailureStep::Edit { file } => pairing.attempt(&FixAttempt::Edit((*file).to_owned())),
            FailureStep::Command(ran) if ran.failed() => pairing.failure(ran, at),
            FailureStep::Command(ran) => pairing.success(ran, at),
        }
    }
    let open = pairing.open.into_iter().map(Following::into_open).collect();
    PairedFailures { fixed: pairing.fixed, open }
}

/// Whether a failure seen this often should be promoted to a pattern.
#[must_use]
pub fn should_promote(times_seen: u32) -> bool {
    times_seen >= RULE_OF_THREE
}

#[derive(Default)]
struct Pairing {
    open: Vec<Following>,
    fixed: Vec<FailureFix>,
}

/// A failure being followed.
struct Following {
    signature: FailureSignature,
    command: String,
    times: u32,
    tried: Vec<FixAttempt>,
    since: Vec<FixAttempt>,
    first_at: usize,
    failed_at: usize,
    /// Whether the command has since failed of something else: the attempts to fix this one are complete.
    is_past: bool,
}

impl Pairing {
    fn attempt(&mut self, attempt: &FixAttempt) {
        for following in self.open.iter_mut().filter(|following| !following.is_past) {
            if following.since.len() < MOST && !following.since.contains(attempt) {
                following.since.push(attempt.clone());
            }
        }
    }

    fn failure(&mut self, ran: &CommandRun<'_>, at: usize) {
        let Some(signature) = ran.signature() else { return };
        let mut is_known = false;
        for following in self.open.iter_mut().filter(|following| following.signature.task == signature.task) {
            if following.signature.digest == signature.digest {
                following.again(at);
                is_known = true;
            } else if !following.since.is_empty() {
                following.is_past = true;
            }
        }
        if !is_known && self.open.len() < MOST {
            self.open.push(Following::first(signature.clone(), ran.command, at));
        }
    }

    fn success(&mut self, ran: &CommandRun<'_>, at: usize) {
        let (over, still): (Vec<Following>, Vec<Following>) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(|following| ran.runs(&following.signature.task));
        self.open = still;
        for mut following in over {
            // Nothing was done but to say the command otherwise: that is what helped.
            if following.since.is_empty() && adds_to(&following.command, ran) {
                following.since.push(FixAttempt::Command(ran.command.trim().to_owned()));
            }
            self.fixed.push(following.into_fix(at));
        }
        if ran.task().is_some() {
            self.attempt(&FixAttempt::Command(ran.command.trim().to_owned()));
        }
    }
}

impl Following {
    fn first(signature: FailureSignature, command: &str, at: usize) -> Following {
        let (tried, since, command) = (Vec::new(), Vec::new(), command.to_owned());
        Following { signature, command, times: 1, tried, since, first_at: at, failed_at: at, is_past: false }
    }

    /// It is back: what was done since did not help.
    fn again(&mut self, at: usize) {
        self.times = self.times.saturating_add(1);
        let room = MOST.saturating_sub(self.tried.len());
        self.tried.extend(self.since.drain(..).take(room));
        self.failed_at = at;
        self.is_past = false;
    }

    fn into_fix(self, at: usize) -> FailureFix {
        let Following { signature, times, tried, since: by, first_at, failed_at, .. } = self;
        FailureFix { signature, times, tried, by, first_at, failed_at, fixed_at: at }
    }

    fn into_open(mut self) -> OpenFailure {
        self.tried.append(&mut self.since);
        let Following { signature, times, tried, first_at, failed_at, .. } = self;
        OpenFailure { signature, times, tried, first_at, failed_at }
    }
}

/// Whether a command that passed is the one that failed with a setting, `sudo` or a flag added to it. A flag may make a test
/// run run less, and is no fix of what fails there.
fn adds_to(failed: &str, passed: &CommandRun<'_>) -> bool {
    let is_test = passed.test_run().is_some();
    let is_setting = |word: &str| {
        let name = word.split_once('=').map(|(name, _)| name);
        word == "sudo" || word == "env" || name.is_some_and(|name| name.bytes().all(is_in_name))
    };
    let mut old = failed.split_whitespace().peekable();
    let mut added = 0;
    for word in passed.command.split_whitespace() {
        if old.peek() == Some(&word) {
            old.next();
        } else if is_setting(word) || (!is_test && word.starts_with('-')) {
            added += 1;
        } else {
            return false;
        }
    }
    added > 0 && old.next().is_none()
}

fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
}
