"""Decides who speaks (person, program, agent, tool), from the marks of `agents.marks`.

This module is the only place that decides. Questions in the order of a transcript: who drives a
session (`find_line_driver`, `is_foreign_folder`, `is_foreign_opening`, `is_brief`), whose a line is
(`find_line_speaker`), which of its words are the person's (`extract_words`), and what a person said
through a tool (`extract_refusal`, `extract_answers`).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from gieok.agents.marks.mark import ANY, SOMETHING, Mark, Speaker, SpeakerKind
from gieok.agents.marks.table import MARKS
from gieok.agents.transcripts.fields import (
    Line,
    find_blocks,
    list_content_parts,
    read_object_field,
    read_text_field,
)

#: Envelopes may be nested; no program nests as many.
_MOST_ENVELOPES = 40
#: How many characters at the beginning of a session's first prompt are searched.
_OPENING_CHARS = 4_000
_BRIEF_CHARS = 8_000
#: Separates the texts of a message; no text contains it.
_BORDER = "\n\0\n"
#: Matches nowhere.
_NOTHING = "(?!)"
_PAIR = re.compile(r'"((?:[^"\\]|\\.){1,2000})"\s*=\s*"((?:[^"\\]|\\.){0,4000})"')
_ASKED = re.compile(r'^- "(.{1,2000})"\n +Answer: (.{1,4000})$', re.MULTILINE)
_HEADED = re.compile(r"^\*\*(.{1,500}?)\*\*: *(.{1,4000})$", re.MULTILINE)
_COMMAND = re.compile(r"<command-name>\s*/?([\w:-]{1,80})")
#: Fields in which tools store the questions that they asked, under the names of each version.
_QUESTION, _IDENTITY = ("question", "header", "prompt"), ("id", "question", "header")


class SpeakerVerdict(NamedTuple):
    """Speaker of a line.

    `is_sure`: the host names the speaker of this very line; otherwise the session's driver is
    taken.
    """

    speaker: Speaker
    is_sure: bool = False


@cache
def _select_mark_rows(host: str, kind: SpeakerKind) -> tuple[Mark, ...]:
    """Return the rows of a kind, the host's own first."""
    return tuple(
        row
        for name in dict.fromkeys((host, ANY))
        for row in MARKS
        if row.host == name and row.kind is kind
    )


@cache
def _compile_mark_signs(host: str, kind: SpeakerKind) -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(row.sign, re.MULTILINE if kind is SpeakerKind.BRIEF else 0)
        for row in _select_mark_rows(host, kind)
    )


@cache
def _compile_any_mark(host: str, kind: SpeakerKind) -> re.Pattern[str]:
    """Return a pattern that matches where any row of a kind does, in the order of the rows."""
    return re.compile(
        "|".join(f"(?:{row.sign})" for row in _select_mark_rows(host, kind)) or _NOTHING
    )


# Lines


def find_line_speaker(host: str, line: Line) -> Speaker | None:
    """Return the speaker of a line by its fields; None where they say nothing."""
    return _find_first_speaker(host, SpeakerKind.FIELD, line)


def find_line_driver(host: str, line: Line) -> Speaker | None:
    """Return who writes the user lines after this line; None where the line says nothing of
    them.
    """
    return _find_first_speaker(host, SpeakerKind.HEAD, line)


def is_program_reply(host: str, line: Line) -> bool:
    """Return whether a line in the agent's place was written by no model."""
    return _find_first_speaker(host, SpeakerKind.REPLY, line) is not None


def judge_user_line(host: str, line: Line, driver: Speaker) -> SpeakerVerdict:
    """Return the speaker of a user line in a session that `driver` writes."""
    speaker = find_line_speaker(host, line)
    return SpeakerVerdict(speaker, is_sure=True) if speaker else SpeakerVerdict(driver)


class _Field(NamedTuple):
    """Row of a field, prepared for the search in each line.

    It has the path of the field, and its values; None means any value that is not empty.
    """

    path: tuple[str, ...]
    values: frozenset[str] | None
    speaker: Speaker


@cache
def _build_mark_fields(host: str, kind: SpeakerKind) -> tuple[_Field, ...]:
    return tuple(
        _Field(
            tuple(row.sign.split(".")),
            None if SOMETHING in row.values else frozenset(row.values),
            row.speaker,
        )
        for row in _select_mark_rows(host, kind)
    )


def _find_first_speaker(host: str, kind: SpeakerKind, line: Line) -> Speaker | None:
    """Return the speaker of the first row that matches a line.

    A line has few of the fields, so the check of most rows ends at the path.
    """
    return next(
        (
            row.speaker
            for row in _build_mark_fields(host, kind)
            if row.path[0] in line and _has_field_value(row, line)
        ),
        None,
    )


