"""What a user said in their own words, kept for quotation where a message asks for it.

A message that leaves the window is kept as a document of a scope beside the memory's own. What the
rules make no fact of can so still be told: as a quotation with its day, which is true whatever it
means. Lines are chosen by the reader that judges whether a line helps with a message; without it
nothing is quoted.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import NamedTuple

from gieok.character.detect import gates
from gieok.character.detect.patterns import split_chat_sentences
from gieok.character.facts import PREFIX, digest, talkers_of
from gieok.errors import EmbedderFailed
from gieok.flow.clean import cleaned
from gieok.flow.distil import hand_over_scope
from gieok.model.conversation import Journalled, Role
from gieok.model.memory import Document, Entry, Passage, Provenance, Scope
from gieok.ports.journal import FullJournal
from gieok.ports.models import Embedder, Reader
from gieok.ports.store import Store
from gieok.ports.system import Clock
from gieok.ranking.profile import Profile
from gieok.ranking.recall import Question, documents_of, holding, recall
from gieok.text.keywords import keyword_tokens

#: Kind of the documents, and of the last part of their scope.
SAID = "said"
_KIND = f"/{SAID}:"
#: Metadata: what the character had said before. A message is searched with it, since a question
#: is often nearer to a later question than its answer is.
_ASKED = "asked"
_MOST_CHARS, _MOST_ASKED = 300, 120
#: Words below which a message is quoted with what was said before it.
_FEW_WORDS = 4
_STAGED = re.compile(r"\*[^*\n]+\*")
#: Lines that are quoted beside a message; eight found no more answers within a narrative of 500 tokens.
MOST_QUOTED = 5
#: The nearest of them, of which one may end another. Each two are read together, which takes time.
_MOST_COMPARED = 4
#: Probability from which a later line counts as putting an end to an earlier one.
_ENDS = 0.5


class UserQuote(NamedTuple):
    """What a user said: the words, the character's words before them, the time and the message."""

    key: str
    text: str
    asked: str
    at: datetime
    message_id: str

    @property
    def line(self) -> str:
        """Return the words as they are searched and read."""
        return _join_line(self.asked, self.text)


def said_scope(memory: Scope) -> Scope:
    """Return the scope of the words that belong to a memory's scope."""
    user, character = talkers_of(memory)
    return Scope(f"user:{user}{_KIND}{character}")


def is_said_scope(scope: Scope) -> bool:
    """Return whether a scope holds words that are kept for quotation."""
    return _KIND in scope.path


def drop_said_words(journal: FullJournal, store: Store, memory: Scope) -> None:
    """Drop all words that belong to a memory's scope. Safe to repeat."""
    scope = said_scope(memory)
    hand_over_scope(journal, store, scope, gone=[one.document.key for one in journal.made(scope)])


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidWords:
    """Words of all users. Without a `reader` they are kept, and not quoted."""

    journal: FullJournal
    store: Store
    embedder: Embedder | None
    reader: Reader | None = None
    #: How what people say is ranked; None: nothing is quoted.
    profile: Profile | None = None

    def keep(self, memory: Scope, span: Sequence[Journalled], unquoted: Collection[str]) -> None:
        """Keep the user's words of a span that leaves the window. Safe to repeat.

        Messages in `unquoted` are left out: something of them was refused.
        """
        scope = said_scope(memory)
        entries = _build_said_entries(scope, span, unquoted)
        hand_over_scope(self.journal, self.store, scope, entries)

    def renew(
        self,
        memory: Scope,
        touched: Collection[str],
        talk: Sequence[Journalled],
        told: Collection[str],
        unquoted: Collection[str],
    ) -> None:
        """Keep words as they are now, after messages changed, or something was refused or restored.

        `touched` are those messages, `talk` the messages that there are, in order, and `told` those
        of which episodes tell: they have left the window. Safe to repeat.
        """
        scope = said_scope(memory)
        held = {one.document.key: one.document.content_hash for one in self.journal.made(scope)}
        left = held.keys() | {_format_key(identity) for identity in told}
        entries = {
            entry.document.key: entry
            for entry in _build_said_entries(scope, talk, unquoted)
            if entry.document.key in left
        }
        asked = {_format_key(one.message.id) for one in talk}
        asked |= {_format_key(identity) for identity in touched}
        put = [
            entry for key, entry in entries.items() if held.get(key) != entry.document.content_hash
        ]
        gone = sorted((held.keys() & asked) - entries.keys())
        hand_over_scope(self.journal, self.store, scope, put, gone)

    def quote(
        self, memory: Scope, text: str, clock: Clock, zone: tzinfo, unquoted: Collection[str] = ()
    ) -> list[UserQuote]:
        """Return the lines that may answer a message, in the order in which they were said.

        A line that a later one puts an end to is left out, and so are messages in `unquoted`.
        """
        scope = said_scope(memory)
        reader, profile = self.reader, self.profile
        if reader is None or profile is None or not holding(self.store, (scope,)):
            return []
        found = recall(
            self.store,
            self.embedder,
            Question(text, (scope,)),
            profile,
            clock,
            zone,
            None,
            reader,
        )
        near = found.hits[:MOST_QUOTED]
        documents = documents_of(self.store, near)
        quotes = [
            _read_quote(documents[scope, hit.passage.key])
            for hit in near
            if (scope, hit.passage.key) in documents
        ]
        quotes = [one for one in quotes if one.message_id not in unquoted]
        try:
            ended = _find_ended(reader, quotes[:_MOST_COMPARED])
        except EmbedderFailed:
            return []
        standing = [one for one in quotes if one.key not in ended]
        return sorted(standing, key=lambda one: one.at)


