//! See `backstory_fuzz::http_head`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| backstory_fuzz::http_head(bytes));
