"""Renders active_memory.md, the short text that an agent reads at every turn.

Within a token budget; the same memory gives the same bytes; the text below the marker is the user's and stays.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta, tzinfo
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.capabilities.observe.observation import Category, Observation, Priority
from gieok.capabilities.observe.scope_memory import ScopeMemory
from gieok.errors import BadConfig, BadRequest
from gieok.text import active
from gieok.text.active import MARKER
from gieok.text.inert import visible
from gieok.text.tokens import count_tokens

_MODE = 0o640
_RECENT_DAYS = 7
_LONGEST_CHARS = 400
#: The file is full after so many successive lines that do not fit.
_MISSES = 25
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")

_OUTLINE = """# {}

{}

## {}
{{task}}
{{states}}

## {}
{{preferences}}

## {}
{{decisions}}

## {}
{{pending}}

## {}
{{done}}

### {}
{{done_earlier}}

## {}
{{notes}}

## {}
{{statistics}}
"""
_TEMPLATES = {
    lang: _OUTLINE.format(active.TITLES[lang], head, *active.HEADINGS[lang]) for lang, head in active.HEADS.items()
}
SECTIONS = tuple(name for name in active.SECTIONS if name != "statistics")
_STATISTICS = {
    "en": "{shown} of {all} observations shown: 🔴 {high}, 🟡 {medium}, 🟢 {low}",
    "ko": "관찰 {all}개 가운데 {shown}개: 🔴 {high}, 🟡 {medium}, 🟢 {low}",
}


class Look(NamedTuple):
    """Format of the file: language, token budget, the user's template ('' for the default), time zone of the dates."""

    lang: str
    budget_tokens: int
    template: str
    zone: tzinfo


class _Line(NamedTuple):
    section: str
    head: str
    said: str
    worth: float
    at: float

    @property
    def text(self) -> str:
        """Return the line as it is written; lazy, because most lines are never rendered."""
        return self.head + _one_line(self.said)


def render(held: ScopeMemory, look: Look, today: date) -> str:
    """Return the text above the marker; the budget drops the least valuable lines first."""
    lang = look.lang if look.lang in _TEMPLATES else "en"
    template = look.template or _TEMPLATES[lang]
    lines = sorted(_lines(held, look.zone, today), key=lambda line: (-line.worth, line.said))
    room = look.budget_tokens - count_tokens(_fill(template, held, (), lang)) - 10
    kept: list[_Line] = []
    misses = 0
    for line in lines:
        cost = count_tokens(line.text) + 1
        misses = misses + 1 if cost > room else 0
        if misses == _MISSES:
            break
        if cost <= room:
            room -= cost
            kept.append(line)
    return _fill(template, held, sorted(kept, key=lambda line: (line.at, line.said)), lang)


def _lines(held: ScopeMemory, zone: tzinfo, today: date) -> Iterable[_Line]:
    for o in held.observations:
        day = o.at.astimezone(zone).date()
        section = _section(o, day, today)
        worth = active.WORTH[section] + active.MARKS[o.priority.mark] + day.toordinal() / active.DAYS_PER_POINT
        yield _Line(section, f"- {o.priority.mark} {day} ", o.text, worth, o.at.timestamp())
    for pattern in held.patterns:
        worth = active.WORTH["notes"] + pattern.updated_at.toordinal() / active.DAYS_PER_POINT
        yield _Line("notes", "- ", pattern.text, worth, 0.0)


def _section(o: Observation, day: date, today: date) -> str:
    if o.is_done:
        return "done" if day > today - timedelta(days=_RECENT_DAYS) else "done_earlier"
    match o.category:
        case Category.DECISION:
            return "decisions"
        case Category.PREFERENCE:
            return "preferences"
        case Category.TASK:
            return "pending"
    return "states"


def _one_line(text: str) -> str:
    """Return a memory on one line, without markup and without anything like the marker."""
    text = " ".join(visible(text).split()).replace("<!--", "‹!--").replace("</", "‹/")
    return text if len(text) <= _LONGEST_CHARS else text[: _LONGEST_CHARS - 1] + "…"


def _fill(template: str, held: ScopeMemory, kept: Sequence[_Line], lang: str) -> str:
    counts = {p.value: sum(o.priority is p for o in held.observations) for p in Priority}
    shown = sum(line.at > 0 for line in kept)
    values = {
        "task": "\n".join(_one_line(line) for line in held.task.splitlines()[:4]) or active.NONE[lang],
        "statistics": _STATISTICS[lang].format(shown=shown, all=len(held.observations), **counts),
    }
    for section in SECTIONS:
        values[section] = "\n".join(line.text for line in kept if line.section == section) or active.NONE[lang]
    if held.observations and values["states"] == active.NONE[lang]:
        values["states"] = ""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), template).rstrip() + "\n"


def read_template(file: Path | None) -> str:
    """Return the user's template, '' without one. Raises BadConfig."""
    if file is None:
        return ""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfig(
            f"cannot read the template {str(file)!r}: {error}", hint="set active_memory.template to a UTF-8 file"
        ) from error
    if not any("{" + name + "}" in text for name in SECTIONS):
        raise BadConfig(f"the template {str(file)!r} has no section", hint=f"add one of {', '.join(SECTIONS)}")
    return text


def write(file: Path, rendered: str) -> bool:
    """Write the file if the text above the marker differs; return whether it did. Raises BadRequest, OSError."""
    try:
        before = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        before = ""
    above, marker, below = before.partition(MARKER)
    if before.strip() and not marker:
        raise BadRequest(
            f"{str(file)!r} exists, and Gieok did not write it",
            hint=f"move it away, or add this line at its top:\n{MARKER}",
        )
    if above.strip() == rendered.strip():
        return False
    file.parent.mkdir(parents=True, exist_ok=True)
    fs.replace(file, f"{rendered}\n{MARKER}{below or chr(10)}", _MODE)
    return True
