"""`gieok code init`: index the project around the current folder, and `sync`, which both end in the same report."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic

from gieok import locks
from gieok.capabilities.code import deeper, escalation, layout, ownership, statistics
from gieok.capabilities.code import project as code_project
from gieok.capabilities.code.facts import Kind
from gieok.capabilities.code.project import Change, Project
from gieok.engine import lifecycle
from gieok.errors import BadRequest, EmbedderFailed, GeneratorFailed, NotIndexed
from gieok.ops.context import Context
from gieok.ops.operation import Effect, Operation, Style, Words, argument, printable

_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class InitRequest:
    """Parameters of `gieok code init`."""

    path: str = argument(
        Words("the project's folder (default: the repository here)", "프로젝트 폴더 (기본: 여기의 저장소)"),
        "",
        positional=True,
    )
    full: bool = argument(
        Words(
            "read every file again, and let a model describe the project",
            "모든 파일을 다시 읽고 모델이 프로젝트를 설명",
        ),
        False,
    )
    model: str = argument(
        Words(
            "with --full, provider:model (default: the setting code.model)",
            "--full일 때 제공자:모델 (기본: 설정 code.model)",
        ),
        "",
    )
    no_wait: bool = argument(
        Words("do not wait for vectors; words and names work at once", "벡터를 기다리지 않음; 낱말과 이름은 바로 됨"),
        False,
    )


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What was done."""

    root: Path
    change: Change
    embedded: int
    waiting: int
    milliseconds: int
    note: str = ""
    reasons: tuple[str, ...] = ()
    found: bool = field(default=True)

    def to_json(self) -> object:
        """Return the documented shape (docs/code.md)."""
        c, r = self.change, self.change.report
        return {
            "root": str(self.root), "files": c.files, "added": len(r.added), "changed": len(r.changed),
            "removed": len(r.removed), "unchanged": r.unchanged, "linked": c.linked,
            "skipped": [{"path": s.path, "reason": s.reason} for s in c.skipped],
            "failed": [{"path": f.key, "reason": f.reason} for f in r.failed],
            "notes": [{"path": n.path, "reason": n.reason} for n in c.notes],
            "embedded": self.embedded, "waiting": self.waiting, "ms": self.milliseconds, "note": self.note or None,
            "escalation": list(self.reasons),
        }  # fmt: skip


def run(context: Context, request: InitRequest) -> SyncResult:
    """Index a project for the first time, or all of it again."""
    start = (context.folder / request.path).resolve()
    if not start.is_dir():
        raise BadRequest(f"{str(start)!r} is no folder")
    if request.model and not request.full:
        raise BadRequest("--model is for --full: nothing else asks a model", hint="`gieok code init --full --model …`")
    root = start if request.path else layout.find_root(start) or layout.repository(start)
    layout.prepare(root)
    project = _opened(context, root)
    asker = context.asker(root, request.model) if request.full else None
    result = synced(context, project, "init", full=request.full, wait=not request.no_wait)
    if asker is not None:
        try:
            deeper.describe(project, asker)
        except GeneratorFailed as error:  # the index is there all the same
            note = f"no description by a model: {error} ({error.hint})"
            return replace(result, note=f"{result.note}; {note}" if result.note else note)
    return result


def _opened(context: Context, root: Path) -> Project:
    """Return the project of a folder; an index that somebody else made makes room for the user's own."""
    try:
        return context.project(root)
    except NotIndexed as error:
        words = Words("it is made anew", "새로 만듭니다")
        context.tell(f"{error}: {words.say(context.lang)}")
        ownership.discard(context.home, root)
        return context.project(root)


def synced(
    context: Context, project: Project, trigger: str, *, full: bool = False, only: Sequence[str] = (), wait: bool = True
) -> SyncResult:
    """Sync, embed, log, and look whether the change asks for more."""
    started = monotonic()

    def progress(stage: str, done: int, total: int) -> None:
        words = {"reading": Words("reading", "읽는 중"), "linking": Words("linking", "연결하는 중")}[stage]
        context.say(f"{words.say(context.lang)} {done}/{total}" if total > 1 else words.say(context.lang))

    # Two at once would each link what it has read, and the last to write would leave the other's out.
    with locks.exclusive(ownership.lock_file(context.home, project.root, "sync")):
        is_first = not project.store.files()
        before = _shape(project) if not is_first else None
        change = code_project.sync(project, full=full, only=only, progress=progress)
        reasons = _escalated(context, project, change, before) if before is not None and change.linked else []
    embedded, note = _embed(context, project) if wait else (0, "")
    milliseconds = round(1000 * (monotonic() - started))
    if change.touched or is_first:
        _log(context, project, trigger, change, milliseconds)
    project.store.compact()
    waiting = project.store.waiting(code_project.SCOPE) if context.embedder_name != "none" else 0
    return SyncResult(project.root, change, embedded, waiting, milliseconds, note, tuple(reasons))


