"""`gieok doctor`: test each chain by using it, with the remedy for a broken one.

The chains that were not tried are named too.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple

from gieok import __version__
from gieok.agents.table import HOOKED
from gieok.commands.command import TRUST_HINT, Effect, Parameter, Style, command, printable
from gieok.commands.encode import OrNull, mark_encoded_getter
from gieok.commands.home.elsewhere import list_unused_remote_data
from gieok.commands.memory import untrusted
from gieok.commands.memory.gaps import list_unread_talk
from gieok.commands.prompt import installed_hooks
from gieok.commands.scope_names import name_scope
from gieok.errors import (
    BudgetReached,
    Damaged,
    GieokError,
    Phrase,
    RerankerFailed,
    StoreCorrupt,
    StoreError,
)
from gieok.flow import lifecycle
from gieok.flow.gate_rules import find_damaged_gate_files
from gieok.flow.ingest import ingest
from gieok.flow.notices import NoticeReport
from gieok.home import embedders, models, service_trials
from gieok.home.call import Call
from gieok.home.sync import SyncSetup
from gieok.hook import refusals
from gieok.memory.capture import sample
from gieok.memory.capture.sample import AgentTranscripts
from gieok.memory.files import roots
from gieok.memory.files.read import read_root
from gieok.model.memory import Scope
from gieok.ports.models import Followed
from gieok.ports.store import Droppable, ManagedStore, VectorSearch
from gieok.ports.sync import hide_userinfo
from gieok.ports.transcripts import TranscriptStore
from gieok.ranking.recall import Question, recall
from gieok.ranking.rerank import Reranking
from gieok.settings import grants
from gieok.text.messages import Words, in_language

_PROBE_NOTE = "# 점검 노트\n\n결제는 매주 화요일에 정산했다. The umbrella stands behind the door.\n"
#: Realm of this command in the journal's values.
_REALM = "doctor"
_MARKS = {True: "✓", False: "✗", None: "–"}
#: Names of chains; other chains are named after an agent or a notifier.
_NAMES = {
    "settings": Words("settings"),
    "home": Words("home"),
    "journal": Words("journal"),
    "accounts": Words("accounts"),
    "store": Words("store"),
    "service": Words("copy at the service"),
    "File Search": Words("Gemini File Search"),
    "elsewhere": Words("left elsewhere"),
    "embedder": Words("embedder"),
    "reranker": Words("reranker"),
    "folders": Words("folders"),
    "transcripts": Words("transcripts"),
    "observer": Words("observer"),
    "archive": Words("archive"),
    "sync": Words("other devices"),
    "server": Words("server"),
    "trust": Words("trust"),
    "hook": Words("hook"),
    "refusals": Words("refusals"),
}


@dataclass(frozen=True, slots=True)
class Check:
    """Check of one chain.

    Whether the chain works (None: it was not tried), the observation, and the command to run if it
    does not work.
    """

    name: str
    ok: bool | None
    detail: str
    hint: OrNull[str] = ""

    def line(self, style: Style) -> str:
        """Return the check as a line for a person."""
        mark = _MARKS[self.ok]
        hint = f"\n      → {style.told(self.hint)}" if self.hint else ""
        return f"  {mark} {style.bold(self.title(style.lang))}: {style.told(self.detail)}{hint}"

    def title(self, lang: str) -> str:
        """Return the chain's name for people."""
        return _NAMES[self.name].say(lang) if self.name in _NAMES else in_language(self.name, lang)


@dataclass(frozen=True, slots=True)
class DoctorResult:
    """All checks; `found` is False where one failed, so that the exit status says so."""

    checks: tuple[Check, ...]
    version: str = ""

    @property
    def found(self) -> bool:
        """True where every chain that was tried works."""
        return all(check.ok is not False for check in self.checks)

    @property
    @mark_encoded_getter
    def ok(self) -> bool:
        """Say whether every chain that was tried works."""
        return self.found


