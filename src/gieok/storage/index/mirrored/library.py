"""Interface between a mirror and its library: numbered vectors in named sets.

The library never holds the only copy of a vector.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from gieok.errors import Phrase, StoreError

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
_T = TypeVar("_T")


class LibraryFailed(StoreError):
    """The library raised, or lacks vectors that were written to it.

    The mirror is then made again from SQLite.
    """


class VectorSet(Protocol):
    """Vectors of one scope and one model, each with a number."""

    def numbers(self) -> Ints:
        """Return the numbers of all vectors."""

    def count(self) -> int:
        """Return how many vectors there are."""

    def add(self, numbers: Ints, vectors: Floats) -> None:
        """Add vectors whose numbers are new. `vectors`: (numbers, dimension)."""

    def remove(self, numbers: Ints) -> None:
        """Remove vectors by number."""

    def near(self, vector: Floats, limit: int) -> Ints:
        """Return the numbers of the nearest vectors, as far as the library can tell.

        Fewer than `limit` where the library finds no more.
        """


class Library(Protocol):
    """Opened folder of a library.

    Every method raises LibraryFailed for whatever goes wrong inside.
    """

    def open(self, name: str, dimension: int) -> VectorSet:
        """Return the set called `name`, made where it is missing."""

    def names(self) -> list[str]:
        """Return the names of all sets."""

    def drop(self, name: str) -> None:
        """Remove a set."""

    def tidy(self) -> None:
        """Give back the space of removed vectors, as far as the library can."""

    def close(self) -> None:
        """Release the folder."""


def translated_failures(name: str) -> Callable[[type[_T]], type[_T]]:
    """Return a class decorator that turns errors of methods into LibraryFailed."""

    def decorate(cls: type[_T]) -> type[_T]:
        for attribute, method in list(vars(cls).items()):
            if callable(method):
                setattr(cls, attribute, _failing_as(name)(method))
        return cls

    return decorate


@contextmanager
def _failing_as(name: str) -> Iterator[None]:
    try:
        yield
    except LibraryFailed:
        raise
    except BaseException as error:
        # Rust panics derive from BaseException alone; both libraries raise panics for a damaged
        # folder.
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            hint = Phrase(
                "move the folder `{folder}` of the home away; it is made again from "
                "the SQLite file beside it",
                folder=name.lower(),
            )
            raise LibraryFailed(
                "{name} failed: {error}", name=name, error=error, hint=hint
            ) from error
        raise
