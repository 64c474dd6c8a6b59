//! See `backstory_fuzz::fence`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| backstory_fuzz::fence(bytes));
