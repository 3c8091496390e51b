"""C, C++, C#, Kotlin, Swift, PHP and Ruby: symbols, search and imports; calls by name alone."""

from gieok.code.languages.language import Family
from gieok.code.languages.named.reader import Grammar, NamedLanguage

_C_BRANCHES = (
    "if_statement for_statement while_statement do_statement case_statement conditional_expression"
)
_BRANCHES = f"{_C_BRANCHES} catch_clause for_range_loop"

_C = Grammar(
    classes="struct_specifier union_specifier enum_specifier",
    functions="function_definition preproc_function_def",
    calls="call_expression",
    imports="preproc_include",
    branches=_C_BRANCHES,
    has_macros=True,
)
_CPP = _C._replace(
    spaces="namespace_definition",
    classes=f"{_C.classes} class_specifier",
    calls="call_expression new_expression",
    bases="base_class_clause",
    branches=_BRANCHES,
)
_C_SHARP = Grammar(
    classes=(
        "class_declaration interface_declaration struct_declaration record_declaration "
        "enum_declaration"
    ),
    functions=(
        "method_declaration constructor_declaration local_function_statement property_declaration"
    ),
    calls="invocation_expression object_creation_expression",
    imports="using_directive",
    imported=r"([\w.]+);",
    bases="base_list",
    package=r"^[^\S\n]*namespace\s+([\w.]+)",
    branches="if_statement for_statement foreach_statement while_statement "
    "do_statement switch_section catch_clause conditional_expression",
)
_KOTLIN = Grammar(
    classes="class_declaration object_declaration companion_object",
    functions="function_declaration",
    calls="call_expression",
    imports="import",
    imported=r"import\s+([\w.]+)",
    bases="delegation_specifiers",
    package=r"^[^\S\n]*package\s+([\w.]+)",
    branches=(
        "if_expression for_statement while_statement do_while_statement when_entry catch_block"
    ),
)
_SWIFT = Grammar(
    classes="class_declaration protocol_declaration",
    functions="function_declaration init_declaration protocol_function_declaration",
    calls="call_expression",
    imports="import_declaration",
    imported=r"import\s+([\w.]+)",
    bases="inheritance_specifier",
    branches="if_statement for_statement while_statement repeat_while_statement "
    "switch_entry catch_block guard_statement ternary_expression",
)
_PHP = Grammar(
    classes="class_declaration interface_declaration trait_declaration enum_declaration",
    functions="function_definition method_declaration",
    calls="function_call_expression member_call_expression "
    "nullsafe_member_call_expression scoped_call_expression object_creation_expression",
    imports=(
        "require_expression require_once_expression include_expression include_once_expression "
        "namespace_use_clause"
    ),
    imported=r"[\"']([^\"']+)[\"']|([\w\\]*\\\w+)",
    bases="base_clause class_interface_clause",
    package=r"^[^\S\n]*(?:<\?php\s+)?namespace\s+([\w\\]+)",
    branches="if_statement for_statement foreach_statement while_statement "
    "do_statement case_statement catch_clause conditional_expression",
)
_RUBY = Grammar(
    classes="class module",
    functions="method singleton_method",
    calls="call",
    importing="require require_relative",
    creating="new",
    bases="superclass",
    comment=b"#",
    branches="if unless for while until when rescue conditional",
)

_FAMILIES = {name: Family(name) for name in ("c", "csharp", "kotlin", "swift", "php", "ruby")}

LANGUAGES = (
    NamedLanguage(
        name="c",
        nodes=_C,
        extensions=(".c",),
        family=_FAMILIES["c"],
        grammar="tree_sitter_c:language",
        tests=r"test_.*|.*_test|.*_tests",
    ),
    NamedLanguage(
        name="cpp",
        nodes=_CPP,
        extensions=(".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".h", ".inl"),
        family=_FAMILIES["c"],
        grammar="tree_sitter_cpp:language",
        tests=r".*_test|.*_tests|.*_unittest|test_.*|.*Tests?",
    ),
    NamedLanguage(
        name="csharp",
        nodes=_C_SHARP,
        extensions=(".cs",),
        family=_FAMILIES["csharp"],
        grammar="tree_sitter_c_sharp:language",
        tests=r".*Tests?",
    ),
    NamedLanguage(
        name="kotlin",
        nodes=_KOTLIN,
        extensions=(".kt", ".kts"),
        family=_FAMILIES["kotlin"],
        grammar="tree_sitter_kotlin:language",
        tests=r".*Tests?",
    ),
    NamedLanguage(
        name="swift",
        nodes=_SWIFT,
        extensions=(".swift",),
        family=_FAMILIES["swift"],
        grammar="tree_sitter_swift:language",
        tests=r".*Tests?",
    ),
    NamedLanguage(
        name="php",
        nodes=_PHP,
        extensions=(".php",),
        family=_FAMILIES["php"],
        grammar="tree_sitter_php:language_php",
        tests=r".*Test",
    ),
    NamedLanguage(
        name="ruby",
        nodes=_RUBY,
        extensions=(".rb", ".rake"),
        files=("Rakefile",),
        family=_FAMILIES["ruby"],
        grammar="tree_sitter_ruby:language",
        tests=r".*_test|.*_spec|test_.*",
    ),
)
