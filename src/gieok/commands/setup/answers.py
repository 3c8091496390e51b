"""Setup without a person: answers from a file, and the default for every other question."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from gieok.commands.setup.changes import is_asked, run_setup_trial
from gieok.commands.setup.dialogue_steps import trial_lines
from gieok.commands.setup.interview import NO, YES, Given, Interview
from gieok.commands.setup.questions.question import AnswerKind, SetupQuestion
from gieok.errors import BadRequest
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
            f"cannot read {str(file)!r}: {' '.join(str(error).split())}", hint=_DOCS
        ) from error
    if not isinstance(document or {}, dict):
        raise BadRequest(f"{str(file)!r} must hold `name: answer` lines", hint=_DOCS)
    names = [question.name for question in questions] + [*more, UNTESTED]
    for name in document or {}:
        if name not in names:
            near = get_close_matches(str(name), names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"answers: {', '.join(names)}"
            raise BadRequest(f"{str(file)!r} answers {str(name)!r}, which is not asked", hint=hint)
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
                why = (
                    "it has no use with the other answers, or a variable of the environment "
                    "decides it"
                )
                raise BadRequest(
                    f"{question.name} is answered, but not asked: {why}",
                    hint=f"take it out; {_DOCS}",
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
            raise BadRequest(f"{question.name} must be one value", hint=_DOCS)
        return str(value)
    parts = value if isinstance(value, list) else str(value or "").replace(NO, "").split(",")
    ticked_values = tuple(
        str(part).strip() for part in parts if str(part).strip() not in ("", "none")
    )
    values = [pick.value for pick in question.picks(known)]
    if wrong := [part for part in ticked_values if part not in values]:
        raise BadRequest(
            f"{question.name} is {wrong[0]!r}", hint=f"here: {', '.join(values)}, or none"
        )
    return ticked_values


def _read_secret_variable(known: Interview, name: str, value: object) -> str:
    """Return the value of an environment variable: a file names the variable, never the secret."""
    variable = value if isinstance(value, str) else ""
    if not _VARIABLE.fullmatch(variable) or not known.call.caller.environment.get(variable):
        raise BadRequest(
            f"{name} must name a variable of the environment that is set",
            hint=(
                f"such as `{name}: MY_KEY`, and `MY_KEY=… gieok setup --answers FILE`; a key "
                "never stands in the file"
            ),
        )
    return known.call.caller.environment[variable]


def _check_given_answer(
    known: Interview, question: SetupQuestion, given: str, *, is_given: bool
) -> None:
    values = [pick.value for pick in question.picks(known)]
    if given in values:
        return
    is_line = question.kind is not AnswerKind.ONE or question.free is not None
    shown = "" if question.kind is AnswerKind.SECRET else f" is {given!r}"
    if not is_line:
        raise BadRequest(f"{question.name}{shown}", hint=f"one of: {', '.join(values)}")
    if wrong := question.wrong(known, given):
        problem = shown if is_given else " is missing"
        raise BadRequest(f"{question.name}{problem}: {wrong}", hint=_DOCS)


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
                    f"nothing is saved: {outcome}",
                    hint=f"{trial.hint}; `{UNTESTED}: true` saves it all the same",
                )
    return lines
