//! See `backstory_fuzz::question`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| backstory_fuzz::question(bytes));
