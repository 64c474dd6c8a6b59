//! See `backstory_fuzz::private_tags`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| backstory_fuzz::private_tags(bytes));
