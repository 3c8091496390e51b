"""Marks of Codex. Newer versions say of each text where it comes from; older ones wrap what is not
the user's.
"""

from gieok.agents.marks.mark import SAID, Kind, Mark, Speaker

_HOST = "codex"
_PERSON, _PROGRAM, _AGENT = Speaker.PERSON, Speaker.PROGRAM, Speaker.AGENT


def _meta(**payload: object) -> dict[str, object]:
    return {"type": "session_meta", "payload": {"id": "s", **payload}}


_HEADS = (
    Mark(
        _HOST,
        Kind.HEAD,
        "payload.thread_source",
        _AGENT,
        _meta(thread_source="subagent"),
        _meta(thread_source="user"),
        ("subagent", "review", "automation"),
    ),
    Mark(
        _HOST,
        Kind.HEAD,
        "payload.source.subagent",
        _AGENT,
        _meta(source={"subagent": "review"}),
        _meta(source="cli"),
        ("*",),
    ),
    Mark(
        _HOST,
        Kind.HEAD,
        "payload.source",
        _PROGRAM,
        _meta(source="exec"),
        _meta(source="vscode"),
        ("exec", "mcp", "sdk"),
    ),
    Mark(
        _HOST,
        Kind.HEAD,
        "payload.originator",
        _PROGRAM,
        _meta(originator="codex_exec"),
        _meta(originator="codex_cli_rs"),
        (
            "codex_exec",
            "codex_sdk_ts",
            "codex_sdk_py",
            "codex_sdk",
            "codex_mcp",
            "codex_github_action",
        ),
    ),
    Mark(
        _HOST,
        Kind.HEAD,
        "payload.source",
        _PERSON,
        _meta(source="cli"),
        _meta(source="exec"),
        ("cli", "vscode", "appServer", "app_server", "desktop"),
    ),
    # Who drives what follows, where a script's session is gone on with by hand.
    Mark(
        _HOST,
        Kind.HEAD,
        "payload.turn_attribution.turn_trigger",
        _PROGRAM,
        {
            "type": "event_msg",
            "payload": {"type": "task_started", "turn_attribution": {"turn_trigger": "exec"}},
        },
        {
            "type": "event_msg",
            "payload": {"type": "task_started", "turn_attribution": {"turn_trigger": "user"}},
        },
        ("exec", "mcp", "sdk", "automation", "scheduled", "subagent", "system", "review"),
    ),
    Mark(
        _HOST,
        Kind.HEAD,
        "payload.turn_attribution.turn_trigger",
        _PERSON,
        {
            "type": "event_msg",
            "payload": {"type": "task_started", "turn_attribution": {"turn_trigger": "user"}},
        },
        {
            "type": "event_msg",
            "payload": {"type": "task_started", "turn_attribution": {"turn_trigger": "exec"}},
        },
        ("user", "human", "tui", "app", "vscode", "cli"),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "payload.role",
        _PROGRAM,
        {"type": "response_item", "payload": {"type": "message", "role": "developer"}},
        {"type": "response_item", "payload": {"type": "message", "role": "user"}},
        ("developer", "system"),
    ),
)


def _whole(example: str, counter: str, sign: str) -> Mark:
    return Mark(_HOST, Kind.WHOLE, sign, _PROGRAM, example, counter)


_TEXTS = (
    _whole(
        "Warning: apply_patch was requested via exec_command. Use the apply_patch tool instead.",
        "Warning: wet paint",
        "Warning: (?:apply_patch was requested|[Tt]he maximum number of unified exec)",
    ),
    _whole(
        "# AGENTS.md instructions for shop\n\nUse tabs.",
        "# AGENTS.md is too long",
        "# AGENTS.md instructions",
    ),
    _whole(
        (
            "Another language model started to solve this problem and produced a summary of its "
            "thinking process."
        ),
        "Another language model solved this.",
        "Another language model started to solve this problem and produced a summary",
    ),
    _whole(
        "You have been running for too long. Wrap up: the following is the goal_context",
        "You have been slow.",
        "You have been running for too long",
    ),
    _whole(
        "Continue working toward the active thread goal.\n\nGoal: tests",
        "Continue working.",
        "Continue working toward the active",
    ),
    _whole(
        (
            "Automation: Weekly report\nAutomation ID: weekly-report\nAutomation memory: "
            "memory.md\n\nWrite the report."
        ),
        "Automation: the crates first\nThen the depot.",
        r"Automation: [^\n]*\n(?:[A-Z][^\n:]{0,40}: [^\n]*\n){0,9}Automation ID: ",
    ),
    _whole(
        "# Context from my IDE setup:\n\n## Active file: a.ts",
        "# Context of the change",
        "# Context from my IDE setup:",
    ),
    # `! command`: what was typed is the person's, what it printed is the tool's.
    Mark(
        _HOST,
        Kind.FRONT,
        r"<user_shell_command>\s*<command>\n?(?=(?s:.*?)</command>)",
        _PROGRAM,
        (
            f"<user_shell_command>\n<command>\n{SAID}\n</command>\n<result>\nExit code: "
            f"0\n</result>\n</user_shell_command>"
        ),
        "What does <user_shell_command> mean?",
    ),
    Mark(
        _HOST,
        Kind.BEHIND,
        r"\n?</command>\s*(?:<result>(?s:.*))?</user_shell_command>\s*$",
        _PROGRAM,
        f"{SAID}\n</command>\n<result>\nnot theirs\n</result>\n</user_shell_command>",
        "Close it with </command>",
    ),
    Mark(
        _HOST,
        Kind.FRONT,
        r"# (?:Context from my IDE setup|Files mentioned by the user|In app browser|Selected "
        r"text|Applied skills"
        r"|Diff comments|Review comments|Browser comments|Attachments)\b(?s:.*)\n#+ My "
        r"request for Codex: *\n",
        _PROGRAM,
        (
            f"# Context from my IDE setup:\n\n## Active file: src/oven.ts\n\n## My request for "
            f"Codex:\n{SAID}"
        ),
        "# My request\nPut my request for Codex into the page",
    ),
)


def _block(tag: str) -> Mark:
    return Mark(
        _HOST,
        Kind.BLOCK,
        tag,
        _PROGRAM,
        f"<{tag}>\nnot theirs\n</{tag}>\n{SAID}",
        f"What does <{tag}> mean?",
    )


_BLOCKS = (
    Mark(
        _HOST,
        Kind.BLOCK,
        "send_user_message_question_reply",
        _PERSON,
        f"<send_user_message_question_reply>{SAID}</send_user_message_question_reply>",
        "A <send_user_message_question_reply>?",
    ),
    *map(
        _block,
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
        _HOST,
        Kind.ANSWER,
        "request_user_input",
        _PERSON,
        '{"answers": {"hours": {"answers": ["' + SAID + '"]}}}',
        '{"output": "ok"}',
    ),
    Mark(
        _HOST,
        Kind.REASON,
        (
            r"(?:exec command |patch |tool call )?rejected by user[:,] *(?:with feedback:? "
            r"*)?\n?(?P<said>.+)$"
        ),
        _PERSON,
        f"rejected by user: {SAID}",
        "exec command rejected by user",
    ),
)

MARKS = (*_HEADS, *_TEXTS, *_BLOCKS, *_REST)
