"""Memories put away by a person: observations, messages, and records, found by their handles."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from gieok.home.call import Call
from gieok.hook import records
from gieok.memory import observation, retirement
from gieok.memory.files import roots
from gieok.memory.retirement import AwayTurn
from gieok.memory.talk import turns
from gieok.model.memory import RETIRED, Document, Scope
from gieok.text.handles import build_handle
from gieok.text.markdown import front_matter


class Away(NamedTuple):
    """Memory that is put away; `document`, `turn` or `file` holds it.

    `at` is the time, '' where it was not recorded.
    """

    handle: str
    scope: Scope
    text: str
    at: str
    document: Document | None = None
    turn: AwayTurn | None = None
    file: Path | None = None

    @property
    def kind(self) -> str:
        """Return the kind of the memory: `observation`, `turn` or `record`."""
        return (
            "observation"
            if self.document is not None
            else "turn"
            if self.turn is not None
            else "record"
        )

    @property
    def key(self) -> str:
        """Return the key that the memory's document has or had."""
        if self.document is not None:
            return self.document.key
        return self.turn.key if self.turn is not None else ""


def list_away_memories(call: Call, scopes: Iterable[Scope]) -> list[Away]:
    """Return the memories that are put away in scopes, the last first."""
    memories = [
        one
        for scope in scopes
        for kind in (_iter_away_observations, _iter_away_turns, _iter_away_records)
        for one in kind(call, scope)
    ]
    return sorted(memories, key=lambda one: one.at, reverse=True)


def find_away_memory(call: Call, handle: str, scopes: Iterable[Scope]) -> Away | None:
    """Return the memory that had a handle; the start of a handle's digits is enough if unique."""
    matches = [
        memory
        for memory in list_away_memories(call, scopes)
        if memory.handle == handle or memory.handle.startswith(handle)
    ]
    return next(
        (memory for memory in matches if memory.handle == handle),
        matches[0] if len(matches) == 1 else None,
    )


def find_away_line(call: Call, document: Document, number: int) -> AwayTurn | None:
    """Return the put-away message of a line; None for another's line, or a forgotten message."""
    known = [
        one
        for one in retirement.turns(call.home.journal, document.scope)
        if one.key == document.key
    ]
    before = [one for one in known if one.line <= number]
    nearest = max(before, key=lambda one: one.line, default=None)
    lines = document.text.split("\n")
    return nearest if nearest and not any(lines[nearest.line - 1 : number]) else None


def read_away_turn(call: Call, scope: Scope, turn: AwayTurn) -> str:
    """Return the text of a put-away message, as a person left it."""
    stored_messages = call.home.journal.messages(scope, [turn.id])
    message = (
        stored_messages[0].message._replace(text=turn.before or stored_messages[0].message.text)
        if stored_messages
        else None
    )
    return "\n".join(turns.render_message_lines(message)) if message else ""


def _iter_away_observations(call: Call, scope: Scope) -> Iterator[Away]:
    for entry in call.home.journal.made(scope):  # what is put away lives in hot
        document = entry.document
        if document.metadata.get(RETIRED) and document.key.startswith(observation.PREFIX):
            handle = build_handle(scope.path, document.key)
            yield Away(handle, scope, document.text, document.metadata[RETIRED], document=document)


def _iter_away_turns(call: Call, scope: Scope) -> Iterator[Away]:
    for turn in retirement.turns(call.home.journal, scope):
        handle = build_handle(scope.path, turn.key, turn.line)
        yield Away(handle, scope, read_away_turn(call, scope, turn), turn.at, turn=turn)


def _iter_away_records(call: Call, scope: Scope) -> Iterator[Away]:
    """Yield the records of a scope that are on another shelf, by their handles on the first
    shelf.
    """
    for root in roots.load_roots(call.home.store, scope):
        if root.path.name != records.MEMORY or root.is_file:
            continue
        base = root.path.parent
        for shelf in (records.RETIRED, records.ARCHIVE):
            for file in records.list_records(base, shelf):
                was = root.path / file.parent.name / file.name
                text = file.read_text(encoding="utf-8", errors="replace")
                matter = front_matter(text)
                at = matter.fields.get("retired", "") or _format_file_time(file)
                yield Away(
                    build_handle(scope.path, root.key_of(was)),
                    scope,
                    text[matter.end :].strip(),
                    at,
                    file=file,
                )


def _format_file_time(file: Path) -> str:
    return datetime.fromtimestamp(file.stat().st_mtime).astimezone().isoformat(timespec="seconds")
