"""Marks of Gemini CLI, and of Qwen Code, which comes of it."""

from gieok.agents.marks.mark import SAID, Kind, Mark, Speaker

_GEMINI, _QWEN = "gemini-cli", "qwen-code"
_PERSON, _PROGRAM, _AGENT = Speaker.PERSON, Speaker.PROGRAM, Speaker.AGENT
#: Commands whose arguments are a setting.
_WORDLESS = """
    model auth theme vim editor language settings approval-mode permissions trust tools mcp
    extensions skills agents directory dir stats about help quit exit clear reset restore
    resume copy docs ide setup-github terminal-setup statusline export
""".split()
_FIELDS = (
    Mark(
        _GEMINI,
        Kind.HEAD,
        "kind",
        _AGENT,
        {"sessionId": "s", "kind": "subagent"},
        {"sessionId": "s", "kind": "main"},
        ("subagent",),
    ),
    Mark(
        _GEMINI,
        Kind.FIELD,
        "type",
        _PROGRAM,
        {"type": "info"},
        {"type": "user"},
        ("info", "error", "warning"),
    ),
    Mark(
        _QWEN,
        Kind.FIELD,
        "isSidechain",
        _AGENT,
        {"type": "user", "isSidechain": True},
        {"type": "user"},
        ("true",),
    ),
    Mark(
        _QWEN,
        Kind.FIELD,
        "subtype",
        _PERSON,
        {"type": "system", "provenance": "system", "subtype": "slash_command"},
        {"type": "system", "provenance": "system", "subtype": "chat_compression"},
        ("slash_command",),
    ),
    Mark(
        _QWEN,
        Kind.FIELD,
        "provenance",
        _PERSON,
        {"type": "user", "provenance": "real_user"},
        {"type": "user", "provenance": "notification"},
        ("real_user",),
    ),
    Mark(
        _QWEN,
        Kind.FIELD,
        "provenance",
        _PROGRAM,
        {"type": "user", "provenance": "cron"},
        {"type": "user", "provenance": "real_user"},
        ("*",),
    ),
)


def _wholes(host: str) -> tuple[Mark, ...]:
    rows = (
        (
            "System: Please continue.",
            "System: fine. Please continue.",
            r"System: Please continue\.",
        ),
        (
            "This is the Gemini CLI. We are setting up the context for our chat.",
            "This is the Gemini CLI I mean.",
            "This is the (?:Gemini CLI|Qwen Code)[^\n]{0,20} We are setting up the context",
        ),
        (
            "Got it. Thanks for the context!",
            "Got it.",
            "Got it. Thanks for the (?:additional )?context!",
        ),
        (
            "Here is the user's editor context as a JSON object.\n```json\n{}\n```",
            "Here is the user's table.",
            (
                "Here is (?:the user's editor context|a summary of changes in the user's editor "
                "context)"
            ),
        ),
        ("<state_snapshot>\nWe decided …", "A <state_snapshot> helps", "<state_snapshot>"),
        ("<session_context>\nToday is …", "A <session_context> helps", "<session_context>"),
        (
            "<loaded_context>\nUse tabs.",
            "A <loaded_context> helps",
            "<(?:loaded|extension|project)_context>",
        ),
        (
            "Please continue.",
            "Please continue. The depot opens at nine.",
            r"Please continue\.?\s*$",
        ),
    )
    return tuple(
        Mark(host, Kind.WHOLE, sign, _PROGRAM, example, counter) for example, counter, sign in rows
    )


def _blocks(host: str, names: str) -> tuple[Mark, ...]:
    return tuple(
        Mark(
            host,
            Kind.BLOCK,
            name,
            _PROGRAM,
            f"{SAID}\n<{name}>\nnot theirs\n</{name}>",
            f"What does <{name}> mean?",
        )
        for name in names.split()
    )


def _files(host: str) -> tuple[Mark, ...]:
    """Return the ways in which contents of files stand behind a prompt that names them.

    A file may hold the line that ends them: it is the last such line that does.
    """
    end = r"(?:(?s:.*)--- End of content ---|(?s:.*)\Z)"
    rows = (
        (
            r"--- Content from referenced files ---" + end,
            "--- Content from referenced files ---\nnot theirs\n--- End of content ---",
            "Put the content from referenced files here",
        ),
        (
            r"(?<![^\n])Content from @[^\n]{1,1000}:[ \t]*(?:\n|\Z)" + end,
            "\nContent from @notes.md:\nnot theirs",
            "Content from @notes.md: it is old",
        ),
        # `read_many_files` heads each file like this.
        (
            r"(?<![^\n])--- [^\n]{0,1000}[/\\][^\n]{1,1000}\.\w{1,12} ---\s*\n" + end,
            "\n--- /home/x/shop/notes.md ---\n\nnot theirs\n",
            "--- either/or --- is hard",
        ),
    )
    return tuple(
        Mark(host, Kind.BEHIND, sign, _PROGRAM, f"{SAID}\n{example}", counter)
        for sign, example, counter in rows
    )


MARKS = (
    *_FIELDS,
    *_wholes(_GEMINI),
    *_wholes(_QWEN),
    *_blocks(
        _GEMINI,
        (
            "hook_context session_context state_snapshot loaded_context extension_context "
            "project_context"
        ),
    ),
    *_blocks(_QWEN, "qwen:user-prompt-submit-context system-reminder hook_context state_snapshot"),
    *_files(_GEMINI),
    *_files(_QWEN),
    # `/remember the depot opens at nine`: kept beside the talk, in the program's name.
    Mark(
        _QWEN,
        Kind.BLOCK,
        "command-args",
        _PERSON,
        f"<command-args>{SAID}</command-args>",
        "What does <command-args> mean?",
    ),
    Mark(
        _QWEN,
        Kind.SETTING,
        "command-args",
        _PROGRAM,
        "<command-name>/model</command-name><command-args>qwen3</command-args>",
        f"<command-name>/remember</command-name><command-args>{SAID}</command-args>",
        tuple(_WORDLESS),
    ),
    Mark(
        _QWEN,
        Kind.BLOCK,
        "command-name",
        _PROGRAM,
        f"<command-name>/x</command-name>{SAID}",
        "A <command-name>?",
    ),
    Mark(
        _GEMINI,
        Kind.ANSWER,
        "ask_user",
        _PERSON,
        '{"answers": {"0": "' + SAID + '"}}',
        '{"output": "ok"}',
    ),
    Mark(
        _QWEN,
        Kind.ANSWER,
        "ask_user_question",
        _PERSON,
        f"User has provided the following answers:\n\n**Hours**: {SAID}",
        "The file has been updated.",
    ),
)
