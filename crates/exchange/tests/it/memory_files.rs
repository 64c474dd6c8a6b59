//! Importing memory files.

use crate::fixtures::{CollectedItems, machine};
use crate::repository::TestRepository;
use backstory_exchange::{ImportSource, ImportedMemory, ImportedProject, SearchPaths, SourceInstance};
use backstory_memory::{Category, Confidence, Kind, MemoryScope, Provenance, TITLE_CHARS};
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A home with a project in it.
struct MemoryFilesHome {
    keep: TempDir,
}

impl MemoryFilesHome {
    fn make() -> MemoryFilesHome {
        MemoryFilesHome { keep: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.keep.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn instances(&self) -> Vec<SourceInstance> {
        let search = SearchPaths { projects: vec![self.path("project")], ..machine(&self.path("")) };
        ImportSource::Markdown.locate(&search)
    }

    fn names(&self) -> Vec<String> {
        let home = self.path("");
        let name = |instance: &SourceInstance| {
            instance.path.strip_prefix(&home).unwrap().to_string_lossy().into_owned()
        };
        self.instances().iter().map(name).collect()
    }

    /// Reads a project's only memory file.
    fn read(&self, text: &str) -> CollectedItems {
        self.write("project/CLAUDE.md", text);
        CollectedItems::read(&self.instances()[0]).unwrap()
    }
}

#[test]
fn every_memory_file_is_found_and_nothing_else() {
    let home = MemoryFilesHome::make();
    let wanted = [
        ".claude/CLAUDE.md",
        ".config/opencode/AGENTS.md",
        ".codex/AGENTS.md",
        ".gemini/GEMINI.md",
        ".claude/rules/all.md",
        "project/CLAUDE.md",
        "project/CLAUDE.local.md",
        "project/.claude/CLAUDE.md",
        "project/AGENTS.md",
        "project/GEMINI.md",
        "project/.github/copilot-instructions.md",
        "project/.rules",
        "project/.claude/rules/store.md",
        "project/.cursor/rules/store.mdc",
        "project/.windsurf/rules/store.md",
        "project/.clinerules/store.md",
        "project/memory-bank/deep/more.md",
        "project/memory-bank/progress.md",
        ".claude/projects/-somewhere/memory/MEMORY.md",
    ];
    let others =
        ["project/README.md", "project/.cursor/rules/notes.txt", "project/src/CLAUDE.md", ".claude/notes.md"];
    wanted.iter().chain(&others).for_each(|name| home.write(name, "Something that people wrote down"));
    home.write("project/.cursor/rules/empty.mdc", "");
    assert_eq!(home.names(), wanted);
    assert!(home.instances().iter().all(|instance| instance.path.starts_with(home.path("project"))
        == (instance.scope == MemoryScope::Project)
        || instance.path.ends_with("MEMORY.md")));
    assert_eq!(ImportSource::Markdown.locate(&SearchPaths::default()), [], "nobody said where the home is");
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_not_followed() {
    let home = MemoryFilesHome::make();
    home.write("project/AGENTS.md", "The one that people wrote");
    home.write("elsewhere/keys.md", "Nobody's business");
    let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, home.path(name)).unwrap();
    link(Path::new("AGENTS.md"), "project/CLAUDE.md");
    link(&home.path("elsewhere/keys.md"), "project/GEMINI.md");
    fs::create_dir_all(home.path("project/memory-bank")).unwrap();
    link(&home.path("elsewhere"), "project/memory-bank/out");
    link(&home.path("project/memory-bank"), "project/memory-bank/round");
    assert_eq!(home.names(), ["project/AGENTS.md"]);
}

#[test]
fn a_section_becomes_knowledge_anchored_to_its_file() {
    let Some(repository) = TestRepository::make() else { return };
    let package = repository.root.join("packages/store");
    fs::create_dir_all(package.join(".cursor/rules")).unwrap();
    let text = "---\ndescription: \"How rows are written\"\nglobs: src/**\n---\n\n# Rows\n\n## Writing rows\n\nAlways in one transaction.\n\n```sql\n# no heading\nBEGIN IMMEDIATE\n```\n";
    fs::write(package.join(".cursor/rules/rows.mdc"), text).unwrap();
    let search = SearchPaths { projects: vec![package.clone()], ..SearchPaths::default() };
    let instances = ImportSource::Markdown.locate(&search);
    let CollectedItems { memories, skipped } = CollectedItems::read(&instances[0]).unwrap();
    let [memory] = memories.as_slice() else { panic!("{memories:?}") };
    let content = &memory.content;
    assert_eq!(memory.name, "packages/store/.cursor/rules/rows.mdc > Rows > Writing rows");
    assert_eq!(
        (content.title.as_str(), content.kind),
        ("Writing rows: Always in one transaction", Kind::Fact)
    );
    assert_eq!(content.body, "Always in one transaction.\n\n```sql\n# no heading\nBEGIN IMMEDIATE\n```");
    assert_eq!(content.files, ["packages/store/.cursor/rules/rows.mdc"]);
    assert_eq!(
        (memory.project.clone(), content.scope, content.provenance.clone()),
        (ImportedProject::Folder(package), MemoryScope::Project, Provenance::Import)
    );
    assert_eq!(content.category, Some(Category("rules-file".to_owned())), "the host gives it");
    assert!(
        content.confidence < Confidence::DISTILLED,
        "and it need not be given again when a session starts"
    );
    assert!(memory.created_at.0 > 0);
    assert_eq!(skipped, ["says too little"], "a description alone");
}

#[test]
fn memory_files_of_the_user_apply_to_every_project() {
    let home = MemoryFilesHome::make();
    home.write(
        ".claude/CLAUDE.md",
        "# Me\n\n## Answers\n\nShort answers, in British English, without any praise at all.\n",
    );
    let instances = home.instances();
    let memories = CollectedItems::read(&instances[0]).unwrap().memories;
    assert_eq!((memories[0].content.scope, instances[0].scope), (MemoryScope::User, MemoryScope::User));
    assert_eq!(
        memories[0].content.title,
        "Answers: Short answers, in British English, without any praise at all"
    );
}

#[test]
fn titles_make_sense_without_their_section() {
    let home = MemoryFilesHome::make();
    let list = "- Work in small steps, each with a test of its own\n- Ask before anything is deleted\n";
    let items = home.read(&format!(
        "# Thing\n\nA thing that turns notes into pages for readers.\n\n## Environment\n\n{list}\n## 2. **How** we `write` errors 🎉\n\n{list}\n\
         ## Traps\n\n### Cached pages\n\nIt is filled when the program starts and never again, so that a page that was added later on is only seen after the next start of it.\n\n\
         ### Ports\n\nThe port is chosen by the machine and written to a file in the folder for running things, where the tests look for it; never expect the usual one to be free there.\n",
    ));
    let expected = [
        "Thing: A thing that turns notes into pages for readers",
        "Environment (CLAUDE.md)",
        "How we write errors",
        "Traps: Cached pages",
        "Traps: Ports",
    ];
    assert_eq!(items.titles(), expected);
    let memories = home.read("# 覚え書き\n\n## 規約\n\n取引は必ず一つの書き込みにまとめる。\n").memories;
    assert_eq!(memories.len(), 1, "not every language puts spaces between words");
}

#[test]
fn short_sections_stay_in_the_one_they_stand_in() {
    let home = MemoryFilesHome::make();
    let items = home
        .read("# Thing\n\n## Commands\n\n### Build\n\n```\nmake\n```\n\n### Test\n\n```\nmake test\n```\n");
    assert_eq!(items.titles(), ["Commands (CLAUDE.md)"]);
    assert_eq!(
        items.memories[0].content.body,
        "### Build\n\n```\nmake\n```\n\n### Test\n\n```\nmake test\n```"
    );
}

#[test]
fn long_items_of_a_list_become_one_memory_each() {
    let home = MemoryFilesHome::make();
    let why = "because two writers met there once and the later of them won, which took us a week to instance out and another to mend";
    let list = format!(
        "- **Lock before the copy**: {why}\n- Keep the log beside the store {why}. Then go on.\n- Never write through a link, {why}\n  and never follow one\n"
    );
    let memories = home.read(&format!("# Thing\n\n## What we learnt\n\n{list}")).memories;
    assert_eq!(memories.len(), 3);
    assert_eq!(memories[0].content.title, "Lock before the copy");
    assert!(
        memories[1].content.title.starts_with("Keep the log beside the store because two"),
        "{memories:?}"
    );
    assert!(memories[2].content.body.ends_with("and never follow one"));
    let memories = home.read(&format!("# Thing\n\n## What we learnt\n\nFirst of all:\n\n{list}")).memories;
    assert_eq!(memories.len(), 1, "what is said before a list belongs to it");
}

#[test]
fn generated_and_empty_sections_are_skipped() {
    let home = MemoryFilesHome::make();
    let items = home.read(
        "# Thing\n\n[![build](https://example.org/a.svg)](https://example.org)\n@docs/more.md\n\n\
         <!-- backstory:begin -->\n## Of ours\n\nThis was written by a program and will be again.\n<!-- backstory:end -->\n\n\
         <other-mem-context>\n## Recent\n\nThis was written by another program and will be again.\n</other-mem-context>\n\n\
         <!-- a note to people who\nedit this file -->\n\n## Contents\n\n- [One](#one)\n- [Two](#two)\n\n## Licence\n\nYou may do with it what you like as long as you say so.\n\n\
         ## More\n\nSee the guide.\n\n## One\n\n<!-- begin of nothing -->\nThere is one thing that everybody has to know about this.\n",
    );
    assert_eq!(items.titles(), ["One: There is one thing that everybody has to know about this"]);
    let expected = [
        "written by a program",
        "written by a program",
        "a list of links",
        "about the file itself",
        "says too little",
    ];
    assert_eq!(items.skipped, expected);
}

#[test]
fn decisions_and_the_state_of_work_become_different_kinds() {
    let home = MemoryFilesHome::make();
    let line = "We keep pages in one file, since nobody wanted to run a server for them.";
    home.write(
        "project/memory-bank/systemPatterns.md",
        &format!("# Patterns\n\n## Key decisions\n\n{line}\n\n## Layers\n\n{line}\n"),
    );
    home.write("project/memory-bank/activeContext.md", &format!("# Now\n\n## Focus\n\n{line}\n"));
    let kinds = |instance: &SourceInstance| {
        CollectedItems::read(instance)
            .unwrap()
            .memories
            .iter()
            .map(|memory| (memory.content.kind, memory.content.category.clone()))
            .collect::<Vec<_>>()
    };
    let instances = home.instances();
    assert_eq!(kinds(&instances[0]), [(Kind::Note, None)]);
    assert_eq!(kinds(&instances[1]), [(Kind::Decision, None), (Kind::Fact, None)]);
}

#[test]
fn claude_code_memories_belong_to_the_project_of_their_sessions() {
    let home = MemoryFilesHome::make();
    let note = "# Notes\n\n## Ports\n\nThe tests take any port that is free and write it down.\n";
    home.write(".claude/projects/-a-b/memory/ports.md", note);
    home.write(".claude/projects/-c-d/memory/MEMORY.md", note);
    let session = r#"{"type":"user","uuid":"1","sessionId":"s","timestamp":"2025-01-01T00:00:00Z","cwd":"/c/d","message":{"role":"user","content":"Look at the ports"}}"#;
    home.write(".claude/projects/-c-d/s.jsonl", &format!("not json\n{session}\n"));
    let instances = home.instances();
    assert_eq!(CollectedItems::read(&instances[0]).unwrap_err().to_string(), "its project is not known");
    let memories = CollectedItems::read(&instances[1]).unwrap().memories;
    assert_eq!(memories[0].project, ImportedProject::Folder("/c/d".into()));
    assert_eq!(memories[0].content.files, [instances[1].path.to_string_lossy()]);
}

#[test]
fn a_fingerprint_changes_with_the_text_and_other_files_are_refused() {
    let home = MemoryFilesHome::make();
    home.write("project/CLAUDE.md", "One thing that everybody has to know about this.");
    let before = home.instances();
    home.write("project/CLAUDE.md", "One thing that everybody has to know about this.");
    assert_eq!(home.instances()[0].fingerprint, before[0].fingerprint);
    home.write("project/CLAUDE.md", "Another thing that everybody has to know about this.");
    assert_ne!(home.instances()[0].fingerprint, before[0].fingerprint);
    fs::write(home.path("project/CLAUDE.md"), b"\xff\xfe\0").unwrap();
    assert_eq!(CollectedItems::read(&home.instances()[0]).unwrap_err().to_string(), "not UTF-8");
    home.write("project/CLAUDE.md", &"word ".repeat(300_000));
    assert_eq!(
        CollectedItems::read(&home.instances()[0]).unwrap_err().to_string(),
        "too long for a memory file"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_file_is_read_to_its_end_and_the_same_way_twice(
        lines in prop::collection::vec(prop_oneof![
            "[ -~]{0,60}", "#{1,7} .{0,30}", Just("```".to_owned()), Just("<!-- x:begin -->".to_owned()),
            Just("<!-- x:end -->".to_owned()), Just("---".to_owned()), "- \\PC{0,200}", Just(String::new()),
        ], 0..40),
    ) {
        let home = MemoryFilesHome::make();
        home.write("project/CLAUDE.md", &format!("{}\n.", lines.join("\n")));
        let instance = home.instances().remove(0);
        let memories = CollectedItems::read(&instance).unwrap().memories;
        for memory in &memories {
            prop_assert!(!memory.content.title.is_empty(), "{:?}", memory);
            prop_assert!(memory.content.title.chars().count() <= TITLE_CHARS);
        }
        let names = |memories: &[ImportedMemory]| memories.iter().map(|memory| memory.name.clone()).collect::<Vec<_>>();
        let mut unique = names(&memories);
        unique.sort();
        unique.dedup();
        prop_assert_eq!(unique.len(), memories.len());
        prop_assert_eq!(names(&CollectedItems::read(&instance).unwrap().memories), names(&memories));
    }
}
