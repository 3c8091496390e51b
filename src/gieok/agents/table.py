"""Table of the supported agents, with their hook events and answers.

Adding an agent takes one row here and one file. Everything else about an agent stands in
`gieok.agents.<name>` (see `gieok.agents.agent`). The hook imports this module and has 20 ms, so
this module imports only what the interpreter has loaded already.

Source: facts recorded from Claude Code 2.1.330, Codex CLI 0.169.0, Gemini CLI 0.61.0, Qwen Code
0.24.4 and opencode 1.18.33; documentation of Cursor 3.
"""

import os
from collections.abc import Mapping

PROMPT, SESSION_START, STOP, PRE_COMPACT, SESSION_END, PRE_TOOL = (
    "prompt",
    "session-start",
    "stop",
    "pre-compact",
    "session-end",
    "pre-tool",
)
#: Events of `gieok hook`, each with its action.
EVENTS = {
    PROMPT: "put what is remembered in front of a prompt",
    SESSION_START: "tell a new session what is known about the project",
    STOP: "note where the transcript of a turn is",
    PRE_COMPACT: "note where the transcript is before it is compacted",
    SESSION_END: "note where the transcript of an ended session is",
    PRE_TOOL: "ask or stop before a tool does what the user forbade, or say what names an edited file",
}
Payload = dict[str, object]


class AgentRow:
    """One agent, as its hooks see it; Claude Code's payloads and answers by default.

    `events` maps Gieok's event names to the agent's names, and is empty where the agent runs no
    hooks of Gieok's. `shows_notices`: a hook can show a message to the person (`systemMessage`).
    `can_ask`: a hook before a tool can let the agent ask the person; where it cannot, the tool is
    stopped, because it would run else. `takes_tool_notes`: a text of a hook before a tool
    reaches the model without deciding anything; the model reads it with the tool's result, for its
    next step.
    """

    __slots__ = ("can_ask", "events", "name", "shows_notices", "takes_tool_notes")

    def __init__(
        self,
        name: str,
        events: Mapping[str, str],
        *,
        shows_notices: bool = True,
        can_ask: bool = False,
        takes_tool_notes: bool = False,
    ) -> None:
        self.name = name
        self.events = events
        self.shows_notices = shows_notices
        self.can_ask = can_ask
        self.takes_tool_notes = takes_tool_notes

    def is_sender(self, payload: Payload) -> bool:
        """Return whether a payload is the agent's, where `--agent` does not name the agent."""
        return payload.get("hook_event_name") in self.events.values()

    def build_answer(self, native: str, context: str) -> Payload:
        """Return the answer to a native event that puts a text before the model."""
        return {"hookSpecificOutput": {"hookEventName": native, "additionalContext": context}}

    def build_gate_answer(self, native: str, *, asks: bool, reason: str) -> Payload:
        """Return the answer to the event before a tool: the person is asked, or it is stopped."""
        decision: Payload = {
            "hookEventName": native,
            "permissionDecision": "ask" if asks else "deny",
            "permissionDecisionReason": reason,
        }
        return {"hookSpecificOutput": decision}

    def read_scope(self, payload: Payload) -> str:
        """Return the agent's own scope for a session in any folder; '' where the folder decides."""
        del payload
        return ""


class ClaudeCodeRow(AgentRow):
    """Claude Code, and every agent that imitates it unknown to Gieok."""

    __slots__ = ()

    def is_sender(self, payload: Payload) -> bool:
        """Return True for every payload."""
        del payload
        return True


class CodexRow(AgentRow):
    """Codex, which imitates Claude Code but names its turn, or its own folder."""

    __slots__ = ()

    def is_sender(self, payload: Payload) -> bool:
        """Return whether a payload names a turn, or a transcript below `.codex`."""
        path = read_payload_text(payload, "transcript_path").replace("\\", "/")
        return "turn_id" in payload or "/.codex/" in path


class QwenCodeRow(AgentRow):
    """Qwen Code: Claude Code's events, with the timestamp that Gemini CLI adds."""

    __slots__ = ()

    def is_sender(self, payload: Payload) -> bool:
        """Return whether a payload has the fields of both."""
        return "timestamp" in payload and "permission_mode" in payload


class GeminiCliRow(AgentRow):
    """Gemini CLI, whose payloads have a timestamp."""

    __slots__ = ()

    def is_sender(self, payload: Payload) -> bool:
        """Return whether a payload has a timestamp, or is of an event that Gemini CLI alone has."""
        event = payload.get("hook_event_name")
        return "timestamp" in payload or event in ("BeforeAgent", "AfterAgent", "PreCompress")


class CursorRow(AgentRow):
    """Cursor, which calls a session a conversation and may have several folders."""

    __slots__ = ()

    def is_sender(self, payload: Payload) -> bool:
        """Return whether a payload is of an event of Cursor's, or has Cursor's fields."""
        is_event = super().is_sender(payload)
        return is_event or "conversation_id" in payload or "workspace_roots" in payload

    def build_answer(self, native: str, context: str) -> Payload:
        """Return the context, which `beforeSubmitPrompt` may drop.

        By its documentation that event may only block; some versions accept the context all the
        same.
        """
        first: Payload = {"continue": True} if native == "beforeSubmitPrompt" else {}
        return {**first, "additional_context": context}

    def build_gate_answer(self, native: str, *, asks: bool, reason: str) -> Payload:
        """Return a refusal; Cursor ignores `ask`."""
        del native, asks
        return {"permission": "deny", "user_message": reason, "agent_message": reason}


