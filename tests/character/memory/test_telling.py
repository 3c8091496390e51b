"""How each memory is told: plans by their day, what is unsure with its words, what is past as past."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gieok.character.facts import Episode, Fact, FactType, Moment
from gieok.character.memory.bearing import AskingMessage, rank_bearing
from gieok.character.memory.narrative import Narrative, NarrativeMemories, NarrativeView, narrative
from gieok.character.memory.recollection import RecallWeights
from gieok.character.memory.said_words import UserQuote
from gieok.model.conversation import Message, Role
from gieok.text.tokens import estimate_tokens

_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
_NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)


def _fact(predicate: str, value: str, kind: FactType = FactType.PREFERENCE, **more: Any) -> Fact:
    given: dict[str, Any] = {
        "subject": "user",
        "confidence": 0.9,
        "source": f"src {value}",
        "message_ids": ("m1",),
        **more,
    }
    return Fact(predicate=predicate, object=value, type=kind, at=_AT, **given)


def _plan(value: str, days: int, **more: Any) -> Fact:
    day = (_NOW.date() + timedelta(days=days)).isoformat()
    return _fact("plan", value, FactType.PLAN, day=day, **more)


def _tell_all(
    *facts: Fact,
    lang: str = "en",
    window: Sequence[Message] = (),
    memories: int = 5,
    budget: int = 2_000,
    **more: Any,
) -> Narrative:
    view = NarrativeView(lang, _NOW, UTC, window, memories)
    return narrative(NarrativeMemories(facts, **more), view, budget)


def _tell(*facts: Fact, **more: Any) -> str:
    """Return what is told, without the first line."""
    return "\n".join(_tell_all(*facts, **more).text.split("\n")[1:])


@pytest.mark.parametrize(
    ("days", "english", "korean"),
    [
        (-20, "20 days ago: dentist.", "20일 전: 치과가 있다고 했어 (“src 치과”)."),
        (-4, "4 days ago: dentist.", "4일 전: 치과가 있다고 했어 (“src 치과”)."),
        (
            -3,
            (
                "Three days ago: dentist, and we have not talked about how it went yet "
                "(said on March 2: “src dentist”)."
            ),
            (
                "사흘 전: 치과가 있다고 했는데, 어땠는지 아직 이야기하지 않았어 "
                "(3월 2일에 한 말: “src 치과”)."
            ),
        ),
        (
            -1,
            (
                "Yesterday: dentist, and we have not talked about how it went yet "
                "(said on March 2: “src dentist”)."
            ),
            (
                "어제: 치과가 있다고 했는데, 어땠는지 아직 이야기하지 않았어 "
                "(3월 2일에 한 말: “src 치과”)."
            ),
        ),
        (
            0,
            "Today: dentist (said on March 2: “src dentist”).",
            "오늘: 치과가 있다고 했어 (3월 2일에 한 말: “src 치과”).",
        ),
        (
            2,
            "In 2 days: dentist (said on March 2: “src dentist”).",
            "모레: 치과가 있다고 했어 (3월 2일에 한 말: “src 치과”).",
        ),
        (
            7,
            "In 7 days: dentist (said on March 2: “src dentist”).",
            "7일 뒤: 치과가 있다고 했어 (3월 2일에 한 말: “src 치과”).",
        ),
        (8, "In 8 days: dentist.", "8일 뒤: 치과가 있다고 했어 (“src 치과”)."),
    ],
)
def test_a_plan_is_told_by_its_day(days: int, english: str, korean: str) -> None:
    assert _tell(_plan("dentist", days, mentions=2, confidence=1.0)) == english
    assert _tell(_plan("치과", days), lang="ko") == korean


def test_a_plan_that_was_talked_about_since_is_not_asked_after() -> None:
    def say(text: str, days: int) -> str:
        said = Message("a", Role.USER, text, _NOW - timedelta(days=days))
        return _tell(_plan("dentist visit", -1), window=[said])

    over = "Yesterday: dentist visit, I think (“src dentist visit”)."
    assert say("the visit was fine", 0) == over
    assert say("the visit was fine", 1) == over
    for other in (say("the visit was fine", 2), say("the dentist was fine", 0)):
        assert "we have not talked about how it went yet" in other


def test_always_told_first_are_manners_and_near_plans_and_then_so_many_memories() -> None:
    facts = [_fact("likes", f"tea {n}", importance=n / 10, mentions=2) for n in range(8)]
    near, far = _plan("near", 7), _plan("far", 8, importance=0.0)
    for memories in (0, 2, 5):
        keys = _tell_all(*facts, far, near, _fact("name", "Mina"), memories=memories).keys
        assert len(keys) == 2 + memories
        assert [near.key in keys, far.key in keys] == [True, False]
    told = _tell(*facts, memories=1)
    assert "tea 7" in told
    recalled = _tell(*facts, memories=1, recalled=[facts[3].key, "gone"])
    assert "tea 3" in recalled
    idea = _plan("idea", 3, is_idea=True)
    assert _tell(idea) == "“idea”: only a thought so far."
    assert _tell(_plan("party", 3, until=_NOW)) == ""


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        (_fact("name", "Mina"), "The name is Mina, I think (“src Mina”)."),
        (_fact("name", "Mina", mentions=2), "The name is Mina."),
        (_fact("allergy", "nuts"), "There was talk of this, so take care: nuts (“src nuts”)."),
        (_fact("allergy", "nuts", by="x"), "this person must not eat or drink this: nuts."),
        (_fact("speech_level", "반말", mentions=2), "How I am to talk: 반말."),
        (_fact("name", "Ann", subject="friend", mentions=2), "The name is Ann."),
        (_fact("partner", "wife", mentions=2), "This person has a wife."),
        (_fact("partner", "single", mentions=2), "This person is single."),
        (_fact("roommate", "lives alone", mentions=2), "This person lives alone."),
        (_fact("likes", "tea", subject="mother", mentions=2), "This person's mother likes tea."),
        (_fact("likes", "tea", is_idea=True), "“tea”: only a thought so far."),
        (_fact("likes", "tea", until=_AT), ""),
        (_fact("likes", "tea", source=""), "This person likes tea, I think."),
        (
            _fact("likes", "tea", source="x " * 60),
            f"This person likes tea, I think (“{('x ' * 60)[:79]}…”).",
        ),
        (
            _fact("likes", "tea", source="x" * 80),
            f"This person likes tea, I think (“{'x' * 80}”).",
        ),
    ],
)
def test_a_fact_is_told_as_sure_as_it_is(fact: Fact, told: str) -> None:
    assert _tell(fact) == told


def test_what_is_past_is_told_as_past_where_it_is_recalled() -> None:
    def recall(fact: Fact) -> str:
        return _tell(fact, recalled=[fact.key])

    assert recall(_fact("likes", "tea", until=_NOW)) == "tea: given up since (March 20)."
    gone = _fact("likes", "tea", until=_NOW, replaced_by="x", mentions=2)
    assert recall(gone) == "This person used to like tea (until March 20)."
    alone = _fact("partner", "single", until=_NOW, replaced_by="x", mentions=2)
    assert recall(alone) == "There was nobody then (single) (until March 20)."
    idea = _fact("likes", "tea", until=_NOW, is_idea=True)
    assert recall(idea) == "“tea”: given up since."
    assert _tell(gone) == ""


def test_a_name_is_called_without_its_vocative() -> None:
    name = _fact("name", "김지수", mentions=2)
    called = _fact("address_form", "지수야", mentions=2)
    assert "지수를 '지수야' 하고" in _tell(name, called, lang="ko")
    assert "나는 김지수를" not in _tell(name, called, lang="ko")
    short = _fact("address_form", "은아", mentions=2)
    assert "은아를" in _tell(_fact("name", "은주", mentions=2), short, lang="ko")
    unsure = _tell_all(_fact("name", "Mina")).text.split("\n")[0]
    assert unsure == "This is what I remember of this person."
    others = _fact("name", "Mina", subject="friend", mentions=2)
    assert "this person" in _tell_all(others).text


def test_moments_talks_and_quotes_are_told_with_their_day() -> None:
    long = Moment("comfort", "x" * 81, _AT, character_emotion="warm")
    assert _tell(moments=(long,)) == (
        f"What this person said on March 2 has stayed with me: “{'x' * 79}…” What I felt: warm."
    )
    for moment in (
        Moment("fight", "told.", _AT, is_told=True),
        Moment("fight", "told", _AT, edits=("e",)),
    ):
        assert _tell(moments=(moment,)) == "I remember March 2: told."
    other = Moment("other", "x", _AT)
    assert _tell(moments=(other,)) == "On March 2 this happened between us: “x”"
    talk = Episode("a / b .", _AT, _AT, 2, message_ids=("m",))
    assert _tell(episodes=(talk,)) == "Around March 2: a. b."
    for length, shown in ((200, "y" * 200), (201, "y" * 199 + "…")):
        quote = UserQuote("k", "y" * length, "", _AT, "m1")
        assert _tell(quotes=(quote,)) == f"On March 2 this person said: “{shown}”"
    asked = UserQuote("k", "yes", "z" * 81, _AT, "m1")
    assert f"when I said “{'z' * 79}…”, this person said “yes”" in _tell(quotes=(asked,))


def test_a_quote_that_stands_beside_a_fact_is_not_told_again() -> None:
    fact = _fact("likes", "tea", source="I like tea")
    same = UserQuote("k", "I like tea", "", _AT, "m1")
    told = _tell_all(fact, quotes=(same,))
    assert told.text.count("I like tea") == 1
    assert (told.keys, told.quoted) == ((fact.key,), ())
    answer = same._replace(asked="what do you like?")
    assert _tell_all(fact, quotes=(answer,)).quoted == ("m1",)
    talk = Episode("“I like tea”", _AT, _AT, 2, message_ids=("m",))
    assert _tell_all(episodes=(talk,), quotes=(same,)).quoted == ("m1",)
    assert _tell_all(fact).now == "This person likes tea, I think."


def test_a_narrative_fits_its_budget_to_the_token() -> None:
    fact = _fact("likes", "tea", mentions=2)
    head = estimate_tokens("This is what I remember of this person.")
    line = estimate_tokens("This person likes tea.") + 1
    assert _tell(fact, budget=head + line) == "This person likes tea."
    assert _tell_all(fact, budget=head + line - 1) == Narrative()
    two = (fact, _fact("likes", "milk and honey and bread", importance=0.9, mentions=2))
    assert _tell(*two, budget=head + line) == "This person likes tea."


# What bears on a message.


@pytest.mark.parametrize(
    ("text", "fact", "share"),
    [
        ("what is my job?", _fact("job", "baker"), 0.7),
        ("is the baker in?", _fact("job", "baker"), 0.6),
        ("my job as a baker", _fact("job", "baker"), 1.0),
        ("hello there", _fact("job", "baker"), 0.0),
        ("what shall I eat?", _fact("dislikes", "liver"), 0.5),
        ("my mother called", _fact("job", "baker", subject="mother"), 0.6),
        ("what is my job?", _fact("job", "baker", until=_NOW), 0.7 * 0.4),
        ("what is my job?", _fact("job", "baker", is_idea=True), 0.7 * 0.4),
        ("what was my job before?", _fact("job", "baker", until=_NOW), 0.7),
        ("when is it?", _plan("exam", 3), 0.7),
        ("when is it?", _fact("plan", "exam", FactType.PLAN), 0.0),
    ],
)
def test_a_message_asks_for_a_fact_by_its_kind_its_words_or_an_occasion(
    text: str, fact: Fact, share: float
) -> None:
    assert AskingMessage.of(text).measure(fact) == pytest.approx(share)


def test_what_bears_on_a_message_is_ranked_and_what_does_not_is_left_out() -> None:
    job, tea = _fact("job", "baker"), _fact("likes", "tea")
    old = _fact("job", "nurse", until=_NOW, replaced_by=job.key)
    weights = RecallWeights()
    assert rank_bearing([tea, job], [], "what is my job?", weights, {}) == (job.key,)
    assert rank_bearing([tea], [], "hello there", weights, {}) == ()
    both = rank_bearing([old, job], [], "what is my job?", weights, {})
    assert both == (job.key, old.key)
    assert rank_bearing([old, job], [], "before I was a baker", weights, {old.key: 1.0}) == (
        old.key,
        job.key,
    )
