"""`gieok code init`: index the project around the current folder.

`gieok code sync` ends in the same report, which is made here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Annotated, NamedTuple

from gieok import fs, paths
from gieok.agents.table import find_session_agent
from gieok.code.ask import statistics
from gieok.code.deepen import escalation, moves
from gieok.code.index import embedding, ownership, scan
from gieok.code.index import project as code_project
from gieok.code.index.project import Project, ProjectChange
from gieok.code.index.scan import Skipped
from gieok.code.languages.places import is_document, is_test_file
from gieok.code.model import layout
from gieok.code.model.facts import SymbolKind
from gieok.commands.code import model as code_model
from gieok.commands.code.model import SummaryOutcome
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import INLINE, As, Hidden, OrNull, Reason
from gieok.errors import BadRequest, EmbedderFailed, NotIndexed, StoreCorrupt
from gieok.flow import lifecycle
from gieok.flow.generate import Asker
from gieok.home import withholding
from gieok.home.call import Call
from gieok.model.code import key_path
from gieok.places.checkout import find_repository_top
from gieok.places.home import PROJECT_FOLDER
from gieok.ports.models import Embedder, Followed
from gieok.settings import grants
from gieok.text.messages import Words

_SHOWN = 10
#: Kinds of files that are not read, of which a report gives the number.
_KINDS_SHOWN = 5
#: Symbols of a kind of change that a line of the log names.
_MOST_LOGGED = 100
#: Stages of a sync, for people.
_STAGES = {"reading": Words("reading"), "linking": Words("linking")}


class SyncCounts(NamedTuple):
    """Numbers of files by their change, and the files that could not be read."""

    files: int
    added: int
    changed: int
    removed: int
    unchanged: int
    linked: bool
    skipped: list[Skipped]
    failed: list[Reason]
    notes: list[Skipped]


def _count_project_change(c: ProjectChange) -> SyncCounts:
    r = c.report
    return SyncCounts(
        files=c.files,
        added=len(r.added),
        changed=len(r.changed),
        removed=len(r.removed),
        unchanged=r.unchanged,
        linked=c.linked,
        skipped=c.skipped,
        failed=[Reason(f.key, f.reason) for f in r.failed],
        notes=c.notes,
    )


@dataclass(frozen=True, slots=True)
class CodeSyncResult:
    """Report of a sync."""

    root: Path
    change: Annotated[ProjectChange, As(_count_project_change), INLINE]
    embedded: int
    waiting: int
    ms: int
    #: Kind of files that are not read → their number; None where they were not counted.
    unread_kinds: dict[str, int] | None
    note: OrNull[str] = ""
    #: Reasons for a deeper look.
    escalation: tuple[str, ...] = ()
    summaries: SummaryOutcome = SummaryOutcome()
    found: Hidden[bool] = True


def render_code_sync(result: CodeSyncResult, style: Style) -> str:
    """Show the report."""
    c, r = result.change, result.change.report
    lines = [
        style.bold(
            style.say(
                "{files} file: {added} added, {changed} changed, {removed} removed; {skipped} "
                "skipped",
                plural="{files} files: {added} added, {changed} changed, {removed} removed; "
                "{skipped} skipped",
                count=c.files,
                files=c.files,
                added=len(r.added),
                changed=len(r.changed),
                removed=len(r.removed),
                skipped=len(c.skipped),
            )
        )
        + style.dim(f"  {result.ms / 1000:.1f} s")
    ]
    for what, rows in (
        (style.say("failed"), [Reason(f.key, f.reason) for f in r.failed]),
        (style.say("note"), c.notes),
        (style.say("skipped"), c.skipped),
    ):
        lines += [
            printable(f"  {what}: {path}: {style.told(reason)}") for path, reason in rows[:_SHOWN]
        ]
        lines += [style.dim(f"  … {len(rows) - _SHOWN}")] if len(rows) > _SHOWN else []
    lines += _render_unread_kinds(result.unread_kinds or {}, style)
    if result.embedded:
        lines.append(style.say("  {embedded} passages embedded", embedded=result.embedded))
    if result.waiting:
        waiting = style.say(
            "  {waiting} passages wait for vectors: the next `gieok code sync` goes on, "
            "or `gieok up`",
            waiting=result.waiting,
        )
        lines.append(waiting)
    if result.summaries.written:
        count, tokens = result.summaries.written, result.summaries.tokens
        lines.append(
            style.say(
                "  {count:,} summaries by a model ({tokens:,} tokens)", count=count, tokens=tokens
            )
        )
    lines += [printable(f"  {style.told(result.note)}")] if result.note else []
    if result.escalation:
        lines.append(
            style.say("  asks for a deeper look: ")
            + "; ".join(map(style.told, result.escalation[:3]))
        )
    return "\n".join(lines)


def _render_unread_kinds(kinds: Mapping[str, int], style: Style) -> list[str]:
    """Return the line that counts the files of kinds that are not read."""
    if not kinds:
        return []
    named = [f"{kind} {count:,}" for kind, count in list(kinds.items())[:_KINDS_SHOWN]]
    line = style.say(
        "  {count:,} file of a kind that is not read: {kinds}",
        plural="  {count:,} files of kinds that are not read: {kinds}",
        count=sum(kinds.values()),
        kinds=", ".join([*named, *(["…"] if len(kinds) > _KINDS_SHOWN else [])]),
    )
    return [style.dim(printable(line))]


@command(
    "code init",
    Words("Index a project's code"),
    present=render_code_sync,
    when_stopped=Words("what was read is kept; `gieok code init` goes on"),
    examples=("gieok code init", "gieok code init ~/shop --no-wait"),
    effect=Effect.WRITE,
)
def init_code_index(
    call: Call,
    *,
    path: Annotated[
        str,
        Parameter(Words("the project's folder (default: the repository here)"), positional=True),
    ] = "",
    full: Annotated[
        bool,
        Parameter(
            Words(
                "read every file again, and let a model describe the project and summarise its "
                "symbols"
            )
        ),
    ] = False,
    model: Annotated[
        str, Parameter(Words("with --full, provider:model (default: the setting code.model)"))
    ] = "",
    no_wait: Annotated[
        bool, Parameter(Words("do not wait for vectors; words and names work at once"))
    ] = False,
) -> CodeSyncResult:
    """Index a project for the first time, or index all of it again."""
    start = call.caller.path(path).resolve()
    if not start.is_dir():
        raise BadRequest(
            "{start!r} is no folder",
            start=start,
            hint="name the folder of a project: `gieok code init DIR`",
        )
    if model and not full:
        raise BadRequest(
            "--model is for --full: nothing else asks a model",
            hint="`gieok code init --full --model …`",
        )
    root = start if path else layout.find_root(start) or Path(find_repository_top(str(start)))
    if grants.is_own(str(root)):
        raise BadRequest(
            "{folder!r} holds your own memory, and no project's",
            folder=root / PROJECT_FOLDER,
            hint="name a folder below: `gieok code init DIR`",
        )
    withholding.check_folder(call, str(root))
    layout.prepare_code_folder(root)
    project = _open_indexed_project(call, root)
    asker = call.home.open_code_asker(root, model) if full else None
    return sync_project_index(call, project, "init", full=full, wait=not no_wait, asker=asker)


def _open_indexed_project(call: Call, root: Path) -> Project:
    """Return the project of a folder.

    An index that another user made, or a damaged one, is replaced by the user's own.
    """
    try:
        return _require_sound_project(call.home.open_project(root))
    except (NotIndexed, StoreCorrupt):
        with fs.exclusive(ownership.find_index_lock(call.home.folder, root, "remake")):
            return _rebuild_project_index(call, root)


def _rebuild_project_index(call: Call, root: Path) -> Project:
    try:
        return _require_sound_project(call.home.open_project(root))  # another process was faster
    except (NotIndexed, StoreCorrupt) as error:
        call.tell(f"{error}: {call.words('it is made anew')}")
        if isinstance(error, StoreCorrupt):
            folder = (
                paths.locate_set_aside(call.home.folder)
                / f"code-{call.clock.now():%Y%m%dT%H%M%S%fZ}"
            )
            fs.set_aside(layout.index_file(root), folder)
        ownership.discard(call.home.folder, root)
        return call.home.open_project(root)


def _require_sound_project(project: Project) -> Project:
    """Return a project whose index can be read. Raises StoreCorrupt."""
    if wrong := project.store.check():
        project.store.close()
        raise StoreCorrupt("; ".join(wrong[:3]))
    return project


def sync_project_index(
    call: Call,
    project: Project,
    trigger: str,
    *,
    full: bool = False,
    only: Sequence[str] = (),
    wait: bool = True,
    asker: Asker | None = None,
) -> CodeSyncResult:
    """Sync the index, embed, summarise by models, and log the change.

    `asker` is asked about everything; without it, the cheap model is asked about changed code. Also
    checks whether the change needs an escalation.
    """
    started = monotonic()

    def progress(stage: str, done: int, total: int) -> None:
        what = _STAGES[stage].say(call.lang)
        call.say(f"{what} {done}/{total}" if total > 1 else what)

    # Two at once would each link what it has read, and the last to write would leave the other's
    # out.
    with fs.exclusive(ownership.find_index_lock(call.home.folder, project.root, "sync")):
        is_first = not project.store.files()
        depth = statistics.import_depth(project)
        change = code_project.sync_project(project, full=full, only=only, progress=progress)
        reasons: list[str] = []
        if change.now or change.was:
            # What reads every file looks at everything by itself: it asks for no deeper look.
            if not change.is_full:
                reasons = _note_sync_escalation(call, project, change, depth)
            code_model.mark_waiting_summaries(call, project, change)
    embedded, note = (
        _embed_project(call, project, may_switch=trigger == "init") if wait else (0, "")
    )
    model_report = (
        code_model.summarise_whole_project(call, project, asker)
        if asker
        else code_model.summarise_changed_symbols(call, project)
    )
    note = "; ".join(filter(None, (project.tuning.note, note, model_report.note)))
    milliseconds = round(1000 * (monotonic() - started))
    if change.touched or is_first or model_report.tokens:
        _log_sync_change(call, project, trigger, change, milliseconds, model_report)
    project.store.compact()
    waiting = project.store.waiting(code_project.SCOPE) if call.home.embedder_name != "none" else 0
    return CodeSyncResult(
        root=project.root,
        change=change,
        embedded=embedded,
        waiting=waiting,
        ms=milliseconds,
        unread_kinds=(
            scan.count_unread_kinds(project.root, project.rules) if trigger == "init" else None
        ),
        note=note,
        escalation=tuple(reasons),
        summaries=model_report,
    )


def _embed_project(call: Call, project: Project, *, may_switch: bool) -> tuple[int, str]:
    """Make the missing vectors; make all anew where the settings name another model.

    All are made anew only where a person began the sync (`may_switch`).
    """
    embedder = call.home.open_embedder()
    if embedder is None:
        return 0, ""
    wording = embedding.PassageWording(project.store)
    try:
        behind = _describe_model_difference(embedder, project)
        if behind and may_switch:
            return lifecycle.switch_model(
                project.store, embedder, call.progress("embedded"), form=wording
            ), ""
    except EmbedderFailed as error:
        return 0, f"no vectors: {error} ({error.hint})"
    if not project.store.missing(1):
        return 0, behind
    words = call.words("words and names work already; embedding")
    most = call.home.settings.integer("code.embed_passages")
    chosen = embedding.order(project)[: most or None]

    def progress(done: int) -> None:
        call.say(f"{words} {done}/{len(chosen)}")

    try:
        done = lifecycle.fill_in_order(project.store, embedder, chosen, progress, form=wording)
    except EmbedderFailed as error:
        return 0, f"no vectors: {error} ({error.hint})"
    return done, behind


def _describe_model_difference(embedder: Embedder, project: Project) -> str:
    """Return how the model of the project's vectors differs from the settings; '' for no change."""
    followed = lifecycle.for_store(embedder, project.store)
    difference = followed.behind if isinstance(followed, Followed) else ""
    return difference.replace("gieok index --rebuild", "gieok code init")


