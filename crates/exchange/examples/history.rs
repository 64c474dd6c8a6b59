//! Prints what an import would make of a repository: `cargo run -p backstory-exchange --example history -- PATH [COUNT]`.

#![allow(clippy::print_stdout, reason = "printing is all an example does")]

use backstory_exchange::{ImportItem, ImportSource, SearchPaths};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = PathBuf::from(arguments.next().unwrap_or_else(|| ".".to_owned()));
    let count: usize = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(10);
    for source in [ImportSource::Git, ImportSource::Markdown] {
        let search = SearchPaths { projects: vec![path.clone()], ..SearchPaths::default() };
        for instance in source.locate(&search) {
            let mut memories = Vec::new();
            let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
            let read = instance.read(&mut |found| match found {
                ImportItem::Memory(memory) => memories.push(memory),
                ImportItem::Skipped(why) => *skipped.entry(why).or_default() += 1,
            });
            println!(
                "{source} {}: {} memories, left out: {skipped:?} {read:?}",
                instance.path.display(),
                memories.len()
            );
            let every = (memories.len() / count.max(1)).max(1);
            for memory in memories.iter().step_by(every) {
                let content = &memory.content;
                let files = content.files.len();
                println!(
                    "- {} [{}] {} · {} files · {:?}",
                    content.kind,
                    content.importance.get(),
                    content.title,
                    files,
                    content.facts
                );
                content.body.lines().take(3).for_each(|line| println!("    {line}"));
            }
        }
    }
}
