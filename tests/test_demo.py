"""The demo does what it shows: what was said is recalled, as it holds."""

import re
import runpy
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import forked
import pytest

_DEMO = Path(__file__).parents[1] / "examples/demo.py"


class _ForkedPrograms:
    """Runs the commands of `gieok` that a script starts as forks, and its other programs as they
    are.
    """

    def __init__(self, commands: forked.Commands) -> None:
        self._commands = commands
        self.count = 0

    def run(
        self,
        command: Sequence[str],
        *,
        check: bool,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> "subprocess.CompletedProcess[bytes]":
        if [*command[:3]] != [sys.executable, "-m", "gieok"]:
            return subprocess.run(command, check=check, cwd=cwd, env=env)
        assert cwd is not None
        assert env is not None
        done = self._commands.run(command[3:], env, cwd)
        self.count += 1
        print(done.out, end="", flush=True)
        print(done.err, end="", file=sys.stderr, flush=True)
        return subprocess.CompletedProcess(command, done.status)


@pytest.mark.usefixtures("commands")
def test_what_was_said_comes_before_a_prompt_and_nothing_of_it_is_called_replaced(
    models: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    demo = runpy.run_path(str(_DEMO))
    home = tmp_path / ".demo"
    home.mkdir(mode=0o700)
    (home / "models").symlink_to(models)
    with forked.commands("numpy", "onnxruntime") as commands:
        programs = _ForkedPrograms(commands)
        demo["main"].__globals__.update(_HOME=home, _PROJECT=home / "shop", subprocess=programs)
        demo["main"]()
    assert programs.count == 10
    out, err = capfd.readouterr()
    recalled = out.partition("$ gieok recall")[2].partition("$ gieok index")[0]
    assert "libvips" in recalled
    assert "replaced" not in out
    assert err == ""
    answers = re.findall(r"^\$ gieok search .*\n(.*)$", out, re.MULTILINE)
    assert len(answers) == 6
    assert all(re.match(r"0\.\d\d  ", answer) for answer in answers)
