"""Which reading of a message counts, and what is taken out of readings."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from gieok.character.detect.detect import Finding
from gieok.character.facts import PERSON, Fact, FactType, LearnedFact, Moment
from gieok.character.memory.readings import (
    MessageReading,
    ReadMoment,
    RevokedValue,
    SpanMood,
    SpanReading,
    begin_read_moments,
    build_reading_messages,
    clean_readings,
    find_message_readings,
    find_span_mood,
    is_revoked,
    list_messages,
    list_readings_about,
)
from gieok.model.conversation import Journalled, Message, Role

_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


def _read(value: str) -> MessageReading:
    return MessageReading((Finding("job", value, value),))


def _fact(value: str, **more: Any) -> Fact:
    given: dict[str, Any] = {"message_ids": ("m1",), **more}
    return Fact(
        subject="user",
        predicate="job",
        object=value,
        type=FactType.PERSONAL,
        at=_AT,
        confidence=0.9,
        **given,
    )


def _journal(*spans: SpanReading | str) -> list[Journalled]:
    """Return entries in order: a text is a message said, the others are readings."""
    messages: list[Message] = []
    for number, span in enumerate(spans):
        if isinstance(span, str):
            messages.append(Message(span, Role.USER, span, _AT))
        else:
            messages += build_reading_messages(span, _AT, str(number))
    return [Journalled(n + 1, message) for n, message in enumerate(messages)]


def _span(mood: SpanMood | None = None, **readings: MessageReading) -> SpanReading:
    return SpanReading(readings, mood or SpanMood(), "a model")


def test_the_newest_reading_counts_and_none_from_before_the_message_was_said_anew() -> None:
    first, second = _span(m1=_read("baker")), _span(m1=_read("nurse"))

    def find(*entries: SpanReading | str) -> list[str]:
        found = find_message_readings(_journal(*entries))
        return [one.object for one in found["m1"].findings] if "m1" in found else []

    assert find("m1", first) == ["baker"]
    assert find("m1", first, second) == ["nurse"]
    assert find("m1", first, "m1") == []
    assert find("m1", first, "m1", second) == ["nurse"]
    assert find("m1", first, "m2") == ["baker"]
    assert find("m1", first, _span(m1=MessageReading())) == []


def test_a_reading_is_one_message_for_each_that_says_something_and_one_for_the_rest() -> None:
    mood = SpanMood(("t",), "joy", ("o",))
    reading = _span(mood, m1=_read("baker"), m2=MessageReading(), m3=MessageReading())
    assert len(build_reading_messages(reading, _AT, "1")) == 3
    assert len(build_reading_messages(_span(m1=_read("baker")), _AT, "1")) == 1
    assert build_reading_messages(_span(), _AT, "1") == []
    assert reading.rows == 1
    moments = (ReadMoment("fight", "d"),)
    assert _span(m1=_read("x")._replace(moments=moments)).rows == 2
    entries = _journal("m1", "m2", "m3", reading)
    assert len(list_readings_about(entries, "m1")) == 2
    assert len(list_readings_about(entries, "m2")) == 1
    assert find_message_readings(entries)["m2"] == MessageReading()


def test_a_mood_counts_where_its_reading_covers_half_of_the_span() -> None:
    old = _span(SpanMood(("old",)), m1=_read("a"), m2=_read("b"))
    new = _span(SpanMood(("new",)), m1=_read("a"))
    entries = _journal("m1", "m2", "m3", old, new)
    assert find_span_mood(entries, ["m1", "m2"]).topics == ("new",)
    assert find_span_mood(entries, ["m1", "m2", "m3"]).topics == ("old",)
    assert find_span_mood(entries, ["m2"]).topics == ("old",)
    assert find_span_mood(entries, ["m3"]) == SpanMood()
    assert find_span_mood(entries, []) == SpanMood()


@pytest.mark.parametrize(
    ("fact", "taken", "is_gone"),
    [
        (_fact("baker"), RevokedValue("user", "job", "Baker!"), True),
        (_fact("baker"), RevokedValue("user", "job"), True),
        (_fact("baker"), RevokedValue("user", "job", "nurse"), False),
        (_fact("baker"), RevokedValue("user", "name"), False),
        (_fact("baker"), RevokedValue("friend", "job"), False),
        (_fact("baker", by=PERSON), RevokedValue("user", "job"), False),
    ],
)
def test_a_model_takes_back_a_value_of_its_slot_and_nothing_that_a_person_set(
    fact: Fact, taken: RevokedValue, is_gone: bool
) -> None:
    assert is_revoked(fact, taken) is is_gone


def test_a_moment_of_a_reading_begins_as_the_model_named_it() -> None:
    plain, full = ReadMoment("fight", "they fought"), ReadMoment("joy", "d", "joy", "warm", 0.9)
    first, second = begin_read_moments(MessageReading(moments=(plain, full)), "m1", _AT)
    assert (first.emotions, first.intensity, first.is_told) == ((), 0.5, True)
    assert (second.emotions, second.character_emotion, second.intensity) == (("joy",), "warm", 0.9)
    assert (first.text, first.message_ids) == ("they fought", ("m1",))


def test_what_made_a_memory_is_taken_out_of_the_readings_of_its_messages() -> None:
    gone = _fact("nurse", learned=LearnedFact("baker", "", 0.5))
    moment = Moment("fight", "x", _AT, message_ids=("m1",))
    both = MessageReading(
        (Finding("job", "baker", "x"), Finding("job", "cook", "x"), Finding("name", "baker", "x")),
        (RevokedValue("user", "job", "Nurse"), RevokedValue("user", "job", "pilot")),
        (ReadMoment("fight", "d"), ReadMoment("joy", "d")),
    )
    mood = SpanMood(("a baker's day", "rain"), "joy", ("nurse school", "sun"))
    entries = _journal("m1", "m2", _span(mood, m1=both), _span(m2=_read("baker")))
    cleaned = clean_readings(entries, [gone, moment], _AT)
    assert cleaned.stale == (3, 4)
    after = [*entries, *(Journalled(9 + n, one) for n, one in enumerate(cleaned.anew))]
    left = find_message_readings(after)
    assert [(one.predicate, one.object) for one in left["m1"].findings] == [
        ("job", "cook"),
        ("name", "baker"),
    ]
    assert [one.value for one in left["m1"].taken_back] == ["pilot"]
    assert [one.type for one in left["m1"].moments] == ["joy"]
    assert [one.object for one in left["m2"].findings] == ["baker"]
    found = find_span_mood(after, ["m1"])
    assert (found.topics, found.open_topics) == (("rain",), ("sun",))
    assert clean_readings(entries, [_fact("pilot", message_ids=("m9",))], _AT) == ((), ())


def test_an_older_reading_is_stale_and_only_the_one_that_counts_is_said_anew() -> None:
    entries = _journal("m1", _span(m1=_read("baker")), _span(m1=_read("nurse")))
    cleaned = clean_readings(entries, [_fact("baker")], _AT)
    assert (cleaned.stale, cleaned.anew) == ((2,), ())
    newest = clean_readings(entries, [_fact("nurse")], _AT)
    assert (newest.stale, len(newest.anew)) == ((3,), 1)


def test_the_messages_of_a_memory_are_those_of_its_slips_too() -> None:
    deep = _fact("a", message_ids=("m3",))
    slip = _fact("b", message_ids=("m2",), slips=(deep,), ended_by="m4")
    fact = replace(_fact("c"), slips=(slip,))
    moment = Moment("fight", "x", _AT, message_ids=("m5",))
    assert list_messages([fact, moment]) == {"m1", "m2", "m3", "m4", "m5"}
