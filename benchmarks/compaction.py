"""Decisions that are still available after a session was compacted twice, with and without Gieok.

    python benchmarks/compaction.py --data DIR [--models DIR] [--missed] [--json]

DIR holds `session_N.jsonl` (events: what a user, an agent and a tool said), `session_N_summary.md`
(what a host's summary looks like afterwards) and `decisions.jsonl`: decisions of the sessions, each
with a `question` in other words and `keys`, groups of words of which every group must stand in a
text with one of its words at least.

Each session is laid out as a transcript of Claude Code in a fresh home and grows to its half; the
hook before a compaction and the one after it run in processes of their own; then it grows to its
end, and both run again. Nothing is observed and no daemon runs: what is known was taken in by the
hooks. Then vectors are filled in, as the daemon does, and each question is asked of the recall that
the daemon answers prompts with, in the same session.

`summary` is the share of decisions in the summary alone (by its labels, and by the keys), `start`
in what the session begins with after the second compaction, `asked` in what is put before the
question, and `with` in any of the three. `hint` is what the summary was told to keep: a host's
model reads it, a fixed summary does not. `stale` counts questions on a changed decision where the
old words stand and the new ones do not. `silent` is the share of questions on another session's
project for which nothing is put before the prompt.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from gieok.commands.prompt.recall import recall_memories
from gieok.flow.lifecycle import fill_vectors
from gieok.home.calls import open_call
from gieok.ports.store import VectorSearch
from gieok.text.tokens import estimate_tokens

_BEGAN = datetime(2026, 11, 20, 9, tzinfo=UTC)


class Available(NamedTuple):
    """What is available of one decision after the compactions."""

    row: Mapping[str, Any]
    in_summary: bool
    in_hint: bool
    in_start: bool
    in_asked: bool

    @property
    def is_known(self) -> bool:
        """Whether the summary, the session's start or the answer to the question holds it."""
        return self.in_summary or self.in_start or self.in_asked


def holds(text: str, keys: Sequence[Sequence[str]]) -> bool:
    """Say whether every group has a word in a text; a number needs a border on both sides."""
    low = text.lower()
    return all(any(_has(low, word.lower()) for word in group) for group in keys)


def _has(text: str, word: str) -> bool:
    left = r"(?<!\d)" if word[:1].isdigit() else ""
    right = r"(?!\d)" if word[-1:].isdigit() else ""
    return re.search(f"{left}{re.escape(word)}{right}", text) is not None


