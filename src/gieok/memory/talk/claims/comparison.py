"""Compares a statement with the statements nearest to it (`memory.talk.nearness`).

`memory.talk.statements.relation` and the reader (`pair_judge`) judge pairs; here is decided which
pairs are judged. A sure change marks the earlier statement. What a user said in a later session and
is likely a change (`PairJudge.find_likely_change`) marks nothing: both stand, and are told beside
each other, the later one first (`hook.validity`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gieok.memory.talk import cancelled_changes
from gieok.memory.talk.claims.claim import Claim, ClaimLink
from gieok.memory.talk.claims.stated_line import (
    StatedLine,
    is_dated,
    is_known_later,
    is_protected,
    is_retold,
    is_same_claim,
    list_statements,
    may_be_changed,
    second_of,
    session_of,
)
from gieok.memory.talk.nearness import OWN_HUB_WEIGHT, rank_near_passages
from gieok.memory.talk.pair_judge import PairJudge
from gieok.memory.talk.statements.relation import Relation, relation, tells_change
from gieok.model.memory import Document, Entry, Scope
from gieok.model.retrieval import Filter, FoundPassage, VectorQuery
from gieok.ports.models import Vector
from gieok.ports.store import Store, VectorCopy, VectorSearch
from gieok.text.embedform import text_to_embed

_NEIGHBOURS = 24
#: Documents that are fetched at once where all of a scope are looked at.
_AT_ONCE = 200
#: Earlier and later statements near to one that are read for a likely change, each in some 15 ms.
#: Of 540 changed statements .84 are among the three earlier ones nearest to their change, .88 among
#: eight.
EARLIER_READ, _LATER_READ = 3, 2
#: How far the nearest earlier statement is ahead of those that are not read where it is taken for
#: what the later one is about, though no word says so.
_LEAD = 0.05


class _NearPassage(NamedTuple):
    """Statements of a passage near to a statement, and the score of its nearness."""

    statements: list[StatedLine]
    score: float


class Comparison:
    """Comparison of the statements of a scope, by vectors if the store has some."""

    def __init__(self, store: Store, scope: Scope, judge: PairJudge) -> None:
        self._store, self._scope, self._judge = store, scope, judge
        self._near: dict[tuple[str, int], list[_NearPassage]] = {}
        self._stated: dict[tuple[str, int, str, bytes], list[StatedLine]] = {}
        self._last_dated: int | None = None
        active = store.active_model() if isinstance(store, VectorCopy) else None
        self._model = active[0] if active is not None else ""

    def statements(self, entry: Entry) -> tuple[list[StatedLine], bool]:
        """Return the statements of a document, and whether all its passages have vectors."""
        texts = {p.start_line: entry.document.text[p.start : p.end] for p in entry.passages}
        vectors = self._vectors(texts.values())
        statements = [
            statement
            for number, text in texts.items()
            for statement in list_statements(entry.document, number, text, vectors.get(text, b""))
        ]
        return statements, not self._model or all(text in vectors for text in texts.values())

    def _vectors(self, texts: Iterable[str]) -> Mapping[str, bytes]:
        if not self._model or not isinstance(self._store, VectorCopy):
            return {}
        forms = {text: text_to_embed(text) for text in texts}
        held = self._store.vectors_of(self._model, list(forms.values()))
        return {text: held[form] for text, form in forms.items() if form in held}

    def links(self, statements: Sequence[StatedLine]) -> Iterator[ClaimLink]:
        """Yield the sure links between statements of a document and the nearest other statements.

        The nearest statements may be earlier or later ones.
        """
        for stated in statements:
            if not (stated.vector and self._may_be_linked(stated)):
                continue
            passages = [passage for passage in self._neighbours(stated) if passage.statements]
            documents = [stated.document, *(passage.statements[0].document for passage in passages)]
            if not any(map(is_dated, documents)):
                continue  # none of the pairs has a statement that is known to be later
            others = [other for passage in passages for other in passage.statements]
            rivals = [other for other in others if not is_same_claim(other.text, stated.text)]
            first_earlier = next((o for o in rivals if o.order < stated.order), None)
            first_later = next((o for o in rivals if o.order > stated.order), None)
            for other in others:
                old, new = sorted((stated, other), key=lambda statement: statement.order)
                link = self._link(old, new, may_read=other in (first_earlier, first_later))
                if link is not None:
                    yield link

    def _may_be_linked(self, stated: StatedLine) -> bool:
        """Say whether a statement may be the earlier or the later one of a sure change.

        What has no date is never the later one, and the earlier one only of what was said since:
        most notes were written on after all days that a scope knows, and need no search.
        """
        if is_dated(stated.document):
            return True
        if self._last_dated is None:
            self._last_dated = self._find_last_dated()
        return stated.at <= self._last_dated

    def _find_last_dated(self) -> int:
        """Return when the last dated document of the scope was said, in Unix seconds, 0 for none.

        Takes 8 µs a document, of thousands less than the neighbours of one note.
        """
        last, keys = 0, list(self._store.hashes(self._scope))
        for start in range(0, len(keys), _AT_ONCE):
            for document in self._store.get(self._scope, keys[start : start + _AT_ONCE]):
                if is_dated(document):
                    last = max(last, second_of(document))
        return last

    def _link(self, old: StatedLine, new: StatedLine, *, may_read: bool) -> ClaimLink | None:
        """Return the link of a pair; only the nearest neighbours are worth the reader's time."""
        if not (is_known_later(new, old) and (may_read or tells_change(new.text))):
            return None
        judgement, is_sure = self.judge(old, new, may_read=may_read)
        if not is_sure:
            return None
        return ClaimLink(
            old.claim(judgement.claim), new.claim(judgement.by), judgement.takes_back, new.at
        )

    def judge(self, old: StatedLine, new: StatedLine, *, may_read: bool) -> tuple[Relation, bool]:
        """Judge two statements; say whether the later one surely replaced the other.

        `may_read`: the reader may be asked where no rule is sure, which takes some 20 ms a pair.
        """
        judgement = relation(old.text, new.text)
        if not (judgement.is_sure or may_read) or is_protected(old) or is_retold(old, new):
            return judgement, False
        if not (is_known_later(new, old) and new.vector and self.is_nearest(old, new)):
            return judgement, False
        judgement = self._judge.review(judgement, old.text, new.text)
        return judgement, judgement.is_sure

    def likely_links(self, statements: Sequence[StatedLine]) -> Iterator[ClaimLink]:
        """Yield the likely links between turns of a document and the nearest turns.

        Each turn has its session; what one session says twice is no change of it.
        """
        for stated in statements:
            if not (stated.vector and self._judge.reads and may_be_changed(stated)):
                continue
            earlier = self._list_earlier_rivals(stated)
            later = [other for other, _ in self._list_rivals(stated) if other.order > stated.order]
            pairs = [(other, stated) for other in earlier]
            pairs += [
                (stated, other) for other in later[:_LATER_READ] if self._is_rival(stated, other)
            ]
            for old, new in pairs:
                if is_protected(old):
                    continue
                change = self._judge.find_likely_change(
                    old.text, new.text, is_ahead=self._is_ahead(old, new)
                )
                if change is not None:
                    claims = old.claim(change.claim), new.claim(change.by)
                    yield ClaimLink(*claims, takes_back=False, at=new.at)

    def _is_rival(self, old: StatedLine, new: StatedLine) -> bool:
        """Say whether a turn is among the nearest earlier ones of another."""
        return bool(new.vector) and old.place in [
            other.place for other in self._list_earlier_rivals(new)
        ]

    def _is_ahead(self, old: StatedLine, new: StatedLine) -> bool:
        """Say whether a turn is nearer to a later one than all others are, by far."""
        earlier = [one for one in self._list_rivals(new) if one[0].order < new.order]
        is_nearest = bool(earlier) and earlier[0][0].place == old.place
        return is_nearest and find_lead([score for _, score in earlier])

    def _list_earlier_rivals(self, one: StatedLine) -> list[StatedLine]:
        """Return the earlier turns that are read beside a turn."""
        earlier = [other for other, _ in self._list_rivals(one) if other.order < one.order]
        return earlier[:EARLIER_READ]

    def _list_rivals(self, one: StatedLine) -> list[tuple[StatedLine, float]]:
        """Return the nearest turns of other sessions that may change a turn, or be changed by it.

        Each has the score of its nearness. What repeats a nearer one is left out.
        """
        rivals: list[tuple[StatedLine, float]] = []
        for passage in self._neighbours(one):
            for other in passage.statements:
                if session_of(other) == session_of(one) or not may_be_changed(other):
                    continue
                nearer = [one, *(rival for rival, _ in rivals)]
                if not any(is_same_claim(other.text, rival.text) for rival in nearer):
                    rivals.append((other, passage.score))
        return rivals

    def _neighbours(self, one: StatedLine) -> list[_NearPassage]:
        """Return the passages nearest to a statement, best first, without the statement itself."""
        if one.place not in self._near:
            self._near[one.place] = self._find_neighbours(one)
        return self._near[one.place]

    def forget_neighbours(self) -> None:
        """Forget the neighbours that were found: each holds its document."""
        self._near.clear()
        self._stated.clear()

    def _find_neighbours(self, one: StatedLine) -> list[_NearPassage]:
        if not isinstance(self._store, VectorSearch):
            return []
        near = rank_near_passages(
            self._store,
            self._scope,
            one.text,
            self._build_query(one),
            Filter(),
            _NEIGHBOURS,
        )
        ids = sorted(id_ for id_, _ in near)
        passages = {p.id: p for p in self._store.passages(ids, self._scope)}
        documents = {
            document.key: document
            for document in self._store.get(self._scope, sorted({p.key for p in passages.values()}))
        }
        vectors = self._vectors({p.text for p in passages.values()})
        neighbours = []
        for id_, score in near:
            p = passages.get(id_)
            if p is None or p.key not in documents:
                continue
            others = self._list_passage_statements(documents[p.key], p, vectors.get(p.text, b""))
            if p.key == one.document.key:
                others = [other for other in others if other.line != one.line]
            neighbours.append(_NearPassage(others, score))
        return neighbours

    def _build_query(self, one: StatedLine) -> VectorQuery:
        """Return the query for the statements near to one.

        What has no date is never the later statement of a pair: it is not asked what it changes,
        which would embed each statement of a folder of notes once more.
        """
        if is_dated(one.document):
            return build_near_query(self._judge, one.text, one.vector, self._model)
        return VectorQuery(one.vector, hub_weight=OWN_HUB_WEIGHT, model=self._model)

    def _list_passage_statements(
        self, document: Document, passage: FoundPassage, vector: bytes
    ) -> list[StatedLine]:
        """Return the statements of a passage; most passages are near to many statements."""
        key = document.key, passage.start_line, passage.text, vector
        if key not in self._stated:
            self._stated[key] = list_statements(document, passage.start_line, passage.text, vector)
        return self._stated[key]

    def is_nearest(self, old: StatedLine, new: StatedLine) -> bool:
        """Say whether the passage of `old` is the nearest one to `new` with earlier statements.

        Passages that repeat one of the two statements do not count, nor do those that `new`
        replaces too. Others are hardly on the subject of `new`: of the marks on the nearest, .96
        were right on authors for whom no rule was written, on the three nearest .91.
        """
        for passage in self._neighbours(new):
            if any(other.place == old.place for other in passage.statements):
                return True
            earlier = [other for other in passage.statements if other.order < new.order]
            if any(
                is_same_claim(other.text, statement.text)
                for other in earlier
                for statement in (old, new)
            ):
                continue
            if any(relation(other.text, new.text).is_sure for other in earlier):
                continue
            if earlier:
                return False
        return False


