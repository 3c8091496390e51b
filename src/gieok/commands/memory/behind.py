"""Changes that are not taken in yet, for commands that answer without a daemon.

Covers transcripts, files of notes, and a vault.
"""

from pathlib import Path
from typing import NamedTuple

from gieok.commands.encode import Omitted
from gieok.errors import GieokError
from gieok.flow import lifecycle
from gieok.home.call import Call
from gieok.memory.files import freshness, roots
from gieok.model.memory import Scope
from gieok.places.home import PROJECT_FOLDER
from gieok.ports.store import Store, VectorSearch
from gieok.text.messages import Words

#: Files that a search takes in before it answers; more take seconds, and are named.
_MOST_FILES = 100
_PAUSED = Words("memory is paused (`gieok resume`)")
_ELSEWHERE = Words("another process reads it just now")


class Behind(NamedTuple):
    """Content that is not searchable yet: transcripts to read, messages, and changed files.

    `why`: the reason why it could not be taken in or counted; left out where there is none.
    """

    transcripts: int
    messages: int
    files: int = 0
    why: Omitted[Words] = None

    def words(self) -> Words:
        """Return a sentence on the waiting content, and how to take it in."""
        t, m, f, why = self
        if why:
            return Words.of(
                "what was said or changed last may not be searchable yet: {why}", why=why
            )
        if not t and not m:
            return Words.of(
                (
                    "not searchable yet: {f:,} changed files: `gieok up` follows them, `gieok "
                    "index` reads them now"
                ),
                f=f,
            )
        files = Words.of(", {f:,} changed files", f=f) if f else Words("")
        return Words.of(
            (
                "not searchable yet: {t:,} transcripts, {m:,} messages{files}: `gieok up` follows "
                "them, `gieok index` reads them now"
            ),
            t=t,
            m=m,
            files=files,
        )


def caught_up(call: Call, *, use_vectors: bool) -> Behind | None:
    """Take in the last changes where no daemon does; return the rest, None for none.

    An error never stops the caller.
    """
    try:
        followed = _follow_shelves(call)
        left = call.home.catch_up()
        if call.privacy.pause(call.clock.now().timestamp()):
            return Behind(0, 0, why=_PAUSED)
        files, waiting = _follow_files(call)
        _follow_vault(call)
        if (
            (left.made or files or followed)
            and use_vectors
            and isinstance(store := call.home.store, VectorSearch)
        ):
            embedder = call.home.open_embedder()
            if embedder is not None:
                lifecycle.fill_vectors(store, embedder, batches=1)
    # a store or a journal that is busy or read-only: the command answers from the present data
    except (GieokError, OSError) as error:
        return Behind(0, 0, why=Words.said(str(error)))
    why = _ELSEWHERE if left.is_elsewhere else None
    return Behind(left.transcripts, left.messages, waiting, why) if left or waiting else None


def _follow_shelves(call: Call) -> int:
    """Follow records whose index was cut short, on a server; return how many shelves changed."""
    if not call.home.stores.is_remote:
        return 0
    from gieok.commands.memory.shelf_changes import follow_left_changes  # no local search needs it

    return follow_left_changes(call)


def untrusted_records(call: Call, store: Store) -> int:
    """Return how many records of the current project are not searched, because nobody trusts
    them.
    """
    project = call.project
    shelf = Path(project, PROJECT_FOLDER, "memory")
    return roots.not_indexed(store, call.scope, shelf) if project and shelf.is_dir() else 0


def _follow_files(call: Call) -> tuple[int, int]:
    """Take in changed files of indexed folders; return the numbers of files taken in and left.

    A store on a server is left to the daemon: its documents come from many machines.
    """
    if call.home.stores.is_remote:
        return 0, 0
    store = call.home.store
    counts = [_follow_scope(call, store, scope) for scope in call.searched]
    return sum(taken for taken, _ in counts), sum(left for _, left in counts)


def _follow_scope(call: Call, store: Store, scope: Scope) -> tuple[int, int]:
    notes = store.notes(scope)
    if not notes.get(roots.NOTE):
        return 0, 0
    marks = freshness.read_marks(notes.get(freshness.NOTE, ""))
    known = store.hashes(scope)
    fresh, taken, left = dict(marks), 0, 0
    for root in roots.load_roots(store, scope):
        changes = freshness.find_folder_changes(root, marks.get(root.name, 0), known)
        if changes is None or (not marks.get(root.name) and len(changes.changed) > _MOST_FILES):
            # away, too large, or of an index that no mark was made for: `gieok index` compares it
            continue
        if len(changes.changed) > _MOST_FILES:
            left += len(changes.changed)
            continue
        if changes.changed:
            # a search of unchanged files has no time for it
            from gieok.memory.files import sync

            report = sync.sync_changed(store, scope, [root], call.home.cut, set(changes.changed))
            taken += len(report.added) + len(report.changed) + len(report.removed)
        fresh[root.name] = changes.newest_ns
    if fresh != marks:
        store.write_note(scope, freshness.NOTE, freshness.write_marks(fresh))
    return taken, left


def _follow_vault(call: Call) -> None:
    """Take in a person's changes in the notes of the cold tier.

    A vault that is not on this machine is synchronised by its schedule.
    """
    if call.home.settings.text("archive.cold") in ("obsidian", "folder"):
        from gieok.commands.memory import vault  # few have one

        vault.follow_edits(call)
