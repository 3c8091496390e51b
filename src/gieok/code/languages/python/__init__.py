"""Python, read by the standard library's `ast`, and where `ast` refuses by a tolerant grammar."""

from gieok.code.languages.language import Family
from gieok.code.languages.python.imports import PythonLinker
from gieok.code.languages.python.tolerant import PythonLanguage

LANGUAGES = (
    PythonLanguage(
        name="python",
        extensions=(".py", ".pyi"),
        family=Family("python", PythonLinker),
        grammar="tree_sitter_python:language",
        tests=r"test_.*|.*_test|tests?|conftest",
        helpers=("conftest",),
        reexports=("__init__.py",),
        run_first=("__init__.py", "conftest.py"),
        starts=("__main__.py",),
    ),
)
