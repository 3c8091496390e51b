"""What is installed, declared and locked agrees."""

import re
import tomllib
from pathlib import Path

import parts
import pytest

from gieok import extras, registry

_ROOT = Path(__file__).parents[1]
_PROJECT = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
_EXTRAS = _PROJECT["project"]["optional-dependencies"]
_LOCKS = {
    "core": "requirements.lock",
    "test": "requirements-test.lock",
    "dev": "requirements-dev.lock",
}


def _names(requirements: list[object]) -> set[str]:
    """Return the names of packages; groups and our own extras have none."""
    return {re.split(r"[\[<>=;]", line)[0] for line in requirements if isinstance(line, str)} - {
        "gieok"
    }


def _locked(lock: str) -> dict[str, str]:
    """Return requirement with its marker → the lines of its hashes."""
    entries = re.split(r"(?m)^(?=\w)", (_ROOT / _LOCKS[lock]).read_text(encoding="utf-8"))
    return {entry.partition(" \\")[0]: entry.partition(" \\")[2] for entry in entries if entry}


def test_nothing_is_left_out_where_all_tests_run() -> None:
    absent = {file.name: [*parts.missing(file)] for file in (_ROOT / "tests").rglob("test_*.py")}
    assert {name: modules for name, modules in absent.items() if modules} == {}


@pytest.mark.parametrize(
    ("word", "some"),
    [("text", "text/test_chunk.py"), ("index/sqlite", "index/test_sqlite_scan.py")],
)
def test_a_part_is_the_files_whose_path_has_its_words(word: str, some: str) -> None:
    found = [file.as_posix() for file in parts.files(word)]
    assert any(file.endswith(some) for file in found)
    assert not any("postgres" in file or "surfaces" in file for file in found)


def test_every_hint_names_an_extra_that_exists() -> None:
    files = [*(_ROOT / "src").rglob("*.py"), *_ROOT.glob("*.md"), *(_ROOT / "docs").glob("*.md")]
    text = "\n".join(
        file.read_text(encoding="utf-8") for file in files if file.name != "CHANGELOG.md"
    )
    named = {
        extra
        for found in re.findall(r"(?:gieok|'\.)\[([a-z,]+)\]", text)
        for extra in found.split(",")
    }
    assert named <= set(_EXTRAS)
    assert named


def test_every_row_of_the_registry_names_an_extra_that_exists() -> None:
    tables = [table for table in vars(registry).values() if isinstance(table, dict)]
    rows = [row for table in tables for row in table.values() if isinstance(row, registry.Backend)]
    named = {row.extra for row in rows if row.extra}
    assert named == set(_EXTRAS) - {"all", "testing"}
    assert "[postgres]" in extras.install_hint("postgres")


def test_all_holds_every_extra_but_the_one_for_tests() -> None:
    (line,) = _EXTRAS["all"]
    assert set(line.removeprefix("gieok[").removesuffix("]").split(",")) == set(_EXTRAS) - {
        "all",
        "testing",
    }


@pytest.mark.parametrize(
    ("lock", "groups"),
    [("core", ("build",)), ("test", ("build", "test")), ("dev", ("build", "test", "dev"))],
)
def test_what_is_declared_is_locked(lock: str, groups: tuple[str, ...]) -> None:
    declared = _names(_PROJECT["project"]["dependencies"])
    declared = declared.union(*(_names(_PROJECT["dependency-groups"][group]) for group in groups))
    declared = (
        declared.union(*(_names(lines) for lines in _EXTRAS.values()))
        if lock == "dev"
        else declared
    )
    assert declared <= {requirement.partition("==")[0] for requirement in _locked(lock)}


@pytest.mark.parametrize("lock", ["core", "test"])
def test_the_small_locks_pin_what_the_large_one_does(lock: str) -> None:
    large = {
        requirement.partition(" ;")[0]: hashes for requirement, hashes in _locked("dev").items()
    }
    for requirement, hashes in _locked(lock).items():
        assert large[requirement.partition(" ;")[0]] == hashes


@pytest.mark.parametrize("lock", _LOCKS)
def test_a_lock_names_no_host(lock: str) -> None:
    assert "://" not in (_ROOT / _LOCKS[lock]).read_text(encoding="utf-8")
