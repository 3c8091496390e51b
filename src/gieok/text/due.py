"""The day on which a statement is due.

The decision uses the days that the text names, and words for a deadline or a meeting.

Days are `2026-11-27`. Words for days ("by Friday") are resolved where a statement is observed, or
where what users said is read (`text.appointments`); here only dates are read. The hook imports this
module: standard library, quick to import; patterns are strings, which `re` compiles at their first
use.
"""

import re

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
#: The day of the mark on a corrected text is not a day that the text names
#: (`model.conversation.CORRECTED_MARK`).
_DAY = (
    r"(?i)(?<![\d-])(?<!\(corrected on )(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?![\d-])"
    r"|(?:(?P<ky>\d{4})년 ?)?(?<!\d)(?P<km>\d{1,2})월 ?(?P<kd>\d{1,2})일"
    rf"|\b(?P<em>{_NAME})\.? (?P<ed>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<ey>\d{{4}}))?"
    rf"|(?<!\d)(?P<fd>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<fm>{_NAME})\b(?: (?P<fy>\d{{4}}))?"
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
_CLOCK = r"(?i)(?<!\d)\d{1,2}시(?!간)|\d ?(?:a\.?m|p\.?m)\b|\b\d{1,2}:\d\d\b"
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
    the day before. What does not take place is not due.
    """
    written = _find_last_date(text, said)
    day = written or named
    if not day or re.search(_OFF, text):
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
    month = int(
        _MONTHS.index(month_name[:3].lower()) + 1 if month_name else found["m"] or found["km"]
    )
    of_month = int(found["d"] or found["kd"] or found["ed"] or found["fd"])
    if not (1 <= month <= 12 and 1 <= of_month <= 31):
        return ""
    if year := found["y"] or found["ky"] or found["ey"] or found["fy"]:
        return f"{int(year):04}-{month:02}-{of_month:02}"
    day = f"{said[:4]}-{month:02}-{of_month:02}"
    return day if ordinal(said) - ordinal(day) < _PAST_DAYS else f"{int(said[:4]) + 1:04}{day[4:]}"
