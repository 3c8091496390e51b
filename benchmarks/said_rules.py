"""Measure which messages are taken for standing rules, what is asked before tools run, and of what
agents are reminded.

    python benchmarks/said_rules.py [--models FOLDER] [--misses]

Messages and uses of tools are of hands that nothing was fitted on (`training/data/rules_k*`,
`uses_k*`), of one that wrote rules in the words of eight kinds of people before it saw the code
(`benchmarks/data/rules.jsonl`: each with two uses that break it, a near one and a harmless one), and
of two that wrote 40 plain or polite prohibitions each, and 40 messages that only look like one: the
first before it saw the code (`benchmarks/data/plain_rules.jsonl`), the second without seeing it at
all (`benchmarks/data/polite_rules.jsonl`, no uses).
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
from gieok.memory.talk.rule_readings import list_said_rules, read_stretches
from gieok.memory.talk.rule_sense import ASKED, REMINDED, DescribedUse, find_use_signs
from gieok.models.local.reader import LocalReader
from gieok.ports.models import Reader
from gieok.text.gates.action import REMIND
from gieok.text.gates.signs import UseSigns, weigh_signs
from gieok.text.gates.touched import WRITE, TouchedPath
from gieok.text.gates.verdict import ToolAttempt

_ROOT = Path(__file__).resolve().parents[1]
_HANDS = ("k1", "k2", "k3")
_FILES = {
    "eight": "benchmarks/data/rules.jsonl",
    "plain": "benchmarks/data/plain_rules.jsonl",
    "polite": "benchmarks/data/polite_rules.jsonl",
}
_FILE_TOOLS = ("Edit", "Write")
_DAY = date(2026, 11, 27)
_FOLDER = "/project"


class Use(NamedTuple):
    """Use of a tool, whether it breaks the rule, and what a tool without command or file gets."""

    attempt: ToolAttempt
    breaks: bool
    given: str = ""


class Message(NamedTuple):
    """Message of a user, whether it holds a rule, and uses of tools after it."""

    text: str
    has_rule: bool
    uses: Sequence[Use]


class HeldUse(NamedTuple):
    """Use of a tool, whether it breaks a rule, and what is held against it.

    `is_sure`: words decide. `signs` and `chance`, the reader's, are of the rule that it most likely
    breaks; None and 0 where no rule is held against it. `may_ask`: the rule does more than remind.
    """

    attempt: ToolAttempt
    breaks: bool
    is_sure: bool
    signs: UseSigns | None = None
    chance: float = 0.0
    may_ask: bool = True

    @property
    def weight(self) -> float:
        """Return the chance that the use is what the rule means; 0 where none is held."""
        return 0.0 if self.signs is None else weigh_signs(self.signs, self.chance)

    @property
    def is_asked(self) -> bool:
        """Return whether the user is asked before the tool runs."""
        return self.is_sure or (self.may_ask and self.weight >= ASKED)

    @property
    def is_reminded(self) -> bool:
        """Return whether the agent is reminded, and nobody asked."""
        return not self.is_asked and self.weight >= REMINDED


def iter_messages(hand: str) -> Iterator[Message]:
    """Yield the messages of a hand with the uses of tools after each."""
    if hand in _FILES:
        for row in _read_lines(_ROOT / _FILES[hand]):
            yield Message(
                text=row["text"],
                has_rule=row.get("has_rule", True),
                uses=list(map(_build_use, row["uses"])),
            )
        return
    rows = _read_lines(_ROOT / f"training/data/uses_{hand}.jsonl")
    uses = {row["text"]: row["uses"] for row in rows}
    for row in _read_lines(_ROOT / f"training/data/rules_{hand}.jsonl"):
        yield Message(
            text=row["text"],
            has_rule=bool(row["rules"]),
            uses=list(map(_build_use, uses.get(row["text"], []))),
        )


def measure(messages: Sequence[Message], reader: Reader | None, *, shows: bool) -> dict[str, str]:
    """Return the shares of messages that are told, and of uses that are asked about."""
    told = [_is_told(message, reader) for message in messages]
    pairs = list(zip(messages, told, strict=True))
    for message, is_told in pairs if shows else ():
        if is_told != message.has_rule:
            print("not told" if message.has_rule else "told, no rule", "|", message.text)
    uses = [(held, message) for message in messages for held in build_held_uses(message, reader)]
    for held, message in uses if shows else ():
        if held.breaks != held.is_asked:
            answer = "reminded, " if held.is_reminded else ""
            wrong = "missed" if held.breaks else "disturbed" if held.is_asked else "left alone"
            print(f"{answer}{wrong}", held.attempt.command, "|", message.text)
    forbidden = [held for held, _ in uses if held.breaks]
    harmless = [held for held, _ in uses if not held.breaks]
    return {
        "rules told": _count([one for message, one in pairs if message.has_rule]),
        "told though there is none": _count(
            [one for message, one in pairs if not message.has_rule]
        ),
        "forbidden uses asked": _count([held.is_asked for held in forbidden]),
        "forbidden uses reminded": _count([held.is_reminded for held in forbidden]),
        "harmless uses asked": _count([held.is_asked for held in harmless]),
        "harmless uses reminded": _count([held.is_reminded for held in harmless]),
    }


def _is_told(message: Message, reader: Reader | None) -> bool:
    stretches = None if reader is None else read_stretches(reader, message.text)
    return bool(list_said_rules(message.text, "", stretches))


def build_held_uses(message: Message, reader: Reader | None) -> Iterator[HeldUse]:
    """Yield what is held against each use after a message: words, then signs and the reader."""
    rules = hold_given_rules([message.text], _DAY, reader)
    for attempt, breaks, given in message.uses:
        hits = list_gate_hits(rules, GateChoices(), attempt)
        is_sure = any(hit.is_sure or reader is None for hit in hits)  # no reader, no doubtful rule
        held = [] if is_sure else list_held_rules(rules, GateChoices(), attempt, hits)
        if not held or reader is None:
            yield HeldUse(attempt, breaks, is_sure)
            continue
        path = attempt.paths[0].path.removeprefix(f"{_FOLDER}/") if attempt.paths else ""
        text = describe_tool_use(attempt.tool, attempt.command, [path] if path else [], given)
        chances = reader.measure_breaks([rule.sense for rule in held], text)
        judged = [
            HeldUse(
                attempt=attempt,
                breaks=breaks,
                is_sure=is_sure,
                signs=find_use_signs(rule, DescribedUse(attempt, text)),
                chance=chance,
                may_ask=rule.rule.mode != REMIND,
            )
            for rule, chance in zip(held, chances, strict=True)
        ]
        yield max(judged, key=lambda one: (one.is_asked, one.weight))


def _build_use(use: dict[str, Any]) -> Use:
    is_file, is_command = use["tool"] in _FILE_TOOLS, use["tool"] == "Bash"
    path = use["input"] if use["input"].startswith("/") else f"{_FOLDER}/{use['input']}"
    attempt = ToolAttempt(
        tool=use["tool"],
        command=use["input"] if is_command else "",
        paths=[TouchedPath(WRITE, path)] if is_file else (),
        folder=_FOLDER,
        root=_FOLDER,
        day=_DAY.isoformat(),
        weekday=_DAY.weekday(),
    )
    return Use(attempt, use["breaks"], "" if is_file or is_command else use["input"])


def _read_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def _count(values: Sequence[bool]) -> str:
    return f"{sum(values)} of {len(values)}"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, default=Path.home() / ".gieok/models")
    parser.add_argument("--hands", nargs="*", default=[*_HANDS, *_FILES])
    parser.add_argument("--misses", action="store_true", help="show what goes wrong")
    options = parser.parse_args()
    for hand in options.hands:
        messages = list(iter_messages(hand))
        for name, reader in (("words", None), ("reader", LocalReader(options.models))):
            figures = measure(messages, reader, shows=options.misses and reader is not None)
            print(hand, name, *(f"{what}: {count};" for what, count in figures.items()))


if __name__ == "__main__":
    main()
