//! What a symbol is in each language: data only, in the node kinds of its tree-sitter grammar.
//!
//! Not here: how the tree is walked (`walk.rs`) and how a signature is written (`signature.rs`). To teach a language,
//! add its [`LanguageRules`]; to see its node kinds, read `node-types.json` in the grammar's crate.

use SymbolKind::{
    Class, Constant, Enum, Function, Interface, Macro, Method, Module, Property, Struct, Trait, Type,
};
use backstory_memory::SymbolKind;

/// How to read one language.
pub(super) struct LanguageRules {
    /// Between a name and the one it lies in.
    pub(super) joint: &'static str,
    pub(super) symbols: &'static [NodeRule],
    /// Nodes around symbols whose first words belong to each symbol inside: `export`, `const`, `template <…>`.
    pub(super) wrappers: &'static [&'static str],
    /// Nodes that stand before a symbol or in its wrapper and belong to it.
    pub(super) decorators: &'static [&'static str],
    /// Whether decorators are worth their room in a signature.
    pub(super) decorators_shown: bool,
    /// Nodes without symbols worth knowing: anonymous functions and the like.
    pub(super) opaque: &'static [&'static str],
    /// Where a signature ends. A child called `body` ends it too.
    pub(super) bodies: &'static [&'static str],
}

