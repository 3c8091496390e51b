"""Ranks current statements before those that they replaced, and marks each hit's fate.

Most replacements were found before (`memory.talk.claims`); what was said since is compared here by
the same rule, among the hits of one question. Nothing is shown for being newer alone: the statement
that surely replaced a hit is fetched, and so is what was said later on its subject and likely
changes it. Two other hits on one subject both stand, each with its own score, the newer hit first
where it is as likely.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from gieok.errors import Phrase
from gieok.home.call import Call
from gieok.hook.choice import TURN
from gieok.hook.validity import (
    EndedClaim,
    LaterStatement,
    Standing,
    find_successor,
)
from gieok.model.memory import REPLACED_BY, Document, Scope
from gieok.model.retrieval import FoundPassage, Hit
from gieok.ports.store import Store, VectorCopy
from gieok.ranking.claim_rows import LaterClaim
from gieok.ranking.recall import documents_of
from gieok.text.embedform import text_to_embed
from gieok.text.messages import Words

if TYPE_CHECKING:
    from gieok.memory.talk.claims.stated_line import StatedLine
    from gieok.memory.talk.statements.relation import Relation

#: Hits that are compared with each other: pairs grow with the square.
_COMPARED, _FEWEST_COMPARED = 12, 2
#: Older statements are compared already, where a daemon runs or sessions begin.
_FRESH = timedelta(days=1)
#: A newer hit on the same subject stands before an older hit if its probability is lower by at most
#: this share.
_AS_LIKELY = 0.75


def open_standing(call: Call) -> Standing:
    """Return what holds no more and what was said later, as recorded in the home, seen from now."""
    return Standing(str(call.home.folder), call.clock.now().timestamp())


class PlacedHit(NamedTuple):
    """Hit with its fate.

    `ended`: what ended the whole hit (None: the hit stands); `parts`: the claims of the hit that no
    longer hold; `has_won`: the hit took the place of another statement; `instead_of`: the hit for
    which this hit was fetched; `pair`: the comparison that placed the hit. `later`: what was said
    later on the subject of the hit; `is_later`: the hit stands before such an earlier one.
    """

    hit: Hit
    ended: EndedClaim | None = None
    instead_of: Hit | None = None
    parts: tuple[EndedClaim, ...] = ()
    has_won: bool = False
    pair: "Relation | None" = None
    later: LaterStatement | None = None
    is_later: bool = False

    @property
    def successor(self) -> EndedClaim | LaterStatement | None:
        """Return what stands before the hit: what replaced it or a part, or was said later."""
        is_turn = self.hit.passage.kind == TURN
        return self.ended or self.later or find_successor(self.parts, is_turn=is_turn)


class _Compared(NamedTuple):
    """Comparison of hits: which ended by which, which stand behind which, and the judged pairs."""

    ended: Mapping[int, tuple[int, EndedClaim]]
    behind: Mapping[int, int]
    pairs: "Mapping[int, Relation]"


def place_current_hits(
    call: Call,
    store: Store,
    hits: Sequence[Hit],
    standing: Standing,
    *,
    is_ranked: bool = True,
    is_quick: bool = False,
) -> list[PlacedHit]:
    """Return hits in order, with each ended hit behind the statement that replaced it.

    So is a hit behind what was said later on its subject. What was not found of these is fetched.
    An unranked list, such as a list of days, keeps its order.
    `is_quick`: only what was said in the last day is compared here.
    """
    documents = documents_of(store, hits)
    now = call.clock.now()
    marked = [
        _mark_ended_hit(
            hit, documents.get((hit.passage.scope, hit.passage.key)), standing, now.timestamp()
        )
        for hit in hits
    ]
    if not is_ranked:
        return marked
    fresh = now - _FRESH
    is_compared = not is_quick or any(hit.passage.said_at > fresh for hit in hits[:_COMPARED])
    compared = (
        _compare_found_statements(call, store, marked, documents, may_read=not is_quick)
        if is_compared
        else _Compared({}, {}, {})
    )
    winners = {by for by, _ in compared.ended.values()}
    for place, (_, end) in compared.ended.items():
        marked[place] = _mark_compared_hit(marked[place], end)
    for place, pair in compared.pairs.items():
        marked[place] = marked[place]._replace(pair=pair)
    for place in winners - set(compared.ended):
        marked[place] = marked[place]._replace(has_won=True)
    return _order_placed_hits(store, marked, compared.behind)


def raise_successor_scores(placed: Sequence[PlacedHit], scores: Sequence[float]) -> list[float]:
    """Return the probabilities of ordered hits, in their order.

    What surely took the place of the hit behind it, or was said later on its subject, bears on a
    question no less than that hit does, in whatever words it is said.
    """
    raised = [*scores]
    for place in reversed(range(len(placed) - 1)):
        ahead, behind = placed[place], placed[place + 1]
        ends = (*filter(None, (behind.ended,)), *behind.parts)
        has_replaced = ahead.has_won and any(end.key for end in ends)
        if has_replaced or (ahead.is_later and behind.later is not None):
            raised[place] = max(raised[place], raised[place + 1])
    return raised


def _mark_ended_hit(
    hit: Hit, document: Document | None, standing: Standing, now_s: float
) -> PlacedHit:
    """Return a hit with the fate that earlier comparisons found."""
    p = hit.passage
    parts = tuple(standing.claims(p.scope.path, p.key, p.start_line, p.text))
    ended = next((part for part in parts if part.is_whole), None)
    if (
        ended is None
        and document is not None
        and document.valid_to is not None
        and document.valid_to.timestamp() <= now_s
    ):
        ended = _ended_by_document(document)
    has_won = ended is None and standing.won([], p.scope.path, p.key, p.start_line)
    later = (
        None
        if parts or ended
        else standing.find_later_statement(p.scope.path, p.key, p.start_line, p.text)
    )
    return PlacedHit(
        hit=hit,
        ended=ended,
        instead_of=None,
        parts=() if ended else parts,
        has_won=has_won,
        later=later,
    )


def _mark_compared_hit(placed: PlacedHit, end: EndedClaim) -> PlacedHit:
    """Return a hit with an end that a comparison found: of all of it, or of a part."""
    if end.is_whole:
        return placed._replace(ended=end)
    known = {part.words for part in placed.parts}
    return placed if end.words in known else placed._replace(parts=(*placed.parts, end))


def _ended_by_document(document: Document) -> EndedClaim:
    at = document.valid_to.timestamp() if document.valid_to else 0.0
    return EndedClaim(document.scope.path, document.metadata.get(REPLACED_BY, ""), 1, 0, at)


def _order_placed_hits(
    store: Store, marked: list[PlacedHit], behind: Mapping[int, int]
) -> list[PlacedHit]:
    place_of = {
        _build_passage_name(placed.hit.passage): place for place, placed in enumerate(marked)
    }
    for placed in list(marked):
        is_likely = isinstance(placed.successor, LaterStatement)
        beside = place_of.get(placed.successor.place) if is_likely and placed.successor else None
        if beside is not None:
            marked[beside] = marked[beside]._replace(is_later=True)
    visited: set[int] = set()
    order: list[PlacedHit] = []
    brought = set[tuple[str, str, int]]()

    def put(place: int, trail: frozenset[int] = frozenset()) -> None:
        if place in visited or place in trail:
            return
        placed = marked[place]
        successor = placed.successor
        first = place_of.get(successor.place) if successor else behind.get(place)
        if first is not None:
            put(first, trail | {place})
        elif successor is not None:
            fetched = _fetch_later_hit(store, successor, placed.hit)
            if fetched is None:
                placed = placed._replace(later=None)
            elif _build_passage_name(fetched.passage) not in brought:
                brought.add(_build_passage_name(fetched.passage))
                is_later = isinstance(successor, LaterStatement)
                order.append(
                    PlacedHit(
                        fetched, instead_of=placed.hit, has_won=not is_later, is_later=is_later
                    )
                )
        visited.add(place)
        order.append(placed)

    for place in range(len(marked)):
        put(place)
    return order


def _build_passage_name(p: FoundPassage) -> tuple[str, str, int]:
    return p.scope.path, p.key, p.start_line


def _fetch_later_hit(store: Store, end: LaterClaim, old: Hit) -> Hit | None:
    """Return what replaced a hit or was said later on its subject, with the hit's probability.

    None where its document says something else by now.
    """
    entries = store.entries(Scope(end.scope), [end.key]) if end.key else []
    for entry in entries:
        document = entry.document
        for p in entry.passages:
            text = document.text[p.start : p.end]
            lines = text.split("\n")
            if p.start_line <= end.line < p.start_line + len(lines) and end.still_says(
                lines[end.line - p.start_line]
            ):
                passage = FoundPassage(
                    id=0,
                    scope=document.scope,
                    key=document.key,
                    kind=document.kind,
                    title=document.title,
                    text=text,
                    context=p.context,
                    start_line=p.start_line,
                    end_line=p.end_line,
                    importance=document.importance,
                    tier=document.tier,
                    updated_at=document.updated_at,
                    valid_from=document.valid_from,
                    metadata=document.metadata,
                )
                return Hit(passage=passage, score=old.score, snippet=text, signals={}, parts={})
    return None


def _compare_found_statements(
    call: Call,
    store: Store,
    marked: Sequence[PlacedHit],
    documents: Mapping[tuple[Scope, str], Document],
    *,
    may_read: bool,
) -> _Compared:
    """Compare hits with each other, by the judge of `talk.claims`.

    `may_read`: the reader is asked about what was said in the last day, where the search used
    vectors.
    """
    if len(marked) < _FEWEST_COMPARED:
        return _Compared({}, {}, {})
    # a cold search of one hit has no time for them
    from gieok.memory.talk.claims.comparison import FoundJudge
    from gieok.memory.talk.claims.stated_line import is_known_later
    from gieok.memory.talk.pair_judge import PairJudge
    from gieok.memory.talk.statements.relation import UNSURE

    ended = dict[int, tuple[int, EndedClaim]]()
    behind: dict[int, int] = {}
    pairs: dict[int, Relation] = {}
    statements = dict(_list_statements(store, marked, documents))
    may_read = may_read and any("vector" in placed.hit.signals for placed in marked)
    reader = call.home.open_reader() if may_read else None
    embedder = call.home.open_bundled_embedder() if may_read else None
    judge = FoundJudge(store, PairJudge(reader, embedder))
    fresh_s = (call.clock.now() - _FRESH).timestamp()
    for place, old in statements.items():
        for other, new in statements.items():
            is_later = is_known_later(new, old)
            if other == place or not is_later or old.document.scope != new.document.scope:
                continue
            pair, is_sure = judge.judge(old, new, may_read=may_read and new.at > fresh_s)
            if is_sure:
                claim = new.claim(pair.by)
                end = EndedClaim(
                    new.document.scope.path,
                    claim.key,
                    claim.line,
                    claim.check,
                    claim.at,
                    claim.start,
                    claim.length,
                )
                end.note_words(pair.claim, old.text)
                ended[place], pairs[place] = (other, end), pair
            elif pair.sureness == UNSURE and place < other and place not in ended:
                is_as_likely = marked[other].hit.score >= _AS_LIKELY * marked[place].hit.score
                if is_as_likely and (
                    place not in behind or statements[behind[place]].order < new.order
                ):
                    behind[place], pairs[place] = other, pair
    return _Compared(ended, behind, pairs)


def _list_statements(
    store: Store, marked: Sequence[PlacedHit], documents: Mapping[tuple[Scope, str], Document]
) -> "Iterator[tuple[int, StatedLine]]":
    """Yield the comparable statements among the first hits.

    A comparable passage has one line, states something, and stands.
    """
    from gieok.memory.talk.claims.stated_line import list_statements

    active = store.active_model() if isinstance(store, VectorCopy) else None
    first = [
        (place, placed.hit.passage)
        for place, placed in enumerate(marked[:_COMPARED])
        if placed.ended is None
    ]
    vectors: Mapping[str, bytes] = {}
    if active is not None and isinstance(store, VectorCopy):
        vectors = store.vectors_of(active[0], [text_to_embed(p.text) for _, p in first])
    for place, p in first:
        document = documents.get((p.scope, p.key))
        if document is None:
            continue
        statements = list_statements(
            document, p.start_line, p.text, vectors.get(text_to_embed(p.text), b"")
        )
        if len(statements) == 1:
            yield place, statements[0]


def find_hit_status(one: PlacedHit, otherwise: str) -> str:
    """Return the status of a hit.

    `replaced` or `ended`; `current` where the hit won a comparison; else the status of its document
    (`otherwise`).
    """
    if one.ended is not None:
        return one.ended.name
    return "current" if one.has_won and otherwise == "stands" else otherwise


def spoken_parts(parts: Sequence[EndedClaim]) -> str:
    """Return in words what became of parts of a passage; '' where all of it stands."""
    return "; ".join(part.status for part in parts)


def describe_parts(parts: Sequence[EndedClaim]) -> tuple[Words, ...]:
    """Return for a person what became of parts of a passage."""
    return tuple(Words.of(part.template, **part.values) for part in parts)


def explain_pair(pair: "Relation") -> Words:
    """Return the comparison that placed a hit, for a person.

    The text has both sentences, what spoke for a change, and what against it.
    """
    nothing = Words("nothing")
    return Words.of(
        'compared, {sureness}: "{claim}" / later "{by}"; for a change: {spoke_for}; against it, '
        "words of one subject alone: {against}",
        sureness=Phrase(pair.sureness),
        claim=pair.claim,
        by=pair.by,
        spoke_for=", ".join(pair.spoke_for) or nothing,
        against=", ".join(pair.differing) or nothing,
    )
