"""`make demo`: index the example workspace and ask it four questions, as a new user would on the command line."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

_HERE = Path(__file__).parent
_HOME = _HERE.parent / ".demo"


def run(*arguments: str) -> None:
    """Show a command, run it, and stop where it fails."""
    print(f"\n$ gieok {shlex.join(arguments)}", flush=True)
    environment = {**os.environ, "GIEOK_HOME": str(_HOME)}
    done = subprocess.run([sys.executable, "-m", "gieok", *arguments], cwd=_HERE, env=environment, check=False)
    if done.returncode:
        sys.exit(f"the command ended with status {done.returncode}")


def main() -> None:
    """Index, ask, and show the state."""
    run("index", "workspace")
    for question in json.loads((_HERE / "questions.json").read_text(encoding="utf-8")):
        run("search", question["query"], "--limit", "2")
    run("status")
    print("\nThe index is in .demo; the notes are in examples/workspace. Try your own: gieok index ~/notes")


if __name__ == "__main__":
    main()