/// Which nodes are symbols of one sort.
pub(super) struct NodeRule {
    pub(super) node: &'static str,
    pub(super) role: NodeRole,
    pub(super) name: NameSource,
    pub(super) when: RuleCondition,
    /// The joint before this name where the language's own would be wrong.
    pub(super) joint: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeRole {
    /// A symbol whose inside is its own.
    Leaf(SymbolKind),
    /// A symbol with further symbols inside.
    Container(SymbolKind),
    /// Gives its name to the symbols inside and is none itself.
    Enclosing,
}

/// Where a node's name is.
#[derive(Clone, Copy)]
pub(super) enum NameSource {
    Field(&'static str),
    /// At the end of a chain of `declarator` fields.
    Declarator,
    /// The receiver's type before the `name` field.
    Receiver,
    /// Always this: the language gives it no name of its own.
    Fixed(&'static str),
}

/// What else must hold for a rule to apply.
#[derive(Clone, Copy)]
pub(super) enum RuleCondition {
    Always,
    /// It has a body; without one it only mentions a type.
    HasBody,
    /// The declarator declares a function.
    DeclaresFunction,
    /// Its value is a function.
    HoldsFunction,
    /// Its `type` is such a node.
    TypeIs(&'static str),
    /// All these words stand in its declaration, before any value.
    Says(&'static [&'static str]),
    /// It is written in capitals, or the grammar calls it a constant.
    Shouts,
}

const fn rule(node: &'static str, role: NodeRole, name: NameSource) -> NodeRule {
    NodeRule { node, role, name, when: RuleCondition::Always, joint: None }
}

const fn leaf(node: &'static str, kind: SymbolKind) -> NodeRule {
    rule(node, NodeRole::Leaf(kind), NameSource::Field("name"))
}

const fn container(node: &'static str, kind: SymbolKind) -> NodeRule {
    rule(node, NodeRole::Container(kind), NameSource::Field("name"))
}

impl NodeRule {
    const fn when(self, when: RuleCondition) -> NodeRule {
        NodeRule { when, ..self }
    }

    const fn joint(self, joint: &'static str) -> NodeRule {
        NodeRule { joint: Some(joint), ..self }
    }

    const fn named(self, name: NameSource) -> NodeRule {
        NodeRule { name, ..self }
    }
}

/// The values that make a name a function's name.
pub(super) const FUNCTION_VALUES: &[&str] = &["arrow_function", "function_expression", "generator_function"];

pub(super) static RUST: LanguageRules = LanguageRules {
    joint: "::",
    symbols: &[
        leaf("function_item", Function),
        leaf("function_signature_item", Function),
        leaf("struct_item", Struct),
        leaf("union_item", Struct),
        leaf("enum_item", Enum),
        leaf("type_item", Type),
        leaf("associated_type", Type),
        leaf("const_item", Constant),
        leaf("static_item", Constant),
        leaf("macro_definition", Macro),
        container("trait_item", Trait),
        container("mod_item", Module),
        rule("impl_item", NodeRole::Enclosing, NameSource::Field("type")),
    ],
    wrappers: &[],
    decorators: &["attribute_item"],
    decorators_shown: false,
    opaque: &["closure_expression", "macro_invocation"],
    bodies: &["block", "declaration_list", "field_declaration_list", "enum_variant_list", "{"],
};

pub(super) static PYTHON: LanguageRules = LanguageRules {
    joint: ".",
    symbols: &[
        leaf("function_definition", Function),
        container("class_definition", Class),
        rule("assignment", NodeRole::Leaf(Constant), NameSource::Field("left")).when(RuleCondition::Shouts),
        rule("type_alias_statement", NodeRole::Leaf(Type), NameSource::Field("left")),
    ],
    wrappers: &["decorated_definition"],
    decorators: &["decorator"],
    decorators_shown: true,
    opaque: &["lambda"],
    bodies: &["block"],
};

/// TypeScript and JavaScript: the second is nearly a part of the first.
pub(super) static SCRIPT: LanguageRules = LanguageRules {
    joint: ".",
    symbols: &[
        leaf("function_declaration", Function),
        leaf("generator_function_declaration", Function),
        leaf("function_signature", Function),
        leaf("method_definition", Method),
        leaf("method_signature", Method),
        leaf("abstract_method_signature", Method),
        leaf("public_field_definition", Method).when(RuleCondition::HoldsFunction),
        rule("field_definition", NodeRole::Leaf(Method), NameSource::Field("property"))
            .when(RuleCondition::HoldsFunction),
        leaf("variable_declarator", Function).when(RuleCondition::HoldsFunction),
        leaf("variable_declarator", Constant).when(RuleCondition::Says(&["const"])),
        rule("assignment_expression", NodeRole::Leaf(Function), NameSource::Field("left"))
            .when(RuleCondition::HoldsFunction),
        leaf("type_alias_declaration", Type),
        leaf("enum_declaration", Enum),
        container("class_declaration", Class),
        container("abstract_class_declaration", Class),
        container("interface_declaration", Interface),
        container("internal_module", Module),
        container("module", Module),
    ],
    wrappers: &["export_statement", "lexical_declaration", "variable_declaration", "ambient_declaration"],
    decorators: &["decorator"],
    decorators_shown: true,
    opaque: &["arrow_function", "function_expression", "generator_function", "class", "object"],
    bodies: &["statement_block", "class_body", "interface_body", "enum_body"],
};

pub(super) static GO: LanguageRules = LanguageRules {
    joint: ".",
    symbols: &[
        leaf("function_declaration", Function),
        rule("method_declaration", NodeRole::Leaf(Method), NameSource::Receiver),
        leaf("type_spec", Struct).when(RuleCondition::TypeIs("struct_type")),
        leaf("type_spec", Interface).when(RuleCondition::TypeIs("interface_type")),
        leaf("type_spec", Type),
        leaf("type_alias", Type),
        leaf("const_spec", Constant),
        leaf("var_spec", Constant),
    ],
    wrappers: &["type_declaration", "const_declaration", "var_declaration", "var_spec_list"],
    decorators: &[],
    decorators_shown: false,
    opaque: &["func_literal"],
    bodies: &["block", "field_declaration_list", "{"],
};

pub(super) static JAVA: LanguageRules = LanguageRules {
    joint: ".",
    symbols: &[
        leaf("method_declaration", Method),
        leaf("constructor_declaration", Method),
        leaf("compact_constructor_declaration", Method),
        leaf("annotation_type_declaration", Type),
        leaf("variable_declarator", Constant).when(RuleCondition::Says(&["static", "final"])),
        container("class_declaration", Class),
        container("record_declaration", Struct),
        container("interface_declaration", Interface),
        container("enum_declaration", Enum),
    ],
    wrappers: &["field_declaration"],
    decorators: &["annotation", "marker_annotation"],
    decorators_shown: true,
    opaque: &["lambda_expression", "object_creation_expression"],
    bodies: &[
        "block",
        "class_body",
        "interface_body",
        "enum_body",
        "constructor_body",
        "annotation_type_body",
    ],
};

/// C and C++: the grammar of the second extends that of the first.
pub(super) static C: LanguageRules = LanguageRules {
    joint: "::",
    symbols: &[
        rule("function_definition", NodeRole::Leaf(Function), NameSource::Declarator),
        rule("declaration", NodeRole::Leaf(Function), NameSource::Declarator)
            .when(RuleCondition::DeclaresFunction),
        rule("field_declaration", NodeRole::Leaf(Method), NameSource::Declarator)
            .when(RuleCondition::DeclaresFunction),
        rule("declaration", NodeRole::Leaf(Constant), NameSource::Declarator)
            .when(RuleCondition::Says(&["const"])),
        rule("declaration", NodeRole::Leaf(Constant), NameSource::Declarator)
            .when(RuleCondition::Says(&["constexpr"])),
        rule("type_definition", NodeRole::Leaf(Type), NameSource::Declarator),
        leaf("alias_declaration", Type),
        leaf("concept_definition", Type),
        leaf("preproc_def", Constant),
        leaf("preproc_function_def", Macro),
        container("class_specifier", Class).when(RuleCondition::HasBody),
        container("struct_specifier", Struct).when(RuleCondition::HasBody),
        container("union_specifier", Struct).when(RuleCondition::HasBody),
        leaf("enum_specifier", Enum).when(RuleCondition::HasBody),
        container("namespace_definition", Module),
    ],
    wrappers: &["template_declaration"],
    decorators: &[],
    decorators_shown: false,
    opaque: &["lambda_expression"],
    bodies: &[
        "compound_statement",
        "field_declaration_list",
        "enumerator_list",
        "field_initializer_list",
        "declaration_list",
        "try_statement",
    ],
};

pub(super) static RUBY: LanguageRules = LanguageRules {
    joint: "::",
    symbols: &[
        leaf("method", Function).joint("#"),
        leaf("singleton_method", Function).joint("."),
        rule("assignment", NodeRole::Leaf(Constant), NameSource::Field("left")).when(RuleCondition::Shouts),
        container("class", Class),
        container("module", Module),
    ],
    wrappers: &[],
    decorators: &[],
    decorators_shown: false,
    opaque: &["lambda"],
    bodies: &["body_statement", ";", "end"],
};

pub(super) static C_SHARP: LanguageRules = LanguageRules {
    joint: ".",
    symbols: &[
        leaf("method_declaration", Method),
        leaf("constructor_declaration", Method),
        leaf("local_function_statement", Function),
        leaf("destructor_declaration", Method),
        leaf("operator_declaration", Method).named(NameSource::Fixed("operator")),
        leaf("indexer_declaration", Method).named(NameSource::Fixed("this")),
        leaf("property_declaration", Property),
        leaf("delegate_declaration", Type),
        leaf("enum_declaration", Enum),
        leaf("variable_declarator", Constant).when(RuleCondition::Says(&["const"])),
        leaf("variable_declarator", Constant).when(RuleCondition::Says(&["static", "readonly"])),
        container("class_declaration", Class),
        container("struct_declaration", Struct),
        container("record_declaration", Class),
        container("interface_declaration", Interface),
    ],
    wrappers: &["field_declaration", "variable_declaration"],
    decorators: &["attribute_list"],
    decorators_shown: true,
    opaque: &["lambda_expression", "anonymous_method_expression"],
    bodies: &[
        "block",
        "declaration_list",
        "enum_member_declaration_list",
        "accessor_list",
        "arrow_expression_clause",
        "constructor_initializer",
    ],
};
