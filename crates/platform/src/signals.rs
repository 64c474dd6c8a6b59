//! Signals that would end the process at a moment of their choice.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Makes a file size limit an error we can handle instead of a signal that kills us. If it cannot be set, it kills us as before.
pub fn survive_file_size_limit() {
    drop(signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false))));
}
