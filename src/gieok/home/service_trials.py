"""Trials of managed stores with the user's own key, and the file of what was exchanged."""

from pathlib import Path

from gieok import fs, paths, registry
from gieok.errors import StoreUnreachable
from gieok.home.home import Home
from gieok.opening import Opening
from gieok.ports.store import TrialResult, TrialStep


def try_managed_store(home: Home) -> tuple[Path, tuple[TrialStep, ...]]:
    """Try the service of the managed store; return the recording's file and the steps.

    Raises MissingExtra, and StoreUnreachable without a key.
    """
    name = "gemini"
    if not home.settings.secret("GEMINI_API_KEY"):
        raise StoreUnreachable(
            "no key for Gemini", hint="run `gieok keys set gemini` (GEMINI_API_KEY)"
        )
    folder = home.settings.home
    opening = Opening(folder, folder / registry.STORES[name].file, home.settings)
    result: TrialResult = registry.load_backend(registry.SERVICE_TRIALS, name)(opening)
    file = paths.locate_service_recording(folder)
    fs.make_private(file.parent)
    fs.replace_private(file, result.recording)
    return file, result.steps
