"""Gemini CLI: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`.

A message is written again as it grows (the last one wins), `$rewindTo` takes a message and all
after it back, and `$set.messages` replaces the whole conversation. But the program also writes the
model's history there when it compresses or
resumes a session: that holds texts of its own, and nobody has taken anything back by it.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gieok.agents.agent import URL, Agent, HookFiles, Place, Rehearsal, Unread, own_folder
from gieok.agents.install import edits
from gieok.agents.install.change import Edit, own_file
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.marks.mark import Speaker
from gieok.agents.transcripts.fields import Line, mapping, name_of, parts
from gieok.agents.transcripts.session import Format, Part, Said, Session, ToolUse, heard
from gieok.agents.transcripts.speakers import asking_tools, driver_of, words_of
from gieok.model.conversation import Retraction, Role

NAME = "gemini-cli"

_ROLES = {"user": Role.USER, "gemini": Role.ASSISTANT, "model": Role.ASSISTANT}
_HEAD = ("projectHash", "startTime", "lastUpdated")
#: Begin what the program writes into the conversation when it compresses or resumes a session.
_SYNTHETIC = tuple(
    f"<{name}>"
    for name in (
        "session_context state_snapshot loaded_context extension_context project_context"
    ).split()
)


def begin(name: str, first: Line) -> Session | None:
    """Recognise the metadata line; some releases leave out the project's hash."""
    del name
    is_head = "type" not in first and any(field in first for field in _HEAD)
    if not is_head or not isinstance(first.get("sessionId"), str):
        return None
    ignored = "a sub-agent" if driver_of(NAME, first) is Speaker.AGENT else ""
    return Session(
        id=first["sessionId"],
        agent=NAME,
        ignored=ignored,
        cwd_sum=name_of(first.get("projectHash")),
    )


def _lines(whole: Line) -> list[Line]:
    """Return the lines of a session in one object, as releases up to 2025 kept it."""
    messages = whole.get("messages")
    if not isinstance(whole.get("sessionId"), str) or not isinstance(messages, list):
        return []
    head = {name: value for name, value in whole.items() if name != "messages"}
    return [{"projectHash": "", **head}, *parts(messages)]


