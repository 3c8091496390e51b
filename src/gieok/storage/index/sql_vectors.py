"""Models and vectors: the code that all stores on SQL databases share.

The differences are SQL: the module `vectors` in a store's folder.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from gieok.errors import Phrase, ShapeMismatch
from gieok.model.memory import PassageId, Scope
from gieok.model.retrieval import VectorQuery
from gieok.storage.index.sql_documents import Db, SqlDocuments, _Db_contra
from gieok.text.embedform import form_hash, text_to_embed

#: Number above every passage id.
ANY_ID = 1 << 62


def _hint_dimension_change(dimension: int) -> str:
    """Return the next step where a model gives vectors of another length than before.

    The next step is a switch, as to another model.
    """
    return Phrase(
        "set `embedder.dimension: {dimension}`, then run `gieok index --rebuild`",
        dimension=dimension,
    )


class VectorModel(NamedTuple):
    """Embedding model whose vectors the database holds."""

    id: int
    name: str
    dimension: int

    def verify(self, vector: bytes) -> None:
        """Raise ShapeMismatch for a vector of another dimension."""
        if len(vector) != 4 * self.dimension:
            raise ShapeMismatch(
                "a vector of {size} dimensions where the index holds {dimension}: "
                "{name!r} made the others",
                size=len(vector) // 4,
                dimension=self.dimension,
                name=self.name,
            )

    def verify_query(self, query: VectorQuery) -> None:
        """Raise ShapeMismatch for a question whose vector another model made.

        The store was switched to this model after the question was embedded.
        """
        if query.model and query.model != self.name:
            raise ShapeMismatch(
                "a question embedded by {model!r} where the vectors are of {name!r}",
                model=query.model,
                name=self.name,
            )
        self.verify(query.vector)


class _Models(Protocol[_Db_contra]):
    def active(self, db: _Db_contra, /) -> VectorModel | None: ...
    def named(self, db: _Db_contra, name: str, /) -> VectorModel | None: ...
    def add(self, db: _Db_contra, name: str, dimension: int, /) -> VectorModel: ...
    def activate(self, db: _Db_contra, model_id: int, /) -> None: ...
    def lock(self, db: _Db_contra, /, *, to_switch: bool) -> None: ...


class _Vectors(Protocol[_Db_contra]):
    def missing(self, db: _Db_contra, limit: int, /) -> list[tuple[PassageId, str]]: ...
    def missing_for(
        self, db: _Db_contra, model_id: int, before: PassageId, limit: int, /
    ) -> list[tuple[PassageId, str]]: ...
    def waiting(self, db: _Db_contra, scope: Scope, /) -> int: ...
    def prepared(self, db: _Db_contra, model_id: int, /) -> int: ...
    def text_hashes(
        self, db: _Db_contra, ids: Sequence[PassageId], /
    ) -> dict[PassageId, bytes]: ...
    def packed(
        self, db: _Db_contra, model_id: int, hashes: Iterable[bytes], /
    ) -> dict[bytes, bytes]: ...
    def put(self, db: _Db_contra, model_id: int, packed: Mapping[bytes, bytes], /) -> None: ...
    def keep(self, db: _Db_contra, model_id: int, packed: Mapping[bytes, bytes], /) -> object: ...


class _VectorStatements(_Models[_Db_contra], _Vectors[_Db_contra], Protocol[_Db_contra]):
    """Module of functions on vectors; each runs inside the caller's transaction.

    `lock` keeps the active model unchanged, or excludes other writers.
    """


class SqlVectors(SqlDocuments[Db]):
    """`ModelSwitch` and `VectorCopy` on an SQL database, without `nearest`."""

    _vectors: _VectorStatements[Db]

    def use_model(self, model: str, dimension: int) -> None:
        """Declare the model that the vectors come from."""
        active = self.active_model()
        if active is None:
            with self._writing() as db:
                self._vectors.lock(db, to_switch=True)
                if self._vectors.active(db) is None:  # no other process was faster
                    self._vectors.activate(db, self._added(db, model, dimension).id)
            active = self.active_model()
        if active != (model, dimension):
            held, length = active or ("", 0)
            hint = _hint_dimension_change(dimension) if active and active[0] == model else None
            raise ShapeMismatch(
                "the index holds vectors of {held!r} ({length}), configured is {model!r} "
                "({dimension})"
                if active
                else "the index holds vectors of no model, configured is {model!r} ({dimension})",
                held=held,
                length=length,
                model=model,
                dimension=dimension,
                hint=hint,
            )

    def missing(self, limit: int) -> list[tuple[PassageId, str]]:
        """Return passages without a vector, newest first, each with the text to embed."""
        with self._reading() as db:
            return [
                (passage, text_to_embed(text)) for passage, text in self._vectors.missing(db, limit)
            ]

    def waiting(self, scope: Scope) -> int:
        """Count the passages of a scope that have no vector."""
        with self._answering() as db:
            return self._vectors.waiting(db, scope)

    def put_vectors(self, model: str, vectors: Mapping[PassageId, bytes]) -> None:
        """Store vectors of the active model."""
        with self._writing() as db:
            self._vectors.lock(db, to_switch=False)
            active = self._active_named(db, model)
            self._vectors.put(db, active.id, self._packed(db, active, vectors))

    def active_model(self) -> tuple[str, int] | None:
        """Return name and dimension of the model that the vectors come from."""
        with self._answering() as db:
            active = self._vectors.active(db)
        return active[1:] if active else None

    def vectors_of(self, model: str, texts: Sequence[str]) -> dict[str, bytes]:
        """Return the existing vectors of texts to embed, by text."""
        # Imported here for numpy: a keyword search has no time for it.
        from gieok.storage.index.quantise import restore_vector

        by_hash = {form_hash(text): text for text in texts}
        with self._reading() as db:
            known = self._vectors.named(db, model)
            packed = self._vectors.packed(db, known.id, by_hash) if known else {}
        return {by_hash[text_hash]: restore_vector(data) for text_hash, data in packed.items()}

    def missing_for(
        self, model: str, dimension: int, before: PassageId | None, limit: int
    ) -> list[tuple[PassageId, str]]:
        """Return passages whose text has no vector of `model`, newest first."""
        with self._writing() as db:
            added = self._added(db, model, dimension)
        with self._reading() as db:
            rows = self._vectors.missing_for(
                db, added.id, before if before is not None else ANY_ID, limit
            )
        return [(passage, text_to_embed(text)) for passage, text in rows]

    def prepared(self, model: str) -> int:
        """Count the passages whose text has a vector of `model`."""
        with self._answering() as db:
            known = self._vectors.named(db, model)
            return self._vectors.prepared(db, known.id) if known else 0

    def keep_vectors(self, model: str, vectors: Mapping[PassageId, bytes]) -> None:
        """Store vectors of a model that is not active yet."""
        with self._writing() as db:
            known = self._vectors.named(db, model)
            if known is None:
                raise ShapeMismatch("the index knows no model {model!r}", model=model)
            self._vectors.keep(db, known.id, self._packed(db, known, vectors))

    def switch_model(self, model: str, dimension: int) -> None:
        """Make `model` the active one in one step."""
        with self._writing() as db:
            self._vectors.lock(db, to_switch=True)
            self._vectors.activate(db, self._added(db, model, dimension).id)

    def _active_named(self, db: Db, model: str) -> VectorModel:
        """Return the active model.

        Raises ShapeMismatch where its name is not `model`.
        """
        active = self._vectors.active(db)
        if active is None or active.name != model:
            raise ShapeMismatch(
                "vectors of {model!r} for an index of {active!r}",
                model=model,
                active=active.name if active else "no model",
            )
        return active

    def _added(self, db: Db, model: str, dimension: int) -> VectorModel:
        added = self._vectors.add(db, model, dimension)
        if added.dimension != dimension:
            raise ShapeMismatch(
                "the index holds vectors of {model!r} with {held} dimensions, not {dimension}",
                model=model,
                held=added.dimension,
                dimension=dimension,
                hint=_hint_dimension_change(dimension),
            )
        return added

    def _packed(
        self, db: Db, model: VectorModel, vectors: Mapping[PassageId, bytes]
    ) -> dict[bytes, bytes]:
        """Return text hash → packed vector of the passages that still exist."""
        from gieok.storage.index.quantise import pack  # numpy: see `vectors_of`

        for vector in vectors.values():
            model.verify(vector)
        hashes = self._vectors.text_hashes(db, sorted(vectors))
        return {text_hash: pack(vectors[passage]) for passage, text_hash in hashes.items()}
