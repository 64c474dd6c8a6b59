//! Giving up on a hub that takes everything and says nothing.

use crate::app::App;
use crate::failure::{ErrorCode, Failure};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// What it is called that a hub was given up.
pub(crate) const HUB_SILENT: ErrorCode = ErrorCode::HubSilent;

/// Talks to a hub, and gives it up once it has said nothing for as long as we are patient; `talk` calls its last argument whenever there was
/// an answer. No call to a hub can be broken off from outside, so who was talking is left behind in a thread of its own and ends with the
/// process: nothing is lost by that.
pub(crate) fn with_hub_timeout<T: Send + 'static>(
    app: &App,
    talk: impl FnOnce(&App, &dyn Fn()) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (send, received) = mpsc::channel();
    let theirs = app.clone();
    std::thread::spawn(move || {
        let answer = talk(&theirs, &|| drop(send.send(None)));
        drop(send.send(Some(answer)));
    });
    final_answer(app.config.team.patience(), |timeout| received.recv_timeout(timeout))
}

/// Waits for the last word, and for every word before it as long as for the first.
fn final_answer<T>(
    timeout: Duration,
    mut next: impl FnMut(Duration) -> Result<Option<Result<T, Failure>>, RecvTimeoutError>,
) -> Result<T, Failure> {
    loop {
        match next(timeout) {
            Ok(None) => {}
            Ok(Some(answer)) => return answer,
            Err(RecvTimeoutError::Timeout) => return Err(silent()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::internal("talking to the team's hub broke off"));
            }
        }
    }
}

fn silent() -> Failure {
    Failure::user("the team's hub does not answer any more")
        .hint("nothing is lost: it is pushed when the hub answers again")
        .hint("one that is only slow is given more time by `--set team.patience_seconds=SECONDS`")
        .with_code(HUB_SILENT)
}

/// Waits, whatever wakes us meanwhile.
pub(crate) fn wait(time: Duration) {
    let until = Instant::now() + time;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        std::thread::park_timeout(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_silence_as_long_as_our_patience_is_the_end_however_much_was_said_before() {
        let timeout = Duration::from_secs(90);
        let (mut waits, mut said) =
            (Vec::new(), [Ok(None), Ok(None), Err(RecvTimeoutError::Timeout)].into_iter());
        let outcome = final_answer::<()>(timeout, |wait| {
            waits.push(wait);
            said.next().expect("nobody is waited for twice")
        });
        assert_eq!(outcome.unwrap_err().code(), HUB_SILENT);
        assert_eq!(waits, [timeout; 3]);
    }
}
