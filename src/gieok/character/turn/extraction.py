"""What a model reads in messages, and its summaries, checked row by row.

A model's reading takes the place of what the rules found in the messages that it read. The rules
have read every message already. A model reads the messages that it has not read yet, every few
messages of the user, and all messages that are about to be summarised. Where the model fails, the
findings and the summary of the rules stand.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, tzinfo
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from gieok.character.detect.detect import Finding
from gieok.character.facts import CHARACTER, USER, Fact
from gieok.character.memory.episodes import MOST_OPEN, MOST_TOPICS
from gieok.character.memory.fact_merge import is_valid
from gieok.character.memory.readings import (
    MessageReading,
    ReadMoment,
    RevokedValue,
    SpanMood,
    SpanReading,
)
from gieok.character.predicates import PLANS, PREDICATES
from gieok.errors import DegenerateOutput
from gieok.flow.generate import Asker
from gieok.model.conversation import Journalled, Role
from gieok.ports.models import Prompt
from gieok.text.degenerate import is_degenerate
from gieok.text.language import detect_text_language
from gieok.text.numerals import find_numbers

_MOST_FACTS = 60
_MOST_KNOWN = 80
_MESSAGE_CHARS = 4_000
_ANSWER_TOKENS = 2_000
_SUMMARY_TOKENS = 500
_MOST_SUBJECT = 40
#: Messages before one in which its numbers may stand.
_LATELY = 6
_MOST_DESCRIPTION, _MOST_EMOTION, _MOST_TOPIC = 160, 20, 30
_MOMENT_TYPE = re.compile(r"[a-z][a-z_]{1,39}")
#: Predicates whose values are in Gieok's own words, not in words of the message.
_OWN_WORDS = frozenset(("speech_level", "partner", "marital_status", "age", "school_year"))
_WORD = re.compile(r"[가-힣]{2,}|[A-Za-z]{3,}|\d+")
_FENCE = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)
_FIRST_PERSON = {
    "ko": re.compile(r"나[는도를의와랑한]?|내|우리|저[는도를의]?|제"),
    "en": re.compile(r"\b(?:I|me|my|we|our|us)\b"),
}
_REFUSAL = re.compile(
    r"as an ai\b|i(?:'m| am) sorry, (?:but )?i can|language model|인공지능 모델|언어 모델|도와드릴 수 없",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…~](?=\s|$)")
_LANGUAGES = {"ko": "Korean", "en": "English"}
_MOST_REPEATED = 0.5
_FEW_WORDS = 8


class Speakers(NamedTuple):
    """Names of the two speakers, and the time zone in which days are counted."""

    name: str
    who: str
    zone: tzinfo


@cache
def read_prompt_template(name: str) -> str:
    """Return a prompt template of this rib."""
    return (
        files("gieok.character.turn").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    )


@cache
def build_reading_schema() -> str:
    """Return the JSON Schema of a model's answer."""
    number, text = {"type": "integer"}, {"type": "string"}
    kind = {"type": "string", "enum": sorted(PREDICATES)}
    slot = {"message": number, "about": text, "predicate": kind, "value": text}
    truth = {"type": "boolean"}
    fact = {
        **slot,
        "day": text,
        "certain": truth,
        "change": truth,
        "confidence": {"type": "number"},
    }
    moment = {
        "message": number,
        "type": text,
        "description": text,
        "user_emotion": text,
        "character_emotion": text,
        "intensity": {"type": "number"},
    }
    fields: dict[str, object] = {
        name: {"type": "array", "items": _build_object_schema(row)}
        for name, row in (("facts", fact), ("taken_back", slot), ("emotional_events", moment))
    }
    names: dict[str, object] = {"type": "array", "items": text}
    mood = {"topics": names, "open_topics": names, "user_emotion": text}
    return json.dumps(_build_object_schema({**fields, **mood}))


def _build_object_schema(fields: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": fields,
        "required": sorted(fields),
        "additionalProperties": False,
    }


def ask_span_reading(
    asker: Asker,
    span: Sequence[Journalled],
    held: Sequence[Fact],
    who: Speakers,
    *,
    is_precise: bool,
) -> SpanReading:
    """Return what a model reads in a span. Raises GeneratorFailed.

    It is told what was known before the span, and what the rules read in it, to be confirmed.
    """
    rows = "\n".join(
        f"{name} {'=' if row.is_single else ' '} ({row.type.value})"
        for name, row in PREDICATES.items()
    )
    system = read_prompt_template("extractor").replace("{predicates}", rows) + (
        read_prompt_template("precise") if is_precise else ""
    )
    place = {entry.message.id: number for number, entry in enumerate(span, 1)}
    current = [fact for fact in held if fact.is_current and not fact.is_idea]
    known = [_format_known_fact(fact) for fact in current if fact.born not in place]
    by_rules = [
        f"[{place[fact.born]}] {_format_known_fact(fact)}" for fact in current if fact.born in place
    ]
    text = "\n".join(
        (
            "Known from before:",
            *(known[-_MOST_KNOWN:] or ["nothing"]),
            "",
            "Read by rules in this conversation, to be confirmed:",
            *(by_rules[-_MOST_KNOWN:] or ["nothing"]),
            "",
            "Conversation:",
            _number_span_lines(span, who),
        )
    )
    model = asker.generator.model
    return asker.ask(
        Prompt(system, text, 0.0, _ANSWER_TOKENS, schema=build_reading_schema()),
        lambda answer: parse_span_reading(answer, span, model),
    )


