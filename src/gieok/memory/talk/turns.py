"""Derivation of documents from the journal's turns: a block of turns is a document.

The turns of a block are consecutive. Every turn of users and assistants is covered. A line of a
document is a turn or a part of one
(`User: …`, `Assistant: …`), and a passage; its neighbours are the turns before and after. A block
that continues a conversation begins with the turn that it answers, as a line without a passage: so
the block is intelligible, and no turn is found twice.
Documents are derived: the position stands in the store's notes, and an empty store derives
everything again. Places of the journal decide where blocks begin, so incremental equals rebuild.
A forgotten turn leaves empty lines without passages, and a correction keeps the lines of the turn
that it corrects: a line keeps its number, so a reference to the line never names another one.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import tzinfo
from itertools import groupby
from typing import NamedTuple, Protocol

from gieok.model.conversation import Conversation, Heard, Message, Role, Turn
from gieok.model.memory import Document, Entry, Passage, Provenance, Scope
from gieok.places.scope import PROMOTED, SESSIONS, is_served
from gieok.ports.journal import Conversations, Journal, JournalUpkeep
from gieok.ports.store import DERIVED, Documents, Store
from gieok.text.echo import strip_echo
from gieok.text.redact import redact
from gieok.text.turns import ASSISTANT, USER
from gieok.zone import MachineZone, day_in, find_zone, find_zone_name

KIND = "turn"
PREFIX = f"{SESSIONS}/"
#: Kind of the documents that older releases made of OpenClaw's transcripts.
OLD_KIND = "session"
#: Name of the lock: several processes that derive at once would overwrite each other's blocks.
LOCK = "turns"
LABELS = {Role.USER: USER, Role.ASSISTANT: ASSISTANT}
#: Part of every hash, and of the position. Raise it whenever the documents derived from a
#: conversation would change.
_VERSION = 1
#: Metadata of a block: the name of the time zone of its day; absent for UTC.
_ZONE = "zone"
#: A block ends before more turns, or more characters, or another day.
_BLOCK_TURNS = 16
_BLOCK_CHARS = 8_000
#: Longest line, without the label; a longer turn goes on in another line with its label.
_LINE_CHARS = 800
#: Longest text of a turn that is kept: a longer one is pasted text; the journal has the rest.
_TURN_CHARS = 100_000
#: Messages between two positions, and characters of documents in one transaction of the store.
_PORTION = 2_000
_BATCH_CHARS = 1_000_000
#: Block numbers that are probed to find the number of blocks; 2^20 blocks hold sixteen million
#: turns.
_POWERS = [1 << exponent for exponent in range(20)]


class TurnJournal(Journal, Conversations, JournalUpkeep, Protocol):
    """Journal operations that the derivation of turns needs."""


class Derived(NamedTuple):
    """Result of an update: documents put and forgotten; `waiting` messages are left for the
    next.
    """

    put: int = 0
    forgotten: int = 0
    waiting: int = 0

    def __add__(self, other: object) -> "Derived":
        """Return the sums of the fields."""
        if not isinstance(other, Derived):
            return NotImplemented
        return Derived(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


class TurnBlock(NamedTuple):
    """Consecutive turns of one day; `lead` is the last line of the turn before, None for none."""

    turns: list[Turn]
    lines: list[str]
    lead: str | None


def update_all(
    journal: TurnJournal,
    store: Store,
    *,
    zone: tzinfo | None = None,
    most: int = 0,
    wait: bool = True,
    is_stopped: Callable[[], bool] = lambda: False,
    progress: Callable[[int], None] = lambda done: None,
) -> Derived:
    """Bring the documents of all scopes in line with the journal.

    With `most`, the update stops after about that many messages. `zone` is the time zone that
    blocks are cut into days in. Where `zone` is the machine's, or None, a store keeps the zone that
    it was begun in: otherwise several machines, or one that travels, would rebuild everything in
    turn. Without `wait`, nothing is done while another process updates. Safe to kill. Raises
    StoreError.
    """
    done = Derived()
    with journal.exclusive(LOCK, wait=wait) as held:
        if not held:
            return Derived(waiting=unheard(journal, store))
        left = most
        scopes = _list_agent_scopes(journal)
        if not most:
            _drop_old(journal, store, {*store.scopes()} - {*scopes})
        for scope in scopes:
            if is_stopped():
                break
            derived, heard = _update_scope_turns(
                journal,
                store,
                scope,
                zone,
                left,
                is_stopped,
                lambda n: progress(done.put + n),  # noqa: B023
            )
            done += derived
            left = max(left - heard, 1) if most else 0
    return done._replace(waiting=unheard(journal, store)) if most or is_stopped() else done


def unheard(journal: TurnJournal, store: Store) -> int:
    """Count the messages that no document is derived from yet, over all scopes."""
    return sum(
        journal.unheard(scope, position(journal, store, scope))
        for scope in _list_agent_scopes(journal)
    )


def _list_agent_scopes(journal: TurnJournal) -> list[Scope]:
    """Return the scopes of agents."""
    return [scope for scope in journal.scopes() if not is_served(scope.path)]


def position(journal: TurnJournal, store: Store, scope: Scope) -> Heard:
    """Return the journal position up to which a store's documents are derived."""
    return _read_turns_position(journal, store, scope)[0]


