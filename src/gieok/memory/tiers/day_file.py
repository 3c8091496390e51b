"""Form of a day's memories as a Markdown file that a person reads and may correct.

    ---
    gieok: day
    day: 2026-08-01
    scope: agent:main
    memories: 1
    ---

    # 2026-08-01

    ## Decision

    - 🔴 14:05 Ship with SQLite
      <!-- gieok {"key": "observe:2026-08-01:…", "sum": …, …} -->

The comment of a bullet holds the fields that the bullet does not show, with a checksum of the
bullet as it was written: where the bullet differs, a person changed it. Other lines are the
person's own, and stay, at the end.
"""

import json
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from typing import Any

from gieok.memory import observation
from gieok.memory.observation import PRIORITY_OF_MARK, Category, Priority
from gieok.memory.tiers.fields import from_entry_fields, to_entry_fields
from gieok.memory.tiers.shelf import Contents, Written
from gieok.model.memory import Document, Entry, Scope, Tier
from gieok.text.tokens import estimate_tokens

_OPENS, _CLOSES = "  <!-- gieok ", " -->"
#: Zero-width character: put before a line of a memory that would be read as such a comment.
_NOTHING = "\u200b"
_HEAD = "gieok: day"
_SECTIONS = ("Decision", "Preference", "Task", "State", "Pattern", "Other")
_CATEGORIES = dict(
    zip(
        (Category.DECISION, Category.PREFERENCE, Category.TASK, Category.STATE),
        _SECTIONS,
        strict=False,
    )
)
_MARKS = re.compile(rf"- ([{''.join(PRIORITY_OF_MARK)}]) (✅ )?")
_LEAD = re.compile(rf"(?:[{''.join(PRIORITY_OF_MARK)}] )?(?:✅ )?(?:\d\d:\d\d )?")
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
        for section in _SECTIONS:
            section_entries = [
                entry for entry in entries if _select_day_section(entry.document) == section
            ]
            lines += ["", f"## {section}", ""] if section_entries else []
            for entry in section_entries:
                lines += _render_memory_bullet(entry, self.zone)
        return "\n".join(lines) + "\n" + (f"\n{contents.own}\n" if contents.own else "")

    def parse(self, scope: Scope, text: str) -> Contents:
        """Return what a day's file holds, as a person may have left it."""
        lines = text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")
        if lines[:2] != ["---", _HEAD] or "---" not in lines[2:]:
            raise ValueError("the head of the file is damaged")
        rest = lines[lines.index("---", 2) + 1 :]
        own: list[str] = []
        memories = list(_parse_day_memories(scope, rest, own))
        if not memories and any(line.startswith(_OPENS) for line in rest):
            raise ValueError("none of its comments can be read")
        return Contents(tuple(memories), "\n".join(own).strip("\n"))


def _build_day_order(entry: Entry) -> tuple[datetime, str]:
    return entry.document.said_at, entry.document.key


def _select_day_section(document: Document) -> str:
    if document.kind == observation.PATTERN_KIND:
        return "Pattern"
    is_observed = document.kind == observation.KIND
    if not is_observed:
        return "Other"
    category = document.metadata.get("category", "")
    return _CATEGORIES.get(category, "Other")  # type: ignore[call-overload,no-any-return]


def _render_memory_bullet(entry: Entry, zone: tzinfo) -> Iterator[str]:
    document = entry.document
    shown = _UNSAFE.sub(" ", document.text).split("\n")
    shown = [_NOTHING + line if line.startswith(_OPENS.strip()) else line for line in shown]
    lines = [
        f"- {_format_bullet_lead(document, zone)}{shown[0]}",
        *(f"  {line}" if line else "" for line in shown[1:]),
    ]
    facts = to_entry_fields(entry) | {"sum": _sum_bullet_lines(lines)}
    if _parse_bullet_text("\n".join(lines)) != document.text:
        facts["text"] = document.text
    yield from lines
    yield _OPENS + json.dumps(facts).replace("--", "\\u002d\\u002d") + _CLOSES


def _format_bullet_lead(document: Document, zone: tzinfo) -> str:
    """Return the lead of a bullet: the memory's priority, whether it is done, and the time."""
    priority = document.metadata.get("priority", "")
    mark = f"{Priority(priority).mark} " if priority in {level.value for level in Priority} else ""
    tick = "✅ " if document.metadata.get("done") == "yes" else ""
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


def _parse_day_memories(scope: Scope, lines: Sequence[str], own: list[str]) -> Iterator[Written]:
    """Yield the memories of a day's lines; add the person's own lines to `own`."""
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
    ours = {f"## {section}" for section in _SECTIONS}
    own_lines = [
        line for line in lines if line not in ours and not re.fullmatch(r"# \d{4}-\d\d-\d\d", line)
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
