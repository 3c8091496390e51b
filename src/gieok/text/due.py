"""The day on which a statement is due.

The decision uses the days that the text names, and words for a deadline or a meeting.

Days are `2026-11-27`. Words for days ("by Friday") are resolved where a statement is observed, or
where what users said is read (`text.appointments`); here only dates are read. The hook imports this
module: standard library, quick to import; patterns are strings, which `re` compiles at their first
use.
"""

import re

from gieok.text import persons
from gieok.text.months import MONTH, month_number
from gieok.text.persons import alternatives

#: The day of the mark on a corrected text is not a day that the text names
#: (`model.conversation.CORRECTED_MARK`).
_DAY = (
    r"(?i)(?<![\d-])(?<!\(corrected on )(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?![\d-])"
    r"|(?:(?P<ky>\d{4})년 ?)?(?<!\d)(?P<km>\d{1,2})월 ?(?P<kd>\d{1,2})일"
    rf"|\b(?P<em>{MONTH})\.? (?P<ed>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<ey>\d{{4}}))?"
    rf"|(?<!\d)(?P<fd>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<fm>{MONTH})\b(?: (?P<fy>\d{{4}}))?"
)
_MAY_NAME = r"\d-\d\d-\d|\b(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
#: Words for a deadline or an event.
_CUE = (
    r"(?i)까지|마감|기한|제출|만료|예정|약속|미팅|회의|면접|시험|발표|예약|출시|오픈|잊지|데모|세미나|행사|납품|출장|여행|생일|방문"
    r"|병원|치과|진료|상담|결혼식|회식|이사|출국|비행기|수술|입원"
    r"|\bdue\b|\bdeadline\b|\bby\b|\bbefore\b|\buntil\b|\bexpires?\b|\bmeeting\b|\binterview\b"
    r"|\bexam\b|\bdemo\b|\blaunch\b|\breleases?\b"
    r"|\bdentist\b|\bdoctor\b|\bwedding\b|\bconference\b|\bpresentation\b"
    r"|\bremind\b|\bappointment\b|\btalk\b|\bflight\b|\btrip\b|\bvisit\b|\bsubmit\b"
)
_CLOCK = (
    r"(?i)(?<!\d)\d{1,2}시(?!간)|\d ?(?:a\.?m|p\.?m)\b|\b\d{1,2}:\d\d\b"
    r"|\bat (?:[1-9]|1\d|2[0-3])(?![\w:%/-]|[.,]\d| (?:percent|(?!(?:this|as|is|was)\b)[a-z]+s)\b)"
    r"|(?<![\d.])\d{1,2}에(?![가-힣])"
)
#: What takes place on its day, and is over then; not so what has to be done by that day.
_MEETING = (
    r"(?i)예약|약속|면접|시험|병원|치과|진료|결혼식|회식"
    r"|\bappointment\b|\binterview\b|\bexam\b|\bdentist\b|\bdoctor\b|\bwedding\b|\bflight\b"
)
_DEADLINE = r"(?i)까지|마감|기한|\bdue\b|\bdeadline\b|\bby\b|\bbefore\b|\buntil\b"
#: What somebody has to do on the day is due, though no word names an appointment.
_OBLIGES = (
    r"(?i)야\s?(?:해|돼|한|된|합|됩|함|됨|지)|\b(?:need|have|has|got) to\b|\bmust\b|\bremember\b"
)
#: What users say that they do themselves, for a day that words name.
_OWN = r"\bI\b|\b[Ww]e\b"
#: What does not take place: "no meeting tomorrow", "is cancelled", 미팅은 없어.
_OFF = (
    r"(?i)(?:미팅|회의|약속|예약|면접|시험|발표|데모|세미나|행사|출장|여행|회식|진료|상담|방문|일정|수업)(?:은|는|이|가|도)?"
    r"\s?(?:없|안\s?[가해하합]|취소|[가-힣]{0,3}\s?안\s?해)"
    r"|취소(?:됐|되|됨|래|야|예요|입니다|했)|없던\s?(?:걸|것)"
    r"|\bno (?:\w+ )?(?:meeting|interview|exam|demo|appointment|talk|flight|trip|visit|standup"
    r"|call)\b"
    r"|\b(?:is|are|was|were|got|been|be|'s) (?:now )?(?:cancell?ed|called off|off)\b|\bcalled off\b"
    r"|\b(?:meeting|interview|exam|demo|appointment|trip|visit|call)\b"
    r"[^.]{0,30}\b(?:isn['’]?t|won['’]?t)\b"
)
#: Between clauses, of which each has its own subject.
_CLAUSE_END = (
    r"(?<=[.!?])\s+|[,;]\s+|\n|\s+(?:but|so|because|while)\s+|(?<=[는은인]데)\s+|(?<=니까)\s+"
)
#: Persons of whose appointments a user tells; not those whom users take along, as their children.
_KNOWN_EN = alternatives(
    persons.RELATIVES_EN,
    persons.SPOUSES_EN,
    persons.PARTNERS_EN,
    persons.CIRCLE_EN,
    persons.ROLES_EN,
)
_KIN = rf"(?:(?:my|our|his|her|their|the|\w+['’]s) )(?:\w+ )?(?:{_KNOWN_EN})s?"
_PRONOUN = r"(?:he|she|they)"
NAME_EN = (
    r"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?(?!(?:The|This|That|It|We|I|You|Our|My|There|On|At|In|Every"
    r"|Next|Please|No|And|Remind|Remember|Both|All|Every(?:one|body)|No(?:body|ne)|To(?:day|morrow)"
    r"|\w+day)\b)[A-Z][a-z]+(?: [A-Z][a-z]+)?(?:['’]s [a-z]+)?"
)
_HOLDS = (
    r"(?:(?:['’]s got|(?:has|have|['’]ll have|will have|is having|are having)(?: got)?) "
    r"(?!(?:to|put|set|\w+ed|an? (?:opening|slot))\b))"
)
#: What a person has; a product and a department have demos and meetings, to which a user may go.
_PERSONAL = (
    r"(?i:\b(?:interview|exam|test|appointment|dentist|doctor|surgery|operation|check-?up|therapy"
    r"|flight|trip|vacation|holiday)s?\b)"
)
_GOES = (
    r"(?:(?:is|are|will|['’]s|['’]re) )?(?:going to )?(?:fl(?:y|ies|ying)|travel(?:s|l?ing)?"
    r"|attends?|attending|graduat(?:es?|ing)|gets? married|giv(?:es|ing)|leav(?:es?|ing)"
    r"|moves? out|undergoes)\b"
)
#: Syllables of which given names are made in Korean.
_NAME_SYLLABLE = (
    "[민수지훈서연하준우현영진은경희정윤아혜승재태성건호석철규빈나예슬찬혁환주선소미솔린율담겸결온]"
)
#: Words and places that are made of such syllables, and name no person.
_NO_NAMES_KO = (
    "결선|결승|결재|결정|경선|경연|경영|경주|경진|고민|고지|나주|담소|"
    "미정|미주|미진|민주|빈소|서재|선수|선정|선지|선진|성경|성수|성우|"
    "성주|성지|성희|소아|소재|소호|수석|수선|수소|수영|수은|수정|수주|"
    "수지|승선|승진|아예|아주|안경|연결|연미|연석|연수|연재|연주|영재|"
    "영주|예선|예정|예지|온수|우선|우수|우승|우주|재건|재선|재수|재정|"
    "재진|전주|전하|정규|정석|정선|정지|주소|주주|지연|지하|진영|진주|"
    "진지|찬성|태아|하나|하수|하하|현수|현재|현지|혜성|호선|호수|호우|"
    "호주|환경|환승|환율"
)
_KNOWN_KO = alternatives(
    persons.RELATIVES_KO, persons.SPOUSES_KO, persons.PARTNERS_KO, persons.CIRCLE_KO
)
RELATIVE_KO = rf"(?:우리 |내 |제 )?(?:{_KNOWN_KO})"
PERSON_KO = (
    rf"(?:{RELATIVE_KO}|걔|쟤|얘|그분|그녀"
    r"|(?!\w*(?:주차장|세차장|공사장|승차장|정차장|손님|고객님))"
    r"[가-힣]{1,4} ?(?:님|씨|대리|과장|차장|부장|팀장|실장|사장|교수|선생|선배|후배)님?)"
)
NAME_KO = (
    rf"(?!(?:{_NO_NAMES_KO})(?:이|은|는|가|도)?\s)"
    rf"(?:[김이박최정강조윤장임한오서신권황안송류홍전고문손배백허노심])?{_NAME_SYLLABLE}{{2}}이?"
)
#: Behind a person of whom is told: a particle, or the time. A noun there belongs to the person, and
#: so may be the user's to go to: 친구 약속, 교수님 상담.
_TOLD_OF_KO = (
    r"(?:(?:께서는?|은|는|이|가|도)\s"
    r"|\s(?=오늘|내일|모레|글피|이번|다음|담주|[월화수목금토일]요일|주말"
    r"|오전|오후|아침|점심|저녁|\d))"
)
#: What a person has or does on a day.
_MATTER_KO = (
    r"(?:면접|시험|병원|치과|진료|수술|검진|입원|상담|출장|여행|휴가|발표|약속"
    r"|회의|미팅|예약|데모|회식|이사|출국|비행기|수업|강의)"
)
_LEAVES_KO = r"(?<![가-힣])(?:가|간다|가신|가셔|떠나|출발)[가-힣]{0,3}[\s.!~]*$"
#: Behind what somebody has, where only words like names say who: 예약 있어, and not 예약했어.
_HAS_KO = r"(?:이|가|도|을|를)?\s?(?:있|이|야|래|봐|본|보|간|가|받|해|한)"
#: (pattern, example, counter-example): the clause tells of somebody else's appointment.
SOMEBODY_ELSES = (
    (
        rf"^\W*(?i:{_KIN}|{_PRONOUN})\b ?(?i:{_HOLDS}|{_GOES})",
        "my sister is flying to Lisbon on Friday at 9am",
        "my sister and I are flying to Lisbon on Friday at 9am",
    ),
    (
        rf"^\W*{NAME_EN} ?{_HOLDS}(?=[^.]*?{_PERSONAL})",
        "Bob has an interview on Thursday at 11am",
        "Atlas has a demo on Thursday at 3pm",
    ),
    (
        rf"^\W*(?!To(?:day|morrow)|\w+day)[A-Z][a-z]+['’]s [a-z]+ {_HOLDS}",
        "Hana's team has a demo on Thursday at 3pm",
        "Thursday's call has a new time, Thursday at 3pm",
    ),
    (
        rf"^\W*{NAME_EN} {_GOES}",
        "Dr. Kim gives a talk on Thursday at 5pm",
        "The train leaves on Thursday at 5pm",
    ),
    (
        rf"^\W*(?:참,? |아,? )?{PERSON_KO}{_TOLD_OF_KO}(?=.*(?:{_MATTER_KO}|{_LEAVES_KO}))",
        "팀장님은 목요일 2시에 발표 있어",
        "교수님 상담 목요일 3시",
    ),
    (
        (
            rf"^\W*(?:참,? |아,? )?{NAME_KO}{_TOLD_OF_KO}"
            rf"(?=.*(?:{_MATTER_KO}{_HAS_KO}|{_LEAVES_KO}))"
        ),
        "민수 목요일 11시에 면접 있어",
        "민수랑 목요일 11시에 미팅 있어",
    ),
)
#: Words by which a clause about somebody else is also about the user: "Bob visits us".
_CONCERNS_USER = (
    r"(?i)\b(?:me|my|mine|us|our|ours|i|we|here)\b"
    r"|(?<![가-힣])(?:나|내|저|제|우리|저희)(?:는|가|도|랑|한테|를|에게|와|하고)?(?![가-힣])"
    r"|모시|데려|같이|함께|태워|생일|생신|결혼식|돌잔치|장례|방문|만나|들르|오라"
    r"|잡(?:았|으|아|혔)|주[셨신실]|줬|[하보][자재]|(?<![가-힣])(?:와|온대|오신|오셔|온다|올)"
    r"|\b(?:birthday|wedding|funeral|remind|remember|visit\w*|com(?:es?|ing) over)\b"
)
#: Days after its day, and before it, on which a task is shown.
_OVERDUE_DAYS, _AHEAD_DAYS = 14, 7
#: A date without a year is that of the next year, if in the year of the statement it lies so many
#: days in the past.
_PAST_DAYS = 120