#: Who starts a server.
_STARTERS = {"serve": "`gieok serve`", "open": "`gieok open`", "daemon": "the daemon"}


def render_diagnosis(result: DoctorResult, style: Style) -> str:
    """Show a line for each check."""
    return "\n".join([f"gieok {result.version}", *(check.line(style) for check in result.checks)])


@command(
    "doctor",
    Words("Prove that every part works by using it"),
    present=render_diagnosis,
    examples=("gieok doctor", "gieok doctor --agents", "gieok doctor --with-key"),
    forgives_config=True,
    effect=Effect.WRITE,
)
def diagnose_home(
    call: Call,
    *,
    agents: Annotated[
        bool,
        Parameter(
            Words(
                "let each agent that is installed answer one prompt in a throwaway home, against "
                "a model of Gieok's own"
            )
        ),
    ] = False,
    free: Annotated[
        bool,
        Parameter(
            Words(
                "ask no model and no service beyond this machine that may cost money or tokens: "
                "those are named as not tried"
            )
        ),
    ] = False,
    with_key: Annotated[
        bool,
        Parameter(
            Words(
                "try Gemini File Search with your key, on a store that is made and deleted for it; "
                "what is exchanged is recorded for a report, without key and content"
            )
        ),
    ] = False,
) -> DoctorResult:
    """Probe every part; the agents themselves only on request, because probing them takes
    seconds.
    """
    checks = list(iter_chain_checks(call, is_free=free))
    if with_key:
        checks += _PAID_TRIAL if free else _try_managed_store(call)
    if agents:
        from gieok.commands.prompt import (
            delivery,  # a server and subprocesses, which nothing else needs
        )

        checks += [_check_chain(name, prove) for name, prove in delivery.iter_delivery_proofs(call)]
    return DoctorResult(tuple(checks), __version__)


def iter_chain_checks(call: Call, *, is_free: bool = False) -> Iterator[Check]:
    """Yield a check for each chain, in the order in which they depend on each other.

    With `is_free`, no service that may cost money is asked.
    """
    for error in call.troubles:
        yield Check("settings", False, f"{error} (left out below)", error.hint)
    yield _check_chain("home", lambda: _probe_home(call))
    notices = call.home.notices
    yield from map(_build_notifier_check, notices.check(notices.names))
    if call.home.stores.has_journal():
        yield _check_chain("journal", lambda: _probe_journal(call))
    yield from _iter_rule_checks(call)
    if (accounts := _check_chain("accounts", lambda: _probe_accounts(call))).detail:
        yield accounts
    store = _check_chain("store", lambda: _probe_store(call))
    yield store
    if not store.ok:
        return
    yield from _iter_remote_copy_checks(call)
    skips = {
        name: is_free and models.is_paid(call.home.settings, name)
        for name in ("embedder", "reranker")
    }
    yield _check_chain("embedder", lambda: _PAID if skips["embedder"] else _probe_embedder(call))
    if (by := call.home.open_reranking()) is not None:
        yield _check_chain("reranker", lambda: _PAID if skips["reranker"] else _probe_reranker(by))
    yield _check_chain(
        "write, read back, search",
        lambda: _probe_round_trip(call, by_meaning=not skips["embedder"]),
    )
    yield _check_chain("folders", lambda: _probe_indexed_folders(call))
    yield from _iter_transcript_checks(call)
    yield from _iter_model_checks(call, is_free=is_free)
    if call.home.settings.text("archive.cold") != "none":
        from gieok.home import archive  # all tiers: only where there is a cold one

        yield _check_chain("archive", partial(archive.looked_into, call.home))
    yield from _iter_sync_checks(call)
    if (server := _check_chain("server", lambda: _probe_server(call))).detail:
        yield server
    yield from (Check("trust", None, line) for line in _iter_untrusted_projects(call))
    yield from _iter_refusal_checks(call)
    yield from _iter_hook_checks(call)


