"""The weights of how sure `code query` is of an answer are what the rows give."""

import json
import sys
from pathlib import Path

import pytest

_TRAINING = Path(__file__).parents[2] / "training"
sys.path.insert(0, str(_TRAINING))

import sureness  # noqa: E402

from gieok.code.ask.sureness import AnswerEvidence, rate_sureness  # noqa: E402


@pytest.mark.parametrize(("name", "with_vectors"), [("words", False), ("vectors", True)])
def test_the_shipped_weights_are_what_the_rows_give(name: str, with_vectors: bool) -> None:
    shipped = json.loads(sureness.SHIPPED.read_text(encoding="utf-8"))
    fitted = sureness.fit_weights(sureness.read_rows(with_vectors=with_vectors))
    # another build of the linear algebra may round the last digit the other way
    assert shipped[name] == pytest.approx(fitted, abs=0.011)


def test_the_product_rates_an_answer_as_the_fit_does() -> None:
    for with_vectors in (False, True):
        rows = sureness.read_rows(with_vectors=with_vectors)
        weights = sureness.fit_weights(rows)
        for row in rows[::10]:
            words, path, name, is_named = row.evidence
            evidence = AnswerEvidence(words, path, name, bool(is_named), row.cosine)
            assert rate_sureness(evidence) == pytest.approx(sureness.rate(row, weights), abs=0.02)


def test_each_question_has_its_evidence_and_no_other_has() -> None:
    questions = map(json.loads, sureness.QUESTIONS.read_text(encoding="utf-8").splitlines())
    asked = {row["asks"] for row in questions}
    asked |= {*sureness.NOWHERE.read_text(encoding="utf-8").splitlines()}
    rows = [*sureness.read_rows(with_vectors=False), *sureness.read_rows(with_vectors=True)]
    assert {row.asks for row in rows} <= asked
    assert len(asked - {row.asks for row in rows}) <= 1
