"""`scripts/mutate` tells a change that a test notices from one that none does."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_SCRIPT = _ROOT / "scripts/mutate"


def test_the_groups_name_modules_that_exist_and_the_guide_names_the_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # The script sets it for good.
    script = runpy.run_path(str(_SCRIPT))
    guide = (_ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for group in script["GROUPS"]:
        assert f"`{group}`" in guide
        modules = script["list_modules"](_ROOT / "src", group)
        assert [name for name in modules if not (_ROOT / "src" / name).is_file()] == []


def test_a_change_is_caught_or_named_and_the_source_stays(tmp_path: Path) -> None:
    module = tmp_path / "src/shop/price.py"
    module.parent.mkdir(parents=True)
    source = (
        '"""Prices of 3."""\n\n\ndef is_cheap(price):\n    return not price\n\n\n'
        "def is_full(count, limit):\n    return count < limit\n"
    )
    module.write_text(source, encoding="utf-8")
    tests = tmp_path / "tests/test_price.py"
    tests.parent.mkdir()
    tests.write_text(
        "from shop.price import is_cheap\n\n\ndef test_it():\n    assert is_cheap(0)\n",
        encoding="utf-8",
    )
    command = [sys.executable, str(_SCRIPT), "shop/price.py", "--root", str(tmp_path)]
    said = subprocess.run(
        command, capture_output=True, text=True, check=True, encoding="utf-8"
    ).stdout
    assert said.splitlines() == [
        "src/shop/price.py:9: count < limit → count <= limit",
        "1 of 2 caught",
    ]
    assert module.read_text(encoding="utf-8") == source
