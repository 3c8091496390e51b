"""What the operations on a project's code share: which project is meant, and how an answer says how fresh it is."""

from collections.abc import Mapping
from pathlib import Path

from gieok import places
from gieok.capabilities.code.index.project import Freshness, Project
from gieok.capabilities.code.model import layout
from gieok.errors import NotIndexed
from gieok.ops.context import Context
from gieok.ops.operation import Style, Words


def opened(context: Context) -> Project:
    """Return the project around the current folder. Raises NotIndexed where none is indexed."""
    root = layout.find_root(context.caller.folder)
    if root is None:
        raise NotIndexed(
            f"no project is indexed at or above {str(context.caller.folder)!r}",
            hint="run `gieok code init` in its folder",
        )
    return context.code.project(root)


def role_of(root: Path) -> str:
    """Return the role under which the meter counts what models read and write of a project."""
    return f"code {places.project_scope(str(root))}"


def upkeep_role_of(root: Path) -> str:
    """Return the role under which the meter counts the summaries of what changes, by the cheap model."""
    return f"code upkeep {places.project_scope(str(root))}"


def note_of(freshness: Freshness) -> Words | None:
    """Return what a reader must know of an answer from an index that is behind; None where it is not."""
    if not freshness.dirty:
        return None
    count = len(freshness.dirty)
    return Words(
        f"{count} file{' differs' if count == 1 else 's differ'} from the index: run `gieok code sync`",
        f"파일 {count}개가 색인과 다름: `gieok code sync` 실행",
    )


def freshness_lines(freshness: Freshness, style: Style) -> list[str]:
    """Return the note as lines to show."""
    note = note_of(freshness)
    return [style.dim(note.say(style.lang))] if note else []


def pending_lines(pending: Mapping[str, object] | None, style: Style) -> list[str]:
    """Return a mention of an escalation that waits."""
    if not pending:
        return []
    reasons = pending.get("reasons")
    count = len(reasons) if isinstance(reasons, list) else 1
    note = Words(
        f"{count} change{' waits' if count == 1 else 's wait'} for a deeper look: `gieok code escalate`",
        f"깊은 분석을 기다리는 변경 {count}건: `gieok code escalate`",
    )
    return [style.dim(note.say(style.lang))]
