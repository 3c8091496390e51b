"""Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl`."""

from collections.abc import Sequence

from gieok.model import Role, Turn
from gieok.transcripts.session import Format, Line, Session, mapping, message, name_of, text_of, tool_call, tool_result

AGENT = "codex"

#: Written in the user's place by the program.
_SYSTEM_STARTS = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<permissions instructions>",
    "<collaboration_mode>",
)
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


def begin(name: str, first: Line) -> Session | None:
    """Recognise the `session_meta` line; a thread that another agent started is none of the user's."""
    del name
    payload = mapping(first.get("payload"))
    if first.get("type") != "session_meta" or not payload:
        return None
    source = payload.get("source")
    ignored = "a sub-agent" if payload.get("thread_source") == "subagent" or isinstance(source, dict) else ""
    identity = name_of(payload.get("id")) or name_of(payload.get("session_id"))
    return Session(id=identity, agent=AGENT, ignored=ignored, cwd=name_of(payload.get("cwd")))


def turns(session: Session, line: Line, fallback_id: str) -> Sequence[Turn]:
    """Return the messages of a `response_item`; `event_msg` lines repeat them."""
    if line.get("type") != "response_item":
        return ()
    payload, at = mapping(line.get("payload")), line.get("timestamp")
    ordinal = line.get("ordinal")
    identity = f"{session.id}/{ordinal if isinstance(ordinal, int) else fallback_id}"
    match payload.get("type"):
        case "message" if payload.get("role") in _ROLES:
            text = text_of(payload.get("content"), ("input_text", "output_text", "text"))
            said = "" if text.lstrip().startswith(_SYSTEM_STARTS) else text
            return message(session, identity, _ROLES[payload["role"]], said, at)
        case "function_call" | "custom_tool_call":
            call = tool_call(payload.get("name"), payload.get("arguments", payload.get("input")))
            return message(session, identity, Role.TOOL, call, at)
        case "local_shell_call":
            return message(session, identity, Role.TOOL, tool_call("shell", dict(mapping(payload.get("action")))), at)
        case "function_call_output" | "custom_tool_call_output":
            return message(session, identity, Role.TOOL, _output(payload.get("output")), at)
    return ()


def _output(output: object) -> str:
    found = mapping(output)
    text = (
        output if isinstance(output, str) else name_of(found.get("content")) or text_of(output, ("input_text", "text"))
    )
    return tool_result("tool", text, failed=found.get("success") is False)


FORMAT = Format(AGENT, begin, turns)