def read(session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
    """Return the parts of a line, or what it takes back."""
    if isinstance(line.get("$rewindTo"), str):
        return (Retraction(session.id, f"{session.id}/{line['$rewindTo']}", after=True),)
    changed = line.get("$set")
    if isinstance(changed, dict):
        return _replacement(session, parts(changed.get("messages")), fallback_id)
    return _message(session, line, fallback_id)


def _replacement(session: Session, whole: Sequence[Line], fallback_id: str) -> list[Part]:
    """Take everything back that is not in `whole`; what is in it stays as it was read."""
    found = [
        part
        for number, item in enumerate(whole)
        for part in _message(session, item, f"{fallback_id}.{number}")
    ]
    is_history = any(text_of(item.get("content")).lstrip().startswith(_SYNTHETIC) for item in whole)
    return [Retraction(session.id, after=True), *found] if whole and not is_history else found


def _message(session: Session, line: Line, fallback_id: str) -> list[Part]:
    role = _ROLES.get(name_of(line.get("type")))
    if role is None:
        return []
    identity, at = f"{session.id}/{name_of(line.get('id')) or fallback_id}", line.get("timestamp")
    content = (
        line.get("displayContent") if text_of(line.get("displayContent")) else line.get("content")
    )
    said = Said(identity, role, _reply(text_of(content)), at)
    found: list[Part] = [
        heard(session, line, identity, _texts(content), at) if role is Role.USER else said
    ]
    for number, call in enumerate(parts(line.get("toolCalls"))):
        name, result = name_of(call.get("name")), name_of(call.get("resultDisplay"))
        failed, arguments = call.get("status") == "error", call.get("args") or {}
        use = ToolUse(
            id=f"{identity}#{number}",
            call=name_of(call.get("id")),
            name=name,
            at=at,
            arguments=arguments,
            result=result,
            failed=failed,
        )
        if name in asking_tools(NAME):
            answered = _output(call.get("result"))
            use = use._replace(result=result or answered, answered=answered or None)
        found.append(use)
    return found


def _output(result: object) -> str:
    """Return what a tool gave back to the model: what is shown of an answer is a word of the
    program.
    """
    given = (
        mapping(mapping(part.get("functionResponse")).get("response")) for part in parts(result)
    )
    return next(filter(None, (name_of(response.get("output")) for response in given)), "")


def _reply(text: str) -> str:
    """Return what the model said; the program answers itself in its place when it sets up a
    session.
    """
    return words_of(NAME, text) if text.startswith("Got it.") else text


def _texts(content: object) -> list[str]:
    return (
        [text_of(part) for part in parts(content)]
        if isinstance(content, list)
        else [text_of(content)]
    )


def text_of(content: object) -> str:
    """Return a content's text: a string, one part, or parts, which have no type here."""
    if isinstance(content, str):
        return content
    shown = parts([content] if isinstance(content, dict) else content)
    return "\n".join(name_of(part.get("text")) for part in shown if not part.get("thought")).strip()


def _edits(site: InstallPlace, call: OwnCommand) -> list[Edit]:
    folder = site.folder / ".gemini"

    def entry(event: str) -> object:
        return {
            "matcher": "*",
            "hooks": [edits.command(call, NAME, event, units_per_second=1000, name="gieok")],
        }

    settings = folder / "settings.json"
    return [
        edits.both(edits.hooks(settings, NAME, entry), edits.server(settings, call.server())),
        own_file(folder / "commands" / "memory" / "search.toml", edits.text_of("search.toml")),
    ]


#: Before chats were kept (August 2025) there were the prompts alone, and checkpoints that a person
#: asked for.
_UNREAD = (
    Unread(
        "*/logs.json", "prompts of a Gemini CLI that kept no chats are not read", unless="chats"
    ),
    Unread(
        "*/checkpoint*.json",
        "checkpoints of a Gemini CLI that kept no chats are not read",
        unless="chats",
    ),
)


def _place(home: Path, environment: Mapping[str, str]) -> Place:
    del environment
    return Place(home / ".gemini" / "tmp", "*/chats/*.json*", cwd_of=_cwd_of, unread=_UNREAD)


def _cwd_of(path: Path) -> str:
    """Return the project's folder: it stands in a file beside the folder of chats, or in the
    program's list of projects.

    Older releases call the folder by the hash of the project's path.
    """
    project = path.parents[1]
    try:
        return (project / ".project_root").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        pass
    for root, name in _known_projects(project.parents[1]):
        if project.name in (name, hashlib.sha256(root.encode()).hexdigest()):
            return root
    return ""


def _known_projects(home: Path) -> Iterator[tuple[str, str]]:
    """Yield the folders that the program knows, and the names that it gave them."""
    for file, field in (("projects.json", "projects"), ("trustedFolders.json", "")):
        try:
            listed = json.loads((home / file).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        found = mapping(mapping(listed).get(field) if field else listed)
        yield from ((root, name_of(name)) for root, name in found.items())


_HOOK_FILES = HookFiles(
    lambda site: site.folder / ".gemini",
    ("settings.json", "extensions/*/hooks/hooks.json"),
    ((("hooksConfig", "enabled"), False), (("hooksConfig", "disabled"), "gieok")),
)
_REHEARSAL = Rehearsal(
    "gemini",
    ("-m", "gemini-2.5-flash", "-p"),
    {
        "GEMINI_API_KEY": "loopback",
        "GOOGLE_GEMINI_BASE_URL": URL,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    },
    {
        ".gemini/settings.json": '{"security": {"auth": {"selectedType": "gemini-api-key"}}, '
        '"general": {"enableAutoUpdate": false}, "privacy": {"usageStatisticsEnabled": false}}'
    },
)
AGENT = Agent(
    _place,
    Format(NAME, begin, read, lines=_lines),
    _edits,
    hook_files=_HOOK_FILES,
    rehearsal=_REHEARSAL,
    folder=own_folder("", ".gemini"),
)
