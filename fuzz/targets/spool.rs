//! See `backstory_fuzz::spool`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| backstory_fuzz::spool(bytes));
