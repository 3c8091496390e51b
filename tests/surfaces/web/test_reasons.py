"""Each reason for the rank of a hit has a description for people."""

import json
from collections.abc import Iterator
from importlib.resources import files

import pytest

pytest.importorskip("jinja2")

from gieok.ranking.likelihood import Evidence, EvidenceJudgement, FamilyWeights
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


def test_each_part_that_is_no_feature_is_described_in_both_languages() -> None:
    one = Evidence(1, "x")
    weights = FamilyWeights({"rank": {}, "answer": {"bias": 1.0}, "scale": 1.0})
    judged = EvidenceJudgement([one], {}, weights, doubt=-0.5)
    names = {*judged.parts(one), "not_read", "decay", "mark", "days"}
    assert "words_nowhere" in names
    assert sorted(names - PARTS.keys()) == []
    assert [name for name in names if PARTS[name].say("ko") == PARTS[name].en] == []
