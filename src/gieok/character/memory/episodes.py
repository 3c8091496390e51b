"""Episodes: when a span of conversation is summarised, and how without a model.

Without a model, the character tells the most informative sentences in their order, how the user
felt, and what is left to talk about.
"""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from gieok.character.detect import gates
from gieok.character.detect.patterns import split_chat_sentences
from gieok.character.facts import Episode, Fact, FactType, Moment
from gieok.character.memory.topics import find_topics
from gieok.model.conversation import Journalled, Role
from gieok.text.josa import fill_particles
from gieok.text.keywords import keyword_tokens
from gieok.text.language import detect_text_language

#: Longest summary, in characters.
MOST_CHARS = {"ko": 200, "en": 400}
#: The share of the budget from which on the window is summarised, and the share of the window that
#: is then summarised: the oldest messages.
_FULL, _OLDEST = 0.7, 0.5
#: Most topics of an episode.
MOST_TOPICS = 5
_MOST_SENTENCE = 70
_LEAD = {"ko": "{who:이/가} 나에게 이런 이야기를 했다: ", "en": "{who} told me this: "}
#: A feeling that rules read from words: whose it was, is not known.
_FELT = {"ko": " {o:이/가} 느껴지는 이야기였다.", "en": " It sounded like {o}."}
_LEFT_OPEN = {
    "ko": " 다음에 {o} 이야기를 이어 가고 싶다.",
    "en": " Next time I want to hear more of {o}.",
}
#: Most topics that are left for the next time.
MOST_OPEN = 3
_FEELINGS = (
    (
        ("슬픔", "sadness"),
        r"ㅠ|ㅜ|울었|슬퍼|슬픔|우울|힘들|😭|\bcry|\bsad\b|\bbroke up\b|\blonely\b",
    ),
    (
        ("기쁨", "joy"),
        r"!!!|붙었|합격|좋아|행복|신나|축하|\byay\b|\bgot it\b|\bhappy\b|\bexcited\b|\blove it\b",
    ),
    (
        ("긴장", "nerves"),
        r"긴장|떨려|무서|걱정|불안|\bnervous\b|\bscared\b|\bterrified\b|\banxious\b",
    ),
    (("서운함", "hurt"), r"서운|짜증|화나|삐졌|왜 안|\bmad\b|\bangry\b|\bupset\b"),
)
#: A death, an illness or a farewell in a span is its feeling, however cheerful the rest is.
_GRIEF = re.compile(
    r"돌아가셨|돌아가신|세상을 ?(?:떠|뜨|등)|별세|장례|빈소|발인|상을 ?당|무지개 ?다리|하늘나라"
    r"|(?<![가-힣])죽었(?:어|다|대|지)|떠나보냈|\bdied\b|\bpassed away\b|\bfuneral\b"
    r"|\bput (?:her|him|it) down\b|\blost my (?:mom|mum|dad|mother|father|grand\w+|husband|wife"
    r"|brother|sister|son|daughter|dog|cat)\b",
    re.IGNORECASE,
)
_EMPTY = frozenset(
    (
        "나 너 저 진짜 오늘 이제 근데 아니 그냥 우리 하다 있다 없다 the and you was are that this have just not but for "
        "with"
    ).split()
)


class Due(NamedTuple):
    """The span to summarise: its end, the place of its last message, and its messages."""

    end: int
    messages: tuple[Journalled, ...]


def find_due_span(window: Sequence[Journalled], budget_tokens: int) -> Due | None:
    """Return the oldest part of a window that has reached a share of its budget; None below that.

    The part holds at least half of the window's tokens, and leaves at least the last two messages.
    """
    tokens = sum(entry.message.tokens for entry in window)
    if tokens < _FULL * budget_tokens or len(window) < 4:
        return None
    tokens_taken = 0
    for place, entry in enumerate(window[:-2]):
        tokens_taken += entry.message.tokens
        if tokens_taken >= _OLDEST * tokens:
            return Due(entry.place, tuple(window[: place + 1]))
    return Due(window[-3].place, tuple(window[:-2]))


