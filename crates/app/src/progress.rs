//! What a long request reports while it runs: how far it is, and notes for the user.

/// How far a long request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkProgress {
    /// What is counted, in the plural.
    pub unit: &'static str,
    /// How many are done.
    pub done: u64,
    /// How many there are; 0 if that is not known.
    pub total: u64,
}

/// Called with how far a long request is.
pub type OnProgress<'a> = &'a mut dyn FnMut(WorkProgress);

/// Called with a note for the user while a request runs.
pub type OnNote<'a> = &'a dyn Fn(&str);

/// Returns what counts one unit of a request towards its total.
pub(crate) fn count<'a>(
    on_progress: OnProgress<'a>,
    unit: &'static str,
    total: u64,
) -> impl FnMut(u64) + use<'a> {
    move |done| on_progress(WorkProgress { unit, done, total })
}
