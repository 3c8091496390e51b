"""claude-mem: the database `~/.claude-mem/claude-mem.db`.

It holds observations with their facts, summaries of sessions, and prompts of the user.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from gieok.machine.imports import tables
from gieok.machine.imports.fields import (
    parse_field_time,
    read_one_line,
    split_prose_statements,
    text,
)
from gieok.model.conversation import Message, Reject, Role
from gieok.ports.imports import ImportedFact, ImportedTalk, ImportFiles, ImportPiece

_FILE = "claude-mem.db"
_TABLES = ("observations", "session_summaries", "sdk_sessions")
#: Parts of a summary, and what they become: category, priority, whether it is done.
_PARTS = {
    "learned": ("", "", False),
    "completed": ("task", "low", True),
    "next_steps": ("task", "low", False),
}
_AGENT = "claude-code"


class ClaudeMemReader:
    """`ImportReader` of claude-mem."""

    def recognises(self, files: ImportFiles) -> bool:
        """Say whether there is a database with claude-mem's tables."""
        return bool(_find_claude_mem_databases(files))

    def read(self, files: ImportFiles) -> Iterator[ImportPiece]:
        """Yield facts by project, then the user's prompts of each session."""
        for file in _find_claude_mem_databases(files):
            for row in tables.read_query_rows(
                file, "SELECT * FROM observations ORDER BY project, id"
            ):
                yield from _parse_claude_mem_observation(row, file)
            for row in tables.read_query_rows(
                file, "SELECT * FROM session_summaries ORDER BY project, id"
            ):
                yield from _parse_claude_mem_summary(row, file)
            yield from _read_claude_mem_prompts(file)


def _find_claude_mem_databases(files: ImportFiles) -> list[Path]:
    return [
        file for file in tables.find_sqlite_files(files, _FILE) if tables.has_tables(file, *_TABLES)
    ]


def _read_claude_mem_time(row: Mapping[str, object]) -> datetime:
    return (
        parse_field_time(row.get("created_at_epoch"))
        or parse_field_time(row.get("created_at"))
        or datetime.fromtimestamp(0, UTC)
    )


def _parse_claude_mem_observation(row: Mapping[str, object], file: Path) -> Iterator[ImportPiece]:
    """Yield each fact of an observation as a statement of its own, then the whole observation."""
    number, at = _read_claude_mem_id(row), _read_claude_mem_time(row)
    category = "decision" if row.get("type") == "decision" else "state"
    title, narrative = (
        read_one_line(row.get("title")),
        read_one_line(row.get("narrative"))
        or read_one_line(row.get("subtitle"))
        or read_one_line(row.get("text")),
    )
    facts = [read_one_line(fact) for fact in tables.json_list(row.get("facts"))]
    whole = (
        f"{title}: {narrative}"
        if title and narrative and not narrative.startswith(title)
        else narrative or title
    )
    if not whole and not any(facts):
        yield Reject(
            path=str(file),
            line=number,
            offset=number,
            length=0,
            reason="an observation without words",
        )
        return
    project = text(row.get("merged_into_project")) or text(row.get("project"))
    for place, statement in enumerate((whole, *facts)):
        priority = "" if category == "decision" else "medium" if place else "low"
        if statement:
            yield ImportedFact(
                id=f"claude-mem:observation/{number}/{place}",
                text=statement,
                at=at,
                category=category,
                priority=priority,
                place=str(file),
                line=number,
                project=project,
            )


def _parse_claude_mem_summary(row: Mapping[str, object], file: Path) -> Iterator[ImportPiece]:
    number, at = _read_claude_mem_id(row), _read_claude_mem_time(row)
    project = text(row.get("merged_into_project")) or text(row.get("project"))
    for part, (category, priority, is_done) in _PARTS.items():
        for place, (_, statement) in enumerate(split_prose_statements(text(row.get(part)))):
            yield ImportedFact(
                id=f"claude-mem:summary/{number}/{part}/{place}",
                text=statement,
                at=at,
                category=category,
                priority=priority,
                is_done=is_done,
                place=str(file),
                line=number,
                project=project,
            )


def _read_claude_mem_id(row: Mapping[str, object]) -> int:
    identity = row.get("id")
    return identity if isinstance(identity, int) else 0


def _read_claude_mem_prompts(file: Path) -> Iterator[ImportPiece]:
    """Yield the user's prompts of each session.

    The agent's own transcript, if it still exists, says the same and more.
    """
    if not tables.has_tables(file, "user_prompts"):
        return
    sql = (
        "SELECT p.*, s.project FROM user_prompts p LEFT JOIN (SELECT content_session_id, "
        "min(project) AS project "
        "FROM sdk_sessions GROUP BY content_session_id) s ON s.content_session_id = "
        "p.content_session_id "
        "ORDER BY s.project, p.content_session_id, p.prompt_number, p.id"
    )
    for session, group in groupby(
        tables.read_query_rows(file, sql), key=lambda row: text(row.get("content_session_id"))
    ):
        rows = list(group)
        messages = tuple(
            Message(
                id=f"claude-mem:{session}/{row['id']}",
                role=Role.USER,
                text=text(row.get("prompt_text")),
                at=_read_claude_mem_time(row),
                session=session,
                agent=_AGENT,
                tokens=0,
                source=str(file),
                line=_read_claude_mem_id(row),
            )
            for row in rows
            if text(row.get("prompt_text")).strip()
        )
        if messages:
            yield ImportedTalk(messages, text(rows[0].get("project")), _AGENT)
