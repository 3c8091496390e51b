"""Form of a day's memories as a Markdown file that a person reads and may correct.

    ---
    gieok: day
    day: 2026-08-01
    scope: agent:main
    memories: 1
    ---

    # 2026-08-01

    > 🗂 1 memory: 🔴 1 🟡 0 🟢 0, 5 tokens, 14:05 to 14:05

    ## Decisions

    - 🔴 14:05 Ship with SQLite <!-- 3fa9c01e -->

    <!-- gieok
    {"key": "observe:2026-08-01:…", "sum": …, …}
    -->

Headings are in the language of the memories. The comment behind a bullet is the memory's handle; the
block at the end holds, for each, the fields that its bullet does not show, with a checksum of the
bullet as it was written: where the bullet differs, a person changed it. Other lines are the
person's own, and stay, behind the bullets and a comment that says so. Files of earlier releases
have the fields of a memory behind its bullet, and are read too.
"""

import json
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from itertools import chain
from typing import Any

from gieok.memory import observation
from gieok.memory.observation import PRIORITY_OF_MARK, Category, Priority
from gieok.memory.tiers.fields import from_entry_fields, to_entry_fields
from gieok.memory.tiers.shelf import Contents, Written
from gieok.model.memory import REPLACED_BY, Document, Entry, Scope, Tier
from gieok.text.active import MARKER
from gieok.text.handles import build_handle
from gieok.text.language import detect_text_language
from gieok.text.tokens import estimate_tokens