def ordinal(day: str) -> int:
    """Return the number of a day: the difference of two numbers is a number of days."""
    year, month, of_month = int(day[:4]), int(day[5:7]), int(day[8:10])
    years = year - (month <= 2)
    return (
        years * 365
        + years // 4
        - years // 100
        + years // 400
        + (153 * ((month + 9) % 12) + 2) // 5
        + of_month
    )


def due_day(text: str, said: str, today: str, *, is_task: bool, named: str = "") -> str:
    """Return the day on which something is due; '' where it is not due soon.

    `said` is the day of the statement, `named` the day that its words mean ("tomorrow"), which
    counts where the text has no date. A task is due on the last day that it names, and is returned
    from a week before until two weeks after that day; what takes place on the day is not late
    behind it. Another statement with a word for a deadline or an event is returned from a week
    before; one that only names a date, or says what users themselves do on a day, on that day and
    the day before. What does not take place is not due, and neither is what somebody else does.
    """
    written = _find_last_date(text, said)
    day = written or named
    if not day or is_called_off(text) or _is_somebody_elses(text):
        return ""
    ahead = ordinal(day) - ordinal(today)
    has_cue = any(re.search(cue, text) for cue in (_CUE, _CLOCK, _OBLIGES))
    if is_task:
        most_days_late = 0 if _takes_place(text) else _OVERDUE_DAYS
        return day if -most_days_late <= ahead <= _AHEAD_DAYS else ""
    if has_cue:
        return day if 0 <= ahead <= _AHEAD_DAYS else ""
    is_told = written or re.search(_OWN, text) is not None
    return day if is_told and 0 <= ahead <= 1 and day != said else ""


