"""What memory knows for the moment of an action, as small files of the home, one a scope.

Forms of commands that failed and worked, what mended an error, and where memories stand that name a
file, a program or an error. The files are derived from the journal and the store; of memories they
name lines and hold no text, of tool uses they hold what the journal holds of them: shortened and
without secrets. The hook reads them at every tool call, so the module imports little.
"""

import json
import os

from gieok.places.home import action_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

#: To be raised whenever the rows of the file change: an older file is no file.
VERSION = 1
#: What reading a damaged file raises.
DAMAGED = (ValueError, KeyError, TypeError, AttributeError)


class FormLesson:
    """Call of a program that failed, and the form of it that worked in the same session.

    `removed` and `added` are the words that changed; `error` is what the failure said, '' where it
    said nothing.
    """

    __slots__ = (
        "added",
        "agent",
        "at",
        "error",
        "failed",
        "program",
        "removed",
        "session",
        "subcommands",
        "worked",
    )

    def __init__(
        self,
        *,
        program: str,
        subcommands: "Sequence[str]",
        removed: "Sequence[str]",
        added: "Sequence[str]",
        failed: str,
        worked: str,
        error: str,
        at: float,
        agent: str,
        session: str,
    ) -> None:
        self.program, self.subcommands = program, list(subcommands)
        self.removed, self.added = list(removed), list(added)
        self.failed, self.worked, self.error = failed, worked, error
        self.at, self.agent, self.session = at, agent, session


class MendLesson:
    """Error that a command gave, and what was done before the same command worked.

    `errors` are the lines of the error in the form in which they are known again, `error` is one of
    them as it was; `steps` are commands that were run, `paths` files that were edited, `said` the
    last words before the command worked.
    """

    __slots__ = ("agent", "at", "command", "error", "errors", "paths", "said", "session", "steps")

    def __init__(
        self,
        *,
        errors: "Sequence[str]",
        error: str,
        command: str,
        steps: "Sequence[str]",
        paths: "Sequence[str]",
        said: str,
        at: float,
        agent: str,
        session: str,
    ) -> None:
        self.said = said
        self.errors, self.error, self.command = list(errors), error, command
        self.steps, self.paths = list(steps), list(paths)
        self.at, self.agent, self.session = at, agent, session


class NamedLines:
    """Lines of a document that state something and name files, symbols, programs or errors.

    `first` and `last` are line numbers from 1; `check` is the checksum of the lines, by which they
    are known to be the ones that were read. `at` is in Unix seconds; `is_rule`: a user's rule.
    `source` is the file of a note, '' for a turn, and `category` the kind of a record.
    """

    __slots__ = (
        "at",
        "category",
        "check",
        "first",
        "is_rule",
        "key",
        "last",
        "marks",
        "paths",
        "programs",
        "source",
        "stems",
        "symbols",
    )

    def __init__(
        self,
        *,
        key: str,
        first: int,
        last: int,
        check: int,
        at: float,
        paths: "Sequence[str]",
        symbols: "Sequence[str]",
        stems: "Sequence[str]",
        programs: "Sequence[str]",
        marks: "Sequence[str]",
        is_rule: bool = False,
        source: str = "",
        category: str = "",
    ) -> None:
        self.key, self.first, self.last, self.check, self.at = key, first, last, check, at
        self.paths, self.symbols = list(paths), list(symbols)
        self.programs, self.marks, self.stems = list(programs), list(marks), list(stems)
        self.is_rule, self.source, self.category = is_rule, source, category


class ActionKnowledge:
    """Everything that the file of a scope holds, newest first."""

    __slots__ = ("forms", "lines", "mends")

    def __init__(
        self,
        forms: "Sequence[FormLesson]" = (),
        mends: "Sequence[MendLesson]" = (),
        lines: "Sequence[NamedLines]" = (),
    ) -> None:
        self.forms, self.mends, self.lines = list(forms), list(mends), list(lines)

    def build_row(self) -> "dict[str, object]":
        """Return it as JSON."""
        return {
            "version": VERSION,
            "forms": [_build_lesson_row(one) for one in self.forms],
            "mends": [_build_lesson_row(one) for one in self.mends],
            "lines": [_build_lesson_row(one) for one in self.lines],
        }


def _build_lesson_row(one: "FormLesson | MendLesson | NamedLines") -> "dict[str, Any]":
    return {name: getattr(one, name) for name in one.__slots__}


def load_action_knowledge(home: str, scope: str) -> ActionKnowledge:
    """Return what a scope knows; nothing where there is no file, or one that cannot be read."""
    try:
        with open(action_file(home, scope), encoding="utf-8") as opened:
            data: Mapping[str, Any] = json.load(opened)
        if data["version"] != VERSION:
            return ActionKnowledge()
        return ActionKnowledge(
            [FormLesson(**row) for row in data["forms"]],
            [MendLesson(**row) for row in data["mends"]],
            [NamedLines(**row) for row in data["lines"]],
        )
    except (OSError, *DAMAGED):
        return ActionKnowledge()


def write_action_knowledge(home: str, scope: str, knowledge: ActionKnowledge) -> None:
    """Write what a scope knows in one step that survives a kill; a file of nothing is removed."""
    from gieok import fs  # the hook only reads

    file = action_file(home, scope)
    if not (knowledge.forms or knowledge.mends or knowledge.lines):
        if os.path.exists(file):
            os.unlink(file)
        return
    text = json.dumps(knowledge.build_row(), ensure_ascii=False)
    fs.replace_private(file, text.encode("utf-8", "surrogatepass"))
