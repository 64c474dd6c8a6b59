//! See `backstory_fuzz::redactor`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| backstory_fuzz::redactor(bytes));