def _read_turns_position(journal: TurnJournal, store: Store, scope: Scope) -> tuple[Heard, str]:
    """Return the position up to which documents are derived, and the name of their day zone.

    Positions without a zone are older and use UTC.
    """
    try:
        version, seq, change, *zone = json.loads(
            store.notes(scope).get(_name_position_note(journal), "") or "[0, 0, 0]"
        )
    except ValueError:
        return Heard(), ""
    return (
        (Heard(seq, change), zone[0] if zone else "UTC") if version == _VERSION else (Heard(), "")
    )


def _block_zone(wanted: tzinfo | None, known: str) -> str:
    """Return the name of the zone to cut blocks in, given the zone of the existing blocks."""
    if wanted is not None and not isinstance(wanted, MachineZone):
        return find_zone_name(wanted) or known or "UTC"
    return known if known not in ("", "UTC") else find_zone_name(MachineZone()) or "UTC"


def drop_turn_documents(journal: TurnJournal, store: Store) -> int:
    """Forget the documents of all turns; return their number. The next update derives them
    again.
    """
    dropped = 0
    with journal.exclusive(LOCK):
        for scope in store.scopes():
            name = _name_position_note(journal)
            if store.notes(scope).get(name):
                store.write_note(scope, name, "")
            dropped += store.forget(scope, sorted(filter(is_turns, store.hashes(scope))))
    return dropped


def is_turns(key: str) -> bool:
    """Say whether a key is that of a turns document, or of a conversation of an older release."""
    return key.startswith(PREFIX)


def restart(journal: TurnJournal, store: Store) -> None:
    """Make the next update compare all documents with the journal."""
    for scope in store.scopes():
        if store.notes(scope).get(_name_position_note(journal)):
            _, zone = _read_turns_position(journal, store, scope)
            store.write_note(
                scope, _name_position_note(journal), json.dumps([_VERSION, *Heard(), zone])
            )


def is_underived(journal: TurnJournal, document: Document) -> bool:
    """Say whether a document cannot be derived from this journal.

    True for a document that holds no turns, or turns of another journal.
    """
    if document.kind == OLD_KIND:
        return False
    return document.kind != KIND or not document.metadata.get("from", "").startswith(
        _build_turns_mark(journal)
    )


def _build_turns_mark(journal: TurnJournal) -> str:
    """Return the mark by which documents name this release and this journal as their source."""
    return f"{_VERSION}.{journal.identity()}"


def is_said(key: str) -> bool:
    """Say whether a key is that of turns where they were said, not where they are promoted to.

    The place of promotion is another scope.
    """
    return is_turns(key) and not key.endswith(PROMOTED)


def _name_position_note(journal: TurnJournal) -> str:
    return f"{DERIVED}turns:{journal.identity()}"


