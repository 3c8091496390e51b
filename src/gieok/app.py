"""The only wiring: settings → backends → the context that operations work in. Everything is opened when first used."""

import contextlib
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gieok
from gieok import config, fs, paths, places, registry, trust
from gieok.backends.opening import Opening
from gieok.capabilities.files.cut import Cut
from gieok.capabilities.files.profile import PROFILES
from gieok.engine.recall import Profile
from gieok.errors import (
    BadConfig,
    BadRequest,
    EmbedderFailed,
    GieokError,
    NotIndexed,
    ShapeMismatch,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreReadOnly,
    StoreUnreachable,
)
from gieok.model.memory import Scope
from gieok.ops.context import Context, DaemonControl, SettingRow
from gieok.ports.code import CoverageRun
from gieok.ports.journal import TranscriptStore
from gieok.ports.models import Embedder, Generator, SelfCheck
from gieok.ports.store import Adoptable, Notes, Store
from gieok.ports.system import Clock, Watcher

if TYPE_CHECKING:
    from gieok.capabilities.observe.notes import NotesMirror
    from gieok.capabilities.observe.sidecar import Minds, Sidecar
    from gieok.engine.generate import Asker
    from gieok.ports.journal import FullJournal


#: Of what is remembered already, an observer is shown this much.
_REMEMBERED_TOKENS = 2_000

if TYPE_CHECKING:
    from gieok.capabilities.code.index.ignoring import Rules
    from gieok.capabilities.code.index.project import Project
    from gieok.capabilities.prompt.recollect import Reader


class SystemClock:
    """`Clock` by the operating system."""

    def now(self) -> datetime:
        """Return the time."""
        return datetime.now(UTC)


def open_context(
    flags: Mapping[str, str],
    *,
    resident: bool = False,
    say: Callable[[str], None] = lambda line: None,
    tell: Callable[[str], None] = lambda line: None,
    ask: Callable[[str], str] | None = None,
    lang: str = "en",
    clock: Clock | None = None,
    zone: tzinfo | None = None,
    daemon: Callable[[], DaemonControl] | None = None,
    wait: Callable[[float], object] = time.sleep,
    forgiving: bool = False,
) -> Context:
    """Put everything together. `flags` is setting name → text; `resident` is for processes that live long.

    `lang` is the language to use where the settings leave it open; `say`, `tell` and `ask` as in `Context`. `daemon` comes from
    the layer above; `wait` sleeps between tries of a model. `forgiving` leaves out a source of settings that is wrong,
    instead of raising BadConfig.
    """
    troubles: list[BadConfig] = []
    settings = config.load(flags, troubles=troubles if forgiving else None)
    _use_rules(settings)
    clock = clock or SystemClock()
    scopes = _scopes(settings.text("scope"), settings.text("hook.scopes"))
    opening = Opening(settings.home, settings.home, settings.text, settings.secret, is_resident=resident, say=say)

    @cache
    def open_store(name: str) -> Store:
        row = registry.load(registry.STORES, name)
        opened: Store = row.open(opening._replace(file=settings.home / registry.STORES[name].file))
        if name == settings.text("store"):
            _grant_what_was_known(settings.home, opened)
            if not registry.STORES[name].is_remote:
                _adopt(journal, opened)
        return opened

    @cache
    def adopted_store() -> Store:
        # A server is asked where the journal is written, not by every search, which must not wait for one that is down.
        store = open_store(settings.text("store"))
        _adopt(journal, store)
        return store

    def stores() -> list[Store]:
        name = settings.text("store")
        beside = registry.STORES[name].is_remote and settings.flag("hybrid")
        return [open_store(name), *([open_store(registry.LOCAL_STORE)] if beside else [])]

    @cache
    def embedder() -> Embedder | None:
        name = settings.text("embedder")
        if name == "none":
            return None
        made: Embedder = registry.load(registry.EMBEDDERS, name)(
            paths.models(settings.home), threads=settings.integer("threads"), say=say
        )
        return made

    @cache
    def journal() -> "FullJournal":
        made: FullJournal = registry.load(registry.JOURNALS, "sqlite")(paths.journal(settings.home))
        return made

    zone = zone or clock.now().astimezone().tzinfo or UTC
    lang = lang if settings.text("lang") == "auto" else settings.text("lang")

    @cache
    def sidecar() -> "Sidecar":
        return _sidecar(settings, journal(), adopted_store(), clock, zone, lang, wait)

    return Context(
        home=settings.home,
        store_name=settings.text("store"),
        store_names=tuple(registry.STORES),
        hybrid=settings.flag("hybrid"),
        embedder_name=settings.text("embedder"),
        store=lambda: open_store(settings.text("store")),
        stores=stores,
        open_store=open_store,
        choose_store=partial(config.choose, settings, "store"),
        left_stores=lambda: _left_stores(settings),
        set_aside=lambda: _set_aside(settings, clock),
        embedder=embedder,
        try_embedder=_try_embedder,
        watcher=_open_watcher,
        journal=journal,
        notes=lambda: _notes_of(journal(), adopted_store()),
        sidecar=sidecar,
        daemon=daemon,
        clock=clock,
        zone=zone,
        scope=scopes[0],
        also=scopes[1:],
        is_scope_named=settings.text("scope") != "auto",
        profile=partial(_profile, settings),
        cut=Cut(settings.integer("index.passage_tokens"), settings.integer("index.overlap_tokens")),
        has_sessions=settings.flag("index.sessions") and not scopes[0].path.startswith("project:"),
        open_transcripts=_open_transcripts,
        debounce_ms=settings.integer("watch.debounce_ms"),
        rescan_s=settings.integer("watch.rescan_s"),
        idle_minutes=settings.integer("observe.idle_minutes"),
        settings=tuple(_row(settings, option) for option in config.OPTIONS),
        config_troubles=tuple(troubles),
        say=say,
        tell=tell,
        ask=ask,
        glance=partial(
            _glance, registry.local_index(str(settings.home), settings.text("store"), hybrid=settings.flag("hybrid"))
        ),
        lang=lang,
        version=gieok.__version__,
        folder=Path.cwd(),
        project=cache(partial(_open_project, settings.home, journal, resident=resident, clock=clock)),
        open_coverage=_open_coverage,
        asker=lambda root, model: _code_asker(settings, journal(), clock, zone, wait, root, model),
        upkeep=lambda root: _upkeep_asker(settings, journal(), clock, zone, wait, root),
    )


