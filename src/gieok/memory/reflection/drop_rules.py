"""Rules of what a reflection may drop, in which order, and what it must keep.

Statements that were replaced go first, then older wordings of a statement, then old statements of
low priority. A preference or a decision that nothing replaced stays, and no older statement on a
subject outlasts a newer one. The rules hold however the reflection was made.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from gieok.memory import deeds
from gieok.memory.observation import Category, Observation, Priority, observation_of
from gieok.model.memory import Document, Provenance
from gieok.text import active
from gieok.text.gist import Gist, gist, holds, is_same

#: For this long, an open task is not dropped silently.
_OPEN = timedelta(days=60)
#: The longest time for which a replaced statement is kept.
_TOLD = timedelta(days=30)
#: Half of the size at which a reflection starts by itself.
_MUCH_TOKENS = 20_000
#: Two statements are on one subject if they share this much of the shorter one's words, and at
#: least two words.
_SUBJECT = 0.5
#: Share of a source's words that a line must hold: of a source that it cites, and of a source that
#: no line cites.
_CITED, _UNCITED = 0.5, 0.75
_STANDING = frozenset((Category.DECISION, Category.PREFERENCE))
_SECTIONS = {
    Category.STATE: "states",
    Category.TASK: "pending",
    Category.DECISION: "decisions",
    Category.PREFERENCE: "preferences",
}


class Sorted(NamedTuple):
    """Documents of a scope: current ones (each statement once), replaced ones, and older wordings.

    Older wordings are given by the key of the newest wording.
    """

    current: tuple[Document, ...]
    replaced: tuple[Document, ...]
    wordings: dict[str, tuple[Document, ...]]


def is_document_replaced(document: Document, now: datetime) -> bool:
    """Say whether a newer statement has replaced the document."""
    return document.valid_to is not None and document.valid_to <= now


def sort(documents: Sequence[Document], own: Sequence[Document], now: datetime) -> Sorted:
    """Sort the documents of observations, oldest first.

    `own` are a person's documents, which outrank other documents that say the same.
    """
    replaced = tuple(document for document in documents if is_document_replaced(document, now))
    wordings: dict[str, list[Document]] = defaultdict(list)
    current: list[Document] = []
    known = _Index()
    for document in sorted(own, key=_by_time, reverse=True):
        known.add(document)
    for document in sorted(
        (d for d in documents if not is_document_replaced(d, now)), key=_by_time, reverse=True
    ):
        newer = known.same(document)
        if newer is None:
            current.append(document)
            known.add(document)
        else:
            wordings[newer.key].append(document)
    return Sorted(
        tuple(reversed(current)), replaced, {key: tuple(older) for key, older in wordings.items()}
    )


def still_told(replaced: Sequence[Document], room_tokens: int, now: datetime) -> list[Document]:
    """Return the newest replaced documents that fit into a budget, none replaced long ago."""
    newest: list[Document] = []
    for document in sorted(replaced, key=lambda d: (d.valid_to or now, d.key), reverse=True):
        room_tokens -= observation_of(document).tokens
        if room_tokens < 0 or now - (document.valid_to or now) > _TOLD:
            break
        newest.append(document)
    return newest


def _by_time(document: Document) -> tuple[datetime, str]:
    return document.said_at, document.key


class _Index:
    """Index that finds documents that say the same, by their shared words."""

    def __init__(self) -> None:
        self._by_word: dict[str, list[tuple[Document, Gist]]] = defaultdict(list)

    def add(self, document: Document) -> None:
        about = gist(document.text)
        for word in about.words or (about.plain,):
            self._by_word[word].append((document, about))

    def same(self, document: Document) -> Document | None:
        about, done = gist(document.text), document.metadata.get("done", "")
        rows = (
            row for word in about.words or (about.plain,) for row in self._by_word.get(word, ())
        )
        return next(
            (d for d, g in rows if d.metadata.get("done", "") == done and is_same(about, g)), None
        )


def merge_repeated_documents(newest: Document, older: Iterable[Document]) -> Document:
    """Return the newest wording with the messages and the weight of all wordings.

    The weight is that of the weightiest wording.
    """
    rows = (newest, *older)
    ids = dict.fromkeys(
        i
        for document in reversed(rows)
        for origin in document.provenance
        for i in origin.message_ids
    )
    best = max(rows, key=lambda document: document.importance)
    weight = {"priority": best.metadata["priority"]} if "priority" in best.metadata else {}
    standing = [d.metadata["category"] for d in rows if d.metadata.get("category") in _STANDING]
    weight |= {"category": standing[0]} if standing else {}
    return replace(
        newest,
        importance=best.importance,
        metadata={**newest.metadata, **weight},
        provenance=(Provenance("journal", message_ids=tuple(ids)),),
    )


def by_worth(observations: Sequence[Observation], room_tokens: int) -> list[Observation]:
    """Return the observations that fit into a budget: what must stay, then the most valuable.

    Of equal value, newer ones come first. If all observations together are few, only those of low
    priority, done or from tools are dropped.
    """
    newest = max(o.at for o in observations)
    is_much = sum(o.tokens for o in observations) > _MUCH_TOKENS

    def worth(o: Observation) -> float:
        if deeds.is_deed(o.text):
            return 0.0
        return active.score_active_line(
            "done" if o.is_done else _SECTIONS[o.category], o.priority.mark, (newest - o.at).days
        )

    kept = {
        o
        for o in observations
        if not o.is_done and (o.category in _STANDING or not (is_much or _is_low(o)))
    }
    room = room_tokens - sum(o.tokens for o in kept)
    for o in sorted(
        (o for o in observations if o not in kept), key=lambda o: (worth(o), o.at), reverse=True
    ):
        room -= o.tokens
        if room < 0:
            break
        kept.add(o)
    return [o for o in observations if o in kept]


def _is_low(o: Observation) -> bool:
    return o.priority is Priority.LOW or deeds.is_deed(o.text)


def find_wrongly_dropped(
    before: Sequence[Document],
    lines: Sequence[tuple[Observation, tuple[str, ...]]],
    *,
    is_told: bool,
) -> list[tuple[Observation, tuple[str, ...]]]:
    """Return the statements that a reflection dropped although it must keep them.

    `lines` are the reflection's observations with the keys of their sources. `is_told`: the lines
    are a model's words, and the model does not say what it leaves out; rules, in contrast, have
    weighed every 🔴 state.
    """
    gists = [gist(o.text) for o, _ in lines]
    cited = {key for _, keys in lines for key in keys}
    at = {document.key: observation_of(document).at for document in before}
    ends = [max((at[key] for key in keys if key in at), default=o.at) for o, keys in lines]
    newest = max(at.values())
    lost: list[tuple[Observation, tuple[str, ...]]] = []
    for document in before:
        o, about = observation_of(document), gist(document.text)
        if o.is_done or deeds.is_deed(o.text):
            continue
        is_cited = document.key in cited
        # A cited source may be put in other words; an uncited one must be told in nearly its own
        # words.
        if not any(holds(line, about, _CITED if is_cited else _UNCITED) for line in gists):
            must = o.category in _STANDING or (
                is_told and not is_cited and _is_lasting_observation(o, newest)
            )
        else:
            must = False
        older = (
            line
            for line, end in zip(gists, ends, strict=True)
            if end < o.at and not about.words <= line.words
        )
        if must or (
            not is_cited
            and o.priority is not Priority.LOW
            and any(_is_on(line, about) for line in older)
        ):
            lost.append((o, (document.key,)))
    return lost


def _is_lasting_observation(o: Observation, newest: datetime) -> bool:
    """Say whether an observation is a fact, or an open and recent task."""
    if o.category is Category.TASK:
        return o.at > newest - _OPEN
    return o.priority is Priority.HIGH


def _is_on(one: Gist, other: Gist) -> bool:
    """Say whether two statements are on one subject."""
    shared = len(one.words & other.words)
    return shared > 1 and shared >= _SUBJECT * min(len(one.words), len(other.words))