def _update_scope_turns(
    journal: TurnJournal,
    store: Store,
    scope: Scope,
    zone: tzinfo | None,
    most: int,
    is_stopped: Callable[[], bool],
    progress: Callable[[int], None],
) -> tuple[Derived, int]:
    """Derive a scope's documents; return the result and the most messages that were read."""
    at, known = _read_turns_position(journal, store, scope)
    name = _block_zone(zone, known)
    if name != known:
        at = Heard()
    derived, heard = Derived(), 0
    _drop_old(journal, store, [scope])
    while not is_stopped():
        portion = min(_PORTION, most - heard) if most else _PORTION
        reached, conversations = journal.conversations(scope, at, portion)
        if reached == at or portion <= 0:
            break
        if at == Heard():  # nothing that the store holds is taken for granted
            conversations = [conversation._replace(place=0) for conversation in conversations]
        for batch in _batch_turn_changes(
            _iter_turn_changes(journal, store, scope, conversations, reached.seq, name)
        ):
            entries = [entry for entry in batch if isinstance(entry, Entry)]
            store.put(entries)
            gone = store.forget(scope, [key for key in batch if isinstance(key, str)])
            derived += Derived(len(entries), gone)
            progress(derived.put)
        store.write_note(
            scope, _name_position_note(journal), json.dumps([_VERSION, *reached, name])
        )
        heard, at = heard + portion, reached
    return derived, heard


def _drop_old(journal: TurnJournal, store: Store, scopes: Iterable[Scope]) -> None:
    """Forget, once, the documents that an older release made of OpenClaw's transcripts.

    The journal holds the same text.
    """
    for scope in scopes:
        if not store.notes(scope).get(_name_position_note(journal)):
            store.forget(
                scope,
                sorted(key for key in filter(is_turns, store.hashes(scope)) if "#" not in key),
            )
            store.write_note(
                scope, _name_position_note(journal), json.dumps([_VERSION, *Heard(), ""])
            )


def _iter_turn_changes(
    journal: TurnJournal,
    store: Store,
    scope: Scope,
    found: Iterable[Conversation],
    upto: int,
    zone: str,
) -> Iterator[Entry | str]:
    """Yield entries to put and keys to remove, for conversations with new messages.

    Messages above `upto` are left for the next portion: a long conversation grows by portions and
    is not rebuilt each time.
    """
    whose = _build_turns_mark(journal)
    for conversation in found:
        held = _find_last_block(store, scope, _format_conversation_key(conversation))
        start, number = 0, 1
        mark, _, first = held.metadata.get("from", "").partition(":") if held else ("", "", "")
        if held is not None and mark == whose and conversation.place > int(first):
            start, number = int(first), _parse_block_number(held.key)
        turns = journal.turns(scope, conversation.agent, conversation.session, start, upto)
        if start and turns and turns[0].place < start and not laid(turns[0])[0]:
            # The turn before `start` has no lines left: which line leads the block shows only
            # from the conversation's beginning.
            start, number = 0, 1
            turns = journal.turns(scope, conversation.agent, conversation.session, upto=upto)
        entries = _cut_block_entries(scope, conversation, turns, start, number, whose, zone)
        there = (
            {d.key: d.content_hash for d in store.get(scope, [e.document.key for e in entries])}
            if held
            else {}
        )
        yield from (
            entry
            for entry in entries
            if there.get(entry.document.key) != entry.document.content_hash
        )
        last = _parse_block_number(held.key) if held is not None else 0
        yield from (
            f"{_format_conversation_key(conversation)}#{gone}"
            for gone in range(number + len(entries), last + 1)
        )


def held_blocks(store: Documents, scope: Scope, name: str) -> int:
    """Return how many blocks of a conversation a store holds; `name` is its key without a
    number.
    """
    last = _find_last_block(store, scope, name)
    return _parse_block_number(last.key) if last else 0


