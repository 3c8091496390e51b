import importlib
import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from gieok.character.memory.told_readings import READ_AS
from gieok.character.predicates import PREDICATES

_TRAINING = Path(__file__).parents[2] / "training"
_ADAPTERS = _TRAINING.parent / "src/gieok/models/local/adapters"


def test_no_row_is_double_or_contradicts_another_and_no_author_kept_out_is_trained_on() -> None:
    done = subprocess.run(
        [sys.executable, str(_TRAINING / "lint.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert ", 0 errors, " in done.stdout.splitlines()[-1]


def test_an_adapter_is_small_enough_to_be_shipped() -> None:
    adapters = sorted(_ADAPTERS.glob("*.npz"))
    assert [file.stem for file in adapters] == [
        "bears",
        "breaks",
        "find",
        "relation",
        "rules",
        "spans",
        "worth",
    ]
    assert all(file.stat().st_size <= 4_000_000 for file in adapters)


def test_the_adapters_belong_to_the_rows_that_are_there() -> None:
    card = runpy.run_path(str(_TRAINING / "card.py"))
    held = json.loads((_ADAPTERS / "card.json").read_text(encoding="utf-8"))
    assert held == card["describe_adapters"](), (
        "rows or adapters have changed: fit anew (`make train`), then `python training/card.py`"
    )


def test_the_product_names_a_reading_as_the_reader_was_fitted_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(_TRAINING))
    words_of = importlib.import_module("tells").name_rule
    assert {name: READ_AS.get(name, name) for name in PREDICATES} == {
        name: words_of(name) for name in PREDICATES
    }
    assert set(READ_AS) <= set(PREDICATES)
