"""Marks of Claude Code, in the order in which they decide.

Since 2.1.2xx each prompt says where it comes from (`origin.kind`, `turnOrigin`, `promptSource`),
and every version says which program was started (`entrypoint`). `sdk` as a source is no mark of a
program by itself: the windows of an editor talk through it.
"""

from gieok.agents.marks.mark import SAID, SOMETHING, Kind, Mark, Speaker

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
        _HOST,
        Kind.FIELD,
        "isSidechain",
        _AGENT,
        {**_USER, "isSidechain": True},
        {**_USER, "isSidechain": False},
        ("true",),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "origin.kind",
        _PERSON,
        {**_USER, "isMeta": True, "origin": {"kind": "channel"}},
        {**_USER, "isMeta": True},
        ("channel",),
    ),
    # What a skill expands to, what a plan was when it was agreed to, what is told in the person's
    # place.
    *(
        Mark(
            _HOST,
            Kind.FIELD,
            name,
            _PROGRAM,
            {**_USER, name: "x"},
            {**_USER, name: ""},
            (SOMETHING,),
        )
        for name in ("sourceToolUseID", "planContent", "isSynthetic", "isVirtual")
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "isMeta",
        _PROGRAM,
        {**_USER, "isMeta": True},
        {**_USER, "isMeta": False},
        ("true",),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "isCompactSummary",
        _PROGRAM,
        {**_USER, "isCompactSummary": True},
        {**_USER, "promptSource": "typed"},
        ("true",),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "isVisibleInTranscriptOnly",
        _PROGRAM,
        {**_USER, "isVisibleInTranscriptOnly": True},
        {**_USER, "promptSource": "typed"},
        ("true",),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "attachment.commandMode",
        _PROGRAM,
        {
            "type": "attachment",
            "attachment": {"type": "queued_command", "commandMode": "task-notification"},
        },
        {"type": "attachment", "attachment": {"type": "queued_command", "commandMode": "prompt"}},
        ("task-notification", "bash", "notification", "hook", "channel-notification"),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "attachment.origin.kind",
        _PERSON,
        {"type": "attachment", "attachment": {"origin": {"kind": "human"}}},
        {"type": "attachment", "attachment": {"origin": {"kind": "peer"}}},
        ("human", "channel"),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "attachment.origin.kind",
        _PROGRAM,
        {"type": "attachment", "attachment": {"origin": {"kind": "coordinator"}}},
        {"type": "attachment", "attachment": {"commandMode": "prompt"}},
        (SOMETHING,),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "attachment.isMeta",
        _PROGRAM,
        {"type": "attachment", "attachment": {"isMeta": True}},
        {"type": "attachment", "attachment": {}},
        ("true",),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "origin.kind",
        _PERSON,
        {**_USER, "entrypoint": "sdk-ts", "origin": {"kind": "human"}},
        {**_USER, "origin": {"kind": "peer"}},
        ("human",),
    ),
    # task-notification, peer, coordinator, plugin, auto-continuation, cron, loop, and what comes.
    Mark(
        _HOST,
        Kind.FIELD,
        "origin.kind",
        _PROGRAM,
        {**_USER, "origin": {"kind": "task-notification"}},
        {**_USER, "origin": {"kind": "human"}},
        (SOMETHING,),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "turnOrigin",
        _PERSON,
        {**_USER, "turnOrigin": "human"},
        {**_USER, "turnOrigin": "scheduled"},
        ("human",),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "turnOrigin",
        _PROGRAM,
        {**_USER, "turnOrigin": "scheduled", "entrypoint": "cli"},
        {**_USER, "turnOrigin": "human"},
        ("peer", "task_notification", "scheduled", "system", "auto_continuation", "tool"),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "promptSource",
        _PERSON,
        {**_USER, "promptSource": "typed"},
        {**_USER, "promptSource": "system"},
        ("typed", "queued", "suggestion_accepted"),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "promptSource",
        _PROGRAM,
        {**_USER, "promptSource": "system"},
        {**_USER, "promptSource": "queued"},
        ("system",),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "entrypoint",
        _PERSON,
        {**_USER, "entrypoint": "claude-vscode", "promptSource": "sdk"},
        {**_USER, "entrypoint": "sdk-cli"},
        _WINDOWS,
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "entrypoint",
        _PROGRAM,
        {**_USER, "entrypoint": "sdk-cli"},
        {**_USER, "entrypoint": "cli"},
        _SCRIPTS,
    ),
    # The lines of the queue say no entry point; those around them do.
    Mark(
        _HOST,
        Kind.HEAD,
        "entrypoint",
        _PROGRAM,
        {**_USER, "entrypoint": "sdk-py"},
        {**_USER, "entrypoint": "cli"},
        _SCRIPTS,
    ),
    Mark(
        _HOST,
        Kind.HEAD,
        "entrypoint",
        _PERSON,
        {**_USER, "entrypoint": "cli"},
        {**_USER, "entrypoint": "sdk-ts"},
        ("*",),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "promptSource",
        _PROGRAM,
        {**_USER, "promptSource": "sdk", "entrypoint": "cli"},
        {**_USER, "promptSource": "sdk", "entrypoint": "claude-desktop"},
        ("sdk",),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "turnOrigin",
        _PROGRAM,
        {**_USER, "turnOrigin": "sdk"},
        {**_USER, "turnOrigin": "sdk", "entrypoint": "claude-vscode"},
        ("sdk",),
    ),
    Mark(
        _HOST,
        Kind.REPLY,
        "isApiErrorMessage",
        _PROGRAM,
        {"type": "assistant", "isApiErrorMessage": True},
        {"type": "assistant"},
        ("true",),
    ),
    # The model of messages that no model wrote, such as "No response requested."
    Mark(
        _HOST,
        Kind.REPLY,
        "message.model",
        _PROGRAM,
        {"type": "assistant", "message": {"model": "<synthetic>"}},
        {"type": "assistant", "message": {"model": "claude-opus-5-5"}},
        ("<synthetic>",),
    ),
)


