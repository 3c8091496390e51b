"""Index of the prompt hook, opened as the hook opens it, for commands that measure or prove it."""

from typing import TYPE_CHECKING

from gieok import registry
from gieok.errors import NotIndexed, ShapeMismatch
from gieok.home.home import Home

if TYPE_CHECKING:
    from gieok.storage.index.sqlite.index_reader import IndexReader


def open_hook_index(home: Home) -> "tuple[IndexReader, type[Exception]]":
    """Return a read-only reader of the index, and the error that a late reader raises.

    Raises NotIndexed, ShapeMismatch.
    """
    # `status` and `doctor` read this module, and most homes have nothing to prove.
    from gieok.storage.index.sqlite.index_reader import IndexReader, Late, Mismatch, Missing

    settings = home.settings
    location = registry.local_index(
        str(settings.home), settings.text("store"), hybrid=settings.flag("hybrid")
    )
    try:
        return IndexReader(location), Late
    except Missing as error:
        raise NotIndexed("there is no index at {location!r}", location=location) from error
    except Mismatch as error:
        raise ShapeMismatch(str(error)) from error
