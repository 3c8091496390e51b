"""The messages after the last summary: what was read before is used again where the journal says
that it stands.
"""

from typing import NamedTuple

from gieok.character.memory import decisions
from gieok.model.conversation import HeldWindow, Journalled, ScopeState
from gieok.model.memory import Scope
from gieok.ports.cache import WindowCache
from gieok.ports.journal import Positions


class TalkWindow(NamedTuple):
    """Everything behind the position of a reader, decisions too, by number."""

    position: int
    messages: list[Journalled]

    @property
    def spoken(self) -> list[Journalled]:
        """Return what was said since, by place: what keeps an earlier place was said anew, and is
        summarised already.
        """
        return decisions.select_spoken_messages(
            [one for one in self.messages if one.place > self.position]
        )


def read_scope_window(
    journal: Positions, cache: WindowCache | None, scope: Scope, reader: str
) -> tuple[ScopeState, TalkWindow]:
    """Return what a turn needs of a scope, and what is behind the position of a reader, read in one
    snapshot.
    """
    cached = cache.get(scope) if cache else None
    state = journal.state(scope, reader, cached)
    window = state.window
    messages = (
        [*cached.messages, *window.messages] if cached and window.is_rest else window.messages
    )
    if cache and messages and not (window.is_rest and not window.messages):
        cache.put(scope, HeldWindow(window.mark, tuple(messages)))
    return state, TalkWindow(window.mark.position, messages)
