"""`gieok status`: what is remembered, how fresh it is, and with `--deep`, whether every part works."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from gieok.capabilities.files import roots, sync
from gieok.engine.recall import first_answer
from gieok.model.memory import Scope, StoreStats
from gieok.ops.context import Context
from gieok.ops.encode import Hidden, Inline, OrNull, shown
from gieok.ops.home.doctor import Check, probe
from gieok.ops.memory import waiting
from gieok.ops.memory.waiting import Waiting
from gieok.ops.observe.sidecar_state import SidecarState, sidecar_state
from gieok.ops.operation import TRUST_HINT, Operation, Style, Surface, Words, argument
from gieok.ports.store import Described, ManagedCopy, Store, VectorSearch


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusRequest:
    """Parameters of `gieok status`."""

    deep: bool = argument(
        Words("probe every part by using it", "모든 부분을 실제로 써 보며 확인"), False, cli_only=True
    )


class RootPath(NamedTuple):
    """A folder or file that is indexed."""

    name: str
    path: Path


class WaitingCounts(NamedTuple):
    """How many records wait for trust, and whether settings do."""

    records: int
    settings: bool


@dataclass(frozen=True, slots=True)
class StatusResult:
    """Counts of the scope, differences to the disk, and the probes of `--deep`."""

    scope: Scope
    store: str
    location: str
    embedder: str
    stats: Inline[StoreStats]
    roots: tuple[RootPath, ...]
    missing_roots: tuple[str, ...]
    stale: int
    checks: tuple[Check, ...]
    #: What the store tells of itself, and a line for each replica.
    details: tuple[str, ...] = ()
    unreachable: OrNull[str] = ""
    sidecar: SidecarState | None = None
    #: What of the project here waits for trust.
    waits: Hidden[Waiting] = Waiting("")
    found: Hidden[bool] = True

    @property
    @shown
    def state(self) -> str:
        """Return `empty`, `stale` (the disk is newer), `embedding` (vectors are missing) or `synced`."""
        if not self.roots and not self.stats.documents:
            return "empty"
        if self.stale or self.missing_roots:
            return "stale"
        waiting = self.embedder != "none" and self.stats.vectors < self.stats.passages
        return "embedding" if waiting else "synced"

    @property
    @shown
    def waiting(self) -> WaitingCounts:
        """Return how much of the project here waits for trust."""
        return WaitingCounts(len(self.waits.records), self.waits.settings is not None)


def run(context: Context, request: StatusRequest) -> StatusResult:
    """Count, compare with the disk, and probe if asked."""
    stores = context.memory.stores()
    result, silent = first_answer(stores, lambda store: _count(context, store))
    beside = () if silent else tuple(_beside_line(store, context.scope, result.stats) for store in stores[1:])
    checks = tuple(probe(context)) if request.deep else ()
    root = context.project
    waits = waiting.waiting(context.home, root) if root else Waiting("")
    return replace(result, waits=waits, details=result.details + beside, unreachable=silent or "", checks=checks)


def _count(context: Context, store: Store) -> StatusResult:
    known = roots.load(store, context.scope)
    present_roots = [root for root in known if root.path.exists()]
    return StatusResult(
        scope=context.scope,
        store=context.memory.store_name,
        location=store.location,
        embedder=_embedder_name(context, store),
        stats=store.stats(context.scope),
        roots=tuple(RootPath(root.name, root.path) for root in known),
        missing_roots=tuple(root.name for root in known if root not in present_roots),
        stale=sync.count_stale(store, context.scope, present_roots, context.memory.cut),
        checks=(),
        details=tuple(store.describe()) if isinstance(store, Described) else (),
        sidecar=sidecar_state(context),
    )


def _embedder_name(context: Context, store: Store) -> str:
    if isinstance(store, ManagedCopy):
        return store.service_name
    return context.memory.embedder_name if isinstance(store, VectorSearch) else "none"


def _beside_line(store: Store, scope: Scope, stats: StoreStats) -> str:
    """Say how far the index beside a remote store follows it."""
    own = store.stats(scope)
    return f"beside it: {own.documents:,} of {stats.documents:,} documents in {store.location}"


_STATES = {
    "empty": Words("empty", "비어 있음"),
    "stale": Words("stale", "뒤처짐"),
    "embedding": Words("embedding", "벡터 만드는 중"),
    "synced": Words("synced", "동기화됨"),
}


def present(result: StatusResult, style: Style) -> str:
    """Show one line that says it all, then the details."""
    s = result.stats
    state = _STATES[result.state].say(style.lang)
    head = style.say(
        f"Memory: {state} ({result.store}, {s.documents:,} documents, {result.scope})",
        f"기억: {state} ({result.store}, 문서 {s.documents:,}개, {result.scope})",
    )
    size = f"{s.disk_bytes / 1e6:.1f} MB"
    lines = [style.bold(head)]
    lines.append(
        style.say(
            f"  {s.passages:,} passages, {s.vectors:,} with vectors by {result.embedder}, {size} in {result.location}",
            f"  구절 {s.passages:,}개, {result.embedder} 벡터 {s.vectors:,}개, {size}: {result.location}",
        )
    )
    lines += [f"  {line}" for line in result.details]
    lines += [f"  {root.name}: {root.path}" for root in result.roots]
    if result.unreachable:
        lines.append(style.say("  degraded: ", "  제한됨: ") + result.unreachable)
    if result.stale:
        lines.append(
            style.say(
                f"  {result.stale} files differ from the index: run `gieok index`",
                f"  파일 {result.stale}개가 색인과 다름: `gieok index` 실행",
            )
        )
    lines += [
        style.say(f"  the folder of {name!r} does not exist", f"  {name!r}의 폴더가 없음")
        for name in result.missing_roots
    ]
    if result.waits:
        lines.append(f"  {result.waits.words().say(style.lang)}: {TRUST_HINT}")
    lines += result.sidecar.lines(style) if result.sidecar else []
    return "\n".join(lines + [check.line(style) for check in result.checks])


OPERATION = Operation(
    name="status",
    handler=run,
    present=present,
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
    doc=Words("Show what is remembered and how fresh it is", "무엇을 기억하는지, 얼마나 최신인지 보여 줍니다"),
)
