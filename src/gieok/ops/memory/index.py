"""`gieok index`: make the store hold what is on disk, once or for as long as it is watched."""

from dataclasses import dataclass
from os.path import normpath
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok.agents.openclaw import installation
from gieok.capabilities.files import roots, sessions, sync
from gieok.engine import lifecycle
from gieok.engine.ingest import Report
from gieok.errors import BadRequest, EmbedderFailed, NotIndexed, StoreError
from gieok.ops.context import Context
from gieok.ops.encode import INLINE, As, Hidden, OrNull, Reason
from gieok.ops.memory.replica import copy_beside
from gieok.ops.operation import Effect, Operation, Style, Words, argument
from gieok.ports.store import ManagedCopy, ModelSwitch, VectorSearch


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRequest:
    """Parameters of `gieok index`."""

    paths: list[str] = argument(
        Words("folders or files; without any, everything indexed before", "폴더나 파일; 없으면 전에 색인한 모든 것"),
        [], positional=True,
    )  # fmt: skip
    force: bool = argument(
        Words("cut and store unchanged files again too", "바뀌지 않은 파일도 다시 자르고 저장"), False
    )
    rebuild: bool = argument(
        Words("make all vectors again with the configured model, beside the old ones, then swap",
              "설정된 모델로 모든 벡터를 옛것 옆에 새로 만든 뒤 바꿈"), False,
    )  # fmt: skip
    remove: bool = argument(
        Words(
            "index these folders no longer, and forget what came from them",
            "이 폴더들을 더는 색인하지 않고 거기서 온 것을 잊음",
        ),
        False,
    )
    sessions: bool = argument(
        Words(
            "OpenClaw's transcripts too; with --remove, forget them", "OpenClaw의 대화 기록도; --remove와 함께면 잊음"
        ),
        False,
    )
    no_wait: bool = argument(
        Words("do not wait for vectors; keyword search works at once", "벡터를 기다리지 않음; 키워드 검색은 바로 됨"),
        False,
    )
    watch: bool = argument(Words("keep running and index what changes", "계속 실행하며 바뀌는 것을 색인"), False)


class IndexCounts(NamedTuple):
    """How many documents there were of each, and what failed."""

    added: int
    changed: int
    removed: int
    unchanged: int
    forgotten: list[str]
    failed: list[Reason]
    warnings: list[Reason]


def _counted(r: Report) -> IndexCounts:
    failed, warnings = ([Reason(one.key, one.reason) for one in rows] for rows in (r.failed, r.warnings))
    counts = (len(r.added), len(r.changed), len(r.removed), r.unchanged)
    return IndexCounts(*counts, sorted(r.forgotten), failed, warnings)


@dataclass(frozen=True, slots=True)
class IndexResult:
    """What was done, and how many passages still wait for a vector."""

    report: Annotated[Report, As(_counted), INLINE]
    embedded: int = 0
    waiting: int = 0
    #: Documents uploaded to a service, or deleted there.
    moved: int = 0
    note: OrNull[str] = ""
    found: Hidden[bool] = True


def run(context: Context, request: IndexRequest) -> IndexResult:
    """Index, and with `watch` go on until interrupted."""
    if request.rebuild and (request.no_wait or context.memory.embedder_name == "none"):
        raise BadRequest(
            "--rebuild makes vectors, but no embedder is used", hint="leave out --no-wait, and set `embedder`"
        )
    store, scope = context.memory.store(), context.scope
    if request.rebuild and not isinstance(store, ModelSwitch):
        raise BadRequest(f"{context.memory.store_name} makes its vectors itself", hint="leave out --rebuild")
    if request.remove:
        return _remove(context, request)
    wanted = (
        roots.add(context.memory.notes(), scope, [_existing(context, path) for path in request.paths])
        if request.paths
        else roots.load(store, scope)
    )
    state = _openclaw(context, request)
    if not wanted and state is None:
        raise NotIndexed(f"nothing has been indexed in scope {str(scope)!r}, so there is nothing to index again")
    progress = context.progress("indexed")
    report = (
        sync.sync(store, scope, wanted, context.memory.cut, force=request.force, progress=progress)
        if wanted
        else Report()
    )
    if state is not None:
        report.merge(_sync_sessions(context, state, force=request.force))
    result = _with_vectors(context, request, report)
    if request.watch:
        context.tell(present(result, Style(context.lang, colour=False)))
        return _watched(context, request, wanted, state, result)
    return result


def _openclaw(context: Context, request: IndexRequest) -> Path | None:
    """Return OpenClaw's state folder where its transcripts are wanted; None where they are not, or it is not there."""
    if not (request.sessions or context.memory.transcripts.are_wanted(context.scope)):
        return None
    state = installation.state_folder(context.caller.environment, context.caller.user)
    if request.sessions and not state.is_dir():
        raise BadRequest(f"no OpenClaw in {str(state)!r}", hint="set OPENCLAW_STATE_DIR")
    return state if state.is_dir() else None


def _sync_sessions(context: Context, state: Path, *, force: bool = False) -> Report:
    return sessions.sync(
        context.memory.store(), context.scope, state, context.memory.cut, context.memory.transcripts.open,
        force=force, progress=context.progress("indexed"),
    )  # fmt: skip


