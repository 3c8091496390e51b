"""Readable features of a turn: who speaks of whom, of which subject, in which mood.

The same features serve to fit a head and to judge by a head.
"""

import re
from functools import cache
from math import log

#: The patterns, in Korean and in English.
_PATTERNS = {
    "i": (
        r"(?<![가-힣])(?:나|난|내|내가|나는|나도|나한테|나한테는|저|전|제|제가|저는|저도|저한테|(?:저희|우리) 집)(?![가-힣])",
        r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself)\b",
    ),
    "we": (
        r"(?<![가-힣])(?:우리|우린|우리는|우리가|저희|저희는|저희가)(?![가-힣])(?! 집)|팀|회사|프로젝트|서비스|레포|저장소",
        r"\b(?:we|we're|we've|we'll|our|ours|us|this (?:repo|project|service|codebase))\b",
    ),
    "question": (
        r"\?|(?:까|나요|는지|던가|더라|었지|였지|인가|는가|뭐야|어때)\s*[.!~ㅋㅎ]*$",
        r"^(?:what|why|how|when|where|who|which|is|are|do|does|did|can|could|should)\b",
    ),
    "request": (
        r"(?:해|줘|봐|라|주세요|주라|줄래|하자|보자|부탁해|좀)\s*[.!~ㅋㅎ]*$",
        (
            r"\b(?:please|pls|plz)\b|^(?:(?:can|could) you|add|fix|write|make|run|show|open"
            r"|give|find|rename|update|"
            r"remove|delete|check)\b"
        ),
    ),
    "always": (
        r"항상|매일|매주|매번|보통|주로|원래|평소|앞으로|언제나|절대|늘(?![가-힣])|무조건|웬만하면|습관",
        (
            r"\b(?:always|never|usually|every|often|from now on|tend to|whenever|generally|only"
            r"|anymore|no longer)\b"
        ),
    ),
    "liking": (
        r"좋아|좋더|싫|선호|편해|편하|불편|못 먹|안 먹|못 마셔|취향|질색|힘들어|무서워",
        (
            r"\b(?:prefer|like|love|hate|dislike|enjoy|favou?rite|rather|can't stand|allergic"
            r"|afraid)\b"
        ),
    ),
    "supposed": (
        r"만약|만일|가령|라면|치자|혹시|예를 들|아마",
        r"\b(?:if|suppose|imagine|pretend|what if|let's say|maybe|might|hypothetically)\b",
    ),
    "quoted": (
        r"[“”‘「『].{4,}[”’」』]|(?:라고|다고|냐고|자고)\s|(?:대|래|더라|대요|래요)\s*[.!~ㅋㅎ]*$",
        r"\".{4,}\"|\b(?:said|says|told me|according to)\b",
    ),
    "decided": (
        r"기로|정했|결정|확정|바꿨|바뀌|옮겼|옮기|갈아|합의|그걸로|걸로 가",
        (
            r"\b(?:decided|settled|agreed|switched|moved|changed|no longer|let's (?:use|go)|go "
            r"with|went with|instead)\b"
        ),
    ),
    "answering": (
        r"답변|대답|말투|반말|존댓말|불러|말해|설명|요약|줄 안|짧게|이모지",
        (
            r"\b(?:answers?|reply|replies|explain|emojis?|call me|address me|tone|concise|blunt"
            r"|bullet points)\b"
        ),
    ),
    "home": (
        (
            r"알레르기|아파|약 |병|수술|허리|눈이|귀가"
            r"|아이|아들|딸|와이프|아내|남편|부모|엄마|아빠|강아지|고양이|집은|살아|살고|생일|취미"
        ),
        (
            r"\b(?:allerg\w+|asthma|diabet\w+|pregnant|kids?|son|daughter|wife|husband|partner"
            r"|mother|dad|dog|cat|birthday|hobby)\b"
        ),
    ),
    "device": (
        r"맥북|노트북|아이폰|갤럭시|윈도우|우분투|리눅스|키보드|모니터|폰(?![가-힣])|셸|에디터",
        r"\b(?:macbook|laptop|iphone|pixel|windows|linux|mac|keyboard|layout|shell|vim|emacs)\b",
    ),
    "rule": (
        r"규칙|원칙|룰(?![가-힣])|금지|허용|안 돼|못 해|하지 마|쓰지 마|건드리지|넘으면|이상|이하|까지",
        r"\b(?:must|mustn't|don't|do not|rule|policy|only|at most|at least|not allowed)\b",
    ),
    "code": (
        r"[{};]|=>|==|\(\)|</",
        r"^\s*(?:def|const|let|SELECT|import|//|#)\s|\b\w+Error\b|^[$/>]",
    ),
    "digit": (r"\d", r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twenty|thirty)\b"),
    "once": (
        r"이번만|이번에만|일단|지금은|오늘은|잠깐",
        r"\b(?:just this (?:time|once)|for now|today)\b",
    ),
    "path": (
        r"\d+ ?번째 ?줄",
        (
            r"[\w/-]+\.(?:py|[jt]sx?|mjs|go|rs|java|rb|c|cpp|h|css|html|md|ya?ml|json|toml|sql"
            r"|sh)\b|\bline \d+\b"
        ),
    ),
    "passing": (
        r"(?:볼게|볼까|봐야지|해볼|궁금|좋겠|싶은데|재밌)",
        (
            r"\b(?:i think i'll|i'll (?:try|check|look|definitely|keep that)|excited|looking "
            r"(?:forward|for)|"
            r"interested in|i'd love"
            r"|curious|wonder(?:ing)?|i've heard|thinking of|considering)\b"
        ),
    ),
    "narrated": (
        r"(?:안 돼|안 나와|나와|떠|찍혀|보여|멈춰|느려|깨져|비어|뜨네|나네|되네|해봤|했는데)\s*[.!~ㅋㅎㅠ]*$",
        (
            r"\b(?:doesn't|didn't|isn't|wasn't|still|broken|missing|wrong|weird|odd|empty"
            r"|fails?|failed|error|bug|crash\w*"
            r"|happen\w*|seems?|looks?)\b"
        ),
    ),
    "to the agent": (r"^(?:너는|네가|너|당신)(?![가-힣])", r"^(?:you|your|you're|act as)\b"),
    "agreed": (r"\(동의함\)$", r"\(agreed\)$"),
    "answered": (r" – ", r"(?!)"),
    "korean": ("[가-힣]", "(?!)"),
}
#: Pairs of patterns that say more together than alone: "나는 항상" against "우리는 항상".
_PAIRS = (
    *(
        ("i", word)
        for word in "we question request always liking supposed decided home device".split()
    ),
    *(
        ("we", "decided"),
        ("we", "rule"),
        ("question", "decided"),
        ("answering", "request"),
        ("answering", "always"),
    ),
)
#: Names of the features, in the order of the fitted weights.
NAMES = (*_PATTERNS, *(f"{a} and {b}" for a, b in _PAIRS), "length")
_TYPICAL_CHARS = 40
_MOST_CHARS = 800


@cache
def _compile_feature_patterns() -> dict[str, re.Pattern[str]]:
    """Return the patterns by name.

    Compiling the patterns takes half of the time of a cold search.
    """
    return {
        name: re.compile("|".join(both), re.IGNORECASE | re.MULTILINE)
        for name, both in _PATTERNS.items()
    }


def features_of(text: str) -> list[float]:
    """Return the features of a text, a number for each of `NAMES`.

    A feature is 1 where its pattern, or both patterns of a pair, are found in the text; the last is
    the logarithm of the length.
    """
    text = text[:_MOST_CHARS]
    features = {
        name: float(pattern.search(text) is not None)
        for name, pattern in _compile_feature_patterns().items()
    }
    pairs = [features[a] * features[b] for a, b in _PAIRS]
    return [*features.values(), *pairs, log((1 + len(text)) / _TYPICAL_CHARS)]