def _left_stores(settings: config.Settings) -> list[Store]:
    """Open what `store switch` left on this machine."""
    home, in_use = str(settings.home), settings.text("store")

    def index_of(name: str) -> str:
        return registry.local_index(home, name, hybrid=name != in_use or settings.flag("hybrid"))

    left = sorted({index_of(name) for name in registry.STORES} - {index_of(in_use)})
    return [registry.load(registry.STORES, registry.LOCAL_STORE)(Path(file)) for file in left if Path(file).is_file()]


def _set_aside(settings: config.Settings, clock: Clock) -> tuple[Path, Store | None]:
    """Move the file of the configured store away. Raises StoreCorrupt where it is on a server."""
    name = settings.text("store")
    file = Path(registry.local_index(str(settings.home), name, hybrid=False))
    if file == Path():
        raise StoreCorrupt(f"the data of `store: {name}` is damaged", hint="restore it from a backup of the server")
    folder = paths.aside(settings.home) / f"{clock.now():%Y%m%dT%H%M%S%fZ}"
    fs.set_aside(file, folder)
    try:
        salvaged: Store = registry.load(registry.STORES, registry.LOCAL_STORE)(folder / file.name)
    except GieokError:
        return folder, None
    return folder, salvaged


def _adopt(journal: "Callable[[], FullJournal]", store: Store) -> None:
    """Make durable what an older release kept in the store alone."""
    if not isinstance(store, Adoptable):
        return
    try:
        if store.is_unadopted():
            _make_durable(journal(), store)
    except (StoreBusy, StoreReadOnly, StoreUnreachable, OSError):  # the next command that may write does it
        return


def _make_durable(journal: "FullJournal", store: Adoptable) -> None:
    from gieok.capabilities.files import sync
    from gieok.capabilities.observe import observation
    from gieok.engine import durable

    durable.adopt(journal, store, lambda key: key.startswith(observation.PREFIX), (sync.SHAPE_NOTE,))


def _notes_of(journal: "FullJournal", store: Store) -> Notes:
    from gieok.engine.durable import DurableNotes

    return DurableNotes(journal, store)