def _has_field_value(row: _Field, line: Line) -> bool:
    value = _read_path_value(line, row.path)
    if row.values is None:
        return bool(value)
    if isinstance(value, bool):
        value = str(value).lower()
    return isinstance(value, str) and value in row.values


def _read_path_value(line: Line, path: Sequence[str]) -> object:
    value: object = line
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


# Sessions


def is_foreign_folder(folder: str) -> bool:
    """Return whether a session's working folder belongs to another memory.

    Nothing that is said in such a session is a person's.
    """
    return any(sign.search(folder) for sign in _compile_mark_signs(ANY, SpeakerKind.FOLDER))


def is_foreign_opening(text: str) -> bool:
    """Return whether a session's first prompt comes from another memory or a title maker."""
    opening = text.lstrip()[:_OPENING_CHARS]
    return any(sign.match(opening) for sign in _compile_mark_signs(ANY, SpeakerKind.OPENING))


def is_brief(text: str) -> bool:
    """Return whether a session's first prompt is a program's brief to a model.

    Asked where the host does not say who wrote the prompt.
    """
    opening = text[:_BRIEF_CHARS]
    rows = zip(
        _select_mark_rows(ANY, SpeakerKind.BRIEF),
        _compile_mark_signs(ANY, SpeakerKind.BRIEF),
        strict=True,
    )
    return len({row.values for row, sign in rows if sign.match(opening)}) > 1


# Texts


def extract_words(host: str, text: str) -> str:
    """Return the person's words in a text in the user's place; '' where a program wrote all of
    it.
    """
    text = text.strip()
    for _ in range(_MOST_ENVELOPES if text else 0):
        if _compile_any_mark(host, SpeakerKind.WHOLE).match(text) and not _is_opened(host, text):
            return ""
        rest = _unwrap_mark_blocks(host, _strip_front_marks(host, text)).strip()
        if rest == text:
            break
        text = rest
    text = _cut_behind(host, text)
    return "" if _is_envelope(host, text) else text


def is_program_text(host: str, text: str) -> bool:
    """Return whether a program wrote all of a text.

    The beginning of the text, or an element around all of it, decides.
    """
    text = text.strip()
    return _compile_any_mark(host, SpeakerKind.WHOLE).match(text) is not None or _is_envelope(
        host, text
    )


def _is_envelope(host: str, text: str) -> bool:
    return text.startswith("<") and any(
        sign.match(text) for sign in _compile_mark_signs(host, SpeakerKind.ENVELOPE)
    )


def split_program_texts(host: str, texts: Sequence[str]) -> list[str]:
    """Return the texts of a message without the texts that a program put behind a person's words.

    Contents of files that a prompt names stand in several texts: a head, each file, an end.
    """
    if len(texts) < 2:
        return list(texts)
    return (
        _compile_any_mark(host, SpeakerKind.BEHIND).sub(_BORDER, _BORDER.join(texts)).split(_BORDER)
    )


def _is_opened(host: str, text: str) -> bool:
    """Return whether a text begins with the host's own envelope and goes on behind it.

    The text behind the envelope may be a person's.
    """
    fronts = zip(
        _select_mark_rows(host, SpeakerKind.FRONT),
        _compile_mark_signs(host, SpeakerKind.FRONT),
        strict=True,
    )
    match = next(filter(None, (sign.match(text) for row, sign in fronts if row.host == host)), None)
    return match is not None and 0 < match.end() < len(text)


def _strip_front_marks(host: str, text: str) -> str:
    """Return a text without all that a program put in front."""
    position = 0
    for _ in range(_MOST_ENVELOPES):
        front_match = _compile_any_mark(host, SpeakerKind.FRONT).match(text, position)
        if front_match is None or front_match.end() == position:
            break
        position = front_match.end()
    return text[position:]


def _cut_behind(host: str, text: str) -> str:
    return _compile_any_mark(host, SpeakerKind.BEHIND).sub("", text).strip()


@cache
def _compile_block_tags(
    host: str,
) -> tuple[re.Pattern[str], dict[str, tuple[tuple[re.Pattern[str], Speaker], ...]]]:
    """Return a pattern for opening tags of blocks, and the speakers by tag name and attributes."""
    rows_by_tag: dict[str, list[tuple[re.Pattern[str], Speaker]]] = {}
    for row in _select_mark_rows(host, SpeakerKind.BLOCK):
        rows_by_tag.setdefault(row.sign, []).append(
            (re.compile("|".join(row.values), re.IGNORECASE), row.speaker)
        )
    names = "|".join(map(re.escape, rows_by_tag))
    return re.compile(rf"<({names})((?:\s[^<>]{{0,400}})?)>"), {
        name: tuple(rows) for name, rows in rows_by_tag.items()
    }