def _format_known_fact(fact: Fact) -> str:
    return f"- {fact.subject} {fact.predicate}: {fact.object}"


def parse_span_reading(answer: str, span: Sequence[Journalled], model: str) -> SpanReading:
    """Return what an answer says of a span, of which only what may be kept.

    Raises DegenerateOutput for an answer of another form.
    """
    fenced = _FENCE.match(answer.strip())
    try:
        whole = json.loads(fenced[1] if fenced else answer)
        rows = whole["facts"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DegenerateOutput("{model} gave no JSON of facts", model=model) from error
    if not isinstance(rows, list) or len(rows) > _MOST_FACTS:
        raise DegenerateOutput(
            "{model} gave no list of at most {most} facts", model=model, most=_MOST_FACTS
        )
    messages = {entry.message.id: MessageReading() for entry in span}
    for place, row in _iter_placed_rows(rows, span):
        identity = span[place].message.id
        messages[identity] = _add_fact_row(messages[identity], row, span, place, model)
    for place, row in _iter_placed_rows(whole.get("taken_back"), span):
        identity, one = span[place].message.id, messages[span[place].message.id]
        if taken := _parse_taken_back(row):
            messages[identity] = one._replace(taken_back=(*one.taken_back, taken))
    for place, row in _iter_placed_rows(whole.get("emotional_events"), span):
        identity, one = span[place].message.id, messages[span[place].message.id]
        if moment := _parse_moment(row):
            messages[identity] = one._replace(moments=(*one.moments, moment))
    return SpanReading(messages, _parse_mood(whole), model)


def _iter_placed_rows(
    rows: object, span: Sequence[Journalled]
) -> Iterator[tuple[int, Mapping[str, object]]]:
    """Yield rows with the place of their message in the span; rows without one are left out.

    A row names its message by number, or by words that stand in it.
    """
    for row in rows[:_MOST_FACTS] if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        number = row.get("message")
        if isinstance(number, int) and 1 <= number <= len(span):
            yield number - 1, row
            continue
        quote = _collapse_answer_spaces(row.get("source_text"))
        texts = (" ".join(entry.message.text.split()) for entry in span)
        place = next((n for n, text in enumerate(texts) if quote and quote in text), None)
        if place is not None and number is None:
            yield place, row


def _add_fact_row(
    reading: MessageReading,
    row: Mapping[str, object],
    span: Sequence[Journalled],
    place: int,
    model: str,
) -> MessageReading:
    """Return a reading with a row of facts, or with its slot left open for the rules."""
    finding = _build_model_finding(row, span, place, model)
    if finding is None:
        return reading
    if _is_grounded(finding, span, place):
        is_kept = is_valid(finding)
        return reading._replace(findings=(*reading.findings, finding)) if is_kept else reading
    slot = (finding.subject, finding.predicate)
    return reading._replace(unsettled=(*reading.unsettled, slot))


def _parse_taken_back(row: Mapping[str, object]) -> RevokedValue | None:
    predicate, subject = _read_predicate(row), _read_subject(row)
    value = _collapse_answer_spaces(row.get("value"))
    return RevokedValue(subject, predicate, value) if predicate in PREDICATES and subject else None


def _parse_moment(row: Mapping[str, object]) -> ReadMoment | None:
    """Return a moment of an answer; None for one without a type or a description."""
    kind = _collapse_answer_spaces(row.get("type")).lower().replace(" ", "_")
    description = _collapse_answer_spaces(row.get("description"))
    if not _MOMENT_TYPE.fullmatch(kind) or not description or is_degenerate(description):
        return None
    return ReadMoment(
        type=kind,
        description=description[:_MOST_DESCRIPTION],
        user_emotion=_collapse_answer_spaces(row.get("user_emotion"))[:_MOST_EMOTION],
        character_emotion=_collapse_answer_spaces(row.get("character_emotion"))[:_MOST_EMOTION],
        intensity=_read_share(row.get("intensity"), 0.5),
    )


def _parse_mood(whole: Mapping[str, object]) -> SpanMood:
    return SpanMood(
        topics=_parse_topics(whole.get("topics"))[:MOST_TOPICS],
        emotion=_collapse_answer_spaces(whole.get("user_emotion"))[:_MOST_EMOTION],
        open_topics=_parse_topics(whole.get("open_topics"))[:MOST_OPEN],
    )


def _parse_topics(rows: object) -> tuple[str, ...]:
    texts = map(_collapse_answer_spaces, rows) if isinstance(rows, list) else ()
    return tuple(dict.fromkeys(text.replace(",", " ")[:_MOST_TOPIC] for text in texts if text))


def ask_span_summary(
    asker: Asker, span: Sequence[Journalled], who: Speakers, most_chars: Mapping[str, int]
) -> str:
    """Return a model's summary of a span in the character's first person.

    Raises GeneratorFailed.
    """
    lang = detect_text_language(
        " ".join(entry.message.text for entry in span if entry.message.role is Role.USER)
    )
    fields = {
        "name": who.name,
        "who": who.who,
        "language": _LANGUAGES[lang],
        "limit": str(most_chars[lang]),
    }
    system = re.sub(r"\{(\w+)\}", lambda field: fields[field[1]], read_prompt_template("summary"))
    prompt = Prompt(system, _number_span_lines(span, who), 0.3, _SUMMARY_TOKENS)
    return asker.ask(prompt, lambda answer: fitting(answer, lang, most_chars[lang]))


def fitting(answer: str, lang: str, most_chars: int) -> str:
    """Return a summary in whole sentences within its length.

    Raises DegenerateOutput for a summary that cannot be used.
    """
    text = " ".join(answer.strip().strip("\"'“”").split())
    if len(text) > most_chars:
        ends = [end.end() for end in _SENTENCE_END.finditer(text) if end.end() <= most_chars]
        text = text[: ends[-1]] if ends else ""
    words = text.casefold().split()
    is_repeated = len(words) >= _FEW_WORDS and len(set(words)) < _MOST_REPEATED * len(words)
    if not text or is_repeated or is_degenerate(answer) or _REFUSAL.search(text):
        raise DegenerateOutput("the summary is empty, too long, repeats itself, or is none")
    if detect_text_language(text) != lang or not _FIRST_PERSON[lang].search(text):
        raise DegenerateOutput("the summary is in another language, or not in the first person")
    return text


def _build_model_finding(
    row: Mapping[str, object], span: Sequence[Journalled], place: int, model: str
) -> Finding | None:
    """Return the finding of a row; None for a row that is about nobody, or another speaker's."""
    message = span[place].message
    predicate, subject = _read_predicate(row), _read_subject(row)
    is_users = message.role is Role.USER
    if predicate not in PREDICATES or not subject or is_users == (subject == CHARACTER):
        return None
    quote = _collapse_answer_spaces(row.get("source_text"))
    return Finding(
        predicate=predicate,
        object=_collapse_answer_spaces(row.get("value")),
        sentence=quote if quote and quote in message.text else message.text,
        subject=subject,
        confidence=_read_share(row.get("confidence"), 0.0),
        subtype="",
        day=_parse_plan_day(row, predicate),
        is_idea=row.get("certain") is False,
        is_change=row.get("change") is True,
        by=model,
    )


def _read_predicate(row: Mapping[str, object]) -> str:
    """Return the predicate of a row, or the second half of its type, such as personal.birthday."""
    named = _collapse_answer_spaces(row.get("predicate"))
    return named or _collapse_answer_spaces(row.get("type")).rpartition(".")[2]


def _read_subject(row: Mapping[str, object]) -> str:
    """Return whom a row is about, the user where it does not say; '' for too long a name."""
    subject = _collapse_answer_spaces(row.get("about", USER))
    subject = {"user": USER, "character": CHARACTER}.get(subject.lower(), subject)
    return subject if len(subject) <= _MOST_SUBJECT else ""


def _read_share(value: object, default: float) -> float:
    """Return a number of an answer, from 0 to 1."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return default
    return float(min(max(value, 0), 1))


def _is_grounded(finding: Finding, span: Sequence[Journalled], place: int) -> bool:
    """Return whether a value stands in its message, or in the message that it answers.

    A model may not add anything of its own, but write numbers otherwise: 6월 12일 for 유월 열이틀. A
    number may stand in one of the last messages: "in March", "the 15th".
    """
    value = finding.object
    if finding.predicate in _OWN_WORDS:
        return bool(value)
    before = span[place - 1].message.text if place else ""
    text = f"{before} {span[place].message.text}".casefold()
    words = _WORD.findall(value.casefold()) or [value.casefold()]
    lately = " ".join(entry.message.text for entry in span[max(place - _LATELY, 0) : place + 1])
    stated = {int(word) for word in words if word.isdecimal()}
    if stated and not stated <= find_numbers(lately):
        return False
    held = sum(word.isdecimal() or word in text or word[:2] in text for word in words)
    return bool(value) and 2 * held >= len(words)


def _parse_plan_day(row: Mapping[str, object], predicate: str) -> str:
    if predicate not in PLANS:
        return ""
    try:
        return date.fromisoformat(_collapse_answer_spaces(row.get("day"))).isoformat()
    except ValueError:
        return ""


def _collapse_answer_spaces(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _number_span_lines(span: Sequence[Journalled], who: Speakers) -> str:
    """Return a span as numbered lines."""
    lines = []
    for number, entry in enumerate(span, 1):
        at = entry.message.at.astimezone(who.zone)
        speaker = "user" if entry.message.role is Role.USER else "character"
        text = " ".join(entry.message.text[:_MESSAGE_CHARS].split())
        lines.append(f"[{number}] {at:%Y-%m-%d %a %H:%M} {speaker}: {text}")
    return "\n".join(lines)
