"""Gates against statements that are not meant of the user.

Such statements are jokes, what-ifs, lyrics, films, games, dreams, roles, sarcasm, and talk about
other people. The gates are rows of patterns; where a row of `_UNMEANT` matches a message, no fact
is taken from the message.
"""

import re
from typing import NamedTuple

from gieok.text import persons
from gieok.text.josa import get_final
from gieok.text.late_pattern import defer_pattern
from gieok.text.persons import alternatives

_UNMEANT = (
    (
        "quote",
        (
            r"가사(?!리)|노래 ?(?:듣|들|부르|뭐|제목|나오)"
            r"|(?<=[\"”]) ?이 노래|유행가|노래자랑|\blyrics?\b|\bsinging (?:that|it"
            r"|this)\b|\bbday song\b|\blike the (?:guy|man|song) (?:said|says|goes)\b"
        ),
    ),
    (
        "fiction",
        (
            r"(?:드라마|영화|소설|웹툰|만화|애니|책|연극)(?:에서|에 나오|를? 보니|를? 보는데|[^.!?]{0,8}(?:주인공|여주|남주|배우))"
            r"|주인공|여주가"
            r"|남주가"
            r"|게임(?:에서|하는데|[^.!?]{0,6}캐릭터)|\bnpc\b|캐릭터는|\b(?:this|sailing|video|new) "
            r"game\b|\bmy (?:guy|character|avatar)\b|\bin the (?:movie|film|show|book)\b"
            r"|\bplayed this\b|\btoo many movies\b"
        ),
    ),
    (
        "role",
        (
            r"\bif (?:they|any(?:one|body)|some(?:one|body)|he|she) asks?\b|(?:누가|누구든|다들|사람들이) 물어보면"
            r"|역할극|상황극|연기해|연습해 ?볼게|놀이 했|롤플|척 ?해 ?볼|\blet'?s (?:do a bit|pretend|role-?play|play)\b"
            r"|\bpretend (?:i|you|we)|\brole-?play"
        ),
    ),
    ("dream", r"꿈에서|꿈을? ?꿨|꿈꿨|\bi (?:had a dream|dreamt|dreamed)\b|\bin my dream\b"),
    (
        "joke",
        # 대구라고 is a place
        (
            r"뻥이|뻥임|뻥이야|는 뻥|농담|(?<![가-힣])(?:개|쌩)?구라|장난이(?:야|고|지)|드립"
            r"|\bjk\b|\bkidding\b|\bjoking\b"
        ),
    ),
    (
        "hypothetical",
        (
            r"만약|만일|로또|(?:였|이었|했|았|었)으면(?! ?좋겠)|(?:였|이었|했|았|었)(?:다|더라)면|\bif i (?:won|were|was|had"
            r"|ever|could|become)\b|\bif i'?d\b|\bif [^.!?]{0,30} had\b|\bwon the lottery\b"
            r"|\bi(?:'d|d| would) (?:buy|be|move|live|quit|marry|become|get|never)\b"
            r"|\bwe(?:'d|d) be\b|\bin another life\b"
        ),
    ),
    (
        "negation",
        (
            r"(?:다고|라고|거라고|냐던데)[^.!?]{0,10}(?:적 ?없|아니거든|아닌데)|다고\.\. ?없|한 ?적[은도]? 없|\bi never "
            r"said\b|\bnever said i\b|\bdidn'?t say i\b|근처도 ?안"
        ),
    ),
    (
        "sarcasm",
        (
            r"\^\^|[~～][^.!?]{0,40}(?:최고|감동|감사|좋)[^.!?]*[~～]|미치겠(?:네|다)?[~～]|너무 좋아서 미치|완전 "
            r"좋아하잖아|\boh,? (?:love|great|sure|yeah|joy)\b|\bnothing i (?:enjoy|love|like) more\b"
            r"|\bmy favou?rite thing in the (?:whole )?world\b|\bis my passion\b|\bbest "
            r"(?:night|day) of my life\b|\b10/10\b|\byay me\b"
        ),
    ),
)
_GATES = tuple((why, defer_pattern(row, re.IGNORECASE)) for why, row in _UNMEANT)
_SHOUTED_LOVE = defer_pattern(r"\bLOVE\b(?!.*[A-Z]{4})")
#: Signs of an idea: something only thought of, not a fact.
_IDEA = defer_pattern(
    r"(?:할|갈|볼|살|배울|다닐|구할|지을|키울|그만둘|바꿀|팔|쓸)까(?:말까|봐|싶|도| ?했| ?하는| ?생각|\.|\?|$|\s)|[가-힣]까말까|려나"
    r"|싶기도|고민|모르겠|생각만|생각은|생각 ?중|[가-힣]까 ?(?:싶|하|봐)|거 ?같기도|것 같기도|언젠가"
    r"|가야 ?되나|한다나|인가 ?싶|인가\?|의심|아직은? ?(?:잘 )?몰|[가-힣]고 ?싶은데"
    r"|\bmaybe\b|\bmight\b|\bthinking (?:of|about|maybe)\b|\bdunno\b|\bundecided\b|\bsomeday\b"
    r"|\bone day\b|\bshould i\b(?! ever)|\bjust a thought\b|\bnot sure\b|\bi wonder\b|\bwho "
    r"knows\b|\bperhaps\b|\bidk\b",
    re.IGNORECASE,
)
_DOING = defer_pattern(
    (
        r"[가-힣]까|려나|싶|생각|언젠가|고민|심 ?있|의심|[가-힣]ㄹ래|\b(?:maybe|might|thinking|someday|one day|should "
        r"i|thought|perhaps|idk|undecided|considering)\b"
    ),
    re.IGNORECASE,
)
#: Words for kin that mean one person; a longer word stands before its beginning.
ONE_RELATIVE = alternatives(persons.RELATIVES_KO, persons.SPOUSES_KO, persons.CHILDREN_KO)
KIN = alternatives(ONE_RELATIVE, persons.CIRCLE_KO, persons.ROLES_KO, persons.OTHERS_KO)
PARTNERS = persons.PARTNERS_KO
#: Particles behind a person.
OF_PERSON = "이는|이가|이도|은|는|이|가|도|께서|네|들은|들이|의|한테|에게|이랑|랑"
_LEAD = r"(?:(?:아|어|오|와|근데|그리고|글고|아니|참|맞다|우리|울|내|제|저희|그|진짜|사실|요즘|나한테|\d)[\s,.~]*)*"
#: A household that is not the user's: 옆집은, 윗집 옥자네는.
_HOUSE = (
    r"(?:옆|윗|아랫|앞|뒷|이웃) ?집(?: [가-힣]{2,3}네)?"
    rf"|(?!동네|그네|너네|니네|우리|(?:{KIN}|{PARTNERS})네)[가-힣]{{2,3}}네"
)
_HOUSEHOLD = rf"(?:{_HOUSE})(?=[은는이가도])"
_TOPIC = defer_pattern(
    rf"^[\s,.~]*{_LEAD}(?P<who>{_HOUSEHOLD}|{KIN}|{PARTNERS}|[가-힣]{{2}}이)(?P<mark>이는|이가|이도|은|는"
    rf"|이(?!랑)|가"
    rf"|도|께서|네|들은"
    r"|들이(?!랑)"
    r"|(?<![가-힣]{2}이)(?!님?들?(?:이랑|랑|하고|한테|에게))(?=\s|[가-힣]{2,4}\s))"
)
_PERSON = defer_pattern(rf"(?<![가-힣])(?:{KIN}|{PARTNERS})(?:{OF_PERSON})?(?![가-힣])")
_MINE = defer_pattern(r"^(?:나|저|내|제|우리|너)")
_NO_PERSON = defer_pattern(
    r"^(?:이름이|많이|같이|아이|아예이|우리이|고양이|강아지|나이|사이|다들이|멀리이|높이|깊이|빨리이|오이|우이|놀이|종이|차이|모이|무이|회이|생일이)"
)


