"""Rust."""

from collections.abc import Sequence

from gieok.code.languages.language import Family, Language
from gieok.code.languages.rust import reader
from gieok.code.languages.rust.imports import RustLinker
from gieok.code.model.facts import Facts
from gieok.code.resolve.import_links import LinkRules


def _build_rust_rules(files: Sequence[tuple[str, Facts]]) -> LinkRules:
    return LinkRules(RustLinker(path for path, _ in files))


LANGUAGES = (
    Language(
        "rust",
        reader.read,
        (".rs",),
        family=Family("rust", _build_rust_rules),
        grammar="tree_sitter_rust:language",
        tests=r"tests?",
        reexports=("mod.rs",),
    ),
)