def _iter_hook_checks(call: Call) -> Iterator[Check]:
    """Yield a check for each installed hook, and for each fault of an install that files tell."""
    hooks = installed_hooks.find_installed_hooks(call)
    for agent, line in hooks:
        yield _check_chain("hook", partial(installed_hooks.fire_prompt_hook, call, agent, line))
    lacking = installed_hooks.find_lacking_files(call)
    for agent, is_projects, file in lacking:
        part = Phrase("{agent}: installed in part: it is not in {file}", agent=agent, file=file)
        where = " --project" if is_projects else ""
        yield Check("hook", False, part, f"`gieok install {agent}{where}`")
    outdated = installed_hooks.find_outdated_plugins(call)
    for agent, is_projects, file in outdated:
        other = Phrase(
            "the plugin of {agent} is of another release than this Gieok, or was changed: {file}",
            agent=agent,
            file=file,
        )
        where = " --project" if is_projects else ""
        yield Check("hook", False, other, f"`gieok install {agent}{where}`")
    named = {agent for agent, *_ in outdated}
    for agent, native in installed_hooks.find_shorter_hooks(call):
        if agent in named:
            continue
        short = Phrase(
            "the hook {native} of {agent} has the time limit of an earlier release",
            native=native,
            agent=agent,
        )
        yield Check("hook", False, short, f"`gieok install {agent}`")
    if not (hooks or lacking):
        why = f"not tried: no agent is installed here: `gieok install {'|'.join(HOOKED)}`"
        yield Check("hook", None, why)


def _iter_refusal_checks(call: Call) -> Iterator[Check]:
    """Yield a check where refusals of memories before prompts are dead."""
    if lost := refusals.list_lost_refusals(str(call.home.folder)):
        what = Phrase(
            "refusals of {handles} no longer count: the secret that they were made with is not "
            "there",
            handles=", ".join(lost),
        )
        hint = 'refuse each anew, or take it back: `gieok hook refuse HANDLE --prompt "…" [--lift]`'
        yield Check("refusals", False, what, hint)


class Untried(NamedTuple):
    """Reason why a chain was not tried."""

    why: str


_PAID = Untried("not tried: it may cost money, and --free asks nothing that does")


_PAID_TRIAL = [Check("File Search", None, _PAID.why)]


def _try_managed_store(call: Call) -> list[Check]:
    """Try the managed store with the user's key; name the file of the recording."""
    try:
        file, steps = service_trials.try_managed_store(call.home)
    except GieokError as error:
        return [Check("File Search", False, str(error), error.hint)]
    checks = [
        Check(
            "File Search",
            step.ok,
            Phrase(
                "{step}: {detail} ({seconds:.1f} s)",
                step=Phrase(step.name),
                detail=Phrase(step.detail),
                seconds=step.seconds,
            ),
            step.hint,
        )
        for step in steps
    ]
    recorded = Phrase("recorded without key and content, for a report: {file}", file=file)
    return [*checks, Check("File Search", None, recorded)]


def _check_chain(name: str, look: Callable[[], str | Untried]) -> Check:
    """Try a chain; report it as not tried where the day's tokens are spent.

    Spent tokens are no fault of the chain.
    """
    try:
        detail = look()
        return (
            Check(name, None, detail.why)
            if isinstance(detail, Untried)
            else Check(name, True, detail)
        )
    except BudgetReached as error:
        return Check(name, None, f"not tried: {error}", error.hint)
    except GieokError as error:
        return Check(name, False, str(error), error.hint)
    except OSError as error:
        return Check(
            name, False, str(error), "check the permissions and the free space of this place"
        )


def _probe_home(call: Call) -> str:
    call.home.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with TemporaryDirectory(dir=call.home.folder) as folder:
        Path(folder, "probe").write_text("probe", encoding="utf-8")
    return f"{call.home.folder} is writable"


