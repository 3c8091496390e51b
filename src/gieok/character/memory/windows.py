"""Messages after the last summary, cached while the journal confirms that the cache is valid."""

from typing import NamedTuple

from gieok.character.memory import decisions
from gieok.model.conversation import HeldWindow, Journalled, ScopeState
from gieok.model.memory import Scope
from gieok.ports.cache import WindowCache
from gieok.ports.journal import Positions


class TalkWindow(NamedTuple):
    """All messages and decisions after a reader's position, in order of number."""

    position: int
    messages: list[Journalled]

    @property
    def spoken(self) -> list[Journalled]:
        """Return the spoken messages after the position, in order of place.

        A message with an earlier place is a new version of a message that is summarised already.
        """
        return decisions.select_spoken_messages(
            [entry for entry in self.messages if entry.place > self.position]
        )


def read_scope_window(
    journal: Positions, cache: WindowCache | None, scope: Scope, reader: str
) -> tuple[ScopeState, TalkWindow]:
    """Return the state of a scope and the window after a reader's position, from one snapshot."""
    cached = cache.get(scope) if cache else None
    state = journal.state(scope, reader, cached)
    window = state.window
    messages = (
        [*cached.messages, *window.messages] if cached and window.is_rest else window.messages
    )
    if cache and messages and not (window.is_rest and not window.messages):
        cache.put(scope, HeldWindow(window.mark, tuple(messages)))
    return state, TalkWindow(window.mark.position, messages)
