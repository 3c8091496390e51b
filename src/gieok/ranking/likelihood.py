"""How likely a passage answers a question, as a calibrated probability.

The probability comes from readable features and a linear model. The hook's word-only path ranks
with this module too: standard library, nothing slow to import. The weights are in `learned/`, a
file per family of documents, each with one set for words alone, one for words and vectors, and one
for the best few where the reader read them with the question; `benchmarks/fit.py` makes them.

    order        r = Σ weight · feature                       within one scope and family
    probability  σ(scale · (r - best r) + bias + Σ weight · feature of the question and of the best
    passage)

Both are linear, so the contributions that `--explain` shows add up to the log-odds.
"""

import json
import math
import os
import re

from gieok.text.bm25 import idf
from gieok.text.keywords import is_statement, keyword_tokens, normalise
from gieok.text.language import detect_text_language
from gieok.text.same_words import StatedText, says_the_same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

#: Cuts between the levels of a probability, chosen from the reliability tables of
#: docs/figures.md.
HIGH, MEDIUM, LOW = "high", "medium", "low"
SURE, UNSURE = 0.5, 0.3
#: Number of fused candidates that are judged: .90 of the answers on LoCoMo are among fifty, .97
#: among two hundred.
JUDGED = 60
_FOLDER = os.path.join(os.path.dirname(__file__), "learned")

#: Names of the sets of weights.
WORDS, VECTORS, READ = "words", "vectors", "read"
#: Passages behind the best one whose mean help the best one is compared with.
_RUNNERS_UP = 5
#: Log-odds of the reader count up to here: beyond, its figures say less than they seem to.
_SUREST = 8.0

#: Smoothing of rarities: the number of unrelated passages added to every scope, and the share of
#: them that holds a given token.
_PRIOR_PASSAGES = 500
_PRIOR_SHARE = 0.002
#: Characters of a passage that the features look at: more text of a long page only costs time.
_MOST_CHARS = 3_000

#: Number of candidates beside the best one from which the best one's lead counts in full.
_ENOUGH_RIVALS = 4

#: Where more than this share of a question, weighted by the rarity of its words, stands nowhere in
#: the scope, no passage is sure to answer it: a near miss has the question's subject in the scope
#: and its attribute nowhere. Of near misses .37 are sure with this rule and .76 without, of
#: questions on nothing in the scope .03 and .11; of right first hits .07 and .26, which are shown
#: as unsure (benchmarks/small_folders.py).
_MOST_UNSEEN = 0.3
#: How far below `SURE` the probability of the best passage is capped then.
_DOUBT = 0.02

#: ln(1 + characters) from which a passage counts as long enough.
_LENGTH_ENOUGH = 4.5

_LABEL = re.compile(r"([^\W\d_][\w .'-]{0,40}): ")
_WHEN = (
    r"(?i)\bwhen\b|\bwhat (?:date|day|time|month|year)\b|\bhow (?:long|old|often|recently)\b"
    r"|언제|며칠|몇 ?[시월일년살주]|요일"
)
_COUNT = (
    r"(?i)\bhow (?:many|much)\b|\bwhat (?:number|price|version|port|size|percent)|몇|얼마|버전|포트"
)
_DATED = (
    r"(?i)\d{1,4}[-/.]\d{1,2}|\d\s*[월일년시주]|\b(?:yester|to)day\b|\btomorrow\b|\bago\b|\b(?:last"
    r"|next|this) \w+"
    r"|요일|어제|오늘|내일|지난|다음 ?[주달]"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:january|february|march|april|june"
    r"|july|august|september|october"
    r"|november|december)\b|\b(?:19|20)\d\d\b|\b(?:week|month|year)s?\b"
)
_ASKS = r"[?？]\s*[\"')\]]*\s*(?:\[[^\]]*\]\s*)?$|(?:나요|까요|니까|는지|을까|ㄹ까|할까|어때|인가|던가)\s*[.?~]*$"
_OF_ASSISTANT = (
    r"(?i)\byou (?:\w+ ){0,2}(?:said|say|suggest|recommend|mention|told|tell|gave|give|explain"
    r"|list|provid|wrote|propos)"
    r"|추천해\s?(?:준|줬)|알려\s?(?:준|줬)|네가|니가|제안"
)
_OWN = r"(?i)\b(?:my|i|me|mine|we|our)\b|내|나 |나는|제가|저는|우리"
_NAME = r"(?<=[a-z,;] )[A-Z][a-z]{2,}"


