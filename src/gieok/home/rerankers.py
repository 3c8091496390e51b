"""Opens the configured reranker, and the calibrations that `gieok calibrate` fitted to models."""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from gieok import fs, registry
from gieok.errors import RerankerFailed
from gieok.home.embedders import metered_by, verify_key
from gieok.home.home import Home
from gieok.opening import ModelOpening
from gieok.ports.models import Reranker
from gieok.ranking.calibration import Calibration, Calibrations
from gieok.ranking.rerank import Reranking


def open_reranking(home: Home) -> Reranking | None:
    """Return the reranker with its calibration, not opened yet; None where the user wants none."""
    settings = home.settings
    if settings.text("reranker") == "none":
        return None
    reranker = LazyReranker(home)
    return Reranking(reranker, settings.integer("reranker.candidates"), calibrations(settings.home))


class LazyReranker:
    """`Reranker` that is opened at its first use.

    An error in its settings therefore fails the reranking, not the search.
    """

    def __init__(self, home: Home) -> None:
        self._home = home

    @property
    def model(self) -> str:
        """Return the model's name. Raises RerankerFailed."""
        return self._opened.model

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score for each text. Raises RerankerFailed."""
        return self._opened.scores(question, texts)

    @cached_property
    def _opened(self) -> Reranker:
        if self._home.resident is None:
            return _create_reranker(self._home)
        settings = self._home.settings
        key = tuple(
            str(s.value)
            for name, s in settings.values.items()
            if name.startswith(("reranker", "threads"))
        )
        return self._home.resident.reranker(
            (key, _find_reranker_key(self._home)), lambda: _create_reranker(self._home)
        )


def _create_reranker(home: Home) -> Reranker:
    settings = home.settings
    provider = settings.text("reranker")
    row = registry.RERANKERS[provider]
    key, variable = _find_reranker_key(home)
    opening = ModelOpening(
        provider=provider,
        model=settings.text("reranker.model"),
        home=settings.home,
        address=settings.text("reranker.base_url") or row.address,
        key=key,
        key_variable=variable,
        timeout_s=settings.number("reranker.timeout_s"),
        threads=settings.integer("threads"),
        say=home.say,
    )
    if row.is_service:
        verify_key(opening, row, RerankerFailed)
    model = registry.load_backend(registry.RERANKERS, provider)(opening)
    if row.is_service:
        from gieok.flow import service

        return service.ServiceReranker(model, metered_by(home, service.RERANKER, RerankerFailed))
    reranker: Reranker = model
    return reranker


def _find_reranker_key(home: Home) -> tuple[str, str]:
    settings = home.settings
    variable = (
        settings.text("reranker.key_variable")
        or registry.RERANKERS[settings.text("reranker")].key_variable
    )
    return (settings.secret(variable) if variable else ""), variable


def calibrations(folder: Path) -> Calibrations:
    """Return the fitted calibrations by model name."""
    try:
        rows = json.loads(_locate_calibration_file(folder).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    try:
        return {name: Calibration(**row) for name, row in rows.items()}
    except (TypeError, AttributeError):
        return {}


def keep_calibration(folder: Path, model: str, calibration: Calibration | None) -> None:
    """Store the calibration of a model; None removes it."""
    with fs.lock_resource(folder, _locate_calibration_file(folder)):
        known = {name: row._asdict() for name, row in calibrations(folder).items() if name != model}
        if calibration is not None:
            known[model] = calibration._asdict()
        fs.replace_private(
            _locate_calibration_file(folder), json.dumps(known, ensure_ascii=False, indent=1) + "\n"
        )


def _locate_calibration_file(folder: Path) -> Path:
    return folder / "calibrations.json"
