"""Measure which messages are taken for standing rules, and what is asked before tools run.

    python benchmarks/said_rules.py [--models FOLDER] [--misses]

Messages and uses of tools are of hands that nothing was fitted on (`training/data/rules_k*`, `uses_k*`).
Each figure is given for words and grammar alone, and with the reader.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from gieok.hook.gates import describe_tool_use
from gieok.memory.talk.gate_lines import read_given_rules
from gieok.memory.talk.rule_readings import list_said_rules
from gieok.memory.talk.rule_sense import ASKED
from gieok.models.local.reader import LocalReader
from gieok.ports.models import Reader
from gieok.text.gates.action import NONE
from gieok.text.gates.touched import WRITE, TouchedPath
from gieok.text.gates.verdict import ToolAttempt, judge_tool_attempt, may_be_meant

_ROOT = Path(__file__).resolve().parents[1]
_HANDS = ("k1", "k2", "k3")
_DAY = date(2026, 11, 27)
_FOLDER = "/project"


class Message(NamedTuple):
    """Message of a user, whether it holds a rule, and uses of tools with whether they break it."""

    text: str
    has_rule: bool
    uses: Sequence[tuple[ToolAttempt, bool]]


def iter_messages(hand: str) -> Iterator[Message]:
    """Yield the messages of a hand with the uses of tools after each."""
    rows = _read_lines(_ROOT / f"training/data/uses_{hand}.jsonl")
    uses = {row["text"]: row["uses"] for row in rows}
    for row in _read_lines(_ROOT / f"training/data/rules_{hand}.jsonl"):
        yield Message(
            text=row["text"],
            has_rule=bool(row["rules"]),
            uses=[(_build_attempt(use), use["breaks"]) for use in uses.get(row["text"], [])],
        )


def measure(messages: Sequence[Message], reader: Reader | None, *, shows: bool) -> dict[str, str]:
    """Return the shares of messages that are told, and of uses that are asked about."""
    told = [_is_told(message, reader) for message in messages]
    pairs = list(zip(messages, told, strict=True))
    uses = [
        (is_forbidden, _is_asked(message, use, reader), message, use)
        for message in messages
        for use, is_forbidden in message.uses
    ]
    for is_forbidden, is_asked, message, use in uses if shows else ():
        if is_forbidden != is_asked:
            print("missed" if is_forbidden else "disturbed", use.command, "|", message.text)
    return {
        "rules told": _count([one for message, one in pairs if message.has_rule]),
        "told though there is none": _count(
            [one for message, one in pairs if not message.has_rule]
        ),
        "forbidden uses asked": _count([asked for forbidden, asked, *_ in uses if forbidden]),
        "harmless uses asked": _count([asked for forbidden, asked, *_ in uses if not forbidden]),
    }


def _is_told(message: Message, reader: Reader | None) -> bool:
    stretches = None if reader is None else reader.find_rules(message.text)
    return bool(list_said_rules(message.text, "", stretches))


def _is_asked(message: Message, use: ToolAttempt, reader: Reader | None) -> bool:
    rules = read_given_rules([message.text], _DAY, reader)
    if any(judge_tool_attempt(rule, use) != NONE for rule in rules):
        return True
    senses = {rule.sense for rule in rules if may_be_meant(rule, use)}
    if reader is None or not senses:
        return False
    path = use.paths[0].path.removeprefix(f"{_FOLDER}/") if use.paths else ""
    described = describe_tool_use(use.tool, use.command, [path] if path else [], "")
    return max(reader.measure_breaks(sorted(senses), described)) >= ASKED


def _build_attempt(use: dict[str, Any]) -> ToolAttempt:
    file = "" if use["tool"] == "Bash" else use["input"]
    path = file if file.startswith("/") else f"{_FOLDER}/{file}"
    return ToolAttempt(
        tool=use["tool"],
        command="" if file else use["input"],
        paths=[TouchedPath(WRITE, path)] if file else (),
        folder=_FOLDER,
        root=_FOLDER,
        day=_DAY.isoformat(),
        weekday=_DAY.weekday(),
    )


def _read_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def _count(values: Sequence[bool]) -> str:
    return f"{sum(values)} of {len(values)}"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, default=Path.home() / ".gieok/models")
    parser.add_argument("--misses", action="store_true", help="show what goes wrong")
    options = parser.parse_args()
    for hand in _HANDS:
        messages = list(iter_messages(hand))
        for name, reader in (("words", None), ("reader", LocalReader(options.models))):
            figures = measure(messages, reader, shows=options.misses and reader is not None)
            print(hand, name, *(f"{what}: {count};" for what, count in figures.items()))


if __name__ == "__main__":
    main()
