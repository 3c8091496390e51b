"""Reads documents of turns: a whole conversation as one text, and the messages behind a line."""

from collections.abc import Iterator, Sequence

from gieok.agents.openclaw.transcript import NAME as OPENCLAW
from gieok.memory.talk import turns
from gieok.model.conversation import Message
from gieok.model.memory import Document, Scope
from gieok.ports.journal import Conversations
from gieok.ports.store import Documents


def read_conversation(store: Documents, scopes: Sequence[Scope], path: str) -> str:
    """Return the whole text of a conversation, by its path `sessions/<agent>/<session>`.

    '' for an unknown conversation. The path is virtual; `sessions/main/<session>.jsonl`, which
    OpenClaw's agents use, is accepted too.
    """
    folder, _, name = path.rpartition("/")
    session = name.partition(".jsonl")[0]
    for key in dict.fromkeys((path, f"{folder}/{session}", f"{turns.PREFIX}{OPENCLAW}/{session}")):
        for scope in scopes:
            if held := turns.held_blocks(store, scope, key):
                keys = [f"{key}#{number}" for number in range(1, held + 1)]
                entries = store.entries(scope, keys)
                # If the first line has no passage, the message begins in the block before.
                blocks = (
                    entry.document.text[entry.passages[0].start :]
                    for entry in entries
                    if entry.passages
                )
                return "\n".join(blocks)
    return ""


def at_line(journal: Conversations, document: Document, line: int) -> tuple[range, Message] | None:
    """Return the message behind a line, with the range of its lines; None if it is gone."""
    return next(
        (pair for pair in _iter_messages_by_line(journal, document) if line in pair[0]), None
    )


def _iter_messages_by_line(
    journal: Conversations, document: Document
) -> Iterator[tuple[range, Message]]:
    """Yield each message of a document with the numbers of its lines."""
    start = int(document.metadata["from"].rpartition(":")[2])
    agent, session = document.metadata["agent"], document.metadata["session"]
    session_turns = journal.turns(document.scope, agent, session, start)
    block = next(
        turns.blocks(
            (turn for turn in session_turns if turn.place >= start),
            None,
            turns.read_block_zone(document),
        ),
        None,
    )
    if block is None:
        return
    number = 1 + max(document.text.count("\n") + 1 - len(block.lines), 0)
    for turn in block.turns:
        end = number + len(turns.laid(turn)[0])
        if not turn.is_forgotten:
            yield range(number, end), turn.message
        number = end