class FoundJudge:
    """Judge of the statements that a search found, against each other."""

    def __init__(self, store: Store, judge: PairJudge) -> None:
        self._store, self._judge = store, judge
        self._comparisons: dict[Scope, Comparison] = {}

    def judge(self, old: StatedLine, new: StatedLine, *, may_read: bool) -> tuple[Relation, bool]:
        """Judge two statements as a comparison does; a change taken back since is none."""
        scope = old.document.scope
        if scope not in self._comparisons:
            self._comparisons[scope] = Comparison(self._store, scope, self._judge)
        judgement, is_sure = self._comparisons[scope].judge(old, new, may_read=may_read)
        return judgement, is_sure and not cancelled_changes.is_taken_back(
            self._store, scope, new.document, new.line, new.at
        )


def list_replaced(store: Store, scope: Scope, key: str, judge: PairJudge) -> list[Claim]:
    """Return the earlier sentences of a scope that a document surely replaces, the nearest first.

    What is not compared yet is; nothing is recorded. None is known without vectors of the document.
    """
    comparison = Comparison(store, scope, judge)
    return [
        link.old
        for entry in store.entries(scope, [key])
        for link in comparison.links(comparison.statements(entry)[0])
        if link.new.key == key
        and link.old.key != key
        and not cancelled_changes.is_taken_back(
            store, scope, entry.document, link.new.line, link.at
        )
    ]


def build_near_query(judge: PairJudge, text: str, own: Vector, model: str) -> VectorQuery:
    """Return the query for the statements near to one: by its subject, or else its own vector."""
    subject = judge.find_subject_vector(text, own, model)
    if subject is None:
        return VectorQuery(own, hub_weight=OWN_HUB_WEIGHT, model=model)
    return VectorQuery(subject, model=model)


def find_lead(scores: Sequence[float]) -> bool:
    """Say whether the first of the scores, best first, is far ahead of those that are not read."""
    return len(scores) > EARLIER_READ and scores[0] - scores[EARLIER_READ] >= _LEAD
