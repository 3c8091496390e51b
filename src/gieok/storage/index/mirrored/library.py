"""What a mirror asks of its library: numbered vectors in named sets. Nothing of it is the only
copy.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from gieok.errors import StoreError

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
_T = TypeVar("_T")


class LibraryFailed(StoreError):
    """The library raised, or does not hold what was written to it; the mirror is then made again
    from SQLite.
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
        """Return the numbers of the (as far as the library can tell) nearest vectors; fewer where
        it finds no more.
        """


class Library(Protocol):
    """An opened folder. Every method raises LibraryFailed for whatever goes wrong inside."""

    def open(self, name: str, dimension: int) -> VectorSet:
        """Return the set called `name`, made where there is none."""

    def names(self) -> list[str]:
        """Return the names of all sets."""

    def drop(self, name: str) -> None:
        """Remove a set."""

    def tidy(self) -> None:
        """Give back what removed vectors took, as far as the library can."""

    def close(self) -> None:
        """Release the folder."""


def translated_failures(name: str) -> Callable[[type[_T]], type[_T]]:
    """Decorate a class, so that whatever its public methods raise becomes LibraryFailed."""

    def decorate(cls: type[_T]) -> type[_T]:
        for attribute, method in list(vars(cls).items()):
            if callable(method) and (attribute == "__init__" or not attribute.startswith("_")):
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
        # Rust panics derive from BaseException alone; both libraries raise them for a damaged
        # folder.
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            hint = (
                f"move the folder `{name.lower()}` of the home away; it is made again from the "
                f"SQLite file beside it"
            )
            raise LibraryFailed(f"{name} failed: {error}", hint=hint) from error
        raise
