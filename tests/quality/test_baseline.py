"""Retrieval quality on the small bundled corpus does not drop below the committed figures.

After a change that moves them for the better: `python tests/quality/test_baseline.py` writes them
anew.
"""

import json
import sys
import tempfile
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
_BASELINE = _HERE / "baseline.json"
sys.path.insert(0, str(_HERE.parents[1] / "benchmarks"))

import retrieval  # noqa: E402 - the benchmark itself, so that both measure the same
from gieok.models.local.runtime import E5Embedder  # noqa: E402
from gieok.storage.index.sqlite.store import SqliteStore  # noqa: E402

#: One question of the smallest type more or less: processors differ in the last digit of a vector.
_SLACK = 0.02
_TYPE_SLACK = 0.11
_FIGURES = ("recall@1", "recall@5", "recall@10", "mrr")


def _measure(models: Path, folder: Path) -> dict[str, dict[str, float]]:
    store = SqliteStore(folder / "quality.sqlite", resident=True)
    found = retrieval.evaluate(store, E5Embedder(models), retrieval.load(_HERE / "corpus.json"))[
        "ungated"
    ]
    store.close()
    rows = {"all": found, **found["by_type"]}
    return {name: {figure: row[figure] for figure in _FIGURES} for name, row in rows.items()}


@pytest.fixture(scope="module")
def measured(models: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    return _measure(models, tmp_path_factory.mktemp("quality"))


def test_quality_has_not_dropped(measured: dict[str, dict[str, float]]) -> None:
    baseline = json.loads(_BASELINE.read_text(encoding="utf-8"))
    dropped = {
        f"{name} {figure}": (row[figure], measured[name][figure])
        for name, row in baseline.items()
        for figure in _FIGURES
        if measured[name][figure] < row[figure] - (_SLACK if name == "all" else _TYPE_SLACK)
    }
    assert dropped == {}


def test_two_syllable_words_and_identifiers_are_always_found(
    measured: dict[str, dict[str, float]],
) -> None:
    assert measured["identifier"]["recall@5"] >= 0.9
    assert measured["ko-two-syllable"]["recall@10"] >= 0.9


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        figures = _measure(
            Path(sys.argv[1] if len(sys.argv) > 1 else ".cache/models"), Path(temporary)
        )
    _BASELINE.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(figures, indent=1))
