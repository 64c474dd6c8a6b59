//! `hook`: what a host runs, hundreds of times a day. It must never hurt the host (law 1).
//!
//! Whatever happens: nothing on stdout but a reply, one line in our log, exit 0, and an end within the deadline.
//!
//! Not here: what a call does (`backstory_app::hook`).

use crate::ui::Ui;
use backstory_app::app::{home_of, now};
use backstory_app::hook::{Hook, HookClock, HookInvocation};
use backstory_app::{AppError, Environment, log};
use backstory_hosts::UnknownHost;
use backstory_platform::stdin_is_ready;
use serde::de::IgnoredAny;
use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// The time a hook has, unless the environment says otherwise.
const DEADLINE: Duration = Duration::from_secs(2);
/// The time-out hosts are configured with: no deadline may be longer.
const LONGEST_DEADLINE: Duration = Duration::from_secs(10);
/// The end of the time is kept for spooling the event and for the log.
const LAST_RESORT: Duration = Duration::from_millis(200);
/// The most bytes of a payload that are read into memory.
const MOST_PAYLOAD_BYTES: usize = 8 << 20;
/// How long a host may be silent after a whole payload before nothing more is expected.
const QUIET: Duration = Duration::from_millis(100);

/// What `hook --help` says. A host never asks for it, so that it may print.
const HELP: &str = "\
Captures one event of a host: hosts run this, people never need to.

Usage: backstory hook --host HOST [--event EVENT]

`backstory install` writes this line into the configuration of each host; the host then runs it
at every prompt, tool call and session start, with a JSON payload on standard input. It keeps the
event, and answers at the few moments at which a host accepts context. Whatever fails: it prints
nothing, writes a line into the log, exits 0, and ends within two seconds.

To see what hooks did:   backstory status
To test them for real:   backstory doctor
To see what they inject: backstory context
";

/// Explains what a hook is.
pub(crate) fn explain(ui: &Ui) -> ExitCode {
    // Nobody is left to tell when standard output is gone.
    drop(ui.raw(HELP));
    ExitCode::SUCCESS
}

/// Runs a hook. Whatever goes wrong stays here.
pub(crate) fn run(arguments: &[OsString], environment: Environment) {
    let (started, now) = (Instant::now(), now(&environment));
    let deadline = environment.hook_deadline().unwrap_or(DEADLINE).min(LONGEST_DEADLINE);
    // A model's program that we started runs hooks too: those must not be captured.
    let is_own_call = environment.is_inside();
    let home = home_of(&environment).ok();
    let (invocation, problem) = match invocation(arguments) {
        Ok(invocation) => (Some(invocation), None),
        Err(error) => (None, Some(error)),
    };
    let clock = HookClock { now, started, deadline };
    let hook = home
        .clone()
        .zip(invocation)
        .map(|(home, invocation)| Arc::new(Hook::new(invocation, environment, home, clock)));
    let _running = end_process_after(deadline, {
        let hook = hook.clone();
        move || {
            if let Some(hook) = hook {
                hook.keep_at_last();
                hook.log("gave up: the time was over");
            }
        }
    });
    // The payload is read whatever comes next: a host that cannot write it all would fail.
    let payload = read_payload();
    if is_own_call {
        return;
    }
    if let Some(hook) = hook {
        serve(&hook, payload);
    } else if let (Some(home), Some(problem)) = (home, problem) {
        log::line(&home, now, &format!("hook: {}", problem.line()));
    }
}

fn serve(hook: &Arc<Hook>, payload: std::io::Result<Vec<u8>>) {
    panic::set_hook(Box::new({
        let hook = hook.clone();
        // The location is enough; the message may hold what was said in the session.
        move |panic| {
            let location = panic.location().map(ToString::to_string).unwrap_or_default();
            hook.log(&format!("panicked at {location}"));
        }
    }));
    let payload = payload.map_err(|error| AppError::user("cannot read the payload").because(&error));
    match panic::catch_unwind(AssertUnwindSafe(|| hook.serve(payload?, write_reply))) {
        Ok(Ok(())) => {}
        Ok(Err(error)) => hook.log(&error.line()),
        // Whatever panicked is most likely not needed to keep the event.
        Err(_) => drop(panic::catch_unwind(AssertUnwindSafe(|| hook.keep_at_last()))),
    }
}

/// Writes the reply. A host that closed the pipe does not want it.
fn write_reply(reply: &str) {
    let mut out = std::io::stdout().lock();
    drop(out.write_all(reply.as_bytes()).and_then(|()| out.flush()));
}

/// Ends the process when the time is over, after the last resort. Dropping the sender calls it off.
fn end_process_after(deadline: Duration, last_resort: impl FnOnce() + Send + 'static) -> mpsc::Sender<()> {
    let (running, ended) = mpsc::channel::<()>();
    // Without a thread the host's own time-out is all there is.
    let watchdog = std::thread::Builder::new().spawn(move || {
        let time = deadline.saturating_sub(LAST_RESORT);
        if ended.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout) {
            // The disk may be what hangs, so the last resort gets a thread of its own that nobody joins.
            drop(std::thread::Builder::new().spawn(last_resort));
            let _over = ended.recv_timeout(LAST_RESORT);
            #[expect(clippy::exit, reason = "the host must not wait any longer")]
            std::process::exit(0);
        }
    });
    drop(watchdog);
    running
}

/// Reads `--host NAME` and `--event NAME`. clap would cost more than the rest of a capture.
fn invocation(arguments: &[OsString]) -> Result<HookInvocation, AppError> {
    let host = option(arguments, "--host").ok_or_else(|| AppError::usage("`hook` needs `--host`"))?;
    let host = host.parse().map_err(|error: UnknownHost| AppError::usage(error.to_string()))?;
    Ok(HookInvocation { host, event: option(arguments, "--event") })
}

/// Returns the value of an option, as `--name value` or `--name=value`.
fn option(arguments: &[OsString], name: &str) -> Option<String> {
    let mut rest = arguments.iter().map(|argument| argument.to_string_lossy());
    let joined = rest.by_ref().find_map(|argument| match argument.strip_prefix(name)? {
        "" => Some(None),
        value => value.strip_prefix('=').map(|value| Some(value.to_owned())),
    });
    joined?.or_else(|| rest.next().map(Into::into))
}

/// Reads standard input to its end, so that the host never sees a broken pipe, and keeps the first megabytes. A host that keeps its
/// end open is not waited for once the payload is whole.
fn read_payload() -> std::io::Result<Vec<u8>> {
    let mut input = std::io::stdin().lock();
    // At least as large as the buffer of `input`, which is then not used: what it held could not be waited for.
    let mut chunk = vec![0; 64 << 10];
    let mut payload = Vec::new();
    loop {
        let read = match input.read(&mut chunk) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read?,
        };
        let room = MOST_PAYLOAD_BYTES.saturating_sub(payload.len());
        payload.extend(chunk.iter().take(read.min(room)));
        // Nearly always the end is there at once, and nothing else is looked at.
        let is_over =
            read == 0 || (!stdin_is_ready(Duration::ZERO) && is_whole(&payload) && !stdin_is_ready(QUIET));
        if is_over {
            return Ok(payload);
        }
    }
}

/// Whether a payload is JSON to its end.
fn is_whole(payload: &[u8]) -> bool {
    payload.trim_ascii_end().ends_with(b"}") && serde_json::from_slice::<IgnoredAny>(payload).is_ok()
}