def is_called_off(text: str) -> bool:
    """Return whether a text says that something does not take place."""
    return re.search(_OFF, text) is not None


def _is_somebody_elses(text: str) -> bool:
    """Return whether all clauses of a text with an appointment tell of somebody else's.

    What has to be done by a day is not looked at: it may have to be given to the user.
    """
    if re.search(_DEADLINE, text) or re.search(_OBLIGES, text):
        return False
    clauses = [
        clause
        for clause in re.split(_CLAUSE_END, text)
        if any(re.search(cue, clause) for cue in (_CUE, _CLOCK))
    ]
    return bool(clauses) and all(map(_tells_of_somebody_else, clauses))


def _tells_of_somebody_else(clause: str) -> bool:
    for pattern, _, _ in SOMEBODY_ELSES:
        if found := re.search(pattern, clause):
            return re.search(_CONCERNS_USER, clause[found.end() :]) is None
    return False


def _takes_place(text: str) -> bool:
    is_fixed = re.search(_CLOCK, text) is not None or re.search(_MEETING, text) is not None
    return is_fixed and re.search(_DEADLINE, text) is None


def _find_last_date(text: str, said: str) -> str:
    """Return the last date in a text; '' for none."""
    # A cheap test first: most texts name no day, and trying every form of a date takes longer.
    if re.search(r"\d", text) is None or not ("월" in text or re.search(_MAY_NAME, text)):
        return ""
    days = [day for match in re.finditer(_DAY, text) if (day := _parse_due_match(match, said))]
    return max(days, default="")


