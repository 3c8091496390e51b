"""Why a hit is where it is, for people: each retriever's place, and what each part adds to or takes
from how sure it is.
"""

from collections.abc import Mapping
from typing import NamedTuple

from markupsafe import Markup

from gieok.ops.memory.hits import SearchHit
from gieok.ops.operation import Words
from gieok.ranking.likelihood import apply_logistic

_MOST_PARTS = 7
_LEAST_PART = 0.05
#: Half of the picture of a part is this much of log-odds; what is more is cut.
_WIDEST = 1.5
_RETRIEVERS = {
    "keyword": Words("the words", "낱말"),
    "vector": Words("the meaning", "뜻"),
    "mapped": Words("the meaning, as an answer to a question", "뜻 (물음에 답하는 문장으로)"),
    "managed": Words("the search service", "검색 서비스"),
}
_OTHERS = {
    "reranker": Words("the second model's word", "두 번째 모델의 판단"),
    "decay": Words("left after its age", "나이로 줄고 남은 몫"),
    "days": Words("it is of the days asked for", "물은 날짜의 것"),
}
#: Part of the log-odds → what it says. Parts with one name are added up.
_PARTS = {
    "bias": Words("most lines do not answer: the start", "대부분은 답이 아니다: 출발점"),
    "lead": Words("lead over the next one", "다음 것과의 차이"),
    "stands_out": Words("how far it stands out", "두드러진 정도"),
    "keyword": Words("how well its words match", "낱말의 일치"),
    "best_keyword": Words("how well its words match", "낱말의 일치"),
    "coverage": Words("how much of the question it holds", "물음의 낱말이 든 정도"),
    "coverage_near": Words("how much of the question it holds", "물음의 낱말이 든 정도"),
    "best_coverage_near": Words("how much of the question it holds", "물음의 낱말이 든 정도"),
    "cosine": Words("how near its meaning is", "뜻의 가까움"),
    "best_cosine": Words("how near its meaning is", "뜻의 가까움"),
    "vector_z": Words("nearer in meaning than others", "다른 것과 견준 뜻"),
    "mean_cosine": Words("how near everything is", "전체가 가까운 정도"),
    "fused": Words("its places with all retrievers", "여러 검색에서의 순위"),
    "near_keyword": Words("the lines around it", "앞뒤 줄"),
    "near_vector": Words("the lines around it", "앞뒤 줄"),
    "answers": Words("comes after a question", "질문 뒤에 나온 말"),
    "asks": Words("asks rather than answers", "답이 아니라 물음"),
    "dated": Words("names a time, as was asked", "물은 때가 있음"),
    "number": Words("has a number, as was asked", "물은 대로 수가 있음"),
    "length": Words("how long it is", "길이"),
    "names": Words("the names asked for", "물은 이름이 있음"),
    "unseen": Words("rare words that are nowhere", "어디에도 없는 드문 낱말"),
    "unseen_names": Words("names that are nowhere", "어디에도 없는 이름"),
    "speaker": Words("said by whom was asked for", "물은 사람이 한 말"),
    "user": Words("you said it", "내가 한 말"),
    "own_user": Words("you said it of yourself", "내가 나에 대해 한 말"),
    "of_assistant": Words("the agent said it, as was asked", "물은 대로 에이전트가 한 말"),
    "other_language": Words("in the other language", "다른 언어로 적힘"),
    "best_other_language": Words("in the other language", "다른 언어로 적힘"),
    "statement": Words("the question is a statement", "물음이 아니라 서술"),
    "korean": Words("the question is Korean", "한국어 물음"),
    "tokens": Words("how long the question is", "물음의 길이"),
    "scope_size": Words("how much is remembered", "기억의 양"),
}


class Retrieved(NamedTuple):
    """A retriever that found the hit: its name for people, the place it gave, and how near, 0–1."""

    name: str
    rank: int
    share: float


class ReasonPart(NamedTuple):
    """What one reason adds to the log-odds, and its picture."""

    name: str
    value: float
    picture: Markup


class Reasons(NamedTuple):
    """Why a hit is where it is; `total` are the log-odds, which are `sure`."""

    retrieved: tuple[Retrieved, ...]
    others: tuple[tuple[str, float], ...]
    parts: tuple[ReasonPart, ...]
    total: float
    sure: float


def reasons(hit: SearchHit, lang: str) -> Reasons:
    """Return what made a hit's score, the strongest first."""
    signals = dict(hit.signals or {})
    ranks = {
        name.removesuffix("_rank"): int(value)
        for name, value in signals.items()
        if name.endswith("_rank")
    }
    retrieved = [
        Retrieved(_RETRIEVERS.get(name, Words(name, name)).say(lang), rank, signals.get(name, 0.0))
        for name, rank in sorted(ranks.items(), key=lambda one: one[1])
    ]
    others = [
        (words.say(lang), signals[name])
        for name, words in _OTHERS.items()
        if signals.get(name, 1.0) != 1.0
    ]
    added = _sum_reason_parts(hit.parts or {}, lang)
    total = sum(added.values())
    largest = sorted(added.items(), key=lambda one: -abs(one[1]))
    shown = [one for one in largest[:_MOST_PARTS] if abs(one[1]) >= _LEAST_PART]
    left = total - sum(value for _, value in shown)
    if shown and abs(left) >= _LEAST_PART:
        shown.append((Words("everything else", "그 밖").say(lang), left))
    parts = tuple(ReasonPart(name, value, draw_reason_bar(value)) for name, value in shown)
    return Reasons(
        retrieved=tuple(retrieved),
        others=tuple(others),
        parts=parts,
        total=total,
        sure=apply_logistic(total) if added else hit.score,
    )


def _sum_reason_parts(parts: Mapping[str, float], lang: str) -> dict[str, float]:
    totals: dict[str, float] = {}
    for name, value in parts.items():
        label = _PARTS.get(name, Words(name, name)).say(lang)
        totals[label] = totals.get(label, 0.0) + value
    return totals


def draw_reason_bar(value: float) -> Markup:
    """Return a bar from the middle: to the right what speaks for a hit, to the left what speaks
    against it.
    """
    width = min(abs(value) / _WIDEST, 1.0) * 50
    return Markup(
        '<svg class="part" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="b0" width="100" height="8"/><rect class="{}" x="{:.1f}" width="{:.1f}" '
        'height="8"/>'
        '<rect class="mid" x="49.7" width=".6" height="8"/></svg>'
    ).format("pro" if value > 0 else "con", 50 if value > 0 else 50 - width, width)
