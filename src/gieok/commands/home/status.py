"""`gieok status`: amount and freshness of memory and, with `--deep`, whether every part works."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok import fs
from gieok.commands.command import (
    TIER_NAMES,
    TRUST_HINT,
    Parameter,
    Style,
    Surface,
    command,
    full_disk_words,
)
from gieok.commands.encode import Hidden, Inline, OrNull, mark_encoded_getter
from gieok.commands.home import jobs
from gieok.commands.home.doctor import Check, iter_chain_checks
from gieok.commands.home.elsewhere import list_unused_remote_data
from gieok.commands.memory import untrusted
from gieok.commands.memory.untrusted import Waiting
from gieok.commands.observe.sidecar_state import SidecarState, sidecar_state
from gieok.commands.scope_names import name_scope, name_scope_by_path
from gieok.errors import EmbedderFailed, RerankerFailed
from gieok.flow.gate_rules import find_damaged_gate_files
from gieok.home.call import Call
from gieok.home.withholding import format_local_time
from gieok.hook import stats
from gieok.memory.files import read, roots, sync
from gieok.model.memory import Scope, StoreStats
from gieok.places.home import is_shelf_folder
from gieok.places.scope import is_brought
from gieok.ports.models import Followed
from gieok.ports.store import Described, ManagedStore, ModelSwitch, Store, VectorCopy, VectorSearch
from gieok.ranking.calibration import FITTED_ON, SHIPPED
from gieok.ranking.recall import first_answer
from gieok.text.catalogues import ENGLISH
from gieok.text.messages import Words

#: Days of the prompts that are counted.
_PROMPT_DAYS = 7


class RootPath(NamedTuple):
    """A folder or file that is indexed."""

    name: str
    path: Path
    is_own: Hidden[bool] = False

    def title(self, style: Style) -> str:
        """Return the name for a person; the folder of Gieok's own records has a word for it."""
        return style.say("memory") if self.is_own else self.name


class SwitchProgress(NamedTuple):
    """Progress of the vectors of a newly configured model.

    The old model's vectors answer until all new ones exist.
    """

    from_: str
    to: str
    done: int
    of: int

    def words(self) -> Words:
        """Return the progress as a line for a person."""
        return Words.of(
            (
                "vectors are of {from_value}; {done:,} of {of:,} are made by {to}: `gieok index "
                "--rebuild`"
            ),
            from_value=self.from_,
            done=self.done,
            of=self.of,
            to=self.to,
        )


class WaitingCounts(NamedTuple):
    """Number of records that wait for trust, and whether settings wait."""

    records: int
    settings: bool


class TierCounts(NamedTuple):
    """Memories of all scopes by tier, and the next job, with its time in the user's zone."""

    memories: Mapping[str, int]
    next_job: str
    next_at: OrNull[str]

    def line(self, style: Style) -> str:
        """Return the counts as a line for a person."""
        names = {tier: words.say(style.lang) for tier, words in TIER_NAMES.items()}
        counts = (f"{names[tier]} {count:,}" for tier, count in self.memories.items())
        held = ", ".join(counts) or "0"
        known = {home_job.name: home_job.doc for home_job in jobs.JOBS}
        job = self.next_job if style.lang == ENGLISH else known.get(self.next_job, self.next_job)
        after = style.say("; next: {job}, {next_at}", job=job, next_at=self.next_at)
        return style.say("  tiers: {held}", held=held) + (after if self.next_at else "")


class WithheldState(NamedTuple):
    """What is withheld from memory now.

    A pause with its times, the number of private sessions, and the exclusions.
    """

    paused: bool
    since: OrNull[str]
    until: OrNull[str]
    private_sessions: int
    folders: tuple[str, ...]
    agents: tuple[str, ...]

    def lines(self, style: Style) -> list[str]:
        """Return the lines for a person; none where nothing is withheld."""
        lines = []
        if self.paused:
            until = style.say(" until {until}", until=self.until) if self.until else ""
            lines.append(
                style.bold(
                    style.say(
                        (
                            "  paused since {since}{until}: nothing is kept or given to agents "
                            "(`gieok resume`)"
                        ),
                        since=self.since,
                        until=until,
                    )
                )
            )
        if self.private_sessions:
            lines.append(
                style.say(
                    "  private sessions, passed over: {private_sessions:,}",
                    private_sessions=self.private_sessions,
                )
            )
        if self.folders or self.agents:
            names = ", ".join((*map(style.path, self.folders), *self.agents))
            lines.append(style.say("  excluded: {names}", names=names))
        return lines


