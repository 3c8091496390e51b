"""What an archive asks a person: what they deleted there, and what was changed on both sides."""

import json
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from gieok import places
from gieok.model.memory import Scope
from gieok.ports.journal import KeptValues

_REALM = "archive.questions"


class ArchiveQuestionKind(StrEnum):
    """What is asked: whether what was deleted shall be forgotten; whether the person's version
    stands.
    """

    DELETED = "deleted"
    EDITED = "edited"


class ArchiveQuestion(NamedTuple):
    """One question. `path` is the memory's file, for EDITED the one with Gieok's version; a `group`
    is asked as one.
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
        return places.build_handle(self.scope.path, self.key)

    @property
    def name(self) -> str:
        """Return what a person calls it: its group, or the handle."""
        return self.group or self.handle


def load_questions(journal: KeptValues) -> list[ArchiveQuestion]:
    """Return the open questions, the oldest first."""
    found = (json.loads(text) for text in journal.kept(_REALM).values())
    rows = (
        ArchiveQuestion(ArchiveQuestionKind(what), Scope(scope), *rest)
        for what, scope, *rest in found
    )
    return sorted(rows, key=lambda one: (one.asked_at, one.path))


def store_questions(journal: KeptValues, asked: Iterable[ArchiveQuestion]) -> None:
    """Keep questions; one about the same memory takes the place of another."""
    values = {
        _format_question_key(one.scope, one.key): json.dumps(
            [*one], ensure_ascii=False, default=str
        )
        for one in asked
    }
    if values:
        journal.keep(_REALM, values)


def drop_questions(journal: KeptValues, answered: Sequence[tuple[Scope, str]]) -> None:
    """Drop the questions about memories."""
    if answered:
        journal.keep(_REALM, {}, [_format_question_key(scope, key) for scope, key in answered])


def _format_question_key(scope: Scope, key: str) -> str:
    return f"{scope.path}\n{key}"
