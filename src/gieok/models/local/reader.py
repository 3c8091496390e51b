"""Reader: what one line says about another, by adapters of the bundled encoder with small heads.

A head is a graph of its own, 22 MB in 8 bits, built on this machine at its first question: the
encoder with the head's adapter merged, and the head behind it. Which words, rows and positions the
graphs read comes from the folder of the bundled embedder.
"""

import math
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from gieok.errors import EmbedderFailed
from gieok.models.local import room
from gieok.models.local.releases import CURRENT

if TYPE_CHECKING:
    from gieok.models.local.encoder import InferenceSession, Table

#: Answers of the head *relation*, in the order of its logits.
RELATIONS = ("same", "replaces", "partial", "ends", "other", "talk", "unrelated")
_CHANGES = (RELATIONS.index("replaces"), RELATIONS.index("ends"))
#: Tokens of a pair that are read, both halves together, and of one half.
_LONGEST, _HALF = 190, 88


class LocalReader:
    """`Reader` on the bundled model. Cheap to make, safe to share between threads."""

    def __init__(
        self, models: Path, *, threads: int = 1, say: Callable[[str], None] = lambda line: None
    ) -> None:
        """Use the heads under `models`; a missing one is built there."""
        self._models = models
        self._threads = threads
        self._say = say
        self._lock = Lock()
        self._heads: dict[str, tuple[Table, InferenceSession]] = {}

    def change(self, earlier: str, later: str) -> float:
        """Return the probability that a later statement ends an earlier one, or takes its place."""
        table, session = self._head("relation")
        first = [*table.ids("earlier:"), *list(table.ids(earlier))[:_HALF]]
        ids = [*first, *table.ids("later:"), *table.ids(later)][:_LONGEST]
        chances = _read_chances(table, session, ids)
        return sum(chances[place] for place in _CHANGES)

    def _head(self, name: str) -> "tuple[Table, InferenceSession]":
        if name not in self._heads:
            with self._lock:
                if name not in self._heads:
                    self._heads[name] = _open_head(self._models, name, self._threads, self._say)
        return self._heads[name]


def _read_chances(table: "Table", session: "InferenceSession", ids: list[int]) -> list[float]:
    """Return the probabilities of a head's answers. Raises EmbedderFailed."""
    from gieok.models.local.encoder import INPUT

    try:
        logits = session.run(None, {INPUT: table.embed(ids)})[0].tolist()
    except _list_run_errors() as error:
        raise EmbedderFailed(f"the reader failed: {error}") from error
    most = max(logits)
    weights = [math.exp(logit - most) for logit in logits]
    return [weight / sum(weights) for weight in weights]


def _list_run_errors() -> tuple[type[Exception], ...]:
    from gieok.models.onnx_errors import run_errors

    return (MemoryError, *run_errors())


def _open_head(
    models: Path, name: str, threads: int, say: Callable[[str], None]
) -> "tuple[Table, InferenceSession]":
    """Open a head, and build it where it is missing or damaged. Raises EmbedderFailed."""
    room.require_address_space(room.LOADED_BYTES)
    try:
        from gieok.models.local.encoder import load_errors, open_session, open_table
        from gieok.models.local.head_files import build_head, find_whole_head

        errors = load_errors()
    except ImportError as error:
        from gieok.models.local import platforms

        hint = platforms.here().for_runtime()
        raise EmbedderFailed(
            f"the reader needs a package that is not there: {error}", hint=hint
        ) from error
    for is_last in (False, True):
        file = find_whole_head(models, name)
        if file is None or is_last:
            say("preparing the reader, once (a few seconds)")
            room.require_address_space(room.CONVERTED_BYTES)
            file = build_head(models, name, again=is_last)
        try:
            return open_table(models / CURRENT.folder), open_session(str(file), threads)
        except errors as error:
            if is_last:
                raise EmbedderFailed(
                    f"the reader in {file.parent} cannot be loaded: {error}"
                ) from error
    raise AssertionError
