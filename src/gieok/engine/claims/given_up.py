"""Old values that a statement names as given up: "Kafka 말고 NATS", "no longer on Heroku", "Ms. Odenwald retired".

Rows are a pattern beside an example, whose words between `<` and `>` are given up, and a counter-example, in which they are not;
a test runs them.
"""

import re
from functools import lru_cache
from typing import NamedTuple


class GivingUp(NamedTuple):
    """A way of giving something up: the pattern of what stands beside it, an example, a counter-example."""

    pattern: str
    example: str
    counter_example: str


#: What may stand between the word and the pattern: a particle, and words that only stress.
_BETWEEN = r"(?:은|는|이|가|을|를|도|랑|과|와|에는|에|에서)? ?(?:이제 |이젠 |아예 |그냥 |완전 |다 |요즘 |더 ?이상 |결국 |드디어 )*"
#: Behind the word, within its clause.
_AFTER = (
    GivingUp(
        rf"{_BETWEEN}(?:말고(?!도|는)|대신(?!해|할)|아니고|아니라(?!고)|아닌)",
        "<젠킨스> 말고 아르고로",
        "<젠킨스> 말고도 있어",
    ),
    GivingUp(
        rf"{_BETWEEN}(?:접고|접었|접습|접기로|접자|버리고|버렸|버리기로|끊었|끊고|끊기로|그만뒀|그만두|그만했|관뒀|관두|걷어내고|걷어냈|빼고|뺐|빼기로|없앴|없애기로|없애고"
        r"|치웠|해지했|해지하|탈퇴|폐기|폐지|퇴사|퇴직|은퇴|그만하기로|나갔|떠났|헤어졌|정리했|손절|(?:계약|약정|구독)(?:이|을)? ?(?:끝|만료|해지|종료))",
        "<헬스장> 이제 그만뒀어",
        "<헬스장> 다시 등록했어",
    ),
    GivingUp(
        rf"{_BETWEEN}(?:안 ?(?:써|쓰|쓴|씀|씁|마시|마셔|마심|먹|가(?![가-힣])|갑|타(?![가-힣])|탑|다녀|다니|살(?![가-힣])|삽)|못 ?(?:써|쓰|먹|마시|마셔))",
        "<커피>는 이제 안 마셔",
        "<커피> 마시면 잠이 안 와",
    ),
    GivingUp(
        r"에서 ?(?:[^.!?,\n]{1,25}?(?:으?로|에) ?)?(?:[가-힣]+ )?"
        r"(?:바꿨|바꾸|바뀌|바뀐|바뀜|옮겼|옮기|옮긴|갈아|넘어|이사|전환|변경|이전했|이관|교체|늘렸|줄였|올렸|내렸|당겼|미뤘)",
        "<부산>에서 대구로 옮겼어",
        "<부산>에서 회의했어",
    ),
    GivingUp(
        r"(?:'s)?(?:,| has| have| had| is| was| just| finally| officially)*"
        r" (?:retired|quit|resigned|is gone|gone for good|no longer|passed away|stepped down|got replaced|was replaced|was retired)\b",
        "<Dana> resigned in March",
        "<Dana> drove to Berlin",
    ),
    GivingUp(r"(?: \w+)? (?:anymore|any more)\b", "we don't use <Helix> anymore", "<Helix> needs more memory"),
    GivingUp(r"\s*(?:->|→|=>)\s*", "<5432> -> 6432", "6432 is <5432>"),
)
#: Before the word, up to its clause's beginning.
_BEFORE = (
    GivingUp(
        r"(?:\b(?:moved|switched|changed|migrated|went|goes|pushed|shifted|swapped)\b[^.!?,]{0,40}\bfrom|\binstead of|\brather than|\bno longer|\b(?:is|are|it's|that's) not|\bnot|\b(?:is|are|do|does)n['’]t"
        r"|\bdropp(?:ed|ing)|\breplac(?:ed|ing)|\bnever ?mind|\bforget|\bscrap(?:ped)?|\bditch(?:ed|ing)|\bstopp?(?:ed)?|\bno more|\bgave up(?: on)?|\bquit"
        r"|\bdone with|\bgot rid of|\bbroke up with|\b(?:moved|migrated|switched|got|came) (?:off|away from|out of))"
        r"(?: using| being| doing| taking| going to| drinking| eating| working (?:at|for)| called| on| in| at| to| with)?"
        r"(?: the| a| an| our| my| his| her| their| that| this)*\s$",
        "instead of <Jenkins>",
        "thanks to <Jenkins>",
    ),
)


@lru_cache(50_000)
def is_given_up(word: str, sentence: str) -> bool:
    """Say whether a sentence names a word (its stem, in lower case) as what holds no more."""
    lowered = sentence.lower()
    for found in re.finditer(rf"(?<![a-z0-9가-힣]){re.escape(word)}", lowered):
        behind, before = lowered[found.end() :], lowered[: found.start()]
        if word.isdigit():  # with its counter: 30분 말고
            behind = re.sub(r"^(?:[.:,]\d+)*(?: ?[가-힣]{1,2}(?=[ 에]))?", "", behind)
        elif word[-1].isascii():  # the word in another form: deploys, Jenkins's
            behind = re.sub(r"^[a-z]{1,3}(?![a-z])", "", behind)
        if any(re.match(row.pattern, behind) for row in _AFTER):
            return True
        if word.isdigit():  # with what it numbers: from port 2222
            before = re.sub(r"(?<= )[a-z]+ $", "", before)
        if any(re.search(row.pattern, before) for row in _BEFORE):
            return True
    return False


def list_rows() -> tuple[GivingUp, ...]:
    """Return all rows, for the test that runs their examples."""
    return (*_AFTER, *_BEFORE)