class Topic(NamedTuple):
    """Person whom a sentence is about; '' for the user. `is_kin`: a word for kin, not a name."""

    who: str = ""
    is_kin: bool = False


_UNREAL = defer_pattern(
    r"싶|좋겠|으면|다면|[이라]면(?![가-힣])|(?<![가-힣])(?:척|꿈)|(?:[는은한]|인) ?척|그만두"
    r"|옛날|예전|한때|어릴|\bused to\b|\bwish\b|\bpretend",
    re.IGNORECASE,
)
#: Final consonant of the past, ㅆ, which two syllables have in the present too.
_PAST_FINAL, _NOT_PAST = 20, "있겠"


def unmeant(message: str) -> str:
    """Return why nothing in a message is meant of the user; '' where something may be."""
    for why, gate in _GATES:
        if gate.search(message):
            return why
    return "sarcasm" if _SHOUTED_LOVE.search(message) else ""


def is_idea(sentence: str) -> bool:
    """Return whether a sentence tells something that is only thought of, or uncertain."""
    return _IDEA.search(sentence) is not None


def is_past(words: str) -> bool:
    """Return whether Korean words hold a verb in the past."""
    return any(
        get_final(syllable) == _PAST_FINAL and syllable not in _NOT_PAST for syllable in words
    )


def is_unreal(sentence: str) -> bool:
    """Return whether a sentence tells what was, what is wished, or what somebody pretends."""
    return is_past(sentence) or _UNREAL.search(sentence) is not None


def is_plan(sentence: str) -> bool:
    """Return whether a sentence that only thinks of something thinks of doing it.

    A sentence that expresses not knowing is not yet an idea.
    """
    return is_idea(sentence) and _DOING.search(sentence) is not None


def names_person(text: str) -> bool:
    """Return whether a Korean text names somebody near the user by a word for kin."""
    return _PERSON.search(text) is not None


def without_quotes(message: str) -> str:
    """Return a message without quotations: other people's words, and lines of songs."""
    return re.sub(r"[\"“][^\"”]{2,}[\"”]|‘[^’]{8,}’|『[^』]+』|「[^」]+」", " ", message)


def topic(sentence: str, names: "frozenset[str]") -> Topic:
    """Return the person whom a Korean sentence is about.

    That is a word for kin, or one of the names of people near the user.
    """
    for name in names:
        if re.match(
            rf"^[\s,.~]*{_LEAD}{re.escape(name)}(?:이|씨|쌤)?(?:는|은|가|이|도|네|께서)(?![가-힣])",
            sentence,
        ):
            return Topic(name)
    match = _TOPIC.match(sentence)
    if match is None or _MINE.match(match["who"]) or _NO_PERSON.match(match["who"]):
        return Topic()
    who = match["who"]
    if re.fullmatch(_HOUSE, who):
        return Topic(who)
    is_kin = re.fullmatch(f"{KIN}|{PARTNERS}", who) is not None
    return Topic(who, is_kin=True) if is_kin else Topic(who[:-1])
