"""What of the talk has to be looked at: what is new, or everything from the first place on where
something changed.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gieok.character.facts import Episode
from gieok.character.memory import decisions
from gieok.character.memory.decisions import REFORM
from gieok.character.memory.windows import TalkWindow
from gieok.model.conversation import Journalled
from gieok.model.memory import Scope
from gieok.ports.journal import Journal

ALL = 1 << 40
#: Reading a message may look at so many before it, and at so many of the user among these.
LOOKED_BACK, EARLIER = 12, 3


class UnreadTalk(NamedTuple):
    """Messages and decisions by place, those before `start` for what was said before; `end` is the
    newest number.

    `changed` are messages that were said anew or taken back since the position that was asked for;
    `touched` are those too of which the user refused something, or wants it back.
    """

    entries: tuple[Journalled, ...]
    start: int
    end: int
    changed: frozenset[str] = frozenset()
    touched: frozenset[str] = frozenset()
    is_replay: bool = False

    @property
    def fresh(self) -> list[Journalled]:
        """Return what has to be looked at, decisions too."""
        return [one for one in self.entries if one.place >= self.start]

    @property
    def later(self) -> frozenset[str]:
        """Return the ids of what comes at the start or after it, and of what is gone."""
        return self.changed | {one.message.id for one in self.fresh}


def find_unread_talk(
    journal: Journal, scope: Scope, learned: int, window: TalkWindow, episodes: Sequence[Episode]
) -> UnreadTalk:
    """Return what has to be looked at after a position, of which there is something, with what was
    said before it.
    """
    after = window.position
    fresh = [one for one in window.messages if one.seq > learned]
    later_messages = [one for one in window.messages if one.place > after]
    user_decisions = [decision for one in fresh if (decision := decisions.decision_of(one.message))]
    start = min(
        [*(one.place for one in fresh), *(one.start for one in user_decisions if one.start)]
    )
    versions = {one.message.id for one in fresh if one.first}
    gone = {identity for one in user_decisions if one.do == REFORM for identity in one.ids}
    touched = {identity for one in user_decisions for identity in one.ids}
    end = max(one.seq for one in fresh)
    for back in _places_back(journal, scope, episodes, start, after):
        if back >= start:
            continue
        if back < after:
            read, after = journal.read(scope, back, budget_tokens=ALL, limit=ALL), back
            later_messages = [one for one in read if one.place > back]
        if (
            not after
            or len(
                decisions.select_spoken_messages(
                    [one for one in later_messages if one.place < start]
                )
            )
            >= LOOKED_BACK
        ):
            break
    # What came meanwhile is looked at next.
    entries = sorted((one for one in later_messages if one.seq <= end), key=lambda one: one.place)
    return UnreadTalk(
        entries=tuple(entries),
        start=start,
        end=end,
        changed=frozenset(versions | gone),
        touched=frozenset(versions | touched),
        is_replay=start <= learned,
    )


def _places_back(
    journal: Journal, scope: Scope, episodes: Sequence[Episode], start: int, after: int
) -> Iterator[int]:
    """Yield where to read from: the window, then where episodes begin before a place, the nearest
    first, then the beginning.
    """
    yield after
    first = [episode.message_ids[0] for episode in episodes if episode.message_ids]
    yield from sorted(
        (one.place - 1 for one in journal.messages(scope, first) if one.place < start), reverse=True
    )
    yield 0
