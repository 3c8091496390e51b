"""Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gieok.agents.agent import URL, Agent, HookFiles, Rehearsal
from gieok.agents.install import edits
from gieok.agents.install.change import Edit, ExtraFile, KeptFile
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.marks.mark import Speaker
from gieok.agents.transcripts.fields import (
    Line,
    list_content_parts,
    list_content_texts,
    read_content_text,
    read_object_field,
    read_text_field,
    strip_blocks,
)
from gieok.agents.transcripts.history import SESSIONS_GONE, HistoryPlace, PromptHistory
from gieok.agents.transcripts.place import TranscriptPlace
from gieok.agents.transcripts.session import (
    Format,
    Part,
    Queued,
    Session,
    SpokenPart,
    ToolUse,
    build_user_part,
    iter_tool_calls,
)
from gieok.agents.transcripts.speakers import (
    extract_comment,
    find_line_driver,
    find_line_speaker,
    is_program_reply,
)
from gieok.model.conversation import Role

NAME = "claude-code"

_KINDS = frozenset(
    (
        "user assistant system summary attachment queue-operation last-prompt "
        "file-history-snapshot progress mode"
    ).split()
)
_CALLS = frozenset(("tool_use", "server_tool_use", "mcp_tool_use"))
_RESULTS = frozenset(("tool_result", "mcp_tool_result"))


class ClaudeFormat(Format):
    """Lines of Claude Code."""

    name = NAME

    def begin_session(self, name: str, first: Line) -> Session | None:
        """Recognise a line that names its session beside a known type."""
        session = first.get("sessionId")
        if not isinstance(session, str) or not (first.get("type") in _KINDS or "uuid" in first):
            return None
        is_sub_agent = name.startswith("agent-") or find_line_speaker(NAME, first) is Speaker.AGENT
        ignored = "a sub-agent" if is_sub_agent else ""
        return Session(
            id=session, agent=NAME, ignored=ignored, cwd=read_text_field(first.get("cwd"))
        )

    def is_prelude(self, line: Line) -> bool:
        """Return whether a line is Claude Code's although it names no session.

        Some files hold only titles of other sessions, or only snapshots.
        """
        return line.get("type") in _KINDS and "sessionId" not in line and "role" not in line

    def find_driver(self, line: Line) -> Speaker | None:
        """Return who writes the lines after this line."""
        return find_line_driver(NAME, line)

    def read_parts(self, session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
        """Return the parts of a line.

        A turn has several lines, which share `message.id` and differ in `uuid`.
        """
        if find_line_speaker(NAME, line) is Speaker.AGENT:
            return ()
        message = read_object_field(line.get("message"))
        content, at = message.get("content"), line.get("timestamp")
        identity = read_text_field(line.get("uuid")) or f"{session.id}/{fallback_id}"
        found_parts: list[Part] = []
        match line.get("type"):
            case "user":
                found_parts.append(
                    build_user_part(session, line, identity, list_content_texts(content), at)
                )
                found_parts += _iter_claude_results(identity, content, at, line)
            case "assistant" if not is_program_reply(NAME, line):
                tool_calls = (
                    part for part in list_content_parts(content) if part.get("type") in _CALLS
                )
                found_parts.append(
                    SpokenPart(identity, Role.ASSISTANT, read_content_text(content), at)
                )
                found_parts += iter_tool_calls(identity, tool_calls, at, "input")
            case "attachment":
                found_parts += _read_queued_attachment(session, line, identity, at)
            case "queue-operation":
                found_parts += _read_claude_queue(session, line, identity, at)
            case "system" if line.get("subtype") == "local_command":
                found_parts.append(
                    build_user_part(
                        session, line, identity, read_content_text(line.get("content")), at
                    )
                )
        return found_parts


def _read_queued_attachment(session: Session, line: Line, identity: str, at: object) -> list[Part]:
    """Return a prompt that the running turn took in.

    Notices of tasks come in the same way, and say so.
    """
    attachment = read_object_field(line.get("attachment"))
    if attachment.get("type") != "queued_command":
        return []
    prompt = build_user_part(
        session, line, identity, list_content_texts(attachment.get("prompt")), at
    )
    return [Queued(prompt, "absorb", "attachment")]


#: What an operation on the queue does to a prompt, by the operation's name. A removed prompt was
#: taken in by the running turn.
_QUEUE = {"enqueue": "enqueue", "dequeue": "dequeue", "remove": "absorb", "popAll": "clear"}
#: Reasons for which a prompt leaves the queue without a turn of its own; before 2.1.246 no reason
#: is given.
_TAKEN_IN = ("absorbed_mid_turn", "delivered_to_agent", "")


def _read_claude_queue(session: Session, line: Line, identity: str, at: object) -> list[Part]:
    what = _QUEUE.get(read_text_field(line.get("operation")), "")
    if what == "absorb" and (line.get("reason") or "") not in _TAKEN_IN:
        what = "drop"
    prompt = build_user_part(session, line, identity, read_content_text(line.get("content")), at)
    return [Queued(prompt, what, "queue")] if what else []


def _iter_claude_results(
    identity: str, content: object, at: object, line: Line
) -> Iterator[ToolUse]:
    results = (part for part in list_content_parts(content) if part.get("type") in _RESULTS)
    for number, part in enumerate(results):
        text = strip_blocks(read_content_text(part.get("content")), ("system-reminder",))
        failed = part.get("is_error") is True
        call = read_text_field(part.get("tool_use_id"))
        tool_result = read_object_field(line.get("toolUseResult"))
        answered = tool_result if isinstance(tool_result.get("answers"), dict) else None
        use = ToolUse(
            f"{identity}#{number}", call, "tool", at, result=text, failed=failed, answered=answered
        )
        yield use._replace(beside=extract_comment(NAME, line) if number == 0 else "")


class ClaudeHistory(PromptHistory):
    """Prompt history of Claude Code."""

    session_field = "sessionId"
    text_field = "display"

    def find_kept_sessions(self, folder: Path) -> frozenset[str]:
        """Return the ids of the sessions whose transcripts exist."""
        return frozenset(file.stem for file in (folder / "projects").glob("*/*.jsonl"))


class ClaudeCodeAgent(Agent):
    """Claude Code: its transcripts, and its settings with hooks, servers, commands and a skill."""

    format = ClaudeFormat()
    tried_release = "2.1.332"
    hook_files = HookFiles(
        ("settings.json", "settings.local.json", "plugins/**/hooks/hooks.json"),
        ((("disableAllHooks",), True),),
    )
    rehearsal = Rehearsal(
        "claude",
        ("-p",),
        {
            "ANTHROPIC_BASE_URL": URL,
            "ANTHROPIC_API_KEY": "loopback",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    )

    def find_settings_folder(self, site: InstallPlace) -> Path:
        """Return `.claude`, or the folder that `CLAUDE_CONFIG_DIR` names."""
        return site.below("CLAUDE_CONFIG_DIR", ".claude")

    def find_place(self, home: Path, environment: Mapping[str, str]) -> TranscriptPlace:
        """Return the folder of projects."""
        return TranscriptPlace(self.find_own_folder(home, environment) / "projects", "*/*.jsonl")

    def find_other_places(
        self, home: Path, environment: Mapping[str, str]
    ) -> tuple[TranscriptPlace, ...]:
        """Return the place of the prompt history."""
        folder = self.find_own_folder(home, environment)
        history = ClaudeHistory("history.jsonl", SESSIONS_GONE)
        return (HistoryPlace(folder, is_watched=False, unread=(history,)),)

    def build_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        """Return the edits for hooks, the MCP server, a command and a skill."""
        folder = self.find_settings_folder(site)
        # A project's settings.json is shared with people who may not have Gieok installed; the
        # local settings file is not shared.
        settings = folder / ("settings.local.json" if site.is_project else "settings.json")
        search = edits.read_install_text("search.md")
        return [
            edits.HookEntries(settings, edits.build_hook_groups(call, NAME)),
            edits.JsonServer(self._find_server_file(site), call.server()),
            ExtraFile(folder / "commands" / "memory" / "search.md", search),
            edits.build_skill_edit(folder),
        ]

    def _find_server_file(self, site: InstallPlace) -> Path:
        if site.is_project:
            return site.folder / ".mcp.json"
        moved = site.environment.get("CLAUDE_CONFIG_DIR")
        return (self.find_settings_folder(site) if moved else site.folder) / ".claude.json"

    def build_command_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        """Return the commands `/gieok-…` for a project's code."""
        folder = self.find_settings_folder(site) / "commands"
        names = (f"gieok-{name}.md" for name in ("index", "query", "sync", "impact"))
        return [
            KeptFile(folder / name, edits.read_install_text(name).replace("{gieok}", call.typed()))
            for name in names
        ]


AGENT = ClaudeCodeAgent()