def _whole(example: str, counter: str, sign: str) -> Mark:
    return Mark(_HOST, Kind.WHOLE, sign, _PROGRAM, example, counter)


_TEXTS = (
    Mark(
        _HOST,
        Kind.FRONT,
        r"\[Request interrupted by user[^\]\n]{0,40}\]\s*",
        _PROGRAM,
        f"[Request interrupted by user for tool use]\n{SAID}",
        "Why was the request interrupted?",
    ),
    Mark(
        _HOST,
        Kind.FRONT,
        r"\[Image: source: [^\]\n]{1,1000}\]\s*",
        _PROGRAM,
        f"[Image: source: shots/a.png]\n{SAID}",
        "[Image of the depot] is broken",
    ),
    _whole(
        "Implement the following plan:\n\n# Move the crates",
        "Implement the following plan: move the crates",
        r"Implement the following plan:\s*\n\s*# ",
    ),
    _whole(
        "Continue from where you left off.",
        "Continue from where you left off with the crates.",
        r"Continue from where you left off\.$",
    ),
    _whole(
        "Another Claude session sent a message:\nThe build is red.",
        "Another Claude session is running.",
        "Another Claude session sent a message",
    ),
    _whole(
        (
            "Caveat: The messages below were generated by the user while running local commands. "
            "DO NOT respond"
        ),
        "Caveat: this breaks on Fridays.",
        "Caveat: The messages below were generated by the user",
    ),
    _whole(
        (
            "This session is being continued from a previous conversation that ran out of "
            "context. We decided …"
        ),
        "This session is about the previous conversation.",
        "This session is being continued from a previous conversation",
    ),
    _whole(
        "Stop hook feedback:\n- run the tests",
        "Stop hook feedback is noisy.",
        r"\w+ hook feedback:",
    ),
    _whole(
        "[SYSTEM NOTIFICATION - NOT USER INPUT]\nA build ended.",
        "[system] the build ended",
        r"\[SYSTEM NOTIFICATION",
    ),
    _whole("<<autonomous-loop>>\nGo on.", "<< go on", "<<autonomous-loop"),
    _whole(
        "Base directory for this skill: ~/.claude/skills/plan\n\n# Plan",
        "Base directory for the images: assets/",
        "Base directory for this skill:",
    ),
)


