"""Comparison of statements by their words: same content, or a task and its completion.

Words that only frame a statement ("we decided to", "…기로 했다") do not count. Numbers, names and
weekdays are values, and a statement with another value is another statement. In doubt, statements
are different: both then stand. The hook imports this module: standard library, quick to import;
patterns are strings, which `re` compiles at their first use.
"""

import re
from functools import lru_cache

from gieok.text.keywords import normalise, stem

_WORD = r"[가-힣]+|[^\W\d_가-힣][^\W가-힣]*(?:[.+#/@-]+[^\W가-힣]+)*|\d+(?:[.,:/-]\d+)*"
_HANGUL = r"[가-힣]"
#: Words for an end or a negation; in Korean often part of a word.
_NOT = (
    r"(?i)\b(?:not|no|never|without|instead|stop(?:ped)?|drop(?:ped)?|removed?|cancel\w*|any "
    r"?more|used to|was|were|avoid)\b"
    r"|n['’]t\b"
    r"|안 |않|못|말(?:자|고|아|지|라)|지 ?마|없|아니|그만|대신|취소|폐기|더 ?이상|예전|전에는"
)
_PLAIN = frozenset(
    """
        a an the of in on at to for and or is are be been being it its this that these those
        with as by from i you he she they we us our my your me him them his her their will
        would shall should must can could may do does did done has have had having decide
        decided decision choose chose chosen choice pick picked go goes going gone use uses
        used using let lets settle settled agree agreed stick sticking please always now
        just really ok okay yes yeah so then also again still remember note want wants like
        prefer preferred preference rather team app project everyone here there our all
        every when if because call called name named out don doesn isn aren won finally
        today currently plan planned keep make made get got need needs one thing remind
        forget
    """.split()
)
_PLAIN_KOREAN = (
    r"결정|확정|하기로|하기|하자|하고|하는|하지|해야|해줘|했|한다|합니다|쓰기로|쓰기|쓰자|쓴다|쓰고|쓰는|써줘|씁니다|써$|사용|이용|가기로|가자|간다"
    r"|정했|정하|정한|합의|선택|바꾸|바꿨|바꿔|우리|저희|이제|앞으로|그냥|그럼|그리고|이걸|그걸|이거|그거|제가|내가|나는|저는|항상|꼭|반드시|기억|좋겠|됩니다|된다"
    r"|있어|있다|있습니다|이번|으로$|것$|거야$|거$|건$|것으로|위해|대로"
)
#: Endings of nouns and verbs, removed until none is left; an ending in `_SHORT` may leave a single
#: syllable.
_ENDING = (
    r"(?:하기로|하도록|합니다|한다고|한다|했다고|했어요|했다|했어|해요|하자|하기|하는|하고|해줘|해야|해서|됩니다|된다|됐다|되었다|습니다|이에요|예요|입니다"
    r"|이야|이다"
    r"|기로|는다|었다|았다|겠다|는데|지만|에서|에게|한테|께서|으로|부터|까지|처럼|보다|이랑|라고|하고|은|는|이|가|을|를|에|로|와|과|도|만|의|랑|께"
    r"|야|해|함|됨|임|씩|째)$"
)
_SHORT = frozenset(
    ("는", "를", "로", "에", "의", "도", "기로", "는다", "었다", "았다", "겠다", "는데")
)
_WEEKDAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday 월요일 화요일 수요일 목요일 금요일 토요일 일요일".split()
)
#: Additions behind the words of an observation: days, assent.
_ADDED = r"(?: \((?:(?:from )?\d{4}-\d\d-\d\d(?: to \d{4}-\d\d-\d\d)?|agreed|동의함?)\))+$"
_CLITIC = r"(?i)['’](?:s|t|re|ll|ve|d|m)\b"
#: Least share of the other's words that the shorter of two equal statements has.
_SHARE = 0.5
#: Words of a task that say by when, and that it must be.
_TASK_FRAME = frozenset(
    """
        before until tomorrow tonight noon next week month january february march april may june
        july august september october november december
        오늘 내일 모레 내일모레 글피 다음 주 다음주 이번주 월말 해 돼 됩니다
    """.split()
)
#: Words that may stand between what is done and its "done" in Korean.
_WHEN_DONE = r"다|이제|드디어|방금|벌써|이미|모두|전부|어제|오늘|아까|잘|마침내|\S+에|\S+에서"
#: Word for what is done, right before its "done": of "the load balancer meeting is finished" the
#: meeting, of "로드밸런서 설정은 어제 끝났어" 설정. Who did it may stand between ("민수가 끝냈어").
_DONE_HEAD = (
    r"(\S+) (?:is|are|was|were|got|ha(?:s|ve) been) (?:now |finally |already |all )*"
    r"(?:done|finished|completed?|over)\b"
    rf"|(\S+) (?:(?:{_WHEN_DONE}) )*(?:끝났|완료됐|완료되)"
    rf"|(\S+) (?:(?:{_WHEN_DONE}|\S+[이가]) )*(?:끝냈|마쳤|완료했)"
)
#: Words for any work: with them a statement names no other thing.
_WORK = frozenset(("work", "task", "job", "everyth", "작업", "일", "업무"))
#: What tells one of several things of a kind from the others: the A of A팀 and of "team A", the 2 of
#: 2호기 and of "Q2"; units of time and of amounts tell none.
_DESIGNATOR = (
    r"(?<![A-Za-z0-9.:/-])([A-Z]|\d{1,4})\s?(?!시|월|일|분|초|년|주|달|개|번|명|원|건|장|권|만|천|억|시간|차례)(?=[가-힣])"
    r"|(?<![.!?] )(?<!^)(?<![A-Za-z0-9'’-])(?!I\b)([A-Z])(?![\w'’.-])"
    r"|(?<![A-Za-z0-9])(?:[A-Z]{1,2}|[vV]|#)-?(\d{1,4})(?![\d-])"
    r"|\b(?:team|group|phase|room|floor|unit|part|line|pump|gate|site|lot|batch|version|chapter"
    r"|floor|level|step|no\.|number) (\d{1,4})\b"
)
#: Least share of a task's words in a statement that finishes the task.
_FINISHED = 0.6
_CACHED = 4_096


