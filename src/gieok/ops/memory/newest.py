"""Puts the newest first: of what was found, a statement that holds no more stands behind what holds in its place.

Most of it was found out before (`observe.replaced`); what was said since is compared here, among what one question found.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from gieok import places
from gieok.capabilities.prompt.standing import EndedLine, Standing
from gieok.engine.recall import documents_of
from gieok.model.conversation import CORRECTED_MARK
from gieok.model.memory import CORRECTED, REPLACED_BY, Document, Scope
from gieok.model.retrieval import FoundPassage, Hit
from gieok.ops.context import Context
from gieok.ports.store import Documents, VectorCopy
from gieok.text.embedform import text_to_embed
from gieok.text.turns import USER

if TYPE_CHECKING:
    from gieok.engine.learned.changes import Judged

#: Hits that are compared with each other: pairs grow with the square.
_COMPARED = 12
#: What was said longer ago is compared already, where a daemon runs or sessions begin.
_FRESH = timedelta(days=1)
_TALK = "turn"
#: What states less surely something says nothing of what holds.
_STATES = 0.4


class PlacedHit(NamedTuple):
    """A hit, what became of it (None: it holds), and the hit for which it was fetched, where it was not found itself."""

    hit: Hit
    ended: EndedLine | None = None
    instead_of: Hit | None = None


class _Compared(NamedTuple):
    """What was found out among the hits: which holds no more, and which stands before which."""

    ended: Mapping[int, EndedLine]
    behind: Mapping[int, int]


def placed(
    context: Context, store: Documents, hits: Sequence[Hit], *, is_ranked: bool = True, is_quick: bool = False
) -> list[PlacedHit]:
    """Return hits in their order, but each that holds no more behind what holds in its place, fetched where it was not found.

    What is not ranked, as a list of days, keeps its order. `is_quick`: only what was said in the last day is compared here.
    """
    documents = documents_of(store, hits)
    now = context.clock.now()
    standing = Standing(str(context.home))
    ended: dict[int, EndedLine] = {}
    newer: dict[int, EndedLine] = {}
    for place, hit in enumerate(hits):
        p = hit.passage
        document = documents.get((p.scope, p.key))
        found, is_sure = standing.after(p.scope.path, p.key, p.start_line, p.text) or (None, True)
        if found is not None and not is_sure:
            newer[place], found = found, None
        if found is None and document is not None and document.valid_to is not None and document.valid_to <= now:
            found = _by_document(document)
        if found is not None:
            ended[place] = found
    if not is_ranked:
        return [PlacedHit(hit, ended.get(place)) for place, hit in enumerate(hits)]
    fresh = now - _FRESH
    is_compared = not is_quick or any(
        (hit.passage.valid_from or hit.passage.updated_at) > fresh for hit in hits[:_COMPARED]
    )
    compared = _compared(store, hits, documents, ended) if is_compared else _Compared({}, {})
    return _ordered(store, hits, {**compared.ended, **ended}, newer, compared.behind)


def _by_document(document: Document) -> EndedLine:
    at = document.valid_to.timestamp() if document.valid_to else 0.0
    return EndedLine(document.scope.path, document.metadata.get(REPLACED_BY, ""), 1, 0, at)


def _ordered(
    store: Documents,
    hits: Sequence[Hit],
    ended: Mapping[int, EndedLine],
    newer: Mapping[int, EndedLine],
    behind: Mapping[int, int],
) -> list[PlacedHit]:
    place_of = {_name(hit.passage): place for place, hit in enumerate(hits)}
    done: dict[int, PlacedHit] = {}
    order: list[PlacedHit] = []
    brought = set[tuple[str, str, int]]()

    def put(place: int, trail: frozenset[int] = frozenset()) -> None:
        if place in done or place in trail:
            return
        end = ended.get(place) or newer.get(place)
        first = place_of.get((end.scope, end.key, end.line)) if end else None
        first = behind.get(place) if first is None and place not in ended else first
        if first is not None:
            put(first, trail | {place})
        elif (
            end is not None and (fetched := _fetched(store, end, hits[place])) and _name(fetched.passage) not in brought
        ):
            brought.add(_name(fetched.passage))
            order.append(PlacedHit(fetched, None, hits[place]))
        done[place] = PlacedHit(hits[place], ended.get(place))
        order.append(done[place])

    for place in range(len(hits)):
        put(place)
    return order


def _name(p: FoundPassage) -> tuple[str, str, int]:
    return p.scope.path, p.key, p.start_line


def _fetched(store: Documents, end: EndedLine, old: Hit) -> Hit | None:
    """Return what holds in the place of a hit, with its probability; None where it says something else by now."""
    entries = store.entries(Scope(end.scope), [end.key]) if end.key else []
    for entry in entries:
        document = entry.document
        for p in entry.passages:
            text = document.text[p.start : p.end]
            if p.start_line == end.line and end.check in (0, places.line_check(text)):
                passage = FoundPassage(
                    0, document.scope, document.key, document.kind, document.title, text, p.context, p.start_line,
                    p.end_line, document.importance, document.tier, document.updated_at, document.valid_from,
                    document.metadata,
                )  # fmt: skip
                return Hit(passage, old.score, text, {}, {})
    return None


def _compared(
    store: Documents,
    hits: Sequence[Hit],
    documents: Mapping[tuple[Scope, str], Document],
    known: Mapping[int, EndedLine],
) -> _Compared:
    """Compare what was found with each other: a later statement with another value on the same subject comes first."""
    from gieok.engine.learned import changes  # a cold search by words has no time for it

    judged = {place: one for place, one in _judged(store, hits) if place not in known}
    ended, behind = dict[int, EndedLine](), dict[int, int]()
    best: dict[int, tuple[str, float]] = {}
    for place, one in judged.items():
        for other, newer in judged.items():
            if other == place or not _is_before(hits[place], hits[other]) or _is_corrected(hits[place], documents):
                continue
            likely = changes.replaces(one, newer)
            at = hits[other].passage.valid_from or hits[other].passage.updated_at
            if likely < changes.NEWER or best.get(place, ("", 0.0)) >= (at.isoformat(), likely):
                continue
            best[place] = (at.isoformat(), likely)
            behind[place] = other
            p = hits[other].passage
            if likely >= changes.REPLACES:
                ended[place] = EndedLine(p.scope.path, p.key, p.start_line, places.line_check(p.text), at.timestamp())
    return _Compared(ended, behind)


def _judged(store: Documents, hits: Sequence[Hit]) -> Iterator[tuple[int, "Judged"]]:
    """Yield what can be compared: what users said, by the vectors that are kept."""
    from gieok.engine.learned import changes
    from gieok.engine.learned.heads import worth

    active = store.active_model() if isinstance(store, VectorCopy) else None
    if active is None or not isinstance(store, VectorCopy) or active[0] != changes.fitted_on():
        return
    said = {
        place: hit.passage.text
        for place, hit in enumerate(hits[:_COMPARED])
        if hit.passage.kind != _TALK or hit.passage.text.startswith(f"{USER}: ")
    }
    forms = {text: text_to_embed(text) for text in said.values()}
    vectors = store.vectors_of(active[0], list(forms.values()))
    for place, text in said.items():
        words = text.removeprefix(f"{USER}: ")
        vector = vectors.get(forms[text], b"")
        states = vector and (hits[place].passage.kind != _TALK or worth(words, vector, active[0]) >= _STATES)
        if states and (one := changes.judged(words, vector, active[0])) is not None:
            yield place, one


def _is_before(one: Hit, other: Hit) -> bool:
    """Say whether a statement was made before another; what has no day of its own replaces nothing."""
    a, b = one.passage, other.passage
    if b.valid_from is None:
        return False
    at = a.valid_from or a.updated_at
    return (at, a.key, a.start_line) < (b.valid_from, b.key, b.start_line)


def _is_corrected(hit: Hit, documents: Mapping[tuple[Scope, str], Document]) -> bool:
    document = documents.get((hit.passage.scope, hit.passage.key))
    return CORRECTED_MARK in hit.passage.text or (document is not None and bool(document.metadata.get(CORRECTED)))