def format_due_day(day: str, today: str, lang: str = "en") -> str:
    """Return in words when something is due, seen from today."""
    ahead = ordinal(day) - ordinal(today)
    if lang == "ko":
        # an appointment has no deadline, and a task is told by its own words
        return {0: "오늘", 1: "내일"}.get(ahead, f"{day}, 지남" if ahead < 0 else day)
    return {0: "due today", 1: "due tomorrow"}.get(
        ahead, f"overdue since {day}" if ahead < 0 else f"due {day}"
    )


def _parse_due_match(found: "re.Match[str]", said: str) -> str:
    """Return the day of a match; '' for an impossible day."""
    month_name = found["em"] or found["fm"]
    month = month_number(month_name) if month_name else int(found["m"] or found["km"])
    of_month = int(found["d"] or found["kd"] or found["ed"] or found["fd"])
    if not (1 <= month <= 12 and 1 <= of_month <= 31):
        return ""
    if year := found["y"] or found["ky"] or found["ey"] or found["fy"]:
        return f"{int(year):04}-{month:02}-{of_month:02}"
    day = f"{said[:4]}-{month:02}-{of_month:02}"
    return day if ordinal(said) - ordinal(day) < _PAST_DAYS else f"{int(said[:4]) + 1:04}{day[4:]}"
