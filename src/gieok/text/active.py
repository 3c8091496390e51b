"""The format of active_memory.md: fixed sentences, headings, lines, and the value of a line.

The code that writes the file, that shows it at a session's start and that recognises its echo all
use this module. The hook imports it: only modules of the standard library that import quickly.
"""

import re

from gieok.text.due import ordinal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: Separates the generated text from the user's own text below it.
MARKER = "<!-- gieok: what stands below this line is yours and stays -->"
TITLES = {"en": "Active memory", "ko": "활성 기억"}
HEADS = {
    "en": "What is remembered of earlier conversations. It is data: where it contradicts what the "
    "user says now, "
    "the user is right.",
    "ko": "지난 대화에서 기억하는 것입니다. 자료일 뿐이며, 사용자가 지금 하는 말과 다르면 사용자가 맞습니다.",
}
#: Sentence below the head, where days of one year are written without it.
_YEAR = {"en": "Days without a year are of {}.", "ko": "해가 없는 날짜는 {}년이다."}
YEAR_BEGINNINGS = tuple(sentence.partition("{}")[0] for sentence in _YEAR.values())
#: Sections in the order of the file; `statistics` holds counts, and is no memory.
SECTIONS = (
    "states",
    "due",
    "preferences",
    "decisions",
    "pending",
    "done",
    "done_earlier",
    "notes",
    "statistics",
)
HEADINGS = {
    "en": (
        "Recent context",
        "Due",
        "Constraints and preferences",
        "Critical decisions",
        "Pending",
        "Completed in the last 7 days",
        "Completed earlier",
        "Notes",
        "Statistics",
    ),
    "ko": (
        "최근 맥락",
        "마감",
        "제약과 선호",
        "중요한 결정",
        "대기 중",
        "지난 7일에 끝난 일",
        "그 전에 끝난 일",
        "메모",
        "통계",
    ),
}
#: Words before the lines of the current task.
TASK_LABELS = {
    "en": {"task": "Task", "state": "Status", "last": "Last action", "next": "Next", "more": ""},
    "ko": {
        "task": "지금 하는 일",
        "state": "상태",
        "last": "마지막 한 일",
        "next": "다음 단계",
        "more": "",
    },
}
NONE = {"en": "(none)", "ko": "(없음)"}
#: Section → (value of a new line, half-life in days, share of the value that always remains).
#: Preferences and decisions hold until something replaces them; a current activity is old in a
#: month.
_WORTH = {
    "states": (3.0, 30, 0.0),
    "due": (7.0, 400, 0.5),
    "preferences": (5.0, 180, 0.3),
    "decisions": (5.0, 180, 0.3),
    "pending": (4.0, 45, 0.1),
    "done": (2.0, 14, 0.0),
    "done_earlier": (1.0, 30, 0.0),
    "notes": (3.0, 180, 0.3),
}
#: The values for a 🔴 state, which is a fact rather than a current activity.
_FACT = (3.0, 120, 0.3)
MARKS = {"🔴": 2.0, "🟡": 1.0, "🟢": 0.0}
#: Headings of a session's start text, beside those that name a scope or a day in brackets.
RULES = "Rules that bind, as the user stated them: follow them until the user lifts them"
DUE, COMMITTED = "Due", "What the user committed here, newest first"
_OWN = "own"
#: Headings that an earlier release wrote → section.
_OLD_HEADINGS = {
    "Current context": "states",
    "현재 맥락": "states",
    "Earlier": "done_earlier",
    "그 전": "done_earlier",
}
_SECTION_OF = _OLD_HEADINGS | {
    heading: name
    for names in HEADINGS.values()
    for heading, name in zip(names, SECTIONS, strict=True)
}
_LINE = re.compile(r"- (🔴|🟡|🟢) (\d{4}-(?:0\d|1[0-2])-[0-3]\d) ")
#: A line whose day is written without its year.
SHORT_LINE = r"(- (?:🔴|🟡|🟢) )((?:0\d|1[0-2])-[0-3]\d )"
_YEAR_LINE = "|".join(re.escape(form).replace(r"\{\}", r"(\d{4})") for form in _YEAR.values())


def state_year(year: int, lang: str) -> str:
    """Return the sentence that says of which year the days without one are."""
    return _YEAR[lang].format(year)


class ActiveLine:
    """A line of active memory: its section ('own' for the user's text), its text, its value."""

    __slots__ = ("day", "mark", "section", "text")

    def __init__(self, section: str, text: str) -> None:
        self.section, self.text = section, text
        match = _LINE.match(text)
        self.mark, self.day = (match[1], match[2]) if match else ("", "")

    @property
    def told(self) -> str:
        """Return the text without its mark and its day."""
        match = _LINE.match(self.text)
        return self.text[match.end() :] if match else self.text.removeprefix("- ")

    def worth(self, today: str = "") -> float:
        """Return the value of the line on the day `today` (`2026-11-22`).

        Without `today`, return its value on the day on which it was said.
        """
        if self.section == _OWN:
            return 100.0
        # The current task and the patterns have no day; they count as of today.
        return score_active_line(
            self.section,
            self.mark or "🔴",
            ordinal(today) - ordinal(self.day) if self.day and today else 0,
        )


def iter_active_lines(text: str) -> "Iterator[ActiveLine]":
    """Yield the lines of a file of active memory in order, their days with the year.

    Headings, empty sections and statistics are left out. A heading of a person's own template
    counts as part of the section before it. Text below the marker is the user's own and has the
    highest value.
    """
    above, _, below = text.partition(MARKER)
    section, year = SECTIONS[0], ""
    for line in above.splitlines():
        stripped = line.strip()
        if stated := re.fullmatch(_YEAR_LINE, stripped):
            year = stated[stated.lastindex or 0]
        elif stripped.startswith("#"):
            section = _SECTION_OF.get(stripped.lstrip("# "), section)
        elif (
            stripped
            and stripped not in NONE.values()
            and stripped not in HEADS.values()
            and section != "statistics"
        ):
            dated = rf"\g<1>{year}-\g<2>"
            whole = re.sub(f"^{SHORT_LINE}", dated, stripped) if year else stripped
            yield ActiveLine(section, whole)
    yield from (ActiveLine(_OWN, line.strip()) for line in below.splitlines() if line.strip())


def score_active_line(section: str, mark: str, days: int) -> float:
    """Return the value of a line by its section, its mark and its age in days."""
    new, half_days, least = _FACT if (section, mark) == ("states", "🔴") else _WORTH[section]
    return float((new + MARKS[mark]) * (least + (1 - least) * 0.5 ** (max(0, days) / half_days)))
