"""Kind of a path, by name: tests, examples, compatibility code, re-exports.

The rules of all languages apply.
"""

import re
from functools import lru_cache
from pathlib import PurePosixPath

from gieok.code.languages.table import LANGUAGES, find_source_language
from gieok.code.model.facts import Trait

#: Patterns of each language; a file of no known language is a test where any language would call it
#: a test (`test_a.sh`).
_TEST_FILES = {name: re.compile(language.tests or r"(?!)") for name, language in LANGUAGES.items()}
_ANY_TEST_FILE = re.compile(
    "|".join(language.tests for language in LANGUAGES.values() if language.tests)
)
_HELPERS = frozenset(name for language in LANGUAGES.values() for name in language.helpers)
_TEST_FOLDERS = frozenset(
    """
        test tests testing __tests__ __mocks__ __fixtures__ __testfixtures__ spec specs e2e testdata
    """.split()
)
_SIDE_FOLDERS = frozenset(
    """
        example examples sample samples demo demos docs docs_src doc benchmark benchmarks
        bench benches compat legacy deprecated scripts
    """.split()
)
#: Files that stand for their folder, in order of precedence.
REEXPORTS = tuple(name for language in LANGUAGES.values() for name in language.reexports)
#: Files in which a program starts.
STARTS = tuple(name for language in LANGUAGES.values() for name in language.starts)
_RUN_FIRST = frozenset(name for language in LANGUAGES.values() for name in language.run_first)


@lru_cache(maxsize=65_536)
def is_test_file(path: str) -> bool:
    """Say whether a file holds tests."""
    return _is_named_so(path) or any(
        part in _TEST_FOLDERS for part in PurePosixPath(path).parts[:-1]
    )


def is_test_code(path: str, traits: str) -> bool:
    """Return whether a symbol is there for tests only, also inside of a file of product code.

    `traits` are the symbol's traits as one text.
    """
    return Trait.TESTING in traits.split() or is_test_file(path)


def _is_named_so(path: str) -> bool:
    pattern = _TEST_FILES.get(find_source_language(path) or "", _ANY_TEST_FILE)
    return bool(pattern.fullmatch(PurePosixPath(path).name.rpartition(".")[0]))


def is_side(path: str) -> bool:
    """Return whether a file is not part of the product: examples, documents, old interfaces."""
    pure = PurePosixPath(path)
    return (
        any(part in _SIDE_FOLDERS for part in pure.parts[:-1])
        or "compat" in pure.stem
        or "deprecated" in pure.stem
    )


def find_example(path: str) -> str:
    """Return the folder of examples that a file is in, with the folder of its own example.

    `examples/tutorial` for `docs/examples/tutorial/app/main.py`; '' for a file of no example.
    """
    folders = PurePosixPath(path).parts[:-1]
    at = next((n for n, part in enumerate(folders) if part in _SIDE_FOLDERS), len(folders))
    return "/".join(folders[at : at + 2])


def is_document(path: str) -> bool:
    """Say whether a file holds prose, not code."""
    language = find_source_language(path)
    return language is not None and LANGUAGES[language].is_document


def is_readme(path: str) -> bool:
    """Say whether a file is the README of the project."""
    return path.casefold().rpartition(".")[0] == "readme" and is_document(path)


def is_outside_product(path: str) -> bool:
    """Return whether a file holds tests, examples, documents or old interfaces."""
    return is_test_file(path) or is_side(path)


def is_reexport(path: str) -> bool:
    """Return whether a file stands for its folder by its name, such as `__init__.py` or `index.ts`.

    The content of the file is not read.
    """
    return PurePosixPath(path).name in REEXPORTS


@lru_cache(maxsize=65_536)
def is_helper(path: str) -> bool:
    """Return whether a file belongs to tests without being named as a test.

    Examples are `conftest.py`, `__init__.py`, `common.py`.
    """
    return PurePosixPath(path).name.rpartition(".")[0] in _HELPERS or not _is_named_so(path)


@lru_cache(maxsize=65_536)
def is_run_first(path: str) -> bool:
    """Return whether a file is executed before the files below its folder.

    This happens even if nothing imports the file (`__init__.py`, `conftest.py`).
    """
    return PurePosixPath(path).name in _RUN_FIRST


@lru_cache(maxsize=65_536)
def tested_stem(path: str) -> str:
    """Return the module that a test file is named after: `client` for `tests/test_client.py`."""
    stem = PurePosixPath(path).name.partition(".")[0]
    return (
        re.sub(r"^test[_-]|[_-](test|spec)s?$|Tests?$|TestCase$|IT$", "", stem).lower().strip("_-")
    )


@lru_cache(maxsize=65_536)
def find_module_stem(path: str) -> str:
    """Return a module's name as a test would use it: `client` for `_client.py`.

    For an `__init__.py` the name is the folder's.
    """
    pure = PurePosixPath(path)
    name = pure.parent.name if is_reexport(path) else pure.name.partition(".")[0]
    return name.lower().strip("_")
