"""What a model read in messages, as hidden messages of the journal.

A reading takes the place of what the rules found in its messages: what it does not confirm there
does not hold. The journal keeps it, so that it counts again whenever memory is formed again. The
newest reading of a message counts, and none from before the message was said anew.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    """What a span of messages was about, and what the user felt; '' for nothing in particular.

    `open_topics` are what is left to talk about next time.
    """

    topics: tuple[str, ...] = ()
    emotion: str = ""
    open_topics: tuple[str, ...] = ()


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
        records.append({"span": list(reading.messages), **reading.mood._asdict()})
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
            return _unpack_mood(record)
    return SpanMood()


def _unpack_mood(record: Mapping[str, Any]) -> SpanMood:
    return SpanMood(
        topics=tuple(record.get("topics", ())),
        emotion=record.get("emotion", ""),
        open_topics=tuple(record.get("open_topics", ())),
    )


def list_readings_about(entries: Sequence[Journalled], identity: str) -> list[int]:
    """Return the numbers of the readings that tell what a message says."""
    return [
        entry.seq
        for entry, record in _iter_records(entries)
        if identity in record.get("span", ()) or record.get("of") == [identity]
    ]


class CleanedReadings(NamedTuple):
    """Readings without what made a memory, and the numbers of the readings that told it."""

    anew: tuple[Message, ...] = ()
    stale: tuple[int, ...] = ()


def clean_readings(
    entries: Sequence[Journalled], gone: Sequence[Fact | Moment], at: datetime
) -> CleanedReadings:
    """Return the readings of a memory's messages without the memory.

    `gone` are the versions of the memory. Older readings of the same messages are stale too.
    """
    told = _GoneWords.of(gone)
    anew: list[Message] = []
    stale: list[int] = []
    counting = find_message_readings(entries)
    for entry, record in _iter_records(entries):
        number = f"cleaned {entry.seq}"
        if told.messages.isdisjoint((*record.get("of", ()), *record.get("span", ()))):
            continue
        if "span" in record:
            mood = _unpack_mood(record)
            kept = told.remove_from_mood(mood)
            if kept != mood:
                stale.append(entry.seq)
                anew.append(_build_record({"span": record["span"], **kept._asdict()}, at, number))
            continue
        reading = _unpack_reading(record)
        cleaned = told.remove_from(reading)
        if cleaned != reading:
            stale.append(entry.seq)
            anew += [
                _build_record(_pack_reading(identity, cleaned, record.get("model", "")), at, number)
                for identity in record["of"]
                if counting.get(identity) == reading
            ]
    return CleanedReadings(tuple(anew), tuple(stale))


def _iter_with_slips(fact: Fact) -> Iterator[Fact]:
    """Yield a fact and all slips that it corrected, also those that a slip corrected."""
    yield fact
    for slip in fact.slips:
        yield from _iter_with_slips(slip)


class _GoneWords(NamedTuple):
    """Values, types of moments and messages of a memory that is to be gone."""

    messages: frozenset[str]
    values: frozenset[tuple[str, str, str]]
    types: frozenset[str]

    @classmethod
    def of(cls, gone: Sequence[Fact | Moment]) -> "_GoneWords":
        """Return what the versions of a memory, and the slips that they corrected, say."""
        facts = [fact for one in gone if isinstance(one, Fact) for fact in _iter_with_slips(one)]
        messages = {identity for one in gone for identity in one.message_ids}
        messages |= {identity for one in facts for identity in (*one.message_ids, one.ended_by)}
        return cls(
            messages=frozenset(messages - {""}),
            values=frozenset(
                (one.subject, one.predicate, same_value(said))
                for one in facts
                for said in (one.said, one.object)
            ),
            types=frozenset(one.type for one in gone if isinstance(one, Moment)),
        )

    def remove_from_mood(self, mood: SpanMood) -> SpanMood:
        """Return a span's mood without topics that name a value of the memory."""
        words = {value for _, _, value in self.values}
        return mood._replace(
            topics=tuple(one for one in mood.topics if same_value(one) not in words),
            open_topics=tuple(one for one in mood.open_topics if same_value(one) not in words),
        )

    def remove_from(self, reading: MessageReading) -> MessageReading:
        """Return a reading without the memory."""
        return reading._replace(
            findings=tuple(
                one
                for one in reading.findings
                if (one.subject, one.predicate, same_value(one.object)) not in self.values
            ),
            taken_back=tuple(
                one
                for one in reading.taken_back
                if (one.subject, one.predicate, same_value(one.value)) not in self.values
            ),
            moments=tuple(one for one in reading.moments if one.type not in self.types),
        )


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
