//! Encodes one question and prints how long that took: run it under a process timer for the cold cost.
#![expect(clippy::print_stdout, reason = "an example for people")]

use backstory_embed::{Encoder, MiniLm};
use std::time::Instant;

fn main() {
    let started = Instant::now();
    let question = "how did we fix the database migration that failed on startup";
    let vector = MiniLm::load().encode_query(question);
    println!("{:?} {:?}", started.elapsed(), vector.map(|vector| vector.values()[0]));
}
