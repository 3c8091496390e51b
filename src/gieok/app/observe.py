"""Opens the sidecar."""

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from gieok import paths, places, projects, registry
from gieok.agents import sources
from gieok.agents.agent import list_readable_agents
from gieok.agents.openclaw import installation
from gieok.app import embedders, models, notices
from gieok.app.wiring import Wiring
from gieok.config import Settings
from gieok.errors import BadConfig, BadRequest
from gieok.flow.generate import Asker
from gieok.flow.schedule import Schedule
from gieok.memory import active_memory, observation, scope_memory
from gieok.memory.active_memory import Look
from gieok.memory.exchange import scope_moves
from gieok.memory.exchange.notes import NotesMirror
from gieok.memory.observation import Observed
from gieok.memory.observer import known_statements, rules
from gieok.memory.observer.buffer import READER, Thresholds
from gieok.memory.observer.known_statements import Known
from gieok.memory.observer.observer import ModelObserver
from gieok.memory.reflection import reflect
from gieok.memory.sidecar import ScopeModels, Sidecar, TranscriptSources
from gieok.model.conversation import Journalled
from gieok.model.memory import Scope
from gieok.ops.context import ObserveContext
from gieok.ops.memory.seed_notes import FOLDERS
from gieok.ports.journal import FullJournal
from gieok.ports.store import Store
from gieok.ports.transcripts import TranscriptStore
from gieok.text.redact.names import redact_path_names

#: How much of the existing memory an observer is shown, in tokens.
_REMEMBERED_TOKENS = 2_000


def open_observe_context(wiring: Wiring) -> ObserveContext:
    """Build the context; the sidecar is made when it is asked for."""
    return ObserveContext(
        cache(partial(_open_sidecar, wiring)),
        partial(_build_transcript_sources, wiring),
        wiring.settings.integer("observe.idle_minutes"),
        wiring.settings.flag("index.sessions"),
    )


def _build_transcript_sources(wiring: Wiring) -> TranscriptSources:
    settings, caller = wiring.settings, wiring.caller
    return TranscriptSources(
        places=sources.list_transcript_places(
            caller.user,
            caller.environment,
            _list_observed_agents(settings),
            _list_observed_folders(wiring),
        ),
        open_database=_open_transcripts,
        default_scope=_own_scope(settings),
        project_scope=_ProjectScopes(wiring),
        folder_of=lambda digest: _folder_of(wiring, digest),
    )


def _own_scope(settings: Settings) -> Scope:
    """Return the scope of conversations outside of any project."""
    return Scope(places.USER_SCOPE if settings.text("scope") == "auto" else settings.text("scope"))


def _open_sidecar(wiring: Wiring) -> Sidecar:
    settings, caller, store = wiring.settings, wiring.caller, wiring.stores.adopted()
    template = settings.text("active_memory.template")
    return Sidecar(
        journal=wiring.stores.journal(),
        store=store,
        clock=wiring.clock,
        zone=wiring.zone,
        transcripts=_build_transcript_sources(wiring),
        models=_scope_models(wiring, store),
        notifier=notices.open_notices(wiring),
        spool=paths.locate_spool(settings.home),
        active_file=partial(_active_file, wiring, _own_scope(settings)),
        look=Look(
            wiring.lang,
            settings.integer("active_memory.budget_tokens"),
            active_memory.read_template(caller.path(template) if template else None),
            wiring.zone,
        ),
        thresholds=Thresholds(
            settings.integer("observe.run_tokens"),
            settings.integer("observe.chunk_tokens"),
            settings.integer("observe.hard_stop_tokens"),
            reflect_tokens=settings.integer("reflect.tokens"),
        ),
        reflection=Schedule(settings.text("reflect.schedule"), wiring.zone),
        notes=_find_notes_mirror(wiring),
        privacy=wiring.privacy,
        has_turns=settings.flag("index.sessions"),
        beside=lambda: wiring.stores.all()[1:],
    )


def _open_transcripts(agent: str, file: Path) -> TranscriptStore:
    """Open a database of an agent's transcripts."""
    transcripts: TranscriptStore = registry.load_backend(registry.TRANSCRIPTS, agent)(file)
    return transcripts


