"""What kind of place a path is: tests, examples, compatibility code, re-exports. By name, by the rules of all languages."""

import re
from functools import lru_cache
from pathlib import PurePosixPath

from gieok.capabilities.code.languages.table import LANGUAGES

_TEST_FILE = re.compile("|".join(language.tests for language in LANGUAGES.values() if language.tests))
_HELPERS = frozenset(name for language in LANGUAGES.values() for name in language.helpers)
_TEST_FOLDERS = frozenset("test tests testing __tests__ spec specs e2e testdata".split())
_SIDE_FOLDERS = frozenset(
    """example examples sample samples demo demos docs docs_src doc benchmark benchmarks bench compat legacy deprecated
    scripts""".split()
)
#: Files that stand for their folder, in the order in which they are looked for.
REEXPORTS = tuple(name for language in LANGUAGES.values() for name in language.reexports)
#: Files in which a program starts.
STARTS = tuple(name for language in LANGUAGES.values() for name in language.starts)
_RUN_FIRST = frozenset(name for language in LANGUAGES.values() for name in language.run_first)


@lru_cache(maxsize=65_536)
def is_test(path: str) -> bool:
    """Say whether a file holds tests."""
    pure = PurePosixPath(path)
    return bool(_TEST_FILE.fullmatch(pure.name.rpartition(".")[0])) or any(
        part in _TEST_FOLDERS for part in pure.parts[:-1]
    )


def is_side(path: str) -> bool:
    """Say whether a file is beside the point of the project: examples, documents, old interfaces."""
    pure = PurePosixPath(path)
    return any(part in _SIDE_FOLDERS for part in pure.parts[:-1]) or "compat" in pure.stem or "deprecated" in pure.stem


def is_reexport(path: str) -> bool:
    """Say whether a file mostly hands on what others define."""
    return PurePosixPath(path).name in REEXPORTS


def is_helper(path: str) -> bool:
    """Say whether a file stands beside tests without being named as one: `conftest.py`, `__init__.py`, `common.py`."""
    name = PurePosixPath(path).name.rpartition(".")[0]
    return name in _HELPERS or not _TEST_FILE.fullmatch(name)


def is_run_first(path: str) -> bool:
    """Say whether a file is run before those below its folder, asked or not (`__init__.py`, `conftest.py`)."""
    return PurePosixPath(path).name in _RUN_FIRST


def tested_stem(path: str) -> str:
    """Return the name of the module that a test file is named after: `client` for `tests/test_client.py`."""
    stem = PurePosixPath(path).name.partition(".")[0]
    return re.sub(r"^test_|_test$|Tests?$|TestCase$|IT$", "", stem).lower().strip("_")


def stem(path: str) -> str:
    """Return a module's name as a test would bear it: `client` for `_client.py`, the folder's for an `__init__.py`."""
    pure = PurePosixPath(path)
    name = pure.parent.name if is_reexport(path) else pure.name.partition(".")[0]
    return name.lower().strip("_")
