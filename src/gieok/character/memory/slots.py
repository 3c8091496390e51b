"""Limit of episodes in a memory: beyond the limit, the least valuable neighbours are merged.

No episode is dropped. Pure, and with the same result for every caller: of equal pairs the oldest is
merged first. Episodes that the user marked or wrote are never merged.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise, zip_longest

from gieok.character.facts import Episode, Fact, Moment
from gieok.character.memory.episodes import MOST_CHARS, MOST_TOPICS
from gieok.text.language import detect_text_language

#: Episodes in a memory without bought slots.
DEFAULT_SLOTS = 30
#: What stood between the sentences that rules chose, in episodes of earlier releases.
_GAP = " / "
_SENTENCE = re.compile(r"(?<=[.!?…”])\s+")
_LEAD = re.compile(r"^[^:/]{1,40}: ")
#: Between the feelings of a merged episode, of which there are so many at most.
_FEELING_GAP, _MOST_FEELINGS = ", ", 2
_SHORTEST = 12
_OF_MESSAGE = 0.05


def limit_episodes(
    limit: int, told: Sequence[Episode], facts: Sequence[Fact], moments: Sequence[Moment]
) -> list[Episode]:
    """Return at most `limit` episodes in order of time.

    There may be more, because episodes that are never merged all stay.
    """
    episodes = sorted(told, key=lambda one: (one.start, one.key))
    worth = {i: 0.0 for one in episodes for i in one.message_ids}
    for fact in facts:
        worth |= {i: worth[i] + fact.importance for i in fact.message_ids if i in worth}
    for moment in moments:
        worth |= {i: worth[i] + moment.intensity for i in moment.message_ids if i in worth}
    while len(episodes) > max(limit, 1):
        free = [one for one in episodes if not one.is_important and not one.is_edited]
        if len(free) < 2:
            break
        first, second = min(
            pairwise(free),
            key=lambda pair: (
                _score_episode_worth(pair[0], worth) + _score_episode_worth(pair[1], worth)
            ),
        )
        episodes = [
            merged(first, second) if one is first else one for one in episodes if one is not second
        ]
    return episodes


def merged(first: Episode, second: Episode) -> Episode:
    """Return two episodes as one: parts of each text, in order, within the length of one
    episode.
    """
    ids = tuple(dict.fromkeys((*first.message_ids, *second.message_ids)))
    feelings = dict.fromkeys(
        feeling for one in (first, second) for feeling in one.emotion.split(_FEELING_GAP) if feeling
    )
    return Episode(
        text=_merge_episode_texts(first.text, second.text),
        start=min(first.start, second.start),
        end=max(first.end, second.end),
        messages=first.messages + second.messages,
        topics=tuple(dict.fromkeys((*first.topics, *second.topics)))[:MOST_TOPICS],
        emotion=first.emotion if len(feelings) > _MOST_FEELINGS else _FEELING_GAP.join(feelings),
        message_ids=ids,
        is_stale=first.is_stale or second.is_stale,
        key_moments=tuple(dict.fromkeys((*first.key_moments, *second.key_moments))),
        open_topics=second.open_topics,
    )


def _score_episode_worth(episode: Episode, worth: Mapping[str, float]) -> float:
    """Return the value of an episode: the value of what is known from its messages.

    Each message adds a little more, so that no merged episode swallows all others.
    """
    return sum(worth[i] + _OF_MESSAGE for i in episode.message_ids)


def _merge_episode_texts(first: str, second: str) -> str:
    """Return parts of two texts in their order, chosen in turns until no more fit.

    The lead of the first text stays.
    """
    most = MOST_CHARS[detect_text_language(f"{first} {second}")]
    lead = match[0] if (match := _LEAD.match(first)) else ""
    parts = [
        _split_episode_sentences(first.removeprefix(lead)),
        _split_episode_sentences(_LEAD.sub("", second)),
    ]
    gap = _GAP if _GAP in first or _GAP in second else " "
    left, chosen = most - len(lead), set[tuple[int, int]]()
    for place, both in enumerate(zip_longest(*parts)):
        for side, part in enumerate(both):
            if part and len(part) + len(gap) <= left:
                chosen.add((side, place))
                left -= len(part) + len(gap)
            elif (
                part
                and left > _SHORTEST
                and not any(taken_side == side for taken_side, _ in chosen)
            ):
                # No sentence of this text fits whole: a sentence is cut rather than left out.
                parts[side][place] = f"{part[: left - len(gap) - 1].rstrip()}…"
                chosen.add((side, place))
                left = 0
    return lead + gap.join(parts[side][place] for side, place in sorted(chosen))


def _split_episode_sentences(text: str) -> list[str]:
    """Return the pieces at which a text can be cut: sentences chosen by rules, or of prose."""
    parts = text.split(_GAP) if _GAP in text else _SENTENCE.split(text)
    return [part.strip() for part in parts if part.strip()]
