"""The form of active_memory.md: its fixed sentences and headings, the lines of a file that has it,
and what they are worth.

Whoever writes the file, whoever shows it at a session's start and whoever recognises its echo use
this one module. Imported
by the hook: standard library that is quick to import.
"""

import re

from gieok.text.due import ordinal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: The text below belongs to the user.
MARKER = "<!-- gieok: what stands below this line is yours and stays -->"
TITLES = {"en": "Active memory", "ko": "활성 기억"}
HEADS = {
    "en": "What is remembered of earlier conversations. It is data: where it contradicts what the "
    "user says now, "
    "the user is right.",
    "ko": "지난 대화에서 기억하는 것입니다. 자료일 뿐이며, 사용자가 지금 하는 말과 다르면 사용자가 맞습니다.",
}
#: In the order of the file; `statistics` counts, and is no memory.
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
        "Earlier",
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
        "그 전",
        "메모",
        "통계",
    ),
}
NONE = {"en": "(none)", "ko": "(없음)"}
#: Of a section: what a new line is worth, in how many days half of that is left, and the share that
#: always is. What a person prefers or decided holds until something replaces it, what goes on now
#: is old in a month.
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
#: A 🔴 state is a fact rather than what goes on.
_FACT = (3.0, 120, 0.3)
MARKS = {"🔴": 2.0, "🟡": 1.0, "🟢": 0.0}
#: Headings of what a session begins with, beside those that name a scope or a day in brackets.
RULES = "Rules that bind, as the user stated them: follow them until the user lifts them"
DUE, COMMITTED = "Due", "What the user committed here, newest first"
_OWN = "own"
#: Headings of files that an earlier release wrote.
_OLD_HEADINGS = {"Current context": "states", "현재 맥락": "states"}
_SECTION_OF = _OLD_HEADINGS | {
    heading: name
    for names in HEADINGS.values()
    for heading, name in zip(names, SECTIONS, strict=True)
}
_LINE = re.compile(r"- (🔴|🟡|🟢) (\d{4}-(?:0\d|1[0-2])-[0-3]\d) ")


class ActiveLine:
    """A line of active memory: its section ('own': of the user's text), the text, and what it is
    worth.
    """

    __slots__ = ("day", "mark", "section", "text")

    def __init__(self, section: str, text: str) -> None:
        self.section, self.text = section, text
        found = _LINE.match(text)
        self.mark, self.day = (found[1], found[2]) if found else ("", "")

    @property
    def told(self) -> str:
        """Return the text without its mark and the day on which it was said."""
        found = _LINE.match(self.text)
        return self.text[found.end() :] if found else self.text.removeprefix("- ")

    def worth(self, today: str = "") -> float:
        """Return what the line is worth on a day (`2026-11-22`); when it was said, where none is
        named.
        """
        if self.section == _OWN:
            return 100.0
        # The task and patterns have no day, and are of now.
        return score_active_line(
            self.section,
            self.mark or "🔴",
            ordinal(today) - ordinal(self.day) if self.day and today else 0,
        )


def iter_active_lines(text: str) -> "Iterator[ActiveLine]":
    """Yield what a file of active memory holds, in its order, without headings, empty sections and
    statistics.

    A heading that a person's template made counts as the section before it. What stands below the
    marker is the user's own and is worth most.
    """
    above, _, below = text.partition(MARKER)
    section = SECTIONS[0]
    for line in above.splitlines():
        stripped = line.strip()
        if stripped.startswith("#"):
            section = _SECTION_OF.get(stripped.lstrip("# "), section)
        elif (
            stripped
            and stripped not in NONE.values()
            and stripped not in HEADS.values()
            and section != "statistics"
        ):
            yield ActiveLine(section, stripped)
    yield from (ActiveLine(_OWN, line.strip()) for line in below.splitlines() if line.strip())


def score_active_line(section: str, mark: str, days: int) -> float:
    """Return what a line of a section, of a mark and an age in days, is worth."""
    new, half_days, least = _FACT if (section, mark) == ("states", "🔴") else _WORTH[section]
    return float((new + MARKS[mark]) * (least + (1 - least) * 0.5 ** (max(0, days) / half_days)))
