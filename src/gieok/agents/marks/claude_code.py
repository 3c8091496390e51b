"""Marks of Claude Code, in the order in which they decide.

Since 2.1.2xx each prompt says where it comes from (`origin.kind`, `turnOrigin`, `promptSource`),
and every version says which program was started (`entrypoint`). The source `sdk` alone does not
mark a program: the windows of an editor use it too.
"""

from functools import partial

from gieok.agents.marks.mark import SAID, SOMETHING, Mark, Speaker, SpeakerKind, build_program_text

_HOST = "claude-code"
_PERSON, _PROGRAM, _AGENT = Speaker.PERSON, Speaker.PROGRAM, Speaker.AGENT
_USER = {"type": "user"}
_WINDOWS = (
    "claude-desktop",
    "claude-vscode",
    "claude-jetbrains",
    "claude-web",
    "claude-mobile",
    "remote",
    "remote_mobile",
)
_SCRIPTS = (
    "sdk-cli",
    "sdk-ts",
    "sdk-py",
    "sdk",
    "mcp",
    "claude-code-github-action",
    "github-action",
    "local-agent",
)
_FIELDS = (
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="isSidechain",
        speaker=_AGENT,
        example={**_USER, "isSidechain": True},
        counter={**_USER, "isSidechain": False},
        values=("true",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="origin.kind",
        speaker=_PERSON,
        example={**_USER, "isMeta": True, "origin": {"kind": "channel"}},
        counter={**_USER, "isMeta": True},
        values=("channel",),
    ),
    # The expansion of a skill, the text of an accepted plan, and texts sent in the person's place.
    *(
        Mark(
            host=_HOST,
            kind=SpeakerKind.FIELD,
            sign=name,
            speaker=_PROGRAM,
            example={**_USER, name: "x"},
            counter={**_USER, name: ""},
            values=(SOMETHING,),
        )
        for name in ("sourceToolUseID", "planContent", "isSynthetic", "isVirtual")
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="isMeta",
        speaker=_PROGRAM,
        example={**_USER, "isMeta": True},
        counter={**_USER, "isMeta": False},
        values=("true",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="isCompactSummary",
        speaker=_PROGRAM,
        example={**_USER, "isCompactSummary": True},
        counter={**_USER, "promptSource": "typed"},
        values=("true",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="isVisibleInTranscriptOnly",
        speaker=_PROGRAM,
        example={**_USER, "isVisibleInTranscriptOnly": True},
        counter={**_USER, "promptSource": "typed"},
        values=("true",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="attachment.commandMode",
        speaker=_PROGRAM,
        example={
            "type": "attachment",
            "attachment": {"type": "queued_command", "commandMode": "task-notification"},
        },
        counter={
            "type": "attachment",
            "attachment": {"type": "queued_command", "commandMode": "prompt"},
        },
        values=("task-notification", "bash", "notification", "hook", "channel-notification"),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="attachment.origin.kind",
        speaker=_PERSON,
        example={"type": "attachment", "attachment": {"origin": {"kind": "human"}}},
        counter={"type": "attachment", "attachment": {"origin": {"kind": "peer"}}},
        values=("human", "channel"),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="attachment.origin.kind",
        speaker=_PROGRAM,
        example={"type": "attachment", "attachment": {"origin": {"kind": "coordinator"}}},
        counter={"type": "attachment", "attachment": {"commandMode": "prompt"}},
        values=(SOMETHING,),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="attachment.isMeta",
        speaker=_PROGRAM,
        example={"type": "attachment", "attachment": {"isMeta": True}},
        counter={"type": "attachment", "attachment": {}},
        values=("true",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="origin.kind",
        speaker=_PERSON,
        example={**_USER, "entrypoint": "sdk-ts", "origin": {"kind": "human"}},
        counter={**_USER, "origin": {"kind": "peer"}},
        values=("human",),
    ),
    # task-notification, peer, coordinator, plugin, auto-continuation, cron, loop, and future
    # values.
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="origin.kind",
        speaker=_PROGRAM,
        example={**_USER, "origin": {"kind": "task-notification"}},
        counter={**_USER, "origin": {"kind": "human"}},
        values=(SOMETHING,),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="turnOrigin",
        speaker=_PERSON,
        example={**_USER, "turnOrigin": "human"},
        counter={**_USER, "turnOrigin": "scheduled"},
        values=("human",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="turnOrigin",
        speaker=_PROGRAM,
        example={**_USER, "turnOrigin": "scheduled", "entrypoint": "cli"},
        counter={**_USER, "turnOrigin": "human"},
        values=("peer", "task_notification", "scheduled", "system", "auto_continuation", "tool"),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="promptSource",
        speaker=_PERSON,
        example={**_USER, "promptSource": "typed"},
        counter={**_USER, "promptSource": "system"},
        values=("typed", "queued", "suggestion_accepted"),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="promptSource",
        speaker=_PROGRAM,
        example={**_USER, "promptSource": "system"},
        counter={**_USER, "promptSource": "queued"},
        values=("system",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="entrypoint",
        speaker=_PERSON,
        example={**_USER, "entrypoint": "claude-vscode", "promptSource": "sdk"},
        counter={**_USER, "entrypoint": "sdk-cli"},
        values=_WINDOWS,
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="entrypoint",
        speaker=_PROGRAM,
        example={**_USER, "entrypoint": "sdk-cli"},
        counter={**_USER, "entrypoint": "cli"},
        values=_SCRIPTS,
    ),
    # Lines of the queue state no entry point; the lines around them do.
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="entrypoint",
        speaker=_PROGRAM,
        example={**_USER, "entrypoint": "sdk-py"},
        counter={**_USER, "entrypoint": "cli"},
        values=_SCRIPTS,
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="entrypoint",
        speaker=_PERSON,
        example={**_USER, "entrypoint": "cli"},
        counter={**_USER, "entrypoint": "sdk-ts"},
        values=("*",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="promptSource",
        speaker=_PROGRAM,
        example={**_USER, "promptSource": "sdk", "entrypoint": "cli"},
        counter={**_USER, "promptSource": "sdk", "entrypoint": "claude-desktop"},
        values=("sdk",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="turnOrigin",
        speaker=_PROGRAM,
        example={**_USER, "turnOrigin": "sdk"},
        counter={**_USER, "turnOrigin": "sdk", "entrypoint": "claude-vscode"},
        values=("sdk",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.REPLY,
        sign="isApiErrorMessage",
        speaker=_PROGRAM,
        example={"type": "assistant", "isApiErrorMessage": True},
        counter={"type": "assistant"},
        values=("true",),
    ),
    # The model name of messages that no model wrote, such as "No response requested."
    Mark(
        host=_HOST,
        kind=SpeakerKind.REPLY,
        sign="message.model",
        speaker=_PROGRAM,
        example={"type": "assistant", "message": {"model": "<synthetic>"}},
        counter={"type": "assistant", "message": {"model": "claude-opus-5-5"}},
        values=("<synthetic>",),
    ),
)


_build_claude_whole = partial(build_program_text, _HOST)


_TEXTS = (
    Mark(
        host=_HOST,
        kind=SpeakerKind.FRONT,
        sign=r"\[Request interrupted by user[^\]\n]{0,40}\]\s*",
        speaker=_PROGRAM,
        example=f"[Request interrupted by user for tool use]\n{SAID}",
        counter="Why was the request interrupted?",
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FRONT,
        sign=r"\[Image: source: [^\]\n]{1,1000}\]\s*",
        speaker=_PROGRAM,
        example=f"[Image: source: shots/a.png]\n{SAID}",
        counter="[Image of the depot] is broken",
    ),
    _build_claude_whole(
        "Implement the following plan:\n\n# Move the crates",
        "Implement the following plan: move the crates",
        r"Implement the following plan:\s*\n\s*# ",
    ),
    _build_claude_whole(
        "Continue from where you left off.",
        "Continue from where you left off with the crates.",
        r"Continue from where you left off\.$",
    ),
    _build_claude_whole(
        "Another Claude session sent a message:\nThe build is red.",
        "Another Claude session is running.",
        "Another Claude session sent a message",
    ),
    _build_claude_whole(
        (
            "Caveat: The messages below were generated by the user while running local commands. "
            "DO NOT respond"
        ),
        "Caveat: this breaks on Fridays.",
        "Caveat: The messages below were generated by the user",
    ),
    _build_claude_whole(
        (
            "This session is being continued from a previous conversation that ran out of "
            "context. We decided …"
        ),
        "This session is about the previous conversation.",
        "This session is being continued from a previous conversation",
    ),
    _build_claude_whole(
        "Stop hook feedback:\n- run the tests",
        "Stop hook feedback is noisy.",
        r"\w+ hook feedback:",
    ),
    _build_claude_whole(
        "[SYSTEM NOTIFICATION - NOT USER INPUT]\nA build ended.",
        "[system] the build ended",
        r"\[SYSTEM NOTIFICATION",
    ),
    _build_claude_whole("<<autonomous-loop>>\nGo on.", "<< go on", "<<autonomous-loop"),
    _build_claude_whole(
        "Base directory for this skill: ~/.claude/skills/plan\n\n# Plan",
        "Base directory for the images: assets/",
        "Base directory for this skill:",
    ),
)


def _build_claude_block(
    tag: str, speaker: Speaker = _PROGRAM, values: tuple[str, ...] = ()
) -> Mark:
    counter = f"What does <{tag}> mean?"
    if speaker is _PERSON:
        return Mark(
            host=_HOST,
            kind=SpeakerKind.BLOCK,
            sign=tag,
            speaker=speaker,
            example=f"<{tag}>{SAID}</{tag}>",
            counter=counter,
            values=values,
        )
    return Mark(
        host=_HOST,
        kind=SpeakerKind.BLOCK,
        sign=tag,
        speaker=speaker,
        example=f"<{tag}>\nnot theirs\n</{tag}>\n{SAID}",
        counter=counter,
        values=values,
    )


_CHAT = (
    r"source=\"[^\"]*\b(?:telegram|discord|slack|imessage|whatsapp|signal|matrix|line|kakao"
    r"|fakechat|sms|mattermost)\b"
)
_BLOCKS = (
    Mark(
        host=_HOST,
        kind=SpeakerKind.BLOCK,
        sign="channel",
        speaker=_PERSON,
        example=f'<channel source="plugin:telegram:telegram" user="kim">{SAID}</channel>',
        counter="Which <channel> is it?",
        values=(_CHAT,),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.BLOCK,
        sign="channel",
        speaker=_PROGRAM,
        example=f'<channel source="commhub" sender="bot">not theirs</channel>{SAID}',
        counter="Which <channel> is it?",
    ),
    _build_claude_block("command-args", _PERSON),
    _build_claude_block("user-memory-input", _PERSON),
    # `! command`: the command is the person's, its output is the tool's.
    _build_claude_block("bash-input", _PERSON),
    *map(
        _build_claude_block,
        """
            system-reminder ide_opened_file ide_selection ide_diagnostics new-diagnostics
            user-prompt-submit-hook command-name command-message command-contents
            local-command-caveat local-command-stdout local-command-stderr bash-stdout
            bash-stderr task-notification teammate-message scheduled-task
            cross-session-message ci-monitor-event agent-message session-start-hook
            post-tool-use-hook mcp-resource browser-context open-and-recently-viewed-files
        """.split(),
    ),
)
_WORDLESS = """
    model clear login logout add-dir config theme vim effort fast resume continue rename
    color output-style permissions allowed-tools hooks mcp plugin plugins agents memory ide
    terminal-setup statusline cost usage context status doctor help exit quit export copy
    upgrade release-notes privacy-settings sandbox tasks bashes rewind checkpoint
    reload-plugins extra-usage install-github-app remote-control remote-env mobile desktop
    keybindings
""".split()
_REST = (
    Mark(
        host=_HOST,
        kind=SpeakerKind.SETTING,
        sign="command-args",
        speaker=_PROGRAM,
        example="<command-name>/model</command-name><command-args>opus please</command-args>",
        counter=f"<command-name>/plan</command-name><command-args>{SAID}</command-args>",
        values=tuple(_WORDLESS),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.REASON,
        sign=r"(?:The user doesn't want to (?:proceed with this tool use|take this "
        r"action)|Permission for this "
        r"tool use was denied)"
        r"[^\n]{0,300}?(?:To tell you how to proceed, t|T)he user said: *\n?"
        r"(?!\s*The user wants to clarify)(?P<said>.*?)(?:\n\nNote: The user's next message.*)?$",
        speaker=_PERSON,
        example="The user doesn't want to proceed with this tool use. The tool use was rejected "
        "(eg. "
        "if it was a "
        "file edit, the "
        "new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
        + SAID
        + (
            "\n\nNote: The user's next message may contain a correction or preference. Pay close "
            "attention"
        ),
        counter="The user doesn't want to proceed with this tool use. The tool use was rejected "
        "(eg. "
        "if it was a "
        "file edit, the "
        "new_string was NOT written to the file). STOP what you are doing and wait for the "
        "user to tell "
        "you how to proceed.",
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.REASON,
        sign=(
            r"[^\n]{0,200}(?:provided|gave) the following (?:reason for the rejection|reason"
            r"|feedback): *\n?(?P<said>.*)$"
        ),
        speaker=_PERSON,
        example=f"The user provided the following reason for the rejection: {SAID}",
        counter="The user rejected the plan and gave no reason.",
    ),
    # Text typed beside a yes or a no: "tell Claude what to do differently".
    Mark(
        host=_HOST,
        kind=SpeakerKind.BESIDE,
        sign="userFeedback",
        speaker=_PERSON,
        example={"type": "user", "userFeedback": SAID},
        counter={"type": "user", "userFeedback": ""},
        values=(SOMETHING,),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.ANSWER,
        sign="AskUserQuestion",
        speaker=_PERSON,
        example=f'User has answered your questions: "When does it open?"="{SAID}".',
        counter="The file has been updated.",
    ),
)

MARKS = (*_FIELDS, *_TEXTS, *_BLOCKS, *_REST)
