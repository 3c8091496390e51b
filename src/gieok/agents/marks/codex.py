"""Marks of Codex.

Newer versions say of each text where it comes from; older versions wrap texts that are not the
user's.
"""

from functools import partial

from gieok.agents.marks.mark import SAID, Mark, Speaker, SpeakerKind, build_program_text

_HOST = "codex"
_PERSON, _PROGRAM, _AGENT = Speaker.PERSON, Speaker.PROGRAM, Speaker.AGENT


def _build_codex_meta(**payload: object) -> dict[str, object]:
    return {"type": "session_meta", "payload": {"id": "s", **payload}}


_HEADS = (
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="payload.thread_source",
        speaker=_AGENT,
        example=_build_codex_meta(thread_source="subagent"),
        counter=_build_codex_meta(thread_source="user"),
        values=("subagent", "review", "automation"),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="payload.source.subagent",
        speaker=_AGENT,
        example=_build_codex_meta(source={"subagent": "review"}),
        counter=_build_codex_meta(source="cli"),
        values=("*",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="payload.source",
        speaker=_PROGRAM,
        example=_build_codex_meta(source="exec"),
        counter=_build_codex_meta(source="vscode"),
        values=("exec", "mcp", "sdk"),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="payload.originator",
        speaker=_PROGRAM,
        example=_build_codex_meta(originator="codex_exec"),
        counter=_build_codex_meta(originator="codex_cli_rs"),
        values=(
            "codex_exec",
            "codex_sdk_ts",
            "codex_sdk_py",
            "codex_sdk",
            "codex_mcp",
            "codex_github_action",
        ),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="payload.source",
        speaker=_PERSON,
        example=_build_codex_meta(source="cli"),
        counter=_build_codex_meta(source="exec"),
        values=("cli", "vscode", "appServer", "app_server", "desktop"),
    ),
    # Who drives the following lines, where a person continues a script's session by hand.
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="payload.turn_attribution.turn_trigger",
        speaker=_PROGRAM,
        example={
            "type": "event_msg",
            "payload": {"type": "task_started", "turn_attribution": {"turn_trigger": "exec"}},
        },
        counter={
            "type": "event_msg",
            "payload": {"type": "task_started", "turn_attribution": {"turn_trigger": "user"}},
        },
        values=("exec", "mcp", "sdk", "automation", "scheduled", "subagent", "system", "review"),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="payload.turn_attribution.turn_trigger",
        speaker=_PERSON,
        example={
            "type": "event_msg",
            "payload": {"type": "task_started", "turn_attribution": {"turn_trigger": "user"}},
        },
        counter={
            "type": "event_msg",
            "payload": {"type": "task_started", "turn_attribution": {"turn_trigger": "exec"}},
        },
        values=("user", "human", "tui", "app", "vscode", "cli"),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="payload.role",
        speaker=_PROGRAM,
        example={"type": "response_item", "payload": {"type": "message", "role": "developer"}},
        counter={"type": "response_item", "payload": {"type": "message", "role": "user"}},
        values=("developer", "system"),
    ),
)


_build_codex_whole = partial(build_program_text, _HOST)


