"""`gieok observe run`: read transcripts and observe them, once or until interrupted."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden, OrNull
from gieok.commands.memory.seed_notes import index_seeds
from gieok.commands.scope_names import name_scope
from gieok.errors import StoreBusy, StoreUnreachable
from gieok.flow.lifecycle import fill_vectors
from gieok.fs import make_private
from gieok.home.call import Call
from gieok.memory.exchange.notes import Mirrored
from gieok.memory.observer.buffer import Step
from gieok.model.memory import Scope
from gieok.ports.store import VectorSearch
from gieok.text.messages import Words
from gieok.text.turns import is_users

#: How long a transcript must be quiet before it is read in the foreground.
_DEBOUNCE_MS = 200
#: Estimates of `take_in`: rules judged 60,000 tokens of short messages in 100 s; a model is asked
#: for spans of thousands.
_RULES_TOKENS_PER_S, _MODEL_TOKENS_PER_S = 600, 150


@dataclass(frozen=True, slots=True)
class ObserveRunResult:
    """Counts of what was read and made; `waiting` is why messages wait, '' if none do."""

    messages: int
    rejects: int
    steps: dict[str, int]
    troubles: dict[str, str]
    active_memory: tuple[str, ...]
    waiting: OrNull[str]
    notes: Mirrored | None = None
    #: Folders that were searched for transcripts.
    folders: Hidden[tuple[str, ...]] = ()
    #: Messages that were skipped: paused, private, excluded.
    withheld: int = 0
    found: Hidden[bool] = True


def render_observe_run(result: ObserveRunResult, style: Style) -> str:
    """Show what was done, and what keeps messages waiting."""
    run_count = sum(count for step, count in result.steps.items() if step != Step.LOST)
    lines = [
        style.say(
            "{messages} read, {run_count}, {rejects} rejected",
            messages=_format_plural(result.messages, "message"),
            run_count=_format_plural(run_count, "run"),
            rejects=_format_plural(result.rejects, "line"),
            messages2=result.messages,
            run_count2=run_count,
            rejects2=result.rejects,
        )
    ]
    lines += [f"  → {path}" for path in result.active_memory]
    if result.withheld:
        lines.append(
            style.say(
                "  {withheld} passed over: paused, private or excluded",
                withheld=_format_plural(result.withheld, "message"),
                withheld2=result.withheld,
            )
        )
    elif not (result.messages or result.active_memory or result.troubles):
        lines += _format_searched_folders(result.folders, style)
    lines += [
        f"  ✗ {printable(path)}: {printable(style.told(reason))}"
        for path, reason in result.troubles.items()
    ]
    lines += _note_lines(result.notes, style) if result.notes else []
    if result.waiting:
        lines.append(style.say("  waits: ") + printable(style.told(result.waiting)))
    return "\n".join(lines)


def _format_plural(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _format_searched_folders(folders: tuple[str, ...], style: Style) -> list[str]:
    """Return lines on the folders where no transcript was, and how to name other places."""
    folder_hint = Words(
        "  no agent has written anything into these folders; name others in `observe.folders`:"
    )
    return [folder_hint.say(style.lang), *(f"    {printable(folder)}" for folder in folders)]


def _note_lines(notes: Mirrored, style: Style) -> list[str]:
    lines = [
        style.say(
            "  notes: {written} written, {deleted} deleted",
            written=notes.written,
            deleted=notes.deleted,
        )
    ]
    changed = style.say("was changed and is left alone")
    lines += [f"  ✗ {printable(path)}: {changed}" for path in notes.left]
    return lines + [
        f"  ✗ {printable(path)}: {printable(style.told(why))}"
        for path, why in notes.troubles.items()
    ]


@command(
    "observe run",
    Words("Read agents' transcripts and remember what matters, until you stop it or with --once"),
    present=render_observe_run,
    when_stopped=Words("what was observed is kept; `gieok observe run` goes on"),
    examples=("gieok observe run --once", "gieok observe run"),
    effect=Effect.WRITE,
)
def observe_transcripts(
    call: Call,
    *,
    once: Annotated[bool, Parameter(Words("read, observe all that waits, and end"))] = False,
) -> ObserveRunResult:
    """Read transcripts and observe them, once or until interrupted."""
    observed = _TranscriptRun(call)
    sidecar = observed.sidecar
    if once:
        observed.go(flush=True)
        with observed.heard():
            index_seeds(call)
    else:
        folders = [*sidecar.watched(), make_private(sidecar.spool)]
        call.say(
            f"watching {len(folders) - 1} folders of transcripts; Ctrl-C ends it, and nothing "
            "is lost"
        )
        call.home.watching.follow(lambda: folders, observed.read, debounce_ms=_DEBOUNCE_MS)
    return observed.result()


def take_in_transcripts(call: Call, seconds: float) -> tuple[ObserveRunResult, bool]:
    """Read all transcripts into keyword search, then embed and observe for about `seconds`.

    The newest passages are embedded first. Returns the result, and whether nothing is left for
    `run` or the daemon.
    """
    observed = _TranscriptRun(call)
    is_whole = observed.go_for(seconds)
    return observed.result(), is_whole


class _TranscriptRun:
    """Reader and observer of transcripts that can run repeatedly.

    Documents that a store cannot take now wait in the journal.
    """

    def __init__(self, call: Call) -> None:
        self.sidecar = call.home.sidecar
        self._call = call
        self._steps: Counter[str] = Counter()
        self._written: set[str] = set()
        self._unheard: set[str] = set()
        self._notes = Mirrored()

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Catch and note that a store is busy or away; the journal delivers next time."""
        try:
            yield
        except (StoreBusy, StoreUnreachable) as error:
            self._unheard.add(str(error))

    def read(self, changed: set[Path]) -> bool:
        """Read the changed files, or everything; observe what is due."""
        self.go(flush=False, changed=changed or None)
        return True

    def go(self, *, flush: bool, changed: set[Path] | None = None) -> None:
        """Take in transcripts, and process what is due.

        The steps: read the transcripts, mirror the notes, make turns searchable, observe each
        scope, and judge which memories last. `changed` limits the reading to these paths. With
        `flush`, everything that waits is due.
        """
        sidecar, call = self.sidecar, self._call
        ended = sidecar.capture_spool()
        _ = sidecar.capture_all() if changed is None else sidecar.capture_paths(changed)
        with self.heard():
            self._notes.add(sidecar.mirror_notes(changed))
        new_count = 0
        with self.heard():
            new_count = sidecar.derive_turns(progress=call.progress("blocks of turns")).put
        for scope in sidecar.scopes():
            with self.heard():
                new_count += self._observe(scope, flush=flush, has_ended=scope in ended)
        call.say(f"{sidecar.capture.captured.messages} messages, {dict(self._steps)}")
        with self.heard():
            self._judge(has_new=bool(new_count))

    def go_for(self, seconds: float) -> bool:
        """Read and derive everything, embed for half of the time, observe for the rest.

        Returns whether nothing is left.
        """
        sidecar, call = self.sidecar, self._call
        begun = call.clock.now()

        def left_s() -> float:
            return seconds - (call.clock.now() - begun).total_seconds()

        sidecar.capture_all(lambda: call.say(f"{sidecar.capture.captured.messages:,} messages"))
        with self.heard():
            sidecar.derive_turns(progress=call.progress("blocks of turns"))
            index_seeds(call)
        is_whole = not self._unheard and self._embed(lambda: left_s() < seconds / 2)
        speed = _MODEL_TOKENS_PER_S if sidecar.models.observer_model else _RULES_TOKENS_PER_S
        for scope in sidecar.scopes():
            if sidecar.backlog_tokens(scope) > left_s() * speed:
                is_whole = False
                continue
            with self.heard():
                call.say(call.words("{scope}: what matters", scope=name_scope(scope)))
                self._observe(scope, flush=True, has_ended=False)
        if is_whole:
            with self.heard():
                self._judge(has_new=True)
        return is_whole and not self._unheard

    def _embed(self, is_late: Callable[[], bool]) -> bool:
        """Embed until `is_late()`; return whether everything has a vector."""
        store, embedder = self._call.home.store, self._call.home.open_embedder()
        if embedder is None or not isinstance(store, VectorSearch):
            return True
        embedded_count = 0
        while not is_late():
            more = fill_vectors(store, embedder, batches=1)
            embedded_count += more
            self._call.say(f"embedded {embedded_count:,}")
            if not more:
                return True
        return False

    def _observe(self, scope: Scope, *, flush: bool, has_ended: bool) -> int:
        steps = settle_scope(self._call, scope, flush=flush or has_ended)
        self._steps.update(step.value for step in steps)
        if steps or flush:
            self.sidecar.write_active_memory(scope)
            self._written.add(str(self.sidecar.active_file(scope)))
        return len(steps)

    def _judge(self, *, has_new: bool) -> None:
        home = self._call.home
        store, embedder = home.store, home.open_embedder() if has_new else None
        if embedder is not None and isinstance(store, VectorSearch):
            fill_vectors(store, embedder, is_first=is_users)
        home.settle_statements(self.sidecar.write_active_memory)

    def result(self) -> ObserveRunResult:
        """Return what was read and made so far."""
        sidecar, captured = self.sidecar, self.sidecar.capture.captured
        incidents = (incident.detail for incident in sidecar.journal.incidents())
        return ObserveRunResult(
            messages=captured.messages,
            rejects=captured.rejects,
            steps=dict(self._steps),
            troubles=dict(captured.troubles),
            active_memory=tuple(sorted(self._written)),
            waiting="; ".join([*incidents, *sorted(self._unheard)]),
            notes=self._notes if sidecar.notes and sidecar.notes.folders else None,
            folders=tuple(str(place.folder) for place in sidecar.transcripts.places),
            withheld=captured.withheld,
        )


def settle_scope(
    call: Call, scope: Scope, *, flush: bool, is_stopped: Callable[[], bool] = lambda: False
) -> list[Step]:
    """Observe what is due in a scope, reflect if due, update active memory; return the steps.

    With `flush`, everything that waits is due, as when the scope has rested. Everything that
    follows transcripts uses this function.
    """
    sidecar = call.home.sidecar
    rested = timedelta(minutes=call.home.settings.integer("observe.idle_minutes"))
    flush = flush or sidecar.is_idle(scope, rested)
    is_due = True
    if not flush and not sidecar.models.observer_model:
        # Rules keep nothing buffered: a fact that one span keeps must be known to the next span.
        flush = is_due = sidecar.backlog_tokens(scope) >= sidecar.thresholds.chunk_tokens
    steps: list[Step] = []
    while (
        is_due
        and not is_stopped()
        and (step := sidecar.observe(scope, flush=flush)) is not Step.NOTHING
    ):
        steps.append(step)
    if sidecar.reflect_if_due(scope) or steps or not sidecar.active_file(scope).exists():
        sidecar.write_active_memory(scope)
    return steps
