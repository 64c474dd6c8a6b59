//! What differs between operating systems, behind functions that read the same everywhere.
//!
//! Linux, macOS and Windows stand behind them. No other crate of the product asks which system it is built for, so a port changes this
//! crate alone. Not here: what the files, sockets and processes are for. This crate uses nothing of ours.

mod browser;
mod child_group;
mod clock_zone;
mod file_access;
mod file_identity;
mod full_screen;
mod hook_shell;
#[cfg(feature = "listen")]
mod local_listener;
mod local_socket;
mod path_bytes;
mod path_spelling;
mod process_ancestry;
mod processes;
mod programs;
mod signals;
mod standard_input;
mod terminal;
#[cfg(unix)]
mod unix_files;
mod user_dirs;
#[cfg(windows)]
mod windows_files;

#[cfg(unix)]
use unix_files as system_files;
#[cfg(windows)]
use windows_files as system_files;

pub use browser::{has_screen, open_in_browser};
pub use child_group::{ChildGroup, detached};
pub use clock_zone::utc_offset_minutes;
pub use file_access::{
    create_private_dir, create_private_dirs, open_own_file, open_users_file, read_own_file, try_lock_private,
};
pub use file_identity::FileIdentity;
pub use full_screen::{note_end_signals, open_terminal, stop_until_continued, terminal_output};
pub use hook_shell::{
    NEVER_FAILS, ProgramOfLine, SHELL_KEY, WindowsShell, program_files, program_of_line, program_word,
    refusal_of_program, shell_of,
};
#[cfg(feature = "listen")]
pub use local_listener::{AcceptedStream, Admission, LocalListener, Termination};
pub use local_socket::{LONGEST_SOCKET_PATH, LocalStream, connect_without_waiting, listening_process_id};
pub use path_bytes::{path_bytes, path_from_bytes};
pub use path_spelling::{begins_with_drive, canonical, path_below, root_spellings, stored_path};
pub use process_ancestry::{ProcessIdentity, ancestry};
pub use processes::{kill_own_group, leads_own_group, parent_process_id, resident_bytes};
pub use programs::{MachineProgram, find_program, startable_program, variables_with_prefix};
pub use signals::survive_file_size_limit;
pub use standard_input::stdin_is_ready;
pub use system_files::{
    close_dir_to_others, close_file_to_others, copy_owner, is_executable, is_open_to_others, is_owned_by_us,
    is_write_protected, make_executable, make_way, no_follow, private, replace_file, restrict_umask,
    sync_dir,
};
pub use terminal::{has_terminal, read_key};
pub use user_dirs::{UserDirs, config_of_author};
