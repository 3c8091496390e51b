"""Gemini CLI: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`.

A message is written again as it grows (the last one wins), `$rewindTo` takes a message and all after it back, and
`$set.messages` replaces the whole conversation. But the program also writes the model's history there when it compresses or
resumes a session: that holds texts of its own, and nobody has taken anything back by it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gieok.agents.agent import URL, Agent, HookFiles, Place, Rehearsal, own_folder
from gieok.agents.install import edits
from gieok.agents.install.change import Edit, own_file
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.transcripts.fields import Line, name_of, parts, unwrapped
from gieok.agents.transcripts.session import Format, Part, Said, Session, ToolUse
from gieok.model.conversation import Retraction, Role

NAME = "gemini-cli"

_ROLES = {"user": Role.USER, "gemini": Role.ASSISTANT}
_BLOCKS = "session_context hook_context state_snapshot loaded_context extension_context project_context".split()
#: What hooks add stands before or behind a prompt, in the message of the person; the others are messages of their own.
_SYNTHETIC = tuple(f"<{name}>" for name in _BLOCKS if name != "hook_context")
#: What the program puts in behind a prompt that names files with `@`.
_FILES, _END_OF_FILES = "--- Content from referenced files ---", "--- End of content ---"
#: What it writes in the user's or the model's place.
_SYSTEM_STARTS = (
    *_SYNTHETIC,
    "System: Please continue.",
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "Got it. Thanks for the context!",
    "Got it. Thanks for the additional context!",
)


def begin(name: str, first: Line) -> Session | None:
    """Recognise the metadata line."""
    del name
    if not isinstance(first.get("sessionId"), str) or "projectHash" not in first:
        return None
    return Session(id=first["sessionId"], agent=NAME, ignored="a sub-agent" if first.get("kind") == "subagent" else "")


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
    found = [part for number, item in enumerate(whole) for part in _message(session, item, f"{fallback_id}.{number}")]
    is_history = any(text_of(item.get("content")).lstrip().startswith(_SYNTHETIC) for item in whole)
    return [Retraction(session.id, after=True), *found] if whole and not is_history else found


def _message(session: Session, line: Line, fallback_id: str) -> list[Part]:
    role = _ROLES.get(name_of(line.get("type")))
    if role is None:
        return []
    identity, at = f"{session.id}/{name_of(line.get('id')) or fallback_id}", line.get("timestamp")
    found: list[Part] = [Said(identity, role, _said(line), at)]
    for number, call in enumerate(parts(line.get("toolCalls"))):
        name, result = name_of(call.get("name")), name_of(call.get("resultDisplay"))
        failed, arguments = call.get("status") == "error", call.get("args") or {}
        found.append(ToolUse(f"{identity}#{number}", name_of(call.get("id")), name, at, arguments, result, failed))
    return found


def _said(line: Line) -> str:
    """Return what was really said; where the program added to it, it keeps beside it what it shows."""
    return said(text_of(line.get("displayContent")) or text_of(line.get("content")))


def said(text: str, blocks: Sequence[str] = _BLOCKS) -> str:
    """Return what a user's message says without what the program puts into it."""
    if text.lstrip().startswith(_SYSTEM_STARTS):
        return ""
    before, files, behind = text.partition(_FILES)
    return unwrapped(f"{before}{behind.partition(_END_OF_FILES)[2]}" if files else text, blocks)


def text_of(content: object) -> str:
    """Return a content's text: a string, one part, or parts, which have no type here."""
    if isinstance(content, str):
        return content
    shown = parts([content] if isinstance(content, dict) else content)
    return "\n".join(name_of(part.get("text")) for part in shown if not part.get("thought")).strip()


def _edits(site: InstallPlace, call: OwnCommand) -> list[Edit]:
    folder = site.folder / ".gemini"

    def entry(event: str) -> object:
        return {"matcher": "*", "hooks": [edits.command(call, NAME, event, units_per_second=1000, name="gieok")]}

    settings = folder / "settings.json"
    return [
        edits.both(edits.hooks(settings, NAME, entry), edits.server(settings, call.server())),
        own_file(folder / "commands" / "memory" / "search.toml", edits.text_of("search.toml")),
    ]


def _place(home: Path, environment: Mapping[str, str]) -> Place:
    del environment
    return Place(home / ".gemini" / "tmp", "*/chats/*.jsonl", cwd_of=_cwd_of)


def _cwd_of(path: Path) -> str:
    """Return the project's folder, which stands in a file beside the folder of chats."""
    try:
        return (path.parents[1] / ".project_root").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


_HOOK_FILES = HookFiles(
    lambda site: site.folder / ".gemini",
    ("settings.json", "extensions/*/hooks/hooks.json"),
    ((("hooksConfig", "enabled"), False), (("hooksConfig", "disabled"), "gieok")),
)
_REHEARSAL = Rehearsal(
    "gemini",
    ("-m", "gemini-2.5-flash", "-p"),
    {"GEMINI_API_KEY": "loopback", "GOOGLE_GEMINI_BASE_URL": URL, "GEMINI_CLI_TRUST_WORKSPACE": "true"},
    {
        ".gemini/settings.json": '{"security": {"auth": {"selectedType": "gemini-api-key"}}, '
        '"general": {"enableAutoUpdate": false}, "privacy": {"usageStatisticsEnabled": false}}'
    },
)
AGENT = Agent(
    _place,
    Format(NAME, begin, read),
    _edits,
    hook_files=_HOOK_FILES,
    rehearsal=_REHEARSAL,
    folder=own_folder("", ".gemini"),
)
