"""`gieok observe run`: read transcripts and observe them, once or until interrupted."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from gieok.capabilities.observe import promotion
from gieok.capabilities.observe.buffer import Step
from gieok.capabilities.observe.notes import Mirrored
from gieok.engine.lifecycle import fill_vectors
from gieok.errors import StoreBusy, StoreUnreachable
from gieok.fs import make_private
from gieok.model.memory import Scope
from gieok.ops.context import Context
from gieok.ops.encode import Hidden, OrNull
from gieok.ops.memory.seeding import seed
from gieok.ops.operation import Effect, Operation, Style, Words, argument, printable
from gieok.ports.store import VectorSearch
from gieok.text.turns import is_users

#: How long a transcript must be quiet before it is read in the foreground.
_DEBOUNCE_MS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserveRunRequest:
    """Parameters of `gieok observe run`."""

    once: bool = argument(
        Words("read, observe all that waits, and end", "읽고, 기다리는 것을 모두 관찰하고 끝냄"), False
    )


@dataclass(frozen=True, slots=True)
class ObserveRunResult:
    """What was read and made. `waiting` is why something waits, '' where nothing does."""

    messages: int
    rejects: int
    steps: dict[str, int]
    troubles: dict[str, str]
    active_memory: tuple[str, ...]
    waiting: OrNull[str]
    notes: Mirrored | None = None
    #: The folders that were looked into.
    folders: Hidden[tuple[str, ...]] = ()
    found: Hidden[bool] = True


def run(context: Context, request: ObserveRunRequest) -> ObserveRunResult:
    """Read and observe."""
    sidecar = context.observe.sidecar()
    steps: Counter[str] = Counter()
    written: set[str] = set()
    unheard: set[str] = set()
    notes = Mirrored()

    @contextmanager
    def heard() -> Iterator[None]:
        try:
            yield
        except (StoreBusy, StoreUnreachable) as error:  # the journal holds it, and hands it over next time
            unheard.add(str(error))

    def derived() -> int:
        with heard():
            return sidecar.derive_turns(progress=context.progress("blocks of turns")).put
        return 0

    def go(*, flush: bool, changed: set[Path] | None = None) -> None:
        ended = sidecar.capture_spool()
        _ = sidecar.capture_all() if changed is None else sidecar.capture_paths(changed)
        with heard():
            notes.add(sidecar.mirror_notes(changed))
        made = derived()
        for scope in sidecar.journal.scopes():
            with heard():
                done = settled(context, scope, flush=flush or scope in ended)
                made += len(done)
                steps.update(step.value for step in done)
                if done or flush:
                    sidecar.write_active_memory(scope)
                    written.add(str(sidecar.active_file(scope)))
        context.say(f"{sidecar.capture.captured.messages} messages, {dict(steps)}")
        store, embedder = context.memory.store(), context.memory.embedder() if made else None
        with heard():
            if embedder is not None and isinstance(store, VectorSearch):
                fill_vectors(store, embedder, is_first=is_users)
            promotion.update(store, context.home)

    def read(changed: set[Path]) -> bool:
        go(flush=False, changed=changed or None)
        return True

    if request.once:
        go(flush=True)
        with heard():
            seed(context)
    else:
        folders = [*sidecar.watched(), make_private(sidecar.spool)]
        context.admin.watching.follow(lambda: folders, read, debounce_ms=_DEBOUNCE_MS)
    captured = sidecar.capture.captured
    waiting = "; ".join([*(incident.detail for incident in sidecar.journal.incidents()), *sorted(unheard)])
    return ObserveRunResult(
        captured.messages,
        captured.rejects,
        dict(steps),
        dict(captured.troubles),
        tuple(sorted(written)),
        waiting,
        notes if sidecar.notes and sidecar.notes.folders else None,
        tuple(str(place.folder) for place in sidecar.transcripts.places),
    )


def settled(
    context: Context, scope: Scope, *, flush: bool, is_stopped: Callable[[], bool] = lambda: False
) -> list[Step]:
    """Observe what is due in a scope, reflect where that is, and show it in active memory; return the steps.

    `flush`: everything that waits is due, as it is where the scope has rested. One rule for whoever follows transcripts.
    """
    sidecar = context.observe.sidecar()
    rested = timedelta(minutes=context.observe.idle_minutes)
    flush = flush or sidecar.is_idle(scope, rested)
    steps: list[Step] = []
    while not is_stopped() and (step := sidecar.observe(scope, flush=flush)) is not Step.NOTHING:
        steps.append(step)
    if sidecar.reflect_if_due(scope) or steps or not sidecar.active_file(scope).exists():
        sidecar.write_active_memory(scope)
    return steps


def present(result: ObserveRunResult, style: Style) -> str:
    """Say what was done, and what is in the way."""
    made = sum(count for step, count in result.steps.items() if step != Step.LOST)
    lines = [
        style.say(
            f"{_count(result.messages, 'message')} read, {_count(made, 'run')}, "
            f"{_count(result.rejects, 'line')} rejected",
            f"메시지 {result.messages}개 읽음, 관찰 {made}번, 거부된 줄 {result.rejects}개",
        )
    ]
    lines += [f"  → {path}" for path in result.active_memory]
    if not (result.messages or result.active_memory or result.troubles):
        lines += _where(result.folders, style)
    lines += [f"  ✗ {path}: {reason}" for path, reason in result.troubles.items()]
    lines += _note_lines(result.notes, style) if result.notes else []
    if result.waiting:
        lines.append(style.say(f"  waits: {result.waiting}", f"  기다림: {result.waiting}"))
    return "\n".join(lines)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _where(folders: tuple[str, ...], style: Style) -> list[str]:
    """Say where nothing was, and how to name other places."""
    said = Words(
        "  no agent has written anything here; `observe.folders` in config.yaml names other folders:",
        "  여기에는 에이전트가 쓴 것이 없습니다. 다른 폴더는 config.yaml의 `observe.folders`에 적습니다:",
    )
    return [said.say(style.lang), *(f"    {printable(folder)}" for folder in folders)]


def _note_lines(notes: Mirrored, style: Style) -> list[str]:
    lines = [
        style.say(
            f"  notes: {notes.written} written, {notes.deleted} deleted",
            f"  노트: {notes.written}개 씀, {notes.deleted}개 지움",
        )
    ]
    changed = style.say("was changed and is left alone", "바뀐 파일이라 그대로 둡니다")
    lines += [f"  ✗ {printable(path)}: {changed}" for path in notes.left]
    return lines + [f"  ✗ {printable(path)}: {printable(why)}" for path, why in notes.troubles.items()]


OPERATION = Operation(
    name="observe run",
    handler=run,
    present=present,
    effect=Effect.WRITE,
    doc=Words(
        "Read agents' transcripts and remember what matters", "에이전트의 대화 기록을 읽고 중요한 것을 기억합니다"
    ),
)