def _note_sync_escalation(
    call: Call, project: Project, change: ProjectChange, depth: int
) -> list[str]:
    """Record the reasons for a deeper look; `depth` is the depth of imports before the sync."""
    brought = moves.compare_symbols(project, change)
    modules, classes = brought[SymbolKind.MODULE], brought[SymbolKind.CLASS]
    moved = {key_path(key) for pair in modules.moved.items() for key in pair}
    files = [
        path
        for path in change.touched
        if path not in moved and not is_document(path) and not is_test_file(path)
    ]
    reasons = escalation.reasons_of_sync(
        project.tuning.escalation,
        new_modules=[key_path(key) for key in modules.new],
        new_classes=classes.new,
        files=len(files),
        depth_before=depth,
        depth_after=statistics.import_depth(project),
    )
    at = call.clock.now().isoformat()
    escalation.add_escalation(call.home.folder, project.root, reasons, change.touched, at)
    return reasons


def _log_sync_change(
    call: Call,
    project: Project,
    trigger: str,
    change: ProjectChange,
    milliseconds: int,
    told: SummaryOutcome,
) -> None:
    r = change.report
    log_change(
        call,
        project,
        trigger,
        change.touched,
        (len(r.added), len(r.changed), len(r.removed)),
        milliseconds,
        tokens=told.tokens,
        model=told.model,
        status="partly" if r.failed or told.note else "done",
        note=told.note,
        symbols=_list_changed_symbols(change),
    )


