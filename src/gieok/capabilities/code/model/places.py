"""What kind of place a path is: tests, examples, compatibility code, re-exports. By name, in every language."""

import re
from functools import lru_cache
from pathlib import PurePosixPath

_TEST_FILE = re.compile(r"(^test_.*|.*_test|^tests?|^conftest|.*\.(test|spec)|.*Tests?|.*TestCase|.*IT)$")
_TEST_FOLDERS = frozenset("test tests testing __tests__ spec specs e2e testdata".split())
_SIDE_FOLDERS = frozenset(
    """example examples sample samples demo demos docs docs_src doc benchmark benchmarks bench compat legacy deprecated
    scripts""".split()
)
_REEXPORTS = frozenset(("__init__.py", "index.js", "index.ts", "mod.rs", "package-info.java"))


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
    return PurePosixPath(path).name in _REEXPORTS


def is_helper(path: str) -> bool:
    """Say whether a file stands beside tests without being named as one: `conftest.py`, `__init__.py`, `common.py`."""
    name = PurePosixPath(path).name.rpartition(".")[0]
    return name == "conftest" or not _TEST_FILE.fullmatch(name)


def tested_stem(path: str) -> str:
    """Return the name of the module that a test file is named after: `client` for `tests/test_client.py`."""
    stem = PurePosixPath(path).name.partition(".")[0]
    return re.sub(r"^test_|_test$|Tests?$|TestCase$|IT$", "", stem).lower().strip("_")


def stem(path: str) -> str:
    """Return a module's name as a test would bear it: `client` for `_client.py`, the folder's for an `__init__.py`."""
    pure = PurePosixPath(path)
    name = pure.parent.name if is_reexport(path) else pure.name.partition(".")[0]
    return name.lower().strip("_")