class Evidence:
    """What the retrievers know of one passage, and the judgement made of it.

    Higher is better in every field but `length`.
    """

    __slots__ = (
        "_said",
        "after",
        "before",
        "cosine",
        "fused",
        "heading",
        "held",
        "help",
        "id",
        "keyword",
        "keyword_z",
        "kin",
        "log_odds",
        "near_keyword",
        "near_vector",
        "order",
        "text",
        "values",
        "vector_z",
    )

    def __init__(
        self,
        id: int,  # noqa: A002
        text: str,
        *,
        keyword: float = 0.0,
        fused: float = 0.0,
        keyword_z: float = 0.0,
        cosine: "float | None" = None,
        vector_z: float = 0.0,
        near_keyword: float = 0.0,
        near_vector: float = 0.0,
        heading: str = "",
    ) -> None:
        self.id = id
        self.text = normalise(text[:_MOST_CHARS])
        #: Text above the passage: the names of its note, and headings.
        self.heading = heading
        self.keyword = keyword
        self.fused = fused
        self.keyword_z = keyword_z
        self.cosine = cosine
        #: Log-odds by the reader that this text helps; None where the reader did not read it.
        self.help: float | None = None
        self.vector_z = vector_z
        #: The best score of the neighbours: the passages before and after in the same document.
        self.near_keyword = near_keyword
        self.near_vector = near_vector
        #: Passages that hold what came later on the subject of this one, by id.
        self.kin: frozenset[int] = frozenset()
        #: The neighbours themselves, where they are candidates too.
        self.before: Evidence | None = None
        self.after: Evidence | None = None
        self.held: frozenset[str] = frozenset()
        self._said: StatedText | None = None
        self.values: dict[str, float] = {}
        self.order = 0.0
        self.log_odds = 0.0

    @property
    def said(self) -> StatedText:
        """Return the speaker and the sentences of the passage."""
        if self._said is None:
            self._said = StatedText(self.text)
        return self._said

    @property
    def probability(self) -> float:
        """Return how likely the passage answers the question."""
        return apply_logistic(self.log_odds)


class ScopedQuestion:
    """Question with the rarity of its tokens in the scope that is searched."""

    __slots__ = (
        "counts",
        "is_own",
        "language",
        "names",
        "of_assistant",
        "passages",
        "prefixes",
        "rarities",
        "statement",
        "text",
        "total",
        "unseen",
        "when",
        "words",
    )

    def __init__(
        self, text: str, tokens: "Mapping[str, float]", passages: int, holding: "Mapping[str, int]"
    ) -> None:
        self.text = text = text[:_MOST_CHARS]
        self.passages = passages
        self.rarities = rarities(tokens, passages, holding)
        self.total = sum(self.rarities.values()) or 1.0
        self.unseen = (
            sum(rare for token, rare in self.rarities.items() if token not in holding) / self.total
        )
        self.prefixes = {token[:2] for token in tokens if token.isascii()}
        self.language = detect_text_language(text)
        self.statement = is_statement(text)
        self.when = bool(re.search(_WHEN, text))
        self.counts = bool(re.search(_COUNT, text))
        self.of_assistant = bool(re.search(_OF_ASSISTANT, text))
        self.is_own = bool(re.search(_OWN, text))
        self.words = frozenset(re.findall(r"\w+", text.lower()))
        #: Names of people, places, products, as far as English marks names by a capital inside a
        #: sentence.
        self.names = [name.lower() for name in re.findall(_NAME, text)]

    def held(self, text: str) -> "frozenset[str]":
        """Return the question's tokens that a text holds.

        Only words that begin like a token are stemmed: this takes a tenth of the time of stemming
        all words, time which the hook does not have.
        """
        alike = [
            word for word in set(re.findall(r"\w+", text)) if word[:2].lower() in self.prefixes
        ]
        latin = set(keyword_tokens(" ".join(alike))) if alike else set()
        lowered = text.lower()
        return frozenset(
            token
            for token in self.rarities
            if (token in latin if token.isascii() else token in lowered)
        )


