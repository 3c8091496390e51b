"""Deletes the episodes of users who stay away, and forms them again when users return.

Episodes are formed again from the messages, in portions.
"""

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gieok.character.facts import EPISODE
from gieok.character.memory import decisions
from gieok.character.memory.said_words import drop_said_words
from gieok.character.memory.service import SUMMARY, Bond, CharacterService
from gieok.character.memory.unread_talk import ALL
from gieok.flow.distil import deliver_scope
from gieok.model.conversation import Journalled
from gieok.model.memory import Scope
from gieok.ports.journal import FullJournal, KeptValues
from gieok.ports.store import Store

_FADED = "faded:"
_MARK = "span"
#: Tokens in a portion, and the fewest messages that a portion may leave over.
_TOKENS, _FEWEST = 1_000, 4


class FadedSpan(NamedTuple):
    """Messages whose episodes are to be formed again: places above `start`, up to `end`."""

    start: int
    end: int


def format_faded_realm(scope: Scope) -> str:
    """Return the realm of the spans whose episodes are to be formed again."""
    return f"{_FADED}{scope}"


def fade(journal: FullJournal, store: Store, scope: Scope) -> int:
    """Delete the episodes of a scope, with passages, vectors and history; return how many.

    The words kept for quotation go with them. Safe to kill and to repeat.
    """
    gone = [entry.document.key for entry in journal.made(scope) if entry.document.kind == EPISODE]
    before = [number for number, document in journal.replaced(scope) if document.kind == EPISODE]
    if not gone and not before:
        return 0
    _mark_faded_span(journal, scope, FadedSpan(0, journal.position(scope, SUMMARY)))
    journal.erase(scope, (), gone, before)
    drop_said_words(journal, store, scope)
    deliver_scope(journal, store, scope)
    return len(gone)


def form_again(
    memory: CharacterService,
    bond: Bond,
    tell: Callable[[Sequence[Journalled]], str] = lambda span: "",
) -> bool:
    """Form the next missing episode of a memory; False where nothing is left to do.

    `tell` is a model's summary of messages, '' for that of the rules. After a kill in between, the
    same episode is formed once more.
    """
    span = _read_faded_span(memory.journal, bond.scope)
    if span is None:
        return False
    portion = _select_faded_portion(memory.journal, bond.scope, span)
    if portion:
        memory.tell_of(
            bond,
            portion,
            [entry.message.id for entry in portion],
            tell,
        )
    end = portion[-1].place if portion else span.end
    _mark_faded_span(memory.journal, bond.scope, FadedSpan(end, span.end))
    return end < span.end


def _select_faded_portion(journal: FullJournal, scope: Scope, span: FadedSpan) -> list[Journalled]:
    """Return the oldest remaining messages, enough for one episode.

    A short rest is joined to the messages before it.
    """
    stored_messages = journal.read(scope, span.start, budget_tokens=ALL, limit=ALL)
    faded_messages = [
        entry
        for entry in decisions.select_spoken_messages(stored_messages)
        if span.start < entry.place <= span.end
    ]
    tokens_taken = 0
    for number, entry in enumerate(faded_messages, 1):
        tokens_taken += entry.message.tokens
        if tokens_taken >= _TOKENS and len(faded_messages) - number >= _FEWEST:
            return faded_messages[:number]
    return faded_messages


def _mark_faded_span(values: KeptValues, scope: Scope, span: FadedSpan) -> None:
    if span.start < span.end:
        values.keep(format_faded_realm(scope), {_MARK: json.dumps(span)})
    else:
        values.keep(format_faded_realm(scope), {}, [_MARK])


def _read_faded_span(values: KeptValues, scope: Scope) -> FadedSpan | None:
    text = values.kept(format_faded_realm(scope)).get(_MARK, "")
    return FadedSpan(*json.loads(text)) if text else None
