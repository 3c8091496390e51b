"""Gemini CLI: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`.

A message is written again as it grows (the last version wins), `$rewindTo` takes back a message and
all messages after it, and `$set.messages` replaces the whole conversation. But the program also
writes the model's history into `$set.messages` when it compresses or resumes a session: that
history holds texts of the program's own, and does not mean that anybody took a message back.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gieok.agents.agent import URL, Agent, HookFiles, Rehearsal
from gieok.agents.install import edits
from gieok.agents.install.change import Edit, ExtraFile, JointEdit
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.marks.mark import Speaker
from gieok.agents.transcripts.fields import (
    Line,
    list_content_parts,
    read_object_field,
    read_text_field,
)
from gieok.agents.transcripts.place import TranscriptPlace, Unread
from gieok.agents.transcripts.session import (
    Format,
    Part,
    Session,
    SpokenPart,
    ToolUse,
    build_user_part,
)
from gieok.agents.transcripts.speakers import extract_words, find_line_driver, list_asking_tools
from gieok.model.conversation import Retraction, Role

NAME = "gemini-cli"

_ROLES = {"user": Role.USER, "gemini": Role.ASSISTANT, "model": Role.ASSISTANT}
_HEAD = ("projectHash", "startTime", "lastUpdated")
#: Beginnings of texts that the program writes into the conversation when it compresses or resumes a
#: session.
_SYNTHETIC = tuple(
    f"<{name}>"
    for name in (
        "session_context state_snapshot loaded_context extension_context project_context"
    ).split()
)


class GeminiFormat(Format):
    """Lines of Gemini CLI, and the one object of its releases up to 2025."""

    name = NAME

    def begin_session(self, name: str, first: Line) -> Session | None:
        """Recognise the metadata line; some releases leave out the project's hash."""
        del name
        is_head = "type" not in first and any(field in first for field in _HEAD)
        if not is_head or not isinstance(first.get("sessionId"), str):
            return None
        ignored = "a sub-agent" if find_line_driver(NAME, first) is Speaker.AGENT else ""
        return Session(
            id=first["sessionId"],
            agent=NAME,
            ignored=ignored,
            cwd_sum=read_text_field(first.get("projectHash")),
        )

    def split_session(self, whole: Line) -> list[Line]:
        """Return the lines of a session kept in one object, as releases up to 2025 wrote it."""
        messages = whole.get("messages")
        if not isinstance(whole.get("sessionId"), str) or not isinstance(messages, list):
            return []
        head = {name: value for name, value in whole.items() if name != "messages"}
        return [{"projectHash": "", **head}, *list_content_parts(messages)]

    def read_parts(self, session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
        """Return the parts of a line, or the retractions that the line makes."""
        if isinstance(line.get("$rewindTo"), str):
            return (Retraction(session.id, f"{session.id}/{line['$rewindTo']}", after=True),)
        changed = line.get("$set")
        if isinstance(changed, dict):
            return _read_gemini_replacement(
                session, list_content_parts(changed.get("messages")), fallback_id
            )
        return _read_gemini_message(session, line, fallback_id)


def _read_gemini_replacement(
    session: Session, whole: Sequence[Line], fallback_id: str
) -> list[Part]:
    """Retract every message that is not in `whole`; messages in `whole` stay as they were read."""
    read_parts = [
        part
        for number, item in enumerate(whole)
        for part in _read_gemini_message(session, item, f"{fallback_id}.{number}")
    ]
    is_history = any(
        read_gemini_text(item.get("content")).lstrip().startswith(_SYNTHETIC) for item in whole
    )
    return (
        [Retraction(session.id, after=True), *read_parts]
        if whole and not is_history
        else read_parts
    )


def _read_gemini_message(session: Session, line: Line, fallback_id: str) -> list[Part]:
    role = _ROLES.get(read_text_field(line.get("type")))
    if role is None:
        return []
    identity, at = (
        f"{session.id}/{read_text_field(line.get('id')) or fallback_id}",
        line.get("timestamp"),
    )
    content = (
        line.get("displayContent")
        if read_gemini_text(line.get("displayContent"))
        else line.get("content")
    )
    reply = SpokenPart(identity, role, _extract_model_reply(read_gemini_text(content)), at)
    message_parts: list[Part] = [
        build_user_part(session, line, identity, _list_prompt_texts(content), at)
        if role is Role.USER
        else reply
    ]
    for number, call in enumerate(list_content_parts(line.get("toolCalls"))):
        name, result = read_text_field(call.get("name")), read_text_field(call.get("resultDisplay"))
        failed, arguments = call.get("status") == "error", call.get("args") or {}
        use = ToolUse(
            id=f"{identity}#{number}",
            call=read_text_field(call.get("id")),
            name=name,
            at=at,
            arguments=arguments,
            result=result,
            failed=failed,
        )
        if name in list_asking_tools(NAME):
            answered = _read_gemini_output(call.get("result"))
            use = use._replace(result=result or answered, answered=answered or None)
        message_parts.append(use)
    return message_parts


def _read_gemini_output(result: object) -> str:
    """Return what a tool gave back to the model.

    The display text of a result is the program's wording.
    """
    responses = (
        read_object_field(read_object_field(part.get("functionResponse")).get("response"))
        for part in list_content_parts(result)
    )
    return next(
        filter(None, (read_text_field(response.get("output")) for response in responses)), ""
    )


def _extract_model_reply(text: str) -> str:
    """Return what the model said.

    When the program sets up a session, it answers itself in the model's place.
    """
    return extract_words(NAME, text) if text.startswith("Got it.") else text


def _list_prompt_texts(content: object) -> list[str]:
    return (
        [read_gemini_text(part) for part in list_content_parts(content)]
        if isinstance(content, list)
        else [read_gemini_text(content)]
    )


def read_gemini_text(content: object) -> str:
    """Return a content's text: a string, one part, or a list of parts, which have no type here."""
    if isinstance(content, str):
        return content
    shown = list_content_parts([content] if isinstance(content, dict) else content)
    return "\n".join(
        read_text_field(part.get("text")) for part in shown if not part.get("thought")
    ).strip()


class GeminiPlace(TranscriptPlace):
    """Folder of Gemini CLI's projects."""

    def find_working_folder(self, path: Path) -> str:
        """Return the project's folder.

        The folder stands in a file beside the folder of chats, or in the program's list of
        projects. Older releases name the folder by the hash of the project's path.
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
    """Yield the project folders that the program lists, each with the program's name for it."""
    for file, field in (("projects.json", "projects"), ("trustedFolders.json", "")):
        try:
            listed = json.loads((home / file).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        folders = read_object_field(read_object_field(listed).get(field) if field else listed)
        yield from ((root, read_text_field(name)) for root, name in folders.items())


#: Before chats were kept (August 2025), the program stored only the prompts, and checkpoints that a
#: person asked for.
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


class GeminiAgent(Agent):
    """Gemini CLI: its transcripts, and its settings with hooks, a server and a command."""

    format = GeminiFormat()
    tried_release = "0.61.0"
    hook_files = HookFiles(
        ("settings.json", "extensions/*/hooks/hooks.json"),
        ((("hooksConfig", "enabled"), False), (("hooksConfig", "disabled"), "gieok")),
    )
    rehearsal = Rehearsal(
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

    def find_settings_folder(self, site: InstallPlace) -> Path:
        """Return `.gemini`."""
        return site.folder / ".gemini"

    def find_place(self, home: Path, environment: Mapping[str, str]) -> TranscriptPlace:
        """Return the folder of projects."""
        folder = self.find_own_folder(home, environment) / "tmp"
        return GeminiPlace(folder, "*/chats/*.json*", unread=_UNREAD)

    def build_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        """Return the edits for hooks, the MCP server and a command."""
        folder = self.find_settings_folder(site)
        groups = edits.build_hook_groups(call, NAME, units_per_second=1000, name="gieok")
        entries = {native: {"matcher": "*", **group} for native, group in groups.items()}
        settings = folder / "settings.json"
        hooks = edits.HookEntries(settings, entries)
        server = edits.JsonServer(settings, call.server())
        search = edits.read_install_text("search.toml")
        return [
            JointEdit(settings, (hooks, server)),
            ExtraFile(folder / "commands" / "memory" / "search.toml", search),
        ]


AGENT = GeminiAgent()
