"""Opens what is remembered."""

from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from gieok import paths, registry
from gieok.app.wiring import Wiring
from gieok.capabilities.files.cut import Cut
from gieok.capabilities.files.profile import PROFILES
from gieok.config import Settings
from gieok.engine.profile import Profile
from gieok.errors import BadConfig
from gieok.ops.context import MemoryContext, TranscriptAccess
from gieok.ports.models import Embedder

if TYPE_CHECKING:  # a cold search has no time for it
    from gieok.ports.journal import TranscriptStore


def opened(wiring: Wiring) -> MemoryContext:
    """Put the context together; stores and models are opened when they are asked for."""
    settings, stores = wiring.settings, wiring.stores
    return MemoryContext(
        store_name=stores.name,
        is_hybrid=settings.flag("hybrid"),
        store=stores.configured,
        stores=stores.all,
        journal=stores.journal,
        notes=stores.notes,
        embedder_name=settings.text("embedder"),
        embedder=cache(partial(_embedder, wiring)),
        profile=partial(_profile, settings),
        cut=Cut(settings.integer("index.passage_tokens"), settings.integer("index.overlap_tokens")),
        transcripts=TranscriptAccess(settings.flag("index.sessions"), partial(open_transcripts, "openclaw")),
    )


def _embedder(wiring: Wiring) -> Embedder | None:
    settings = wiring.settings
    name = settings.text("embedder")
    if name == "none":
        return None
    threads = settings.integer("threads")

    def made() -> Embedder:
        opened: Embedder = registry.load(registry.EMBEDDERS, name)(
            paths.models(settings.home), threads=threads, say=wiring.say
        )
        return opened

    return made() if wiring.resident is None else wiring.resident.embedder((name, threads), made)


def open_transcripts(agent: str, file: Path) -> "TranscriptStore":
    """Open a database of an agent's transcripts."""
    made: TranscriptStore = registry.load(registry.TRANSCRIPTS, agent)(file)
    return made


def _profile(settings: Settings, name: str) -> Profile:
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
