"""Cursor: `~/.cursor/projects/<folder>/agent-transcripts/<session>/<session>.jsonl`.

Hooks and MCP servers stand in `.cursor`.

The format of the transcripts is not documented. Lines have no ids and no times; a prompt may state
its time in a tag. The text that a person typed stands in `<user_query>`, and no other text is taken
for the person's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from pathlib import Path, PurePath

from gieok.agents import table
from gieok.agents.agent import Agent, HookFiles
from gieok.agents.install import edits
from gieok.agents.install.change import Edit, ExtraFile
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.marks.mark import ANY, Speaker, SpeakerKind
from gieok.agents.marks.table import MARKS
from gieok.agents.table import fold_folder_path
from gieok.agents.transcripts.fields import (
    Line,
    list_content_parts,
    list_content_texts,
    read_content_text,
    read_object_field,
    strip_blocks,
)
from gieok.agents.transcripts.place import TranscriptPlace, Unread
from gieok.agents.transcripts.session import (
    Format,
    Part,
    Session,
    SpokenPart,
    build_user_part,
    iter_tool_calls,
)
from gieok.model.conversation import Role
from gieok.text.months import month_number

NAME = "cursor"

_TYPED = re.compile(r"<user_query>(?P<said>(?:(?!<user_query>)(?s:.))*)</user_query>\s*$")
#: Tags that a program puts around a person's text.
_AROUND = tuple(
    row.sign
    for row in MARKS
    if (row.host, row.kind, row.speaker) == (ANY, SpeakerKind.BLOCK, Speaker.PROGRAM)
)
_ANYWHERE = re.compile(r"<user_query>(?P<said>(?s:.*))</user_query>")
#: Example: `<timestamp>Friday, May 8, 2026, 6:05 PM (UTC+9)</timestamp>`
_TIME = re.compile(
    r"<timestamp>[A-Za-z]+, (?P<month>[A-Za-z]{3})[a-z]* (?P<day>\d{1,2}), (?P<year>\d{4}),? "
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)"
    r"\s?(?P<half>[AP]M)?(?: \(UTC(?P<zone>[+-]\d{1,2})?(?::?(?P<rest>\d\d))?\))?</timestamp>"
)


class CursorFormat(Format):
    """Lines of Cursor."""

    name = NAME
    has_ids = False

    def begin_session(self, name: str, first: Line) -> Session | None:
        """Recognise a line that has a role and a message, and nothing else.

        The session's id is the name of the file.
        """
        is_own = first.get("role") in ("user", "assistant") and "content" in read_object_field(
            first.get("message")
        )
        if not is_own or {"type", "uuid", "sessionId", "content"} & first.keys():
            return None
        return Session(id=PurePath(name).name.partition(".jsonl")[0], agent=NAME)

    def read_parts(self, session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
        """Return the parts of a line."""
        content = read_object_field(line.get("message")).get("content")
        identity = f"{session.id}/{fallback_id}"
        if line.get("role") == "user":
            texts = list_content_texts(content)
            queries = [_extract_typed_query(text) for text in texts]
            at = _parse_cursor_time("\n".join(texts))
            return (build_user_part(session, line, identity, queries, at),)
        tool_uses = (part for part in list_content_parts(content) if part.get("type") == "tool_use")
        return (
            SpokenPart(identity, Role.ASSISTANT, read_content_text(content), None),
            *iter_tool_calls(identity, tool_uses, None, "input"),
        )


def _extract_typed_query(text: str) -> str:
    """Return the text that a person typed: the content of the tag at the end.

    A file that is quoted before that tag may hold such a tag too.
    """
    tag_match = _TYPED.search(text)
    if tag_match is None:
        rest = strip_blocks(text, _AROUND)
        tag_match = _ANYWHERE.search(rest) if rest.count("<user_query>") == 1 else None
    return tag_match["said"] if tag_match else ""


def _parse_cursor_time(text: str) -> str | None:
    time_match = _TIME.search(text)
    month = month_number(time_match["month"]) if time_match else 0
    if time_match is None or not month:
        return None
    hour = (
        int(time_match["hour"]) % 12 + 12 * (time_match["half"] == "PM")
        if time_match["half"]
        else int(time_match["hour"])
    )
    hours, minutes = int(time_match["zone"] or 0), int(time_match["rest"] or 0)
    zone = timezone(timedelta(hours=hours, minutes=-minutes if hours < 0 else minutes))
    try:
        day = int(time_match["year"]), month, int(time_match["day"])
        return datetime(*day, hour, int(time_match["minute"]), tzinfo=zone).isoformat()
    except ValueError:
        return None


class CursorPlace(TranscriptPlace):
    """Folder of Cursor's projects."""

    def is_silent(self, path: Path) -> bool:
        """Return whether a file is a sub-agent's transcript, or no transcript at all.

        Cursor's own memory keeps lines below a project, too.
        """
        return "subagents" in path.parts or "agent-transcripts" not in path.parts

    def find_working_folder(self, path: Path) -> str:
        """Return the project's folder; '' where no folder or several folders have that name."""
        project = next(
            parent
            for parent in path.parents
            if parent.parent.name == "projects" or parent == parent.parent
        )
        return _unfold_folder_name(project.name, path.anchor)


@lru_cache(maxsize=256)
def _unfold_folder_name(name: str, root: str) -> str:
    folders = list(_iter_matching_folders(Path(root), name))
    return str(folders[0]) if len(folders) == 1 else ""


def _iter_matching_folders(above: Path, name: str) -> Iterator[Path]:
    """Yield the folders below `above` whose path Cursor writes as `name`."""
    try:
        inside = [path for path in above.iterdir() if name.startswith(_fold_cursor_name(path.name))]
    except OSError:
        return
    for path in inside:
        rest = name.removeprefix(_fold_cursor_name(path.name))
        if not rest and path.is_dir():
            yield path
        elif rest.startswith("-") and path.is_dir():
            yield from _iter_matching_folders(path, rest[1:])


def _fold_cursor_name(name: str) -> str:
    return fold_folder_path(name).strip("-") or "\0"


_UNREAD = (
    Unread("*/agent-transcripts/**/*.txt", "transcripts of Cursor without roles are not read"),
)


class CursorAgent(Agent):
    """Cursor: its transcripts, and its settings with hooks, a server and a command."""

    format = CursorFormat()
    partial_events = (table.PROMPT,)
    note = (
        "Cursor takes context at the start of a session; before a prompt only some versions do: "
        "the MCP tools always work"
    )
    hook_files = HookFiles(("hooks.json",))

    def find_settings_folder(self, site: InstallPlace) -> Path:
        """Return `.cursor`."""
        return site.folder / ".cursor"

    def find_place(self, home: Path, environment: Mapping[str, str]) -> TranscriptPlace:
        """Return the folder of projects."""
        folder = self.find_own_folder(home, environment) / "projects"
        files = "*/agent-transcripts/*/*.jsonl */agent-transcripts/*.jsonl"
        return CursorPlace(folder, files, unread=_UNREAD)

    def build_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        """Return the edits for hooks, the MCP server and a command."""
        folder = self.find_settings_folder(site)
        events = table.BY_NAME[NAME].events.items()
        entries = {native: {"command": call.line(event, NAME)} for event, native in events}
        search = edits.read_install_text("search.md")
        return [
            edits.HookEntries(folder / "hooks.json", entries, first=("version", 1)),
            edits.JsonServer(folder / "mcp.json", call.server()),
            ExtraFile(folder / "commands" / "memory-search.md", search),
        ]


AGENT = CursorAgent()
