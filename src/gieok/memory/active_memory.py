"""Renderer of active_memory.md, the short text that a session begins with.

The text holds one line for each observation that is not known to have ended, in its newest wording.
Due observations come first, and a person's corrections are always shown. The text fits a token
budget; the same memory on the same day gives the same bytes; the text below the marker is the
user's and stays.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta, tzinfo
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from gieok import fs, paths
from gieok.errors import BadConfig, BadRequest
from gieok.memory import deeds
from gieok.memory.observation import Category, Observation, Priority
from gieok.memory.scope_memory import ScopeMemory
from gieok.model.memory import CORRECTED, REPLACED_BY, Document, Scope
from gieok.text import active, binding, due
from gieok.text.active import MARKER
from gieok.text.gist import Gist, gist, is_finished, is_same
from gieok.text.inert import visible
from gieok.text.late_pattern import defer_pattern
from gieok.text.tokens import estimate_tokens

_RECENT_DAYS = 7
_LONGEST_CHARS = 400
#: The file counts as full after this many successive lines that do not fit.
_MISSES = 25
_PLACEHOLDER = defer_pattern(r"\{([a-z_]+)\}")
#: For how many days a replaced statement is quoted behind its replacement, and in how many
#: characters.
_TOLD_DAYS, _TOLD_CHARS = 30, 60
_CORRECTED_WORTH = 100.0
#: Reserve for counts of more digits, and a line break or two.
_SPARE = 20
SECTIONS = tuple(name for name in active.SECTIONS if name != "statistics")
#: Guaranteed share of each section's best lines; the rest of the budget goes to the best lines of
#: all.
_SHARES = {
    "states": 0.25, "due": 0.15, "preferences": 0.2, "decisions": 0.2, "pending": 0.08,
    "done": 0.05, "done_earlier": 0.02, "notes": 0.05,
}  # fmt: skip
_STATISTICS = {
    "en": "{shown} of {all} observations shown: 🔴 {high}, 🟡 {medium}, 🟢 {low}",
    "ko": "관찰 {all}개 가운데 {shown}개: 🔴 {high}, 🟡 {medium}, 🟢 {low}",
}
_TASK_LINES = 4
#: Words by which a model says what a line of the task is → the kind of the line.
_TASK_KINDS = {
    "primary": "task", "task": "task", "주요": "task", "작업": "task",
    "state": "state", "status": "state", "상태": "state",
    "next": "next", "next step": "next", "next steps": "next", "다음": "next", "다음 단계": "next",
    "last": "last", "last action": "last", "마지막": "last", "마지막 작업": "last",
}  # fmt: skip
_TASK_WORD = defer_pattern(r"\s*(?:[-*]\s*)?\**([A-Za-z가-힣 ]{2,12}?)\**\s*:\**\s*")
_WAS = {"en": " (was: {} until {})", "ko": " ({1}까지는: {0})"}
#: The same where the day on which it ended is that of the line, and stands before it already.
_WAS_BEFORE = {"en": " (was: {})", "ko": " (그 전에는: {})"}


class ActiveFiles(NamedTuple):
    """Places of the files of active memory, one a scope.

    `own_file` is that of the scope `own_scope`, where a person named a file.
    """

    home: Path
    own_scope: Scope
    own_file: Path | None = None

    def locate(self, scope: Scope) -> Path:
        """Return the file of a scope."""
        if self.own_file is not None and scope == self.own_scope:
            return self.own_file
        return paths.locate_active_memory(self.home, scope.path)


class Look(NamedTuple):
    """Format of the file.

    The language, the token budget, the user's template ('' for the default) and the time zone of
    the dates.
    """

    lang: str
    budget_tokens: int
    template: str
    zone: tzinfo


class _OutlineLine(NamedTuple):
    """Candidate line of the file, with its section, worth and date."""

    section: str
    mark: str
    day: date | None
    said: str
    worth: float
    at: float
    was: str = ""
    due: str = ""
    #: The year that the file names once, of the days that are written without it; 0 for none.
    file_year: int = 0

    @property
    def text(self) -> str:
        """Return the line as it is written; computed on demand, because most lines are never
        rendered.
        """
        day = f"{self.day:%m-%d}" if self.day and self.has_short_day else self.day
        head = f"- {self.mark} {day} " if day else "- "
        return head + _one_line(self.said) + self.was

    @property
    def has_short_day(self) -> bool:
        """Whether the day of the line is written without its year, which the file names once."""
        return self.day is not None and self.day.year == self.file_year

    @property
    def order(self) -> tuple[str, float, str]:
        """Return the sort key of a line in its section: due lines by day, the others newest
        first.
        """
        return self.due, -self.at, self.said


def render_active_memory(held: ScopeMemory, look: Look, today: date) -> str:
    """Return the text above the marker; the budget drops the least valuable lines first."""
    look = look if look.lang in active.TITLES else look._replace(lang="en")
    pairs = zip_longest(held.documents, held.observations)
    current = [
        (document, o)
        for document, o in pairs
        if not (document and is_replaced_by_day(document, look.zone, today))
    ]
    year = 0 if look.template else today.year  # only the built-in outline says which year it is
    lines = sorted(
        (line._replace(file_year=year) for line in _build_active_lines(held, current, look, today)),
        key=lambda line: (-line.worth, line.order),
    )
    year = year if any(line.has_short_day for line in lines) else 0
    bare = _fill_outline(held, (), look, len(current), year)
    shown = _Page(
        look.budget_tokens - estimate_tokens(bare) - _SPARE, lines, _map_section_headings(look)
    ).filled()
    return _fill_outline(held, sorted(shown, key=lambda line: line.order), look, len(current), year)


def is_replaced_by_day(document: Document, zone: tzinfo, today: date) -> bool:
    """Say whether a newer statement had replaced an observation by the end of a day."""
    return document.valid_to is not None and document.valid_to.astimezone(zone).date() <= today


def _map_section_headings(look: Look) -> dict[str, str]:
    """Return section → heading of the default outline.

    Empty for a user's template, which has headings of its own.
    """
    if look.template:
        return {}
    named = zip(active.SECTIONS, active.HEADINGS[look.lang], strict=True)
    return {name: f"## {heading}" for name, heading in named}


def _build_active_lines(
    held: ScopeMemory,
    current: Sequence[tuple[Document | None, Observation]],
    look: Look,
    today: date,
) -> Iterator[_OutlineLine]:
    """Yield every line that could be shown."""
    has_due = not look.template or "{due}" in look.template
    before = _find_lately_replaced(held, look, today)
    deed_rows: list[tuple[date, tuple[str, ...]]] = []
    for document, o in current:
        day = o.at.astimezone(look.zone).date()
        if deeds.is_deed(o.text):
            deed_rows.append((day, (o.text,)))
            continue
        section, is_due = _select_line_section(o, day, today), ""
        if has_due and section in ("states", "preferences", "decisions", "pending"):
            is_due = due.due_day(o.text, str(day), str(today), is_task=o.category is Category.TASK)
        section = "due" if is_due else section
        age_days = 0 if binding.has_binding_rule(o.text) else (today - day).days
        worth = active.score_active_line(section, o.priority.mark, age_days)
        worth += _CORRECTED_WORTH if document and document.metadata.get(CORRECTED) else 0.0
        was = _format_former_wording(before.get(document.key), look, day) if document else ""
        yield _OutlineLine(
            section=section,
            mark=o.priority.mark,
            day=day,
            said=o.text,
            worth=worth,
            at=o.at.timestamp(),
            was=was,
            due=is_due,
        )
    for pattern in held.patterns:
        days = (today - pattern.updated_at.astimezone(look.zone).date()).days
        yield _OutlineLine(
            section="notes",
            mark="",
            day=None,
            said=pattern.text,
            worth=active.score_active_line("notes", "🟢", days),
            at=0.0,
        )
    yield from _build_deed_lines(deed_rows, today)


def _find_lately_replaced(held: ScopeMemory, look: Look, today: date) -> dict[str, Document]:
    """Return the recently replaced documents by the key of their replacement.

    Of several with one replacement, the last one is kept.
    """
    replaced: dict[str, Document] = {}
    for document in held.documents:
        by = document.metadata.get(REPLACED_BY)
        if by and is_replaced_by_day(document, look.zone, today) and (until := document.valid_to):
            other = replaced.get(by)
            is_later = other is None or other.valid_to is None or until >= other.valid_to
            if is_later and (today - until.astimezone(look.zone).date()).days <= _TOLD_DAYS:
                replaced[by] = document
    return replaced


def _format_former_wording(before: Document | None, look: Look, day: date) -> str:
    if before is None or before.valid_to is None:
        return ""
    text = _one_line(before.text)
    if len(text) > _TOLD_CHARS:
        text = text[:_TOLD_CHARS].rsplit(" ", 1)[0] + "…"
    until = before.valid_to.astimezone(look.zone).date()
    form = _WAS_BEFORE if until == day else _WAS
    return form[look.lang].format(text.rstrip("."), until)


def _build_deed_lines(
    done: Iterable[tuple[date, tuple[str, ...]]], today: date
) -> Iterator[_OutlineLine]:
    """Yield one line for each of the last days on which tools edited files or failed.

    These lines have the least worth of all.
    """
    days: dict[date, list[str]] = defaultdict(list)
    for day, texts in done:
        days[day] += texts
    for day in sorted(days, reverse=True)[: deeds.SHOWN_DAYS]:
        if (today - day).days < _RECENT_DAYS:
            yield _OutlineLine(
                section="states",
                mark="🟢",
                day=day,
                said=deeds.summed_up(days[day]),
                worth=0.01,
                at=0.0,
            )


def _select_line_section(o: Observation, day: date, today: date) -> str:
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


class _Page:
    """Lines within a token budget, each statement once.

    Of repeated statements the newest wording is kept; a task that is done is left out.
    """

    def __init__(
        self, room: int, lines: Sequence[_OutlineLine], headings: Mapping[str, str]
    ) -> None:
        self._room, self._lines = room, lines
        self._headings = {name: estimate_tokens(heading) + 2 for name, heading in headings.items()}
        self._kept: list[_OutlineLine] = []
        self._by_word: dict[str, list[int]] = defaultdict(list)
        done_lines = (line for line in lines if line.section.startswith("done"))
        self._finished = [
            (line.at, line.said, _find_word_beginnings(line.said)) for line in done_lines
        ]

    def filled(self) -> list[_OutlineLine]:
        """Return the best lines of each section within its share, then the best of all the
        others.
        """
        waiting: list[_OutlineLine] = []
        left = {section: int(self._room * share) for section, share in _SHARES.items()}
        full: set[str] = set()
        for line in self._lines:
            before = self._room
            if line.worth < _CORRECTED_WORTH and (
                line.section in full or left[line.section] < estimate_tokens(line.text)
            ):
                full.add(line.section)
                waiting.append(line)
            else:
                self._take(line)
                left[line.section] -= before - self._room
        misses = 0
        for line in waiting:
            misses = 0 if self._take(line) else misses + 1
            if misses == _MISSES:
                break
        return self._kept

    def _take(self, line: _OutlineLine) -> bool:
        """Keep a line, or merge it with a kept line that says the same; False if there is no
        room.
        """
        about = gist(line.said)
        if line.section in ("pending", "due") and self._is_finished(line, about):
            return True
        known = self._known(about)
        if known is not None:
            line = _merge_same_lines(self._kept[known], line)
            self._room += estimate_tokens(self._kept[known].text) - estimate_tokens(line.text)
            self._kept[known] = line
            return True
        cost = estimate_tokens(line.text) + 1 + self._headings.get(line.section, 0)
        if cost > self._room:
            return False
        self._room -= cost
        self._headings[line.section] = 0
        for word in about.words or (about.plain,):
            self._by_word[word].append(len(self._kept))
        self._kept.append(line)
        return True

    def _is_finished(self, line: _OutlineLine, about: Gist) -> bool:
        """Say whether a later line reports a line's plan as done.

        Only the few lines similar enough are compared in full.
        """
        near, least = _find_word_beginnings(line.said), len(about.words) // 3
        rows = (
            text
            for at, text, words in self._finished
            if at > line.at and len(words & near) >= max(1, least)
        )
        return any(is_finished(about, gist(text)) for text in rows)

    def _known(self, about: Gist) -> int | None:
        """Return the number of the kept line that says the same; None if there is none."""
        near = {
            number
            for word in about.words or (about.plain,)
            for number in self._by_word.get(word, ())
        }
        return next((n for n in sorted(near) if is_same(about, gist(self._kept[n].said))), None)


def _find_word_beginnings(text: str) -> frozenset[str]:
    """Return the first two letters of each word: endings and particles differ."""
    return frozenset(word[:2] for word in text.casefold().split())


def _merge_same_lines(kept: _OutlineLine, other: _OutlineLine) -> _OutlineLine:
    """Return the newer of two lines that say the same, with the greater worth of the two.

    A line that a person corrected outranks both age and worth.
    """
    if max(kept.worth, other.worth) >= _CORRECTED_WORTH:
        return kept if kept.worth >= other.worth else other
    newer, older = (
        (kept, other) if (kept.at, kept.said) >= (other.at, other.said) else (other, kept)
    )
    mark = max(newer.mark, older.mark, key=lambda mark: active.MARKS.get(mark, -1.0))
    is_weaker = newer.section == "states" and older.section in ("preferences", "decisions")
    section = older.section if is_weaker else newer.section
    return newer._replace(
        mark=mark, section=section, worth=max(kept.worth, other.worth), was=newer.was or older.was
    )


def _one_line(text: str) -> str:
    """Return a memory on one line, without markup and without anything like the marker."""
    text = " ".join(visible(text).split()).replace("<!--", "‹!--").replace("</", "‹/")
    return text if len(text) <= _LONGEST_CHARS else text[: _LONGEST_CHARS - 1] + "…"


def _label_task_lines(task: str, lang: str) -> Iterator[str]:
    """Yield the lines of the current task, each behind a word that says what it is.

    A model writes the task, then its state, then the next step; where it says itself what a line
    is, its word is replaced.
    """
    lines = [line for line in task.splitlines() if line.strip()][:_TASK_LINES]
    for number, line in enumerate(lines):
        match = _TASK_WORD.match(line)
        kind = _TASK_KINDS.get(match[1].casefold(), "") if match else ""
        labels = active.TASK_LABELS[lang]
        label = labels[kind or ("task" if number == 0 else "more")]
        text = line[match.end() :] if match and kind else line
        yield f"- {label}: {_one_line(text)}" if label else f"- {_one_line(text)}"


def _fill_outline(
    held: ScopeMemory, kept: Sequence[_OutlineLine], look: Look, all_: int, year: int
) -> str:
    """Return the file's text with the kept lines; `year` is that of the days without one, or 0.

    In the default outline, headings with nothing below them are left out.
    """
    lang = look.lang
    counts = {p.value: sum(line.mark == p.mark and line.at > 0 for line in kept) for p in Priority}
    shown = sum(line.at > 0 for line in kept)
    values = {
        name: "\n".join(line.text for line in kept if line.section == name) for name in SECTIONS
    }
    values["task"] = "\n".join(_label_task_lines(held.task, lang))
    values["statistics"] = _STATISTICS[lang].format(shown=shown, all=all_, **counts)
    if look.template:
        values = {name: value or active.NONE[lang] for name, value in values.items()}
        return (
            _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), look.template).rstrip()
            + "\n"
        )
    values["states"] = "\n".join(filter(None, (values["task"], values["states"])))
    head = "\n".join(
        filter(None, (active.HEADS[lang], active.state_year(year, lang) if year else ""))
    )
    parts = [f"# {active.TITLES[lang]}\n\n{head}"]
    parts += [
        f"{heading}\n{values[name]}"
        for name, heading in _map_section_headings(look).items()
        if values[name]
    ]
    return "\n\n".join(parts).rstrip() + "\n"


def read_template(file: Path | None) -> str:
    """Return the user's template, '' without a template. Raises BadConfig."""
    if file is None:
        return ""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfig(
            "cannot read the template {file!r}: {error}",
            file=file,
            error=error,
            hint="set active_memory.template to a UTF-8 file",
        ) from error
    if not any("{" + name + "}" in text for name in SECTIONS):
        raise BadConfig(
            "the template {file!r} has no section",
            file=file,
            sections=", ".join(SECTIONS),
            hint="add one of {sections}",
        )
    return text


def write_active_file(file: Path, rendered: str) -> bool:
    """Write the file if the text above the marker differs; return whether it was written.

    Raises BadRequest, OSError.
    """
    try:
        before = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        before = ""
    above, marker, below = before.partition(MARKER)
    if before.strip() and not marker:
        raise BadRequest(
            "{file!r} exists, and Gieok did not write it",
            file=file,
            marker=MARKER,
            hint="move it away, or add this line at its top:\n{marker}",
        )
    if above.strip() == rendered.strip():
        return False
    fs.replace_private(file, f"{rendered}\n{MARKER}{below or chr(10)}")
    return True