def _embed(context: Context, project: Project) -> tuple[int, str]:
    embedder = context.embedder()
    if embedder is None or not project.store.missing(1):
        return 0, ""
    total = project.store.waiting(code_project.SCOPE)
    words = Words("words and names work already; embedding", "낱말과 이름은 이미 됨; 벡터 만드는 중").say(context.lang)
    try:
        done = lifecycle.fill_vectors(project.store, embedder, lambda n: context.say(f"{words} {n}/{total}"))
    except EmbedderFailed as error:
        return 0, f"no vectors: {error} ({error.hint})"
    return done, ""


def _shape(project: Project) -> tuple[set[str], set[str], int]:
    """Return modules, classes and the depth of imports, to compare with later."""
    symbols = list(project.store.all_symbols())
    modules = {s.path for s in symbols if s.kind == Kind.MODULE}
    classes = {s.key for s in symbols if s.kind == Kind.CLASS}
    return modules, classes, statistics.import_depth(project)


def _escalated(context: Context, project: Project, change: Change, before: tuple[set[str], set[str], int]) -> list[str]:
    modules, classes, depth = _shape(project)
    reasons = escalation.reasons_of_sync(
        new_modules=sorted(modules - before[0]), new_classes=sorted(classes - before[1]), files=len(change.touched),
        depth_before=before[2], depth_after=depth,
    )  # fmt: skip
    escalation.add(project.root, reasons, change.touched, context.clock.now().isoformat())
    return reasons


def _log(context: Context, project: Project, trigger: str, change: Change, milliseconds: int) -> None:
    r = change.report
    layout.append_log(project.root, "changes", {
        "at": context.clock.now().isoformat(), "trigger": trigger, "commit": project.versions.head() or None,
        "files": change.touched[:100], "created": len(r.added), "updated": len(r.changed), "deleted": len(r.removed),
        "who": project.versions.author() or None, "ms": milliseconds, "tokens": 0,
        "status": "partly" if r.failed else "done",
    })  # fmt: skip


def present(result: SyncResult, style: Style) -> str:
    """Show the report."""
    c, r = result.change, result.change.report
    counts = (c.files, len(r.added), len(r.changed), len(r.removed), len(c.skipped))
    lines = [
        style.bold(
            Words(
                "{} files: {} added, {} changed, {} removed; {} skipped".format(*counts),
                "파일 {}개: 추가 {}, 변경 {}, 삭제 {}; 건너뜀 {}".format(*counts),
            ).say(style.lang)
        )
        + style.dim(f"  {result.milliseconds / 1000:.1f} s")
    ]
    for words, rows in (
        (Words("failed", "실패"), [(f.key, f.reason) for f in r.failed]),
        (Words("as text", "텍스트로"), [(n.path, n.reason) for n in c.notes]),
        (Words("skipped", "건너뜀"), [(s.path, s.reason) for s in c.skipped]),
    ):
        lines += [printable(f"  {words.say(style.lang)}: {path}: {reason}") for path, reason in rows[:_SHOWN]]
        lines += [style.dim(f"  … {len(rows) - _SHOWN}")] if len(rows) > _SHOWN else []
    if result.embedded:
        lines.append(
            Words(f"  {result.embedded} passages embedded", f"  구절 {result.embedded}개에 벡터").say(style.lang)
        )
    if result.waiting:
        lines.append(
            Words(f"  {result.waiting} passages wait for vectors", f"  벡터를 기다리는 구절 {result.waiting}개").say(
                style.lang
            )
        )
    lines += [f"  {result.note}"] if result.note else []
    if result.reasons:
        lines.append(
            Words("  asks for a deeper look: ", "  깊은 분석이 필요: ").say(style.lang) + "; ".join(result.reasons[:3])
        )
    return "\n".join(lines)


OPERATION = Operation(
    name="code init",
    request=InitRequest,
    handler=run,
    present=present,
    effect=Effect.WRITE,
    doc=Words("Index a project's code", "프로젝트의 코드를 색인합니다"),
)
