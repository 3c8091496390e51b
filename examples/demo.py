"""`make demo`: index the example workspace and ask it four questions, then keep a decision and recall it before a prompt."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

_HERE = Path(__file__).parent
_HOME = _HERE.parent / ".demo"


def run(*arguments: str, folder: Path = _HERE, given: str = "") -> None:
    """Show a command, run it in a folder with `given` on stdin, and stop where it fails."""
    before = f"echo {shlex.quote(given)} | " if given else ""
    print(f"\n$ {before}gieok {shlex.join(arguments)}", flush=True)
    environment = {**os.environ, "GIEOK_HOME": str(_HOME)}
    command = [sys.executable, "-m", "gieok", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, input=given.encode(), check=False)
    if given:
        print(flush=True)
    if done.returncode:
        sys.exit(f"the command ended with status {done.returncode}")


def main() -> None:
    """Index, ask, and show the state."""
    run("index", "workspace")
    for question in json.loads((_HERE / "questions.json").read_text(encoding="utf-8")):
        run("search", question["query"], "--limit", "2")
    run("status")
    project = _HOME / "project"
    (project / ".gieok").mkdir(parents=True, exist_ok=True)
    run("remember", "린터는 ruff를 쓴다. black과 flake8은 쓰지 않는다.", "--title", "린터는 ruff", folder=project)
    run("hook", "prompt", folder=project, given=json.dumps({"prompt": "어떤 린터를 쓰기로 했지?"}, ensure_ascii=False))
    print("\nThe index is in .demo; the notes are in examples/workspace. Try your own: gieok index ~/notes")


if __name__ == "__main__":
    main()
