"""Cursor: `~/.cursor/projects/<folder>/agent-transcripts/<session>/<session>.jsonl`; hooks and MCP
servers in `.cursor`.

The format of its transcripts is not documented. Lines have no ids and no times; a prompt may say
its time in a tag. What a person typed stands in `<user_query>`, and nothing else is taken for
theirs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from pathlib import Path, PurePath

from gieok.agents.agent import Agent, HookFiles, Place, Unread, own_folder
from gieok.agents.install import edits
from gieok.agents.install.change import Edit, own_file
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.marks.mark import ANY, Kind, Speaker
from gieok.agents.marks.table import MARKS
from gieok.agents.table import folded
from gieok.agents.transcripts.fields import Line, mapping, parts, text_of, texts_of, unwrapped
from gieok.agents.transcripts.session import Format, Part, Said, Session, calls, heard
from gieok.model.conversation import Role

NAME = "cursor"

_TYPED = re.compile(r"<user_query>(?P<said>(?:(?!<user_query>)(?s:.))*)</user_query>\s*$")
#: The tags of what a program puts around it.
_AROUND = tuple(
    row.sign
    for row in MARKS
    if (row.host, row.kind, row.speaker) == (ANY, Kind.BLOCK, Speaker.PROGRAM)
)
_ANYWHERE = re.compile(r"<user_query>(?P<said>(?s:.*))</user_query>")
#: `<timestamp>Friday, May 8, 2026, 6:05 PM (UTC+9)</timestamp>`
_TIME = re.compile(
    r"<timestamp>[A-Za-z]+, (?P<month>[A-Za-z]{3})[a-z]* (?P<day>\d{1,2}), (?P<year>\d{4}),? "
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)"
    r"\s?(?P<half>[AP]M)?(?: \(UTC(?P<zone>[+-]\d{1,2})?(?::?(?P<rest>\d\d))?\))?</timestamp>"
)
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def begin(name: str, first: Line) -> Session | None:
    """Recognise a line with a role beside its message, and no more. The session is the file's
    name.
    """
    is_own = first.get("role") in ("user", "assistant") and "content" in mapping(
        first.get("message")
    )
    if not is_own or {"type", "uuid", "sessionId", "content"} & first.keys():
        return None
    return Session(id=PurePath(name).name.partition(".jsonl")[0], agent=NAME)


def read(session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
    """Return the parts of a line."""
    content, identity = mapping(line.get("message")).get("content"), f"{session.id}/{fallback_id}"
    if line.get("role") == "user":
        texts = texts_of(content)
        return (heard(session, line, identity, [*map(_typed, texts)], _time("\n".join(texts))),)
    made = (part for part in parts(content) if part.get("type") == "tool_use")
    return (
        Said(identity, Role.ASSISTANT, text_of(content), None),
        *calls(identity, made, None, "input"),
    )


def _typed(text: str) -> str:
    """Return what a person typed: the tag at the end, for a file that is quoted before it may hold
    one too.
    """
    found = _TYPED.search(text)
    if found is None:
        rest = unwrapped(text, _AROUND)
        found = _ANYWHERE.search(rest) if rest.count("<user_query>") == 1 else None
    return found["said"] if found else ""


def _time(text: str) -> str | None:
    found = _TIME.search(text)
    if found is None or found["month"] not in _MONTHS:
        return None
    hour = (
        int(found["hour"]) % 12 + 12 * (found["half"] == "PM")
        if found["half"]
        else int(found["hour"])
    )
    hours, minutes = int(found["zone"] or 0), int(found["rest"] or 0)
    zone = timezone(timedelta(hours=hours, minutes=-minutes if hours < 0 else minutes))
    month = _MONTHS.index(found["month"]) + 1
    try:
        day = int(found["year"]), month, int(found["day"])
        return datetime(*day, hour, int(found["minute"]), tzinfo=zone).isoformat()
    except ValueError:
        return None


def _place(home: Path, environment: Mapping[str, str]) -> Place:
    projects = own_folder("", ".cursor")(home, environment) / "projects"
    files = "*/agent-transcripts/*/*.jsonl */agent-transcripts/*.jsonl"
    return Place(projects, files, is_silent=_is_silent, cwd_of=_cwd_of, unread=_UNREAD)


_UNREAD = (
    Unread("*/agent-transcripts/**/*.txt", "transcripts of Cursor without roles are not read"),
)


def _is_silent(path: Path) -> bool:
    """Say whether a transcript is a sub-agent's, or none: its own memory keeps lines below a
    project, too.
    """
    return "subagents" in path.parts or "agent-transcripts" not in path.parts


def _cwd_of(path: Path) -> str:
    """Return the project's folder; '' where no folder, or more than one, has that name."""
    project = next(
        parent
        for parent in path.parents
        if parent.parent.name == "projects" or parent == parent.parent
    )
    return _unfold(project.name, path.anchor)


@lru_cache(maxsize=256)
def _unfold(name: str, root: str) -> str:
    found = list(_folders(Path(root), name))
    return str(found[0]) if len(found) == 1 else ""


def _folders(above: Path, name: str) -> Iterator[Path]:
    """Yield the folders below one whose path Cursor writes like this."""
    try:
        inside = [path for path in above.iterdir() if name.startswith(_written(path.name))]
    except OSError:
        return
    for path in inside:
        rest = name.removeprefix(_written(path.name))
        if not rest and path.is_dir():
            yield path
        elif rest.startswith("-") and path.is_dir():
            yield from _folders(path, rest[1:])


def _written(name: str) -> str:
    return folded(name).strip("-") or "\0"


def _edits(site: InstallPlace, call: OwnCommand) -> list[Edit]:
    folder = site.folder / ".cursor"
    return [
        edits.hooks(
            folder / "hooks.json",
            NAME,
            lambda event: {"command": call.line(event, NAME)},
            first=("version", 1),
        ),
        edits.server(folder / "mcp.json", call.server()),
        own_file(folder / "commands" / "memory-search.md", edits.text_of("search.md")),
    ]


_NOTE = (
    (
        "Cursor takes context at the start of a session; before a prompt only some versions do: "
        "the MCP tools always work"
    ),
    "Cursor는 세션을 시작할 때 문맥을 받고, 프롬프트 앞에서는 일부 버전만 받습니다: MCP 도구는 늘 됩니다",
)
AGENT = Agent(
    _place,
    Format(NAME, begin, read, has_ids=False),
    edits=_edits,
    note=_NOTE,
    hook_files=HookFiles(lambda site: site.folder / ".cursor", ("hooks.json",)),
    folder=own_folder("", ".cursor"),
)
