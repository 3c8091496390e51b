"""The chat of the examples runs as it is, with a server and a home of its own and no model."""

import os
import subprocess
import sys
from pathlib import Path

_CHAT = Path(__file__).parents[3] / "examples" / "character" / "chat.py"


def test_the_example_talks_remembers_and_shows_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(_CHAT)],
        input="I live in Leith\nWhere do I live?\n/memory\n",
        env=os.environ | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "(remembers: Leith. I live in Leith)" in done.stdout
    assert "(18 points left)" in done.stdout
    assert "semantic: Leith" in done.stdout
