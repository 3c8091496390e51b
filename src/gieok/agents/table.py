"""Table of the supported agents, with their hook events and answers.

Adding an agent takes one row here and one file. Everything else about an agent stands in
`gieok.agents.<name>` (see `gieok.agents.agent`). The hook imports this module and has 20 ms, so
this module imports only what the interpreter has loaded already.

Source: facts recorded from Claude Code 2.1.330, Codex CLI 0.169.0, Gemini CLI 0.61.0, Qwen Code
0.24.4, opencode 1.18.33, GitHub Copilot CLI 1.0.102, Hermes Agent 0.19.0, pi 0.74.2, Kilo CLI
7.7.9 and Kimi Code 2.1.0; documentation of Cursor 3 and of VS Code.
"""

import json
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
    PRE_COMPACT: "read the transcript before it is compacted, and tell what to keep",
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
    next step. `runs_foreign_hooks`: the agent also runs the hooks that another agent's settings
    hold, so that one prompt may call Gieok twice. `starts_at_prompt`: the agent drops the answer at
    a session's start, which then comes with the first prompt. `search`: what the agent looks
    something up with, once Gieok is installed in it.
    """

    __slots__ = (
        "can_ask",
        "events",
        "name",
        "search",
        "shows_notices",
        "starts_at_prompt",
        "takes_tool_notes",
    )

    runs_foreign_hooks = False

    def __init__(
        self,
        name: str,
        events: Mapping[str, str],
        *,
        shows_notices: bool = True,
        can_ask: bool = False,
        starts_at_prompt: bool = False,
        takes_tool_notes: bool = False,
        search: str = "`gieok search`",
    ) -> None:
        self.name = name
        self.events = events
        self.shows_notices = shows_notices
        self.can_ask = can_ask
        self.takes_tool_notes = takes_tool_notes
        self.starts_at_prompt = starts_at_prompt
        self.search = search

    @property
    def called_events(self) -> frozenset[str]:
        """Return the events of Gieok's that the agent or a plugin in it calls."""
        return frozenset(self.events)

    def is_sender(self, payload: Payload) -> bool:
        """Return whether a payload is the agent's, where `--agent` does not name the agent."""
        return payload.get("hook_event_name") in self.events.values()

    def build_answer(self, native: str, context: str) -> Payload:
        """Return the answer to a native event that puts a text before the model."""
        return {"hookSpecificOutput": {"hookEventName": native, "additionalContext": context}}

    def format_summary_hint(self, context: str) -> str:
        """Return what to print before a compaction for the host's summary; '' where none is taken.

        Most hosts only tell that they compact, and some reject an answer.
        """
        del context
        return ""

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

    def format_summary_hint(self, context: str) -> str:
        """Return the bare text, which Claude Code adds to the instructions for its summary.

        Seen in 2.1.197: the text stands below "Additional Instructions".
        """
        return context


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


class ForeignHookRow(AgentRow):
    """Host that also runs the hooks of other agents.

    `variable` is one of its own in the environment of its hooks, '' where none tells. The variable
    alone does not tell either: an agent that the host starts inherits it.
    """

    __slots__ = ()
    runs_foreign_hooks = True
    variable = ""

    def is_running(self, payload: Payload, environment: Mapping[str, str]) -> bool:
        """Return whether the host runs a hook that was installed for another agent."""
        is_here = not self.variable or bool(environment.get(self.variable))
        return is_here and self.is_sender(payload)


class CopilotCliRow(ForeignHookRow):
    """GitHub Copilot CLI, which takes context as a member of the answer itself."""

    __slots__ = ()
    variable = "COPILOT_CLI"

    def is_sender(self, payload: Payload) -> bool:
        """Return whether a payload has a time, and no transcript but one of Copilot's own.

        Only its event at the end of a turn names the transcript.
        """
        path = read_payload_text(payload, "transcript_path").replace("\\", "/")
        is_own = not path or "/session-state/" in path
        return is_own and "timestamp" in payload and "permission_mode" not in payload

    def build_answer(self, native: str, context: str) -> Payload:
        """Return the context as `additionalContext`."""
        del native
        return {"additionalContext": context}


class KimiCodeRow(AgentRow):
    """Kimi Code, which puts a message before the model and any other JSON as it is written."""

    __slots__ = ()

    def is_sender(self, payload: Payload) -> bool:
        """Return whether a payload names Kimi Code as its client."""
        return payload.get("client_type") == "kimi_code_cli"

    def build_answer(self, native: str, context: str) -> Payload:
        """Return the context as a message."""
        del native
        return {"message": context}


