//! Which language a file is written in, and the grammar that reads it.
//!
//! Not here: what a symbol is in each of them (`table.rs`). A path is judged by its ending alone; the content is not
//! looked at, so a `.h` is taken for C++, whose grammar reads C as well, though macros mislead it more often than C's own.

use super::table::{self, LanguageRules};

/// A language with a code map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Rust.
    Rust,
    /// Python, stubs included.
    Python,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// JavaScript, with or without JSX.
    JavaScript,
    /// Go.
    Go,
    /// Java.
    Java,
    /// C.
    C,
    /// C++, and headers of either.
    Cpp,
    /// Ruby.
    Ruby,
    /// C#.
    CSharp,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 11] = [
        Language::Rust,
        Language::Python,
        Language::TypeScript,
        Language::Tsx,
        Language::JavaScript,
        Language::Go,
        Language::Java,
        Language::C,
        Language::Cpp,
        Language::Ruby,
        Language::CSharp,
    ];

    /// Returns the language of a file by its name.
    #[must_use]
    pub fn from_path(path: &str) -> Option<Language> {
        let name = path.rsplit(['/', '\\']).next()?;
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        let language = if matches!(name, "Rakefile" | "Gemfile") {
            Some(Language::Ruby)
        } else if stem.is_empty() {
            None
        } else {
            Language::from_ending(ending)
        };
        language.filter(|language| language.is_in_this_build())
    }

    fn from_ending(ending: &str) -> Option<Language> {
        Some(match ending.to_ascii_lowercase().as_str() {
            "rs" => Language::Rust,
            "py" | "pyi" => Language::Python,
            "ts" | "mts" | "cts" => Language::TypeScript,
            "tsx" => Language::Tsx,
            "js" | "jsx" | "mjs" | "cjs" => Language::JavaScript,
            "go" => Language::Go,
            "java" => Language::Java,
            "c" => Language::C,
            "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "ipp" => Language::Cpp,
            "rb" | "rake" => Language::Ruby,
            "cs" => Language::CSharp,
            _ => return None,
        })
    }

    /// Whether the grammar is in this build. The largest ones of languages that fewer people write come with the feature
    /// `all-languages`; without it their files have no code map, like those of any other language.
    #[must_use]
    pub fn is_in_this_build(self) -> bool {
        cfg!(feature = "all-languages") || !matches!(self, Language::Ruby | Language::CSharp)
    }

    pub(super) fn grammar(self) -> Option<tree_sitter::Language> {
        let grammar = match self {
            Language::Rust => tree_sitter_rust::LANGUAGE,
            Language::Python => tree_sitter_python::LANGUAGE,
            Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            // TypeScript with JSX is a superset: two thousand JavaScript files read the same with its grammar as with their own.
            Language::Tsx | Language::JavaScript => tree_sitter_typescript::LANGUAGE_TSX,
            Language::Go => tree_sitter_go::LANGUAGE,
            Language::Java => tree_sitter_java::LANGUAGE,
            Language::C => tree_sitter_c::LANGUAGE,
            Language::Cpp => tree_sitter_cpp::LANGUAGE,
            #[cfg(feature = "all-languages")]
            Language::Ruby => tree_sitter_ruby::LANGUAGE,
            #[cfg(feature = "all-languages")]
            Language::CSharp => tree_sitter_c_sharp::LANGUAGE,
            #[cfg(not(feature = "all-languages"))]
            Language::Ruby | Language::CSharp => return None,
        };
        Some(grammar.into())
    }

    pub(super) fn rules(self) -> &'static LanguageRules {
        match self {
            Language::Rust => &table::RUST,
            Language::Python => &table::PYTHON,
            Language::TypeScript | Language::Tsx | Language::JavaScript => &table::SCRIPT,
            Language::Go => &table::GO,
            Language::Java => &table::JAVA,
            Language::C | Language::Cpp => &table::C,
            Language::Ruby => &table::RUBY,
            Language::CSharp => &table::C_SHARP,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_ending() {
        for (path, expected) in [
            ("src/main.rs", Some(Language::Rust)),
            ("a/b.PY", Some(Language::Python)),
            ("C:\\x\\App.tsx", Some(Language::Tsx)),
            ("index.d.ts", Some(Language::TypeScript)),
            ("web/app.jsx", Some(Language::JavaScript)),
            ("store.h", Some(Language::Cpp)),
            ("Gemfile", Some(Language::Ruby).filter(|it| it.is_in_this_build())),
            ("a.cs", Some(Language::CSharp).filter(|it| it.is_in_this_build())),
            (".rs", None),
            ("rs", None),
            ("notes.md", None),
            ("x.rs/readme", None),
            ("", None),
        ] {
            assert_eq!(Language::from_path(path), expected, "{path}");
        }
    }
}
