"""Forms of commands: one program as it is called, and what changed from one call to another.

The rules know nothing of single programs: they compare the words of two calls. Imported by the
hook where a tool runs a program that memory knows of.
"""

import re
from collections import Counter

from gieok.text.gates.programs import CommandWords, is_interpreter
from gieok.text.gates.shell import Invocation, LineTooLargeError, read_whole_line
from gieok.text.gates.verdict import SHOWING_PROGRAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: A word that names what a program does, such as `push` or `db:migrate`; a file, a version or an
#: address is none.
_SUBCOMMAND = re.compile(r"[a-z]+(?:[:_-][a-z]+)*")
#: How many of the first words may name what a program does (`compose up`).
_MOST_SUBCOMMANDS = 2
#: Programs that change where or how the next ones run, and do nothing themselves.
_SETTING = frozenset(("cd", "pushd", "popd", "export", "set", "source", ".", ":", "sleep"))


class CommandForm:
    """One program as a command line calls it.

    `words` are all words of the call, programs that wrap it (`uv run`) and variables included, with
    `cd FOLDER` as one word where the line changed the folder. `program` is the innermost program by
    its usual name, `subcommands` the first words that say what it does, `operands` its words
    without options and their values.
    """

    __slots__ = ("arguments", "operands", "program", "subcommands", "words")

    def __init__(
        self,
        program: str,
        subcommands: "Sequence[str]",
        words: "Sequence[str]",
        arguments: "Sequence[str]",
        operands: "Sequence[str]",
    ) -> None:
        self.operands = tuple(operands)
        self.program = program
        self.subcommands = tuple(subcommands)
        self.words = tuple(words)
        self.arguments = tuple(arguments)

    def is_call_of(self, program: str, subcommands: "Sequence[str]") -> bool:
        """Return whether this calls a program for what the given words say, or for more."""
        return self.program == program and self.subcommands[: len(subcommands)] == tuple(
            subcommands
        )


class FormChange:
    """What changed from a call that failed to one that worked: words that went and words that came.

    `is_narrow`: only options and arguments changed, not the program, what wraps it, its folder or
    its variables.
    """

    __slots__ = ("added", "is_narrow", "removed")

    def __init__(
        self, removed: "Sequence[str]", added: "Sequence[str]", *, is_narrow: bool
    ) -> None:
        self.removed = tuple(removed)
        self.added = tuple(added)
        self.is_narrow = is_narrow

    def lacks(self, form: CommandForm) -> bool:
        """Return whether a call is as the one that failed was: what went is there, what came is
        not.

        Of options and what they are given, the options tell.
        """
        words = Counter(map(_strip_value, form.words))
        gone = _select_telling(self.removed)
        come = _select_telling([word for word in self.added if not _is_path(word)] or self.added)
        return not gone - words and (not come or bool(come - words))


def _select_telling(words: "Sequence[str]") -> "Counter[str]":
    """Return the options among words without their values; all words where there is none."""
    options = [word for word in words if word.startswith("-")]
    return Counter(map(_strip_value, options or words))


def read_command_forms(line: str, project: str = "") -> "list[CommandForm]":
    """Return the programs that a command line calls to do something, in order.

    What only shows text or changes the folder is left out; `project` is the name of the project's
    folder, to which folders are relative. Empty for a line that is too large.
    """
    try:
        invocations = read_whole_line(line)
    except LineTooLargeError:
        return []
    forms: list[CommandForm] = []
    outer: Invocation | None = None
    is_script = False
    for invocation, inner in zip(invocations, [*invocations[1:], None], strict=False):
        if is_script:
            is_script = False
            continue
        outer = outer or invocation
        if inner is not None and _is_wrapper_of(invocation, inner):
            # A script is what its interpreter is given: `python`, not `x.py`, is the program.
            is_script = is_interpreter(invocation.program) and _is_path(inner.path)
            if not is_script:
                continue
        if invocation.program not in SHOWING_PROGRAMS and invocation.program not in _SETTING:
            forms.append(_build_form(outer, invocation, project))
        outer = None
    return forms


