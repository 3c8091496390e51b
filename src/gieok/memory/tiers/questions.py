"""Questions of an archive to a person: about deleted files, and changes on both sides."""

import json
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from gieok.model.memory import Scope
from gieok.ports.journal import KeptValues
from gieok.text.handles import build_handle

_REALM = "archive.questions"


class ArchiveQuestionKind(StrEnum):
    """Kind of a question: forget a deleted memory, or drop the losing version of a conflict."""

    DELETED = "deleted"
    EDITED = "edited"


class ArchiveQuestion(NamedTuple):
    """Question of an archive about one memory.

    `path` is the memory's file; for EDITED it is the conflict note with the losing version.
    Questions of one `group` are asked as one question.
    """

    what: ArchiveQuestionKind
    scope: Scope
    key: str
    path: str
    asked_at: str
    group: str = ""

    @property
    def handle(self) -> str:
        """Return the handle of the memory."""
        return build_handle(self.scope.path, self.key)

    @property
    def name(self) -> str:
        """Return the name that a person answers by: the group of the question, or the handle."""
        return self.group or self.handle


def load_questions(journal: KeptValues) -> list[ArchiveQuestion]:
    """Return the open questions, the oldest first."""
    records = (json.loads(text) for text in journal.kept(_REALM).values())
    rows = (
        ArchiveQuestion(ArchiveQuestionKind(what), Scope(scope), *rest)
        for what, scope, *rest in records
    )
    return sorted(rows, key=lambda one: (one.asked_at, one.path))


def store_questions(journal: KeptValues, asked: Iterable[ArchiveQuestion]) -> None:
    """Keep questions; a new question about a memory replaces the older one."""
    values = {
        _format_question_key(question.scope, question.key): json.dumps(
            [*question], ensure_ascii=False, default=str
        )
        for question in asked
    }
    if values:
        journal.keep(_REALM, values)


def drop_questions(journal: KeptValues, answered: Sequence[tuple[Scope, str]]) -> None:
    """Drop the questions about memories."""
    if answered:
        journal.keep(_REALM, {}, [_format_question_key(scope, key) for scope, key in answered])


def _format_question_key(scope: Scope, key: str) -> str:
    return f"{scope.path}\n{key}"
