"""`gieok import`: import another program's memory; the format is recognised by its files."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import INLINE, As, Reason
from gieok.commands.memory.replica import copy_beside
from gieok.commands.moving import import_openclaw, import_own
from gieok.commands.moving.import_openclaw import OpenClawRequest, OpenClawResult
from gieok.commands.observe.run import settle_scope
from gieok.commands.scope_names import name_scope
from gieok.errors import BadRequest, GieokError
from gieok.flow import lifecycle
from gieok.home import imports
from gieok.home.call import Call
from gieok.memory.exchange.intake import ImportSource, Intake, TakenIn
from gieok.memory.files import seeds
from gieok.model.memory import Scope
from gieok.places.project import project_scope
from gieok.places.scope import USER_SCOPE
from gieok.places.workplace import find_workplace
from gieok.ports.imports import ImportedTalk, ImportFiles, ImportReader
from gieok.ports.store import VectorSearch
from gieok.text.messages import Words
from gieok.text.turns import is_users

_OPENCLAW = "openclaw"
#: Where programs keep their memory below the user's folder, for `gieok import NAME`.
_PLACES = {
    "claude-mem": ".claude-mem/claude-mem.db",
    "mem0": ".mem0",
    "basic-memory": "basic-memory",
}
_LABELS = {
    import_own.NAME: Words("an export of Gieok"),
    "chatgpt": Words("ChatGPT's data export"),
    "claude": Words("Claude's data export"),
    "claude-mem": Words("claude-mem"),
    "mem0": Words("mem0"),
    "basic-memory": Words("basic-memory"),
}
_NAMES = (_OPENCLAW, *_LABELS)
_SHOWN_REJECTS = 10
#: Conversations that are counted before a person says whether an export is taken in.
_MOST_COUNTED = 500


class ImportCounts(NamedTuple):
    """Numbers of imported items; `known` items were there already."""

    conversations: int
    messages: int
    memories: int
    replaced: int
    known: int
    scopes: list[Scope]
    rejected: int
    rejects: list[Reason]
    #: Messages and statements that were said in a pause, or belong to an excluded folder or agent.
    withheld: int


def _count_imported_memories(done: TakenIn) -> ImportCounts:
    rejects = [
        Reason(f"{reject.path}#{reject.line}" if reject.line else reject.path, reject.reason)
        for reject in done.rejects
    ]
    return ImportCounts(
        conversations=done.conversations,
        messages=done.messages,
        memories=done.memories,
        replaced=done.replaced,
        known=done.known,
        scopes=sorted(done.scopes),
        rejected=done.rejected,
        rejects=rejects,
        withheld=done.withheld,
    )


@dataclass(frozen=True, slots=True)
class ImportResult:
    """Recognised format, and what was imported.

    `waiting_tokens` are tokens that a model has still to observe; the daemon asks the model within
    its budget.
    """

    program: str
    path: Path
    dry_run: bool
    done: Annotated[TakenIn, As(_count_imported_memories), INLINE]
    waiting_tokens: int = 0

    @property
    def found(self) -> bool:
        """False where there was nothing to import."""
        taken = self.done
        return bool(taken.messages or taken.memories or taken.replaced or taken.known)


def render_import(result: ImportResult | OpenClawResult, style: Style) -> str:
    """Show the recognised format, what was imported, and what was not."""
    if isinstance(result, OpenClawResult):
        return import_openclaw.render_openclaw_import(result, style)
    taken, label = result.done, _LABELS[result.program].say(style.lang)
    head = style.say("would be imported") if result.dry_run else style.say("imported")
    lines = [f"{style.bold(label)}  {printable(str(result.path))}"]
    lines.append(
        style.say(
            "  {head}: {messages} of {conversations}, {memories}",
            head=head,
            messages=style.say(
                "{count} message", plural="{count:,} messages", count=taken.messages
            ),
            conversations=style.say(
                "{count} conversation",
                plural="{count:,} conversations",
                count=taken.conversations,
            ),
            memories=style.say("{count} memory", plural="{count:,} memories", count=taken.memories),
        )
    )
    if taken.known:
        lines.append(style.say("  known already: {known:,}", known=taken.known))
    if taken.withheld:
        lines.append(style.say("  paused or excluded: {withheld:,}", withheld=taken.withheld))
    if taken.scopes:
        lines.append(f"  → {', '.join(map(str, sorted(taken.scopes)))}")
    shown = islice(taken.rejects, _SHOWN_REJECTS)
    lines += [
        f"  ✗ {printable(reject.path)}#{reject.line}: {printable(style.told(reject.reason))}"
        for reject in shown
    ]
    if taken.rejected > _SHOWN_REJECTS:
        lines.append(f"  ✗ … +{taken.rejected - _SHOWN_REJECTS}")
    if result.waiting_tokens:
        lines.append(
            style.say(
                (
                    "  {waiting_tokens:,}+ tokens wait to be observed: `gieok observe run "
                    "--once`, or the daemon does it"
                ),
                waiting_tokens=result.waiting_tokens,
            )
        )
    return "\n".join(lines)


@command(
    "import",
    Words("Import what another program remembered: ChatGPT, Claude, mem0, OpenClaw and more"),
    present=render_import,
    when_stopped=Words(
        "what was imported is kept; the same command goes on, and imports nothing twice"
    ),
    effect=Effect.WRITE,
    takes_in=True,
    examples=(
        "gieok import ~/Downloads/chatgpt-export.zip",
        "gieok import claude-mem --dry-run",
        "gieok import mem0 ./memories.json",
        "gieok import openclaw",
    ),
)
def import_memories(
    call: Call,
    *,
    what: Annotated[
        Sequence[str],
        Parameter(
            Words(
                "a file or folder, or the name of a program, whose own place is looked at; both, "
                "to force what it is"
            ),
            positional=True,
            needed="gieok import ~/Downloads/chatgpt-export.zip",
        ),
    ] = (),
    dry_run: Annotated[bool, Parameter(Words("only count what would be imported"))] = False,
    agent: Annotated[
        str, Parameter(Words("of OpenClaw: only this agent; its memory is the scope agent:NAME"))
    ] = "",
    sessions: Annotated[bool, Parameter(Words("of OpenClaw: what was said to agents too"))] = False,
    no_wait: Annotated[
        bool, Parameter(Words("do not wait for vectors and observing; a daemon does both"))
    ] = False,
) -> ImportResult | OpenClawResult:
    """Recognise the format, import the memory, make it searchable, and observe its messages."""
    name, path = _parse_import_source(call, what=what)
    if name == _OPENCLAW:
        openclaw_request = OpenClawRequest(path, agent, sessions, no_wait)
        return import_openclaw.import_openclaw(call, openclaw_request)
    files, name, reader = _recognise_import_files(call, name, path)
    if name == import_own.NAME:
        with call.home.journal.exclusive("import"):
            taken = import_own.take(call, files, call.progress("Gieok"), is_dry=dry_run)
        waiting = 0 if dry_run else _made_useful(call, taken, wait=not no_wait)
        return ImportResult(
            program=name,
            path=files.path,
            dry_run=dry_run,
            done=taken,
            waiting_tokens=waiting,
        )
    if reader is None:
        return import_openclaw.import_openclaw(
            call, OpenClawRequest(files.path, agent, sessions, no_wait)
        )
    label = _LABELS[name].say(call.lang)
    call.tell(f"{files.path}: {label}")
    intake = Intake(
        journal=call.home.journal,
        store=call.home.store,
        clock=call.clock,
        source=ImportSource(name, str(files.path), _fingerprint_import_files(files)),
        scope_of=_build_scope_finder(call),
        is_dry=dry_run,
        progress=call.progress(label),
        privacy=call.privacy,
    )
    with call.home.journal.exclusive("import"):
        taken = intake.take(reader.read(files))
    waiting = 0 if dry_run else _made_useful(call, taken, wait=not no_wait)
    return ImportResult(
        program=name,
        path=files.path,
        dry_run=dry_run,
        done=taken,
        waiting_tokens=waiting,
    )


def _parse_import_source(call: Call, *, what: Sequence[str]) -> tuple[str, Path | None]:
    """Return the program that is named ('' for none) and the path.

    Raises BadRequest.
    """
    words = list(what)
    path = call.caller.path(words[0], may_be_name=True)
    name = words.pop(0) if words[0] in _NAMES and (len(words) > 1 or not path.exists()) else ""
    if len(words) > 1:
        raise BadRequest(
            "{word!r} is one path too many",
            word=words[1],
            names=", ".join(_NAMES),
            hint="programs: {names}",
        )
    if words:
        return name, call.caller.path(words[0])
    if name == _OPENCLAW:
        return name, None
    if name not in _PLACES:
        raise BadRequest(
            "where is the export of {name}?", name=name, hint="`gieok import {name} PATH`"
        )
    return name, call.caller.user / _PLACES[name]


class RecognisedExport(NamedTuple):
    """What kind of export a file is, the account that it is of ('' where it names none), and how
    many conversations are in it; `has_more`: they were not all counted.
    """

    label: Words
    account: str
    conversations: int
    has_more: bool


def recognise_export(call: Call, file: Path) -> RecognisedExport | None:
    """Return what an export is; None where Gieok knows none, or cannot read it."""
    try:
        files, name, reader = _recognise_import_files(call, "", file)
        if name not in _LABELS:
            return None
        account = imports.find_export_account(name, files)
        sessions = _collect_sessions(reader, files) if reader is not None else set()
    except BadRequest:
        return None
    counted = min(len(sessions), _MOST_COUNTED)
    return RecognisedExport(_LABELS[name], account, counted, len(sessions) > _MOST_COUNTED)


def _collect_sessions(reader: ImportReader, files: ImportFiles) -> set[str]:
    """Return the conversations of an export, and of very many only some."""
    sessions: set[str] = set()
    for piece in reader.read(files):
        if isinstance(piece, ImportedTalk):
            sessions.add(piece.messages[0].session)
        if len(sessions) > _MOST_COUNTED:
            break
    return sessions


def _recognise_import_files(
    call: Call, name: str, path: Path | None
) -> tuple[ImportFiles, str, ImportReader | None]:
    """Return the files, the format's name and the reader of a path.

    The reader is None for a workspace of OpenClaw. Raises BadRequest.
    """
    files = imports.open_import_files(path or call.caller.folder)
    readers = imports.load_import_readers()
    if name in ("", import_own.NAME) and import_own.recognises(files):
        return files, import_own.NAME, None
    for format_name, reader in readers.items():
        if name in ("", format_name) and reader.recognises(files):
            return files, format_name, reader
    if not name and import_openclaw.looks_like_workspace(files.path):
        return files, _OPENCLAW, None
    known = ", ".join(_NAMES)
    raise BadRequest(
        "{path!r} is no memory of {name}" if name else "nothing at {path!r} is known to Gieok",
        path=files.path,
        name=name,
        known=known,
        hint="known: {known}; `gieok index FOLDER` indexes notes of your own",
    )


def _fingerprint_import_files(files: ImportFiles) -> str:
    """Return a checksum that changes when any file at the path changes."""
    rows = []
    for path in [files.path] if files.path.is_file() else map(files.on_disk, files.names()):
        for file in (path, path and path.with_name(f"{path.name}-wal")):
            if file and file.is_file():
                status = file.stat()
                rows.append((file.name, status.st_size, status.st_mtime_ns))
    return hashlib.sha256(repr(sorted(rows)).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _build_scope_finder(call: Call) -> Callable[[str], Scope]:
    """Return a function from a project's name or folder to its scope.

    A project that is not known gets the user's own scope.
    """
    default = call.scope if call.is_scope_named else Scope(USER_SCOPE)
    journal = call.home.journal

    @cache
    def known() -> frozenset[str]:
        roots = filter(None, map(find_workplace, journal.kept(seeds.SESSION_FOLDERS)))
        scopes = {project_scope(root) for root in roots}
        return frozenset(
            scopes | {str(scope) for scope in (*journal.scopes(), *journal.made_scopes())}
        )

    @cache
    def scope_of(project: str) -> Scope:
        if not project or call.is_scope_named:
            return default
        if Path(project).is_absolute() and (root := find_workplace(project)):
            return Scope(project_scope(root))
        start = f"project:{project.replace(chr(92), '/').rstrip('/').rpartition('/')[2]}-"
        fitting = [
            candidate for candidate in known() if candidate.rpartition("-")[0] + "-" == start
        ]
        return Scope(fitting[0]) if len(fitting) == 1 else default

    return scope_of


def _made_useful(call: Call, done: TakenIn, *, wait: bool) -> int:
    """Make imported items searchable, and observe them where rules do.

    Returns the number of tokens that wait for a model.
    """
    sidecar = call.home.sidecar
    if call.home.settings.flag("index.sessions"):
        sidecar.derive_turns(progress=call.progress(call.words("blocks of turns")))
    observes = bool(done.messages) and not sidecar.models.observer_model
    for scope in sorted(done.scopes):
        if observes and wait:
            call.say(call.words("observing {scope}", scope=name_scope(scope)))
            settle_scope(call, scope, flush=True)
        sidecar.write_active_memory(scope)
    store = call.home.store
    if wait and isinstance(store, VectorSearch):
        _embed_imported_memories(call, store)
    for scope in sorted(done.scopes):
        copy_beside(call, scope)
    return sum(map(sidecar.backlog_tokens, done.scopes)) if done.messages else 0


def _embed_imported_memories(call: Call, store: VectorSearch) -> None:
    """Make vectors of imported memories; if the model fails, the memories are found by words."""
    try:
        embedder = call.home.open_embedder()
        if embedder is not None:
            lifecycle.fill_vectors(store, embedder, call.progress("embedded"), is_first=is_users)
        call.home.settle_statements(call.home.sidecar.write_active_memory)
    except GieokError as error:
        call.tell(error.in_full)
