"""How each coding agent calls a hook and what it accepts back, as data. Imported by the hook: see the package.

Source: facts recorded from Claude Code 2.1.330 and Codex CLI 0.169.0; documentation of Gemini CLI 0.61 and Cursor 3.
"""

PROMPT, SESSION_START, STOP, PRE_COMPACT, SESSION_END = "prompt", "session-start", "stop", "pre-compact", "session-end"
#: What can be asked of `gieok hook`, with what it does.
EVENTS = {
    PROMPT: ("put what is remembered in front of a prompt", "프롬프트 앞에 기억을 놓음"),
    SESSION_START: ("tell a new session what is known about the project", "새 세션에 프로젝트의 기억을 알림"),
    STOP: ("note where the transcript of a turn is", "차례가 끝난 대화 기록의 자리를 적음"),
    PRE_COMPACT: ("note where the transcript is before it is compacted", "압축 전에 대화 기록의 자리를 적음"),
    SESSION_END: ("note where the transcript of an ended session is", "끝난 세션의 대화 기록의 자리를 적음"),
}
CLAUDE_CODE, CODEX, GEMINI_CLI, CURSOR = "claude-code", "codex", "gemini-cli", "cursor"

_CLAUDE_NAMES = {
    PROMPT: "UserPromptSubmit", SESSION_START: "SessionStart", STOP: "Stop", PRE_COMPACT: "PreCompact",
    SESSION_END: "SessionEnd",
}  # fmt: skip
#: agent → our event → the agent's own name for it.
NATIVE = {
    CLAUDE_CODE: _CLAUDE_NAMES,
    CODEX: _CLAUDE_NAMES,
    GEMINI_CLI: {
        PROMPT: "BeforeAgent", SESSION_START: "SessionStart", STOP: "AfterAgent", PRE_COMPACT: "PreCompress",
        SESSION_END: "SessionEnd",
    },
    CURSOR: {
        PROMPT: "beforeSubmitPrompt", SESSION_START: "sessionStart", STOP: "stop", PRE_COMPACT: "preCompact",
        SESSION_END: "sessionEnd",
    },
}  # fmt: skip


def detect(payload: dict[str, object]) -> str:
    """Return which agent a payload comes from. Codex imitates Claude Code but always names its model at first level."""
    event = str(payload.get("hook_event_name", ""))
    if "conversation_id" in payload or "workspace_roots" in payload or event in NATIVE[CURSOR].values():
        return CURSOR
    if event in ("BeforeAgent", "AfterAgent", "PreCompress") or "timestamp" in payload:
        return GEMINI_CLI
    if "turn_id" in payload or "/.codex/" in str(payload.get("transcript_path") or "").replace("\\", "/"):
        return CODEX
    return CLAUDE_CODE


def text_of(payload: dict[str, object], name: str) -> str:
    """Return a field that should be text; '' where it is missing or something else."""
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def session_of(payload: dict[str, object]) -> str:
    """Return the session's identifier; Cursor calls it a conversation."""
    return text_of(payload, "session_id") or text_of(payload, "conversation_id")


def folder_of(payload: dict[str, object]) -> str:
    """Return the folder that the agent works in; '' where it does not say."""
    roots = payload.get("workspace_roots")
    if isinstance(roots, list) and roots and isinstance(roots[0], str):
        return text_of(payload, "cwd") or roots[0]
    return text_of(payload, "cwd")


def output(agent: str, event: str, context: str, notice: str = "") -> dict[str, object]:
    """Return what the agent accepts: `context` is put before the model, `notice` shown to the person.

    Codex allows no key more than these. Cursor shows nothing to a person when a session starts: see `inject.pass_on`.
    """
    shown: dict[str, object] = {"systemMessage": notice} if notice and agent != CURSOR else {}
    if not context:
        return shown
    if agent == CURSOR:
        # beforeSubmitPrompt may only block, by its documents; some versions take the context all the same.
        return (
            {"additional_context": context}
            if event == SESSION_START
            else {"continue": True, "additional_context": context}
        )
    return {**shown, "hookSpecificOutput": {"hookEventName": NATIVE[agent][event], "additionalContext": context}}
