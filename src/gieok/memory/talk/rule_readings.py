"""Keeps which stretches of users' lines the reader takes for standing rules.

The reader needs some ten milliseconds a line, so each line is read once, a few hundred at a time.
The files name lines by a checksum and stretches by their places, and hold no text: forgotten text
is not in them. Where no reader runs there is no file, and rules are found by words alone.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gieok import fs
from gieok.errors import EmbedderFailed
from gieok.memory.talk import turns
from gieok.model.memory import Document
from gieok.places.home import lasting_file
from gieok.places.scope import is_brought, is_served
from gieok.ports.models import Reader, RuleKind, RuleStretch
from gieok.ports.store import Documents
from gieok.text import binding
from gieok.text.assent import accepts
from gieok.text.handles import line_check
from gieok.text.turns import ASSISTANT, USER

#: To be raised whenever the same lines would be read differently.
_VERSION = 1
#: Lines that are read in one step.
_MOST_LINES = 300
#: A longer line was pasted, not said.
_LONGEST_LINE = 1_200
#: A shorter line may be an answer, which is read together with what it answers.
_LONGEST_ANSWER = 40
#: Chance from which a stretch counts as a rule.
SAID = 0.8
_AT_ONCE = 200
#: Document → its hash once all its lines are read, and line → stretches.
_Lines = dict[str, tuple[str, dict[str, list[tuple[int, int, str, float]]]]]


class RuleReadings:
    """What the reader found in the lines of a scope."""

    def __init__(self, lines: _Lines | None) -> None:
        self._lines = lines

    @property
    def is_kept(self) -> bool:
        """Return whether a reader reads this scope."""
        return self._lines is not None

    def will_read(self, words: str) -> bool:
        """Return whether a reader reads this scope, and such words."""
        return self.is_kept and len(words) <= _LONGEST_LINE

    def find(self, key: str, check: int) -> tuple[RuleStretch, ...] | None:
        """Return the stretches of a line by its document and checksum; None for an unread one."""
        _, by_line = (self._lines or {}).get(key, ("", {}))
        rows = by_line.get(str(check))
        if rows is None:
            return None
        return tuple(RuleStretch(a, b, RuleKind(kind), chance) for a, b, kind, chance in rows)


def list_said_rules(
    words: str, question: str, stretches: Sequence[RuleStretch] | None
) -> list[str]:
    """Return the sentences of a turn that state a standing rule.

    `question` is the agent's question or proposal before the turn, '' for none. `stretches`: what
    the reader found in the words; None where it did not read them.
    """
    if stretches is None or (question and accepts(words)):
        return binding.rules_in(words, question)
    said = [stretch for stretch in stretches if is_rule(stretch)]
    return [
        sentence
        for start, end, sentence in binding.place_own_sentences(words)
        if any(start < stretch.end and stretch.start < end for stretch in said)
    ]


def is_rule(stretch: RuleStretch) -> bool:
    """Return whether a stretch surely states a rule."""
    return stretch.kind is not RuleKind.ALLOWED and stretch.chance >= SAID


def load_readings(home: Path, scope: str) -> RuleReadings:
    """Return what is kept of a scope."""
    return RuleReadings(_load_lines(home, scope))


def _load_lines(home: Path, scope: str) -> _Lines | None:
    try:
        version, lines = json.loads(_locate_readings(home, scope).read_bytes())
    except (OSError, ValueError):
        return None
    return lines if version == _VERSION else None


def read_rules(store: Documents, home: Path, reader: Reader) -> tuple[Mapping[str, _Lines], bool]:
    """Let the reader read the lines that it has not read; return scope → what is to be kept.

    Also returns whether lines still wait. Writes nothing, since no lock may be held for seconds.
    """
    room = _MOST_LINES
    found: dict[str, _Lines] = {}
    for scope in store.scopes():
        if is_brought(scope.path) or is_served(scope.path):
            continue
        hashes = {key: sha for key, sha in store.hashes(scope).items() if turns.is_said(key)}
        known = _load_lines(home, scope.path)
        lines: _Lines = {key: row for key, row in (known or {}).items() if key in hashes}
        changed = [key for key in hashes if lines.get(key, ("",))[0] != hashes[key]]
        if known is not None and len(lines) == len(known) and not changed:
            continue
        found[scope.path] = lines
        for start in range(0, len(changed), _AT_ONCE):
            for document in store.get(scope, sorted(changed, reverse=True)[start:][:_AT_ONCE]):
                if room <= 0:
                    return found, True
                _, by_line = lines.get(document.key, ("", {}))
                try:
                    read, spent = _read_document(reader, document, by_line)
                except EmbedderFailed:
                    return {}, False
                lines[document.key] = hashes[document.key], read
                room -= spent
    return found, False


def keep_readings(home: Path, found: Mapping[str, _Lines]) -> None:
    """Write what `read_rules` returned."""
    for scope, lines in found.items():
        file = _locate_readings(home, scope)
        fs.make_private(file.parent)
        fs.replace_private(file, json.dumps([_VERSION, lines], ensure_ascii=False))


def _locate_readings(home: Path, scope: str) -> Path:
    return Path(f"{lasting_file(str(home), scope)}.read")


def _read_document(
    reader: Reader, document: Document, known: Mapping[str, list[tuple[int, int, str, float]]]
) -> tuple[dict[str, list[tuple[int, int, str, float]]], int]:
    """Return line → stretches of the users' lines, and how many were read."""
    read: dict[str, list[tuple[int, int, str, float]]] = {}
    spent = 0
    for check, words, before in _iter_user_lines(document):
        if check in known:
            read[check] = known[check]
            continue
        stretches = reader.find_rules(words, before)
        read[check] = [(s.start, s.end, s.kind.value, round(s.chance, 3)) for s in stretches]
        spent += 1
    return read, spent


def _iter_user_lines(document: Document) -> Iterator[tuple[str, str, str]]:
    """Yield (checksum, words, what was said before) of the users' lines."""
    before = ""
    for text in document.text.split("\n"):
        if text.startswith(f"{USER}: "):
            words = text[len(USER) + 2 :]
            if len(words) <= _LONGEST_LINE:
                yield str(line_check(text)), words, before if len(words) <= _LONGEST_ANSWER else ""
        before = text.removeprefix(f"{ASSISTANT}: ") if text.startswith(f"{ASSISTANT}: ") else ""
