"""Remote data of this memory: the stores with data at a service or on a server.

Covers the local records of that data, and how it is deleted there.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gieok.commands.encode import Reason
from gieok.errors import GieokError
from gieok.home.call import Call
from gieok.ports.store import Droppable, RemoteData, Store
from gieok.text.messages import Words


class RemotePlace(NamedTuple):
    """Store that may have data elsewhere.

    `store` is None where it cannot be opened, and `trouble` says why.
    """

    name: str
    store: Store | None
    #: File in the home that identifies the store's remote data; None where none is needed.
    mark: Path | None = None
    trouble: str = ""

    def known(self) -> list[RemoteData]:
        """Return the local records of the store's remote data; no service is asked."""
        return self.store.known_remote_data() if isinstance(self.store, Droppable) else []

    def how_by_hand(self) -> str:
        """Return how the data is deleted without Gieok; '' where that is unknown."""
        return self.store.by_hand if isinstance(self.store, Droppable) else ""


def iter_remote_places(call: Call) -> Iterator[RemotePlace]:
    """Yield the stores that may have data elsewhere, including the store in use."""
    return (
        _open_remote_place(call, name, mark) for name, mark in call.home.stores.elsewhere().items()
    )


def _open_remote_place(call: Call, name: str, mark: Path | None) -> RemotePlace:
    try:
        return RemotePlace(name, call.home.stores.open(name), mark)
    except GieokError as error:
        return RemotePlace(name, None, mark, error.in_full)


def list_unused_remote_data(call: Call) -> list[Reason]:
    """Return the remote data of stores that are not in use, as recorded here; no service is
    asked.
    """
    reasons: list[Reason] = []
    for name, mark in call.home.stores.elsewhere().items():
        if name == call.home.stores.name or mark is None:
            continue
        place = _open_remote_place(call, name, mark)
        reasons += [
            Reason(unused.name, describe_unused_data(name, unused).say(call.lang))
            for unused in place.known()
        ]
        reasons += [Reason(name, place.trouble)] if place.trouble else []
    return reasons


def describe_unused_data(name: str, data: RemoteData) -> Words:
    """Return a sentence on the remote data of an unused store, and how to delete it."""
    return Words.of(
        (
            "{documents:,} documents of yours lie there, and nothing here uses them: `gieok store "
            "drop {name}` deletes them"
        ),
        documents=data.documents,
        name=name,
    )
