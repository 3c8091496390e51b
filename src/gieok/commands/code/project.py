"""Shared parts of the code operations: the project of a call, and the freshness of an answer."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from gieok.code.deepen.escalation import Escalation
from gieok.code.index.project import Freshness, Project
from gieok.code.model import layout
from gieok.commands.command import Style, printable
from gieok.commands.encode import As, OrNull
from gieok.errors import NotIndexed
from gieok.home.call import Call
from gieok.ports.models import Embedder
from gieok.text.messages import WordList, Words

#: Most files that are named of those that differ from the index.
_MOST_NAMED = 20
#: Most files that a line names of those that are followed in part.
_FEW_NAMED = 3


def open_current_project(call: Call) -> Project:
    """Return the project around the current folder. Raises NotIndexed where none is indexed."""
    root = layout.find_root(call.caller.folder)
    if root is None:
        raise NotIndexed(
            "no project is indexed at or above {folder!r}",
            folder=call.caller.folder,
            hint="run `gieok code init` in its folder",
        )
    return call.home.open_project(root)


def open_search_embedder(call: Call, project: Project) -> Embedder | None:
    """Return the embedder where the index has vectors to search; None elsewhere."""
    return call.home.open_embedder() if project.store.stats().vectors else None


class FreshnessRow(NamedTuple):
    """Freshness of an answer: `dirty` files differ from the index.

    `in_part_files` are followed in part; `unread_files` are source files that were not read, with
    the reason. `due` are families of languages whose calls are not linked yet.
    """

    commit: OrNull[str]
    head: OrNull[str]
    indexed_at: str
    dirty: int
    dirty_files: tuple[str, ...]
    in_part: int = 0
    in_part_files: tuple[str, ...] = ()
    unread: int = 0
    unread_files: tuple[str, ...] = ()
    due: tuple[str, ...] = ()


def _build_freshness_row(f: Freshness) -> FreshnessRow:
    return FreshnessRow(
        commit=f.commit,
        head=f.head,
        indexed_at=f.indexed_at,
        dirty=len(f.dirty),
        dirty_files=f.dirty[:_MOST_NAMED],
        in_part=len(f.in_part),
        in_part_files=f.in_part[:_MOST_NAMED],
        unread=len(f.unread),
        unread_files=f.unread[:_MOST_NAMED],
        due=f.due,
    )


#: The freshness of an answer, as its JSON shows it.
ShownFreshness = Annotated[Freshness, As(_build_freshness_row)]


def build_freshness_note(freshness: Freshness) -> Words | None:
    """Return the warning for an answer from an outdated index; None where the index is current."""
    if not freshness.dirty:
        return None
    count = len(freshness.dirty)
    return Words.of(
        "{count} file differs from the index: run `gieok code sync`",
        plural="{count} files differ from the index: run `gieok code sync`",
        count=count,
    )


def render_freshness_notes(freshness: Freshness, style: Style) -> list[str]:
    """Return the freshness warnings as lines to show."""
    notes = (
        build_freshness_note(freshness),
        build_partial_note(freshness),
        build_left_out_note(freshness),
        build_due_note(freshness),
    )
    return [style.dim(printable(note.say(style.lang))) for note in notes if note is not None]


def build_partial_note(freshness: Freshness) -> Words | None:
    """Return a note of the files that are followed in part; None for no such file.

    Calls from those files may be missing from any answer.
    """
    if not freshness.in_part:
        return None
    return Words.of(
        "{count} file is followed in part, calls of it may be missing: {names}",
        plural="{count} files are followed in part, calls of theirs may be missing: {names}",
        count=len(freshness.in_part),
        names=", ".join(_name_few_paths(freshness.in_part)),
    )


def build_due_note(freshness: Freshness) -> Words | None:
    """Return the warning that calls wait to be linked; None where all are linked."""
    if not freshness.due:
        return None
    return Words.of(
        "calls of {families} are not linked yet: run `gieok code sync`",
        families=", ".join(freshness.due),
    )


def build_left_out_note(freshness: Freshness) -> Words | None:
    """Return a note of the source files and folders that were not read; None for no such file."""
    if not freshness.unread:
        return None
    return Words.of(
        "{count} file or folder with source is left out ({names})",
        plural="{count} files or folders with source are left out ({names})",
        count=len(freshness.unread),
        names=WordList(tuple(map(Words.said, _name_few_paths(freshness.unread)))),
    )


def _name_few_paths(paths: Sequence[str]) -> list[str]:
    """Return the first paths, and an ellipsis where there are more."""
    return [*paths[:_FEW_NAMED], *(["…"] if len(paths) > _FEW_NAMED else [])]


def build_none_found_words(what: Words, freshness: Freshness) -> Words:
    """Return the sentence that nothing was found, with the unread files.

    It is stated as a fact only where every file was read.
    """
    if freshness.is_whole:
        return Words.of("{what}.", what=what)
    unread_counts = {
        Words("followed in part"): len(freshness.in_part),
        Words("not read"): len(freshness.unread),
        Words("changed since the index"): len(freshness.dirty),
        Words("not linked yet"): len(freshness.due),
    }
    known = [(words, count) for words, count in unread_counts.items() if count]
    counted = WordList(tuple(Words.of("{count} {what}", count=n, what=w) for w, n in known))
    return Words.of(
        "{what}, but not all files were looked at: {counted}.", what=what, counted=counted
    )


def render_degraded_note(degraded: str | None, style: Style) -> list[str]:
    """Return the line that says why an answer may be worse than usual."""
    return [style.dim(style.say("note: ") + style.told(degraded))] if degraded else []


def render_waiting_escalation(pending: Escalation | None, style: Style) -> list[str]:
    """Return the lines that mention a waiting escalation."""
    if pending is None:
        return []
    note = style.say(
        "{count} change waits for a deeper look: `gieok code escalate`",
        plural="{count} changes wait for a deeper look: `gieok code escalate`",
        count=len(pending.reasons),
    )
    return [style.dim(note)]