def transcript_lines(session: str, folder: Path, events: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the events of a session as lines of Claude Code, a list for each event."""
    lines = []
    for number, event in enumerate(events):
        parts: list[tuple[str, Any]]
        if event["who"] == "tool":
            call = {"type": "tool_use", "id": f"t{number}", "name": event["tool"]}
            result = {"type": "tool_result", "tool_use_id": f"t{number}"}
            parts = [
                ("assistant", [call | {"input": event["input"]}]),
                (
                    "user",
                    [
                        result
                        | {
                            "content": event.get("output", ""),
                            "is_error": bool(event.get("is_error")),
                        }
                    ],
                ),
            ]
        elif event["who"] == "user":
            parts = [("user", event["text"])]
        else:
            parts = [("assistant", [{"type": "text", "text": event["text"]}])]
        at = _BEGAN + timedelta(minutes=2 * number)
        rows = [
            {
                "type": role,
                "uuid": f"{session}-{number}-{place}",
                "sessionId": session,
                "cwd": str(folder),
                "timestamp": at.isoformat().replace("+00:00", "Z"),
                "message": {"role": role, "content": content},
            }
            for place, (role, content) in enumerate(parts)
        ]
        lines.append("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return lines


class Replay:
    """One session in a home of its own, compacted twice."""

    def __init__(self, folder: Path, session: str, models: Path | None) -> None:
        self._session = session
        self._project = folder / "project"
        self._home = folder / ".gieok"
        (self._project / ".git").mkdir(parents=True)
        self._home.mkdir()
        if models is not None:
            (self._home / "models").symlink_to(models.resolve())
        chats = folder / ".claude" / "projects" / "-p"
        chats.mkdir(parents=True)
        self._file = chats / f"{session}.jsonl"
        self._environment = {
            "HOME": str(folder),
            "GIEOK_HOME": str(self._home),
            "GIEOK_DAEMON_AUTOSTART": "off",
            "GIEOK_HOOK_DEADLINE_MS": "60000",
            **({} if models is not None else {"GIEOK_EMBEDDER": "none"}),
        }

    def grow(self, lines: Sequence[str]) -> None:
        """Add lines to the transcript."""
        with self._file.open("a", encoding="utf-8") as file:
            file.writelines(lines)

    def compact(self) -> tuple[str, str]:
        """Return what the hooks before and after a compaction print for the model."""
        hint = self._hook("pre-compact", hook_event_name="PreCompact", trigger="auto")
        begun = self._hook("session-start", hook_event_name="SessionStart", source="compact")
        start = json.loads(begun)["hookSpecificOutput"]["additionalContext"] if begun else ""
        return hint, start

    def _hook(self, event: str, **more: str) -> str:
        payload = {
            "session_id": self._session,
            "cwd": str(self._project),
            "transcript_path": str(self._file),
            **more,
        }
        done = subprocess.run(
            [sys.executable, "-m", "gieok", "hook", event, "--agent", "claude-code"],
            input=json.dumps(payload),
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **self._environment},
        )
        return done.stdout

    def ask(self, questions: Sequence[str]) -> Iterator[str]:
        """Yield what is put before each question."""
        os.environ.update(self._environment)  # where the home is, the process says
        call = open_call({}, folder=self._project)
        store, embedder = call.home.store, call.home.open_embedder()
        if embedder is not None:
            assert isinstance(store, VectorSearch)
            fill_vectors(store, embedder)
        for question in questions:
            yield recall_memories(
                call, prompt=[question], agent="claude-code", session=self._session
            ).text
        call.home.store.close()


def measure_session(
    data: Path,
    number: int,
    rows: Sequence[Mapping[str, Any]],
    others: Sequence[str],
    models: Path | None,
) -> tuple[list[Available], dict[str, float]]:
    """Return what is available of a session's decisions, and the tokens that it costs."""
    source = (data / f"session_{number}.jsonl").read_text(encoding="utf-8")
    events = [json.loads(line) for line in source.splitlines() if line.strip()]
    summary = (data / f"session_{number}_summary.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        replay = Replay(Path(folder), f"5e55{number:04}", models)
        lines = transcript_lines(f"5e55{number:04}", Path(folder) / "project", events)
        half = len(lines) // 2
        replay.grow(lines[:half])
        first, _ = replay.compact()
        replay.grow(lines[half:])
        second, start = replay.compact()
        asked = list(replay.ask([row["question"] for row in rows]))
        other = list(replay.ask(others))
    found = [
        Available(
            row=row,
            in_summary=holds(summary, row["keys"]),
            in_hint=holds(f"{first}\n{second}", row["keys"]),
            in_start=holds(start, row["keys"]),
            in_asked=holds(text, row["keys"]),
        )
        for row, text in zip(rows, asked, strict=True)
    ]
    costs = {
        "hint_tokens": float(estimate_tokens(second)),
        "start_tokens": float(estimate_tokens(start)),
        "asked_tokens": round(sum(map(estimate_tokens, asked)) / max(1, len(asked)), 1),
        "silent": round(sum(not text for text in other) / max(1, len(other)), 3),
    }
    return found, costs


def _share(found: Sequence[Available], is_held: Sequence[bool]) -> float:
    return round(sum(is_held) / max(1, len(found)), 3)


def summarise(found: Sequence[Available]) -> dict[str, float]:
    """Return the shares of the decisions that hold, and how often an old value alone is given."""
    held = [one for one in found if one.row["superseded_by"] is None]
    changed = {
        (one.row["session"], one.row["question"]): one
        for one in found
        if one.row["superseded_by"] is not None
    }
    stale = [
        one
        for one in held
        if (old := changed.get((one.row["session"], one.row["question"])))
        and old.in_asked
        and not one.in_asked
    ]
    return {
        "decisions": len(held),
        "summary_by_label": _share(held, [one.row["in_summary"] == "yes" for one in held]),
        "summary": _share(held, [one.in_summary for one in held]),
        "hint": _share(held, [one.in_hint for one in held]),
        "start": _share(held, [one.in_start for one in held]),
        "asked": _share(held, [one.in_asked for one in held]),
        "with": _share(held, [one.is_known for one in held]),
        "changed": len(changed),
        "stale": len(stale),
    }


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--models", type=Path, help="converted models; without them words alone")
    parser.add_argument("--missed", action="store_true", help="also the decisions that are missing")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    text = (arguments.data / "decisions.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    found: list[Available] = []
    report: dict[str, Any] = {}
    for number in sorted({row["session"] for row in rows}):
        own = [row for row in rows if row["session"] == number]
        # Questions on another project: what the session said answers none of them.
        others = [row["question"] for row in rows if row["session"] == number % 4 + 1]
        part, costs = measure_session(arguments.data, number, own, others, arguments.models)
        found += part
        report[f"session {number}"] = summarise(part) | costs
    report["all"] = summarise(found)
    if arguments.json:
        print(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        for name, values in report.items():
            print(name, *(f"{key} {value:g}" for key, value in values.items()), sep="  ")
    for one in found if arguments.missed else ():
        if one.row["superseded_by"] is None and not one.is_known:
            print(one.row["session"], one.row["question"], "|", one.row["decision"])


if __name__ == "__main__":
    main()
