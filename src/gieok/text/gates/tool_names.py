"""Tools that a rule means, told from their names: `send_email`, `create_event`, `post_message`.

The name of a tool says what it does to what. A rule means it where both stand in the rule: the verb
in other words of the same sense, the noun as it is, or in Korean. Tools that look are no deed.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from gieok.text.gates.residue import list_unread_words
from gieok.text.gates.vocabulary import TAKEN
from gieok.text.late_pattern import defer_pattern
from gieok.text.stem import stem_english_word


class ToolVerb(NamedTuple):
    """What a tool does: the words of rules that forbid it, and the words in tools' names.

    `example` is a text in which the words of a rule stand, `counter_example` one without.
    """

    said: re.Pattern[str]
    named: frozenset[str]
    example: str
    counter_example: str


def _build_verb(said: str, named: str, example: str, counter_example: str) -> ToolVerb:
    pattern = defer_pattern(f"(?i){said}")
    return ToolVerb(pattern, frozenset(named.split()), example, counter_example)


VERBS = (
    _build_verb(
        r"\b(?:send|sent|post|repl(?:y|ies)|respond|messag|publish|shar(?:e|ing)|announc|writ|tweet"
        r"|toot|comment|e?-?mail(?!s? (?:is|are))|notif|forward|go(?:es)? out|going out|sends)\w*"
        r"|보내|보낼|보낸|발송|전송|답장|답글|회신|올리|올려|올릴|게시|발행|남기|공유|전달",
        "send post reply respond message comment publish share announce tweet toot notify forward "
        "broadcast say submit",
        "newsletters go out from me",
        "메일은 읽어도 돼",
    ),
    _build_verb(
        r"\b(?:creat|mak(?:e|ing)|add|open|fil(?:e|ing)|book|schedul|invit|new|register|set up)\w*"
        r"|만들|만드|생성|추가|등록|잡지|잡아|예약|초대|개설|넣",
        "create add new insert book schedule register invite open",
        "never book anything",
        "일정은 봐도 돼",
    ),
    _build_verb(
        r"\b(?:chang|edit|updat|modif|mov(?:e|ing)|renam|adjust|assign|transition|set(?:ting)?\b"
        r"|rewrit|overwrit)\w*|바꾸|바꿔|바꿀|변경|고치|고쳐|고칠|수정|옮기|옮겨|덮어",
        "update edit change modify move rename set assign transition write replace patch put "
        "append overwrite",
        "일정 바꾸지 마",
        "look at the calendar",
    ),
    _build_verb(
        r"\b(?:delet|remov|cancel|archiv|clear|trash|purg|drop|bin|wip)\w*"
        r"|지우|지워|지울|삭제|취소|없애|날리|날려|치우|비우",
        "delete remove cancel archive clear trash purge drop destroy empty bulkdelete",
        "never cancel anything",
        "일정은 추가해도 돼",
    ),
    _build_verb(
        r"\b(?:clos|resolv)\w*|닫|종료|해결\s?처리",
        "close resolve",
        "don't close issues",
        "open issues are fine",
    ),
    _build_verb(r"\bmerg\w*|머지|병합", "merge", "merges are mine", "the branch is mine"),
    _build_verb(
        r"\b(?:pay|buy|bought|purchas|order|charg|refund|transfer|spend|subscrib|check ?out)\w*"
        r"|결제|구매|주문|송금|이체|환불|사지\s?마|돈",
        "pay payment payments buy purchase order charge refund transfer subscribe checkout",
        "never buy anything",
        "비용은 알려줘",
    ),
    _build_verb(
        r"\b(?:deploy|releas|launch|roll(?:ing|ed)? ?out)\w*|배포|릴리[스즈]|출시",
        "deploy release launch publish promote rollout",
        "배포는 내가 해",
        "the build is yours",
    ),
    _build_verb(
        r"\b(?:start|restart|reboot|trigger|run(?:ning)?\b|launch)\w*|시작|재시작|실행|돌리|돌려|켜지|켜",
        "start restart reboot trigger run launch",
        "don't restart it",
        "read the log",
    ),
    _build_verb(
        r"\b(?:stop|paus|shut|disabl|suspend|turn(?:ing)? off|mut|silenc)\w*|멈추|정지|중지|끄지|꺼",
        "stop pause shutdown disable suspend mute silence",
        "don't pause the campaign",
        "read the log",
    ),
)
#: Words of a rule that forbids whatever changes what it names.
ANY_CHANGE = defer_pattern(
    r"(?i)\b(?:touch|hands? off|off[- ]limits|read[- ]only|look[ ,-]*don'?t[ -]*touch"
    r"|mess with|stay out|keep out"
    r"|leave\b.{1,40}\b(?:alone|to me|as)|(?:is|are|'s) (?:mine|not yours|not for you))\w*"
    r"|건드리|건드려|건들|손\s?대|손\s?댈|만지지|만지면|보기만|읽기만|읽기\s?전용|내가\s?(?:할|직접|해)|제가\s?(?:할|직접|해)"
)
#: Korean names of what tools are about.
NOUNS = (
    ("메일|지메일|뉴스레터", "mail email gmail newsletter"),
    ("캘린더|일정|약속|회의|미팅", "calendar event events meeting"),
    ("슬랙", "slack"),
    ("디스코드", "discord"),
    ("텔레그램", "telegram"),
    ("카톡|카카오톡|단톡", "kakaotalk kakao"),
    ("문자(?!열)", "sms"),
    ("메시지|메세지", "message"),
    ("트윗|트위터", "tweet twitter"),
    ("인스타", "instagram"),
    ("블로그", "blog post"),
    ("댓글|코멘트", "comment"),
    ("이슈", "issue"),
    ("티켓", "ticket issue"),
    ("지라", "jira"),
    ("리니어", "linear"),
    ("깃허브|깃헙", "github"),
    ("피알|풀\\s?리퀘", "pull"),
    ("노션", "notion"),
    ("컨플루언스", "confluence"),
    ("위키", "wiki"),
    ("문서", "document doc page"),
    ("페이지", "page"),
    ("시트|스프레드시트", "sheet sheets spreadsheet"),
    ("드라이브", "drive"),
    ("레코드|도메인", "dns record domain"),
    ("주문", "order"),
    ("환불", "refund"),
    ("송금|이체", "transfer"),
    ("상품", "product"),
    ("재고", "inventory stock"),
    ("가격", "price"),
    ("쿠폰", "coupon"),
    ("광고", "ad ads campaign"),
    ("캠페인", "campaign"),
    ("연락처", "contact"),
    ("거래처|고객", "customer client contact"),
    ("플레이리스트|재생\\s?목록", "playlist"),
    ("사진", "photo"),
    ("할\\s?일", "todo task"),
    ("대시보드", "dashboard"),
    ("알람|경보|알림", "alert alarm notification silence"),
    ("조명|전등", "light"),
    ("보일러|난방", "climate thermostat"),
    ("권한", "permission role"),
)
#: Nouns by other names in English.
_SAME_NOUNS = (
    frozenset("mail email gmail".split()),
    frozenset("calendar event appointment meeting".split()),
    frozenset("tweet twitter".split()),
    frozenset("issue ticket".split()),
    frozenset("pr prs pull".split()),
    frozenset("doc document page".split()),
    frozenset("dns zone record".split()),
)
_WORD = defer_pattern(r"[A-Za-z]+")
_CAPITAL = defer_pattern(r"(?<=[a-z0-9])(?=[A-Z])")
_VERB_WORDS = frozenset(word for verb in VERBS for word in verb.named)
_FRAME = frozenset("mcp tool server client api the and for not you your".split())
_NO_NOUNS = _FRAME | frozenset(map(stem_english_word, _VERB_WORDS - {"message", "comment"}))
_POINTS = defer_pattern(r"(?i)\b(?:it|them|there)\b|거기|그거|그건")
_SENTENCE = defer_pattern(r"(?<=[.!?。])\s+|;\s+")


def names_tool(forbidden: str, around: str, tool: str) -> bool:
    """Return whether the words of a rule surely mean a tool, by what its name says to do to what.

    Each word of the sentence is read: a rule on "the board calendar" may mean another one. What
    `it` stands for may be named `around` it ("read my calendar, never edit it").
    """
    own = _split_words(tool.rpartition("__")[2])
    verbs = _list_verbs(own)
    nouns = frozenset(map(stem_english_word, _split_words(tool))) - _NO_NOUNS
    return any(
        _names_both(sentence, around, verbs, nouns) and not _list_narrowing_words(sentence, nouns)
        for sentence in (_SENTENCE.split(forbidden) if verbs else ())
    )


def _list_verbs(own: Sequence[str]) -> list[ToolVerb]:
    """Return what a tool does, by the words of its own name: who creates a tweet posts it."""
    words = [word for word in own if word in _VERB_WORDS]
    words = words if words[:1] in (["create"], ["add"], ["new"]) else words[:1]
    return [verb for verb in VERBS if not verb.named.isdisjoint(words)]


def _names_both(
    sentence: str, around: str, verbs: Sequence[ToolVerb], nouns: frozenset[str]
) -> bool:
    if not (any(verb.said.search(sentence) for verb in verbs) or ANY_CHANGE.search(sentence)):
        return False
    said = f"{sentence} {around}" if _POINTS.search(sentence) else sentence
    return not nouns.isdisjoint(_list_nouns(said))


def _list_narrowing_words(sentence: str, nouns: frozenset[str]) -> list[str]:
    """Return the words of a sentence that are neither a tool's nor say no more."""
    rest = ANY_CHANGE.sub(TAKEN, sentence)
    for verb in VERBS:
        rest = verb.said.sub(TAKEN, rest)
    for said, names in NOUNS:
        if not nouns.isdisjoint(map(stem_english_word, names.split())):
            rest = re.sub(f"(?:{said})[가-힣]{{0,2}}", TAKEN, rest)
    rest = _WORD.sub(lambda word: TAKEN if nouns & _list_same(word[0].lower()) else word[0], rest)
    return list_unread_words(rest, asks=True)


def _split_words(name: str) -> list[str]:
    return _WORD.findall(_CAPITAL.sub(" ", name).lower())


def _list_same(word: str) -> frozenset[str]:
    """Return the stems of the names of what a word names."""
    stem = stem_english_word(word)
    groups = (frozenset(map(stem_english_word, same)) for same in _SAME_NOUNS)
    return frozenset((stem,)).union(*(group for group in groups if stem in group))


def _list_nouns(rule: str) -> frozenset[str]:
    """Return the stems of what a rule is about: its words, and English names of Korean ones."""
    words = {word.lower() for word in _WORD.findall(rule)} - _FRAME
    for said, names in NOUNS:
        if re.search(said, rule):
            words.update(names.split())
    return frozenset().union(*map(_list_same, words))