def _grant_what_was_known(home: Path, store: Store) -> None:
    """Take over what was remembered before there was trust, once, and before anything compares it with the files."""
    if Path(trust.adopted_file(str(home))).exists():
        return
    from gieok.capabilities.files.adopt import adopt

    try:
        adopt(home, store)
    except (StoreError, OSError):  # a server that is down, a home that is read-only: those who need it say so
        return


def _use_rules(settings: config.Settings) -> None:
    """Let this process, and the hook (which reads no YAML), know the user's own rules of redaction."""
    text = settings.text("redact.rules")
    if text or "gieok.text.redact.own" in sys.modules:  # else there are none, and nobody has looked for a secret yet
        from gieok.text.redact import own

        own.use(config.rules(text))
    file = paths.redact_rules(settings.home)
    with contextlib.suppress(OSError):  # a home that is read only
        if text and (not file.exists() or file.read_text(encoding="utf-8") != text):
            fs.replace_private(file, text)
        elif not text:
            file.unlink(missing_ok=True)


def scopes_here(context: Context) -> tuple[Scope, ...]:
    """Return the scopes that a context made in this folder now would have."""
    values = {row.name: row.value for row in context.settings}
    return _scopes(values["scope"], values["hook.scopes"])


def _scopes(named: str, beside: str) -> tuple[Scope, ...]:
    """Return the scope to read and write, then those that are read beside it: in a project, the user's own."""
    if named != "auto":
        return (Scope(named),)
    project = places.project_root(str(Path.cwd()))
    return tuple(map(Scope, places.scopes(project, beside if project else places.USER_SCOPE)))


def _row(settings: config.Settings, option: config.Option) -> SettingRow:
    setting = settings.values[option.name]
    shown = config.without_password(str(setting.value)) if option.is_address else str(setting.value)
    return SettingRow(option.name, shown, setting.origin, option.doc)


def _glance(location: str) -> "tuple[Reader, type[Exception]]":
    from gieok.backends.stores.sqlite.index_reader import IndexReader, Late, Mismatch, Missing

    try:
        return IndexReader(location), Late
    except Missing as error:
        raise NotIndexed(f"there is no index at {location!r}") from error
    except Mismatch as error:
        raise ShapeMismatch(str(error)) from error


def _open_project(
    home: Path, journal: "Callable[[], FullJournal]", root: Path, *, resident: bool, clock: Clock
) -> "Project":
    """Open the index of the code below `root`. Raises NotIndexed where somebody else made it."""
    from gieok.capabilities.code.index import ownership
    from gieok.capabilities.code.index.project import Project
    from gieok.capabilities.code.model import layout  # a cold search has no time for it
    from gieok.engine.durable import JournalRealm

    ownership.check(home, root)
    realm = JournalRealm(journal, f"code:{root.resolve()}")
    store = registry.load(registry.PROJECT_STORES, "sqlite")(layout.index_file(root), resident=resident, realm=realm)
    try:
        ownership.claim(home, root, store)
    except NotIndexed:
        store.close()
        raise
    return Project(
        root,
        store,
        registry.load(registry.PARSERS, "tree-sitter")(),
        registry.load(registry.VERSIONS, "git")(root),
        clock,
        config.ignored(root / layout.FOLDER / "config.yaml"),
    )


def _open_coverage(file: Path) -> CoverageRun:
    made: CoverageRun = registry.load(registry.COVERAGE, "coverage.py")(file)
    return made


def ignored_in(root: Path) -> "Rules":
    """Return who says what is not read of a project's code. Its index is not opened. Raises BadConfig."""
    from gieok.capabilities.code.index import ignoring
    from gieok.capabilities.code.model import layout

    patterns = config.ignored(root / layout.FOLDER / "config.yaml")
    return ignoring.Rules(patterns, registry.load(registry.VERSIONS, "git")(root))


def _open_watcher() -> Watcher:
    watcher: Watcher = registry.load(registry.WATCHERS, "watchfiles")()
    return watcher


def _try_embedder(embedder: Embedder) -> str:
    """Use the embedder, and let it check itself if it can. Raises EmbedderFailed."""
    embedder.embed_query("기억")
    wrong = embedder.check() if isinstance(embedder, SelfCheck) else []
    if wrong:
        raise EmbedderFailed("; ".join(wrong))
    return "it embeds"


