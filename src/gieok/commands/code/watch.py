"""`gieok code watch`: sync whenever files change, until interrupted or by the daemon."""

import contextlib
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated

from gieok.code.index import scan, watch_list
from gieok.code.index.ignore_rules import IgnoreRules
from gieok.code.index.project import Project
from gieok.code.languages.table import find_source_language
from gieok.commands.code import init as code_init
from gieok.commands.code.init import CodeSyncResult, sync_project_index
from gieok.commands.code.project import open_current_project
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden, mark_encoded_getter
from gieok.errors import BadConfig, BadRequest
from gieok.home import code_settings
from gieok.home.call import Call
from gieok.text.messages import Words

#: Above this many changed files, comparing everything is cheaper.
_BULK = 50
#: The daemon looks every second.
_PATIENCE_S = 10.0
_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class HandedResult:
    """Result of handing a project to the daemon, or taking it back.

    Whether the daemon watches the project now, whether it did before, the running daemon, and its
    status of the project.
    """

    root: Path
    handed: bool
    was_handed: Hidden[bool]
    #: The process of the daemon that runs.
    daemon: int | None = None
    state: Hidden[str] = ""

    @property
    @mark_encoded_getter
    def watching(self) -> bool:
        """True where the daemon sees every change from now on."""
        return bool(self.state) and not self.state.startswith("failed")

    @property
    def found(self) -> bool:
        """False where there was no watch to stop."""
        return self.handed or self.was_handed


def render_code_watch(result: CodeSyncResult | HandedResult, style: Style) -> str:
    """Show the last sync, or the watcher."""
    if isinstance(result, CodeSyncResult):
        return code_init.render_code_sync(result, style)
    root = printable(str(result.root))
    if not result.handed:
        words = (
            Words.of("the daemon watches {root} no longer", root=root)
            if result.was_handed
            else Words.of("the daemon did not watch {root}", root=root)
        )
    elif result.watching:
        words = Words.of("the daemon watches {root}", root=root)
    elif result.state:
        state = printable(result.state)
        words = Words.of("{root} is handed over, but: {state}", root=root, state=state)
    elif result.daemon:
        words = Words.of(
            (
                "{root} is handed over, but the daemon does not take it (an older one?): `gieok "
                "down`, then `gieok up`"
            ),
            root=root,
        )
    else:
        words = Words.of(
            "{root} is handed over, but no daemon runs: `gieok up` starts it", root=root
        )
    return words.say(style.lang)


@command(
    "code watch",
    Words("Keep the project's index up to date while files change"),
    present=render_code_watch,
    examples=("gieok code watch", "gieok code watch --daemon", "gieok code watch --stop"),
    effect=Effect.WRITE,
)
def watch_code(
    call: Call,
    *,
    once: Annotated[bool, Parameter(Words("stop after the first change"))] = False,
    daemon: Annotated[
        bool, Parameter(Words("let the daemon (`gieok up`) watch from now on, after restarts too"))
    ] = False,
    stop: Annotated[bool, Parameter(Words("let the daemon watch no longer"))] = False,
) -> CodeSyncResult | HandedResult:
    """Sync now and after each change, hand the project to the daemon, or take it back."""
    if daemon + stop + once > 1:
        raise BadRequest("--daemon, --stop and --once exclude each other")
    project = open_current_project(call)
    if daemon:
        return _hand_project_to_daemon(call, project.root)
    if stop:
        return HandedResult(
            project.root, False, watch_list.unwatch_project(call.home.folder, project.root)
        )
    return _watch_project_files(call, project, once=once)


def _hand_project_to_daemon(call: Call, root: Path) -> HandedResult:
    """Hand a project to the daemon; where a daemon runs, wait until it reports the project."""
    was_handed = root in watch_list.list_watched_roots(call.home.folder)
    watch_list.watch_project(call.home.folder, root)
    control = call.home.daemon if call.home.daemon is not None else None
    deadline = time.monotonic() + _PATIENCE_S
    while (running := control.status() if control else None) and time.monotonic() < deadline:
        if state := running.parts.get(watch_list.name_watched_part(root), ""):
            return HandedResult(
                root=root, handed=True, was_handed=was_handed, daemon=running.pid, state=state
            )
        time.sleep(_POLL_S)
    return HandedResult(root, True, was_handed, running.pid if running else None)


def _watch_project_files(call: Call, project: Project, *, once: bool) -> CodeSyncResult:
    result = sync_project_index(call, project, "watch")
    call.tell(call.words("watching") + f" {project.root}")
    is_done = False

    def read(changed: set[Path]) -> bool:
        nonlocal result, is_done, project
        project = _with_current_settings(call, project)
        paths = select_indexable_paths(project.root, changed, project.rules, project.store.files())
        if changed and not paths and code_settings.locate_code_config(project.root) not in changed:
            return True
        is_some = 0 < len(paths) <= _BULK and all(map(find_source_language, paths))
        result = sync_project_index(call, project, "watch", only=paths if is_some else ())
        if result.note:
            call.tell(printable(result.note))
        if result.change.touched:
            call.tell(", ".join(result.change.touched[:5]))
            is_done = once
        return True

    with contextlib.suppress(KeyboardInterrupt):
        call.home.watching.follow(lambda: [project.root], read, is_stopped=lambda: is_done)
    return result


def _with_current_settings(call: Call, project: Project) -> Project:
    """Return the project with the settings that its file has now.

    Settings with an error are told, and those before hold on.
    """
    try:
        return project._replace(tuning=code_settings.load_tuning(call.home.folder, project.root))
    except BadConfig as error:
        call.tell(printable(str(error)))
        return project


def select_indexable_paths(
    root: Path, changed: set[Path], rules: IgnoreRules, known: Collection[str] | None = None
) -> list[str]:
    """Return the changed paths that are indexed, or would be, by the rule of `scan`.

    `known` are the indexed files; with None, any removed or unreadable path may have been indexed.
    A folder is returned too: when a folder is moved here or away, no change of its files is
    reported.
    """
    folders = {folder for path in known or () for folder in map(str, PurePosixPath(path).parents)}
    indexable = []
    inside = sorted(path.relative_to(root).as_posix() for path in changed if root in path.parents)
    for relative, looked in zip(inside, scan.look_at_paths(root, inside, rules), strict=True):
        path = root / relative
        if known is None:
            is_ours = isinstance(looked, scan.Skipped) and looked.reason != scan.IGNORED
            is_folder = looked is None and not path.suffix and not path.is_file()
        else:
            is_ours, is_folder = (
                relative in known,
                relative in folders or (looked is None and path.is_dir()),
            )
        if isinstance(looked, scan.SourceCandidate) or is_ours or is_folder:
            indexable.append(relative)
    return indexable