def _probe_journal(call: Call) -> str:
    """Write a value to the journal, read it back and remove it; count the messages."""
    journal = call.home.journal
    name, value_written = str(os.getpid()), f"{call.clock.now():%Y-%m-%dT%H:%M:%S}"
    journal.keep(_REALM, {name: value_written})
    value_read = journal.kept(_REALM).get(name)
    journal.keep(_REALM, {}, [name])
    if value_read != value_written:
        raise GieokError(
            "{location} does not give back what was written",
            location=journal.location,
            hint="restore a backup",
        )
    return f"{journal.stats().messages:,} messages in {journal.location}"


def _iter_sync_checks(call: Call) -> Iterator[Check]:
    """Yield a check where this home is synchronised with other devices."""
    if setup := call.home.sync.find_setup():
        yield _check_chain("sync", lambda: _probe_sync(call, setup))


def _probe_sync(call: Call, setup: SyncSetup) -> str:
    """Look at the place where devices meet; fail where a segment could not be taken in."""
    if faults := call.home.sync.list_faults():
        raise Damaged(
            "{count} segments of other devices could not be read, such as {path!r}",
            count=len(faults),
            path=faults[0].path,
            hint="`gieok sync status` says why",
        )
    drop = call.home.sync.load_unconfirmed_drop()
    if drop.dropped or drop.back:
        raise GieokError(
            "{dropped}: dropped, but not yet on {lagging}"
            if drop.dropped
            else "{back}: was dropped, and has the key in use",
            dropped=", ".join(drop.dropped),
            lagging=", ".join(drop.lagging),
            back=", ".join(drop.back),
            hint="`gieok sync status` says more",
        )
    call.home.sync.open_remote(setup).probe()
    if waiting := call.home.sync.count_outbox():
        return call.words(
            "{remote} can be reached, and {count:,} segments wait to be sent: `gieok sync`",
            remote=hide_userinfo(setup.remote),
            count=waiting,
        )
    return call.words("{remote} can be reached", remote=hide_userinfo(setup.remote))


def _iter_rule_checks(call: Call) -> Iterator[Check]:
    """Yield a check for each file of the rules about actions that is damaged."""
    for file, reason, is_whole in find_damaged_gate_files(str(call.home.folder)):
        template = (
            "{file!r} is damaged, and no rule about actions acts: {reason}"
            if is_whole
            else "an entry of {file!r} is damaged and has no effect: {reason}"
        )
        damaged = Damaged(
            template,
            file=file,
            reason=Phrase(reason),
            hint=(
                "`gieok index` writes the rules again, `gieok rules on`, `off` or `until` the "
                "choices; what was there is moved to `set-aside`"
            ),
        )
        yield Check("rules", False, str(damaged), damaged.hint)


def _probe_accounts(call: Call) -> str:
    """Compare the points of every user with the ledger; '' where there are no users."""
    name = call.home.settings.text("journal")
    if not call.home.stores.has_accounts(name):
        return ""
    with closing(call.home.stores.open_accounts(name)) as accounts:
        if wrong := accounts.check():
            raise StoreCorrupt("; ".join(wrong), hint="restore a backup: `gieok backup restore`")
        return f"users, characters, keys and points are in {accounts.location}; all sums agree"


def _probe_server(call: Call) -> str:
    """Return where the server answers; '' where no server runs and none is configured."""
    if call.home.daemon is None:
        return ""
    control = call.home.daemon
    if (running_server := control.server()) is not None:
        starter = _STARTERS.get(running_server.by, running_server.by)
        return Phrase(
            "{url}, process {pid}, started by {starter}",
            url=Phrase(running_server.url),
            pid=running_server.pid,
            starter=Phrase(starter),
        )
    daemon = control.status()
    if daemon is None or not call.home.settings.flag("serve.with_daemon"):
        return ""
    why = daemon.parts.get("server", "not there yet")
    raise GieokError(
        "the daemon's server does not answer: {why}",
        why=Phrase(why),
        hint="`gieok logs` shows more; `serve.port` is its port",
    )


