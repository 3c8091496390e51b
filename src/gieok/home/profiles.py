"""Profiles of search: how memory is ranked, with what the user set."""

from dataclasses import replace
from pathlib import Path

from gieok.character.memory.said_words import MOST_QUOTED, SAID
from gieok.errors import BadConfig
from gieok.home import rerankers
from gieok.memory.files.profile import PROFILES, TURNS
from gieok.ranking.profile import Profile
from gieok.settings.values import Settings


def build_configured_profile(settings: Settings, name: str) -> Profile:
    """Return the profile of a name, '' for the configured one, with the user's own limits.

    Raises BadConfig.
    """
    name = name or settings.text("search.profile")
    if name not in PROFILES:
        raise BadConfig(
            "unknown profile {name!r}",
            name=name,
            profiles=", ".join(PROFILES),
            hint="profiles: {profiles}",
        )
    profile = replace(PROFILES[name], calibrations=rerankers.calibrations(settings.home))
    if limit := settings.integer("search.limit"):
        profile = profile.with_limit(limit)
    if (score := settings.number("search.min_score")) >= 0:
        profile = profile.with_least_score(score)
    if (days := settings.number("search.half_life_days")) >= 0:
        profile = replace(profile, half_life_days=days)
    return profile


def build_quoting_profile(folder: Path) -> Profile:
    """Return how what people said to a character is ranked in a home: as turns are.

    Fewer lines are read with the message, because a reply waits for it. A line with little chance
    is quoted too: it stands with its day as what was said, and claims nothing else.
    """
    return replace(
        TURNS,
        kinds=frozenset((SAID,)),
        most_read=4,
        least_best=0.05,
        limit=MOST_QUOTED,
        calibrations=rerankers.calibrations(folder),
    )