def _block(tag: str, speaker: Speaker = _PROGRAM, values: tuple[str, ...] = ()) -> Mark:
    counter = f"What does <{tag}> mean?"
    if speaker is _PERSON:
        return Mark(_HOST, Kind.BLOCK, tag, speaker, f"<{tag}>{SAID}</{tag}>", counter, values)
    return Mark(
        _HOST, Kind.BLOCK, tag, speaker, f"<{tag}>\nnot theirs\n</{tag}>\n{SAID}", counter, values
    )


_CHAT = (
    r"source=\"[^\"]*\b(?:telegram|discord|slack|imessage|whatsapp|signal|matrix|line|kakao"
    r"|fakechat|sms|mattermost)\b"
)
_BLOCKS = (
    Mark(
        _HOST,
        Kind.BLOCK,
        "channel",
        _PERSON,
        f'<channel source="plugin:telegram:telegram" user="kim">{SAID}</channel>',
        "Which <channel> is it?",
        (_CHAT,),
    ),
    Mark(
        _HOST,
        Kind.BLOCK,
        "channel",
        _PROGRAM,
        f'<channel source="commhub" sender="bot">not theirs</channel>{SAID}',
        "Which <channel> is it?",
    ),
    _block("command-args", _PERSON),
    _block("user-memory-input", _PERSON),
    # `! command`: what was typed is the person's, what it printed is the tool's.
    _block("bash-input", _PERSON),
    *map(
        _block,
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
        _HOST,
        Kind.SETTING,
        "command-args",
        _PROGRAM,
        "<command-name>/model</command-name><command-args>opus please</command-args>",
        f"<command-name>/plan</command-name><command-args>{SAID}</command-args>",
        tuple(_WORDLESS),
    ),
    Mark(
        _HOST,
        Kind.REASON,
        r"(?:The user doesn't want to (?:proceed with this tool use|take this "
        r"action)|Permission for this "
        r"tool use was denied)"
        r"[^\n]{0,300}?(?:To tell you how to proceed, t|T)he user said: *\n?"
        r"(?!\s*The user wants to clarify)(?P<said>.*?)(?:\n\nNote: The user's next message.*)?$",
        _PERSON,
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. "
        "if it was a "
        "file edit, the "
        "new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
        + SAID
        + (
            "\n\nNote: The user's next message may contain a correction or preference. Pay close "
            "attention"
        ),
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. "
        "if it was a "
        "file edit, the "
        "new_string was NOT written to the file). STOP what you are doing and wait for the "
        "user to tell "
        "you how to proceed.",
    ),
    Mark(
        _HOST,
        Kind.REASON,
        (
            r"[^\n]{0,200}(?:provided|gave) the following (?:reason for the rejection|reason"
            r"|feedback): *\n?(?P<said>.*)$"
        ),
        _PERSON,
        f"The user provided the following reason for the rejection: {SAID}",
        "The user rejected the plan and gave no reason.",
    ),
    # What was typed beside a yes or a no: "tell Claude what to do differently".
    Mark(
        _HOST,
        Kind.BESIDE,
        "userFeedback",
        _PERSON,
        {"type": "user", "userFeedback": SAID},
        {"type": "user", "userFeedback": ""},
        (SOMETHING,),
    ),
    Mark(
        _HOST,
        Kind.ANSWER,
        "AskUserQuestion",
        _PERSON,
        f'User has answered your questions: "When does it open?"="{SAID}".',
        "The file has been updated.",
    ),
)

MARKS = (*_FIELDS, *_TEXTS, *_BLOCKS, *_REST)