def _profile(settings: config.Settings, name: str) -> Profile:
    name = name or settings.text("search.profile")
    if name not in PROFILES:
        raise BadConfig(f"unknown profile {name!r}", hint=f"profiles: {', '.join(PROFILES)}")
    profile = PROFILES[name]
    if limit := settings.integer("search.limit"):
        profile = profile.with_limit(limit)
    if (score := settings.number("search.min_score")) >= 0:
        profile = replace(profile, min_score=score)
    if (days := settings.number("search.half_life_days")) >= 0:
        profile = replace(profile, half_life_days=days)
    return profile


def _sidecar(
    settings: config.Settings,
    journal: "FullJournal",
    store: Store,
    clock: Clock,
    zone: tzinfo,
    lang: str,
    wait: Callable[[float], object],
) -> "Sidecar":
    # A command that searches needs none of this.
    from gieok.capabilities.observe import active_memory, sources
    from gieok.capabilities.observe.active_memory import Look
    from gieok.capabilities.observe.buffer import Thresholds
    from gieok.capabilities.observe.sidecar import Sidecar

    scope = Scope(places.USER_SCOPE if settings.text("scope") == "auto" else settings.text("scope"))
    template = settings.text("active_memory.template")
    return Sidecar(
        journal=journal,
        store=store,
        clock=clock,
        zone=zone,
        default_scope=scope,
        project_scope=_project_scope,
        places=sources.places(Path.home(), os.environ, _agents(settings), _folders(settings)),
        minds=_minds(settings, journal, store, clock, zone, wait),
        notifier=registry.load(registry.NOTIFIERS, "log")(paths.log(settings.home), clock.now),
        spool=paths.spool(settings.home),
        open_database=_open_transcripts,
        active_file=partial(_active_file, settings, scope),
        look=Look(
            lang,
            settings.integer("active_memory.budget_tokens"),
            active_memory.read_template(Path(template).expanduser() if template else None),
            zone,
        ),
        thresholds=Thresholds(
            settings.integer("observe.run_tokens"),
            settings.integer("observe.chunk_tokens"),
            settings.integer("observe.hard_stop_tokens"),
        ),
        reflect_tokens=settings.integer("reflect.tokens"),
        notes=_notes(settings),
    )


def _open_transcripts(file: Path) -> TranscriptStore:
    made: TranscriptStore = registry.load(registry.TRANSCRIPTS, "openclaw")(file)
    return made


def _project_scope(folder: str) -> Scope | None:
    root = places.project_root(folder) if folder else ""
    return Scope(places.project_scope(root)) if root else None


def _active_file(settings: config.Settings, default: Scope, scope: Scope) -> Path:
    configured = settings.text("active_memory.path")
    if configured and scope == default:
        return Path(configured).expanduser()
    return paths.active_memory(settings.home, scope.path)


def _agents(settings: config.Settings) -> list[str]:
    from gieok.capabilities.observe.sources import AGENTS

    wanted = settings.text("observe.agents")
    if wanted in ("auto", "none"):
        return list(AGENTS) if wanted == "auto" else []
    names = [name.strip() for name in wanted.split(",") if name.strip()]
    unknown = sorted(set(names) - set(AGENTS))
    if unknown:
        raise BadConfig(f"observe.agents names {unknown[0]!r}", hint=f"agents: {', '.join(AGENTS)}, or auto, or none")
    return names


def _folders(settings: config.Settings) -> list[Path]:
    return [Path(name).expanduser() for name in settings.text("observe.folders").split(os.pathsep) if name]


def _notes(settings: config.Settings) -> "NotesMirror":
    """Find out where the user's notes go."""
    from gieok.capabilities.files import openclaw
    from gieok.capabilities.observe.notes import NotesMirror

    named = (name.strip() for name in settings.text("observe.notes").split(","))
    folders = tuple(Path(name).expanduser().absolute() for name in named if name)
    record, target = paths.notes(settings.home), settings.text("observe.notes_target")
    if target or not folders:
        return NotesMirror(folders, Path(target).expanduser().absolute() if target else None, record)
    try:
        found = next(agent for agent in openclaw.find(os.environ, Path.home()).agents if agent.id == "main")
    except BadRequest as error:
        return NotesMirror(folders, None, record, f"{error}; set observe.notes_target")
    return NotesMirror(folders, found.workspace.absolute() / "memory", record)


