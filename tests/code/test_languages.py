"""The table of languages: every row is whole, and what is taken from it agrees with it."""

from pathlib import Path

from gieok.code.languages import places
from gieok.code.languages.table import LANGUAGES, find_source_language
from gieok.code.languages.tree import TreeLanguage
from gieok.machine.parsers.treesitter import TreeSitterParser

_DOCS = Path(__file__).resolve().parents[2] / "docs" / "code.md"


def test_a_file_belongs_to_the_language_whose_row_names_its_ending_or_its_name() -> None:
    for language in LANGUAGES.values():
        assert {find_source_language(f"src/a{extension}") for extension in language.extensions} <= {
            language.name
        }
        assert {
            find_source_language(f"src/A{extension.upper()}") for extension in language.extensions
        } <= {language.name}
        assert {find_source_language(f"src/{file}") for file in language.files} <= {language.name}
    assert [find_source_language(name) for name in ("a.bin", "Makefile", "package.json.bak")] == [
        None,
        None,
        None,
    ]


def test_every_language_has_a_grammar_that_is_installed_and_reads_nothing_from_an_empty_file() -> (
    None
):
    parser = TreeSitterParser()
    for language in LANGUAGES.values():
        if language.grammar:
            assert not parser.parse(language.grammar, b"").named_children
            facts = language.read("", parser)
            assert (facts.language, len(facts.symbols), facts.error) == (language.name, 1, "")


def test_a_reader_handles_each_node_by_the_method_that_it_has() -> None:
    readers = {x.reader for x in LANGUAGES.values() if isinstance(x, TreeLanguage)}
    assert len(readers) > 3
    for reader in readers:
        handlers = reader.handlers.values()
        assert [method for method in handlers if getattr(reader, method.__name__) != method] == []


def test_the_linker_of_a_family_is_made_of_its_files() -> None:
    for language in LANGUAGES.values():
        if language.family and language.family.linker:
            linker = language.family.linker.of_files([])
            assert linker.target("a", "nowhere", "thing", 0).file is None


def test_places_follow_the_names_that_the_rows_give() -> None:
    tests = ["test_a.py", "a_test.go", "a.spec.ts", "AppTest.java", "tests.rs", "conftest.py"]
    assert [places.is_test_file(path) for path in tests] == [True] * len(tests)
    assert [places.is_test_file(path) for path in ("a.py", "latest.go", "contest.py")] == [
        False
    ] * 3
    assert places.is_reexport("pkg/__init__.py")
    assert places.is_run_first("tests/conftest.py")
    assert not places.is_run_first("src/index.ts")


def test_the_documentation_names_every_language() -> None:
    text = _DOCS.read_text(encoding="utf-8").lower()
    missing = {name for name in LANGUAGES if name not in text} - {"tsx", "manifest"}
    assert not missing


def test_a_file_is_a_test_by_the_rules_of_its_own_language() -> None:
    tests = [
        "src/a-test.js",
        "a.tests.tsx",
        "lib/__tests__/a.js",
        "src/test/java/App.java",
        "test.js",
        "spec/a.rb",
        "b_spec.rb",
    ]
    assert [places.is_test_file(path) for path in tests] == [True] * len(tests)
    product = [
        "openapi_spec.py",
        "AUDIT.py",
        "src/latest.js",
        "src/contest.ts",
        "inspect.js",
        "attest.go",
    ]
    assert [places.is_test_file(path) for path in product] == [False] * len(product)
    assert places.tested_stem("test/query-parser-test.js") == "query-parser"
