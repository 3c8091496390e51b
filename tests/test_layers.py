"""The order of layers is checked, and the check fails where it should."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_LINT = Path(sys.executable).with_name("lint-imports")


def _lint(folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        [_LINT, "--config", ".importlinter", "--no-cache"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "src"), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_every_module_keeps_to_its_layer() -> None:
    status, said = _lint(_ROOT)
    assert status == 0, said
    assert "0 broken" in said


@pytest.mark.parametrize(
    ("module", "line", "broken"),
    [
        (
            "ranking/rank.py",
            "import sqlite3",
            "No input or output by a library in ribs and what they stand on BROKEN",
        ),
        ("text/stem.py", "import numpy", "Words and paths need the standard library alone BROKEN"),
        ("text/stem.py", "from gieok.flow import rank", "The order of layers BROKEN"),
        (
            "commands/memory/get.py",
            "from gieok.machine import registry",
            "Only home imports what opens files, databases and services BROKEN",
        ),
    ],
)
def test_a_line_in_the_wrong_place_breaks_the_contract(
    tmp_path: Path, module: str, line: str, broken: str
) -> None:
    shutil.copytree(_ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(_ROOT / ".importlinter", tmp_path)
    file = tmp_path / "src" / "gieok" / module
    file.write_text(file.read_text(encoding="utf-8") + f"\n{line}\n", encoding="utf-8")
    status, said = _lint(tmp_path)
    assert status != 0
    assert broken in said


_LOADED = """
import pkgutil, sys
from importlib import import_module
import gieok.code
for module in pkgutil.walk_packages(gieok.code.__path__, "gieok.code."):
    import_module(module.name)
print(*sorted(sys.modules))
"""


def test_what_the_code_rib_names_as_a_type_is_not_loaded_by_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert "gieok.code.ask.explore" in loaded
    behind = ("gieok.storage", "gieok.machine", "sqlite3", "subprocess", "coverage", "tree_sitter")
    assert [name for name in loaded if name.startswith(behind)] == []
