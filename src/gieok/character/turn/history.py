"""Compares the messages that a front end sends again and again with the journalled messages.

The comparison finds lines that are new, edited, or gone. Pure. A front end shows one path through
the conversation: its beginning may be left out, lines are edited, the last reply is regenerated,
the end is deleted, an older place is continued, a new chat is begun. The journal of a conversation
is one row of lines, in which `BRANCH` marks a line that does not follow the line before it.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from typing import NamedTuple

from gieok.model.conversation import Message, Role

#: `source` of a line that does not follow the line before it: a new chat, or an older place that
#: was continued.
BRANCH = "branch"
#: At most so many missing lines at the end count as deleted; more missing lines are another path,
#: which stays.
_MOST_DELETED = 12
_STEP = timedelta(milliseconds=1)
_TALK = {"user": Role.USER, "assistant": Role.ASSISTANT}


class Shown(NamedTuple):
    """Message as a front end sends it: `role` and `name` as in OpenAI's protocol."""

    role: str
    text: str
    name: str = ""


class TalkLine(NamedTuple):
    """Line of a conversation."""

    role: Role
    text: str


class NewLine(NamedTuple):
    """Line to journal, the time at which it counts as said, and whether it begins a new path."""

    line: TalkLine
    at: datetime
    is_branch: bool = False


class Alignment(NamedTuple):
    """Changes after which the journal holds what the front end shows."""

    edited: tuple[tuple[Message, str], ...] = ()
    gone: tuple[Message, ...] = ()
    new: tuple[NewLine, ...] = ()


def select_talk_lines(shown: Sequence[Shown], names: Sequence[str]) -> list[TalkLine]:
    """Return the spoken lines, without lines that the front end adds itself.

    Added lines are system texts, and examples of how somebody speaks. A speaker's name in front of
    a line is removed.
    """
    prefix = (
        re.compile(rf"(?:{'|'.join(re.escape(name) for name in names if name)}):[ \t]*")
        if any(names)
        else None
    )
    lines = []
    for line in shown:
        role = _TALK.get(line.role)
        if role is None or line.name.startswith("example_") or not line.text.strip():
            continue
        text = line.text.strip()
        named = prefix.match(text) if prefix else None
        lines.append(TalkLine(role, text[named.end() :].strip() or text if named else text))
    return lines


def aligned(held: Sequence[Message], shown: Sequence[TalkLine], now: datetime) -> Alignment:
    """Return the changes that turn the held lines (in order of time) into the shown lines."""
    pairs = _match_talk_lines(
        [_build_talk_key(line.role, line.text) for line in held],
        [_build_talk_key(line.role, line.text) for line in shown],
    )
    opening = _find_greeting_places(held)
    greeted = {b for a, b in pairs if a in opening}
    same = {b for _, b in pairs} - greeted
    # The last shown line may have been said in any chat, so it is no evidence.
    evidence = set(range(len(shown) - 1)) - greeted
    if not same or 2 * len(same & evidence) < len(evidence):
        pairs = [(a, b) for a, b in pairs if b in greeted]
        return _align_new_chat(held, shown, pairs, now)
    return _align_known_chat(held, shown, pairs, now)


def _match_talk_lines(ours: Sequence[object], theirs: Sequence[object]) -> list[tuple[int, int]]:
    """Return the pairs of places at which the lines are equal, in order."""
    same = next(
        (place for place, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), len(ours)
    )
    if same == len(ours) <= len(theirs):  # as nearly always: all of it, and what is new
        return [(place, place) for place in range(same)]
    # Matched from the end: where a line stands twice, the later line is meant, so that no line
    # counts as deleted.
    blocks = SequenceMatcher(None, ours[::-1], theirs[::-1], autojunk=False).get_matching_blocks()
    return sorted(
        (len(ours) - 1 - block.a - step, len(theirs) - 1 - block.b - step)
        for block in blocks
        for step in range(block.size)
    )


def _find_greeting_places(held: Sequence[Message]) -> set[int]:
    """Return the places of greetings: lines of a character before the user says anything.

    Every chat begins with the same greeting.
    """
    greetings, is_open = set(), True
    for place, message in enumerate(held):
        is_open = message.role is not Role.USER and (is_open or message.source == BRANCH)
        if is_open:
            greetings.add(place)
    return greetings


