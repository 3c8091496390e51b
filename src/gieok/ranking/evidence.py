"""Turns rankings into candidates with the probability that each answers, by `likelihood`."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from gieok.errors import EmbedderFailed
from gieok.model.memory import PassageId
from gieok.model.retrieval import FoundPassage, Line, NearLine, Ranking
from gieok.ports.models import Reader
from gieok.ranking import likelihood, rank
from gieok.ranking.claim_rows import RecordedClaims, TextPlace
from gieok.ranking.likelihood import Evidence, ScopedQuestion
from gieok.ranking.profile import Profile
from gieok.text.embedform import text_to_embed
from gieok.text.language import detect_text_language

_LEAST = 1e-6
#: Characters that the reader reads of a passage.
_READ_CHARS = 400
#: Characters before the nearest line of a longer passage that are read with it.
_READ_BEFORE = 100
#: Log-odds between the last passage that was read and the best one that was not.
_BELOW = 0.01


class HelpMeter:
    """Asks the reader how surely texts help with one question.

    Where the reader fails, nothing is measured from then on, and `failure` says why.
    """

    def __init__(self, reader: Reader, question: str) -> None:
        self._reader, self._question = reader, question
        self.failure: str | None = None

    def measure(self, texts: Sequence[str]) -> Sequence[float] | None:
        """Return the log-odds that each of the first texts helps; None where the reader fails."""
        if self.failure:
            return None
        try:
            return self._reader.measure_help(self._question, texts)
        except EmbedderFailed as error:
            self.failure = f"lines not read with the question: {error} ({error.hint})"
            return None


class JudgedEvidence(NamedTuple):
    """Evidence of one passage, with the judgement that it is a part of."""

    evidence: Evidence
    judgement: likelihood.EvidenceJudgement


class AnswerCandidate(NamedTuple):
    """Passage that may answer: its score, its signals from the retrievers, and why it is so sure.

    `factors` is name → factor of the odds that `judged` alone would give.
    """

    passage: FoundPassage
    score: float
    signals: dict[str, float]
    judged: JudgedEvidence | None = None
    factors: Mapping[str, float] = MappingProxyType({})
    line: Line | None = None

    def parts(self) -> dict[str, float]:
        """Return the log-odds parts of the score; empty for a candidate that was not judged."""
        if self.judged is None:
            return {}
        added = {name: math.log(max(factor, _LEAST)) for name, factor in self.factors.items()}
        return {**self.judged.judgement.parts(self.judged.evidence), **added}

    def weighed(self, factors: Mapping[str, float]) -> "AnswerCandidate":
        """Return the candidate with its odds multiplied by factors, which become signals.

        A candidate that was not judged has its score multiplied instead.
        """
        product = math.prod(factors.values())
        signals = {**self.signals, **factors}
        if self.judged is None:
            return self._replace(score=min(self.score * product, 1.0), signals=signals)
        odds = self.score * product
        score = odds / (odds + 1 - self.score) if self.score < 1 else 1.0
        return self._replace(score=score, signals=signals, factors={**self.factors, **factors})


class RankedPassages(NamedTuple):
    """Best passages of one scope and family, with their rankings and fused scores."""

    passages: Sequence[FoundPassage]
    rankings: Sequence[Ranking]
    fused: rank.Scores
    all_have_vectors: bool
    #: Of longer passages, the line that is nearest to the question.
    lines: Mapping[PassageId, NearLine] = MappingProxyType({})
    #: What is known of claims that ended, and of what was said later.
    claims: RecordedClaims | None = None

    def ranking(self, name: str) -> Ranking:
        """Return a retriever's ranking; an empty ranking where the retriever was not asked."""
        return next(
            (ranking for ranking in self.rankings if ranking.name == name), Ranking(name, ())
        )


def judge_candidates(
    text: str,
    tokens: Mapping[str, float],
    found: RankedPassages,
    profile: Profile,
    meter: HelpMeter | None = None,
) -> list[AnswerCandidate]:
    """Return the passages, best first, with comparable scores.

    The scores compare between questions, families and scopes. A passage without a vector yet is
    judged by its words alone: the passage can be found as soon as it is stored. The best
    few of the others are judged once more with what a `meter` says of them.
    """
    signals = _collect_signals(found)
    if not profile.learned:
        return [AnswerCandidate(p, found.fused[p.id], signals[p.id]) for p in found.passages]
    words = found.ranking("keyword")
    question = ScopedQuestion(text, tokens, words.passages, words.holding)
    for passage in found.passages:
        if detect_text_language(passage.text) != question.language:
            signals[passage.id]["other_language"] = 1.0
    candidates = list[AnswerCandidate]()
    with_vector = [p for p in found.passages if found.all_have_vectors or "vector" in signals[p.id]]
    without = [
        p for p in found.passages if not (found.all_have_vectors or "vector" in signals[p.id])
    ]
    for passages, has_vectors in ((with_vector, True), (without, False)):
        by = likelihood.weights(
            profile.learned, likelihood.VECTORS if has_vectors else likelihood.WORDS
        )
        evidence = _gather_evidence(found, passages, profile.candidates, has_vectors=has_vectors)
        cosines = found.ranking("vector").cosines if has_vectors else ()
        judged = likelihood.judge_evidence(question, evidence, by, cosines)
        by_id = {p.id: p for p in passages}
        unread: list[AnswerCandidate] = []
        if meter and passages and has_vectors and profile.most_read:
            asked = judged.ranked[: profile.most_read]
            count = _read_evidence(asked, by_id, found.lines, meter, signals)
            best, rest = judged.ranked[:count], judged.ranked[count:]
            if best:
                unread = [_build_candidate(item, judged, by_id, signals) for item in rest]
                by = likelihood.weights(profile.learned, likelihood.READ)
                judged = likelihood.judge_read_evidence(question, best, by, judged, cosines)
        read = [_build_candidate(item, judged, by_id, signals) for item in judged.ranked]
        candidates += read + _keep_below(unread, read)
    return sorted(candidates, key=lambda c: -c.score)


