//! Gives up on a hub that accepts everything and answers nothing.

use crate::SyncError;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Talks to a hub, and gives up when it has not answered for `timeout`; `talk` calls its argument after every answer.
///
/// No call to a hub can be cancelled from outside, so `talk` runs in a thread of its own, which is left behind and ends with the process.
/// Nothing is lost by that: a change is noted as pushed only after the hub has committed it.
pub fn with_hub_timeout<T, E>(
    timeout: Duration,
    talk: impl FnOnce(&dyn Fn()) -> Result<T, E> + Send + 'static,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<SyncError> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let answer = talk(&|| drop(sender.send(None)));
        drop(sender.send(Some(answer)));
    });
    final_answer(timeout, |timeout| receiver.recv_timeout(timeout))
}

/// Waits for the final answer. Every answer before it starts the timeout again.
fn final_answer<T, E: From<SyncError>>(
    timeout: Duration,
    mut next: impl FnMut(Duration) -> Result<Option<Result<T, E>>, RecvTimeoutError>,
) -> Result<T, E> {
    loop {
        match next(timeout) {
            Ok(None) => {}
            Ok(Some(answer)) => return answer,
            Err(RecvTimeoutError::Timeout) => return Err(SyncError::HubSilent.into()),
            Err(RecvTimeoutError::Disconnected) => return Err(SyncError::BrokenOff.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silence_as_long_as_the_timeout_ends_the_wait_whatever_came_before() {
        let timeout = Duration::from_secs(90);
        let (mut waits, mut answers) =
            (Vec::new(), [Ok(None), Ok(None), Err(RecvTimeoutError::Timeout)].into_iter());
        let outcome = final_answer::<(), SyncError>(timeout, |wait| {
            waits.push(wait);
            answers.next().expect("nobody is waited for twice")
        });
        assert!(matches!(outcome, Err(SyncError::HubSilent)));
        assert_eq!(waits, [timeout; 3]);
    }
}