def _probe_store(call: Call) -> str:
    wrong = call.home.store.check()
    if wrong:
        raise StoreCorrupt("; ".join(wrong))
    stats = call.home.store.stats()
    return (
        f"{call.home.stores.name} is sound: {stats.documents:,} documents, {stats.passages:,} "
        "passages in all scopes"
    )


def _iter_remote_copy_checks(call: Call) -> Iterator[Check]:
    """Yield checks of copies at services.

    Covers the copy of the store in use, and those of other stores, which no process maintains.
    """
    if (copy := _check_chain("service", lambda: _probe_copy_service(call))).detail:
        yield copy
    yield from (
        Check("elsewhere", False, f"{unused.path}: {unused.reason}")
        for unused in list_unused_remote_data(call)
    )


def _probe_copy_service(call: Call) -> str:
    """Ask the service of a copy how much it holds; '' for a store without a copy.

    Raises where the amount differs from the amount sent.
    """
    store = call.home.store
    if not isinstance(store, ManagedStore) or not isinstance(store, Droppable):
        return ""
    there, sent = (
        sum(row.documents for row in rows)
        for rows in (store.remote_data(), store.known_remote_data())
    )
    if there != sent:
        raise GieokError(
            "{there:,} documents are at {service}, and {sent:,} were sent",
            there=there,
            service=store.service_name,
            sent=sent,
            hint=(
                "`gieok index --force` compares, uploads what is missing and deletes what is too "
                "many"
            ),
        )
    return (
        f"{there:,} documents are at {store.service_name}, as many as were sent: counted there "
        "just now"
    )


def _probe_embedder(call: Call) -> str | Untried:
    """Use the configured embedder, and say where existing vectors are of another model."""
    embedder = call.home.open_embedder()
    if embedder is None:
        return Untried("not tried: none is configured: keyword search only")
    target = embedder.wanted() if isinstance(embedder, Followed) else embedder
    trial_result = embedders.try_embedder(target)
    behind = embedder.behind if isinstance(embedder, Followed) else ""
    return f"{target.model}, {target.dimension} dimensions: {trial_result}" + (
        f"; {behind}" if behind else ""
    )


def _probe_reranker(by: Reranking) -> str:
    """Let the reranker distinguish an answer from another sentence."""
    right, wrong = by.reranker.scores(
        "Where is the umbrella?", ["The umbrella stands behind the door.", "Rice is cooked."]
    )
    if right <= wrong:
        raise RerankerFailed(
            "{model} does not tell an answer from another sentence ({right:.2f}, {wrong:.2f})",
            model=by.reranker.model,
            right=right,
            wrong=wrong,
        )
    return f"{by.reranker.model}: {right:.2f} for an answer, {wrong:.2f} for another sentence"


def _probe_round_trip(call: Call, *, by_meaning: bool) -> str:
    """Index a note in a scope of its own, find it by an inflected Korean word, and forget it."""
    store, embedder = call.home.store, call.home.open_embedder() if by_meaning else None
    scope = Scope(f"gieok:doctor-{os.getpid()}")  # several may run at once
    with TemporaryDirectory() as folder:
        Path(folder, "점검.md").write_text(_PROBE_NOTE, encoding="utf-8")
        root = roots.Root("doctor", Path(folder))
        try:
            ingest(store, scope, read_root(scope, root, call.home.cut), owns=root.owns, force=True)
            if embedder is not None and isinstance(store, VectorSearch):
                # the newest first: the probe, not the whole backlog
                lifecycle.fill_vectors(store, embedder, batches=1)
            question = Question(
                text="결제를 언제 정산하지?", scopes=(scope,), use_vectors=embedder is not None
            )
            profile = call.home.build_profile("").with_least_score(0.0)
            recalled = recall(
                store,
                embedder,
                question,
                profile,
                call.clock,
                call.zone,
                reader=call.home.open_help_reader() if embedder else None,
            )
        finally:
            store.forget(scope, list(store.hashes(scope)))
    if not recalled.hits or "정산했다" not in recalled.hits[0].snippet:
        raise GieokError(
            "a note that was just written is not found",
            hint="run `gieok index --force`, then `gieok doctor`",
        )
    return "a note was stored, found by an inflected word, and forgotten" + (
        f"; {recalled.degraded}" if recalled.degraded else ""
    )


