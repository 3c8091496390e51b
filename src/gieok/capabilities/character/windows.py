"""The messages after the last summary: what was read before is used again where the journal says that it stands."""

from gieok.model.conversation import HeldWindow, Journalled, ScopeState
from gieok.model.memory import Scope
from gieok.ports.cache import WindowCache
from gieok.ports.journal import Positions


def state(
    journal: Positions, cache: WindowCache | None, scope: Scope, reader: str
) -> tuple[ScopeState, tuple[Journalled, ...]]:
    """Return what a turn needs of a scope, and all messages behind the position of a reader."""
    held = cache.get(scope) if cache else None
    state = journal.state(scope, reader, held)
    found = state.window
    messages = (*held.messages, *found.messages) if held and found.is_rest else tuple(found.messages)
    if cache and messages and not (found.is_rest and not found.messages):
        cache.put(scope, HeldWindow(found.mark, messages))
    return state, messages