def _minds(
    settings: config.Settings,
    journal: "FullJournal",
    store: Store,
    clock: Clock,
    zone: tzinfo,
    wait: Callable[[float], object],
) -> "Minds":
    from gieok.capabilities.observe import reflect, remembered, rules
    from gieok.capabilities.observe.observer import ModelObserver
    from gieok.capabilities.observe.sidecar import Minds

    # Made for each run, so that a key that was replaced holds at once.
    def asker(role: str, prefix: str, model: str) -> "Asker":
        return _asker(settings, journal, clock, zone, wait, role, _generator(settings, f"{prefix}.", model))

    observing = settings.text("observe.model")
    reflecting = settings.text("reflect.model") or observing
    of_reflector = "reflect" if settings.text("reflect.model") else "observe"

    def observe(scope: Scope) -> Callable[[Any], Any]:
        if observing == "rules":
            return lambda span: rules.observe(span, zone)
        recent = partial(remembered.recent, store, scope, _REMEMBERED_TOKENS)
        made = asker("observer", "observe", observing)
        return ModelObserver(made, zone, recent, settings.number("observe.temperature"))

    def reflect_on(scope: Scope) -> Callable[[Any, str, int], Any]:
        del scope
        if reflecting == "rules":
            return reflect.rules_ask
        made = asker("reflector", of_reflector, reflecting)
        return reflect.model_ask(made, zone, settings.number("reflect.temperature"))

    return Minds(observe, reflect_on, "" if observing == "rules" else observing)


def _asker(
    settings: config.Settings,
    journal: "FullJournal",
    clock: Clock,
    zone: tzinfo,
    wait: Callable[[float], object],
    role: str,
    generator: Generator,
) -> "Asker":
    from gieok.engine.generate import Asker

    return Asker(
        role=role,
        generator=generator,
        ledger=journal,
        clock=clock,
        zone=zone,
        wait=lambda seconds: (wait(seconds), None)[1],
        daily_tokens=settings.integer("observe.daily_tokens"),
    )


def _code_asker(
    settings: config.Settings,
    journal: "FullJournal",
    clock: Clock,
    zone: tzinfo,
    wait: Callable[[float], object],
    root: Path,
    model: str,
) -> "Asker | None":
    """Return what asks `model`, or else the configured one, about the code of a folder."""
    from gieok.ops.code.project import role_of

    if not (model := model or settings.text("code.model")):
        return None
    generator = _generator(settings, _code_prefix(settings, model), model)
    return _asker(settings, journal, clock, zone, wait, role_of(root), generator)


def _code_prefix(settings: config.Settings, model: str) -> str:
    """Return where the address and key of a model are set: those that were set for one provider never go to another."""
    configured = settings.text("code.model")
    is_others = configured and configured.partition(":")[0] != model.partition(":")[0]
    return "" if is_others else "code."


def _upkeep_asker(
    settings: config.Settings,
    journal: "FullJournal",
    clock: Clock,
    zone: tzinfo,
    wait: Callable[[float], object],
    root: Path,
) -> "Asker | None":
    """Return what asks the cheap model about changes in a folder. It tries once: what fails waits for the next sync."""
    from gieok.ops.code.project import upkeep_role_of

    if not (model := settings.text("code.upkeep_model")):
        return None
    has_own = any(settings.text(f"code.upkeep_{name}") for name in ("base_url", "key_variable"))
    generator = _generator(settings, "code.upkeep_" if has_own else _code_prefix(settings, model), model)
    return replace(_asker(settings, journal, clock, zone, wait, upkeep_role_of(root), generator), delays_s=())


def _generator(settings: config.Settings, prefix: str, model: str) -> Generator:
    """Return the generator of `provider:model`, with the address and key whose settings begin with `prefix` ('' for none).

    Raises BadConfig, MissingExtra.
    """
    provider, _, name = model.partition(":")
    if provider not in registry.GENERATORS or not name:
        known = ", ".join(sorted(registry.GENERATORS))
        raise BadConfig(f"no such model: {model!r}", hint=f"write provider:model; providers: {known}")
    address, variable = (settings.text(f"{prefix}{name}") if prefix else "" for name in ("base_url", "key_variable"))
    row = registry.GENERATORS[provider]
    variable = variable or row.key_variable
    key = settings.secret(variable) if variable else ""
    made: Generator = registry.load(registry.GENERATORS, provider)(model, key, address or row.address)
    return made
