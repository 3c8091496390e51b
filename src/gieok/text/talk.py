"""The messages of a month as a readable file, which is read back without loss.

Each message has a heading (when, who, where), a hidden line with the rest of the journal's data,
and its text as a quote: each line behind `> `, so that nothing in the text can be taken for
anything else.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo

from gieok.model.conversation import Journalled, Message, Role
from gieok.zone import day_in

_ROW = "<!-- gieok "
_END = " -->"


def format_month_talk(
    scope: str, month: str, found: Sequence[Journalled], zone: tzinfo = UTC
) -> str:
    """Return the file of a month (`2026-11`), its messages in the order of time.

    Days and hours are those of `zone`.
    """
    parts = [
        (
            f"---\ngieok: talk\nscope: {json.dumps(scope)}\nmonth: {json.dumps(month)}\nmessages: "
            f"{len(found)}\n---\n"
        )
    ]
    day = ""
    for one in sorted(found, key=lambda one: (one.message.at, one.seq)):
        if (today := str(day_in(one.message.at, zone))) != day:
            day = today
            parts.append(f"\n# {day}\n")
        parts.append(_format_talk_row(one, zone))
    return "".join(parts)


def _format_talk_row(one: Journalled, zone: tzinfo) -> str:
    m = one.message
    row = [one.seq, m.id, m.role, m.at.isoformat(), m.session, m.agent, m.tokens, m.source, m.line]
    # The text holds no `>`, so that it cannot end the comment early.
    hidden = json.dumps(row, ensure_ascii=False).replace(">", "\\u003e")
    text = "".join(f"> {line}\n" if line else ">\n" for line in m.text.split("\n"))
    where = " ".join(filter(None, (m.agent, m.session))).replace("\n", " ")
    return (
        f"\n## {m.at.astimezone(zone):%H:%M} {m.role}"
        + (f", {where}" if where else "")
        + f"\n{_ROW}{hidden}{_END}\n\n{text}"
    )


def parse_month_talk(text: str) -> dict[int, Journalled]:
    """Return number → message of a file. Raises ValueError for a truncated file."""
    messages: dict[int, Journalled] = {}
    row: list[object] | None = None
    lines: list[str] = []
    for line in [*text.split("\n"), _ROW]:
        if line.startswith(_ROW):
            if row is not None:
                message = _parse_talk_row(row, "\n".join(lines))
                messages[message.seq] = message
            row, lines = (json.loads(line[len(_ROW) : -len(_END)]) if line != _ROW else None), []
        elif line.startswith(">"):
            lines.append(line[2:])
    return messages


def _parse_talk_row(row: list[object], text: str) -> Journalled:
    seq, identity, role, at, session, agent, tokens, source, line = row
    when = datetime.fromisoformat(str(at))
    return Journalled(
        int(str(seq)),
        Message(
            id=str(identity),
            role=Role(str(role)),
            text=text,
            at=when,
            session=str(session),
            agent=str(agent),
            tokens=int(str(tokens)),
            source=str(source),
            line=int(str(line)),
        ),
    )
