"""A store in plain Python, by brute force: the specification of every other store."""

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gieok.errors import ShapeMismatch
from gieok.model.memory import Document, Entry, LineId, Passage, PassageId, Scope, StoreStats
from gieok.model.retrieval import Filter, FoundPassage, KeywordQuery, NearLine, Ranking, VectorQuery
from gieok.text import bm25
from gieok.text.embedform import text_to_embed
from gieok.text.keywords import keyword_tokens
from gieok.text.lines import KINDS, line_spans

_DIGITS = 6


@dataclass(slots=True)
class _PassageRow:
    document: Document
    passage: Passage
    place: int
    count: int

    @property
    def text(self) -> str:
        return self.document.text[self.passage.start : self.passage.end]


class MemoryStore:
    """`Store` in dictionaries, for toy sizes.

    It also implements `KeywordSearch`, `VectorSearch`, `VectorCopy` and `ModelSwitch`.
    """

    location = "memory"

    def __init__(self) -> None:
        self._rows: dict[PassageId, _PassageRow] = {}
        self._documents: dict[tuple[Scope, str], tuple[Document, range]] = {}
        self._notes: dict[Scope, dict[str, str]] = {}
        self._vectors: dict[str, dict[str, bytes]] = {}
        self._dimensions: dict[str, int] = {}
        self._model: tuple[str, int] | None = None
        self._next = 1

    def put(self, entries: Sequence[Entry]) -> None:
        """Insert or replace documents."""
        for entry in {(e.document.scope, e.document.key): e for e in entries}.values():
            document = entry.document
            self.forget(document.scope, [document.key])
            ids = range(self._next, self._next + len(entry.passages))
            self._next = ids.stop
            self._documents[document.scope, document.key] = (document, ids)
            for place, passage in enumerate(entry.passages):
                self._rows[ids[place]] = _PassageRow(document, passage, place, len(ids))

    def forget(self, scope: Scope, keys: Sequence[str]) -> int:
        """Remove documents."""
        removed = [
            self._documents.pop((scope, key))
            for key in set(keys)
            if (scope, key) in self._documents
        ]
        for _, ids in removed:
            for passage in ids:
                del self._rows[passage]
        return len(removed)

    def get(self, scope: Scope, keys: Sequence[str]) -> list[Document]:
        """Return documents in the order of `keys`."""
        return [self._documents[scope, key][0] for key in keys if (scope, key) in self._documents]

    def entries(self, scope: Scope, keys: Sequence[str]) -> list[Entry]:
        """Return documents with their passages."""
        known = [self._documents[scope, key] for key in keys if (scope, key) in self._documents]
        return [
            Entry(document, tuple(self._rows[i].passage for i in ids)) for document, ids in known
        ]

    def hashes(self, scope: Scope) -> dict[str, str]:
        """Return key → content hash."""
        return {key: d.content_hash for (s, key), (d, _) in self._documents.items() if s == scope}

    def scopes(self) -> list[Scope]:
        """Return the scopes that hold any document."""
        return sorted({s for s, _ in self._documents} | set(self._notes))

    def passages(self, ids: Sequence[PassageId], scope: Scope | None = None) -> list[FoundPassage]:
        """Return passages in the order of `ids`."""
        rows = [(i, self._rows[i]) for i in ids if i in self._rows]
        return [self._found(i, row) for i, row in rows if scope in (None, row.document.scope)]

    def within(self, scope: Scope, where: Filter, limit: int) -> list[PassageId]:
        """Return passages of the documents that a filter admits, the newest document first."""
        known = [(d, ids) for (s, _), (d, ids) in self._documents.items() if s == scope]
        known = [(d, ids) for d, ids in known if where.admits(d)]
        known.sort(key=lambda row: (-row[0].said_at.timestamp(), row[0].key))
        return [passage for _, ids in known for passage in ids][:limit]

    def _found(self, passage: PassageId, row: _PassageRow) -> FoundPassage:
        d, p = row.document, row.passage
        return FoundPassage(
            id=passage,
            scope=d.scope,
            key=d.key,
            kind=d.kind,
            title=d.title,
            text=row.text,
            context=p.context,
            start_line=p.start_line,
            end_line=p.end_line,
            importance=d.importance,
            tier=d.tier,
            updated_at=d.updated_at,
            valid_from=d.valid_from,
            metadata=d.metadata,
        )

    def notes(self, scope: Scope) -> dict[str, str]:
        """Return the notes of a scope."""
        return dict(self._notes.get(scope, {}))

    def write_note(self, scope: Scope, name: str, value: str) -> None:
        """Set one note."""
        self._notes.setdefault(scope, {})[name] = value

    def update_note(self, scope: Scope, name: str, change: Callable[[str], str]) -> None:
        """Set one note to what `change` makes of it."""
        self.write_note(scope, name, change(self.notes(scope).get(name, "")))

    def stats(self, scope: Scope | None = None) -> StoreStats:
        """Count the stored documents, passages and vectors."""
        rows = [(i, r) for i, r in self._rows.items() if scope in (None, r.document.scope)]
        known = self._active()
        return StoreStats(
            documents=sum(1 for s, _ in self._documents if scope in (None, s)),
            passages=len(rows),
            vectors=sum(1 for _, r in rows if self._embed_text(r) in known),
            disk_bytes=0,
            cached_vectors=len(known),
        )

    def check(self) -> list[str]:
        """Return no findings: a dictionary cannot disagree with itself."""
        return []

    def compact(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def keyword(self, scope: Scope, query: KeywordQuery, where: Filter, limit: int) -> Ranking:
        """Rank by BM25, computed from the texts."""
        rows = dict(self._of(scope, Filter()))
        counts = {
            i: (keyword_tokens(r.text), keyword_tokens(r.passage.context)) for i, r in rows.items()
        }
        holding = {
            t: n
            for t in query.weights
            if (n := sum(1 for text, context in counts.values() if t in text or t in context))
        }
        mean = (
            max(sum(len(text) for text, _ in counts.values()) / len(counts), 1.0) if counts else 1.0
        )
        allowed = {i for i, _ in self._of(scope, where)}
        scores = dict.fromkeys(allowed, 0.0)
        for token, weight in bm25.token_weights(query, len(rows), holding).items():
            own = {
                i: text.count(token) + query.context_weight * context.count(token)
                for i, (text, context) in counts.items()
            }
            for i in allowed:
                tf = own[i] + sum(
                    query.spread[distance - 1]
                    * own[near]
                    * min(1, query.spread_tokens / max(len(counts[near][0]), 1))
                    for distance, near in self._around(i, len(query.spread))
                )
                if tf:
                    length = len(counts[i][0])
                    floor = query.k1 * (1 - query.b + query.b * length / mean)
                    scores[i] += weight * tf * (query.k1 + 1) / (tf + floor)
        ranked = _rank_passage_scores({i: s for i, s in scores.items() if s}, limit)
        ceiling = bm25.ceiling(query, len(rows), holding) if rows else 1.0
        return Ranking("keyword", ranked, ceiling, passages=len(rows), holding=holding)

    def nearest(self, scope: Scope, query: VectorQuery, where: Filter, limit: int) -> Ranking:
        """Rank by cosine, lowered by crowding."""
        known = self._active()
        if self._model:
            if query.model not in ("", self._model[0]):
                raise ShapeMismatch(
                    f"a question embedded by {query.model!r} where the vectors are of "
                    f"{self._model[0]!r}"
                )
            _verify_dimension(query.vector, self._model[1])
        vectors = {i: v for i, r in self._of(scope, where) if (v := known.get(self._embed_text(r)))}
        best = _rank_passage_scores(
            {i: _multiply_vectors(query.vector, v) for i, v in vectors.items()}, limit
        )
        scores = dict(best)
        for i, score in best if query.hub_weight else ():
            fellows = sorted(
                (_multiply_vectors(vectors[i], vectors[j]) for j, _ in best if j != i), reverse=True
            )[:10]
            scores[i] = score - query.hub_weight * (sum(fellows) / len(fellows) if fellows else 0.0)
        ranked = _rank_passage_scores(scores, limit)
        cosines = dict(best)
        return Ranking("vector", ranked, cosines=tuple(cosines[i] for i, _ in ranked))

    def use_model(self, model: str, dimension: int) -> None:
        """Declare the model that vectors come from."""
        if self._model is None:
            self.switch_model(model, dimension)
        elif self._model != (model, dimension):
            raise ShapeMismatch(
                f"the index holds vectors of {self._model[0]!r}, configured is {model!r}"
            )

    def missing(self, limit: int) -> list[tuple[PassageId, str]]:
        """Return passages without a vector, newest first."""
        return self._without(self._active(), None)[:limit]

    def waiting(self, scope: Scope) -> int:
        """Count passages without a vector."""
        known = self._active()
        return sum(1 for _, row in self._of(scope, Filter()) if self._embed_text(row) not in known)

    def put_vectors(self, model: str, vectors: Mapping[PassageId, bytes]) -> None:
        """Store vectors of the active model."""
        if self._model is None or self._model[0] != model:
            raise ShapeMismatch(
                f"vectors of {model!r} for an index of "
                f"{self._model[0] if self._model else 'no model'!r}"
            )
        self.keep_vectors(model, vectors)

    def best_lines(self, query: VectorQuery, passages: Sequence[PassageId]) -> list[NearLine]:
        """Return the nearest line of each passage."""
        known = self._active()
        nearest: list[tuple[PassageId, int, int, bytes]] = []
        for i in passages:
            row = self._rows.get(i)
            lines = self._lines(i) if row else {}
            vectors = {
                line: known[text_to_embed(text)]
                for line, text in lines.items()
                if text_to_embed(text) in known
            }
            if row and not vectors and self._embed_text(row) in known:
                vectors, lines = {(i, 0): known[self._embed_text(row)]}, {(i, 0): row.text}
            if vectors:
                line = min(
                    vectors,
                    key=lambda one: (
                        -round(_multiply_vectors(query.vector, vectors[one]), _DIGITS),
                        one,
                    ),
                )
                nearest.append((i, line[1], line[1] + len(lines[line]), vectors[line]))
        near_lines = []
        for place, (i, start, end, vector) in enumerate(nearest):
            cosine = _multiply_vectors(query.vector, vector)
            others = (
                _multiply_vectors(vector, other[3])
                for at, other in enumerate(nearest)
                if at != place
            )
            fellows = sorted(others, reverse=True)[:10] if query.hub_weight else []
            crowding = sum(fellows) / len(fellows) if fellows else 0.0
            near_lines.append(
                NearLine(
                    passage=i,
                    start=start,
                    end=end,
                    cosine=cosine,
                    score=cosine - query.hub_weight * crowding,
                )
            )
        return near_lines

    def missing_lines(self, limit: int, before: LineId | None = None) -> list[tuple[LineId, str]]:
        """Return lines without a vector, newest first."""
        known = self._active()
        texts = (
            (line, text_to_embed(text)) for i in self._rows for line, text in self._lines(i).items()
        )
        waiting = [
            (line, text)
            for line, text in texts
            if text not in known and (before is None or line < before)
        ]
        return sorted(waiting, reverse=True)[:limit]

    def put_lines(self, model: str, vectors: Mapping[LineId, bytes]) -> None:
        """Store vectors of lines of the active model."""
        self.put_vectors(model, {})
        for vector in vectors.values():
            _verify_dimension(vector, self._dimensions[model])
        known = self._vectors.setdefault(model, {})
        texts = {line: text for i, _ in vectors for line, text in self._lines(i).items()}
        known.update(
            (text_to_embed(texts[line]), vector)
            for line, vector in vectors.items()
            if line in texts
        )

    def _lines(self, passage: PassageId) -> dict[LineId, str]:
        row = self._rows.get(passage)
        if row is None or row.document.kind not in KINDS:
            return {}
        return {(passage, start): row.text[start:end] for start, end in line_spans(row.text)}

    def active_model(self) -> tuple[str, int] | None:
        """Return the name and dimension of the active model; None before `use_model`."""
        return self._model

    def vectors_of(self, model: str, texts: Sequence[str]) -> dict[str, bytes]:
        """Return the stored vectors of `texts`, by text."""
        known = self._vectors.get(model, {})
        return {text: known[text] for text in texts if text in known}

    def missing_for(
        self, model: str, dimension: int, before: PassageId | None, limit: int
    ) -> list[tuple[PassageId, str]]:
        """Return passages whose text has no vector of `model`, newest first."""
        self._declare(model, dimension)
        return self._without(self._vectors.get(model, {}), before)[:limit]

    def keep_vectors(self, model: str, vectors: Mapping[PassageId, bytes]) -> None:
        """Store vectors of any model, by text."""
        for vector in vectors.values():
            _verify_dimension(vector, self._dimensions.get(model, -1))
        known = self._vectors.setdefault(model, {})
        known.update(
            (self._embed_text(self._rows[i]), v) for i, v in vectors.items() if i in self._rows
        )

    def prepared(self, model: str) -> int:
        """Count the passages whose text has a vector of `model`."""
        return len(self._rows) - len(self._without(self._vectors.get(model, {}), None))

    def switch_model(self, model: str, dimension: int) -> None:
        """Make `model` the active one."""
        self._declare(model, dimension)
        self._model = (model, dimension)
        self._dimensions = {model: dimension}
        self._vectors = {model: self._vectors.get(model, {})}

    def _declare(self, model: str, dimension: int) -> None:
        known = self._dimensions.setdefault(model, dimension)
        if known != dimension:
            raise ShapeMismatch(
                f"the index holds vectors of {model!r} with {known} dimensions, not {dimension}"
            )

    def _around(self, passage: PassageId, reach: int) -> Iterator[tuple[int, PassageId]]:
        """Yield distance and id of each neighbour up to `reach` away in the document."""
        row = self._rows[passage]
        for distance in range(1, reach + 1):
            for step in (-distance, distance):
                if 0 <= row.place + step < row.count:
                    yield distance, passage + step

    def _active(self) -> dict[str, bytes]:
        return self._vectors.get(self._model[0], {}) if self._model else {}

    def _without(
        self, known: Mapping[str, bytes], before: PassageId | None
    ) -> list[tuple[PassageId, str]]:
        texts = ((i, self._embed_text(r)) for i, r in sorted(self._rows.items(), reverse=True))
        return [
            (i, text) for i, text in texts if text not in known and (before is None or i < before)
        ]

    def _embed_text(self, row: _PassageRow) -> str:
        return text_to_embed(row.text)

    def _of(self, scope: Scope, where: Filter) -> Iterator[tuple[PassageId, _PassageRow]]:
        for i, row in self._rows.items():
            d = row.document
            if d.scope == scope and where.admits(d):
                yield i, row


def _rank_passage_scores(
    scores: Mapping[PassageId, float], limit: int
) -> tuple[tuple[PassageId, float], ...]:
    return tuple(
        sorted(scores.items(), key=lambda pair: (-round(pair[1], _DIGITS), pair[0]))[:limit]
    )


def _verify_dimension(vector: bytes, dimension: int) -> None:
    if len(vector) != 4 * dimension:
        raise ShapeMismatch(
            f"a vector of {len(vector) // 4} dimensions where the index holds {dimension}"
        )


def _multiply_vectors(a: bytes, b: bytes) -> float:
    return sum(x * y for x, y in zip(_unpack_vector(a), _unpack_vector(b), strict=True))


def _unpack_vector(vector: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 4}f", vector)