class EditorRow(ForeignHookRow):
    """VS Code, which runs the hooks of Copilot CLI and of Claude Code."""

    __slots__ = ()

    def is_sender(self, payload: Payload) -> bool:
        """Return whether a payload names its event in VS Code's field alone."""
        is_camel = "hookEventName" in payload and "hook_event_name" not in payload
        return is_camel and "sessionId" in payload and "transcriptPath" not in payload


class GrokBuildRow(ForeignHookRow):
    """Grok Build, which runs the hooks of Claude Code and of Cursor."""

    __slots__ = ()
    variable = "GROK_HOOK_NAME"

    def is_sender(self, payload: Payload) -> bool:
        """Return whether a payload names its event both in Grok's way and in Claude Code's."""
        native = read_payload_text(payload, "hookEventName")
        return native.islower() and "workspaceRoot" in payload and "hook_event_name" in payload


class PluginRow(AgentRow):
    """Agent whose plugin of Gieok's calls `gieok hook`."""

    __slots__ = ()

    def format_summary_hint(self, context: str) -> str:
        """Return the context for the plugin, which adds it to what the host summarises by."""
        if not context:
            return ""
        return json.dumps(self.build_answer("", context), ensure_ascii=False)

    def build_answer(self, native: str, context: str) -> Payload:
        """Return the context alone, whatever the event is."""
        del native
        return {"additional_context": context}

    def build_gate_answer(self, native: str, *, asks: bool, reason: str) -> Payload:
        """Return what the plugin makes the agent's own answer of."""
        del native
        return {"decision": "ask" if asks else "deny", "reason": reason}


class KiloRow(PluginRow):
    """Kilo, which has opencode's events and a database of its own."""

    __slots__ = ()

    def is_sender(self, payload: Payload) -> bool:
        """Return whether a payload names Kilo's database."""
        path = read_payload_text(payload, "transcript_path").replace("\\", "/")
        return path.endswith("/kilo/kilo.db") and super().is_sender(payload)


class OpenClawRow(PluginRow):
    """OpenClaw, whose agents have a scope each; its settings hold no hook."""

    __slots__ = ()

    @property
    def called_events(self) -> frozenset[str]:
        """Return the events that Gieok's plugin in OpenClaw calls."""
        return frozenset((PROMPT, SESSION_START, PRE_TOOL))

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
_HERMES_EVENTS = _map_event_names(
    "prefetch",
    "system_prompt_block",
    "sync_turn",
    "on_pre_compress",
    "on_session_end",
    "pre_tool_call",
)
_PI_EVENTS = _map_event_names(
    "before_agent_start",
    "session_start",
    "agent_end",
    "session_before_compact",
    "session_shutdown",
    "tool_call",
)
# VS Code takes no context before a prompt, and Grok Build takes none at all; what both write of a
# conversation is not read. Grok Build runs a tool that it was told to ask about where its user
# approves everything.
_EDITOR_EVENTS = _map_event_names("", "SessionStart", "", "", "", "PreToolUse")
_GROK_EVENTS = _map_event_names("", "", "", "", "", "PreToolUse")

#: What an agent looks something up with: its install brings a command, a skill, a tool of a plugin,
#: or the tool of the MCP server.
_COMMAND, _FLAT_COMMAND = "/memory:search", "/memory-search"
_SKILL, _TOOL = "the skill `memory-search`", "the tool `memory_search`"
_MCP = "the tool `memory_search` or `gieok search`"

