"""Each reason for the rank of a hit has a description for people."""

import json
from collections.abc import Iterator
from importlib.resources import files

import pytest

pytest.importorskip("jinja2")

from gieok.surfaces.web.reasons import PARTS


def _iter_features(weights: dict[str, object]) -> Iterator[str]:
    for name, value in weights.items():
        if isinstance(value, dict):
            yield from _iter_features(value)
        elif name != "scale":
            yield name


@pytest.mark.parametrize("name", ["notes", "turns"])
def test_each_feature_that_has_a_weight_is_described_in_both_languages(name: str) -> None:
    written = files("gieok.ranking.learned").joinpath(f"{name}.json").read_text(encoding="utf-8")
    features = set(_iter_features(json.loads(written)))
    assert "best_help" in features
    assert sorted(features - set(PARTS)) == []
    assert [feature for feature in features if PARTS[feature].say("ko") == PARTS[feature].en] == []