def _align_new_chat(
    held: Sequence[Message],
    shown: Sequence[TalkLine],
    pairs: Sequence[tuple[int, int]],
    now: datetime,
) -> Alignment:
    """Return the alignment of a new chat, of which at most a greeting is held."""
    start = next(
        (place for place in range(len(held) - 1, -1, -1) if held[place].source == BRANCH), 0
    )
    greetings = (
        list(held[start:]) if all(message.role is not Role.USER for message in held[start:]) else []
    )
    same = dict(pairs)
    at_end = {b for a, b in pairs if a >= len(held) - len(greetings)}
    gone = [
        message
        for place, message in enumerate(held)
        if place >= len(held) - len(greetings) and place not in same
    ]
    # A held greeting stands for the greeting that is shown again.
    fresh = [line for place, line in enumerate(shown) if place not in set(same.values())]
    left = len(held) > len(gone) and not at_end
    return Alignment(
        (),
        tuple(gone),
        tuple(_schedule_new_lines(held[-1].at if held else None, fresh, now, is_branch=left)),
    )


def _align_known_chat(
    held: Sequence[Message],
    shown: Sequence[TalkLine],
    pairs: Sequence[tuple[int, int]],
    now: datetime,
) -> Alignment:
    edited: list[tuple[Message, str]] = []
    gone: list[Message] = []
    new: list[NewLine] = []
    before = (-1, -1)
    for a, b in pairs:
        ours, theirs = _of_path(held[before[0] + 1 : a + 1]), shown[before[1] + 1 : b]
        if before[0] < 0:
            # Lines missing at the beginning did not fit into the front end's context.
            ours = ours[len(ours) - min(len(ours), len(theirs)) :]
        changed, unmatched, added = _diff_talk_gap(ours, theirs)
        edited += changed
        # The line that begins a path stays: without it, the later lines would belong to another
        # path.
        gone += (
            [message for message in unmatched if message.source != BRANCH] if before[0] >= 0 else []
        )
        earliest = held[before[0]].at if before[0] >= 0 else held[a].at - (len(added) + 1) * _STEP
        new += [NewLine(line, earliest + (place + 1) * _STEP) for place, line in enumerate(added)]
        before = (a, b)
    rest = list(held[before[0] + 1 :])
    own = next((place for place, message in enumerate(rest) if message.source == BRANCH), len(rest))
    if own <= _MOST_DELETED:
        gone += rest[:own]
        rest = rest[own:]
    last = held[-1].at
    new += _schedule_new_lines(last, shown[before[1] + 1 :], now, is_branch=bool(rest))
    return Alignment(tuple(edited), tuple(gone), tuple(new))


def _of_path(held: Sequence[Message]) -> list[Message]:
    """Return the lines before the last held line that are on the same path.

    A path begins at the last line marked `BRANCH`; earlier lines belong to other paths.
    """
    starts = [place for place, message in enumerate(held) if message.source == BRANCH]
    return list(held[starts[-1] if starts else 0 : -1])


def _diff_talk_gap(
    ours: Sequence[Message], theirs: Sequence[TalkLine]
) -> tuple[list[tuple[Message, str]], list[Message], list[TalkLine]]:
    """Return the edited, removed and new lines between two equal lines."""
    edited, gone, new = [], list[Message](), list[TalkLine]()
    waiting = list(ours)
    for line in theirs:
        place = next(
            (place for place, message in enumerate(waiting) if message.role is line.role), None
        )
        if place is None:
            new.append(line)
            continue
        gone += waiting[:place]
        edited.append((waiting[place], line.text))
        waiting = waiting[place + 1 :]
    return edited, gone + waiting, new


def _schedule_new_lines(
    last: datetime | None, lines: Sequence[TalkLine], now: datetime, *, is_branch: bool
) -> list[NewLine]:
    start = max(now, last + _STEP) if last else now
    return [
        NewLine(line, start + place * _STEP, is_branch and not place)
        for place, line in enumerate(lines)
    ]


def _build_talk_key(role: Role, text: str) -> tuple[Role, str]:
    return role, " ".join(text.split())
