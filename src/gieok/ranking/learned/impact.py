"""Weights of two logistic models of the effect of a code change.

`link`: does a run of one symbol run another; `test`: does a test run the changed code.
`scripts/fit_impact.py` fits both on the functions that the tests of several projects were seen to
run.
"""

import json
from collections.abc import Mapping
from functools import cache
from math import exp
from pathlib import Path

_FILE = Path(__file__).parent / "impact.json"
_FARTHEST = 30.0


def find_impact_log_odds(model: str, features: Mapping[str, float]) -> float:
    """Return the log-odds of the model `link` or `test`, given features by name.

    Features without a weight do not count.
    """
    weights = _load_impact_models()[model]
    total = weights["bias"] + sum(
        [value * weights.get(name, 0.0) for name, value in features.items()]
    )
    return max(-_FARTHEST, min(_FARTHEST, total))


def probability(model: str, features: Mapping[str, float]) -> float:
    """Return the probability, 0–1, by the model `link` or `test`."""
    return 1 / (1 + exp(-find_impact_log_odds(model, features)))


@cache
def _load_impact_models() -> Mapping[str, Mapping[str, float]]:
    models: Mapping[str, Mapping[str, float]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return models
