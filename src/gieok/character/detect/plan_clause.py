"""Clauses that name a day: whether one tells what the user will do on it.

A plan is stated in a main clause with its own predicate: not asked, conditional, denied or wished,
not over, and not of somebody else. What is not surely one stays a line to quote. Verbs are read by
their endings, and subjects by their place, never by which verb or noun it is.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

from gieok.character.detect import gates
from gieok.text import hearsay
from gieok.text.day_ahead import NamedDay
from gieok.text.josa import get_final
from gieok.text.language import detect_text_language


class PlanClause(NamedTuple):
    """Clause of a day, and what it says of it.

    `is_open`: asked, conditional, wished or only thought of. `is_over`: told as what was;
    `denials`: how many words say that something will not be; `is_heard`: told as
    what others said. `is_own`: nobody else is its subject, and `owner` is the
    relative who is. `has_predicate`: it says what will be done, beside naming an event; `is_bare`:
    it is nothing but the day. `words` is the clause without its day. `names_user`: it says that the
    user is its subject, in a word or by its verb. `sentence` is the sentence that it is part of.
    """

    is_open: bool
    is_over: bool
    denials: int
    is_heard: bool
    is_own: bool
    has_predicate: bool
    is_bare: bool = False
    owner: str = ""
    words: str = ""
    names_user: bool = False
    sentence: str = ""

    @property
    def is_denied(self) -> bool:
        """Return whether the clause says that something will not be."""
        return self.denials > 0

    @property
    def is_stated(self) -> bool:
        """Return whether the clause says what will be."""
        return not (self.is_open or self.is_over or self.is_denied or self.is_heard)


_END = re.compile(r"[.!?…\n]+(?!\d)|[ㅋㅎ]{2,}|[ㅠㅜ]{2,}")
#: A word beside a day that is no particle: a day alone belongs to the sentence before it.
_NAMES_MORE = re.compile(
    r"(?<![가-힣])(?!(?:으?로|에|이?야|이?요|이에요|예요|임|날)(?![가-힣]))[가-힣]{2,}"
    r"|\b(?!(?:on|the|at|it|its|by|of|now|so|is)\b)[a-z]{2,}",
    re.IGNORECASE,
)
#: Where a message may be cut between two days, and a day that names no month.
_CUT = re.compile(
    r"[.!?…\n]+(?!\d)\s*|[ㅋㅎㅠㅜ]{2,}\s*|(?<=[가-힣])(?:고|는데|은데|인데|지만|니까|며)[\s,]+|[,;]\s+"
    r"|\s+(?:and|but)\s+"
)
_JOINING = re.compile(r"\b(?:and|then|but|also|or|to)\b", re.IGNORECASE)
_NO_MONTH = re.compile(r"\d{1,2}일|(?:the )?\d{1,2}(?:st|nd|rd|th)", re.IGNORECASE)
_FINAL_N, _FINAL_L, _FINAL_M, _FINAL_B = 4, 8, 16, 17

# Korean: the predicate stands at the end of its clause.
_WORD_KO = re.compile(r"[^\s,~ㅋㅎㅠㅜ]+")
_JOINS_KO = re.compile(r"(?:[는은인한던][데디]|지만|니까|거든요?|[이가-힣]라서?|잖아요?)$")
_DENIED_KO = re.compile(
    r"(?<![가-힣])(?:안|못) ?[가-힣]|지 ?(?:않|못|말)|말았|말기로|취소|무산|없던|없(?:어|음|다|네|는|었|지)"
    r"|없잖|파토|파투|엎어졌|(?<![가-힣])아니(?:야|다|고|라|에)"
)
_WISHED_KO = re.compile(r"좋겠|싶|텐데|[았었했갔왔]으면|바라|부럽")
#: What is only possible, unwanted, narrowly missed, mocked, or said by somebody: 갈 수도 있어,
#: 가기 싫다, 갈 뻔, 여행은 무슨, 간다는 소설, 결혼한다 해놓고.
_UNSURE_KO = re.compile(
    r"수[도는]? ?있을|수도 ?있|기 ?싫|(?<![가-힣])뻔|[은는] ?무슨|리가 ?없|지 ?말지"
    r"|[다라자냐]는 (?!거|게|것)[가-힣]"
    # a question inside a sentence: 뭐 먹을지 생각해 볼게
    r"|(?<![가-힣])(?:뭐|뭘|무엇|무슨|어떤|어떻게|어디|언제|누구|누가|왜|몇|어느"
    r"|얼마)[가-힣]*\s(?:[^\s.!?]+\s){0,2}?[가-힣]+지(?=\s)"
)
_PROMISED_KO = re.compile(r"[다라자](?:고)? ?해 ?놓")
_CONDITION_KO = re.compile(r"(?P<word>[가-힣]*면)(?:은)?(?=[\s,.]|$)")
_NOODLES = re.compile(r".*(?:라|냉|화|장|표|정|측|수|쫄|국|방|반)면")
_ASKED_KO = re.compile(r"(?:까|까요|냐|나요|려나|다며|라며|면서|[은는인]가요?)$")
#: What the user saw of somebody: 이사하더라.
_WITNESSED_KO = re.compile(r"더라(?:고|구)?(?:요)?$")
_SETTLED_KO = re.compile(
    r"기로 ?(?:[했함혔해됐됨돼]|약속|정)|려(?:고|구)|라고(?=$|\s)|[아어해여가와봐]야 ?(?:[해하돼되됨함한혀겄]|쓰겄|[제지](?![가-힣]))|겠"
    r"|(?:휴가|연차|반차|월차)(?:를|은|도)? ?(?:[냈냄썼씀]|내)"
    r"|(?:예약|접수|신청|등록|예매|약속)|잡(?:혔|았|아|힌|음|힘)|끊(?:어|었)|(?:정해졌|정했|확정)|할래|예정|계획"
)
_WILL_KO = frozenset("거 것 꺼 끼 게 께 건 라 란 려 예 계 겨".split())
_PRESENT_KO = re.compile(r"(?:[가와봐해혀어아여져려러워줘둬셔써춰쳐타자사]|네)(?:요|유|잉|용|염)?$")
_SHORT_VERBS = frozenset("가 와 봐 해 혀 줘 둬 써")
_COPULA_KO = re.compile(
    r"(?:이야|야|이에요|예요|입니다|임|이다|다|이고|인데요?|이거든요?|거든요?|이라서?|여|이여|이유)$"
    r"|있(?:어|음|다|습|는|거|고)"
)
#: Words of the user for themselves, as a subject or an owner.
OWN_KO = re.compile(
    r"(?<![가-힣])(?:나|난|나는|나도|나가|내|내가|저|전|저는|저도|제|제가|우리|우린|저희)(?![가-힣])"
)
_YOU_KO = re.compile(
    r"(?<![가-힣])(?:너|넌|너는|너도|네가|니가|니|너희|당신)(?:은|는|이|가|도)?(?![가-힣])"
)
_PERSON_KO = re.compile(
    rf"(?<![가-힣])(?P<who>{gates.KIN}|{gates.PARTNERS})(?:네|들)?(?:이|가|은|는|도|께서)(?![가-힣])"
)
_ROLE_KO = r"(?:[가-힣]{1,4}님|[가-힣]{0,4}쌤)"
_ROLE_SUBJECT_KO = re.compile(rf"(?<![가-힣])(?P<who>{_ROLE_KO})(?:이|가|은|는|도|께서)(?![가-힣])")
#: A person right before a day is its subject without a particle: 부장님 5일에 출장 간다.
_BARE_PERSON_KO = re.compile(
    rf"(?<![가-힣])(?P<who>{gates.KIN}|{gates.PARTNERS}|{_ROLE_KO})(?:네|들)?\s+$"
)
#: Verbs of which a person is the object.
_CARED_FOR_KO = re.compile(
    r"(?<![가-힣])(?:보러|보기로|만나|모시|모셔|데리|데려|뵈|뵙|챙기|챙겨|도와|병문안|배웅|마중|태우|바래다)"
)
#: Verbs in the form of respect, which nobody uses of themselves: 결혼하셔, 오신대, 가실 거야.
_HONOURED_KO = re.compile(
    r"(?<!마)(?<!모)(?:셔|셨|십니다|신[다대댔]|시[는기거던고]|세요)|(?<!마)(?<!모)실 ?(?:거|예정|것|듯)"
)
_WEATHER_KO = re.compile(
    r"(?<![가-힣])(?:비|눈|태풍|장마|우박|한파)(?:가|이|도|는)?\s?(?:\S+ )?(?:온|와|오|올|옴|내[리린려])"
)
#: Verbs of an event as of a person: 콘서트 해.
_OF_EVENT_KO = re.compile(r"(?:해|한다|함|합니다|하는데|하거든|열려|열린다|시작)[가-힣]*")
_NOUN_AND_VERB = 2
_BARE_NOUN_KO = re.compile(r"[가-힣]{2,4}(?<![은는이가을를도에로서랑고의])")
_SUBJECT_KO = re.compile(r"(?<![가-힣])(?P<noun>[가-힣]+)(?:이|가|께서)$")
#: Words that end as a subject does.
_NO_SUBJECT = re.compile(
    r".*(?:같|많|깊|높|길|멀|빨|일찍|굳|끊임없|없|가까|틈틈|나날|혼자|말|아이|고양|어린|하루|하)이"
    r"|.*[아어가러해와]가|.*(?:평|휴|작|참|추|허|인|물)가"
)
_DAY_MARK_KO = re.compile(r"(?:에|날|부터|까지)")

# English: the subject stands before its verb.
_OPENING = (
    r"(?:(?:so|right|oh|ok|okay|well|yeah|yep|anyway|btw|um|uh|and|but|then|also|look|listen"
    r"|finally|actually|honestly|apparently|lol|haha|hey|ugh|i think|i guess|guess what"
    r"|turns out|today|now"
    r"|on|in|at|this|next|the day after|by)\b[\s,:]*)*"
)
_BREAK_EN = re.compile(
    r"[,;:]\s+|\s+-+\s+|\s+(?:but|so|because|cos|cause|though|although)\s+"
    r"|(?<!\bme)\s+and\s+(?=(?:i|i'\w+|im|we|we'\w+|he|she|they|you|it|it's|the|my|then|now)\b)",
    re.IGNORECASE,
)
_SET_PHRASES = re.compile(
    r"\b(?:don'?t (?:let me )?forget|don'?t worry|can'?t wait|can'?t believe|why not)\b",
    re.IGNORECASE,
)
_DENIED_EN = re.compile(
    r"\bnot\b|n't\b|\b(?:dont|wont|cant|isnt|aint|arent)\b|\bnever\b|\bno longer\b|\bcancel"
    r"|\boff\b(?! to\b| on\b)"
    r"|\bscrap|\bfell through\b|\bskipping\b|\bpulled out\b|\binstead of\b|\brefus|\bneither\b"
    r"|\bno way\b|\b(?:have|has|had|got|is|are|there'?s) no\b|\bdecided against\b",
    re.IGNORECASE,
)
_CONDITION_EN = re.compile(
    r"\b(?:if|unless|whether|in case|provided|assuming|supposing|anyone|whoever|whenever)\b",
    re.IGNORECASE,
)
_BELOW_EN = re.compile(
    r"\b(?:when|while|once|until|till|because|since|before|after)"
    r" (?:i|you|he|she|they|we|it)\b[^,]*$"
    r"|\b(?:who|whose|which)\b[^,]*$",
    re.IGNORECASE,
)
_UNSURE_EN = re.compile(
    r"\b(?:wish\w*|hope|hoping|want|wanted|wanna|would|could|should"
    r"|(?:i|we|he|she|they|it) may|might|dream\w*|doubt|imagine|pretend\w*|hate (?:to|that)"
    r"|'d)\b|'d\b|\babout (?:going|\S+'s)\b",
    re.IGNORECASE,
)
_ASKED_EN = re.compile(
    r"^(?:what|when|where|who|why|how|which)\b|^(?:do|does|did|are|is|am|will|would|can|could"
    r"|should|has|have(?! (?:the|that|this|my|your|it)\b)) (?:i|you|we|he|she|they|it|the|that|this|there|my|your|u)\b",
    re.IGNORECASE,
)
_OWN_EN = re.compile(
    r"^(?:i|i'\w+|im|ive|ill|we|we'\w+|me and|(?:my )?\w+ and i)\b(?!t\b)", re.IGNORECASE
)
_KIN_EN = (
    r"(?:sister|brother|mother|father|son|daughter)-in-law|sister|brother|mom|mum|mummy|mama|mother"
    r"|dad|daddy|papa|father|son|daughter|niece|nephew|cousin|aunt(?:y|ie)?|uncle|husband|hubby"
    r"|wife|nana?|gran(?:ny|dma|dpa|ddad|dad|dmother|dfather)?|parents|kids?|boy|girl|partner"
    r"|boyfriend|girlfriend|fianc[eé]e?|bf|gf"
)
_PEOPLE_EN = (
    rf"{_KIN_EN}|friends?|mate|bestie|boss|manager|landlord|landlady|roommate|flatmate|neighbou?rs?"
    r"|colleagues?|co-?workers?|teacher|professor|doctor|family|in-?laws?|team"
)
_MY_EN = re.compile(
    rf"^(?:my|our) (?:\w+ )?(?P<who>{_PEOPLE_EN})(?P<of>'s?)?(?= (?P<next>\w+)|$)", re.IGNORECASE
)
_KIN_FIRST_EN = re.compile(rf"^(?P<who>{_KIN_EN})(?:'s)?\b", re.IGNORECASE)
_MINE_EN = re.compile(r"^(?:my|our)\b", re.IGNORECASE)
_HEADLESS_EN = re.compile(
    r"^(?:(?:not )?\w+ing|gonna|got|gotta|have|need|must|off|booked|signed|back|away|will|due)\b",
    re.IGNORECASE,
)
_SOMEBODY_EN = re.compile(
    r"^(?:he|she|they|you|u|it|that|this|there|these|those|the|a|an|his|her|their|your|some\w*"
    r"|every\w*|any\w*|people|all|no\w*)\b|^(?:he|she|they|you|it|that|there)'",
    re.IGNORECASE,
)
#: A second subject behind the user's verb: "I know you have", "I'm told Dave is".
_EMBEDDED_EN = re.compile(
    r"^\S+ .*?(?:\b(?:he|she|they|you|it)(?:'\w+|\s+(?:\w+))"
    r"|(?:\b(?:my|the|his|her|their|your|our|an?) [\w-]+|\b(?-i:[A-Z])[\w]+)"
    r"(?:'s (?!\w*(?:wedd|meet|even|open|christen|morn|train|birth|warm|hear)ing)\w+ing"
    r"|(?: and \w+)?\s+(?:is|are|has|have|will|gets?|can|starts?|plans?)|'ll|'re)"
    r"|\bfor (?:my |the )?(?!me\b|us\b|the\b|my\b)[\w-]+ to)\b",
    re.IGNORECASE,
)
_US_EN = re.compile(r"^(?:me and (?:my )?\w+|(?:my )?\w+ and (?:i|me))\b", re.IGNORECASE)
#: Words before an event that make it somebody's: a verb with a subject, an owner.
_OTHERS_EN = re.compile(
    r"['’]s?\b|\b(?:is|are|has|have|will|was|were|gets?|and|says?|wants?|plans?)\b", re.IGNORECASE
)
_VERB_EVENT_EN = re.compile(r"mov|starts?$|going|travel|booked|fly", re.IGNORECASE)
_FOR_KIN_EN = re.compile(rf"\bfor (?:my |our |the )?(?:{_PEOPLE_EN})\b", re.IGNORECASE)
#: The user stays away, behind the clause of a day.
_STAYS_AWAY_EN = re.compile(
    r"(?:^|[,;.-])\s*(?:(?:i|we|but|sadly|unfortunately|probably|so|and|i'm|we're)\s+)*"
    r"(?:can'?t|cannot|won'?t|not) (?:be )?(?:mak(?:e|ing)|go(?:ing)?|com(?:e|ing)|attend|there)\b",
    re.IGNORECASE,
)
_PAST_EN = re.compile(
    r"\b(?:was|were|had|did|said|went|told|thought|heard|saw|came|used to|left|met|gave|took|made"
    r"|ran)\b"
    r"|(?<!to )(?<!ll )(?<!will )\b(?:split|quit|put|cut|hit|hurt|let|broke|got back)\b"
    r"|\b(?!(?:book|sign|schedul|arrang|agre|decid|plann|promis|invit|excit|suppos|ne|enroll?"
    r"|register|confirm|fix|settl|retir|marri|engag|inde|bless|thrill|terrifi"
    r"|stress)i?ed\b)\w{2,}[b-df-z]ed\b",
    re.IGNORECASE,
)
#: Words around a day of the past, and behind a weekday that comes again and again.
_SINCE_EN = re.compile(r"\b(?:since\s*(?:the)?|(?:of|on) an?|every|each|most)\s*$", re.IGNORECASE)
_OFTEN_EN = re.compile(r"s?\s+(?:morning|afternoon|evening|night)s\b|s\b", re.IGNORECASE)


def read_plan_clause(text: str, day: NamedDay, event: str) -> PlanClause:
    """Return what the clause of a day says; `event` is the word of an event in the text, or ''."""
    ends = list(_END.finditer(text))
    start = max((end.end() for end in ends if end.end() <= day.start), default=0)
    end = next((end for end in ends if end.start() >= day.end), None)
    stop = end.start() if end else len(text)
    is_bare = not _NAMES_MORE.search(text[start : day.start] + text[day.end : stop])
    if is_bare:
        start = max((one.end() for one in ends if one.end() < start), default=0)
    is_asked = end is not None and "?" in end[0]
    before, after = text[start : day.start], text[day.end : stop]
    named = text[day.start : day.end]
    if detect_text_language(text) == "ko":
        clause = _read_korean_clause(before, named, after, text, event, is_asked=is_asked)
    else:
        clause = _read_english_clause(before, named, after, event, is_asked=is_asked)
    return clause._replace(is_bare=is_bare, sentence=text[start:stop])


def split_by_day(text: str, days: Sequence[NamedDay]) -> list[tuple[str, list[NamedDay]]]:
    """Return the parts of a message that name a day each, with the days by their place in a part.

    A message is split where a sentence or clause ends between two days, and both say more than a
    day. A day without a month behind one with a month is of that month.
    """
    cuts = [0]
    followers = {one.start: other.start for one, other in pairwise(days)}
    for one, other in pairwise(days):
        ends = [cut.end() for cut in _CUT.finditer(text, one.end, other.start)]
        if not ends:
            continue
        stop = followers.get(other.start, len(text))
        before = text[cuts[-1] : one.start] + text[one.end : ends[-1]]
        after = text[ends[-1] : other.start] + text[other.end : stop]
        if _NAMES_MORE.search(before) and _NAMES_MORE.search(_JOINING.sub(" ", after)):
            cuts.append(ends[-1])
    parts: list[tuple[str, list[NamedDay]]] = []
    month = days[0].day
    for start, stop in zip(cuts, [*cuts[1:], len(text)], strict=True):
        named: list[NamedDay] = []
        for day in days:
            if not start <= day.start < stop:
                continue
            of_month = day.day
            if _NO_MONTH.fullmatch(text[day.start : day.end]) and day.day.day > month.day:
                with suppress(ValueError):
                    of_month = month.replace(day=day.day.day)
            month = of_month
            named.append(NamedDay(of_month, day.start - start, day.end - start))
        parts.append((text[start:stop], named))
    return parts


def _read_korean_clause(
    before: str, day: str, after: str, text: str, event: str, *, is_asked: bool
) -> PlanClause:
    before = _cut_korean_start(before)
    words = _cut_korean_end(after)
    clause = f"{before}{day}{after[: words[-1].end()] if words else after}"
    words = words if _NAMES_MORE.search(after) else list(_WORD_KO.finditer(before))
    final = words[-1][0] if words else ""
    behind = " ".join(word[0] for word in words)
    is_settled = _SETTLED_KO.search(behind) is not None or _tells_future(behind)
    is_copula = _COPULA_KO.search(behind) is not None and not _tells_present(final, is_verb=True)
    other = _find_korean_subject(before, day, words, behind, event, is_copula=is_copula)
    is_said_to_be = hearsay.is_said_to_be(final)
    is_heard = (
        gates.names_person(text)
        if is_said_to_be
        else hearsay.is_handed_on(final) or _WITNESSED_KO.search(final) is not None
    )
    is_on_day = _DAY_MARK_KO.match(after) is not None or _DAY_MARK_KO.search(day[-2:]) is not None
    is_event_on_day = is_copula and is_on_day and (len(words) > 1 or bool(before.strip()))
    return PlanClause(
        is_open=is_asked
        or _is_korean_open(clause, final)
        or _PROMISED_KO.search(after) is not None,
        is_over=not is_settled and gates.is_past(final),
        denials=len(_DENIED_KO.findall(clause)),
        is_heard=is_heard and not OWN_KO.search(clause),
        is_own=not other and not _YOU_KO.search(clause) and not _is_korean_other(clause, behind),
        has_predicate=not is_said_to_be
        and (is_settled or _tells_present(final) or is_event_on_day),
        owner=other if re.fullmatch(gates.ONE_RELATIVE, other) else "",
        names_user=OWN_KO.search(clause) is not None
        or is_settled
        or not (is_copula or _OF_EVENT_KO.fullmatch(final)),
        words=f"{before} {after[: words[-1].end()] if words and after.strip() else after}",
    )


def _is_korean_open(clause: str, final: str) -> bool:
    """Return whether a clause with its last word asks, wishes, wonders, or sets a condition."""
    return (
        _ASKED_KO.search(final) is not None
        or _WISHED_KO.search(clause) is not None
        or _UNSURE_KO.search(clause) is not None
        or any(not _NOODLES.fullmatch(one["word"]) for one in _CONDITION_KO.finditer(clause))
        or gates.is_idea(clause)
    )


def _cut_korean_start(before: str) -> str:
    """Return what stands before a day in its clause."""
    joints = [word for word in _WORD_KO.finditer(before) if _JOINS_KO.search(word[0])]
    return before[joints[-1].end() :] if joints else before


def _cut_korean_end(after: str) -> "Sequence[re.Match[str]]":
    """Return the words behind a day up to the predicate of its clause."""
    words = list(_WORD_KO.finditer(after))
    for number, word in enumerate(words):
        is_said = hearsay.is_said_to_be(word[0]) and number == 0
        is_denied_verb = number > 0 and words[number - 1][0] in ("안", "못")
        is_short = is_denied_verb and re.sub(r"요$", "", word[0]) in _SHORT_VERBS
        if is_said or is_short or _JOINS_KO.search(word[0]) or _is_korean_final(word[0]):
            return words[: number + 1]
    return words


def _is_korean_final(word: str) -> bool:
    """Return whether a word can only be the last of its sentence."""
    return bool(
        re.search(r"(?:니다|[이예]에?요|거야|거예요|거임|함|됨|[있없]음|[았었했갔왔]음)$", word)
        or (
            re.search(r".(?:어|어요|네|지|다)$", word)
            and gates.is_past(re.sub(r"요$", "", word)[-2])
        )
    ) or (len(word) > 1 and word[-1] == "다" and get_final(word[-2]) in (_FINAL_N, _FINAL_B))


def _tells_future(behind: str) -> bool:
    """Return whether a verb has the ending of the future: 갈 거, 갈게, 갈라고."""
    return any(
        get_final(behind[at]) == _FINAL_L and behind[at + 1 :].lstrip()[:1] in _WILL_KO
        for at in range(len(behind) - 1)
        if "가" <= behind[at] <= "힣"
    )


def _tells_present(final: str, *, is_verb: bool = False) -> bool:
    """Return whether a word is a verb in the present, which tells the future beside a day.

    `is_verb`: only where it cannot be a noun with a copula.
    """
    word = re.sub(r"[^가-힣]+$", "", final)
    if not word or re.search(r"(?:이야|야|이여|여)(?:요)?$", word):
        return False
    if word.endswith("다") and len(word) > 1:
        return get_final(word[-2]) == _FINAL_N or word.endswith("니다")
    if re.search(r"(?:는데|거든|잖아)요?$", word) and "인데" not in word:
        return True
    if get_final(word[-1]) == _FINAL_M and not word.endswith("임") and not is_verb:
        return True
    is_verb_form = _PRESENT_KO.search(word) is not None and not word.endswith(("예요", "에요"))
    return is_verb_form and (len(word) > 1 or word in _SHORT_VERBS)


def _is_korean_other(clause: str, behind: str) -> bool:
    """Return whether a clause tells of the weather, or of somebody who is shown respect."""
    return _WEATHER_KO.search(clause) is not None or _HONOURED_KO.search(behind) is not None


def _find_korean_subject(
    before: str,
    day: str,
    words: "Sequence[re.Match[str]]",
    behind: str,
    event: str,
    *,
    is_copula: bool,
) -> str:
    """Return who else is the subject of a clause; '' for nobody. `behind` are the words joined."""
    around = f"{before} {behind}"
    marked = _PERSON_KO.search(around) or _ROLE_SUBJECT_KO.search(around)
    if marked:
        return marked["who"]
    topic = gates.topic(f"{before}{day}", frozenset())
    bare = _BARE_PERSON_KO.search(before)
    if (topic.who or bare) and not _CARED_FOR_KO.search(around):
        return bare["who"] if bare else topic.who
    if is_copula:
        return ""
    for word in (*_WORD_KO.findall(before), *(word[0] for word in words[:-1])):
        noun = _SUBJECT_KO.search(word)
        is_noun = noun is not None and len(noun["noun"]) > 1 and not _NO_SUBJECT.fullmatch(word)
        if noun and is_noun and not OWN_KO.match(word) and not (event and event in word):
            return noun["noun"]
    return _find_bare_subject(before, words, event)


def _find_bare_subject(before: str, words: "Sequence[re.Match[str]]", event: str) -> str:
    """Return the noun alone before a day whose clause has a noun and a verb of its own.

    민수 5일에 군대 가: it may be a person, so the plan is not surely the user's.
    """
    leads = _WORD_KO.findall(before)
    behind = [word[0] for word in words if not _DAY_MARK_KO.fullmatch(word[0])]
    is_full = len(behind) == _NOUN_AND_VERB and _BARE_NOUN_KO.fullmatch(behind[0]) is not None
    is_noun = len(leads) == 1 and _BARE_NOUN_KO.fullmatch(leads[0]) and not OWN_KO.match(leads[0])
    return leads[0] if is_full and is_noun and not (event and event in leads[0]) else ""


def _read_english_clause(
    before: str, day: str, after: str, event: str, *, is_asked: bool
) -> PlanClause:
    breaks = list(_BREAK_EN.finditer(before))
    is_subject = re.match(r"['’]s\b|\s+(?:is|isn'?t|was|will)\b", after, re.IGNORECASE) is not None
    start = breaks[-1].end() if breaks and (is_subject or before[breaks[-1].end() :].strip()) else 0
    stop = _BREAK_EN.search(after) if before.strip(" ,") or not after.startswith(",") else None
    behind = after[: stop.start()] if stop else after
    clause = f"{before[start:]}{day}{behind}"
    bare = _SET_PHRASES.sub(" ", f"{before[start:]} {behind}")
    body = re.sub(rf"^{_OPENING}", "", bare.strip(" ,"), flags=re.IGNORECASE).strip(" ,")
    owner = _find_english_owner(body)
    is_open = (
        is_asked
        or _ASKED_EN.match(body) is not None
        or _CONDITION_EN.search(f"{before}{day}{after}") is not None
        or _BELOW_EN.search(before[start:]) is not None
        or _UNSURE_EN.search(body) is not None
        or gates.is_idea(clause)
    )
    return PlanClause(
        is_open=is_open,
        is_over=_PAST_EN.search(body) is not None or _is_other_time(before, after),
        denials=len(_DENIED_EN.findall(bare))
        + (stop is not None and _STAYS_AWAY_EN.search(after[stop.start() :]) is not None),
        is_heard=False,
        is_own=not owner and _may_be_own(body, event),
        has_predicate=len(re.findall(r"[a-z]{2,}", body, re.IGNORECASE)) > 1,
        owner=owner if re.fullmatch(_KIN_EN, owner) else "",
        names_user=_is_own_subject(body),
        words=body,
    )


def _may_be_own(body: str, event: str) -> bool:
    """Return whether the user may be the subject of an English clause, or an event of theirs."""
    if _is_own_subject(body):
        return _EMBEDDED_EN.match(_US_EN.sub("we", body)) is None
    at = body.lower().find(event.lower()) if event else -1
    if at < 0:
        return False
    named = rf"(?:the|an?|it'?s?|that'?s?) (?:\w+ )?{re.escape(event)}"
    if re.match(named, body, re.IGNORECASE):
        return True
    if _SOMEBODY_EN.match(body):
        return False
    lead = body[:at]
    if re.search(r"\b(?:me|us|my|our)\b", lead, re.IGNORECASE):
        return True
    is_others = _OTHERS_EN.search(lead) or (lead.strip() and _VERB_EVENT_EN.search(event))
    return not (is_others or _FOR_KIN_EN.search(body))


def _is_own_subject(body: str) -> bool:
    """Return whether an English clause has the user, or what is theirs, as its subject."""
    return bool(_OWN_EN.match(body) or _MINE_EN.match(body) or _HEADLESS_EN.match(body))


def _is_other_time(before: str, after: str) -> bool:
    """Return whether a day is the beginning of what goes on, or one of many."""
    return _SINCE_EN.search(before) is not None or _OFTEN_EN.match(after) is not None


def _find_english_owner(body: str) -> str:
    """Return the person who is the subject of an English clause; '' for nobody."""
    mine = _MY_EN.match(body)
    kin = mine or _KIN_FIRST_EN.match(body)
    return kin["who"].lower() if kin and " and i " not in f"{body.lower()} " else ""