class PromptCounts(NamedTuple):
    """Prompts that the hook answered in the last days, and those answered without vectors."""

    answered: int
    by_words: int

    def line(self, style: Style) -> str:
        """Return the counts as a line for a person."""
        share = f"{self.by_words / self.answered:.0%}"
        return style.say(
            "  prompts of the last {PROMPT_DAYS} days: by words alone {share} of {answered:,}",
            PROMPT_DAYS=_PROMPT_DAYS,
            share=share,
            answered=self.answered,
        )


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
    #: How many copies of notes, and folders that other programs keep for themselves, are left out.
    left_out: int
    checks: tuple[Check, ...]
    #: The store's own status, and a line for each replica.
    details: tuple[str, ...] = ()
    unreachable: OrNull[str] = ""
    #: Models whose scores are not calibrated: `gieok calibrate`.
    uncalibrated: tuple[str, ...] = ()
    #: Where the vectors that are there are of another model than the settings ask for.
    switch: SwitchProgress | None = None
    sidecar: SidecarState | None = None
    #: Where the journal is.
    journal: OrNull[str] = ""
    #: None where memory was never used.
    tiers: TierCounts | None = None
    #: Where the server of pages, API and /mcp answers.
    server: OrNull[str] = ""
    #: Where users, characters, keys and points are.
    accounts: OrNull[str] = ""
    #: The scopes that are read beside the scope of the call.
    also: tuple[str, ...] = ()
    #: How many documents each of them has.
    also_documents: Hidden[tuple[int, ...]] = ()
    #: How the hook answered prompts lately; None where it answered none.
    prompts: PromptCounts | None = None
    #: None where nothing is paused, private or excluded.
    withheld: WithheldState | None = None
    #: Counts of the current project's records that wait for trust.
    waits: Hidden[Waiting] = Waiting("")
    found: Hidden[bool] = True

    @property
    @mark_encoded_getter
    def state(self) -> str:
        """Return `empty`, `stale` (the disk is newer), `embedding` (vectors are missing) or
        `synced`.

        `empty` means that every scope that is read here is empty.
        """
        if not self.roots and not self.stats.documents and not any(self.also_documents):
            return "empty"
        if self.stale or self.missing_roots:
            return "stale"
        waits = self.embedder != "none" and self.stats.waiting > 0
        return "embedding" if waits else "synced"

    @property
    @mark_encoded_getter
    def waiting(self) -> WaitingCounts:
        """Return the counts of the current project's records that wait for trust."""
        return WaitingCounts(len(self.waits.records), self.waits.settings is not None)


def _build_scope_owner_words(scope: str) -> Words:
    """Return the words for the owner of a scope."""
    if is_brought(scope):
        return Words.of("what the repository brought along, searched only ({scope})", scope=scope)
    if scope.startswith("project:"):
        return Words.of("this project's ({scope})", scope=scope)
    return name_scope_by_path(scope)


def _format_scope_size(documents: int | None) -> Words:
    """Return the words for the size of a scope."""
    if not documents:
        return Words(": nothing yet") if documents == 0 else Words("")
    return Words.of(": {documents:,} documents", documents=documents)


def render_home_status(result: StatusResult, style: Style) -> str:
    """Show a summary line, then the details."""
    s = result.stats
    state = _STATES[result.state].say(style.lang)
    head = style.say(
        "Memory: {state} ({store}, {documents:,} documents, {scope})",
        state=state,
        store=result.store,
        documents=s.documents,
        scope=name_scope(result.scope),
    )
    whose = [
        (
            f"{_build_scope_owner_words(scope).say(style.lang)}"
            f"{_format_scope_size(documents).say(style.lang)}"
        )
        for scope, documents in zip_longest(
            (str(result.scope), *result.also), (s.documents, *result.also_documents)
        )
    ]
    by = result.switch.from_ if result.switch else result.embedder
    size = f"{s.disk_bytes / 1e6:.1f} MB"
    lines = [style.bold(head), style.say("  read here: ") + "; ".join(whose)]
    lines.append(
        style.say(
            "  {passages:,} passages, {vectors:,} with vectors by {by}, {size} in {location}",
            passages=s.passages,
            vectors=s.vectors,
            by=by,
            size=size,
            location=result.location,
        )
    )
    lines += [f"  {result.switch.words().say(style.lang)}"] if result.switch else []
    lines += [
        style.say(
            "  scores of {name} are not calibrated, and careful: `gieok calibrate`", name=name
        )
        for name in result.uncalibrated
    ]
    lines += [f"  {style.told(line)}" for line in result.details]
    lines += [style.say("  journal: ") + result.journal] if "://" in result.journal else []
    lines += [style.say("  accounts: ") + result.accounts] if result.accounts else []
    lines += [style.say("  server: ") + result.server] if result.server else []
    lines += [f"  {root.title(style)}: {root.path}" for root in result.roots]
    lines += result.withheld.lines(style) if result.withheld else []
    lines += _render_status_warnings(result, style)
    lines += result.sidecar.lines(style) if result.sidecar else []
    lines += [result.tiers.line(style)] if result.tiers else []
    lines += [result.prompts.line(style)] if result.prompts else []
    return "\n".join(lines + [check.line(style) for check in result.checks])


