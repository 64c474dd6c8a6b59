//! What the code map holds and how two of them compare, whatever the language.

use backstory_capture::{CodeMapError, Language, MOST_SOURCE_BYTES, MOST_SYMBOLS, changes, symbols};
use backstory_memory::SymbolChange;

/// Returns what changed between two sources: `new f`, `modified A.b`.
fn compared(language: Language, before: &str, after: &str) -> Vec<String> {
    changes(&symbols(language, before).unwrap(), &symbols(language, after).unwrap())
        .iter()
        .map(|change| format!("{} {}", change.change.as_str(), change.symbol.qualified_name))
        .collect()
}

#[test]
fn layout_and_comments_are_no_change() {
    for (language, before, after) in [
        (
            Language::Rust,
            "fn f(a: u8, b: u8) -> u8 { g(a, b) }\nstruct S { a: u8 }",
            "/// Adds.\nfn f(\n    a: u8, // one\n    b: u8,\n) -> u8 {\n    /* two */\n    g(\n        a,\n        b,\n    )\n}\n\nstruct S {\n    a: u8,\n}\n",
        ),
        (
            Language::Python,
            "def f(a):\n  if a:\n    return 1\n",
            "# says\ndef f(a):  # more\n\n    if a:\n        # why\n        return 1\n",
        ),
        (
            Language::TypeScript,
            "class A { f(a: string) { return g(a) } }",
            "class A {\n  // f\n  f(\n    a: string,\n  ) {\n    return g(\n      a\n    )\n  }\n}",
        ),
        (
            Language::JavaScript,
            "const f = (a) => { return [1, 2] }",
            "/** doc */\nconst f = (a) => {\n  return [\n    1,\n    2,\n  ]\n}",
        ),
        (
            Language::Go,
            "package p\nfunc f(a int) int { return a }",
            "package p\n\n// f is f.\nfunc f(a int) int {\n\treturn a // a\n}\n",
        ),
        (
            Language::Java,
            "class A { int f(int a) { return a; } }",
            "/** A. */\nclass A {\n  int f(\n      int a) {\n    // a\n    return a;\n  }\n}",
        ),
        (
            Language::C,
            "int f(int a) { return a + 1; }",
            "int\nf(int a) /* f */\n{\n  return a +\n    1;\n}\n",
        ),
        (
            Language::Cpp,
            "class A { int f() const { return 1; } };",
            "class A {\n  // f\n  int f() const\n  {\n    return 1;\n  }\n};",
        ),
        (
            Language::Ruby,
            "class A\ndef f(a)\na + 1\nend\nend\n",
            "# A\nclass A\n  def f(a)\n    # why\n    a + 1\n  end\nend\n",
        ),
        (
            Language::CSharp,
            "class A { int F(int a) { return a; } }",
            "// A\nclass A\n{\n    int F(int a)\n    {\n        return a; /* a */\n    }\n}",
        ),
    ] {
        assert_eq!(compared(language, before, after), [""; 0], "{language:?}");
    }
}

#[test]
fn a_changed_body_is_one_modified_symbol() {
    for (language, before, after) in [
        (
            Language::Rust,
            "impl A { fn f(&self) { 1 } fn g(&self) {} }",
            "impl A { fn f(&self) { 2 } fn g(&self) {} }",
        ),
        (Language::Python, "class A:\n  def f(self): return 1\n", "class A:\n  def f(self): return 2\n"),
        (Language::TypeScript, "class A { f() { return 1 } }", "class A { f() { return 2 } }"),
        (Language::JavaScript, "class A { f = () => 1 }", "class A { f = () => 2 }"),
        (Language::Java, "class A { int f() { return 1; } }", "class A { int f() { return 2; } }"),
        (Language::CSharp, "class A { int f => 1; }", "class A { int f => 2; }"),
    ] {
        let name = if language == Language::Rust { "modified A::f" } else { "modified A.f" };
        assert_eq!(compared(language, before, after), [name], "{language:?}");
    }
}

#[test]
fn a_statement_that_leaves_its_block_is_a_change() {
    let before = "def f(a):\n    if a:\n        b()\n        c()\n";
    let after = "def f(a):\n    if a:\n        b()\n    c()\n";
    assert_eq!(compared(Language::Python, before, after), ["modified f"]);
}

#[test]
fn layout_inside_a_string_is_content() {
    assert_eq!(
        compared(Language::Python, "def f(): return 'a b\\n'", "def f(): return 'a  b\\n'"),
        ["modified f"]
    );
    assert_eq!(
        compared(Language::Ruby, "def f\n<<~A\n  x\nA\nend", "def f\n<<~A\n  y\nA\nend"),
        ["modified f"]
    );
}

#[test]
fn a_renamed_symbol_is_one_new_and_one_deleted() {
    assert_eq!(
        compared(Language::Rust, "fn a() {}\nfn b() {}", "fn c() {}\nfn b() {}"),
        ["new c", "deleted a"]
    );
}