def as_told(text: str) -> str:
    """Return an observation without the days and the assent appended to its words."""
    return re.sub(_ADDED, "", text)


class Gist:
    """The content of a statement: the words that count, the values among them, whether it
    negates.

    `designators`: what tells the things that it names from others of their kind.
    """

    __slots__ = ("designators", "is_not", "plain", "values", "words")

    def __init__(
        self,
        words: "frozenset[str]",
        values: "frozenset[str]",
        is_not: bool,
        plain: str,
        designators: "frozenset[str]",
    ) -> None:
        self.words, self.values, self.is_not, self.plain = words, values, is_not, plain
        self.designators = designators


@lru_cache(_CACHED)
def gist(text: str) -> Gist:
    """Return the content words of a text."""
    text = normalise(text)
    words: set[str] = set()
    values: set[str] = set()
    has_hangul = re.search(_HANGUL, text) is not None
    is_first = True
    bare = re.sub(_CLITIC, "", text)
    for match in re.finditer(_WORD, bare):
        word = match[0]
        form, is_value = (
            _stem_gist_korean(word)
            if re.match(_HANGUL, word)
            else _stem_gist_latin(word, is_first=is_first, is_name=has_hangul)
        )
        is_first = bare[match.end() : match.end() + 1] in ".!?:\n"
        if form:
            words.add(form)
            if is_value:
                values.add(form)
    return Gist(
        words=frozenset(words),
        values=frozenset(values),
        is_not=re.search(_NOT, text) is not None,
        plain=" ".join(text.casefold().split()),
        designators=frozenset(
            next(filter(None, groups)) for groups in re.findall(_DESIGNATOR, text)
        ),
    )


def _stem_gist_korean(word: str) -> "tuple[str, bool]":
    if re.match(_PLAIN_KOREAN, word):
        return "", False
    while (end := re.search(_ENDING, word)) and (
        end.start() > 1 or (end.start() and end[0] in _SHORT)
    ):
        word = word[: end.start()]
    return ("" if re.match(_PLAIN_KOREAN, word) else word), word in _WEEKDAYS


def _stem_gist_latin(word: str, *, is_first: bool, is_name: bool) -> "tuple[str, bool]":
    """Return the stem of a Latin word or a number, and whether it is a value.

    In Korean text a Latin word is a name; in other text a capitalised word inside a sentence is a
    name.
    """
    if word[0].isdigit():
        return word.replace(",", ""), True
    low = word.casefold()
    is_value = (
        low in _WEEKDAYS
        or word != word[0] + low[1:]
        or (word[0].isupper() and not is_first)
        or not low.isalpha()
    )
    if low in _PLAIN:
        return "", False
    return stem(low) if low.isalpha() else low, is_value or is_name


def is_same(one: Gist, other: Gist) -> bool:
    """Return whether two statements say the same.

    The words of the shorter one are in the other, and the values are equal.
    """
    if one.plain == other.plain:
        return True
    if one.is_not != other.is_not or not (one.values <= other.words and other.values <= one.words):
        return False
    few, many = sorted((one.words, other.words), key=len)
    return bool(few) and few <= many and len(few) >= _SHARE * len(many)


def is_finished(task: Gist, done: Gist) -> bool:
    """Return whether `done` finishes `task`: it has most of the task's words.

    Days and numbers of the task may be missing. What it reports as done is in the task: a meeting
    about the task is another thing, and so is the report of team A where that of team B is due.
    """
    if _is_of_another(task, done):
        return False
    words = {word for word in task.words - _stem_task_frame() if not word[0].isdigit()}
    if len(words) < 2 or len(words & done.words) < _FINISHED * len(words):
        return False
    return _find_done_heads(done.plain) <= words | _WORK


def _is_of_another(task: Gist, done: Gist) -> bool:
    """Return whether `done` names another thing of a kind than the task, or one of several."""
    if done.designators and task.designators - done.designators:
        return True
    names, done_names = ({value for value in one.values if value.isalpha()} for one in (task, done))
    days = _stem_task_frame()
    return bool(names - done.words - days) and bool(done_names - task.words - days)


@lru_cache(1)
def _stem_task_frame() -> frozenset[str]:
    """Return the words of a task that what finishes it may lack, as gists have them."""
    return _WEEKDAYS | _TASK_FRAME | {stem(word) for word in _TASK_FRAME if word.isascii()}


def _find_done_heads(text: str) -> frozenset[str]:
    """Return the words for what a statement reports as done, as gists have them."""
    found = re.search(_DONE_HEAD, text)
    return gist(next(filter(None, found.groups()))).words if found else frozenset()


def holds(text: Gist, said: Gist, share: float = _SHARE) -> bool:
    """Return whether a text still tells `said`: all its values, and a share of its words."""
    return said.values <= text.words and len(said.words & text.words) >= share * len(said.words)
