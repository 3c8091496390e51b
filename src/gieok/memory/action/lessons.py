"""What attempts teach: the form of a command that worked here, and what mended an error.

Silence is worth more than a lesson: what worked in its first form as well, what only ran something
else, and an error of which different things were the mend, teach nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from gieok.flow.action_notes import FormLesson, MendLesson
from gieok.memory.action.attempts import FAILED, WORKED, CommandAttempt
from gieok.text.attempts.forms import CommandForm, FormChange, compare_forms, read_command_forms

#: How many attempts after a failure are looked at: what comes later answers something else.
_FORM_ATTEMPTS = 8
_MEND_ATTEMPTS = 40
_MOST_STEPS = 3
_MOST_LESSONS = 300
_LINE_CHARS = 160


class _ReadAttempt:
    """CommandAttempt with the forms of its command."""

    __slots__ = ("attempt", "forms")

    def __init__(self, attempt: CommandAttempt, project: str) -> None:
        self.attempt = attempt
        self.forms = read_command_forms(attempt.command, project) if attempt.command else []

    @property
    def only_form(self) -> CommandForm | None:
        """Return the one program that the command calls; None where it calls none, or several."""
        return self.forms[0] if len(self.forms) == 1 and not self.attempt.is_cut else None


def list_lessons(
    attempts: Iterable[CommandAttempt], project: str
) -> tuple[list[FormLesson], list[MendLesson]]:
    """Return what the attempts of a scope teach, newest first.

    `project` is the name of the project's folder.
    """
    ordered = sorted(attempts, key=lambda one: (one.agent, one.session))  # stable: in their order
    sessions = [
        [_ReadAttempt(one, project) for one in group]
        for _, group in groupby(ordered, key=lambda one: (one.agent, one.session))
    ]
    forms = [lesson for session in sessions for lesson in _iter_form_lessons(session)]
    mends = [lesson for session in sessions for lesson in _iter_mend_lessons(session)]
    every = [one for session in sessions for one in session]
    sure_forms = [lesson for lesson in forms if _narrow_form_lesson(lesson, every)]
    return _keep_newest_forms(sure_forms), _keep_sure_mends(mends)


def _iter_form_lessons(session: Sequence[_ReadAttempt]) -> Iterator[FormLesson]:
    for place, failed in enumerate(session):
        form = failed.only_form
        if failed.attempt.outcome != FAILED or form is None:
            continue
        for other in session[place + 1 : place + 1 + _FORM_ATTEMPTS]:
            if other.attempt.paths:
                break  # an edit: what worked afterwards may be due to it
            worked = other.only_form
            if other.attempt.outcome != WORKED or worked is None:
                continue
            if worked.words == form.words:
                break
            change = compare_forms(form, worked)
            if change is not None:
                yield _build_form_lesson(failed.attempt, form, other.attempt, change)
                break


def _build_form_lesson(
    failed: CommandAttempt, form: CommandForm, worked: CommandAttempt, change: FormChange
) -> FormLesson:
    same = read_command_forms(worked.command)[0].subcommands[:1] == form.subcommands[:1]
    subcommands = form.subcommands if change.is_narrow else form.subcommands[: int(same)]
    return FormLesson(
        program=form.program,
        subcommands=subcommands,
        removed=change.removed,
        added=change.added,
        failed=_shorten_line(failed.command),
        worked=_shorten_line(worked.command),
        error=failed.errors[0][0] if failed.errors else "",
        at=failed.at,
        agent=failed.agent,
        session=failed.session,
    )


def _narrow_form_lesson(lesson: FormLesson, attempts: Iterable[_ReadAttempt]) -> bool:
    """Narrow a lesson to what never worked as it was; return whether anything is left of it.

    Where the form that failed worked as well, something else was wrong. Where it worked without
    some of its options, the lesson is about those. Where another program or way took its place,
    what worked before may have ceased to.
    """
    change = FormChange(lesson.removed, lesson.added, is_narrow=True)
    options = {
        option for form in read_command_forms(lesson.failed) for option in _list_options(form)
    }
    is_way = any(word.startswith("cd ") for word in lesson.added) or (
        lesson.program not in _list_programs(lesson.worked)
    )
    needed: set[str] = set()
    for one in attempts:
        if one.attempt.outcome != WORKED or (is_way and one.attempt.at < lesson.at):
            continue
        for form in one.forms:
            if form.is_call_of(lesson.program, lesson.subcommands) and change.lacks(form):
                missing = options.difference(_list_options(form))
                if not missing:
                    return False
                needed |= missing
    lesson.removed += sorted(needed.difference(lesson.removed))
    return True


def _list_options(form: CommandForm) -> list[str]:
    return [word for word in form.arguments if word.startswith("-")]


def _list_programs(line: str) -> list[str]:
    return [form.program for form in read_command_forms(line)]


def _keep_newest_forms(lessons: Iterable[FormLesson]) -> list[FormLesson]:
    kept: dict[tuple[object, ...], FormLesson] = {}
    for lesson in sorted(lessons, key=lambda one: -one.at):
        name = (lesson.program, *lesson.subcommands, *lesson.removed, "→", *lesson.added)
        kept.setdefault(name, lesson)
    return list(kept.values())[:_MOST_LESSONS]


def _iter_mend_lessons(session: Sequence[_ReadAttempt]) -> Iterator[MendLesson]:
    for place, failed in enumerate(session):
        if failed.attempt.outcome != FAILED or not failed.attempt.errors:
            continue
        following = session[place + 1 : place + 1 + _MEND_ATTEMPTS]
        ending = next(
            (number for number, other in enumerate(following) if _does_again(failed, other)), None
        )
        if ending is None:
            continue
        again = following[ending]
        between = following[:ending]
        if again.forms and _list_words(again) != _list_words(failed):
            between = [*between, again]
        said = [one.attempt.said for one in following[: ending + 1] if one.attempt.said]
        lesson = _build_mend_lesson(failed.attempt, between, said[-1] if said else "")
        if lesson.steps or lesson.paths or lesson.said:
            yield lesson


def _does_again(failed: _ReadAttempt, other: _ReadAttempt) -> bool:
    """Return whether a later attempt did what failed, and worked."""
    if other.attempt.outcome != WORKED or not other.forms or not failed.forms:
        return False
    if _list_words(failed) == _list_words(other):
        return True
    own, later = failed.forms[-1], other.forms[-1]
    if own.program == later.program and own.subcommands[:1] == later.subcommands[:1]:
        return not _list_files(own) - _list_files(later)
    return compare_forms(own, later) is not None


def _list_words(one: _ReadAttempt) -> list[tuple[str, ...]]:
    return [form.words for form in one.forms]


def _list_files(form: CommandForm) -> set[str]:
    return {word for word in form.arguments if "/" in word or "." in word}


def _build_mend_lesson(
    failed: CommandAttempt, between: Sequence[_ReadAttempt], said: str
) -> MendLesson:
    """Return the lesson of what was done last before the command worked.

    `said` are the last words before it did.
    """
    steps: dict[str, None] = {}
    paths: dict[str, None] = {}
    for one in reversed(between):
        done = one.attempt
        if done.outcome != WORKED or len(steps) + len(paths) == _MOST_STEPS:
            continue
        if done.paths:
            paths.update(dict.fromkeys(done.paths[:_MOST_STEPS]))
        elif one.forms:
            steps[_shorten_line(done.command)] = None
    return MendLesson(
        errors=[form for _, form in failed.errors],
        error=failed.errors[0][0],
        command=_shorten_line(failed.command),
        steps=list(steps)[::-1],
        paths=list(paths)[::-1],
        said=_shorten_line(said),
        at=failed.at,
        agent=failed.agent,
        session=failed.session,
    )


def _keep_sure_mends(lessons: Iterable[MendLesson]) -> list[MendLesson]:
    """Return the newest lesson of each error, without lines that several errors share.

    Errors that were mended in different ways share a line that tells nothing of either.
    """
    newest = sorted(lessons, key=lambda one: -one.at)
    mended_by: dict[str, set[tuple[str, ...]]] = {}
    for lesson in newest:
        for line in lesson.errors:
            mended_by.setdefault(line, set()).add((*lesson.steps, *lesson.paths))
    kept: dict[tuple[str, ...], MendLesson] = {}
    for lesson in newest:
        own = [line for line in lesson.errors if len(mended_by[line]) == 1]
        # The same error again: what mended it last time is what helps.
        lesson.errors = own or lesson.errors[:1]
        kept.setdefault(tuple(lesson.errors), lesson)
    return list(kept.values())[:_MOST_LESSONS]


def _shorten_line(line: str) -> str:
    line = " ".join(line.split())
    return line if len(line) <= _LINE_CHARS else line[: _LINE_CHARS - 1] + "…"
