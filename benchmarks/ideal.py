"""A perfect observer: a model server that answers each span with the facts of a data file that are
told in it.

The ceiling of what an observer with a model can do: `told.py --observer ideal`. It goes the way of
any model: the prompt of the product, its handles, its parser; only the model knows what is worth
keeping, and what it replaces.
"""

import re
from collections.abc import Mapping
from typing import Any

from gieok.testing.model_server import ModelServer

_SHOWN = re.compile(r"^\[(k\d+)\] \* \S+ (?:✅ )?\([^)]*\) \[\w+\] (.*)$", re.MULTILINE)
_TURN = re.compile(r"^\[(\d+)\] (\d\d:\d\d) (?:user|assistant):(.*(?:\n    .*)*)", re.MULTILINE)
_DAY = re.compile(r"^Date: (\d{4}-\d\d-\d\d)", re.MULTILINE)
_CATEGORIES = {
    "decision": "decision",
    "preference": "preference",
    "constraint": "preference",
    "task": "task",
}
#: A turn is known by its beginning: secrets further on are cut out of what the model reads.
_BEGINNING_CHARS = 60


class IdealObserver(ModelServer):
    """Answers with the facts of `data` that the conversation in the prompt tells."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__()
        self.script = [self.observe]
        self.facts = {fact["id"]: fact for fact in data["facts"]}
        self.told = {
            _beginning(turn["text"]): turn["facts"]
            for session in data["sessions"]
            for turn in session["turns"]
            if turn.get("facts")
        }
        #: Facts that were answered, and those of them that said what they replace.
        self.given: set[str] = set()
        self.linked: set[str] = set()

    def observe(self, body: dict[str, Any]) -> str:
        """Return the answer to one prompt."""
        prompt = _text(body)
        known, _, conversation = prompt.rpartition("<conversation>")
        handles = {text.strip(): handle for handle, text in _SHOWN.findall(known)}
        found: dict[str, str] = {}
        day = ""
        for line in re.split(r"\n(?=\[\d+\] |Date: )", conversation):
            if date := _DAY.match(line.strip()):
                day = f"Date: {date[1]}"
            elif (turn := _TURN.match(line)) and (ids := self.told.get(_beginning(turn[3]))):
                for identity in ids:  # told across two turns: the later one
                    found[identity] = f"{day}\n{self._line(identity, turn, handles)}"
        self.given |= found.keys()
        listed = "\n".join(found.values()) or "NONE"
        return f"<observations>\n{listed}\n</observations>"

    def _line(self, identity: str, turn: re.Match[str], handles: Mapping[str, str]) -> str:
        fact = self.facts[identity]
        older = self.facts.get(fact["replaces"] or "")
        handle = handles.get(older["statement"], "") if older else ""
        if handle:
            self.linked.add(identity)
        ends = f" {{replaces {handle}}}" if handle else ""
        category = _CATEGORIES.get(fact["type"], "state")
        return f"* 🔴 ({turn[2]}) [{category}] {fact['statement']} {{{turn[1]}}}{ends}"


def _beginning(text: str) -> str:
    return "".join(text.split())[:_BEGINNING_CHARS]


def _text(body: Mapping[str, Any]) -> str:
    content = body["messages"][-1]["content"]
    return (
        content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    )
