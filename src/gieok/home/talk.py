"""Opens the sidecar."""

import os
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from gieok import paths, registry
from gieok.agents import sources
from gieok.agents.agent import list_readable_agents
from gieok.agents.openclaw import installation
from gieok.agents.unread_hosts import list_unread_host_places
from gieok.errors import BadConfig, BadRequest
from gieok.flow.generate import Asker
from gieok.flow.schedule import Schedule
from gieok.home import models, notices
from gieok.home.home import Home
from gieok.home.session_folders import HomeSessionFolders
from gieok.memory import active_memory, observation, scope_memory
from gieok.memory.active_memory import ActiveFiles, Look
from gieok.memory.exchange.notes import NotesMirror
from gieok.memory.observation import Observed
from gieok.memory.observer import known_statements, rules
from gieok.memory.observer.buffer import READER, Observer, Thresholds
from gieok.memory.observer.known_statements import Known
from gieok.memory.observer.observer import AnswerLimits, ModelObserver, Paid
from gieok.memory.reflection.reflect import Condenser, ModelCondenser
from gieok.memory.scope_models import ScopeModels
from gieok.memory.sidecar import Sidecar, TranscriptSources
from gieok.model.conversation import Journalled
from gieok.model.memory import Scope
from gieok.places.scope import USER_SCOPE
from gieok.ports.store import Store
from gieok.ports.transcripts import TranscriptStore
from gieok.settings.values import Settings

#: How much of the existing memory an observer is shown, in tokens.
_REMEMBERED_TOKENS = 2_000


def build_transcript_sources(home: Home) -> TranscriptSources:
    """Return where the transcripts of the observed agents lie, and whose they are.

    Where agents are read at all, the places of hosts that are not read yet are among them.
    """
    settings, caller = home.settings, home.caller
    where, observed = (caller.user, caller.environment), _list_observed_agents(settings)
    return TranscriptSources(
        places=[
            *sources.list_transcript_places(*where, observed, _list_observed_folders(home)),
            *(list_unread_host_places(*where) if observed else ()),
        ],
        open_database=_open_transcripts,
        default_scope=_own_scope(settings),
        session_folders=HomeSessionFolders(home),
    )


def _own_scope(settings: Settings) -> Scope:
    """Return the scope of conversations outside of any project."""
    return Scope(USER_SCOPE if settings.text("scope") == "auto" else settings.text("scope"))


def open_sidecar(home: Home) -> Sidecar:
    """Open the sidecar with its journal, store, sources and models."""
    settings, caller, store = home.settings, home.caller, home.stores.adopted()
    template = settings.text("active_memory.template")
    return Sidecar(
        journal=home.stores.journal(),
        store=store,
        clock=home.clock,
        zone=home.zone,
        transcripts=build_transcript_sources(home),
        models=ConfiguredModels(home, store),
        notices=notices.open_notices(home),
        spool=paths.locate_spool(settings.home),
        active_files=_find_active_files(home),
        look=Look(
            home.lang,
            settings.integer("active_memory.budget_tokens"),
            active_memory.read_template(caller.path(template) if template else None),
            home.zone,
        ),
        thresholds=Thresholds(
            settings.integer("observe.run_tokens"),
            settings.integer("observe.chunk_tokens"),
            settings.integer("observe.hard_stop_tokens"),
            activation=settings.number("observe.activation"),
            reflect_tokens=settings.integer("reflect.tokens"),
            reflect_ratio=settings.number("reflect.ratio"),
        ),
        reflection=Schedule(settings.text("reflect.schedule"), home.zone),
        notes=_find_notes_mirror(home),
        privacy=home.privacy,
        has_turns=settings.flag("index.sessions"),
        beside=lambda: home.stores.all()[1:],
    )


def _open_transcripts(agent: str, file: Path) -> TranscriptStore:
    """Open a database of an agent's transcripts."""
    transcripts: TranscriptStore = registry.load_backend(registry.TRANSCRIPTS, agent)(file)
    return transcripts


def _find_active_files(home: Home) -> ActiveFiles:
    configured = home.settings.text("active_memory.path")
    own_file = home.caller.path(configured) if configured else None
    return ActiveFiles(home.settings.home, _own_scope(home.settings), own_file)


