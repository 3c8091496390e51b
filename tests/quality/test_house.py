"""How the package reads gets no worse without a decision: `make house` writes the ratchet anew."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(_ROOT / "scripts"))

import house  # noqa: E402

_RATCHET = json.loads(house.RATCHET.read_text(encoding="utf-8"))
_NOW = house.ratchet_of(house.measure(house.PACKAGE))


@pytest.mark.parametrize("figure", sorted(_NOW["package"]))
def test_no_figure_of_the_package_gets_worse(figure: str) -> None:
    now, most = _NOW["package"][figure], _RATCHET["package"][figure]
    assert now <= most, (
        f"{figure}: {now}, the ratchet says {most}: see `python scripts/house.py --list …`"
    )


@pytest.mark.parametrize(
    "folder", sorted(_NOW["expressions"].keys() | _RATCHET["expressions"].keys())
)
def test_no_folder_grows_unnoticed(folder: str) -> None:
    now, most = _NOW["expressions"].get(folder, 0), _RATCHET["expressions"].get(folder, 0)
    # Versions of Python differ by some expressions.
    assert now <= most + house.STEP, (
        f"{folder} has some {now} expressions, the ratchet says {most}: shrink it, or `make house` "
        "and say why in the commit"
    )
    assert now, f"{folder} is gone: `make house`"


def test_the_measure_sees_what_it_names(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "from collections.abc import Callable\n"
        "from typing import NamedTuple, Protocol\n"
        "_Test = Callable[[str], bool]\n"
        "class Row(NamedTuple):\n    a: int\n    b: int\n    c: int\n    d: int\n    test: _Test\n"
        "class Store(Protocol):\n    def put(self) -> None: ...\n"
        "def _read(path: str) -> Row:\n"
        "    return Row(1, 2, 3, 4, bool)  # fmt: skip\n" + "x = 1  #" + " long" * 30 + "\n",
        encoding="utf-8",
    )
    (tmp_path / "b.py").write_text(
        "class Row:\n    def put(self) -> None:\n        pass\ndef _read() -> None:\n    pass\n",
        encoding="utf-8",
    )
    measured = house.measure(tmp_path)
    assert {p.name for p in measured.repeated} == {"_read"}
    assert {p.name for p in measured.doubled} == {"Row"}
    assert [p.name for p in measured.callables] == ["Row.test"]
    assert [p.name for p in measured.positional] == ["Row(5)"]
    assert [p.name for p in measured.lonely] == ["Store (Row)"]
    assert [p.line for p in measured.skips] == [13]
    assert [p.line for p in measured.wide] == [14]


def test_the_table_is_printed_for_several_packages(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def parse_rows() -> None:\n    pass\n", encoding="utf-8")
    run = [sys.executable, str(_ROOT / "scripts" / "house.py"), str(tmp_path), "--json"]
    figures = json.loads(subprocess.run(run, capture_output=True, check=True).stdout)
    assert figures[tmp_path.name]["unique names of module functions, %"] == 100
