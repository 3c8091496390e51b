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

from gieok.flow.gate_rules import GateChoices
from gieok.hook.gates import describe_tool_use, list_gate_hits, list_held_rules
from gieok.memory.talk.gate_lines import hold_given_rules
from gieok.memory.talk.rule_readings import list_said_rules
from gieok.memory.talk.rule_sense import ASKED, DescribedUse, find_use_signs
from gieok.models.local.reader import LocalReader
from gieok.ports.models import Reader
from gieok.text.gates.signs import UseSigns, weigh_signs
from gieok.text.gates.touched import WRITE, TouchedPath
from gieok.text.gates.verdict import ToolAttempt

_ROOT = Path(__file__).resolve().parents[1]
_HANDS = ("k1", "k2", "k3")
_DAY = date(2026, 11, 27)
_FOLDER = "/project"


class Message(NamedTuple):
    """Message of a user, whether it holds a rule, and uses of tools with whether they break it."""

    text: str
    has_rule: bool
    uses: Sequence[tuple[ToolAttempt, bool]]


class HeldUse(NamedTuple):
    """Use of a tool, whether it breaks a rule, and what is held against it.

    `is_sure`: words decide. `signs` and `chance`, the reader's, are of the rule that it most likely
    breaks; None and 0 where no rule is held against it.
    """

    attempt: ToolAttempt
    breaks: bool
    is_sure: bool
    signs: UseSigns | None = None
    chance: float = 0.0

    @property
    def is_asked(self) -> bool:
        """Return whether the user is asked before the tool runs."""
        if self.signs is None:
            return self.is_sure
        return weigh_signs(self.signs, self.chance) >= ASKED


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
        (held.breaks, held.is_asked, message, held.attempt)
        for message in messages
        for held in build_held_uses(message, reader)
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


def build_held_uses(message: Message, reader: Reader | None) -> Iterator[HeldUse]:
    """Yield what is held against each use after a message: words, then signs and the reader."""
    rules = hold_given_rules([message.text], _DAY, reader)
    for attempt, breaks in message.uses:
        hits = list_gate_hits(rules, GateChoices(), attempt)
        is_sure = any(hit.is_sure or reader is None for hit in hits)
        held = [] if is_sure else list_held_rules(rules, GateChoices(), attempt, hits)
        if not held or reader is None:
            yield HeldUse(attempt, breaks, is_sure)
            continue
        path = attempt.paths[0].path.removeprefix(f"{_FOLDER}/") if attempt.paths else ""
        text = describe_tool_use(attempt.tool, attempt.command, [path] if path else [], "")
        chances = reader.measure_breaks([rule.sense for rule in held], text)
        judged = [
            (find_use_signs(rule, DescribedUse(attempt, text)), chance)
            for rule, chance in zip(held, chances, strict=True)
        ]
        signs, chance = max(judged, key=lambda one: weigh_signs(*one))
        yield HeldUse(attempt, breaks, is_sure, signs, chance)


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
