//! What holds for every source: the code map never panics, keeps its bounds and compares equal to itself.

use backstory_capture::{Language, MOST_SYMBOLS, changes, symbols};
use backstory_memory::Symbol;
use proptest::prelude::*;

/// Pieces of all the languages, so that every grammar meets known and foreign words.
const PIECES: [&str; 48] = [
    "fn f",
    "impl A<T> ",
    "struct S ",
    "mod m ",
    "trait T ",
    "#[a]",
    "macro_rules! m ",
    "def f",
    "class A",
    "end\n",
    "@x\n",
    "async ",
    "export default ",
    "const X",
    " = ",
    "=> ",
    "function ",
    "interface I ",
    "namespace n ",
    "func (s *S[T]) M",
    "type T struct ",
    "package p\n",
    "public static final int Y",
    "enum E ",
    "template <typename T> ",
    "typedef ",
    "#define Q ",
    "operator<<",
    "::",
    "record R",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ",",
    ";",
    ":\n",
    "\n    ",
    "\n",
    "\"text\\n\"",
    "<<~A\n",
    "// c\n",
    "ß日",
    "name ",
];

fn broken_source() -> impl Strategy<Value = String> {
    let piece =
        prop_oneof![8 => prop::sample::select(PIECES.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,4}"];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// A sound source from which a part was cut, or into which another was put.
fn mutated_source() -> impl Strategy<Value = String> {
    let sources = prop::sample::select(vec![
        "pub mod m { impl<T> A<T> { #[x] pub async fn f(&self, b: u8) -> u8 { g(b, \"x\") } } }\n",
        "@a\nclass A(B):\n    X = 1\n    @b(c)\n    async def f(self, *d, e=(1, 2)):\n        return f'{d}'\n",
        "export class A<T> { @b() f = async (c: T): Promise<void> => { d(`x${c}`) } }\nexport const g = 1;\n",
        "package p\ntype (\n\tA struct{ b int }\n)\nfunc (a *A) F(b int) (int, error) { return 0, nil }\n",
        "template <class T> class A : B { T f(int c) const; };\nint A<T>::f(int c) { return c; }\n",
        "namespace N { [X] class A<T> : B where T : C { const int D = 1; int E => 2; void F() {} } }\n",
        "module M\n  class A < B\n    def self.f(c = {})\n      <<~T\n        x\n      T\n    end\n  end\nend\n",
    ]);
    (sources, any::<prop::sample::Index>(), 0usize..12, broken_source()).prop_map(|(source, at, cut, put)| {
        let start = source.floor_char_boundary(at.index(source.len()));
        let end = source.ceil_char_boundary((start + cut).min(source.len()));
        format!("{}{put}{}", &source[..start], &source[end..])
    })
}

fn keeps_its_bounds(source: &str) {
    let lines = source.split('\n').count();
    for language in Language::ALL {
        let Ok(read) = symbols(language, source) else { continue };
        assert!(read.len() <= MOST_SYMBOLS);
        for Symbol { qualified_name, signature, first_line, last_line, .. } in &read {
            assert!(!qualified_name.is_empty() && qualified_name.chars().count() <= 200);
            assert!(signature.chars().count() <= 160 && !signature.contains('\n'), "{signature:?}");
            assert!(0 < *first_line && first_line <= last_line && *last_line <= lines);
        }
        assert_eq!(symbols(language, source).as_ref(), Ok(&read), "reading twice is reading once");
        assert_eq!(changes(&read, &read), []);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_without_harm(text in any::<String>()) {
        keeps_its_bounds(&text);
    }

    #[test]
    fn broken_sources_are_read_without_harm(source in broken_source()) {
        keeps_its_bounds(&source);
    }

    #[test]
    fn mutated_sources_are_read_without_harm(source in mutated_source()) {
        keeps_its_bounds(&source);
    }
}

#[test]
fn code_without_an_end_is_survived() {
    // Unclosed brackets stay below what is refused at once; the others grow the parser's stack without any.
    for (language, open, times) in [
        (Language::Rust, "mod a { ", 900),
        (Language::Rust, "if a {} else ", 5_000),
        (Language::Python, "(", 900),
        (Language::Python, "not ", 20_000),
        (Language::TypeScript, "a<", 20_000),
        (Language::Tsx, "<T>(", 900),
        (Language::Tsx, "<T>", 20_000),
        (Language::Java, "class A { ", 900),
        (Language::Cpp, "namespace a { ", 900),
        (Language::CSharp, "a ? b : ", 20_000),
        (Language::Ruby, "module A; ", 5_000),
        (Language::Go, "<-", 20_000),
    ] {
        // Readable or not: it comes back.
        drop(symbols(language, &open.repeat(times)));
    }
}
