"""Setup without a person: answers from a file, and the default for every other question."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from gieok.commands.setup.changes import is_asked, run_setup_trial
from gieok.commands.setup.dialogue_steps import trial_lines
from gieok.commands.setup.interview import NO, YES, Given, Interview
from gieok.commands.setup.questions.question import AnswerKind, SetupQuestion
from gieok.errors import BadRequest, Phrase
from gieok.ports.keys import Verdict

#: Not a question: save even what a trial says does not work.
UNTESTED = "keep_untested"
_VARIABLE = re.compile(r"[A-Za-z_]\w*")
_DOCS = "docs/setup.md lists every answer"


def read_answer_file(
    file: Path, questions: Sequence[SetupQuestion], more: Sequence[str]
) -> Mapping[str, object]:
    """Return the answers of a YAML file by question.

    Raises BadRequest, which names what is unknown.
    """
    import yaml

    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise BadRequest(
            "cannot read {file!r}: {error}",
            file=file,
            error=Phrase(" ".join(str(error).split())),
            hint=_DOCS,
        ) from error
    if not isinstance(document or {}, dict):
        raise BadRequest("{file!r} must hold `name: answer` lines", file=file, hint=_DOCS)
    names = [question.name for question in questions] + [*more, UNTESTED]
    for name in document or {}:
        if name not in names:
            near = get_close_matches(str(name), names, 1)
            hint = (
                Phrase("did you mean {near!r}?", near=near[0])
                if near
                else Phrase("answers: {names}", names=", ".join(names))
            )
            raise BadRequest(
                "{file!r} answers {name!r}, which is not asked",
                file=file,
                name=str(name),
                hint=hint,
            )
    return document or {}


def fill_in_answers(
    known: Interview,
    raw: Mapping[str, object],
    questions: Sequence[SetupQuestion],
    strict: Sequence[SetupQuestion],
) -> Interview:
    """Return the interview with every answer: from `raw`, else the default.

    Raises BadRequest, which names the answer. An answer to a question of `strict` that is not asked
    is an error; an answer to any other question that is not asked is kept for the case that it
    applies.
    """
    for question in questions:
        if not is_asked(known, question):
            if question.name in raw and question in strict:
                raise BadRequest(
                    "{question} is answered, but not asked: it has no use with the other answers, "
                    "or a variable of the environment decides it",
                    question=question.name,
                    hint="take it out; docs/setup.md lists every answer",
                )
            continue
        is_given = question.name in raw
        answer = (
            _parse_given_answer(known, question, raw[question.name])
            if is_given
            else question.default(known)
        )
        if question.kind is not AnswerKind.MANY:
            _check_given_answer(
                known, question, answer if isinstance(answer, str) else "", is_given=is_given
            )
        known = known.with_answers({**known.answers, question.name: answer})
    return known


def _parse_given_answer(known: Interview, question: SetupQuestion, value: object) -> Given:
    if question.kind is AnswerKind.SECRET:
        return _read_secret_variable(known, question.name, value)
    if isinstance(value, bool):
        value = YES if value else NO
    if question.kind is not AnswerKind.MANY:
        if isinstance(value, dict | list) or value is None:
            raise BadRequest("{question} must be one value", question=question.name, hint=_DOCS)
        return str(value)
    ticked_values = _split_ticked_values(value)
    values = [pick.value for pick in question.picks(known)]
    if wrong := [part for part in ticked_values if part not in values]:
        raise BadRequest(
            "{question} is {answer!r}",
            question=question.name,
            answer=wrong[0],
            choices=", ".join(values),
            hint="here: {choices}, or none",
        )
    return ticked_values


def _split_ticked_values(value: object) -> tuple[str, ...]:
    """Return the values of a list, or of a line with commas; `none` and `no` alone are no value."""
    parts = value if isinstance(value, list) else str(value or "").split(",")
    values = tuple(text for part in parts if (text := str(part).strip()))
    return () if values in (("none",), (NO,)) else values


def _read_secret_variable(known: Interview, name: str, value: object) -> str:
    """Return the value of an environment variable: a file names the variable, never the secret."""
    variable = value if isinstance(value, str) else ""
    if not _VARIABLE.fullmatch(variable) or not known.call.caller.environment.get(variable):
        raise BadRequest(
            "{name} must name a variable of the environment that is set",
            name=name,
            hint=(
                "such as `{name}: MY_KEY`, and `MY_KEY=… gieok setup --answers FILE`; a key "
                "never stands in the file"
            ),
        )
    return known.call.caller.environment[variable]


def _check_given_answer(
    known: Interview, question: SetupQuestion, given: str, *, is_given: bool
) -> None:
    values = question.values(known)
    if given in values:
        return
    is_line = question.kind is not AnswerKind.ONE or question.free is not None
    is_secret = question.kind is AnswerKind.SECRET
    if not is_line:
        raise BadRequest(
            "{question}" if is_secret else "{question} is {given!r}",
            question=question.name,
            given=given,
            choices=", ".join(values),
            hint="one of: {choices}",
        )
    if wrong := question.wrong(known, given):
        shown = "{question}: {wrong}" if is_secret else "{question} is {given!r}: {wrong}"
        raise BadRequest(
            shown if is_given else "{question} is missing: {wrong}",
            question=question.name,
            given=given,
            wrong=Phrase(wrong),
            hint=_DOCS,
        )


def check_trials(
    known: Interview, questions: Sequence[SetupQuestion], raw: Mapping[str, object]
) -> list[str]:
    """Try the changes; return the outcome of each trial.

    Raises BadRequest where a change does not work.
    """
    lines = []
    for label in dict.fromkeys(question.trial for question in questions if question.trial):
        for trial in run_setup_trial(known, label):
            shown = trial_lines(known, trial)
            lines += shown
            if trial.verdict is not Verdict.VALID and raw.get(UNTESTED) is not True:
                outcome = " ".join(line.strip() for line in shown[:1])
                raise BadRequest(
                    "nothing is saved: {outcome}",
                    outcome=outcome,
                    step=Phrase(trial.hint),
                    untested=UNTESTED,
                    hint="{step}; `{untested}: true` saves it all the same",
                )
    return lines