def summarise_span(
    span: Sequence[Journalled], facts: Sequence[Fact], moments: Sequence[Moment], who: str
) -> Episode | None:
    """Return the episode of a span; None for a span without a word of the user.

    User sentences that became a fact or a moment come first, then sentences with the most topics.
    """
    user_messages = [entry.message for entry in span if entry.message.role is Role.USER]
    if not user_messages:
        return None
    lang = detect_text_language(" ".join(message.text for message in user_messages))
    ids = [entry.message.id for entry in span]
    telling = {i: 2.0 for fact in facts for i in fact.message_ids} | {
        i: 3.0 for m in moments for i in m.message_ids
    }
    counts = Counter(
        token for message in user_messages for token in set(keyword_tokens(message.text)) - _EMPTY
    )
    rows = [
        (
            telling.get(message.id, 0.0) + _weigh_sentence(sentence, counts),
            place,
            number,
            sentence.strip(" ,~"),
        )
        for place, message in enumerate(user_messages)
        if not gates.unmeant(message.text)
        for number, sentence in enumerate(split_chat_sentences(message.text))
    ]
    told_ids = {*ids}
    stated = [fact for fact in facts if told_ids & {*fact.message_ids}]
    values = [fact.object for fact in stated]
    topics = find_topics([message.text for message in user_messages], values, MOST_TOPICS)
    emotion = _find_span_emotion(" ".join(message.text for message in user_messages), lang)
    open_topics = _find_open_topics(stated, span[-1].message.at)
    lead = fill_particles(_LEAD[lang], who=who)
    close = fill_particles(_FELT[lang], o=emotion) if emotion else ""
    if open_topics:
        close += fill_particles(_LEFT_OPEN[lang], o=open_topics[0])
    room = MOST_CHARS[lang] - len(lead) - len(close)
    return Episode(
        text=lead + _select_fitting_sentences(rows, room) + close,
        start=span[0].message.at,
        end=span[-1].message.at,
        messages=len(span),
        topics=topics,
        emotion=emotion,
        message_ids=tuple(ids),
        key_moments=list_key_moments(moments, ids),
        open_topics=open_topics,
    )


def list_key_moments(moments: Sequence[Moment], ids: Sequence[str]) -> tuple[str, ...]:
    """Return what happened between the two in messages."""
    span = {*ids}
    return tuple(moment.text for moment in moments if span & {*moment.message_ids})


def _find_open_topics(stated: Sequence[Fact], end: datetime) -> tuple[str, ...]:
    """Return what the user has before them at the end of a span, or only thinks of."""
    day = end.date().isoformat()
    ahead = (
        fact.object
        for fact in stated
        if fact.is_current
        and (fact.is_idea or (fact.type is FactType.PLAN and (not fact.day or fact.day >= day)))
    )
    return tuple(dict.fromkeys(ahead))[:MOST_OPEN]


def _weigh_sentence(sentence: str, counts: Counter[str]) -> float:
    """Return how informative a sentence is.

    Topics of the span add weight; questions and exclamations do not count.
    """
    tokens = set(keyword_tokens(sentence)) - _EMPTY
    if len(tokens) < 2 or sentence.endswith("?"):
        return 0.0
    return min(sum(counts[token] > 1 for token in tokens) / 3, 1.0) + min(len(tokens), 6) / 6


def _select_fitting_sentences(rows: Sequence[tuple[float, int, int, str]], most: int) -> str:
    """Return the best sentences that fit, as quotations in the order in which they were said."""
    chosen: list[tuple[int, int, str]] = []
    chars_left = most
    for _, place, number, sentence in sorted(rows, key=lambda row: (-row[0], row[1], row[2])):
        short = (
            sentence if len(sentence) <= _MOST_SENTENCE else sentence[: _MOST_SENTENCE - 1] + "…"
        )
        if len(short) + 3 <= chars_left:
            chosen.append((place, number, short))
            chars_left -= len(short) + 3
    return " ".join(f"“{text}”" for *_, text in sorted(chosen))


def _find_span_emotion(text: str, lang: str) -> str:
    if _GRIEF.search(text):
        return _FEELINGS[0][0][0 if lang == "ko" else 1]
    counts = {names: len(re.findall(words, text, re.IGNORECASE)) for names, words in _FEELINGS}
    names = max(counts, key=lambda one: counts[one])
    return names[0 if lang == "ko" else 1] if counts[names] else ""
