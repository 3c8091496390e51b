"""Turns a prompt into questions to memory. Imported by the hook: see the package.

A prompt is not a search query: most of its words are common to all prompts (add, please, 해줘), and often only one of its
sentences concerns memory.
"""

import re

from gieok.text.keywords import is_statement, query_tokens

#: Shorter prompts ask nothing; a Hangul or Han character counts twice, because it says twice as much.
_SHORTEST = 10
#: `/clear`, `/review this`, `!ls`, `# keep this`; not `/src/a.py`, nor a heading with text below it.
_COMMAND = r"/[\w:-]+(?:\s|$)|!|#[^\n]*$"
#: Characters kept at both ends of a paste: the request stands before or after it.
_END_CHARS = 1500
_SENTENCE = re.compile(r"[.!?。？！]+\s|\n+")
_MOST_SENTENCES = 6
#: Further words of a sentence only cost time.
_MOST_TOKENS = 48
_COMMON_WEIGHT = 0.3
#: Compiled on use, which is rare: it takes two milliseconds.
_ABOUT_THE_PAST = (
    r"(?i)\b(remember|recall|memory|last time|previous(ly)?|earlier|we (decide|agree|chose|choose|use)d?|did we|had we|our)\b"
    r"|지난번|저번|전에|기억|예전|아까|결정했|정했|기로 ?했|했었|했지|했더라|였지|였더라"
)

#: Tokens (stems, pairs of syllables) common to prompts on any subject. With their full weight, a short question about one
#: remembered word never reaches enough coverage (measured on facts of no project).
COMMON = frozenset(
    """
    add also alway answer ani back becaus befor best better call can chang check choos chose code could creat current
    decid decis did differ doe done edit exampl exist explain fail file find first fix follow from function get give
    go good handl happen help here idea implement instead into issu just keep kind know last let like line list look
    lot made make mani mayb mean method much must name need never new next not now off old one onli order our out
    over part pick place pleas possibl problem project put question read realli refactor remov replac review right
    run same say see set should show simpl so some someth start still stop suggest support sure take tell than then
    there thing think time too tri two understand updat us use user valu veri want way well wonder work would write
    wrong yes yet
    가능 각각 같은 같이 거야 건가 건지 걸까 걸로 게요 겠어 결정 경우 고싶 고쳐 관련 구현 그거 그게 그냥 그럼 그리 기로
    기억 까지 나요 내용 는데 는지 다른 다시 다음 더라 도와 되나 되는 되어 된다 될까 때문 떻게 려고 려줘 만든 만들 많이
    먼저 모든 무슨 문제 뭐로 바꿔 방법 방식 보여 부탁 부터 사용 설명 세요 수정 쓰기 쓰는 쓰지 쓸까 알려 어떤 어떻 어요
    어줘 여기 여줘 우리 은데 을까 이거 이건 이것 이게 이번 이제 있나 있는 있어 있을 작성 작업 저거 정리 정하 정했 제가
    주세 줘야 지금 지난 지요 진행 찾아 쳐줘 추가 코드 파일 하게 하고 하기 하나 하는 하려 하면 하자 하지 한다 할게 할까
    할지 해서 해야 해주 해줘 했나 했는 했더 했어 했었 했지 확인
    """.split()
)


def is_worth_asking(prompt: str) -> bool:
    """Say whether a prompt may concern memory: it is long enough, and not a bare command (`/clear`, `!ls`)."""
    if len(prompt) > 4 * _END_CHARS:
        return True
    text = prompt.strip()
    if text.startswith(("/", "!", "#")) and re.match(_COMMAND, text):
        return False
    # A character beyond U+07FF takes three bytes or more in UTF-8: two more than a Latin one.
    wide = (len(text.encode("utf-8", "surrogatepass")) - len(text)) // 2
    return len(text) + wide >= _SHORTEST


def asks_about_the_past(prompt: str) -> bool:
    """Say whether a prompt asks for a memory: only then is it worth reporting that nothing was found."""
    return bool(re.search(_ABOUT_THE_PAST, prompt[:_END_CHARS]))


def texts(prompt: str) -> list[str]:
    """Return what to ask memory: the whole prompt and its sentences, as far as they may concern it; [] for nothing."""
    if not is_worth_asking(prompt):
        return []
    if len(prompt) > 2 * _END_CHARS:
        prompt = f"{prompt[:_END_CHARS]}\n{prompt[-_END_CHARS:]}"
    sentences = [part for part in _SENTENCE.split(prompt) if part and is_worth_asking(part)]
    many = [prompt, *sentences] if 1 < len(sentences) <= _MOST_SENTENCES else [prompt, *sentences[:3], *sentences[-3:]]
    asked: dict[str, dict[str, float]] = {}
    for text in many:
        weights = _weights(text)
        if weights and weights not in asked.values():
            asked[text] = weights
    return list(asked)


def questions(prompt: str) -> list[dict[str, float]]:
    """Return token → weight for the whole prompt and for each sentence; empty without anything to ask."""
    return [_weights(text) for text in texts(prompt)]


def _weights(text: str) -> dict[str, float]:
    # Most prompts end in a full stop and are questions to memory all the same: interrogatives are always dropped.
    tokens = query_tokens(text + "?" if is_statement(text) else text)
    weights = {token: _COMMON_WEIGHT if token in COMMON else 1.0 for token in list(tokens)[:_MOST_TOKENS]}
    return weights if 1.0 in weights.values() else {}
