"""Which span is summarised, what a summary by rules tells, and how episodes are merged."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gieok.character.facts import Episode, Fact, FactType, Moment
from gieok.character.memory.episodes import Due, find_due_span, list_key_moments, summarise_span
from gieok.character.memory.slots import limit_episodes, merged
from gieok.model.conversation import Journalled, Message, Role

_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


def _span(*texts: str, tokens: Sequence[int] = (), role: Role = Role.USER) -> list[Journalled]:
    counts = tokens or [1] * len(texts)
    return [
        Journalled(
            n + 1,
            Message(f"m{n}", role, text, _AT + timedelta(minutes=n), tokens=counts[n]),
        )
        for n, text in enumerate(texts)
    ]


def _due(*tokens: int, budget: int = 100) -> int | None:
    """Return how many messages are summarised."""
    window = _span(*("x" for _ in tokens), tokens=tokens)
    due = find_due_span(window, budget)
    if due is None:
        return None
    assert due == Due(len(due.messages), tuple(window[: len(due.messages)]))
    return len(due.messages)


@pytest.mark.parametrize(
    ("tokens", "count"),
    [
        ((17, 17, 17, 18), None),
        ((17, 17, 18, 18), 2),
        ((10, 25, 20, 15), 2),
        ((10, 24, 21, 15), 2),
        ((10, 20, 5, 10, 25), 3),
        ((5, 5, 25, 20, 15), 3),
        ((35, 10, 10, 15), 1),
        ((34, 10, 11, 15), 2),
        ((90, 90, 90), None),
        ((1, 1, 1, 97), 2),
        ((1, 1, 1, 1, 96), 3),
    ],
)
def test_the_oldest_half_of_a_window_is_due_when_it_is_nearly_full(
    tokens: tuple[int, ...], count: int | None
) -> None:
    assert _due(*tokens) == count


def _fact(value: str, **more: Any) -> Fact:
    given: dict[str, Any] = {"message_ids": ("m0",), **more}
    kind = given.pop("type", FactType.PLAN)
    return _state("schedule", value, kind, **given)


def _state(predicate: str, value: str, kind: FactType, **more: Any) -> Fact:
    given: dict[str, Any] = {"confidence": 0.9, **more}
    return Fact(subject="user", predicate=predicate, object=value, type=kind, at=_AT, **given)


def _tell(*texts: str, facts: Sequence[Fact] = (), moments: Sequence[Moment] = ()) -> Episode:
    episode = summarise_span(_span(*texts), facts, moments, "Min")
    assert episode is not None
    return episode


def _quote(*texts: str, **more: Any) -> list[str]:
    """Return the sentences that a summary quotes."""
    return _tell(*texts, **more).text.split("“")[1:]


def test_a_span_without_the_user_is_no_episode() -> None:
    assert summarise_span(_span("hello there", role=Role.ASSISTANT), (), (), "Min") is None
    assert summarise_span([], (), (), "Min") is None


def test_an_episode_has_its_span_and_its_lead() -> None:
    episode = _tell("I borrowed two books", "then it rained all day")
    assert episode.text == ("Min told me this: “I borrowed two books” “then it rained all day”")
    assert (episode.start, episode.end) == (_AT, _AT + timedelta(minutes=1))
    assert (episode.messages, episode.message_ids) == (2, ("m0", "m1"))
    assert _tell("두 권을 빌렸다").text == "Min이 나에게 이런 이야기를 했다: “두 권을 빌렸다”"


_LONG = tuple(
    f"sentence {letter} about rain and garden number {letter * 30}" for letter in "abcdef"
)


def test_what_became_a_moment_or_a_fact_is_told_before_what_says_more() -> None:
    plain = _quote(*_LONG)
    assert [one[9] for one in plain] == ["a", "b", "c", "d", "e"]
    fact = _fact("x", type=FactType.PREFERENCE, message_ids=("m5",))
    assert [one[9] for one in _quote(*_LONG, facts=[fact])] == ["a", "b", "c", "d", "f"]
    moment = Moment("fight", "x", _AT, message_ids=("m4",))
    assert [one[9] for one in _quote(*_LONG, moments=[moment])][-1] == "e"


def test_short_words_and_questions_are_told_last() -> None:
    question = f"why does it rain in the garden {'g' * 40}?"
    assert [one[:8] for one in _quote(question, *_LONG[:5])] == ["sentence"] * 5
    assert [one[:8] for one in _quote("x" * 70, *_LONG[:5])] == ["sentence"] * 5


def test_a_long_sentence_is_cut_and_a_summary_has_its_length() -> None:
    for length, told in ((70, "x" * 70), (71, "x" * 69 + "…")):
        assert _quote("x" * length) == [f"{told}”"]
    # "Min told me this: " are 18 of 400 characters; a quotation takes 3 more than its words.
    words = [f"{n}{'x' * 69}"[:70] for n in range(5)]
    assert len(_quote(*words, "y" * (400 - 18 - 5 * 73 - 3))) == 6
    assert len(_quote(*words, "y" * (400 - 18 - 5 * 73 - 2))) == 5


@pytest.mark.parametrize(
    ("text", "emotion"),
    [
        ("I am nervous and scared but happy", "nerves"),
        ("I am happy, so happy, and sad", "joy"),
        ("he is mad and angry", "hurt"),
        ("my dog died, yay happy excited", "sadness"),
        ("I borrowed a book", ""),
        ("너무 떨려", "긴장"),
        ("할머니가 돌아가셨어 축하 좋아 행복", "슬픔"),
    ],
)
def test_the_feeling_of_a_span_is_the_most_frequent_and_grief_first(
    text: str, emotion: str
) -> None:
    episode = _tell(text)
    assert episode.emotion == emotion
    assert (" It sounded like " in episode.text) == bool(emotion and emotion.isascii())


def test_what_is_ahead_is_left_open_and_three_of_it() -> None:
    today = _AT.date().isoformat()
    before = (_AT - timedelta(days=1)).date().isoformat()
    facts = [
        _fact("past", day=before),
        _fact("today", day=today),
        _fact("someday"),
        _fact("ended", until=_AT),
        _fact("taste", type=FactType.PREFERENCE),
        _fact("thought", type=FactType.PREFERENCE, is_idea=True),
        _fact("elsewhere", message_ids=("other",)),
        _fact("today", born="again"),
    ]
    episode = _tell("I have things to do", facts=facts)
    assert episode.open_topics == ("today", "someday", "thought")
    assert episode.text.endswith("Next time I want to hear more of today.")
    many = [_fact(f"plan {n}") for n in range(4)]
    assert len(_tell("x", facts=many).open_topics) == 3


def test_the_moments_of_a_span_are_named() -> None:
    here, there = (Moment("fight", name, _AT, message_ids=(name,)) for name in ("m0", "m9"))
    assert list_key_moments([here, there], ["m0", "m1"]) == ("m0",)


def _episode(number: int, text: str = "x", **more: Any) -> Episode:
    start = _AT + timedelta(days=number)
    ids = more.pop("ids", (f"e{number}",))
    return Episode(text, start, start, len(ids), message_ids=ids, **more)


def test_the_least_worth_neighbours_are_merged_and_marked_ones_stay() -> None:
    rows = [_episode(n) for n in range(4)]
    fact = _fact("x", message_ids=("e0", "e1", "none"))
    kept = limit_episodes(3, rows, [fact], [])
    assert [one.message_ids for one in kept] == [("e0",), ("e1",), ("e2", "e3")]
    moment = Moment("fight", "x", _AT, intensity=0.9, message_ids=("e3",))
    kept = limit_episodes(3, rows, [fact], [moment])
    assert [one.message_ids for one in kept] == [("e0",), ("e1", "e2"), ("e3",)]
    assert limit_episodes(3, rows, [], [])[0].message_ids == ("e0", "e1")
    assert len(limit_episodes(4, rows, [], [])) == 4
    assert len(limit_episodes(1, rows, [], [])) == len(limit_episodes(0, rows, [], [])) == 1
    marked = [_episode(0, is_important=True), _episode(1, is_edited=True), _episode(2)]
    assert len(limit_episodes(1, marked, [], [])) == 3
    many = [_episode(0, ids=tuple(f"a{n}" for n in range(9))), _episode(1), _episode(2)]
    assert limit_episodes(2, many, [], [])[1].messages == 2


def test_a_merged_episode_has_what_both_had() -> None:
    first = _episode(0, "Min: one.", topics=("a", "b", "c"), emotion="joy", key_moments=("k",))
    second = _episode(
        1,
        "Min: two.",
        topics=("c", "d", "e", "f"),
        emotion="hurt",
        open_topics=("o",),
        is_stale=True,
    )
    both = merged(first, second)
    assert both.text == "Min: one. two."
    assert both.topics == ("a", "b", "c", "d", "e")
    assert (both.emotion, both.key_moments, both.open_topics) == ("joy, hurt", ("k",), ("o",))
    assert (both.messages, both.is_stale, both.message_ids) == (2, True, ("e0", "e1"))
    assert not merged(first, first).is_stale
    assert merged(first, first).emotion == "joy"


def test_texts_are_merged_in_turns_and_one_is_cut_where_none_fits() -> None:
    def join(one: str, other: str) -> str:
        return merged(_episode(0, one), _episode(1, other)).text

    assert join("a / b", "c") == "a / b / c"
    long = "x" * 300 + "."
    assert join(f"Min: {long} y.", "z.") == f"Min: {long} y. z."
    cut = join(f"Min: {long}", "y" * 300)
    assert len(cut) <= 400
    assert cut.endswith("…")
    assert cut == f"Min: {long} {'y' * (400 - 5 - 302 - 2)}…"
    assert join("x" * 399, "y" * 20) == "x" * 399


def test_a_merged_episode_has_each_feeling_once_and_two_at_most() -> None:
    def feel(*emotions: str) -> str:
        joined = _episode(0, emotion=emotions[0])
        for number, emotion in enumerate(emotions[1:], 1):
            joined = merged(joined, _episode(number, emotion=emotion))
        return joined.emotion

    assert feel("joy", "hurt", "joy") == "joy, hurt"
    assert feel("joy", "", "hurt") == "joy, hurt"
    assert feel("joy", "hurt", "nerves", "sadness") == "joy, hurt"
    assert feel("", "") == ""