def _list_observed_agents(settings: Settings) -> list[str]:
    known = list(list_readable_agents())
    configured = settings.text("observe.agents")
    if configured in ("auto", "none"):
        return known if configured == "auto" else []
    names = [name.strip() for name in configured.split(",") if name.strip()]
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise BadConfig(
            "observe.agents names {unknown!r}",
            unknown=unknown[0],
            known=", ".join(known),
            hint="agents: {known}, or auto, or none",
        )
    return names


def _list_observed_folders(home: Home) -> list[Path]:
    return [
        home.caller.path(name)
        for name in home.settings.text("observe.folders").split(os.pathsep)
        if name
    ]


def _find_notes_mirror(home: Home) -> NotesMirror:
    """Find out where copies of the user's notes go."""
    settings, caller = home.settings, home.caller
    named = (name.strip() for name in settings.text("observe.notes").split(","))
    chosen = (caller.path(name) for name in named if name)
    folders = tuple(folder for folder in chosen if not home.privacy.excludes_folder(str(folder)))
    record, target = paths.locate_notes_record(settings.home), settings.text("observe.notes_target")
    if target or not folders:
        return NotesMirror(folders, caller.path(target) if target else None, record)
    try:
        agents = installation.find_openclaw(caller.environment, caller.user).agents
        main_agent = next(agent for agent in agents if agent.id == "main")
    except BadRequest as error:
        return NotesMirror(folders, None, record, f"{error}; set observe.notes_target")
    return NotesMirror(folders, main_agent.workspace.absolute() / "memory", record)


class ConfiguredModels(ScopeModels):
    """Observers and condensers as a home's settings say: by rules, or by a model.

    What asks a model is made for each run, so that a replaced key takes effect at once.
    """

    def __init__(self, home: Home, store: Store) -> None:
        journal = home.stores.journal()
        super().__init__(journal, store, home.zone, rules.StatementJudge(home.open_reader))
        self._home = home
        observing = home.settings.text("observe.model")
        self._reflecting = home.settings.text("reflect.model") or observing
        self.observer_model = "" if observing == "rules" else observing
        self._paid = defaultdict[Scope, Paid](dict)

    def open_observer(self, scope: Scope) -> Observer:
        """Return the observer of a scope. Raises BadConfig, MissingExtra."""
        if not self.observer_model:
            return super().open_observer(scope)
        return ModelObserver(
            self._open_asker("observer", "observe", self.observer_model),
            self._zone,
            partial(self._load_known, scope),
            self._home.settings.number("observe.temperature"),
            self._paid[scope],
            AnswerLimits(
                self._home.settings.integer("observe.most_observations"),
                self._home.settings.integer("observe.output_tokens"),
            ),
        )

    def open_condenser(self) -> Condenser:
        """Return what condenses the observations of any scope. Raises BadConfig, MissingExtra."""
        if self._reflecting == "rules":
            return super().open_condenser()
        prefix = "reflect" if self._home.settings.text("reflect.model") else "observe"
        return ModelCondenser(
            self._open_asker("reflector", prefix, self._reflecting),
            self._zone,
            self._home.settings.number("reflect.temperature"),
        )

    def _open_asker(self, role: str, prefix: str, model: str) -> Asker:
        generator = models.generator(self._home.settings, f"{prefix}.", model)
        return models.asker(self._home, role, generator)

    def _load_known(
        self, scope: Scope, messages: Sequence[Journalled], before: Sequence[Observed]
    ) -> Known:
        """Return what is known to a conversation, with observations that are not stored yet.

        `before` holds the observations that were made ahead.
        """
        chunks = self._journal.chunks(scope, READER)
        ahead = [observation.load_observed(chunk.body) for chunk in chunks]
        task = next(iter(self._store.get(scope, [observation.TASK_KEY])), None)
        standing = scope_memory.standing(self._journal, scope)
        held = scope_memory.load_scope_memory(self._store, scope, hashes=standing)
        return known_statements.known(held, task, [*ahead, *before], messages, _REMEMBERED_TOKENS)