def _remove(context: Context, request: IndexRequest) -> IndexResult:
    store, scope = context.memory.store(), context.scope
    folders = [_absolute(context, path) for path in request.paths]
    if not roots.remove(context.memory.notes(), scope, folders) and not request.sessions:
        known = ", ".join(str(root.path) for root in roots.load(store, scope)) or "none"
        raise BadRequest(f"no indexed folder among {request.paths!r}", hint=f"indexed: {known}")
    talk = sessions.forget(store, scope) if request.sessions else []
    report = Report(removed=[*sync.forget_retired(store, scope), *talk])
    store.compact()
    copy_beside(context, context.scope)
    return IndexResult(report)


def _absolute(context: Context, path: str) -> Path:
    return Path(normpath(context.caller.path(path)))  # `..` would be a root of that name


def _existing(context: Context, path: str) -> Path:
    found = _absolute(context, path)
    if found == Path(found.anchor):
        raise BadRequest(f"{path!r} is the whole disk", hint="give a folder of notes")
    if not found.exists():
        raise BadRequest(f"no such file or folder: {path!r}", hint="give a folder with Markdown files, or one file")
    return found


def _with_vectors(context: Context, request: IndexRequest, report: Report) -> IndexResult:
    store = context.memory.store()
    embedder = None if request.no_wait or not isinstance(store, VectorSearch) else context.memory.embedder()
    embedded, note = 0, ""
    if embedder is not None and request.rebuild and isinstance(store, ModelSwitch):
        embedded = lifecycle.switch_model(store, embedder, context.progress("embedded"))
        note = "" if embedded else f"every vector was made by {embedder.model} already"
    elif embedder is not None and isinstance(store, VectorSearch):
        embedded = lifecycle.fill_vectors(store, embedder, context.progress("embedded"))
    stats = store.stats(context.scope)
    has_vectors = isinstance(store, VectorSearch) and context.memory.embedder_name != "none"
    waiting = stats.passages - stats.vectors if has_vectors else 0
    if waiting and request.no_wait:
        note = "run `gieok index` to make the vectors that are missing"
    store.compact()
    moved = 0
    if isinstance(store, ManagedCopy) and not request.no_wait:
        moved = store.push(context.progress("uploaded"))
    copy_beside(context, context.scope, force=request.force)
    return IndexResult(report, embedded, waiting, moved, note)


def _watched(
    context: Context, request: IndexRequest, wanted: list[roots.Root], state: Path | None, result: IndexResult
) -> IndexResult:
    """Index what changes until interrupted; return what was done last."""
    store, scope = context.memory.store(), context.scope
    context.tell(context.words("watching; Ctrl-C ends it", "지켜보는 중; Ctrl-C로 끝냄"))

    is_behind = False

    def read(changed: set[Path]) -> bool:
        nonlocal result, is_behind
        try:
            report = sync.sync_changed(store, scope, wanted, context.memory.cut, changed)
            if state and (not changed or any(path.is_relative_to(state) for path in changed)):
                report.merge(_sync_sessions(context, state))
            if is_behind or report.added or report.changed or report.removed or report.failed:
                result = _with_vectors(context, request, report)
                context.tell(present(result, Style(context.lang, colour=False)))
        except (StoreError, EmbedderFailed) as error:  # a busy store, a full disk
            context.tell(f"{error} ({error.hint})")
            is_behind = True
            return False
        is_behind = False
        return True

    folders = [root.watched for root in wanted] + ([state / "agents"] if state and (state / "agents").is_dir() else [])
    context.admin.watching.follow(lambda: folders, read)
    return result


def present(result: IndexResult, style: Style) -> str:
    """Show one line of counts, then what failed."""
    r = result.report
    line = style.say(
        f"{len(r.added)} added, {len(r.changed)} changed, {len(r.removed)} removed, {r.unchanged} unchanged, "
        f"{len(r.failed)} failed",
        f"추가 {len(r.added)}, 변경 {len(r.changed)}, 삭제 {len(r.removed)}, 그대로 {r.unchanged}, 실패 {len(r.failed)}",
    )
    if result.embedded:
        line += style.say(f"; {result.embedded} passages embedded", f"; 벡터 {result.embedded}개 만듦")
    if result.moved:
        line += style.say(f"; {result.moved} moved at the service", f"; 서비스에서 {result.moved}개 옮김")
    if result.waiting:
        line += style.say(f"; {result.waiting} wait for vectors", f"; 벡터를 기다리는 구절 {result.waiting}개")
    lines = [line]
    lines += [
        style.say(f"  forgotten, left out until it changes: {key!r}", f"  잊은 것, 바뀔 때까지 뺌: {key!r}")
        for key in r.forgotten
    ]
    lines += [f"  failed: {f.key!r}: {f.reason}" for f in r.failed]
    lines += [f"  warning: {f.key!r}: {f.reason}" for f in r.warnings]
    return "\n".join(lines)


OPERATION = Operation(
    name="index",
    handler=run,
    present=present,
    doc=Words("Index folders of Markdown memory (and text files)", "마크다운 기억 폴더(와 텍스트 파일)를 색인합니다"),
    effect=Effect.WRITE,
)
