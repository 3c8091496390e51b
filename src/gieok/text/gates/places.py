"""Where and when a rule holds: a folder, a project, weekdays, a last day."""

import re
from collections.abc import Sequence
from datetime import date

from gieok.text.ends import find_end
from gieok.text.gates import forms
from gieok.text.gates.objects import NamedObjects, is_path
from gieok.text.gates.vocabulary import FLAGS, TAKEN

_TODAY = r"(?ai)\b(?:today|tonight)\b|오늘(?:은|만|까지|밤)?"
_LOCATION_EN = (
    r"(?ai)\b(?:in|inside|within|under|for|from)\s(?:the\s|our\s|my\s)?(`?[\w@./*-]+`?)"
    r"(?:\s(repo(?:sitory)?|project|codebase|folder|directory|dir|workspace|package))?(?=[\s,.;]|$)"
)
_LOCATION_KO = (
    r"([\w@./*-]+|[가-힣]{2,})\s?(프로젝트|레포|저장소|리포|폴더|디렉터리|디렉토리|패키지)?\s?(?:안|밑|내)?에서(?:는|만"
    r"|도)?(?=\s|,)"
)
_PROJECT_NOUNS = frozenset("repo repository project codebase 프로젝트 레포 저장소 리포".split())
_HERE = frozenset(
    "this the our my any all every same current that 이 우리 여기 모든 현재 해당 저희 본".split()
)
#: The machine of the speaker: everything that an agent does runs there, so it narrows no rule.
_OWN_MACHINE_EN = (
    r"(?ai)(?P<before>^|[\s,;:])(?:on|from) (?:this|my)(?: very| own)? (?:machine|computer|laptop"
    r"|notebook|macbook|mac|pc|workstation)(?=\s*(?:[,.;:!?]|$)|\s(?!only\b|alone\b))"
)
_OWN_MACHINE_KO = (
    r"(?ai)(?P<before>^|[\s,;:])(?:이|내|제|우리) ?(?:컴퓨터|노트북|랩탑|맥북|맥|PC|피씨|머신)(?:에서|에)"
    r"(?:는|도|선)?(?=,?\s)"
)
#: Words before a place that make it an exception, or a condition of which it is a part.
_NARROWS_BEFORE = (
    rf"(?ai){forms.EN_CONDITION}|\b(?:only|just|but|except|not|than|unless|until|outside|anywhere"
    r"|elsewhere|are|is|am|be|was)\b|\b\w+['’](?:re|s|m)\b|말고|빼고|제외"
)
#: Where something must not go, and not where the rule holds: "never upload it anywhere".
_TO_ANYWHERE = (
    r"(?ai)\b(?:upload|send|shar(?:e|ing)|post|publish|cop(?:y|ies)|put|mov(?:e|ing)|leak)\w*\b"
    r"[^.;,]*?\banywhere\b"
)
_CLOCK = r"(?:noon|midnight|\d{1,2}(?::\d\d)?\s?[ap]m|\d{1,2}(?::\d\d|\s?o'?clock))"
#: From when to when of the day a rule holds: "after 6pm", "between 9 and 5", 오후 6시 이후에는.
_HOURS_EN = (
    rf"(?ai)\b(?P<when>before|until|till|after|from|since)\s(?P<first>{_CLOCK})"
    rf"(?:\s?(?:until|till|to|-|–)\s?(?P<last>{_CLOCK}))?"
    r"|\b(?P<range>between|from)\s(?P<low>\d{1,2}(?::\d\d)?(?:\s?[ap]m)?)\s?(?:and|to|-|–)\s?"
    r"(?P<high>\d{1,2}(?::\d\d)?(?:\s?[ap]m)?)(?=[\s,.;]|$)"
    r"|\b(?P<work>during|in|within|outside(?: of)?)\s(?:the\s|our\s)?"
    r"(?:business|office|working|work) hours\b"
)
_CLOCK_KO = r"(?:(?:오전|오후|밤|새벽|저녁|아침|낮)\s?)?\d{1,2}시(?!간)(?:\s?반|\s?\d{1,2}분)?"
_HOURS_KO = (
    rf"(?<![가-힣])(?P<first>{_CLOCK_KO})\s?(?:(?:부터|에서|~|-)\s?(?P<last>{_CLOCK_KO})\s?(?:까지|사이)?"
    r"|(?P<when>이?전|이?후|넘어서|부터|까지))에?(?:는|엔|은)?(?![가-힣])"
    r"|(?P<work>업무|근무)\s?시간\s?(?P<outside>외|밖)?(?:에|\s?중)?(?:는|엔|은)?(?![가-힣])"
)
_NOON, _DAY_END, _HALF_DAY = 12 * 60, 24 * 60, 12 * 60
_WORK = (9 * 60, 18 * 60)
_MORNING = frozenset(("am", "오전", "새벽", "아침"))
_DAY_EN = (
    r"(?ai)(?:\bon |\bevery |\bon a |\bany )?\b(?:{0})\b(?: (?:mornings?|afternoons?"
    r"|evenings?|nights?))?"
)


def find_rule_end(spoken: str, said_on: date) -> str:
    """Return the last day on which a rule holds (ISO); '' where it has no end."""
    end = find_end(spoken, said_on)
    if end and end.last:
        return end.last.isoformat()
    return said_on.isoformat() if re.search(_TODAY, spoken) else ""


def holds_everywhere(spoken: str) -> bool:
    """Return whether a rule says that it holds in all projects."""
    return re.search(forms.EVERYWHERE, re.sub(_TO_ANYWHERE, " ", spoken), FLAGS) is not None