def _render_status_warnings(result: StatusResult, style: Style) -> list[str]:
    """Return lines on parts that are unreachable, behind, missing or waiting."""
    lines: list[str] = []
    if result.unreachable:
        lines.append(style.say("  degraded: ") + style.told(result.unreachable))
    if result.stale:
        lines.append(
            style.say(
                "  {stale} files differ from the index: run `gieok index`", stale=result.stale
            )
        )
    lines += [
        style.say("  the folder of {name!r} is away or empty; its memory is kept", name=name)
        for name in result.missing_roots
    ]
    if result.left_out:
        lines.append(
            style.say(
                (
                    "  left out, copies of notes and folders of other programs: {left_out:,} "
                    "(`gieok index` names them)"
                ),
                left_out=result.left_out,
            )
        )
    if result.waits:
        lines.append(f"  {result.waits.words().say(style.lang)}: {TRUST_HINT}")
    return lines


@command(
    "status",
    Words("Show what is remembered and how fresh it is"),
    present=render_home_status,
    examples=("gieok status", "gieok status --deep"),
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
)
def read_home_status(
    call: Call,
    *,
    deep: Annotated[bool, Parameter(Words("probe every part by using it"), cli_only=True)] = False,
) -> StatusResult:
    """Count, compare with the disk, and probe if requested."""
    if fs.is_volume_full(call.home.folder):
        call.tell(full_disk_words(call.home.folder).say(call.lang))
    stores = call.home.stores.all()
    result, silent = first_answer(stores, lambda store: _count_memory_status(call, store))
    beside = (
        ()
        if silent
        else tuple(_format_beside_index(store, call.scope, result.stats) for store in stores[1:])
    )
    checks = tuple(iter_chain_checks(call)) if deep else ()
    root = call.project
    waits = untrusted.find_waiting_content(call.home.folder, root) if root else Waiting("")
    also = call.searched[1:]
    return replace(
        result,
        also=tuple(map(str, also)),
        also_documents=first_answer(
            stores, lambda store: tuple(store.stats(s).documents for s in also)
        )[0],
        waits=waits,
        withheld=find_withheld_state(call),
        details=(
            *result.details,
            *beside,
            *_list_unused_remote_data(call),
            *_list_damaged_rules(call),
        ),
        unreachable=silent or "",
        checks=checks,
    )


def _list_damaged_rules(call: Call) -> tuple[str, ...]:
    """Return a line for each file of the rules about actions that is damaged."""
    lines: list[str] = []
    for file, _, is_whole in find_damaged_gate_files(str(call.home.folder)):
        words = (
            "{file} is damaged, and no rule about actions acts: `gieok doctor` says more"
            if is_whole
            else "an entry of {file} is damaged and has no effect: `gieok doctor` says more"
        )
        lines.append(Words.of(words, file=file).say(call.lang))
    return tuple(lines)


def find_withheld_state(call: Call) -> WithheldState | None:
    """Return the withheld state; None where nothing is withheld."""
    privacy = call.privacy
    pause = privacy.pause(call.clock.now().timestamp())
    state = WithheldState(
        paused=pause is not None,
        since=format_local_time(pause.since, call.zone) if pause else "",
        until=format_local_time(pause.until, call.zone)
        if pause and pause.until is not None
        else "",
        private_sessions=privacy.sessions,
        folders=privacy.chosen,
        agents=tuple(sorted(privacy.agents)),
    )
    return state if any(state) else None


def _list_unused_remote_data(call: Call) -> tuple[str, ...]:
    """Return sentences on remote data that is no longer used."""
    return tuple(f"{unused.path}: {unused.reason}" for unused in list_unused_remote_data(call))


