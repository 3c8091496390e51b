"""Opens the parts with which the prompt hook decides, for commands that measure or prove it."""

from functools import partial
from typing import TYPE_CHECKING

from gieok import registry
from gieok.app.wiring import Wiring
from gieok.errors import NotIndexed, ShapeMismatch
from gieok.hook.options import OPTIONS, HookSettings
from gieok.ops.context import PromptContext

if TYPE_CHECKING:
    from gieok.hook.matches import Reader


def open_prompt_context(wiring: Wiring) -> PromptContext:
    """Build the context; the index is opened when it is asked for."""
    settings = wiring.settings
    location = registry.local_index(
        str(settings.home), settings.text("store"), hybrid=settings.flag("hybrid")
    )
    values = {option.name: settings.values[option.name].value for option in OPTIONS}
    return PromptContext(partial(_open_prompt_index, location), HookSettings(values))


def _open_prompt_index(location: str) -> "tuple[Reader, type[Exception]]":
    from gieok.storage.index.sqlite.index_reader import IndexReader, Late, Mismatch, Missing

    try:
        return IndexReader(location), Late
    except Missing as error:
        raise NotIndexed(f"there is no index at {location!r}") from error
    except Mismatch as error:
        raise ShapeMismatch(str(error)) from error
