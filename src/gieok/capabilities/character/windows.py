"""The messages after the last summary: what was read before is used again where the journal says that it stands."""

from gieok.model.conversation import HeldWindow, Journalled
from gieok.model.memory import Scope
from gieok.ports.cache import WindowCache
from gieok.ports.journal import Positions


def window(journal: Positions, cache: WindowCache | None, scope: Scope, reader: str) -> list[Journalled]:
    """Return the messages behind the position of a reader."""
    held = cache.get(scope) if cache else None
    found = journal.window(scope, reader, held)
    messages = [*held.messages, *found.messages] if held and found.is_rest else found.messages
    if cache and messages and not (found.is_rest and not found.messages):
        cache.put(scope, HeldWindow(found.mark, tuple(messages)))
    return messages
