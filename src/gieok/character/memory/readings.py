"""What a model read in messages, as hidden messages of the journal.

A reading takes the place of what the rules found in its messages: what it does not confirm there
does not hold. The journal keeps it, so that it counts again whenever memory is formed again. The
newest reading of a message counts, and none from before the message was said anew.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from gieok.character.detect.detect import Finding
from gieok.character.facts import Fact, Moment, digest, same_value
from gieok.character.memory.decisions import AGENT
from gieok.model.conversation import Journalled, Message, Role

_READ = "read"
_FINDING_FIELDS = (
    "predicate", "object", "subject", "confidence", "subtype", "day", "is_idea", "is_change",
    "sentence",
)  # fmt: skip


class RevokedValue(NamedTuple):
    """Value that a model says never held; '' for any value of its slot."""

    subject: str
    predicate: str
    value: str = ""


class ReadMoment(NamedTuple):
    """Moment that a model named."""

    type: str
    description: str
    user_emotion: str = ""
    character_emotion: str = ""
    intensity: float = 0.5


class MessageReading(NamedTuple):
    """What a model read in one message.

    `unsettled` are slots of which the model gave no value that can be kept: there the rules stand.
    """

    findings: tuple[Finding, ...] = ()
    taken_back: tuple[RevokedValue, ...] = ()
    moments: tuple[ReadMoment, ...] = ()
    unsettled: tuple[tuple[str, str], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Return whether the model read nothing to keep."""
        return not any(self)


class SpanMood(NamedTuple):
    """What a span of messages was about, and what the user felt; '' for nothing in particular."""

    topics: tuple[str, ...] = ()
    emotion: str = ""


class SpanReading(NamedTuple):
    """What a model read in a span: each message that it read, and the span as a whole."""

    messages: Mapping[str, MessageReading]
    mood: SpanMood = SpanMood()
    model: str = ""

    @property
    def rows(self) -> int:
        """Return how many findings and moments there are."""
        return sum(len(one.findings) + len(one.moments) for one in self.messages.values())


def build_reading_messages(reading: SpanReading, at: datetime, number: str) -> list[Message]:
    """Return a reading as messages: one for each message with something in it, and two more.

    `number` tells it from other readings of the same moment.
    """
    empty = [identity for identity, one in reading.messages.items() if one.is_empty]
    records: list[dict[str, object]] = [{"of": empty}] if empty else []
    records += [
        _pack_reading(identity, one, reading.model)
        for identity, one in reading.messages.items()
        if not one.is_empty
    ]
    if any(reading.mood):
        mood = {"topics": reading.mood.topics, "emotion": reading.mood.emotion}
        records.append({"span": list(reading.messages), **mood})
    return [_build_record(record, at, f"{number} {n}") for n, record in enumerate(records)]


def find_message_readings(entries: Sequence[Journalled]) -> dict[str, MessageReading]:
    """Return the reading that counts of each message."""
    said = {one.message.id: one.seq for one in entries if one.message.agent != AGENT}
    found: dict[str, tuple[int, MessageReading]] = {}
    for entry, record in _iter_records(entries):
        reading = _unpack_reading(record)
        for identity in record.get("of", ()):
            if entry.seq > max(said.get(identity, 0), found.get(identity, (0,))[0]):
                found[identity] = (entry.seq, reading)
    return {identity: reading for identity, (_, reading) in found.items()}


def find_span_mood(entries: Sequence[Journalled], ids: Iterable[str]) -> SpanMood:
    """Return the mood of a span, by the newest reading that covers at least half of it."""
    wanted = frozenset(ids)
    for _, record in sorted(_iter_records(entries), key=lambda row: -row[0].seq):
        span = frozenset(record.get("span", ()))
        if 2 * len(span & wanted) >= max(len(wanted), 1):
            return SpanMood(tuple(record.get("topics", ())), record.get("emotion", ""))
    return SpanMood()


def list_readings_about(entries: Sequence[Journalled], identity: str) -> list[int]:
    """Return the numbers of the readings that tell what a message says."""
    return [
        entry.seq
        for entry, record in _iter_records(entries)
        if identity in record.get("span", ()) or record.get("of") == [identity]
    ]


def build_cleaned_reading(
    entries: Sequence[Journalled], identity: str, gone: Fact | Moment, at: datetime
) -> list[Message]:
    """Return the reading of a message without what made a memory; [] where it did not make it."""
    reading = find_message_readings(entries).get(identity)
    if reading is None:
        return []
    if isinstance(gone, Fact):
        cleaned = reading._replace(
            findings=tuple(
                one
                for one in reading.findings
                if (one.subject, one.predicate, same_value(one.object))
                != (gone.subject, gone.predicate, same_value(gone.said))
            )
        )
    else:
        moments = tuple(one for one in reading.moments if one.type != gone.type)
        cleaned = reading._replace(moments=moments)
    if cleaned == reading:
        return []
    model = next((one.by for one in reading.findings), "")
    anew = SpanReading({identity: cleaned}, model=model)
    return build_reading_messages(anew, at, f"cleaned {gone.key}")


def is_revoked(fact: Fact, taken: RevokedValue) -> bool:
    """Return whether a model takes a fact back; never what a person set."""
    value = same_value(taken.value)
    is_meant = (fact.subject, fact.predicate) == (taken.subject, taken.predicate)
    return is_meant and not fact.is_set and (not value or value == same_value(fact.object))


def begin_read_moments(reading: MessageReading, identity: str, at: datetime) -> list[Moment]:
    """Return the moments that begin with a message, as a model named them."""
    return [
        Moment(
            type=one.type,
            text=one.description,
            at=at,
            emotions=(one.user_emotion,) if one.user_emotion else (),
            intensity=one.intensity,
            message_ids=(identity,),
            character_emotion=one.character_emotion,
            is_told=True,
        )
        for one in reading.moments
    ]


def _pack_reading(identity: str, reading: MessageReading, model: str) -> dict[str, object]:
    facts = [{name: getattr(one, name) for name in _FINDING_FIELDS} for one in reading.findings]
    return {
        "of": [identity],
        "model": model,
        "facts": facts,
        "back": reading.taken_back,
        "moments": reading.moments,
        "open": reading.unsettled,
    }


def _unpack_reading(record: Mapping[str, Any]) -> MessageReading:
    model = record.get("model", "")
    return MessageReading(
        findings=tuple(Finding(**row, by=model) for row in record.get("facts", ())),
        taken_back=tuple(RevokedValue(*row) for row in record.get("back", ())),
        moments=tuple(ReadMoment(*row) for row in record.get("moments", ())),
        unsettled=tuple((subject, predicate) for subject, predicate in record.get("open", ())),
    )


def _build_record(record: Mapping[str, object], at: datetime, number: str) -> Message:
    text = json.dumps({"do": _READ, **record})
    identity = digest(f"{at.isoformat()}\0{number}\0{text}")
    return Message(
        id=identity, role=Role.TOOL, text=text, at=at, session=AGENT, agent=AGENT, tokens=1
    )


def _iter_records(
    entries: Sequence[Journalled],
) -> Iterable[tuple[Journalled, Mapping[str, Any]]]:
    """Yield the hidden messages that hold readings, with their content."""
    for entry in entries:
        if entry.message.agent == AGENT and entry.message.text.startswith(f'{{"do": "{_READ}"'):
            yield entry, json.loads(entry.message.text)
