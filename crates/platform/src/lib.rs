//! What differs between operating systems, behind functions that read the same everywhere.
//!
//! Linux stands behind them for now. No other crate of the product says `os::unix` or `rustix`, so a port changes this crate alone.
//! Not here: what the files, sockets and processes are for. This crate uses nothing of ours.

mod browser;
mod clock_zone;
mod file_access;
mod file_identity;
mod full_screen;
mod local_socket;
mod path_bytes;
mod processes;
mod programs;
mod signals;
mod standard_input;
mod terminal;
mod user_dirs;

pub use browser::{has_screen, open_in_browser};
pub use clock_zone::utc_offset_minutes;
pub use file_access::{
    close_dir_to_others, close_file_to_others, copy_owner, create_private_dir, create_private_dirs,
    is_executable, is_open_to_others, is_owned_by_us, is_write_protected, make_executable, no_follow,
    no_follow_no_wait, open_own_file, open_users_file, private, read_own_file, restrict_umask,
    try_lock_private,
};
pub use file_identity::FileIdentity;
pub use full_screen::{note_end_signals, open_terminal, stop_until_continued, terminal_output};
pub use local_socket::{LocalStream, connect_without_waiting, is_peer_same_user, peer_process_id};
pub use path_bytes::{path_bytes, path_from_bytes};
pub use processes::{
    ProcessIdentity, ancestry, in_own_group, kill_group, kill_own_group, leads_own_group, parent_process_id,
    resident_bytes,
};
pub use programs::{MachineProgram, find_program, variables_with_prefix};
pub use signals::survive_file_size_limit;
pub use standard_input::stdin_is_ready;
pub use terminal::{has_terminal, read_key};
pub use user_dirs::UserDirs;
