"""Whether the same prompt gets the same answer of the hook while other programs take the processor.

    python benchmarks/sameness.py [--busy 6] [--times 10] [--deadline-ms 600] [--json]

In a home of its own, with a daemon, two files of notes and no other model than the bundled one, each of four
prompts is asked again and again, as an agent's hook is, while BUSY processes count as fast as they
can. Said are the different answers a prompt got, how often words alone answered because the daemon
was late, and the times.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gieok

_SOURCE = str(Path(gieok.__file__).parents[1])
_NOTES = {
    "decisions.md": """# Decisions

- We lint with ruff; flake8 was too slow.
- Deploys go out on Fridays after the stand-up.
- The staging database is postgres 16 on db2.
- 결제는 매주 화요일에 정산한다.
""",
    "people.md": """# People

- Jonas looks after the invoices.
- Mina keeps the keys of the office.
- 사무실 주차는 지하 2층이다.
""",
}
#: By a word, by the sense alone, and by both.
_PROMPTS = (
    "add a linter to the project please",
    "when do we release again?",
    "그 돈 나가는 거 언제였더라",
    "who has the office keys?",
)


class Home:
    """A home with notes and a daemon, and what asks its hook."""

    def __init__(self, folder: Path, models: Path, deadline_ms: int) -> None:
        self._folder = folder
        self._environment = {
            "HOME": str(folder),
            "LANG": "en_US.UTF-8",
            "PATH": os.environ["PATH"],
            "PYTHONPATH": _SOURCE,
            "GIEOK_HOOK_DEADLINE_MS": str(deadline_ms),
        }
        (folder / ".gieok").mkdir()
        (folder / ".gieok/models").symlink_to(models)
        (folder / "notes").mkdir()
        for name, text in _NOTES.items():
            (folder / "notes" / name).write_text(text, encoding="utf-8")

    def run(self, *arguments: str, given: str = "") -> str:
        """Run a command of Gieok; return what it prints."""
        return subprocess.run(
            (sys.executable, "-m", "gieok", *arguments),
            cwd=self._folder,
            env=self._environment,
            input=given,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    def ask(self, prompt: str, session: str) -> str:
        """Return what the hook puts before a prompt of a fresh session."""
        payload = {
            "hook_event_name": "UserPromptSubmit",
            "session_id": session,
            "cwd": str(self._folder),
            "prompt": prompt,
        }
        return self.run("hook", "prompt", given=json.dumps(payload))


@contextmanager
def keep_busy(count: int) -> Iterator[None]:
    """Run processes that do nothing but take the processor."""
    command = (sys.executable, "-c", "while True: pass")
    running = [subprocess.Popen(command) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.kill()


def measure(home: Home, busy: int, times: int) -> dict[str, Any]:
    """Ask each prompt so many times; return what differs."""
    answers: dict[str, set[str]] = {prompt: set() for prompt in _PROMPTS}
    seconds = []
    with keep_busy(busy):
        for number in range(times):
            for place, prompt in enumerate(_PROMPTS):
                begun = time.perf_counter()
                answers[prompt].add(home.ask(prompt, f"s{number}-{place}"))
                seconds.append(time.perf_counter() - begun)
    stats = json.loads(home.run("hook", "stats", "--json"))
    return {
        "busy": busy,
        "asked": len(seconds),
        "different_answers": [len(texts) for texts in answers.values()],
        "empty": [texts == {""} for texts in answers.values()],
        "by_words_alone": stats["by_words"],
        "median_s": round(statistics.median(seconds), 2),
        "longest_s": round(max(seconds), 2),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--busy", type=int, default=6)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--deadline-ms", type=int, default=600)
    parser.add_argument("--models", type=Path, default=Path.home() / ".gieok/models")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="sameness-") as folder:
        home = Home(Path(folder), given.models.resolve(), given.deadline_ms)
        home.run("index", "notes")
        home.run("up")
        try:
            home.ask(_PROMPTS[0], "warm")
            found = measure(home, given.busy, given.times)
        finally:
            home.run("down")
    print(json.dumps(found, indent=None if given.json else 1))


if __name__ == "__main__":
    main()
