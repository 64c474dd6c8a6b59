//! What the code map finds in a small source of each language.

use backstory_capture::{CodeMapError, Language, symbols};
use backstory_memory::Symbol;
use std::fs;
use std::path::Path;

/// Each file holds a source and, below a line, kind, name, signature and lines of every symbol in it.
#[test]
fn every_symbol_of_a_source_is_found_in_each_language() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/codemap");
    for (language, name) in [
        (Language::Rust, "rust"),
        (Language::Python, "python"),
        (Language::TypeScript, "typescript"),
        (Language::JavaScript, "javascript"),
        (Language::Go, "go"),
        (Language::Java, "java"),
        (Language::C, "c"),
        (Language::Cpp, "cpp"),
        (Language::Ruby, "ruby"),
        (Language::CSharp, "c_sharp"),
    ] {
        let text = fs::read_to_string(fixtures.join(name).with_extension("txt")).unwrap();
        let (source, expected) = text.split_once("--- symbols\n").unwrap();
        let found: Vec<String> = symbols(language, source).unwrap().iter().map(outline).collect();
        assert_eq!(found, expected.lines().collect::<Vec<_>>(), "{language:?}");
    }
}

fn outline(symbol: &Symbol) -> String {
    let Symbol { qualified_name, kind, signature, first_line, last_line, .. } = symbol;
    format!("{} {qualified_name} | {signature} | {first_line}-{last_line}", kind.as_str())
}

/// The grammar would end the process (law 1).
#[test]
fn a_heredoc_with_a_word_too_long_for_the_grammar_is_not_read() {
    for (before, after) in [("", ""), ("'", "'"), ("~\"", "\""), ("-", "")] {
        let word = "W".repeat(300);
        let source = format!("def a\n  x = <<{before}{word}{after}\n  text\n{word}\nend\n");
        assert_eq!(symbols(Language::Ruby, &source), Err(CodeMapError::TooTangled), "{before}");
    }
    let over_lines = format!("x = <<<\"{}\"\ntext\n", "some words\n".repeat(40));
    assert_eq!(symbols(Language::Ruby, &over_lines), Err(CodeMapError::TooTangled));
    let usual = "def a\n  x = <<~SQL\n    select 1\n  SQL\n  list <<\"some text\"\nend\n";
    assert!(symbols(Language::Ruby, usual).is_ok());
}
