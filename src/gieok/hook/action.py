"""What memory says at the moment of an action: before an edit or a command, and after an error.

Imported by the hook: see the package. Most tools' uses have nothing said about them: those cost a
look at small files, and only a use that names what memory names is read closely.
"""

import os
import re

from gieok.flow.action_notes import ActionKnowledge, FormLesson, MendLesson, NamedLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Protocol

    from gieok.hook.inject import InjectedMemory
    from gieok.hook.validity import Standing
    from gieok.text.attempts.forms import CommandForm

    class DocumentLines(Protocol):
        """A read-only view of a store; `IndexReader` documents the method."""

        def lines(self, scope: str, key: str) -> list[str]:
            """Return the lines of a document."""


_MOST_CHARS = 200_000
#: Words after which a form is named that is not to be used, and Korean ones behind it.
_AGAINST = re.compile(
    r"(?i)(?:\bnot|n't(?: use| run| call)?|\bnever(?: use| run| call)?|\binstead of|\brather than"
    r"|\bno longer(?: use)?|\bavoid)\W{1,3}(?:plain |bare |just )?$"
)
_AGAINST_BEHIND = re.compile(
    r"^\W{0,2}(?:말고|대신|쓰지|안 쓰|(?:이|가|은|는) 아니|을 쓰지|를 쓰지)"
)
_CODE = re.compile(r"`([^`\n]{2,160})`")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
_WORD = re.compile(r"[A-Za-z가-힣][\w가-힣]{3,}")
_CLASS = re.compile(r"[A-Z]\w*(?:Error|Exception)")


class AgentAction:
    """What an agent does: paths that it edits (relative to the project), what it puts there, the
    command that it runs.
    """

    __slots__ = ("command", "edited", "folder", "paths", "project")

    def __init__(
        self,
        *,
        paths: "Sequence[str]" = (),
        edited: str = "",
        command: str = "",
        project: str = "",
        folder: str = "",
    ) -> None:
        self.paths, self.edited, self.command = list(paths), edited, command
        self.project, self.folder = project, folder


def may_name_path(knowledge: ActionKnowledge, given: str) -> bool:
    """Return whether a text that a tool is given may name what lines name; cheap."""
    folded = re.sub(r"[_/-]", "", given.lower())
    return any(
        any(path.rstrip("/").rpartition("/")[2] in given for path in line.paths)
        or any(symbol in given for symbol in line.symbols)
        or any(stem in folded for stem in line.stems)
        for line in knowledge.lines
    )


def may_name_program(knowledge: ActionKnowledge, command: str) -> bool:
    """Return whether a command may call a program that is known; cheap."""
    return any(_may_call(lesson, command) for lesson in knowledge.forms) or any(
        program in command for line in knowledge.lines for program in line.programs
    )


def _may_call(lesson: FormLesson, command: str) -> bool:
    return lesson.program in command or lesson.failed.split(" ", 1)[0] in command


def list_edit_lines(knowledge: ActionKnowledge, action: AgentAction) -> "list[NamedLines]":
    """Return the lines that name a file that is edited, one above it, or a symbol in it."""
    from gieok.text.attempts.names import fold_stem, names_path

    names = (os.path.basename(path).partition(".")[0] for path in action.paths)
    stems = {fold_stem(name) for name in names}
    stems.update(
        fold_stem("".join(path.rsplit("/", 2)[-2:]).partition(".")[0]) for path in action.paths
    )
    found = []
    for line in knowledge.lines:
        named = any(names_path(named, path) for named in line.paths for path in action.paths)
        named = named or bool(stems.intersection(line.stems))
        if named or (not line.paths and _names_symbol(line, action.edited)):
            found.append(line)
    return found


def _names_symbol(line: NamedLines, edited: str) -> bool:
    return any(re.search(rf"(?<![\w]){re.escape(symbol)}(?!\w)", edited) for symbol in line.symbols)


