//! Signals that would end the process at a moment of their choice.

/// Makes a file size limit an error we can handle instead of a signal that kills us. If it cannot be set, it kills us as before.
#[cfg(unix)]
pub fn survive_file_size_limit() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    drop(signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false))));
}

/// Does nothing: there is no such limit.
#[cfg(windows)]
pub fn survive_file_size_limit() {}