_OPENS, _CLOSES = "  <!-- gieok ", " -->"
#: Zero-width character: put before a line of a memory that would be read as such a comment.
_NOTHING = "\u200b"
_HEAD = "gieok: day"
#: Block of the memories' fields at the end of a file, a line of JSON each.
_TABLE, _TABLE_END = "<!-- gieok", "-->"
_HANDLE = re.compile(r" <!-- ([0-9a-f]{8}) -->\s*$")
#: Sections in their order → heading in English and Korean.
_SECTIONS = {
    Category.DECISION: ("Decisions", "결정"),
    Category.PREFERENCE: ("Preferences", "선호와 제약"),
    "done": ("Completed", "끝난 일"),
    Category.TASK: ("Tasks", "할 일"),
    Category.STATE: ("States", "상태"),
    observation.PATTERN_KIND: ("Patterns", "되풀이되는 것"),
    "other": ("Other", "그 밖"),
}
#: Headings of earlier releases.
_OLD_HEADINGS = ("Decision", "Preference", "Task", "State", "Pattern", "Other")
_OUR_HEADINGS = frozenset(
    f"## {heading}" for heading in (*chain.from_iterable(_SECTIONS.values()), *_OLD_HEADINGS)
)
#: Beginning of the line that sums a day up.
_SUMMARY = "> 🗂 "
#: Beginning of every comment: own lines with one are not read as a memory's.
_COMMENT = "<!-- "
_SUMMARIES = {
    "en": "memories: {count} (🔴 {high} 🟡 {medium} 🟢 {low}), {tokens:,} tokens, {first} to {last}",
    "ko": "기억 {count}개 (🔴 {high} 🟡 {medium} 🟢 {low}), {tokens:,}토큰, {first}부터 {last}까지",
}
#: Mark of what something later took the place of, and its legend.
_REPLACED = "↪ "
_LEGENDS = {"en": "; ↪ replaced later", "ko": "; ↪ 나중에 바뀐 것"}
_SUMMARY_LINE = re.compile(
    "|".join(
        re.escape(_SUMMARY) + re.sub(r"\\{.*?\\}", r"[\\d,:]+", re.escape(form)) + ".*"
        for form in _SUMMARIES.values()
    )
)
_MARKS = re.compile(rf"- ([{''.join(PRIORITY_OF_MARK)}]) (✅ )?")
_LEAD = re.compile(rf"(?:[{''.join(PRIORITY_OF_MARK)}] )?(?:✅ )?(?:{_REPLACED})?(?:\d\d:\d\d )?")
#: Characters that a file would not return unchanged: other line ends, control characters, white
#: space at the ends of lines, lone surrogates.
_UNSAFE = re.compile(
    r"[^\S\n]+$|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class DayForm:
    """`Form` with one file a day; times are shown in `zone`."""

    zone: tzinfo = UTC

    def path(self, document: Document, day: date) -> str:
        """Return the name of a day's file."""
        del document
        return f"{day.isoformat()}.md"

    def render(self, scope: Scope, tier: Tier, path: str, contents: Contents) -> str:
        """Return a day's file, grouped by category, in order of time."""
        day = path.removesuffix(".md")
        entries = sorted((memory.entry for memory in contents.memories), key=_build_day_order)
        lang = detect_text_language("\n".join(entry.document.text for entry in entries))
        tokens = sum(estimate_tokens(entry.document.text) for entry in entries)
        head = [
            _HEAD,
            f"day: {day}",
            f"scope: {json.dumps(scope.path, ensure_ascii=False)}",
            f"tier: {tier}",
        ]
        lines = [
            "---",
            *head,
            f"memories: {len(entries)}",
            f"tokens: {tokens}",
            "---",
            "",
            f"# {day}",
        ]
        if entries:
            lines += ["", _SUMMARY + _sum_up_day(entries, tokens, lang, self.zone)]
        table: list[str] = []
        for section, headings in _SECTIONS.items():
            section_entries = [
                entry for entry in entries if _select_day_section(entry.document) == section
            ]
            heading = headings[lang == "ko"]
            lines += ["", f"## {heading}", ""] if section_entries else []
            for entry in section_entries:
                bullet, facts = _render_memory_bullet(entry, self.zone)
                lines += bullet
                table.append(facts)
        own = f"\n{MARKER}\n\n{contents.own}\n" if contents.own else ""
        has_block = bool(table) or _COMMENT in contents.own
        block = "\n".join(("", _TABLE, *table, _TABLE_END, "")) if has_block else ""
        return "\n".join(lines) + "\n" + own + block

    def parse(self, scope: Scope, text: str) -> Contents:
        """Return what a day's file holds, as a person may have left it."""
        lines = text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")
        if lines[:2] != ["---", _HEAD] or "---" not in lines[2:]:
            raise ValueError("the head of the file is damaged")
        head_end = lines.index("---", 2)
        day = next((line[5:] for line in lines[:head_end] if line.startswith("day: ")), "")
        rest = lines[head_end + 1 :]
        parts = _parse_parts(rest)
        memories = tuple(part for part in parts if isinstance(part, Written))
        return Contents(
            tuple(memory for memory in memories if memory.entry.document.scope == scope),
            _extract_own_lines(parts, f"# {day}"),
        )


def _parse_parts(lines: list[str]) -> list[Written | str]:
    """Return the memories of a file and the lines that are no memory's, in their order.

    Raises ValueError where memories stand there and the fields of none can be read.
    """
    bare_lines = [line.rstrip() for line in lines]
    if _TABLE in bare_lines:
        start = len(lines) - 1 - bare_lines[::-1].index(_TABLE)
        end = next((n for n in range(start, len(lines)) if bare_lines[n] == _TABLE_END), len(lines))
        rows = lines[start + 1 : end]
        parts = _parse_table_parts(lines[:start], rows, lines[end + 1 :])
        is_damaged = bool(rows) and any(map(_HANDLE.search, lines))
    elif any(line.startswith(_OPENS) for line in lines):
        parts = _parse_day_parts(lines)
        is_damaged = True
    else:
        parts = list[Written | str](lines)
        is_damaged = any(map(_HANDLE.search, lines))
    if is_damaged and not any(isinstance(part, Written) for part in parts):
        raise ValueError("none of its comments can be read")
    return parts


def _build_day_order(entry: Entry) -> tuple[datetime, str]:
    return entry.document.said_at, entry.document.key


def _sum_up_day(entries: Sequence[Entry], tokens: int, lang: str, zone: tzinfo) -> str:
    """Return how many memories a day has, of which priority, and from when to when."""
    priorities = Counter(entry.document.metadata.get("priority", "") for entry in entries)
    times = [entry.document.said_at.astimezone(zone) for entry in entries]
    legend = _LEGENDS[lang] if any(_is_replaced(entry.document) for entry in entries) else ""
    return (
        _SUMMARIES[lang].format(
            count=len(entries),
            tokens=tokens,
            first=f"{min(times):%H:%M}",
            last=f"{max(times):%H:%M}",
            **{level.value: priorities[level.value] for level in Priority},
        )
        + legend
    )


def _is_replaced(document: Document) -> bool:
    return bool(document.metadata.get(REPLACED_BY))


def _select_day_section(document: Document) -> str:
    if document.kind == observation.PATTERN_KIND:
        return observation.PATTERN_KIND
    if document.kind != observation.KIND:
        return "other"
    if document.metadata.get("done") == "yes":
        return "done"
    category = document.metadata.get("category", "")
    return category if category in _SECTIONS else "other"


def _render_memory_bullet(entry: Entry, zone: tzinfo) -> tuple[list[str], str]:
    """Return the lines of a memory, and its fields as JSON."""
    document = entry.document
    shown = _UNSAFE.sub(" ", document.text).split("\n")
    shown = [_NOTHING + line if line.startswith(_TABLE) else line for line in shown]
    lines = [
        f"- {_format_bullet_lead(document, zone)}{shown[0]}",
        *(f"  {line}" if line else "" for line in shown[1:]),
    ]
    facts = to_entry_fields(entry) | {"sum": _sum_bullet_lines(lines), "lines": len(lines)}
    if _parse_bullet_text("\n".join(lines)) != document.text:
        facts["text"] = document.text
    lines[0] += f" <!-- {build_handle(document.scope.path, document.key)} -->"
    return lines, json.dumps(facts).replace("--", "\\u002d\\u002d")


def _format_bullet_lead(document: Document, zone: tzinfo) -> str:
    """Return the lead of a bullet: the memory's priority, whether it is done, and the time."""
    priority = document.metadata.get("priority", "")
    mark = f"{Priority(priority).mark} " if priority in {level.value for level in Priority} else ""
    tick = "✅ " if document.metadata.get("done") == "yes" else ""
    tick += _REPLACED if _is_replaced(document) else ""
    at = document.said_at.astimezone(zone)
    return f"{mark}{tick}{at:%H:%M} "


def _parse_bullet_text(block: str) -> str:
    """Return the text of a bullet."""
    first, *more = block.split("\n")
    plain = [
        _LEAD.sub("", first.removeprefix("- "), count=1),
        *(line.removeprefix("  ") for line in more),
    ]
    return "\n".join(line.removeprefix(_NOTHING) for line in plain)


def _sum_bullet_lines(lines: Sequence[str]) -> int:
    return zlib.crc32("\n".join(lines).encode("utf-8", "surrogatepass"))


def _parse_table_parts(
    above: Sequence[str], rows: Sequence[str], below: Sequence[str]
) -> list[Written | str]:
    """Return the parts of a file whose memories have their fields in `rows`, near its end.

    What is no row of a memory there is the person's own.
    """
    rows_by_handle: dict[str, list[str]] = defaultdict(list)
    other_rows: list[str] = []
    for row in rows:
        try:
            fields = json.loads(row)
            rows_by_handle[build_handle(fields["scope"], fields["key"])].append(row)
        except (ValueError, KeyError, TypeError, AttributeError):
            other_rows.append(row)
    body = [*above, *other_rows, *below]
    parts: list[Written | str] = []
    while body:
        size = _measure_bullet(body) if body[0].startswith("- ") else 1
        bullet, handle = _take_handle(body[:size], rows_by_handle)
        memory = _parse_any_row(rows_by_handle[handle], bullet) if handle else None
        if memory is None:
            parts.append(body[0])
            body = body[1:]
            continue
        written, used, row = memory
        rows_by_handle[handle].remove(row)
        parts += [written, *bullet[used:]]
        body = body[size:]
    return parts


def _take_handle(
    lines: Sequence[str], rows_by_handle: Mapping[str, Sequence[str]]
) -> tuple[list[str], str]:
    """Return the lines of a bullet without the handle behind one of them, and that handle.

    It stands behind the first line, unless a person wrote further lines before it. A handle of no
    memory that is left stays in its line: '' is returned then.
    """
    for number, line in enumerate(lines):
        match = _HANDLE.search(line)
        if match and rows_by_handle.get(match[1]):
            return [*lines[:number], _HANDLE.sub("", line), *lines[number + 1 :]], match[1]
    return [*lines], ""


def _measure_bullet(lines: Sequence[str]) -> int:
    """Return how many lines belong to a bullet: its own, then indented and blank ones."""
    after = (n for n in range(1, len(lines)) if lines[n] and lines[n][0] not in " \t")
    return next(after, len(lines))


def _parse_any_row(rows: Sequence[str], bullet: list[str]) -> tuple[Written, int, str] | None:
    """Return the memory of a bullet, how many of its lines are the memory's, and its row.

    An unchanged bullet has as many lines as were written, and no further one directly below; a
    changed one has all up to blank lines.
    """
    for row in rows:
        size = json.loads(row).get("lines", 0)
        whole = bullet[:size] if isinstance(size, int) else []
        has_more = bool(whole) and any(line.strip() for line in bullet[size : size + 1])
        memory = _parse_bullet_memory(row, whole) if whole and not has_more else None
        if memory and not memory.is_edited:
            return memory, size, row
    used = len(bullet)
    while used > 1 and not bullet[used - 1].strip():
        used -= 1
    for row in rows:
        if memory := _parse_bullet_memory(row, bullet[:used]):
            return memory, used, row
    return None


def _parse_day_parts(lines: Sequence[str]) -> list[Written | str]:
    """Return the parts of a file of an earlier release, whose fields stand behind each bullet."""
    parts: list[Written | str] = []
    pending: list[str] = []
    for line in lines:
        pending.append(line)
        if line.startswith(_OPENS) and line.rstrip().endswith(_CLOSES):
            start = next(
                (n for n in range(len(pending) - 1, -1, -1) if pending[n].startswith("- ")),
                len(pending) - 1,
            )
            memory = _parse_bullet_memory(
                line.rstrip()[len(_OPENS) : -len(_CLOSES)], pending[start:-1]
            )
            parts += [*pending[:start], memory] if memory else pending[:-1]
            pending = []
    return parts + pending


def _extract_own_lines(parts: Sequence[Written | str], title: str) -> str:
    """Return the person's own lines: all below the marker, and above it those that are not Gieok's.

    A heading is Gieok's where a memory or another of its headings follows; the title and the line
    that sums the day up are each the first of their form.
    """
    marker = next(
        (n for n, part in enumerate(parts) if isinstance(part, str) and part.rstrip() == MARKER),
        len(parts),
    )
    mine: list[str] = []
    is_heading_ours = False
    for part in reversed(parts[:marker]):
        if isinstance(part, Written):
            is_heading_ours = True
        elif not is_heading_ours or part not in _OUR_HEADINGS:
            mine.append(part)
            is_heading_ours = is_heading_ours and not part.strip()
    above = mine[::-1]
    summary = next(filter(_SUMMARY_LINE.fullmatch, above), "")
    for line in {title, summary}.intersection(above):
        above.remove(line)
    below = [part for part in parts[marker + 1 :] if isinstance(part, str)]
    own = ("\n".join(lines).strip("\n") for lines in (above, below))
    return "\n\n".join(lines for lines in own if lines.strip())


def _as_marked(facts: dict[str, Any], line: str) -> dict[str, Any]:
    """Return the facts of a memory with the priority and done mark of the person's line."""
    match = _MARKS.match(line)
    if match is None or facts["kind"] != observation.KIND:
        return facts
    metadata = {
        **facts["metadata"],
        "priority": PRIORITY_OF_MARK[match[1]],
        "done": "yes" if match[2] else "",
    }
    return {**facts, "metadata": {name: value for name, value in metadata.items() if value}}


def _parse_bullet_memory(comment: str, block: list[str]) -> Written | None:
    """Return the memory of a bullet; None for a damaged comment, or a bullet of a comment alone."""
    try:
        facts = json.loads(comment)
        if _sum_bullet_lines(block) == facts["sum"]:
            return Written(
                from_entry_fields(facts, facts.get("text", _parse_bullet_text("\n".join(block))))
            )
        text = _parse_bullet_text("\n".join(line.rstrip() for line in block)).strip()
        return (
            Written(from_entry_fields(_as_marked(facts, block[0]), text), is_edited=True)
            if text
            else None
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