def _build_candidate(
    item: Evidence,
    judged: likelihood.EvidenceJudgement,
    by_id: Mapping[PassageId, FoundPassage],
    signals: Mapping[PassageId, dict[str, float]],
) -> AnswerCandidate:
    return AnswerCandidate(
        by_id[item.id], item.probability, signals[item.id], JudgedEvidence(item, judged)
    )


def _keep_below(
    unread: Sequence[AnswerCandidate], read: Sequence[AnswerCandidate]
) -> list[AnswerCandidate]:
    """Return candidates that the reader did not read, below the last one that it read.

    They keep their order: all move by as much as the likeliest of them has to.
    """
    if not unread:
        return []
    last, likeliest = min(map(_get_log_odds, read)), max(map(_get_log_odds, unread))
    if likeliest < last:
        return list(unread)
    factor = max(math.exp(last - likeliest - _BELOW), _LEAST)
    return [one.weighed({"not_read": factor}) for one in unread]


def _get_log_odds(candidate: AnswerCandidate) -> float:
    return candidate.judged.evidence.log_odds if candidate.judged else 0.0


def _read_evidence(
    best: Sequence[Evidence],
    by_id: Mapping[PassageId, FoundPassage],
    lines: Mapping[PassageId, NearLine],
    meter: HelpMeter,
    signals: Mapping[PassageId, dict[str, float]],
) -> int:
    """Set how surely evidence helps; return how much of it was read, 0 where the reader fails."""
    texts = [_cut_read_text(by_id[item.id].text, lines.get(item.id)) for item in best]
    measured = meter.measure(texts)
    for item, log_odds in zip(best, measured or (), strict=False):
        item.help = log_odds
        signals[item.id]["help"] = log_odds
    return len(measured or ())


def _cut_read_text(text: str, line: NearLine | None) -> str:
    """Return what of a passage is read: of a longer one, the line nearest to the question with what
    stands right before it, and what follows.
    """
    start = 0
    if line is not None and len(text) > _READ_CHARS:
        start = text.rfind("\n", 0, max(line.start - _READ_BEFORE, 0)) + 1
        if line.start - start > 2 * _READ_BEFORE:  # the line before is too long to be read with it
            start = line.start
    return text_to_embed(text[start : start + _READ_CHARS])


def _collect_signals(found: RankedPassages) -> dict[PassageId, dict[str, float]]:
    """Return by passage the fused score, and each ranking's place and comparable value."""
    signals: dict[PassageId, dict[str, float]] = defaultdict(dict)
    for passage, score in found.fused.items():
        signals[passage]["fused"] = score
    for ranking in found.rankings:
        for place, (passage, score) in enumerate(ranking.ranked):
            signals[passage][f"{ranking.name}_rank"] = place + 1
            signals[passage][ranking.name] = (
                ranking.cosines[place] if ranking.cosines else score / ranking.ceiling
            )
    return signals


def _gather_evidence(
    found: RankedPassages, passages: Sequence[FoundPassage], full: int, *, has_vectors: bool
) -> list[Evidence]:
    words, vectors = (found.ranking(name) for name in ("keyword", "vector"))
    keyword_z = rank.standard_scores(words, found.fused, full)
    vector_z = rank.standard_scores(vectors, found.fused, full) if has_vectors else {}
    scores = {passage: score / words.ceiling for passage, score in words.ranked}
    cosines = {p: c for (p, _), c in zip(vectors.ranked, vectors.cosines, strict=False)}
    furthest = min(vectors.cosines, default=0.0)
    evidence = {}
    for p in passages:
        # Passages of one document have consecutive ids; the first line has nothing before it.
        near = [
            i for i in (p.id - 1 if p.start_line > 1 else p.id + 1, p.id + 1) if i in found.fused
        ]
        evidence[p.id] = Evidence(
            p.id,
            p.text,
            keyword=scores.get(p.id, 0.0),
            keyword_z=keyword_z[p.id],
            fused=found.fused[p.id],
            cosine=cosines.get(p.id, furthest) if has_vectors else None,
            vector_z=vector_z.get(p.id, 0.0),
            near_keyword=max((keyword_z[i] for i in near), default=0.0),
            near_vector=max((vector_z.get(i, 0.0) for i in near), default=0.0),
            heading=f"{p.title}\n{p.context}",
        )
    documents = {p.id: (p.scope, p.key) for p in passages}
    if found.claims is not None:
        places = {p.id: TextPlace(p.scope.path, p.key, p.start_line, p.text) for p in passages}
        for i, kin in found.claims.find_kin(places).items():
            evidence[i].kin = kin
    for i, item in evidence.items():
        item.before = evidence[i - 1] if documents.get(i - 1) == documents[i] else None
        item.after = evidence[i + 1] if documents.get(i + 1) == documents[i] else None
    return list(evidence.values())