class PluginRow(AgentRow):
    """Agent whose plugin of Gieok's calls `gieok hook`."""

    __slots__ = ()

    def build_answer(self, native: str, context: str) -> Payload:
        """Return the context alone, whatever the event is."""
        del native
        return {"additional_context": context}

    def build_gate_answer(self, native: str, *, asks: bool, reason: str) -> Payload:
        """Return what the plugin makes the agent's own answer of."""
        del native
        return {"decision": "ask" if asks else "deny", "reason": reason}


class OpenClawRow(PluginRow):
    """OpenClaw, whose agents have a scope each; its settings hold no hook."""

    __slots__ = ()

    def read_scope(self, payload: Payload) -> str:
        """Return the scope of the agent that a payload names; '' for none."""
        name = read_payload_text(payload, "agent_id")
        return f"agent:{name.replace(':', '-').replace(' ', '-').replace('/', '-')}" if name else ""


def _map_event_names(*names: str) -> dict[str, str]:
    """Return a map from Gieok's event names to native names.

    Native names are given in the order of `EVENTS`; '' where the agent has no such event.
    """
    return {event: name for event, name in zip(EVENTS, names, strict=True) if name}


_CLAUDE_EVENTS = _map_event_names(
    "UserPromptSubmit", "SessionStart", "Stop", "PreCompact", "SessionEnd", "PreToolUse"
)
# Gemini CLI 0.61.0 fires PreCompress at every prompt, before it checks whether there is anything to
# compress: the event carries no information.
_GEMINI_EVENTS = _map_event_names("BeforeAgent", "SessionStart", "AfterAgent", "", "SessionEnd", "")
_CURSOR_EVENTS = _map_event_names(
    "beforeSubmitPrompt", "sessionStart", "stop", "preCompact", "sessionEnd", "beforeShellExecution"
)
_OPENCODE_EVENTS = _map_event_names(
    "chat.message",
    "session.created",
    "session.idle",
    "experimental.session.compacting",
    "",
    "tool.execute.before",
)

#: In the order in which transcripts are recognised; a payload belongs to the first row whose
#: `is_sender` accepts it.
ROWS = (
    OpenClawRow("openclaw", {}, shows_notices=False, can_ask=True),
    CursorRow("cursor", _CURSOR_EVENTS, shows_notices=False),
    PluginRow("opencode", _OPENCODE_EVENTS, shows_notices=False),
    CodexRow("codex", _CLAUDE_EVENTS),
    QwenCodeRow("qwen-code", _CLAUDE_EVENTS, can_ask=True),
    GeminiCliRow("gemini-cli", _GEMINI_EVENTS),
    ClaudeCodeRow("claude-code", _CLAUDE_EVENTS, can_ask=True, takes_tool_notes=True),
)
BY_NAME = {row.name: row for row in ROWS}
#: Instruction files that an agent puts into its context by itself: in its folder and the folders
#: above, and in the user's own folder.
_INSTRUCTIONS = {
    "claude-code": (("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"), ".claude/CLAUDE.md"),
    "codex": (("AGENTS.md", "AGENTS.override.md"), ".codex/AGENTS.md"),
    "gemini-cli": (("GEMINI.md",), ".gemini/GEMINI.md"),
    "qwen-code": (("QWEN.md", "AGENTS.md"), ".qwen/QWEN.md"),
    "opencode": (("AGENTS.md", "CLAUDE.md"), ".config/opencode/AGENTS.md"),
    "cursor": (("AGENTS.md", ".cursorrules"), ""),
    "openclaw": (("AGENTS.md", "MEMORY.md", "USER.md"), ""),
}
#: Names of the agents as people read them.
NAMES = tuple(sorted(BY_NAME))
#: The agents that call `gieok hook`.
HOOKED = {name: BY_NAME[name] for name in NAMES if BY_NAME[name].events}


def detect_agent(payload: Payload) -> AgentRow:
    """Return the agent that a payload comes from."""
    return next(row for row in ROWS if row.is_sender(payload))


def read_payload_text(payload: Payload, name: str) -> str:
    """Return a field that should be text; '' where it is missing or something else."""
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def read_payload_session(payload: Payload) -> str:
    """Return the session's identifier; Cursor calls it a conversation."""
    return read_payload_text(payload, "session_id") or read_payload_text(payload, "conversation_id")


def folder_of(payload: Payload) -> str:
    """Return the folder that the agent works in; '' where it does not say."""
    roots = payload.get("workspace_roots")
    if isinstance(roots, list) and roots and isinstance(roots[0], str):
        return read_payload_text(payload, "cwd") or roots[0]
    return read_payload_text(payload, "cwd")


def fold_folder_path(folder: str) -> str:
    """Return a folder's path in the form in which Claude Code uses it as a folder name."""
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in folder)


def instructions(agent: str, folder: str, user: str) -> list[str]:
    """Return the instruction files that an agent in a folder may have read.

    Folders above are included up to the top of the repository.
    """
    names, own = _INSTRUCTIONS.get(agent, ((), ""))
    files = [os.path.join(user, own)] if own else []
    if agent == "claude-code":  # its own notes, of which it reads the first 200 lines
        files.append(
            os.path.join(
                user, ".claude", "projects", fold_folder_path(folder), "memory", "MEMORY.md"
            )
        )
    while names:
        files += [os.path.join(folder, name) for name in names]
        above = os.path.dirname(folder)
        if folder in (above, user) or os.path.lexists(os.path.join(folder, ".git")):
            break
        folder = above
    return files


def output(row: AgentRow, event: str, context: str, notice: str = "") -> Payload:
    """Return the payload that the agent accepts.

    `context` is put before the model, `notice` is shown to the person. The payload has no further
    keys: Codex rejects them. Where an agent shows no notices, the caller puts them into the context
    (`hook.inject`).
    """
    shown: Payload = {"systemMessage": notice} if notice and row.shows_notices else {}
    if not context:
        return shown
    return {**shown, **row.build_answer(row.events.get(event, event), context)}
