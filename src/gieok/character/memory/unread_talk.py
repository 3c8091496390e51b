"""Selects the messages to learn from: new ones, or all from the first changed place on."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from gieok.character.detect import take_backs
from gieok.character.detect.take_backs import StandingText
from gieok.character.facts import Episode
from gieok.character.memory import decisions
from gieok.character.memory.decisions import REFORM
from gieok.character.memory.windows import TalkWindow
from gieok.model.conversation import Journalled, Role
from gieok.model.memory import Scope
from gieok.ports.journal import Journal

ALL = 1 << 40
#: How many earlier messages reading a message may look at, and how many of the user's among these.
LOOKED_BACK, EARLIER = 12, 3


class UnreadTalk(NamedTuple):
    """Messages and decisions in order of place; entries before `start` serve as context.

    `end` is the newest number. `changed` are messages that were said anew or taken back since the
    requested position; `touched` also includes messages from which the user refused a memory, or
    wants a memory back. `taken_back` is what is left of those that the user took back in part.
    """

    entries: tuple[Journalled, ...]
    start: int
    end: int
    changed: frozenset[str] = frozenset()
    touched: frozenset[str] = frozenset()
    is_replay: bool = False
    taken_back: Mapping[str, StandingText] = MappingProxyType({})

    @property
    def fresh(self) -> list[Journalled]:
        """Return the entries to learn from, decisions included."""
        return [entry for entry in self.entries if entry.place >= self.start]

    @property
    def later(self) -> frozenset[str]:
        """Return the ids of messages at the start or after it, and of messages that are gone."""
        return self.changed | {entry.message.id for entry in self.fresh}


def find_unread_talk(
    journal: Journal, scope: Scope, learned: int, window: TalkWindow, episodes: Sequence[Episode]
) -> UnreadTalk:
    """Return the entries to learn from after a position, with the entries before them as context.

    At least one entry must be newer than `learned`.
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
    touched = {identity for one in user_decisions for identity in (*one.ids, *one.freed)}
    end = max(one.seq for one in fresh)
    changed = frozenset(versions | gone)
    # A former version of what the user said may have taken back something.
    is_resaid = any(one.first and one.message.role is Role.USER for one in fresh)
    is_wide = is_resaid or any(take_backs.takes_back(one.message) for one in fresh)
    reach = take_backs.REACH if is_wide else 0
    for back in _places_back(journal, scope, episodes, start, after):
        if back >= start:
            continue
        if back < after:
            read, after = journal.read(scope, back, budget_tokens=ALL, limit=ALL), back
            later_messages = [one for one in read if one.place > back]
        before = decisions.select_spoken_messages(
            [one for one in later_messages if one.place < start]
        )
        is_enough = len(before) >= LOOKED_BACK and len(_list_user_places(before)) >= reach
        if not after or is_enough:
            break
    # Messages that arrived meanwhile are read next time.
    entries = sorted((one for one in later_messages if one.seq <= end), key=lambda one: one.place)
    spoken = decisions.select_spoken_messages(entries)
    taken_back = take_backs.find_taken_back([one.message for one in spoken])
    place = {one.message.id: one.place for one in spoken}
    before = [one for one in spoken if one.place < start]
    # Where a message is gone, those behind it may take back another.
    known = before if gone else [one for one in spoken if one.seq <= learned]
    taken_before = take_backs.find_taken_back([one.message for one in known])
    newly = {
        one
        for one in (taken_back.keys() | taken_before.keys())
        if taken_back.get(one) != taken_before.get(one)
    }
    if is_resaid:
        resaid = _list_user_places(before)[-take_backs.REACH :]
        newly |= {one.message.id for one in before if one.place in resaid}
    start = min([start, *(place[one] for one in newly)])
    return UnreadTalk(
        entries=tuple(entries),
        start=start,
        end=end,
        changed=changed,
        touched=frozenset(versions | touched | newly),
        is_replay=start <= learned,
        taken_back=taken_back,
    )


def _list_user_places(said: Sequence[Journalled]) -> list[int]:
    return [one.place for one in said if one.message.role is Role.USER]


def _places_back(
    journal: Journal, scope: Scope, episodes: Sequence[Episode], start: int, after: int
) -> Iterator[int]:
    """Yield the places from which to read, nearest first.

    These are the window, then the beginnings of earlier episodes, then the beginning.
    """
    yield after
    first = [episode.message_ids[0] for episode in episodes if episode.message_ids]
    yield from sorted(
        (entry.place - 1 for entry in journal.messages(scope, first) if entry.place < start),
        reverse=True,
    )
    yield 0
