"""Resolution of handles: a record, a note, an observation, turns or one line of turns."""

import re
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from datetime import datetime
from typing import NamedTuple

from gieok.commands.memory import away
from gieok.commands.scope_names import name_scope
from gieok.errors import BadRequest, Phrase
from gieok.flow.gate_rules import DAMAGED, load_gate_rules
from gieok.home.call import Call
from gieok.hook.validity import EndedClaim, LaterStatement, Standing
from gieok.memory import observation
from gieok.memory.files import roots
from gieok.memory.sidecar import observing, reflecting
from gieok.model.memory import EDITED_TO, Document, Scope
from gieok.model.memory import find_document_status as document_status
from gieok.places.home import is_shelf_folder
from gieok.ports.store import Store
from gieok.ranking.recall import first_answer
from gieok.text.handles import HANDLE_PATTERN, build_handle
from gieok.text.markdown import front_matter
from gieok.text.own_marks import CORRECTED_LINE
from gieok.text.turns import ASSISTANT, USER

_HANDLE = re.compile(HANDLE_PATTERN)
_SHOWN, _SHOWN_CHARS = 5, 60
#: The kinds of memory that a person tells apart.
RECORD, NOTE, OBSERVATION, TURN = "record", "note", "observation", "turn"
KINDS = (OBSERVATION, RECORD, TURN, NOTE)
_TALK = ("turn", "session")


class NamedMemory(NamedTuple):
    """Document that a handle names, and the number of its line, 0 for the whole document.

    `was_replaced`: the document is in the history alone. `away` is the text of a line that is put
    away: the document holds a blank in its place.
    """

    document: Document
    line: int = 0
    was_replaced: bool = False
    away: str = ""

    @property
    def handle(self) -> str:
        """Return the full handle."""
        return build_handle(self.document.scope.path, self.document.key, self.line)

    @property
    def text(self) -> str:
        """Return the text of the document, or of the line."""
        return self.away or (
            self.document.text.split("\n")[self.line - 1] if self.line else self.document.text
        )


def is_handle(text: str) -> bool:
    """Return whether a text has the form of a handle."""
    return _HANDLE.fullmatch(text) is not None


def find_named_memories(
    call: Call, text: str, scopes: Iterable[Scope] = (), *, history: bool = False
) -> list[NamedMemory]:
    """Return the memories that a handle, or its first digits, names in scopes (those of the call).

    With `history`, the documents that were replaced are searched where nothing else matches. The
    handle of a rule, as `gieok rules` shows it, names the memory with the rule's words.
    """
    parsed = _HANDLE.fullmatch(text)
    if parsed is None:
        return []
    digits, line = parsed[1], int(parsed[2] or 0)
    searched_scopes = tuple(scopes) or call.scopes

    def held(store: Store) -> list[Document]:
        return [
            d
            for scope in searched_scopes
            for d in store.get(scope, _select_keys_by_digits(store.hashes(scope), scope, digits))
        ]

    documents, silent = first_answer(call.home.stores.all(), held)
    memories = [
        NamedMemory(document, line)
        for document in documents
        if line <= document.text.count("\n") + 1
    ]
    if history and not memories:
        memories = [
            _find_latest_version(call, old, line)
            for scope in searched_scopes
            for old in _list_replaced_documents(call, scope, digits)
        ]
    if not memories and (source := _find_rule_source(call, text)):
        return find_named_memories(call, source, searched_scopes, history=history)
    if silent and not memories:  # what answered instead may hold less
        call.tell(silent)
    return memories


def _find_rule_source(call: Call, text: str) -> str:
    """Return the handle of the memory with a rule's words, by the rule's; '' for no rule."""
    try:
        rules = load_gate_rules(str(call.home.folder))
    except DAMAGED:
        return ""
    return next((rule.source for rule in rules if rule.handle == text != rule.source), "")


def _find_latest_version(call: Call, old: Document, line: int) -> NamedMemory:
    """Return the current version of a document from the history.

    A record that was edited goes on under another name.
    """
    renamed = {
        version.key: version.metadata[EDITED_TO]
        for version in call.home.journal.history(old.scope, 1 << 30)
        if EDITED_TO in version.metadata
    }
    key, visited_keys = old.key, set[str]()
    while key in renamed and key not in visited_keys:
        visited_keys.add(key)
        key = renamed[key]
    # includes records that were written again since the search
    documents = call.home.store.get(old.scope, [key])
    return (
        NamedMemory(documents[0], line) if documents else NamedMemory(old, line, was_replaced=True)
    )


def lock_observations(call: Call, *scopes: Scope) -> ExitStack:
    """Return the held locks for reading and then changing observations and messages of scopes."""
    held = ExitStack()
    for lock in (name(scope) for scope in sorted(scopes) for name in (observing, reflecting)):
        held.enter_context(call.home.journal.exclusive(lock))
    return held