def _find_ended(reader: Reader, quotes: Sequence[UserQuote]) -> set[str]:
    """Return the keys of the quotes that a later one puts an end to. Raises EmbedderFailed."""
    return {
        one.key
        for one in quotes
        if any(
            other.at > one.at and reader.read_change(one.line, other.line).whole >= _ENDS
            for other in quotes
        )
    }


def _build_said_entries(
    scope: Scope, span: Sequence[Journalled], unquoted: Collection[str]
) -> list[Entry]:
    """Return the documents of the user's messages in a span that say something."""
    entries: list[Entry] = []
    before = ""
    for one in span:
        message = one.message
        if message.role is Role.ASSISTANT:
            before = message.text
        elif message.role is Role.USER:
            asked, before = before, ""
            if message.id in unquoted or not _says_something(message.text):
                continue
            entries.append(_build_said_entry(scope, one, _find_question(asked)))
    return entries


def _says_something(text: str) -> bool:
    """Return whether a message states something in earnest.

    A question alone does not, nor words beside a stage direction: *bows*.
    """
    if not keyword_tokens(text) or gates.unmeant(text) or _STAGED.search(text):
        return False
    sentences = split_chat_sentences(text)
    return any(not sentence.rstrip(" ~^ㅋㅎ").endswith("?") for sentence in sentences)


def _find_question(text: str) -> str:
    """Return the last sentence of what the character said."""
    sentences = split_chat_sentences(text)
    return sentences[-1].strip()[-_MOST_ASKED:] if sentences else ""


def _build_said_entry(scope: Scope, one: Journalled, asked: str) -> Entry:
    message = one.message
    words = message.text[:_MOST_CHARS]
    line = _join_line(asked, words)
    document = Document(
        scope=scope,
        key=_format_key(message.id),
        kind=SAID,
        text=line,
        content_hash=digest(line),
        created_at=message.at,
        updated_at=message.at,
        valid_from=message.at,
        metadata={_ASKED: asked} if asked else {},
        provenance=(Provenance("journal", message_ids=(message.id,)),),
    )
    clean = cleaned(document)
    return Entry(clean, (Passage(0, len(clean.text), 1, clean.text.count("\n") + 1),))


def _read_quote(document: Document) -> UserQuote:
    asked = document.metadata.get(_ASKED, "")
    words = document.text.removeprefix(_join_line(asked, ""))
    identity = next(iter(document.message_ids), "")
    is_short = len(keyword_tokens(words)) < _FEW_WORDS
    return UserQuote(
        key=document.key,
        text=words,
        asked=asked if is_short else "",
        at=document.said_at,
        message_id=identity,
    )


def _join_line(asked: str, words: str) -> str:
    return f"{asked}\n{words}" if asked else words


def _format_key(message_id: str) -> str:
    return f"{PREFIX}{SAID}:{digest(message_id)}"
