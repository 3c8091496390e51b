"""Rust."""

from gieok.code.languages.language import Family
from gieok.code.languages.rust.imports import RustLinker
from gieok.code.languages.rust.reader import RustReader
from gieok.code.languages.tree import TreeLanguage

LANGUAGES = (
    TreeLanguage(
        name="rust",
        reader=RustReader,
        extensions=(".rs",),
        family=Family("rust", RustLinker),
        grammar="tree_sitter_rust:language",
        tests=r"tests?",
        reexports=("mod.rs",),
    ),
)
