"""How the package reads gets no worse without a decision: `make house` writes the ratchet anew."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(_ROOT / "scripts"))

import house  # noqa: E402

_RATCHET = json.loads(house.RATCHET.read_text(encoding="utf-8"))


def test_the_package_reads_no_worse_and_no_folder_grows_unnoticed() -> None:
    """One test: measuring takes a while, and each worker of the tests would do it."""
    now = house.ratchet_of(house.measure(house.PACKAGE))
    assert list(_list_worse_figures(now["package"], _RATCHET["package"])) == []
    assert list(_list_grown_folders(now["expressions"], _RATCHET["expressions"])) == []


def _list_worse_figures(now: dict[str, int], most: dict[str, int]) -> Iterator[str]:
    for figure, count in now.items():
        if count > most[figure]:
            yield (
                f"{figure}: {count}, the ratchet says {most[figure]}: see "
                "`python scripts/house.py --list …`"
            )


def _list_grown_folders(now: dict[str, int], most: dict[str, int]) -> Iterator[str]:
    for folder in sorted(now.keys() | most.keys()):
        count, held = now.get(folder, 0), most.get(folder, 0)
        # Versions of Python differ by some expressions.
        if count > held + house.STEP:
            yield (
                f"{folder} has some {count} expressions, the ratchet says {held}: shrink it, or "
                "`make house` and say why in the commit"
            )
        if not count:
            yield f"{folder} is gone: `make house`"


def test_what_got_worse_is_named() -> None:
    assert list(_list_worse_figures({"wide": 2, "skips": 1}, {"wide": 1, "skips": 1})) == [
        "wide: 2, the ratchet says 1: see `python scripts/house.py --list …`"
    ]
    grown = list(_list_grown_folders({"a": 9_000, "b": 100}, {"a": 100, "b": 100, "c": 100}))
    assert [line.split()[0] for line in grown] == ["a", "c"]


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
