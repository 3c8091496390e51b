"""What the retrievers found, as evidence: places, shares and neighbours of each passage."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from gieok.errors import EmbedderFailed
from gieok.model.memory import Scope, Tier
from gieok.model.retrieval import FoundPassage, NearLine, Ranking
from gieok.ranking.evidence import (
    AnswerCandidate,
    HelpMeter,
    JudgedEvidence,
    RankedPassages,
    _gather_evidence,
    judge_candidates,
)
from gieok.ranking.likelihood import Evidence, EvidenceJudgement, FamilyWeights
from gieok.ranking.profile import Profile
from gieok.text.keywords import query_tokens

_AT = datetime(2026, 11, 21, tzinfo=UTC)


def _passage(number: int, text: str, key: str = "a.md", start_line: int = 1) -> FoundPassage:
    return FoundPassage(
        id=number,
        scope=Scope("agent:main"),
        key=key,
        kind="memory",
        title="",
        text=text,
        context="",
        start_line=start_line,
        end_line=start_line,
        importance=0.5,
        tier=Tier.HOT,
        updated_at=_AT,
        valid_from=None,
        metadata={},
    )


class _Reader:
    """Reader for which the help of a line is a number in a table, or that fails."""

    def __init__(self, helps: dict[str, float] | None = None, most: int = 99) -> None:
        self.help = helps
        self.most = most
        self.read: list[list[str]] = []

    def measure_help(self, question: str, lines: Sequence[str]) -> list[float]:
        self.read.append(list(lines))
        if self.help is None:
            raise EmbedderFailed("no room", hint="make some")
        return [self.help.get(line, -6.0) for line in lines[: self.most]]


def _candidates(
    *,
    learned: str = "",
    all_have_vectors: bool = True,
    reader: _Reader | None = None,
    most_read: int = 10,
    lines: Sequence[NearLine] = (),
    **texts: str,
) -> dict[int, AnswerCandidate]:
    passages = [_passage(number, text) for number, text in enumerate(texts.values(), 1)]
    rankings = [
        Ranking("keyword", ((2, 6.0), (1, 3.0)), ceiling=12.0, passages=40, holding={"linter": 2}),
        Ranking("vector", ((1, 0.6), (3, 0.4)), ceiling=2.0, cosines=(0.8, 0.7)),
    ]
    fused = {passage.id: 1.0 / passage.id for passage in passages}
    found = RankedPassages(
        passages, rankings, fused, all_have_vectors, {line.passage: line for line in lines}
    )
    made = judge_candidates(
        "which linter",
        query_tokens("which linter"),
        found,
        Profile(name="test", learned=learned, most_read=most_read),
        HelpMeter(reader, "which linter") if reader else None,  # type: ignore[arg-type]
    )
    return {candidate.passage.id: candidate for candidate in made}


def test_signals_name_the_place_and_the_share_of_each_ranking() -> None:
    made = _candidates(one="linter", two="linter ruff", three="lamp")
    assert {number: one.signals for number, one in made.items()} == {
        1: {"fused": 1.0, "keyword_rank": 2, "keyword": 0.25, "vector_rank": 1, "vector": 0.8},
        2: {"fused": 0.5, "keyword_rank": 1, "keyword": 0.5},
        3: {"fused": pytest.approx(1 / 3), "vector_rank": 2, "vector": 0.7},
    }
    assert [one.score for one in made.values()] == [1.0, 0.5, pytest.approx(1 / 3)]


def test_a_passage_without_a_vector_is_judged_by_its_words_where_others_have_one() -> None:
    texts = {"one": "the linter", "two": "the linter", "three": "린터"}
    mixed, full = (
        _candidates(learned="notes", all_have_vectors=False, **texts),
        _candidates(learned="notes", **texts),
    )
    assert "best_cosine" not in mixed[2].parts() or not mixed[2].parts()["best_cosine"]
    assert mixed[2].score != full[2].score
    assert {number: one.signals.get("other_language") for number, one in full.items()} == {
        1: None,
        2: None,
        3: 1.0,
    }
    scores = [one.score for one in full.values()]
    assert scores == sorted(scores, reverse=True)


def test_what_surely_helps_comes_first_and_the_parts_say_so() -> None:
    texts = {"one": "the linter", "two": "the linter again", "three": "ruff, of course"}
    reader = _Reader({"the linter": -3.0, "the linter again": -3.0, "ruff, of course": 3.5})
    read = _candidates(learned="turns", reader=reader, **texts)
    assert next(iter(read)) == 3
    assert read[3].signals["help"] == 3.5
    assert sorted(reader.read[0]) == sorted(texts.values())
    parts = read[1].parts()
    assert parts["help"] < 0, "helps less than the best"
    assert 1 / (1 + math.exp(-sum(parts.values()))) == pytest.approx(read[1].score)


def test_notes_are_ordered_by_what_helps_and_only_so_many_are_read() -> None:
    texts = {"one": "the linter", "two": "the linter again", "three": "ruff, of course"}
    reader = _Reader({"the linter": -3.0, "the linter again": -3.0, "ruff, of course": 3.5})
    assert next(iter(_candidates(learned="notes", reader=reader, **texts))) == 3
    _candidates(learned="notes", reader=reader, most_read=2, **texts)
    assert [len(read) for read in reader.read] == [3, 2]


def test_of_a_long_note_the_line_nearest_to_the_question_is_read() -> None:
    lead = "".join(f"Line {number} of other things.\n" for number in range(40))
    note = f"{lead}The linter is ruff.\nAnd more."
    start = note.index("The linter")
    line = NearLine(1, start, start + 19, 0.9, 0.9)
    reader = _Reader({})
    _candidates(learned="notes", reader=reader, lines=[line], one=note, two="short")
    read = next(text for text in reader.read[0] if text != "short")
    assert "The linter is ruff." in read
    assert len(read) <= 400
    assert read.startswith("Line ")


def test_a_short_note_is_read_whole() -> None:
    note = f"{'A sentence of some length. ' * 10}The linter is ruff."
    line = NearLine(1, note.index("The linter"), len(note), 0.9, 0.9)
    reader = _Reader({})
    _candidates(learned="notes", reader=reader, lines=[line], one=note, two="short")
    assert note in reader.read[0]


def test_a_reader_that_fails_changes_nothing_but_is_named() -> None:
    texts = {"one": "the linter", "two": "the linter again", "three": "ruff"}
    failing = _Reader(None)
    meter = HelpMeter(failing, "which linter")  # type: ignore[arg-type]
    read, unread = (
        _candidates(learned="turns", reader=reader, **texts) for reader in (failing, None)
    )
    assert {n: one.score for n, one in read.items()} == {n: one.score for n, one in unread.items()}
    assert meter.measure(["a"]) is None
    assert meter.measure(["b"]) is None
    assert meter.failure == "lines not read with the question: no room (make some)"
    assert failing.read[-1] == ["a"], "it is not asked again"


def test_the_reader_reads_the_best_few_of_what_has_a_vector() -> None:
    texts = {f"line{number}": f"the linter {number}" for number in range(1, 41)}
    reader = _Reader({})
    found = _candidates(learned="turns", reader=reader, **texts)
    assert len(reader.read[0]) == 10
    assert len(found) == 40
    scores = [round(one.score, 9) for one in found.values()]
    assert scores == sorted(scores, reverse=True)
    last = list(found.values())[-1]
    assert 1 / (1 + math.exp(-sum(last.parts().values()))) == pytest.approx(last.score)
    assert ["help" in one.signals for one in found.values()] == [True] * 10 + [False] * 30
    unread = [one for one in found.values() if "help" not in one.signals]
    assert len({round(one.score, 12) for one in unread}) > 1, "their distances stay"
    unasked = _Reader({})
    assert not _candidates(learned="turns", reader=unasked)
    assert not unasked.read, "nothing is opened where there is nothing to read"
    mixed = _Reader({})
    _candidates(learned="turns", reader=mixed, all_have_vectors=False, **texts)
    assert sorted(mixed.read[0]) == ["the linter 1", "the linter 3"]


def test_turns_are_read_as_they_are_embedded() -> None:
    reader = _Reader({})
    _candidates(learned="turns", reader=reader, one="User: we use ruff", two="x", three="y")
    assert 'User: "we use ruff"' in reader.read[0]


@pytest.mark.parametrize(
    ("score", "factors", "expected"),
    [
        (0.5, {"age": 0.5}, 1 / 3),
        (0.8, {"age": 0.5, "mark": 1.5}, 0.75),
        (1.0, {"age": 0.5}, 1.0),
        (0.5, {"age": 0.0}, 0.0),
    ],
)
def test_factors_multiply_the_odds(
    score: float, factors: dict[str, float], expected: float
) -> None:
    odds = math.log(score / (1 - score)) if score < 1 else 9.0
    one = Evidence(1, "x")
    weights = FamilyWeights({"rank": {}, "answer": {"bias": odds}, "scale": 1.0})
    judged = JudgedEvidence(one, EvidenceJudgement([one], {}, weights))
    weighed = AnswerCandidate(_passage(1, "x"), score, {"fused": 1.0}, judged).weighed(factors)
    assert weighed.score == pytest.approx(expected)
    assert weighed.signals == {"fused": 1.0, **factors}
    added = {name: math.log(max(factor, 1e-6)) for name, factor in factors.items()}
    assert weighed.parts() == pytest.approx({**({"bias": odds} if odds else {}), **added})


@pytest.mark.parametrize(("score", "factor", "expected"), [(0.4, 0.5, 0.2), (0.9, 1.5, 1.0)])
def test_factors_multiply_a_score_without_parts_up_to_one(
    score: float, factor: float, expected: float
) -> None:
    weighed = AnswerCandidate(_passage(1, "x"), score, {}).weighed({"mark": factor})
    assert weighed.score == pytest.approx(expected)
    assert weighed.parts() == {}


def test_lines_beside_each_other_know_of_each_other_within_a_document() -> None:
    """The first line of a document has nothing before it: what has the id before is of another
    one.
    """
    passages = [
        _passage(1, "a"),
        _passage(2, "b"),
        _passage(3, "c", "b.md"),
        _passage(4, "d", "b.md", start_line=2),
    ]
    ranked = ((1, 4.0), (3, 3.0), (2, 2.0), (4, 1.0))
    rankings = [
        Ranking("keyword", ranked, ceiling=8.0),
        Ranking("vector", ranked, cosines=(0.8, 0.7, 0.6, 0.5)),
    ]
    found = RankedPassages(passages, rankings, dict(ranked), all_have_vectors=True)
    made = {one.id: one for one in _gather_evidence(found, passages, 200, has_vectors=True)}
    z = {number: one.keyword_z for number, one in made.items()}
    assert z == pytest.approx({number: (score - 2.5) / 1.25**0.5 for number, score in ranked})
    near = {1: z[2], 2: z[3], 3: z[4], 4: z[3]}
    assert {number: one.near_keyword for number, one in made.items()} == near
    assert {number: one.near_vector for number, one in made.items()} == pytest.approx(near)
    assert {number: one.keyword for number, one in made.items()} == {
        1: 0.5,
        2: 0.25,
        3: 0.375,
        4: 0.125,
    }
    assert [made[number].cosine for number in (1, 2, 3, 4)] == [0.8, 0.6, 0.7, 0.5]
    beside = {
        n: (one.before.id if one.before else 0, one.after.id if one.after else 0)
        for n, one in made.items()
    }
    assert beside == {1: (0, 2), 2: (1, 0), 3: (0, 4), 4: (3, 0)}