def _count_memory_status(call: Call, store: Store) -> StatusResult:
    known = roots.load_roots(store, call.scope)
    hashes = store.hashes(call.scope)
    present_roots = [root for root in known if not roots.is_away(root, hashes)]
    return StatusResult(
        scope=call.scope,
        store=call.home.stores.name,
        location=store.location,
        embedder=_embedder_name(call, store),
        stats=store.stats(call.scope),
        roots=tuple(
            RootPath(root.name, root.path, is_shelf_folder(str(call.home.folder), str(root.path)))
            for root in known
        ),
        missing_roots=tuple(root.name for root in known if root not in present_roots),
        stale=sync.count_stale(store, call.scope, present_roots, call.home.cut),
        left_out=sum(
            failure.is_left_out for root in present_roots for failure in read.list_failed(root)
        ),
        checks=(),
        details=tuple(store.describe()) if isinstance(store, Described) else (),
        switch=_measure_embedder_switch(call, store),
        uncalibrated=_list_uncalibrated_models(call, store),
        sidecar=sidecar_state(call),
        journal=call.home.journal.location if call.home.stores.has_journal() else "",
        tiers=_count_memory_tiers(call) if call.home.stores.has_journal() else None,
        accounts=_find_accounts_location(call),
        prompts=_count_recent_prompts(call),
        server=_find_server_url(call),
    )


def _count_recent_prompts(call: Call) -> PromptCounts | None:
    since_ms = round((call.clock.now().timestamp() - _PROMPT_DAYS * 86_400) * 1000)
    hook_counts = stats.count_hook_calls(stats.read_hook_calls(call.home.folder), since_ms)
    answered = hook_counts.by_words + hook_counts.by_meaning
    return PromptCounts(answered, hook_counts.by_words) if answered else None


def _find_server_url(call: Call) -> str:
    running_server = call.home.daemon.server() if call.home.daemon else None
    return running_server.url if running_server else ""


def _find_accounts_location(call: Call) -> str:
    name = call.home.settings.text("journal")
    if not call.home.stores.has_accounts(name):
        return ""
    with closing(call.home.stores.open_accounts(name)) as accounts:
        return accounts.location


def _count_memory_tiers(call: Call) -> TierCounts:
    """Count memories by tier, and find the next job."""
    planned = [(plan.next_at, plan.job.name) for plan in jobs.plan_jobs(call) if plan.next_at]
    next_at, name = min(planned, default=(None, ""))
    at = f"{next_at.astimezone(call.zone):%Y-%m-%d %H:%M}" if next_at else ""
    return TierCounts(call.home.journal.tiers(), name, at)


def _embedder_name(call: Call, store: Store) -> str:
    if isinstance(store, ManagedStore):
        return store.service_name
    return call.home.embedder_name if isinstance(store, VectorSearch) else "none"


def _measure_embedder_switch(call: Call, store: Store) -> SwitchProgress | None:
    """Return the progress of a switch to another embedder; None where no switch is due.

    Nothing is embedded for the measurement.
    """
    embedder = call.home.open_embedder() if isinstance(store, ModelSwitch) else None
    if (
        not isinstance(embedder, Followed)
        or not isinstance(store, ModelSwitch)
        or not isinstance(store, VectorCopy)
    ):
        return None
    try:
        target_model = embedder.wanted().model
    except EmbedderFailed as error:
        target_model = f"{call.home.embedder_name} ({error})"
    active = store.active_model()
    if active is None or active[0] == target_model:
        return None
    return SwitchProgress(
        active[0], target_model, store.prepared(target_model), store.stats().passages
    )


def _list_uncalibrated_models(call: Call, store: Store) -> tuple[str, ...]:
    """Return the models in use without a calibration, other than the bundled one."""
    known = call.home.build_profile("").calibrations
    by, active = (
        call.home.open_reranking(),
        store.active_model() if isinstance(store, VectorCopy) else None,
    )
    names = [active[0]] if active and call.home.embedder_name != "none" else []
    try:
        names += [by.reranker.model] if by else []
    except RerankerFailed as error:
        names.append(f"reranker ({error})")
    return tuple(name for name in names if name != FITTED_ON and name not in {**SHIPPED, **known})


def _format_beside_index(store: Store, scope: Scope, stats: StoreStats) -> str:
    """Return how far the local index beside a remote store follows it."""
    own = store.stats(scope)
    return f"beside it: {own.documents:,} of {stats.documents:,} documents in {store.location}"


_STATES = {
    "empty": Words("empty"),
    "stale": Words("stale"),
    "embedding": Words("embedding"),
    "synced": Words("synced"),
}
