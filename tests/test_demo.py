"""The demo does what it shows: what was said is recalled, as it holds."""

import re
import runpy
from pathlib import Path

import pytest

_DEMO = Path(__file__).parents[1] / "examples/demo.py"


def test_what_was_said_comes_before_a_prompt_and_nothing_of_it_is_called_replaced(
    models: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    demo = runpy.run_path(str(_DEMO))
    home = tmp_path / ".demo"
    home.mkdir(mode=0o700)
    (home / "models").symlink_to(models)
    demo["main"].__globals__.update(_HOME=home, _PROJECT=home / "shop")
    demo["main"]()
    out, err = capfd.readouterr()
    recalled = out.partition("$ gieok recall")[2].partition("$ gieok index")[0]
    assert "libvips" in recalled
    assert "replaced" not in out
    assert err == ""
    answers = re.findall(r"^\$ gieok search .*\n(.*)$", out, re.MULTILINE)
    assert len(answers) == 6
    assert all(re.match(r"0\.\d\d  ", answer) for answer in answers)