def read_again(call: Call, memory: NamedMemory) -> Document:
    """Return the current document of a memory, under its lock.

    Raises BadRequest where the document is gone.
    """
    document = memory.document
    documents, _ = first_answer(
        call.home.stores.all(), lambda store: list(store.get(document.scope, [document.key]))
    )
    if not documents:
        raise BadRequest(
            "{handle} was forgotten or replaced meanwhile",
            handle=memory.handle,
            hint="`gieok list` shows what stands",
        )
    return documents[0]


def _select_keys_by_digits(keys: Iterable[str], scope: Scope, digits: str) -> list[str]:
    return [key for key in keys if build_handle(scope.path, key).startswith(digits)]


def _list_replaced_documents(call: Call, scope: Scope, digits: str) -> list[Document]:
    old = {d.key: d for d in reversed(call.home.journal.history(scope, 1 << 30))}
    return [old[key] for key in _select_keys_by_digits(old, scope, digits)]


def find_only_memory(
    call: Call, text: str, scopes: Iterable[Scope] = (), *, history: bool = False
) -> NamedMemory | None:
    """Return the memory that a handle names; None for no handle, or a handle that names nothing.

    Raises BadRequest where the handle names several memories, or a forgotten memory.
    """
    memories = find_named_memories(call, text, scopes, history=history)
    if len(memories) > 1:
        several = "; ".join(
            f"{memory.handle} ({_shorten_memory_text(memory)})" for memory in memories[:_SHOWN]
        )
        raise BadRequest(
            "{text!r} names {count} memories",
            text=text,
            count=len(memories),
            several=several,
            hint="write more of it: {several}",
        )
    if memories and memories[0].line and not memories[0].text:
        document, line = memories[0][:2]
        if (turn := away.find_away_line(call, document, line)) is not None:
            return memories[0]._replace(
                line=turn.line, away=away.read_away_turn(call, document.scope, turn)
            )
        raise BadRequest(
            "{text!r} was forgotten",
            text=text,
            hint="its line is kept empty, so that others keep their handles",
        )
    return memories[0] if memories else None


def require_memory(call: Call, text: str) -> NamedMemory:
    """Return the memory that a handle names. Raises BadRequest."""
    memory = find_only_memory(call, text, history=True)
    if memory is None:
        raise BadRequest(
            "no memory has the handle {text!r} here", text=text, hint=_hint_other_scope(call, text)
        )
    return memory


def _hint_other_scope(call: Call, text: str) -> str:
    known = call.home.store.scopes()
    there = (
        find_named_memories(call, text, [scope for scope in known if scope not in call.scopes])
        if is_handle(text)
        else []
    )
    return (
        Phrase(
            "it is in {name}: give `--scope {scope}`",
            name=name_scope(there[0].document.scope),
            scope=there[0].document.scope,
        )
        if there
        else "`gieok list` and `gieok search` show handles"
    )


def _shorten_memory_text(memory: NamedMemory) -> str:
    return " ".join(memory.text.split())[:_SHOWN_CHARS]


def kind_of(document: Document, known: Sequence[roots.Root], home: str) -> str:
    """Return the kind of a document, one of `KINDS`; `known` are the roots of its scope."""
    if document.key.startswith(observation.PREFIX):
        return OBSERVATION
    if document.kind in _TALK:
        return TURN
    root = next((root for root in known if root.owns(document.key)), None)
    return RECORD if root is not None and is_shelf(root, home) else NOTE


def is_shelf(root: roots.Root, home: str) -> bool:
    """Return whether a root holds records.

    Such a root is the `memory` folder of a project's `.gieok`, of the home, or of a program's
    scope.
    """
    return is_shelf_folder(home, str(root.path))


def find_memory_status(document: Document, now: datetime, line: int = 0) -> str:
    """Return the status of a document, or of one of its lines."""
    if line and CORRECTED_LINE.search(document.text.split("\n")[line - 1]):
        return "corrected"
    return document_status(document, now)


def find_memory_end(memory: NamedMemory, standing: Standing) -> EndedClaim | None:
    """Return how a later statement ended a memory; None where the memory still holds."""
    place = _find_claim_place(memory)
    return standing.ended(*place) if place else None


def find_later_statement(memory: NamedMemory, standing: Standing) -> LaterStatement | None:
    """Return what was said later on the subject of a memory and likely changes it."""
    place = _find_claim_place(memory)
    return standing.find_later_statement(*place) if place else None


def _find_claim_place(memory: NamedMemory) -> tuple[str, str, int, str] | None:
    """Return the scope, key, first line and text by which claims of a memory are recorded.

    None for a whole block of turns: its claims are those of its lines.
    """
    document = memory.document
    if not memory.line and document.kind in _TALK:
        return None
    return str(document.scope), document.key, memory.line or 1, memory.text


def find_document_moment(document: Document) -> datetime:
    """Return the time that a document is dated by."""
    return document.said_at


def strip_speaker_label(text: str) -> str:
    """Return a conversation line without its speaker label, or a file without its front matter."""
    text = text[front_matter(text).end :].strip()
    return text.removeprefix(f"{USER}: ").removeprefix(f"{ASSISTANT}: ")