def _unwrap_mark_blocks(host: str, text: str) -> str:
    """Return a text without a program's blocks; blocks of a person are replaced by their
    content.
    """
    if "<" not in text:
        return text
    opener, speakers = _compile_block_tags(host)
    wordless = _names_setting(host, text)
    pieces: list[str] = []
    position = 0
    for tag_match, closer, end in find_blocks(text, opener):
        name = tag_match[1]
        speaker = next(
            (whose for sign, whose in speakers[name] if sign.search(tag_match[2])), Speaker.PROGRAM
        )
        pieces.append(text[position : tag_match.start()])
        if speaker is Speaker.PERSON and name not in wordless and closer >= 0:
            pieces.append(f"\n{text[tag_match.end() : closer].strip()}\n")
        position = end
    return "".join((*pieces, text[position:])).strip() if pieces else text


def _names_setting(host: str, text: str) -> frozenset[str]:
    """Return the tags whose arguments are a setting here: those of the program's own commands."""
    command = _COMMAND.search(text) if "<command-name>" in text else None
    if command is None:
        return frozenset()
    return frozenset(
        row.sign
        for row in _select_mark_rows(host, SpeakerKind.SETTING)
        if command[1].lower() in row.values
    )


# Tools


def extract_refusal(host: str, text: str) -> str:
    """Return the reason that a person gave for refusing a tool; '' for none.

    `text` is the failed result of the tool.
    """
    text = text.strip()
    for sign in (
        re.compile(row.sign, re.DOTALL) for row in _select_mark_rows(host, SpeakerKind.REASON)
    ):
        if match := sign.match(text):
            return match["said"].strip().removeprefix("Error: ")
    return ""


def extract_comment(host: str, line: Line) -> str:
    """Return a person's comment on a decision, as a line holds it; '' for none."""
    values = (
        _read_path_value(line, row.path) for row in _build_mark_fields(host, SpeakerKind.BESIDE)
    )
    return next((value.strip() for value in values if isinstance(value, str) and value.strip()), "")


@cache
def list_asking_tools(host: str) -> frozenset[str]:
    """Return the names of the tools whose results are a person's answers."""
    return frozenset(row.sign for row in _select_mark_rows(host, SpeakerKind.ANSWER))


def extract_answers(answered: object, asked: object = None) -> list[tuple[str, str]]:
    """Return the questions and answers of a dialogue of choices.

    A question that nothing names is ''. `answered` is the result of the tool, as text or as its
    fields; `asked` holds the arguments of the call, where they are known.
    """
    if isinstance(answered, str):
        parsed = _parse_json_text(answered)
        if parsed is None:
            return _extract_written_answers(answered)
        answered = parsed
    fields = read_object_field(answered)
    answers = fields.get("answers")
    if isinstance(answers, list):
        answers = dict(enumerate(answers))
    notes = read_object_field(fields.get("annotations"))
    questions = _list_asked_questions(asked) or _list_asked_questions(answered)
    pairs: list[tuple[str, str]] = []
    for name, answer in read_object_field(answers).items():
        chosen = (*_iter_chosen_answers(answer), *_iter_chosen_answers(notes.get(name)))
        if words := ", ".join(filter(None, chosen)):
            pairs.append((_find_asked_question(str(name), questions), words))
    return pairs


def _extract_written_answers(text: str) -> list[tuple[str, str]]:
    """Return the questions and answers of a text, in the first form that it has."""
    matches = _PAIR.findall(text) or _ASKED.findall(text) or _HEADED.findall(text)
    return [
        (_unescape_answer(question), _unescape_answer(answer))
        for question, answer in matches
        if answer.strip()
    ]


def _parse_json_text(text: str) -> object:
    try:
        return json.loads(text) if text.lstrip()[:1] in ("{", "[") else None
    except (ValueError, RecursionError):
        return None


def _unescape_answer(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n").strip()


def _list_asked_questions(asked: object) -> list[Line]:
    if isinstance(asked, str):
        asked = _parse_json_text(asked)
    return list_content_parts(read_object_field(asked).get("questions"))


def _find_asked_question(name: str, questions: Sequence[Line]) -> str:
    """Return the question of an answer, found by its number, its id or its own words."""
    for question in questions:
        if name in (question.get(field) for field in _IDENTITY):
            return _read_asked_text(question)
    if not name.isdigit():
        return name
    number = int(name)
    return _read_asked_text(questions[number]) if number < len(questions) else ""


def _read_asked_text(question: Line) -> str:
    return next(filter(None, (read_text_field(question.get(field)) for field in _QUESTION)), "")


def _iter_chosen_answers(answer: object) -> Iterator[str]:
    """Yield the words of an answer, which is a text, a list, or an object that holds them."""
    if isinstance(answer, str):
        yield answer.strip()
    elif isinstance(answer, list):
        for item in answer:
            yield from _iter_chosen_answers(item)
    elif isinstance(answer, Mapping):
        for field in ("answers", "answer", "label", "value", "text", "other", "notes"):
            yield from _iter_chosen_answers(answer.get(field))