class _ProjectScopes:
    """Maps a folder to the scope of its project; records such folders for `ops.memory.seeding`."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._seen: set[str] = set()

    def __call__(self, folder: str) -> Scope | None:
        if self._wiring.privacy.excludes_folder(folder):
            return None
        folder = (
            scope_moves.find_moved_folder(self._wiring.stores.journal(), folder)
            if folder
            else folder
        )
        scope = _project_scope(self._wiring.settings.home, folder)
        if scope and folder not in self._seen:
            journal = self._wiring.stores.journal()
            self._seen |= journal.kept(FOLDERS).keys() | {folder}
            if folder not in journal.kept(FOLDERS) and redact_path_names(folder) == folder:
                journal.keep(FOLDERS, {folder: ""})
        return scope


def _folder_of(wiring: Wiring, digest: str) -> str:
    """Return the session folder whose path has this SHA-256; '' where no known folder has."""
    folders = wiring.stores.journal().kept(FOLDERS)
    return next(
        (folder for folder in folders if hashlib.sha256(folder.encode()).hexdigest() == digest), ""
    )


def _project_scope(home: Path, folder: str) -> Scope | None:
    """Return the scope of the project that a session worked in.

    None where the session's folder exists and is no project. A folder that is gone, or was never on
    this machine, counts as a project by its path: conversations there are not about the person.
    """
    if not folder:
        return None
    if root := places.find_workplace(folder):
        top = places.find_repository_top(folder)
        project = top if places.common_folder(top) == root else root
        return Scope(
            projects.know(home, project)
            if redact_path_names(project) == project
            else places.project_scope(project)
        )
    is_path = PurePosixPath(folder).is_absolute() or PureWindowsPath(folder).is_absolute()
    return Scope(places.gone_scope(folder)) if is_path and not Path(folder).exists() else None


def _active_file(wiring: Wiring, default: Scope, scope: Scope) -> Path:
    configured = wiring.settings.text("active_memory.path")
    if configured and scope == default:
        return wiring.caller.path(configured)
    return paths.locate_active_memory(wiring.settings.home, scope.path)


def _list_observed_agents(settings: Settings) -> list[str]:
    known = list(list_readable_agents())
    configured = settings.text("observe.agents")
    if configured in ("auto", "none"):
        return known if configured == "auto" else []
    names = [name.strip() for name in configured.split(",") if name.strip()]
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise BadConfig(
            f"observe.agents names {unknown[0]!r}",
            hint=f"agents: {', '.join(known)}, or auto, or none",
        )
    return names


def _list_observed_folders(wiring: Wiring) -> list[Path]:
    return [
        wiring.caller.path(name)
        for name in wiring.settings.text("observe.folders").split(os.pathsep)
        if name
    ]


def _find_notes_mirror(wiring: Wiring) -> NotesMirror:
    """Find out where copies of the user's notes go."""
    settings, caller = wiring.settings, wiring.caller
    named = (name.strip() for name in settings.text("observe.notes").split(","))
    chosen = (caller.path(name) for name in named if name)
    folders = tuple(folder for folder in chosen if not wiring.privacy.excludes_folder(str(folder)))
    record, target = paths.locate_notes_record(settings.home), settings.text("observe.notes_target")
    if target or not folders:
        return NotesMirror(folders, caller.path(target) if target else None, record)
    try:
        agents = installation.find_openclaw(caller.environment, caller.user).agents
        main_agent = next(agent for agent in agents if agent.id == "main")
    except BadRequest as error:
        return NotesMirror(folders, None, record, f"{error}; set observe.notes_target")
    return NotesMirror(folders, main_agent.workspace.absolute() / "memory", record)


def _load_known_context(
    journal: FullJournal,
    store: Store,
    scope: Scope,
    messages: Sequence[Journalled],
    before: Sequence[Observed],
) -> Known:
    """Return what is known to a conversation, with observations that are not stored yet.

    `before` holds the observations that were made ahead.
    """
    ahead = [observation.load_observed(chunk.body) for chunk in journal.chunks(scope, READER)]
    task = next(iter(store.get(scope, [observation.TASK_KEY])), None)
    held = scope_memory.load_scope_memory(
        store, scope, hashes=scope_memory.standing(journal, scope)
    )
    return known_statements.known(held, task, [*ahead, *before], messages, _REMEMBERED_TOKENS)


def _scope_models(wiring: Wiring, store: Store) -> ScopeModels:
    settings, zone = wiring.settings, wiring.zone
    judge = rules.StatementJudge(partial(embedders.open_embedder, wiring))

    # Made for each run, so that a replaced key takes effect at once.
    def asker(role: str, prefix: str, model: str) -> Asker:
        return models.asker(wiring, role, models.generator(settings, f"{prefix}.", model))

    observing = settings.text("observe.model")
    reflecting = settings.text("reflect.model") or observing
    of_reflector = "reflect" if settings.text("reflect.model") else "observe"

    journal, paid = wiring.stores.journal(), defaultdict[Scope, dict[Any, Any]](dict)

    def observe(scope: Scope) -> Callable[[Any], Any]:
        if observing == "rules":
            return _open_rules_observer(wiring, store, scope, judge)
        look = partial(_load_known_context, journal, store, scope)
        model_asker = asker("observer", "observe", observing)
        return ModelObserver(
            model_asker, zone, look, settings.number("observe.temperature"), paid[scope]
        )

    def reflect_on(scope: Scope) -> Callable[[Any, str, int], Any]:
        del scope
        if reflecting == "rules":
            return reflect.rules_ask
        model_asker = asker("reflector", of_reflector, reflecting)
        return reflect.model_ask(model_asker, zone, settings.number("reflect.temperature"))

    return ScopeModels(observe, reflect_on, "" if observing == "rules" else observing)


def _open_rules_observer(
    wiring: Wiring, store: Store, scope: Scope, judge: rules.StatementJudge
) -> Callable[[Any], Any]:
    """Return the observer that works by rules, without a model.

    The observer looks up which message a turn answers, and which claims are held already.
    """
    journal = wiring.stores.journal()

    def before(found: Journalled) -> str:
        message = found.message
        turns = journal.turns(scope, message.agent, message.session, found.seq, found.seq)
        return rules.of_agent_before([turn.message for turn in turns if turn.place < found.seq])

    def held() -> list[str]:
        documents = scope_memory.load_scope_memory(
            store, scope, hashes=scope_memory.standing(journal, scope)
        ).documents
        return [document.text for document in documents if document.valid_to is None]

    return rules.RulesObserver(wiring.zone, judge, before, held)
