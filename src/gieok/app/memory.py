"""Opens the memory."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gieok.app import embedders, rerankers
from gieok.app.wiring import Wiring
from gieok.config import Settings
from gieok.errors import BadConfig
from gieok.memory.files.cut import Cut
from gieok.memory.files.profile import PROFILES
from gieok.ops.context import MemoryContext, SeedAccess
from gieok.ranking.profile import Profile

if TYPE_CHECKING:  # a cold search has no time for it
    from collections.abc import Sequence

    from gieok.memory.capture.freshness import Backlog
    from gieok.ports.code import Commit


def open_memory_context(wiring: Wiring) -> MemoryContext:
    """Build the context; stores and models are opened when they are asked for."""
    settings, stores = wiring.settings, wiring.stores
    return MemoryContext(
        store_name=stores.name,
        is_hybrid=settings.flag("hybrid"),
        store=stores.configured,
        stores=stores.all,
        journal=stores.journal,
        has_journal=stores.has_journal,
        notes=stores.notes,
        embedder_name=settings.text("embedder"),
        embedder=partial(embedders.open_embedder, wiring),
        reranking=partial(rerankers.open_reranking, wiring),
        keep_calibration=partial(rerankers.keep_calibration, settings.home),
        profile=partial(_build_configured_profile, settings),
        catch_up=partial(_catch_up_agents, wiring),
        cut=Cut(
            settings.integer("index.passage_tokens"),
            settings.integer("index.overlap_tokens"),
            wiring.zone,
        ),
        seeds=SeedAccess(
            settings.flag("seed.files"),
            settings.integer("seed.commits"),
            partial(_read_commit_log, wiring),
        ),
    )


def _catch_up_agents(wiring: Wiring) -> "Backlog":
    """Read the newest transcript lines of the agents, within a small budget.

    A process that follows the agents does nothing here.
    """
    from gieok.memory.capture import freshness

    settings, home = wiring.settings, str(wiring.settings.home)
    agents, folders = settings.text("observe.agents"), settings.text("observe.folders")
    is_followed = wiring.resident is not None and wiring.resident.follows
    if is_followed or not settings.flag("index.sessions") or (agents == "none" and not folders):
        return freshness.Backlog()
    whose, began_s = (
        freshness.build_freshness_key(agents, folders, wiring.caller.environment),
        wiring.clock.now().timestamp(),
    )
    if not freshness.is_new(home, whose):
        return freshness.Backlog()
    from gieok.app import observe
    from gieok.memory import catch_up

    sidecar = observe.open_observe_context(wiring).sidecar()
    left = catch_up.catch_up(sidecar)
    freshness.store_freshness_mark(
        home, whose, catch_up.patterns(sidecar), 0.0 if left else began_s
    )
    return left


def _read_commit_log(wiring: Wiring, root: Path, most: int) -> "Sequence[Commit]":
    from gieok.machine.git import Git

    return Git(root, wiring.caller.environment).log(most)


def _build_configured_profile(settings: Settings, name: str) -> Profile:
    name = name or settings.text("search.profile")
    if name not in PROFILES:
        raise BadConfig(f"unknown profile {name!r}", hint=f"profiles: {', '.join(PROFILES)}")
    profile = replace(PROFILES[name], calibrations=rerankers.calibrations(settings.home))
    if limit := settings.integer("search.limit"):
        profile = profile.with_limit(limit)
    if (score := settings.number("search.min_score")) >= 0:
        profile = profile.with_least_score(score)
    if (days := settings.number("search.half_life_days")) >= 0:
        profile = replace(profile, half_life_days=days)
    return profile
