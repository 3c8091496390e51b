"""Python, read by the standard library's `ast`, and where `ast` refuses by a tolerant grammar."""

from collections.abc import Sequence

from gieok.code.languages.language import Family, Language
from gieok.code.languages.python import tolerant
from gieok.code.languages.python.imports import PythonLinker
from gieok.code.languages.python.natives import NATIVES
from gieok.code.model.facts import Facts
from gieok.code.resolve.import_links import LinkRules


def _build_python_rules(files: Sequence[tuple[str, Facts]]) -> LinkRules:
    return LinkRules(PythonLinker(path for path, _ in files), NATIVES, provides=_is_conftest_for)


def _is_conftest_for(origin: str, path: str) -> bool:
    """Return whether pytest offers the fixtures of file `origin` to file `path`."""
    folder, _, name = origin.rpartition("/")
    return name == "conftest.py" and (not folder or path.startswith(f"{folder}/"))


LANGUAGES = (
    Language(
        "python",
        tolerant.read_tolerant_python,
        (".py", ".pyi"),
        family=Family("python", _build_python_rules),
        grammar="tree_sitter_python:language",
        tests=r"test_.*|.*_test|tests?|conftest",
        helpers=("conftest",),
        reexports=("__init__.py",),
        run_first=("__init__.py", "conftest.py"),
        starts=("__main__.py",),
    ),
)