def read_named_memory(
    index: "DocumentLines", scope: str, line: NamedLines, standing: "Standing", cwd: str
) -> "InjectedMemory | None":
    """Return the memory that stands in lines; None where they changed, or hold no more."""
    from gieok.hook import choice
    from gieok.hook.inject import InjectedMemory
    from gieok.hook.matches import shown_path
    from gieok.text.handles import build_handle, line_check
    from gieok.text.turns import is_users

    text = "\n".join(index.lines(scope, line.key)[line.first - 1 : line.last])
    if line_check(text) != line.check or standing.ended(scope, line.key, line.first, text):
        return None
    if line.source and os.path.isabs(line.source) and not os.path.exists(line.source):
        return None
    is_said = is_users(text)
    lines = f"#L{line.first}" + (f"-L{line.last}" if line.last != line.first else "")
    return InjectedMemory(
        title="",
        citation=f"{shown_path(line.source, cwd)}{lines}" if line.source else "",
        text=text.partition(": ")[2] if is_said else text,
        category=line.category,
        day=choice.day(line.at),
        scope=scope,
        handle=build_handle(scope, line.key, line.first if is_said else 0),
        who="user" if is_said else "",
        score=1.0,
    )


def find_form_lesson(
    knowledge: ActionKnowledge, action: AgentAction, session: str
) -> "FormLesson | None":
    """Return the newest lesson about a form that a command uses; none of the same session."""
    from gieok.text.attempts.forms import FormChange, read_command_forms

    forms = read_command_forms(action.command, action.project)
    for lesson in knowledge.forms:
        if lesson.session == session or not _may_call(lesson, action.command):
            continue
        added = [word for word in lesson.added if not _is_there(word, action.folder)]
        if lesson.added and not added:
            continue
        change = FormChange(lesson.removed, added, is_narrow=True)
        for form in forms:
            if form.is_call_of(lesson.program, lesson.subcommands) and change.lacks(form):
                return lesson
    return None


def _is_there(word: str, folder: str) -> bool:
    """Return whether a word only goes to the folder in which the agent is."""
    name = word.removeprefix("cd ")
    return name != word and f"/{folder}/".endswith(f"/{name.strip('/')}/")


def list_command_lines(knowledge: ActionKnowledge, action: AgentAction) -> "list[NamedLines]":
    """Return the lines that name a program which a command calls."""
    from gieok.text.attempts.forms import read_command_forms

    programs = {form.program for form in read_command_forms(action.command, action.project)}
    return [line for line in knowledge.lines if programs.intersection(line.programs)]


def states_other_form(text: str, action: AgentAction) -> bool:
    """Return whether a statement names another form of a command's program than the command has.

    A form is a piece of code, or the program behind what wraps it. Where the command is as a form
    that is not spoken against, nothing else is asked of it.
    """
    from gieok.text.attempts.forms import read_command_forms

    uses_other = False
    for own in read_command_forms(action.command, action.project):
        if _lacks_stated_option(text, own):
            uses_other = True
        for form, is_against in _iter_stated_forms(text, own):
            has_all = not set(form.words) - set(own.words)
            if is_against and has_all:
                uses_other = True
            elif not is_against and has_all and len(form.words) > 1:
                return False
            elif not is_against and not has_all and _is_other_form(form, own):
                uses_other = True
    return uses_other


def _lacks_stated_option(text: str, own: "CommandForm") -> bool:
    """Return whether a statement names options for a program of which a command has none.

    Where the statement names what the program does, the command must do that.
    """
    named = re.search(rf"(?<![\w./-]){re.escape(own.program)}(?: ([a-z][a-z-]+))?", text)
    if named is None or (named[1] and named[1] not in own.words and named[1].isascii()):
        return False
    given = {word.partition("=")[0] for word in own.words}
    options = [
        match[0]
        for match in _OPTION.finditer(text)
        if not _is_against(text, match.start(), match.end())
    ]
    return bool(options) and not given.intersection(options)


def _iter_stated_forms(text: str, own: "CommandForm") -> "Iterator[tuple[CommandForm, bool]]":
    """Yield the forms of a program that a text names, and whether it speaks against each."""
    from gieok.text.attempts.forms import read_command_forms

    for match in _CODE.finditer(text):
        for form in read_command_forms(match[1]):
            if form.program == own.program:
                yield form, _is_against(text, match.start(), match.end())
    bare = _CODE.sub(lambda match: " " * len(match[0]), text)
    wrapped = re.compile(
        rf"(?<![\w./-])(?:[a-z]+ (?:run|exec) )?{re.escape(own.program)}(?![\w./-])"
    )
    for match in wrapped.finditer(bare):
        for form in read_command_forms(match[0]):
            if form.program == own.program:
                yield form, _is_against(text, match.start(), match.end())