_TEXTS = (
    _build_codex_whole(
        "Warning: apply_patch was requested via exec_command. Use the apply_patch tool instead.",
        "Warning: wet paint",
        "Warning: (?:apply_patch was requested|[Tt]he maximum number of unified exec)",
    ),
    _build_codex_whole(
        "# AGENTS.md instructions for shop\n\nUse tabs.",
        "# AGENTS.md is too long",
        "# AGENTS.md instructions",
    ),
    _build_codex_whole(
        (
            "Another language model started to solve this problem and produced a summary of its "
            "thinking process."
        ),
        "Another language model solved this.",
        "Another language model started to solve this problem and produced a summary",
    ),
    _build_codex_whole(
        "You have been running for too long. Wrap up: the following is the goal_context",
        "You have been slow.",
        "You have been running for too long",
    ),
    _build_codex_whole(
        "Continue working toward the active thread goal.\n\nGoal: tests",
        "Continue working.",
        "Continue working toward the active",
    ),
    _build_codex_whole(
        (
            "Automation: Weekly report\nAutomation ID: weekly-report\nAutomation memory: "
            "memory.md\n\nWrite the report."
        ),
        "Automation: the crates first\nThen the depot.",
        r"Automation: [^\n]*\n(?:[A-Z][^\n:]{0,40}: [^\n]*\n){0,9}Automation ID: ",
    ),
    _build_codex_whole(
        "# Context from my IDE setup:\n\n## Active file: a.ts",
        "# Context of the change",
        "# Context from my IDE setup:",
    ),
    # `! command`: the command is the person's, its output is the tool's.
    Mark(
        host=_HOST,
        kind=SpeakerKind.FRONT,
        sign=r"<user_shell_command>\s*<command>\n?(?=(?s:.*?)</command>)",
        speaker=_PROGRAM,
        example=(
            f"<user_shell_command>\n<command>\n{SAID}\n</command>\n<result>\nExit code: "
            "0\n</result>\n</user_shell_command>"
        ),
        counter="What does <user_shell_command> mean?",
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.BEHIND,
        sign=r"\n?</command>\s*(?:<result>(?s:.*))?</user_shell_command>\s*$",
        speaker=_PROGRAM,
        example=f"{SAID}\n</command>\n<result>\nnot theirs\n</result>\n</user_shell_command>",
        counter="Close it with </command>",
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FRONT,
        sign=r"# (?:Context from my IDE setup|Files mentioned by the user|In app browser|Selected "
        r"text|Applied skills"
        r"|Diff comments|Review comments|Browser comments|Attachments)\b(?s:.*)\n#+ My "
        r"request for Codex: *\n",
        speaker=_PROGRAM,
        example=(
            "# Context from my IDE setup:\n\n## Active file: src/oven.ts\n\n## My request for "
            f"Codex:\n{SAID}"
        ),
        counter="# My request\nPut my request for Codex into the page",
    ),
)


def _build_codex_block(tag: str) -> Mark:
    return Mark(
        host=_HOST,
        kind=SpeakerKind.BLOCK,
        sign=tag,
        speaker=_PROGRAM,
        example=f"<{tag}>\nnot theirs\n</{tag}>\n{SAID}",
        counter=f"What does <{tag}> mean?",
    )


_BLOCKS = (
    Mark(
        host=_HOST,
        kind=SpeakerKind.BLOCK,
        sign="send_user_message_question_reply",
        speaker=_PERSON,
        example=f"<send_user_message_question_reply>{SAID}</send_user_message_question_reply>",
        counter="A <send_user_message_question_reply>?",
    ),
    *map(
        _build_codex_block,
        (
            *(
                "environment_context user_instructions turn_aborted collaboration_mode "
                "skills_instructions"
            ).split(),
            "user_shell_command",
            *(
                "subagent_notification skill hook_prompt hook_context plugins_instructions "
                "apps_instructions"
            ).split(),
            *(
                "realtime_conversation goal_context user_action memory_context personality_spec "
                "INSTRUCTIONS"
            ).split(),
            "model_switch",
            "permissions instructions",
        ),
    ),
)
_REST = (
    Mark(
        host=_HOST,
        kind=SpeakerKind.ANSWER,
        sign="request_user_input",
        speaker=_PERSON,
        example='{"answers": {"hours": {"answers": ["' + SAID + '"]}}}',
        counter='{"output": "ok"}',
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.REASON,
        sign=(
            r"(?:exec command |patch |tool call )?rejected by user[:,] *(?:with feedback:? "
            r"*)?\n?(?P<said>.+)$"
        ),
        speaker=_PERSON,
        example=f"rejected by user: {SAID}",
        counter="exec command rejected by user",
    ),
)

MARKS = (*_HEADS, *_TEXTS, *_BLOCKS, *_REST)
