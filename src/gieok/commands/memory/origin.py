"""Origin of a memory: the messages behind it, what it replaced, and what replaced it."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gieok.commands.memory import handles, newest
from gieok.commands.memory.handles import NamedMemory
from gieok.commands.memory.predecessors import find_predecessors
from gieok.home.call import Call
from gieok.hook.validity import EndedClaim, Standing
from gieok.memory.talk import promotion, turns
from gieok.model.conversation import Journalled, Message
from gieok.model.memory import CORRECTED, MOVED_FROM, REPLACED_BY, Document, Scope
from gieok.ranking.claim_rows import LaterClaim
from gieok.text.handles import HANDLE_PATTERN, build_handle

#: Own handle of a line of a given text: the last in its brackets, as in "(replaced by 1a2b3c4d,
#: 5e6f7a8b)".
_OWN_HANDLE = re.compile(rf"(?<=[ (])({HANDLE_PATTERN})\)")


class Replacement(NamedTuple):
    """Memory that another memory replaced, or that replaced another memory."""

    handle: str
    text: str


class Origin(NamedTuple):
    """Status of a memory, its replacements, and in how many sessions an agent was shown it.

    `said_later`: what was said later on its subject, which may change it. `replaced` is empty where
    it was not asked for.
    """

    status: str
    replaced: tuple[Replacement, ...]
    replaced_by: tuple[Replacement, ...]
    shown_in: int
    said_later: tuple[Replacement, ...] = ()


def messages_of(call: Call, memory: NamedMemory) -> tuple[Message, ...]:
    """Return the messages that a memory was made of, in order.

    A line of a turn block has one message: the message of that line.
    """
    document = memory.document
    if document.kind == turns.KIND:
        return _find_turn_messages(call, memory)
    ids = [identity for source in document.provenance for identity in source.message_ids]
    scope = Scope(document.metadata.get(MOVED_FROM) or document.scope.path)
    entries: Sequence[Journalled] = call.home.journal.messages(scope, ids) if ids else ()
    return tuple(entry.message for entry in entries)


def _find_turn_messages(call: Call, memory: NamedMemory) -> tuple[Message, ...]:
    """Return the messages of a block of turns from the journal, split as the block was."""
    if promotion.is_promoted(memory.document):
        source, line = promotion.find_promoted_source(
            call.home.store,
            memory.document,
            memory.line or _find_first_filled_line(memory.document),
        )
        if source is None or not line:
            return ()
        memory = memory._replace(document=source, line=line)
    document = memory.document
    journal = call.home.journal
    of_lines = turns.messages_of_lines(journal, document)
    ids = [message.id for message in of_lines]
    chosen = (
        ids[memory.line - 1 : memory.line]
        if memory.line
        else list(dict.fromkeys(ids[_find_first_filled_line(document) - 1 :]))
    )
    # The texts as they were said: a person may have corrected them since. Forgotten messages are
    # not there.
    known = journal.messages(document.scope, chosen)
    return tuple(entry.message for entry in known)


def _find_first_filled_line(document: Document) -> int:
    """Return the number of the first line that is not empty."""
    return next(
        (number for number, line in enumerate(document.text.split("\n"), start=1) if line), 1
    )


def find_memory_origin(call: Call, memory: NamedMemory, *, with_replaced: bool = True) -> Origin:
    """Return what is known of a memory besides the messages that it was made of.

    Without `with_replaced`, what the memory replaced is not looked up.
    """
    document, standing = memory.document, newest.open_standing(call)
    end = handles.find_memory_end(memory, standing)
    status = handles.find_memory_status(document, call.clock.now(), memory.line)
    if memory.was_replaced:
        status = "replaced"
    elif end is not None:
        status = end.name
    return Origin(
        "retired" if memory.away else status,
        tuple(_iter_replaced_versions(call, memory, standing)) if with_replaced else (),
        tuple(_replaced_by(call, document, end)),
        _shown_in(call.home.folder, memory),
        tuple(_said_later(call, memory, standing)) if status not in ("replaced", "ended") else (),
    )


def _iter_replaced_versions(
    call: Call, memory: NamedMemory, standing: Standing
) -> Iterator[Replacement]:
    """Yield what a memory replaced, the newest first of each kind.

    First come its earlier versions, which a person corrected, then earlier statements, which it
    ended.
    """
    if memory.was_replaced:
        return
    document = memory.document
    if document.metadata.get(CORRECTED):
        for version in call.home.journal.history(document.scope, 1 << 30):
            if version.key == document.key:
                yield Replacement(memory.handle, version.text)
    ended = find_predecessors(call, memory, standing)
    ended.sort(key=lambda old: handles.find_document_moment(old.document), reverse=True)
    seen: set[str] = set()
    for old in ended:
        text = handles.strip_speaker_label(old.text)
        if text not in seen:
            seen.add(text)
            yield Replacement(old.handle, text)


def _replaced_by(call: Call, document: Document, end: EndedClaim | None) -> Iterator[Replacement]:
    """Yield what replaced a memory: the line of `end`, else the document that its metadata names.

    `end`: how a later statement ended the memory. Where the metadata names another document than
    `end`, that document is yielded.
    """
    by = document.metadata.get(REPLACED_BY, "")
    if end is not None and by == end.key:
        by = ""
    for new in call.home.store.get(document.scope, [by]) if by else ():
        yield Replacement(build_handle(new.scope.path, new.key), new.text)
    if not by and end is not None and end.key:
        for new in call.home.store.get(Scope(end.scope), [end.key]):
            yield from _quote_line(new, end)


def _said_later(call: Call, memory: NamedMemory, standing: Standing) -> Iterator[Replacement]:
    """Yield what was said later on the subject of a memory, if it still says so."""
    later = handles.find_later_statement(memory, standing)
    if later is not None:
        for document in call.home.store.get(Scope(later.scope), [later.key]):
            yield from _quote_line(document, later)


def _quote_line(document: Document, claim: LaterClaim) -> Iterator[Replacement]:
    """Yield the line of a claim, if it still says so."""
    lines = document.text.split("\n")
    if claim.line <= len(lines) and claim.still_says(lines[claim.line - 1]):
        yield Replacement(claim.handle, lines[claim.line - 1])


def _shown_in(home: Path, memory: NamedMemory) -> int:
    """Count the kept sessions in which an agent was given a memory or one of its lines."""
    whole = memory._replace(line=0).handle
    files = (home / "hook" / "sessions").glob("*.json")
    return sum(is_handle_named(list_shown_handles(file), memory.handle, whole) for file in files)


def is_handle_named(shown: Collection[str], handle: str, whole: str) -> bool:
    """Return whether a handle, or where it names a whole memory a line of that, is among others."""
    if handle in shown:
        return True
    return handle == whole and any(one.partition(".")[0] == whole for one in shown)


def list_shown_handles(file: Path) -> frozenset[str]:
    """Return the handles of all that an agent was given in a session whose file the hook keeps.

    Prompts keep the handles of their memories. A session's start keeps its text alone, in which the
    handle of a line stands last in brackets; the handle before it is of what replaced the line.
    """
    try:
        row = json.loads(file.read_text(encoding="utf-8"))
        injections = [row.get("last"), *row.get("earlier", ())]
        shown = {str(handle) for handle in row["handles"]}
        for injection in filter(None, injections):
            shown |= {str(memory["handle"]) for memory in injection["memories"]}
            shown |= {found[1] for found in _OWN_HANDLE.finditer(injection["text"])}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return frozenset()
    return frozenset(shown)