def _find_last_block(store: Documents, scope: Scope, name: str) -> Document | None:
    """Return the last block of a conversation that a store holds.

    Blocks are numbered without a gap.
    """
    known = {
        _parse_block_number(d.key): d
        for d in store.get(scope, [f"{name}#{power}" for power in _POWERS])
    }
    if not known:
        return None
    low = max(known)
    high = 2 * low  # not there
    while high - low > 1:
        middle = (low + high) // 2
        documents = store.get(scope, [f"{name}#{middle}"])
        if documents:
            known[middle], low = documents[0], middle
        else:
            high = middle
    return known[low]


def _cut_block_entries(
    scope: Scope,
    conversation: Conversation,
    turns: Sequence[Turn],
    start: int,
    number: int,
    whose: str,
    zone: str,
) -> list[Entry]:
    new = [turn for turn in turns if turn.place >= start]
    cut_blocks = blocks(new, _lead_of(turns, start), zone)
    return [
        _build_block_entry(scope, conversation, n, block, whose, zone)
        for n, block in enumerate(cut_blocks, start=number)
    ]


def _lead_of(turns: Sequence[Turn], start: int) -> str | None:
    """Return the last line of the turn before `start`; None where there is no turn before.

    That turn comes first in `turns`.
    """
    before = laid(turns[0])[0] if turns and turns[0].place < start else ()
    return before[-1] if before else None


def messages_of_lines(journal: Conversations, document: Document) -> list[Message]:
    """Return the message of each line of a block, in order; [] where the messages are gone.

    The lines are those that the block was made of.
    """
    start = int(document.metadata["from"].rpartition(":")[2])
    held = journal.turns(
        document.scope, document.metadata["agent"], document.metadata["session"], start
    )
    block = next(
        blocks([turn for turn in held if turn.place >= start], None, read_block_zone(document)),
        None,
    )
    if block is None:
        return []
    of_lines = [turn.message for turn in block.turns for _ in laid(turn)[0]]
    before = [turn for turn in held if turn.place < start]
    # The line before the first passage is the end of the turn that the block answers.
    has_lead = bool(before) and document.text.count("\n") + 1 > len(of_lines)
    return [before[-1].message, *of_lines] if has_lead else of_lines


def message_of_line(journal: Conversations, document: Document, line: int) -> Message | None:
    """Return the message of a line (counted from 1) of a block.

    None where the message is gone, or the block is of no journal.
    """
    if "from" not in document.metadata or document.key.endswith(PROMOTED):
        return None
    return next(iter(messages_of_lines(journal, document)[line - 1 : line]), None)


def read_block_zone(document: Document) -> str:
    """Return the name of the zone that a block of turns was cut in."""
    return document.metadata.get(_ZONE, "UTC")


def blocks(
    turns: Iterable[Turn], lead: str | None = None, zone: str = "UTC"
) -> Iterator[TurnBlock]:
    """Cut a conversation into blocks by the days of a zone; `lead` is the last line before it.

    Turns whose text is empty are left out, and so are forgotten turns at the end.
    """
    spoken = [(turn, *layout) for turn in turns if (layout := laid(turn))[0]]
    while spoken and spoken[-1][0].is_forgotten:
        spoken.pop()
    days = find_zone(zone)
    for _, day in groupby(spoken, key=lambda one: day_in(one[0].message.at, days)):
        block, chars = TurnBlock([], [], lead), 0
        for turn, lines, size in day:
            if len(block.turns) == _BLOCK_TURNS or (block.turns and chars + size > _BLOCK_CHARS):
                yield block
                block, chars = TurnBlock([], [], block.lines[-1]), 0
            block.turns.append(turn)
            block.lines.extend(lines)
            chars += size
        yield block
        lead = block.lines[-1]


def laid(turn: Turn) -> tuple[tuple[str, ...], int]:
    """Return the lines of a turn in a block, and the characters that the turn counts as.

    The count stays that of the turn as it was said.
    """
    if turn.is_forgotten:
        blanks = turn.message.text.split("\n")
        return ("",) * len(blanks), sum(map(len, blanks))
    lines = render_message_lines(turn.message)
    if not turn.said:
        return lines, sum(map(len, lines))
    said_lines = render_message_lines(turn.message._replace(text=turn.said))
    if len(lines) > len(said_lines) > 0:
        label = len(LABELS[turn.message.role]) + 2
        lines = (
            *lines[: len(said_lines) - 1],
            " ".join((lines[len(said_lines) - 1], *(x[label:] for x in lines[len(said_lines) :]))),
        )
    return (*lines, *[""] * (len(said_lines) - len(lines))), sum(map(len, said_lines))