class FamilyWeights:
    """Fitted weights for one family of documents and one way of judging.

    `rank` and `answer` are feature → weight, for the order and for the probability; `scale`
    multiplies the distance to the best passage in the probability.
    """

    __slots__ = ("answer", "rank", "scale")

    def __init__(self, figures: "Mapping[str, object]") -> None:
        self.rank: dict[str, float] = figures["rank"]  # type: ignore[assignment]
        self.answer: dict[str, float] = figures["answer"]  # type: ignore[assignment]
        self.scale: float = figures["scale"]  # type: ignore[assignment]


_loaded: dict[str, dict[str, FamilyWeights]] = {}


def weights(family: str, by: str) -> FamilyWeights:
    """Return the fitted weights of the ranking model for a family: `turns`, `notes`.

    `by` is what they judge by: WORDS, VECTORS or READ. Files are read once per process.
    """
    if family not in _loaded:
        with open(os.path.join(_FOLDER, f"{family}.json"), encoding="utf-8") as file:
            _loaded[family] = {
                name: FamilyWeights(figures) for name, figures in json.load(file).items()
            }
    return _loaded[family][by]


def level(probability: float, least_and_certain: "tuple[float, float]" = (UNSURE, SURE)) -> str:
    """Return the level of a probability: HIGH, MEDIUM or LOW."""
    least, certain = least_and_certain
    if probability < least:
        return LOW
    return HIGH if probability >= certain else MEDIUM


