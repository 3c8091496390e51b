"""What the operations on a project's code share: which project is meant, and how an answer says how fresh it is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok import places
from gieok.capabilities.code.index.project import Freshness, Project
from gieok.capabilities.code.model import layout
from gieok.errors import NotIndexed
from gieok.ops.context import Context
from gieok.ops.encode import As, OrNull
from gieok.ops.operation import Style, Words

#: Of files that differ from the index, so many are named.
_MOST_NAMED = 20


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


class FreshnessRow(NamedTuple):
    """How an answer stands to the files: `dirty` of them differ from the index."""

    commit: OrNull[str]
    head: OrNull[str]
    indexed_at: str
    dirty: int
    dirty_files: tuple[str, ...]


def _row(f: Freshness) -> FreshnessRow:
    return FreshnessRow(f.commit, f.head, f.indexed_at, len(f.dirty), f.dirty[:_MOST_NAMED])


#: The freshness of an answer, as its JSON shows it.
ShownFreshness = Annotated[Freshness, As(_row)]


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