#[test]
fn moved_code_is_no_change_and_changes_stand_in_order() {
    let before = "fn a() {}\nfn b() {}\nfn c() {}\nfn d() {}";
    assert_eq!(compared(Language::Rust, before, "fn d() {}\nfn c() {}\nfn b() {}\nfn a() {}"), [""; 0]);
    let after = "fn z() {}\nfn c() { 1 }\nfn y() {}";
    let expected = ["new z", "modified c", "new y", "deleted a", "deleted b", "deleted d"];
    assert_eq!(compared(Language::Rust, before, after), expected);
}

#[test]
fn overloads_are_kept_apart() {
    let before = "class A { void f(int a) { x(); } void f(String a) { y(); } }";
    let swapped = "class A { void f(String a) { y(); } void f(int a) { x(); } }";
    assert_eq!(compared(Language::Java, before, swapped), [""; 0]);
    let edited = "class A { void f(String a) { z(); } void f(int a) { x(); } }";
    let read = |source| symbols(Language::Java, source).unwrap();
    let found = changes(&read(before), &read(edited));
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].change, found[0].symbol.signature.as_str()),
        (SymbolChange::Modified, "void f(String a)")
    );
    let one = "class A { void f(String a) { y(); } }";
    assert_eq!(changes(&read(before), &read(one))[0].symbol.signature, "void f(int a)");
}

#[test]
fn comments_and_attributes_belong_to_the_symbol_below_them() {
    assert_eq!(
        compared(Language::Rust, "#[a]\nfn f() {}\nfn g() {}", "#[b]\nfn f() {}\nfn g() {}"),
        ["modified f"]
    );
    let [before, after] =
        ["@a", "@b"].map(|decorator| format!("class A:\n  {decorator}\n  def f(self): pass\n"));
    assert_eq!(compared(Language::Python, &before, &after), ["modified A.f"]);
    let [before, after] =
        ["public", "private"].map(|word| format!("class A {{ {word} static final int B = 1; int c; }}"));
    assert_eq!(compared(Language::Java, &before, &after), ["modified A.B"]);
    assert_eq!(compared(Language::JavaScript, "function f() {}", "export function f() {}"), ["modified f"]);
}

#[test]
fn a_field_is_a_change_of_its_type() {
    assert_eq!(compared(Language::Java, "class A { int b; }", "class A { long b; }"), ["modified A"]);
    assert_eq!(compared(Language::Rust, "struct A { b: u8 }", "struct A { b: u16 }"), ["modified A"]);
}

#[test]
fn broken_syntax_leaves_the_rest_readable() {
    for (language, source, expected) in [
        (Language::Rust, "fn a() {}\nfn b( {{{ \n", "a"),
        (Language::Python, "def a(): pass\n\ndef (x:\n", "a"),
        (Language::TypeScript, "function a() {}\nconst = => {", "a"),
        (Language::Go, "package p\nfunc a() {}\nfunc (", "a"),
        (Language::Java, "class A { void a() {} } class {", "A"),
        (Language::Cpp, "int a() { return 1; }\nclass { int (", "a"),
        (Language::Ruby, "def a\nend\ndef (\n", "a"),
        (Language::CSharp, "class A { void B() {} } class {", "A"),
    ] {
        let read = symbols(language, source).unwrap();
        assert!(read.iter().any(|symbol| symbol.qualified_name == expected), "{language:?}: {read:?}");
    }
}

#[test]
fn a_file_that_cannot_be_mapped_has_a_reason() {
    assert_eq!(
        symbols(Language::Rust, "Dear reader, this (is not) code at all."),
        Err(CodeMapError::NotThisLanguage)
    );
    assert_eq!(symbols(Language::Rust, &" ".repeat(MOST_SOURCE_BYTES + 1)), Err(CodeMapError::TooLong));
    assert_eq!(symbols(Language::C, &"{".repeat(2_000)), Err(CodeMapError::TooTangled));
    assert_eq!(symbols(Language::Rust, ""), Ok(Vec::new()));
    assert_eq!(symbols(Language::Python, "print('no symbols')\n"), Ok(Vec::new()));
}

#[test]
fn a_file_of_many_symbols_gives_the_first_ones() {
    let source: String = (0..MOST_SYMBOLS * 2).map(|index| format!("fn f{index}() {{}}\n")).collect();
    let read = symbols(Language::Rust, &source).unwrap();
    assert_eq!(read.len(), MOST_SYMBOLS);
    assert_eq!(read[MOST_SYMBOLS - 1].qualified_name, format!("f{}", MOST_SYMBOLS - 1));
}

#[test]
fn a_long_signature_is_cut() {
    let parameters: String = (0..40).map(|index| format!("größe{index}: usize, ")).collect();
    let read = symbols(Language::Rust, &format!("fn f({parameters}) {{}}")).unwrap();
    assert_eq!(read[0].signature.chars().count(), 160);
    assert!(read[0].signature.ends_with('…'));
}
