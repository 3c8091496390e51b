"""Findings and summaries of a model, checked row by row.

A model's findings are joined by the same rules as the findings of rules. The rules have read every
message already. A model reads the messages that it has not read yet, every few messages of the
user, and all messages that are about to be summarised. Where the model fails, the findings and the
summary of the rules stand.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date, tzinfo
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from gieok.character.detect.detect import Finding
from gieok.character.facts import CHARACTER, USER, Fact
from gieok.character.memory.fact_merge import is_valid
from gieok.character.predicates import PLANS, PREDICATES
from gieok.errors import DegenerateOutput
from gieok.flow.generate import Asker
from gieok.model.conversation import Journalled, Message, Role
from gieok.ports.models import Prompt
from gieok.text.degenerate import is_degenerate
from gieok.text.language import detect_text_language

_MOST_FACTS = 60
_MOST_KNOWN = 80
_MESSAGE_CHARS = 4_000
_ANSWER_TOKENS = 2_000
_SUMMARY_TOKENS = 500
_MOST_SUBJECT = 40
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
def build_fact_schema() -> str:
    """Return the JSON Schema of a model's answer."""
    words, marks = ("about", "predicate", "value", "day"), ("certain", "change")
    fields: dict[str, object] = {"message": {"type": "integer"}, "confidence": {"type": "number"}}
    fields |= {name: {"type": "string"} for name in words} | {
        name: {"type": "boolean"} for name in marks
    }
    fields["predicate"] = {"type": "string", "enum": sorted(PREDICATES)}
    row = {
        "type": "object",
        "properties": fields,
        "required": sorted(fields),
        "additionalProperties": False,
    }
    facts = {"facts": {"type": "array", "items": row}}
    return json.dumps(
        {
            "type": "object",
            "properties": facts,
            "required": ["facts"],
            "additionalProperties": False,
        }
    )


def extract_model_findings(
    asker: Asker,
    span: Sequence[Journalled],
    held: Sequence[Fact],
    who: Speakers,
    *,
    is_precise: bool,
) -> dict[str, list[Finding]]:
    """Return a model's findings in a span, by message. Raises GeneratorFailed."""
    rows = "\n".join(
        f"{name} {'=' if row.is_single else ' '} ({row.type.value})"
        for name, row in PREDICATES.items()
    )
    system = read_prompt_template("extractor").replace("{predicates}", rows) + (
        read_prompt_template("precise") if is_precise else ""
    )
    known = [
        f"- {fact.subject} {fact.predicate}: {fact.object}"
        for fact in held
        if fact.is_current and not fact.is_idea
    ]
    text = "\n".join(
        (
            "Known:",
            *(known[-_MOST_KNOWN:] or ["nothing"]),
            "",
            "Conversation:",
            _number_span_lines(span, who),
        )
    )
    model = asker.generator.model
    return asker.ask(
        Prompt(system, text, 0.0, _ANSWER_TOKENS, schema=build_fact_schema()),
        lambda answer: parse_model_findings(answer, span, model),
    )


def parse_model_findings(
    answer: str, span: Sequence[Journalled], model: str
) -> dict[str, list[Finding]]:
    """Return the findings of an answer that may be kept, by message.

    Raises DegenerateOutput for an answer of another form.
    """
    fenced = _FENCE.match(answer.strip())
    try:
        rows = json.loads(fenced[1] if fenced else answer)["facts"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DegenerateOutput("{model} gave no JSON of facts", model=model) from error
    if not isinstance(rows, list) or len(rows) > _MOST_FACTS:
        raise DegenerateOutput(
            "{model} gave no list of at most {most} facts", model=model, most=_MOST_FACTS
        )
    findings: dict[str, list[Finding]] = {}
    for row in rows:
        number = row.get("message") if isinstance(row, dict) else None
        if not isinstance(number, int) or not 1 <= number <= len(span):
            continue
        finding = _build_model_finding(row, span, number - 1, model)
        if finding and is_valid(finding):
            findings.setdefault(span[number - 1].message.id, []).append(finding)
    return findings


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
    """Return the finding of a row; None for a row that is not valid.

    Such a row is about nobody, quotes words that nobody said, or belongs to another speaker.
    """
    message = span[place].message
    subject, predicate, value = (
        _collapse_answer_spaces(row.get(name)) for name in ("about", "predicate", "value")
    )
    is_users = message.role is Role.USER
    subject = {"user": USER, "character": CHARACTER}.get(subject.lower(), subject)
    if (
        predicate not in PREDICATES
        or not subject
        or len(subject) > _MOST_SUBJECT
        or is_users == (subject == CHARACTER)
    ):
        return None
    before = span[place - 1].message if place else None
    if not _is_grounded(predicate, value, message, before):
        return None
    confidence = row.get("confidence")
    sure = (
        confidence
        if isinstance(confidence, int | float) and not isinstance(confidence, bool)
        else 0.0
    )
    return Finding(
        predicate=predicate,
        object=value,
        sentence=message.text,
        subject=subject,
        confidence=min(max(float(sure), 0.0), 1.0),
        subtype="",
        day=_parse_plan_day(row, predicate),
        is_idea=row.get("certain") is False,
        is_change=row.get("change") is True,
        by=model,
    )


def _is_grounded(predicate: str, value: str, message: Message, before: Message | None) -> bool:
    """Return whether a value stands in its message, or in the message that it answers.

    A model may not add anything of its own.
    """
    if predicate in _OWN_WORDS:
        return True
    text = f"{before.text if before else ''} {message.text}".casefold()
    words = _WORD.findall(value.casefold()) or [value.casefold()]
    return 2 * sum(word in text or word[:2] in text for word in words) >= len(words)


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