def _is_wrapper_of(outer: Invocation, inner: Invocation) -> bool:
    words = [inner.path, *inner.arguments]
    return outer.arguments[-len(words) :] == words


def _build_form(outer: Invocation, own: Invocation, project: str) -> CommandForm:
    parsed = CommandWords(own.program, own.arguments)
    subcommands: list[str] = []
    for place, word in enumerate(parsed.words[:_MOST_SUBCOMMANDS]):
        if place in parsed.unsure or not _SUBCOMMAND.fullmatch(word):
            break
        subcommands.append(word)
    words = [f"{name}={value}" for name, value in {**own.assignments, **outer.assignments}.items()]
    if folder := _find_inner_folder(outer.folder, project):
        words.append(f"cd {folder}")
    call = [outer.path, *outer.arguments]
    words += [word for word in call if word not in words]
    return CommandForm(parsed.program, subcommands, words, own.arguments, parsed.words)


def _find_inner_folder(folder: str, project: str) -> str:
    """Return a folder relative to the project; '' for the project's own."""
    parts = [part for part in folder.split("/") if part not in ("", ".")]
    if folder.startswith(("/", "~")) and project in parts:
        parts = parts[len(parts) - parts[::-1].index(project) :]
    return "/".join(parts)


def compare_forms(failed: CommandForm, worked: CommandForm) -> "FormChange | None":
    """Return what changed between two calls that do the same; None where they do different things.

    The same program must do the same, or another one take its place with all else as it was. A call
    for another file is another call, and so is one for fewer files.
    """
    removed = list((Counter(failed.words) - Counter(worked.words)).elements())
    added = list((Counter(worked.words) - Counter(failed.words)).elements())
    if not (removed or added):
        return None
    if failed.program != worked.program:
        if not _takes_place(failed, removed):
            return None
    elif failed.subcommands[:1] != worked.subcommands[:1] or _is_for_other_files(failed, worked):
        return None
    elif not _changes_way(failed, worked):
        return FormChange(removed, added, is_narrow=True)
    # Options that came along with another way of calling are not what made it work.
    before, after = Counter(_list_way(failed)), Counter(_list_way(worked))
    return FormChange(
        list((before - after).elements()), list((after - before).elements()), is_narrow=False
    )


def _is_for_other_files(failed: CommandForm, worked: CommandForm) -> bool:
    """Return whether a call of the same program is for another file, or only for fewer files."""
    gone = _list_file_names(failed, worked)
    come = _list_file_names(worked, failed)
    if gone - come:
        return True
    is_more = not Counter(failed.words) - Counter(worked.words)
    return bool(come - gone) and is_more and not _changes_way(failed, worked)


def _list_file_names(form: CommandForm, other: CommandForm) -> "set[str]":
    """Return the names of the files that a call is for, and another one is not."""
    return {
        _strip_folders(word) for word in form.operands if _is_path(word) and word not in other.words
    }


def _takes_place(failed: CommandForm, removed: "Sequence[str]") -> bool:
    """Return whether only the program's own words went, and others stayed."""
    own = {failed.program, failed.words[0], *failed.words[0].split("-")}
    return len(failed.words) > len(removed) and all(_strip_folders(word) in own for word in removed)


def _changes_way(failed: CommandForm, worked: CommandForm) -> bool:
    """Return whether the program is called another way: by a wrapper, a folder, a variable."""
    return _list_way(failed) != _list_way(worked)


def _list_way(form: CommandForm) -> "list[str]":
    """Return the words before the program's own arguments; of a variable its name alone."""
    way = form.words[: len(form.words) - len(form.arguments)]
    return [_strip_value(word) for word in way]


def _strip_value(word: str) -> str:
    name, mark, _ = word.partition("=")
    return name + mark


def _is_path(word: str) -> bool:
    return ("/" in word or "." in word) and not word.startswith("-") and "=" not in word


def _strip_folders(word: str) -> str:
    return word.rstrip("/").rpartition("/")[2]
