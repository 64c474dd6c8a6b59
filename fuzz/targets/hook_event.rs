//! See `backstory_fuzz::hook_event`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| backstory_fuzz::hook_event(bytes));
