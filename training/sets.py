"""Measuring sets that nothing is trained on, read into one form.

A set is a JSON file with groups of passages (`items`) and of questions whose right passages are
known (`gold`); told_dev has sessions, facts and questions instead. None of them is part of this
repository: README.md names them.
"""

import json
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple


class Question(NamedTuple):
    """A question and the ids of the passages that answer it."""

    text: str
    gold: frozenset[str]


class Group(NamedTuple):
    """Passages that are searched together, and the questions asked of them."""

    passages: dict[str, str]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class MeasuringSet:
    """A set, and whether its passages are turns of talk."""

    name: str
    turns: bool
    groups: tuple[Group, ...]
    silent: tuple[str, ...]


def read_sets(folder: Path) -> list[MeasuringSet]:
    """Return the sets in `folder`, empty where there is no such folder."""
    return [_read(file) for file in sorted(folder.glob("*.json"))]


def _read(file: Path) -> MeasuringSet:
    data = json.loads(unicodedata.normalize("NFC", file.read_text("utf-8")))
    if "sessions" in data:
        return MeasuringSet(
            name=file.stem,
            turns=True,
            groups=(_read_told(data),),
            silent=tuple(item["ask"] for item in data["silent"]),
        )
    groups = tuple(
        Group(
            {item["id"]: _quote_speaker(item["text"], data) for item in group["items"]},
            tuple(
                Question(question["q"], frozenset(question["gold"]))
                for question in group["questions"]
            ),
        )
        for group in data["groups"]
    )
    return MeasuringSet(file.stem, turns=False, groups=groups, silent=())


def _quote_speaker(text: str, data: dict[str, Any]) -> str:
    """Return a turn as the product embeds it: `Kim: "…"`."""
    if data.get("level") != "turn" or ": " not in text:
        return text
    speaker, words = text.split(": ", 1)
    return f'{speaker}: "{words}"'


def _read_told(data: dict[str, Any]) -> Group:
    passages = dict[str, str]()
    holders = dict[str, set[str]]()
    for session in data["sessions"]:
        for number, turn in enumerate(session["turns"]):
            if turn["role"] != "tool":
                passages[f"{session['id']}:{number}"] = turn["text"]
                for fact in turn["facts"]:
                    holders.setdefault(fact, set()).add(f"{session['id']}:{number}")
    questions = []
    for question in data["questions"]:
        facts = question.get("facts") or [question["fact"]]
        gold = frozenset(holder for fact in facts for holder in holders.get(fact, ()))
        if gold:
            questions.append(Question(question["ask"], gold))
    return Group(passages, tuple(questions))