def _iter_untrusted_projects(call: Call) -> Iterator[str]:
    """Yield a line for each known project with memory that waits for trust.

    Known projects are the one here and those that a person was notified of.
    """
    here = call.project
    for root in dict.fromkeys(filter(None, (here, *grants.told_of(call.home.folder)))):
        if Path(root).is_dir() and (
            waits := untrusted.find_waiting_content(call.home.folder, root)
        ):
            yield f"{printable(root)}: {waits.words().say(call.lang)}: {TRUST_HINT}"


def _probe_indexed_folders(call: Call) -> str | Untried:
    """Check each indexed folder."""
    known = roots.load_roots(call.home.store, call.scope)
    gone = [str(root.path) for root in known if not root.path.exists()]
    if gone:
        raise GieokError(
            "indexed folders that are not there: {folders}",
            folders=", ".join(gone),
            hint="bring them back, or index others",
        )
    for root in known:
        if root.path.is_dir():
            next(root.path.iterdir(), None)
        else:
            root.path.open("rb").close()
    if not known:
        return Untried("not tried: none is indexed yet: `gieok index DIR`")
    return Phrase("{count} indexed in {scope}", count=len(known), scope=name_scope(call.scope))


def _build_notifier_check(one: NoticeReport) -> Check:
    """Return the check of a notifier."""
    name = f"notify {one.channel}"
    if one.ok and not one.was_tried:
        return Check(
            name,
            None,
            f"not tried: {one.said}; `gieok notify test {one.channel}` tells you something",
        )
    return Check(name, one.ok, one.said, one.hint)


def _iter_transcript_checks(call: Call) -> Iterator[Check]:
    """Read the newest transcripts of each agent that has some here; name unread conversations."""
    transcripts = call.home.transcript_sources
    try:
        not_read = list_unread_talk(call, transcripts.places)
    except StoreError:  # the row of the journal says why
        not_read = {}
    for path, why in not_read.items():
        yield Check("transcript not read", None, f"{path}: {why}")
    agent_transcripts = list(sample.by_agent(transcripts.places))
    for agent_found in agent_transcripts:
        name = f"transcripts of {agent_found.agent}" if agent_found.agent else "transcripts"
        yield _check_chain(
            name, partial(_probe_agent_transcripts, agent_found, transcripts.open_database)
        )
    if not agent_transcripts:
        yield Check(
            "transcripts", None, "not tried: no agent that is observed has written any here"
        )


def _probe_agent_transcripts(
    found: AgentTranscripts, open_database: Callable[[str, Path], TranscriptStore]
) -> str | Untried:
    talk_sample, count = sample.read_transcript_sample(found, open_database), len(found.found)
    if not talk_sample.messages:
        return Untried(
            f"nothing that anybody said is in the newest {talk_sample.opened:,} of {count:,}"
        )
    return (
        f"{talk_sample.messages:,} messages were read in the newest of {count:,}, "
        f"{str(talk_sample.path)!r}"
    )


def _iter_model_checks(call: Call, *, is_free: bool) -> Iterator[Check]:
    """Let the observer observe a sentence, and each other configured model say a word."""
    from gieok.home import trials  # the observer and its rules: `status` reads this module too

    for trial in trials.list_model_trials(call.home):
        name = "observer" if trial.setting == "observe.model" else trial.setting
        if any(error.setting in ("", trial.setting) for error in call.troubles):
            yield Check(name, None, "not tried: what the settings say of it is wrong, above")
        elif is_free and trial.is_paid:
            yield Check(
                name,
                None,
                f"not tried: {trial.model} may cost money, and --free asks nothing that does",
            )
        else:
            yield _check_chain(name, partial(trials.try_model, call.home, trial))