def blanks(message: Message) -> str:
    """Return the lines of spaces that hold the place of a forgotten message; '' if it is no
    turn.
    """
    return (
        "\n".join(" " * len(line) for line in render_message_lines(message))
        if message.role in LABELS
        else ""
    )


def render_message_lines(message: Message) -> tuple[str, ...]:
    """Return the lines of a message, with secrets removed before the text is broken into lines.

    A secret that runs over two lines would not be recognised.
    """
    label = LABELS[message.role]
    text = " ".join(redact(strip_echo(message.text[:_TURN_CHARS])).split())
    lines: list[str] = []
    while text:
        space = text.rfind(" ", 1, _LINE_CHARS + 1) if len(text) > _LINE_CHARS else -1
        end = space if space > 0 else _LINE_CHARS
        lines.append(f"{label}: {text[:end]}")
        text = text[end:].lstrip()
    return tuple(lines)


def _build_block_entry(
    scope: Scope, conversation: Conversation, number: int, block: TurnBlock, whose: str, zone: str
) -> Entry:
    first, last = block.turns[0], block.turns[-1]
    text = "\n".join([*_list_lead_lines(block), *block.lines])
    project = project_of(scope)
    metadata = {
        "agent": conversation.agent,
        "session": conversation.session,
        "project": project,
        "from": f"{whose}:{first.place}",
        **({_ZONE: zone} if zone != "UTC" else {}),
    }
    origin = (first.message.source, first.message.at, last.message.at)
    stamp = hashlib.sha256(
        repr((_VERSION, text, metadata, origin)).encode("utf-8", "replace")
    ).hexdigest()[:32]
    document = Document(
        scope=scope,
        key=f"{_format_conversation_key(conversation)}#{number}",
        kind=KIND,
        title=" ".join(
            filter(
                None, (conversation.agent, str(day_in(first.message.at, find_zone(zone))), project)
            )
        ),
        text=text,
        content_hash=stamp,
        created_at=first.message.at,
        updated_at=last.message.at,
        valid_from=first.message.at,
        metadata=metadata,
        provenance=(Provenance(first.message.source),),
    )
    return Entry(document, tuple(_cut_block_passages(block)))


def _cut_block_passages(block: TurnBlock) -> Iterator[Passage]:
    start = sum(len(lead) + 1 for lead in _list_lead_lines(block))
    number = 1 + len(_list_lead_lines(block))
    for line in block.lines:
        if line:
            yield Passage(start, start + len(line), number, number)
        start, number = start + len(line) + 1, number + 1


def _list_lead_lines(block: TurnBlock) -> list[str]:
    return [] if block.lead is None else [block.lead]


def project_of(scope: Scope) -> str:
    """Return the name of a project scope; '' for another scope."""
    kind, _, name = scope.path.partition(":")
    return name.rpartition("-")[0] if kind == "project" else ""


def _format_conversation_key(conversation: Conversation) -> str:
    return f"{PREFIX}{conversation.agent}/{conversation.session}"


def key_beside(key: str, further: int) -> str:
    """Return the key of the block `further` places on in the conversation; '' where none can be.

    Blocks are numbered from 1.
    """
    name, _, number = key.rpartition("#")
    place = int(number) + further if number.isdigit() else 0
    return f"{name}#{place}" if place > 0 else ""


def _parse_block_number(key: str) -> int:
    return int(key.rpartition("#")[2])


def _batch_turn_changes(changes: Iterable[Entry | str]) -> Iterator[list[Entry | str]]:
    batch: list[Entry | str] = []
    chars = 0
    for change in changes:
        batch.append(change)
        chars += len(change.document.text) if isinstance(change, Entry) else 0
        if chars >= _BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch
