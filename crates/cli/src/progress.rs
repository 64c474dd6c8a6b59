//! Progress of long work: on stderr, on a terminal only, and not before a quarter of a second has passed.

use backstory_app::progress::{OnProgress, WorkProgress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// Work that finishes sooner needs no bar.
const PATIENCE: Duration = Duration::from_millis(250);

/// Calls a long request with a bar, which is gone when it returns.
pub(crate) fn with_bar<T>(request: impl FnOnce(OnProgress<'_>) -> T) -> T {
    let mut bar: Option<Bar> = None;
    let answer = request(&mut |progress| match &mut bar {
        Some(bar) if bar.unit == progress.unit => bar.show(progress),
        _ => {
            let earlier = bar.replace(Bar::new(progress));
            earlier.into_iter().for_each(Bar::finish);
        }
    });
    bar.into_iter().for_each(Bar::finish);
    answer
}

/// A bar that shows itself when the work turns out to be long.
struct Bar {
    bar: ProgressBar,
    unit: &'static str,
    begun: Instant,
    /// Whether it was shown; without a terminal it stays hidden all the same.
    is_shown: bool,
}

impl Bar {
    fn new(WorkProgress { unit, done, total }: WorkProgress) -> Bar {
        let bar = if total == 0 { ProgressBar::no_length() } else { ProgressBar::new(total) };
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let template = match (unit, total) {
            (_, 0) => "{spinner} {human_pos} {msg} ({per_sec})",
            ("bytes", _) => {
                "{bar:30} {decimal_bytes}/{decimal_total_bytes} ({decimal_bytes_per_sec}, {eta} left)"
            }
            _ => "{bar:30} {human_pos}/{human_len} {msg} ({per_sec}, {eta} left)",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(unit);
        bar.set_position(done);
        Bar { bar, unit, begun: Instant::now(), is_shown: false }
    }

    fn show(&mut self, progress: WorkProgress) {
        if !self.is_shown && self.begun.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.is_shown = true;
        }
        self.bar.set_position(progress.done);
    }

    fn finish(self) {
        self.bar.finish_and_clear();
    }
}