#: In the order in which transcripts are recognised; a payload belongs to the first row whose
#: `is_sender` accepts it.
ROWS = (
    PluginRow(
        "pi", _PI_EVENTS, shows_notices=False, can_ask=True, takes_tool_notes=True, search=_TOOL
    ),
    OpenClawRow("openclaw", {}, shows_notices=False, can_ask=True, search=_TOOL),
    CursorRow("cursor", _CURSOR_EVENTS, shows_notices=False, search=_FLAT_COMMAND),
    KiloRow(
        "kilo", _OPENCODE_EVENTS, shows_notices=False, takes_tool_notes=True, search=_FLAT_COMMAND
    ),
    PluginRow(
        "opencode",
        _OPENCODE_EVENTS,
        shows_notices=False,
        takes_tool_notes=True,
        search=_FLAT_COMMAND,
    ),
    PluginRow("hermes", _HERMES_EVENTS, shows_notices=False, search=_MCP),
    KimiCodeRow(
        "kimi-code", _CLAUDE_EVENTS, shows_notices=False, starts_at_prompt=True, search=_MCP
    ),
    CodexRow("codex", _CLAUDE_EVENTS, search=_MCP),
    QwenCodeRow("qwen-code", _CLAUDE_EVENTS, can_ask=True, search=_COMMAND),
    CopilotCliRow("copilot-cli", _CLAUDE_EVENTS, shows_notices=False, can_ask=True, search=_SKILL),
    GeminiCliRow("gemini-cli", _GEMINI_EVENTS, search=_COMMAND),
    ClaudeCodeRow(
        "claude-code", _CLAUDE_EVENTS, can_ask=True, takes_tool_notes=True, search=_COMMAND
    ),
)
BY_NAME = {row.name: row for row in ROWS}
#: Hosts that run hooks of other agents. VS Code reads Copilot CLI's hooks and is known by its name;
#: Grok Build has no install of its own.
_GUESTS = (
    EditorRow("copilot-cli", _EDITOR_EVENTS, can_ask=True),
    GrokBuildRow("grok", _GROK_EVENTS),
    *(row for row in ROWS if isinstance(row, ForeignHookRow)),
)
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
    "copilot-cli": (("AGENTS.md", ".github/copilot-instructions.md", "CLAUDE.md"), ""),
    "kilo": (("AGENTS.md", "CLAUDE.md"), ".config/kilo/AGENTS.md"),
    "pi": (("AGENTS.md", "CLAUDE.md"), ".pi/agent/AGENTS.md"),
    "hermes": (("AGENTS.md",), ".hermes/SOUL.md"),
    "kimi-code": (("AGENTS.md",), ""),
}
#: Tools of agents that plan, ask the user or look for files, and do nothing themselves.
_TALKING_TOOLS = {
    "claude-code": (
        "TaskOutput TaskCreate TaskUpdate TaskGet TaskList TodoWrite TodoRead EnterPlanMode "
        "ExitPlanMode AskUserQuestion ToolSearch Glob Grep LS"
    ),
    "codex": "update_plan request_user_input",
    "opencode": "todowrite todoread question glob grep list",
    "gemini-cli": (
        "write_todos save_memory glob grep_search search_file_content list_directory ask_user "
        "exit_plan_mode"
    ),
    "qwen-code": "todo_write save_memory exit_plan_mode",
}
#: Agent → the variable that its session sets for the programs that it starts.
_SESSION_VARIABLES = {
    "claude-code": "CLAUDECODE",
    "codex": "CODEX_THREAD_ID",
    "gemini-cli": "GEMINI_CLI",
    "copilot-cli": CopilotCliRow.variable,
}
#: Names of the agents as people read them.
NAMES = tuple(sorted(BY_NAME))
#: The agents that call `gieok hook`.
HOOKED = {name: BY_NAME[name] for name in NAMES if BY_NAME[name].events}


def detect_agent(payload: Payload) -> AgentRow:
    """Return the agent that a payload comes from."""
    return next(row for row in ROWS if row.is_sender(payload))


def find_calling_agent(name: str, payload: Payload, environment: Mapping[str, str]) -> AgentRow:
    """Return the agent that runs the hook.

    That is the agent for which the hook was installed (`name`), unless the payload and the
    environment are those of a host that runs the hooks of others; without a name the payload tells.
    """
    # A hook that was installed elsewhere is called by an event of Claude Code's, and Cursor alone
    # has conversations: what a host started sends what is its own.
    native = payload.get("hook_event_name", payload.get("hookEventName"))
    if native in _CLAUDE_EVENTS.values() and "conversation_id" not in payload:
        for row in _GUESTS:
            if row.is_running(payload, environment):
                return row
    return BY_NAME.get(name) or detect_agent(payload)


def find_session_agent(environment: Mapping[str, str]) -> str:
    """Return the agent whose session started a program with this environment; '' for none known."""
    return next((name for name, known in _SESSION_VARIABLES.items() if environment.get(known)), "")


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


def only_talks(tool: str) -> bool:
    """Return whether a tool, by its name, plans, asks or looks for files, and does nothing."""
    return any(tool in names.split() for names in _TALKING_TOOLS.values())


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
