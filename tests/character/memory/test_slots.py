"""Episodes beyond the limit are told as one with their neighbours: nothing is dropped, and
everybody merges the same.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from character_talk import BOND, CharacterTalk
from hypothesis import given, settings
from hypothesis import strategies as st

from gieok.character.facts import Episode, Moment
from gieok.character.memory import slots
from gieok.character.memory.episodes import MOST_CHARS
from gieok.character.memory.service import TurnBudget
from gieok.storage.journal.sqlite.journal import SqliteJournal

_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
_TEXTS = (
    "서진이가 한 말: 오늘 새우를 먹고 두드러기가 났다 / 병원에 갔다 왔다",
    "서진이가 한 말: 도서관에서 책을 다섯 권 빌렸다",
    "Min said: I moved to Portobello / the new flat has a garden",
    "우리는 오래 이야기했다. 면접이 걱정된다고 했다. 나는 응원했다.",
    "가" * 198,
    "",
)


def _episode(
    number: int, text: str, messages: int, *, is_important: bool = False, is_edited: bool = False
) -> Episode:
    ids = tuple(f"m{number}-{n}" for n in range(messages))
    start = _AT + timedelta(days=number)
    return Episode(
        text,
        start,
        start + timedelta(hours=1),
        messages,
        (),
        "",
        ids,
        is_important=is_important,
        is_edited=is_edited,
    )


_EPISODES = st.lists(
    st.tuples(
        st.sampled_from(_TEXTS), st.integers(1, 9), st.sampled_from((False, False, False, True))
    ),
    max_size=20,
).map(
    lambda rows: [
        _episode(n, text, count, is_important=marked)
        for n, (text, count, marked) in enumerate(rows)
    ]
)


@settings(max_examples=120, deadline=None)
@given(told=_EPISODES, limit=st.integers(1, 10), order=st.randoms(use_true_random=False))
def test_within_the_limit_every_message_is_still_told_of(
    told: list[Episode], limit: int, order: object
) -> None:
    moments = [
        Moment("promise", "x", _AT, intensity=0.9, message_ids=one.message_ids[:1])
        for one in told[::3]
    ]
    kept = slots.limit_episodes(limit, told, (), moments)
    marked = [one for one in told if one.is_important]
    assert len(kept) <= max(limit, len(marked) + 1)
    assert sorted(i for one in kept for i in one.message_ids) == sorted(
        i for one in told for i in one.message_ids
    )
    assert sum(one.messages for one in kept) == sum(one.messages for one in told)
    assert [one for one in kept if one.is_important] == marked
    assert all(len(one.text) <= max(MOST_CHARS.values()) for one in kept)
    shuffled = list(told)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    assert slots.limit_episodes(limit, shuffled, (), moments) == kept


def test_the_least_valuable_neighbours_go_first_and_both_are_heard() -> None:
    told = [_episode(n, text, 4) for n, text in enumerate(_TEXTS[:4])]
    moment = Moment("comfort", "x", _AT, intensity=0.8, message_ids=told[0].message_ids[:1])
    kept = slots.limit_episodes(3, told, (), [moment])
    assert [one.message_ids[0] for one in kept] == ["m0-0", "m1-0", "m3-0"]
    assert (
        kept[1].text
        == "서진이가 한 말: 도서관에서 책을 다섯 권 빌렸다 / I moved to Portobello / the new flat has a garden"
    )


def test_what_the_user_wrote_is_never_cut() -> None:
    told = [_episode(n, _TEXTS[1], 3, is_edited=n < 3) for n in range(4)]
    assert slots.limit_episodes(2, told, (), ()) == told


def test_a_full_memory_merges_as_it_summarises(talk: CharacterTalk, journal: SqliteJournal) -> None:
    budget = TurnBudget(context_tokens=500, narrative_tokens=200)
    small = CharacterTalk(replace(talk.characters, budget=budget, free_slots=2), talk.clock)
    small.say(*(f"오늘은 도서관에서 책을 {n}권 빌렸는데 정말 재미있었어" for n in range(2, 40)))
    told = small.characters.memories(BOND).episodes
    assert len(told) == 2
    window = [one.id for one in small.characters.context(BOND, "").window]
    said = [one.message.id for one in journal.read(BOND.scope, 0, budget_tokens=1 << 40)]
    assert [i for one in told for i in one.message_ids] == [i for i in said if i not in window]
    assert journal.replaced(BOND.scope)