class ChangedSymbols(NamedTuple):
    """Keys of the symbols that a sync created, updated and deleted, sorted."""

    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


_NO_SYMBOLS = ChangedSymbols()


def _list_changed_symbols(change: ProjectChange) -> ChangedSymbols:
    """Return what a sync changed, symbol by symbol; nothing of a first index."""
    was = {symbol.key: symbol.code_hash for symbol in change.was}
    now = {symbol.key: symbol.code_hash for symbol in change.now}
    updated = (key for key in was.keys() & now.keys() if was[key] != now[key])
    return ChangedSymbols(
        created=tuple(sorted(now.keys() - was.keys())),
        updated=tuple(sorted(updated)),
        deleted=tuple(sorted(was.keys() - now.keys())),
    )


def log_change(
    call: Call,
    project: Project,
    trigger: str,
    files: Sequence[str],
    counts: tuple[int, int, int],
    milliseconds: int,
    *,
    tokens: int,
    model: str,
    status: str,
    note: str = "",
    symbols: ChangedSymbols = _NO_SYMBOLS,
) -> None:
    """Add a line to the log of changes; `counts` are files created, updated and deleted.

    Of each list of symbols the first are named. `model` is empty where none was asked.
    """
    created, updated, deleted = counts
    layout.append_log(
        project.root,
        "changes",
        {
            "at": call.clock.now().isoformat(),
            "trigger": trigger,
            "commit": project.versions.head() or None,
            "files": list(files[:100]),
            "created": created,
            "updated": updated,
            "deleted": deleted,
            "symbols": {
                name: list(keys[:_MOST_LOGGED]) for name, keys in symbols._asdict().items() if keys
            },
            "who": project.versions.author() or find_session_agent(call.caller.environment) or None,
            "ms": milliseconds,
            "tokens": tokens,
            "model": model or None,
            "status": status,
            "note": note or None,
        },
    )