def apply_logistic(x: float) -> float:
    """Return 1 / (1 + e^-x) without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def invert_logistic(probability: float) -> float:
    """Return ln(p / (1 - p)), the inverse of `apply_logistic`, for 0 < p.

    A probability of 1 is taken for nearly 1.
    """
    return math.log(probability / max(1 - probability, 1e-9))


def rarities(
    tokens: "Mapping[str, float]", passages: int, holding: "Mapping[str, int]"
) -> dict[str, float]:
    """Return weight · smoothed idf of each token, including tokens that no passage holds."""
    total, prior = passages + _PRIOR_PASSAGES, _PRIOR_PASSAGES * _PRIOR_SHARE
    return {
        token: weight * idf(total, holding.get(token, 0) + prior)
        for token, weight in tokens.items()
    }


def standardised(
    known: "Mapping[int, float]", union: "Collection[int]", absent: float
) -> dict[int, float]:
    """Return z-scores over a union of candidates.

    Candidates that the ranking lacks get the score `absent`.
    """
    if not union:
        return {}
    values = {passage: known.get(passage, absent) for passage in union}
    mean = math.fsum(values.values()) / len(values)
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in values.values()) / len(values))
    return {passage: (v - mean) / max(deviation, 1e-6) for passage, v in values.items()}


class EvidenceJudgement:
    """Evidence of one scope and family, best first, with the parts of its log-odds."""

    __slots__ = ("about", "by", "doubt", "ranked")

    def __init__(
        self,
        ranked: "list[Evidence]",
        about: "dict[str, float]",
        by: FamilyWeights,
        doubt: float = 0.0,
    ) -> None:
        self.ranked = ranked
        #: The deduction from the log-odds of all passages because words of the question stand
        #: nowhere.
        self.doubt = doubt
        #: The features of the question and of its best passage.
        self.about = about
        self.by = by

    def parts(self, one: Evidence) -> dict[str, float]:
        """Return what each feature adds to the log-odds of a passage; the sum is `log_odds`."""
        by, best = self.by, self.ranked[0].values
        parts = {"bias": by.answer["bias"], "words_nowhere": self.doubt}
        for name, value in self.about.items():
            parts[name] = by.answer.get(name, 0.0) * value
        for name, weight in by.rank.items():
            parts[name] = parts.get(name, 0.0) + by.scale * weight * (one.values[name] - best[name])
        return {name: part for name, part in parts.items() if part}


def judge_evidence(
    asked: ScopedQuestion,
    found: "Sequence[Evidence]",
    by: FamilyWeights,
    cosines: "Sequence[float]" = (),
) -> EvidenceJudgement:
    """Order the evidence, and set each item's features, order score and log-odds of answering.

    `cosines` are those of all candidates of the scope: the best candidate counts by how far its
    cosine stands out.
    """
    for one in found:
        one.held = asked.held(one.text)
    for one in found:
        one.values = features(asked, one)
    return _rank_evidence(asked, found, by, cosines)


def judge_read_evidence(
    asked: ScopedQuestion,
    read: "Sequence[Evidence]",
    by: FamilyWeights,
    before: EvidenceJudgement,
    cosines: "Sequence[float]" = (),
) -> EvidenceJudgement:
    """Order evidence that the reader has read, by weights that know what it said.

    `before` is the judgement of all evidence, of which `read` is the best part.
    """
    for one in read:
        one.values["help"] = _bound_help(one.help)
    return _rank_evidence(asked, read, by, cosines, before.about["unseen_names"])


def _rank_evidence(
    asked: ScopedQuestion,
    found: "Sequence[Evidence]",
    by: FamilyWeights,
    cosines: "Sequence[float]",
    unseen_names: "float | None" = None,
) -> EvidenceJudgement:
    if not found:
        return EvidenceJudgement([], {}, by)
    for one in found:
        one.order = sum(weight * one.values[name] for name, weight in by.rank.items())
    ranked = sorted(found, key=lambda one: (-one.order, one.id))
    best = ranked[0]
    rivals = list_rivals(ranked)
    # Among few candidates, the second best is far off by chance: of two candidates, 69 % of
    # questions that neither answers were taken for answered.
    lead = (
        (best.order - rivals[0].order) * min(1.0, len(rivals) / _ENOUGH_RIVALS) if rivals else 0.0
    )
    about = {
        **question_features(asked, best, lead, cosines),
        "unseen_names": (_unseen_names(asked, found) if unseen_names is None else unseen_names),
        "help_lead": measure_help_lead(best, rivals),
    }
    base = by.answer["bias"] + sum(
        by.answer.get(name, 0.0) * value for name, value in about.items()
    )
    # Without vectors, unseen words have their fitted weight; a vector is near to some passage
    # whatever is asked.
    doubt = _doubt_of_unseen(base, asked.unseen) if best.cosine is not None else 0.0
    for one in ranked:
        one.log_odds = base + doubt + by.scale * (one.order - best.order)
    return EvidenceJudgement(ranked, about, by, doubt)


def _doubt_of_unseen(base: float, unseen: float) -> float:
    """Return the deduction from log-odds for words of the question that stand nowhere.

    With the deduction no hit is sure where much of the question stands nowhere in the scope; 0
    where little does.
    """
    return min(0.0, invert_logistic(SURE - _DOUBT) - base) if unseen > _MOST_UNSEEN else 0.0


def features(asked: ScopedQuestion, one: Evidence) -> dict[str, float]:
    """Return all features of a passage; the weights choose which of them count."""
    text, near = one.text, [n for n in (one.before, one.after) if n]
    label = _LABEL.match(text)
    speaker = label[1].lower() if label else ""
    asks = bool(re.search(_ASKS, text[-80:]))
    dated = bool(re.search(_DATED, text)) if asked.when else False
    lowered = text.lower()
    return {
        "fused": one.fused,
        "keyword": one.keyword,
        "vector_z": one.vector_z,
        "cosine": 10 * (one.cosine - 0.85) if one.cosine is not None else 0.0,
        "help": _bound_help(one.help),
        "coverage": _measure_rarity_share(asked, one.held),
        "coverage_near": _measure_rarity_share(asked, one.held.union(*(n.held for n in near))),
        "near_keyword": one.near_keyword,
        "near_vector": one.near_vector,
        "speaker": float(bool(speaker) and speaker.split()[0] in asked.words),
        "names": sum(name in lowered for name in asked.names) / len(asked.names)
        if asked.names
        else 0.0,
        "asks": float(asks),
        "dated": float(dated),
        "number": float(asked.counts and bool(re.search(r"\d", text))),
        # A text of a few words is mostly chat; a text longer than two sentences is not worth more
        # for its length.
        "length": min(math.log1p(len(text)), _LENGTH_ENOUGH) - 4.5,
        "other_language": float(detect_text_language(text) != asked.language),
        # An observation has no speaker's label: it may be of either speaker.
        "user": float(speaker == "user") if speaker else 0.5,
        "own_user": float(asked.is_own and speaker == "user"),
        "of_assistant": float(asked.of_assistant and speaker == "assistant"),
        "answers": max(0.0, one.before.vector_z or one.before.keyword_z)
        * bool(re.search(_ASKS, one.before.text[-80:]))
        if one.before
        else 0.0,
    }


def question_features(
    asked: ScopedQuestion, best: Evidence, lead: float, cosines: "Sequence[float]"
) -> dict[str, float]:
    """Return the features of the question and of its best passage.

    These features set the level of the probability of every passage.
    """
    own = best.values
    mean = sum(cosines) / len(cosines) if cosines else 0.0
    deviation = math.sqrt(sum((c - mean) ** 2 for c in cosines) / len(cosines)) if cosines else 0.0
    stands_out = ((best.cosine or mean) - mean) / max(deviation, 1e-3)
    return {
        "best_coverage_near": own["coverage_near"],
        "best_keyword": own["keyword"],
        "best_cosine": own["cosine"],
        "best_help": own["help"],
        "stands_out": stands_out,
        "mean_cosine": 10 * (mean - 0.85) if cosines else 0.0,
        "lead": min(lead, 3.0),
        "best_other_language": own["other_language"],
        "scope_size": math.log10(max(asked.passages, 1)) - 2.5,
        "unseen": asked.unseen,
        "tokens": math.log1p(len(asked.rarities)) - 2.0,
        "statement": float(asked.statement),
        "korean": float(asked.language == "ko"),
    }


def _bound_help(log_odds: "float | None") -> float:
    return max(-_SUREST, min(log_odds, _SUREST)) if log_odds is not None else 0.0


def list_rivals(ranked: "Sequence[Evidence]") -> "list[Evidence]":
    """Return the passages that speak of something else than the best one, best first.

    No rival is what says the same again (an observation and the turn that it was made of, a
    statement that was told twice), what is known or likely to be an earlier or a later version of
    it, and what says such a version again: the best passage is no less likely to answer because of
    them.
    """
    best = ranked[0]
    same = [one for one in ranked if one is best or says_the_same(one.said, best.said)]
    versions = [
        one for one in ranked if any(one.id in known.kin or known.id in one.kin for known in same)
    ]
    again = [
        one for one in ranked if any(says_the_same(one.said, known.said) for known in versions)
    ]
    alike = {one.id for one in (*same, *versions, *again)}
    return [one for one in ranked if one.id not in alike]


def measure_help_lead(best: Evidence, rivals: "Sequence[Evidence]") -> float:
    """Return how much surer the best passage helps than the surest others do on average."""
    helps = (one.values["help"] for one in rivals if one is not best)
    others = sorted(helps, reverse=True)[:_RUNNERS_UP]
    return best.values["help"] - sum(others) / len(others) if others else 0.0


def _unseen_names(asked: ScopedQuestion, found: "Iterable[Evidence]") -> float:
    """Return the share of names in a question that no candidate holds or is called by.

    A question with such names is meant for another memory.
    """
    if not asked.names:
        return 0.0
    texts = [f"{candidate.heading}\n{candidate.text}".lower() for candidate in found]
    return sum(not any(name in text for text in texts) for name in asked.names) / len(asked.names)


def _measure_rarity_share(asked: ScopedQuestion, held: "Iterable[str]") -> float:
    return sum(asked.rarities[token] for token in held) / asked.total