def _is_against(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - 40) : start]
    return bool(_AGAINST.search(before) or _AGAINST_BEHIND.match(text[end : end + 20]))


def _is_other_form(stated: "CommandForm", own: "CommandForm") -> bool:
    """Return whether a stated form does the same as the command, in another way."""
    if len(stated.words) < 2 or stated.subcommands[:1] != own.subcommands[:1]:
        return False
    from gieok.text.attempts.forms import compare_forms

    change = compare_forms(own, stated)
    return change is not None and not change.is_narrow


def find_mend(
    knowledge: ActionKnowledge, errors: "Iterable[str]", session: str
) -> "MendLesson | None":
    """Return what mended the same error last time; none of the same session."""
    from gieok.text.attempts.error_lines import loosen_error_line

    lines = list(errors)
    others = [lesson for lesson in knowledge.mends if lesson.session != session]
    for line in lines:
        for lesson in others:
            if line in lesson.errors:
                return lesson
    # One line may stand inside of another, and name another file.
    for loose in filter(None, map(loosen_error_line, lines)):
        for lesson in others:
            known = filter(None, map(loosen_error_line, lesson.errors))
            if any(loose in each or each in loose for each in known):
                return lesson
    return None


def list_error_mentions(
    knowledge: ActionKnowledge, output: str, shown: "Sequence[str]"
) -> "list[NamedLines]":
    """Return the lines that quote what an error says: word for word, or by its code."""
    folded = output[:_MOST_CHARS].casefold()
    errors = "\n".join(shown).casefold()
    return [
        line
        for line in knowledge.lines
        if any(
            mark.casefold() in (errors if _CLASS.fullmatch(mark) else folded) for mark in line.marks
        )
    ]


def explains_error(text: str, line: NamedLines, shown: "Sequence[str]") -> bool:
    """Return whether a statement is about an error, and not about its kind alone.

    A class of errors has many: another word of the error must stand in the statement.
    """
    errors = "\n".join(shown).casefold()
    if any(not _CLASS.fullmatch(mark) and mark.casefold() in errors for mark in line.marks):
        return True
    own = {word.casefold() for word in _WORD.findall(text) if not _CLASS.fullmatch(word)}
    return bool(own & {word.casefold() for word in _WORD.findall(errors)} - {"error", "module"})


def describe_form(lesson: FormLesson, day: str) -> str:
    """Return a lesson on a form in one line."""
    said = f" ({_cut_quote(lesson.error, 90)})" if lesson.error else ""
    return (
        f"- {day}: here `{lesson.failed}` failed{said}; `{lesson.worked}` then worked "
        f"({lesson.agent} session {lesson.session[:8]})."
    )


def describe_mend(lesson: MendLesson, day: str) -> str:
    """Return a lesson on an error in one line."""
    steps = [f"`{step}`" for step in lesson.steps] + [f"an edit of {path}" for path in lesson.paths]
    done = f" after {' and '.join(steps)}" if steps else ""
    said = f"; said before: {lesson.said}" if lesson.said else ""
    error, command = _cut_quote(lesson.error, 90), _cut_quote(lesson.command, 60)
    return (
        f"- {day}: the same error ({error}) of `{command}` was gone{done}{said} "
        f"({lesson.agent} session {lesson.session[:8]})."
    )


def _cut_quote(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def read_result(payload: "Mapping[str, object]") -> tuple[str, bool]:
    """Return the output in a payload after a tool, and whether the tool is said to have failed."""
    error = payload.get("error")
    if isinstance(error, str) and error:
        return error, True
    answer = payload.get("tool_response", payload.get("tool_output"))
    if isinstance(answer, str):
        return answer, False
    if not isinstance(answer, dict):
        return "", False
    texts = (answer.get(name) for name in ("stdout", "stderr", "output", "error", "content"))
    failed = answer.get("is_error") is True or bool(answer.get("exit_code"))
    return "\n".join(text for text in texts if isinstance(text, str)), failed