def find_days(spoken: str) -> list[int]:
    """Return the weekdays on which alone a rule holds; an end ("until Friday") is none."""
    days: list[int] = []
    plain = re.sub(
        r"(?ai)\b(?:until|till|by|before|through)\s\w+day\b|\S+요일\s?(?:까지|전까지|이전)",
        " ",
        spoken,
    )
    if re.search(forms.WEEKEND, plain, FLAGS):
        days += [5, 6]
    if re.search(forms.WEEKDAYS, plain, FLAGS):
        days += [0, 1, 2, 3, 4]
    days += [day for words, day in forms.DAYS if re.search(_DAY_EN.format(words), plain)]
    days += [
        day
        for words, day in forms.DAYS
        if day not in days and re.search(words.partition("|")[2], plain)
    ]
    return days


def drop_own_machine(spoken: str) -> str:
    """Return a text without "on this machine", which says where everything runs.

    It stays where it may be a condition or an exception: "only on my laptop", "when on this mac".
    """
    for pattern in (_OWN_MACHINE_EN, _OWN_MACHINE_KO):
        for match in reversed(list(re.finditer(pattern, spoken))):
            clause = re.split(r"[,;:]", spoken[: match.start()])[-1]
            if re.search(_NARROWS_BEFORE, clause) is None:
                spoken = f"{spoken[: match.start()]}{match['before']}{spoken[match.end() :]}"
    return re.sub(r"\s+", " ", spoken).strip().removeprefix(",").lstrip()


def find_hours(spoken: str) -> tuple[int, ...]:
    """Return from which minute of the day to which a rule holds; () where it says no hours.

    An hour that may be one of the morning or of the evening counts as what holds longer.
    """
    match = re.search(_HOURS_EN, spoken) or re.search(_HOURS_KO, spoken)
    if match is None:
        return ()
    given = match.groupdict()
    if given.get("work"):
        is_outside = given.get("outside") or given["work"].lower().startswith("outside")
        return tuple(reversed(_WORK)) if is_outside else _WORK
    first = given["first"] or given.get("low") or ""
    last = given["last"] or given.get("high") or ""
    if last:
        return _order_hours(_list_minutes(first), _list_minutes(last))
    if (given.get("when") or "").lower() in ("before", "until", "till", "전", "이전", "까지"):
        return 0, max(_list_minutes(first))
    return min(_list_minutes(first)), _DAY_END


def _order_hours(starts: Sequence[int], ends: Sequence[int]) -> tuple[int, ...]:
    """Return the first reading of two hours in which one follows the other on the same day."""
    for start in starts:
        for end in ends:
            if start < end:
                return start, end
    return starts[0], ends[0]


def _list_minutes(clock: str) -> list[int]:
    """Return the minutes of the day that a time of the clock may be, the earliest first."""
    if "noon" in clock.lower():
        return [_NOON]
    if "midnight" in clock.lower():
        return [_DAY_END]
    hour, *more = map(int, re.findall(r"\d+", clock))
    past = 30 if "반" in clock else 0
    minute = hour * 60 + (more[0] if more else past)
    if minute > _NOON + 59 or (":" in clock and not re.search(r"(?i)[ap]m", clock)):
        return [minute]
    part = re.search(r"(?i)[ap]m|오전|오후|밤|새벽|저녁|아침|낮", clock)
    early = minute - _NOON if hour == _NOON // 60 else minute
    if part is None:
        return [early, early + _HALF_DAY]
    return [early if part[0].lower() in _MORNING else early + _HALF_DAY]


def blank_scope_words(spoken: str, *, until: str) -> str:
    """Return a text without the words that say where and when a rule holds.

    They are weekdays, hours, the name of a project, all projects, and the end `until` (ISO, '').
    """
    spoken = re.sub(_HOURS_KO, TAKEN, re.sub(_HOURS_EN, TAKEN, spoken))
    spoken = re.sub(forms.EVERYWHERE, TAKEN, spoken, flags=FLAGS)
    for words in (forms.WEEKEND, forms.WEEKDAYS, *(words for words, _ in forms.DAYS)):
        english, _, korean = words.rpartition("|")
        spoken = re.sub(rf"(?ai)\b(?:{english})\b|(?:{korean})", TAKEN, spoken)
    if until:
        spoken = re.sub(r"(?:\S+\s){0,2}\S+까지(?:는)?", TAKEN, re.sub(_TODAY, TAKEN, spoken))
    for pattern in (_LOCATION_EN, _LOCATION_KO):
        for match in re.finditer(pattern, spoken):
            if (match[2] or "").lower() in _PROJECT_NOUNS:
                blank = TAKEN * len(match[1])
                spoken = f"{spoken[: match.start(1)]}{blank}{spoken[match.end(1) :]}"
    return spoken


def find_place(spoken: str, found: NamedObjects) -> tuple[str, str]:
    """Return the folder and the name of the project in which alone a rule holds."""
    folder = project = ""
    for pattern in (_LOCATION_EN, _LOCATION_KO):
        for match in re.finditer(pattern, spoken):
            name, noun = match[1].strip("`").rstrip(".,"), (match[2] or "").lower()
            if name.lower() in _HERE or not name:
                continue
            if noun in _PROJECT_NOUNS:
                project = name
            elif (noun or is_path(name)) and (found.literals or found.deeds):
                folder = name if name.endswith("/") or "." in name else f"{name}/"
    return folder, project
