"""`make demo`: what was said in a session is known in the next one, and notes answer questions.

A conversation of yesterday is laid out as Claude Code writes it, in a home of its own below
`.demo`: nothing of yours is read.
"""

import json
import os
import shlex
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

_HERE = Path(__file__).parent
_HOME = _HERE.parent / ".demo"
_PROJECT = _HOME / "shop"
_SESSION = "5e550000-0000-4000-8000-000000000001"


def run(*arguments: str, folder: Path = _HERE) -> None:
    """Show a command, run it in a folder, and stop where it fails."""
    print(f"\n$ gieok {shlex.join(arguments)}", flush=True)
    environment = {
        **os.environ,
        "GIEOK_HOME": str(_HOME),
        "HOME": str(_HOME / "home"),
        "GIEOK_DAEMON_AUTOSTART": "off",
    }
    command = [sys.executable, "-m", "gieok", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, check=False)
    if done.returncode:
        sys.exit(f"the command ended with status {done.returncode}")


def tell() -> None:
    """Write the conversation where Claude Code keeps its transcripts, and show it."""
    _PROJECT.mkdir(parents=True, exist_ok=True)
    # The one on the PATH.
    subprocess.run(["git", "init", "-q", str(_PROJECT)], check=True)  # noqa: S607
    file = (
        _HOME
        / "home"
        / ".claude"
        / "projects"
        / str(_PROJECT).replace("/", "-")
        / f"{_SESSION}.jsonl"
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    began = datetime.now(UTC) - timedelta(days=1)
    lines = []
    print("Yesterday, in a session of Claude Code:\n")
    for number, turn in enumerate(
        json.loads((_HERE / "conversation.json").read_text(encoding="utf-8"))
    ):
        print(f"    {turn['role']:>9}: {turn['text']}")
        line = {
            "type": turn["role"],
            "uuid": f"00000000-0000-4000-8000-{number:012d}",
            "timestamp": (began + timedelta(seconds=30 * number)).strftime(
                "%Y-%m-%dT%H:%M:%S.000Z"
            ),
            "sessionId": _SESSION,
            "cwd": str(_PROJECT),
            "isSidechain": False,
            "message": {"role": turn["role"], "content": turn["text"]},
        }
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    file.write_text("".join(lines), encoding="utf-8")


def main() -> None:
    """Tell, ask in other words, and show what is put before a prompt of today."""
    tell()
    run("observe", "run", "--once", folder=_PROJECT)
    run("search", "릴리스는 누가 승인하지?", "--limit", "1", folder=_PROJECT)
    run("search", "갤러리 사진을 어떤 라이브러리로 줄이더라", "--limit", "1", folder=_PROJECT)
    print("\nWhat an agent is told today, before a prompt:")
    run("recall", "resize the gallery thumbnails", folder=_PROJECT)
    print("\nAnd notes: the folder examples/workspace, asked in Korean and in English.")
    run("index", "workspace")
    for question in json.loads((_HERE / "questions.json").read_text(encoding="utf-8")):
        run("search", question["query"], "--limit", "1")
    run("status")
    print(
        "\nEverything of this is in .demo; the notes are in examples/workspace. Try your own: "
        "gieok install claude-code"
    )


if __name__ == "__main__":
    main()
