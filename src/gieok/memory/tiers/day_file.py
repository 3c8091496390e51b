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
person's own, and stay, behind the bullets. Files of earlier releases have the fields of a memory
behind its bullet, and are read too.
"""

import json
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from itertools import chain
from typing import Any

from gieok.memory import observation
from gieok.memory.observation import PRIORITY_OF_MARK, Category, Priority
from gieok.memory.tiers.fields import from_entry_fields, to_entry_fields
from gieok.memory.tiers.shelf import Contents, Written
from gieok.model.memory import REPLACED_BY, Document, Entry, Scope, Tier
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
_SUMMARIES = {
    "en": "memories: {count} (🔴 {high} 🟡 {medium} 🟢 {low}), {tokens:,} tokens, {first} to {last}",
    "ko": "기억 {count}개 (🔴 {high} 🟡 {medium} 🟢 {low}), {tokens:,}토큰, {first}부터 {last}까지",
}
#: Mark of what something later took the place of, and its legend.
_REPLACED = "↪ "
_LEGENDS = {"en": "; ↪ replaced later", "ko": "; ↪ 나중에 바뀐 것"}
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
        own = f"\n{contents.own}\n" if contents.own else ""
        block = "\n".join(("", _TABLE, *table, _TABLE_END, "")) if table else ""
        return "\n".join(lines) + "\n" + own + block

    def parse(self, scope: Scope, text: str) -> Contents:
        """Return what a day's file holds, as a person may have left it."""
        lines = text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")
        if lines[:2] != ["---", _HEAD] or "---" not in lines[2:]:
            raise ValueError("the head of the file is damaged")
        rest = lines[lines.index("---", 2) + 1 :]
        own: list[str] = []
        if _TABLE in rest:
            memories = list(_parse_table_memories(scope, rest, own))
            if not memories and any(map(_HANDLE.search, rest)):
                raise ValueError("none of its comments can be read")
            return Contents(tuple(memories), "\n".join(own).strip("\n"))
        memories = list(_parse_day_memories(scope, rest, own))
        if not memories and any(line.startswith(_OPENS) for line in rest):
            raise ValueError("none of its comments can be read")
        return Contents(tuple(memories), "\n".join(own).strip("\n"))


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


def _parse_table_memories(scope: Scope, lines: list[str], own: list[str]) -> Iterator[Written]:
    """Yield the memories of a file whose fields stand at its end.

    Adds the person's own lines to `own`.
    """
    start = len(lines) - 1 - lines[::-1].index(_TABLE)
    end = next((n for n in range(start, len(lines)) if lines[n] == _TABLE_END), len(lines))
    facts_by_handle: dict[str, list[str]] = defaultdict(list)
    for row in lines[start + 1 : end]:
        try:
            fields = json.loads(row)
            facts_by_handle[build_handle(fields["scope"], fields["key"])].append(row)
        except (ValueError, KeyError, TypeError):
            continue  # its bullet becomes the person's own line
    body = lines[:start] + lines[end + 1 :]
    kept: list[str] = []
    while body:
        size = _measure_bullet(body) if body[0].startswith("- ") else 1
        bullet, handle = _take_handle(body[:size], facts_by_handle)
        memory = _parse_any_facts(facts_by_handle.pop(handle, []), bullet)
        if memory is None:
            kept.append(bullet[0])
            body = body[1:]
            continue
        written, used = memory
        kept += bullet[used:]
        body = body[size:]
        if written.entry.document.scope == scope:
            yield written
    own += _of_person(kept)


def _take_handle(lines: Sequence[str], known: Collection[str]) -> tuple[list[str], str]:
    """Return the lines of a bullet without the handle behind one of them, and that handle.

    It stands behind the first line, unless a person wrote further lines before it.
    """
    for number, line in enumerate(lines):
        match = _HANDLE.search(line)
        if match and match[1] in known:
            return [*lines[:number], _HANDLE.sub("", line), *lines[number + 1 :]], match[1]
    return [_HANDLE.sub("", lines[0]), *lines[1:]], ""


def _measure_bullet(lines: Sequence[str]) -> int:
    """Return how many lines belong to a bullet: its own, then indented and blank ones."""
    after = (n for n in range(1, len(lines)) if lines[n] and not lines[n].startswith("  "))
    return next(after, len(lines))


def _parse_any_facts(rows: Sequence[str], bullet: list[str]) -> tuple[Written, int] | None:
    """Return the memory of a bullet, and how many of its lines are the memory's.

    An unchanged bullet has as many lines as were written; a changed one has all up to blank lines.
    """
    for row in rows:
        size = json.loads(row).get("lines", 0)
        whole = bullet[:size] if isinstance(size, int) else []
        memory = _parse_bullet_memory(row, whole) if whole else None
        if memory and not memory.is_edited:
            return memory, size
    used = len(bullet)
    while used > 1 and not bullet[used - 1].strip():
        used -= 1
    memory = next(filter(None, (_parse_bullet_memory(row, bullet[:used]) for row in rows)), None)
    return (memory, used) if memory else None


def _parse_day_memories(scope: Scope, lines: Sequence[str], own: list[str]) -> Iterator[Written]:
    """Yield the memories of a file of an earlier release, whose fields stand behind each bullet.

    Adds the person's own lines to `own`.
    """
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
            own += _of_person(pending[: start if memory else -1])
            pending = []
            if memory and memory.entry.document.scope == scope:
                yield memory
    own += _of_person(pending)


def _of_person(lines: Sequence[str]) -> list[str]:
    """Return lines without those that Gieok writes itself."""
    own_lines = [
        line
        for line in lines
        if line not in _OUR_HEADINGS
        and not line.startswith(_SUMMARY)
        and not re.fullmatch(r"# \d{4}-\d\d-\d\d", line)
    ]
    return own_lines if any(line.strip() for line in own_lines) else []


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
